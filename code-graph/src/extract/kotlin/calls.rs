//! Calls and references of Kotlin.

use super::super::table::{Walk, child_of_kind, children};
use super::callable;
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, ExprId, List};
use tree_sitter::Node;

/// Whether `a::b` is written.
fn is_reference(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == "::")
}

pub(super) fn read_navigation(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut all = children(node);
    let (Some(object), Some(name)) = (all.next(), all.last()) else {
        return Expr::Unknown;
    };
    let of = walk.read(object);
    if !is_reference(node) {
        return Expr::Member(of, walk.b.name_of(name));
    }
    match walk.b.text(name) {
        "class" => Expr::Unknown,
        text => {
            let name = callable(walk, text);
            Expr::Member(of, name)
        }
    }
}

pub(super) fn navigation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if is_reference(node)
        && let Some(object) = children(node).next()
        && walk.b.text(object).starts_with(char::is_uppercase)
    {
        walk.class_use(object);
    }
    walk.value_at(node, children(node).last());
}

pub(super) fn read_reference(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let parts: Vec<_> = children(node).collect();
    match parts.as_slice() {
        [name] => {
            let text = walk.b.text(*name);
            Expr::Name(callable(walk, text))
        }
        [object, name] => {
            let of = walk.read(*object);
            let text = walk.b.text(*name);
            let name = callable(walk, text);
            Expr::Member(of, name)
        }
        _ => Expr::Unknown,
    }
}

pub(super) fn reference(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.value_at(node, children(node).last());
}

/// The callee of a call as an expression, and the node of its last name.
pub(super) fn callee<'n>(walk: &mut Walk<'_, '_>, node: Node<'n>) -> (ExprId, Node<'n>) {
    match node.kind() {
        "identifier" => {
            let text = walk.b.text(node);
            let plain = walk.b.name(text);
            let name = match walk.is_local(plain) {
                true => plain,
                false => callable(walk, text),
            };
            (walk.b.expr(Expr::Name(name)), node)
        }
        "navigation_expression" if !is_reference(node) => {
            let mut all = children(node);
            let (Some(object), Some(name)) = (all.next(), all.last()) else {
                return (walk.read(node), node);
            };
            let of = walk.read(object);
            let text = walk.b.text(name);
            let id = callable(walk, text);
            (walk.b.expr(Expr::Member(of, id)), name)
        }
        _ => (walk.read(node), node),
    }
}

/// The arguments of a call: those in parentheses and the lambda after them.
fn all_arguments(walk: &mut Walk<'_, '_>, node: Node<'_>) -> List {
    let mut operands = Vec::new();
    let inner = call_parts(node)
        .map(|(_, inner)| inner)
        .filter(|inner| inner.id() != node.id());
    let inner = inner.into_iter().flat_map(|inner| children(inner).skip(1));
    for part in inner.chain(children(node).skip(1)) {
        match part.kind() {
            "value_arguments" => {
                for arg in children(part) {
                    operands.push(walk.read(arg));
                }
            }
            "annotated_lambda" => operands.push(walk.read(part)),
            _ => {}
        }
    }
    walk.b.list(&operands)
}

/// What is called, and the nodes of the arguments: `f(x) { … }` is one call, which the grammar
/// takes for a call of what `f(x)` gives.
fn call_parts<'n>(node: Node<'n>) -> Option<(Node<'n>, Node<'n>)> {
    let function = children(node).next()?;
    let trails = function.kind() == "call_expression"
        && child_of_kind(node, "value_arguments").is_none()
        && child_of_kind(function, "annotated_lambda").is_none();
    match trails {
        true => Some((children(function).next()?, function)),
        false => Some((function, node)),
    }
}

pub(super) fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some((function, inner)) = call_parts(node).filter(|_| !walk.is_taken(node)) else {
        return;
    };
    if inner.id() != node.id() {
        walk.take(inner);
    }
    if function.kind() != "call_expression" {
        walk.take(function);
    }
    let (what, name) = callee(walk, function);
    let args = all_arguments(walk, node);
    scope_function(walk, what, args);
    let what = with_types(walk, what, inner);
    walk.call_site(what, args, name);
}

/// A callee with the type arguments that stand in the call.
fn with_types(walk: &mut Walk<'_, '_>, what: ExprId, node: Node<'_>) -> ExprId {
    match child_of_kind(node, "type_arguments") {
        Some(types) => {
            let types = walk.read_all(types);
            walk.b.expr(Expr::Generic(what, types))
        }
        None => what,
    }
}

/// In `x.let { … }` and `x.also { … }` the closure gets `x`.
fn scope_function(walk: &mut Walk<'_, '_>, what: ExprId, args: List) {
    let Expr::Member(object, name) = walk.b.expr_at(what) else {
        return;
    };
    if !matches!(
        walk.b.named(name),
        "let()" | "also()" | "takeIf()" | "takeUnless()"
    ) {
        return;
    }
    let closure = walk
        .b
        .operands(args)
        .last()
        .map(|last| walk.b.expr_at(*last));
    let Some(Expr::Closure(function)) = closure else {
        return;
    };
    let Some((scope, name)) = walk
        .b
        .function_mut(function)
        .and_then(|f| Some((f.scope, f.params.first()?.name)))
    else {
        return;
    };
    walk.b.rebind(scope, name, Bound::Value(object));
}

pub(super) fn read_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some((function, inner)) = call_parts(node) else {
        return Expr::Unknown;
    };
    let (what, _) = callee(walk, function);
    let args = all_arguments(walk, node);
    if let Expr::Member(object, name) = walk.b.expr_at(what) {
        let closure = walk.b.operands(args).last().copied();
        match walk.b.named(name) {
            "apply()" | "also()" | "takeIf()" | "takeUnless()" => return walk.b.expr_at(object),
            "let()" | "run()" if closure.is_some() => {
                scope_function(walk, what, args);
                if let Some(closure) = closure {
                    return Expr::Call(closure, List::default());
                }
            }
            _ => {}
        }
    }
    Expr::Call(with_types(walk, what, inner), args)
}

/// `f<T>(x)`, which the grammar takes for comparisons.
fn generic_call<'n>(node: Node<'n>) -> Option<(Node<'n>, Node<'n>)> {
    let operator = |node: Node<'n>| node.field("operator").map(|o| o.kind());
    let left = node.field("left")?;
    let right = node.field("right")?;
    let is = operator(node) == Some(">")
        && right.kind() == "parenthesized_expression"
        && left.kind() == "binary_expression"
        && operator(left) == Some("<");
    let function = left.field("left").filter(|_| is)?;
    matches!(function.kind(), "identifier" | "navigation_expression").then_some((function, right))
}

/// The callee of such a call with its type argument.
fn compared_type(walk: &mut Walk<'_, '_>, what: ExprId, node: Node<'_>) -> ExprId {
    let ty = node.field("left").and_then(|left| left.field("right"));
    match ty {
        Some(ty) => {
            let ty = walk.read(ty);
            let types = walk.b.list(&[ty]);
            walk.b.expr(Expr::Generic(what, types))
        }
        None => what,
    }
}

pub(super) fn binary(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some((function, args)) = generic_call(node) {
        walk.take(function);
        let (what, name) = callee(walk, function);
        let what = compared_type(walk, what, node);
        let args = walk.arguments(Some(args));
        walk.call_site(what, args, name);
    }
}

pub(super) fn read_binary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    if let Some((function, args)) = generic_call(node) {
        let (what, _) = callee(walk, function);
        let what = compared_type(walk, what, node);
        return Expr::Call(what, walk.arguments(Some(args)));
    }
    let operator = node.field("operator").map(|o| o.kind());
    match operator {
        Some("?:") => Expr::Union(walk.read_all(node)),
        _ => walk.binary(node, "Boolean"),
    }
}

/// `a to b`.
fn infix_parts(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Option<(ExprId, List)> {
    let all: Vec<_> = children(node).collect();
    let [left, name, right] = all.as_slice() else {
        return None;
    };
    let of = walk.read(*left);
    let text = walk.b.text(*name);
    let id = callable(walk, text);
    let what = walk.b.expr(Expr::Member(of, id));
    let right = walk.read(*right);
    Some((what, walk.b.list(&[right])))
}

pub(super) fn infix(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some((what, args)) = infix_parts(walk, node)
        && let Some(name) = children(node).nth(1)
    {
        walk.call_site(what, args, name);
    }
}

pub(super) fn read_infix(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match infix_parts(walk, node) {
        Some((what, args)) => Expr::Call(what, args),
        None => Expr::Unknown,
    }
}
