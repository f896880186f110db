//! A change as language servers see it: files with the text before and after.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fourfold_rewrite_txn::Staged;

/// One file of a change.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// Below the root, with `/`.
    pub(crate) path: String,
    /// The same, absolute.
    pub(crate) absolute: PathBuf,
    /// What it was.
    pub(crate) before: Content,
    /// What it is after the change.
    pub(crate) after: Content,
    /// The name it had before, if that is all that changed: `before` is its text under that name.
    pub(crate) renamed_from: Option<String>,
    /// The same, absolute.
    pub(crate) moved_from: Option<PathBuf>,
    /// Of a file that nobody touched, and that is only looked at because it uses what was changed
    /// earlier: the rows where it does, from 0.
    pub(crate) owed: Option<Vec<u32>>,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// There is no file.
    Absent,
    /// Text.
    Text(Arc<str>),
    /// Nobody looked at what it held.
    Unknown,
    /// Something that cannot be shown to a server, and why.
    Opaque(&'static str),
}

impl Content {
    pub(crate) fn of(bytes: Option<&[u8]>) -> Content {
        let Some(bytes) = bytes else {
            return Content::Absent;
        };
        match std::str::from_utf8(bytes) {
            Ok(text) if text.contains('\0') => Content::Opaque("it is binary"),
            Ok(text) => Content::Text(text.into()),
            Err(_) => Content::Opaque("it is not UTF-8"),
        }
    }

    /// What the file holds now.
    pub(crate) fn on_disk(path: &Path) -> Content {
        match fs::read(path) {
            Ok(bytes) => Content::of(Some(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Content::Absent,
            Err(_) => Content::Opaque("it cannot be read"),
        }
    }

    pub(crate) fn text(&self) -> Option<&Arc<str>> {
        match self {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Change {
    /// The files that a stage changes. A rename is two: the old name goes, the new one comes.
    pub(crate) fn of_stage(staged: &Staged) -> Vec<Change> {
        let root = staged.root();
        let mut changes = Vec::new();
        for file in staged.files() {
            let before = Content::of(file.old_bytes());
            let after = Content::of(file.new_bytes().as_deref());
            match file.renamed_to() {
                Some(to) => {
                    let mut new = Change::new(root, to, before.clone(), after);
                    new.renamed_from = Some(slashed(file.path()));
                    new.moved_from = Some(root.join(file.path()));
                    changes.push(new);
                    changes.push(Change::new(root, file.path(), before, Content::Absent));
                }
                None => changes.push(Change::new(root, file.path(), before, after)),
            }
        }
        changes
    }

    /// A change of one file that somebody else makes; what it will be is not known yet.
    pub(crate) fn by_others(root: &Path, absolute: &Path, before: Content) -> Change {
        let path = absolute.strip_prefix(root).unwrap_or(absolute);
        Change::new(root, path, before, Content::Unknown)
    }

    /// Whether the file is another one than before, as far as is known.
    pub(crate) fn is_change(&self) -> bool {
        self.owed.is_none()
    }

    fn new(root: &Path, path: &Path, before: Content, after: Content) -> Change {
        Change {
            path: slashed(path),
            absolute: root.join(path),
            before,
            after,
            renamed_from: None,
            moved_from: None,
            owed: None,
        }
    }
}

/// A path below the root as answers write it.
pub(crate) fn slashed(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
