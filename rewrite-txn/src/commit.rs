//! The commit: verify everything, prepare everything, write the journal, swap file by file,
//! decide. Up to the decision any failure takes all back; after it everything goes forward.

use std::path::PathBuf;
use std::time::Duration;

use crate::entry::{self, Entry, NewContent, Slot};
use crate::fs::{Fs, Lock};
use crate::recover::{self, Conflict, Report};
use crate::txn::{Ended, Trouble, Txn};
use crate::{CommitError, CommitOptions, ContentHash, Durability, Error, state, verify};

/// What a commit did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Committed {
    /// Every path that changed, in path order; a rename is two of them.
    pub files: Vec<CommittedFile>,
    /// What the commit was asked to survive.
    pub durability: Durability,
    /// How well foreign writers were watched.
    pub guarantee: Guarantee,
    /// What was recovered before the commit began; usually nothing.
    pub recovered: Report,
}

/// One path that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommittedFile {
    /// Path inside the root.
    pub path: PathBuf,
    /// Hash of the content before; none if the file was created.
    pub old: Option<ContentHash>,
    /// Hash of the content now; none if the file is gone.
    pub new: Option<ContentHash>,
}

/// How well the file system let foreign writers be noticed while files were swapped. The weakest
/// that any file of a commit had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Guarantee {
    /// No exchange of two names in one step: what somebody saves within microseconds of a swap can
    /// be lost.
    NoExchange,
    /// No read leases: what somebody writes through a descriptor opened before the swap can be
    /// lost.
    NoLease,
    /// Everything that is displaced was checked after it was out of everybody's reach.
    Full,
}

/// Commits the entries as the transaction `id`, and with them removes the stage `kept` from the
/// store.
pub(crate) fn run(
    fs: &dyn Fs,
    id: &str,
    kept: Option<&str>,
    entries: &[Entry],
    options: &CommitOptions,
) -> Result<Committed, CommitError> {
    let failed = failed(id);
    let slots = entry::slots(entries).map_err(&failed)?;
    let mut committed = Committed {
        files: slots.iter().map(changed).collect(),
        durability: options.durability,
        guarantee: Guarantee::Full,
        recovered: Report::default(),
    };
    if slots.is_empty() {
        return Ok(committed);
    }
    let _lock = lock(fs, id, options.lock_wait)?;
    committed.recovered = recover::all(fs).map_err(failed)?;
    let durable = options.durability == Durability::PowerLoss;
    // Side files lie in the transaction's folder, unless a mount in between forbids it.
    for siblings in [false, true] {
        let mut txn = match Txn::plan(fs, id, kept, &slots, durable, siblings) {
            Ok(txn) => txn,
            Err(trouble) => return Err(refusal(id, trouble, Vec::new())),
        };
        match txn.run() {
            Ok(()) => {
                committed.guarantee = txn.guarantee;
                return Ok(committed);
            }
            Err(Ended::TakenBack(Trouble::CrossDevice, _)) if !siblings => {}
            Err(Ended::TakenBack(mut trouble, conflicts)) => {
                if let Trouble::Drift(found) = &mut trouble {
                    // The commit stopped at the first; all are to be named.
                    *found = verify::merge(std::mem::take(found), verify::all(fs, &slots).err());
                }
                return Err(refusal(id, trouble, conflicts));
            }
            Err(Ended::Indeterminate(trouble, undo)) => {
                let cause = Box::new(refusal(id, trouble, Vec::new()));
                return Err(CommitError::Indeterminate {
                    id: id.to_owned(),
                    cause,
                    undo,
                });
            }
        }
    }
    Err(refusal(id, Trouble::CrossDevice, Vec::new()))
}

/// Looks for what a commit of the entries would refuse for. With something to recover there is no
/// telling before that is done.
pub(crate) fn check(
    fs: &dyn Fs,
    id: &str,
    entries: &[Entry],
    lock_wait: Duration,
) -> Result<(), CommitError> {
    let slots = entry::slots(entries).map_err(failed(id))?;
    if slots.is_empty() {
        return Ok(());
    }
    let _lock = lock(fs, id, lock_wait)?;
    if recover::is_needed(fs).map_err(failed(id))? {
        return Ok(());
    }
    match verify::all(fs, &slots) {
        Ok(_) => Ok(()),
        Err(files) => Err(refusal(id, Trouble::Drift(files), Vec::new())),
    }
}

fn lock(fs: &dyn Fs, id: &str, wait: Duration) -> Result<Lock, CommitError> {
    state::lock(fs, wait).map_err(|error| match error {
        Error::Busy { holder, waited } => CommitError::Busy { holder, waited },
        other => failed(id)(other),
    })
}

fn failed(id: &str) -> impl Fn(Error) -> CommitError {
    |source| CommitError::Failed {
        id: id.to_owned(),
        source: Box::new(source),
        conflicts: Vec::new(),
    }
}

fn changed(slot: &Slot<'_>) -> CommittedFile {
    CommittedFile {
        path: slot.path.to_path_buf(),
        old: slot.old.map(|old| old.captured.hash),
        new: slot.new.as_ref().map(NewContent::hash),
    }
}

fn refusal(id: &str, trouble: Trouble, conflicts: Vec<Conflict>) -> CommitError {
    let id = id.to_owned();
    match trouble {
        Trouble::Drift(files) => CommitError::Drifted {
            id,
            files,
            conflicts,
        },
        Trouble::Failed(source) => CommitError::Failed {
            id,
            source,
            conflicts,
        },
        Trouble::CrossDevice => {
            let source = Box::new(Error::Io {
                doing: "exchanging files beside each other in",
                path: PathBuf::from("."),
                source: std::io::ErrorKind::CrossesDevices.into(),
            });
            CommitError::Failed {
                id,
                source,
                conflicts,
            }
        }
    }
}
