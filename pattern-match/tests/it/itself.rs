//! A fragment cut out of a real file, used as its own pattern, finds itself there.

use fourfold_pattern_match::{Options, Pattern};
use fourfold_syntax::{Language, Node, ParseLimits, Tree, with_parser};
use std::ops::Range;
use std::path::{Path, PathBuf};

fn parse(language: Language, text: &str) -> Tree {
    with_parser(ParseLimits::default(), |parser| {
        parser.parse(language, text)
    })
    .unwrap()
}

/// Endings of the names of kinds that are statements, expressions or declarations.
const PIECES: [&str; 12] = [
    "statement",
    "expression",
    "declaration",
    "definition",
    "item",
    "call",
    "assignment",
    "invocation",
    "xx",
    "literal",
    "element",
    "pair",
];

/// The pieces of a file, each with its kind.
fn pieces<'t>(tree: &'t Tree, text: &str) -> Vec<(&'t str, Range<usize>)> {
    let mut found = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
        let is_piece = PIECES.iter().any(|piece| node.kind().ends_with(piece));
        if node.is_named()
            && is_piece
            && !node.kind().starts_with("type_param")
            && !node.kind().contains("closing")
            && !node.has_error()
        {
            found.push((node.kind(), range(node, text)));
        }
    }
    found
}

fn range(node: Node<'_>, text: &str) -> Range<usize> {
    node.start_byte()..node.start_byte() + text[node.byte_range()].trim_end().len()
}

/// A piece with its later lines moved left by the indentation of its first line.
fn dedented(text: &str, piece: &Range<usize>) -> String {
    let line = text[..piece.start].rsplit('\n').next().unwrap_or_default();
    let indent = &line[..line.len() - line.trim_start().len()];
    text[piece.clone()].replace(&format!("\n{indent}"), "\n")
}

/// Why a piece does not find itself; `None` where it does.
fn failure(language: Language, text: &str, tree: &Tree, piece: &Range<usize>) -> Option<String> {
    // The lines of a long string have no indentation to move.
    let raw = &text[piece.clone()];
    let as_is = Pattern::compile(language, raw, &Options::default());
    let finds = |pattern: &Pattern| {
        let found = pattern.search(text, tree);
        found.matches.iter().any(|found| found.range == *piece)
    };
    if as_is.is_ok_and(|pattern| finds(&pattern)) {
        return None;
    }
    let pattern = match Pattern::compile(language, &dedented(text, piece), &Options::default()) {
        Ok(pattern) => pattern,
        Err(error) => return Some(error.to_string()),
    };
    let found = pattern.search(text, tree);
    let itself = found.matches.iter().any(|found| found.range == *piece);
    let trees: String = pattern
        .readings()
        .iter()
        .map(|reading| reading.tree())
        .collect();
    (!itself).then(|| {
        format!(
            "found {:?}, read as\n{trees}",
            found.matches.iter().map(|m| &m.range).collect::<Vec<_>>()
        )
    })
}

fn snippets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/tests/snippets")
}

#[test]
fn every_piece_of_a_real_file_finds_itself() {
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(snippets()).unwrap() {
        let path = entry.unwrap().path();
        let language = Language::of_path(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let tree = parse(language, &text);
        for (kind, piece) in pieces(&tree, &text) {
            count += 1;
            if let Some(why) = failure(language, &text, &tree, &piece) {
                failures.push(format!("== {language} {kind}: {}\n{why}", &text[piece]));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {count} fail\n{}",
        failures.len(),
        failures.join("\n")
    );
}
