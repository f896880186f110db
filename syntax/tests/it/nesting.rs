//! Deep nesting: a tree or a clear error, never the end of the process.

use expect_test::expect;
use fourfold_syntax::{Error, Language, ParseLimits, Parser, Tree, stack};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A damaged text of this depth can take minutes; what counts here is how it ends.
fn limits() -> ParseLimits {
    ParseLimits {
        max_time: Duration::from_millis(500),
        ..ParseLimits::default()
    }
}

/// Visits every node without recursion and gives the greatest depth.
fn depth(tree: &Tree) -> usize {
    let (mut depth, mut deepest) = (0, 0);
    let mut cursor = tree.walk();
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            deepest = deepest.max(depth);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return deepest;
            }
            depth -= 1;
        }
    }
}

/// Parses on the test's own thread of 2 MiB, walks the tree and drops it.
fn survives(id: &str, text: &str) -> Option<usize> {
    let language = Language::named(id).ok()?;
    match Parser::new(limits()).parse(language, text) {
        Ok(tree) => Some(depth(&tree)),
        Err(Error::TooSlow { .. }) => None,
        Err(other) => panic!("{id}: {other}"),
    }
}

const LEVELS: usize = 200_000;

#[test]
fn sound_nesting_gives_its_whole_depth() {
    for (id, open, close) in [("json", "[", "]"), ("rust", "(", ")"), ("lua", "{", "}")] {
        let (before, after) = match id {
            "rust" => ("const A: u8 = ", ";"),
            "lua" => ("x = ", ""),
            _ => ("", ""),
        };
        let levels = 20_000;
        let text = format!(
            "{before}{}{}{after}",
            open.repeat(levels),
            close.repeat(levels)
        );
        if let Some(depth) = survives(id, &text) {
            assert!(depth >= levels, "{id}: {depth}");
        }
    }
}

#[test]
fn nested_openers() {
    for (id, opener) in [
        ("json", "["),
        ("json", "{\"a\":"),
        ("rust", "("),
        ("rust", "/*"),
        ("python", "("),
        ("python", "f'{"),
        ("javascript", "["),
        ("javascript", "`${"),
        ("typescript", "{a:"),
        ("go", "{["),
        ("java", "({"),
        ("c", "{-"),
        ("php", "<?php $("),
        ("ruby", "\"#{"),
        ("swift", "/*"),
        ("swift", "\"\\("),
        ("scala", "/*"),
        ("kotlin", "\"${"),
        ("haskell", "{-"),
        ("elixir", "\"#{"),
        ("html", "<a>"),
        ("bash", "$("),
        ("dart", "/*"),
        ("lua", "[["),
        ("yaml", "["),
        ("csharp", "$\"{"),
    ] {
        survives(id, &opener.repeat(LEVELS));
    }
}

#[test]
fn the_shapes_that_scanners_cannot_take_are_refused() {
    let refused = |id: &str, text: &str| {
        let language = Language::named(id).ok()?;
        Some(
            Parser::new(limits())
                .parse(language, text)
                .unwrap_err()
                .to_string(),
        )
    };
    if let Some(said) = refused("yaml", &"- ".repeat(LEVELS)) {
        expect!["not parsed: it may nest 250 levels deep or more, more than the YAML grammar can take; leave this file out or flatten it"].assert_eq(&said);
    }
    let ladder: String = (0..400)
        .map(|n| format!("{:n$}if a:\n", ""))
        .chain([format!("{}f'{{a}}'\n", " ".repeat(400))])
        .collect();
    if let Some(said) = refused("python", &ladder) {
        expect!["not parsed: it is indented to 380 columns or more, more than the Python grammar can take; leave this file out or flatten it"].assert_eq(&said);
    }
    let name = "N".repeat(300);
    if let Some(said) = refused("ruby", &format!("a = <<{name}\n#{{b}}\n{name}\n")) {
        expect!["not parsed: a heredoc's name has more than 255 bytes, more than the Ruby grammar can take; leave this file out or flatten it"].assert_eq(&said);
    }
}

#[test]
fn just_below_those_bounds_they_are_parsed() {
    if let Some(depth) = survives("yaml", &"- ".repeat(125)) {
        assert!(depth > 125);
    }
    let ladder: String = (0..370).map(|n| format!("{:n$}if a:\n", "")).collect();
    survives("python", &format!("{ladder}{}f'{{a}}'\n", " ".repeat(370)));
    let name = "N".repeat(255);
    survives("ruby", &format!("a = <<{name}\n#{{b}}\n{name}\n"));
}

#[test]
fn the_largest_text_of_openers_ends_in_time() {
    let Ok(language) = Language::named("javascript") else {
        return;
    };
    let text = "{a:".repeat((8 << 20) / 3);
    let result = stack::with_big_stack(|| Parser::new(limits()).parse(language, &text)).unwrap();
    assert_eq!(
        result.err(),
        Some(Error::TooSlow { limit_ms: 500 }),
        "this text takes longer than that on any machine"
    );
}

#[test]
fn limits_are_said() {
    let Some(language) = Language::all().next() else {
        return;
    };
    let limits = ParseLimits {
        max_bytes: 10,
        max_time: Duration::ZERO,
    };
    let mut parser = Parser::new(limits);
    let said = parser.parse(language, "01234567890").unwrap_err();
    expect!["not parsed: 11 bytes is over the limit of 10; raise the size limit to include it"]
        .assert_eq(&said.to_string());
}

#[test]
fn a_cancelled_parse_stops_and_the_parser_goes_on() {
    let Some(language) = Language::all().next() else {
        return;
    };
    let cancel = AtomicBool::new(true);
    let mut parser = Parser::new(ParseLimits::default());
    let error = parser.parse_with(language, "a", &cancel).unwrap_err();
    assert_eq!(error, Error::Cancelled);
    expect!["not parsed: the work was cancelled; start it again to have it done"]
        .assert_eq(&error.to_string());
    cancel.store(false, Ordering::Relaxed);
    assert!(parser.parse_with(language, "a", &cancel).is_ok());
}

#[test]
fn a_parse_under_way_is_cancelled() {
    let Ok(language) = Language::named("json") else {
        return;
    };
    let text = "[".repeat(4 << 20);
    let cancel = AtomicBool::new(false);
    let result = std::thread::scope(|scope| {
        let parse = scope.spawn(|| {
            let unlimited = ParseLimits {
                max_time: Duration::MAX,
                ..ParseLimits::default()
            };
            Parser::new(unlimited).parse_with(language, &text, &cancel)
        });
        // Whether this comes before or while the text is parsed, the parse must end.
        cancel.store(true, Ordering::Relaxed);
        parse.join().unwrap()
    });
    assert_eq!(result.err(), Some(Error::Cancelled));
}
