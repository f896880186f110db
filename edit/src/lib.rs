//! Text in, byte edits out: unique replacement, patches, line maps. Knows no files on disk.
//!
//! A coding agent changes a file by naming what stands there and what shall stand there. It writes
//! LF where the file has CRLF, drops blanks at line ends, names a place that exists three times,
//! remembers a line not quite right. What comes of that has to be the change that was meant, to the
//! byte, or none and a sentence that makes the next try succeed.
//!
//! - [`replace`] carries out [`Replacement`]s: a text that occurs exactly once, or everywhere.
//! - [`Patch::parse`] reads the envelope (`*** Begin Patch`) and unified diffs;
//!   [`FileChange::apply`] says what that makes of a file.
//! - Both give a [`Change`]: [`Edit`]s against the text as it was, the text as it will be, and per
//!   step the [`Match`] with its [`Tolerance`].
//! - [`LineMap`] follows lines from one text to another.
//! - An [`Error`] holds the nearest [`Candidate`]s and reads as an answer to an agent.
//!
//! ```
//! use fourfold_edit::{Patch, Outcome, Replacement, Tolerance, apply, replace};
//!
//! # fn main() -> Result<(), fourfold_edit::Error> {
//! // A model's LF text meets a file with CRLF.
//! let file = b"fn main() {\r\n    greet();\r\n}\r\n";
//! let change = replace(file, &[Replacement::unique("{\n    greet();\n", "{\n    wave();\n")])?;
//! assert_eq!(change.text, b"fn main() {\r\n    wave();\r\n}\r\n");
//! assert_eq!(change.tolerance(), Tolerance::LineEnds);
//! assert_eq!(apply(file, &change.edits)?, change.text);
//!
//! let patch = Patch::parse(
//!     "*** Begin Patch\n*** Update File: src/main.rs\n@@ fn main() {\n-    greet();\n+    wave();\n*** End Patch\n",
//! )?;
//! let Outcome::Updated(change) = patch.files[0].apply(Some(file))? else { unreachable!() };
//! assert_eq!(change.text, b"fn main() {\r\n    wave();\r\n}\r\n");
//!
//! let error = replace(file, &[Replacement::unique("greet(1);", "wave();")]).unwrap_err();
//! assert!(error.to_string().contains("line 2 differs"));
//! # Ok(())
//! # }
//! ```
//!
//! # What counts as found
//!
//! Bytes that are equal; without any such place, lines that are equal but for their ends (LF, CRLF,
//! CR, none at the end of the file); without any such place either, lines that are equal but for
//! their ends and the spaces and tabs before them. Nothing looser: never other indentation, case,
//! or punctuation. At each step one place must be left, or it is an error with all of them. A place
//! that was found loosely keeps its own bytes in every line that the change leaves alone, and the
//! lines that come end as those that they replace.
//!
//! # Where hunks belong
//!
//! Content decides, in the text as it was before the patch. Where several places are left, these
//! decide in this order: `*** End of File`; the lines named after `@@` in the envelope, by what is
//! indented below them; an exactly right line number; the function that a diff names; that hunks
//! stand in the file in the order of the patch. If none does, the hunk is refused with its places.
//! The counts in a hunk's header are believed only where they can be true.
//!
//! # Limits
//!
//! - Texts are bytes in which ASCII is ASCII; UTF-16 and UTF-32 are refused when their byte-order
//!   mark gives them away. NUL, broken UTF-8 and a byte-order mark of UTF-8 stay as they are.
//! - The envelope cannot say whether the last line has an end: the file stays as it was in that.
//! - An envelope without `*** End Patch` may have been cut, and is refused.
//! - Copies, mode changes, new files that are executable or links, binary patches and diffs of
//!   merges are refused, by name.
//! - A patch names each file once, except that updates follow one another.
//! - Places of one text are counted up to 10 000. The search for what comes nearest looks for
//!   likeness in the first 4 MiB, at the first 400 lines wanted.
//! - Lines are counted as LF ends them, or CR in a text that has no LF.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod edit;
mod error;
mod graft;
mod line_map;
mod nearest;
mod patch;
mod replace;
mod rows;
mod view;

pub use edit::{Edit, apply};
pub use error::{Error, Hint, Step};
pub use line_map::LineMap;
pub use nearest::{Candidate, Difference, DifferenceKind};
pub use patch::{Action, FileChange, Hunk, Outcome, Patch};
pub use replace::{Replacement, replace};
pub use view::Tolerance;

/// What becomes of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The edits, against the text before, in ascending order and apart from one another. Empty if
    /// the steps undo each other.
    pub edits: Vec<Edit>,
    /// The text afterwards.
    pub text: Vec<u8>,
    /// Where each step found its place, in the order of the steps.
    pub matches: Vec<Match>,
}

impl Change {
    /// The loosest of the matches.
    pub fn tolerance(&self) -> Tolerance {
        let loosest = self.matches.iter().map(|matched| matched.tolerance).max();
        loosest.unwrap_or(Tolerance::Exact)
    }
}

/// Where a step (a replacement or a hunk) found its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match {
    /// The first line, counted from 1, in the text as the step found it.
    pub line: usize,
    /// How many places it changed; more than one only where all were asked for.
    pub count: usize,
    /// How exactly it matched.
    pub tolerance: Tolerance,
    /// The hunk names an enclosing line that is not there or not above its place. The place is
    /// certain all the same: it is the only one.
    pub header_off: bool,
}

/// Texts in UTF-16 and UTF-32 are found out by their marks; others are taken for bytes in which
/// ASCII is ASCII.
fn check_encoding(text: &[u8]) -> Result<(), Error> {
    let encoding = match text {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => "UTF-32",
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "UTF-16",
        _ => return Ok(()),
    };
    Err(Error::Encoding { encoding })
}
