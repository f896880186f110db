//! The verdict: what the language servers say about a change, against what was known before it.
//!
//! `change` is what is asked about; `desk` has the servers, which it asks `before` a change and
//! `after` it. `reading` makes answers of what they say, `concern` finds the files that a change
//! concerns, in the code graph that `behind` keeps fit for it, `compose` asks the conversation's
//! ledger what of those answers is news, `text` says it in words; `answered` goes that way for every
//! tool that writes. `standing` is what is wrong whoever made it so; `others` finds what somebody else
//! wrote, with the `roll` of what came and went; `checkers` runs the project's own checkers where
//! there is no server.

mod after;
mod answered;
mod before;
mod behind;
mod change;
mod check;
mod checkers;
mod compose;
mod concern;
mod desk;
mod others;
mod reading;
mod result;
mod roll;
mod standing;
mod syntax;
#[cfg(test)]
mod tests;
mod text;
mod twins;

pub use answered::BeforeWrite;
pub(crate) use answered::Found;
pub(crate) use behind::Behind;
pub(crate) use check::Owed;
pub(crate) use checkers::Checkers;
pub(crate) use desk::{Desk, Patience, Pending};
pub(crate) use others::Seen;
pub use result::{
    CheckResult, CheckerRun, FileVerdict, FixedProblem, Problem, ProblemCounts, ServerAnswer,
    Verdict, VerdictState,
};
pub(crate) use roll::Roll;
pub(crate) use standing::Standing;
pub(crate) use text::{checked, late, noted, one_problem, seconds};
