//! PHP: declarations, uses and imports of one file.
//!
//! Variables and properties are bound with their `$`, so that a property and a method of one name
//! do not meet. A qualified name is one name, as it is written: the rules resolve it.

mod members;
mod types;
mod values;

use super::Builder;
use super::table::{Act, Grammar, Read, Walk, child_of_kind, children, walk};
use crate::extract::field::Fields;
use crate::extract::table::At::{Field, Kind, Last, Nth};
use crate::facts::{Base, BaseKind, Bound, Expr, List, NameId, SiteKind, Visibility};
use members::{arrow, closure, doc_type, method, properties};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};
use types::{anonymous, class, constants, enum_case, import, namespace, traits};
use values::{
    argument, class_constant, creation, function_call, member_call, primitive, property,
    read_creation, read_named, relative, variable,
};

/// Collects the facts of a PHP file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &PHP);
    // What a trait brings comes before what is inherited.
    let order = |base: &Base| (base.class, base.kind != BaseKind::MixesIn);
    b.facts.bases.sort_by_key(order);
}

static PHP: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("namespace_definition", Act::Hook(namespace)),
        ("namespace_use_declaration", Act::Hook(import)),
        ("class_declaration", Act::Hook(class)),
        ("interface_declaration", Act::Hook(class)),
        ("trait_declaration", Act::Hook(class)),
        ("enum_declaration", Act::Hook(class)),
        ("anonymous_class", Act::Hook(anonymous)),
        ("enum_case", Act::Hook(enum_case)),
        ("use_declaration", Act::Hook(traits)),
        ("const_declaration", Act::Hook(constants)),
        ("property_declaration", Act::Hook(properties)),
        ("method_declaration", Act::Hook(method)),
        ("function_definition", Act::Hook(method)),
        ("anonymous_function", Act::Closure),
        ("arrow_function", Act::Hook(arrow)),
        ("function_call_expression", Act::Hook(function_call)),
        ("member_call_expression", Act::Hook(member_call)),
        ("nullsafe_member_call_expression", Act::Hook(member_call)),
        ("scoped_call_expression", Act::Hook(member_call)),
        ("object_creation_expression", Act::Hook(creation)),
        ("member_access_expression", Act::Member),
        ("nullsafe_member_access_expression", Act::Member),
        ("scoped_property_access_expression", Act::Member),
        (
            "class_constant_access_expression",
            Act::Hook(class_constant),
        ),
        ("assignment_expression", Act::Hook(assignment)),
        ("reference_assignment_expression", Act::Hook(assignment)),
        ("foreach_statement", Act::Hook(foreach)),
        ("catch_clause", Act::Hook(catch)),
        ("if_statement", Act::Hook(if_statement)),
        ("static_variable_declaration", Act::Hook(static_variable)),
        ("binary_expression", Act::Hook(binary)),
        ("return_statement", Act::Return),
        ("argument", Act::Values),
        ("array_element_initializer", Act::Values),
        ("array_creation_expression", Act::Hook(callable_array)),
        ("named_type", Act::Hook(named_type)),
        ("attribute", Act::Hook(attribute)),
    ],
    read: &[
        ("name", Read::Name),
        ("qualified_name", Read::Name),
        ("relative_name", Read::Name),
        ("namespace_name", Read::Name),
        ("variable_name", Read::Hook(variable)),
        ("relative_scope", Read::Hook(relative)),
        ("named_type", Read::Hook(read_named)),
        ("optional_type", Read::Through(Nth(0))),
        ("union_type", Read::Union),
        ("intersection_type", Read::Union),
        ("disjunctive_normal_form_type", Read::Union),
        ("primitive_type", Read::Hook(primitive)),
        ("bottom_type", Read::Literal("never")),
        ("member_access_expression", Read::Hook(property)),
        ("nullsafe_member_access_expression", Read::Hook(property)),
        (
            "scoped_property_access_expression",
            Read::Member(Field("scope"), Field("name")),
        ),
        (
            "class_constant_access_expression",
            Read::Member(Nth(0), Last),
        ),
        (
            "function_call_expression",
            Read::Call(Field("function"), Field("arguments")),
        ),
        (
            "member_call_expression",
            Read::Method(Field("object"), Field("name"), Field("arguments")),
        ),
        (
            "nullsafe_member_call_expression",
            Read::Method(Field("object"), Field("name"), Field("arguments")),
        ),
        (
            "scoped_call_expression",
            Read::Method(Field("scope"), Field("name"), Field("arguments")),
        ),
        ("object_creation_expression", Read::Hook(read_creation)),
        ("argument", Read::Hook(argument)),
        ("array_element_initializer", Read::Through(Last)),
        ("array_creation_expression", Read::Array),
        ("subscript_expression", Read::Index(Nth(0), Nth(1))),
        ("parenthesized_expression", Read::Through(Nth(0))),
        ("assignment_expression", Read::Through(Field("right"))),
        ("clone_expression", Read::Through(Nth(0))),
        ("conditional_expression", Read::Hook(conditional)),
        ("match_expression", Read::Hook(match_expression)),
        ("binary_expression", Read::Hook(read_binary)),
        ("anonymous_function", Read::Closure),
        ("arrow_function", Read::Closure),
        ("string", Read::Literal("string")),
        ("encapsed_string", Read::Literal("string")),
        ("heredoc", Read::Literal("string")),
        ("integer", Read::Literal("int")),
        ("float", Read::Literal("float")),
        ("boolean", Read::Literal("bool")),
        ("null", Read::Literal("null")),
    ],
    closure,
    methods_apart: false,
    modifiers: &[],
    plain_docs: false,
    annotations: &["attribute_list"],
    visibility: |_, _, _| Visibility::Public,
    operands: &[
        "binary_expression",
        "unary_op_expression",
        "augmented_assignment_expression",
        "parenthesized_expression",
        "subscript_expression",
        "conditional_expression",
        "case_statement",
        "match_condition_list",
        "match_conditional_expression",
        "cast_expression",
        "echo_statement",
        "throw_expression",
    ],
    numbered: OnceLock::new(),
};

/// Locals are bound where they are assigned; properties without a declaration as well.
fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return;
    };
    walk.value_if_name(right);
    match left.kind() {
        "variable_name" => {
            let ty = doc_type(walk, statement(node).start_byte(), "@var", None);
            let bound = match ty {
                Some(ty) => Bound::Declared(ty),
                None => Bound::Value(walk.read(right)),
            };
            bind_variable(walk, left, bound);
        }
        "list_literal" | "array_creation_expression" => {
            let whole = walk.read(right);
            for (at, part) in children(left).enumerate() {
                let part = match part.kind() {
                    "array_element_initializer" => children(part).last().unwrap_or(part),
                    _ => part,
                };
                if part.kind() == "variable_name" {
                    let value = walk.b.expr(Expr::Part(whole, at as u16));
                    bind_variable(walk, part, Bound::Value(value));
                }
            }
            walk.take(left);
        }
        _ => walk.write(left),
    }
}

/// The statement that an expression is.
fn statement(node: Node<'_>) -> Node<'_> {
    match node.parent() {
        Some(parent) if parent.kind() == "expression_statement" => parent,
        _ => node,
    }
}

/// Variables belong to the function, not to a block.
fn bind_variable(walk: &mut Walk<'_, '_>, name: Node<'_>, bound: Bound) {
    let id: NameId = walk.b.name_of(name);
    walk.function_local(id, name.start_byte(), bound);
}

fn foreach(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut parts = children(node);
    let (Some(whole), Some(target)) = (parts.next(), parts.next()) else {
        return;
    };
    let whole = walk.read(whole);
    let element = walk.b.expr(Expr::Element(whole));
    let (key, value) = match target.kind() {
        "pair" => {
            let mut pair = children(target);
            (pair.next(), pair.next())
        }
        _ => (None, Some(target)),
    };
    if let Some(key) = key
        && key.kind() == "variable_name"
    {
        bind_variable(walk, key, Bound::Unknown);
    }
    if let Some(value) = value {
        let value = match value.kind() {
            "by_ref" => children(value).next().unwrap_or(value),
            _ => value,
        };
        if value.kind() == "variable_name" {
            bind_variable(walk, value, Bound::Value(element));
        }
    }
}

fn catch(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(ty), Some(name)) = (node.field("type"), node.field("name")) else {
        return;
    };
    let list = walk.read_all(ty);
    let ty = match walk.b.operands(list) {
        [one] => *one,
        _ => walk.b.expr(Expr::Union(list)),
    };
    bind_variable(walk, name, Bound::Declared(ty));
}

/// `if ($x instanceof T)`: where it holds, `$x` is a `T`.
fn if_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(condition), Some(body)) = (node.field("condition"), node.field("body")) else {
        return;
    };
    let mut left = vec![condition];
    while let Some(test) = left.pop() {
        match test.kind() {
            "parenthesized_expression" => left.extend(children(test)),
            "binary_expression" => {
                let operator = test.field("operator").map(|o| o.kind());
                match operator {
                    Some("&&") => left.extend(children(test)),
                    Some("instanceof") => {
                        if let (Some(name), Some(ty)) = (test.field("left"), test.field("right"))
                            && name.kind() == "variable_name"
                            && walk.b.text(name) != "$this"
                        {
                            let ty = walk.read(ty);
                            let id = walk.b.name_of(name);
                            walk.narrow(body, id, ty);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

fn static_variable(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        bind_variable(walk, name, Bound::Unknown);
    }
}

/// `$x instanceof T` uses a type.
fn binary(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if node
        .field("operator")
        .is_some_and(|o| o.kind() == "instanceof")
        && let Some(ty) = node.field("right")
        && matches!(ty.kind(), "name" | "qualified_name")
    {
        walk.type_use(ty);
    }
}

/// `$a ?? $b`.
fn read_binary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let operator = node.field("operator").map(|o| o.kind());
    match operator {
        Some("??" | "?:") => Expr::Union(walk.read_all(node)),
        Some(".") => Expr::Literal(walk.b.name("string")),
        _ => Expr::Unknown,
    }
}

fn conditional(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let first = match node.field("body") {
        Some(body) => walk.read(body),
        None => walk.read_at(node, Field("condition")),
    };
    let operands = [first, walk.read_at(node, Field("alternative"))];
    Expr::Union(walk.b.list(&operands))
}

fn match_expression(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut all = Vec::new();
    if let Some(body) = node.field("body") {
        for arm in children(body) {
            if let Some(value) = arm.field("return_expression") {
                all.push(walk.read(value));
            }
        }
    }
    Expr::Union(walk.b.list(&all))
}

/// `[$this, 'm']` and `[A::class, 'm']` name a method.
fn callable_array(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let parts: Vec<_> = children(node)
        .filter_map(|part| children(part).last())
        .collect();
    let [object, name] = parts.as_slice() else {
        return;
    };
    let Some(text) = child_of_kind(*name, "string_content").filter(|_| name.kind() == "string")
    else {
        return;
    };
    let of = match object.kind() {
        "variable_name" => walk.read(*object),
        "class_constant_access_expression" => match children(*object).next() {
            Some(class) => walk.read(class),
            None => return,
        },
        _ => return,
    };
    let id = walk.b.name_of(text);
    let what = walk.b.expr(Expr::Member(of, id));
    walk.site(SiteKind::Value, what, text, List::default());
}

fn named_type(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = children(node).next()
        && !matches!(walk.b.text(name), "self" | "static" | "parent")
    {
        walk.class_use(name);
    }
}

fn attribute(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = children(node).next() {
        let args = Kind("arguments").of(node);
        walk.annotation(name, args);
    }
}
