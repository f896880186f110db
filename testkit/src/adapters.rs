//! The real debug adapters that `cargo xtask adapters` installs.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder they are in: `target/adapters` of the workspace, or what `FOURFOLD_ADAPTERS` says.
pub fn folder() -> PathBuf {
    match env::var_os("FOURFOLD_ADAPTERS") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .unwrap()
            .join("target/adapters"),
    }
}

/// A search path with the adapters first, then the machine's own.
pub fn path() -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let ours = [folder().join("bin")];
    env::join_paths(ours.into_iter().chain(env::split_paths(&path))).unwrap()
}

/// The Python that can import debugpy and pytest.
#[track_caller]
pub fn python() -> PathBuf {
    installed(folder().join("venv/bin/python"))
}

/// The script of the adapter of JavaScript, to be run by the `node` of [`path`].
#[track_caller]
pub fn js_debug() -> PathBuf {
    installed(folder().join("js-debug/vsDebugServer.cjs"))
}

/// The folder of a package of npm: one of the runners of tests.
#[track_caller]
pub fn package(name: &str) -> PathBuf {
    let folder = folder().join("node_modules").join(name);
    installed(folder.join("package.json"));
    folder
}

/// Where a program is.
///
/// # Panics
/// When it is not installed: a test that cannot run has not passed.
#[track_caller]
pub fn find(program: &str) -> PathBuf {
    let found = env::split_paths(&path())
        .map(|folder| folder.join(program))
        .find(|file| file.is_file());
    installed(found.unwrap_or_else(|| program.into()))
}

#[track_caller]
fn installed(file: PathBuf) -> PathBuf {
    assert!(
        file.is_file(),
        "`{}` is not installed: run `cargo xtask adapters` (or leave these tests out: \
         `cargo xtask test` with FOURFOLD_WITHOUT_SERVERS=1)",
        file.display()
    );
    file
}
