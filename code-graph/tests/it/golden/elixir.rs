//! Elixir: aliases, imports, pipes, arities, protocols.

use super::Project;
use expect_test::expect;
use fourfold_code_graph::link::EdgeKind;

const FILES: &[(&str, &str)] = &[
    (
        "lib/cart.ex",
        r#"defmodule Shop.Cart do
  @moduledoc "A cart."
  alias Shop.{Item, Store}
  alias Shop.Price, as: P
  import Shop.Helpers
  @limit 3

  defstruct items: []

  def add(%__MODULE__{} = cart, item) do
    item |> P.of() |> check(cart)
    Store.put(cart, item)
    titled("x")
    total(cart)
    total(cart, 1)
    Enum.map(cart.items, &helper/1)
    Enum.each(cart.items, fn i -> helper(i) end)
    %Item{}
    @limit
  end

  def total(cart), do: total(cart, 0)
  def total(cart, start), do: start

  defp helper(x), do: x
  defp check(price, _cart) when is_integer(price), do: price
  defp check(_price, _cart), do: nil

  # The same name as a function of Store, which is not meant above.
  def put(x), do: x
end
"#,
    ),
    (
        "lib/store.ex",
        r#"defmodule Shop.Store do
  def put(cart, _item), do: cart
end

defmodule Shop.Item do
  defstruct [:name]
end

defmodule Shop.Price do
  def of(_item), do: 1
end

defmodule Shop.Helpers do
  def titled(x), do: x
end

defprotocol Shop.Sellable do
  def price(x)
end

defimpl Shop.Sellable, for: Shop.Item do
  def price(x), do: Shop.Price.of(x)
end
"#,
    ),
    (
        "test/cart_test.exs",
        r#"defmodule Shop.CartTest do
  use ExUnit.Case
  alias Shop.Cart

  test "adds" do
    assert Cart.add(%Cart{}, 1)
    Unknown.run(1)
  end
end
"#,
    ),
];

#[test]
fn modules_are_found_by_full_name_and_functions_by_arity() {
    expect![[r#"
        lib/cart.ex Shop.Cart.add -> lib/cart.ex Shop.Cart.check [calls typed]
        lib/cart.ex Shop.Cart.add -> lib/cart.ex Shop.Cart.helper [calls typed]
        lib/cart.ex Shop.Cart.add -> lib/cart.ex Shop.Cart.total [calls typed]
        lib/cart.ex Shop.Cart.add -> lib/store.ex Shop.Helpers.titled [calls exact]
        lib/cart.ex Shop.Cart.add -> lib/store.ex Shop.Item [instantiates exact]
        lib/cart.ex Shop.Cart.add -> lib/store.ex Shop.Price.of [calls exact]
        lib/cart.ex Shop.Cart.add -> lib/store.ex Shop.Store.put [calls exact]
        lib/cart.ex Shop.Cart.total -> lib/cart.ex Shop.Cart.total [calls typed]
        lib/store.ex Shop.Sellable.Shop.Item.price -> lib/store.ex Shop.Price.of [calls exact]
        test/cart_test.exs Shop.CartTest.test adds -> lib/cart.ex Shop.Cart [instantiates exact]
        test/cart_test.exs Shop.CartTest.test adds -> lib/cart.ex Shop.Cart.add [calls exact]
    "#]]
    .assert_eq(&Project::new(FILES).calls());
}

#[test]
fn captures_are_uses_and_implementations_are_told() {
    let edges = Project::new(FILES).edges(&[EdgeKind::References, EdgeKind::Implements]);
    for line in [
        "lib/cart.ex Shop.Cart.add -> lib/cart.ex Shop.Cart.helper [references exact]",
        "lib/store.ex Shop.Sellable.Shop.Item -> lib/store.ex Shop.Sellable [implements exact]",
    ] {
        assert!(edges.contains(line), "{line} is not in\n{edges}");
    }
}
