//! Rewriting: the conformance cases and our own, byte for byte.

use fourfold_pattern_match::{
    Options, Pattern, RewriteError, RewriteOptions, Rewritten, Rung, Template, TemplateError,
    rewrite,
};
use fourfold_syntax::{Language, ParseLimits, with_parser};
use serde_json::Value;

/// Why a rewrite did not come about, in the words of the cases.
fn reason(error: &RewriteError) -> String {
    match error {
        RewriteError::DoesNotParse { .. } => "result does not parse".to_owned(),
        RewriteError::Loses { losses } => {
            let texts: Vec<&str> = losses.iter().map(|loss| loss.text.as_str()).collect();
            format!("loses: {}", texts.join(" | "))
        }
        other => other.to_string(),
    }
}

fn template_reason(error: &TemplateError) -> String {
    match error {
        TemplateError::Unbound { name, .. } => format!("unbound: {name}"),
        TemplateError::Arity { spelled, bound } => format!("arity: {spelled} for {bound}"),
        TemplateError::Unnamed { spelled } => format!("unnamed: {spelled}"),
        TemplateError::NotRead { spelled, .. } => format!("not read: {spelled}"),
        other => other.to_string(),
    }
}

/// Rewrites the matches of the primary reading.
fn run(
    language: &str,
    pattern: &str,
    template: &str,
    source: &str,
    rung: Option<Rung>,
    options: &RewriteOptions,
) -> Result<Rewritten, String> {
    let language = Language::named(language).unwrap();
    let mut reading = Options::default();
    reading.rung = rung;
    let pattern = Pattern::compile(language, pattern, &reading).map_err(|e| e.to_string())?;
    let template = Template::parse(template, &pattern).map_err(|e| template_reason(&e))?;
    let tree = with_parser(ParseLimits::default(), |parser| {
        parser.parse(language, source)
    })
    .unwrap();
    let mut matches = pattern.search(source, &tree).matches;
    matches.retain(|found| found.reading == 0);
    let rewritten =
        rewrite(&pattern, &template, source, &tree, &matches, options).map_err(|e| reason(&e))?;
    assert_eq!(apply(source, &rewritten), rewritten.text);
    Ok(rewritten)
}

fn apply(source: &str, rewritten: &Rewritten) -> String {
    let mut out = source.to_owned();
    for edit in rewritten.edits.iter().rev() {
        out.replace_range(edit.range.clone(), &edit.replacement);
    }
    out
}

fn check(file: &str) -> Vec<String> {
    let cases: Value = serde_json::from_str(file).unwrap();
    let mut failures = Vec::new();
    for case in cases["cases"].as_array().unwrap() {
        let of = |key: &str| case[key].as_str().unwrap_or_default();
        if !case["rewrite"].is_string() {
            continue;
        }
        let strict = RewriteOptions::default();
        let (language, pattern, template) = (of("language"), of("pattern"), of("rewrite"));
        let rung = case["as"]
            .as_str()
            .map(|name| name.parse::<Rung>().unwrap());
        let mut problems = Vec::new();
        let mut expect = |got: Result<Rewritten, String>, wanted: Result<&str, String>| {
            let got = got.map(|rewritten| rewritten.text);
            if got.as_deref() != wanted.as_deref() {
                problems.push(format!("got    {got:?}\nwanted {wanted:?}"));
            }
        };
        let result = run(language, pattern, template, of("source"), rung, &strict);
        if let Some(losses) = case["loses"].as_array() {
            let losses: Vec<&str> = losses.iter().filter_map(Value::as_str).collect();
            expect(result, Err(format!("loses: {}", losses.join(" | "))));
            let lax = RewriteOptions {
                allow_loss: true,
                ..strict
            };
            let result = run(language, pattern, template, of("source"), rung, &lax);
            expect(result, Ok(of("expected")));
        } else if let Some(error) = case["rewrite_error"].as_str() {
            expect(result, Err(error.to_owned()));
        } else {
            expect(result, Ok(of("expected")));
        }
        if !problems.is_empty() {
            failures.push(format!(
                "== {} ({language}): `{pattern}` -> `{template}`\n{}",
                of("id"),
                problems.join("\n")
            ));
        }
    }
    failures
}

#[test]
fn every_conformance_case_comes_out_byte_for_byte() {
    let failures = check(include_str!("../cases/pattern_cases.json"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_rewrite_case_comes_out_byte_for_byte() {
    let failures = check(include_str!("../cases/rewrite_cases.json"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn nested(levels: usize, inmost: &str, template: &str) -> Result<Rewritten, String> {
    let source = format!(
        "x = {}{inmost}{}\n",
        "f(".repeat(levels),
        ")".repeat(levels)
    );
    run(
        "python",
        "f($X)",
        template,
        &source,
        None,
        &RewriteOptions::default(),
    )
}

#[test]
fn many_matches_inside_one_another_are_rewritten() {
    let levels = 1_500;
    let rewritten = nested(levels, "a", "g($X)").unwrap();
    let wanted = format!("x = {}a{}\n", "g(".repeat(levels), ")".repeat(levels));
    assert_eq!(rewritten.text, wanted);
}

#[test]
fn too_much_nesting_and_too_much_growth_are_told_apart() {
    let nesting = nested(1_000, &"a".repeat(100_000), "g($X)").unwrap_err();
    assert!(nesting.contains("inside one another"), "{nesting}");
    let growth = nested(40, "a", "g($X, $X)").unwrap_err();
    assert!(growth.contains("uses a capture twice"), "{growth}");
}

#[test]
fn a_macro_that_no_longer_reads_as_code_is_named_as_the_reason() {
    let language = Language::named("rust").unwrap();
    let source = "fn f() { assert!(go(1)); }\n";
    let pattern = Pattern::compile(language, "go($X)", &Options::default()).unwrap();
    let template = Template::parse("=> $X", &pattern).unwrap();
    let tree = with_parser(ParseLimits::default(), |parser| {
        parser.parse(language, source)
    });
    let tree = tree.unwrap();
    let matches = pattern.search(source, &tree).matches;
    let options = RewriteOptions::default();
    let refused = rewrite(&pattern, &template, source, &tree, &matches, &options).unwrap_err();
    let said = refused.to_string();
    assert!(said.contains("1 bodies of macros"), "{said}");
}
