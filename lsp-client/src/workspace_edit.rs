//! What a server wants changed in many files, boiled down to one change per file.

mod error;
mod sent;
mod workshop;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

pub use error::EditError;
use sent::{Sent, SentAnnotation, parse, parse_edits};
use workshop::{Round, Workshop};

use crate::position::Encoding;
use crate::text_edit::{Draft, TextEdit};
use crate::texts::Texts;
use crate::uri::Root;

/// A change that a server proposes: a rename, a code action, a formatted file. Nothing has been
/// written yet.
///
/// Each file is named once, whatever the order in which the server lists its edits and file
/// operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkspaceEdit {
    /// What happens to each file, in the order of their paths.
    pub files: Vec<FileChange>,
    /// What the server says about parts of the change.
    pub annotations: Vec<Annotation>,
}

impl WorkspaceEdit {
    /// The paths that lie outside of a folder: a host that confines its writing refuses them.
    pub fn outside<'a>(&'a self, root: &'a Path) -> impl Iterator<Item = &'a Path> {
        self.files
            .iter()
            .flat_map(FileChange::paths)
            .filter(move |path| !path.starts_with(root))
    }
}

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileChange {
    /// The file gets another text.
    Edit {
        /// The file.
        path: PathBuf,
        /// The text that the edits are for. A file that has another one by now must not be
        /// edited.
        before: Arc<str>,
        /// What changes, in order and apart from one another.
        edits: Vec<TextEdit>,
    },
    /// A file that is not there yet.
    Create {
        /// The file.
        path: PathBuf,
        /// Its text.
        text: String,
    },
    /// The file moves to a place where no file is, and may get another text.
    Rename {
        /// Where it is.
        from: PathBuf,
        /// Where it goes.
        to: PathBuf,
        /// As in [`Edit`](FileChange::Edit).
        before: Arc<str>,
        /// As in [`Edit`](FileChange::Edit); none when it only moves.
        edits: Vec<TextEdit>,
    },
    /// The file goes.
    Delete {
        /// The file.
        path: PathBuf,
    },
    /// A folder moves with all in it. Files in it that other changes name are not part of this
    /// one.
    RenameFolder {
        /// Where it is.
        from: PathBuf,
        /// Where it goes.
        to: PathBuf,
    },
    /// A folder goes with all in it. Files in it that move elsewhere are named by other changes.
    DeleteFolder {
        /// The folder.
        path: PathBuf,
    },
}

impl FileChange {
    /// The paths that it touches: one, or two for what moves.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let (first, second) = match self {
            FileChange::Edit { path, .. }
            | FileChange::Create { path, .. }
            | FileChange::Delete { path }
            | FileChange::DeleteFolder { path } => (path, None),
            FileChange::Rename { from, to, .. } | FileChange::RenameFolder { from, to } => {
                (from, Some(to))
            }
        };
        [Some(first), second]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
    }
}

/// What a server says about a part of a change, such as "in strings and comments".
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Annotation {
    /// A few words.
    pub label: String,
    /// More words.
    pub description: Option<String>,
    /// Whether it wants a person to agree first.
    pub needs_confirmation: bool,
}

impl WorkspaceEdit {
    /// Reads a `WorkspaceEdit`; null is one that changes nothing. Looks at the disk for the texts
    /// of files that are not open.
    pub(crate) fn read(
        value: &Value,
        root: &Root,
        texts: &Texts,
        encoding: Encoding,
    ) -> Result<WorkspaceEdit, EditError> {
        let mut workshop = Workshop::new(root, texts, encoding);
        let sent: Sent = parse("the workspace edit", value)?;
        let mut annotated = BTreeSet::new();
        match &sent.document_changes {
            Some(steps) if !steps.is_empty() || sent.changes.is_none() => {
                workshop.steps(steps, &mut annotated)?;
            }
            _ => {
                let mut round = Round::new();
                for (uri, edits) in sent.changes.unwrap_or_default() {
                    let edits = parse_edits(&uri, &edits, &mut annotated)?;
                    round.push((workshop.path(&uri)?, None, edits));
                }
                workshop.edit(round)?;
            }
        }
        let mut known = sent.change_annotations.unwrap_or_default();
        Ok(WorkspaceEdit {
            files: workshop.finish(),
            annotations: annotated
                .iter()
                .filter_map(|id| known.remove(id))
                .map(SentAnnotation::into_ours)
                .collect(),
        })
    }

    /// Reads a `TextEdit[]` for one file, as formatting answers; null is none.
    pub(crate) fn read_edits(
        value: &Value,
        path: &Path,
        text: Arc<str>,
        encoding: Encoding,
    ) -> Result<WorkspaceEdit, EditError> {
        let name = path.display().to_string();
        let edits = match value {
            Value::Null => Vec::new(),
            value => parse_edits(&name, value, &mut BTreeSet::new())?,
        };
        let mut draft = Draft::new(text);
        draft.edit(path, &edits, encoding)?;
        let edits = draft.edits();
        let mut change = WorkspaceEdit::default();
        if !edits.is_empty() {
            change.files.push(FileChange::Edit {
                path: path.to_path_buf(),
                before: draft.before().clone(),
                edits,
            });
        }
        Ok(change)
    }
}

#[cfg(test)]
mod tests;
