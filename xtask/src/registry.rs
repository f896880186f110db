//! The sources of one version of a package, as its registry has them.
//!
//! All are unpacked into `root`, an empty folder; `download` is made for the way there, and goes.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::run::{Shell, quietly};

/// A source distribution of PyPI, `NAME==VERSION`.
pub(crate) fn pypi(shell: &Shell, package: &str, download: &Path, root: &Path) -> Result<()> {
    fs::create_dir_all(download)?;
    let mut pip = shell.command("python3");
    pip.args(["-m", "pip", "download", "--quiet"]);
    pip.args(["--disable-pip-version-check", "--no-deps"]);
    pip.args(["--no-binary", ":all:", package]);
    quietly(pip.current_dir(download))?;
    unpack(shell, download, root)
}

/// A package of npm, `NAME@VERSION`, fetched with this `npm`.
pub(crate) fn npm(
    shell: &Shell,
    mut npm: Command,
    package: &str,
    download: &Path,
    root: &Path,
) -> Result<()> {
    fs::create_dir_all(download)?;
    npm.args(["pack", "--silent", package]);
    quietly(npm.current_dir(download))?;
    unpack(shell, download, root)
}

/// A crate, which is made a workspace of its own.
pub(crate) fn cargo(
    shell: &Shell,
    (name, version): (&str, &str),
    download: &Path,
    root: &Path,
) -> Result<()> {
    fs::create_dir_all(download.join("src"))?;
    fs::write(download.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"get\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{name} = \"={version}\"\n"
    );
    fs::write(download.join("Cargo.toml"), manifest)?;
    let mut vendor = shell.cargo("vendor --quiet vendor");
    quietly(vendor.current_dir(download))?;
    fs::rename(download.join("vendor").join(name), root)?;
    // Else cargo takes it for a stray member of the workspace around it.
    let manifest = root.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    fs::write(&manifest, text + "\n[workspace]\n")?;
    Ok(fs::remove_dir_all(download)?)
}

/// Unpacks the only archive of a folder, without its outermost folder.
fn unpack(shell: &Shell, download: &Path, root: &Path) -> Result<()> {
    let archive = fs::read_dir(download)?
        .flatten()
        .next()
        .with_context(|| format!("nothing was downloaded into {}", download.display()))?;
    let mut tar = shell.command("tar");
    tar.arg("-xzf").arg(archive.path()).arg("-C").arg(root);
    quietly(tar.arg("--strip-components=1"))?;
    Ok(fs::remove_dir_all(download)?)
}
