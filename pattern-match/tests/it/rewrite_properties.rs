//! What must hold for every rewrite, over generated sources, patterns and templates.

use fourfold_pattern_match::{Options, Pattern, RewriteOptions, Rewritten, Template, rewrite};
use fourfold_syntax::{Language, Node, ParseLimits, with_parser};
use proptest::prelude::*;

const LAX: RewriteOptions = RewriteOptions {
    allow_loss: true,
    force_syntax: true,
};

fn parse(language: Language, text: &str) -> fourfold_syntax::Tree {
    with_parser(ParseLimits::default(), |parser| {
        parser.parse(language, text)
    })
    .unwrap()
}

/// Rewrites every match of the primary reading; `None` when pattern or template is refused.
fn run(
    language: &str,
    pattern: &str,
    template: &str,
    source: &str,
    options: &RewriteOptions,
) -> Option<Rewritten> {
    let language = Language::named(language).unwrap();
    let pattern = Pattern::compile(language, pattern, &Options::default()).ok()?;
    let template = Template::parse(template, &pattern).ok()?;
    let tree = parse(language, source);
    let mut matches = pattern.search(source, &tree).matches;
    matches.retain(|found| found.reading == 0);
    rewrite(&pattern, &template, source, &tree, &matches, options).ok()
}

fn strict(pattern: &str, template: &str, source: &str) -> String {
    run(
        "javascript",
        pattern,
        template,
        source,
        &RewriteOptions::default(),
    )
    .unwrap_or_else(|| panic!("`{pattern}` -> `{template}` is refused on\n{source}"))
    .text
}

/// Applies the edits one by one, and checks that they are in order and apart.
fn apply(source: &str, rewritten: &Rewritten) -> String {
    let mut out = String::new();
    let mut at = 0;
    for edit in &rewritten.edits {
        assert!(edit.range.start >= at, "edits overlap");
        out.push_str(&source[at..edit.range.start]);
        out.push_str(&edit.replacement);
        at = edit.range.end;
    }
    out.push_str(&source[at..]);
    out
}

/// An expression of calls, operators, lists and strings of one and of several lines.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-e]",
        "[0-9]",
        Just("'a, b'".to_owned()),
        Just("`a\n   b\n c`".to_owned()),
        Just("é".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("f({a}, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("g({a}, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} + {b})")),
            prop::collection::vec(inner, 0..3).prop_map(|items| format!("[{}]", items.join(", "))),
        ]
    })
}

/// An arithmetic expression of calls alone.
fn arithmetic() -> impl Strategy<Value = String> {
    "[1-9]"
        .prop_map(String::from)
        .boxed()
        .prop_recursive(5, 32, 2, |inner| {
            let pair = (inner.clone(), inner.clone());
            prop_oneof![
                pair.clone().prop_map(|(a, b)| format!("add({a}, {b})")),
                pair.clone().prop_map(|(a, b)| format!("sub({a}, {b})")),
                pair.clone().prop_map(|(a, b)| format!("mul({a}, {b})")),
                pair.clone().prop_map(|(a, b)| format!("pick({a}, {b})")),
                inner.clone().prop_map(|a| format!("neg({a})")),
            ]
        })
}

/// What an arithmetic expression comes to, calls and operators alike.
fn value(node: Node<'_>, text: &str) -> i64 {
    let field = |name: &str| node.child_by_field_name(name).unwrap();
    let of = |name: &str| value(field(name), text);
    match node.kind() {
        "number" => text[node.byte_range()].parse().unwrap(),
        "parenthesized_expression" => value(node.named_child(0).unwrap(), text),
        "unary_expression" => of("argument").wrapping_neg(),
        "ternary_expression" => match of("condition") {
            0 => of("alternative"),
            _ => of("consequence"),
        },
        "binary_expression" => operate(
            &text[field("operator").byte_range()],
            of("left"),
            of("right"),
        ),
        "call_expression" => {
            let arguments = field("arguments");
            let mut cursor = arguments.walk();
            let values: Vec<i64> = arguments
                .named_children(&mut cursor)
                .map(|argument| value(argument, text))
                .collect();
            let second = values.get(1).copied().unwrap_or_default();
            operate(&text[field("function").byte_range()], values[0], second)
        }
        other => panic!("{other} in {text}"),
    }
}

fn operate(name: &str, a: i64, b: i64) -> i64 {
    match name {
        "add" | "+" => a.wrapping_add(b),
        "sub" | "-" => a.wrapping_sub(b),
        "mul" | "*" => a.wrapping_mul(b),
        "neg" => a.wrapping_neg(),
        "pick" => {
            if a != 0 {
                b
            } else {
                a
            }
        }
        other => panic!("no operation {other}"),
    }
}

fn evaluate(text: &str) -> i64 {
    let tree = parse(Language::named("javascript").unwrap(), text);
    assert!(!tree.root_node().has_error(), "{text}");
    let statement = tree.root_node().named_child(0).unwrap();
    value(statement.named_child(0).unwrap(), text)
}

/// Nested blocks as a formatter would print them.
#[derive(Debug, Clone)]
enum Block {
    Call(u8),
    Text(u8),
    If(Vec<Block>),
    Try(Vec<Block>),
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let leaf = prop_oneof![
        any::<u8>().prop_map(Block::Call),
        any::<u8>().prop_map(Block::Text)
    ];
    let block = leaf.prop_recursive(4, 24, 3, |inner| {
        let inner = prop::collection::vec(inner, 1..4);
        prop_oneof![
            inner.clone().prop_map(Block::If),
            inner.prop_map(Block::Try)
        ]
    });
    prop::collection::vec(block, 1..4)
}

fn print(blocks: &[Block], unit: &str, end: &str, depth: usize, out: &mut String) {
    let indent = unit.repeat(depth);
    for block in blocks {
        out.push_str(&indent);
        match block {
            Block::Call(n) => *out += &format!("call{n}();{end}"),
            Block::Text(n) => *out += &format!("say(`{n}{end}  {unit}x{end}y`);{end}"),
            Block::If(inner) => {
                *out += &format!("if (x) {{{end}");
                print(inner, unit, end, depth + 1, out);
                *out += &format!("{indent}}}{end}");
            }
            Block::Try(inner) => {
                *out += &format!("try {{{end}");
                print(inner, unit, end, depth + 1, out);
                *out +=
                    &format!("{indent}}} finally {{{end}{indent}{unit}done();{end}{indent}}}{end}");
            }
        }
    }
}

/// Pieces of which templates and sources are strewn together.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "$A",
        "$B",
        "$$$R",
        "${A}",
        "$$${R}",
        "$",
        "$$",
        "$_",
        "$$$",
        "\\$A",
        "$lower",
        "${x}",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ",",
        ";",
        ":",
        "=>",
        "=",
        "+",
        "-",
        "*",
        "f(a, b)",
        "f(a, b + c, d)",
        "f(f(a, b), c)",
        "return",
        "if",
        "x",
        "é",
        "日",
        "\"",
        "'",
        "`",
        "\n",
        "\r\n",
        "\t",
        "    ",
        "  ",
        " ",
        "# c\n",
        "// c\n",
        "/* c */",
        "\u{0}",
        "🎉",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

const LANGUAGES: [&str; 10] = [
    "javascript",
    "typescript",
    "tsx",
    "python",
    "rust",
    "go",
    "java",
    "dart",
    "c",
    "cpp",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_pattern_as_template_changes_nothing(source in expression()) {
        for pattern in ["f($A, $B)", "g(  $A,$B)", "[$$$R]", "($A + $B)"] {
            let rewritten = run("javascript", pattern, pattern, &source, &RewriteOptions::default());
            let rewritten = rewritten.unwrap();
            prop_assert_eq!(&rewritten.text, &source);
            prop_assert!(rewritten.edits.is_empty());
        }
    }

    #[test]
    fn another_name_and_back_restores_the_bytes(source in expression()) {
        let there = strict("f($A, $B)", "h($A, ${B})", &source);
        prop_assert_eq!(&there, &source.replace("f(", "h("));
        prop_assert_eq!(strict("h($A, $B)", "f(${A}, $B)", &there), source);
    }

    #[test]
    fn swapping_twice_restores_the_bytes(source in expression()) {
        let there = strict("f($A, $B)", "f($B, $A)", &source);
        prop_assert_eq!(strict("f($A, $B)", "f($B, $A)", &there), source);
    }

    #[test]
    fn operators_in_place_of_calls_come_to_the_same(source in arithmetic()) {
        let wanted = evaluate(&source);
        let mut text = source;
        for (pattern, template) in [
            ("mul($A, $B)", "$A * $B"),
            ("neg($A)", "-$A"),
            ("add($A, $B)", "$A + $B"),
            ("pick($A, $B)", "$A ? $B : $A"),
            ("sub($A, $B)", "$A - $B"),
        ] {
            text = strict(pattern, template, &text);
            prop_assert_eq!(evaluate(&text), wanted, "{}", text);
        }
    }

    #[test]
    fn wrapping_and_unwrapping_restores_the_bytes(
        blocks in blocks(),
        unit in prop::sample::select(vec!["  ", "    ", "\t", "   "]),
        end in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let mut source = String::new();
        print(&blocks, unit, end, 0, &mut source);
        let there = strict(
            "if (x) { $$$B }",
            "while (a) {\n    try {\n        $$$B\n    } finally {\n        free();\n    }\n}",
            &source,
        );
        let back = strict(
            "while (a) { try { $$$B } finally { free(); } }",
            "if (x) {\n  $$$B\n}",
            &there,
        );
        prop_assert_eq!(back, source);
    }

    #[test]
    fn any_template_on_any_source_ends_in_an_answer(
        language in prop::sample::select(LANGUAGES.to_vec()),
        pattern in prop::sample::select(vec!["f($A, $$$R)", "f($A, $B)", "$A", "f(a, $B)", "[$$$R]"]),
        template in soup(),
        source in soup(),
    ) {
        let source = match language {
            "python" => source,
            _ => format!("{source}\n f(a, f(b, c), [d]);"),
        };
        if let Some(rewritten) = run(language, pattern, &template, &source, &LAX) {
            prop_assert_eq!(apply(&source, &rewritten), rewritten.text);
        }
    }

    #[test]
    fn what_is_not_forced_parses(template in soup(), source in expression()) {
        let rewritten = run("javascript", "f($A, $B)", &template, &source, &RewriteOptions::default());
        if let Some(rewritten) = rewritten {
            let tree = parse(Language::named("javascript").unwrap(), &rewritten.text);
            prop_assert!(!tree.root_node().has_error());
            prop_assert!(rewritten.broken.is_none());
        }
    }
}
