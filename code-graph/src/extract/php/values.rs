//! Calls, creations and other values of PHP.

use super::super::table::At::{Field, Last, Nth};
use super::super::table::{Declared, Walk, child_of_kind, children};
use crate::extract::field::Fields;
use crate::facts::{Expr, ExprId, List, SiteKind, SymbolKind};
use tree_sitter::Node;

pub(super) fn variable(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match walk.b.text(node) {
        "$this" => Expr::This,
        name => Expr::Name(walk.b.name(name)),
    }
}

pub(super) fn relative(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match walk.b.text(node) {
        "parent" => Expr::Super,
        _ => Expr::SelfType,
    }
}

pub(super) fn read_named(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match walk.b.text(node) {
        "self" | "static" => Expr::SelfType,
        "parent" => Expr::Super,
        _ => {
            let name = walk.read_at(node, Nth(0));
            walk.b.expr_at(name)
        }
    }
}

pub(super) fn primitive(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    Expr::Literal(walk.b.name_of(node))
}

/// `$o->p`: the property is bound with its `$`.
pub(super) fn property(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(name) = node.field("name") else {
        return Expr::Unknown;
    };
    let object = walk.read_at(node, Field("object"));
    if name.kind() != "name" {
        return Expr::Unknown;
    }
    let bound = format!("${}", walk.b.text(name));
    Expr::Member(object, walk.b.name(&bound))
}

pub(super) fn argument(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let value = walk.read_at(node, Last);
    match node.field("name") {
        Some(name) => Expr::Keyword(walk.b.name_of(name), value),
        None => walk.b.expr_at(value),
    }
}

pub(super) fn function_call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let args = node.field("arguments");
    let Some(callee) = node.field("function") else {
        return;
    };
    if walk.b.text(callee) == "define" {
        define(walk, node, args);
    }
    walk.call_of(Some(callee), args);
}

/// `define('X', …)`.
fn define(walk: &mut Walk<'_, '_>, node: Node<'_>, args: Option<Node<'_>>) {
    let Some(text) = args
        .and_then(|args| children(args).next())
        .and_then(|arg| children(arg).next())
        .and_then(|text| child_of_kind(text, "string_content"))
    else {
        return;
    };
    if walk.function().is_none() {
        let declared = Declared {
            node,
            kind: SymbolKind::Constant,
            name: text,
            body: None,
        };
        walk.declare(&declared);
    }
}

/// `$o->m(…)`, `A::m(…)`, `parent::__construct(…)`.
pub(super) fn member_call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let object = node.field("object").or_else(|| node.field("scope"));
    let Some(object) = object else { return };
    if object.kind() == "name" || object.kind() == "qualified_name" {
        walk.class_use(object);
    }
    let of = walk.read(object);
    let id = walk.b.name_of(name);
    let what = walk.b.expr(Expr::Member(of, id));
    let args = walk.arguments(node.field("arguments"));
    walk.call_site(what, args, name);
}

/// The node of the class in `new T`.
fn class_of<'n>(node: Node<'n>) -> Option<Node<'n>> {
    children(node).find(|child| child.kind() != "arguments")
}

pub(super) fn creation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(class) = class_of(node) else { return };
    if class.kind() == "anonymous_class" {
        return;
    }
    let what = new_class(walk, class);
    let args = child_of_kind(node, "arguments");
    let args = walk.arguments(args);
    walk.site(SiteKind::New, what, class, args);
    walk.take(class);
}

/// The class that `new` names.
fn new_class(walk: &mut Walk<'_, '_>, class: Node<'_>) -> ExprId {
    match walk.b.text(class) {
        "self" | "static" => walk.b.expr(Expr::SelfType),
        "parent" => walk.b.expr(Expr::Super),
        _ if matches!(class.kind(), "name" | "qualified_name" | "relative_name") => {
            walk.read(class)
        }
        _ => walk.b.expr(Expr::Unknown),
    }
}

pub(super) fn read_creation(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(class) = class_of(node) else {
        return Expr::Unknown;
    };
    if class.kind() == "anonymous_class" {
        let base = child_of_kind(class, "base_clause").and_then(|clause| children(clause).next());
        return match base {
            Some(base) => Expr::New(walk.read(base), List::default()),
            None => Expr::Unknown,
        };
    }
    let what = new_class(walk, class);
    let args = child_of_kind(node, "arguments");
    Expr::New(what, walk.arguments(args))
}

/// `A::C`, `A::class`.
pub(super) fn class_constant(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(class) = children(node).next() else {
        return;
    };
    if children(node)
        .last()
        .is_some_and(|name| walk.b.text(name) == "class")
    {
        walk.class_use(class);
        walk.take(node);
        return;
    }
    walk.value(node);
}
