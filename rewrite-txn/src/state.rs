//! The folder `.fourfold` in the root: made on first use, ignored by version control through a
//! file of its own, and locked by whoever commits or recovers.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::fs::{Fs, Lock, LockError, WriteError};
use crate::paths::STATE;
use crate::{Error, FileKind};

/// Where transactions live, one folder each.
pub(crate) fn txn_root() -> PathBuf {
    Path::new(STATE).join("txn")
}

/// The folder of one transaction.
pub(crate) fn txn_dir(id: &str) -> PathBuf {
    txn_root().join(id)
}

/// How the name of a transaction's folder ends when the transaction is carried through and only
/// has to be removed.
pub(crate) const DONE: &str = ".done";

/// The folder of a transaction that is carried through.
pub(crate) fn done_dir(id: &str) -> PathBuf {
    txn_root().join(format!("{id}{DONE}"))
}

/// Where files are put that belong to nobody's old or new state.
pub(crate) fn conflicts_dir() -> PathBuf {
    Path::new(STATE).join("conflicts")
}

/// How often a lock that is held is asked for again.
const ASK_AGAIN: Duration = Duration::from_millis(3);

/// Makes `.fourfold` and the folder `sub` in it, if need be.
pub(crate) fn ensure(fs: &dyn Fs, sub: &Path) -> Result<(), Error> {
    let state = Path::new(STATE);
    if ensure_dir(fs, state, 0o755)? {
        durable(fs, Path::new(""))?;
    }
    let ignore = state.join(".gitignore");
    let present = fs.stat(&ignore).map_err(Error::io("looking at", &ignore))?;
    if present.is_none() {
        match fs.write_new(&ignore, b"*\n", None) {
            Ok(()) => {}
            Err(WriteError::Io(error)) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(WriteError::Io(source) | WriteError::Attribute(_, source)) => {
                return Err(Error::Io {
                    doing: "writing",
                    path: ignore,
                    source,
                });
            }
        }
    }
    if ensure_dir(fs, sub, 0o700)? {
        durable(fs, state)?;
    }
    Ok(())
}

/// Makes one directory; says whether it is new.
fn ensure_dir(fs: &dyn Fs, path: &Path, mode: u32) -> Result<bool, Error> {
    match fs.stat(path).map_err(Error::io("looking at", path))? {
        Some(stat) if stat.kind == FileKind::Directory => return Ok(false),
        Some(stat) => {
            return Err(Error::NotAFolder {
                path: path.to_path_buf(),
                kind: stat.kind,
            });
        }
        None => {}
    }
    match fs.make_dir(path, mode) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(source) => Err(Error::Io {
            doing: "making",
            path: path.to_path_buf(),
            source,
        }),
    }
}

/// Once in a checkout's life: a transaction's own syncs do not reach above its folder.
fn durable(fs: &dyn Fs, dir: &Path) -> Result<(), Error> {
    fs.sync_dir(dir).map_err(Error::io("writing to disk", dir))
}

/// Takes the lock of commits and recoveries, waiting up to `wait`.
pub(crate) fn lock(fs: &dyn Fs, wait: Duration) -> Result<Lock, Error> {
    ensure(fs, &txn_root())?;
    lock_file(fs, txn_root().join("lock"), wait)
}

/// Takes the lock kept in the file `path`, waiting up to `wait`.
pub(crate) fn lock_file(fs: &dyn Fs, path: PathBuf, wait: Duration) -> Result<Lock, Error> {
    let start = Instant::now();
    loop {
        match fs.lock(&path) {
            Ok(lock) => return Ok(lock),
            Err(LockError::Io(source)) => {
                return Err(Error::Io {
                    doing: "locking",
                    path,
                    source,
                });
            }
            Err(LockError::Held(holder)) if start.elapsed() >= wait => {
                return Err(Error::Busy {
                    holder,
                    waited: wait,
                });
            }
            Err(LockError::Held(_)) => std::thread::sleep(ASK_AGAIN),
        }
    }
}
