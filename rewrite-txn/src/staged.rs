//! A finished set of changes: what it holds, its diff, a selection from it, its commit.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::capture::Captured;
use crate::commit::{self, Committed};
use crate::diff::{self, Diff, DiffOptions};
use crate::edit::Edit;
use crate::entry::{self, Action, Entry};
use crate::fs::Fs;
use crate::stage::check_free;
use crate::{CommitError, Error, id, state, store};

/// What a commit survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Durability {
    /// All or nothing after a power cut at any moment, and durable when the commit returns. Waits
    /// for the disk a few times, however many files there are.
    #[default]
    PowerLoss,
    /// All or nothing after a crash of this process at any moment. Does not wait for the disk: a
    /// power cut within the next half minute may leave some files old and others new.
    ProcessCrash,
}

/// How a commit is to be done.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CommitOptions {
    /// What it must survive. Default [`Durability::PowerLoss`].
    pub durability: Durability,
    /// How long a commit of somebody else in the same checkout is waited for. Default 2 s: a
    /// commit of a thousand files takes less.
    pub lock_wait: Duration,
}

impl Default for CommitOptions {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            lock_wait: Duration::from_secs(2),
        }
    }
}

impl CommitOptions {
    /// Default options with this durability.
    pub fn new(durability: Durability) -> Self {
        Self {
            durability,
            ..Self::default()
        }
    }

    /// The same with another patience.
    #[must_use]
    pub fn lock_wait(mut self, lock_wait: Duration) -> Self {
        self.lock_wait = lock_wait;
        self
    }
}

/// What happens to a staged file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// Its content is replaced.
    Modify,
    /// It is created.
    Create,
    /// It is removed.
    Delete,
    /// It gets another name, and perhaps edits.
    Rename,
}

/// One file of a stage.
#[derive(Clone, Copy, Debug)]
pub struct StagedFile<'a> {
    entry: &'a Entry,
}

impl<'a> StagedFile<'a> {
    /// Real path inside the root, before the change.
    pub fn path(&self) -> &'a Path {
        &self.entry.path
    }

    /// The new name, for a rename.
    pub fn renamed_to(&self) -> Option<&'a Path> {
        match &self.entry.action {
            Action::Rename { to, .. } => Some(to),
            _ => None,
        }
    }

    /// What happens to it.
    pub fn kind(&self) -> ChangeKind {
        match &self.entry.action {
            Action::Edit(_) | Action::Write(_) => ChangeKind::Modify,
            Action::Create(_) => ChangeKind::Create,
            Action::Delete => ChangeKind::Delete,
            Action::Rename { .. } => ChangeKind::Rename,
        }
    }

    /// What it was when it was staged; none for a file to create.
    pub fn captured(&self) -> Option<&'a Captured> {
        self.entry
            .original
            .as_ref()
            .map(|original| &original.captured)
    }

    /// The edits; empty when the whole content is replaced, created or deleted.
    pub fn edits(&self) -> &'a [Edit] {
        self.entry.edits()
    }

    /// The captured bytes; none for a file to create.
    pub fn old_bytes(&self) -> Option<&'a [u8]> {
        self.entry
            .original
            .as_ref()
            .map(|original| original.bytes.as_slice())
    }

    /// The bytes after the commit; none for a file to delete.
    pub fn new_bytes(&self) -> Option<Cow<'a, [u8]>> {
        self.entry.result()
    }
}

/// A complete, checked set of changes, ready to be looked at and committed as a whole.
///
/// A stage outlives a refused commit: fix what drifted, or take
/// [`without`](Self::without) the drifted files, and commit again.
#[derive(Debug)]
pub struct Staged {
    pub(crate) fs: Arc<dyn Fs>,
    id: String,
    pub(crate) entries: Vec<Entry>,
    /// The stage in the store that this is, or is a part of.
    kept: Option<String>,
    committed: bool,
}

impl Staged {
    pub(crate) fn new(fs: Arc<dyn Fs>, id: String, entries: Vec<Entry>) -> Self {
        Self {
            fs,
            id,
            entries,
            kept: None,
            committed: false,
        }
    }

    /// The same, as what the store keeps under the id `kept`.
    pub(crate) fn kept_as(mut self, kept: Option<String>) -> Self {
        self.kept = kept;
        self
    }

    /// A short name for this stage, such as `s-7k2m`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The root of the checkout.
    pub fn root(&self) -> &Path {
        self.fs.root()
    }

    /// The files in path order.
    pub fn files(&self) -> impl ExactSizeIterator<Item = StagedFile<'_>> {
        self.entries.iter().map(|entry| StagedFile { entry })
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The names of all sites, sorted, each once.
    pub fn sites(&self) -> Vec<&str> {
        let sites = self.entries.iter().flat_map(Entry::edits);
        let sites: BTreeSet<&str> = sites.filter_map(|edit| edit.site.as_deref()).collect();
        sites.into_iter().collect()
    }

    /// The change as a unified diff.
    pub fn diff(&self, options: &DiffOptions) -> Diff {
        diff::render(&self.entries, options)
    }

    /// A new stage that leaves out whole files and single sites, by their names. What was captured
    /// stays captured; this stage is not changed. The new one takes its place: if this one came
    /// from a [`StageStore`](crate::StageStore), the commit of the new one removes it there.
    ///
    /// # Errors
    ///
    /// [`Error::NotInStage`] if a name is unknown; the errors of
    /// [`Stage::finish`](crate::Stage::finish) if what is left makes no sense alone, such as one
    /// half of a swap.
    pub fn without<P: AsRef<Path>, S: AsRef<str>>(
        &self,
        files: &[P],
        sites: &[S],
    ) -> Result<Self, Error> {
        let files: BTreeSet<&Path> = files.iter().map(AsRef::as_ref).collect();
        let sites: BTreeSet<&str> = sites.iter().map(AsRef::as_ref).collect();
        self.check_known(&files, &sites)?;
        let keep = |edit: &Edit| {
            edit.site
                .as_deref()
                .is_none_or(|site| !sites.contains(site))
        };
        let mut entries = self.entries.clone();
        entries.retain_mut(|entry| {
            if let Action::Edit(edits) | Action::Rename { edits, .. } = &mut entry.action {
                edits.retain(keep);
            }
            !files.contains(entry.path.as_path()) && !entry.is_idle()
        });
        check_free(&*self.fs, &entries)?;
        let fs = Arc::clone(&self.fs);
        let id = fresh_id(&*fs);
        Ok(Self::new(fs, id, entries).kept_as(self.kept.clone()))
    }

    fn check_known(&self, files: &BTreeSet<&Path>, sites: &BTreeSet<&str>) -> Result<(), Error> {
        let known_files: BTreeSet<&Path> = self.files().map(|file| file.path()).collect();
        let known_sites: BTreeSet<&str> = self.sites().into_iter().collect();
        let files = files
            .difference(&known_files)
            .map(|path| format!("file {}", path.display()));
        let sites = sites
            .difference(&known_sites)
            .map(|site| format!("site {site}"));
        let unknown: Vec<String> = files.chain(sites).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        Err(Error::NotInStage {
            id: self.id.clone(),
            names: unknown.join(", "),
        })
    }

    /// Changes all files or none, waiting up to two seconds for another commit in the same
    /// checkout. See the crate's documentation for the promise.
    ///
    /// A stage that was loaded from a [`StageStore`](crate::StageStore) is removed from it as a
    /// part of the commit: after a crash and its recovery it is kept if and only if every file is
    /// as it was before.
    ///
    /// # Errors
    ///
    /// [`CommitError`]; after each of its variants but `Indeterminate` the tree is as it was.
    pub fn commit(&mut self, durability: Durability) -> Result<Committed, CommitError> {
        self.commit_with(&CommitOptions::new(durability))
    }

    /// Changes all files or none.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    pub fn commit_with(&mut self, options: &CommitOptions) -> Result<Committed, CommitError> {
        if self.committed {
            return Err(CommitError::Spent {
                id: self.id.clone(),
            });
        }
        let committed = commit::run(
            &*self.fs,
            &self.id,
            self.kept.as_deref(),
            &self.entries,
            options,
        )?;
        self.committed = true;
        Ok(committed)
    }

    /// Looks whether a commit would be refused now, without changing any of the files: for who has
    /// something costly to do before it. It promises nothing, a commit looks again; and while a
    /// crashed commit of the same checkout waits for its recovery, nothing is looked at.
    ///
    /// # Errors
    ///
    /// [`CommitError::Drifted`] with every file that is not as it was captured,
    /// [`CommitError::Spent`], [`CommitError::Busy`] and [`CommitError::Failed`] as
    /// [`commit_with`](Self::commit_with).
    pub fn check(&self, options: &CommitOptions) -> Result<(), CommitError> {
        if self.committed {
            return Err(CommitError::Spent {
                id: self.id.clone(),
            });
        }
        commit::check(&*self.fs, &self.id, &self.entries, options.lock_wait)
    }

    /// Gives the stage up. Nothing of it is on disk, unless a [`StageStore`](crate::StageStore)
    /// keeps it: that one is asked to remove it.
    pub fn discard(self) {}

    /// The paths that the commit changes, both names of a rename among them, in path order.
    ///
    /// # Errors
    ///
    /// None for a stage that was finished; the check is repeated.
    pub fn paths(&self) -> Result<Vec<PathBuf>, Error> {
        Ok(entry::slots(&self.entries)?
            .iter()
            .map(|slot| slot.path.to_path_buf())
            .collect())
    }
}

/// An id that neither a kept stage nor a transaction has.
pub(crate) fn fresh_id(fs: &dyn Fs) -> String {
    // When the disk cannot be asked, chance has to do.
    let free = |path: &Path| !matches!(fs.stat(path), Ok(Some(_)));
    id::fresh(|id| {
        free(&store::file_of(id)) && free(&state::txn_dir(id)) && free(&state::done_dir(id))
    })
}
