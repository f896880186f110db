//! A text that is parsed with the help of another's tree has the tree that it has alone.

use crate::parse;
use crate::snippets::snippet_of;
use fourfold_syntax::{Language, ParseLimits, Tree, with_parser};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

/// Everything that a tree says: of each node its kind, its field, its state and its place.
fn told(tree: &Tree) -> String {
    let mut told = String::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let (from, to) = (node.start_position(), node.end_position());
        writeln!(
            told,
            "{} {}{} {:?} {:?} {}:{}-{}:{} {}{}",
            cursor.depth(),
            node.kind(),
            if node.is_extra() { " extra" } else { "" },
            cursor.field_name(),
            node.byte_range(),
            from.row,
            from.column,
            to.row,
            to.column,
            node.is_named(),
            node.is_missing(),
        )
        .unwrap();
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return told;
            }
        }
    }
}

/// The words of a text, and what stands between them.
fn pieces(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// A text with a change of one of many kinds; most leave it sound.
fn changed(text: &str, kind: u8, places: &[Index; 3]) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    let [a, b, c] = places;
    match kind % 6 {
        0 => {
            let mut lines = lines.clone();
            let line = *a.get(&lines);
            lines.insert(b.index(lines.len()), line);
            lines.concat()
        }
        1 => {
            let mut lines = lines;
            let from = a.index(lines.len());
            let many = 1 + b.index(4);
            lines.drain(from..(from + many).min(lines.len()));
            lines.concat()
        }
        2 => {
            let mut lines = lines;
            lines.insert(a.index(lines.len()), "\n");
            lines.concat()
        }
        3 => {
            let pieces = pieces(text);
            let mut new = pieces.clone();
            *a.get_mut(&mut new) = pieces[b.index(pieces.len())];
            new.concat()
        }
        4 => {
            let mut pieces = pieces(text);
            let word = match c.index(4) {
                0 => " ",
                1 => "é",
                2 => "_1",
                _ => "x",
            };
            pieces.insert(a.index(pieces.len()), word);
            pieces.concat()
        }
        _ => {
            let mut pieces = pieces(text);
            pieces.remove(a.index(pieces.len()));
            pieces.concat()
        }
    }
}

/// Changes a snippet again and again, each time with the tree of the text before.
fn agrees(language: Language) -> Result<(usize, usize), String> {
    let cases = match std::env::var_os("FOURFOLD_LONG") {
        Some(_) => 4000,
        None => 48,
    };
    let mut config = ProptestConfig::with_cases(cases);
    config.failure_persistence = None;
    let places = || [any::<Index>(), any::<Index>(), any::<Index>()];
    let changes = prop::collection::vec((any::<u8>(), places()), 1..6);
    let (_, start) = snippet_of(language);
    let sound = std::cell::Cell::new((0, 0));
    let outcome = TestRunner::new(config).run(&changes, |changes| {
        let mut text = start.clone();
        let mut tree = parse(language, &text).unwrap();
        for (kind, places) in changes {
            let new = changed(&text, kind, &places);
            let scratch = parse(language, &new).unwrap();
            let again = with_parser(ParseLimits::default(), |parser| {
                parser.reparse(language, &new, (&text, &tree), &AtomicBool::new(false))
            })
            .unwrap();
            let (ours, all) = sound.get();
            let is_sound = !scratch.root_node().has_error();
            sound.set((ours + usize::from(is_sound), all + 1));
            prop_assert_eq!(told(&scratch), told(&again), "{} from\n{}", new, text);
            if is_sound {
                (text, tree) = (new, again);
            }
        }
        Ok(())
    });
    match outcome {
        Ok(()) => Ok(sound.get()),
        Err(why) => Err(format!("{language}: {why}")),
    }
}

#[test]
fn a_tree_is_the_same_whatever_was_parsed_before() {
    let (mut failures, mut sound) = (Vec::new(), 0);
    for language in Language::all() {
        match agrees(language) {
            Ok((ours, all)) => {
                println!("{language}: {ours} of {all}");
                sound += ours;
            }
            Err(why) => failures.push(why),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(sound > 100, "{sound} of the changes left a sound text");
}
