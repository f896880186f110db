//! What an observation changes for the agent, and how much of it was shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::finding::{Counts, Finding, Severity};
use crate::key::Key;
use crate::ledger::Slot;
use crate::shadow::Errors;

/// How far an observation can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The whole truth for this content: what is missing is gone.
    Complete,
    /// A deadline passed, a server is still indexing, a check still runs, a request failed: what is
    /// missing may come yet.
    Partial,
    /// A syntax error hides others: what is missing may be hidden.
    Masked,
}

/// Whether it is known what a slot held before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// There is a baseline, or an earlier complete observation: fresh findings are news.
    Known,
    /// Nothing is known from before: fresh findings may be old. Say so when they are shown.
    Unknown,
}

/// A finding that the agent has not been told.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fresh {
    /// The finding.
    pub finding: Finding,
    /// Its place in the set that was observed.
    pub index: usize,
    /// The severity under which the same code and message was told before, when that one is gone.
    pub was: Option<Severity>,
    /// Whether an error is gone that may have hidden it, so that it may be older than it looks; of
    /// a producer whose [errors hide](crate::Ledger::errors_hide) other findings.
    pub maybe_hidden: bool,
    pub(crate) key: Key,
    /// How many of this key were known before the first fresh one.
    pub(crate) known: u32,
}

impl Fresh {
    /// Whether this is the same finding on the same line, as two producers report it. Such a pair
    /// is shown once and acknowledged in both deltas.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> bool {
        self.key == other.key && self.finding.line == other.finding.line
    }
}

/// Findings of one identity that the agent knew of and that are gone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resolved {
    /// How bad it was.
    pub severity: Severity,
    /// Its code, perhaps cut short.
    pub code: Option<String>,
    /// Its message as it was first known, perhaps cut short ([`Config::max_excerpt`](crate::Config::max_excerpt)).
    pub message: String,
    /// How many are gone.
    pub count: u32,
}

/// What an observation changes for the agent. Nothing counts as told until the delta goes to
/// [`Ledger::acknowledge`](crate::Ledger::acknowledge).
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "what is shown to the agent has to be acknowledged, or it is told again"]
#[non_exhaustive]
pub struct Delta {
    /// What the agent has not been told: at most [`advised`](Self::advised) to show come first.
    /// Syntax errors first, then by severity, edited lines first, by position.
    pub fresh: Vec<Fresh>,
    /// How many of `fresh` to show when a cascade must not drown the answer; the others are worth a
    /// count. With a syntax error in the set only syntax errors are advised.
    pub advised: usize,
    /// What the agent knew and is gone. Empty unless the evidence is complete. A finding that came
    /// back at another severity is not here but in [`Fresh::was`].
    pub resolved: Vec<Resolved>,
    /// What was known before and is believed to be there still.
    pub remaining: Counts,
    /// How many of `remaining` this observation did not see. With complete evidence those
    /// that errors may hide, 0 as a rule.
    pub unconfirmed: usize,
    /// The evidence as it was taken: [`Complete`](Evidence::Complete) is lowered when the set holds
    /// a syntax error or was too large.
    pub evidence: Evidence,
    /// Whether it is known what was there before.
    pub origin: Origin,
    /// How many findings were not looked at because the set was larger than
    /// [`Config::max_findings`](crate::Config::max_findings).
    pub left_out: usize,
    pub(crate) slot: Slot,
    pub(crate) at: u64,
    /// How many of each key this observation saw.
    pub(crate) now: BTreeMap<Key, u32>,
    /// How many of each key may be hidden.
    pub(crate) hidden: BTreeMap<Key, u32>,
    /// The errors that this observation was made beside, if they may hide something.
    pub(crate) beside: Option<Arc<Errors>>,
}

impl Delta {
    /// Whose findings of which document these are.
    #[must_use]
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Whether there is nothing to tell: nothing fresh, nothing resolved. That is not "clean": see
    /// [`remaining`](Self::remaining) and [`evidence`](Self::evidence).
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.fresh.is_empty() && self.resolved.is_empty()
    }
}

/// How much of [`Delta::fresh`] really reached the agent. What was only counted was not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// All of it.
    All,
    /// The first so many.
    First(usize),
    /// Those at these places of `fresh`, in any order; places that do not exist are ignored.
    These(Vec<usize>),
}

impl Shown {
    pub(crate) fn holds(&self, place: usize) -> bool {
        match self {
            Self::All => true,
            Self::First(many) => place < *many,
            Self::These(places) => places.contains(&place),
        }
    }
}
