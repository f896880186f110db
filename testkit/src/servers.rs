//! The real language servers that `cargo xtask servers` installs.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder they are in: `target/servers` of the workspace, or what `FOURFOLD_SERVERS` says.
pub fn folder() -> PathBuf {
    match env::var_os("FOURFOLD_SERVERS") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .unwrap()
            .join("target/servers"),
    }
}

/// A search path with the servers first, then the machine's own.
pub fn path() -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    env::join_paths(
        [folder().join("bin")]
            .into_iter()
            .chain(env::split_paths(&path)),
    )
    .unwrap()
}

/// Where the program of a server is.
///
/// # Panics
/// When it is not installed: a test that cannot run has not passed.
#[track_caller]
pub fn find(program: &str) -> PathBuf {
    env::split_paths(&path())
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
        .unwrap_or_else(|| {
            panic!(
                "the language server `{program}` is not installed: run `cargo xtask servers` \
                 (or leave these tests out: `cargo xtask test` with FOURFOLD_WITHOUT_SERVERS=1)"
            )
        })
}

/// Asserts that all of these are installed; see [`find`].
#[track_caller]
pub fn need(programs: &[&str]) {
    for program in programs {
        find(program);
    }
}
