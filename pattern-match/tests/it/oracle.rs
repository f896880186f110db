//! A naive, slow, obviously right matcher agrees with the real one on random trees.

mod cut;
mod naive;
mod sources;

use cut::{Cut, GRAMMARS, Grammar, Root, parse};
use fourfold_pattern_match::{Arity, Capture, Options, Pattern};
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
    let whole = Plain::of(tree.root_node(), None, source);
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
    let trees: String = pattern
        .readings()
        .iter()
        .map(|reading| reading.tree())
        .collect();
    if matches != wanted {
        return Err(TestCaseError::fail(format!(
            "found {matches:?}\nwanted {wanted:?}\n--- pattern\n{}\n--- in\n{source}\n--- read as\n{trees}{:?}",
            cut.text, cut.root
        )));
    }
    Ok(())
}

fn check(
    grammar: &Grammar,
    here: &[u8],
    there: &[u8],
    choices: &[u8],
) -> Result<(), TestCaseError> {
    let source = sources::source(grammar.id, &mut Tape::new(here));
    let Some(cut) = cut::cut(grammar, &source, &mut Tape::new(choices)) else {
        return Ok(());
    };
    let language = Language::named(grammar.id).unwrap();
    let mut options = Options::default();
    options.strict = true;
    let pattern = match Pattern::compile(language, &cut.text, &options) {
        Ok(pattern) => pattern,
        Err(error) => {
            return Err(TestCaseError::fail(format!(
                "{error}\n--- cut out of\n{source}"
            )));
        }
    };
    compare(grammar, &cut, &pattern, &source)?;
    compare(
        grammar,
        &cut,
        &pattern,
        &sources::source(grammar.id, &mut Tape::new(there)),
    )
}

/// Compares on many sources and patterns of one language.
fn agree(id: &str) {
    let grammar = GRAMMARS.iter().find(|grammar| grammar.id == id).unwrap();
    let tape = |length| prop::collection::vec(any::<u8>(), 0..length);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(
        std::env::var("CASES").map_or(400, |n| n.parse().unwrap()),
    ));
    let outcome = runner.run(
        &(tape(160), changes, tape(48)),
        |(here, changes, choices)| {
            // The other source is nearly the same.
            let mut there = here.clone();
            for (at, byte) in changes.iter().filter(|_| !here.is_empty()) {
                there[at.index(here.len())] = *byte;
            }
            check(grammar, &here, &there, &choices)
        },
    );
    if let Err(TestError::Fail(why, _)) = outcome {
        panic!("{why}");
    }
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
fn both_matchers_agree_on_rust() {
    agree("rust");
}
