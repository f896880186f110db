//! The two programs that are compared: where they are, and how each is asked the same question.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::measure::Run;
use crate::patterns::InContext;

/// The peer's package and the version that is measured unless told otherwise.
pub const PEER_PACKAGE: &str = "ast-grep-cli";
/// See [`PEER_PACKAGE`].
pub const PEER_VERSION: &str = "0.51.1";

/// The build folder of the workspace: caches and reports go there.
///
/// # Errors
/// When the workspace cannot be found from this crate.
pub fn target_folder() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("CARGO_TARGET_DIR") {
        return std::path::absolute(folder).context("finding the build folder");
    }
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    Ok(workspace.context("finding the workspace")?.join("target"))
}

/// The peer's binary, installed from its package into an environment of its own when it is not
/// there yet.
///
/// # Errors
/// When the environment cannot be made or the package cannot be had.
pub fn peer(target: &Path) -> Result<PathBuf> {
    let venv = target.join("peers");
    let binary = venv.join("bin").join("ast-grep");
    if !binary.exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        let package = format!("{PEER_PACKAGE}=={PEER_VERSION}");
        succeed(
            Command::new(venv.join("bin/pip"))
                .args(["install", "-q"])
                .arg(package),
        )?;
    }
    Ok(binary)
}

/// Our binary: the one that is named, else the workspace's own, built by cargo in release.
///
/// # Errors
/// When the named one is not there, or the build fails.
pub fn ours(named: Option<PathBuf>, target: &Path) -> Result<PathBuf> {
    let binary = match named {
        Some(path) => std::path::absolute(path)?,
        None => {
            let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
            succeed(
                Command::new("cargo")
                    .args([
                        "build",
                        "--release",
                        "--package",
                        "fourfold-cli",
                        "--manifest-path",
                    ])
                    .arg(manifest),
            )?;
            target.join("release").join("fourfold")
        }
    };
    if !binary.is_file() {
        bail!(
            "no program at {}; name one with --fourfold PATH",
            binary.display()
        );
    }
    Ok(binary)
}

/// What a program says of its version.
///
/// # Errors
/// When it cannot be started.
pub fn version(binary: &Path) -> Result<String> {
    let out = Command::new(binary).arg("--version").output();
    let out = out.with_context(|| format!("starting {}", binary.display()))?;
    Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

/// Our run: every match of every reading as JSON lines.
#[must_use]
pub fn our_run(binary: &Path, language: &str, pattern: &str, folder: &Path) -> Run {
    run(
        binary,
        folder,
        &["grep", "--json", "--lang", language, "--", pattern, "."],
    )
}

/// The peer's run of a plain pattern, every match as JSON lines.
#[must_use]
pub fn peer_run(binary: &Path, language: &str, pattern: &str, folder: &Path) -> Run {
    let pattern = format!("--pattern={pattern}");
    run(
        binary,
        folder,
        &[
            "run",
            "--json=stream",
            "--color=never",
            "-l",
            language,
            &pattern,
            ".",
        ],
    )
}

/// The peer's run of a pattern in its context.
#[must_use]
pub fn peer_in_context(binary: &Path, language: &str, what: &InContext, folder: &Path) -> Run {
    let mut run = peer_run(binary, language, &what.pattern, folder);
    run.args.push("--selector".to_owned());
    run.args.push(what.selector.clone());
    run
}

/// The peer's run for all nodes of a kind.
#[must_use]
pub fn peer_kind(binary: &Path, language: &str, kind: &str, folder: &Path) -> Run {
    let kind = format!("--kind={kind}");
    run(
        binary,
        folder,
        &[
            "run",
            "--json=stream",
            "--color=never",
            "-l",
            language,
            &kind,
            ".",
        ],
    )
}

fn run(binary: &Path, folder: &Path, args: &[&str]) -> Run {
    Run {
        program: binary.to_owned(),
        args: args.iter().map(|&a| a.to_owned()).collect(),
        dir: folder.to_owned(),
    }
}

fn succeed(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .with_context(|| format!("starting `{program}`"))?;
    if !status.success() {
        bail!("`{program}` failed ({status})");
    }
    Ok(())
}
