//! Ruby: reopened classes, constants by nesting, methods without parentheses, symbols.

use super::Project;
use expect_test::expect;
use fourfold_code_graph::link::EdgeKind;

const FILES: &[(&str, &str)] = &[
    (
        "lib/shop/cart.rb",
        r#"require_relative "item"

module Shop
  # A cart.
  class Cart < Base
    include Loud
    attr_reader :items

    def initialize(items = [])
      @items = items
      @store = Store.new
    end

    def self.build
      new([])
    end

    def add(item)
      item = Item.new("x")
      item.price
      @store.save(self)
      check item
      shout
      items.each { |i| i.price }
      total
      super
    end

    def total
      items.map(&:price)
      @store.size
    end
    alias sum total

    private

    def check(item)
      send(:validate, item)
    end

    def validate(item) = item
  end
end
"#,
    ),
    (
        "lib/shop/item.rb",
        r#"module Shop
  class Item
    attr_accessor :name

    def initialize(name)
      self.name = name
    end

    def price
      tax + 1
    end

    def tax = 1
  end

  class Store
    def save(cart) = cart.total
    def size = 1
  end

  module Loud
    def shout = puts("!")
  end

  class Base
    def add(item) = item
    def inherited_one = 1
  end
end

# A namesake at the top.
class Item
  def price = 2
end
"#,
    ),
    (
        "lib/shop/more.rb",
        r#"module Shop
  # Opened again.
  class Cart
    def clear
      total
      inherited_one
      Cart.build
      Shop::Cart.build.clear
      ::Item.new.price
    end
  end
end
"#,
    ),
    (
        "test/cart_test.rb",
        r#"class CartTest < Minitest::Test
  def test_add
    cart = Shop::Cart.new
    cart.add(1)
    unknown.add(2)
    assert_equal 1, cart.sum
  end
end
"#,
    ),
];

#[test]
fn methods_are_found_through_self_constants_and_instance_variables() {
    expect![[r#"
        lib/shop/cart.rb Shop.Cart.add -> ? each [calls]
        lib/shop/cart.rb Shop.Cart.add -> ? price [calls]
        lib/shop/cart.rb Shop.Cart.add -> lib/shop/cart.rb Shop.Cart.check [calls typed]
        lib/shop/cart.rb Shop.Cart.add -> lib/shop/cart.rb Shop.Cart.items [calls typed]
        lib/shop/cart.rb Shop.Cart.add -> lib/shop/cart.rb Shop.Cart.total [calls typed]
        lib/shop/cart.rb Shop.Cart.add -> lib/shop/item.rb Shop.Base.add [calls typed]
        lib/shop/cart.rb Shop.Cart.add -> lib/shop/item.rb Shop.Item [instantiates exact]
        lib/shop/cart.rb Shop.Cart.add -> lib/shop/item.rb Shop.Item.initialize [calls exact]
        lib/shop/cart.rb Shop.Cart.add -> lib/shop/item.rb Shop.Item.price [calls typed]
        lib/shop/cart.rb Shop.Cart.add -> lib/shop/item.rb Shop.Loud.shout [calls typed]
        lib/shop/cart.rb Shop.Cart.add -> lib/shop/item.rb Shop.Store.save [calls typed]
        lib/shop/cart.rb Shop.Cart.build -> lib/shop/cart.rb Shop.Cart [instantiates typed]
        lib/shop/cart.rb Shop.Cart.build -> lib/shop/cart.rb Shop.Cart.initialize [calls typed]
        lib/shop/cart.rb Shop.Cart.initialize -> lib/shop/item.rb Shop.Store [instantiates exact]
        lib/shop/cart.rb Shop.Cart.sum -> lib/shop/cart.rb Shop.Cart.total [calls typed]
        lib/shop/cart.rb Shop.Cart.total -> ? map [calls]
        lib/shop/cart.rb Shop.Cart.total -> ? price [calls]
        lib/shop/cart.rb Shop.Cart.total -> lib/shop/cart.rb Shop.Cart.items [calls typed]
        lib/shop/cart.rb Shop.Cart.total -> lib/shop/item.rb Shop.Store.size [calls typed]
        lib/shop/item.rb Shop.Item.initialize -> lib/shop/item.rb Shop.Item.name= [calls typed]
        lib/shop/item.rb Shop.Item.price -> lib/shop/item.rb Shop.Item.tax [calls typed]
        lib/shop/item.rb Shop.Store.save -> ? total [calls]
        lib/shop/more.rb Shop.Cart.clear -> lib/shop/cart.rb Shop.Cart.build [calls exact]
        lib/shop/more.rb Shop.Cart.clear -> lib/shop/cart.rb Shop.Cart.total [calls typed]
        lib/shop/more.rb Shop.Cart.clear -> lib/shop/item.rb Item [instantiates exact]
        lib/shop/more.rb Shop.Cart.clear -> lib/shop/item.rb Item.price [calls typed]
        lib/shop/more.rb Shop.Cart.clear -> lib/shop/item.rb Shop.Base.inherited_one [calls typed]
        lib/shop/more.rb Shop.Cart.clear -> lib/shop/more.rb Shop.Cart.clear [calls inferred]
        test/cart_test.rb CartTest.test_add -> ? add [calls]
        test/cart_test.rb CartTest.test_add -> lib/shop/cart.rb Shop.Cart [instantiates exact]
        test/cart_test.rb CartTest.test_add -> lib/shop/cart.rb Shop.Cart.add [calls typed]
        test/cart_test.rb CartTest.test_add -> lib/shop/cart.rb Shop.Cart.initialize [calls exact]
        test/cart_test.rb CartTest.test_add -> lib/shop/cart.rb Shop.Cart.sum [calls typed]
    "#]]
    .assert_eq(&Project::new(FILES).calls());
}

#[test]
fn what_a_class_inherits_and_takes_in() {
    expect![[r#"
        lib/shop/cart.rb Shop.Cart -> lib/shop/item.rb Shop.Base [extends exact]
        lib/shop/cart.rb Shop.Cart -> lib/shop/item.rb Shop.Loud [mixes_in exact]
    "#]]
    .assert_eq(&Project::new(FILES).edges(&[EdgeKind::Extends, EdgeKind::MixesIn]));
}
