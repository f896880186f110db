//! What the comparison of messages overlooks, and what it must not.

use std::fs;
use std::path::Path;

use fourfold_ledger::{Normalize, Positions};
use proptest::prelude::*;

use crate::checks;

fn normal(message: &str) -> String {
    Positions::default().normalize("any", message).into_owned()
}

#[test]
fn each_rule() {
    for (message, expected) in [
        ("plain", "plain"),
        (" a\r\n\tb  c \n", "a b c"),
        ("defined on line 12", "defined on line #"),
        ("Line 12, column 7.", "Line #, column #."),
        ("lines 3-5 and line 9:2", "lines # and line #"),
        ("line\n12", "line #"),
        ("unexpected end at offset 90", "unexpected end at offset #"),
        ("see a/b.rs:3:9", "see a/b.rs:#"),
        ("see a/b.rs:3:9: 3:12 there", "see a/b.rs:# there"),
        ("src\\b.ts(3,9): error", "src\\b.ts:#: error"),
        ("{closure@src/a.rs:3:9: 3:12} moved", "{closure@#} moved"),
        ("type `[closure@a.rs:1:1]`", "type `[closure@#]`"),
        ("impl#4 and `{opaque#0}`", "impl# and `{opaque#}`"),
        ("at 0x7ffe0012.", "at #."),
        ("line 3:0x7ffe0012", "line #:#"),
        ("a.rs:3:9: 3:0x7ffe0012", "a.rs:#: 3:#"),
        ("   ", " "),
        ("", ""),
    ] {
        assert_eq!(normal(message), expected, "{message:?}");
        assert_eq!(normal(expected), expected);
    }
}

#[test]
fn what_stays() {
    for message in [
        "expected 2 arguments, found 3",
        "underline 12",
        "line 12abc",
        "online 12",
        "port localhost:80:90",
        "ratio 3.2:1:4",
        "0x12345 is short",
        "expected \"line 12\"",
        "don't use `a.rs:3:9`",
        "module 'x/y.ts(3,9)' not found",
        "deadline 5",
        "C# 12 and F#3",
        "an open ` and line x",
    ] {
        assert_eq!(normal(message), message);
    }
}

#[test]
fn the_root_is_cut_off() {
    let rules = Positions {
        root: "/checkouts/me/app/".into(),
    };
    for (message, expected) in [
        (
            "cannot open /checkouts/me/app/src/a.rs",
            "cannot open src/a.rs",
        ),
        (
            "cannot open '/checkouts/me/app/src/a.rs'",
            "cannot open 'src/a.rs'",
        ),
        ("/checkouts/me/app/a.rs:3:4", "a.rs:#"),
        ("/checkouts/me/apple/a.rs", "/checkouts/me/apple/a.rs"),
        ("/srv/checkouts/me/app/a.rs", "/srv/checkouts/me/app/a.rs"),
    ] {
        assert_eq!(rules.normalize("any", message), expected);
    }
}

#[test]
fn hostile_messages_take_no_longer_than_they_are_long() {
    for piece in ["'a ", "{closure@", "`", "line ", "a.b:1:", "{x", "0x"] {
        let long = piece.repeat(10_000);
        assert!(!normal(&long).is_empty());
    }
}

/// Messages full of what the rules look for.
fn message() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("line ".to_owned()),
        Just("lines 3-5".to_owned()),
        Just("column 7".to_owned()),
        Just("at offset 4".to_owned()),
        Just("a/b.rs:3:9".to_owned()),
        Just(": 3:12".to_owned()),
        Just("(3,4)".to_owned()),
        Just("{closure@a.rs:1:2}".to_owned()),
        Just("[closure@".to_owned()),
        Just("impl#3".to_owned()),
        Just("{x#1}".to_owned()),
        Just("0xdeadbeef".to_owned()),
        Just("/r/".to_owned()),
        "[`'\" \r\n#:.é0-9a-z]{0,4}",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

#[test]
fn the_fuzzers_corpus_is_replayed() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/normal_form");
    let mut seeds = 0;
    for seed in fs::read_dir(corpus).unwrap() {
        checks::normal_form(&fs::read_to_string(seed.unwrap().path()).unwrap());
        seeds += 1;
    }
    assert!(seeds >= 5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn normal_form_is_normal(message in message()) {
        checks::normal_form(&message);
    }

    #[test]
    fn quoted_parts_tell_messages_apart(
        before in "[a-z0-9 :.]{0,12}",
        one in "[a-z0-9 :./(),-]{0,12}",
        two in "[a-z0-9 :./(),-]{0,12}",
        after in "[a-z0-9 :.]{0,12}",
        quote in prop_oneof![Just('`'), Just('"'), Just('\'')],
    ) {
        prop_assume!(one != two);
        let message = |inner: &str| format!("{before} {quote}{inner}{quote} {after}");
        prop_assert_ne!(normal(&message(&one)), normal(&message(&two)));
    }
}
