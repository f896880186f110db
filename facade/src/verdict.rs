//! The verdict: what the language servers say about a change, against what was known before it.
//!
//! The parts, each a function of what the one before gave: `languages` asks the servers, `compose`
//! asks the conversation's ledger what of it is news, `text` says it in words.

mod compose;
mod result;
mod syntax;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use compose::{Answer, Heard, Outcome, Unserved, compose};
pub use result::{
    FileVerdict, FixedProblem, Problem, ProblemCounts, ServerAnswer, Verdict, VerdictState,
};
pub(crate) use text::verdict as said;
