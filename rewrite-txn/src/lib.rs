//! Change many files at once: staged, verified, committed all or nothing.
//!
//! A [`Stage`] collects edits, new files, removals and renames; every file is read, hashed and
//! captured as it is named. [`Stage::finish`] makes it a [`Staged`]: it can be shown
//! ([`Staged::diff`]), parts of it can be left out ([`Staged::without`]), a [`StageStore`] can
//! keep it on disk for another process, and [`Staged::commit`] changes all files or none.
//!
//! ```
//! use fourfold_rewrite_txn::{DiffOptions, Durability, Edit, Stage};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let root = tempfile::tempdir()?;
//! std::fs::write(root.path().join("greet.txt"), "hello world\n")?;
//!
//! let mut stage = Stage::new(root.path())?;
//! stage.replace("greet.txt", vec![Edit::new(0..5, "goodbye")])?;
//! stage.create("notes/done.txt", "said it\n")?;
//! let mut staged = stage.finish()?;
//!
//! assert!(staged.diff(&DiffOptions::default()).to_string().contains("+goodbye world"));
//! staged.commit(Durability::PowerLoss)?;
//! assert_eq!(std::fs::read_to_string(root.path().join("greet.txt"))?, "goodbye world\n");
//! # Ok(())
//! # }
//! ```
//!
//! # The promise
//!
//! - **All or nothing.** Whatever fails, and whenever the process or (with
//!   [`Durability::PowerLoss`]) the machine dies: after [`recover()`], which also runs by itself
//!   before the next stage or commit, every file is as before or every file is as staged.
//! - **What was seen is what is changed.** A file whose content is not the captured one makes the
//!   whole commit refuse, and [`CommitError::Drifted`] names every such file. The check is made on
//!   the file that was displaced, out of everybody's reach, so there is no moment between check
//!   and change.
//! - **Nobody's bytes vanish.** What others write in the middle stays, or is put aside and named.
//! - **Bytes in, bytes out.** Encodings, line ends, modes, owners, attributes and links survive.
//!
//! # Limits
//!
//! - No isolation: while a commit swaps (some 60 µs a file) a reader can see new and old files
//!   side by side.
//! - Linux only. Where the file system has no exchange or no read leases (some network and FUSE
//!   file systems) [`Committed::guarantee`] says what is weaker.
//! - Regular files only. Folders are made as files need them; they are not renamed or removed.
//! - A rename makes a new inode; watchers see a removal and a creation.
//! - A stage is held in memory: 256 MiB of old and new contents by default.
//! - State lies in `.fourfold/` in the root, which ignores itself for git. Paths in it and in
//!   `.git` are never changed.

#![warn(missing_docs)]
// Two system calls have no safe wrapper: `raw` allows them and says why.
#![deny(unsafe_code)]

mod capture;
mod codec;
mod commit;
mod diff;
mod edit;
mod entry;
mod error;
mod folders;
mod fs;
mod hash;
mod id;
mod journal;
mod paths;
mod raw;
mod real_fs;
mod recover;
mod slot;
mod stage;
mod staged;
mod state;
mod store;
mod stored;
mod sync;
#[cfg(test)]
mod tests;
mod txn;
mod verify;

pub use capture::{Captured, HardLinks};
pub use commit::{Committed, CommittedFile, Guarantee};
pub use diff::{Diff, DiffOptions};
pub use edit::Edit;
pub use error::{CommitError, Drift, DriftedFile, Error, FileKind};
pub use hash::{ContentHash, NotAHash};
#[doc(hidden)]
pub use journal::fuzz_decode;
pub use paths::Symlinks;
pub use recover::{
    Conflict, Kept, Outcome, RecoveredTxn, Report, put_aside, recover, unfinished_at,
};
pub use stage::{Stage, StageOptions};
pub use staged::{ChangeKind, CommitOptions, Durability, Staged, StagedFile};
pub use store::{Evicted, Eviction, KeptStage, StageContent, StageStore, StoreLimits};
