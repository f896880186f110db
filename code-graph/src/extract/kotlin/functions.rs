//! Functions and properties of Kotlin.

use super::super::table::{Declared, Walk, child_of_kind, children};
use super::types::{is_type, type_params};
use super::{callable, has_word};
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, ExprId, Flags, FunctionId, List, ScopeId, ScopeKind, SymbolKind};
use tree_sitter::Node;

pub(super) fn params(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    let Some(list) = child_of_kind(node, "function_value_parameters") else {
        return;
    };
    let mut rest = false;
    let mut last: Option<(FunctionId, usize)> = None;
    for param in children(list) {
        match param.kind() {
            "parameter_modifiers" => rest = walk.b.text(param).contains("vararg"),
            "parameter" => {
                let Some(name) = child_of_kind(param, "identifier") else {
                    continue;
                };
                let ty = children(param).find(|child| is_type(*child));
                let declared = ty.map(|ty| walk.read(ty));
                let declared = match rest {
                    true => declared.map(|ty| walk.array_of(ty)),
                    false => declared,
                };
                let id = walk.b.name_of(name);
                walk.param_of(function, id, name.start_byte(), declared, None, rest);
                last = walk
                    .b
                    .function_mut(function)
                    .map(|f| (function, f.params.len().saturating_sub(1)));
                rest = false;
            }
            // A default value follows its parameter.
            _ => {
                let value = walk.read(param);
                if let Some((function, at)) = last
                    && let Some(function) = walk.b.function_mut(function)
                    && let Some(param) = function.params.get_mut(at)
                {
                    param.default = Some(value);
                }
            }
        }
    }
}

/// What stands before a name with a dot is the type that gets the member.
fn receiver_of<'n>(node: Node<'n>, name: Node<'n>) -> Option<Node<'n>> {
    children(node)
        .take_while(|child| child.start_byte() < name.start_byte())
        .filter(|child| is_type(*child))
        .last()
}

/// Makes a scope for a member that is added to `receiver`, and enters it.
pub(super) fn extend(walk: &mut Walk<'_, '_>, receiver: Node<'_>) -> ScopeId {
    let outer = walk.scope();
    let scope = walk.b.scope(outer, ScopeKind::Members, None);
    let target = match receiver.kind() {
        "nullable_type" | "parenthesized_type" => children(receiver).next().unwrap_or(receiver),
        _ => receiver,
    };
    walk.extension(target, None, scope, outer);
    walk.enter_scope(scope);
    outer
}

pub(super) fn function(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let in_members = walk.in_members();
    let body = child_of_kind(node, "function_body");
    let receiver = receiver_of(node, name);
    let outer = receiver.map(|receiver| extend(walk, receiver));
    let kind = match in_members {
        true => SymbolKind::Method,
        false => SymbolKind::Function,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body,
    };
    let text = walk.b.text(name).trim_matches('`').to_owned();
    let shown = walk.b.name(&text);
    let id = walk.symbol(&declared, shown);
    let bound = callable(walk, &text);
    let scope = walk.scope();
    for scope in [Some(scope), outer].into_iter().flatten() {
        walk.b
            .bind(scope, bound, name.start_byte(), Bound::Symbol(id));
    }
    if body.is_none() {
        walk.flag(id, Flags::ABSTRACT);
    }
    if text == "main" && !in_members {
        walk.flag(id, Flags::ENTRY);
    }
    let function = walk.function_of(id);
    let names = walk.type_params(type_params(node));
    walk.set_type_params(function, names);
    let params_end = child_of_kind(node, "function_value_parameters").map(|list| list.end_byte());
    let result = children(node).find(|child| {
        is_type(*child) && Some(child.start_byte()) >= params_end && params_end.is_some()
    });
    walk.set_result(function, result);
    params(walk, node, function);
}

pub(super) fn property(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(variable) = child_of_kind(node, "variable_declaration") else {
        if let Some(several) = child_of_kind(node, "multi_variable_declaration")
            && let Some(value) = children(node).last()
        {
            let value = walk.read(value);
            parts(walk, several, value);
        }
        return;
    };
    let Some(name) = child_of_kind(variable, "identifier") else {
        return;
    };
    let ty = children(variable).find(|child| is_type(*child));
    let ty = ty.map(|ty| walk.read(ty));
    let value = children(node)
        .skip_while(|child| child.id() != variable.id())
        .skip(1)
        .find(|child| !matches!(child.kind(), "getter" | "setter" | "type_constraints"));
    let getter = child_of_kind(node, "getter");
    let receiver = receiver_of(node, variable);
    let outer = receiver.map(|receiver| extend(walk, receiver));
    let value_expr = match (value, getter) {
        (Some(value), _) if value.kind() == "property_delegate" => delegated(walk, value),
        (Some(value), _) => Some(walk.read(value)),
        (None, Some(getter)) => child_of_kind(getter, "function_body")
            .and_then(|body| children(body).next())
            .filter(|value| value.kind() != "block")
            .map(|value| walk.read(value)),
        (None, None) => None,
    };
    let constant = has_word(walk, node, "const");
    let in_members = walk.in_members();
    let declared = Declared {
        node,
        kind: match (constant, in_members) {
            (true, _) => SymbolKind::Constant,
            (_, true) => SymbolKind::Field,
            _ => SymbolKind::Variable,
        },
        name,
        body: value.or(getter),
    };
    if let Some(id) = walk.variable(&declared, ty, value_expr) {
        if getter.is_some() {
            walk.flag(id, Flags::PROPERTY);
        }
        if let Some(outer) = outer {
            let bound = walk.b.name_of(name);
            walk.b
                .bind(outer, bound, name.start_byte(), Bound::Symbol(id));
        }
        walk.enter_owner(id);
    }
    if let Some(value) = value {
        walk.value_if_name(value);
        if let (Some(ty), Some(value)) = (ty, value_expr)
            && let Expr::Closure(function) = walk.b.expr_at(value)
        {
            walk.expected(function, ty);
        }
    }
}

/// `by lazy { … }` is what the closure gives.
fn delegated(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Option<ExprId> {
    let call = children(node).next()?;
    let callee = children(call).next()?;
    let lambda = child_of_kind(call, "annotated_lambda")?;
    (walk.b.text(callee) == "lazy").then(|| {
        let closure = walk.read(lambda);
        walk.b.expr(Expr::Call(closure, List::default()))
    })
}

/// `val (a, b) = value`.
pub(super) fn parts(walk: &mut Walk<'_, '_>, node: Node<'_>, value: ExprId) {
    for (at, variable) in children(node).enumerate() {
        let Some(name) = child_of_kind(variable, "identifier") else {
            continue;
        };
        let ty = children(variable).find(|child| is_type(*child));
        let bound = match ty {
            Some(ty) => Bound::Declared(walk.read(ty)),
            None => Bound::Value(walk.b.expr(Expr::Part(value, at as u16))),
        };
        walk.local(name, bound);
    }
}

pub(super) fn accessor(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    if let Some(name) = child_of_kind(node, "identifier") {
        walk.local(name, Bound::Unknown);
    }
}

pub(super) fn body(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = children(node).next()
        && value.kind() != "block"
    {
        walk.value_if_name(value);
        walk.returns(value);
    }
}

/// Parameters of lambdas, anonymous functions and function types.
pub(super) fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    match node.kind() {
        "anonymous_function" => {
            params(walk, node, function);
            let result = children(node).filter(|child| is_type(*child)).last();
            walk.set_result(function, result);
        }
        "function_type" => {
            let result = children(node).filter(|child| is_type(*child)).last();
            walk.set_result(function, result);
            let params = child_of_kind(node, "function_type_parameters");
            for ty in params
                .iter()
                .flat_map(|params| children(*params).collect::<Vec<_>>())
            {
                let name = walk.b.name("_");
                let declared = match ty.kind() {
                    "parameter" => children(ty).find(|child| is_type(*child)),
                    _ => Some(ty),
                };
                let declared = declared.map(|ty| walk.read(ty));
                walk.param_of(function, name, ty.start_byte(), declared, None, false);
            }
        }
        _ => {
            let Some(list) = child_of_kind(node, "lambda_parameters") else {
                let it = walk.b.name("it");
                walk.param_of(function, it, node.start_byte(), None, None, false);
                return;
            };
            for variable in children(list) {
                let Some(name) = child_of_kind(variable, "identifier") else {
                    let name = walk.b.name("_");
                    walk.param_of(function, name, variable.start_byte(), None, None, false);
                    continue;
                };
                let ty = children(variable).find(|child| is_type(*child));
                let ty = ty.map(|ty| walk.read(ty));
                let id = walk.b.name_of(name);
                walk.param_of(function, id, name.start_byte(), ty, None, false);
            }
        }
    }
}

/// The last expression of a lambda is what it gives.
pub(super) fn lambda(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.closure(node);
    if let Some(last) = children(node)
        .filter(|child| child.kind() != "lambda_parameters")
        .last()
    {
        walk.value_if_name(last);
        walk.returns(last);
    }
}
