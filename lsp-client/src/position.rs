//! Positions: ours count bytes of a line, the protocol's count units of an agreed encoding.

use std::ops;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{Point, Span};

/// Editors take the byte-order mark for a property of the file, not for text, and servers expect
/// documents without it.
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// The text of a file as a server gets it: without a byte-order mark. [`LineIndex`] counts the
/// protocol's columns in this text and ours in the file's.
pub(crate) fn as_sent(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// What a column of the protocol counts. A server names it in its answer to `initialize`; one that
/// names nothing counts in UTF-16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units: two for a character outside of the basic plane, such as an emoji.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// The encoding that a server names so; `None` for a name we did not offer.
    pub(crate) fn from_name(name: &str) -> Option<Encoding> {
        match name {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            "utf-32" => Some(Encoding::Utf32),
            _ => None,
        }
    }

    /// How many units a character takes.
    fn units(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }

    /// How many units a text takes.
    fn length(self, text: &str) -> usize {
        if self == Encoding::Utf8 || text.is_ascii() {
            return text.len();
        }
        text.chars().map(|character| self.units(character)).sum()
    }

    /// How many bytes the first `units` units of a text take: those of whole characters only, and
    /// at most the text.
    fn bytes(self, text: &str, units: usize) -> usize {
        if self == Encoding::Utf8 || text.is_ascii() {
            return text.floor_char_boundary(units.min(text.len()));
        }
        let mut left = units;
        for (at, character) in text.char_indices() {
            match left.checked_sub(self.units(character)) {
                Some(rest) => left = rest,
                None => return at,
            }
        }
        text.len()
    }
}

/// A position as the protocol writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Position {
    /// Line from 0.
    #[serde(deserialize_with = "coordinate")]
    pub(crate) line: u32,
    /// Units of the agreed encoding before it, from 0.
    #[serde(deserialize_with = "coordinate")]
    pub(crate) character: u32,
}

/// A range as the protocol writes it, end exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Range {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

/// Servers write -1 for "unknown", the largest integer for "the end", and whole numbers as floats.
fn coordinate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    // A cast from f64 saturates at both ends, and every u32 is exact in one.
    Ok(number.as_f64().unwrap_or_default() as u32)
}

/// Where the lines of one text begin. `\n`, `\r\n` and a lone `\r` end a line, nothing else does.
///
/// It holds no text: each method gets the one that it was made of. Whatever is asked for is
/// answered with the nearest place that exists, as the protocol wants it: a column behind the end
/// of a line means its end (before the characters that end it), a line behind the last one means
/// the end of the text, and a place inside of a character means its beginning.
#[derive(Clone, Debug)]
pub(crate) struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    pub(crate) fn new(text: &str) -> LineIndex {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends = match byte {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends {
                starts.push(at + 1);
            }
        }
        LineIndex { starts }
    }

    /// How many lines there are: one more than line ends.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// A line without what ends it; `None` behind the last one.
    pub(crate) fn line<'t>(&self, text: &'t str, line: u32) -> Option<&'t str> {
        text.get(self.range(text, line)?)
    }

    /// The bytes of a line without what ends it.
    fn range(&self, text: &str, line: u32) -> Option<ops::Range<usize>> {
        let line = usize::try_from(line).ok()?;
        let start = *self.starts.get(line)?;
        let Some(&next) = self.starts.get(line + 1) else {
            return Some(start..text.len());
        };
        let whole = text.get(start..next)?;
        let line = whole
            .strip_suffix("\r\n")
            .or_else(|| whole.strip_suffix(['\n', '\r']))
            .unwrap_or(whole);
        Some(start..start + line.len())
    }

    /// The byte that a point stands at.
    pub(crate) fn offset(&self, text: &str, point: Point) -> usize {
        let Some(line) = self.range(text, point.line) else {
            return text.len();
        };
        let at = line.start.saturating_add(size(point.column));
        text.floor_char_boundary(at.min(line.end))
    }

    /// The point of a byte. One between `\r` and `\n` is moved in front of both.
    pub(crate) fn point(&self, text: &str, offset: usize) -> Point {
        let offset = text.floor_char_boundary(offset.min(text.len()));
        let line = number(self.starts.partition_point(|start| *start <= offset) - 1);
        let column = match self.range(text, line) {
            Some(range) => offset.min(range.end) - range.start,
            None => 0,
        };
        Point {
            line,
            column: number(column),
        }
    }

    pub(crate) fn to_position(&self, text: &str, point: Point, encoding: Encoding) -> Position {
        let offset = self.offset(text, point);
        let line = self.point(text, offset).line;
        let before = self
            .range(text, line)
            .and_then(|range| text.get(range.start..offset))
            .unwrap_or_default();
        let before = if line == 0 { as_sent(before) } else { before };
        Position {
            line,
            character: number(encoding.length(before)),
        }
    }

    pub(crate) fn to_point(&self, text: &str, at: Position, encoding: Encoding) -> Point {
        let Some(line) = self.line(text, at.line) else {
            return self.point(text, text.len());
        };
        let sent = if at.line == 0 { as_sent(line) } else { line };
        let mark = line.len() - sent.len();
        Point {
            line: at.line,
            column: number(mark + encoding.bytes(sent, size(at.character))),
        }
    }

    pub(crate) fn to_range(&self, text: &str, span: Span, encoding: Encoding) -> Range {
        Range {
            start: self.to_position(text, span.start, encoding),
            end: self.to_position(text, span.end, encoding),
        }
    }

    /// A range that ends before it starts becomes an empty one.
    pub(crate) fn to_span(&self, text: &str, range: Range, encoding: Encoding) -> Span {
        let start = self.to_point(text, range.start, encoding);
        let end = self.to_point(text, range.end, encoding);
        Span {
            start,
            end: end.max(start),
        }
    }
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn number(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
