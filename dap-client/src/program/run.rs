//! Commands that run to their end before a launch.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use fourfold_child::{EndedBy, Limits, Spawn};
use tokio::io::AsyncReadExt;

use super::{ProgramError, Runner};

/// Lines of a failure that are shown from its beginning and from its end: compilers say first what
/// matters, and last how many there were.
const SHOWN: (usize, usize) = (40, 8);

/// Bytes of standard output that are read.
const OUTPUT: u64 = 64 << 20;

/// A command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) program: String,
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
}

/// What a command came to.
pub(super) struct Output {
    pub(super) success: bool,
    pub(super) end: String,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Command {
    pub(super) fn new(program: &str, args: &[&str]) -> Command {
        Command {
            program: program.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: BTreeMap::new(),
        }
    }

    /// A line as a shell reads it.
    pub(super) fn shell(line: &str) -> Command {
        Command::new("sh", &["-c", line])
    }

    /// As one would type it.
    pub(super) fn shown(&self) -> String {
        match (self.program.as_str(), self.args.as_slice()) {
            ("sh", [_, line]) => line.clone(),
            (program, args) => std::iter::once(program)
                .chain(args.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join(" "),
        }
    }

    /// *Cancel safety*: when the future is dropped, the command and all that it started is ended.
    pub(super) async fn run(
        &self,
        cwd: &Path,
        runner: &Runner,
        within: Duration,
    ) -> Result<Output, ProgramError> {
        let spawn = Spawn::new(&self.program)
            .args(&self.args)
            .cwd(cwd)
            .env("PATH", &runner.search_path)
            .envs(&self.env)
            .guard(runner.guard.clone())
            .limits(Limits::default().with_hard(within));
        let mut child = spawn
            .spawn()
            .await
            .map_err(|error| ProgramError::NotStarted {
                command: self.shown(),
                why: error.to_string(),
            })?;
        drop(child.take_stdin());
        let mut stdout = Vec::new();
        if let Some(mut pipe) = child.take_stdout() {
            // What cannot be read was not printed. The rest is read too, or the command would wait.
            let _ = (&mut pipe).take(OUTPUT).read_to_end(&mut stdout).await;
            let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
        }
        let exit = child.wait().await;
        if exit.by == EndedBy::HardLimit {
            return Err(ProgramError::TimedOut {
                command: self.shown(),
                after: within,
            });
        }
        Ok(Output {
            success: exit.success(),
            end: exit.to_string(),
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: child.last_words(usize::MAX).await.join("\n"),
        })
    }

    /// The failure of a build, with what it said.
    pub(super) fn failed(&self, end: &str, said: &str) -> ProgramError {
        ProgramError::BuildFailed {
            command: self.shown(),
            end: end.to_owned(),
            output: shortened(said),
        }
    }

    /// Runs it, and takes a failure for an error.
    pub(super) async fn build(&self, cwd: &Path, runner: &Runner) -> Result<Output, ProgramError> {
        let output = self.run(cwd, runner, runner.build).await?;
        if output.success {
            return Ok(output);
        }
        let said = format!("{}\n{}", output.stdout.trim(), output.stderr.trim());
        Err(self.failed(&output.end, said.trim()))
    }
}

/// The beginning and the end of what was said.
fn shortened(said: &str) -> String {
    let lines: Vec<_> = said.lines().map(cut).collect();
    let (first, last) = SHOWN;
    if lines.len() <= first + last {
        return lines.join("\n");
    }
    let left_out = lines.len() - first - last;
    let mut shown: Vec<_> = lines.iter().take(first).cloned().collect();
    shown.push(format!("… {left_out} lines …"));
    shown.extend(lines.iter().skip(first + left_out).cloned());
    shown.join("\n")
}

fn cut(line: &str) -> String {
    const LONGEST: usize = 300;
    line.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_failure_keeps_both_ends() {
        let said: String = (1..=100).map(|line| format!("line {line}\n")).collect();
        let shown = shortened(&said);
        assert!(shown.starts_with("line 1\n") && shown.ends_with("line 100"));
        assert!(
            shown.contains("line 40\n… 52 lines …\nline 93\n"),
            "{shown}"
        );
        assert_eq!(shortened("one\ntwo\n"), "one\ntwo");
    }
}
