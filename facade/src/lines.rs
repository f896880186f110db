//! From byte offsets to lines and columns, counted in characters.

use crate::result::Place;

/// The byte order mark.
const BOM: char = '\u{feff}';

/// The lines of one text. Asking in rising order costs one look at each byte, however long the
/// lines are.
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// Where each line starts.
    starts: Vec<usize>,
    /// The last answer: on its line the count goes on from there.
    last: Place,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Lines<'t> {
        // A byte order mark is in no column.
        let mut starts = vec![if text.starts_with(BOM) {
            BOM.len_utf8()
        } else {
            0
        }];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        Lines {
            text,
            starts,
            last: Place {
                byte: 0,
                line: 1,
                column: 1,
            },
        }
    }

    /// The place of a byte; one inside a character or behind the end is moved back.
    pub(crate) fn place(&mut self, byte: usize) -> Place {
        let byte = self.text.floor_char_boundary(byte);
        let line = self.starts.partition_point(|start| *start <= byte).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or_default();
        let (from, column) = match self.last {
            last if last.line == line && (start..=byte).contains(&last.byte) => {
                (last.byte, last.column)
            }
            _ => (start.min(byte), 1),
        };
        let column = column + characters(&self.text.as_bytes()[from..byte]);
        self.last = Place { byte, line, column };
        self.last
    }

    /// The place where something ends; the next answers go on from where it began.
    pub(crate) fn end(&mut self, byte: usize) -> Place {
        let before = self.last;
        let place = self.place(byte);
        self.last = before;
        place
    }
}

/// How many characters UTF-8 bytes hold: all bytes but the continuing ones.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(lines: &mut Lines<'_>, byte: usize) -> (usize, usize) {
        let place = lines.place(byte);
        (place.line, place.column)
    }

    #[test]
    fn places_are_counted_in_characters() {
        let mut lines = Lines::new("aé𝄞b\n\nx");
        assert_eq!(at(&mut lines, 0), (1, 1));
        assert_eq!(at(&mut lines, 1), (1, 2));
        assert_eq!(at(&mut lines, 3), (1, 3));
        assert_eq!(at(&mut lines, 7), (1, 4));
        assert_eq!(at(&mut lines, 8), (1, 5));
        assert_eq!(at(&mut lines, 9), (2, 1));
        assert_eq!(at(&mut lines, 10), (3, 1));
        assert_eq!(at(&mut lines, 11), (3, 2));
        // Back again, behind the end, and inside a character.
        assert_eq!(at(&mut lines, 3), (1, 3));
        assert_eq!(at(&mut lines, 99), (3, 2));
        assert_eq!(at(&mut lines, 5), (1, 3));
    }

    #[test]
    fn a_byte_order_mark_is_in_no_column() {
        let mut lines = Lines::new("\u{feff}ab\nc");
        assert_eq!(at(&mut lines, 0), (1, 1));
        assert_eq!(at(&mut lines, 3), (1, 1));
        assert_eq!(at(&mut lines, 4), (1, 2));
        assert_eq!(at(&mut lines, 6), (2, 1));
        assert_eq!(lines.place(0).byte, 0);
    }

    #[test]
    fn an_end_does_not_move_the_start() {
        let mut lines = Lines::new("abcdef");
        lines.place(1);
        assert_eq!(lines.end(6).column, 7);
        assert_eq!(lines.place(2).column, 3);
        assert_eq!(Lines::new("").place(0).line, 1);
    }
}
