//! What is executed: the same for a guard and for a host that does without.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Everything that is decided about a program before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Start {
    /// Absolute.
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// Absolute.
    pub(crate) cwd: PathBuf,
    /// All of it: nothing is inherited.
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) hard: Option<Duration>,
    /// How long the guard waits for it at each step before it kills.
    pub(crate) farewell: Duration,
}

/// The program's ends of its three pipes.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

impl Start {
    /// A process group of its own, so that what the program sends to its group does not reach its
    /// parent, and Ctrl-C at our terminal does not reach the program.
    pub(crate) fn command(&self, pipes: Pipes) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .current_dir(&self.cwd)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(pipes.stdin)
            .stdout(pipes.stdout)
            .stderr(pipes.stderr)
            .process_group(0);
        command
    }
}
