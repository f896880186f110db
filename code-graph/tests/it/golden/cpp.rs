//! C++: namespaces, definitions outside the class, overloads, `auto`, smart pointers.

use super::Project;
use expect_test::expect;
use fourfold_code_graph::link::EdgeKind;

const FILES: &[(&str, &str)] = &[
    (
        "include/cart.hpp",
        r#"#pragma once
#include <memory>
namespace shop {
class Item {
public:
  Item(int price);
  int price() const;
private:
  int price_;
};

class Base {
public:
  virtual int total() { return 0; }
  void log() {}
};

/// A cart.
class Cart : public Base {
public:
  Cart() {}
  static Cart make();
  int add(const Item& item);
  int add(const Item& item, int count);
  int total() override { return first_.price(); }
private:
  Item first_;
  std::unique_ptr<Item> last_;
};

int helper(int x);
}
"#,
    ),
    (
        "src/cart.cpp",
        r#"#include "cart.hpp"
namespace shop {
Item::Item(int price) : price_(price) {}
int Item::price() const { return price_; }

int helper(int x) { return x; }

Cart Cart::make() { return Cart(); }

int Cart::add(const Item& item) {
  log();
  last_->price();
  auto copy = item;
  copy.price();
  return helper(item.price());
}

int Cart::add(const Item& item, int count) {
  return this->add(item) * count;
}

template <typename T> T twice(T x) { return x + x; }
}

namespace other {
int helper(int x) { return x; }
int run() { return helper(1); }
}
"#,
    ),
    (
        "test/cart_test.cpp",
        r#"#include "cart.hpp"
using namespace shop;

int check(int x) { return x; }

TEST(CartTest, Adds) {
  Cart cart;
  Item item(3);
  cart.add(item, 2);
  auto other = Cart::make();
  other.total();
  auto made = new Item(1);
  made->price();
  check(shop::helper(1));
  twice(1);
  unknown.total();
}
"#,
    ),
];

#[test]
fn namespaces_types_and_overloads() {
    expect![[r#"
        include/cart.hpp shop.Cart.total -> src/cart.cpp shop.Item.price [calls typed]
        src/cart.cpp other.run -> src/cart.cpp other.helper [calls exact]
        src/cart.cpp shop.Cart.add -> include/cart.hpp shop.Base.log [calls typed]
        src/cart.cpp shop.Cart.add -> src/cart.cpp shop.Cart.add [calls typed]
        src/cart.cpp shop.Cart.add -> src/cart.cpp shop.Item.price [calls typed]
        src/cart.cpp shop.Cart.add -> src/cart.cpp shop.helper [calls exact]
        src/cart.cpp shop.Cart.make -> include/cart.hpp shop.Cart [instantiates exact]
        src/cart.cpp shop.Cart.make -> include/cart.hpp shop.Cart.Cart [calls exact]
        test/cart_test.cpp CartTest.Adds -> include/cart.hpp shop.Cart.total [calls inferred]
        test/cart_test.cpp CartTest.Adds -> include/cart.hpp shop.Item [instantiates exact]
        test/cart_test.cpp CartTest.Adds -> src/cart.cpp shop.Cart.add [calls typed]
        test/cart_test.cpp CartTest.Adds -> src/cart.cpp shop.Cart.make [calls exact]
        test/cart_test.cpp CartTest.Adds -> src/cart.cpp shop.Item.Item [calls exact]
        test/cart_test.cpp CartTest.Adds -> src/cart.cpp shop.Item.price [calls typed]
        test/cart_test.cpp CartTest.Adds -> src/cart.cpp shop.helper [calls exact]
        test/cart_test.cpp CartTest.Adds -> src/cart.cpp shop.twice [calls exact]
        test/cart_test.cpp CartTest.Adds -> test/cart_test.cpp check [calls exact]
    "#]]
    .assert_eq(&Project::new(FILES).calls());
}

#[test]
fn a_class_extends_its_base_and_overrides_are_told() {
    let edges = Project::new(FILES).edges(&[EdgeKind::Extends, EdgeKind::Overrides]);
    for line in [
        "include/cart.hpp shop.Cart -> include/cart.hpp shop.Base [extends exact]",
        "include/cart.hpp shop.Cart.total -> include/cart.hpp shop.Base.total [overrides typed]",
    ] {
        assert!(edges.contains(line), "{line} is not in\n{edges}");
    }
}
