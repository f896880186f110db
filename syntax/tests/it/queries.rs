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
    check("(function_itm) @f", expect![[""]]);
    check("\n  (\"fnn\") @f", expect![[""]]);
}

#[test]
fn an_unknown_field_gets_the_nearest() {
    check("(function_item\n  nam: (identifier))", expect![[""]]);
}

#[test]
fn an_unknown_capture_is_named() {
    check("((identifier) @a (#eq? @b \"x\"))", expect![[""]]);
}

#[test]
fn syntax() {
    check("(identifier", expect![[""]]);
    check("(identifier))", expect![[""]]);
}

#[test]
fn a_part_that_cannot_match() {
    check("(function_item (binary_expression))", expect![[""]]);
}

#[test]
fn a_bad_predicate() {
    check("((identifier) @a (#match? @a \"(\"))", expect![[""]]);
}

#[test]
fn deep_nesting_is_refused() {
    check(&format!("\n{}", "(block ".repeat(100_000)), expect![[""]]);
    check(&"[".repeat(100_000), expect![[""]]);
}

#[test]
fn a_language_without_fields() {
    let Ok(language) = Language::named("css") else {
        return;
    };
    let error = QueryCache::new(1)
        .get(language, "(block nam: (_))")
        .unwrap_err();
    expect![[""]].assert_eq(&error.to_string());
}
