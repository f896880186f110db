//! Facts of small texts, worked out by hand.

use crate::extract::extract;
use crate::facts::{Bound, Facts, Flags, NameId, Site, SiteKind};
use fourfold_syntax::{Language, ParseLimits, with_parser};

fn facts(text: &str) -> Facts {
    let rust = Language::named("rust").unwrap();
    let tree = with_parser(ParseLimits::default(), |p| p.parse(rust, text)).unwrap();
    extract(rust, text, &tree).unwrap()
}

/// An expression, for reading.
fn shown(facts: &Facts, expr: crate::facts::ExprId) -> String {
    use crate::facts::Expr;
    let list = |list| {
        let all: Vec<String> = facts.list(list).iter().map(|e| shown(facts, *e)).collect();
        all.join(", ")
    };
    match facts.exprs[expr.index()] {
        Expr::Name(n) => facts.name(n).to_string(),
        Expr::Literal(n) => format!("'{}", facts.name(n)),
        Expr::Member(e, n) => format!("{}.{}", shown(facts, e), facts.name(n)),
        Expr::Path(e, n) => format!("{}::{}", shown(facts, e), facts.name(n)),
        Expr::Call(e, l) => format!("{}({})", shown(facts, e), list(l)),
        Expr::New(e, l) => format!("{}{{{}}}", shown(facts, e), list(l)),
        Expr::Generic(e, l) => format!("{}<{}>", shown(facts, e), list(l)),
        Expr::This => "self".into(),
        Expr::SelfType => "Self".into(),
        Expr::Instance(e) => format!("inst {}", shown(facts, e)),
        Expr::Union(l) => format!("union({})", list(l)),
        Expr::Tuple(l) => format!("({})", list(l)),
        Expr::Array(l) => format!("[{}]", list(l)),
        Expr::Bounds(l) => format!("bounds({})", list(l)),
        Expr::Closure(f) => format!("closure#{}", f.0),
        Expr::Element(e) => format!("element {}", shown(facts, e)),
        Expr::Part(e, n) => format!("{}#{n}", shown(facts, e)),
        Expr::Await(e) => format!("{}.await", shown(facts, e)),
        Expr::Unwrap(e) => format!("{}?", shown(facts, e)),
        Expr::Reference(e) => format!("&{}", shown(facts, e)),
        Expr::Keyword(n, e) => format!("{}: {}", facts.name(n), shown(facts, e)),
        Expr::Passed(e, n) => format!("passed({}, {n})", shown(facts, e)),
        Expr::Variant(e, p) => format!("{} as {}", shown(facts, e), shown(facts, p)),
        Expr::Qualified(e, p) => format!("<{} as {}>", shown(facts, e), shown(facts, p)),
        other => format!("{other:?}"),
    }
}

/// The sites of one kind: row, the text at the position, what is named, and the owner.
fn sites(text: &str, kind: SiteKind) -> Vec<String> {
    let facts = facts(text);
    let of_kind = facts.sites.iter().filter(|site| site.kind == kind);
    let line = |site: &Site| {
        let owner = site
            .owner
            .map_or(String::new(), |owner| facts.qualified_name(owner));
        let word: String = text[site.at as usize..]
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        format!(
            "{} {word}: {} in {owner}",
            site.row,
            shown(&facts, site.what)
        )
    };
    of_kind.map(line).collect()
}

#[test]
fn declarations_have_their_kind_owner_visibility_signature_and_doc() {
    let facts = facts(
        "/// Holds things.\n/// Many.\n///\n/// More.\n#[derive(Debug)]\npub struct Bag<T> where T: Ord {\n    \
         /// Them.\n    pub(crate) items: Vec<T>,\n    }\npub(super) enum Kind { One(u8), Two { at: u8 } }\n\
         impl<T> Bag<T> { pub async fn put(&mut self, t: T) -> bool { true } const MAX: u8 = 1; fn new() -> Self { panic!() } }\n\
         pub trait Like { type Of; fn like(&self); }\n#[cfg(test)]\nmod tests { #[test] fn works() { fn inner() {} } }\n\
         #[macro_export] macro_rules! bag { () => {} }\n",
    );
    let symbols: Vec<String> = facts
        .symbols
        .iter()
        .map(|s| {
            let owner = s.owner.map_or("", |owner| facts.name(owner));
            let doc = s.doc.map_or("", |doc| facts.name(doc));
            let kind = s.kind.word();
            let signature = facts.name(s.signature);
            format!("{kind} {owner}|{signature}|{:?}|{doc}", s.visibility)
        })
        .collect();
    assert_eq!(
        symbols[..12],
        [
            "struct |pub struct Bag<T> where T: Ord|Public|Holds things. Many.",
            "field |pub(crate) items: Vec<T>|Internal|Them.",
            "enum |pub(super) enum Kind|Internal|",
            "enum_member |One(u8)|Public|",
            "enum_member |Two { at: u8 }|Public|",
            "field |at: u8|Private|",
            "method Bag|pub async fn put(&mut self, t: T) -> bool|Public|",
            "constant Bag|const MAX: u8|Private|",
            "method Bag|fn new() -> Self|Private|",
            "interface |pub trait Like|Public|",
            "type_alias |type Of|Public|",
            "method |fn like(&self)|Public|",
        ]
    );
    let flags = |name: &str| {
        let named = facts.symbols.iter().find(|s| facts.name(s.name) == name);
        named.unwrap().flags
    };
    assert!(flags("put").has(Flags::ASYNC) && !flags("put").has(Flags::STATIC));
    assert!(flags("new").has(Flags::STATIC));
    assert!(flags("like").has(Flags::ABSTRACT));
    assert!(flags("tests").has(Flags::TEST_CODE));
    assert!(flags("works").has(Flags::TEST) && flags("works").has(Flags::TEST_CODE));
    assert!(flags("inner").has(Flags::LOCAL) && flags("inner").has(Flags::TEST_CODE));
    assert!(flags("bag").has(Flags::EXPORTED));
}

#[test]
fn locals_shadow_each_other_in_order() {
    let text = "fn f(x: A) {\n let x = x.a();\n { let x = 1; x.b(); }\n x.c();\n if let Some(x) = x.d() { x.e(); } else { x.g(); }\n}\n";
    assert_eq!(
        sites(text, SiteKind::Call),
        [
            "1 a: x·1.a in f",
            "2 b: x·3.b in f",
            "3 c: x·2.c in f",
            "4 d: x·2.d in f",
            "4 e: x·4.e in f",
            "4 g: x·2.g in f",
        ]
    );
}

#[test]
fn what_macros_are_given_is_read_at_its_place() {
    let text = "fn f(v: V) {\n println!(\"{}\",\n  v.name());\n odd!(v.a(1) => b::c(2); [d(3)]);\n assert!(matches!(v, W::X(y) if y.ok()));\n}\n\
                on! { fn g() { v.h(); } }\nmacro_rules! m { ($x:expr) => { $crate::p::q($x); r($x) } }\n";
    assert_eq!(
        sites(text, SiteKind::Call),
        [
            "2 name: v·1.name in f",
            "3 a: v·1.a in f",
            "3 c: b::c in f",
            "3 d: d in f",
            "4 ok: y·1.ok in f",
            "6 h: v.h in g",
            "7 q: crate::p::q in m",
        ]
    );
    let macros = [
        "1 println: println in f",
        "3 odd: odd in f",
        "4 assert: assert in f",
        "4 matches: matches in f",
        "6 on: on in ",
    ];
    assert_eq!(sites(text, SiteKind::Macro), macros);
}

#[test]
fn a_closure_gets_what_the_call_around_it_hands_on() {
    let text = "fn f(v: V) { v.fold(0, |sum, (a, _)| { sum.x(); a.y() }); }";
    let facts = facts(text);
    let bound = |name: &str| {
        let binding = facts.bindings.iter().find(|b| facts.name(b.name) == name);
        match binding.unwrap().bound {
            Bound::Value(of) => shown(&facts, of),
            other => format!("{other:?}"),
        }
    };
    assert_eq!(bound("sum·1"), "passed(v·1.fold('int), 0)");
    assert_eq!(bound("a·1"), "passed(v·1.fold('int), 1)#0");
}

#[test]
fn use_trees_become_an_import_per_name() {
    let facts = facts(
        "pub use a::{self, b::{C as D, *}, r#in}; use ::x::y; use T as _; #[path = \"o.rs\"] mod m;",
    );
    let imports: Vec<String> = facts
        .imports
        .iter()
        .map(|i| {
            let name = |id: Option<NameId>| id.map_or("-", |id| facts.name(id));
            let module = facts.name(i.module);
            format!(
                "{module}|{}|{}|{}|{}",
                name(i.name),
                name(i.local),
                i.wildcard,
                i.reexport
            )
        })
        .collect();
    assert_eq!(
        imports,
        [
            "|a|a|false|true",
            "a::b|C|D|false|true",
            "a::b|-|-|true|true",
            "a|in|in|false|true",
            "::x|y|y|false|false",
            "|T|-|false|false",
            "mod o.rs|m|m|false|false",
        ]
    );
}

#[test]
fn deep_nesting_is_walked_without_recursion() {
    for (open, close) in [
        ("(", ")"),
        ("{", "}"),
        ("[", "]"),
        ("m!(", ")"),
        ("|x| ", ""),
        ("-", ""),
    ] {
        let text = format!("fn f() {{ {}1{} }}", open.repeat(3000), close.repeat(3000));
        facts(&text);
    }
}
