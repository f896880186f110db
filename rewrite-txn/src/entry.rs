//! What a stage holds: one entry for each operation asked for, and the slots they come down to.
//!
//! A slot is one path with its content before and after, either of which may be "nothing". A
//! rename is two slots, a swap of two files is two slots with content on both sides: whatever was
//! asked for, the commit and the recovery only know modify, create and delete.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::capture::Original;
use crate::edit::{self, Edit};
use crate::{ContentHash, Error};

/// What is to happen to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Edits to the captured content.
    Edit(Vec<Edit>),
    /// Whole new content in place of the captured.
    Write(Vec<u8>),
    /// A file where there was none.
    Create(Vec<u8>),
    /// No file any more.
    Delete,
    /// The captured content, edited, under another name.
    Rename { to: PathBuf, edits: Vec<Edit> },
}

/// One operation on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The real path inside the root.
    pub(crate) path: PathBuf,
    pub(crate) action: Action,
    /// The captured file; none for a file that is to be created.
    pub(crate) original: Option<Original>,
}

impl Entry {
    /// The captured bytes; empty for a file that is to be created.
    pub(crate) fn old(&self) -> &[u8] {
        self.original
            .as_ref()
            .map_or(&[], |original| &original.bytes)
    }

    /// The content afterwards, wherever it then is; none after a delete.
    pub(crate) fn result(&self) -> Option<Cow<'_, [u8]>> {
        match &self.action {
            Action::Edit(edits) | Action::Rename { edits, .. } if edits.is_empty() => {
                Some(Cow::Borrowed(self.old()))
            }
            Action::Edit(edits) | Action::Rename { edits, .. } => {
                Some(Cow::Owned(edit::apply(self.old(), edits)))
            }
            Action::Write(bytes) | Action::Create(bytes) => Some(Cow::Borrowed(bytes)),
            Action::Delete => None,
        }
    }

    /// The edits, if the operation is made of edits.
    pub(crate) fn edits(&self) -> &[Edit] {
        match &self.action {
            Action::Edit(edits) | Action::Rename { edits, .. } => edits,
            _ => &[],
        }
    }

    /// Where content is afterwards that is not there before.
    fn destination(&self) -> Option<&Path> {
        match &self.action {
            Action::Rename { to, .. } => Some(to),
            Action::Delete => None,
            _ => Some(&self.path),
        }
    }

    /// Whether the operation would leave everything as it is.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.action, Action::Edit(_) | Action::Write(_))
            && self.result().is_some_and(|new| *new == *self.old())
    }
}

/// One path, before and after.
#[derive(Debug)]
pub(crate) struct Slot<'a> {
    pub(crate) path: &'a Path,
    pub(crate) old: Option<&'a Original>,
    pub(crate) new: Option<NewContent<'a>>,
}

/// The content of a slot afterwards.
#[derive(Debug)]
pub(crate) struct NewContent<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    hash: OnceCell<ContentHash>,
    /// The captured file whose mode, owner and attributes the content gets; none: a new file's.
    pub(crate) heir_of: Option<&'a Path>,
    /// The content only moves here, so its modification time stays.
    pub(crate) moved: bool,
}

impl NewContent<'_> {
    /// Hash of the bytes, computed when it is first asked for.
    pub(crate) fn hash(&self) -> ContentHash {
        *self.hash.get_or_init(|| ContentHash::of(&self.bytes))
    }
}

/// Breaks the operations down into slots, in path order, and refuses combinations that have no
/// one meaning.
pub(crate) fn slots(entries: &[Entry]) -> Result<Vec<Slot<'_>>, Error> {
    let mut taken: BTreeMap<&Path, &Entry> = BTreeMap::new();
    let mut given: BTreeMap<&Path, &Entry> = BTreeMap::new();
    for entry in entries {
        let source = (!matches!(entry.action, Action::Create(_))).then_some(entry.path.as_path());
        for (map, path) in [(&mut taken, source), (&mut given, entry.destination())] {
            if let Some(path) = path
                && map.insert(path, entry).is_some()
            {
                return Err(Error::TwoOperations {
                    path: path.to_path_buf(),
                });
            }
        }
    }
    // A path may be left by one operation and taken by another only if one of them is a rename.
    for (path, entry) in &given {
        if let Some(leaves) = taken.get(path)
            && !std::ptr::eq(*leaves, *entry)
            && !is_rename(leaves)
            && !is_rename(entry)
        {
            return Err(Error::TwoOperations {
                path: path.to_path_buf(),
            });
        }
    }
    check_apart(&taken, &given)?;
    let mut slots: BTreeMap<&Path, Slot<'_>> = BTreeMap::new();
    for (&path, entry) in &taken {
        let old = entry.original.as_ref();
        slots.insert(
            path,
            Slot {
                path,
                old,
                new: None,
            },
        );
    }
    for (path, entry) in given {
        let Some(bytes) = entry.result() else {
            continue;
        };
        let heir_of = entry.original.as_ref().map(|_| entry.path.as_path());
        let new = NewContent {
            hash: OnceCell::new(),
            moved: is_rename(entry) && *bytes == *entry.old(),
            bytes,
            heir_of,
        };
        slots
            .entry(path)
            .or_insert(Slot {
                path,
                old: None,
                new: None,
            })
            .new = Some(new);
    }
    let differs = |slot: &Slot<'_>| match (&slot.old, &slot.new) {
        (Some(old), Some(new)) => *old.bytes != *new.bytes,
        (old, new) => old.is_some() || new.is_some(),
    };
    Ok(slots.into_values().filter(differs).collect())
}

fn is_rename(entry: &Entry) -> bool {
    matches!(entry.action, Action::Rename { .. })
}

/// Two captured paths must be two files, and nothing can be put inside what will be a file.
fn check_apart(
    taken: &BTreeMap<&Path, &Entry>,
    given: &BTreeMap<&Path, &Entry>,
) -> Result<(), Error> {
    let mut inodes: BTreeMap<(u64, u64), &Path> = BTreeMap::new();
    for (path, entry) in taken {
        let Some(original) = &entry.original else {
            continue;
        };
        let inode = (original.captured.dev, original.captured.ino);
        if let Some(first) = inodes.insert(inode, path) {
            return Err(Error::SameFile {
                first: first.to_path_buf(),
                second: path.to_path_buf(),
            });
        }
    }
    for path in given.keys() {
        if let Some(file) = path
            .ancestors()
            .skip(1)
            .find(|above| given.contains_key(above))
        {
            return Err(Error::InsideAFile {
                path: path.to_path_buf(),
                file: file.to_path_buf(),
            });
        }
    }
    Ok(())
}
