//! Every grammar loads and reads idiomatic code without an error.

use crate::parse;
use fourfold_syntax::{FileSummary, Language, Tree};
use std::path::{Path, PathBuf};

pub(crate) fn snippet_of(language: Language) -> (PathBuf, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snippets");
    let path = folder.join(format!("{}.{}", language.id(), language.extensions()[0]));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    (path, text)
}

/// Line and source line of each error or missing token.
fn mistakes(tree: &Tree, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            let row = node.start_position().row;
            let line = text.lines().nth(row).unwrap_or_default();
            found.push(format!("{} {}: {line}", node.kind(), row + 1));
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

#[test]
fn every_grammar_reads_its_snippet_without_an_error() {
    let mut failures = Vec::new();
    for language in Language::all() {
        let (path, text) = snippet_of(language);
        assert!(
            text.lines().count() >= 15,
            "{} is too short",
            path.display()
        );
        assert_eq!(Language::of_path(&path), Some(language));
        let tree = parse(language, &text).unwrap();
        failures.extend(
            mistakes(&tree, &text)
                .into_iter()
                .map(|mistake| format!("{language}: {mistake}")),
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_broken_snippet_has_a_tree_all_the_same() {
    for language in Language::all() {
        let (_, text) = snippet_of(language);
        let mut middle = text.len() / 2;
        while !text.is_char_boundary(middle) {
            middle += 1;
        }
        let broken = format!("{}\u{1}<<({{[\"{}", &text[..middle], &text[middle..]);
        let tree = parse(language, &broken).unwrap();
        let end = tree.root_node().end_byte();
        if language.id() == "yaml" {
            assert!(
                end < broken.len(),
                "the limit of the YAML grammar is gone: tell the docs"
            );
        } else {
            assert_eq!(end, broken.len(), "{language}");
        }
        assert!(tree.root_node().has_error(), "{language}");
    }
}

#[test]
fn a_summary_admits_every_name_of_its_snippet() {
    for language in Language::all() {
        let (_, text) = snippet_of(language);
        let tree = parse(language, &text).unwrap();
        let summary = FileSummary::new(language, &text, &tree);
        let mut cursor = tree.walk();
        let mut names = 0;
        'walk: loop {
            let node = cursor.node();
            if cursor.goto_first_child() {
                continue;
            }
            let token = &text[node.byte_range()];
            let is_word = token.chars().all(|c| c.is_alphanumeric() || c == '_');
            if node.is_named() && is_word {
                names += 1;
                assert!(summary.may_contain_identifier(token), "{language}: {token}");
                assert!(
                    summary.may_contain_kind(node.kind()),
                    "{language}: {}",
                    node.kind()
                );
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
            }
        }
        assert!(names >= 10, "{language}: {names}");
        let size = summary.to_bytes().len();
        assert!(size < 500, "{language}: {size} bytes");
    }
}
