//! Why a candidate is no match, remembered for the attempt that came the furthest.

use super::Solver;
use crate::tree::PatternNode;
use std::ops::Range;

/// Why the furthest attempt failed; for `explain`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Miss {
    /// The pattern wants this text and the source has another.
    Differs {
        expected: String,
        found: Range<usize>,
    },
    /// The pattern wants a node of this kind and the source has another.
    Kind {
        expected: u16,
        found: Range<usize>,
        kind: u16,
    },
    /// The pattern ends and the source goes on.
    Beyond { found: Range<usize> },
    /// The source ends and the pattern goes on.
    Ends { expected: String },
    /// A variable that is used twice captured two different things.
    Unequal {
        slot: usize,
        first: Range<usize>,
        second: Range<usize>,
    },
    /// A part of a class that the pattern names is one more than the pattern has.
    OneMore { class: u8, found: Range<usize> },
}

impl Solver<'_> {
    /// Records the furthest failure of each candidate.
    pub(crate) fn explaining(mut self) -> Self {
        self.explain = true;
        self
    }

    /// How far the last failed candidate came, and why it failed there.
    pub(crate) fn take_miss(&mut self) -> Option<(usize, Miss)> {
        self.furthest.take()
    }

    pub(super) fn miss(&mut self, miss: impl FnOnce() -> Miss) {
        if self.explain
            && self
                .furthest
                .as_ref()
                .is_none_or(|(depth, _)| *depth <= self.depth)
        {
            self.furthest = Some((self.depth, miss()));
        }
    }
}

pub(super) fn describe(item: &PatternNode) -> String {
    match item {
        PatternNode::Token { text, .. } => text.clone(),
        PatternNode::Tree { children, .. } => {
            children.iter().map(describe).collect::<Vec<_>>().join(" ")
        }
        PatternNode::Many { .. } => "$$$".to_owned(),
        _ => "$".to_owned(),
    }
}

/// A separator of the pattern and the item after it.
pub(super) fn goes_on(separator: &str, rest: &[PatternNode]) -> String {
    match rest.first() {
        Some(item) => format!("{separator} {}", describe(item)),
        None => separator.to_owned(),
    }
}
