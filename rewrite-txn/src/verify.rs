//! Whether every file still is what was captured, asked for all of them at once.

use std::collections::BTreeMap;
use std::path::Path;

use crate::capture::Original;
use crate::entry::{NewContent, Slot};
use crate::folders::Folders;
use crate::fs::{Attrs, Fs, Look, Stat, Xattrs};
use crate::{ContentHash, Drift, DriftedFile, Error};

/// A captured file as it is now: same content, perhaps other rights, which its successor gets.
pub(crate) struct Facts<'a> {
    pub(crate) original: &'a Original,
    pub(crate) stat: Stat,
    xattrs: Xattrs,
}

impl Facts<'_> {
    /// What the successor takes over.
    pub(crate) fn attrs(&self, keep_mtime: bool) -> Attrs {
        Attrs {
            mode: self.stat.mode,
            uid: self.stat.uid,
            gid: self.stat.gid,
            xattrs: self.xattrs.clone(),
            mtime: keep_mtime.then_some(self.stat.mtime),
        }
    }
}

/// Looks at every slot; all that have drifted are named.
pub(crate) fn all<'a>(
    fs: &dyn Fs,
    slots: &'a [Slot<'a>],
) -> Result<BTreeMap<&'a Path, Facts<'a>>, Vec<DriftedFile>> {
    let mut facts = BTreeMap::new();
    let mut drifted = Vec::new();
    let mut folders = Folders::default();
    for slot in slots {
        let looked = match slot.old {
            Some(old) => present(fs, &mut folders, slot, old).map(|found| {
                facts.insert(slot.path, found);
            }),
            None => free(fs, &mut folders, slot, slots),
        };
        if let Err(why) = looked {
            drifted.push(DriftedFile {
                path: slot.path.to_path_buf(),
                why,
            });
        }
    }
    if drifted.is_empty() {
        Ok(facts)
    } else {
        Err(drifted)
    }
}

/// Both lists as one, in path order, each path once; the first list is believed.
pub(crate) fn merge(
    mut first: Vec<DriftedFile>,
    second: Option<Vec<DriftedFile>>,
) -> Vec<DriftedFile> {
    for file in second.into_iter().flatten() {
        if first.iter().all(|known| known.path != file.path) {
            first.push(file);
        }
    }
    first.sort_by(|one, other| one.path.cmp(&other.path));
    first
}

fn new_hash(slot: &Slot<'_>) -> Option<ContentHash> {
    slot.new.as_ref().map(NewContent::hash)
}

fn present<'a>(
    fs: &dyn Fs,
    folders: &mut Folders,
    slot: &Slot<'_>,
    original: &'a Original,
) -> Result<Facts<'a>, Drift> {
    let content = match fs
        .look(slot.path)
        .map_err(|error| Drift::Unreadable(error.to_string()))?
    {
        Look::File(content) => content,
        Look::Absent => return Err(Drift::Vanished),
        Look::Other(kind) => return Err(Drift::TypeChanged(kind)),
    };
    if content.bytes != original.bytes {
        let found = content.hash();
        return Err(match new_hash(slot) {
            Some(new) if new == found => Drift::AlreadyApplied,
            _ => Drift::Changed { found },
        });
    }
    if content.stat.links > original.captured.links {
        return Err(Drift::HardLinked(content.stat.links));
    }
    writable(folders.read_only(fs, slot.path, &content.stat))?;
    Ok(Facts {
        original,
        stat: content.stat,
        xattrs: content.xattrs,
    })
}

fn free(
    fs: &dyn Fs,
    folders: &mut Folders,
    slot: &Slot<'_>,
    slots: &[Slot<'_>],
) -> Result<(), Drift> {
    let found = fs
        .stat(slot.path)
        .map_err(|error| Drift::Unreadable(error.to_string()))?;
    let Some(stat) = found else {
        return match folders.read_only_above(fs, slot.path) {
            // A file that makes way for a folder.
            Err(Error::NotAFolder { path, .. })
                if slots
                    .iter()
                    .any(|other| other.path == path && other.new.is_none()) =>
            {
                Ok(())
            }
            other => writable(other),
        };
    };
    // On a file system without case the new name may find the file under its old one.
    // Its number alone proves nothing: that of a file that is gone may be given to another.
    let leaves = |other: &Slot<'_>| {
        other.new.is_none()
            && other.old.is_some_and(|old| old.is_file(&stat))
            && matches!(fs.stat(other.path), Ok(Some(there)) if there.same_file(&stat))
    };
    if slots.iter().any(leaves) {
        return Ok(());
    }
    Err(match fs.look(slot.path) {
        Ok(Look::File(content)) if new_hash(slot) == Some(content.hash()) => Drift::AlreadyApplied,
        _ => Drift::Appeared,
    })
}

/// Turns the answer of a permission check into a drift.
fn writable(answer: Result<Option<String>, Error>) -> Result<(), Drift> {
    match answer {
        Ok(None) => Ok(()),
        Ok(Some(what)) => Err(Drift::ReadOnly(what)),
        Err(Error::NotAFolder { kind, .. }) => Err(Drift::TypeChanged(kind)),
        Err(error) => Err(Drift::Unreadable(error.to_string())),
    }
}
