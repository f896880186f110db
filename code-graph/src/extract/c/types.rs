//! Types and namespaces of C and C++.

use super::super::table::{Declared, Walk, child_of_kind, children};
use super::declarator::Declarator;
use super::publish;
use crate::extract::field::Fields;
use crate::facts::{BaseKind, Bound, ScopeKind, SymbolKind};
use tree_sitter::Node;

/// The declaration with its template head: what a doc comment stands before.
pub(super) fn with_template(node: Node<'_>) -> Node<'_> {
    match node.parent() {
        Some(parent) if parent.kind() == "template_declaration" => parent,
        _ => node,
    }
}

/// The names of template parameters.
pub(super) fn template_params<'n>(node: Node<'n>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let params = with_template(node).field("parameters");
    let Some(params) = params.filter(|params| params.kind() == "template_parameter_list") else {
        return Vec::new();
    };
    children(params)
        .filter(|param| param.kind().contains("type_parameter"))
        .filter_map(|param| {
            let name = param
                .field("name")
                .or_else(|| child_of_kind(param, "type_identifier"))?;
            Some((name, None))
        })
        .collect()
}

/// A struct, union or class with a body; without one it only names a type.
pub(super) fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(body) = node.field("body") else {
        return;
    };
    let kind = match node.kind() {
        "class_specifier" => SymbolKind::Class,
        _ => SymbolKind::Struct,
    };
    // One without a name of its own has that of the `typedef` around it.
    let around = node
        .parent()
        .filter(|parent| parent.kind() == "type_definition");
    let name = node.field("name").or_else(|| {
        let declarator = around?.field("declarator")?;
        (declarator.kind() == "type_identifier").then_some(declarator)
    });
    let Some(name) = name else { return };
    let name = match name.kind() {
        "template_type" => name.field("name").unwrap_or(name),
        _ => name,
    };
    walk.take(name);
    let declared = Declared {
        node: with_template(node),
        kind,
        name,
        body: Some(body),
    };
    let id = walk.declare(&declared);
    publish(walk, id, name.start_byte());
    let head = walk.type_body(id, template_params(node));
    if let Some(clause) = child_of_kind(node, "base_class_clause") {
        for base in children(clause) {
            if !matches!(
                base.kind(),
                "access_specifier" | "virtual" | "attribute_declaration"
            ) {
                walk.base(id, BaseKind::Extends, base, head);
            }
        }
    }
}

pub(super) fn enumeration(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(body) = node.field("body") else {
        return;
    };
    let around = node
        .parent()
        .filter(|parent| parent.kind() == "type_definition");
    let name = node.field("name").or_else(|| around?.field("declarator"));
    let Some(name) = name.filter(|name| name.kind() == "type_identifier") else {
        return;
    };
    walk.take(name);
    let declared = Declared {
        node,
        kind: SymbolKind::Enum,
        name,
        body: Some(body),
    };
    let id = walk.declare(&declared);
    publish(walk, id, name.start_byte());
    walk.members(id);
}

/// A member of an enum; of a plain one it is visible around the enum as well.
pub(super) fn enumerator(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::EnumMember,
        name,
        body: None,
    };
    let id = walk.declare(&declared);
    let scoped = node
        .parent()
        .and_then(|list| list.parent())
        .and_then(|around| around.child(1))
        .is_some_and(|word| matches!(word.kind(), "class" | "struct"));
    let scope = walk.b.facts.scopes.get(walk.scope().index());
    if let Some(around) = scope.filter(|_| !scoped).and_then(|scope| scope.parent) {
        let name_id = walk.b.name_of(name);
        walk.b
            .bind(around, name_id, name.start_byte(), Bound::Symbol(id));
    }
}

/// `typedef T name;`
pub(super) fn typedef(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(ty), Some(declarator)) = (node.field("type"), node.field("declarator")) else {
        return;
    };
    let declarator = Declarator::of(declarator);
    let Some(name) = declarator.name else { return };
    // `typedef struct x { … } x;` and `typedef struct { … } x;` declare `x` once.
    let own = ty.field("name");
    let same = own.is_none_or(|own| walk.b.text(own) == walk.b.text(name));
    if ty.field("body").is_some() && same {
        return;
    }
    walk.take(name);
    let declared = Declared {
        node,
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let id = walk.declare(&declared);
    publish(walk, id, name.start_byte());
    let ty = declarator.function.is_none().then(|| walk.read(ty));
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = ty;
    }
}

/// `using Name = T;`
pub(super) fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(ty)) = (node.field("name"), node.field("type")) else {
        return;
    };
    walk.take(name);
    let declared = Declared {
        node: with_template(node),
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let id = walk.declare(&declared);
    publish(walk, id, name.start_byte());
    let ty = walk.read(ty);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = Some(ty);
    }
}

/// `namespace a::b { … }`; one without a name is seen around.
pub(super) fn namespace(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let text: String = walk.b.text(name).split_whitespace().collect();
    let name_id = walk.b.name(&text);
    let declared = Declared {
        node,
        kind: SymbolKind::Module,
        name,
        body: node.field("body"),
    };
    let around = walk.scope();
    let id = walk.symbol(&declared, name_id);
    walk.b
        .bind(around, name_id, name.start_byte(), Bound::Symbol(id));
    let scope = walk.b.scope(around, ScopeKind::Module, Some(id));
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.members = Some(scope);
    }
    walk.enter_scope(scope);
    walk.enter_owner(id);
}

/// `using namespace a;`, `using a::b;`
pub(super) fn using(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let Some(name) = children(node).next() else {
        return;
    };
    let whole = node.child(1).is_some_and(|word| word.kind() == "namespace");
    let text: String = walk.b.text(name).split_whitespace().collect();
    if whole {
        walk.import_of(name, &text, None, None);
    } else if let Some((module, last)) = text.rsplit_once("::") {
        walk.import_of(name, module, Some(last), Some(last));
    }
}
