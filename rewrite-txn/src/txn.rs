//! One attempt at a commit: plan, prepare, apply, decide, close; or take back.
//!
//! A commit that survives a power cut waits for the disk three times, and no wait can be left out:
//!
//! 1. for the new contents and the journal's, before the journal gets its name: a journal that counts
//!    speaks only of what is on disk, and no name that is exchanged later leads to an empty file;
//! 2. for the journal's name, before the first exchange: the disk may keep an exchange and lose an
//!    earlier name, and then nothing would tell what to take back;
//! 3. for the decision and all the names that were exchanged, before the caller is told, and before
//!    the old contents are removed, without which a name that got lost could not be given again.
//!
//! A fourth comes before the removal where something was deleted ([`recover::close`]), and one more
//! at the begin where side files lie outside the transaction's folder, for what names them. What is
//! waited for is one call for the whole file system if there is more than a few of it ([`sync`]). The
//! removal itself is not waited for.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::entry::{NewContent, Slot};
use crate::folders::{Folder, Folders};
use crate::fs::{Attrs, Fs, Look, WriteError, Writers, cross_device, unsupported};
use crate::journal::{Journal, JournalSlot, SIBLING_PREFIX, Step, spare};
use crate::recover::{self, Conflict, DECIDED, INTENT, JOURNAL, JOURNAL_DRAFT};
use crate::slot::{Mover, move_new};
use crate::verify::{self, Facts};
use crate::{Drift, DriftedFile, Error, Guarantee, state, sync};

/// Why an attempt did not succeed.
pub(crate) enum Trouble {
    Drift(Vec<DriftedFile>),
    Failed(Box<Error>),
    /// A side file cannot be exchanged with its target because they are on different mounts.
    CrossDevice,
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Failed(Box::new(error))
    }
}

/// How a transaction ended that did not succeed.
pub(crate) enum Ended {
    /// All is as before.
    TakenBack(Trouble, Vec<Conflict>),
    /// Taking back failed as well.
    Indeterminate(Trouble, Box<Error>),
}

/// One attempt.
pub(crate) struct Txn<'a> {
    fs: &'a dyn Fs,
    id: &'a str,
    dir: PathBuf,
    slots: &'a [Slot<'a>],
    /// What was found at each captured path.
    facts: BTreeMap<&'a Path, Facts<'a>>,
    journal: Journal,
    /// Whether side files lie outside the transaction's folder.
    scattered: bool,
    durable: bool,
    pub(crate) guarantee: Guarantee,
}

impl<'a> Txn<'a> {
    /// Verifies every file and lays out where everything will lie. Changes nothing.
    pub(crate) fn plan(
        fs: &'a dyn Fs,
        id: &'a str,
        kept: Option<&str>,
        slots: &'a [Slot<'a>],
        durable: bool,
        siblings: bool,
    ) -> Result<Self, Trouble> {
        let facts = verify::all(fs, slots).map_err(Trouble::Drift)?;
        let dir = state::txn_dir(id);
        let root = state::txn_root();
        let home = fs
            .stat(&root)
            .map_err(Error::io("looking at", &root))?
            .map(|stat| stat.dev);
        let mut asked = Folders::default();
        let mut folders = BTreeSet::new();
        let mut scattered = false;
        let mut entries = Vec::with_capacity(slots.len());
        for (index, slot) in slots.iter().enumerate() {
            let leaves = |path: &Path| {
                slots
                    .iter()
                    .any(|other| other.path == path && other.new.is_none())
            };
            let Folder {
                path: folder,
                dev: device,
                ..
            } = place(fs, &mut asked, slot.path, leaves)?;
            if slot.new.is_some() {
                let missing = slot
                    .path
                    .ancestors()
                    .skip(1)
                    .take_while(|above| **above != folder);
                folders.extend(missing.map(Path::to_path_buf));
            }
            let side = if siblings || Some(device) != home {
                scattered = true;
                let mut name = OsString::from(SIBLING_PREFIX);
                name.push(format!("{id}-{index}"));
                folder.join(name)
            } else {
                dir.join(index.to_string())
            };
            let step = match (
                slot.old.map(|old| old.captured.hash),
                slot.new.as_ref().map(NewContent::hash),
            ) {
                (Some(old), Some(new)) => Step::Modify { old, new },
                (None, Some(new)) => Step::Create { new },
                (Some(old), None) => Step::Delete { old },
                (None, None) => continue,
            };
            entries.push(JournalSlot {
                path: slot.path.to_path_buf(),
                side,
                step,
            });
        }
        // In path order, so outer folders come first.
        let journal = Journal {
            folders: folders.into_iter().collect(),
            slots: entries,
            kept: kept.map(str::to_owned),
        };
        let guarantee = Guarantee::Full;
        Ok(Self {
            fs,
            id,
            dir,
            slots,
            facts,
            journal,
            scattered,
            durable,
            guarantee,
        })
    }

    /// Carries it out; `Ok` means durable as asked.
    pub(crate) fn run(&mut self) -> Result<(), Ended> {
        if let Err(error) = self.prepare() {
            self.clean();
            return Err(Ended::TakenBack(error.into(), Vec::new()));
        }
        if let Err(trouble) = self.apply() {
            return Err(self.take_back(trouble));
        }
        self.decide()?;
        if let Err(error) = recover::close(self.fs, self.id, &self.journal, self.durable) {
            tracing::warn!(id = self.id, %error, "committed; leftovers stay until the next recovery");
        }
        Ok(())
    }

    /// Everything up to the journal. Touches no target.
    fn prepare(&self) -> Result<(), Error> {
        let (fs, dir) = (self.fs, self.dir.as_path());
        fs.make_dir(dir, 0o700).map_err(Error::io("making", dir))?;
        let journal = self.journal.encode();
        if self.scattered {
            let intent = dir.join(INTENT);
            self.write(&intent, &intent, &journal, None)?;
            if self.durable {
                fs.sync_file(&intent)
                    .map_err(Error::io("writing to disk", &intent))?;
                sync::names(fs, &[dir.to_path_buf(), state::txn_root()].into())?;
            }
        }
        let mut sides = Vec::with_capacity(self.slots.len());
        for (slot, entry) in self.slots.iter().zip(&self.journal.slots) {
            if let Some(new) = &slot.new {
                let heir = new.heir_of.and_then(|path| self.facts.get(path));
                let attrs = heir.map(|facts| facts.attrs(new.moved));
                self.write(&entry.side, &entry.path, &new.bytes, attrs.as_ref())?;
                sides.push(entry.side.as_path());
            }
        }
        let draft = dir.join(JOURNAL_DRAFT);
        self.write(&draft, &draft, &journal, None)?;
        if self.durable {
            // One wait for all contents, the journal's among them; it counts only under its final
            // name, which it gets when all it speaks of is on disk.
            sides.push(&draft);
            let parents = sides.iter().filter_map(|file| file.parent());
            let mut folders: BTreeSet<_> = parents.map(Path::to_path_buf).collect();
            folders.insert(state::txn_root());
            sync::contents(fs, &sides, &folders)?;
        }
        let final_name = dir.join(JOURNAL);
        fs.rename(&draft, &final_name)
            .map_err(Error::io("writing", &final_name))?;
        if self.durable {
            fs.sync_dir(dir)
                .map_err(Error::io("writing to disk", dir))?;
        }
        Ok(())
    }

    /// Writes a file of ours; an error names `about`.
    fn write(
        &self,
        path: &Path,
        about: &Path,
        bytes: &[u8],
        attrs: Option<&Attrs>,
    ) -> Result<(), Error> {
        self.fs
            .write_new(path, bytes, attrs)
            .map_err(|error| match error {
                WriteError::Io(source) => Error::Io {
                    doing: "preparing",
                    path: about.to_path_buf(),
                    source,
                },
                WriteError::Attribute(what, source) => Error::AttributeLost {
                    path: about.to_path_buf(),
                    what,
                    source,
                },
            })
    }

    /// Moves every file: first those that go, then folders, then what is replaced and created.
    fn apply(&mut self) -> Result<(), Trouble> {
        let slots = std::mem::take(&mut self.journal.slots);
        let result = self.apply_all(&slots);
        self.journal.slots = slots;
        result
    }

    fn apply_all(&mut self, slots: &[JournalSlot]) -> Result<(), Trouble> {
        for slot in slots {
            if let Step::Delete { .. } = slot.step {
                self.displace(slot)?;
            }
        }
        for folder in &self.journal.folders {
            recover::make_folder(self.fs, folder)?;
        }
        for slot in slots {
            match slot.step {
                Step::Modify { .. } => self.replace(slot)?,
                Step::Create { .. } => {
                    let moved = move_new(self.fs, &slot.side, &slot.path);
                    moved.map_err(|error| trouble(slot, "creating", error))?;
                }
                Step::Delete { .. } => {}
            }
        }
        Ok(())
    }

    fn displace(&mut self, slot: &JournalSlot) -> Result<(), Trouble> {
        let moved = move_new(self.fs, &slot.path, &slot.side);
        moved.map_err(|error| trouble(slot, "removing", error))?;
        self.inspect(slot, &slot.side)
    }

    fn replace(&mut self, slot: &JournalSlot) -> Result<(), Trouble> {
        match self.fs.exchange(&slot.side, &slot.path) {
            Ok(()) => self.inspect(slot, &slot.side),
            Err(error) if unsupported(&error) => self.replace_in_two(slot),
            Err(error) => Err(trouble(slot, "replacing", error)),
        }
    }

    /// Without an exchange: the old file gets a second name, then the new one is put over the
    /// first.
    fn replace_in_two(&mut self, slot: &JournalSlot) -> Result<(), Trouble> {
        self.guarantee = Guarantee::NoExchange;
        let displaced = spare(&slot.side);
        let linked = self.fs.link(&slot.path, &displaced);
        linked.map_err(|error| trouble(slot, "keeping", error))?;
        self.inspect(slot, &displaced)?;
        let renamed = self.fs.rename(&slot.side, &slot.path);
        renamed.map_err(|error| trouble(slot, "replacing", error))?;
        self.inspect(slot, &displaced)
    }

    /// Looks at a file that has been displaced: it must be what was captured, and nobody may be
    /// able to write to it any more.
    fn inspect(&mut self, slot: &JournalSlot, displaced: &Path) -> Result<(), Trouble> {
        let drift = |why| {
            Trouble::Drift(vec![DriftedFile {
                path: slot.path.clone(),
                why,
            }])
        };
        let looked = self.fs.look_leased(displaced);
        let (look, writers) = looked.map_err(Error::io("checking the displaced", &slot.path))?;
        let content = match look {
            Look::File(content) => content,
            Look::Other(kind) => return Err(drift(Drift::TypeChanged(kind))),
            Look::Absent => return Err(drift(Drift::Vanished)),
        };
        match writers {
            Writers::None => {}
            Writers::Some => return Err(drift(Drift::OpenForWriting)),
            Writers::Unknown => self.guarantee = self.guarantee.min(Guarantee::NoLease),
        }
        let facts = self.facts.get(slot.path.as_path());
        if facts.is_none_or(|facts| facts.original.bytes != content.bytes) {
            return Err(drift(Drift::Changed {
                found: content.hash(),
            }));
        }
        if facts.is_some_and(|facts| !facts.stat.same_rights(&content.stat)) {
            return Err(drift(Drift::AttributesChanged));
        }
        Ok(())
    }

    /// Decides: the journal gets the name under which recovery goes forward, and one wait makes
    /// that name and those of all the files durable. Which of them a power cut keeps does not
    /// matter: what has moved without the decision is taken back, what has not moved with it is
    /// moved. When this returns `Ok` the transaction goes forward whatever happens.
    fn decide(&self) -> Result<(), Ended> {
        let (journal, decided) = (self.dir.join(JOURNAL), self.dir.join(DECIDED));
        if let Err(error) = self.fs.rename(&journal, &decided) {
            return Err(self.take_back(Error::io("deciding in", &self.dir)(error).into()));
        }
        if !self.durable {
            return Ok(());
        }
        let mut folders = recover::touched(&self.journal);
        folders.insert(self.dir.clone());
        let Err(error) = sync::names(self.fs, &folders) else {
            return Ok(());
        };
        let trouble = Trouble::from(error);
        // The decision may or may not be on disk: it must be known to be gone before anything else.
        let revoked = self
            .fs
            .rename(&decided, &journal)
            .and_then(|()| self.fs.sync_dir(&self.dir));
        match revoked {
            Ok(()) => Err(self.take_back(trouble)),
            Err(error) => {
                let undo = Box::new(Error::io("revoking the decision in", &self.dir)(error));
                Err(Ended::Indeterminate(trouble, undo))
            }
        }
    }

    fn take_back(&self, trouble: Trouble) -> Ended {
        let mut mover = Mover {
            fs: self.fs,
            id: self.id,
            conflicts: Vec::new(),
        };
        match recover::undo(&mut mover, &self.journal, &self.dir, self.durable) {
            Ok(()) => Ended::TakenBack(trouble, mover.conflicts),
            Err(undo) => Ended::Indeterminate(trouble, Box::new(undo)),
        }
    }

    /// Removes the preparations of an attempt that has no journal.
    fn clean(&self) {
        let journal = self.dir.join(JOURNAL);
        // The journal may have got its name before a later sync failed.
        let removed = match self.fs.unlink(&journal) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::Io {
                doing: "removing",
                path: journal,
                source: error,
            }),
            _ => recover::remove_unjournaled(self.fs, &self.dir),
        };
        if let Err(error) = removed {
            tracing::warn!(id = self.id, %error, "leftovers stay until the next recovery");
        }
    }
}

/// What an error of the system while a file is moved means.
fn trouble(slot: &JournalSlot, doing: &'static str, source: std::io::Error) -> Trouble {
    let why = match source.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            if slot.step.before().is_some() =>
        {
            Drift::Vanished
        }
        std::io::ErrorKind::AlreadyExists if slot.step.before().is_none() => Drift::Appeared,
        _ if cross_device(&source) => return Trouble::CrossDevice,
        _ => {
            return Trouble::from(Error::Io {
                doing,
                path: slot.path.clone(),
                source,
            });
        }
    };
    Trouble::Drift(vec![DriftedFile {
        path: slot.path.clone(),
        why,
    }])
}

/// The nearest folder of `path` that exists and stays.
fn place(
    fs: &dyn Fs,
    folders: &mut Folders,
    path: &Path,
    leaves: impl Fn(&Path) -> bool,
) -> Result<Folder, Error> {
    match folders.above(fs, path) {
        // A file that makes way for a folder.
        Err(Error::NotAFolder { path: file, .. }) if leaves(&file) => folders.above(fs, &file),
        other => other,
    }
}
