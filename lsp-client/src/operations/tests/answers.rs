//! Answers as servers were seen to write them, and as they should not.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use expect_test::expect;
use serde_json::{Value, json};

use super::super::*;
use super::{range, told};
use crate::lens::Lens;
use crate::position::Encoding;
use crate::texts::Texts;
use crate::uri::Root;
use crate::{Point, Span};

const A: &str =
    "class Shop {\n  open() { /* 😀 */ this.sell(1); }\n  sell(n) {}\n}\nconst limit = 7;\n";
const B: &str = "import { Shop } from \"./a\";\n";

fn lens() -> Lens {
    let open = [("/r/a.ts", A), ("/r/b [x].ts", B)];
    let open: HashMap<_, _> = open
        .into_iter()
        .map(|(path, text)| (PathBuf::from(path), (text.into(), 1)))
        .collect();
    Lens::new(
        Root::new(Path::new("/r")),
        Texts::new(open, 0),
        Encoding::Utf16,
    )
}

fn told_places(places: &Places) -> String {
    let mut text = String::new();
    for place in &places.places {
        let whole = place.whole.map(|whole| format!(" of {}", told(whole)));
        writeln!(
            text,
            "{} {}{}: {}",
            place.path.display(),
            told(place.span),
            whole.unwrap_or_default(),
            place.line.as_deref().unwrap_or("?"),
        )
        .unwrap();
    }
    writeln!(
        text,
        "elsewhere {:?}, unreadable {}",
        places.elsewhere, places.unreadable
    )
    .unwrap();
    text
}

#[test]
fn places_in_all_their_forms() {
    let sell = range((1, 25), (1, 29));
    let one = json!({"uri": "file:///r/a.ts", "range": sell});
    let link = json!({
        "originSelectionRange": range((0, 0), (0, 1)),
        "targetUri": "file:///r/a.ts",
        "targetRange": range((2, 2), (2, 12)),
        "targetSelectionRange": range((2, 2), (2, 6)),
    });
    let place = |answer: Value| told_places(&Places::read(&answer, &mut lens()));
    expect![[r#"
        /r/a.ts 1:27-1:31: open() { /* 😀 */ this.sell(1); }
        elsewhere [], unreadable 0
    "#]]
    .assert_eq(&place(one.clone()));
    expect![[r#"
        /r/a.ts 1:27-1:31: open() { /* 😀 */ this.sell(1); }
        /r/a.ts 2:2-2:6 of 2:2-2:12: sell(n) {}
        /r/b [x].ts 0:9-0:13: import { Shop } from "./a";
        /r/b [x].ts 0:9-0:27: import { Shop } from "./a";
        /not/there.ts 3:4-3:5: ?
        /r/a.ts 0:0-3:1: class Shop {
        elsewhere ["jdt://contents/rt.jar/String.class"], unreadable 3
    "#]]
    .assert_eq(&place(json!([
        one,
        link,
        // The same place in another spelling.
        {"uri": "file://localhost/r/a.ts", "range": sell},
        {"uri": "file:///r/b%20%5Bx%5D.ts", "range": range((0, 9), (0, 13))},
        {"uri": "file:///r/b%20[x].ts", "range": range((0, 9), (0, 99))},
        {"uri": "file:///not/there.ts", "range": range((3, 4), (3, 5))},
        {"uri": "jdt://contents/rt.jar/String.class", "range": range((0, 0), (0, 0))},
        {"uri": "file:///r/a.ts"},
        {"targetUri": "file:///r/a.ts", "targetRange": range((0, 0), (3, 1))},
        null,
        7,
    ])));
    assert_eq!(Places::read(&json!(null), &mut lens()), Places::default());
    assert_eq!(Places::read(&json!([]), &mut lens()), Places::default());
}

#[test]
fn hovers_in_all_their_forms() {
    let hover = |answer: Value| Hover::read(&answer, Path::new("/r/a.ts"), &mut lens());
    let found = hover(json!({
        "contents": {"kind": "markdown", "value": "`sell(n)`"},
        "range": range((1, 25), (1, 29)),
    }))
    .unwrap();
    assert_eq!(found.text, "`sell(n)`");
    assert_eq!(told(found.span.unwrap()), "1:27-1:31");
    let list = json!({"contents": [{"language": "ts", "value": "sell(n)"}, "Sells."]});
    assert_eq!(hover(list).unwrap().text, "```ts\nsell(n)\n```\n\nSells.");
    for nothing in [
        json!(null),
        json!({}),
        json!({"contents": []}),
        json!({"contents": ""}),
        json!({"contents": {"kind": "plaintext", "value": " "}}),
    ] {
        assert_eq!(hover(nothing.clone()), None, "{nothing}");
    }
}

fn told_symbols(symbols: &[Symbol], depth: usize, text: &mut String) {
    for symbol in symbols {
        let Symbol { name, kind, .. } = symbol;
        writeln!(
            text,
            "{:depth$}{kind} {name} {} named at {}{}{}",
            "",
            told(symbol.span),
            told(symbol.name_span),
            symbol
                .detail
                .as_deref()
                .map(|it| format!(" {it}"))
                .unwrap_or_default(),
            if symbol.deprecated { " deprecated" } else { "" },
        )
        .unwrap();
        told_symbols(&symbol.children, depth + 2, text);
    }
}

fn symbols(answer: Value) -> String {
    let mut text = String::new();
    told_symbols(
        &Symbol::read(&answer, Path::new("/r/a.ts"), &mut lens()),
        0,
        &mut text,
    );
    text
}

#[test]
fn symbols_as_a_tree() {
    let method = |name: &str, line, children: Value| {
        json!({
            "name": name,
            "kind": 6,
            "detail": "(n)",
            "range": range((line, 2), (line, 12)),
            "selectionRange": range((line, 2), (line, 6)),
            "children": children,
        })
    };
    let mut deprecated = method("open", 1, json!(null));
    deprecated["tags"] = json!([1]);
    deprecated["detail"] = json!("");
    let mut broken = method("broken", 2, json!([method("kept", 2, json!([]))]));
    broken["range"] = json!("nowhere");
    broken["selectionRange"] = json!(null);
    let class = json!({
        "name": "Shop",
        "kind": 5,
        "range": range((0, 0), (3, 1)),
        "selectionRange": range((0, 6), (0, 10)),
        "children": [deprecated, broken, 7, method("sell", 2, json!([]))],
    });
    let limit = json!({
        "name": "limit",
        "kind": 99,
        "range": range((4, 6), (4, 15)),
        "selectionRange": range((4, 6), (4, 11)),
    });
    expect![[r#"
        class Shop 0:0-3:1 named at 0:6-0:10
          method open 1:2-1:12 named at 1:2-1:6 deprecated
          method kept 2:2-2:12 named at 2:2-2:6 (n)
          method sell 2:2-2:12 named at 2:2-2:6 (n)
        symbol limit 4:6-4:15 named at 4:6-4:11
    "#]]
    .assert_eq(&symbols(json!([class, limit])));
    assert_eq!(symbols(json!(null)), "");
}

#[test]
fn a_flat_list_becomes_a_tree() {
    let symbol = |name: &str, kind: u32, range: Value| {
        json!({
            "name": name,
            "kind": kind,
            "containerName": "whatever",
            "location": {"uri": "file:///r/a.ts", "range": range},
        })
    };
    let mut old = symbol("sell", 6, range((2, 2), (2, 12)));
    old["deprecated"] = json!(true);
    expect![[r#"
        class Shop 0:0-3:1 named at 0:0-3:1
        class Twin 0:0-3:1 named at 0:0-3:1
          method open 1:2-1:37 named at 1:2-1:37
          method sell 2:2-2:12 named at 2:2-2:12 deprecated
            variable n 2:7-2:8 named at 2:7-2:8
        constant limit 4:6-4:15 named at 4:6-4:15
    "#]]
    .assert_eq(&symbols(json!([
        symbol("limit", 14, range((4, 6), (4, 15))),
        old,
        symbol("n", 13, range((2, 7), (2, 8))),
        symbol("Shop", 5, range((0, 0), (3, 1))),
        symbol("Twin", 5, range((0, 0), (3, 1))),
        symbol("open", 6, range((1, 2), (1, 35))),
        {"name": "lost", "kind": 5, "location": {"uri": "file:///r/a.ts"}},
    ])));
}

#[test]
fn symbols_of_the_workspace() {
    let found = |item: &Value| FoundSymbol::read(item, &mut lens());
    let shop = json!({
        "name": "Shop",
        "kind": 5,
        "containerName": "a",
        "location": {"uri": "file:///r/a.ts", "range": range((0, 6), (0, 10))},
    });
    assert_eq!(
        found(&shop),
        Some(FoundSymbol {
            name: "Shop".into(),
            kind: SymbolKind::Class,
            container: Some("a".into()),
            path: "/r/a.ts".into(),
            span: Some(Span {
                start: Point { line: 0, column: 6 },
                end: Point {
                    line: 0,
                    column: 10
                },
            }),
            line: Some("class Shop {".into()),
        })
    );
    assert!(!FoundSymbol::lacks_range(&shop));
    let unresolved = json!({
        "name": "Shop",
        "kind": 5,
        "containerName": "",
        "location": {"uri": "file:///r/a.ts"},
    });
    assert!(FoundSymbol::lacks_range(&unresolved));
    let unresolved = found(&unresolved).unwrap();
    assert_eq!((unresolved.span, unresolved.container), (None, None));
    let elsewhere = json!({"name": "S", "kind": 5, "location": {"uri": "jdt://x"}});
    assert_eq!(found(&elsewhere), None);
    assert_eq!(found(&json!({"name": "S"})), None);
}

#[test]
fn calls_both_ways() {
    let item = |name: &str, uri: &str, line: u32| {
        json!({
            "name": name,
            "kind": 6,
            "uri": uri,
            "range": range((line, 2), (line, 12)),
            "selectionRange": range((line, 2), (line, 6)),
            "data": {"id": 7},
        })
    };
    let open = item("open", "file:///r/a.ts", 1);
    let items = HierarchyItem::read_all(&json!([open, {"name": "no uri"}]), &mut lens());
    let [asked] = items.as_slice() else {
        panic!("{items:?}")
    };
    assert_eq!(asked.name, "open");
    assert_eq!(asked.kind, SymbolKind::Method);
    assert_eq!(told(asked.name_span), "1:2-1:6");
    assert_eq!(
        asked.line.as_deref(),
        Some("open() { /* 😀 */ this.sell(1); }")
    );
    assert_eq!(asked.sent, open);

    // A place that is named twice is one call.
    let call = json!([range((1, 25), (1, 29)), "nowhere", range((1, 25), (1, 29))]);
    let from = json!([{"from": item("open", "file:///r/a.ts", 1), "fromRanges": call}]);
    let to = json!([
        {"to": item("sell", "file:///r/b%20[x].ts", 0), "fromRanges": call},
        {"to": item("lib", "zipfile:///lib.zip", 0), "fromRanges": call},
        {"fromRanges": call},
    ]);
    for (answer, direction, name) in [
        (from, Direction::Incoming, "open"),
        (to, Direction::Outgoing, "sell"),
    ] {
        let calls = Calls::read_all(&answer, asked, direction, &mut lens());
        let [calls] = calls.as_slice() else {
            panic!("{calls:?}")
        };
        assert_eq!(calls.item.name, name);
        // In the caller's file, a.ts, either way: there the emoji is two units and four bytes.
        let sites: Vec<String> = calls.sites.iter().copied().map(told).collect();
        assert_eq!(sites, ["1:27-1:31"], "{name}");
    }
}

#[test]
fn signatures() {
    let help = SignatureHelp::read(&json!({
        "signatures": [
            {"label": "sell(😀: N, n)", "parameters": [{"label": [5, 10]}, {"label": "n"}]},
            {
                "label": "sell()",
                "documentation": {"kind": "markdown", "value": "Sells."},
                "parameters": [],
                "activeParameter": 0,
            },
            {"label": "f(a)", "parameters": [{"label": [9, 3]}, {"label": [0, 99]}]},
            {"no": "label"},
        ],
        "activeSignature": 7,
        "activeParameter": 1,
    }))
    .unwrap();
    assert_eq!(help.active, 0);
    let [first, second, third] = help.signatures.as_slice() else {
        panic!("{help:?}")
    };
    let labels = |signature: &Signature| -> Vec<String> {
        let parameters = signature.parameters.iter();
        parameters
            .map(|parameter| parameter.label.clone())
            .collect()
    };
    assert_eq!(labels(first), ["😀: N", "n"]);
    assert_eq!(first.active_parameter, Some(1));
    assert_eq!(second.documentation.as_deref(), Some("Sells."));
    assert_eq!(second.active_parameter, None);
    assert_eq!(labels(third), [""; 0]);
    for nothing in [
        json!(null),
        json!({"signatures": []}),
        json!({"signatures": null}),
    ] {
        assert_eq!(SignatureHelp::read(&nothing), None);
    }
}

#[test]
fn inlay_hints() {
    let hints = InlayHint::read_all(
        &json!([
            {
                "position": {"line": 4, "character": 11},
                "label": [{"value": ": "}, {"value": "number"}, {}],
                "kind": 1,
            },
            {"position": {"line": 1, "character": 30}, "label": "n:", "kind": 2},
            {"position": {"line": 2, "character": 0}, "label": "?"},
            {"position": null, "label": "lost"},
        ]),
        Path::new("/r/a.ts"),
        &mut lens(),
    );
    let at = |line, column| Point { line, column };
    let told: Vec<_> = hints
        .iter()
        .map(|hint| (hint.at, &*hint.label, hint.kind))
        .collect();
    assert_eq!(
        told,
        [
            (at(1, 32), "n:", Some(InlayKind::Parameter)),
            (at(2, 0), "?", None),
            (at(4, 11), ": number", Some(InlayKind::Type)),
        ]
    );
}

#[test]
fn what_can_be_renamed() {
    let read = |answer: Value| Renamable::read(&answer, Path::new("/r/a.ts"), &mut lens());
    let sell = range((1, 25), (1, 29));
    let spans =
        |found: Option<Renamable>| found.map(|found| (found.span.map(told), found.placeholder));
    let span = || Some("1:27-1:31".to_owned());
    assert_eq!(spans(read(sell.clone())), Some((span(), None)));
    assert_eq!(
        spans(read(json!({"range": sell, "placeholder": "sell"}))),
        Some((span(), Some("sell".into())))
    );
    assert_eq!(
        spans(read(json!({"defaultBehavior": true}))),
        Some((None, None))
    );
    assert_eq!(read(json!({"defaultBehavior": false})), None);
    assert_eq!(read(json!(null)), None);
}

#[test]
fn actions_and_commands() {
    let answer = json!([
        {
            "title": "Import Shop",
            "kind": "quickfix",
            "isPreferred": true,
            "diagnostics": [{"message": "unknown Shop"}, {}],
            "edit": {"changes": {}},
            "command": {"title": "x", "command": "done", "arguments": [1]},
        },
        {
            "title": "Extract",
            "kind": "refactor.extract",
            "disabled": {"reason": "nothing selected"},
        },
        {"title": "Sort", "command": "source.sort", "arguments": ["a"]},
        {"title": "Odd", "kind": "refactors", "disabled": null},
        {"kind": "quickfix"},
        null,
    ]);
    let all = CodeAction::read_all(&answer, &[]);
    let titles = |actions: &[CodeAction]| -> Vec<String> {
        actions.iter().map(|action| action.title.clone()).collect()
    };
    assert_eq!(titles(&all), ["Import Shop", "Extract", "Sort", "Odd"]);
    let only = |kind: &str| titles(&CodeAction::read_all(&answer, &[kind.to_owned()]));
    assert_eq!(only("refactor"), ["Extract"]);
    assert_eq!(only("quickfix"), ["Import Shop"]);
    assert_eq!(only("refactor.extract.function"), [""; 0]);

    let [import, extract, sort, odd] = all.as_slice() else {
        panic!("{all:?}")
    };
    assert!(import.preferred && !extract.preferred);
    assert_eq!(import.fixes, ["unknown Shop"]);
    assert_eq!(import.edit(), &json!({"changes": {}}));
    assert_eq!(
        import.command(),
        Some(action::Command {
            name: "done".into(),
            arguments: json!([1]),
        })
    );
    assert_eq!(extract.disabled.as_deref(), Some("nothing selected"));
    assert_eq!(odd.disabled, None);
    assert_eq!(extract.command(), None);
    assert_eq!(
        sort.command(),
        Some(action::Command {
            name: "source.sort".into(),
            arguments: json!(["a"]),
        })
    );
    assert_eq!(sort.edit(), &Value::Null);
}

#[test]
fn indentation_is_read_off_the_text() {
    let of = |text: &str| {
        let Indentation { size, spaces } = Indentation::of(text);
        (size, spaces)
    };
    assert_eq!(of(""), (4, true));
    assert_eq!(of("a\nb\n"), (4, true));
    assert_eq!(of("a\n  b\n    c\n  d\ne\n"), (2, true));
    assert_eq!(of("a\n    b\n        c\n    d\n"), (4, true));
    assert_eq!(of("a\r\n   b\r\n      c\r\n"), (3, true));
    assert_eq!(of("a\n\tb\n\t\tc\n  d\n"), (4, false));
    // A comment's stars, an aligned argument, and a dedent of two steps at once.
    assert_eq!(of("/**\n * x\n * y\n */\nf(\n  a,\n  b)\n"), (2, true));
    assert_eq!(
        of("f(aaaaaaaaaaaaaaa,\n                 b)\nx\n  y\n"),
        (2, true)
    );
    assert_eq!(of("a\n  b\n    c\nd\n  e\n    f\ng\n"), (2, true));
    assert_eq!(
        Indentation::of("x\n\ty").params(),
        json!({"tabSize": 4, "insertSpaces": false})
    );
}
