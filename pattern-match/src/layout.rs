//! A parsed text as rewriting looks at it: which stretch is one node, what is a multi-line string,
//! where the syntax errors are.

use crate::document::{Document, Node};
use crate::macros::Reparse;
use crate::offside;
use crate::shape::{GAP, Shape};
use fourfold_syntax::Language;
use std::ops::Range;
use tree_sitter::Tree;

/// The parent of a root.
pub(crate) const NONE: u32 = u32::MAX;

/// A text and its tree laid out flat, with ways to ask for places.
pub(crate) struct Layout<'t> {
    pub(crate) text: &'t str,
    pub(crate) shape: &'static Shape,
    language: Language,
    document: Document,
    parents: Vec<u32>,
    /// Strings of more than one line, none inside another.
    strings: Vec<Range<usize>>,
    /// Error nodes and tokens that the parser had to invent, by start; and for each, the furthest
    /// end of it and all before it.
    errors: Vec<(Range<usize>, usize)>,
}

impl<'t> Layout<'t> {
    pub(crate) fn new(language: Language, text: &'t str, tree: &Tree) -> Layout<'t> {
        let shape = Shape::of(language);
        let mut document = Document::default();
        document.fill(shape, text, &mut tree.walk(), Reparse::All, usize::MAX);
        let mut parents = Vec::with_capacity(document.nodes.len());
        let mut open: Vec<u32> = Vec::new();
        let mut strings: Vec<Range<usize>> = Vec::new();
        let mut errors: Vec<(Range<usize>, usize)> = Vec::new();
        let is_python = language.id() == "python";
        for (at, node) in (0u32..).zip(&document.nodes) {
            while open
                .last()
                .is_some_and(|&top| document.node(top).next <= at)
            {
                open.pop();
            }
            parents.push(open.last().copied().unwrap_or(NONE));
            open.push(at);
            let range = node.range();
            // Python's grammar lets a block be empty, which the language does not.
            let is_empty_block = range.is_empty() && is_python && shape.name(node.kind) == "block";
            if is_python && offside::is_uneven(text, shape, &document, &parents, at) {
                let reach = errors
                    .last()
                    .map_or(0, |(_, reach)| *reach)
                    .max(range.start + 1);
                errors.push((range.start..range.start + 1, reach));
            }
            if node.is_error() || node.is_missing() || is_empty_block {
                let reach = errors.last().map_or(0, |(_, reach)| *reach).max(range.end);
                errors.push((range.clone(), reach));
            }
            let is_inner = strings.last().is_some_and(|last| range.start < last.end);
            if !is_inner && is_text(shape.name(node.kind)) && spans_lines(text, &range) {
                strings.push(range);
            }
        }
        Layout {
            text,
            shape,
            language,
            document,
            parents,
            strings,
            errors,
        }
    }

    pub(crate) fn language(&self) -> Language {
        self.language
    }

    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    /// How many errors and invented tokens the tree has.
    pub(crate) fn errors(&self) -> usize {
        self.errors.len()
    }

    /// How many bodies of macros could not be read as code.
    pub(crate) fn unread_macros(&self) -> usize {
        let nodes = &self.document.nodes;
        let is_unread = |at: usize| {
            let parent = u32::try_from(at).ok().and_then(|at| self.parent(at));
            // The tokens of an attribute are never read as code.
            let is_body = |parent: u32| self.shape.kind(self.document.node(parent).kind).macro_call;
            self.shape.kind(nodes[at].kind).token_tree
                && !nodes[at].is_raw()
                && parent.is_some_and(is_body)
                && nodes.get(at + 1).is_some_and(Node::is_raw)
        };
        (0..nodes.len()).filter(|&at| is_unread(at)).count()
    }

    /// Whether a stretch has an error in it or touches one.
    pub(crate) fn touches_error(&self, range: &Range<usize>) -> bool {
        let before = self
            .errors
            .partition_point(|(error, _)| error.start <= range.end);
        self.errors[..before]
            .iter()
            .rev()
            .take_while(|(_, reach)| *reach >= range.start)
            .any(|(error, _)| {
                let overlaps = error.end > range.start && error.start < range.end;
                overlaps || (error.is_empty() && error.start >= range.start)
            })
    }

    /// Whether a sibling of a node is an error.
    pub(crate) fn is_beside_error(&self, at: u32) -> bool {
        self.parent(at).is_some_and(|parent| {
            let mut siblings = self.document.children(parent);
            siblings.any(|sibling| self.document.node(sibling).is_error())
        })
    }

    /// Whether a place lies inside a string of more than one line, so that the blanks there are
    /// data.
    pub(crate) fn is_in_string(&self, at: usize) -> bool {
        let before = self.strings.partition_point(|string| string.start < at);
        before > 0 && self.strings[before - 1].end > at
    }

    /// The nodes that have exactly this span, outermost and innermost.
    pub(crate) fn exact(&self, range: &Range<usize>) -> Option<(u32, u32)> {
        let nodes = &self.document.nodes;
        let first = nodes.partition_point(|node| (node.start as usize) < range.start);
        let mut found: Option<(u32, u32)> = None;
        for (at, node) in (first..).zip(&nodes[first..]) {
            if node.start as usize != range.start {
                break;
            }
            let at = u32::try_from(at).unwrap_or(NONE);
            if node.end > node.start && node.kind != GAP && self.end(at) == range.end {
                found = Some(found.map_or((at, at), |(outer, _)| (outer, at)));
            }
        }
        found
    }

    /// Where a node ends, without the blanks that some grammars count to it.
    pub(crate) fn end(&self, at: u32) -> usize {
        let range = self.document.node(at).range();
        let kept = self
            .text
            .get(range.clone())
            .map_or(range.len(), |text| text.trim_end().len());
        range.start + kept
    }

    pub(crate) fn parent(&self, at: u32) -> Option<u32> {
        self.parents
            .get(at as usize)
            .copied()
            .filter(|&parent| parent != NONE)
    }

    pub(crate) fn name(&self, at: u32) -> &'static str {
        self.shape.name(self.document.node(at).kind)
    }

    /// Whether a node is one token.
    pub(crate) fn is_leaf(&self, at: u32) -> bool {
        self.document.node(at).next == at + 1
    }

    /// The last leaf that begins at or before a place and ends after it.
    pub(crate) fn leaf_at(&self, place: usize) -> Option<u32> {
        let nodes = &self.document.nodes;
        let after = nodes.partition_point(|node| node.start as usize <= place);
        nodes[..after]
            .iter()
            .rposition(|node| (node.end as usize) > place)
            .and_then(|at| u32::try_from(at).ok())
            .filter(|&at| self.is_leaf(at))
    }

    /// Whether a stretch lies inside a comment or string and is only a part of it.
    pub(crate) fn is_in_text(&self, range: &Range<usize>) -> bool {
        let mut next = self.leaf_at(range.start);
        while let Some(at) = next {
            let node = self.document.node(at);
            let holds = node.start as usize <= range.start && node.end as usize >= range.end;
            let is_larger = node.range() != *range;
            if holds
                && is_larger
                && (self.is_leaf(at) || node.is_extra() || self.shape.kind(node.kind).string)
            {
                return true;
            }
            next = self.parent(at);
        }
        false
    }
}

fn spans_lines(text: &str, range: &Range<usize>) -> bool {
    text.as_bytes()
        .get(range.clone())
        .is_some_and(|bytes| memchr::memchr(b'\n', bytes).is_some())
}

/// Kinds whose blanks and line ends are data. Several strings in a row, and lists of words, are
/// not: what stands between their parts is layout.
fn is_text(name: &str) -> bool {
    let is_row = matches!(
        name,
        "concatenated_string" | "chained_string" | "string_array" | "symbol_array"
    );
    !is_row
        && (name.contains("string")
            || name.contains("heredoc")
            || name.contains("nowdoc")
            || name.contains("quote")
            || matches!(
                name,
                "char_literal" | "charlist" | "sigil" | "regex" | "template_literal_type"
            ))
}
