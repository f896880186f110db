//! A program that is run to its end, within bounds.

use std::ffi::OsString;
use std::time::Duration;

use fourfold_child::{Child, EndedBy, Exit, Guard, Limits, Spawn};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::select;
use tokio::time::timeout;

use crate::detect::{Failure, Launchable};

use super::CheckLimits;

/// Standard error that is kept: some checkers write their findings there.
const STDERR_BYTES: usize = 4 << 20;

/// Lines of it that are shown when a checker failed.
const LAST_WORDS: usize = 10;

/// How long the rest of the output may take once nobody is left who could write.
const REST: Duration = Duration::from_secs(5);

/// What a run left behind.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) stdout: Vec<u8>,
    /// Lines.
    pub(super) stderr: Vec<String>,
    pub(super) success: bool,
    pub(super) timed_out: bool,
    pub(super) too_long: bool,
    /// The exit in words.
    exit: String,
    code: Option<i32>,
}

impl Output {
    /// Whether the exit is that of a checker that found something: not one that a signal ended.
    pub(super) fn may_mean_errors(&self) -> bool {
        self.code.is_some()
    }

    /// What it said last; some complain on their standard output.
    pub(super) fn failure(&self) -> Failure {
        let stdout = String::from_utf8_lossy(&self.stdout);
        let said: Vec<String> = match self.stderr.as_slice() {
            [] => stdout.lines().map(str::to_owned).collect(),
            lines => lines.to_vec(),
        };
        let skipped = said.len().saturating_sub(LAST_WORDS);
        Failure {
            what: self.exit.clone(),
            last_words: said.into_iter().skip(skipped).collect(),
        }
    }
}

/// Runs a program until it ends or reaches a bound; the error is why it did not start.
pub(super) async fn run(
    program: &Launchable,
    search_path: OsString,
    guard: Guard,
    limits: &CheckLimits,
) -> Result<Output, String> {
    let mut child = Spawn::new(&program.program)
        .args(&program.args)
        .cwd(&program.root)
        .env_without_secrets()
        .env("PATH", search_path)
        .env("NO_COLOR", "1")
        .env("CARGO_TERM_COLOR", "never")
        .env_remove("FORCE_COLOR")
        .guard(guard)
        .limits(
            Limits::default()
                .with_hard(limits.time)
                .with_stderr(STDERR_BYTES),
        )
        .spawn()
        .await
        .map_err(|error| error.to_string())?;
    drop(child.take_stdin());
    let mut output = Output::default();
    let exit = match child.take_stdout() {
        Some(stdout) => read_to_the_end(&child, stdout, &mut output, limits.output).await,
        None => child.wait().await,
    };
    output.stderr = child.last_words(usize::MAX).await;
    output.success = exit.success();
    output.timed_out = exit.by == EndedBy::HardLimit;
    output.exit = exit.to_string();
    output.code = exit.code;
    Ok(output)
}

async fn read_to_the_end(
    child: &Child,
    stdout: impl AsyncRead + Unpin,
    output: &mut Output,
    most: usize,
) -> Exit {
    let one_more = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let mut bounded = stdout.take(one_more);
    let exit = {
        let mut read = std::pin::pin!(bounded.read_to_end(&mut output.stdout));
        select! {
            // What is read until an error is what there is.
            _ = &mut read => None,
            exit = child.wait() => {
                // Whatever it left behind would keep the output open.
                child.kill();
                let _ = timeout(REST, read).await;
                Some(exit)
            }
        }
    };
    output.too_long = output.stdout.len() > most;
    match exit {
        Some(exit) => exit,
        None => {
            if output.too_long {
                child.kill();
            }
            child.wait().await
        }
    }
}
