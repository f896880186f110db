//! Dart.

use super::{assert_calls, assert_hierarchy};

const PACKAGE: (&str, &str) = ("pubspec.yaml", "name: shop\nversion: 1.0.0\n");

const LIB: (&str, &str) = (
    "lib/shop.dart",
    "export 'src/item.dart' show Item, parse;\nexport 'src/cart.dart';\n",
);

const ITEM: (&str, &str) = (
    "lib/src/item.dart",
    r#"
import 'dart:convert';

abstract class Priced {
  int get price;
  int total(int n) => price * n;
}

mixin Labelled {
  String get label => 'x';
  void describe() { print(label); }
}

class Item extends Priced with Labelled {
  final int cents;
  Item? next;
  Item(this.cents);
  Item.free() : this(0);
  Item.copy(Item other) : cents = other.cents, super();
  factory Item.of(String text) => parse(text);
  static Item zero() => Item(0);
  @override
  int get price => cents;
  set price(int value) { round(value); }
  void describe() { super.describe(); _hidden(); }
  void _hidden() {}
  Item operator +(Item other) => Item(cents + other.cents);
}

Item parse(String text) => Item(jsonDecode(text));

Item _secret() => Item(9);

int round(int value) => value;
"#,
);

const CART: (&str, &str) = (
    "lib/src/cart.dart",
    r#"
import 'item.dart' as things;
import 'item.dart' show Item;

part 'cart_part.dart';

extension Totals on List<Item> {
  int sum() => fold(0, (a, b) => a + b.cents);
  Item top() => first;
}

class Cart {
  final List<Item> items = [];
  final Map<String, Item> named = {};
  late final Item gift = things.parse('{}');
  Item operator [](int at) => items[at];

  void add(Item item, {void Function(Item)? then}) {
    items.add(item);
    then?.call(item);
  }

  Future<Item> load() async {
    final item = await fetch();
    item.describe();
    return item;
  }

  Future<Item> fetch() async => Item(1);

  void run() {
    final cart = Cart();
    cart
      ..add(Item(2))
      ..load()
      ..items.top().describe();
    for (final item in items) { item.total(2); }
    items.map((e) => e.next!.total(1)).toList();
    items.forEach(show);
    named['a']!.describe();
    named.values.first.total(3);
    this[0].total(4);
    gift.describe();
    items.sum();
    Item.free().describe();
    Item.of('x').next?.describe();
    new Item.copy(gift);
    things.Item.zero().total(5);
    var shown = show;
    shown(gift);
    Object other = gift;
    if (other is Item) { other.describe(); }
    (other as Item).total(6);
    local() => helper(this);
    local();
    unknown().describe();
    add(gift, then: (item) => item.describe());
  }

  void show(Item item) => item.describe();
}
"#,
);

const PART: (&str, &str) = (
    "lib/src/cart_part.dart",
    r#"
part of 'cart.dart';

void helper(Cart cart) {
  cart.run();
  _inner(things.parse(''));
  Item(3).describe();
}

void _inner(Item item) => item.total(7);
"#,
);

const TEST: (&str, &str) = (
    "test/cart_test.dart",
    r#"
import 'package:shop/shop.dart';
import 'package:test/test.dart';

void main() {
  test('adds', () {
    final cart = Cart();
    cart.add(parse('{}'));
    expect(cart.items.sum(), 1);
    _secret();
    round(1);
  });
}
"#,
);

#[test]
fn libraries_parts_constructors_cascades_and_extensions() {
    assert_calls(
        &[PACKAGE, LIB, ITEM, CART, PART, TEST],
        "
        lib/src/item.dart Labelled.describe -> ! print [calls]
        lib/src/item.dart Item.free -> lib/src/item.dart Item.Item [calls typed]
        lib/src/item.dart Item.of -> lib/src/item.dart parse [calls exact]
        lib/src/item.dart Item.zero -> lib/src/item.dart Item [instantiates exact]
        lib/src/item.dart Item.zero -> lib/src/item.dart Item.Item [calls exact]
        lib/src/item.dart Item.price -> lib/src/item.dart round [calls exact]
        lib/src/item.dart Item.describe -> lib/src/item.dart Labelled.describe [calls typed]
        lib/src/item.dart Item.describe -> lib/src/item.dart Item._hidden [calls typed]
        lib/src/item.dart Item.+ -> lib/src/item.dart Item [instantiates exact]
        lib/src/item.dart Item.+ -> lib/src/item.dart Item.Item [calls exact]
        lib/src/item.dart parse -> lib/src/item.dart Item [instantiates exact]
        lib/src/item.dart parse -> lib/src/item.dart Item.Item [calls exact]
        lib/src/item.dart parse -> ! jsonDecode [calls]
        lib/src/item.dart _secret -> lib/src/item.dart Item [instantiates exact]
        lib/src/item.dart _secret -> lib/src/item.dart Item.Item [calls exact]
        lib/src/cart.dart Totals.sum -> ! List.fold [calls]
        lib/src/cart.dart Cart.gift -> lib/src/item.dart parse [calls exact]
        lib/src/cart.dart Cart.add -> ! List.add [calls]
        lib/src/cart.dart Cart.add -> ! function.call [calls]
        lib/src/cart.dart Cart.load -> lib/src/cart.dart Cart.fetch [calls typed]
        lib/src/cart.dart Cart.load -> lib/src/item.dart Item.describe [calls inferred]
        lib/src/cart.dart Cart.fetch -> lib/src/item.dart Item [instantiates exact]
        lib/src/cart.dart Cart.fetch -> lib/src/item.dart Item.Item [calls exact]
        lib/src/cart.dart Cart.run -> lib/src/cart.dart Cart [instantiates exact]
        lib/src/cart.dart Cart.run -> lib/src/cart.dart Cart.add [calls typed]
        lib/src/cart.dart Cart.run -> lib/src/item.dart Item [instantiates exact]
        lib/src/cart.dart Cart.run -> lib/src/item.dart Item.Item [calls exact]
        lib/src/cart.dart Cart.run -> lib/src/cart.dart Cart.load [calls typed]
        lib/src/cart.dart Cart.run -> lib/src/cart.dart Totals.top [calls typed]
        lib/src/cart.dart Cart.run -> lib/src/item.dart Item.describe [calls inferred]
        lib/src/cart.dart Cart.run -> lib/src/item.dart Priced.total [calls inferred]
        lib/src/cart.dart Cart.run -> ! List.map [calls]
        lib/src/cart.dart Cart.run -> ! Stream.toList [calls]
        lib/src/cart.dart Cart.run -> ! List.forEach [calls]
        lib/src/cart.dart Cart.run -> lib/src/item.dart Item.describe [calls typed]
        lib/src/cart.dart Cart.run -> lib/src/item.dart Priced.total [calls typed]
        lib/src/cart.dart Cart.run -> lib/src/cart.dart Totals.sum [calls typed]
        lib/src/cart.dart Cart.run -> lib/src/item.dart Item.free [calls exact]
        lib/src/cart.dart Cart.run -> lib/src/item.dart Item.of [calls exact]
        lib/src/cart.dart Cart.run -> lib/src/item.dart Item.copy [calls exact]
        lib/src/cart.dart Cart.run -> lib/src/item.dart Item.zero [calls exact]
        lib/src/cart.dart Cart.run -> lib/src/cart.dart Cart.show [calls inferred]
        lib/src/cart.dart Cart.run.local -> lib/src/cart_part.dart helper [calls exact]
        lib/src/cart.dart Cart.run -> lib/src/cart.dart Cart.run.local [calls exact]
        lib/src/cart.dart Cart.run -> ? unknown [calls]
        lib/src/cart.dart Cart.run -> ? describe [calls]
        lib/src/cart.dart Cart.show -> lib/src/item.dart Item.describe [calls typed]
        lib/src/cart_part.dart helper -> lib/src/cart.dart Cart.run [calls typed]
        lib/src/cart_part.dart helper -> lib/src/cart_part.dart _inner [calls exact]
        lib/src/cart_part.dart helper -> lib/src/item.dart parse [calls exact]
        lib/src/cart_part.dart helper -> lib/src/item.dart Item [instantiates exact]
        lib/src/cart_part.dart helper -> lib/src/item.dart Item.Item [calls exact]
        lib/src/cart_part.dart helper -> lib/src/item.dart Item.describe [calls typed]
        lib/src/cart_part.dart _inner -> lib/src/item.dart Priced.total [calls typed]
        test/cart_test.dart main -> ! test [calls]
        test/cart_test.dart main -> lib/src/cart.dart Cart [instantiates exact]
        test/cart_test.dart main -> lib/src/cart.dart Cart.add [calls typed]
        test/cart_test.dart main -> lib/src/item.dart parse [calls exact]
        test/cart_test.dart main -> ! expect [calls]
        test/cart_test.dart main -> lib/src/cart.dart Totals.sum [calls typed]
        test/cart_test.dart main -> ! _secret [calls]
        test/cart_test.dart main -> ! round [calls]
        ",
    );
}

#[test]
fn mixins_getters_and_what_they_replace() {
    assert_hierarchy(
        &[PACKAGE, ITEM],
        "
        lib/src/item.dart Item -> lib/src/item.dart Priced [extends exact]
        lib/src/item.dart Item -> lib/src/item.dart Labelled [mixes_in exact]
        lib/src/item.dart Item.price -> lib/src/item.dart Priced.price [overrides typed]
        lib/src/item.dart Item.describe -> lib/src/item.dart Labelled.describe [overrides typed]
        ",
    );
}
