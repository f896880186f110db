//! Lines of source files around a place.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::result::SourceLine;

/// Files beyond this are not read for a few lines.
const FILE_BYTES: u64 = 8 << 20;

/// Longest line that is shown, in characters.
const LINE_LENGTH: usize = 200;

/// The text of a source file; nothing when it is not there, no text, or too large.
pub(crate) fn read(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.len() > FILE_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// `count` lines of a text, `line` (from 1) in the middle.
pub(crate) fn around(text: &str, line: u32, count: usize) -> Vec<SourceLine> {
    let before = (count.saturating_sub(1) / 2) as u32;
    let first = line.saturating_sub(before).max(1);
    text.lines()
        .zip(1u32..)
        .skip(first as usize - 1)
        .take(count)
        .map(|(text, number)| SourceLine {
            number,
            text: text.chars().take(LINE_LENGTH).collect(),
            current: number == line,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_in_the_middle_where_it_can_be() {
        let numbers = |line| -> Vec<_> {
            let found = around("1\n2\n3\n4\n5\n6\n7", line, 5);
            found
                .iter()
                .map(|line| (line.number, line.current))
                .collect()
        };
        assert_eq!(
            numbers(4),
            [(2, false), (3, false), (4, true), (5, false), (6, false)]
        );
        assert_eq!(numbers(1).len(), 5);
        assert_eq!(numbers(7), [(5, false), (6, false), (7, true)]);
        assert_eq!(numbers(99), []);
    }
}
