//! Collecting changes: every file is read and captured at the moment it is named.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::capture::{self, HardLinks, Original};
use crate::edit::{self, Edit};
use crate::entry::{self, Action, Entry};
use crate::folders::Folders;
use crate::fs::Fs;
use crate::paths::{self, RealPath, Symlinks};
use crate::real_fs::RealFs;
use crate::recover::{self, Report};
use crate::staged::{Staged, fresh_id};
use crate::{ContentHash, Error};

/// How files are taken into a stage.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StageOptions {
    /// What becomes of a symbolic link in the last component of a path.
    pub symlinks: Symlinks,
    /// What becomes of a file with several names.
    pub hard_links: HardLinks,
    /// The most bytes that captured and new contents may have together. They are held in memory
    /// and, for a moment, on disk beside the originals. Default 256 MiB.
    pub max_bytes: u64,
}

impl Default for StageOptions {
    fn default() -> Self {
        Self {
            symlinks: Symlinks::default(),
            hard_links: HardLinks::default(),
            max_bytes: 256 << 20,
        }
    }
}

/// A set of changes under construction. Nothing on disk is touched until
/// [`Staged::commit`].
///
/// Paths are relative to the root, or absolute beneath it. A path's links are followed once, here,
/// and the real file is what the stage is about from then on.
#[derive(Debug)]
pub struct Stage {
    fs: Arc<dyn Fs>,
    options: StageOptions,
    recovered: Report,
    folders: Folders,
    entries: Vec<Entry>,
    bytes: u64,
}

impl Stage {
    /// Begins a stage for the checkout at `root`, with the default options.
    ///
    /// A transaction that a crash left unfinished is brought to its end first: see
    /// [`recovered`](Self::recovered).
    ///
    /// # Errors
    ///
    /// [`Error::Root`] if `root` is no directory that can be opened; what
    /// [`recover`](crate::recover()) reports, except that a commit running in another process is
    /// none of a stage's business.
    pub fn new(root: impl AsRef<Path>) -> Result<Self, Error> {
        Self::with_options(root, StageOptions::default())
    }

    /// Begins a stage with other options.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_options(root: impl AsRef<Path>, options: StageOptions) -> Result<Self, Error> {
        Self::on(open(root.as_ref())?, options)
    }

    /// Begins a stage on any file system.
    pub(crate) fn on(fs: Arc<dyn Fs>, options: StageOptions) -> Result<Self, Error> {
        let recovered = match recover::if_needed(&*fs) {
            // A live commit owns what lies there.
            Err(Error::Busy { .. }) => Report::default(),
            other => other?,
        };
        Ok(Self {
            fs,
            options,
            recovered,
            folders: Folders::default(),
            entries: Vec::new(),
            bytes: 0,
        })
    }

    /// What was recovered when this stage began; usually nothing.
    pub fn recovered(&self) -> &Report {
        &self.recovered
    }

    /// Stages edits to a file. An empty list is accepted and changes nothing.
    ///
    /// # Errors
    ///
    /// The file is missing, not a regular file, outside the root, read-only, hard-linked or over
    /// the size limit; the edits collide or lie outside of it.
    pub fn replace(
        &mut self,
        path: impl AsRef<Path>,
        edits: Vec<Edit>,
    ) -> Result<&mut Self, Error> {
        self.edit(path.as_ref(), None, edits)
    }

    /// Like [`replace`](Self::replace), if the file's content still is what the caller has seen:
    /// what was searched is what is staged.
    ///
    /// # Errors
    ///
    /// [`Error::NotAsSeen`] if the content has another hash, else as [`replace`](Self::replace).
    pub fn replace_if(
        &mut self,
        path: impl AsRef<Path>,
        expected: ContentHash,
        edits: Vec<Edit>,
    ) -> Result<&mut Self, Error> {
        self.edit(path.as_ref(), Some(expected), edits)
    }

    /// Stages whole new content for a file, which is created if it does not exist.
    ///
    /// # Errors
    ///
    /// As [`replace`](Self::replace) for the file, if there is one.
    pub fn write(
        &mut self,
        path: impl AsRef<Path>,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<&mut Self, Error> {
        let real = paths::resolve(&*self.fs, path.as_ref(), self.options.symlinks)?;
        match self.capture(&real, None) {
            Ok(original) => self.push(real.path, Action::Write(bytes.into()), Some(original)),
            Err(Error::Missing { .. }) => self.push(real.path, Action::Create(bytes.into()), None),
            Err(other) => Err(other),
        }
    }

    /// Stages whole new content for a file whose content still is what the caller has seen.
    ///
    /// # Errors
    ///
    /// As [`replace_if`](Self::replace_if).
    pub fn write_if(
        &mut self,
        path: impl AsRef<Path>,
        expected: ContentHash,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<&mut Self, Error> {
        let real = paths::resolve(&*self.fs, path.as_ref(), self.options.symlinks)?;
        let original = self.capture(&real, Some(expected))?;
        self.push(real.path, Action::Write(bytes.into()), Some(original))
    }

    /// Stages a new file. Folders that are missing are made with it. Whether the name is free is
    /// checked by [`finish`](Self::finish), when all operations are known.
    ///
    /// # Errors
    ///
    /// The path is outside the root or reserved, or the size limit is passed.
    pub fn create(
        &mut self,
        path: impl AsRef<Path>,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<&mut Self, Error> {
        let real = paths::resolve(&*self.fs, path.as_ref(), self.options.symlinks)?;
        self.push(real.path, Action::Create(bytes.into()), None)
    }

    /// Stages the removal of a file.
    ///
    /// # Errors
    ///
    /// As [`replace`](Self::replace); a symbolic link is refused, not followed.
    pub fn delete(&mut self, path: impl AsRef<Path>) -> Result<&mut Self, Error> {
        let real = paths::resolve(&*self.fs, path.as_ref(), Symlinks::Refuse)?;
        let original = self.capture(&real, None)?;
        self.push(real.path, Action::Delete, Some(original))
    }

    /// Stages another name for a file. Chains and swaps are possible within one stage; whether
    /// the new name is free is checked by [`finish`](Self::finish).
    ///
    /// The content moves with its mode, owner, attributes and modification time into a new inode.
    ///
    /// # Errors
    ///
    /// As [`replace`](Self::replace); symbolic links are refused, not followed.
    pub fn rename(
        &mut self,
        from: impl AsRef<Path>,
        to: impl AsRef<Path>,
    ) -> Result<&mut Self, Error> {
        self.rename_edited(from, to, Vec::new())
    }

    /// Stages another name for a file together with edits to its captured content.
    ///
    /// # Errors
    ///
    /// As [`rename`](Self::rename) and [`replace`](Self::replace).
    pub fn rename_edited(
        &mut self,
        from: impl AsRef<Path>,
        to: impl AsRef<Path>,
        edits: Vec<Edit>,
    ) -> Result<&mut Self, Error> {
        let from = paths::resolve(&*self.fs, from.as_ref(), Symlinks::Refuse)?;
        let to = paths::resolve(&*self.fs, to.as_ref(), Symlinks::Refuse)?;
        if from.path == to.path {
            return Err(Error::Exists { path: to.path });
        }
        let original = self.capture(&from, None)?;
        edit::check(&from.path, original.bytes.len(), &edits)?;
        self.push(
            from.path,
            Action::Rename { to: to.path, edits },
            Some(original),
        )
    }

    /// Ends the collecting: operations that change nothing are dropped, and the rest is checked
    /// as a whole.
    ///
    /// # Errors
    ///
    /// Two operations change one path, a file would be created where something is, two paths are
    /// one file, a path would be inside a file, or a folder to create in is read-only.
    pub fn finish(self) -> Result<Staged, Error> {
        let mut entries = self.entries;
        entries.retain(|entry| !entry.is_idle());
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        check_free(&*self.fs, &entries)?;
        let id = fresh_id(&*self.fs);
        Ok(Staged::new(self.fs, id, entries))
    }

    fn edit(
        &mut self,
        given: &Path,
        expected: Option<ContentHash>,
        edits: Vec<Edit>,
    ) -> Result<&mut Self, Error> {
        let real = paths::resolve(&*self.fs, given, self.options.symlinks)?;
        let original = self.capture(&real, expected)?;
        edit::check(&real.path, original.bytes.len(), &edits)?;
        self.push(real.path, Action::Edit(edits), Some(original))
    }

    /// Reads the file at a real path, after a look at its size.
    fn capture(
        &mut self,
        real: &RealPath,
        expected: Option<ContentHash>,
    ) -> Result<Original, Error> {
        let RealPath { path: real, len } = real;
        self.fits(real, *len)?;
        let original =
            capture::capture(&*self.fs, &mut self.folders, real, self.options.hard_links)?;
        match expected {
            Some(expected) if expected != original.captured.hash => Err(Error::NotAsSeen {
                path: real.clone(),
                expected,
                found: original.captured.hash,
            }),
            _ => Ok(original),
        }
    }

    /// Checks that `more` bytes can be added for `path`; says how many there are then.
    fn fits(&self, path: &Path, more: u64) -> Result<u64, Error> {
        let (bytes, limit) = (self.bytes.saturating_add(more), self.options.max_bytes);
        if bytes > limit {
            return Err(Error::TooLarge {
                path: path.to_path_buf(),
                bytes,
                limit,
            });
        }
        Ok(bytes)
    }

    /// Adds an operation if it fits.
    fn push(
        &mut self,
        path: PathBuf,
        action: Action,
        original: Option<Original>,
    ) -> Result<&mut Self, Error> {
        let entry = Entry {
            path,
            action,
            original,
        };
        let new = entry.result().map_or(0, |bytes| bytes.len());
        self.bytes = self.fits(&entry.path, (entry.old().len() + new) as u64)?;
        self.entries.push(entry);
        Ok(self)
    }
}

/// Opens a root for staging, committing and recovering.
pub(crate) fn open(root: &Path) -> Result<Arc<dyn Fs>, Error> {
    match RealFs::open(root) {
        Ok(fs) => Ok(Arc::new(fs)),
        Err(source) => Err(Error::Root {
            path: root.to_path_buf(),
            source,
        }),
    }
}

/// Checks that what is to be created has a free name in a folder that can take it.
pub(crate) fn check_free(fs: &dyn Fs, entries: &[Entry]) -> Result<(), Error> {
    let slots = entry::slots(entries)?;
    let mut folders = Folders::default();
    let leaves = |path: &Path| {
        slots
            .iter()
            .any(|slot| slot.path == path && slot.new.is_none())
    };
    for slot in slots.iter().filter(|slot| slot.old.is_none()) {
        let path = slot.path.to_path_buf();
        if let Some(stat) = fs.stat(&path).map_err(Error::io("looking at", &path))? {
            // On a file system without case the new name may find the file under its old one.
            let moves = slots.iter().any(|other| {
                other.new.is_none() && other.old.is_some_and(|old| old.is_file(&stat))
            });
            if !moves {
                return Err(Error::Exists { path });
            }
        }
        match folders.read_only_above(fs, &path) {
            Ok(None) => {}
            Ok(Some(what)) => return Err(Error::ReadOnly { path, what }),
            // A file that makes way for a folder.
            Err(Error::NotAFolder { path: file, .. }) if leaves(&file) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(())
}
