//! The reference and the score on indexes made by hand, with the right answers worked out by hand.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::edges::{self, Kind};
use super::reference::{Reference, Relation};
use super::scip::{self, encode};
use super::score::{Counts, score};
use super::source::Source;
use super::spans::{File, Import, Span};
use super::symbols::describe;

/// Files with their text, their occurrences, and what Python's parser says of them.
struct Corpus(Vec<(&'static str, &'static str, Vec<Vec<u8>>, File)>);

impl Corpus {
    fn reference(&self) -> Reference {
        let documents = self
            .0
            .iter()
            .map(|(path, _, fields, _)| encode::document(path, fields));
        let documents = scip::read(&documents.collect::<Vec<_>>().concat()).unwrap();
        let texts = self
            .0
            .iter()
            .map(|(path, text, ..)| Source::new(path, text));
        let spans = self
            .0
            .iter()
            .map(|(path, _, _, file)| ((*path).to_owned(), file.clone()));
        Reference::of(
            documents.iter().zip(texts).collect(),
            spans.collect::<HashMap<_, _>>(),
        )
    }
}

/// The hard edges of a relation, as `caller -> callee` by the last names of their symbols; a file is
/// its path.
fn hard(reference: &Reference, relation: &Relation) -> BTreeSet<String> {
    let name = |key| match reference.keys.is_module(key) {
        true => reference.files[reference.keys.file(key).unwrap()]
            .path
            .clone(),
        false => describe(reference.keys.symbol(key)).0,
    };
    let edges = relation.hard.keys();
    edges
        .map(|(from, to)| format!("{} -> {}", name(*from), name(*to)))
        .collect()
}

#[track_caller]
fn check(reference: &Reference, relation: &Relation, expected: &[&str]) {
    let expected: BTreeSet<_> = expected.iter().map(|edge| (*edge).to_owned()).collect();
    assert_eq!(hard(reference, relation), expected);
}

fn counts(right: usize, wrong: usize, missed: usize) -> Counts {
    Counts {
        right,
        wrong,
        missed,
    }
}

fn span(name: &str, line: usize, last: usize, is_class: bool) -> Span {
    Span {
        name: name.into(),
        line,
        whole: (line, last),
        is_class,
    }
}

/// A definition.
fn def(range: &[usize], symbol: &str) -> Vec<u8> {
    encode::occurrence(range, symbol, 1, &[])
}

/// A use.
fn used(range: &[usize], symbol: &str) -> Vec<u8> {
    encode::occurrence(range, symbol, 0, &[])
}

/// Two classes, a nested function, a call by the file, a callback, a base.
fn python() -> Corpus {
    let text = "\
class A:
    def m(self):
        return f()

def f():
    def g():
        return h()
    return g()

def h():
    return A().m()

f()

class B(A):
    x = map(h)
    y = unknown.m()
";
    let spans = vec![
        span("A", 0, 2, true),
        span("m", 1, 2, false),
        span("f", 4, 7, false),
        span("g", 5, 6, false),
        span("h", 9, 10, false),
        span("B", 14, 16, true),
    ];
    let fields = vec![
        def(&[0, 6, 7], "p A#"),
        def(&[1, 8, 9], "p A#m()."),
        used(&[2, 15, 16], "p f()."),
        def(&[4, 4, 5], "p f()."),
        def(&[5, 8, 9], "local 1"),
        used(&[6, 15, 16], "p h()."),
        used(&[7, 11, 12], "local 1"),
        def(&[9, 4, 5], "p h()."),
        used(&[10, 11, 12], "p A#__init__()."),
        used(&[10, 15, 16], "p A#m()."),
        used(&[12, 0, 1], "p f()."),
        def(&[14, 6, 7], "p B#"),
        used(&[14, 8, 9], "p A#"),
        used(&[15, 12, 13], "p h()."),
    ];
    let file = File {
        spans,
        ..File::default()
    };
    Corpus(vec![("a.py", text, fields, file)])
}

#[test]
fn calls_belong_to_the_outermost_function_and_constructors_to_their_class() {
    let reference = python().reference();
    let calls = ["m -> f", "f -> h", "h -> A", "h -> m", "a.py -> f"];
    check(&reference, &reference.calls, &calls);
    check(&reference, &reference.references, &["B -> h"]);
    check(&reference, &reference.extends, &["B -> A"]);
    check(&reference, &reference.implements, &[]);
}

#[test]
fn a_tool_is_scored() {
    let mut reference = python().reference();
    let line = |from: (usize, &str), to: (usize, &str), tier: &str| {
        format!(
            r#"{{"caller":{{"file":"a.py","line":{},"name":"{}"}},"callee":{{"file":"a.py","line":{},"name":"{}"}},"kind":"call","tier":"{tier}"}}"#,
            from.0, from.1, to.0, to.1
        )
    };
    let text = [
        line((2, "m"), (5, "f"), "exact"),
        // A call by the nested function is one by the outer.
        line((6, "g"), (10, "h"), "exact"),
        line((0, ""), (5, "f"), "exact"),
        line((5, "f"), (2, "m"), "name"),
        // The outer function calls its own part: nobody is asked.
        line((5, "f"), (6, "g"), "exact"),
        // Passed, not called.
        line((15, "B"), (10, "h"), "name"),
        // The indexer knows no symbol at `unknown.m()`.
        line((15, "B"), (2, "m"), "name"),
        // Another file.
        line((5, "f"), (2, "m"), "name")
            .replace(r#""callee":{"file":"a.py""#, r#""callee":{"file":"z.py""#),
    ]
    .join("\n");
    let edges = edges::read(&text, Path::new("")).unwrap();
    let score = score(&mut reference, &edges, Kind::Call);
    assert_eq!((score.in_reference, score.from_tool), (5, 6));
    assert_eq!(score.all, counts(3, 1, 2));
    assert_eq!(score.neutral, 2);
    assert_eq!(score.same_file, counts(3, 1, 2));
    assert_eq!(score.cross_file, counts(0, 0, 0));
    assert_eq!(score.tiers["exact"], counts(3, 0, 0));
    assert_eq!(score.tiers["name"], counts(0, 1, 0));
    assert_eq!(score.shapes["bare"], counts(3, 0, 0));
    assert_eq!(score.shapes["new"], counts(0, 0, 1));
    assert_eq!(score.wrong, ["a.py:5:f -> a.py:2:m"]);
}

#[test]
fn an_override_of_a_right_target_is_neither_right_nor_wrong() {
    let implements = [encode::bytes(1, b"p A#m()."), encode::number(3, 1)].concat();
    let information = [encode::bytes(1, b"p B#m()."), encode::bytes(4, &implements)].concat();
    let text = "fn m() {}\nfn m() {}\nfn f() { a.m() }\n";
    let enclosed =
        |range: &[usize], symbol, line| encode::occurrence(range, symbol, 1, &[line, 0, line, 16]);
    let fields = vec![
        enclosed(&[0, 3, 4], "p A#m().", 0),
        enclosed(&[1, 3, 4], "p B#m().", 1),
        enclosed(&[2, 3, 4], "p f().", 2),
        used(&[2, 11, 12], "p A#m()."),
        encode::bytes(3, &information),
    ];
    let mut reference = Corpus(vec![("a.rs", text, fields, File::default())]).reference();
    check(&reference, &reference.calls, &["f -> m"]);
    let text = r#"{"caller":{"file":"a.rs","line":3,"name":"f"},"callee":{"file":"a.rs","line":2,"name":"m"}}"#;
    let edges = edges::read(text, Path::new("")).unwrap();
    let score = score(&mut reference, &edges, Kind::Call);
    assert_eq!((score.all, score.neutral), (counts(0, 0, 1), 1));
}

#[test]
fn rust_uses_types_in_bodies_and_modules_in_use_trees() {
    let library =
        "mod b;\nuse b::{S, T};\nimpl T for S {\n  fn m(&self) -> S { x as E; Self }\n}\n";
    let other = "pub struct S;\npub trait T: U {}\npub trait U {}\nenum E { V }\n";
    let library = (
        "src/lib.rs",
        library,
        vec![
            encode::occurrence(&[0, 0, 0, 0], "c crate/", 1, &[]),
            used(&[1, 4, 5], "c b/"),
            used(&[1, 8, 9], "c b/S#"),
            used(&[1, 11, 12], "c b/T#"),
            used(&[2, 5, 6], "c b/T#"),
            used(&[2, 11, 12], "c b/S#"),
            encode::occurrence(&[3, 5, 6], "c impl#[S][T]m().", 1, &[3, 2, 3, 35]),
            used(&[3, 17, 18], "c b/S#"),
            used(&[3, 26, 27], "c b/E#"),
            used(&[3, 29, 33], "c b/S#"),
        ],
        File::default(),
    );
    let other = (
        "src/b.rs",
        other,
        vec![
            encode::occurrence(&[0, 0, 0, 0], "c b/", 1, &[]),
            encode::occurrence(&[0, 11, 12], "c b/S#", 1, &[0, 0, 0, 13]),
            encode::occurrence(&[1, 10, 11], "c b/T#", 1, &[1, 0, 1, 17]),
            used(&[1, 13, 14], "c b/U#"),
            encode::occurrence(&[2, 10, 11], "c b/U#", 1, &[2, 0, 2, 14]),
            encode::occurrence(&[3, 5, 6], "c b/E#", 1, &[3, 0, 3, 12]),
        ],
        File::default(),
    );
    let reference = Corpus(vec![library, other]).reference();
    check(&reference, &reference.implements, &["S -> T"]);
    check(&reference, &reference.extends, &["T -> U"]);
    // The head of the block is no use by the file; `Self` and the import are none at all.
    check(&reference, &reference.references, &["m -> S", "m -> E"]);
    check(&reference, &reference.imports, &["src/lib.rs -> src/b.rs"]);
}

#[test]
fn python_imports_by_the_rules_of_the_language() {
    let import = |level, module: &str, names: Option<&[&str]>| Import {
        level,
        module: module.into(),
        names: names.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
        line: 0,
        last: 0,
    };
    let file = |path, imports| {
        let file = File {
            imports,
            ..File::default()
        };
        (path, "", Vec::new(), file)
    };
    let reference = Corpus(vec![
        file("p/__init__.py", vec![]),
        file("p/a.py", vec![]),
        file("p/q/__init__.py", vec![import(2, "a", Some(&["f"]))]),
        // The name is a module of the package; the other is a name in it.
        file("p/q/b.py", vec![import(1, "", Some(&["c", "name"]))]),
        file(
            "p/q/c.py",
            vec![import(0, "p.a", None), import(0, "a", None)],
        ),
        file(
            "script/run.py",
            vec![import(0, "help", None), import(0, "os.path", None)],
        ),
        file("script/help.py", vec![import(0, "p.q", Some(&["*"]))]),
    ])
    .reference();
    let expected = [
        "p/q/__init__.py -> p/a.py",
        "p/q/b.py -> p/q/c.py",
        "p/q/b.py -> p/q/__init__.py",
        "p/q/c.py -> p/a.py",
        "script/run.py -> script/help.py",
        "script/help.py -> p/q/__init__.py",
    ];
    check(&reference, &reference.imports, &expected);
}

#[test]
fn typescript_imports_what_its_specifiers_name() {
    let text = "import {\n  f,\n} from './b';\ndeclare module 'x' {}\nclass A implements I { m = (): I => f(); }\n";
    let file = (
        "a.ts",
        text,
        vec![
            encode::occurrence(&[0, 0, 0], "n `a.ts`/", 1, &[]),
            used(&[1, 2, 3], "n `b.ts`/f()."),
            used(&[2, 7, 12], "n `b.ts`/"),
            encode::occurrence(&[4, 6, 7], "n `a.ts`/A#", 1, &[4, 0, 4, 42]),
            used(&[4, 19, 20], "n `b.ts`/I#"),
            def(&[4, 23, 24], "n `a.ts`/A#m."),
            used(&[4, 31, 32], "n `b.ts`/I#"),
            used(&[4, 36, 37], "n `b.ts`/f()."),
        ],
        File::default(),
    );
    let other = (
        "b.ts",
        "export function f() {}\nexport interface I {}\n",
        vec![
            encode::occurrence(&[0, 0, 0], "n `b.ts`/", 1, &[]),
            encode::occurrence(&[0, 16, 17], "n `b.ts`/f().", 1, &[0, 0, 0, 22]),
            encode::occurrence(&[1, 17, 18], "n `b.ts`/I#", 1, &[1, 0, 1, 21]),
        ],
        File::default(),
    );
    let reference = Corpus(vec![file, other]).reference();
    check(&reference, &reference.imports, &["a.ts -> b.ts"]);
    check(&reference, &reference.implements, &["A -> I"]);
    // An arrow function that is bound to a name is a function; the import is no reference.
    check(&reference, &reference.calls, &["m -> f"]);
    check(&reference, &reference.references, &["m -> I"]);
}

/// An edge of a tool, as it writes it.
fn edge(kind: &str, from: (&str, usize, &str), to: (&str, usize, &str)) -> String {
    let end = |(file, line, name): (&str, usize, &str)| {
        format!(r#"{{"file":"{file}","line":{line},"name":"{name}"}}"#)
    };
    format!(
        r#"{{"caller":{},"callee":{},"kind":"{kind}"}}"#,
        end(from),
        end(to)
    )
}

#[test]
fn what_a_name_of_another_file_has_for_a_symbol_in_typescript_says_nothing() {
    let user = (
        "a.ts",
        "import * as z from './b';\nlet own = 1;\nz.text();\nz.other();\n",
        vec![
            encode::occurrence(&[0, 0, 0], "n `a.ts`/", 1, &[]),
            def(&[1, 4, 7], "local 7"),
            // The number is one of the other file; that this file has it too is chance.
            used(&[2, 2, 6], "local 7"),
            used(&[3, 2, 7], "n `b.ts`/other()."),
        ],
        File::default(),
    );
    let text = "function textType() {}\nexport { textType as text };\nexport function other() {}\n";
    let other = (
        "b.ts",
        text,
        vec![
            encode::occurrence(&[0, 0, 0], "n `b.ts`/", 1, &[]),
            encode::occurrence(&[0, 9, 17], "n `b.ts`/textType().", 1, &[0, 0, 0, 22]),
            encode::occurrence(&[2, 16, 21], "n `b.ts`/other().", 1, &[2, 0, 2, 26]),
        ],
        File::default(),
    );
    let mut reference = Corpus(vec![user, other]).reference();
    check(&reference, &reference.calls, &["a.ts -> other"]);
    let text = [
        edge("call", ("a.ts", 0, ""), ("b.ts", 1, "textType")),
        edge("call", ("a.ts", 0, ""), ("b.ts", 3, "other")),
    ];
    let edges = edges::read(&text.join("\n"), Path::new("")).unwrap();
    let score = score(&mut reference, &edges, Kind::Call);
    assert_eq!((score.all, score.neutral), (counts(1, 0, 0), 1));
}

#[test]
fn what_the_language_calls_by_itself_and_a_second_definition_are_no_uses() {
    let text = "\
class A:
    def __enter__(self):
        pass

def f():
    with A():
        pass

def f(again):
    pass
";
    let spans = vec![
        span("A", 0, 2, true),
        span("__enter__", 1, 2, false),
        span("f", 4, 6, false),
        span("f", 8, 9, false),
    ];
    let fields = vec![
        def(&[0, 6, 7], "p A#"),
        def(&[1, 8, 17], "p A#__enter__()."),
        def(&[4, 4, 5], "p f()."),
        used(&[5, 9, 10], "p A#"),
        used(&[8, 4, 5], "p f()."),
    ];
    let file = File {
        spans,
        ..File::default()
    };
    let mut reference = Corpus(vec![("a.py", text, fields, file)]).reference();
    check(&reference, &reference.calls, &["f -> A"]);
    let text = [
        edge("references", ("a.py", 5, "f"), ("a.py", 2, "__enter__")),
        edge("references", ("a.py", 9, "f"), ("a.py", 5, "f")),
    ];
    let edges = edges::read(&text.join("\n"), Path::new("")).unwrap();
    let score = score(&mut reference, &edges, Kind::Reference);
    assert_eq!(score.all.wrong, 1, "{:?}", score.wrong);
    assert_eq!(score.neutral, 1);
}
