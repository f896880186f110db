//! The conformance cases: a pattern, a source, and exactly what must be found.

use fourfold_pattern_match::{Arity, Capture, Options, Pattern};
use fourfold_syntax::{FileSummary, Language, ParseLimits, with_parser};
use serde_json::{Map, Value, json};

fn matches_of(pattern: &Pattern, source: &str) -> Value {
    let tree = with_parser(ParseLimits::default(), |parser| {
        parser.parse(pattern.language(), source)
    })
    .unwrap();
    let found = pattern.search(source, &tree);
    // What a summary denies is not there.
    let summary = FileSummary::new(pattern.language(), source, &tree);
    let denied = !pattern.may_match_file(source.as_bytes(), &summary);
    assert!(!denied || found.matches.is_empty(), "{source}");
    let text = |range: &std::ops::Range<usize>| source[range.clone()].to_owned();
    found
        .matches
        .iter()
        .map(|m| {
            let captures: Map<String, Value> = pattern
                .variables()
                .iter()
                .zip(&m.captures)
                .map(|(variable, capture)| {
                    let value = match capture {
                        Capture::One(range) => json!(text(range)),
                        Capture::Many(items) => json!(items.iter().map(text).collect::<Vec<_>>()),
                    };
                    assert_eq!(variable.arity == Arity::Many, value.is_array());
                    (variable.name.clone(), value)
                })
                .collect();
            json!({ "text": text(&m.range), "captures": captures })
        })
        .collect()
}

fn check(file: &str) -> Vec<String> {
    let cases: Value = serde_json::from_str(file).unwrap();
    let mut failures = Vec::new();
    for case in cases["cases"].as_array().unwrap() {
        let of = |key: &str| case[key].as_str().unwrap_or_default();
        let language = Language::named(of("language")).unwrap();
        let compiled = Pattern::compile(language, of("pattern"), &Options::default());
        let problem = match (of("expect"), compiled) {
            ("unparsable", Err(_)) => None,
            ("unparsable", Ok(pattern)) => {
                Some(format!("parsed as {:?}", pattern.readings()[0].tree()))
            }
            (_, Err(error)) => Some(error.to_string()),
            (expect, Ok(pattern)) => {
                let wanted = if expect == "none" {
                    json!([])
                } else {
                    case["matches"].clone()
                };
                let found = matches_of(&pattern, of("source"));
                let trees: Vec<String> = pattern
                    .readings()
                    .iter()
                    .map(|r| format!("{}:\n{}", r.rung(), r.tree()))
                    .collect();
                (found != wanted)
                    .then(|| format!("found {found:#}\nwanted {wanted:#}\n{}", trees.join("")))
            }
        };
        if let Some(problem) = problem {
            failures.push(format!(
                "== {} ({}): `{}`\n{problem}",
                of("id"),
                of("language"),
                of("pattern")
            ));
        }
    }
    failures
}

#[test]
fn every_conformance_case_finds_exactly_what_it_says() {
    let mut failures = check(include_str!("../cases/pattern_cases.json"));
    failures.extend(check(include_str!("../cases/more_cases.json")));
    assert!(
        failures.is_empty(),
        "{} cases fail\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn a_summary_denies_what_keywords_alone_do_not() {
    let language = Language::named("python").unwrap();
    let parse = |text: &str| {
        with_parser(ParseLimits::default(), |parser| {
            parser.parse(language, text)
        })
        .unwrap()
    };
    let pattern = Pattern::compile(
        language,
        "try:\n    $$$\nfinally:\n    $$$",
        &Options::default(),
    );
    let pattern = pattern.unwrap();
    for (text, may) in [
        ("# try and finally: words\nx = 1\n", false),
        ("try:\n    f()\nfinally:\n    g()\n", true),
    ] {
        let summary = FileSummary::new(language, text, &parse(text));
        assert!(pattern.may_match(text.as_bytes()));
        assert_eq!(
            pattern.may_match_file(text.as_bytes(), &summary),
            may,
            "{text}"
        );
    }
}
