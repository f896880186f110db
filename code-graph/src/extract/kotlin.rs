//! Kotlin: declarations, uses and imports of one file.
//!
//! A function or method whose name begins with a small letter is bound, and called, as `name()`:
//! properties and functions have names of their own. Names with a capital letter are those of
//! classes, and of functions that look like their constructors.

mod blocks;
mod calls;
mod functions;
mod types;

use super::Builder;
use super::table::{Act, Grammar, Read, Walk, child_of_kind, children, walk};
use crate::extract::field::Fields;
use crate::extract::table::At::{Field, Last, Nth};
use crate::facts::{
    Binding, Bound, Expr, Flags, NameId, ScopeId, SiteKind, SymbolKind, Visibility,
};
use blocks::{catch, for_statement, if_expression, when, when_entry};
use calls::{
    binary, call, infix, navigation, read_binary, read_call, read_infix, read_navigation,
    read_reference, reference,
};
use functions::{accessor, body, closure, function, lambda, property};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};
use types::{
    alias, class, enum_entry, last_of, last_type_name, object_literal, read_object, read_type,
    secondary, super_call, type_use,
};

/// Collects the facts of a Kotlin file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &KOTLIN);
    // What a companion object has is had by its class as well.
    let facts = &mut b.facts;
    let mut more: Vec<Binding> = Vec::new();
    for symbol in &facts.symbols {
        let is_companion = symbol.flags.has(Flags::STATIC) && symbol.kind == SymbolKind::Class;
        let parent = symbol.parent.and_then(|id| facts.symbols.get(id.index()));
        let (Some(members), Some(outer)) = (symbol.members, parent.and_then(|p| p.members)) else {
            continue;
        };
        if is_companion {
            let own = facts.bindings.iter().filter(|b| b.scope == members);
            more.extend(own.map(|b| Binding { scope: outer, ..*b }));
        }
    }
    facts.bindings.extend(more);
}

static KOTLIN: Grammar = Grammar {
    walk: &[
        ("line_comment", Act::Comment),
        ("block_comment", Act::Comment),
        ("package_header", Act::Hook(package)),
        ("import", Act::Hook(import)),
        ("class_declaration", Act::Hook(class)),
        ("object_declaration", Act::Hook(class)),
        ("companion_object", Act::Hook(class)),
        ("object_literal", Act::Hook(object_literal)),
        ("enum_entry", Act::Hook(enum_entry)),
        ("constructor_invocation", Act::Hook(super_call)),
        ("constructor_delegation_call", Act::Hook(delegate)),
        ("secondary_constructor", Act::Hook(secondary)),
        ("anonymous_initializer", Act::Block),
        ("function_declaration", Act::Hook(function)),
        ("property_declaration", Act::Hook(property)),
        ("getter", Act::Hook(accessor)),
        ("setter", Act::Hook(accessor)),
        ("type_alias", Act::Hook(alias)),
        ("function_body", Act::Hook(body)),
        ("block", Act::Block),
        ("for_statement", Act::Hook(for_statement)),
        ("when_expression", Act::Hook(when)),
        ("when_entry", Act::Hook(when_entry)),
        ("if_expression", Act::Hook(if_expression)),
        ("catch_block", Act::Hook(catch)),
        ("lambda_literal", Act::Hook(lambda)),
        ("anonymous_function", Act::Closure),
        ("function_type", Act::Closure),
        ("call_expression", Act::Hook(call)),
        ("binary_expression", Act::Hook(binary)),
        ("infix_expression", Act::Hook(infix)),
        ("navigation_expression", Act::Hook(navigation)),
        ("callable_reference", Act::Hook(reference)),
        ("assignment", Act::Hook(assignment)),
        ("return_expression", Act::Return),
        ("value_argument", Act::Hook(argument)),
        ("user_type", Act::Hook(type_use)),
        ("annotation", Act::Hook(annotation)),
    ],
    read: &[
        ("identifier", Read::Name),
        ("qualified_identifier", Read::Segments),
        ("user_type", Read::Hook(read_type)),
        ("nullable_type", Read::Through(Nth(0))),
        ("parenthesized_type", Read::Through(Nth(0))),
        ("type_projection", Read::Through(Last)),
        ("function_type", Read::Closure),
        ("constructor_invocation", Read::Through(Nth(0))),
        ("explicit_delegation", Read::Through(Nth(0))),
        ("delegation_specifier", Read::Through(Nth(0))),
        ("this_expression", Read::Hook(this)),
        ("super_expression", Read::Super),
        ("navigation_expression", Read::Hook(read_navigation)),
        ("callable_reference", Read::Hook(read_reference)),
        ("call_expression", Read::Hook(read_call)),
        ("binary_expression", Read::Hook(read_binary)),
        ("infix_expression", Read::Hook(read_infix)),
        ("parenthesized_expression", Read::Through(Nth(0))),
        ("unary_expression", Read::Through(Field("argument"))),
        ("annotated_lambda", Read::Through(Last)),
        ("annotated_expression", Read::Through(Last)),
        ("spread_expression", Read::Through(Nth(0))),
        ("lambda_literal", Read::Closure),
        ("anonymous_function", Read::Closure),
        ("object_literal", Read::Hook(read_object)),
        ("as_expression", Read::Instance(Field("right"))),
        ("index_expression", Read::Index(Nth(0), Nth(1))),
        ("if_expression", Read::Hook(read_if)),
        ("when_expression", Read::Hook(read_when)),
        ("try_expression", Read::Hook(block_value)),
        ("block", Read::Hook(block_value)),
        ("value_argument", Read::Hook(read_argument)),
        ("string_literal", Read::Literal("String")),
        ("multiline_string_literal", Read::Literal("String")),
        ("number_literal", Read::Literal("Int")),
        ("float_literal", Read::Literal("Double")),
        ("character_literal", Read::Literal("Char")),
        ("is_expression", Read::Literal("Boolean")),
    ],
    closure,
    methods_apart: false,
    modifiers: &["modifiers"],
    plain_docs: false,
    annotations: &["annotation"],
    visibility: |_, _, _| Visibility::Public,
    operands: &[
        "binary_expression",
        "unary_expression",
        "parenthesized_expression",
        "index_expression",
        "if_expression",
        "when_entry",
        "when_subject",
        "while_statement",
        "do_while_statement",
        "for_statement",
        "range_expression",
        "in_expression",
        "is_expression",
        "spread_expression",
        "interpolation",
        "throw_expression",
    ],
    numbered: OnceLock::new(),
};

/// The name that a function is bound by.
fn callable(walk: &mut Walk<'_, '_>, text: &str) -> NameId {
    let text = text.trim_matches('`');
    match text.starts_with(char::is_uppercase) {
        true => walk.b.name(text),
        false => walk.apart(text),
    }
}

fn package(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let name = children(node).next();
    walk.b.facts.namespace = name.map(|name| walk.b.name_of(name));
    walk.skip();
}

fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let mut parts = children(node);
    let Some(path) = parts.next() else { return };
    let text = walk.b.text(path);
    if walk.b.text(node).trim_end().ends_with('*') {
        walk.import_of(path, text, None, None);
        return;
    }
    let (module, name) = text.rsplit_once('.').unwrap_or(("", text));
    let alias = parts.find(|part| part.kind() == "identifier");
    let local = alias.map_or(name, |alias| walk.b.text(alias));
    let at = children(path).last().unwrap_or(path);
    if name.starts_with(char::is_uppercase) {
        walk.import_of(at, module, Some(name), Some(local));
        return;
    }
    // A function or a property: it is known when it is resolved.
    let called = format!("{name}()");
    let id = walk.import_of(at, module, Some(&called), Some(local));
    let local = walk.apart(local);
    walk.b
        .bind(ScopeId::MODULE, local, at.start_byte(), Bound::Import(id));
}

/// Whether a declaration has a word before its name.
fn has_word(walk: &Walk<'_, '_>, node: Node<'_>, word: &str) -> bool {
    let words = child_of_kind(node, "modifiers");
    words.is_some_and(|words| children(words).any(|w| walk.b.text(w) == word))
}

/// `: this(…)`, `: super(…)`.
fn delegate(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let class = match walk.b.text(node).starts_with("super") {
        true => walk.b.expr(Expr::Super),
        false => walk.b.expr(Expr::This),
    };
    let args = walk.arguments(child_of_kind(node, "value_arguments"));
    walk.constructor_call(class, node, args);
}

fn this(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match child_of_kind(node, "identifier") {
        Some(label) if walk.b.text(label).starts_with(char::is_uppercase) => {
            let class = walk.read(label);
            Expr::Instance(class)
        }
        _ => Expr::This,
    }
}

fn read_if(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let condition = node.field("condition").map(|c| c.id());
    let branches: Vec<_> = children(node)
        .filter(|child| Some(child.id()) != condition)
        .map(|child| walk.read(child))
        .collect();
    Expr::Union(walk.b.list(&branches))
}

fn read_when(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut branches = Vec::new();
    for entry in children(node).filter(|child| child.kind() == "when_entry") {
        if let Some(last) = children(entry).last() {
            branches.push(walk.read(last));
        }
    }
    Expr::Union(walk.b.list(&branches))
}

/// The value of a block is that of its last expression. What is bound inside is not known here.
fn block_value(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let last = match node.kind() {
        "try_expression" => children(node).next(),
        _ => children(node).last(),
    };
    match last.filter(|last| last.kind() != "identifier") {
        Some(last) => {
            let last = walk.read(last);
            walk.b.expr_at(last)
        }
        None => Expr::Unknown,
    }
}

fn read_argument(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let parts: Vec<_> = children(node).collect();
    match parts.as_slice() {
        [name, value] if name.kind() == "identifier" => {
            let value = walk.read(*value);
            Expr::Keyword(walk.b.name_of(*name), value)
        }
        [.., value] => {
            let value = walk.read(*value);
            walk.b.expr_at(value)
        }
        [] => Expr::Unknown,
    }
}

fn argument(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = children(node).last() {
        walk.value_if_name(value);
    }
}

fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        walk.write_at(left, last_of(left));
    }
    if let Some(right) = node.field("right") {
        walk.value_if_name(right);
    }
}

fn annotation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(inner) = children(node).last() else {
        return;
    };
    let ty = match inner.kind() {
        "constructor_invocation" => children(inner).next(),
        _ => Some(inner),
    };
    if let Some(ty) = ty.filter(|ty| ty.kind() == "user_type") {
        let what = walk.read(ty);
        walk.take(ty);
        let args = walk.arguments(child_of_kind(inner, "value_arguments"));
        walk.site(SiteKind::Decorator, what, last_type_name(ty), args);
    }
}
