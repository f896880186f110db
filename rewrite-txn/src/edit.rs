//! Byte edits to one file: the plain data that a caller hands over, its check and its application.

use std::ops::Range;
use std::path::Path;

use crate::Error;

/// One replacement in a file: the bytes in `range` become `replacement`.
///
/// An empty range inserts, an empty replacement deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Byte offsets into the captured content, end exclusive.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub replacement: Vec<u8>,
    /// The caller's own name for the site this edit belongs to; several edits may share one. It is
    /// what [`Staged::without`](crate::Staged::without) takes to leave a site out, and it is
    /// never interpreted.
    pub site: Option<String>,
}

impl Edit {
    /// An edit that belongs to no named site.
    pub fn new(range: Range<usize>, replacement: impl Into<Vec<u8>>) -> Self {
        Self {
            range,
            replacement: replacement.into(),
            site: None,
        }
    }

    /// The same edit as part of the site `site`.
    #[must_use]
    pub fn at_site(mut self, site: impl Into<String>) -> Self {
        self.site = Some(site.into());
        self
    }
}

/// Checks that `edits` are in order, apart from one another and inside `len` bytes. Two edits may
/// touch (one ends where the next starts), two insertions at one place may not: their order would
/// be a guess.
pub(crate) fn check(path: &Path, len: usize, edits: &[Edit]) -> Result<(), Error> {
    for edit in edits {
        if edit.range.start > edit.range.end || edit.range.end > len {
            return Err(Error::EditOutOfRange {
                path: path.to_path_buf(),
                range: edit.range.clone(),
                len,
            });
        }
    }
    for pair in edits.windows(2) {
        let (first, second) = (&pair[0].range, &pair[1].range);
        if second.start < first.end || second.start == first.start {
            return Err(Error::EditsCollide {
                path: path.to_path_buf(),
                first: first.clone(),
                second: second.clone(),
            });
        }
    }
    Ok(())
}

/// The content after `edits`, which [`check`] has accepted for `old`.
pub(crate) fn apply(old: &[u8], edits: &[Edit]) -> Vec<u8> {
    let added: usize = edits.iter().map(|edit| edit.replacement.len()).sum();
    let mut new = Vec::with_capacity(old.len() + added);
    let mut at = 0;
    for edit in edits {
        new.extend_from_slice(&old[at..edit.range.start]);
        new.extend_from_slice(&edit.replacement);
        at = edit.range.end;
    }
    new.extend_from_slice(&old[at..]);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(len: usize, edits: &[Edit]) -> String {
        match check(Path::new("a.rs"), len, edits) {
            Ok(()) => "fine".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn edits_are_applied_where_they_say() {
        let edits = [
            Edit::new(0..0, "<"),
            Edit::new(1..3, ""),
            Edit::new(3..4, "long"),
            Edit::new(6..6, ">"),
        ];
        assert_eq!(verdict(6, &edits), "fine");
        assert_eq!(apply(b"abcdef", &edits), b"<alongef>");
    }

    #[test]
    fn collisions_name_the_two() {
        expect_test::expect![[r#"
            staging edits to a.rs: the edit of bytes 2..5 and the one of bytes 4..6 collide; hand over edits in ascending order that do not overlap"#]]
        .assert_eq(&verdict(9, &[Edit::new(2..5, ""), Edit::new(4..6, "")]));
        assert!(verdict(9, &[Edit::new(4..6, ""), Edit::new(2..3, "")]).contains("4..6 and the"));
        assert!(verdict(9, &[Edit::new(3..3, "a"), Edit::new(3..3, "b")]).contains("collide"));
        assert!(verdict(9, &[Edit::new(3..5, "a"), Edit::new(3..3, "b")]).contains("collide"));
    }

    #[test]
    fn ranges_outside_the_file_are_named() {
        expect_test::expect![[r#"
            staging edits to a.rs: bytes 8..12 are not inside the file's 9 bytes; search the file again and stage what was found"#]]
        .assert_eq(&verdict(9, &[Edit::new(8..12, "")]));
        #[expect(clippy::reversed_empty_ranges, reason = "that is the input under test")]
        let backwards = Edit::new(5..3, "");
        assert!(verdict(9, &[backwards]).contains("5..3"));
    }
}
