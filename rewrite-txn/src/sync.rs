//! Waiting for the disk, for few files one by one and for many all at once.
//!
//! A sync that failed is never tried again: the kernel may have dropped what it could not write,
//! and the second call would report success.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use crate::fs::{Fs, unsupported};
use crate::{Error, FileKind};

/// Up to how many files or folders are synced one by one. Above that the whole file system is:
/// one wait instead of many, but it also waits for what other programs have written.
const FEW: usize = 4;

/// Makes the contents of `files` durable, and their names if they lie in the folders `dirs`.
pub(crate) fn contents(
    fs: &dyn Fs,
    files: &[&Path],
    dirs: &BTreeSet<PathBuf>,
) -> Result<(), Error> {
    if files.len() > FEW && everything(fs, dirs)? {
        return Ok(());
    }
    for file in files {
        fs.sync_file(file)
            .map_err(Error::io("writing to disk", *file))?;
    }
    each(fs, dirs)
}

/// Makes the entries of the folders `dirs` durable. A folder that is gone has none.
pub(crate) fn names(fs: &dyn Fs, dirs: &BTreeSet<PathBuf>) -> Result<(), Error> {
    if dirs.len() > FEW && everything(fs, dirs)? {
        return Ok(());
    }
    each(fs, dirs)
}

/// Whether there is no such folder, or a file in its place.
fn gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn each(fs: &dyn Fs, dirs: &BTreeSet<PathBuf>) -> Result<(), Error> {
    for dir in dirs {
        match fs.sync_dir(dir) {
            Err(error) if !gone(&error) => {
                return Err(Error::Io {
                    doing: "writing to disk",
                    path: dir.clone(),
                    source: error,
                });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Syncs the file systems that the folders are on; says whether that is possible.
fn everything(fs: &dyn Fs, dirs: &BTreeSet<PathBuf>) -> Result<bool, Error> {
    let mut devices: BTreeMap<u64, &Path> = BTreeMap::new();
    for dir in dirs {
        match fs.stat(dir).map_err(Error::io("looking at", dir))? {
            Some(stat) if stat.kind == FileKind::Directory => {
                devices.insert(stat.dev, dir);
            }
            _ => {}
        }
    }
    for dir in devices.into_values() {
        match fs.sync_fs(dir) {
            Err(error) if unsupported(&error) => return Ok(false),
            other => other.map_err(Error::io("writing to disk", dir))?,
        }
    }
    Ok(true)
}
