//! Lua: modules as tables, classes as metatables, functions as values.

use super::Project;
use expect_test::expect;
use fourfold_code_graph::link::EdgeKind;

const FILES: &[(&str, &str)] = &[
    (
        "lua/shop/account.lua",
        r#"
local util = require("shop.util")

--- An account.
local Account = {}
Account.__index = Account

function Account.new(balance)
  local self = setmetatable({}, Account)
  self.balance = balance
  self.log = util.logger()
  return self
end

function Account:deposit(amount)
  self.balance = util.add(self.balance, amount)
  self:changed()
end

function Account:changed() end

return Account
"#,
    ),
    (
        "lua/shop/util.lua",
        r#"
local M = {}

local function clean(x) return x end

function M.add(a, b) return clean(a) + clean(b) end
M.logger = function() return print end

-- The same name as a method of Account.
function M.deposit(x) return x end

return M
"#,
    ),
    (
        "main.lua",
        r#"
local Account = require "shop.account"
local add = require("shop.util").add

local function each(list, f)
  for _, x in ipairs(list) do f(x) end
end

local function show(x) print(x) end

local account = Account.new(1)
account:deposit(2)
each({ 1, 2 }, show)
add(1, 2)
unknown.thing:deposit(3)

local function fact(n)
  if n == 0 then return 1 end
  return n * fact(n - 1)
end
"#,
    ),
];

#[test]
fn tables_are_modules_and_classes() {
    expect![[r#"
        lua/shop/account.lua Account.deposit -> lua/shop/account.lua Account.changed [calls typed]
        lua/shop/account.lua Account.deposit -> lua/shop/util.lua M.add [calls exact]
        lua/shop/account.lua Account.new -> lua/shop/util.lua M.logger [calls exact]
        lua/shop/util.lua M.add -> lua/shop/util.lua clean [calls exact]
        main.lua -> ? deposit [calls]
        main.lua -> lua/shop/account.lua Account.deposit [calls inferred]
        main.lua -> lua/shop/account.lua Account.new [calls exact]
        main.lua -> lua/shop/util.lua M.add [calls inferred]
        main.lua -> main.lua each [calls exact]
        main.lua each -> ? f [calls]
        main.lua fact -> main.lua fact [calls exact]
    "#]]
    .assert_eq(&Project::new(FILES).calls());
}

#[test]
fn a_function_that_is_passed_is_used() {
    let uses = Project::new(FILES).edges(&[EdgeKind::References]);
    assert!(
        uses.contains("main.lua -> main.lua show [references exact]"),
        "{uses}"
    );
}
