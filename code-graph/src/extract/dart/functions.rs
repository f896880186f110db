//! Functions, constructors, fields and parameters of Dart.

use super::super::table::{CONSTRUCTOR, Declared, Parameter, Walk, child_of_kind, children};
use super::types::type_params;
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, Flags, FunctionId, List, SiteKind, SymbolId, SymbolKind};
use tree_sitter::Node;

/// A member: method, constructor, accessor or fields.
pub(super) fn member(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(inner) =
        children(node).find(|child| matches!(child.kind(), "declaration" | "method_declaration"))
    else {
        return;
    };
    let signature = match inner.field("signature") {
        Some(signature) => children(signature).next(),
        None => children(inner).find(|child| child.kind().ends_with("signature")),
    };
    match signature {
        Some(signature) => {
            let body = inner.field("body");
            let is_static = inner
                .field("signature")
                .is_some_and(|outer| walk.b.text(outer).starts_with("static "));
            let id = callable(walk, node, signature, body);
            if let Some(id) = id {
                if is_static || walk.b.text(inner).starts_with("static ") {
                    walk.flag(id, Flags::STATIC);
                }
                if body.is_none() && !signature.kind().contains("constructor") {
                    walk.flag(id, Flags::ABSTRACT);
                }
            }
        }
        None => fields(walk, inner),
    }
}

pub(super) fn function(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let signature = node.field("signature");
    let signature =
        signature.or_else(|| children(node).find(|child| child.kind().ends_with("_signature")));
    let body = node.field("body");
    let body = body.or_else(|| child_of_kind(node, "function_body"));
    if let Some(signature) = signature {
        callable(walk, node, signature, body);
    }
}

/// Declares what a signature says; the walk is in it until it leaves the node it is at.
fn callable(
    walk: &mut Walk<'_, '_>,
    node: Node<'_>,
    signature: Node<'_>,
    body: Option<Node<'_>>,
) -> Option<SymbolId> {
    let in_type = walk.in_members();
    let (kind, name) = match signature.kind() {
        "getter_signature" => (SymbolKind::Getter, signature.field("name")?),
        "setter_signature" => (SymbolKind::Setter, signature.field("name")?),
        "operator_signature" => (SymbolKind::Method, signature.field("operator")?),
        kind if kind.contains("constructor") => {
            let mut cursor = signature.walk();
            let names = signature.children_by_field_name("name", &mut cursor);
            let name = names.filter(Node::is_named).last()?;
            (SymbolKind::Constructor, name)
        }
        _ if in_type => (SymbolKind::Method, signature.field("name")?),
        _ => (SymbolKind::Function, signature.field("name")?),
    };
    let declared = Declared {
        node,
        kind,
        name,
        body,
    };
    let class = walk.class();
    let id = if kind == SymbolKind::Constructor {
        let text = walk.b.text(name);
        let id = walk.b.name(text);
        let id = walk.symbol(&declared, id);
        let class_name =
            class.and_then(|class| Some(walk.b.facts.symbols.get(class.index())?.name));
        let unnamed = class_name.map(|class| walk.b.named(class)) == Some(text) || text == "new";
        let bound = match unnamed {
            true => walk.b.name(CONSTRUCTOR),
            false => walk.b.name(text),
        };
        let scope = walk.scope();
        walk.b
            .bind(scope, bound, name.start_byte(), Bound::Symbol(id));
        id
    } else {
        walk.declare(&declared)
    };
    if !in_type && walk.b.text(name) == "main" {
        walk.flag(id, Flags::ENTRY);
    }
    let function = walk.function_of(id);
    let params = child_of_kind(signature, "type_parameters");
    let names = walk.type_params(type_params(params));
    walk.set_type_params(function, names);
    match (kind, class) {
        (SymbolKind::Constructor, Some(class)) => {
            let ty = walk.b.expr(Expr::Symbol(class));
            if let Some(function) = walk.b.function_mut(function) {
                function.result = Some(ty);
            }
        }
        _ => walk.set_result(function, signature.field("return_type")),
    }
    if let Some(list) = child_of_kind(signature, "formal_parameter_list") {
        params_of(walk, list, function);
    }
    if let Some(target) = signature.field("target") {
        // `factory A.x() = B.y;`
        let what = walk.read(target);
        walk.take(target);
        let last = children(target).last().unwrap_or(target);
        walk.site(SiteKind::Call, what, last, List::default());
    }
    Some(id)
}

fn params_of(walk: &mut Walk<'_, '_>, list: Node<'_>, function: FunctionId) {
    for param in children(list) {
        if param.kind() == "optional_formal_parameters" {
            for param in children(param) {
                if param.kind() == "formal_parameter" {
                    parameter(walk, param, function);
                }
            }
        } else if param.kind() == "formal_parameter" {
            parameter(walk, param, function);
        }
    }
}

fn parameter(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    let inner = children(node).find(|child| {
        matches!(
            child.kind(),
            "field_formal_parameter" | "super_formal_parameter"
        )
    });
    let holder = inner.unwrap_or(node);
    let name = holder
        .field("name")
        .or_else(|| child_of_kind(holder, "identifier"));
    let Some(name) = name else { return };
    let declared = child_of_kind(holder, "type");
    if let Some(formal) = inner
        && formal.kind() == "field_formal_parameter"
        && declared.is_none()
    {
        // `this.x` has the type of the field.
        let id = walk.b.name_of(name);
        let this = walk.b.expr(Expr::This);
        let field = walk.b.expr(Expr::Member(this, id));
        walk.param_of(function, id, name.start_byte(), None, None, false);
        walk.local(name, Bound::Value(field));
        return;
    }
    let param = Parameter {
        name,
        declared,
        default: None,
        rest: false,
    };
    walk.param(function, &param);
}

pub(super) fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    if node.kind() == "function_type" {
        let result = child_of_kind(node, "type");
        walk.set_result(function, result);
        for list in children(node).filter(|child| child.kind() == "parameter_type_list") {
            for param in children(list) {
                let name = walk.b.name("_");
                let ty = child_of_kind(param, "type").map(|ty| walk.read(ty));
                walk.param_of(function, name, param.start_byte(), ty, None, false);
            }
        }
        return;
    }
    if let Some(list) = child_of_kind(node, "formal_parameter_list") {
        params_of(walk, list, function);
    }
}

/// `=> e`: what it returns.
pub(super) fn body(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = children(node).next()
        && value.kind() != "block"
    {
        walk.value_if_name(value);
        walk.returns(value);
    }
}

/// Fields and top-level variables: one type, several names.
pub(super) fn fields(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = child_of_kind(node, "type");
    let ty = ty.map(|ty| walk.read(ty));
    let text = walk.b.text(node);
    let text = text.strip_prefix("static ").unwrap_or(text);
    let is_static = walk.b.text(node).starts_with("static ");
    let kind = match (text.starts_with("const "), walk.in_members()) {
        (true, _) => SymbolKind::Constant,
        (false, true) => SymbolKind::Field,
        (false, false) => SymbolKind::Variable,
    };
    let lists = children(node).filter(|child| {
        matches!(
            child.kind(),
            "initialized_identifier_list" | "static_final_declaration_list" | "identifier_list"
        )
    });
    for list in lists {
        for item in children(list) {
            let name = item.field("name").unwrap_or(item);
            let value = item.field("value");
            let value_expr = value.map(|value| walk.read(value));
            let declared = Declared {
                node,
                kind,
                name,
                body: value,
            };
            let id = walk.variable(&declared, ty, value_expr);
            if let Some(id) = id {
                if is_static {
                    walk.flag(id, Flags::STATIC);
                }
                walk.own_initialiser(item, id);
            }
            if let Some(value) = value {
                walk.with_owner(id, |walk| walk.value_if_name(value));
            }
        }
    }
}
