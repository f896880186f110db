//! Classes, objects, enums and type aliases of Scala.

use super::super::table::{Declared, Walk, child_of_kind, children};
use crate::extract::field::Fields;
use crate::facts::{BaseKind, Bound, Expr, Flags, ScopeId, SymbolId, SymbolKind};
use tree_sitter::Node;

pub(super) fn type_params<'n>(node: Node<'n>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let Some(list) = node.field("type_parameters") else {
        return Vec::new();
    };
    let mut found: Vec<(Node<'n>, Option<Node<'n>>)> = Vec::new();
    for child in children(list) {
        match child.kind() {
            "upper_bound" => {
                if let Some(last) = found.last_mut() {
                    last.1 = Some(child);
                }
            }
            "identifier" | "type_identifier" => found.push((child, None)),
            _ => {}
        }
    }
    found
}

fn has_word(walk: &Walk<'_, '_>, node: Node<'_>, word: &str) -> bool {
    let words = child_of_kind(node, "modifiers");
    words.is_some_and(|words| walk.b.text(words).split_whitespace().any(|w| w == word))
        || walk.b.text(node).starts_with(&format!("{word} "))
}

pub(super) fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let kind = match node.kind() {
        "trait_definition" => SymbolKind::Interface,
        "enum_definition" => SymbolKind::Enum,
        _ => SymbolKind::Class,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.field("body"),
    };
    let case = has_word(walk, node, "case");
    let (id, head) = walk.declare_type(&declared, type_params(node));
    if matches!(node.kind(), "object_definition" | "package_object") {
        walk.flag(id, Flags::STATIC);
    }
    bases(walk, node, id, head);
    parameters_of_class(walk, node, name, case);
    if child_of_kind(node, "modifiers").is_some_and(|w| walk.b.text(w).contains("implicit"))
        && let Some(ty) = child_of_kind(node, "class_parameters")
            .and_then(|params| child_of_kind(params, "class_parameter"))
            .and_then(|param| param.field("type"))
    {
        let members = walk.scope();
        walk.extension(ty, None, members, head);
    }
}

fn bases(walk: &mut Walk<'_, '_>, node: Node<'_>, id: SymbolId, head: ScopeId) {
    let Some(clause) = node.field("extend") else {
        return;
    };
    let mut cursor = clause.walk();
    let types: Vec<_> = clause
        .children_by_field_name("type", &mut cursor)
        .filter(Node::is_named)
        .collect();
    for (at, ty) in types.iter().enumerate() {
        let kind = match at {
            0 => BaseKind::Extends,
            _ => BaseKind::MixesIn,
        };
        walk.base(id, kind, *ty, head);
    }
    if let (Some(args), Some(first)) = (child_of_kind(clause, "arguments"), types.first()) {
        let class = walk.b.expr(Expr::Super);
        let args = walk.arguments(Some(args));
        walk.constructor_call(class, *first, args);
    }
}

/// `class C(val a: A, b: B)`: fields, names that the members see, and the constructor.
fn parameters_of_class(walk: &mut Walk<'_, '_>, node: Node<'_>, class: Node<'_>, case: bool) {
    let lists: Vec<_> = children(node)
        .filter(|child| child.kind() == "class_parameters")
        .collect();
    let Some(first) = lists.first() else { return };
    let declared = Declared {
        node: *first,
        kind: SymbolKind::Constructor,
        name: class,
        body: None,
    };
    let name = walk.b.name_of(class);
    let id = walk.symbol(&declared, name);
    walk.bind_constructor(id, class);
    let unit = walk.b.name("Unit");
    let unit = walk.b.expr(Expr::Literal(unit));
    walk.accessor(id, unit);
    let Some(function) = walk.function_id(id) else {
        return;
    };
    if let Some(function) = walk.b.function_mut(function) {
        function.result = None;
    }
    let members = walk.scope();
    for (at, param) in lists.iter().enumerate().flat_map(|(at, list)| {
        children(*list)
            .filter(|param| param.kind() == "class_parameter")
            .map(move |param| (at, param))
    }) {
        let Some(name) = param.field("name") else {
            continue;
        };
        let ty = param.field("type").map(|ty| walk.read(ty));
        let default = param.field("default_value");
        let default = default.map(|default| walk.read(default));
        let id = walk.b.name_of(name);
        if at == 0 {
            walk.param_of(function, id, name.start_byte(), ty, default, false);
        }
        let mut cursor = param.walk();
        let is_field = case
            || param
                .children(&mut cursor)
                .any(|word| matches!(word.kind(), "val" | "var"));
        if is_field {
            let declared = Declared {
                node: param,
                kind: SymbolKind::Field,
                name,
                body: None,
            };
            walk.variable(&declared, ty, None);
        } else if let Some(ty) = ty {
            walk.b
                .bind(members, id, name.start_byte(), Bound::Declared(ty));
        }
    }
}

pub(super) fn enum_case(walk: &mut Walk<'_, '_>, node: Node<'_>) {
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
        walk.enter_owner(id);
    }
}

/// `extension (x: T) def m`.
pub(super) fn extension(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let param = child_of_kind(node, "parameters").and_then(|list| children(list).next());
    let Some((name, ty)) =
        param.and_then(|param| Some((param.field("name")?, param.field("type")?)))
    else {
        return;
    };
    let outer = walk.scope();
    let scope = walk.b.scope(outer, crate::facts::ScopeKind::Members, None);
    walk.extension(ty, None, scope, outer);
    let ty = walk.read(ty);
    walk.enter_scope(scope);
    walk.local(name, Bound::Declared(ty));
}

pub(super) fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    walk.take(name);
    let declared = Declared {
        node,
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let ty = node.field("type").map(|ty| walk.read(ty));
    let id = walk.declare(&declared);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = ty;
    }
    walk.enter_owner(id);
}
