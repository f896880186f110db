//! Methods, properties and fields of C#.

use super::super::table::{Declared, Parameter, Walk, child_of_kind, children};
use super::typed;
use super::types::type_params;
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, Flags, FunctionId, ScopeId, ScopeKind, SymbolId, SymbolKind};
use tree_sitter::Node;

pub(super) fn method(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let kind = match node.kind() {
        "constructor_declaration" => SymbolKind::Constructor,
        "local_function_statement" => SymbolKind::Function,
        _ => SymbolKind::Method,
    };
    let body = node.field("body");
    let declared = Declared {
        node,
        kind,
        name,
        body,
    };
    let members = walk.scope();
    let (id, function) = match node.kind() {
        "constructor_declaration" | "destructor_declaration" => {
            let text = walk.b.text(name);
            let is_destructor = node.kind() == "destructor_declaration";
            let shown = match is_destructor {
                true => walk.b.name(&format!("~{text}")),
                false => walk.b.name(text),
            };
            let id = walk.symbol(&declared, shown);
            if is_destructor || walk.has_flag(id, Flags::STATIC) {
                // The runtime calls it.
                walk.flag(id, Flags::ENTRY);
                if let Some(symbol) = walk.b.symbol_mut(id) {
                    symbol.kind = SymbolKind::Method;
                }
            } else {
                walk.bind_constructor(id, name);
            }
            (id, walk.function_of(id))
        }
        _ => walk.declare_function(&declared),
    };
    if body.is_none() {
        walk.flag(id, Flags::ABSTRACT);
    }
    if walk.b.text(name) == "Main" && walk.has_flag(id, Flags::STATIC) {
        walk.flag(id, Flags::ENTRY);
    }
    let names = type_params(walk, node);
    let names = walk.type_params(names);
    walk.set_type_params(function, names);
    let result = node.field("returns").or_else(|| node.field("type"));
    walk.set_result(function, result);
    if let Some(result) = result {
        walk.types_in(result);
    }
    if let Some(list) = node.field("parameters") {
        let first = children(list).next();
        let receiver = first.filter(|first| {
            children(*first).any(|word| word.kind() == "modifier" && walk.b.text(word) == "this")
        });
        if let Some(receiver) = receiver {
            extension_method(walk, id, name, receiver, members);
        }
        params(walk, list, function, receiver);
    }
}

/// `static R M(this T x, …)`: a member of `T`.
fn extension_method(
    walk: &mut Walk<'_, '_>,
    id: SymbolId,
    name: Node<'_>,
    receiver: Node<'_>,
    members: ScopeId,
) {
    let (Some(ty), Some(of)) = (receiver.field("type"), receiver.field("name")) else {
        return;
    };
    let scope = walk.b.scope(members, ScopeKind::Members, None);
    let bound = walk.b.name_of(name);
    walk.b
        .bind(scope, bound, name.start_byte(), Bound::Symbol(id));
    let around = walk.scope();
    walk.extension(ty, None, scope, around);
    let ty = walk.read(ty);
    walk.local(of, Bound::Declared(ty));
}

pub(super) fn params(
    walk: &mut Walk<'_, '_>,
    list: Node<'_>,
    function: FunctionId,
    receiver: Option<Node<'_>>,
) {
    let mut cursor = list.walk();
    for param in children(list) {
        if param.kind() != "parameter" || Some(param.id()) == receiver.map(|r| r.id()) {
            continue;
        }
        if let Some(name) = param.field("name") {
            let param = Parameter {
                name,
                declared: param.field("type"),
                default: None,
                rest: false,
            };
            walk.param(function, &param);
        }
    }
    // `params T[] rest` has no node of its own.
    let rest = list
        .children_by_field_name("name", &mut cursor)
        .find(Node::is_named);
    if let Some(name) = rest {
        let ty = list.field("type");
        let declared = ty.map(|ty| walk.read(ty));
        let id = walk.b.name_of(name);
        walk.param_of(function, id, name.start_byte(), declared, None, true);
        if let Some(ty) = ty {
            walk.types_in(ty);
        }
    }
}

pub(super) fn operator(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let name = node.field("operator").or_else(|| node.field("type"));
    let Some(name) = name else { return };
    let text = format!("operator {}", walk.b.text(name));
    let shown = walk.b.name(&text);
    let declared = Declared {
        node,
        kind: SymbolKind::Method,
        name,
        body: node.field("body"),
    };
    let id = walk.symbol(&declared, shown);
    let function = walk.function_of(id);
    walk.set_result(function, node.field("type"));
    if let Some(list) = node.field("parameters") {
        params(walk, list, function, None);
    }
    typed(walk, node);
}

/// `: base(…)`, `: this(…)`.
pub(super) fn constructor_initializer(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut cursor = node.walk();
    let word = node
        .children(&mut cursor)
        .find(|word| matches!(word.kind(), "base" | "this"));
    let Some(word) = word else { return };
    let class = match word.kind() {
        "base" => walk.b.expr(Expr::Super),
        _ => walk.b.expr(Expr::This),
    };
    let args = walk.arguments(child_of_kind(node, "argument_list"));
    walk.constructor_call(class, word, args);
}

/// `record R(…) : Base(…)`.
pub(super) fn primary_base(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let class = walk.b.expr(Expr::Super);
    let args = walk.arguments(child_of_kind(node, "argument_list"));
    if let Some(name) = node.field("type") {
        walk.constructor_call(class, name, args);
    }
}

pub(super) fn property(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.field("type");
    let name = match node.field("name") {
        Some(name) => name,
        // An indexer.
        None => match node.field("parameters") {
            Some(params) => params,
            None => return,
        },
    };
    let body = node.field("accessors").or_else(|| node.field("value"));
    let declared = Declared {
        node,
        kind: SymbolKind::Field,
        name,
        body,
    };
    let read = ty.map(|ty| walk.read(ty));
    let id = match node.kind() {
        "indexer_declaration" => {
            let shown = walk.b.name("this[]");
            let id = walk.symbol(&declared, shown);
            if let Some(symbol) = walk.b.symbol_mut(id) {
                symbol.declared = read;
            }
            let scope = walk.scope();
            walk.b
                .bind(scope, shown, name.start_byte(), Bound::Symbol(id));
            id
        }
        _ => match walk.variable(&declared, read, None) {
            Some(id) => id,
            None => return,
        },
    };
    walk.flag(id, Flags::PROPERTY);
    if let Some(ty) = ty {
        walk.types_in(ty);
    }
    let function = walk.function_of(id);
    walk.set_result(function, ty);
    if let Some(list) = node.field("parameters") {
        params(walk, list, function, None);
    }
}

/// `set` gets what is written as `value`.
pub(super) fn accessor(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let word = node.field("name");
    if word.is_some_and(|word| matches!(walk.b.text(word), "set" | "init")) {
        let result = walk
            .function()
            .and_then(|function| walk.b.function_mut(function))
            .and_then(|function| function.result);
        if let Some(ty) = result {
            let value = walk.b.name("value");
            walk.local_named(value, node.start_byte(), Bound::Declared(ty));
        }
    }
}

pub(super) fn arrow(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = children(node).next() {
        walk.value_if_name(value);
        walk.returns(value);
    }
}
