//! The matcher: one pattern against one node, with real backtracking.
//!
//! What remains to be matched is a chain of goals: the rest of a pattern's child list against the
//! rest of a node's children, then the same one level up. A `$$$` tries the shortest run first and
//! is tried again with a longer one whenever anything later fails, also on an outer level, so a
//! match is found if there is one within the step bound.

use crate::document::{Document, Node};
use crate::shape::{Shape, class};
use crate::tree::{ANY_FIELD, Capture, PatternNode, Root, Slot};
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
    Ends { expected: String, at: usize },
    /// A variable that is used twice captured two different things.
    Unequal {
        slot: usize,
        first: Range<usize>,
        second: Range<usize>,
    },
    /// A part of a class that the pattern names is one more than the pattern has.
    OneMore { class: u8, found: Range<usize> },
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

    /// Records the furthest failure of each candidate.
    pub(crate) fn explaining(mut self) -> Self {
        self.explain = true;
        self
    }

    /// How far the last failed candidate came, and why it failed there.
    pub(crate) fn take_miss(&mut self) -> Option<(usize, Miss)> {
        self.furthest.take()
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

    /// The classes of omissible parts that are items of a sequence.
    fn classes_of(&self, items: &[PatternNode]) -> u8 {
        items.iter().fold(0, |classes, item| match item {
            PatternNode::Tree { kind, .. }
            | PatternNode::Token {
                kind, named: true, ..
            } => classes | self.shape.kind(*kind).class,
            _ => classes,
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

    fn miss(&mut self, miss: impl FnOnce() -> Miss) {
        if self.explain
            && self
                .furthest
                .as_ref()
                .is_none_or(|(depth, _)| *depth <= self.depth)
        {
            self.furthest = Some((self.depth, miss()));
        }
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
                let is_word = !is_root && self.shape.kind(node.kind).word;
                let fits = (node.is_named() || node.is_raw() || is_word)
                    && !node.is_error()
                    && !node.is_missing()
                    && (is_root || in_field(node, *field));
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

    /// Matches the rest of a child list, then the goals that follow.
    fn list(&mut self, mut goal: Goal<'_>) -> bool {
        let skipped = self.skipped.len();
        let done = self.list_inner(&mut goal);
        if !done {
            self.skipped.truncate(skipped);
        }
        done
    }

    fn list_inner(&mut self, goal: &mut Goal<'_>) -> bool {
        loop {
            if !self.step() {
                return false;
            }
            let Some((first, rest)) = goal.items.split_first() else {
                return self.rest_may_stay(goal) && self.proceed(goal.next);
            };
            if let PatternNode::Many { slot, field } = first {
                return self.run(*slot, *field, rest, goal);
            }
            if let PatternNode::Content { slot } = first {
                return self.content(*slot, rest, goal);
            }
            if goal.at >= goal.end {
                if let Some(slot) = self.lone_many(first) {
                    let follow = Goal {
                        items: rest,
                        ..*goal
                    };
                    return self.bind(slot, Binding::List(Vec::new()), |solver| {
                        solver.list(follow)
                    });
                }
                if self.may_lack(first, rest, goal) {
                    goal.items = rest;
                    continue;
                }
                let at = goal.level.done as usize;
                self.miss(|| Miss::Ends {
                    expected: describe(first),
                    at,
                });
                return false;
            }
            let at = goal.at;
            let node = *self.document.node(at);
            if node.is_extra() {
                self.skipped.push(at);
                goal.at = node.next;
                continue;
            }
            if self.is_nothing(at) {
                goal.at = node.next;
                continue;
            }
            let source_separator = self.shape.kind(node.kind).separator;
            if let PatternNode::Token {
                separator: true,
                text,
                ..
            } = first
            {
                if source_separator && self.text_of(at) == text {
                    goal.at = node.next;
                } else if (source_separator && goal.level.after_many)
                    || !self.may_lack(first, rest, goal)
                {
                    return false;
                }
                goal.items = rest;
                continue;
            }
            if source_separator {
                if !self.separator_may_stay(at, goal) {
                    return false;
                }
                goal.at = node.next;
                continue;
            }
            // An omissible part is passed over only where the pattern does not take it.
            let omissible = self.omissible(at, goal.level);
            let level = Level {
                after_many: false,
                done: node.end,
                ..goal.level
            };
            let follow = Goal {
                items: rest,
                at: node.next,
                level,
                ..*goal
            };
            if self.node(first, at, Some(&follow), false) {
                return true;
            }
            if let Some(slot) = self.lone_many(first) {
                // The list that it is alone in is not there when it is empty.
                let follow = Goal {
                    items: rest,
                    ..*goal
                };
                let empty = Binding::List(Vec::new());
                if self.bind(slot, empty, |solver| solver.list(follow)) {
                    return true;
                }
            }
            if omissible == 0 || self.steps > self.max_steps {
                let class = self.class_of(at, goal.level);
                if class != 0 && !self.is_part(first) {
                    let found = node.range();
                    self.miss(|| Miss::OneMore { class, found });
                }
                return false;
            }
            self.skipped.push(at);
            goal.at = node.next;
        }
    }

    /// `$$$`: the shortest run first.
    fn run(&mut self, slot: Slot, field: u8, rest: &[PatternNode], goal: &Goal<'_>) -> bool {
        let mut level = Level {
            after_many: true,
            ..goal.level
        };
        // The last item of an open sequence takes all that is left.
        let greedy = rest.is_empty() && goal.level.open;
        let mut items: Vec<u32> = Vec::new();
        let mut at = goal.at;
        loop {
            if !self.step() {
                return false;
            }
            let taken = items.len();
            if !greedy {
                let skipped = self.skipped.len();
                let follow = Goal {
                    items: rest,
                    at,
                    level,
                    ..*goal
                };
                if self.bind(slot, Binding::List(items.clone()), |solver| {
                    solver.list(follow)
                }) {
                    return true;
                }
                self.skipped.truncate(skipped);
                if self.steps > self.max_steps {
                    return false;
                }
            }
            while at < goal.end && items.len() == taken {
                let node = self.document.node(at);
                if node.is_extra() || self.is_nothing(at) || self.shape.kind(node.kind).separator {
                    if node.is_extra() {
                        self.skipped.push(at);
                    }
                } else if self.shape.kind(node.kind).clause {
                    break;
                } else if (node.is_named()
                    || node.is_raw()
                    || node.is_error()
                    || self.shape.kind(node.kind).wild)
                    && (field == 0 || in_field(node, field))
                {
                    items.push(at);
                    level.done = node.end;
                } else if self.omissible(at, goal.level) != 0 {
                    self.skipped.push(at);
                } else {
                    break;
                }
                at = node.next;
            }
            if items.len() == taken {
                return greedy
                    && self.bind(slot, Binding::List(items), |solver| {
                        solver.end = level.done;
                        solver.proceed(goal.next)
                    });
            }
        }
    }

    /// A metavariable that is all there is between the quotes of a string.
    fn content(&mut self, slot: Slot, rest: &[PatternNode], goal: &Goal<'_>) -> bool {
        let mut last = None;
        let mut at = goal.at;
        while at < goal.end {
            last = Some(at);
            at = self.document.node(at).next;
        }
        let Some(last) = last else { return false };
        let start = match goal.at {
            0 => 0,
            _ => self.document.node(goal.at - 1).end,
        };
        let end = self.document.node(last).start;
        start <= end
            && self.bind(slot, Binding::Text(start, end), |solver| {
                solver.list(Goal {
                    items: rest,
                    at: last,
                    ..*goal
                })
            })
    }

    /// Whether what is left of the source may be left.
    fn rest_may_stay(&mut self, goal: &mut Goal<'_>) -> bool {
        if goal.level.open {
            self.end = goal.level.done;
            return true;
        }
        while goal.at < goal.end {
            let at = goal.at;
            let node = *self.document.node(at);
            if node.is_extra() {
                self.skipped.push(at);
            } else if self.is_nothing(at) || self.separator_may_stay(at, goal) {
            } else if self.omissible(at, goal.level) != 0 {
                self.skipped.push(at);
            } else {
                let found = node.range();
                let class = self.class_of(at, goal.level);
                self.miss(|| match class {
                    0 => Miss::Beyond { found },
                    class => Miss::OneMore { class, found },
                });
                return false;
            }
            goal.at = node.next;
        }
        true
    }

    /// A token of no width: inserted by the parser or by the language's line-end rule.
    fn is_nothing(&self, at: u32) -> bool {
        let node = self.document.node(at);
        node.is_missing() || (node.start == node.end && !node.is_named())
    }

    /// Whether the source may lack this item of the pattern.
    fn may_lack(&self, item: &PatternNode, rest: &[PatternNode], goal: &Goal<'_>) -> bool {
        match item {
            PatternNode::Token {
                separator: true,
                text,
                ..
            } => {
                text != ","
                    || goal.level.after_many
                    || rest
                        .first()
                        .is_none_or(|next| next.is_many() || self.is_closer(next))
            }
            _ => false,
        }
    }

    /// The variable of a list that holds nothing but a `$$$`: it may be absent instead of empty.
    fn lone_many(&self, item: &PatternNode) -> Option<Slot> {
        match item {
            PatternNode::Tree { kind, children, .. } if self.shape.kind(*kind).list => {
                match children.as_slice() {
                    [PatternNode::Many { slot, .. }] => Some(*slot),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether the pattern has a part here that a declaration may omit.
    fn is_part(&self, item: &PatternNode) -> bool {
        match item {
            PatternNode::Token { kind, .. } | PatternNode::Tree { kind, .. } => {
                self.shape.kind(*kind).class != 0
            }
            _ => false,
        }
    }

    fn is_closer(&self, item: &PatternNode) -> bool {
        matches!(item, PatternNode::Token { kind, .. } if self.shape.kind(*kind).closer)
    }

    /// Whether a separator of the source is no difference although the pattern lacks it.
    fn separator_may_stay(&self, at: u32, goal: &Goal<'_>) -> bool {
        let node = self.document.node(at);
        if !self.shape.kind(node.kind).separator {
            return false;
        }
        let trailing = || {
            let mut after = node.next;
            while after < goal.end && self.document.node(after).is_extra() {
                after = self.document.node(after).next;
            }
            after >= goal.end || self.shape.kind(self.document.node(after).kind).closer
        };
        // A `,` inside a part that may be omitted goes with it.
        let leads_on =
            || node.next < goal.end && self.omissible(node.next, goal.level) == class::SUPERTYPES;
        self.text_of(at) != "," || goal.level.after_many || trailing() || leads_on()
    }

    /// The class by which a part may be passed over here; 0 if it may not.
    fn omissible(&self, at: u32, level: Level) -> u8 {
        if self.strict {
            0
        } else {
            self.class_of(at, level) & !level.classes
        }
    }

    /// The class of omissible parts that a child of this level belongs to.
    fn class_of(&self, at: u32, level: Level) -> u8 {
        part_class(self.document, self.shape, at, level.parent)
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

    fn equal(&self, a: &Binding, b: &Binding) -> bool {
        match (a, b) {
            (Binding::Node(a), Binding::Node(b)) => self.same_tokens(*a, *b),
            (Binding::List(a), Binding::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.same_tokens(a, b))
            }
            (a, b) => match (self.capture(a).span(), self.capture(b).span()) {
                (Some(a), Some(b)) => self.text[a] == self.text[b],
                (a, b) => a.is_none() && b.is_none(),
            },
        }
    }

    /// Token by token; blanks and comments between tokens are no difference.
    fn same_tokens(&self, a: u32, b: u32) -> bool {
        let mut a = self.document.leaves(a);
        let mut b = self.document.leaves(b);
        loop {
            match (a.next(), b.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) => {
                    let same = self.text_of(a) == self.text_of(b)
                        || self.both_quotes(self.document.node(a).kind, self.document.node(b).kind);
                    if !same {
                        return false;
                    }
                }
                _ => return false,
            }
        }
    }

    fn both_quotes(&self, a: u16, b: u16) -> bool {
        self.shape.kind(a).quote && self.shape.kind(b).quote
    }

    fn same_token(&self, kind: u16, source: &str, pattern: &str, named: bool) -> bool {
        source == pattern
            || (!named && (self.shape.kind(kind).quote || self.shape.kind(kind).word))
            || (self.shape.name(kind) == "string_start" && unquoted(source) == unquoted(pattern))
            || (self.shape.name(kind) == "string_end")
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

/// The prefix letters of a Python string, without its quotes.
fn unquoted(start: &str) -> String {
    start.trim_end_matches(['\'', '"']).to_ascii_lowercase()
}

fn describe(item: &PatternNode) -> String {
    match item {
        PatternNode::Token { text, .. } => text.clone(),
        PatternNode::Tree { children, .. } => {
            children.iter().map(describe).collect::<Vec<_>>().join(" ")
        }
        _ => "$".to_owned(),
    }
}

/// The class of omissible parts that a node belongs to as a child of a node of kind `parent`.
pub(crate) fn part_class(document: &Document, shape: &Shape, at: u32, parent: u16) -> u8 {
    let node = document.node(at);
    let kind = shape.kind(node.kind);
    let holder = shape.kind(parent);
    if node.is_named() && kind.class != 0 {
        // Type arguments belong to a call or a type, and only in a heritage or a tag to a name.
        return if kind.name == "type_arguments" && !holder.declaration {
            0
        } else {
            kind.class
        };
    }
    if node.is_modifier() {
        return class::MODIFIER;
    }
    if shape.is_return_field(node.field) {
        return class::RETURN_TYPE;
    }
    if shape.is_supertype_field(node.field) {
        return class::SUPERTYPES;
    }
    let leads = |token: &Node| !token.is_named() && matches!(shape.name(token.kind), "->" | ":");
    if node.is_named() {
        let before = at.checked_sub(1).map(|before| document.node(before));
        return match before {
            Some(before) if holder.bare_result && leads(before) => class::RETURN_TYPE,
            _ => 0,
        };
    }
    if !holder.declaration {
        return 0;
    }
    // `->` and `:` belong to the part that they lead to.
    match document.nodes.get(node.next as usize) {
        Some(_) if leads(node) && holder.bare_result => class::RETURN_TYPE,
        Some(next) if leads(node) && shape.is_return_field(next.field) => class::RETURN_TYPE,
        Some(next) if leads(node) && shape.kind(next.kind).class == class::SUPERTYPES => {
            class::SUPERTYPES
        }
        _ => kind.class,
    }
}
