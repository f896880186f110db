//! Scala: declarations, uses and imports of one file.
//!
//! What a companion object has is bound among the members of its class, so that `C` is one name.
//! A `def` without parameter lists is read like a field.

mod calls;
mod functions;
mod types;

use super::Builder;
use super::table::{Act, Grammar, Read, Walk, child_of_kind, children, walk};
use crate::extract::field::Fields;
use crate::extract::table::At::{Field, Kind, Last, Nth};
use crate::facts::{Binding, Bound, Expr, Flags, SymbolId, Visibility};
use calls::{
    call, callee_name, creation, generic_function, infix, read_call, read_creation, read_infix,
};
use functions::{case, closure, enumerator, function, lambda, variable};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};
use types::{alias, class, enum_case, extension};

/// Collects the facts of a Scala file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &SCALA);
    companions(b);
}

/// Gives the members of an object to the class beside it that has its name.
fn companions(b: &mut Builder<'_>) {
    let facts = &mut b.facts;
    let mut more: Vec<Binding> = Vec::new();
    let mut gone: Vec<SymbolId> = Vec::new();
    let is_object =
        |symbol: &crate::facts::Symbol| symbol.flags.has(Flags::STATIC) && symbol.kind.is_type();
    for (at, object) in facts.symbols.iter().enumerate() {
        if !is_object(object) {
            continue;
        }
        let class = facts.symbols.iter().find(|class| {
            class.name == object.name
                && class.scope == object.scope
                && class.kind.is_type()
                && !is_object(class)
        });
        let (Some(from), Some(to)) = (object.members, class.and_then(|class| class.members)) else {
            continue;
        };
        let own = facts.bindings.iter().filter(|b| b.scope == from);
        more.extend(own.map(|b| Binding { scope: to, ..*b }));
        gone.push(SymbolId(at as u32));
    }
    facts.bindings.retain(|binding| match binding.bound {
        Bound::Symbol(id) => !gone.contains(&id),
        _ => true,
    });
    facts.bindings.extend(more);
}

static SCALA: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("block_comment", Act::Comment),
        ("package_clause", Act::Hook(package)),
        ("import_declaration", Act::Hook(import)),
        ("class_definition", Act::Hook(class)),
        ("object_definition", Act::Hook(class)),
        ("package_object", Act::Hook(class)),
        ("trait_definition", Act::Hook(class)),
        ("enum_definition", Act::Hook(class)),
        ("simple_enum_case", Act::Hook(enum_case)),
        ("full_enum_case", Act::Hook(enum_case)),
        ("extension_definition", Act::Hook(extension)),
        ("function_definition", Act::Hook(function)),
        ("function_declaration", Act::Hook(function)),
        ("val_definition", Act::Hook(variable)),
        ("var_definition", Act::Hook(variable)),
        ("val_declaration", Act::Hook(variable)),
        ("var_declaration", Act::Hook(variable)),
        ("type_definition", Act::Hook(alias)),
        ("block", Act::Block),
        ("indented_block", Act::Block),
        ("case_clause", Act::Hook(case)),
        ("for_expression", Act::Block),
        ("enumerator", Act::Hook(enumerator)),
        ("lambda_expression", Act::Hook(lambda)),
        ("call_expression", Act::Hook(call)),
        ("infix_expression", Act::Hook(infix)),
        ("instance_expression", Act::Hook(creation)),
        ("field_expression", Act::Hook(field)),
        ("assignment_expression", Act::Hook(assignment)),
        ("arguments", Act::Values),
        ("tuple_expression", Act::Values),
        ("return_expression", Act::Return),
        ("type_identifier", Act::Type),
        ("stable_type_identifier", Act::Type),
        ("annotation", Act::Hook(annotation)),
    ],
    read: &[
        ("identifier", Read::Hook(identifier)),
        ("type_identifier", Read::Name),
        ("package_identifier", Read::Segments),
        ("stable_type_identifier", Read::Member(Nth(0), Last)),
        ("stable_identifier", Read::Member(Nth(0), Last)),
        (
            "generic_type",
            Read::Generic(Field("type"), Field("type_arguments")),
        ),
        ("compound_type", Read::Through(Field("base"))),
        ("applied_constructor_type", Read::Through(Nth(0))),
        ("annotated_type", Read::Through(Nth(0))),
        (
            "projected_type",
            Read::Member(Field("type"), Field("selector")),
        ),
        ("repeated_parameter_type", Read::Through(Field("type"))),
        ("lazy_parameter_type", Read::Through(Field("type"))),
        ("upper_bound", Read::Through(Field("type"))),
        ("singleton_type", Read::Through(Nth(0))),
        ("tuple_type", Read::Tuple),
        ("tuple_expression", Read::Tuple),
        ("function_type", Read::Closure),
        ("lambda_expression", Read::Closure),
        ("field_expression", Read::Hook(read_field)),
        ("generic_function", Read::Hook(generic_function)),
        ("call_expression", Read::Hook(read_call)),
        ("infix_expression", Read::Hook(read_infix)),
        ("prefix_expression", Read::Through(Nth(0))),
        ("instance_expression", Read::Hook(read_creation)),
        ("parenthesized_expression", Read::Through(Nth(0))),
        (
            "if_expression",
            Read::Either(Field("consequence"), Field("alternative")),
        ),
        ("assignment_expression", Read::Hook(read_assignment)),
        ("block", Read::Hook(block_value)),
        ("string", Read::Literal("String")),
        ("interpolated_string_expression", Read::Literal("String")),
        ("integer_literal", Read::Literal("Int")),
        ("floating_point_literal", Read::Literal("Double")),
        ("boolean_literal", Read::Literal("Boolean")),
        ("character_literal", Read::Literal("Char")),
    ],
    closure,
    methods_apart: false,
    modifiers: &["modifiers"],
    plain_docs: false,
    annotations: &["annotation"],
    visibility: |_, _, _| Visibility::Public,
    operands: &[
        "infix_expression",
        "prefix_expression",
        "parenthesized_expression",
        "if_expression",
        "while_expression",
        "match_expression",
        "enumerator",
        "interpolation",
        "return_expression",
        "throw_expression",
    ],
    numbered: OnceLock::new(),
};

fn identifier(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match walk.b.text(node) {
        "this" => Expr::This,
        "super" => Expr::Super,
        text => Expr::Name(walk.b.name(text.trim_matches('`'))),
    }
}

/// `package a.b`, and a second clause that goes on from the first.
fn package(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let text: String = walk.b.text(name).split_whitespace().collect();
    let full = match walk.b.facts.namespace {
        Some(outer) => format!("{}.{text}", walk.b.named(outer)),
        None => text,
    };
    walk.b.facts.namespace = Some(walk.b.name(&full));
}

/// `import a.b.C`, `import a.b._`, `import a.b.{C, D => E}`.
fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let mut cursor = node.walk();
    let path: Vec<_> = node
        .children_by_field_name("path", &mut cursor)
        .filter(Node::is_named)
        .collect();
    let texts: Vec<&str> = path.iter().map(|part| walk.b.text(*part)).collect();
    let Some(last) = path.last().copied() else {
        return;
    };
    let selectors = child_of_kind(node, "namespace_selectors");
    if child_of_kind(node, "namespace_wildcard").is_some() {
        walk.import_of(last, &texts.join("."), None, None);
        return;
    }
    let Some(selectors) = selectors else {
        if let Some((name, module)) = texts.split_last() {
            walk.import_of(last, &module.join("."), Some(name), Some(name));
        }
        return;
    };
    let module = texts.join(".");
    for selector in children(selectors) {
        match selector.kind() {
            "namespace_wildcard" => {
                walk.import_of(selector, &module, None, None);
            }
            "arrow_renamed_identifier" | "as_renamed_identifier" => {
                let name = selector.field("name");
                let alias = selector.field("alias");
                if let (Some(name), Some(alias)) = (name, alias) {
                    let (name, alias) = (walk.b.text(name), walk.b.text(alias));
                    if alias != "_" {
                        walk.import_of(selector, &module, Some(name), Some(alias));
                    }
                }
            }
            _ => {
                let name = walk.b.text(selector);
                walk.import_of(selector, &module, Some(name), Some(name));
            }
        }
    }
}

fn field(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(object) = node.field("value") {
        walk.value_if_bare(object);
    }
    walk.value_at(node, node.field("field"));
}

/// `a.b`, and `C.this`.
fn read_field(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(name) = node.field("field") else {
        return Expr::Unknown;
    };
    let of = walk.read_at(node, Field("value"));
    match walk.b.text(name) {
        "this" => Expr::Instance(of),
        _ => Expr::Member(of, walk.b.name_of(name)),
    }
}

fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(right) = node.field("right") {
        walk.value_if_bare(right);
    }
    // A named argument is no assignment.
    if node
        .parent()
        .is_some_and(|parent| parent.kind() == "arguments")
    {
        return;
    }
    if let Some(left) = node.field("left") {
        walk.write_at(left, callee_name(left));
    }
}

fn read_assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let value = walk.read_at(node, Field("right"));
    match node.field("left") {
        Some(name) if name.kind() == "identifier" => Expr::Keyword(walk.b.name_of(name), value),
        _ => walk.b.expr_at(value),
    }
}

fn block_value(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match children(node).last() {
        Some(last) if last.kind() != "identifier" => {
            let last = walk.read(last);
            walk.b.expr_at(last)
        }
        _ => Expr::Unknown,
    }
}

fn annotation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        walk.annotation(name, Kind("arguments").of(node));
    }
}
