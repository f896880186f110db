//! Types that follow from others: what nobody wrote down changes with what it is made from.

use crate::facts::SymbolKind;
use crate::graph::{Graph, NodeId};

/// Whether the type of a symbol is not written where it is declared, so that it follows from what is
/// in its body or on its right side.
///
/// In doubt it does. In languages where types have to be written it does not; C++ is in doubt, for
/// the sake of `auto` and templates.
pub(super) fn type_follows(graph: &Graph, node: NodeId) -> bool {
    let Some(item) = graph.symbol(node) else {
        return false;
    };
    let file = graph.file(node);
    let names = &file.outline.names;
    let signature = names.get(item.signature);
    let rest = signature
        .find(names.get(item.name))
        .map_or(signature, |at| &signature[at..]);
    let is_written = match file.language.id() {
        "python" => match item.kind {
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Getter => {
                // What is made in an initializer are the fields.
                rest.contains("->") && names.get(item.name) != "__init__"
            }
            SymbolKind::Field | SymbolKind::Constant | SymbolKind::Variable => {
                let left = rest.split('=').next().unwrap_or_default();
                left.contains(':')
            }
            _ => true,
        },
        "typescript" | "tsx" | "php" => match item.kind {
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Getter => {
                let behind = rest.rfind(')').and_then(|at| rest.get(at + 1..));
                behind.is_some_and(|behind| behind.trim_start().starts_with(':'))
            }
            SymbolKind::Field | SymbolKind::Constant | SymbolKind::Variable => {
                let left = rest.split('=').next().unwrap_or_default();
                left.contains(':')
            }
            _ => true,
        },
        "javascript" | "jsx" | "ruby" | "lua" | "elixir" | "bash" | "cpp" => !matches!(
            item.kind,
            SymbolKind::Function
                | SymbolKind::Method
                | SymbolKind::Getter
                | SymbolKind::Field
                | SymbolKind::Constant
                | SymbolKind::Variable
        ),
        _ => true,
    };
    !is_written
}
