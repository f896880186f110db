//! Temporary checkouts.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder with some files, gone when dropped.
#[derive(Debug)]
pub struct Project {
    // The folder is held by its canonical path: links would make two names of one file.
    root: PathBuf,
    folder: TempDir,
}

impl Project {
    /// An empty one.
    pub fn new() -> Project {
        let folder = tempfile::Builder::new()
            .prefix("fourfold-project-")
            .tempdir()
            .unwrap();
        let root = folder.path().canonicalize().unwrap().join("checkout");
        fs::create_dir(&root).unwrap();
        Project { root, folder }
    }

    /// One with all files of `folder`.
    pub fn copy_of(folder: &Path) -> Project {
        let project = Project::new();
        copy(folder, &project.root);
        project
    }

    /// With this file too; folders on the way are made.
    #[must_use]
    pub fn file(self, path: &str, text: &str) -> Project {
        self.write(path, text);
        self
    }

    /// Its folder, canonical.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A folder that is not in the project and is gone with it.
    pub fn beside(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The absolute path of a file in it.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The text of a file.
    pub fn read(&self, path: &str) -> String {
        let path = self.path(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Puts `text` into a file in one step, as an editor does: beside it, then in its place.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let beside = path.with_extension("fourfold-new");
        fs::write(&beside, text).unwrap();
        fs::rename(&beside, &path).unwrap();
    }

    /// Writes the file with its only `old` replaced by `new`, and gives the whole text.
    pub fn replace(&self, path: &str, old: &str, new: &str) -> String {
        let text = self.read(path);
        let count = text.matches(old).count();
        assert_eq!(count, 1, "{path} holds {old:?} {count} times");
        let text = text.replacen(old, new, 1);
        self.write(path, &text);
        text
    }
}

impl Default for Project {
    fn default() -> Project {
        Project::new()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let entries = fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    for entry in entries {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
