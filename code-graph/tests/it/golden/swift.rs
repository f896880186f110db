//! Swift.

use super::{assert_calls, assert_hierarchy};

const SHOP: (&str, &str) = (
    "Sources/Shop.swift",
    r#"
import Foundation

protocol Priced {
    var price: Money { get }
    func describe() -> String
}

extension Priced {
    func label() -> String { return describe() }
}

class Base {
    init(name: String) {}
    func send(_ item: Item) {}
}

struct Item: Priced {
    let price: Money
    var twice: Item { return copy() }
    func describe() -> String { return price.show() }
    func copy() -> Item { return self }
    func next() -> Item? { return nil }
    static func free() -> Item { return make() }
}

final class Store: Base, Priced {
    var price: Money
    let items: [Item]
    init() { super.init(name: "store") }
    override func send(_ item: Item) {
        super.send(item)
        log("sent")
    }
    func describe() -> String { return "" }
    func run(item: Item, handler: (Item) -> Item) {
        guard let other = item.next() else { return }
        other.describe()
        if let more = other.next() { more.copy() }
        for each in items { each.label() }
        items.forEach { $0.copy() }
        item.twice.describe()
        Item.free().copy()
        self.describe()
        let item = Store()
        item.send(other)
        other.audit()
        NSLog("x")
    }
}
"#,
);

const MONEY: (&str, &str) = (
    "Sources/Money.swift",
    r#"
struct Money {
    func show() -> String { return "" }
}

typealias Ware = Item

func make() -> Ware { return load() }
private func load() -> Ware { return fetch(using: make) }
func log(_ line: String) { print(line) }

extension Item {
    func audit() { describe() }
}

enum Size {
    case small, large(Int)
    func grow() -> Size { return self }
}
"#,
);

#[test]
fn extensions_defaults_optional_bindings_and_closures() {
    assert_calls(
        &[SHOP, MONEY],
        "
        ",
    );
}

#[test]
fn what_is_inherited_and_replaced() {
    assert_hierarchy(
        &[SHOP, MONEY],
        "
        Sources/Shop.swift Item -> Sources/Shop.swift Priced [implements exact]
        Sources/Shop.swift Store -> Sources/Shop.swift Base [extends exact]
        Sources/Shop.swift Store -> Sources/Shop.swift Priced [implements exact]
        Sources/Shop.swift Store.send -> Sources/Shop.swift Base.send [overrides typed]
        Sources/Shop.swift Item.describe -> Sources/Shop.swift Priced.describe [overrides typed]
        Sources/Shop.swift Store.describe -> Sources/Shop.swift Priced.describe [overrides typed]
        ",
    );
}
