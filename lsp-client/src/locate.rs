//! A place named as people name it: a line, and a symbol on it.

use std::ops::Range;

use crate::Point;
use crate::position::LineIndex;

/// What is shown of a line, in bytes.
const SHOWN_BYTES: usize = 160;
/// How many places an ambiguous symbol is shown at.
const CANDIDATES: usize = 8;
/// What is shown before and behind a place, in bytes.
const AROUND_BYTES: usize = 24;

/// Finds `symbol` on a line, counted from 1, of a text.
///
/// `name#2` is the second occurrence of `name` on the line. Whole words come first: only when
/// there is none, the symbol is looked for inside of words. Of a path such as `Vec::new` or
/// `os.path.join` the last name is meant.
///
/// # Errors
///
/// When there is no such line, the symbol is not on it, or it is there more than once and the
/// occurrence is not said.
///
/// ```
/// use fourfold_lsp_client::{Point, locate};
/// # fn main() -> Result<(), fourfold_lsp_client::LocateError> {
/// let text = "fn add(a: u32) -> u32 {\n    a + a\n}\n";
/// assert_eq!(locate(text, 1, "add")?, Point { line: 0, column: 3 });
/// assert_eq!(locate(text, 2, "a#2")?, Point { line: 1, column: 8 });
/// # Ok(())
/// # }
/// ```
pub fn locate(text: &str, line: u32, symbol: &str) -> Result<Point, LocateError> {
    let index = LineIndex::new(text);
    let (name, occurrence) = split(symbol)?;
    let row = line.checked_sub(1);
    let read = row.and_then(|row| Some((row, index.line(text, row)?)));
    let Some((row, read)) = read else {
        return Err(LocateError::NoLine {
            line,
            lines: index.count() - usize::from(index.count() > 1 && text.ends_with(['\n', '\r'])),
        });
    };
    let found = occurrences(read, name);
    let at = match (occurrence, found.as_slice()) {
        (_, []) => {
            return Err(LocateError::NotOnLine {
                symbol: name.to_owned(),
                line,
                reads: shown(read),
                nearest: nearest(&index, text, row, name),
            });
        }
        (None, [one]) => *one,
        (None, many) => {
            return Err(LocateError::Ambiguous {
                symbol: name.to_owned(),
                line,
                count: many.len(),
                candidates: candidates(read, name, many),
            });
        }
        (Some(number), found) => match number.checked_sub(1).and_then(|number| found.get(number)) {
            Some(at) => *at,
            None => {
                return Err(LocateError::NoSuchOccurrence {
                    symbol: name.to_owned(),
                    line,
                    number,
                    count: found.len(),
                    candidates: candidates(read, name, found),
                });
            }
        },
    };
    let start = index.offset(
        text,
        Point {
            line: row,
            column: 0,
        },
    );
    Ok(index.point(text, start + at + last_name(name)))
}

/// Why a symbol was not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// It names nothing.
    #[error("looking for a symbol: it is empty; say the name that stands on the line")]
    Empty,
    /// There is no such line.
    #[error("there is no line {line}: the last one is {lines} and the first is 1")]
    NoLine {
        /// The line, from 1.
        line: u32,
        /// The last line, from 1; what follows the last line end is none when it is empty.
        lines: usize,
    },
    /// The symbol is not on the line.
    #[error(
        "no \"{symbol}\" on line {line}; the line reads \"{reads}\"; {}",
        match .nearest {
            Some(nearest) => format!("the nearest line that has it is {nearest}"),
            None => "no other line of the file has it".to_owned(),
        }
    )]
    NotOnLine {
        /// The symbol without the number of the occurrence.
        symbol: String,
        /// The line, from 1.
        line: u32,
        /// The beginning of what it reads.
        reads: String,
        /// The nearest line that has it, from 1: as a whole word, if any has it so.
        nearest: Option<u32>,
    },
    /// It is there more than once.
    #[error(
        "line {line} has \"{symbol}\" {count} times; say which one is meant:{}",
        .candidates.concat()
    )]
    Ambiguous {
        /// The symbol.
        symbol: String,
        /// The line, from 1.
        line: u32,
        /// How often it is there.
        count: usize,
        /// How to say the first of them, each with what stands around it, one per line.
        candidates: Vec<String>,
    },
    /// It is not there so often.
    #[error(
        "no occurrence {number} of \"{symbol}\" on line {line}, which has {count}:{}",
        .candidates.concat()
    )]
    NoSuchOccurrence {
        /// The symbol.
        symbol: String,
        /// The line, from 1.
        line: u32,
        /// Which one was asked for.
        number: usize,
        /// How often it is there.
        count: usize,
        /// As in [`Ambiguous`](LocateError::Ambiguous).
        candidates: Vec<String>,
    },
}

/// The name, and which occurrence of it is meant.
fn split(symbol: &str) -> Result<(&str, Option<usize>), LocateError> {
    let symbol = symbol.trim();
    if symbol.is_empty() {
        return Err(LocateError::Empty);
    }
    if let Some((name, number)) = symbol.rsplit_once('#')
        && !name.trim().is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(number) = number.parse()
    {
        return Ok((name.trim(), Some(number)));
    }
    Ok((symbol, None))
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// Where a name is on a line, in bytes: as a whole word, or, when it is nowhere one, at all.
fn occurrences(line: &str, name: &str) -> Vec<usize> {
    let all: Vec<usize> = line.match_indices(name).map(|(at, _)| at).collect();
    let whole: Vec<usize> = all
        .iter()
        .copied()
        .filter(|at| is_whole(line, name, *at))
        .collect();
    if whole.is_empty() { all } else { whole }
}

fn is_whole(line: &str, name: &str, at: usize) -> bool {
    let goes_on = |inside: Option<char>, outside: Option<char>| {
        inside.is_some_and(is_word) && outside.is_some_and(is_word)
    };
    let before = line.get(..at).and_then(|before| before.chars().next_back());
    let behind = line
        .get(at + name.len()..)
        .and_then(|behind| behind.chars().next());
    !goes_on(name.chars().next(), before) && !goes_on(name.chars().next_back(), behind)
}

/// Where the last name of the path begins that a symbol is or begins with: `push` of
/// `self.items.push(x)`, `Vec` of `Vec<u8>`.
fn last_name(symbol: &str) -> usize {
    const BETWEEN: [&str; 7] = ["::", "->", "?.", "!.", ".", "#", "\\"];
    let (mut last, mut at) = (0, 0);
    loop {
        let rest = symbol.get(at..).unwrap_or_default();
        let name = rest
            .find(|character| !is_word(character))
            .unwrap_or(rest.len());
        if name > 0 {
            last = at;
        }
        at += name;
        let rest = rest.get(name..).unwrap_or_default();
        let goes_on = BETWEEN.iter().find(|between| {
            let behind = rest.strip_prefix(**between);
            behind.is_some_and(|behind| behind.starts_with(is_word))
        });
        match goes_on {
            Some(between) => at += between.len(),
            None => return last,
        }
    }
}

/// The nearest other line, from 1, that has a name: as a whole word, else inside of one.
fn nearest(index: &LineIndex, text: &str, row: u32, name: &str) -> Option<u32> {
    let mut inside = None;
    for distance in 1..=u32::try_from(index.count()).unwrap_or(u32::MAX) {
        let both = [row.checked_sub(distance), row.checked_add(distance)];
        for row in both.into_iter().flatten() {
            let Some(line) = index.line(text, row) else {
                continue;
            };
            let mut all = line.match_indices(name).map(|(at, _)| at).peekable();
            if all.peek().is_some() {
                inside = inside.or(Some(row + 1));
            }
            if all.any(|at| is_whole(line, name, at)) {
                return Some(row + 1);
            }
        }
    }
    inside
}

/// How to say each occurrence, and what stands around it.
fn candidates(line: &str, name: &str, found: &[usize]) -> Vec<String> {
    let number = found.iter().enumerate().take(CANDIDATES);
    let mut told: Vec<String> = number
        .map(|(number, at)| {
            let (start, end) = (*at, at + name.len());
            let before = line.floor_char_boundary(start.saturating_sub(AROUND_BYTES));
            let behind = line.floor_char_boundary(end + AROUND_BYTES);
            let part = |range: Range<usize>| line.get(range).unwrap_or_default();
            let before = part(before..start).trim_start();
            let behind = part(end..behind).trim_end();
            format!("\n  {name}#{}: {before}«{name}»{behind}", number + 1)
        })
        .collect();
    if found.len() > CANDIDATES {
        told.push(format!("\n  and {} more", found.len() - CANDIDATES));
    }
    told
}

/// The beginning of a line, without the blanks around it.
fn shown(line: &str) -> String {
    let line = line.trim();
    let end = line.floor_char_boundary(SHOWN_BYTES);
    match line.get(..end) {
        Some(cut) if cut.len() < line.len() => format!("{cut}…"),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
