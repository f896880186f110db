//! A syntax tree laid out flat: one array of nodes in pre-order.
//!
//! Matching walks children by index, never by cursor, and the subtree of a node is a slice. Some
//! things are settled here so that the matcher need not know of them: wrappers without meaning
//! are left out, text that no node covers becomes a leaf, parentheses that may be left out are
//! marked, a generator that is all of a call's arguments becomes a list of one, a cascade of Dart
//! one inside the other, and the token trees of Rust macros are parsed again as the code they hold.

mod reshape;

use crate::macros::{self, Reparse};
use crate::shape::{ERROR, GAP, LoneParameter, Shape};
use reshape::{Generator, is_all_arguments, is_lone_parameter};
use std::ops::Range;
use tree_sitter::TreeCursor;

/// Flags of a [`Node`].
mod flag {
    pub(super) const NAMED: u8 = 1;
    /// A comment, or what else the grammar allows anywhere.
    pub(super) const EXTRA: u8 = 2;
    /// Inserted by the parser; not in the text.
    pub(super) const MISSING: u8 = 4;
    /// Child of a wrapper of modifiers.
    pub(super) const MODIFIER: u8 = 8;
    /// A token of a macro body that could not be parsed as code.
    pub(super) const RAW: u8 = 16;
    /// Punctuation that the language makes optional.
    pub(super) const SILENT: u8 = 32;
    /// Stands for the first sections of a cascade, which no node of the grammar has alone.
    pub(super) const NESTED: u8 = 64;
}

/// One node: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) kind: u16,
    pub(crate) field: u8,
    flags: u8,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Index of the node after this one's subtree.
    pub(crate) next: u32,
}

impl Node {
    pub(crate) fn is_named(&self) -> bool {
        self.flags & flag::NAMED != 0
    }

    pub(crate) fn is_extra(&self) -> bool {
        self.flags & flag::EXTRA != 0 && self.kind != ERROR
    }

    pub(crate) fn is_missing(&self) -> bool {
        self.flags & flag::MISSING != 0
    }

    pub(crate) fn is_modifier(&self) -> bool {
        self.flags & flag::MODIFIER != 0
    }

    pub(crate) fn is_raw(&self) -> bool {
        self.flags & flag::RAW != 0
    }

    /// Whether this is optional punctuation: no difference, whoever has it.
    pub(crate) fn is_silent(&self) -> bool {
        self.flags & flag::SILENT != 0
    }

    pub(crate) fn is_error(&self) -> bool {
        self.kind == ERROR
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A tree or subtree, laid out flat over the text of its file.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) nodes: Vec<Node>,
    /// How many macro bodies deep the layout is.
    pub(crate) macro_depth: usize,
}

/// What one level of the walk must remember.
struct Frame {
    /// The node whose children are being read; `None` for a wrapper that is left out.
    node: Option<u32>,
    /// Where the last child ended.
    covered: usize,
    string: bool,
    modifiers: bool,
    macro_call: bool,
    raw: bool,
    /// Its parentheses may be left out.
    loose: bool,
    operator_word: bool,
    cascade: bool,
    arrow: bool,
    /// What the parentheses of these arguments have in them, where it is a generator.
    generator: Option<Generator>,
}

impl Document {
    /// Lays out the subtree under the cursor, replacing what the document held. Nodes more than
    /// `depth` levels down are left out, so that those above them look like leaves.
    pub(crate) fn fill(
        &mut self,
        shape: &Shape,
        text: &str,
        cursor: &mut TreeCursor<'_>,
        reparse: Reparse<'_>,
        depth: usize,
    ) {
        self.nodes.clear();
        self.append(shape, text, cursor, 0, 0, reparse, depth);
    }

    /// Appends the subtree under the cursor. A node's place is its place in `text` minus `prefix`
    /// plus `shift`: text may be a scaffold around a piece of the file.
    #[allow(
        clippy::too_many_arguments,
        reason = "what is laid out, where it comes from and how deep, all told apart by type"
    )]
    pub(crate) fn append(
        &mut self,
        shape: &Shape,
        text: &str,
        cursor: &mut TreeCursor<'_>,
        prefix: usize,
        shift: usize,
        reparse: Reparse<'_>,
        depth: usize,
    ) {
        let mut frames: Vec<Frame> = Vec::new();
        // Levels of the layout: wrappers that are left out are none.
        let mut level = 0;
        loop {
            let node = cursor.node();
            let kind = shape.kind(node.kind_id());
            let (start, end) = (node.start_byte(), node.end_byte());
            let place =
                |at: usize| u32::try_from((at + shift).saturating_sub(prefix)).unwrap_or(u32::MAX);
            let mut in_modifiers = false;
            let mut in_macro_call = false;
            let mut is_silent = kind.vanishes && node.named_child_count() == 0;
            let mut is_wrapper = kind.transparent;
            let mut in_arrow = false;
            let lone = match kind.generator && is_all_arguments(node) {
                true => Some(Generator::of(node, text)),
                false => None,
            };
            if let Some(frame) = frames.last_mut() {
                in_modifiers = frame.modifiers;
                in_macro_call = frame.macro_call;
                in_arrow = frame.arrow;
                is_silent |= frame.loose && matches!(kind.name, "(" | ")");
                is_wrapper |= frame.operator_word && (kind.parenthesized || kind.commas);
                if let (Some(_), Some(list), ")") = (&frame.generator, frame.node, kind.name) {
                    self.close(list + Generator::AFTER_LIST);
                }
                if start > frame.covered {
                    let gap = text.get(frame.covered..start).unwrap_or_default();
                    let kept = if frame.string { gap } else { gap.trim_end() };
                    let from = frame.covered
                        + if frame.string {
                            0
                        } else {
                            kept.len() - kept.trim_start().len()
                        };
                    let to = frame.covered + kept.len();
                    // A terminator that the grammar has no token for is no difference, nor is a
                    // line that goes on.
                    if to > from && (frame.string || !matches!(kept.trim(), ";" | "\\")) {
                        self.push_gap(place(from), place(to));
                    }
                }
                frame.covered = frame.covered.max(end);
            }
            let parameter = shape
                .lone_parameter()
                .filter(|_| in_arrow && is_lone_parameter(cursor));
            if let Some(parameter) = parameter {
                self.push_parameter(parameter, place(start), place(end));
            }
            let is_list = lone.is_some() && !frames.is_empty();
            let index = if is_wrapper && !frames.is_empty() {
                None
            } else {
                let mut flags = 0;
                if node.is_named() {
                    flags |= flag::NAMED;
                }
                if node.is_extra() {
                    flags |= flag::EXTRA;
                }
                if node.is_missing() {
                    flags |= flag::MISSING;
                }
                if in_modifiers {
                    flags |= flag::MODIFIER;
                }
                if is_silent {
                    flags |= flag::SILENT;
                }
                let field = cursor
                    .field_id()
                    .map_or(0, |id| u8::try_from(id.get()).unwrap_or(u8::MAX));
                let (kind, range) = match (&lone, &parameter) {
                    (Some(_), _) if is_list => (shape.argument_list(), start..end),
                    (Some(generator), _) => (generator.kind, generator.range.clone()),
                    (None, Some(parameter)) => (parameter.name, start..end),
                    (None, None) => (node.kind_id(), start..end),
                };
                let field = parameter.map_or(field, |parameter| parameter.name_field);
                self.nodes.push(Node {
                    kind,
                    field,
                    flags,
                    start: place(range.start),
                    end: place(range.end),
                    next: 0,
                });
                Some(self.last_index())
            };
            let spliced = kind.token_tree
                && in_macro_call
                && macros::splice(
                    self,
                    shape,
                    text,
                    node.byte_range(),
                    shift.wrapping_sub(prefix),
                    reparse,
                );
            let is_its_list = |parameter: LoneParameter| parameter.list == node.kind_id();
            let descends = level < depth || index.is_none();
            if !spliced && descends && cursor.goto_first_child() {
                level += usize::from(index.is_some());
                frames.push(Frame {
                    node: index,
                    covered: start,
                    string: kind.string,
                    modifiers: kind.modifiers && index.is_none(),
                    macro_call: kind.macro_call,
                    raw: kind.token_tree,
                    loose: (kind.loose && !is_list)
                        || (index.is_none() && kind.parenthesized)
                        || (in_arrow && shape.lone_parameter().is_some_and(is_its_list)),
                    operator_word: kind.operator_word,
                    cascade: kind.cascade,
                    arrow: kind.arrow,
                    generator: lone.filter(|_| is_list),
                });
                continue;
            }
            if let Some(index) = index {
                self.close(index);
            }
            if kind.name == "("
                && let Some(generator) = frames.last().and_then(|frame| frame.generator.as_ref())
            {
                self.nodes.push(Node {
                    kind: generator.kind,
                    field: 0,
                    flags: flag::NAMED,
                    start: place(generator.range.start),
                    end: place(generator.range.end),
                    next: 0,
                });
            }
            loop {
                if frames.is_empty() {
                    return;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                cursor.goto_parent();
                let Some(frame) = frames.pop() else { return };
                level -= usize::from(frame.node.is_some());
                let end = cursor.node().end_byte();
                if frame.covered < end && frame.string {
                    self.push_gap(place(frame.covered), place(end));
                }
                if let Some(index) = frame.node {
                    if frame.raw {
                        self.mark_raw(index);
                    }
                    self.close(index);
                    if frame.cascade {
                        self.nest(index);
                    }
                }
            }
        }
    }

    fn last_index(&self) -> u32 {
        u32::try_from(self.nodes.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    fn push_gap(&mut self, start: u32, end: u32) {
        let next = self.last_index() + 2;
        self.nodes.push(Node {
            kind: GAP,
            field: 0,
            flags: 0,
            start,
            end,
            next,
        });
    }

    fn close(&mut self, index: u32) {
        let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        if let Some(node) = self.nodes.get_mut(index as usize) {
            node.next = next;
        }
    }

    /// How many nodes at the begin of the layout the node that was laid out stands for.
    pub(crate) fn roots(&self) -> usize {
        let nested = self.nodes.iter().skip(1);
        1 + nested
            .take_while(|node| node.flags & flag::NESTED != 0)
            .count()
    }

    /// Marks every node after `index` as an unparsed token of a macro.
    fn mark_raw(&mut self, index: u32) {
        for node in &mut self.nodes[index as usize + 1..] {
            node.flags |= flag::RAW;
        }
    }

    pub(crate) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// How many levels the tree has.
    pub(crate) fn depth(&self) -> usize {
        let mut open: Vec<u32> = Vec::new();
        let mut deepest = 0;
        for (at, node) in (0..).zip(&self.nodes) {
            while open.last().is_some_and(|&end| end <= at) {
                open.pop();
            }
            open.push(node.next);
            deepest = deepest.max(open.len());
        }
        deepest
    }

    /// The children of a node, extras included.
    pub(crate) fn children(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.node(index).next;
        let mut at = index + 1;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let child = at;
                at = self.node(child).next;
                child
            })
        })
    }

    /// The leaves of a subtree in order, without comments and without tokens of no width.
    pub(crate) fn leaves(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.node(index).next;
        let mut at = index;
        std::iter::from_fn(move || {
            while at < end {
                let node = self.node(at);
                if node.is_extra() {
                    at = node.next;
                    continue;
                }
                let leaf = at;
                at += 1;
                if node.next == leaf + 1 && node.end > node.start {
                    return Some(leaf);
                }
            }
            None
        })
    }
}
