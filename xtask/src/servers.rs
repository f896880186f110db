//! `cargo xtask servers`: the language servers that the tests talk to, in a folder of ours.
//!
//! `target/servers/bin` (or `FOURFOLD_SERVERS`) holds a link to every program that is not one of the
//! system's own: tests put it in front of the search path. What a package manager of the system
//! brings stays where that puts it. Everything else is pinned, so that a test that fails today did
//! not fail because a server changed over night.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use crate::run::{Shell, output, quietly};
use crate::toolbox::{NODE_JS, Toolbox};

/// The variable that says: leave out the tests on real servers. Not heeded in CI.
const WITHOUT: &str = "FOURFOLD_WITHOUT_SERVERS";

/// What Debian packages bring: the package, the program that shows it is there, and how to ask the
/// program whether it works.
const SYSTEM: &[(&str, &str, &str)] = &[
    ("rust-web-analyzer", "rust-analyzer", "--version"),
    ("clangd-19", "clangd-19", "--version"),
    ("gopls", "gopls", "version"),
    ("golang-go", "go", "version"),
    ("shellcheck", "shellcheck", "--version"),
    ("python3", "python3", "--version"),
    // The module that fills a fresh environment with pip.
    ("python3-venv", "python3", "-cimport ensurepip, venv"),
];

/// From the Python index. The third brings a Node.js of its own, which runs the others' scripts as
/// well, whatever the machine has.
const PYTHON: &[&str] = &[
    "pyright==1.1.414",
    "ruff==0.17.6",
    NODE_JS,
    "basedpyright==1.40.2",
];

/// Their programs.
const PYTHON_PROGRAMS: &[&str] = &[
    "basedpyright",
    "basedpyright-langserver",
    "pyright",
    "pyright-langserver",
    "ruff",
];

/// From npm. TypeScript 7 has no tsserver, and the version 6 of its server wants a newer Node.js.
const NODE: &[&str] = &[
    "bash-language-server@5.8.1",
    "typescript@5.9.3",
    "typescript-language-server@5.3.0",
    "vscode-langservers-extracted@4.10.0",
    "yaml-language-server@1.25.0",
];

/// Their programs.
const NODE_PROGRAMS: &[&str] = &[
    "bash-language-server",
    "tsc",
    "typescript-language-server",
    "vscode-css-language-server",
    "vscode-eslint-language-server",
    "vscode-html-language-server",
    "vscode-json-language-server",
    "yaml-language-server",
];

/// Whether the tests on real servers are to be left out, as the environment asks.
pub(crate) fn unwanted() -> Result<bool> {
    left_out(
        env::var_os(WITHOUT).as_deref(),
        env::var_os("CI").as_deref(),
    )
}

/// The same, for these values of the two variables; that one is set is what counts.
fn left_out(without: Option<&OsStr>, ci: Option<&OsStr>) -> Result<bool> {
    if without.is_some() && ci.is_some() {
        bail!("{WITHOUT} is set in CI, where no test is left out; unset it");
    }
    Ok(without.is_some())
}

/// Installs what is missing; quick when nothing is.
pub(crate) fn provide(shell: &Shell) -> Result<()> {
    let home = home(shell);
    let begun = Instant::now();
    // Two runs at once would install into each other.
    let _lock = home.lock()?;
    let missing = missing(SYSTEM);
    let python_first = missing.iter().any(|package| package.starts_with("python3"));
    let ours = || {
        home.python(shell, PYTHON, PYTHON_PROGRAMS)?;
        home.node(shell, NODE, NODE_PROGRAMS)
    };
    let failed: Vec<_> = if python_first {
        vec![from_system(shell, &missing), ours()]
    } else {
        thread::scope(|scope| {
            let system = scope.spawn(|| from_system(shell, &missing));
            let ours = ours();
            let system = system.join().unwrap_or_else(|_| Err(anyhow!("panicked")));
            vec![system, ours]
        })
    }
    .into_iter()
    .filter_map(Result::err)
    .map(|error| format!("{error:#}"))
    .collect();
    if !failed.is_empty() {
        bail!(
            "language servers for the tests are missing\n{}\n(set {WITHOUT}=1 to leave out the tests that need them)",
            failed.join("\n")
        );
    }
    // The program comes before rustup's name for it.
    let works = working("rust-analyzer", "--version").context("rust-analyzer is gone again")?;
    home.link("rust-analyzer", &works)?;
    eprintln!(
        "language servers: in {}, {:.1} s",
        home.folder().display(),
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

fn home(shell: &Shell) -> Toolbox {
    let chosen = env::var_os("FOURFOLD_SERVERS").map(PathBuf::from);
    Toolbox::at(chosen.unwrap_or_else(|| shell.root().join("target/servers")))
}

/// The Debian packages whose program does not work: of each the package, its program, and how to ask
/// that whether it works.
pub(crate) fn missing(packages: &'static [(&str, &str, &str)]) -> Vec<&'static str> {
    packages
        .iter()
        .filter(|(_, program, question)| working(program, question).is_none())
        .map(|(package, ..)| *package)
        .collect()
}

/// The first `program` on the search path that answers `question` with success. Rustup's names for
/// programs that it may or may not have are passed over.
pub(crate) fn working(program: &str, question: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .filter(|program| {
            fs::canonicalize(program).is_ok_and(|file| !file.ends_with("rustup") && file.is_file())
        })
        .find(|program| output(Command::new(program).arg(question)).is_ok())
}

/// Installs packages of Debian.
pub(crate) fn from_system(shell: &Shell, packages: &[&str]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    let mut install = shell.command("apt-get");
    install.args(["install", "-y", "-qq", "--no-install-recommends"]);
    // Another one may be at work: wait for its end.
    install
        .args(["-o", "DPkg::Lock::Timeout=600"])
        .args(packages);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    quietly(shell.command("apt-get").args(["update", "-qq"]))
        .and_then(|()| quietly(&mut install))
        .with_context(|| {
            format!(
                "cannot install the Debian packages {}; install them, or what they stand for, by hand",
                packages.join(" ")
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_on_servers_are_left_out_on_demand_and_never_in_ci() {
        let set = [None, Some(OsStr::new("")), Some(OsStr::new("1"))];
        for (without, ci) in set.iter().flat_map(|one| set.map(|other| (*one, other))) {
            let decided = left_out(without, ci);
            match (without, ci) {
                (None, _) => assert!(!decided.unwrap(), "{ci:?}"),
                (Some(_), None) => assert!(decided.unwrap(), "{without:?}"),
                (Some(_), Some(_)) => assert_eq!(
                    decided.unwrap_err().to_string(),
                    "FOURFOLD_WITHOUT_SERVERS is set in CI, where no test is left out; unset it"
                ),
            }
        }
    }
}
