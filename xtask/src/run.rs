//! Running programs at the root of the workspace, each with its time.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// The workspace that the chores work on.
pub(crate) struct Shell {
    root: PathBuf,
}

impl Shell {
    /// Cargo names the folder of this package when it runs it; the workspace is one up.
    pub(crate) fn at_root() -> Result<Shell> {
        let package = env::var_os("CARGO_MANIFEST_DIR")
            .context("CARGO_MANIFEST_DIR is not set; start me with `cargo xtask`")?;
        let root = Path::new(&package)
            .parent()
            .context("the folder of xtask has no parent")?;
        Ok(Shell {
            root: root.to_path_buf(),
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A command in the root folder.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// `cargo` with `args`, given as one line of words.
    pub(crate) fn cargo(&self, args: &str) -> Command {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = self.command(cargo);
        command.args(args.split_whitespace());
        command
    }
}

/// Runs a command to its end, its output going where ours goes; an error when it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = shown(command);
    eprintln!("$ {line}");
    let begun = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    eprintln!("  {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// Runs a command and gives what it printed; an error with its complaint when it fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = shown(command);
    let output = command
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("`{line}` failed ({})\n{complaint}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` did not print UTF-8"))
}

/// Runs a command; what it said is shown only when it fails.
pub(crate) fn quietly(command: &mut Command) -> Result<()> {
    eprintln!("$ {}", shown(command));
    output(command).map(drop)
}

/// Whether `program` is to be found in `PATH` or where a system keeps its administration tools.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .any(|folder| folder.join(program).is_file())
}

/// A command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
