//! Which line of a text became which line of another.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::rows::Rows;

/// Where the lines of a text are in another text that was made of it, and which lines of that are
/// new. Lines are rows here: counted from 0, as servers and parsers count them.
///
/// ```
/// use fourfold_edit::LineMap;
///
/// let map = LineMap::between(b"one\ntwo\nthree\n", b"zero\none\nthree\n");
/// assert_eq!(map.to_new(0), Some(1));
/// assert_eq!(map.to_new(1), None);
/// assert_eq!(map.to_new(2), Some(2));
/// // One row came at the top; between rows 1 and 2 something went.
/// assert_eq!(map.edited_rows(), [0..1, 2..2]);
/// assert_eq!((map.added(), map.removed()), (1, 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMap {
    /// Runs of lines that are the same: first row before, first row after, how many.
    kept: Vec<(usize, usize, usize)>,
    edited: Vec<Range<usize>>,
    added: usize,
    removed: usize,
}

impl LineMap {
    /// The map from `old` to `new`. A line is the same if all its bytes are, its end included.
    ///
    /// Costs one look at each line that the beginnings or the ends of the texts have in common. For
    /// very different texts the map may call lines edited that could have been found again.
    pub fn between(old: &[u8], new: &[u8]) -> Self {
        let lines = |text| -> Vec<&[u8]> {
            let rows = Rows::new(text);
            (0..rows.count()).map(|row| rows.whole(row)).collect()
        };
        let (old, new) = (lines(old), lines(new));
        let mut map = Self {
            kept: Vec::new(),
            edited: Vec::new(),
            added: 0,
            removed: 0,
        };
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
            {
                map.kept.push((old_index, new_index, len));
                continue;
            }
            let rows = op.new_range();
            map.added += rows.len();
            map.removed += op.old_range().len();
            match map.edited.last_mut().filter(|last| last.end == rows.start) {
                Some(last) => last.end = rows.end,
                None => map.edited.push(rows),
            }
        }
        map
    }

    /// The row after the change of the row `old`; `None` if the line was changed or taken away.
    pub fn to_new(&self, old: usize) -> Option<usize> {
        let next = self.kept.partition_point(|(first, _, _)| *first <= old);
        let (first, new, len) = self.kept.get(next.checked_sub(1)?)?;
        (old - first < *len).then(|| new + (old - first))
    }

    /// The rows of the new text that are not as they were, in ascending order and apart from one
    /// another. An empty range: lines were taken away in front of that row.
    pub fn edited_rows(&self) -> &[Range<usize>] {
        &self.edited
    }

    /// How many lines the new text has that the old one has not; a changed line counts.
    pub fn added(&self) -> usize {
        self.added
    }

    /// How many lines the old text has that the new one has not; a changed line counts.
    pub fn removed(&self) -> usize {
        self.removed
    }
}
