//! Names and values of Ruby.

use super::super::table::At::Field;
use super::super::table::Walk;
use super::calls::callee;
use crate::extract::field::Fields;
use crate::facts::{Expr, ExprId, List};
use tree_sitter::Node;

/// A bare word: a local, or what the method of that name gives.
pub(super) fn read_identifier(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let name = walk.b.name_of(node);
    match walk.is_local(name) {
        true => Expr::Name(name),
        false => {
            let method = walk.b.expr(Expr::Name(name));
            Expr::Call(method, List::default())
        }
    }
}

/// `A::B` is one name.
pub(super) fn read_path(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let text: String = walk.b.text(node).split_whitespace().collect();
    let is_constant = text
        .split("::")
        .all(|part| part.is_empty() || part.starts_with(char::is_uppercase));
    match is_constant {
        true => Expr::Name(walk.b.name(&text)),
        false => {
            let object = walk.read_at(node, Field("scope"));
            match node.field("name") {
                Some(name) => Expr::Member(object, walk.b.name_of(name)),
                None => Expr::Unknown,
            }
        }
    }
}

/// `@x` is a member of the receiver.
pub(super) fn read_variable(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let this = walk.b.expr(Expr::This);
    Expr::Member(this, walk.b.name_of(node))
}

/// The class that `new` makes an instance of: what it is called on, else the class around.
pub(super) fn made(walk: &mut Walk<'_, '_>, receiver: Option<Node<'_>>) -> ExprId {
    match receiver {
        Some(receiver) if receiver.kind() != "self" => walk.read(receiver),
        _ => walk.b.expr(Expr::SelfType),
    }
}

pub(super) fn read_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let args = node.field("arguments");
    let name = node.field("method").map_or("", |name| walk.b.text(name));
    let receiver = node.field("receiver");
    if name == "new" && (receiver.is_some() || walk.class().is_some()) {
        let class = made(walk, receiver);
        let args = walk.arguments(args);
        return Expr::New(class, args);
    }
    let Some((what, _)) = callee(walk, node) else {
        return Expr::Unknown;
    };
    let what = walk.b.expr(what);
    let args = walk.arguments(args);
    Expr::Call(what, args)
}

/// `a || b` and `a ||= b` are either.
pub(super) fn read_binary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let operator = node
        .field("operator")
        .map_or("", |operator| walk.b.text(operator));
    let left = walk.read_at(node, Field("left"));
    let right = walk.read_at(node, Field("right"));
    match operator {
        "||" | "or" => Expr::Union(walk.b.list(&[left, right])),
        "&&" | "and" => walk.b.expr_at(right),
        "<<" | "+" | "-" | "*" | "/" | "%" => {
            let name = walk.b.name(operator);
            Expr::Operator(name, left)
        }
        _ => Expr::Unknown,
    }
}
