//! Whether something is still the same on the disk.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Files by which tools choose which version of a program they run.
const TOOLCHAIN_FILES: [&str; 11] = [
    "rust-toolchain",
    "rust-toolchain.toml",
    ".tool-versions",
    "mise.toml",
    ".mise.toml",
    ".python-version",
    ".node-version",
    ".nvmrc",
    ".java-version",
    ".ruby-version",
    ".sdkmanrc",
];

/// What a program was, and what chose its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// The link, and what it leads to.
    program: [Option<Identity>; 2],
    toolchain: Vec<(PathBuf, Identity)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Stamp {
    /// A look at the disk: at the program, and at the toolchain files that hold for `root`.
    pub(super) fn of(program: &Path, root: &Path) -> Self {
        let toolchain = root
            .ancestors()
            .flat_map(|folder| TOOLCHAIN_FILES.map(|name| folder.join(name)))
            .filter_map(|path| {
                let identity = Identity::of(&fs::metadata(&path).ok()?);
                Some((path, identity))
            });
        Self {
            program: [fs::symlink_metadata(program), fs::metadata(program)]
                .map(|found| found.ok().as_ref().map(Identity::of)),
            toolchain: toolchain.collect(),
        }
    }
}

impl Identity {
    fn of(file: &fs::Metadata) -> Self {
        Self {
            device: file.dev(),
            inode: file.ino(),
            size: file.size(),
            modified: (file.mtime(), file.mtime_nsec()),
        }
    }
}

/// Whether a program is rustup under another name: a link to it, or another name of the same file
/// or of a copy of it beside it. Such a program is a name only, until rustup has found what the
/// toolchain has under it.
pub(super) fn is_rustup(program: &Path) -> bool {
    let Ok(real) = program.canonicalize() else {
        return false;
    };
    if real.file_name().is_some_and(|name| name == "rustup") {
        return program.file_name().is_some_and(|name| name != "rustup");
    }
    let Some(folder) = real.parent() else {
        return false;
    };
    match (fs::metadata(&real), fs::metadata(folder.join("rustup"))) {
        (Ok(program), Ok(rustup)) => {
            Identity::of(&program) == Identity::of(&rustup) || program.size() == rustup.size()
        }
        _ => false,
    }
}
