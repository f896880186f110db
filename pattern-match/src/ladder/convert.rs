//! Turns the nodes of a parsed scaffold into a pattern.

use crate::document::Document;
use crate::metavariable::Arity;
use crate::scaffold::{Built, Fragment};
use crate::shape::Shape;
use crate::solver::part_class;
use crate::tree::{ANY_FIELD, PatternNode, Slot};
use std::ops::Range;

/// Turns the nodes of a parsed scaffold into a pattern.
pub(super) struct Converter<'a, 'f> {
    pub(super) shape: &'static Shape,
    pub(super) document: &'a Document,
    pub(super) built: &'a Built,
    pub(super) slots: &'a [Slot],
    pub(super) fragment: &'a Fragment<'f>,
}

impl Converter<'_, '_> {
    pub(super) fn node(
        &self,
        at: u32,
        root: bool,
        used: &mut usize,
        literal: &mut [bool],
    ) -> PatternNode {
        let field = if root {
            0
        } else {
            self.document.node(at).field
        };
        self.node_in(at, field, used, literal)
    }

    /// An item of a sequence.
    pub(super) fn item(&self, at: u32, used: &mut usize, literal: &mut [bool]) -> PatternNode {
        let field = match self.document.node(at).field {
            0 => ANY_FIELD,
            field => field,
        };
        self.node_in(at, field, used, literal)
    }

    fn node_in(&self, at: u32, field: u8, used: &mut usize, literal: &mut [bool]) -> PatternNode {
        let node = self.document.node(at);
        let range = node.range();
        if let Some(occurrence) = self.built.stands_for(&range)
            && (node.is_error() || !self.holds_list(at))
        {
            *used += 1;
            return self.metavariable(occurrence, field);
        }
        let text = self.built.text.get(range.clone()).unwrap_or_default();
        let holder = node.kind;
        let kind = self.shape.kind(holder);
        if node.next == at + 1 {
            return self.leaf(at, field, text, used, literal);
        }
        if kind.string
            && let Some(tree) = self.string(at, field, used, literal)
        {
            return tree;
        }
        let mut classes = 0;
        let mut children = Vec::new();
        for child in self.document.children(at) {
            let node = self.document.node(child);
            let ours =
                node.start as usize >= self.built.span.end || self.built.is_inserted(&node.range());
            let blank = self
                .built
                .text
                .get(node.range())
                .is_none_or(|text| text.trim().is_empty());
            if node.is_extra()
                || node.is_missing()
                || node.is_silent()
                || ours
                || (blank && !node.is_named() && !kind.string)
            {
                continue;
            }
            classes |= part_class(self.document, self.shape, child, holder);
            let mut item = self.node(child, false, used, literal);
            if let PatternNode::Many { field, .. } = &mut item
                && kind.bracketed
            {
                // In a list of members it stands for all kinds of them.
                *field = 0;
            }
            children.push(item);
        }
        if kind.flat_path
            && let [_, path] = children.as_mut_slice()
            && let PatternNode::One { slot, .. } = *path
        {
            *path = PatternNode::Content { slot };
        }
        if let [first, .., last] = children.as_mut_slice()
            && self.is_bracket(first)
            && self.is_bracket(last)
        {
            // Brackets bound a run, and not every item between them need have a field.
            for child in &mut children {
                if let PatternNode::Many { field, .. } = child {
                    *field = 0;
                }
            }
        }
        PatternNode::Tree {
            kind: node.kind,
            field,
            children,
            classes,
        }
    }

    fn is_bracket(&self, item: &PatternNode) -> bool {
        matches!(item, PatternNode::Token { text, named: false, .. } if matches!(text.as_str(), "(" | ")"))
    }

    /// Whether this node, or one of those inside it with the same span, is a list that could hold
    /// more than the metavariable.
    ///
    /// What was put around the metavariable to make a statement of it is no list.
    fn holds_list(&self, mut at: u32) -> bool {
        let dressed = self.built.is_dressed(&self.document.node(at).range());
        loop {
            let kind = self.shape.kind(self.document.node(at).kind);
            if kind.list && (kind.body || !dressed) {
                return true;
            }
            let inner = self.document.children(at).find(|&child| {
                self.built
                    .stands_for(&self.document.node(child).range())
                    .is_some()
            });
            match inner {
                Some(inner) => at = inner,
                None => return false,
            }
        }
    }

    fn metavariable(&self, occurrence: usize, field: u8) -> PatternNode {
        let slot = self.slots[occurrence];
        match self.fragment.occurrences[occurrence].arity {
            Arity::One => PatternNode::One { slot, field },
            Arity::Many => PatternNode::Many { slot, field },
        }
    }

    fn leaf(
        &self,
        at: u32,
        field: u8,
        text: &str,
        used: &mut usize,
        literal: &mut [bool],
    ) -> PatternNode {
        let node = self.document.node(at);
        let kind = self.shape.kind(node.kind);
        if let Some((open, occurrence, close)) = self.signed(node.range(), text) {
            *used += 1;
            return PatternNode::QuotedContent {
                slot: self.slots[occurrence],
                kind: node.kind,
                field,
                open: open.to_owned(),
                close: close.to_owned(),
            };
        }
        for occurrence in self.built.stand_ins_in(&node.range()) {
            literal[occurrence] |= self.in_string(at);
        }
        PatternNode::Token {
            kind: node.kind,
            field,
            named: node.is_named(),
            separator: kind.separator,
            text: text.to_owned(),
        }
    }

    /// The occurrence in a token that holds nothing else but signs before and after it.
    fn signed<'x>(&self, range: Range<usize>, text: &'x str) -> Option<(&'x str, usize, &'x str)> {
        let word = |c: char| crate::metavariable::is_word(c);
        let start = text.find(word)?;
        let end = text.rfind(word)? + 1;
        let (open, close) = (text.get(..start)?, text.get(end..)?);
        if open.is_empty() && close.is_empty() {
            return None;
        }
        let inner = range.start + start..range.start + end;
        let occurrence = self.built.stands_for(&inner)?;
        Some((open, occurrence, close.trim_end()))
    }

    fn in_string(&self, leaf: u32) -> bool {
        (0..=leaf).any(|at| {
            self.document.node(at).next > leaf
                && self.shape.kind(self.document.node(at).kind).string
        })
    }

    /// A string whose whole content is a metavariable.
    fn string(
        &self,
        at: u32,
        field: u8,
        used: &mut usize,
        literal: &mut [bool],
    ) -> Option<PatternNode> {
        let children: Vec<u32> = self.document.children(at).collect();
        let (&first, &last) = (children.first()?, children.last()?);
        if first == last {
            return None;
        }
        let inner: Range<usize> =
            self.document.node(first).end as usize..self.document.node(last).start as usize;
        let occurrence = self.built.stands_for(&inner)?;
        *used += 1;
        let node = self.document.node(at);
        Some(PatternNode::Tree {
            kind: node.kind,
            field,
            classes: 0,
            children: vec![
                self.node(first, false, used, literal),
                PatternNode::Content {
                    slot: self.slots[occurrence],
                },
                self.node(last, false, used, literal),
            ],
        })
    }
}
