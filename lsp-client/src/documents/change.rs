//! What happened to files.

use std::path::PathBuf;
use std::sync::Arc;

/// What happened to a file on disk. A file that got another name was deleted and created.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The file: absolute, links resolved.
    pub path: PathBuf,
    /// What happened to it.
    pub event: FileEvent,
    /// Its language id and its text now, when the server is to open it as a document. Without it
    /// the server only hears that something happened.
    pub document: Option<(String, Arc<str>)>,
}

/// What can happen to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileEvent {
    /// It is new.
    Created,
    /// It has another content.
    Changed,
    /// It is gone.
    Deleted,
}

impl Change {
    /// Something happened to a file.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, event: FileEvent) -> Self {
        Self {
            path: path.into(),
            event,
            document: None,
        }
    }

    /// The server is to open the file as a document, with this text.
    #[must_use]
    pub fn with_text(mut self, language_id: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        self.document = Some((language_id.into(), text.into()));
        self
    }
}
