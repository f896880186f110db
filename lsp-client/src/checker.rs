//! The project's own checker, run on demand where no server can serve: what it finds, and how it
//! ended.

use std::collections::{BTreeMap, HashMap};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use crate::detect::{Detection, Detector, Failure, Launchable};
use crate::diagnostic::Diagnostic;
use crate::texts::Texts;

mod cargo;
mod finding;
mod lines;
mod pyright;
mod rows;
mod run;

pub(crate) use rows::catalog;

use finding::Found;
use rows::Format;
use run::Output;

/// Bounds of a checker's run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckLimits {
    /// How long it may run. Default: 2 min; a first build of a large project takes longer, and goes
    /// on from there the next time.
    pub time: Duration,
    /// How much it may write. Default: 32 MiB; ten thousand findings are less.
    pub output: usize,
    /// How large a file may be in which columns are converted. Default: 8 MiB; in a larger one a
    /// finding has its line only.
    pub text: u64,
}

impl Default for CheckLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(120),
            output: 32 << 20,
            text: 8 << 20,
        }
    }
}

/// What a checker's run came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Checked {
    /// The checker, such as `cargo check`.
    pub checker: String,
    /// Where it ran.
    pub root: PathBuf,
    /// What it found in files of the checkout, by path; each finding once.
    pub findings: BTreeMap<PathBuf, Vec<Diagnostic>>,
    /// How it ended. Unless it passed, what it did not report may still be there.
    pub end: CheckEnd,
    /// How long it took.
    pub took: Duration,
}

/// How a checker's run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckEnd {
    /// It says that all is well; its findings, if any, are warnings.
    Passed,
    /// It says that something is wrong, and what. It may not have looked at what depends on that.
    FoundErrors,
    /// It ended without a reason among its findings: it could not do its work.
    Failed(Failure),
    /// It was ended at [`CheckLimits::time`].
    TimedOut,
    /// It was ended at [`CheckLimits::output`].
    TooMuchOutput,
    /// It could not be started; in words.
    NotStarted(String),
}

impl Detector {
    /// The checkers for the language of a file, as [`Detector::detect`] says it of servers. All of
    /// them run what the checkout decides (build scripts, plug-ins), and need trust.
    ///
    /// *Cancel safety*: safe, as that of [`Detector::detect`].
    pub async fn checkers(&self, file: &Path) -> Vec<Detection> {
        self.detect_checkers(file).await
    }

    /// Runs a checker that [`Detector::checkers`] found, on the whole of its root.
    ///
    /// *Cancel safety*: when the future is dropped, the checker and all that it started is ended.
    pub async fn check(&self, checker: &Launchable, limits: &CheckLimits) -> Checked {
        let begun = Instant::now();
        let mut checked = Checked {
            checker: checker.server.id.clone(),
            root: checker.root.clone(),
            findings: BTreeMap::new(),
            end: CheckEnd::Passed,
            took: Duration::ZERO,
        };
        let search_path = project_path(checker);
        match run::run(checker, search_path, self.guard(), limits).await {
            Err(why) => checked.end = CheckEnd::NotStarted(why),
            Ok(output) => {
                let found = Format::of(&checker.server.id)
                    .map(|format| format.read(&output))
                    .unwrap_or_default();
                checked.end = end(&output, &found);
                let texts = Texts::new(HashMap::new(), limits.text);
                checked.findings = finding::place(found, &checker.root, self.checkout(), &texts);
            }
        }
        checked.took = begun.elapsed();
        checked
    }
}

/// The search path, with the project's own interpreters before it.
fn project_path(checker: &Launchable) -> OsString {
    let own = [".venv/bin", "venv/bin"].map(|folder| checker.root.join(folder));
    let others = env::split_paths(&checker.search_path);
    let all = own
        .into_iter()
        .filter(|folder| folder.is_dir())
        .chain(others);
    // Only a folder with a colon in its name cannot be joined.
    env::join_paths(all).unwrap_or_else(|_| checker.search_path.clone())
}

fn end(output: &Output, found: &[Found]) -> CheckEnd {
    match output {
        Output { too_long: true, .. } => CheckEnd::TooMuchOutput,
        Output {
            timed_out: true, ..
        } => CheckEnd::TimedOut,
        Output { success: true, .. } => CheckEnd::Passed,
        _ if !found.is_empty() && output.may_mean_errors() => CheckEnd::FoundErrors,
        _ => CheckEnd::Failed(output.failure()),
    }
}

#[cfg(test)]
mod tests;
