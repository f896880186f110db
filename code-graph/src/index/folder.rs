//! Where the cache of a checkout lies: one folder for all work trees of a repository.

use super::file::TEMPORARY;
use fourfold_worktree::Checkout;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(1);

/// The folder of a family of work trees.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
    /// The name of the snapshot of this root.
    snapshot: String,
}

/// The right to write in the folder, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Folder {
    /// The folder for a checkout, under the cache of the program. Nothing is made yet.
    pub(super) fn of(cache: &Path, checkout: &Checkout) -> Folder {
        let root = checkout.root();
        let family = common_folder(root).unwrap_or_else(|| root.to_path_buf());
        Folder {
            path: cache.join(short_hash(&family)),
            snapshot: format!("{}.{SNAPSHOT}", short_hash(root)),
        }
    }

    /// The snapshot of this root.
    pub(super) fn snapshot(&self) -> PathBuf {
        self.path.join(&self.snapshot)
    }

    /// The snapshots of all roots of the family, this one's included.
    pub(super) fn snapshots(&self) -> Vec<PathBuf> {
        self.with_extension(SNAPSHOT)
    }

    /// The packs of the family, in the order of their names.
    pub(super) fn packs(&self) -> Vec<PathBuf> {
        self.with_extension(PACK)
    }

    /// A name for the next pack: behind all that are there. Whoever calls holds the lock.
    pub(super) fn next_pack(&self) -> PathBuf {
        let number = |path: &PathBuf| u64::from_str_radix(path.file_stem()?.to_str()?, 16).ok();
        let last = self.packs().iter().filter_map(number).max();
        let next = last.map_or(0, |last| last.saturating_add(1));
        self.path.join(format!("{next:08x}.{PACK}"))
    }

    fn with_extension(&self, wanted: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).into_iter().flatten();
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> = paths
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == wanted)
            })
            .collect();
        paths.sort_unstable();
        paths
    }

    /// Makes the folder and takes the right to write in it; whatever writers left behind that
    /// did not finish is cleared away.
    pub(super) fn lock(&self) -> io::Result<Lock> {
        fs::create_dir_all(&self.path)?;
        let file = File::create(self.path.join("lock"))?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::new(
                        io::ErrorKind::WouldBlock,
                        "another process is writing there",
                    ));
                }
            }
        }
        for stale in self.with_extension(TEMPORARY.trim_start_matches('.')) {
            tracing::debug!(path = %stale.display(), "clearing away what was not finished");
            let _ = fs::remove_file(stale);
        }
        Ok(Lock { _file: file })
    }
}

const SNAPSHOT: &str = "snapshot";
const PACK: &str = "facts";

/// The user's cache folder for code graphs, when the environment says where it is.
pub(super) fn user_cache() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from)?;
        path.is_absolute().then_some(path)
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("fourfold/graph"))
}

fn short_hash(path: &Path) -> String {
    let hash = blake3::hash(path.as_os_str().as_bytes()).to_hex();
    hash[..16].to_owned()
}

/// The folder that all work trees of a Git repository have in common, if `root` is in one.
fn common_folder(root: &Path) -> Option<PathBuf> {
    let git = root.ancestors().map(|folder| folder.join(".git"));
    let git = git.into_iter().find(|git| git.symlink_metadata().is_ok())?;
    let Some(own) = gitdir(&git) else {
        return fs::canonicalize(git).ok();
    };
    let common = match fs::read_to_string(own.join("commondir")) {
        Ok(common) => own.join(common.trim_end_matches(['\n', '\r'])),
        Err(_) => own,
    };
    fs::canonicalize(common).ok()
}

/// Where a `.git` file says that the repository is; none when it is a folder.
fn gitdir(git: &Path) -> Option<PathBuf> {
    if !git.is_file() {
        return None;
    }
    let text = fs::read_to_string(git).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    Some(git.parent()?.join(target))
}

/// Whether a folder inside a checkout is a work tree of its own: a repository, or a linked work
/// tree, but not a submodule, which is part of what is checked out.
pub(super) fn is_own_work_tree(folder: &Path) -> bool {
    let git = folder.join(".git");
    match git.symlink_metadata() {
        Err(_) => false,
        Ok(meta) if meta.is_dir() => true,
        Ok(_) => !gitdir(&git).is_some_and(|target| {
            let mut parts = target.components().map(Component::as_os_str);
            parts.any(|part| part == "modules")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_work_trees_are_one_family_and_a_submodule_is_no_work_tree_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [
            "main/.git/worktrees/side",
            "main/sub",
            "main/clone/.git",
            "side",
            "plain",
        ] {
            fs::create_dir_all(at(name)).unwrap();
        }
        fs::write(at("main/.git/worktrees/side/commondir"), "../..\n").unwrap();
        let gitdir = format!("gitdir: {}\n", at("main/.git/worktrees/side").display());
        fs::write(at("side/.git"), gitdir).unwrap();
        fs::write(at("main/sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();

        let open = |name: &str| Folder::of(Path::new("/c"), &Checkout::open(at(name)).unwrap());
        assert_eq!(open("main").path, open("side").path);
        assert_ne!(open("main").snapshot, open("side").snapshot);
        assert_ne!(open("plain").path, open("main").path);
        assert!(is_own_work_tree(&at("side")));
        assert!(is_own_work_tree(&at("main/clone")));
        assert!(!is_own_work_tree(&at("main/sub")));
        assert!(!is_own_work_tree(&at("plain")));
    }
}
