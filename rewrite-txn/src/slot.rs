//! Moving one slot towards its old or its new end.
//!
//! Where a slot stands is read from the disk alone, from its side file first of all, since nobody
//! else touches that one. So the same functions take back a commit that failed, and finish or
//! take back one that a crash cut short, and they can be cut and repeated themselves.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::fs::{Content, Fs, Look, cross_device, unsupported};
use crate::journal::{JournalSlot, Step, spare};
use crate::recover::{Conflict, Kept};
use crate::{ContentHash, Error, state};

/// What lies under a name.
enum Seen {
    Absent,
    File(Box<Content>),
    Other,
}

impl Seen {
    fn is(&self, hash: ContentHash) -> bool {
        matches!(self, Self::File(content) if content.hash() == hash)
    }

    fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    fn same_file(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(one), Self::File(other)) => one.stat.same_file(&other.stat),
            _ => false,
        }
    }
}

fn see(fs: &dyn Fs, path: &Path) -> Result<Seen, Error> {
    Ok(match fs.look(path).map_err(Error::io("reading", path))? {
        Look::Absent => Seen::Absent,
        Look::File(content) => Seen::File(content),
        Look::Other(_) => Seen::Other,
    })
}

/// Renames onto a free name, with a second name and its removal where that has to do.
pub(crate) fn move_new(fs: &dyn Fs, from: &Path, to: &Path) -> io::Result<()> {
    match fs.rename_new(from, to) {
        Err(error) if unsupported(&error) => {
            fs.link(from, to)?;
            fs.unlink(from)
        }
        other => other,
    }
}

/// Brings slots of one transaction to an end and collects what was in the way.
pub(crate) struct Mover<'a> {
    pub(crate) fs: &'a dyn Fs,
    /// The transaction.
    pub(crate) id: &'a str,
    pub(crate) conflicts: Vec<Conflict>,
}

impl Mover<'_> {
    /// Brings one slot back to what it was.
    pub(crate) fn undo(&mut self, slot: &JournalSlot) -> Result<(), Error> {
        let side = see(self.fs, &slot.side)?;
        let target = see(self.fs, &slot.path)?;
        match slot.step {
            Step::Modify { new, .. } => self.undo_modify(slot, &side, &target, new),
            Step::Create { new } => {
                if !side.is_absent() {
                    // Not done, or cut between the second name and the removal of the first.
                    return match target.same_file(&side) {
                        true => self.unlink(&slot.path),
                        false => Ok(()),
                    };
                }
                if target.is(new) {
                    self.move_to_free(&slot.path, &slot.side)?;
                    return self.keep_foreign(slot, new);
                }
                if !target.is_absent() {
                    self.conflict(slot, Kept::Nothing);
                }
                Ok(())
            }
            Step::Delete { .. } => match (&side, &target) {
                (Seen::Absent, _) => Ok(()),
                (_, Seen::Absent) => self.move_to_free(&slot.side, &slot.path),
                _ if target.same_file(&side) => self.unlink(&slot.side),
                _ => self.keep(slot, &slot.side, Kept::Original),
            },
        }
    }

    fn undo_modify(
        &mut self,
        slot: &JournalSlot,
        side: &Seen,
        target: &Seen,
        new: ContentHash,
    ) -> Result<(), Error> {
        if side.is(new) {
            return Ok(());
        }
        if !side.is_absent() {
            if !target.is(new) {
                return self.keep(slot, &slot.side, Kept::Original);
            }
            let exchanged = self.fs.exchange(&slot.side, &slot.path);
            exchanged.map_err(Error::io("putting back", &slot.path))?;
            return self.keep_foreign(slot, new);
        }
        let displaced = spare(&slot.side);
        if see(self.fs, &displaced)?.is_absent() {
            return Ok(());
        }
        if !target.is(new) {
            return self.keep(slot, &displaced, Kept::Original);
        }
        let renamed = self.fs.rename(&displaced, &slot.path);
        renamed.map_err(Error::io("putting back", &slot.path))
    }

    /// Brings one slot to what it shall be.
    pub(crate) fn redo(&mut self, slot: &JournalSlot) -> Result<(), Error> {
        let side = see(self.fs, &slot.side)?;
        let target = see(self.fs, &slot.path)?;
        match slot.step {
            Step::Modify { old, new } => {
                if !side.is(new) || target.is(new) {
                    return Ok(());
                }
                if target.is(old) {
                    return self.swap(slot);
                }
                self.keep(slot, &slot.side, Kept::Staged)
            }
            Step::Create { new } => {
                if side.is_absent() || target.is(new) {
                    return Ok(());
                }
                if target.is_absent() {
                    return self.move_to_free(&slot.side, &slot.path);
                }
                self.keep(slot, &slot.side, Kept::Staged)
            }
            Step::Delete { old } => {
                if !side.is_absent() {
                    return match target.same_file(&side) {
                        true => self.unlink(&slot.path),
                        false => Ok(()),
                    };
                }
                if target.is(old) {
                    return self.move_to_free(&slot.path, &slot.side);
                }
                if !target.is_absent() {
                    self.conflict(slot, Kept::Nothing);
                }
                Ok(())
            }
        }
    }

    fn swap(&self, slot: &JournalSlot) -> Result<(), Error> {
        let swapped = match self.fs.exchange(&slot.side, &slot.path) {
            Err(error) if unsupported(&error) => self
                .fs
                .link(&slot.path, &spare(&slot.side))
                .or_else(|error| match error.kind() {
                    // Made before a cut.
                    io::ErrorKind::AlreadyExists => Ok(()),
                    _ => Err(error),
                })
                .and_then(|()| self.fs.rename(&slot.side, &slot.path)),
            other => other,
        };
        swapped.map_err(Error::io("replacing", &slot.path))
    }

    /// Puts aside what lies in the side files and is neither the old nor the new content, so that
    /// all the rest can be removed.
    pub(crate) fn rescue(&mut self, slot: &JournalSlot) -> Result<(), Error> {
        for side in [slot.side.clone(), spare(&slot.side)] {
            let seen = see(self.fs, &side)?;
            let ours = [slot.step.before(), slot.step.after()];
            if !seen.is_absent() && !ours.into_iter().flatten().any(|hash| seen.is(hash)) {
                self.keep(slot, &side, Kept::Foreign)?;
            }
        }
        Ok(())
    }

    /// After a file with the content `new` was moved to the side name: if somebody wrote to it
    /// between the look and the move, what they wrote is put aside.
    fn keep_foreign(&mut self, slot: &JournalSlot, new: ContentHash) -> Result<(), Error> {
        if see(self.fs, &slot.side)?.is(new) {
            return Ok(());
        }
        self.keep(slot, &slot.side, Kept::Foreign)
    }

    fn move_to_free(&self, from: &Path, to: &Path) -> Result<(), Error> {
        move_new(self.fs, from, to).map_err(Error::io("moving", from))
    }

    fn unlink(&self, path: &Path) -> Result<(), Error> {
        self.fs.unlink(path).map_err(Error::io("removing", path))
    }

    fn conflict(&mut self, slot: &JournalSlot, what: Kept) {
        self.conflicts.push(Conflict {
            path: slot.path.clone(),
            what,
            kept: None,
        });
    }

    /// Moves `side` to where a person finds it.
    fn keep(&mut self, slot: &JournalSlot, side: &Path, what: Kept) -> Result<(), Error> {
        let folder = state::conflicts_dir();
        state::ensure(self.fs, &folder)?;
        let name = slot.path.file_name().unwrap_or_default();
        let central = |count: usize| {
            let mut file = OsString::from(format!("{}.{count}.", self.id));
            file.push(name);
            folder.join(file)
        };
        let beside = |count: usize| {
            let mut file = name.to_owned();
            file.push(format!(".{}.{count}.fourfold-conflict", self.id));
            slot.path.with_file_name(file)
        };
        let kept = match self.move_to_first_free(side, central) {
            Err(error) if cross_device(&error) => self.move_to_first_free(side, beside),
            other => other,
        };
        let kept = kept.map_err(Error::io("putting aside", side))?;
        self.conflicts.push(Conflict {
            path: slot.path.clone(),
            what,
            kept: Some(kept),
        });
        Ok(())
    }

    fn move_to_first_free(
        &self,
        from: &Path,
        name: impl Fn(usize) -> PathBuf,
    ) -> io::Result<PathBuf> {
        let mut count = 0;
        loop {
            let to = name(count);
            match move_new(self.fs, from, &to) {
                Ok(()) => return Ok(to),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => count += 1,
                Err(error) => return Err(error),
            }
        }
    }
}
