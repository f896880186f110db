//! Constraints, tree-sitter queries, and the reasons of near misses.

use expect_test::{Expect, expect};
use fourfold_pattern_match::{Condition, ConditionError, NodeQuery, Options, Pattern, Search};
use fourfold_syntax::{Language, ParseLimits, Tree, with_parser};

fn language(name: &str) -> Language {
    Language::named(name).unwrap()
}

fn parse(language: Language, text: &str) -> Tree {
    with_parser(ParseLimits::default(), |parser| {
        parser.parse(language, text)
    })
    .unwrap()
}

fn pattern(name: &str, text: &str) -> Pattern {
    Pattern::compile(language(name), text, &Options::default()).unwrap()
}

/// What a constrained search finds, as text.
fn found<'t>(search: &Search, text: &'t str) -> Vec<&'t str> {
    let tree = parse(search.pattern().language(), text);
    search
        .run(text, &tree)
        .matches
        .iter()
        .map(|m| &text[m.range.clone()])
        .collect()
}

const RUST: &str =
    "fn a() { x.unwrap(); }\nfn b() { loop { y.unwrap(); } }\n#[test]\nfn c() { z.expect(1); }\n";

#[test]
fn inside_and_not_inside() {
    let unwrap = || Search::new(pattern("rust", "$X.unwrap()"));
    assert_eq!(
        found(&unwrap().inside(pattern("rust", "loop { $$$B }")), RUST),
        ["y.unwrap()"]
    );
    assert_eq!(
        found(&unwrap().not_inside(pattern("rust", "loop { $$$B }")), RUST),
        ["x.unwrap()"]
    );
    assert_eq!(
        found(
            &unwrap()
                .inside(pattern("rust", "fn $N() { $$$B }"))
                .not_inside(pattern("rust", "fn a() { $$$B }")),
            RUST
        ),
        ["y.unwrap()"]
    );
}

#[test]
fn has_and_not_has() {
    let function = || Search::new(pattern("rust", "fn $N() { $$$B }"));
    assert_eq!(
        found(&function().has(pattern("rust", "$X.expect($Y)")), RUST),
        ["fn c() { z.expect(1); }"]
    );
    assert_eq!(
        found(&function().not_has(pattern("rust", "$X.unwrap()")), RUST),
        ["fn c() { z.expect(1); }"]
    );
}

#[test]
fn a_variable_that_both_patterns_have_must_agree() {
    let text = "for (const a of list) { use(a); use(b); }\n";
    let search = Search::new(pattern("javascript", "use($X)"))
        .inside(pattern("javascript", "for (const $X of $L) { $$$B }"));
    assert_eq!(found(&search, text), ["use(a)"]);
}

#[test]
fn conditions_on_captures() {
    let calls = pattern("python", "f($$$A)");
    let text = "f(a, 1)\nf()\nf(b)\n";
    let with = |condition: &str| {
        Search::new(calls.clone()).condition(Condition::parse(condition, &calls).unwrap())
    };
    assert_eq!(found(&with("$A=~^b$"), text), ["f(b)"]);
    assert_eq!(found(&with("$$$A =~ ,"), text), ["f(a, 1)"]);
    assert_eq!(found(&with("$A!~."), text), ["f()"]);
}

#[test]
fn wrong_conditions_and_kinds_say_what_is_right() {
    let calls = pattern("python", "f($A)");
    let error = |condition: &str| Condition::parse(condition, &calls).unwrap_err();
    assert!(matches!(error("$A~x"), ConditionError::Form { .. }));
    assert_eq!(
        error("$B=~x").to_string(),
        "the condition speaks of $B, which the pattern does not bind; it binds $A"
    );
    assert!(matches!(error("$A=~("), ConditionError::Regex { .. }));
    let unknown = Search::new(calls).kind("cal").unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "the Python grammar has no node kind `cal`; the nearest is `call`"
    );
}

#[test]
fn a_kind_narrows_a_lone_metavariable() {
    let search = Search::new(pattern("python", "$X")).kind("lambda").unwrap();
    assert_eq!(found(&search, "f(lambda a: a, b)\n"), ["lambda a: a"]);
}

#[test]
fn a_query_finds_what_no_fragment_says() {
    let text = "def a(): pass\nclass C:\n    def b(self): pass\n";
    let query = NodeQuery::compile(
        language("python"),
        "(class_definition body: (block (function_definition name: (identifier) @name) @match))",
    )
    .unwrap();
    let found = query.search(text, &parse(language("python"), text));
    assert_eq!(found.matches.len(), 1);
    assert_eq!(&text[found.matches[0].range.clone()], "def b(self): pass");
    assert_eq!(query.variables()[0].name, "name");
    assert_eq!(
        found.matches[0].captures[0]
            .span()
            .map(|range| &text[range]),
        Some("b")
    );
}

/// The reasons of the nearest misses of a search that finds nothing.
fn check(name: &str, fragment: &str, text: &str, expect: Expect) {
    let search = Search::new(pattern(name, fragment));
    assert_eq!(found(&search, text), Vec::<&str>::new());
    let misses = search.explain(text, &parse(language(name), text), 3);
    let lines: Vec<String> = misses
        .iter()
        .map(|miss| format!("{}: {}", &text[miss.range.clone()], miss.reason))
        .collect();
    expect.assert_eq(&lines.join("\n"));
}

#[test]
fn near_misses_say_what_is_in_the_way() {
    check(
        "javascript",
        "$A + $B",
        "x = a - b;\n",
        expect!["a - b: the pattern has `+`, the source has `-`"],
    );
    check(
        "dart",
        "if ($X != null) $X.dispose();",
        "f() {\n  if (a != null) b.dispose();\n}\n",
        expect!["if (a != null) b.dispose();: $X captured `a`, then `b`"],
    );
    check(
        "java",
        "public void $N() { $$$B }",
        "class C { public static void m() { } }\n",
        expect!["public static void m() { }: one modifier more: `static`"],
    );
    check(
        "python",
        "dispose($X)",
        "# dispose(a)\nprint('dispose(b)')\n",
        expect![[r#"
            # dispose(a): `dispose` stands here only inside a comment, and those are not searched inside
            'dispose(b)': `dispose` stands here only inside a string, and those are not searched inside"#]],
    );
    check(
        "c",
        "if ($A) foo($A)",
        "void f() { if (x) foo(x); else bar(); }\n",
        expect![
            "if (x) foo(x); else bar();: the pattern ends where the source goes on with `else bar();`"
        ],
    );
}

#[test]
fn a_near_miss_says_that_the_number_of_arguments_is_another() {
    let text = "add(1, 2)\nadd(1, 2, 3)\n";
    check(
        "python",
        "add($A)",
        text,
        expect![[r#"
            add(1, 2): the pattern ends where the source goes on with `, 2`
            add(1, 2, 3): the pattern ends where the source goes on with `, 2`"#]],
    );
    check(
        "python",
        "add($A, $B, $C, $D)",
        text,
        expect![[r#"
            add(1, 2, 3): the source ends where the pattern goes on with `, $`
            add(1, 2): the source ends where the pattern goes on with `, $`"#]],
    );
}
