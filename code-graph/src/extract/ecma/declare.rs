//! What a file declares: functions, classes, types, variables.

mod classes;
mod functions;
mod types;
mod variables;

use super::Ecma;
use crate::extract::field::Fields;
use crate::facts::{ExprId, Flags, ScopeId, SymbolId};
use tree_sitter::Node;

/// What `this` is in a function.
#[derive(Clone, Copy)]
pub(super) enum This {
    /// What it is around the function (arrow functions).
    Lexical,
    /// An instance of the class around.
    Instance,
    /// The class around.
    Class,
    /// The object literal around.
    Object(ScopeId),
    /// This value.
    Value(ExprId),
    /// Nothing that could be told.
    Unknown,
}

impl This {
    /// What `this` is in a function that belongs to nothing.
    pub(super) fn of(node: Node<'_>) -> This {
        match node.kind() {
            "arrow_function" => This::Lexical,
            _ => This::Unknown,
        }
    }
}

/// Where the body of a function or class begins; its end when it has none.
pub(super) fn body_start(node: Node<'_>) -> usize {
    node.field("body")
        .map_or(node.end_byte(), |body| body.start_byte())
}

/// Whether a node is a function literal.
pub(super) fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "arrow_function" | "function_expression" | "generator_function"
    )
}

impl<'n> Ecma<'_, '_, 'n> {
    /// Gives a symbol the documentation before its node, when it was declared before the walk came.
    pub(super) fn document(&mut self, node: Node<'n>, id: SymbolId) {
        let has = self
            .b
            .symbol_mut(id)
            .is_none_or(|symbol| symbol.doc.is_some());
        if has {
            return;
        }
        let mut flags = Flags::default();
        let doc = self.doc(node.start_byte(), &mut flags);
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.doc = doc;
            symbol.flags.set(flags);
        }
    }
}
