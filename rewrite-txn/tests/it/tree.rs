//! A temporary checkout and a picture of everything in it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fourfold_rewrite_txn::{CommitError, Drift, Stage};
use tempfile::TempDir;

/// A temporary checkout.
pub(crate) struct Tree {
    dir: TempDir,
}

/// Everything that can be told about an entry, times included.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    content: Vec<u8>,
    mode: u32,
    ino: u64,
    mtime: (i64, i64),
}

impl Tree {
    /// A checkout with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self {
            dir: TempDir::new().unwrap(),
        };
        for (path, content) in files {
            tree.put(path, content);
        }
        tree
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn get(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn stage(&self) -> Stage {
        Stage::new(self.root()).unwrap()
    }

    /// All files outside the crate's own state, with their content.
    pub(crate) fn contents(&self) -> BTreeMap<String, String> {
        let facts = self.facts();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        facts
            .into_iter()
            .map(|(path, facts)| (path, text(facts.content)))
            .collect()
    }

    /// All files and folders outside the crate's own state, with all that is known of them.
    pub(crate) fn facts(&self) -> BTreeMap<String, Facts> {
        let mut all = BTreeMap::new();
        collect(self.root(), self.root(), &mut all);
        all
    }

    /// The names in the crate's transaction folder.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(".fourfold/txn")) else {
            return Vec::new();
        };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != "lock").collect()
    }
}

fn collect(root: &Path, dir: &Path, all: &mut BTreeMap<String, Facts>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        if name == ".fourfold" {
            continue;
        }
        let meta = fs::symlink_metadata(&path).unwrap();
        let mut facts = Facts {
            content: Vec::new(),
            mode: meta.mode(),
            ino: meta.ino(),
            mtime: (meta.mtime(), meta.mtime_nsec()),
        };
        if meta.is_dir() {
            collect(root, &path, all);
            all.insert(name + "/", facts);
        } else {
            facts.content = if meta.is_symlink() {
                fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            all.insert(name, facts);
        }
    }
}

/// The drifted files of a refused commit, as text and reason.
pub(crate) fn drifted(error: CommitError) -> Vec<(String, Drift)> {
    match error {
        CommitError::Drifted { files, .. } => files
            .into_iter()
            .map(|file| (file.path.to_string_lossy().into_owned(), file.why))
            .collect(),
        other => panic!("not drifted: {other}"),
    }
}
