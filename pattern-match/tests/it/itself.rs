//! A fragment cut out of a real file, used as its own pattern, finds itself there.

use fourfold_pattern_match::{Options, Pattern, Reading};
use fourfold_syntax::{Language, Node, ParseLimits, Tree, with_parser};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Ends of the names of kinds that are statements, expressions, declarations or parts of them.
const PIECES: [&str; 17] = [
    "statement",
    "expression",
    "declaration",
    "definition",
    "item",
    "call",
    "assignment",
    "invocation",
    "literal",
    "element",
    "pair",
    "arm",
    "else_clause",
    "elif_clause",
    "catch_clause",
    "except_clause",
    "finally_clause",
];

/// Pieces that are no fragment a person would search for, or none that can be told without what
/// stands around it, by language and kind; `*` is every language.
const APART: &[(&str, &str, &str)] = &[
    (
        "bash",
        "binary_expression",
        "what `[[ ]]` and `$(( ))` hold is read as a command outside them",
    ),
    (
        "bash",
        "unary_expression",
        "what `[[ ]]` holds is read as a command outside it",
    ),
    (
        "cpp",
        "type_parameter_declaration",
        "a template's parameter",
    ),
    (
        "cpp",
        "variadic_type_parameter_declaration",
        "a template's parameter",
    ),
    (
        "dart",
        "cascade_call_expression",
        "a call without the `..` before it is a call",
    ),
    (
        "go",
        "receive_statement",
        "only a `case` of a `select` receives without being an assignment",
    ),
    ("go", "type_parameter_declaration", "a type's parameter"),
    ("jsx", "jsx_closing_element", "an end tag alone"),
    ("tsx", "jsx_closing_element", "an end tag alone"),
    (
        "kotlin",
        "multi_variable_declaration",
        "the names that `val` or `for` takes apart",
    ),
    (
        "kotlin",
        "variable_declaration",
        "a name with its type is read as a parameter",
    ),
    (
        "kotlin",
        "constructor_invocation",
        "the call of a supertype's constructor is read as a call",
    ),
    (
        "lua",
        "method_index_expression",
        "a method that is not called",
    ),
    (
        "lua",
        "assignment_statement",
        "an attribute that only `local` gives",
    ),
    (
        "php",
        "sequence_expression",
        "what a `for` or `echo` has between commas",
    ),
    (
        "php",
        "pair",
        "what a `foreach` gives names to is read as an item of an array",
    ),
    ("php", "const_element", "a constant without its `const`"),
    (
        "python",
        "generator_expression",
        "the parentheses around a lone argument are the call's",
    ),
    (
        "ruby",
        "body_statement",
        "the text of a heredoc stands apart from its code",
    ),
];

fn parse(language: Language, text: &str) -> Tree {
    with_parser(ParseLimits::default(), |parser| {
        parser.parse(language, text)
    })
    .unwrap()
}

/// A piece of a file.
struct Piece {
    kind: &'static str,
    range: Range<usize>,
}

/// The pieces of a file, in no order.
fn pieces(language: Language, tree: &Tree, text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
        let kind = language
            .grammar()
            .node_kind_for_id(node.kind_id())
            .unwrap_or_default();
        let is_piece = PIECES.iter().any(|piece| kind.ends_with(piece));
        if node.is_named() && is_piece && !node.has_error() && !node.byte_range().is_empty() {
            let range = range(node, text);
            if &text[range.clone()] != ";" {
                found.push(Piece { kind, range });
            }
        }
    }
    found
}

/// The bytes of a node, without the line end that some grammars count to it.
fn range(node: Node<'_>, text: &str) -> Range<usize> {
    let start = node.start_byte();
    start..start + text[node.byte_range()].trim_end().len()
}

/// A piece as a person would paste it: its later lines moved left by the indentation of its
/// line, or, where a line begins with the sign of a list, to where the piece itself begins.
fn dedented(language: Language, text: &str, piece: &Range<usize>) -> String {
    let line = text[..piece.start].rsplit('\n').next().unwrap_or_default();
    let indent = match language.id() {
        "yaml" => " ".repeat(line.len()),
        _ => line[..line.len() - line.trim_start().len()].to_owned(),
    };
    text[piece.clone()].replace(&format!("\n{indent}"), "\n")
}

/// Why a piece does not find itself; `None` where it does.
fn failure(language: Language, text: &str, tree: &Tree, piece: &Piece) -> Option<String> {
    let raw = text[piece.range.clone()].to_owned();
    let dedented = dedented(language, text, &piece.range);
    let mut why = String::new();
    // The lines of a long string have no indentation to move.
    for fragment in [raw, dedented] {
        why = match Pattern::compile(language, &fragment, &Options::default()) {
            Err(error) => error.to_string(),
            Ok(pattern) => {
                let found = pattern.search(text, tree);
                if found.matches.iter().any(|found| found.range == piece.range) {
                    return None;
                }
                let readings = pattern.readings().iter();
                readings.map(Reading::tree).collect()
            }
        };
    }
    Some(why)
}

/// Those of the pieces that do not find themselves, and are not known to be apart.
/// The longest pattern, in bytes, unless another limit is set.
const LONGEST: usize = 16 << 10;

fn failures(
    path: &Path,
    every: usize,
    apart: &mut BTreeSet<usize>,
    count: &mut usize,
) -> Vec<String> {
    let language = Language::of_path(path).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let tree = parse(language, &text);
    let mut failures = Vec::new();
    for piece in pieces(language, &tree, &text).iter().step_by(every) {
        // A pattern has a longest length; what is longer is refused, and says so.
        if piece.range.len() > LONGEST {
            continue;
        }
        let known = APART
            .iter()
            .position(|(id, kind, _)| (*id == "*" || *id == language.id()) && *kind == piece.kind);
        *count += 1;
        let Some(why) = failure(language, &text, &tree, piece) else {
            continue;
        };
        match known {
            Some(known) => {
                apart.insert(known);
            }
            None => failures.push(format!(
                "== {} {}: {}\n{why}",
                path.display(),
                piece.kind,
                &text[piece.range.clone()]
            )),
        }
    }
    failures
}

/// The files with one of the endings in a folder and those inside it, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn check(files: &[PathBuf], every: usize, fewest: usize) -> BTreeSet<usize> {
    let mut apart = BTreeSet::new();
    let mut count = 0;
    let failures: Vec<String> = files
        .iter()
        .flat_map(|file| failures(file, every, &mut apart, &mut count))
        .collect();
    assert!(count >= fewest, "only {count} pieces");
    assert!(
        failures.is_empty(),
        "{} of {count} pieces do not find themselves\n{}",
        failures.len(),
        failures.join("\n")
    );
    apart
}

#[test]
fn every_piece_of_a_snippet_of_every_language_finds_itself() {
    let apart = check(&files(&workspace().join("syntax/tests/snippets")), 1, 1_500);
    for (at, (language, kind, why)) in APART.iter().enumerate() {
        assert!(
            apart.contains(&at),
            "{language} {kind} is not apart any more: {why}"
        );
    }
}

#[test]
fn pieces_of_the_sources_of_this_workspace_find_themselves() {
    let crates = std::fs::read_dir(workspace()).unwrap();
    let sources = crates.map(|entry| entry.unwrap().path().join("src"));
    let sources: Vec<PathBuf> = sources
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| files(&folder))
        .filter(|file| file.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    let every = match std::env::var_os("FOURFOLD_LONG") {
        Some(_) => 97,
        None => 389,
    };
    check(&sources, every, 300);
}
