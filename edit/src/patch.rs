//! Patches: what they ask of which file, and what that makes of a text.

mod apply;
mod envelope;
mod hunk;
mod path;
mod place;
mod read;
mod scope;
mod unified;

pub use apply::Outcome;
pub use hunk::Hunk;

use crate::Error;

/// A patch, read: what it asks of each file. Nothing of it has been compared with a file yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Patch {
    /// The files, in the order of the patch, each once.
    pub files: Vec<FileChange>,
}

impl Patch {
    /// Reads a patch in either form: the envelope from `*** Begin Patch` to `*** End Patch`, or
    /// unified diffs. Text in front of it, a code fence and a shell's here-document around it are
    /// let pass, as are CRLFs where every line of the patch ends so.
    ///
    /// Paths are relative, with `/`, and lead nowhere out.
    ///
    /// # Errors
    ///
    /// Everything that cannot be understood, is not supported or names no proper path, in
    /// [`Error::Several`] if it is more than one thing.
    pub fn parse(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<Self, Error> {
        read::patch(text.as_ref())
    }
}

/// What a patch asks of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileChange {
    /// The file, relative to the root, with `/`.
    pub path: String,
    /// The line of the patch where this begins, counted from 1.
    pub line: usize,
    /// What is to be done.
    pub action: Action,
}

/// What is to be done with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// A new file with this content.
    Add(Vec<u8>),
    /// The file goes. `shown` has its content, if the patch shows it: more must not be in it.
    Delete {
        /// The lines that go.
        shown: Option<Hunk>,
    },
    /// The file changes, or gets another name, or both.
    Update {
        /// Its new name.
        to: Option<String>,
        /// What changes in it: sections one after another, the hunks of each against what the
        /// section before it has left.
        sections: Vec<Vec<Hunk>>,
    },
}
