//! Stages kept on disk, so that one process can show a change and the next can resolve it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::fs::{Fs, Lock, Look, WriteError};
use crate::paths::STATE;
use crate::staged::Staged;
use crate::stored::Stored;
use crate::{Error, id, stage, state};

/// How much a [`StageStore`] keeps.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StoreLimits {
    /// The most stages. When one more comes the oldest go. Default 20: more changes than that are
    /// not being looked at.
    pub max_stages: usize,
    /// The greatest age. Default 7 days: the files have drifted by then.
    pub max_age: Duration,
    /// The most bytes of all stages together; the oldest go first. Default 512 MiB.
    pub max_bytes: u64,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self {
            max_stages: 20,
            max_age: Duration::from_secs(7 * 24 * 60 * 60),
            max_bytes: 512 << 20,
        }
    }
}

/// A stage that was removed to keep the limits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evicted {
    /// Its id.
    pub id: String,
    /// Which limit it was.
    pub why: Eviction,
}

/// Why a stage was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Eviction {
    /// It was older than the greatest age.
    Expired {
        /// How old it was.
        age: Duration,
    },
    /// There were too many, and it was the oldest.
    TooMany,
    /// They took too many bytes, and it was the oldest.
    TooLarge,
}

/// A stage in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptStage {
    /// Its id.
    pub id: String,
    /// When it was saved; for a damaged one when its file was written.
    pub saved: SystemTime,
    /// Its size on disk in bytes.
    pub bytes: u64,
    /// What it holds, or how its file is damaged.
    pub content: Result<StageContent, String>,
}

/// What a kept stage holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageContent {
    /// Its files in path order.
    pub files: Vec<PathBuf>,
    /// How many named sites it has.
    pub sites: usize,
}

/// The stages kept for a checkout, in `.fourfold/stages/`. They outlive the process; other
/// processes may use the store at the same time.
#[derive(Debug)]
pub struct StageStore {
    fs: Arc<dyn Fs>,
    limits: StoreLimits,
}

const EXTENSION: &str = "stage";

/// The extension of a stage while it is written.
const DRAFT: &str = "tmp";

/// How long another process is waited for that is saving or removing a stage.
const LOCK_WAIT: Duration = Duration::from_secs(2);

fn folder() -> PathBuf {
    Path::new(STATE).join("stages")
}

/// The file of a stage.
pub(crate) fn file_of(id: &str) -> PathBuf {
    folder().join(format!("{id}.{EXTENSION}"))
}

impl StageStore {
    /// Opens the store of the checkout at `root`. Nothing is made before a stage is saved.
    ///
    /// # Errors
    ///
    /// [`Error::Root`] if `root` is no directory that can be opened.
    pub fn open(root: impl AsRef<Path>, limits: StoreLimits) -> Result<Self, Error> {
        Ok(Self::on(stage::open(root.as_ref())?, limits))
    }

    pub(crate) fn on(fs: Arc<dyn Fs>, limits: StoreLimits) -> Self {
        Self { fs, limits }
    }

    /// Keeps a stage and says which others had to go for it. Saving the same stage again changes
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`Error::StageTooLarge`] if it alone breaks the limit, [`Error::IdTaken`] if a different
    /// stage has its id, [`Error::Busy`] or [`Error::Io`].
    pub fn save(&self, staged: &Staged) -> Result<Vec<Evicted>, Error> {
        self.save_at(staged, SystemTime::now())
    }

    pub(crate) fn save_at(&self, staged: &Staged, now: SystemTime) -> Result<Vec<Evicted>, Error> {
        let stored = Stored {
            id: staged.id().to_owned(),
            saved: now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            entries: staged.entries.clone(),
        };
        let file = stored.encode();
        let (bytes, limit) = (file.len() as u64, self.limits.max_bytes);
        if bytes > limit {
            return Err(Error::StageTooLarge {
                id: stored.id,
                bytes,
                limit,
            });
        }
        state::ensure(&*self.fs, &folder())?;
        let _lock = self.lock()?;
        let path = file_of(&stored.id);
        let present = self
            .fs
            .stat(&path)
            .map_err(Error::io("looking at", &path))?;
        if present.is_some() {
            return match self.read(&stored.id)? {
                known if known.entries == stored.entries => Ok(Vec::new()),
                _ => Err(Error::IdTaken { id: stored.id }),
            };
        }
        let evicted = self.evict(now, 1, bytes)?;
        let draft = path.with_extension(DRAFT);
        let written = self.write(&draft, &path, &file);
        if written.is_err()
            && let Err(error) = self.fs.unlink(&draft)
        {
            tracing::debug!(draft = %draft.display(), %error, "draft not removed");
        }
        written.map(|()| evicted)
    }

    /// Writes the file of a stage under another name first, so that it is there whole or not at
    /// all.
    fn write(&self, draft: &Path, path: &Path, file: &[u8]) -> Result<(), Error> {
        let fs = &*self.fs;
        fs.write_new(draft, file, None)
            .map_err(|error| match error {
                WriteError::Io(source) | WriteError::Attribute(_, source) => Error::Io {
                    doing: "keeping a stage in",
                    path: draft.to_path_buf(),
                    source,
                },
            })?;
        fs.sync_file(draft)
            .map_err(Error::io("writing to disk", draft))?;
        fs.rename_new(draft, path)
            .map_err(Error::io("keeping a stage in", path))
    }

    /// Reads a stage back. Files that have changed since are found by its commit, not here. Its
    /// commit removes it from the store.
    ///
    /// # Errors
    ///
    /// [`Error::BadId`], [`Error::NoSuchStage`], [`Error::StageDamaged`] or [`Error::Io`].
    pub fn load(&self, id: &str) -> Result<Staged, Error> {
        let stored = self.read(id)?;
        let kept = Some(stored.id.clone());
        Ok(Staged::new(Arc::clone(&self.fs), stored.id, stored.entries).kept_as(kept))
    }

    /// All stages, the newest first, damaged ones among them.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the folder cannot be read.
    pub fn list(&self) -> Result<Vec<KeptStage>, Error> {
        let mut kept = Vec::new();
        for id in self.ids()? {
            let path = file_of(&id);
            let stat = self
                .fs
                .stat(&path)
                .map_err(Error::io("looking at", &path))?;
            // Removed by another process just now.
            let Some(stat) = stat else { continue };
            let written = u64::try_from(stat.mtime.0).unwrap_or(0);
            let (saved, content) = match self.read(&id) {
                Ok(stored) => (stored.saved, Ok(stored.summary())),
                Err(Error::StageDamaged { why, .. }) => (written, Err(why)),
                Err(Error::NoSuchStage { .. }) => continue,
                Err(other) => return Err(other),
            };
            let saved = UNIX_EPOCH + Duration::from_secs(saved);
            kept.push(KeptStage {
                id,
                saved,
                bytes: stat.len,
                content,
            });
        }
        kept.sort_by(|one, other| other.saved.cmp(&one.saved).then(one.id.cmp(&other.id)));
        Ok(kept)
    }

    /// Removes a stage, a damaged one too; says whether there was one.
    ///
    /// # Errors
    ///
    /// [`Error::BadId`] or [`Error::Io`].
    pub fn remove(&self, id: &str) -> Result<bool, Error> {
        unlink(&*self.fs, checked(id)?)
    }

    /// Removes what is over the limits now and says what it was; without a word what a crash has
    /// left of stages that were being saved.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] or [`Error::Io`].
    pub fn sweep(&self) -> Result<Vec<Evicted>, Error> {
        if self.ids()?.is_empty() && drafts(&*self.fs)?.is_empty() {
            return Ok(Vec::new());
        }
        let _lock = self.lock()?;
        self.evict(SystemTime::now(), 0, 0)
    }

    /// Makes room for `more` stages of `bytes` bytes. The caller holds the lock.
    fn evict(&self, now: SystemTime, more: usize, bytes: u64) -> Result<Vec<Evicted>, Error> {
        remove_drafts(&*self.fs)?;
        let kept = self.list()?;
        let mut evicted = Vec::new();
        let (mut count, mut sum) = (more, bytes);
        // The newest first: each stays as long as it fits.
        for stage in kept {
            let age = now.duration_since(stage.saved).unwrap_or_default();
            let why = if age > self.limits.max_age {
                Eviction::Expired { age }
            } else if count >= self.limits.max_stages {
                Eviction::TooMany
            } else if sum + stage.bytes > self.limits.max_bytes {
                Eviction::TooLarge
            } else {
                count += 1;
                sum += stage.bytes;
                continue;
            };
            self.remove(&stage.id)?;
            evicted.push(Evicted { id: stage.id, why });
        }
        Ok(evicted)
    }

    fn ids(&self) -> Result<Vec<String>, Error> {
        let names = names(&*self.fs)?;
        let ids = names
            .iter()
            .filter_map(|name| name.strip_suffix(EXTENSION)?.strip_suffix('.'));
        Ok(ids.filter(|id| id::is_id(id)).map(str::to_owned).collect())
    }

    fn read(&self, id: &str) -> Result<Stored, Error> {
        let path = checked(id)?;
        let damaged = |why: String| Error::StageDamaged {
            id: id.to_owned(),
            why,
        };
        let content = match self.fs.look(&path).map_err(Error::io("reading", &path))? {
            Look::File(content) => content,
            Look::Absent => return Err(Error::NoSuchStage { id: id.to_owned() }),
            Look::Other(kind) => return Err(damaged(format!("it is {kind}"))),
        };
        let stored =
            Stored::decode(&content.bytes).map_err(|damage| damaged(damage.to_string()))?;
        if stored.id != id {
            return Err(damaged(format!("it holds stage {}", stored.id)));
        }
        Ok(stored)
    }

    fn lock(&self) -> Result<Lock, Error> {
        lock(&*self.fs, LOCK_WAIT)
    }
}

fn lock(fs: &dyn Fs, wait: Duration) -> Result<Lock, Error> {
    state::lock_file(fs, folder().join("lock"), wait)
}

/// Removes the stage `id`, whose commit is carried through. It may be gone already.
pub(crate) fn forget(fs: &dyn Fs, id: &str, durable: bool) -> Result<(), Error> {
    if unlink(fs, file_of(id))? && durable {
        let folder = folder();
        fs.sync_dir(&folder)
            .map_err(Error::io("writing to disk", &folder))?;
    }
    Ok(())
}

/// Removes the file of a stage; says whether there was one.
fn unlink(fs: &dyn Fs, path: PathBuf) -> Result<bool, Error> {
    match fs.unlink(&path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(Error::Io {
            doing: "removing the stage",
            path,
            source,
        }),
    }
}

/// Removes drafts unless somebody is writing one. They are in nobody's way, so failing is no
/// trouble.
pub(crate) fn remove_abandoned_drafts(fs: &dyn Fs) {
    let removed = drafts(fs).and_then(|drafts| {
        if drafts.is_empty() {
            return Ok(());
        }
        let _lock = lock(fs, Duration::ZERO)?;
        remove_drafts(fs)
    });
    if let Err(error) = removed {
        tracing::debug!(%error, "drafts of stages not removed");
    }
}

/// Removes drafts that a crash has left. The caller holds the lock.
fn remove_drafts(fs: &dyn Fs) -> Result<(), Error> {
    for path in drafts(fs)? {
        fs.unlink(&path).map_err(Error::io("removing", &path))?;
    }
    Ok(())
}

/// The drafts that lie there; they may be in the making.
fn drafts(fs: &dyn Fs) -> Result<Vec<PathBuf>, Error> {
    let paths = names(fs)?.into_iter().map(|name| folder().join(name));
    Ok(paths
        .filter(|path| path.extension().is_some_and(|extension| extension == DRAFT))
        .collect())
}

fn names(fs: &dyn Fs) -> Result<Vec<String>, Error> {
    let folder = folder();
    let names = fs.list(&folder).map_err(Error::io("listing", &folder))?;
    Ok(names
        .into_iter()
        .filter_map(|name| name.into_string().ok())
        .collect())
}

fn checked(id: &str) -> Result<PathBuf, Error> {
    if id::is_id(id) {
        Ok(file_of(id))
    } else {
        Err(Error::BadId { id: id.to_owned() })
    }
}
