//! Text in, byte edits out.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

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
