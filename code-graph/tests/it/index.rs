//! The index of a checkout on disk.

mod bounds;
mod edits;
mod fresh;
mod kept;
mod texts;
mod walk;

use fourfold_code_graph::index::{Cache, Index, IndexConfig, Refreshed};
use fourfold_worktree::{Checkout, Control};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Whether the exhaustive runs are wanted.
fn long() -> bool {
    std::env::var_os("FOURFOLD_LONG").is_some()
}

/// A checkout and a cache that are gone afterwards.
pub(crate) struct Project {
    folder: TempDir,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Project {
        let project = Project {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(project.root()).unwrap();
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn delete(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    pub(crate) fn config(&self) -> IndexConfig {
        IndexConfig {
            cache: Cache::Folder(self.cache()),
            ..IndexConfig::default()
        }
    }

    /// The index as a new process finds it.
    pub(crate) fn open(&self) -> Index {
        self.open_with(self.config())
    }

    pub(crate) fn open_with(&self, config: IndexConfig) -> Index {
        Index::open(&Checkout::open(self.root()).unwrap(), config)
    }

    /// An index that never knew anything.
    pub(crate) fn anew(&self) -> Index {
        let index = self.open_with(IndexConfig {
            cache: Cache::Memory,
            ..self.config()
        });
        refresh(&index);
        index
    }

    /// What an index that never knew anything says.
    pub(crate) fn dump_anew(&self) -> Vec<u8> {
        self.anew().dump().unwrap()
    }

    /// The files in the cache, below its folder of this project.
    fn cached(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.cache()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(path);
                }
            }
        }
        files.sort();
        files
    }

    pub(crate) fn cached_with(&self, extension: &str) -> Vec<PathBuf> {
        let of = |path: &PathBuf| path.extension().is_some_and(|one| one == extension);
        self.cached().into_iter().filter(of).collect()
    }
}

pub(crate) fn refresh(index: &Index) -> Refreshed {
    index.refresh(&Control::new()).unwrap()
}

/// Sets the times of a file an hour back, so that its stamp is settled.
fn age(path: &Path) {
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    fs::File::options()
        .append(true)
        .open(path)
        .unwrap()
        .set_modified(then)
        .unwrap();
}

/// The paths of the indexed files.
fn paths(index: &Index) -> Vec<String> {
    let graph = index.graph();
    graph.files().iter().map(|file| file.path.clone()).collect()
}
