//! Bringing to an end what a crash left in the middle: back before the decision, forward after.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::codec::Damage;
use crate::fs::{Fs, Look};
use crate::journal::{Journal, JournalSlot, Step, spare};
use crate::slot::Mover;
use crate::{Error, id, stage, state, store, sync};

/// The file names in a transaction's folder, beside the numbered side files.
pub(crate) const JOURNAL: &str = "journal";
/// The journal while it is written.
pub(crate) const JOURNAL_DRAFT: &str = "journal.tmp";
/// The journal's name once the transaction is decided: under this name it goes forward, under the
/// other one back. One name, so that no order in which removals reach the disk turns one into the
/// other.
pub(crate) const DECIDED: &str = "committed";
/// Like the journal, written before side files that lie outside the folder.
pub(crate) const INTENT: &str = "intent";

/// What recovery did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The transactions that were found unfinished, in the order of their ids.
    pub transactions: Vec<RecoveredTxn>,
}

impl Report {
    /// Whether there was nothing to do.
    pub fn is_clean(&self) -> bool {
        self.transactions.is_empty()
    }
}

/// One unfinished transaction and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecoveredTxn {
    /// The id of its stage.
    pub id: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The paths it is about, in path order; none if it had not got as far as naming them.
    pub files: Vec<PathBuf>,
    /// The stage of the [`StageStore`](crate::StageStore) that it carries out or carries out a
    /// part of, if it was loaded from there. With [`Outcome::Redone`] it has been removed.
    pub kept: Option<String>,
    /// What was edited by others since the crash, and therefore left as it is.
    pub conflicts: Vec<Conflict>,
}

/// How many conflicts a sentence about a transaction tells.
const CONFLICTS_TOLD: usize = 3;

/// What became of it, in one sentence without its id. What others have changed is never passed over:
/// a few such files are named with the place of what was put aside, the others are counted.
impl fmt::Display for RecoveredTxn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (done, became) = match &self.outcome {
            Outcome::Removed => ("it had not begun to change anything", ""),
            Outcome::Undone => ("taken back", "every file is as it was before"),
            Outcome::Redone => ("finished", "every file is as it was staged"),
            Outcome::SetAside(place) => {
                let place = place.display();
                return write!(
                    out,
                    "its journal cannot be read, so nothing was changed; it was put into {place}"
                );
            }
        };
        out.write_str(done)?;
        if self.conflicts.is_empty() {
            return match became {
                "" => Ok(()),
                became => write!(out, ": {became}"),
            };
        }
        let count = self.conflicts.len();
        let files = if count == 1 {
            "1 file"
        } else {
            &format!("{count} files")
        };
        write!(out, ", except for {files} that others have changed since: ")?;
        for (at, conflict) in self.conflicts.iter().take(CONFLICTS_TOLD).enumerate() {
            let next = if at == 0 { "" } else { "; " };
            write!(out, "{next}{conflict}")?;
        }
        match count.saturating_sub(CONFLICTS_TOLD) {
            0 => Ok(()),
            more => write!(
                out,
                "; and {more} more (see {})",
                state::conflicts_dir().display()
            ),
        }
    }
}

/// What became of an unfinished transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// There was nothing to bring to an end: it had not begun to change anything, or it was
    /// carried through. What was left of its folder was removed.
    Removed,
    /// It was not decided; every file is as it was before.
    Undone,
    /// It was decided; every file is as it was staged. If only its preparations were left to be
    /// removed, they may no longer tell which files.
    Redone,
    /// Its journal does not read back, so nothing was changed and its folder was moved here.
    SetAside(PathBuf),
}

/// A file that somebody else edited in the middle of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// Path inside the root.
    pub path: PathBuf,
    /// What was put aside.
    pub what: Kept,
    /// Where it was put, inside the root.
    pub kept: Option<PathBuf>,
}

/// What was put aside in a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kept {
    /// The content that the path had before; the path keeps what others made of it.
    Original,
    /// The content that the path should have got; the path keeps what others made of it.
    Staged,
    /// What others wrote; the path has the content that the transaction wanted there.
    Foreign,
    /// Nothing; the path keeps what others made of it.
    Nothing,
}

impl fmt::Display for Conflict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.what {
            Kept::Foreign => write!(out, "an edit by somebody else to {path} was put aside")?,
            _ => write!(out, "{path} was changed by somebody else and is left so")?,
        }
        let Some(kept) = &self.kept else {
            return Ok(());
        };
        match self.what {
            Kept::Original => write!(out, "; its former content is in {}", kept.display()),
            Kept::Staged => write!(out, "; its staged content is in {}", kept.display()),
            _ => write!(out, "; it is in {}", kept.display()),
        }
    }
}

/// Brings every unfinished transaction of the checkout at `root` to its end: as it was before if
/// it was not decided, as it was staged if it was. Files that others have edited since are left
/// alone and reported.
///
/// A kept stage whose commit is finished is removed from its store, and so is what was left of
/// one that was being saved.
///
/// Staging and committing do this by themselves; it can be repeated and interrupted at will.
///
/// # Errors
///
/// [`Error::Root`] if `root` is no directory; [`Error::Busy`] if a commit is running, which needs
/// no recovery; [`Error::Io`] if a step fails: what is left is tried again the next time.
pub fn recover(root: impl AsRef<Path>) -> Result<Report, Error> {
    if_needed(&*stage::open(root.as_ref())?)
}

/// The ids of the transactions that lie unfinished at `root`, sorted: a crash has left them there, or
/// another process is carrying one out at this moment. Until [`recover`] has run, or the other
/// process is done, some of their files can be old and others new. Changes nothing.
///
/// # Errors
///
/// [`Error::Root`] if `root` is no directory; [`Error::Io`] if its state cannot be listed.
pub fn unfinished_at(root: impl AsRef<Path>) -> Result<Vec<String>, Error> {
    let found = unfinished(&*stage::open(root.as_ref())?)?;
    let open = found.into_iter().filter(|one| !one.done);
    Ok(open.map(|one| one.id).collect())
}

/// What has been put aside at `root` where others had edited a file in the middle of a transaction,
/// as paths inside the root, sorted. Nobody but the user removes it. A file that could only be put
/// aside beside its path, because that is another file system, is not among them.
///
/// # Errors
///
/// [`Error::Root`] if `root` is no directory; [`Error::Io`] if the folder cannot be listed.
pub fn put_aside(root: impl AsRef<Path>) -> Result<Vec<PathBuf>, Error> {
    let fs = stage::open(root.as_ref())?;
    let folder = state::conflicts_dir();
    let names = fs.list(&folder).map_err(Error::io("listing", &folder))?;
    let mut found: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    found.sort();
    Ok(found)
}

/// Recovers if something lies there; takes the lock, and makes folders, only then.
pub(crate) fn if_needed(fs: &dyn Fs) -> Result<Report, Error> {
    store::remove_abandoned_drafts(fs);
    if unfinished(fs)?.is_empty() {
        return Ok(Report::default());
    }
    let _lock = state::lock(fs, Duration::ZERO)?;
    all(fs)
}

/// Recovers everything. The caller holds the lock.
pub(crate) fn all(fs: &dyn Fs) -> Result<Report, Error> {
    let mut report = Report::default();
    for Unfinished { id, done } in unfinished(fs)? {
        let recovered = one(fs, &id, done)?;
        tracing::info!(id, outcome = ?recovered.outcome, "recovered a transaction");
        report.transactions.push(recovered);
    }
    Ok(report)
}

/// Whether something lies there that a crash has left.
pub(crate) fn is_needed(fs: &dyn Fs) -> Result<bool, Error> {
    Ok(!unfinished(fs)?.is_empty())
}

/// A transaction that lies there.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Unfinished {
    id: String,
    /// Whether it is carried through and only has to be removed.
    done: bool,
}

/// The transactions that lie there, in the order of their ids.
fn unfinished(fs: &dyn Fs) -> Result<Vec<Unfinished>, Error> {
    let root = state::txn_root();
    let names = fs.list(&root).map_err(Error::io("listing", &root))?;
    let names = names.into_iter().filter_map(|name| name.into_string().ok());
    let mut found: Vec<Unfinished> = names
        .filter_map(|name| {
            let before = name.strip_suffix(state::DONE);
            let id = before.unwrap_or(&name);
            id::is_id(id).then(|| Unfinished {
                id: id.to_owned(),
                done: before.is_some(),
            })
        })
        .collect();
    found.sort();
    Ok(found)
}

fn one(fs: &dyn Fs, id: &str, done: bool) -> Result<RecoveredTxn, Error> {
    let dir = match done {
        false => state::txn_dir(id),
        true => state::done_dir(id),
    };
    let mut recovered = RecoveredTxn {
        id: id.to_owned(),
        outcome: Outcome::Removed,
        files: Vec::new(),
        kept: None,
        conflicts: Vec::new(),
    };
    let (decided, found) = match read_journal(fs, &dir.join(DECIDED))? {
        Found::Nothing => (false, read_journal(fs, &dir.join(JOURNAL))?),
        found => (true, found),
    };
    let journal = match found {
        Found::Journal(journal) => journal,
        // The journal goes when all it names is gone.
        Found::Nothing if done => {
            remove_folder(fs, &dir)?;
            recovered.outcome = Outcome::Redone;
            return Ok(recovered);
        }
        Found::Nothing => {
            remove_unjournaled(fs, &dir)?;
            return Ok(recovered);
        }
        // Another version of this program left it, and only that one knows what it means.
        Found::Damaged(Damage::Version(version)) => {
            return Err(Error::JournalVersion {
                id: id.to_owned(),
                version,
            });
        }
        // A journal is whole before the first file is touched, so this is damage: what the folder
        // holds may be the only copy of something.
        Found::Damaged(damage) => {
            tracing::warn!(id, %damage, "a journal does not read back");
            recovered.outcome = Outcome::SetAside(set_aside(fs, id, &dir)?);
            return Ok(recovered);
        }
    };
    recovered.files = journal.paths();
    recovered.kept.clone_from(&journal.kept);
    if done {
        remove_done(fs, id, &journal, true)?;
        recovered.outcome = Outcome::Redone;
        return Ok(recovered);
    }
    let mut mover = Mover {
        fs,
        id,
        conflicts: Vec::new(),
    };
    if decided {
        redo(&mut mover, &journal)?;
        recovered.outcome = Outcome::Redone;
    } else {
        undo(&mut mover, &journal, &dir, true)?;
        recovered.outcome = Outcome::Undone;
    }
    recovered.conflicts = mover.conflicts;
    Ok(recovered)
}

/// Takes everything back and removes the transaction.
pub(crate) fn undo(
    mover: &mut Mover<'_>,
    journal: &Journal,
    dir: &Path,
    durable: bool,
) -> Result<(), Error> {
    let fs = mover.fs;
    // The commit deletes, makes folders, replaces, creates: this is the way back.
    let is_delete = |step: &Step| matches!(step, Step::Delete { .. });
    for slot in journal
        .slots
        .iter()
        .rev()
        .filter(|slot| !is_delete(&slot.step))
    {
        mover.undo(slot)?;
    }
    for folder in journal.folders.iter().rev() {
        // Not empty, or not made yet: then it stays as it is.
        if let Err(error) = fs.remove_dir(folder) {
            tracing::debug!(folder = %folder.display(), %error, "folder not removed");
        }
    }
    for slot in journal
        .slots
        .iter()
        .rev()
        .filter(|slot| is_delete(&slot.step))
    {
        mover.undo(slot)?;
    }
    for slot in &journal.slots {
        mover.rescue(slot)?;
    }
    if durable {
        sync_moves(mover, journal)?;
    }
    remove_scattered(fs, journal, dir)?;
    remove_folder(fs, dir)
}

/// Carries everything through and removes the transaction.
fn redo(mover: &mut Mover<'_>, journal: &Journal) -> Result<(), Error> {
    let fs = mover.fs;
    let is_delete = |step: &Step| matches!(step, Step::Delete { .. });
    for slot in journal.slots.iter().filter(|slot| is_delete(&slot.step)) {
        mover.redo(slot)?;
    }
    for folder in &journal.folders {
        make_folder(fs, folder)?;
    }
    for slot in journal.slots.iter().filter(|slot| !is_delete(&slot.step)) {
        mover.redo(slot)?;
    }
    for slot in &journal.slots {
        mover.rescue(slot)?;
    }
    sync_moves(mover, journal)?;
    close(fs, mover.id, journal, true)
}

/// Makes durable where everything lies now, before anything is removed.
fn sync_moves(mover: &Mover<'_>, journal: &Journal) -> Result<(), Error> {
    let mut folders = touched(journal);
    if !mover.conflicts.is_empty() {
        folders.insert(state::conflicts_dir());
    }
    sync::names(mover.fs, &folders)
}

/// Removes a transaction that is carried through, after its folder has got the name that says so:
/// whatever is still in it from then on, it is done.
///
/// That name is waited for only if something was deleted. A replacement or a new file without its
/// side file has been carried through, so to carry it through again does nothing; a deletion
/// without its side file looks as if it had not begun, and somebody may have made the file anew.
pub(crate) fn close(fs: &dyn Fs, id: &str, journal: &Journal, durable: bool) -> Result<(), Error> {
    let (dir, root) = (state::txn_dir(id), state::txn_root());
    fs.rename(&dir, &state::done_dir(id))
        .map_err(Error::io("closing", &dir))?;
    let deletes = |slot: &JournalSlot| matches!(slot.step, Step::Delete { .. });
    if durable && journal.slots.iter().any(deletes) {
        fs.sync_dir(&root)
            .map_err(Error::io("writing to disk", &root))?;
    }
    remove_done(fs, id, journal, durable)
}

/// Removes the kept stage of a transaction that is carried through, its side files elsewhere and
/// its folder.
fn remove_done(fs: &dyn Fs, id: &str, journal: &Journal, durable: bool) -> Result<(), Error> {
    if let Some(kept) = &journal.kept {
        store::forget(fs, kept, durable)?;
    }
    remove_scattered(fs, journal, &state::txn_dir(id))?;
    remove_folder(fs, &state::done_dir(id))
}

/// Makes a folder that may be there already.
pub(crate) fn make_folder(fs: &dyn Fs, folder: &Path) -> Result<(), Error> {
    match fs.make_dir(folder, 0o777) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(Error::Io {
            doing: "making",
            path: folder.to_path_buf(),
            source: error,
        }),
        _ => Ok(()),
    }
}

/// The folders whose entries the transaction changes.
pub(crate) fn touched(journal: &Journal) -> BTreeSet<PathBuf> {
    let files = journal
        .slots
        .iter()
        .flat_map(|slot| [&slot.path, &slot.side]);
    let parents = files
        .chain(&journal.folders)
        .filter_map(|path| path.parent());
    parents.map(Path::to_path_buf).collect()
}

/// What lies where a journal should.
enum Found {
    Nothing,
    Journal(Journal),
    Damaged(Damage),
}

fn read_journal(fs: &dyn Fs, path: &Path) -> Result<Found, Error> {
    Ok(match fs.look(path).map_err(Error::io("reading", path))? {
        Look::Absent => Found::Nothing,
        Look::File(content) => match Journal::decode(&content.bytes) {
            Ok(journal) => Found::Journal(journal),
            Err(damage) => Found::Damaged(damage),
        },
        Look::Other(_) => Found::Damaged(Damage::Magic),
    })
}

/// Removes what a transaction prepared before it had a journal, or left when it was taken back.
pub(crate) fn remove_unjournaled(fs: &dyn Fs, dir: &Path) -> Result<(), Error> {
    if let Found::Journal(intent) = read_journal(fs, &dir.join(INTENT))? {
        remove_scattered(fs, &intent, dir)?;
    }
    remove_folder(fs, dir)
}

/// Removes the side files that lie outside the transaction's folder `dir`.
fn remove_scattered(fs: &dyn Fs, journal: &Journal, dir: &Path) -> Result<(), Error> {
    for slot in journal
        .slots
        .iter()
        .filter(|slot| slot.side.parent() != Some(dir))
    {
        remove(fs, &slot.side)?;
        remove(fs, &spare(&slot.side))?;
    }
    Ok(())
}

/// Removes the folder of a transaction and the files that are left in it: side files before the
/// journal that names them, and last what names side files elsewhere.
fn remove_folder(fs: &dyn Fs, dir: &Path) -> Result<(), Error> {
    let mut names = fs.list(dir).map_err(Error::io("listing", dir))?;
    names.sort_by_key(|name| (name == INTENT, name == JOURNAL || name == DECIDED));
    for name in names {
        remove(fs, &dir.join(name))?;
    }
    match fs.remove_dir(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::Io {
            doing: "removing",
            path: dir.to_path_buf(),
            source: error,
        }),
        _ => Ok(()),
    }
}

fn remove(fs: &dyn Fs, path: &Path) -> Result<(), Error> {
    match fs.unlink(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::Io {
            doing: "removing",
            path: path.to_path_buf(),
            source: error,
        }),
        _ => Ok(()),
    }
}

fn set_aside(fs: &dyn Fs, id: &str, dir: &Path) -> Result<PathBuf, Error> {
    let folder = state::conflicts_dir();
    state::ensure(fs, &folder)?;
    let mut count = 0;
    loop {
        let to = folder.join(format!("{id}.{count}"));
        match fs.rename_new(dir, &to) {
            Ok(()) => return Ok(to),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => count += 1,
            Err(source) => {
                return Err(Error::Io {
                    doing: "putting aside",
                    path: dir.to_path_buf(),
                    source,
                });
            }
        }
    }
}
