//! Calls and creations of Scala.

use super::super::table::At::Field;
use super::super::table::{Walk, child_of_kind, children};
use crate::extract::field::Fields;
use crate::facts::{BaseKind, Expr, ExprId, List};
use tree_sitter::Node;

/// `f[T]` as what is called.
pub(super) fn generic_function(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let function = walk.read_at(node, Field("function"));
    let Some(types) = node.field("type_arguments") else {
        return walk.b.expr_at(function);
    };
    let types = walk.read_all(types);
    if let Expr::Member(_, name) = walk.b.expr_at(function)
        && walk.b.named(name) == "asInstanceOf"
        && let [ty] = walk.b.operands(types)
    {
        return Expr::Instance(*ty);
    }
    Expr::Generic(function, types)
}

/// The node of the last name of a callee.
pub(super) fn callee_name(node: Node<'_>) -> Node<'_> {
    let node = match node.kind() {
        "generic_function" => node.field("function").unwrap_or(node),
        _ => node,
    };
    match node.kind() {
        "field_expression" => node.field("field").unwrap_or(node),
        _ => node,
    }
}

/// The arguments of a call: a list, or a block with a closure.
pub(super) fn arguments(walk: &mut Walk<'_, '_>, args: Option<Node<'_>>) -> List {
    match args {
        Some(args) if args.kind() == "arguments" => walk.arguments(Some(args)),
        Some(args) if args.kind() == "block" => {
            let closure = child_of_kind(args, "lambda_expression");
            let value = closure.or_else(|| children(args).last());
            match value {
                Some(value) => {
                    let value = walk.read(value);
                    walk.b.list(&[value])
                }
                None => List::default(),
            }
        }
        _ => List::default(),
    }
}

pub(super) fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(function) = node.field("function") else {
        return;
    };
    // A further list of arguments of the same call.
    if function.kind() == "call_expression" {
        return;
    }
    walk.take(function);
    if let Some(inner) = function
        .field("function")
        .filter(|_| function.kind() == "generic_function")
    {
        walk.take(inner);
    }
    let args = arguments(walk, node.field("arguments"));
    if matches!(walk.b.text(function), "this" | "super") {
        let class = walk.read(function);
        walk.constructor_call(class, function, args);
        return;
    }
    let what = walk.read(function);
    walk.call_site(what, args, callee_name(function));
}

pub(super) fn read_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(function) = node.field("function") else {
        return Expr::Unknown;
    };
    if function.kind() == "call_expression" {
        let inner = walk.read(function);
        return walk.b.expr_at(inner);
    }
    let args = arguments(walk, node.field("arguments"));
    Expr::Call(walk.read(function), args)
}

/// `a op b`.
fn infix_parts<'n>(walk: &mut Walk<'_, '_>, node: Node<'n>) -> Option<(ExprId, List, Node<'n>)> {
    let left = node.field("left")?;
    let operator = node.field("operator")?;
    let right = node.field("right")?;
    let of = walk.read(left);
    let name = walk.b.name_of(operator);
    let what = walk.b.expr(Expr::Member(of, name));
    let right = walk.read(right);
    Some((what, walk.b.list(&[right]), operator))
}

pub(super) fn infix(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.values(node);
    let Some((what, args, operator)) = infix_parts(walk, node) else {
        return;
    };
    walk.take(operator);
    if !matches!(
        walk.b.text(operator),
        "==" | "!=" | "&&" | "||" | "<" | ">" | "<=" | ">=" | "eq" | "ne" | "+=" | "-="
    ) {
        walk.call_site(what, args, operator);
    }
}

pub(super) fn read_infix(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match infix_parts(walk, node) {
        Some((_, _, operator))
            if matches!(
                walk.b.text(operator),
                "==" | "!=" | "&&" | "||" | "<" | ">" | "<=" | ">=" | "eq" | "ne"
            ) =>
        {
            Expr::Literal(walk.b.name("Boolean"))
        }
        Some((what, args, _)) => Expr::Call(what, args),
        None => Expr::Unknown,
    }
}

/// The node of the class in `new T`.
fn class_of<'n>(node: Node<'n>) -> Option<Node<'n>> {
    children(node).find(|child| !matches!(child.kind(), "arguments" | "template_body"))
}

/// The node of the class itself, and that of its arguments.
fn made<'n>(node: Node<'n>) -> Option<(Node<'n>, Option<Node<'n>>)> {
    let class = class_of(node)?;
    let base = match class.kind() {
        "compound_type" => class.field("base")?,
        _ => class,
    };
    Some(match base.kind() {
        "applied_constructor_type" => (children(base).next()?, child_of_kind(base, "arguments")),
        _ => (base, child_of_kind(node, "arguments")),
    })
}

pub(super) fn creation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some((base, args)) = made(node) else {
        return;
    };
    let args = walk.arguments(args);
    let what = walk.read(base);
    walk.made(what, base, args);
    let Some(body) = child_of_kind(node, "template_body") else {
        return;
    };
    let scope = walk.scope();
    let id = walk.anonymous(node, base, Some(body), BaseKind::Extends);
    if let Some(class) = class_of(node) {
        let mut cursor = class.walk();
        let extra: Vec<_> = class.children_by_field_name("extra", &mut cursor).collect();
        for ty in extra {
            walk.base(id, BaseKind::MixesIn, ty, scope);
        }
    }
}

pub(super) fn read_creation(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some((class, args)) = made(node) else {
        return Expr::Unknown;
    };
    let class = walk.read(class);
    Expr::New(class, walk.arguments(args))
}
