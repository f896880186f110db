//! What is laid out in another shape than the grammar gives it, so that the same code is the same
//! tree: a lone generator, a lone parameter, a cascade.

use super::{Document, Node, flag};
use crate::shape::LoneParameter;
use std::ops::Range;
use tree_sitter::TreeCursor;

/// A generator that has the parentheses of the call whose only argument it is. The grammar puts it
/// in the place of the arguments; here it is one argument, without the parentheses.
pub(super) struct Generator {
    pub(super) kind: u16,
    /// Bytes of the text.
    pub(super) range: Range<usize>,
}

impl Generator {
    /// How far it is laid out after the list that it is in: one parenthesis comes before it.
    pub(super) const AFTER_LIST: u32 = 2;

    pub(super) fn of(node: tree_sitter::Node<'_>, text: &str) -> Generator {
        let range = node.start_byte() + 1..node.end_byte().saturating_sub(1);
        let inner = text.get(range.clone()).unwrap_or_default();
        let start = range.start + inner.len() - inner.trim_start().len();
        Generator {
            kind: node.kind_id(),
            range: start..start + inner.trim().len(),
        }
    }
}

/// Whether the node under the cursor is the parameter of an arrow function without parentheses.
pub(super) fn is_lone_parameter(cursor: &TreeCursor<'_>) -> bool {
    matches!(cursor.field_name(), Some("parameter" | "parameters"))
        && matches!(cursor.node().kind(), "identifier" | "implicit_parameter")
}

/// Whether a node stands where the arguments of a call stand.
pub(super) fn is_all_arguments(node: tree_sitter::Node<'_>) -> bool {
    let arguments = node
        .parent()
        .filter(|parent| parent.kind() == "call")
        .and_then(|call| call.child_by_field_name("arguments"));
    arguments == Some(node)
}

impl Document {
    /// Opens the list, and what an item of it is, for a parameter that is laid out next.
    pub(super) fn push_parameter(&mut self, parameter: LoneParameter, start: u32, end: u32) {
        let first = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let wrappers = [
            Some((parameter.list, parameter.list_field)),
            parameter.item.map(|item| (item, 0)),
        ];
        // The name is the last of them.
        let next = first + 2 + u32::from(parameter.item.is_some());
        for (kind, field) in wrappers.into_iter().flatten() {
            self.nodes.push(Node {
                kind,
                field,
                flags: flag::NAMED,
                start,
                end,
                next,
            });
        }
    }

    /// Puts all but the last section of a cascade that was laid out last into one of their own, and
    /// so on: each section is then what is done to all before it.
    pub(super) fn nest(&mut self, index: u32) {
        let ends: Vec<(u32, u32)> = self
            .children(index)
            .map(|child| self.node(child))
            .filter(|node| !node.is_extra())
            .map(|node| (node.end, node.next))
            .collect();
        // The receiver and its first section are the innermost, all of it the outermost.
        let [_, inner @ .., _] = ends.as_slice() else {
            return;
        };
        let first = index as usize + 1;
        let added = u32::try_from(inner.len()).unwrap_or_default();
        let whole = *self.node(index);
        for node in &mut self.nodes[index as usize..] {
            node.next += added;
        }
        let nested = inner.iter().rev().map(|&(end, next)| Node {
            field: 0,
            flags: flag::NAMED | flag::NESTED,
            end,
            next: next + added,
            ..whole
        });
        self.nodes.splice(first..first, nested);
    }
}
