//! What small texts declare, worked out by hand.

use crate::extract::extract;
use crate::facts::{Facts, Flags, SymbolId, Visibility};
use fourfold_syntax::{Language, ParseLimits, Parser};

fn facts(language: &str, text: &str) -> Facts {
    let language = Language::named(language).unwrap();
    let tree = Parser::new(ParseLimits::default())
        .parse(language, text)
        .unwrap();
    extract(language, text, &tree).unwrap()
}

/// `kind Owner.name`, then `-` for private, `~` for protected, and the words of some flags.
fn outline(facts: &Facts) -> Vec<String> {
    let words = [
        (Flags::STATIC, "static"),
        (Flags::ASYNC, "async"),
        (Flags::ABSTRACT, "abstract"),
        (Flags::PROPERTY, "property"),
        (Flags::DEPRECATED, "deprecated"),
        (Flags::DECORATED, "decorated"),
        (Flags::LOCAL, "local"),
        (Flags::TEST_CODE, "test"),
    ];
    let symbols = facts.symbols.iter().enumerate();
    symbols
        .map(|(at, symbol)| {
            let name = facts.qualified_name(SymbolId(at as u32));
            let mut line = format!("{} {name}", symbol.kind.word());
            match symbol.visibility {
                Visibility::Private => line.push_str(" -"),
                Visibility::Protected => line.push_str(" ~"),
                _ => {}
            }
            for (flag, word) in words {
                if symbol.flags.has(flag) {
                    line.push(' ');
                    line.push_str(word);
                }
            }
            line
        })
        .collect()
}

#[test]
fn a_class_declares_its_members() {
    let facts = facts(
        "typescript",
        "export abstract class C<T> {\n\
         \x20 #secret = 1\n\
         \x20 protected static count: number\n\
         \x20 constructor(private readonly dep: Dep, plain: string) {}\n\
         \x20 get size() { return 1 }\n\
         \x20 abstract run(): void\n\
         \x20 on(a: string): void\n\
         \x20 on(a: any) {}\n\
         \x20 handle = async () => {}\n\
         \x20 @log() marked() {}\n\
         }\n",
    );
    assert_eq!(
        outline(&facts),
        [
            "class C abstract",
            "field C.#secret -",
            "field C.count ~ static",
            "constructor C.constructor",
            "field C.dep -",
            "getter C.size property",
            "method C.run abstract",
            "method C.on",
            "method C.handle",
            "method C.marked decorated",
        ]
    );
}

#[test]
fn functions_objects_and_types_are_symbols() {
    let facts = facts(
        "tsx",
        "/** Adds one.\n * @deprecated use two\n */\n\
         export const add = (x: number) => x + 1\n\
         const table = { run() {}, stop: () => {}, size: 3 }\n\
         export { table }\n\
         export type Shape = { area(): number; name: string }\n\
         enum Color { Red, Green = 'g' }\n\
         namespace N { export function inner() { const helper = () => 1 } }\n\
         describe('x', () => { function fixture() {} })\n\
         export default function () {}\n",
    );
    assert_eq!(
        outline(&facts),
        [
            "function add deprecated",
            "constant table",
            "method table.run",
            "method table.stop",
            "field table.size",
            "type_alias Shape",
            "method Shape.area",
            "field Shape.name",
            "enum Color -",
            "enum_member Color.Red static",
            "enum_member Color.Green static",
            "module N -",
            "function N.inner",
            "function N.inner.helper - local",
            "function fixture - local test",
            "function default",
        ]
    );
    let add = &facts.symbols[0];
    assert_eq!(add.doc.map(|doc| facts.name(doc)), Some("Adds one."));
    assert_eq!(
        facts.name(add.signature),
        "export const add = (x: number) =>"
    );
}

#[test]
fn symbols_stand_in_the_order_of_their_position() {
    let facts = facts(
        "javascript",
        "run(() => { function first() {} }, { second() {} })\n",
    );
    assert_eq!(outline(&facts), ["function first - local", "method second"]);
}

#[test]
fn damaged_and_deep_texts_are_read_as_far_as_they_go() {
    let deep = format!("const x = {}1{}\n", "f(".repeat(3000), ")".repeat(3000));
    let types = format!(
        "type T = {}void{}\n",
        "(a: ".repeat(900),
        ") => void".repeat(900)
    );
    let defaults = format!(
        "const g = {}1{}\n",
        "(a = ".repeat(900),
        ") => 1".repeat(900)
    );
    for text in [
        "class { foo( { ",
        "export { a as } from",
        "import from 'x'; x.y.",
        "const {a: {b: [c = ] } } = = d",
        "type T<A extends = { [k in",
        deep.as_str(),
        types.as_str(),
        defaults.as_str(),
    ] {
        facts("typescript", text);
        facts("javascript", text);
    }
}
