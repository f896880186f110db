//! Swift.

use super::{EdgeKind, assert_calls, assert_hierarchy, assert_links};
use fourfold_code_graph::facts::Flags;

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
        for ware in items { ware.label() }
        items.forEach { $0.copy() }
        item.twice.describe()
        Item.free().copy()
        self.describe()
        do {
            let item = Store()
            item.send(other)
        }
        other.audit()
        NSLog("x")
        handler(item).copy()
        let size = Size.small
        size.grow()
        let box = Box<Item>(value: item)
        box.open().audit()
        handled(shown)
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

class Box<T> {
    let value: T
    init(value: T) { self.value = value }
    func open() -> T { return value }
}

func handled(_ each: (Item) -> Item) {}
func shown(_ item: Item) -> Item { return item }

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
        Sources/Money.swift Item.audit -> Sources/Shop.swift Item.describe [calls typed]
        Sources/Money.swift load -> ! fetch [calls]
        Sources/Money.swift log -> ! print [calls]
        Sources/Money.swift make -> Sources/Money.swift load [calls exact]
        Sources/Shop.swift Item.describe -> Sources/Money.swift Money.show [calls typed]
        Sources/Shop.swift Item.free -> Sources/Money.swift make [calls exact]
        Sources/Shop.swift Item.twice -> Sources/Shop.swift Item.copy [calls typed]
        Sources/Shop.swift Priced.label -> Sources/Shop.swift Priced.describe [calls typed]
        Sources/Shop.swift Store.init -> Sources/Shop.swift Base.init [calls typed]
        Sources/Shop.swift Store.send -> Sources/Shop.swift Base.send [calls typed]
        Sources/Shop.swift Store.send -> Sources/Money.swift log [calls exact]
        Sources/Shop.swift Store.run -> Sources/Shop.swift Item.next [calls typed]
        Sources/Shop.swift Store.run -> Sources/Shop.swift Item.next [calls inferred]
        Sources/Shop.swift Store.run -> Sources/Shop.swift Item.describe [calls inferred]
        Sources/Shop.swift Store.run -> Sources/Shop.swift Item.describe [calls typed]
        Sources/Shop.swift Store.run -> Sources/Shop.swift Item.copy [calls inferred]
        Sources/Shop.swift Store.run -> Sources/Shop.swift Priced.label [calls inferred]
        Sources/Shop.swift Store.run -> ! Array.forEach [calls]
        Sources/Shop.swift Store.run -> Sources/Shop.swift Item.free [calls exact]
        Sources/Shop.swift Store.run -> Sources/Shop.swift Store.describe [calls typed]
        Sources/Shop.swift Store.run -> Sources/Shop.swift Store [instantiates exact]
        Sources/Shop.swift Store.run -> Sources/Shop.swift Store.init [calls exact]
        Sources/Shop.swift Store.run -> Sources/Shop.swift Store.send [calls typed]
        Sources/Shop.swift Store.run -> Sources/Money.swift Item.audit [calls inferred]
        Sources/Shop.swift Store.run -> ! NSLog [calls]
        Sources/Shop.swift Store.run -> Sources/Money.swift Size.grow [calls typed]
        Sources/Shop.swift Store.run -> Sources/Money.swift Box [instantiates exact]
        Sources/Shop.swift Store.run -> Sources/Money.swift Box.init [calls exact]
        Sources/Shop.swift Store.run -> Sources/Money.swift Box.open [calls typed]
        Sources/Shop.swift Store.run -> Sources/Money.swift handled [calls exact]
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

#[test]
fn a_private_name_stays_in_its_file_and_a_function_may_be_passed() {
    let one =
        "private func go() {}\nfunc apply(_ work: () -> Void) {}\nfunc a() { go()\napply(go) }\n";
    let other = "private func go() {}\nfunc b() { go()\napply(c) }\nfunc c() {}\n";
    assert_links(
        &[("a.swift", one), ("b.swift", other)],
        &[EdgeKind::Calls, EdgeKind::References],
        "
        a.swift a -> a.swift go [calls exact]
        a.swift a -> a.swift apply [calls exact]
        a.swift a -> a.swift go [references exact]
        b.swift b -> b.swift go [calls exact]
        b.swift b -> a.swift apply [calls exact]
        b.swift b -> b.swift c [references exact]
        ",
    );
}

#[test]
fn declarations_say_what_they_are() {
    let text = r#"
class PriceTests: XCTestCase {
    /// One price.
    func testPrice() {}
    private func helper() {}
}
public struct Grid {
    init() {}
    subscript(at: Int) -> Int { return at }
    var count: Int { return 1 }
}
extension Grid { class Row {} }
enum Size { case small, large(Int) }
"#;
    let project = super::Project::new(&[("a.swift", text)]);
    let facts = &project.facts[0];
    let found: Vec<String> = facts
        .symbols
        .iter()
        .enumerate()
        .map(|(at, symbol)| {
            let name = facts.qualified_name(super::SymbolId(at as u32));
            let test = symbol.flags.has(Flags::TEST);
            let doc = symbol.doc.map_or("", |doc| facts.name(doc));
            let (kind, seen) = (symbol.kind.word(), symbol.visibility);
            format!("{kind} {name} {seen:?} {test} {doc}")
                .trim_end()
                .to_owned()
        })
        .collect();
    let expected = [
        "class PriceTests Internal false",
        "method PriceTests.testPrice Internal true One price.",
        "method PriceTests.helper Private false",
        "struct Grid Public false",
        "constructor Grid.init Internal false",
        "method Grid.subscript Internal false",
        "field Grid.count Internal false",
        "class Grid.Row Internal false",
        "enum Size Internal false",
        "enum_member Size.small Internal false",
        "enum_member Size.large Internal false",
    ];
    assert_eq!(found, expected);
}
