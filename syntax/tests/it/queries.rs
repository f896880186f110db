//! What a query with a mistake is told.

use expect_test::{Expect, expect};
use fourfold_syntax::{Error, Language, QueryCache};

fn check(text: &str, expected: Expect) {
    let Ok(language) = Language::named("rust") else {
        return;
    };
    let error = QueryCache::new(4).get(language, text).unwrap_err();
    assert!(matches!(error, Error::BadQuery { .. }));
    expected.assert_eq(&error.to_string());
}

#[test]
fn an_unknown_node_kind_gets_the_nearest() {
    check(
        "(function_itm) @f",
        expect![
            "the query does not compile for Rust, line 1 column 2: the grammar has no node kind `function_itm`; the nearest is `function_item`"
        ],
    );
    check(
        "\n  (\"fnn\") @f",
        expect![
            "the query does not compile for Rust, line 2 column 5: the grammar has no token `fnn`; the nearest is `fn`"
        ],
    );
}

#[test]
fn an_unknown_field_gets_the_nearest() {
    check(
        "(function_item\n  nam: (identifier))",
        expect![
            "the query does not compile for Rust, line 2 column 3: the grammar has no field `nam`; the nearest is `name`"
        ],
    );
}

#[test]
fn an_unknown_capture_is_named() {
    check(
        "((identifier) @a (#eq? @b \"x\"))",
        expect!["the query does not compile for Rust, line 1 column 25: no capture is called `b`"],
    );
}

#[test]
fn syntax() {
    check(
        "(identifier",
        expect![[r#"
        the query does not compile for Rust, line 1 column 12: this is not query syntax
        (identifier
                   ^"#]],
    );
    check(
        "(identifier))",
        expect![[r#"
        the query does not compile for Rust, line 1 column 13: this is not query syntax
        (identifier))
                    ^"#]],
    );
}

#[test]
fn a_part_that_cannot_match() {
    check(
        "(function_item (binary_expression))",
        expect![[r#"
        the query does not compile for Rust, line 1 column 16: no tree can ever match this part
        (function_item (binary_expression))
                       ^"#]],
    );
}

#[test]
fn a_bad_predicate() {
    check(
        "((identifier) @a (#match? @a \"(\"))",
        expect!["the query does not compile for Rust, line 1 column 1: Invalid regex '('"],
    );
}

#[test]
fn deep_nesting_is_refused() {
    check(
        &format!("\n{}", "(block ".repeat(100_000)),
        expect![
            "the query does not compile for Rust, line 2 column 1793: nested more than 256 levels deep; split the query"
        ],
    );
    check(
        &"[".repeat(100_000),
        expect![
            "the query does not compile for Rust, line 1 column 257: nested more than 256 levels deep; split the query"
        ],
    );
}

#[test]
fn a_language_without_fields() {
    let Ok(language) = Language::named("css") else {
        return;
    };
    let error = QueryCache::new(1)
        .get(language, "(block nam: (_))")
        .unwrap_err();
    expect!["the query does not compile for CSS, line 1 column 8: the grammar has no field at all, so not `nam` either"].assert_eq(&error.to_string());
}
