//! What the fuzz targets do with one input; the tests replay the corpora through the same code.
//!
//! An input is text: the language, then the pattern, template and source as far as the target
//! wants them, with a line `---` between each two.
#![allow(dead_code, reason = "each target uses one of the functions")]

use fourfold_pattern_match::{Capture, Options, Pattern, RewriteOptions, Template, rewrite};
use fourfold_syntax::{Language, ParseLimits, Tree, with_parser};

/// The parts of an input, when there are enough of them and the language is known.
fn parts<const N: usize>(input: &str) -> Option<(Language, [&str; N])> {
    let mut pieces = input.splitn(N + 1, "\n---\n");
    let language = Language::named(pieces.next()?).ok()?;
    let mut parts = [""; N];
    for part in &mut parts {
        *part = pieces.next()?;
    }
    Some((language, parts))
}

fn parse(language: Language, source: &str) -> Option<Tree> {
    with_parser(ParseLimits::default(), |parser| {
        parser.parse(language, source)
    })
    .ok()
}

/// A fragment is read or refused.
pub(crate) fn pattern_text(input: &str) {
    let Some((language, [text])) = parts(input) else {
        return;
    };
    match Pattern::compile(language, text, &Options::default()) {
        Ok(pattern) => assert!(!pattern.readings().is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Every match lies in the source with its captures inside it, and the search is repeatable.
pub(crate) fn pattern_against_source(input: &str) {
    let Some((language, [text, source])) = parts(input) else {
        return;
    };
    let Ok(pattern) = Pattern::compile(language, text, &Options::default()) else {
        return;
    };
    let Some(tree) = parse(language, source) else {
        return;
    };
    let found = pattern.search(source, &tree);
    for one in &found.matches {
        assert!(source.get(one.range.clone()).is_some());
        for span in one.captures.iter().filter_map(Capture::span) {
            assert!(source.get(span.clone()).is_some());
            assert!(span.start >= one.range.start && span.end <= one.range.end);
        }
    }
    assert_eq!(found, pattern.search(source, &tree));
}

/// The edits make the new text, and what is not forced has no new errors.
pub(crate) fn template(input: &str) {
    let Some((language, [text, template, source])) = parts(input) else {
        return;
    };
    let Ok(pattern) = Pattern::compile(language, text, &Options::default()) else {
        return;
    };
    let Ok(template) = Template::parse(template, &pattern) else {
        return;
    };
    let Some(tree) = parse(language, source) else {
        return;
    };
    let mut matches = pattern.search(source, &tree).matches;
    matches.retain(|found| found.reading == 0);
    let lax = RewriteOptions {
        allow_loss: true,
        force_syntax: true,
    };
    let Ok(rewritten) = rewrite(&pattern, &template, source, &tree, &matches, &lax) else {
        return;
    };
    let mut text = source.to_owned();
    for edit in rewritten.edits.iter().rev() {
        text.replace_range(edit.range.clone(), &edit.replacement);
    }
    assert_eq!(text, rewritten.text);
    if rewritten.broken.is_none() && !tree.root_node().has_error() {
        let tree = parse(language, &text);
        assert!(tree.is_none_or(|tree| !tree.root_node().has_error()));
    }
}
