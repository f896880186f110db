//! Searching one text for every reading of a pattern.

use crate::document::Document;
use crate::pattern::Pattern;
use crate::shape::Shape;
use crate::solver::{Answer, Solution, Solver};
use crate::tree::{Capture, Root};
use std::ops::Range;
use tree_sitter::{Tree, TreeCursor};

/// One place where a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Index into [`Pattern::readings`].
    pub reading: usize,
    /// Bytes of the text.
    pub range: Range<usize>,
    /// What each of [`Pattern::variables`] is bound to, in their order.
    pub captures: Vec<Capture>,
    /// What the pattern passed over inside the match: comments and omitted parts.
    pub skipped: Vec<Range<usize>>,
}

/// What was found in one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The matches by start, the outer before the inner.
    pub matches: Vec<Match>,
    /// Candidates that were given up at the step bound: each may be a match.
    pub given_up: usize,
    /// The text has syntax errors; what stands in or near them may not have been found.
    pub has_errors: bool,
}

impl Pattern {
    /// Finds every match of every reading in a parsed text.
    pub fn search(&self, text: &str, tree: &Tree) -> Found {
        let mut searcher = Searcher::new(self, text);
        searcher.walk(tree);
        searcher.found.has_errors = tree.root_node().has_error();
        searcher.finish()
    }
}

struct Searcher<'p, 't> {
    pattern: &'p Pattern,
    shape: &'static Shape,
    text: &'t str,
    /// Readings whose text filter admits this text.
    active: Vec<usize>,
    /// For each kind: whether a node of it may be, or hold, a match.
    wanted: Vec<bool>,
    everything: bool,
    found: Found,
    document: Document,
}

impl<'p, 't> Searcher<'p, 't> {
    fn new(pattern: &'p Pattern, text: &'t str) -> Self {
        let shape = Shape::of(pattern.language());
        let active: Vec<usize> = (0..pattern.readings().len())
            .filter(|&at| pattern.readings()[at].filter.admits(text.as_bytes()))
            .collect();
        let mut wanted = vec![false; shape.len()];
        let mut everything = false;
        for &at in &active {
            match &pattern.readings()[at].root {
                Root::Sequence { parents, .. } => {
                    for &parent in parents {
                        mark(&mut wanted, parent);
                    }
                }
                root => match root.kind() {
                    Some(kind) => mark(&mut wanted, kind),
                    None => everything = true,
                },
            }
        }
        if !active.is_empty() {
            for kind in shape.macro_calls() {
                mark(&mut wanted, kind);
            }
        }
        Searcher {
            pattern,
            shape,
            text,
            active,
            wanted,
            everything,
            found: Found::default(),
            document: Document::default(),
        }
    }

    /// Walks the tree until a node that may match, lays that subtree out, and matches in there.
    fn walk(&mut self, tree: &Tree) {
        if self.active.is_empty() {
            return;
        }
        let mut cursor = tree.walk();
        loop {
            let kind = cursor.node().kind_id();
            if self.everything || self.wanted.get(usize::from(kind)).copied().unwrap_or(false) {
                self.subtree(&mut cursor);
            } else if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn subtree(&mut self, cursor: &mut TreeCursor<'_>) {
        let mut document = std::mem::take(&mut self.document);
        document.fill(self.shape, self.text, &mut cursor.node().walk());
        let pattern = self.pattern;
        let slots = pattern.variables().len();
        let mut solver = Solver::new(
            &document,
            self.shape,
            self.text,
            pattern.options.strict,
            pattern.options.max_steps,
        );
        for at in 0..u32::try_from(document.nodes.len()).unwrap_or(u32::MAX) {
            let kind = document.node(at).kind;
            if !self.everything && !self.wanted.get(usize::from(kind)).copied().unwrap_or(false) {
                continue;
            }
            for &reading in &self.active {
                match &pattern.readings()[reading].root {
                    Root::Sequence { items, parents } => {
                        if !parents.contains(&kind) {
                            continue;
                        }
                        let from_start = items.first().is_some_and(|item| item.is_many());
                        for child in
                            document
                                .children(at)
                                .take(if from_start { 1 } else { usize::MAX })
                        {
                            if document.node(child).is_extra() && !from_start {
                                continue;
                            }
                            let answer = solver.solve(
                                &pattern.readings()[reading].root,
                                slots,
                                child,
                                Some(at),
                            );
                            note(&mut self.found, pattern, reading, answer);
                        }
                    }
                    root => {
                        if root.kind().is_none_or(|wanted| wanted == kind) {
                            let answer = solver.solve(root, slots, at, None);
                            note(&mut self.found, pattern, reading, answer);
                        }
                    }
                }
            }
        }
        self.document = document;
    }

    fn finish(mut self) -> Found {
        let order = |m: &Match| (m.range.start, std::cmp::Reverse(m.range.end), m.reading);
        self.found.matches.sort_by_key(order);
        self.found
            .matches
            .dedup_by(|later, earlier| later.range == earlier.range);
        self.found
    }
}

fn mark(wanted: &mut [bool], kind: u16) {
    if let Some(slot) = wanted.get_mut(usize::from(kind)) {
        *slot = true;
    }
}

fn note(found: &mut Found, pattern: &Pattern, reading: usize, answer: Answer) {
    match answer {
        Answer::Match(solution) => found.matches.push(complete(pattern, reading, solution)),
        Answer::Exhausted => found.given_up += 1,
        Answer::No => {}
    }
}

/// A variable that this reading does not bind is empty; only a list can be.
fn complete(pattern: &Pattern, reading: usize, solution: Solution) -> Match {
    let captures = solution
        .captures
        .into_iter()
        .enumerate()
        .map(|(slot, capture)| match capture {
            Some(capture) => capture,
            None if pattern.is_many(slot) => Capture::Many(Vec::new()),
            None => Capture::One(solution.range.start..solution.range.start),
        })
        .collect();
    Match {
        reading,
        range: solution.range,
        captures,
        skipped: solution.skipped,
    }
}
