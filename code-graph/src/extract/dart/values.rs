//! Values of Dart: cascades, creations, assignments.

use super::super::table::At::Last;
use super::super::table::{Walk, child_of_kind, children};
use super::types::names;
use crate::extract::field::Fields;
use crate::facts::{Expr, List, SiteKind};
use tree_sitter::Node;

/// `new T()`, `const T()`, `new T.named()`.
pub(super) fn creation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(ty) = node.field("type") else {
        return;
    };
    let args = node.field("arguments");
    let args = walk.arguments(args);
    match names(ty).len() {
        1 => walk.new_site(ty, args),
        _ => {
            let what = walk.read(ty);
            walk.take(ty);
            let last = names(ty).pop().unwrap_or(ty);
            walk.call_site(what, args, last);
        }
    }
}

pub(super) fn read_creation(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(ty) = node.field("type") else {
        return Expr::Unknown;
    };
    let class = walk.read(ty);
    let args = walk.arguments(node.field("arguments"));
    match names(ty).len() {
        1 => Expr::New(class, args),
        _ => Expr::Call(class, args),
    }
}

pub(super) fn list_literal(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    if let Some(args) = child_of_kind(node, "type_arguments") {
        let list = walk.read_all(args);
        let array = walk.b.expr(Expr::Array(list));
        return Expr::Instance(array);
    }
    Expr::Array(walk.read_all(node))
}

pub(super) fn cascade(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(target) = children(node).next() {
        let target = walk.read(target);
        walk.enter_receiver(target);
    }
}

pub(super) fn cascade_selector(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let receiver = walk.receiver();
    match child_of_kind(node, "identifier") {
        Some(name) => Expr::Member(receiver, walk.b.name_of(name)),
        None => Expr::Unknown,
    }
}

/// The callee of a call in a cascade, and its last name.
fn cascade_callee<'n>(
    walk: &mut Walk<'_, '_>,
    node: Node<'n>,
) -> Option<(crate::facts::ExprId, Node<'n>)> {
    if let Some(function) = node.field("function") {
        walk.take(function);
        return Some((walk.read(function), function));
    }
    let name = node.field("property")?;
    let receiver = walk.receiver();
    let id = walk.b.name_of(name);
    Some((walk.b.expr(Expr::Member(receiver, id)), name))
}

pub(super) fn cascade_call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let args = node.field("arguments");
    if let Some((what, name)) = cascade_callee(walk, node) {
        let args = walk.arguments(args);
        walk.call_site(what, args, name);
    }
}

pub(super) fn read_cascade_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let args = node.field("arguments");
    match cascade_callee(walk, node) {
        Some((what, _)) => Expr::Call(what, walk.arguments(args)),
        None => Expr::Unknown,
    }
}

pub(super) fn read_named(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let label = child_of_kind(node, "label").and_then(|label| children(label).next());
    let value = walk.read_at(node, Last);
    match label {
        Some(label) => Expr::Keyword(walk.b.name_of(label), value),
        None => Expr::Unknown,
    }
}

pub(super) fn named_argument(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = children(node).last() {
        walk.value_if_name(value);
    }
}

pub(super) fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        let object = left.field("object");
        let name = left
            .field("property")
            .or_else(|| child_of_kind(left, "identifier"));
        if let Some(name) = name {
            let id = walk.b.name_of(name);
            let what = match object {
                Some(object) => {
                    let object = walk.read(object);
                    walk.b.expr(Expr::Member(object, id))
                }
                None => walk.b.expr(Expr::Name(id)),
            };
            if object.is_some() || !walk.is_local(id) {
                walk.site(SiteKind::Write, what, name, List::default());
            }
        }
    }
    if let Some(right) = node.field("right") {
        walk.value_if_name(right);
    }
}
