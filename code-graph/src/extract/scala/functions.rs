//! Functions, variables and patterns of Scala.

use super::super::table::{Declared, Parameter, Walk, children};
use super::types::type_params;
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, ExprId, Flags, FunctionId, SymbolKind};
use tree_sitter::Node;

pub(super) fn function(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let in_members = walk.in_members();
    let text = walk.b.text(name);
    let body = node.field("body");
    let kind = match (text, in_members) {
        ("this", _) => SymbolKind::Constructor,
        (_, true) => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body,
    };
    let id = match kind {
        SymbolKind::Constructor => {
            let shown = walk.b.name("this");
            let id = walk.symbol(&declared, shown);
            walk.bind_constructor(id, name);
            id
        }
        _ => walk.declare(&declared),
    };
    let lists: Vec<_> = children(node)
        .filter(|child| child.kind() == "parameters")
        .collect();
    if lists.is_empty() {
        walk.flag(id, Flags::PROPERTY);
    }
    if let Some(class) = walk.class()
        && in_members
        && walk.has_flag(class, Flags::STATIC)
    {
        walk.flag(id, Flags::STATIC);
    }
    if body.is_none() {
        walk.flag(id, Flags::ABSTRACT);
    }
    if text == "main" {
        walk.flag(id, Flags::ENTRY);
    }
    let function = walk.function_of(id);
    let names = walk.type_params(type_params(node));
    walk.set_type_params(function, names);
    walk.set_result(function, node.field("return_type"));
    for (at, list) in lists.iter().enumerate() {
        params(walk, *list, (at == 0).then_some(function));
    }
    if let Some(body) = body {
        walk.value_if_name(body);
        if body.kind() != "block" {
            walk.returns(body);
        } else if let Some(last) = children(body).last() {
            walk.returns(last);
        }
    }
}

/// Parameters; those of a further list are only bound.
pub(super) fn params(walk: &mut Walk<'_, '_>, list: Node<'_>, function: Option<FunctionId>) {
    for param in children(list) {
        let Some(name) = param.field("name") else {
            continue;
        };
        let declared = param.field("type");
        match function {
            Some(function) => {
                let rest = declared.is_some_and(|ty| ty.kind() == "repeated_parameter_type");
                let param = Parameter {
                    name,
                    declared,
                    default: param.field("default_value"),
                    rest,
                };
                walk.param(function, &param);
            }
            None => {
                let bound = match declared {
                    Some(ty) => Bound::Declared(walk.read(ty)),
                    None => Bound::Unknown,
                };
                walk.local(name, bound);
            }
        }
    }
}

pub(super) fn variable(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let pattern = node.field("pattern").or_else(|| node.field("name"));
    let Some(pattern) = pattern else { return };
    let ty = node.field("type").map(|ty| walk.read(ty));
    let value = node.field("value");
    let value_expr = value.map(|value| walk.read(value));
    let names: Vec<_> = match pattern.kind() {
        "identifier" => vec![pattern],
        "identifiers" => children(pattern).collect(),
        "tuple_pattern" => {
            let whole = value_expr.unwrap_or_else(|| walk.b.expr(Expr::Unknown));
            for (at, part) in children(pattern).enumerate() {
                if part.kind() == "identifier" {
                    let part_expr = walk.b.expr(Expr::Part(whole, at as u16));
                    bind_value(walk, node, part, part_expr);
                }
            }
            Vec::new()
        }
        _ => {
            pattern_names(walk, pattern, None);
            Vec::new()
        }
    };
    let kind = match walk.in_members() {
        true => SymbolKind::Field,
        false => SymbolKind::Variable,
    };
    let single = names.len() == 1;
    let mut owner = None;
    for name in names {
        let declared = Declared {
            node,
            kind,
            name,
            body: value,
        };
        owner = walk.variable(&declared, ty, value_expr).or(owner);
    }
    if let Some(value) = value {
        walk.with_owner(owner.filter(|_| single), |walk| walk.value_if_name(value));
    }
    if let Some(owner) = owner.filter(|_| single) {
        walk.enter_owner(owner);
    }
}

/// A name of a pattern at a declaration.
fn bind_value(walk: &mut Walk<'_, '_>, node: Node<'_>, name: Node<'_>, value: ExprId) {
    let declared = Declared {
        node,
        kind: SymbolKind::Variable,
        name,
        body: None,
    };
    walk.variable(&declared, None, Some(value));
}

/// Binds the names of a pattern; `whole` is what is matched.
fn pattern_names(walk: &mut Walk<'_, '_>, pattern: Node<'_>, whole: Option<ExprId>) {
    let mut left = vec![(pattern, whole)];
    while let Some((node, whole)) = left.pop() {
        match node.kind() {
            "identifier" => {
                let text = walk.b.text(node);
                if text.starts_with(|c: char| c.is_lowercase()) {
                    let bound = whole.map_or(Bound::Unknown, Bound::Value);
                    walk.local(node, bound);
                }
            }
            "typed_pattern" => {
                if let (Some(name), Some(ty)) = (node.field("pattern"), node.field("type"))
                    && name.kind() == "identifier"
                {
                    let ty = walk.read(ty);
                    walk.local(name, Bound::Declared(ty));
                }
            }
            "capture_pattern" => {
                if let (Some(name), Some(inner)) = (node.field("name"), node.field("pattern")) {
                    let ty = inner.field("type");
                    let bound = match ty {
                        Some(ty) => Bound::Declared(walk.read(ty)),
                        None => whole.map_or(Bound::Unknown, Bound::Value),
                    };
                    walk.local(name, bound);
                    left.push((inner, None));
                }
            }
            "case_class_pattern" => {
                let mut cursor = node.walk();
                let inner: Vec<_> = node
                    .children_by_field_name("pattern", &mut cursor)
                    .filter(Node::is_named)
                    .collect();
                let ty = node.field("type").map(|ty| walk.read(ty));
                for (at, part) in inner.into_iter().enumerate() {
                    let part_expr = ty.map(|ty| {
                        let instance = walk.b.expr(Expr::Instance(ty));
                        walk.b.expr(Expr::Part(instance, at as u16))
                    });
                    left.push((part, part_expr));
                }
            }
            "stable_identifier" | "string" | "type_identifier" => {}
            _ => left.extend(children(node).map(|child| (child, None))),
        }
    }
}

pub(super) fn case(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    if let Some(pattern) = node.field("pattern") {
        let whole = node
            .parent()
            .and_then(|block| block.parent())
            .filter(|whole| whole.kind() == "match_expression")
            .and_then(|whole| whole.field("value"))
            .map(|value| walk.read(value));
        pattern_names(walk, pattern, whole);
    }
}

/// `x <- xs` and `y = x` in a `for`.
pub(super) fn enumerator(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let parts: Vec<_> = children(node).collect();
    let [pattern, value, ..] = parts.as_slice() else {
        return;
    };
    let mut cursor = node.walk();
    let draws = node.children(&mut cursor).any(|word| word.kind() == "<-");
    let whole = walk.read(*value);
    let whole = match draws {
        true => walk.b.expr(Expr::Element(whole)),
        false => whole,
    };
    walk.value_if_name(*value);
    pattern_names(walk, *pattern, Some(whole));
}

pub(super) fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    if node.kind() == "function_type" {
        walk.set_result(function, node.field("return_type"));
        if let Some(list) = node.field("parameter_types") {
            for ty in children(list) {
                let name = walk.b.name("_");
                let read = walk.read(ty);
                walk.param_of(function, name, ty.start_byte(), Some(read), None, false);
            }
        }
        return;
    }
    let Some(list) = node.field("parameters") else {
        return;
    };
    let names: Vec<_> = match list.kind() {
        "bindings" => children(list).collect(),
        _ => vec![list],
    };
    for binding in names {
        let name = binding.field("name").unwrap_or(binding);
        let param = Parameter {
            name,
            declared: binding.field("type"),
            default: None,
            rest: false,
        };
        walk.param(function, &param);
    }
}

pub(super) fn lambda(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.closure(node);
    if let Some(last) = children(node).last() {
        walk.value_if_name(last);
        walk.returns(last);
    }
}
