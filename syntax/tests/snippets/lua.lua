local json = require("json")

local Cart <const> = {}
Cart.__index = Cart

--- Makes an empty cart.
function Cart.new(owner)
  return setmetatable({ owner = owner or "nobody", items = {}, ["a b"] = 1 }, Cart)
end

function Cart:add(name, price, ...)
  local extra = { ... }
  self.items[#self.items + 1] = { name = name, price = price, extra = extra }
  return self
end

function Cart:total()
  local sum = 0
  for i, item in ipairs(self.items) do
    if item.price < 0 then
      goto continue
    elseif item.price > 1e3 then
      break
    end
    sum = sum + item.price // 1 ~= 0 and item.price or 0
    ::continue::
  end
  return sum
end

local text = [[
a long
string]]
local cart = Cart.new "me":add("pen", 1.5):add('desk', 0x78)
repeat
  local ok, result = pcall(function() return json.encode(cart) end)
until ok or not text
print(("%s: %d"):format(cart.owner, cart:total()))
