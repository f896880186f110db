//! Hostile patterns and sources: nothing panics, overflows the stack or runs without end.

use fourfold_pattern_match::{Options, Pattern, Search};
use fourfold_syntax::{Language, ParseLimits, Tree, with_parser};
use proptest::prelude::*;

fn language(id: &str) -> Language {
    Language::named(id).unwrap()
}

fn compile(id: &str, text: &str) -> Pattern {
    Pattern::compile(language(id), text, &Options::default()).unwrap()
}

fn parse(id: &str, text: &str) -> Tree {
    with_parser(ParseLimits::default(), |parser| {
        parser.parse(language(id), text)
    })
    .unwrap()
}

#[test]
fn a_pattern_nested_too_deep_is_refused_and_says_so() {
    let nestings = [
        ("javascript", "(", ")"),
        ("javascript", "f([", "])"),
        ("rust", "(", ")"),
        ("rust", "m!(", ")"),
        ("python", "[", "]"),
        ("json", "[", "]"),
        ("haskell", "(", ")"),
        ("c", "(", ")"),
    ];
    for (id, open, close) in nestings {
        let nested = |depth: usize| {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            Pattern::compile(language(id), &text, &Options::default())
        };
        let fits = nested(100).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert!(!fits.readings().is_empty());
        let error = nested(2_000).unwrap_err().to_string();
        assert!(error.contains("levels deep"), "{id}: {error}");
    }
}

#[test]
fn nesting_without_brackets_is_bounded_too() {
    let text = format!("a{}", ".b".repeat(4_000));
    let error = Pattern::compile(language("javascript"), &text, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("levels deep"), "{error}");
    let text = format!("a{}", ".b".repeat(300));
    assert!(Pattern::compile(language("javascript"), &text, &Options::default()).is_ok());
}

#[test]
fn a_pattern_with_too_many_metavariables_is_refused_and_says_so() {
    let pattern = |count: usize| {
        let text = format!("f({})", vec!["$A"; count].join(", "));
        Pattern::compile(language("php"), &text, &Options::default())
    };
    assert!(pattern(250).is_ok());
    let error = pattern(251).unwrap_err();
    assert!(error.to_string().contains("more than 250 metavariables"));
}

#[test]
fn a_long_pattern_finds_itself() {
    for (id, item) in [
        ("javascript", "a, "),
        ("javascript", "a"),
        ("python", "'a', "),
        ("rust", "a, "),
        ("ruby", "a, "),
    ] {
        let text = format!("[{}a]", item.repeat(9_000 / item.len()));
        let source = format!("x = {text}\n");
        let pattern = compile(id, &text);
        let tree = parse(id, &source);
        assert_eq!(pattern.search(&source, &tree).matches.len(), 1, "{id}");
        let other = source.replacen("a]", "b]", 1);
        let misses = Search::new(pattern).explain(&other, &parse(id, &other), 1);
        assert_eq!(misses.len(), 1, "{id}");
    }
}

/// Deeply nested sources, and how many matches the innermost and the outermost levels give.
#[test]
fn a_source_may_be_nested_as_deep_as_it_likes() {
    const DEPTH: usize = 5_000;
    let cases = [
        ("javascript", "(", ")", "($X)", DEPTH),
        ("javascript", "f(", ")", "f($$$A)", DEPTH),
        ("javascript", "[", "]", "[$X]", DEPTH),
        ("python", "(", ")", "($X)", DEPTH),
        ("rust", "(", ")", "($X)", DEPTH),
        ("rust", "f(", ")", "f($X)", DEPTH),
        ("c", "(", ")", "($X)", DEPTH),
        ("json", "[", "]", "[$$$]", DEPTH),
    ];
    for (id, open, close, pattern, wanted) in cases {
        let before = match id {
            "rust" => "fn f() { x = ",
            "json" => "",
            _ => "x = ",
        };
        let after = match id {
            "rust" => "; }",
            "c" => ";",
            _ => "",
        };
        let nested = format!("{}1{}", open.repeat(DEPTH), close.repeat(DEPTH));
        let source = format!("{before}{nested}{after}\n");
        let tree = parse(id, &source);
        let found = compile(id, pattern).search(&source, &tree);
        assert_eq!(
            (found.matches.len(), found.given_up),
            (wanted, 0),
            "{id} {pattern}"
        );
        let repeated = compile(id, &pattern.replace(['X', 'A'], "X_1"));
        assert_eq!(repeated.search(&source, &tree).matches.len(), wanted);
        assert!(Search::new(repeated).explain(&source, &tree, 1).len() < 2);
    }
}

#[test]
fn a_repeated_name_in_a_deep_source_is_compared() {
    let nested = format!("{}1{}", "[".repeat(2_000), "]".repeat(2_000));
    let source = format!("f({nested}, {nested});\nf({nested}, [{nested}]);\n");
    let found = compile("javascript", "f($A, $A)").search(&source, &parse("javascript", &source));
    assert_eq!((found.matches.len(), found.given_up), (1, 0));
}

/// Six lists between which nothing can be told apart: every way to share out the items fails.
#[test]
fn a_candidate_that_takes_too_many_steps_is_given_up_and_counted() {
    let pattern = compile("javascript", "f($$$A, $$$B, $$$C, $$$D, $$$E, $$$F, z)");
    let source = format!("f(z{});\nf(a, a, a, z);\n", ", a".repeat(60));
    let found = pattern.search(&source, &parse("javascript", &source));
    assert_eq!((found.matches.len(), found.given_up), (1, 1));
}

/// Pieces that patterns are made of, and others.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "$X", "$$$XS", "$_", "$$$", "$", "$$", "$x", "(", ")", "[", "]", "{", "}", "<", ">", "</",
        "/>", "'", "\"", "`", "${", "#{", "\\", ";", ":", "::", ",", ".", "...", "=", "=>", "->",
        "|", "&", "@", "#", "!", "?", "%", "-", "- ", "+", "*", "/", "//", "/*", "*/", "\n",
        "\n    ", "\t", "\r\n", " ", "  ", "\u{0}", "\u{feff}", "é", "𝕏", "if", "else", "for",
        "fn", "def", "class", "function", "return", "end", "do", "then", "case", "import", "from",
        "let", "var", "const", "int", "void", "new", "match", "a", "b", "f", "C", "1", "0x", "1.",
        "key", "mvq00", "<?php", "<<EOF", "r#\"", "---", "%YAML",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_text_is_read_or_refused(text in hostile(), any in "\\PC{0,40}") {
        for language in Language::all() {
            for text in [&text, &any] {
                match Pattern::compile(language, text, &Options::default()) {
                    Ok(pattern) => prop_assert!(!pattern.readings().is_empty()),
                    Err(error) => {
                        for refusal in &error.refusals {
                            prop_assert!(text.trim().is_char_boundary(refusal.at));
                        }
                        prop_assert!(!error.to_string().is_empty());
                    }
                }
            }
        }
    }
}
