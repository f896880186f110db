//! A small tree and a transaction that does everything to it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use crate::fs::Fs;
use crate::real_fs::RealFs;
use crate::{Edit, Error, Stage, StageOptions, Staged};

/// The files before.
pub(crate) const FILES: [(&str, &str); 7] = [
    ("src/a.rs", "fn a() {}\n"),
    ("src/b.rs", "fn b() {}\n"),
    ("top.txt", "top\n"),
    ("gone.txt", "gone\n"),
    ("lib/x", "X\n"),
    ("lib/y", "Y\n"),
    ("way", "makes way\n"),
];

/// Replaces three files, swaps two, creates one in new folders, deletes one, and makes one a
/// folder.
pub(crate) fn stage(fs: Arc<dyn Fs>) -> Result<Staged, Error> {
    let mut stage = Stage::on(fs, StageOptions::default())?;
    stage.replace("src/a.rs", vec![Edit::new(3..4, "alpha")])?;
    stage.replace("src/b.rs", vec![Edit::new(3..4, "beta")])?;
    stage.write("top.txt", "TOP\n")?;
    stage.rename("lib/x", "lib/y")?;
    stage.rename("lib/y", "lib/x")?;
    stage.create("new/deep/c.rs", "fn c() {}\n")?;
    stage.delete("gone.txt")?;
    stage.rename("way", "way/in")?;
    stage.finish()
}

/// The tree before, or after, as [`contents`] shows it.
pub(crate) fn tree(after: bool) -> BTreeMap<String, String> {
    let files: &[(&str, &str)] = if after {
        &[
            ("src/a.rs", "fn alpha() {}\n"),
            ("src/b.rs", "fn beta() {}\n"),
            ("top.txt", "TOP\n"),
            ("lib/x", "Y\n"),
            ("lib/y", "X\n"),
            ("new/deep/c.rs", "fn c() {}\n"),
            ("way/in", "makes way\n"),
        ]
    } else {
        &FILES
    };
    let mut tree = BTreeMap::new();
    for (path, content) in files {
        for dir in Path::new(path)
            .ancestors()
            .skip(1)
            .filter(|dir| !dir.as_os_str().is_empty())
        {
            tree.insert(format!("{}/", dir.display()), String::new());
        }
        tree.insert((*path).to_owned(), (*content).to_owned());
    }
    tree
}

/// A folder in memory, if there is such a place, so that waiting for the disk costs nothing.
pub(crate) fn temp_dir() -> TempDir {
    TempDir::new_in("/dev/shm")
        .or_else(|_| TempDir::new())
        .unwrap()
}

/// Writes [`FILES`] into a new folder.
pub(crate) fn on_disk() -> TempDir {
    let dir = temp_dir();
    for (path, content) in FILES {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    dir
}

pub(crate) fn open(root: &Path) -> Arc<dyn Fs> {
    Arc::new(RealFs::open(root).unwrap())
}

/// What is on the disk, the crate's own folder left out.
pub(crate) fn contents(root: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    collect(root, root, &mut all);
    all
}

fn collect(root: &Path, dir: &Path, all: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        if name == ".fourfold" {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, all);
            all.insert(name + "/", String::new());
        } else {
            let bytes = std::fs::read(&path).unwrap();
            all.insert(name, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}

/// Whether a tree is the one before or the one after; neither is a failure.
pub(crate) fn which(tree_found: &BTreeMap<String, String>, context: &dyn Fn() -> String) -> bool {
    if *tree_found == tree(true) {
        return true;
    }
    assert_eq!(
        *tree_found,
        tree(false),
        "neither old nor new: {}",
        context()
    );
    false
}

/// The names in the transaction folder on disk.
pub(crate) fn leftovers(root: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root.join(".fourfold/txn")) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "lock").collect()
}

/// A small random number generator that can be repeated.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
