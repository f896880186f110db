//! The verdict as a value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known about a change: the one word first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum VerdictState {
    /// No language server could be asked. Nothing is known.
    NoServer,
    /// Every server that was asked has checked this very content, and the change brought nothing
    /// new.
    Clean,
    /// Something is in the way of an answer: a server still loads, said nothing, ran out of time or
    /// ended. Nothing new was seen, which does not mean that there is nothing.
    Unconfirmed,
    /// The change brought problems that were not there before.
    Problems,
}

impl VerdictState {
    /// The word, as people read it.
    pub fn word(self) -> &'static str {
        match self {
            VerdictState::NoServer => "no server",
            VerdictState::Clean => "clean",
            VerdictState::Unconfirmed => "unconfirmed",
            VerdictState::Problems => "problems",
        }
    }
}

/// What the language servers say about a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Verdict {
    /// The worst of the files' states: problems, then unconfirmed, then clean, then no_server.
    pub state: VerdictState,
    /// Why, if the state is unconfirmed or no_server; also what would help. Why nothing was asked, if
    /// it is clean because there was nothing to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Problems that this change brought: errors first, in the changed files before others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<Problem>,
    /// How many more new ones there are that were not given; they are told with the next verdict
    /// that has room.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub new_left_out: usize,
    /// How many of those may have been there before, because nobody had looked, or because an error
    /// hid them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub maybe_old_left_out: usize,
    /// How many of those in turn are not told again, because nothing speaks for it that this change
    /// brought them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub untold_left_out: usize,
    /// Problems that are gone since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<FixedProblem>,
    /// How many more are gone that were not given.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fixed_left_out: usize,
    /// Problems of the changed files that were there before and, for all that is known, still are.
    pub remaining: ProblemCounts,
    /// How many of those were not seen this time and are perhaps gone: an error may hide them, or
    /// the answer is not the whole truth.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub remaining_unseen: usize,
    /// Problems of earlier changes, or of changes that somebody else made, that were found only
    /// after the last answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Problem>,
    /// Problems that were found only after the last answer to be gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_fixed: Vec<FixedProblem>,
    /// Each changed file with its own state.
    pub files: Vec<FileVerdict>,
    /// Files that use what was changed and that no server looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlooked: Vec<String>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unlooked_left_out: usize,
    /// Each server that was asked, with how it answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerAnswer>,
}

impl Verdict {
    /// The verdict on files that nobody could be asked about.
    pub(super) fn unasked(files: Vec<String>, reason: &str) -> Verdict {
        let files = files.into_iter().map(|path| FileVerdict {
            path,
            state: VerdictState::Unconfirmed,
            reason: Some(reason.to_owned()),
            syntax_error_line: None,
        });
        Verdict {
            state: VerdictState::Unconfirmed,
            reason: Some(reason.to_owned()),
            new: Vec::new(),
            new_left_out: 0,
            maybe_old_left_out: 0,
            untold_left_out: 0,
            fixed: Vec::new(),
            fixed_left_out: 0,
            remaining: ProblemCounts::default(),
            remaining_unseen: 0,
            earlier: Vec::new(),
            earlier_fixed: Vec::new(),
            files: files.collect(),
            unlooked: Vec::new(),
            unlooked_left_out: 0,
            servers: Vec::new(),
        }
    }
}

/// The verdict on what somebody else wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckResult {
    /// The files that were checked: those that were named, or that changed since the last answer.
    pub files: Vec<String>,
    /// How many more changed that were not checked; name them to check them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// What the language servers say.
    pub verdict: Verdict,
}

/// A run of one of the project's own checkers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckerRun {
    /// The checker, such as `cargo check`.
    pub checker: String,
    /// The folder it checked, below the root of the checkout; `.` for the root itself.
    pub root: String,
    /// Problems that are new since its last run in this conversation; they are given.
    pub new: usize,
    /// Problems that its last run had found too; they are not given again.
    pub from_before: usize,
    /// Problems that are gone since its last run.
    pub fixed: usize,
    /// Why there may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

/// A problem, where it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Problem {
    /// Path below the root of the checkout, with `/`.
    pub path: String,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// error, warning or information.
    pub severity: String,
    /// The server's code for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What is wrong.
    pub message: String,
    /// The server that says so.
    pub server: String,
    /// The line of the file it is on, cut to the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether it may have been there before this change: what the file held before is not known, or
    /// an error that is gone may have hidden it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub maybe_old: bool,
    /// The severity it had before, if only that is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// Equal problems that are gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FixedProblem {
    /// Path below the root of the checkout, with `/`.
    pub path: String,
    /// error, warning or information.
    pub severity: String,
    /// The server's code for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What was wrong.
    pub message: String,
    /// How many of them are gone.
    pub count: u32,
    /// The server that no longer says so.
    pub server: String,
}

impl FixedProblem {
    /// Whether it tells the end of such a problem.
    pub(super) fn is_of(&self, problem: &Problem) -> bool {
        self.path == problem.path
            && self.server == problem.server
            && self.severity == problem.severity
            && self.code == problem.code
            && self.message == problem.message
    }
}

/// How many problems, by severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ProblemCounts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Informations.
    pub information: usize,
}

impl ProblemCounts {
    /// All of them.
    pub fn total(&self) -> usize {
        self.errors + self.warnings + self.information
    }
}

/// The verdict on one changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FileVerdict {
    /// Path below the root of the checkout, with `/`.
    pub path: String,
    /// Its state.
    pub state: VerdictState,
    /// Why, if it is not clean and has no problems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The first line, counted from 1, at which the text does not parse, though it did before or was
    /// not there: what can be said about a file without a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syntax_error_line: Option<usize>,
}

/// What one server had to do with a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ServerAnswer {
    /// Its name.
    pub server: String,
    /// Whether it confirmed what it says for this very content, for all files it was asked about.
    pub confirmed: bool,
    /// How it answered, or why it did not.
    pub how: String,
    /// How long that took, in milliseconds.
    pub took_ms: u64,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
