//! The matcher: one pattern against one node, with real backtracking.
//!
//! What remains to be matched is a chain of goals: the rest of a pattern's child list against the
//! rest of a node's children, then the same one level up. A `$$$` tries the shortest run first and
//! is tried again with a longer one whenever anything later fails, also on an outer level, so a
//! match is found if there is one within the step bound.

mod equal;
mod list;
mod miss;
mod omit;

use crate::document::{Document, Node};
use crate::shape::Shape;
use crate::tree::{ANY_FIELD, Capture, PatternNode, Root, Slot};
pub(crate) use miss::Miss;
pub(crate) use omit::part_class;
use std::ops::Range;

/// What a variable is bound to while matching.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Binding {
    Node(u32),
    Text(u32, u32),
    List(Vec<u32>),
}

/// The rest of one child list, and what follows it on the outer levels.
#[derive(Clone, Copy)]
struct Goal<'g> {
    items: &'g [PatternNode],
    /// Next child of the source to look at, and the end of its parent.
    at: u32,
    end: u32,
    level: Level,
    next: Option<&'g Goal<'g>>,
}

/// What the matcher knows of the node whose children it is matching.
#[derive(Clone, Copy)]
struct Level {
    /// Classes that the pattern names, and which must then match exactly.
    classes: u8,
    /// The kind of the node whose children these are.
    parent: u16,
    /// What follows the last item is not looked at.
    open: bool,
    /// The item before was a `$$$`.
    after_many: bool,
    /// Where the last item matched on this level ends.
    done: u32,
}

/// Matches patterns against the nodes of one document.
pub(crate) struct Solver<'a> {
    document: &'a Document,
    shape: &'static Shape,
    text: &'a str,
    /// Whether parts that a declaration may omit must be in the pattern.
    strict: bool,
    bindings: Vec<Option<Binding>>,
    skipped: Vec<u32>,
    /// Where the run of an open sequence ends.
    end: u32,
    steps: usize,
    max_steps: usize,
    /// Pattern nodes matched on the present path, and the furthest failure.
    depth: usize,
    furthest: Option<(usize, Miss)>,
    explain: bool,
}

/// A match found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Solution {
    pub(crate) range: Range<usize>,
    pub(crate) captures: Vec<Option<Capture>>,
    /// What the pattern passed over: comments and omitted parts.
    pub(crate) skipped: Vec<Range<usize>>,
}

/// The answer for one candidate.
pub(crate) enum Answer {
    Match(Solution),
    No,
    /// The step bound was hit before an answer was found.
    Exhausted,
}

impl<'a> Solver<'a> {
    pub(crate) fn new(
        document: &'a Document,
        shape: &'static Shape,
        text: &'a str,
        strict: bool,
        max_steps: usize,
    ) -> Solver<'a> {
        Solver {
            document,
            shape,
            text,
            strict,
            bindings: Vec::new(),
            skipped: Vec::new(),
            end: 0,
            steps: 0,
            max_steps,
            depth: 0,
            furthest: None,
            explain: false,
        }
    }

    /// Matches a reading at a node; for a sequence the node is the first of the run and `parent`
    /// the node that holds it.
    pub(crate) fn solve(
        &mut self,
        root: &Root,
        slots: usize,
        at: u32,
        parent: Option<u32>,
    ) -> Answer {
        self.bindings.clear();
        self.bindings.resize(slots, None);
        self.skipped.clear();
        self.steps = 0;
        self.depth = 0;
        self.furthest = None;
        self.end = 0;
        let found = match root {
            Root::Node(node) => self.node(node, at, None, true),
            Root::Sequence { items, .. } => {
                let Some(parent) = parent else {
                    return Answer::No;
                };
                let end = self.document.node(parent).next;
                let done = self.document.node(at).start;
                let level = Level {
                    classes: self.classes_of(items),
                    parent: self.document.node(parent).kind,
                    open: true,
                    after_many: false,
                    done,
                };
                self.list(Goal {
                    items,
                    at,
                    end,
                    level,
                    next: None,
                })
            }
        };
        if self.steps > self.max_steps {
            return Answer::Exhausted;
        }
        if !found {
            return Answer::No;
        }
        let start = self.document.node(at).start as usize;
        let end = match root {
            Root::Node(_) => self.document.node(at).end,
            Root::Sequence { .. } => self.end,
        } as usize;
        let end = start + self.text[start..end.max(start)].trim_end().len();
        Answer::Match(Solution {
            range: start..end,
            captures: self
                .bindings
                .iter()
                .map(|b| b.as_ref().map(|b| self.capture(b)))
                .collect(),
            skipped: self
                .skipped
                .iter()
                .map(|&at| self.document.node(at).range())
                .collect(),
        })
    }

    fn capture(&self, binding: &Binding) -> Capture {
        match binding {
            Binding::Node(at) => Capture::One(self.trimmed(*at)),
            Binding::Text(start, end) => Capture::One(*start as usize..*end as usize),
            Binding::List(items) => {
                Capture::Many(items.iter().map(|&at| self.trimmed(at)).collect())
            }
        }
    }

    /// The bytes of a node without the blanks that some grammars count to its end.
    fn trimmed(&self, at: u32) -> Range<usize> {
        let range = self.document.node(at).range();
        let kept = self.text[range.clone()].trim_end().len();
        range.start..range.start + kept
    }

    fn step(&mut self) -> bool {
        self.steps += 1;
        self.steps <= self.max_steps
    }

    /// Matches one pattern node against one source node, then the goals that follow.
    fn node(
        &mut self,
        pattern: &PatternNode,
        at: u32,
        next: Option<&Goal<'_>>,
        is_root: bool,
    ) -> bool {
        if !self.step() {
            return false;
        }
        let node = self.document.node(at);
        match pattern {
            PatternNode::One { slot, field } => {
                let kind = self.shape.kind(node.kind);
                let is_word = !is_root && kind.word;
                // A wildcard stands where a name would, but not in the field for names.
                let placed = is_root || in_field(node, *field) || (kind.wild && node.is_named());
                let fits = (node.is_named() || node.is_raw() || is_word)
                    && !node.is_error()
                    && !node.is_missing()
                    && placed;
                if !fits {
                    return false;
                }
                self.depth += 1;
                let done = self.bind(*slot, Binding::Node(at), |solver| solver.proceed(next));
                self.depth -= 1;
                done
            }
            PatternNode::Many { .. } => false,
            PatternNode::Content { .. } => false,
            PatternNode::QuotedContent {
                slot,
                kind,
                field,
                open,
                close,
            } => {
                if node.kind != *kind || !(is_root || in_field(node, *field)) {
                    return false;
                }
                let source = self.text_of(at).trim_end();
                // Which quotes a string has is no difference.
                let same = self.shape.kind(*kind).string
                    || (source.starts_with(open.as_str()) && source.ends_with(close.as_str()));
                let (before, after) = (size(open), size(close));
                let (start, end) = (
                    node.start + before,
                    (node.start + size(source)).saturating_sub(after),
                );
                same && start <= end
                    && self.bind(*slot, Binding::Text(start, end), |solver| {
                        solver.proceed(next)
                    })
            }
            PatternNode::Token {
                kind,
                field,
                text,
                named,
                ..
            } => {
                let same_kind = node.kind == *kind || self.both_quotes(node.kind, *kind);
                // Grammars are not consistent in the fields of their signs and keywords.
                let fits = same_kind
                    && (is_root || !named || in_field(node, *field))
                    && self.same_token(node.kind, self.text_of(at), text, *named);
                if !fits {
                    let found = node.range();
                    self.miss(|| Miss::Differs {
                        expected: text.clone(),
                        found,
                    });
                    return false;
                }
                self.depth += 1;
                let done = self.proceed(next);
                self.depth -= 1;
                done
            }
            PatternNode::Tree {
                kind,
                field,
                children,
                classes,
            } => {
                if node.kind != *kind || !(is_root || in_field(node, *field)) {
                    let (found, expected, kind) = (node.range(), *kind, node.kind);
                    if expected != kind {
                        self.miss(|| Miss::Kind {
                            expected,
                            found,
                            kind,
                        });
                    }
                    return false;
                }
                let level = Level {
                    classes: *classes,
                    parent: node.kind,
                    open: false,
                    after_many: false,
                    done: node.start,
                };
                let end = node.next;
                self.depth += 1;
                let done = self.list(Goal {
                    items: children,
                    at: at + 1,
                    end,
                    level,
                    next,
                });
                self.depth -= 1;
                done
            }
        }
    }

    fn proceed(&mut self, next: Option<&Goal<'_>>) -> bool {
        match next {
            None => true,
            Some(goal) => self.list(*goal),
        }
    }

    /// Binds a variable for what follows, and unbinds it if that fails. A variable that is bound
    /// already must be bound to the same tokens.
    fn bind(&mut self, slot: Slot, binding: Binding, then: impl FnOnce(&mut Self) -> bool) -> bool {
        let Some(slot) = slot else { return then(self) };
        let Some(bound) = &self.bindings[slot] else {
            self.bindings[slot] = Some(binding);
            let done = then(self);
            if !done {
                self.bindings[slot] = None;
            }
            return done;
        };
        if self.equal(bound, &binding) {
            return then(self);
        }
        if self.explain {
            let span = |b: &Binding| self.capture(b).span().unwrap_or_default();
            let (first, second) = (span(bound), span(&binding));
            self.depth += 1;
            self.miss(|| Miss::Unequal {
                slot,
                first,
                second,
            });
            self.depth -= 1;
        }
        false
    }

    fn text_of(&self, at: u32) -> &'a str {
        self.text
            .get(self.document.node(at).range())
            .unwrap_or_default()
    }
}

/// Whether a node stands in a field of its parent, where a pattern names one.
fn in_field(node: &Node, field: u8) -> bool {
    field == ANY_FIELD || field == node.field
}

fn size(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}
