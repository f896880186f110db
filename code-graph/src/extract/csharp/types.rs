//! Classes, enums and delegates of C#.

use super::super::table::{Declared, Walk, child_of_kind, children};
use super::typed;
use crate::extract::field::Fields;
use crate::facts::{BaseKind, Bound, Expr, Flags, SymbolKind, Visibility};
use tree_sitter::Node;

pub(super) fn type_params<'n>(
    walk: &Walk<'_, '_>,
    node: Node<'n>,
) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let Some(list) = child_of_kind(node, "type_parameter_list") else {
        return Vec::new();
    };
    // `where T : A` stands after the head.
    let bound = |name: Node<'n>| {
        let clause = children(node).find(|child| {
            child.kind() == "type_parameter_constraints_clause"
                && children(*child).next().map(|of| walk.b.text(of)) == Some(walk.b.text(name))
        })?;
        children(clause).find_map(|constraint| constraint.field("type"))
    };
    children(list)
        .filter_map(|param| {
            let name = param.field("name")?;
            Some((name, bound(name)))
        })
        .collect()
}

pub(super) fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let kind = match node.kind() {
        "interface_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        "struct_declaration" => SymbolKind::Struct,
        "record_declaration" => SymbolKind::Struct,
        _ => SymbolKind::Class,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.field("body"),
    };
    let outer = walk.scope();
    let params = type_params(walk, node);
    let (id, head) = walk.declare_type(&declared, params);
    let members = walk.scope();
    let partial =
        children(node).any(|child| child.kind() == "modifier" && walk.b.text(child) == "partial");
    let mut first = kind == SymbolKind::Class || node.kind() == "record_declaration";
    if let Some(list) = child_of_kind(node, "base_list") {
        for base in children(list) {
            if base.kind() == "argument_list" || kind == SymbolKind::Enum {
                continue;
            }
            let how = match kind {
                SymbolKind::Interface => BaseKind::Extends,
                _ if first && !looks_like_interface(walk, base) => BaseKind::Extends,
                _ => BaseKind::Implements,
            };
            first = false;
            walk.base(id, how, base, head);
            if partial {
                walk.extension(name, Some(base), members, outer);
            }
        }
    }
    if partial {
        // The parts have each other's members.
        walk.extension(name, None, members, outer);
    }
    if let Some(params) = child_of_kind(node, "parameter_list") {
        primary(walk, node, params);
    }
}

/// Interfaces are named `I` and a capital letter.
fn looks_like_interface(walk: &Walk<'_, '_>, base: Node<'_>) -> bool {
    let text = walk.b.text(base);
    let head = text.split(['<', '(']).next().unwrap_or(text);
    let name = head.rsplit('.').next().unwrap_or(head).trim();
    let mut letters = name.chars();
    letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase)
}

/// The parameters of a type: properties of a record, else names that its members see.
fn primary(walk: &mut Walk<'_, '_>, node: Node<'_>, params: Node<'_>) {
    for param in children(params) {
        let (Some(name), Some(ty)) = (param.field("name"), param.field("type")) else {
            continue;
        };
        let ty = walk.read(ty);
        if node.kind() == "record_declaration" {
            let declared = Declared {
                node: param,
                kind: SymbolKind::Field,
                name,
                body: None,
            };
            if let Some(id) = walk.variable(&declared, Some(ty), None)
                && let Some(symbol) = walk.b.symbol_mut(id)
            {
                symbol.visibility = Visibility::Public;
                symbol.flags.set(Flags::PROPERTY);
            }
        } else {
            walk.local(name, Bound::Declared(ty));
        }
    }
}

pub(super) fn enum_member(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(class)) = (node.field("name"), walk.class()) else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::EnumMember,
        name,
        body: None,
    };
    let ty = walk.b.expr(Expr::Symbol(class));
    if let Some(id) = walk.variable(&declared, Some(ty), None) {
        walk.flag(id, Flags::STATIC);
    }
}

/// A delegate is a name for a function's type.
pub(super) fn delegate(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let id = walk.declare(&declared);
    let function = walk.closure_of(node);
    let ty = walk.b.expr(Expr::Closure(function));
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = Some(ty);
    }
    walk.enter_owner(id);
    typed(walk, node);
}
