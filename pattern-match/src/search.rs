//! Searching one text for every reading of a pattern.

use crate::document::{Document, Node};
use crate::filter::{Filter, Places};
use crate::macros::Reparse;
use crate::pattern::Pattern;
use crate::shape::Shape;
use crate::solver::{Answer, Solution, Solver};
use crate::tree::{Capture, PatternNode, Root};
use fourfold_syntax::FileSummary;
use std::ops::Range;
use tree_sitter::{Tree, TreeCursor};

/// One place where a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Index into [`Pattern::readings`].
    pub reading: usize,
    /// Bytes of the text.
    pub range: Range<usize>,
    /// The grammar's name of the node that matched; for a run of nodes, of the first.
    pub kind: &'static str,
    /// What each of [`Pattern::variables`] is bound to, in their order.
    pub captures: Vec<Capture>,
    /// What the pattern passed over inside the match: comments and omitted parts.
    pub skipped: Vec<Range<usize>>,
}

impl Match {
    /// The bytes that a capture carries into a rewrite: a list takes the comments directly before
    /// and after its items along. A comment that ends its line is taken at the end only where a
    /// line end follows, else it would swallow what the template says next.
    pub(crate) fn carried(
        &self,
        text: &str,
        slot: usize,
        line_end_follows: bool,
    ) -> Option<Range<usize>> {
        let capture = self.captures.get(slot)?;
        let mut span = capture.span()?;
        if matches!(capture, Capture::One(_)) {
            return Some(span);
        }
        let apart = |from: usize, to: usize| {
            text.get(from..to).is_some_and(|gap| {
                gap.chars()
                    .all(|c| c.is_whitespace() || matches!(c, ',' | ';'))
            })
        };
        let items = span.clone();
        let mut beside: Vec<&Range<usize>> = self.skipped.iter().collect();
        beside.sort_by_key(|range| range.start);
        for comment in beside
            .iter()
            .rev()
            .filter(|comment| comment.end <= items.start)
        {
            if !apart(comment.end, span.start) || comment.start < self.range.start {
                break;
            }
            span.start = comment.start;
        }
        for comment in beside.iter().filter(|comment| comment.start >= items.end) {
            let (before, after) = text.split_at_checked(comment.end)?;
            let after = after.trim_start_matches([' ', '\t', '\r']);
            let closed = ["*/", "-->", "-}", "]]"]
                .iter()
                .any(|close| before.ends_with(close));
            let at_line_end = after.is_empty() || after.starts_with('\n') || before.ends_with('\n');
            let fits = closed || !at_line_end || line_end_follows;
            if !apart(span.end, comment.start) || comment.end > self.range.end || !fits {
                break;
            }
            span.end = comment.start + text.get((*comment).clone())?.trim_end().len();
        }
        Some(span)
    }
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

/// The kinds of the nodes that are, or hold directly, a match of a reading; none when every node may
/// be one.
fn candidates(root: &Root) -> Option<impl Iterator<Item = u16>> {
    let (parents, kind) = match root {
        Root::Sequence { parents, .. } => (parents.as_slice(), None),
        root => (&[][..], Some(root.kind()?)),
    };
    Some(parents.iter().copied().chain(kind))
}

impl Pattern {
    /// Whether a file may hold a match, by its text and by a summary of it: also for a pattern of
    /// keywords, which nearly every text has. Never wrong when it says no; a summary of another
    /// content than `text` makes it so.
    pub fn may_match_file(&self, text: &[u8], summary: &FileSummary) -> bool {
        let shape = Shape::of(self.language());
        let has = |kind: u16| summary.may_contain_kind_id(kind);
        // The body of a macro is parsed again, and what that gives is not in the summary.
        if summary.language() != self.language() || shape.macro_calls().any(has) {
            return self.may_match(text);
        }
        self.readings().iter().any(|reading| {
            reading.filter.admits(text)
                && candidates(&reading.root).is_none_or(|mut kinds| kinds.any(has))
        })
    }

    /// Finds every match of every reading in a parsed text.
    pub fn search(&self, text: &str, tree: &Tree) -> Found {
        let search = || {
            let mut searcher = Searcher::new(self, text);
            searcher.walk(tree);
            searcher.finish()
        };
        let given_up = || Found {
            given_up: 1,
            ..Found::default()
        };
        Found {
            has_errors: tree.root_node().has_error(),
            ..self.with_room(search).unwrap_or_else(given_up)
        }
    }
}

struct Searcher<'p, 't> {
    pattern: &'p Pattern,
    shape: &'static Shape,
    text: &'t str,
    /// Readings whose text filter admits this text.
    active: Vec<usize>,
    /// Their filters.
    filters: Vec<&'p Filter>,
    /// Where the words of each active reading stand.
    places: Vec<Places>,
    /// For each kind: what to do with a node of it.
    plan: Vec<Plan>,
    /// Levels of a candidate that the readings look at.
    depth: usize,
    /// A reading is a lone metavariable: every node is a candidate.
    everything: bool,
    /// A reading has a macro call in it.
    has_macro: bool,
    found: Found,
    document: Document,
}

/// What to do with a node of some kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Plan {
    /// Only look inside.
    #[default]
    Pass,
    /// It may be, or hold directly, a match.
    Candidate,
    /// It is a macro call: its body is parsed again, and searched whole.
    Macro,
}

impl<'p, 't> Searcher<'p, 't> {
    fn new(pattern: &'p Pattern, text: &'t str) -> Self {
        let shape = Shape::of(pattern.language());
        let readings = pattern.readings();
        let active: Vec<usize> = (0..readings.len())
            .filter(|&at| readings[at].filter.admits(text.as_bytes()))
            .collect();
        let places = active
            .iter()
            .map(|&at| readings[at].filter.places(text.as_bytes()))
            .collect();
        let filters = active.iter().map(|&at| &readings[at].filter).collect();
        let mut plan = vec![Plan::Pass; shape.len()];
        let mut mark = |kind: u16, to: Plan| {
            if let Some(slot) = plan.get_mut(usize::from(kind)) {
                *slot = to;
            }
        };
        let mut everything = false;
        for &at in &active {
            match candidates(&readings[at].root) {
                Some(kinds) => kinds.for_each(|kind| mark(kind, Plan::Candidate)),
                None => everything = true,
            }
        }
        shape.macro_calls().for_each(|kind| mark(kind, Plan::Macro));
        let has_macro = active.iter().any(|&at| {
            readings[at]
                .root
                .items()
                .iter()
                .any(|item| holds_macro(item, shape))
        });
        let depth = active
            .iter()
            .map(|&at| readings[at].depth)
            .max()
            .unwrap_or(0);
        Searcher {
            pattern,
            shape,
            text,
            active,
            filters,
            places,
            plan,
            depth,
            everything,
            has_macro,
            found: Found::default(),
            document: Document::default(),
        }
    }

    /// Walks the tree, past every subtree whose text lacks a word of each reading.
    fn walk(&mut self, tree: &Tree) {
        if self.active.is_empty() {
            return;
        }
        let mut cursor = tree.walk();
        let mut scratch = tree.walk();
        loop {
            let node = cursor.node();
            let descend = if self.may_hold(node.start_byte(), node.end_byte()) {
                let plan = self
                    .plan
                    .get(usize::from(node.kind_id()))
                    .copied()
                    .unwrap_or_default();
                // Comparing what a variable captured needs whole subtrees; laying one out for
                // each of many nested candidates would cost the square of the nesting.
                let whole = self.everything
                    || plan == Plan::Macro
                    || (plan == Plan::Candidate && self.depth == usize::MAX);
                if whole || plan == Plan::Candidate {
                    scratch.reset(node);
                    self.candidate(&mut scratch, whole);
                }
                !whole
            } else {
                false
            };
            if descend && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Whether a stretch of the text has the words of a reading. The stretches asked for come in
    /// the order of a walk.
    fn may_hold(&mut self, start: usize, end: usize) -> bool {
        let mut places = self.places.iter_mut();
        places.any(|places| places.ahead(start, end))
    }

    /// Matches at the node under the cursor; `whole`: and at every node inside it.
    fn candidate(&mut self, cursor: &mut TreeCursor<'_>, whole: bool) {
        let mut document = std::mem::take(&mut self.document);
        let pattern = self.pattern;
        let reparse = if self.has_macro || self.everything {
            Reparse::All
        } else {
            Reparse::Holding(&self.filters)
        };
        let depth = if whole { usize::MAX } else { self.depth };
        document.fill(self.shape, self.text, cursor, reparse, depth);
        let options = &pattern.options;
        let mut solver = Solver::new(
            &document,
            self.shape,
            self.text,
            options.strict,
            options.max_steps,
        );
        let last = match whole {
            true => document.nodes.len(),
            false => document.roots(),
        };
        for at in 0..u32::try_from(last).unwrap_or(u32::MAX) {
            let node = document.node(at);
            for (index, &reading) in self.active.iter().enumerate() {
                let root = &pattern.readings()[reading].root;
                let fits = is_candidate(root, node.kind);
                if fits && self.places[index].within(node.start as usize, node.end as usize) {
                    solve_at(
                        &mut solver,
                        &document,
                        pattern,
                        reading,
                        at,
                        &mut self.found,
                    );
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

fn holds_macro(item: &PatternNode, shape: &Shape) -> bool {
    match item {
        PatternNode::Tree { kind, children, .. } => {
            shape.kind(*kind).macro_call || children.iter().any(|child| holds_macro(child, shape))
        }
        _ => false,
    }
}

/// Matches one reading at a node; a sequence at each of its children.
fn solve_at(
    solver: &mut Solver<'_>,
    document: &Document,
    pattern: &Pattern,
    reading: usize,
    at: u32,
    found: &mut Found,
) {
    let root = &pattern.readings()[reading].root;
    let shape = Shape::of(pattern.language());
    for (start, parent) in starts(root, document, shape, at) {
        let kind = shape.name(document.node(start).kind);
        let answer = solver.solve(root, pattern.variables().len(), start, parent);
        note(found, pattern, reading, kind, answer);
    }
}

/// Where a reading may start at or in a node, each with the parent that a sequence needs.
pub(crate) fn starts(
    root: &Root,
    document: &Document,
    shape: &Shape,
    at: u32,
) -> Vec<(u32, Option<u32>)> {
    match root {
        Root::Node(_) => vec![(at, None)],
        Root::Sequence { items, .. } => {
            let children = document
                .children(at)
                .filter(|&child| !document.node(child).is_extra());
            let started = |child: u32| (child, Some(at));
            if !items.first().is_some_and(PatternNode::is_many) {
                return children.map(started).collect();
            }
            // A run that begins with a list takes it from where the body opens, or not at all.
            let children: Vec<u32> = children.collect();
            let opens = |&child: &u32| is_opener(shape, document.node(child));
            let first = children.iter().position(opens).map_or(0, |at| at + 1);
            children
                .get(first)
                .copied()
                .map(started)
                .into_iter()
                .collect()
        }
    }
}

/// Whether a child is what stands before the first item of a body.
fn is_opener(shape: &Shape, node: &Node) -> bool {
    let name = shape.name(node.kind);
    if node.is_named() {
        matches!(name, "jsx_opening_element" | "start_tag")
    } else {
        matches!(
            name,
            "{" | "("
                | "["
                | "<"
                | ":"
                | "=>"
                | "->"
                | "do"
                | "then"
                | "else"
                | "begin"
                | "ensure"
                | "rescue"
                | "catch"
                | "after"
        )
    }
}

/// Whether a node may be, or directly hold, a match of a reading.
pub(crate) fn is_candidate(root: &Root, kind: u16) -> bool {
    match root {
        Root::Sequence { parents, .. } => parents.contains(&kind),
        root => root.kind().is_none_or(|wanted| wanted == kind),
    }
}

fn note(found: &mut Found, pattern: &Pattern, reading: usize, kind: &'static str, answer: Answer) {
    match answer {
        Answer::Match(solution) => found
            .matches
            .push(complete(pattern, reading, kind, solution)),
        Answer::Exhausted => found.given_up += 1,
        Answer::No => {}
    }
}

/// A variable that this reading does not bind is empty; only a list can be.
fn complete(pattern: &Pattern, reading: usize, kind: &'static str, solution: Solution) -> Match {
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
        kind,
        captures,
        skipped: solution.skipped,
    }
}

#[cfg(test)]
mod tests {
    use super::{Match, Searcher};
    use crate::{Options, Pattern};
    use fourfold_syntax::{Language, ParseLimits, with_parser};
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, out);
            } else if path.extension().is_some_and(|end| end == "rs") {
                out.push(path);
            }
        }
    }

    /// Which macro bodies are parsed again is a matter of cost, never of what is found.
    #[test]
    fn passing_over_macro_bodies_loses_no_match() {
        let rust = Language::named("rust").unwrap();
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        for folder in ["src", "tests/it"] {
            sources(&own.join(folder), &mut files);
        }
        let patterns = [
            "$F($A, $$$R)",
            "$F($$$A)",
            "$X.$M($$$A)",
            "$A[$B]",
            "$F($A)[$B]",
            "$A + $B",
            "Some($X)",
            "$A == $B",
        ];
        let mut in_macros = 0;
        for fragment in patterns {
            let pattern = Pattern::compile(rust, fragment, &Options::default()).unwrap();
            for file in &files {
                let text = std::fs::read_to_string(file).unwrap();
                let tree = with_parser(ParseLimits::default(), |parser| parser.parse(rust, &text));
                let tree = tree.unwrap();
                let found = |all: bool| {
                    let mut searcher = Searcher::new(&pattern, &text);
                    searcher.has_macro |= all;
                    searcher.walk(&tree);
                    searcher.finish()
                };
                let (some, all) = (found(false), found(true));
                assert_eq!(some, all, "{fragment} in {}", file.display());
                let is_inside = |m: &&Match| {
                    let node = tree
                        .root_node()
                        .descendant_for_byte_range(m.range.start, m.range.end);
                    let mut above = std::iter::successors(node, tree_sitter::Node::parent);
                    above.any(|node| node.kind() == "token_tree")
                };
                in_macros += all.matches.iter().filter(is_inside).count();
            }
        }
        assert!(in_macros > 500, "{in_macros}");
    }
}
