//! What a server wants changed in many files, boiled down to one change per file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::position::Encoding;
use crate::text_edit::{Draft, SentEdit, TextEdit};
use crate::texts::{Entry, TextError, Texts};
use crate::uri::{Root, rebase};

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
        "{action}: {} exists and the server does not say that it may be replaced; nothing was \
         changed, move it away or choose another name", .path.display()
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

impl WorkspaceEdit {
    /// Reads a `WorkspaceEdit`; null is one that changes nothing. Looks at the disk for the texts
    /// of files that are not open.
    pub(crate) fn read(
        value: &Value,
        root: &Root,
        texts: &Texts,
        encoding: Encoding,
    ) -> Result<WorkspaceEdit, EditError> {
        let mut workshop = Workshop {
            root,
            texts,
            encoding,
            files: Vec::new(),
            moves: Vec::new(),
            folders: BTreeMap::new(),
        };
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

/// A `WorkspaceEdit` as the protocol writes it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Sent {
    changes: Option<BTreeMap<String, Value>>,
    document_changes: Option<Vec<Value>>,
    change_annotations: Option<BTreeMap<String, SentAnnotation>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentAnnotation {
    #[serde(default)]
    label: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    needs_confirmation: Option<bool>,
}

impl SentAnnotation {
    fn into_ours(self) -> Annotation {
        Annotation {
            label: self.label,
            description: self.description,
            needs_confirmation: self.needs_confirmation.unwrap_or_default(),
        }
    }
}

/// A file operation of `documentChanges`.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Operation {
    Create {
        uri: String,
        #[serde(default)]
        options: Option<Options>,
    },
    #[serde(rename_all = "camelCase")]
    Rename {
        old_uri: String,
        new_uri: String,
        #[serde(default)]
        options: Option<Options>,
    },
    Delete {
        uri: String,
        #[serde(default)]
        options: Option<Options>,
    },
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    overwrite: Option<bool>,
    ignore_if_exists: Option<bool>,
    ignore_if_not_exists: Option<bool>,
    recursive: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentEdit {
    text_document: DocumentName,
    edits: Value,
}

#[derive(Deserialize)]
struct DocumentName {
    uri: String,
    #[serde(default)]
    version: Option<i64>,
}

fn parse<T: DeserializeOwned + Default>(what: &str, value: &Value) -> Result<T, EditError> {
    if value.is_null() {
        return Ok(T::default());
    }
    parse_some(what, value)
}

fn parse_some<T: DeserializeOwned>(what: &str, value: &Value) -> Result<T, EditError> {
    T::deserialize(value).map_err(|error| EditError::Malformed {
        reason: format!("{what}: {error}"),
    })
}

fn parse_edits(
    document: &str,
    value: &Value,
    annotated: &mut BTreeSet<String>,
) -> Result<Vec<SentEdit>, EditError> {
    let edits: Vec<SentEdit> = parse(&format!("the edits of {document}"), value)?;
    annotated.extend(edits.iter().filter_map(|edit| edit.annotation_id.clone()));
    Ok(edits)
}

/// Edits that are all for the texts before any of them: file, version and edits.
type Round = Vec<(PathBuf, Option<i64>, Vec<SentEdit>)>;

/// The files while the steps of a change are made, none of them on disk.
struct Workshop<'a> {
    root: &'a Root,
    texts: &'a Texts,
    encoding: Encoding,
    files: Vec<Worked>,
    /// Folders that moved, step by step: from where, to where.
    moves: Vec<(PathBuf, PathBuf)>,
    /// The folders of the disk that moved or went, and where they lie after the steps so far.
    folders: BTreeMap<PathBuf, Option<PathBuf>>,
}

/// A file that a step names.
struct Worked {
    /// Where it lies on disk; `None` for a new one.
    origin: Option<PathBuf>,
    /// Where it lies after the steps so far; `None` when it is gone.
    place: Option<PathBuf>,
    draft: Draft,
}

/// What lies somewhere after the steps so far.
enum Found {
    /// A file that a step named: its number.
    File(usize),
    Folder,
    Nothing,
}

impl Workshop<'_> {
    fn steps(
        &mut self,
        steps: &[Value],
        annotated: &mut BTreeSet<String>,
    ) -> Result<(), EditError> {
        // Edits that stand side by side, with no file operation between them, are all for the texts
        // before the first of them: that is how the reference client takes them.
        let mut round = Round::new();
        for (number, step) in steps.iter().enumerate() {
            if step.get("kind").is_some() {
                self.edit(std::mem::take(&mut round))?;
                if let Some(Value::String(id)) = step.get("annotationId") {
                    annotated.insert(id.clone());
                }
                self.operate(parse_some(&format!("file operation {number}"), step)?)?;
                continue;
            }
            let step: DocumentEdit = parse_some(&format!("document change {number}"), step)?;
            let DocumentName { uri, version } = step.text_document;
            let edits = parse_edits(&uri, &step.edits, annotated)?;
            round.push((self.path(&uri)?, version, edits));
        }
        self.edit(round)
    }

    fn edit(&mut self, round: Round) -> Result<(), EditError> {
        const ACTION: &str = "editing a file";
        let mut by_file: BTreeMap<usize, (PathBuf, Vec<SentEdit>)> = BTreeMap::new();
        for (path, version, edits) in round {
            let action = ACTION;
            let file = match self.find(ACTION, &path)? {
                Found::File(file) => file,
                Found::Folder => return Err(EditError::Folder { action, path }),
                Found::Nothing => return Err(EditError::Missing { action, path }),
            };
            let origin = self
                .files
                .get(file)
                .and_then(|worked| worked.origin.as_deref());
            let current = origin.and_then(|path| self.texts.version(path));
            // Versions start at 1; several servers write 0 for "unknown".
            if let (Some(meant), Some(current)) = (version, current)
                && meant > 0
                && meant != i64::from(current)
            {
                return Err(EditError::Stale {
                    path,
                    meant,
                    current: current.into(),
                });
            }
            by_file
                .entry(file)
                .or_insert((path, Vec::new()))
                .1
                .extend(edits);
        }
        for (file, (path, edits)) in by_file {
            if let Some(worked) = self.files.get_mut(file) {
                worked.draft.edit(&path, &edits, self.encoding)?;
            }
        }
        Ok(())
    }

    fn operate(&mut self, operation: Operation) -> Result<(), EditError> {
        match operation {
            Operation::Create { uri, options } => {
                let path = self.path(&uri)?;
                self.create(path, options.unwrap_or_default())
            }
            Operation::Rename {
                old_uri,
                new_uri,
                options,
            } => {
                let (from, to) = (self.path(&old_uri)?, self.path(&new_uri)?);
                self.rename(&from, to, options.unwrap_or_default())
            }
            Operation::Delete { uri, options } => {
                let path = self.path(&uri)?;
                self.delete(path, options.unwrap_or_default())
            }
        }
    }

    fn create(&mut self, path: PathBuf, options: Options) -> Result<(), EditError> {
        const ACTION: &str = "creating a file";
        match self.find(ACTION, &path)? {
            Found::Nothing => {
                self.files.push(Worked {
                    origin: None,
                    place: Some(path),
                    draft: Draft::new("".into()),
                });
                Ok(())
            }
            Found::File(file) if options.overwrite == Some(true) => {
                if let Some(worked) = self.files.get_mut(file) {
                    worked.draft.replace(String::new());
                }
                Ok(())
            }
            _ if options.ignore_if_exists == Some(true) => Ok(()),
            Found::Folder => Err(EditError::Folder {
                action: ACTION,
                path,
            }),
            Found::File(_) => Err(EditError::Exists {
                action: ACTION,
                path,
            }),
        }
    }

    fn rename(&mut self, from: &Path, to: PathBuf, options: Options) -> Result<(), EditError> {
        const ACTION: &str = "renaming a file";
        let moved = self.find(ACTION, from)?;
        if matches!(moved, Found::Nothing) {
            return Err(EditError::Missing {
                action: ACTION,
                path: from.to_path_buf(),
            });
        }
        if from == to {
            return Ok(());
        }
        match self.find(ACTION, &to)? {
            Found::Nothing => {}
            Found::File(file)
                if options.overwrite == Some(true) && matches!(moved, Found::File(_)) =>
            {
                self.place(file, None);
            }
            _ if options.ignore_if_exists == Some(true) => return Ok(()),
            _ => {
                return Err(EditError::Exists {
                    action: ACTION,
                    path: to,
                });
            }
        }
        if let Found::File(file) = moved {
            self.place(file, Some(to));
            return Ok(());
        }
        let origin = self.on_disk(from);
        for place in self.places() {
            if let Some(here) = place
                && let Some(there) = rebase(here, from, &to)
            {
                *here = there;
            }
        }
        if let Some(origin) = origin {
            self.folders.insert(origin, Some(to.clone()));
        }
        self.moves.push((from.to_path_buf(), to));
        Ok(())
    }

    fn delete(&mut self, path: PathBuf, options: Options) -> Result<(), EditError> {
        const ACTION: &str = "deleting a file";
        match self.find(ACTION, &path)? {
            Found::File(file) => self.place(file, None),
            Found::Folder if options.recursive == Some(true) => {
                let origin = self.on_disk(&path);
                for place in self.places() {
                    place.take_if(|place| place.starts_with(&path));
                }
                if let Some(origin) = origin {
                    self.folders.insert(origin, None);
                }
            }
            Found::Folder => {
                return Err(EditError::Folder {
                    action: ACTION,
                    path,
                });
            }
            Found::Nothing if options.ignore_if_not_exists == Some(true) => {}
            Found::Nothing => {
                return Err(EditError::Missing {
                    action: ACTION,
                    path,
                });
            }
        }
        Ok(())
    }

    fn path(&self, uri: &str) -> Result<PathBuf, EditError> {
        self.root.to_path(uri).ok_or_else(|| EditError::NoFile {
            uri: uri.to_owned(),
        })
    }

    /// The places of all files and folders that steps have named.
    fn places(&mut self) -> impl Iterator<Item = &mut Option<PathBuf>> {
        let files = self.files.iter_mut().map(|worked| &mut worked.place);
        files.chain(self.folders.values_mut())
    }

    fn place(&mut self, file: usize, place: Option<PathBuf>) {
        if let Some(worked) = self.files.get_mut(file) {
            worked.place = place;
        }
    }

    /// Where that which lies at `path` after the steps so far lies on disk; `None` when nothing
    /// of the disk can be there.
    fn on_disk(&self, path: &Path) -> Option<PathBuf> {
        let mut path = path.to_path_buf();
        for (from, to) in self.moves.iter().rev() {
            if let Some(before) = rebase(&path, to, from) {
                path = before;
            } else if path.starts_with(from) {
                return None;
            }
        }
        (!self.is_gone(&path)).then_some(path)
    }

    /// Whether a place on disk is in a folder that was deleted.
    fn is_gone(&self, path: &Path) -> bool {
        let mut folders = self.folders.iter();
        folders.any(|(folder, place)| place.is_none() && path.starts_with(folder))
    }

    /// What lies at `path` after the steps so far; a file is taken into the workshop.
    fn find(&mut self, action: &'static str, path: &Path) -> Result<Found, EditError> {
        let here = |worked: &Worked| worked.place.as_deref() == Some(path);
        if let Some(file) = self.files.iter().position(here) {
            return Ok(Found::File(file));
        }
        let Some(origin) = self.on_disk(path) else {
            return Ok(Found::Nothing);
        };
        // It was there and has been moved or deleted.
        if self
            .files
            .iter()
            .any(|worked| worked.origin.as_deref() == Some(&origin))
        {
            return Ok(Found::Nothing);
        }
        let entry = self
            .texts
            .entry(&origin)
            .map_err(|source| EditError::Text {
                action,
                path: origin.clone(),
                source,
            })?;
        match entry {
            Entry::File(text) => {
                self.files.push(Worked {
                    origin: Some(origin),
                    place: Some(path.to_path_buf()),
                    draft: Draft::new(text),
                });
                Ok(Found::File(self.files.len() - 1))
            }
            Entry::Folder => Ok(Found::Folder),
            Entry::Absent => Ok(Found::Nothing),
        }
    }

    /// What all the steps together come to.
    fn finish(self) -> Vec<FileChange> {
        let from_disk: BTreeMap<&Path, &Worked> = self
            .files
            .iter()
            .filter_map(|worked| Some((worked.origin.as_deref()?, worked)))
            .collect();
        let placed: BTreeSet<&Path> = self
            .files
            .iter()
            .filter_map(|worked| worked.place.as_deref())
            .collect();
        let mut changes = Vec::new();
        for worked in &self.files {
            let draft = &worked.draft;
            let before = draft.before().clone();
            let Some(path) = worked.place.clone() else {
                continue;
            };
            let change = match (&worked.origin, from_disk.get(path.as_path())) {
                (Some(from), _) if *from == path => FileChange::Edit {
                    path,
                    before,
                    edits: draft.edits(),
                },
                // Another file of the disk was there.
                (_, Some(replaced)) => {
                    let before = replaced.draft.before().clone();
                    let mut draft_of_it = Draft::new(before.clone());
                    draft_of_it.replace(draft.text());
                    FileChange::Edit {
                        path,
                        before,
                        edits: draft_of_it.edits(),
                    }
                }
                (Some(from), None) if !placed.contains(from.as_path()) => FileChange::Rename {
                    from: from.clone(),
                    to: path,
                    before,
                    edits: draft.edits(),
                },
                (_, None) => FileChange::Create {
                    path,
                    text: draft.text(),
                },
            };
            let idle = matches!(&change, FileChange::Edit { edits, .. } if edits.is_empty());
            if !idle {
                changes.push(change);
            }
        }
        let renamed = |path: &Path| {
            changes
                .iter()
                .any(|change| matches!(change, FileChange::Rename { from, .. } if from == path))
        };
        let deleted: Vec<FileChange> = from_disk
            .into_keys()
            .filter(|path| !placed.contains(path) && !renamed(path) && !self.is_gone(path))
            .map(|path| FileChange::Delete {
                path: path.to_path_buf(),
            })
            .collect();
        changes.extend(deleted);
        changes.extend(self.folders.iter().map(|(from, place)| match place {
            Some(to) => FileChange::RenameFolder {
                from: from.clone(),
                to: to.clone(),
            },
            None => FileChange::DeleteFolder { path: from.clone() },
        }));
        changes.sort_by(|one, other| one.paths().next().cmp(&other.paths().next()));
        changes
    }
}

#[cfg(test)]
mod tests;
