//! Which parts of a declaration a search pattern may leave out.

use super::{Level, Solver};
use crate::document::{Document, Node};
use crate::shape::{Shape, class};
use crate::tree::PatternNode;

impl Solver<'_> {
    /// The classes of omissible parts that are items of a sequence.
    pub(super) fn classes_of(&self, items: &[PatternNode]) -> u8 {
        items.iter().fold(0, |classes, item| match item {
            PatternNode::Tree { kind, .. }
            | PatternNode::Token {
                kind, named: true, ..
            } => classes | self.shape.kind(*kind).class,
            _ => classes,
        })
    }

    /// Whether the pattern has a part here that a declaration may omit.
    pub(super) fn is_part(&self, item: &PatternNode) -> bool {
        match item {
            PatternNode::Token { kind, .. } | PatternNode::Tree { kind, .. } => {
                self.shape.kind(*kind).class != 0
            }
            _ => false,
        }
    }

    /// The class by which a part may be passed over here; 0 if it may not.
    pub(super) fn omissible(&self, at: u32, level: Level) -> u8 {
        if self.strict {
            0
        } else {
            self.class_of(at, level) & !level.classes
        }
    }

    /// The class of omissible parts that a child of this level belongs to.
    pub(super) fn class_of(&self, at: u32, level: Level) -> u8 {
        part_class(self.document, self.shape, at, level.parent)
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
