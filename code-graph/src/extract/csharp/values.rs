//! Calls, creations and other values of C#.

use super::super::table::At::Field;
use super::super::table::{Walk, child_of_kind, children};
use super::arguments_of_type;
use crate::extract::field::Fields;
use crate::facts::{Expr, ExprId, List, SiteKind};
use tree_sitter::Node;

/// The callee, with the type arguments that it is written with.
fn callee(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let what = walk.read(node);
    let name = node.field("name");
    let args = name
        .filter(|name| name.kind() == "generic_name")
        .and_then(|name| child_of_kind(name, "type_argument_list"));
    match args {
        Some(args) => Expr::Generic(what, walk.read_all(args)),
        None => walk.b.expr_at(what),
    }
}

pub(super) fn invocation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(function) = node.field("function") else {
        return;
    };
    walk.take(function);
    if function.kind() == "conditional_access_expression"
        && let Some(inner) = children(function).last()
    {
        walk.take(inner);
    }
    let what = callee(walk, function);
    let what = walk.b.expr(what);
    let args = walk.arguments(node.field("arguments"));
    walk.call_site(what, args, function);
}

pub(super) fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let args = node.field("arguments");
    let Some(function) = node.field("function") else {
        return Expr::Unknown;
    };
    let what = callee(walk, function);
    let what = walk.b.expr(what);
    Expr::Call(what, walk.arguments(args))
}

/// `a?.b`: the second part is read with `a` as what it belongs to.
pub(super) fn read_conditional_access(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let parts: Vec<_> = children(node).collect();
    let [object, rest] = parts.as_slice() else {
        return Expr::Unknown;
    };
    let object = walk.read(*object);
    let inner = walk.with_receiver(object, |walk| walk.read(*rest));
    walk.b.expr_at(inner)
}

pub(super) fn conditional_access(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(object) = children(node).next() {
        let object = walk.read(object);
        walk.value(node);
        walk.enter_receiver(object);
    }
}

pub(super) fn member_binding(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let receiver = walk.receiver();
    match node.field("name") {
        Some(name) => {
            let name = match name.kind() {
                "generic_name" => children(name).next().unwrap_or(name),
                _ => name,
            };
            Expr::Member(receiver, walk.b.name_of(name))
        }
        None => Expr::Unknown,
    }
}

pub(super) fn creation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.new_of(node);
    if let Some(ty) = node.field("type")
        && ty.kind() == "generic_name"
        && let Some(args) = child_of_kind(ty, "type_argument_list")
    {
        arguments_of_type(walk, args);
    }
}

/// `{ A = x }` after `new T`: `A` is a member of `T`.
pub(super) fn initializer(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.values(node);
    let class = node
        .parent()
        .filter(|parent| parent.kind() == "object_creation_expression")
        .and_then(|parent| parent.field("type"));
    for child in children(node) {
        let Some(left) = child
            .field("left")
            .filter(|left| child.kind() == "assignment_expression" && left.kind() == "identifier")
        else {
            continue;
        };
        walk.take(left);
        if let Some(class) = class {
            let class = walk.read(class);
            let object = walk.b.expr(Expr::Instance(class));
            let name = walk.b.name_of(left);
            let what = walk.b.expr(Expr::Member(object, name));
            walk.site(SiteKind::Write, what, left, List::default());
        }
    }
}

pub(super) fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(right) = node.field("right") {
        walk.value_if_name(right);
    }
    if let Some(left) = node.field("left")
        && !walk.is_taken(left)
    {
        walk.write(left);
    }
}

pub(super) fn yields(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.values(node);
}

pub(super) fn qualified(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let qualifier = walk.read_at(node, Field("qualifier"));
    let Some(name) = node.field("name") else {
        return Expr::Unknown;
    };
    match name.kind() {
        "generic_name" => {
            let base = children(name).next().unwrap_or(name);
            let base = walk.b.name_of(base);
            let base = walk.b.expr(Expr::Member(qualifier, base));
            match child_of_kind(name, "type_argument_list") {
                Some(args) => Expr::Generic(base, walk.read_all(args)),
                None => walk.b.expr_at(base),
            }
        }
        _ => Expr::Member(qualifier, walk.b.name_of(name)),
    }
}

pub(super) fn array_type(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let element = walk.read_at(node, Field("type"));
    Expr::Array(walk.b.list(&[element]))
}

pub(super) fn predefined(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    Expr::Literal(walk.b.name_of(node))
}

pub(super) fn switch(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut all: Vec<ExprId> = Vec::new();
    for arm in children(node).filter(|child| child.kind() == "switch_expression_arm") {
        if let Some(value) = children(arm).last() {
            all.push(walk.read(value));
        }
    }
    Expr::Union(walk.b.list(&all))
}
