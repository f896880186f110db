//! Which checkouts may choose what is run: those that the user trusted, and only as they were then.
//!
//! A program inside a checkout and a command that its own configuration names come from whoever
//! wrote the checkout. Until the user trusts it they are shown and not run.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use fourfold_syntax::ContentHash;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::config;

/// The file in the user's folder that remembers.
const FILE: &str = "trusted.json";

/// Whether a checkout may choose what is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trust {
    /// It may: its own programs, the commands of its `fourfold.toml`, its checkers.
    Granted,
    /// Nobody trusted it.
    Missing,
    /// It was trusted, and its `fourfold.toml` is another one since.
    ConfigChanged,
    /// It was trusted, and another folder stands in its place since.
    FolderChanged,
}

impl Trust {
    /// Whether it may.
    pub fn is_granted(self) -> bool {
        self == Trust::Granted
    }

    /// Why it may not, as the end of a sentence.
    pub fn why_not(self) -> &'static str {
        match self {
            Trust::Granted => "it is trusted",
            Trust::Missing => "this checkout is not trusted; `fourfold trust` allows it",
            Trust::ConfigChanged => {
                "its fourfold.toml changed since this checkout was trusted; look at it, then \
                 `fourfold trust` again"
            }
            Trust::FolderChanged => {
                "the checkout that was trusted here was replaced by another one; `fourfold trust` \
                 allows this one"
            }
        }
    }
}

/// The checkouts that a user trusts: a file in the user's folder.
#[derive(Clone, Debug)]
pub(crate) struct TrustStore {
    folder: PathBuf,
}

/// One trusted checkout, as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    root: PathBuf,
    device: u64,
    inode: u64,
    /// The hash of its `fourfold.toml`; empty without one.
    config: String,
}

impl Entry {
    fn of(root: &Path) -> io::Result<Entry> {
        let meta = fs::metadata(root)?;
        Ok(Entry {
            root: root.to_path_buf(),
            device: meta.dev(),
            inode: meta.ino(),
            config: match fs::read(root.join(config::FILE)) {
                Ok(bytes) => ContentHash::of(&bytes).to_string(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
                Err(error) => return Err(error),
            },
        })
    }
}

impl TrustStore {
    pub(crate) fn in_folder(folder: PathBuf) -> TrustStore {
        TrustStore { folder }
    }

    /// Whether the checkout at this canonical root is trusted as it is now. What cannot be read
    /// trusts nobody.
    pub(crate) fn of(&self, root: &Path) -> Trust {
        let entries = self.read().unwrap_or_else(|error| {
            tracing::warn!(folder = %self.folder.display(), %error, "cannot read what is trusted");
            Vec::new()
        });
        let Some(then) = entries.into_iter().find(|entry| entry.root == root) else {
            return Trust::Missing;
        };
        match Entry::of(root) {
            Ok(now) if now == then => Trust::Granted,
            Ok(now) if (now.device, now.inode) == (then.device, then.inode) => Trust::ConfigChanged,
            _ => Trust::FolderChanged,
        }
    }

    /// Trusts the checkout as it is now, or no more.
    pub(crate) fn set(&self, root: &Path, trusted: bool) -> Result<(), Error> {
        let fail = |error: io::Error| Error::Trust {
            root: root.to_path_buf(),
            file: self.folder.join(FILE),
            source: error,
        };
        if root.to_str().is_none() {
            return Err(fail(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a path that is not UTF-8 cannot be remembered; rename the folder",
            )));
        }
        let mut entries = self.read().map_err(fail)?;
        entries.retain(|entry| entry.root != root);
        if trusted {
            entries.push(Entry::of(root).map_err(fail)?);
        }
        entries.sort_by(|a, b| a.root.cmp(&b.root));
        self.write(&entries).map_err(fail)
    }

    /// The roots that were trusted, sorted.
    pub(crate) fn roots(&self) -> Result<Vec<PathBuf>, Error> {
        let entries = self.read().map_err(|source| Error::TrustUnread {
            file: self.folder.join(FILE),
            source,
        })?;
        Ok(entries.into_iter().map(|entry| entry.root).collect())
    }

    fn read(&self) -> io::Result<Vec<Entry>> {
        match fs::read(self.folder.join(FILE)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// All or nothing: a crash leaves the old file or the new one.
    fn write(&self, entries: &[Entry]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let bytes = serde_json::to_vec_pretty(entries)?;
        let beside = self.folder.join(format!("{FILE}.{}", std::process::id()));
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&beside)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(&beside, self.folder.join(FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_is_trusted_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("checkout");
        fs::create_dir(&root).unwrap();
        let store = TrustStore::in_folder(folder.path().join("user"));
        assert_eq!(store.of(&root), Trust::Missing);
        store.set(&root, true).unwrap();
        assert_eq!(store.of(&root), Trust::Granted);
        assert_eq!(store.roots().unwrap(), [root.as_path()]);
        assert_eq!(store.of(&folder.path().join("other")), Trust::Missing);

        fs::write(root.join(config::FILE), "[limits]\nthreads = 1\n").unwrap();
        assert_eq!(store.of(&root), Trust::ConfigChanged);
        store.set(&root, true).unwrap();
        assert_eq!(store.of(&root), Trust::Granted);

        fs::rename(&root, folder.path().join("gone")).unwrap();
        fs::create_dir(&root).unwrap();
        assert_eq!(store.of(&root), Trust::FolderChanged);
        store.set(&root, false).unwrap();
        assert_eq!(store.of(&root), Trust::Missing);
    }

    #[test]
    fn a_damaged_file_trusts_nobody_and_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let store = TrustStore::in_folder(folder.path().to_path_buf());
        fs::write(folder.path().join(FILE), "[{").unwrap();
        assert_eq!(store.of(folder.path()), Trust::Missing);
        let error = store.set(folder.path(), true).unwrap_err().to_string();
        assert!(error.contains(FILE), "{error}");
        assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), b"[{");
    }
}
