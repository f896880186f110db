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

/// The row of the table, and the programs, of a server as stories name it; the first program is the
/// server.
#[track_caller]
pub fn known(name: &str) -> (&'static str, &'static [&'static str]) {
    match name {
        "rust-analyzer" => ("rust-analyzer", &["rust-analyzer"]),
        "pyright" => ("pyright", &["pyright-langserver", "node"]),
        "basedpyright" => ("pyright", &["basedpyright-langserver", "node"]),
        "ruff" => ("ruff", &["ruff"]),
        "typescript" => ("typescript", &["typescript-language-server", "node"]),
        "gopls" => ("gopls", &["gopls", "go"]),
        "clangd" => ("clangd", &["clangd-19"]),
        "bash" => ("bash", &["bash-language-server", "node", "shellcheck"]),
        "json" => ("json", &["vscode-json-language-server", "node"]),
        other => panic!("{other}: which programs are that?"),
    }
}
