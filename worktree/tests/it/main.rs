//! The crate as its users see it, on real folders.
#![allow(clippy::unwrap_used, reason = "a test ends where its set-up fails")]

mod door;
mod parallel;
mod read;
mod walk;

use std::fs;
use std::path::{Path, PathBuf};

use fourfold_worktree::{Checkout, WalkOptions};
use tempfile::TempDir;

/// A temporary folder with a checkout in `tree/` and room outside of it.
struct Place {
    outside: TempDir,
    checkout: Checkout,
}

impl Place {
    /// Files are `(path below tree/, content)`.
    fn new(files: &[(&str, &str)]) -> Place {
        let outside = TempDir::new().unwrap();
        let root = outside.path().join("tree");
        fs::create_dir(&root).unwrap();
        let checkout = Checkout::open(&root).unwrap();
        let place = Place { outside, checkout };
        for (path, content) in files {
            place.write(path, content);
        }
        place
    }

    fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.checkout.root().join(below)
    }

    fn write(&self, below: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn link(&self, target: impl AsRef<Path>, below: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.path(below)).unwrap();
    }

    fn fifo(&self, below: impl AsRef<Path>) {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, self.path(below), FileType::Fifo, mode, 0).unwrap();
    }

    /// A message with the machine's folder names taken out.
    fn tidy(&self, message: impl ToString) -> String {
        let base = fs::canonicalize(self.outside.path()).unwrap();
        message.to_string().replace(base.to_str().unwrap(), "BASE")
    }
}

/// Options for walking `paths`.
fn over(paths: &[&str]) -> WalkOptions<'static> {
    WalkOptions {
        paths: paths.iter().map(PathBuf::from).collect(),
        ..WalkOptions::default()
    }
}
