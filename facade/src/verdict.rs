//! The verdict: what the language servers say about a change, against what was known before it.
//!
//! `change` is what is asked about, `desk` asks the servers before and after it, `reading` makes
//! answers of what they say, `concern` finds
//! the files that a change concerns, `compose` asks the conversation's ledger what of those is news, `text`
//! says it in words; `answered` goes that way for every tool that writes. `standing` is what is wrong
//! whoever made it so, `checkers` runs the project's own checkers for it where there is no server.

mod answered;
mod change;
mod check;
mod checkers;
mod compose;
mod concern;
mod desk;
mod reading;
mod result;
mod standing;
mod syntax;
#[cfg(test)]
mod tests;
mod text;
mod twins;

pub use answered::BeforeWrite;
pub(crate) use answered::Found;
pub(crate) use check::Seen;
pub(crate) use checkers::Checkers;
pub(crate) use desk::{Desk, Patience, Pending};
pub use result::{
    CheckResult, CheckerRun, FileVerdict, FixedProblem, Problem, ProblemCounts, ServerAnswer,
    Verdict, VerdictState,
};
pub(crate) use text::{checked, late, noted, one_problem, seconds};
