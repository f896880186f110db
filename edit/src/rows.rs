//! Where the rows of a text start.

use std::ops::Range;

/// The rows of a text, counted from 0. LF ends a row, and CR does where a text has no LF at all.
pub(crate) struct Rows<'t> {
    text: &'t [u8],
    starts: Vec<usize>,
}

impl<'t> Rows<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        let newline = if memchr::memchr(b'\n', text).is_some() {
            b'\n'
        } else {
            b'\r'
        };
        let ends = memchr::memchr_iter(newline, text).map(|at| at + 1);
        let starts = std::iter::once(0)
            .chain(ends)
            .filter(|start| *start < text.len())
            .collect();
        Self { text, starts }
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The row that the byte `at` is on; behind the end, the last one.
    pub(crate) fn of(&self, at: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= at)
            .saturating_sub(1)
    }

    /// The line of the byte `at`, counted from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        self.of(at) + 1
    }

    /// The bytes of a row, its end included.
    pub(crate) fn range(&self, row: usize) -> Range<usize> {
        let end = |row: usize| self.starts.get(row).copied().unwrap_or(self.text.len());
        end(row)..end(row + 1)
    }

    /// What stands on a row, its end and the blanks before that left out.
    pub(crate) fn content(&self, row: usize) -> &'t [u8] {
        self.text
            .get(self.range(row))
            .unwrap_or_default()
            .trim_ascii_end()
    }

    /// The row as it stands, its end included.
    pub(crate) fn whole(&self, row: usize) -> &'t [u8] {
        self.text.get(self.range(row)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_with_lf_or_where_there_is_none_with_cr() {
        let rows = Rows::new(b"a\r\nb\rc\n\nd");
        assert_eq!(rows.count(), 4);
        assert_eq!(rows.whole(0), b"a\r\n");
        assert_eq!(rows.content(1), b"b\rc");
        assert_eq!(
            (rows.line(0), rows.line(5), rows.line(7), rows.line(99)),
            (1, 2, 3, 4)
        );
        assert_eq!(Rows::new(b"a\rb\r").count(), 2);
        assert_eq!((Rows::new(b"").count(), Rows::new(b"").line(0)), (0, 1));
    }
}
