//! The steps of a change, made one after another on drafts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::sent::{DocumentEdit, DocumentName, Operation, Options, parse_edits, parse_some};
use super::{EditError, FileChange};
use crate::position::Encoding;
use crate::text_edit::{Draft, SentEdit};
use crate::texts::{Entry, Texts};
use crate::uri::{Root, rebase};

/// Edits that are all for the texts before any of them: file, version and edits.
pub(super) type Round = Vec<(PathBuf, Option<i64>, Vec<SentEdit>)>;

/// The files while the steps of a change are made, none of them on disk.
pub(super) struct Workshop<'a> {
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

impl<'a> Workshop<'a> {
    pub(super) fn new(root: &'a Root, texts: &'a Texts, encoding: Encoding) -> Workshop<'a> {
        Workshop {
            root,
            texts,
            encoding,
            files: Vec::new(),
            moves: Vec::new(),
            folders: BTreeMap::new(),
        }
    }

    /// Makes the steps of `documentChanges`.
    pub(super) fn steps(
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

    pub(super) fn edit(&mut self, round: Round) -> Result<(), EditError> {
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

    pub(super) fn path(&self, uri: &str) -> Result<PathBuf, EditError> {
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
    pub(super) fn finish(self) -> Vec<FileChange> {
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
