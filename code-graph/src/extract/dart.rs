//! Dart: declarations, uses and imports of one file.

mod functions;
mod types;
mod values;

use super::Builder;
use super::table::{Act, Grammar, Read, Walk, child_of_kind, children, walk};
use crate::extract::field::Fields;
use crate::extract::table::At::{Field, Nth};
use crate::facts::{Base, BaseKind, Bound, Expr, Manifest, SiteKind, SymbolKind, Visibility};
use functions::{body, closure, fields, function, member};
use hashbrown::HashSet;
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};
use types::{
    alias, cast, class, enum_entry, extension, import, library, part, part_of, read_type, type_use,
};
use values::{
    assignment, cascade, cascade_call, cascade_selector, creation, list_literal, named_argument,
    read_cascade_call, read_creation, read_named,
};

/// Collects the facts of a Dart file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &DART);
    // The last mixin comes first, then what is extended.
    let order = |base: &Base| match base.kind {
        BaseKind::MixesIn => (base.class, 0, u32::MAX - base.at),
        _ => (base.class, 1, base.at),
    };
    b.facts.bases.sort_by_key(order);
    // A name that has both a getter and a setter stands for the getter.
    let facts = &mut b.facts;
    let kind = |bound: Bound| match bound {
        Bound::Symbol(id) => facts.symbols.get(id.index()).map(|symbol| symbol.kind),
        _ => None,
    };
    let read: HashSet<_> = facts
        .bindings
        .iter()
        .filter(|binding| kind(binding.bound) == Some(SymbolKind::Getter))
        .map(|binding| (binding.scope, binding.name))
        .collect();
    let keep: Vec<bool> = facts
        .bindings
        .iter()
        .map(|binding| {
            kind(binding.bound) != Some(SymbolKind::Setter)
                || !read.contains(&(binding.scope, binding.name))
        })
        .collect();
    let mut keep = keep.into_iter();
    facts.bindings.retain(|_| keep.next().unwrap_or(true));
}

static DART: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("documentation_comment", Act::Comment),
        ("library_name", Act::Hook(library)),
        ("library_import", Act::Hook(import)),
        ("library_export", Act::Hook(import)),
        ("part_directive", Act::Hook(part)),
        ("part_of_directive", Act::Hook(part_of)),
        ("class_declaration", Act::Hook(class)),
        ("mixin_declaration", Act::Hook(class)),
        ("enum_declaration", Act::Hook(class)),
        ("extension_declaration", Act::Hook(extension)),
        ("extension_type_declaration", Act::Hook(class)),
        ("enum_entry", Act::Hook(enum_entry)),
        ("member_declaration", Act::Hook(member)),
        ("type_alias", Act::Hook(alias)),
        ("function_declaration", Act::Hook(function)),
        ("getter_declaration", Act::Hook(function)),
        ("setter_declaration", Act::Hook(function)),
        ("external_function_declaration", Act::Hook(function)),
        ("local_function_declaration", Act::Hook(function)),
        ("top_level_variable_declaration", Act::Hook(fields)),
        ("initialized_variable_declaration", Act::Hook(locals)),
        ("pattern_variable_declaration", Act::Hook(pattern_variables)),
        ("variable_pattern", Act::Hook(variable_pattern)),
        ("function_expression", Act::Closure),
        ("function_type", Act::Closure),
        ("function_body", Act::Hook(body)),
        ("function_expression_body", Act::Hook(body)),
        ("field_initializer", Act::Hook(field_initializer)),
        ("initializer_list_entry", Act::Hook(initializer)),
        ("redirection", Act::Hook(redirection)),
        ("block", Act::Block),
        ("for_statement", Act::Hook(for_statement)),
        ("for_element", Act::Hook(for_statement)),
        ("switch_statement_case", Act::Block),
        ("switch_expression_case", Act::Block),
        ("try_statement", Act::Hook(try_statement)),
        ("if_statement", Act::Hook(if_statement)),
        ("conditional_expression", Act::Hook(conditional)),
        (
            "call_expression",
            Act::CallOf(Field("function"), Field("arguments")),
        ),
        ("new_expression", Act::Hook(creation)),
        ("const_object_expression", Act::Hook(creation)),
        ("cascade", Act::Hook(cascade)),
        ("cascade_call_expression", Act::Hook(cascade_call)),
        ("cascade_selector", Act::Member),
        ("cascade_member_expression", Act::Member),
        ("cascade_null_aware_member_expression", Act::Member),
        ("member_expression", Act::Member),
        ("null_aware_member_expression", Act::Member),
        ("assignment_expression", Act::Hook(assignment)),
        ("return_statement", Act::Return),
        ("arguments", Act::Values),
        ("named_argument", Act::Hook(named_argument)),
        ("list_literal", Act::Values),
        ("map_element", Act::Values),
        ("set_or_map_literal", Act::Values),
        ("type", Act::Hook(type_use)),
        ("annotation", Act::Hook(annotation)),
    ],
    read: &[
        ("identifier", Read::Name),
        ("type_identifier", Read::Name),
        ("identifier_dollar_escaped", Read::Name),
        ("'this", Read::This),
        ("'super", Read::Super),
        ("type", Read::Hook(read_type)),
        ("extension_type_name", Read::Through(Nth(0))),
        ("void_type", Read::Literal("void")),
        ("function_type", Read::Closure),
        ("function_expression", Read::Closure),
        ("record_type", Read::Tuple),
        ("record_type_field", Read::Through(Field("type"))),
        ("record_literal", Read::Tuple),
        (
            "member_expression",
            Read::Member(Field("object"), Field("property")),
        ),
        (
            "null_aware_member_expression",
            Read::Member(Field("object"), Field("property")),
        ),
        (
            "cascade_member_expression",
            Read::Member(Field("object"), Field("property")),
        ),
        (
            "cascade_null_aware_member_expression",
            Read::Member(Field("object"), Field("property")),
        ),
        ("cascade_selector", Read::Hook(cascade_selector)),
        ("cascade_call_expression", Read::Hook(read_cascade_call)),
        ("cascade", Read::Through(Nth(0))),
        (
            "call_expression",
            Read::Call(Field("function"), Field("arguments")),
        ),
        ("new_expression", Read::Hook(read_creation)),
        ("const_object_expression", Read::Hook(read_creation)),
        ("instantiation_expression", Read::Through(Field("function"))),
        ("null_assertion_expression", Read::Unwrap(Field("value"))),
        ("parenthesized_expression", Read::Through(Nth(0))),
        ("unary_expression", Read::Through(Nth(0))),
        ("await_expression", Read::Await(Nth(0))),
        ("type_cast_expression", Read::Hook(cast)),
        (
            "index_expression",
            Read::Index(Field("object"), Field("index")),
        ),
        (
            "conditional_expression",
            Read::Either(Field("consequence"), Field("alternative")),
        ),
        ("if_null_expression", Read::Union),
        ("assignment_expression", Read::Through(Field("right"))),
        ("named_argument", Read::Hook(read_named)),
        ("list_literal", Read::Hook(list_literal)),
        ("string_literal", Read::Literal("String")),
        ("decimal_integer_literal", Read::Literal("int")),
        ("hex_integer_literal", Read::Literal("int")),
        ("decimal_floating_point_literal", Read::Literal("double")),
        ("true", Read::Literal("bool")),
        ("false", Read::Literal("bool")),
    ],
    closure,
    modifiers: &[
        "declaration",
        "method_declaration",
        "method_signature",
        "function_signature",
        "getter_signature",
        "setter_signature",
        "constructor_signature",
        "constant_constructor_signature",
        "factory_constructor_signature",
        "operator_signature",
        "extension_type_name",
    ],
    methods_apart: false,
    plain_docs: false,
    annotations: &["annotation"],
    visibility,
    operands: &[
        "equality_expression",
        "relational_expression",
        "additive_expression",
        "multiplicative_expression",
        "bitwise_and_expression",
        "bitwise_or_expression",
        "bitwise_xor_expression",
        "shift_expression",
        "logical_or_expression",
        "logical_and_expression",
        "if_null_expression",
        "unary_expression",
        "conditional_expression",
        "parenthesized_expression",
        "index_expression",
        "index_selector",
        "for_statement",
        "for_element",
        "unconditional_assignable_selector",
        "if_statement",
        "while_statement",
        "switch_statement",
        "constant_pattern",
        "for_loop_parts",
        "type_test_expression",
        "type_cast_expression",
        "assignment_expression",
        "return_statement",
        "interpolation",
    ],
    numbered: OnceLock::new(),
};

/// A name that begins with `_` belongs to its library.
fn visibility(_: &Walk<'_, '_>, name: &str, _: SymbolKind) -> Visibility {
    match name.starts_with('_') {
        true => Visibility::Private,
        false => Visibility::Public,
    }
}

fn locals(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = child_of_kind(node, "type");
    let ty = ty.map(|ty| walk.read(ty));
    local(walk, node, ty);
    for item in children(node).filter(|child| child.kind() == "initialized_identifier") {
        local(walk, item, ty);
    }
}

fn local(walk: &mut Walk<'_, '_>, node: Node<'_>, ty: Option<crate::facts::ExprId>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let value = node.field("value");
    let bound = match (ty, value) {
        (Some(ty), _) => Bound::Declared(ty),
        (None, Some(value)) => Bound::Value(walk.read(value)),
        (None, None) => Bound::Unknown,
    };
    walk.local(name, bound);
    if let Some(value) = value {
        walk.value_if_name(value);
    }
}

/// `var (a, b) = f();`
fn pattern_variables(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut parts = children(node);
    let (Some(pattern), Some(value)) = (parts.next(), parts.last()) else {
        return;
    };
    if pattern.kind() != "record_pattern" {
        return;
    }
    let whole = walk.read(value);
    for (at, part) in children(pattern).enumerate() {
        if let Some(name) = part.field("name")
            && child_of_kind(part, "type").is_none()
        {
            walk.take(part);
            let part = walk.b.expr(Expr::Part(whole, at as u16));
            walk.local(name, Bound::Value(part));
        }
    }
}

fn variable_pattern(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if walk.is_taken(node) {
        return;
    }
    if let Some(name) = node.field("name") {
        let bound = match child_of_kind(node, "type") {
            Some(ty) => Bound::Declared(walk.read(ty)),
            None => Bound::Unknown,
        };
        walk.local(name, bound);
    }
}

fn field_initializer(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = node.field("value") {
        walk.value_if_name(value);
    }
}

/// `super(…)` and `super.named(…)` in an initialiser list.
fn initializer(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(args) = child_of_kind(node, "arguments") else {
        return;
    };
    let class = walk.b.expr(Expr::Super);
    delegate(walk, class, node, args);
}

/// `this(…)` and `this.named(…)`.
fn redirection(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(args) = child_of_kind(node, "arguments") {
        let class = walk.b.expr(Expr::This);
        delegate(walk, class, node, args);
    }
}

fn delegate(walk: &mut Walk<'_, '_>, class: crate::facts::ExprId, node: Node<'_>, args: Node<'_>) {
    let args = walk.arguments(Some(args));
    match child_of_kind(node, "identifier") {
        Some(name) => {
            let id = walk.b.name_of(name);
            let what = walk.b.expr(Expr::Member(class, id));
            walk.site(SiteKind::Call, what, name, args);
        }
        None => {
            let at = node.child(0).filter(|child| child.kind() != "redirection");
            walk.constructor_call(class, at.unwrap_or(node), args);
        }
    }
}

fn for_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let (Some(name), Some(value)) = (node.field("name"), node.field("value")) else {
        return;
    };
    let bound = match child_of_kind(node, "type") {
        Some(ty) => Bound::Declared(walk.read(ty)),
        None => {
            let whole = walk.read(value);
            Bound::Value(walk.b.expr(Expr::Element(whole)))
        }
    };
    walk.local(name, bound);
}

/// `on T catch (e, s) { … }`: type, names and block are siblings.
fn try_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut ty = None;
    let mut name = None;
    for part in children(node) {
        match part.kind() {
            "type" => ty = Some(part),
            "catch_clause" => name = part.field("exception"),
            "block" => {
                if let (Some(ty), Some(name)) = (ty.take(), name.take()) {
                    let ty = walk.read(ty);
                    let id = walk.b.name_of(name);
                    walk.narrow(part, id, ty);
                }
            }
            _ => {}
        }
    }
}

fn if_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    conditional(walk, node);
}

/// `x is T`: where it holds, `x` is a `T`.
fn conditional(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if node.kind() == "conditional_expression" {
        walk.values(node);
    }
    let condition = node.field("condition").or_else(|| children(node).next());
    let (Some(condition), Some(holds)) = (condition, node.field("consequence")) else {
        return;
    };
    let mut left = vec![condition];
    while let Some(test) = left.pop() {
        match test.kind() {
            "logical_and_expression" | "parenthesized_expression" => left.extend(children(test)),
            "type_test_expression" => {
                let parts: Vec<_> = children(test).collect();
                let [name, tested] = parts.as_slice() else {
                    continue;
                };
                let is = child_of_kind(*tested, "is_operator");
                if name.kind() == "identifier"
                    && is.is_some_and(|is| walk.b.text(is) == "is")
                    && let Some(ty) = child_of_kind(*tested, "type")
                {
                    let ty = walk.read(ty);
                    let id = walk.b.name_of(*name);
                    walk.narrow(holds, id, ty);
                }
            }
            _ => {}
        }
    }
}

fn annotation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        walk.annotation(name, None);
    }
}

/// The package that a `pubspec.yaml` names.
pub(crate) fn package(text: &str) -> Option<Manifest> {
    let name = text.lines().find_map(|line| line.strip_prefix("name:"))?;
    let name = name.split('#').next().unwrap_or(name);
    let name = name.trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| Manifest::Dart {
        name: name.to_owned(),
    })
}
