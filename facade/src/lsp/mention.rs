//! The first mention of a name in a text.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use fourfold_syntax::{Language, ParseLimits, with_parser};

use crate::nearest::hint;

/// The line, counted from 1, that first mentions a name as a whole word. One in a comment or a string
/// counts only if there is no other: servers know nothing of those.
///
/// # Errors
/// In words, when there is none.
pub(super) fn first_mention(
    path: &Path,
    text: &str,
    name: &str,
    limits: ParseLimits,
) -> Result<u32, String> {
    let mentions: Vec<Range<usize>> = match name {
        "" => Vec::new(),
        name => whole(text, name).collect(),
    };
    let prose = prose(path, text, &mentions, limits);
    let code = mentions.iter().zip(&prose).find(|(_, prose)| !**prose);
    let first = code.map(|(mention, _)| mention).or(mentions.first());
    let Some(first) = first else {
        let known: BTreeSet<&str> = text.split(|c| !is_word(c)).collect();
        return Err(format!(
            "no line of the file has `{name}` as a word{}; give the `line` it stands on",
            hint(name, known)
        ));
    };
    let before = text.get(..first.start).unwrap_or_default();
    let row = before.bytes().filter(|byte| *byte == b'\n').count();
    Ok(u32::try_from(row + 1).unwrap_or(u32::MAX))
}

/// Where a name stands that is no part of a longer word.
fn whole<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let found = text
        .match_indices(name)
        .map(|(at, name)| at..at + name.len());
    found.filter(move |range| {
        let before = text
            .get(..range.start)
            .and_then(|text| text.chars().next_back());
        let after = text.get(range.end..).and_then(|text| text.chars().next());
        let apart = |outside: Option<char>, edge: Option<char>| {
            !outside.is_some_and(is_word) || !edge.is_some_and(is_word)
        };
        apart(before, name.chars().next()) && apart(after, name.chars().next_back())
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Which of these ranges lie in a comment or a string; none of them when that cannot be told.
fn prose(path: &Path, text: &str, ranges: &[Range<usize>], limits: ParseLimits) -> Vec<bool> {
    let parsed = Language::of_path(path)
        .and_then(|language| with_parser(limits, |parser| parser.parse(language, text)).ok());
    let is_prose = |range: &Range<usize>| {
        let root = parsed.as_ref()?.root_node();
        let node = root.descendant_for_byte_range(range.start, range.end)?;
        let kind = node.kind();
        Some(kind.contains("comment") || kind.contains("string"))
    };
    let all = ranges.iter();
    all.map(|range| is_prose(range).unwrap_or_default())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, text: &str, name: &str) -> Result<u32, String> {
        let limits = ParseLimits {
            max_bytes: 1 << 20,
            max_time: std::time::Duration::from_secs(10),
        };
        first_mention(Path::new(path), text, name, limits)
    }

    #[test]
    fn code_comes_before_prose() {
        let text = "# Add\nx = \"Add\"\ndef Added(): pass\ndef Add(): pass\n";
        assert_eq!(line("a.py", text, "Add"), Ok(4));
        assert_eq!(line("a.unknown", text, "Add"), Ok(1));
        assert_eq!(line("a.py", "# Add\n", "Add"), Ok(1));
        assert_eq!(line("a.php", "<?php\n$xs = 1;\n$x = 2;\n", "$x"), Ok(3));
        assert_eq!(line("a.py", "\n\u{e9}t\u{e9} = 1", "\u{e9}t\u{e9}"), Ok(2));
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
