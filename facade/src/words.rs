//! Words in a text: names that are no part of a longer one.

use std::ops::Range;

/// Where a name stands that is no part of a longer word.
pub(crate) fn whole<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
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

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
