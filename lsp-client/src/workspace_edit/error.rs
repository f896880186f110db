//! Why a change is refused.

use std::path::PathBuf;

use crate::texts::TextError;

/// Why a change that a server proposes is refused. It is refused as a whole: half of a change is
/// damage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// It is not what the protocol says.
    #[error(
        "reading the change that the server proposes: {reason}; nothing was changed, make the change \
         by other means and report this to the makers of the server"
    )]
    Malformed {
        /// What is wrong, and where.
        reason: String,
    },
    /// It is for something that is no file here, such as a notebook cell.
    #[error(
        "reading the change that the server proposes: \"{uri}\" names no file on this machine; \
         nothing was changed"
    )]
    NoFile {
        /// What it is for.
        uri: String,
    },
    /// It has places for a person to fill in.
    #[error(
        "editing {}: the server proposes a snippet, which has places to fill in; nothing was changed, \
         choose another action or write the text", .path.display()
    )]
    Snippet {
        /// The file.
        path: PathBuf,
    },
    /// An edit starts behind the end of the text.
    #[error(
        "editing {}: the server's edit starts on line {line} and the text has {lines}; the server \
         knows another text, ask again", .path.display()
    )]
    OutOfRange {
        /// The file.
        path: PathBuf,
        /// Where it starts, from 1.
        line: usize,
        /// How many lines the text has.
        lines: usize,
    },
    /// An edit ends before it starts.
    #[error(
        "editing {}: the server's edit on line {line} ends before it starts; nothing was changed",
        .path.display()
    )]
    Backwards {
        /// The file.
        path: PathBuf,
        /// Where it starts, from 1.
        line: usize,
    },
    /// Two edits are for the same bytes.
    #[error(
        "editing {}: two of the server's edits overlap, on line {first} and on line {second}; \
         nothing was changed, make the change by other means", .path.display()
    )]
    Overlap {
        /// The file.
        path: PathBuf,
        /// Where the first one starts, from 1.
        first: u32,
        /// Where the second one starts, from 1.
        second: u32,
    },
    /// It is for a text that the document no longer has.
    #[error(
        "editing {}: the server's edits are for version {meant} of the document, which is at version \
         {current}; ask again", .path.display()
    )]
    Stale {
        /// The file.
        path: PathBuf,
        /// The version that the edits are for.
        meant: i64,
        /// The version that the server was last told of.
        current: i64,
    },
    /// There is something where it wants to put something.
    #[error(
        "{action}: {} exists; a file alone takes the place of a file, if the server says so; nothing \
         was changed, move it away or choose another name", .path.display()
    )]
    Exists {
        /// What was to be done.
        action: &'static str,
        /// What is there.
        path: PathBuf,
    },
    /// There is no such file.
    #[error(
        "{action}: {} does not exist; the server may not know yet that it is gone, ask again",
        .path.display()
    )]
    Missing {
        /// What was to be done.
        action: &'static str,
        /// What is not there.
        path: PathBuf,
    },
    /// A file was meant and a folder is there, or a folder is to go with what is in it and the
    /// server does not say so.
    #[error("{action}: {} is a folder; nothing was changed", .path.display())]
    Folder {
        /// What was to be done.
        action: &'static str,
        /// The folder.
        path: PathBuf,
    },
    /// The text of the file cannot be had.
    #[error("{action}: the text of {} cannot be had", .path.display())]
    Text {
        /// What was to be done.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: TextError,
    },
}
