//! A naive, slow, obviously right matcher agrees with the real one on random trees.

mod cut;
mod naive;
mod sources;

use cut::{Cut, GRAMMARS, Grammar, Root, parse};
use fourfold_pattern_match::{Arity, Capture, Options, Pattern, Reading, Unparsable};
use fourfold_syntax::Language;
use naive::{Plain, Wanted, Way};
use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};
use sources::Tape;
use std::collections::BTreeMap;
use std::ops::Range;

/// What is found: the range of each match, and what it captured.
type Matches = BTreeMap<(usize, usize), Vec<Vec<Range<usize>>>>;

/// What the naive matcher finds.
fn expected(grammar: &Grammar, cut: &Cut, pattern: &Pattern, source: &str) -> Matches {
    let tree = parse(pattern.language(), source);
    let whole = Plain::of_tree(&tree, source, is_strict(&cut.text));
    let captures = |way: &Way| {
        let of = |name: &str, many: bool| {
            way.iter()
                .find(|bound| bound.name == Some(name) && bound.is_list == many)
                .unwrap()
                .ranges
                .clone()
        };
        pattern
            .variables()
            .iter()
            .map(|variable| of(&variable.name, variable.arity == Arity::Many))
            .collect()
    };
    let mut matches = Matches::new();
    for node in whole.all() {
        match &cut.root {
            Root::Node(kind, wanted) if node.kind == *kind => {
                if let Some(way) = naive::first(wanted, node, source) {
                    matches.insert((node.range.start, node.range.end), captures(&way));
                }
            }
            Root::Row(items) if grammar.bodies.contains(&node.kind.as_str()) => {
                let statements: Vec<Plain> = node
                    .children
                    .iter()
                    .filter(|child| child.named)
                    .cloned()
                    .collect();
                // A run that begins with a list begins where the body does.
                let starts = match items[0] {
                    Wanted::Many(_) => statements.len().min(1),
                    _ => statements.len(),
                };
                for at in 0..starts {
                    if let Some((way, end)) = naive::first_run(items, &statements[at..], source) {
                        matches.insert((statements[at].range.start, end), captures(&way));
                    }
                }
            }
            _ => {}
        }
    }
    matches
}

/// Searches a source for the pattern both ways.
fn compare(
    grammar: &Grammar,
    cut: &Cut,
    pattern: &Pattern,
    source: &str,
) -> Result<(), TestCaseError> {
    let tree = parse(pattern.language(), source);
    if tree.root_node().has_error() {
        return Ok(());
    }
    let found = pattern.search(source, &tree);
    prop_assert_eq!(found.given_up, 0);
    let mut matches = Matches::new();
    let mut elsewhere = Vec::new();
    for one in found.matches {
        let place = (one.range.start, one.range.end);
        let captures = one
            .captures
            .into_iter()
            .map(|capture| match capture {
                Capture::One(range) => vec![range],
                Capture::Many(ranges) => ranges,
            })
            .collect();
        match &cut.root {
            Root::Node(kind, _) if *kind != one.kind => elsewhere.push(place),
            _ => drop(matches.insert(place, captures)),
        }
    }
    let mut wanted = expected(grammar, cut, pattern, source);
    // Where another reading matches the same stretch, that one is told.
    wanted.retain(|place, _| !elsewhere.contains(place));
    let trees: String = pattern.readings().iter().map(Reading::tree).collect();
    if matches != wanted {
        return Err(TestCaseError::fail(format!(
            "found {matches:?}\nwanted {wanted:?}\n--- pattern\n{}\n--- in\n{source}\n--- read as\n{trees}",
            cut.text
        )));
    }
    Ok(())
}

/// Whether parts of a declaration may be left out: for half of the patterns.
fn is_strict(text: &str) -> bool {
    text.len().is_multiple_of(2)
}

fn compile(grammar: &Grammar, text: &str, strict: bool) -> Result<Pattern, Unparsable> {
    let language = Language::named(grammar.id).unwrap();
    let mut options = Options::default();
    options.strict = strict;
    Pattern::compile(language, text, &options)
}

/// A pattern from a random source, compiled; `None` where what came out is no code.
fn pattern_of(
    grammar: &Grammar,
    source: &str,
    choices: &[u8],
) -> Result<Option<(Cut, Pattern)>, TestCaseError> {
    let Some(cut) = cut::cut(grammar, source, &mut Tape::new(choices)) else {
        return Ok(None);
    };
    match compile(grammar, &cut.text, is_strict(&cut.text)) {
        Ok(pattern) => Ok(Some((cut, pattern))),
        Err(error) => Err(TestCaseError::fail(format!(
            "{error}\n--- cut out of\n{source}"
        ))),
    }
}

/// Runs a property on random choices: those of a source, those of another that is nearly the
/// same, and those of a pattern.
fn run(property: impl Fn(&[u8], &[u8], &[u8]) -> Result<(), TestCaseError>) {
    let tape = |length| prop::collection::vec(any::<u8>(), 0..length);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8);
    let cases = match std::env::var_os("FOURFOLD_LONG") {
        Some(_) => 30_000,
        None => 300,
    };
    let mut config = ProptestConfig::with_cases(cases);
    config.failure_persistence = None;
    let outcome = TestRunner::new(config).run(
        &(tape(160), changes, tape(48)),
        |(here, changes, choices)| {
            let mut there = here.clone();
            for (at, byte) in changes.iter().filter(|_| !here.is_empty()) {
                there[at.index(here.len())] = *byte;
            }
            property(&here, &there, &choices)
        },
    );
    if let Err(TestError::Fail(why, _)) = outcome {
        panic!("{why}");
    }
}

/// Compares the matchers on many sources and patterns of one language.
fn agree(id: &str) {
    let grammar = GRAMMARS.iter().find(|grammar| grammar.id == id).unwrap();
    run(|here, there, choices| {
        let source = sources::source(grammar.id, &mut Tape::new(here));
        if let Some((cut, pattern)) = pattern_of(grammar, &source, choices)? {
            compare(grammar, &cut, &pattern, &source)?;
            let source = sources::source(grammar.id, &mut Tape::new(there));
            compare(grammar, &cut, &pattern, &source)?;
        }
        Ok(())
    });
}

#[test]
fn both_matchers_agree_on_javascript() {
    agree("javascript");
}

#[test]
fn both_matchers_agree_on_python() {
    agree("python");
}

#[test]
fn both_matchers_agree_on_ruby() {
    agree("ruby");
}

#[test]
fn both_matchers_agree_on_rust() {
    agree("rust");
}

/// A text with other names, and where each byte of it came from.
fn renamed(text: &str) -> (String, Vec<usize>) {
    let mut out = String::new();
    let mut places = Vec::new();
    for (at, c) in text.char_indices() {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let before = text[..at].chars().next_back();
        let alone =
            !is_word(before) && before != Some('\\') && !is_word(text[at + 1..].chars().next());
        let name = match c {
            'a' if alone => "first",
            'b' if alone => "x",
            'c' if alone => "name_of_it",
            _ => &text[at..at + c.len_utf8()],
        };
        out.push_str(name);
        places.extend(std::iter::repeat_n(at, name.len()));
    }
    places.push(text.len());
    (out, places)
}

#[test]
fn other_names_for_the_same_things_keep_the_matches() {
    run(|here, there, choices| {
        for grammar in &GRAMMARS {
            let here = sources::source(grammar.id, &mut Tape::new(here));
            let there = sources::source(grammar.id, &mut Tape::new(there));
            let Some((cut, pattern)) = pattern_of(grammar, &here, choices)? else {
                continue;
            };
            if parse(pattern.language(), &there).root_node().has_error() {
                continue;
            }
            let (text, _) = renamed(&cut.text);
            let other = compile(grammar, &text, is_strict(&cut.text)).unwrap();
            let (source, places) = renamed(&there);
            let of = |pattern: &Pattern, source: &str| -> Vec<Range<usize>> {
                let found = pattern.search(source, &parse(pattern.language(), source));
                found.matches.into_iter().map(|one| one.range).collect()
            };
            let ranges = of(&pattern, &there);
            let others: Vec<Range<usize>> = of(&other, &source)
                .into_iter()
                .map(|range| places[range.start]..places[range.end - 1] + 1)
                .collect();
            if ranges != others {
                return Err(TestCaseError::fail(format!(
                    "{ranges:?}\n{others:?}\n{}\n{text}\n{there}",
                    cut.text
                )));
            }
        }
        Ok(())
    });
}
