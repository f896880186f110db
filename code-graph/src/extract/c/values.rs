//! Calls, creations and names of C and C++.

use super::super::table::{Walk, children};
use super::functions::{scope_text, take_all};
use super::is_keyword;
use crate::extract::field::Fields;
use crate::facts::{Expr, ExprId, SiteKind};
use tree_sitter::Node;

pub(super) fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(callee) = node.field("function") else {
        return;
    };
    take_all_names(walk, callee);
    if is_keyword(walk.b.text(callee)) {
        return;
    }
    let what = walk.read(callee);
    let args = walk.arguments(node.field("arguments"));
    if matches!(walk.b.expr_at(what), Expr::Unknown) {
        return;
    }
    let name = last_name(callee);
    walk.site(SiteKind::Call, what, name, args);
    if args.len > 0 {
        let call = walk.b.expr(Expr::Call(what, args));
        walk.expect(call, args);
    }
}

/// The last name of what is called.
fn last_name(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    for _ in 0..16 {
        let next = match node.kind() {
            "qualified_identifier" | "template_function" | "template_method" | "template_type" => {
                node.field("name")
            }
            "field_expression" => node.field("field"),
            "parenthesized_expression" => node.named_child(0),
            "pointer_expression" => node.field("argument"),
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

/// Marks the names of a callee that are no uses of their own.
fn take_all_names(walk: &mut Walk<'_, '_>, callee: Node<'_>) {
    walk.take(callee);
    match callee.kind() {
        "qualified_identifier" => take_all(walk, callee),
        "template_function" => {
            if let Some(name) = callee.field("name") {
                walk.take(name);
            }
        }
        _ => {}
    }
}

pub(super) fn creation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(ty) = node.field("type") else {
        return;
    };
    let ty = match ty.kind() {
        "type_descriptor" => ty.field("type").unwrap_or(ty),
        _ => ty,
    };
    if ty.kind() == "primitive_type" {
        return;
    }
    let args = walk.arguments(node.field("arguments"));
    walk.new_site(ty, args);
}

pub(super) fn initializer(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = node.field("value") {
        walk.value_if_name(value);
    }
}

pub(super) fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        walk.write(left);
    }
    if let Some(right) = node.field("right") {
        walk.value_if_name(right);
    }
}

/// `a::b::c` is one name; with type arguments in it, a member of what stands before.
pub(super) fn read_qualified(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut inner = node;
    while let Some(next) = inner
        .field("name")
        .filter(|next| next.kind() == "qualified_identifier")
    {
        inner = next;
    }
    let named = inner.field("name");
    let text = scope_text(walk, node);
    let name = walk.b.name(text.trim_start_matches("::"));
    if let Some(generic) =
        named.filter(|n| matches!(n.kind(), "template_type" | "template_function"))
        && let Some(args) = generic.field("arguments")
    {
        let base = walk.b.expr(Expr::Name(name));
        let args = walk.read_all(args);
        return Expr::Generic(base, args);
    }
    Expr::Name(name)
}

pub(super) fn read_primitive(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    Expr::Literal(walk.b.name_of(node))
}

/// A call; the casts of C++ give an instance of their type.
pub(super) fn read_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(callee) = node.field("function") else {
        return Expr::Unknown;
    };
    if callee.kind() == "template_function"
        && let (Some(name), Some(args)) = (callee.field("name"), callee.field("arguments"))
        && walk.b.text(name).ends_with("_cast")
        && let Some(ty) = children(args).next()
    {
        return Expr::Instance(walk.read(ty));
    }
    let what: ExprId = walk.read(callee);
    let args = walk.arguments(node.field("arguments"));
    Expr::Call(what, args)
}
