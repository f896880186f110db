//! Where in a file a name stands that is asked about without a line.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use fourfold_code_graph::extract::extract;
use fourfold_code_graph::facts::SymbolId;
use fourfold_syntax::{Language, ParseLimits, Tree, with_parser};

use crate::nearest::hint;
use crate::text::listed;
use crate::words::{is_word, whole};

/// The line, counted from 1, of a name: the first that declares it, else the first that mentions it
/// as a whole word. One in a comment or a string counts only if there is no other: servers know
/// nothing of those.
///
/// With `one`, a name that the file declares for several things is not guessed at.
///
/// # Errors
/// In words, when there is none; with `one`, when there are several.
pub(super) fn line_of_name(
    path: &Path,
    text: &str,
    name: &str,
    limits: ParseLimits,
    one: bool,
) -> Result<u32, String> {
    let mentions: Vec<Range<usize>> = match name {
        "" => Vec::new(),
        name => whole(text, name).collect(),
    };
    if mentions.is_empty() {
        let known: BTreeSet<&str> = text.split(|c| !is_word(c)).collect();
        return Err(format!(
            "no line of the file has `{name}` as a word{}; give the `line` it stands on",
            hint(name, known)
        ));
    }
    let parsed = parse(path, text, limits);
    let declared = parsed.as_ref().map(|parsed| declared(text, parsed, name));
    let declared = declared.unwrap_or_default();
    let things: BTreeSet<&str> = declared.iter().map(|(name, _)| name.as_str()).collect();
    if one && things.len() > 1 {
        let lines: Vec<String> = declared
            .iter()
            .map(|(name, line)| format!("{line} ({name})"))
            .collect();
        return Err(format!(
            "the file declares `{name}` for {} things, on the lines {}; give the `line` of the one \
             that is meant",
            things.len(),
            listed(&lines, LINES, 0)
        ));
    }
    if let Some((_, line)) = declared.first() {
        return Ok(*line);
    }
    let mut code = mentions
        .iter()
        .filter(|range| !is_prose(parsed.as_ref(), range));
    let first = code.next().or(mentions.first());
    Ok(first.map_or(1, |first| line_of(text, first)))
}

/// Lines that a sentence names.
const LINES: usize = 8;

/// What a file declares by this name: the qualified names with their lines.
fn declared(text: &str, (language, tree): &Parsed, name: &str) -> Vec<(String, u32)> {
    let Some(facts) = extract(*language, text, tree) else {
        return Vec::new();
    };
    let symbols = (0..).map(SymbolId).zip(&facts.symbols);
    let named = symbols.filter(|(_, symbol)| facts.name(symbol.name) == name);
    named
        .map(|(id, symbol)| (facts.qualified_name(id), symbol.name_row.saturating_add(1)))
        .collect()
}

/// The line, counted from 1, that first mentions a name as a whole word in code.
pub(super) fn mention_in_code(
    path: &Path,
    text: &str,
    name: &str,
    limits: ParseLimits,
) -> Option<u32> {
    if name.is_empty() {
        return None;
    }
    let mentions: Vec<Range<usize>> = whole(text, name).collect();
    if mentions.is_empty() {
        return None;
    }
    let parsed = parse(path, text, limits);
    let mut code = mentions
        .iter()
        .filter(|range| !is_prose(parsed.as_ref(), range));
    code.next().map(|mention| line_of(text, mention))
}

/// Whether another name can stand where one does: the code is the same with it, as far as that can be
/// told without its language's list of reserved words.
pub(super) fn can_be_named(
    path: &Path,
    text: &str,
    at: &Range<usize>,
    new: &str,
    limits: ParseLimits,
) -> bool {
    let (Some((_, tree)), Some(before), Some(after)) = (
        parse(path, text, limits),
        text.get(..at.start),
        text.get(at.end..),
    ) else {
        return true;
    };
    let Some((_, renamed)) = parse(path, &[before, new, after].concat(), limits) else {
        return true;
    };
    let whole = tree.root_node().descendant_for_byte_range(at.start, at.end);
    let now = renamed
        .root_node()
        .descendant_for_byte_range(at.start, at.start + new.len());
    let (Some(old), Some(now)) = (whole, now) else {
        return true;
    };
    old.kind_id() == now.kind_id()
        && old.start_byte() == now.start_byte()
        && text.len() - old.end_byte() == before.len() + new.len() + after.len() - now.end_byte()
}

fn line_of(text: &str, range: &Range<usize>) -> u32 {
    let before = text.get(..range.start).unwrap_or_default();
    let row = before.bytes().filter(|byte| *byte == b'\n').count();
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

/// A tree and its language.
type Parsed = (Language, Tree);

/// The tree of a text, where its language is known.
fn parse(path: &Path, text: &str, limits: ParseLimits) -> Option<Parsed> {
    let language = Language::of_path(path)?;
    let tree = with_parser(limits, |parser| parser.parse(language, text)).ok()?;
    Some((language, tree))
}

/// Whether a range lies in a comment or a string, as far as that can be told.
fn is_prose(parsed: Option<&Parsed>, range: &Range<usize>) -> bool {
    let node = parsed.and_then(|(_, tree)| {
        let root = tree.root_node();
        root.descendant_for_byte_range(range.start, range.end)
    });
    node.is_some_and(|node| node.kind().contains("comment") || node.kind().contains("string"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, text: &str, name: &str) -> Result<u32, String> {
        let limits = ParseLimits {
            max_bytes: 1 << 20,
            max_time: std::time::Duration::from_secs(10),
        };
        line_of_name(Path::new(path), text, name, limits, false)
    }

    #[test]
    fn code_comes_before_prose() {
        let text = "# Add\nx = \"Add\"\ndef Added(): pass\ndef Add(): pass\n";
        assert_eq!(line("a.py", text, "Add"), Ok(4));
        assert_eq!(line("a.unknown", text, "Add"), Ok(1));
        assert_eq!(line("a.py", "# Add\n", "Add"), Ok(1));
        assert_eq!(line("a.php", "<?php\n$xs = 1;\n$x = 2;\n", "$x"), Ok(3));
        let limits = ParseLimits {
            max_bytes: 1 << 20,
            max_time: std::time::Duration::from_secs(10),
        };
        let in_code = |text| mention_in_code(Path::new("a.py"), text, "Add", limits);
        assert_eq!(
            (in_code(text), in_code("# Add\n"), in_code("Added\n")),
            (Some(4), None, None)
        );
        assert_eq!(line("a.py", "\n\u{e9}t\u{e9} = 1", "\u{e9}t\u{e9}"), Ok(2));
    }

    #[test]
    fn what_declares_a_name_comes_before_what_mentions_it() {
        let text = "x = make()\n\ndef make(): pass\n";
        assert_eq!(line("a.py", text, "make"), Ok(3));
        // A second definition is the same thing, and another class has another one.
        let limits = ParseLimits {
            max_bytes: 1 << 20,
            max_time: std::time::Duration::from_secs(10),
        };
        let one = |text| line_of_name(Path::new("a.py"), text, "run", limits, true);
        assert_eq!(one("a.run()\ndef run(): pass\ndef run(): pass\n"), Ok(2));
        let two = "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n";
        assert_eq!(line("a.py", two, "run"), Ok(2));
        assert_eq!(
            one(two).unwrap_err(),
            "the file declares `run` for 2 things, on the lines 2 (A.run), 4 (B.run); give the \
             `line` of the one that is meant"
        );
    }

    #[test]
    fn what_is_no_name_cannot_stand_for_one() {
        let limits = ParseLimits {
            max_bytes: 1 << 20,
            max_time: std::time::Duration::from_secs(10),
        };
        let text = "def add(a): return a\nadd(1)\n";
        let can = |new| can_be_named(Path::new("a.py"), text, &(4..7), new, limits);
        assert!(can("plus") && can("\u{e9}t\u{e9}"));
        for new in ["1bad name", "two words", "a.b", "", "a-b", "a(", "#x"] {
            assert!(!can(new), "{new}");
        }
    }

    #[test]
    fn the_nearest_word_is_said() {
        assert_eq!(
            line("a.py", "total = 1\n", "totla").unwrap_err(),
            "no line of the file has `totla` as a word; the nearest is `total`; give the `line` it \
             stands on"
        );
    }
}
