//! C and C++: one grammar's nodes are nearly all in the other's.
//!
//! What stands in a namespace is bound at the top of the file by its full name (`a::b::f`), which is
//! how other files know it. Prototypes are bound apart (see [`PROTOTYPE`]), so that a call finds the
//! function itself first.

mod declarator;
mod functions;
mod types;
mod values;

use super::Builder;
use super::table::{Act, Declared, Grammar, Read, Walk, children, walk};
use crate::extract::field::Fields;
use crate::extract::table::At::{Field, Last, Nth};
use crate::facts::{Bound, Expr, Flags, ScopeId, ScopeKind, SymbolId, SymbolKind, Visibility};
use declarator::Declarator;
use functions::{access, closure, declare, function};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};
use types::{alias, class, enumeration, enumerator, namespace, typedef, using};
use values::{assignment, call, creation, initializer, read_call, read_primitive, read_qualified};

/// What stands before the name of a function that is only declared, where it is bound.
pub(crate) const PROTOTYPE: &str = "extern ";

/// Collects the facts of a C or C++ file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    // Node kinds are numbered differently in the two grammars.
    let is_cpp = tree
        .language()
        .id_for_node_kind("namespace_definition", true)
        != 0;
    walk(b, tree, if is_cpp { &CPP } else { &C });
}

static C: Grammar = grammar();
static CPP: Grammar = grammar();

const fn grammar() -> Grammar {
    Grammar {
        walk: WALK,
        read: READ,
        closure,
        modifiers: &[],
        plain_docs: true,
        annotations: &["attribute_declaration"],
        visibility: |_: &Walk<'_, '_>, _: &str, _: SymbolKind| Visibility::Public,
        methods_apart: false,
        operands: OPERANDS,
        numbered: OnceLock::new(),
    }
}

const WALK: &[(&str, Act)] = &[
    ("comment", Act::Comment),
    ("preproc_include", Act::Hook(include)),
    ("preproc_def", Act::Hook(define)),
    ("preproc_function_def", Act::Hook(define)),
    ("function_definition", Act::Hook(function)),
    ("declaration", Act::Hook(declaration)),
    ("field_declaration", Act::Hook(declaration)),
    ("struct_specifier", Act::Hook(class)),
    ("union_specifier", Act::Hook(class)),
    ("class_specifier", Act::Hook(class)),
    ("enum_specifier", Act::Hook(enumeration)),
    ("enumerator", Act::Hook(enumerator)),
    ("type_definition", Act::Hook(typedef)),
    ("alias_declaration", Act::Hook(alias)),
    ("namespace_definition", Act::Hook(namespace)),
    ("using_declaration", Act::Hook(using)),
    ("friend_declaration", Act::Skip),
    ("compound_statement", Act::Block),
    ("for_statement", Act::Block),
    ("if_statement", Act::Block),
    ("while_statement", Act::Block),
    ("for_range_loop", Act::Hook(for_each)),
    ("catch_clause", Act::Hook(catch)),
    ("call_expression", Act::Hook(call)),
    ("new_expression", Act::Hook(creation)),
    ("compound_literal_expression", Act::Hook(creation)),
    ("lambda_expression", Act::Closure),
    ("field_expression", Act::Member),
    ("qualified_identifier", Act::Member),
    ("type_identifier", Act::Type),
    ("argument_list", Act::Values),
    ("initializer_list", Act::Values),
    ("initializer_pair", Act::Hook(initializer)),
    ("return_statement", Act::Return),
    ("conditional_expression", Act::Values),
    ("pointer_expression", Act::Values),
    ("assignment_expression", Act::Hook(assignment)),
];

const OPERANDS: &[&str] = &[
    "binary_expression",
    "unary_expression",
    "parenthesized_expression",
    "subscript_expression",
    "subscript_argument_list",
    "condition_clause",
    "case_statement",
    "cast_expression",
    "comma_expression",
    "for_statement",
];

const READ: &[(&str, Read)] = &[
    ("identifier", Read::Name),
    ("type_identifier", Read::Name),
    ("namespace_identifier", Read::Name),
    ("field_identifier", Read::Name),
    ("qualified_identifier", Read::Hook(read_qualified)),
    (
        "template_type",
        Read::Generic(Field("name"), Field("arguments")),
    ),
    (
        "template_function",
        Read::Generic(Field("name"), Field("arguments")),
    ),
    ("template_method", Read::Through(Field("name"))),
    ("type_descriptor", Read::Through(Field("type"))),
    ("dependent_type", Read::Through(Nth(0))),
    ("struct_specifier", Read::Through(Field("name"))),
    ("union_specifier", Read::Through(Field("name"))),
    ("class_specifier", Read::Through(Field("name"))),
    ("enum_specifier", Read::Through(Field("name"))),
    ("primitive_type", Read::Hook(read_primitive)),
    ("sized_type_specifier", Read::Literal("int")),
    ("this", Read::This),
    (
        "field_expression",
        Read::Member(Field("argument"), Field("field")),
    ),
    ("call_expression", Read::Hook(read_call)),
    (
        "new_expression",
        Read::New(Field("type"), Field("arguments")),
    ),
    ("compound_literal_expression", Read::Instance(Field("type"))),
    ("parenthesized_expression", Read::Through(Nth(0))),
    ("pointer_expression", Read::Through(Field("argument"))),
    ("subscript_expression", Read::Index(Field("argument"), Last)),
    ("cast_expression", Read::Instance(Field("type"))),
    (
        "conditional_expression",
        Read::Either(Field("consequence"), Field("alternative")),
    ),
    ("assignment_expression", Read::Through(Field("right"))),
    ("co_await_expression", Read::Await(Nth(0))),
    ("lambda_expression", Read::Closure),
    ("string_literal", Read::Literal("char")),
    ("number_literal", Read::Literal("int")),
    ("char_literal", Read::Literal("char")),
    ("true", Read::Literal("bool")),
    ("false", Read::Literal("bool")),
];

/// Binds what stands in a namespace by its full name at the top.
fn publish(walk: &mut Walk<'_, '_>, id: SymbolId, at: usize) {
    if walk.function().is_some() || walk.scope() == ScopeId::MODULE || !at_namespace(walk) {
        return;
    }
    let full = walk.full_name(id, "::");
    let full = walk.b.name(&full);
    walk.b.bind(ScopeId::MODULE, full, at, Bound::Symbol(id));
}

/// Whether the walk stands directly in a namespace or at the top.
fn at_namespace(walk: &Walk<'_, '_>) -> bool {
    let scope = walk.b.facts.scopes.get(walk.scope().index());
    scope.is_some_and(|scope| scope.kind == ScopeKind::Module)
}

/// `#include "x"`.
fn include(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let Some(path) = node.field("path") else {
        return;
    };
    // Angle brackets are kept: they say that it comes from elsewhere first.
    let text = walk.b.text(path).trim_matches('"').to_owned();
    walk.import_of(path, &text, None, None);
}

/// `#define`.
fn define(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let Some(name) = node.field("name") else {
        return;
    };
    let value = node.field("value");
    let kind = match node.kind() {
        "preproc_function_def" => SymbolKind::Macro,
        // A bare one is an include guard or a switch.
        _ if value.is_none() => return,
        _ => SymbolKind::Constant,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: None,
    };
    let name_id = walk.b.name_of(name);
    let id = walk.symbol(&declared, name_id);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        // Whoever includes the file has it too.
        symbol.visibility = Visibility::Internal;
    }
    walk.b.bind(
        ScopeId::MODULE,
        name_id,
        name.start_byte(),
        Bound::Symbol(id),
    );
}

/// Words that are written like calls.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "decltype"
            | "static_assert"
            | "_Static_assert"
            | "sizeof"
            | "alignof"
            | "noexcept"
            | "typeof"
            | "__typeof__"
            | "__attribute__"
            | "defined"
            | "requires"
            | "alignas"
    )
}

/// Variables, fields and prototypes: one type, several declarators.
fn declaration(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.field("type");
    let typed = ty.filter(|ty| ty.kind() != "placeholder_type_specifier");
    let mut cursor = node.walk();
    let declarators: Vec<_> = node
        .children_by_field_name("declarator", &mut cursor)
        .collect();
    for whole in declarators {
        let declarator = Declarator::of(whole);
        let local = walk.function().is_some() && !walk.in_members();
        if declarator.parameters.is_some() && declarator.function.is_none() && !local {
            let frame = walk.scope();
            declare(walk, node, &declarator, None);
            // A prototype has no inside: the next declarator stands where this one stood.
            walk.enter_scope(frame);
            continue;
        }
        let Some(name) = declarator.name else {
            continue;
        };
        walk.take(name);
        let value = declarator.value.or_else(|| node.field("default_value"));
        let constructs = value.filter(|value| {
            matches!(value.kind(), "argument_list" | "initializer_list") && typed.is_some()
        });
        let value = value.filter(|value| value.kind() != "argument_list");
        let ty_expr = typed.filter(|_| declarator.function.is_none()).map(|ty| {
            let ty = walk.read(ty);
            match declarator.array {
                true => walk.array_of(ty),
                false => ty,
            }
        });
        let value_expr = value.map(|value| walk.read(value));
        let words = walk.b.text(node);
        let constant = words.starts_with("const ")
            || words.starts_with("constexpr ")
            || words.starts_with("static const ");
        let declared = Declared {
            node,
            kind: match (walk.in_members(), constant) {
                (true, _) => SymbolKind::Field,
                (false, true) => SymbolKind::Constant,
                (false, false) => SymbolKind::Variable,
            },
            name,
            body: declarator.value,
        };
        if let Some(id) = walk.variable(&declared, ty_expr, value_expr) {
            if walk.in_members() {
                access(walk, node, id);
            } else {
                publish(walk, id, name.start_byte());
                if words.starts_with("static ") {
                    if let Some(symbol) = walk.b.symbol_mut(id) {
                        symbol.visibility = Visibility::Private;
                    }
                } else if words.starts_with("extern ") {
                    walk.flag(id, Flags::DECLARATION);
                }
            }
        }
        if let Some(value) = value {
            walk.value_if_name(value);
        }
        // `T x(1)` and `T x{1}` make a `T`.
        if let (Some(args), Some(ty)) = (constructs, typed)
            && matches!(
                ty.kind(),
                "type_identifier" | "qualified_identifier" | "template_type"
            )
            && !declarator.pointer
        {
            let args = walk.arguments(Some(args));
            walk.new_site(ty, args);
        }
    }
}

/// `for (T x : items)`.
fn for_each(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let (Some(declarator), Some(right)) = (node.field("declarator"), node.field("right")) else {
        return;
    };
    let ty = node.field("type");
    let bound = match ty.filter(|ty| ty.kind() != "placeholder_type_specifier") {
        Some(ty) => Bound::Declared(walk.read(ty)),
        None => {
            let right = walk.read(right);
            Bound::Value(walk.b.expr(Expr::Element(right)))
        }
    };
    if let Some(name) = Declarator::of(declarator).name {
        walk.take(name);
        walk.local(name, bound);
    }
}

fn catch(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let param = node
        .field("parameters")
        .and_then(|list| children(list).next());
    let Some(param) = param else { return };
    if let (Some(ty), Some(declarator)) = (param.field("type"), param.field("declarator"))
        && let Some(name) = Declarator::of(declarator).name
    {
        let ty = walk.read(ty);
        walk.local(name, Bound::Declared(ty));
    }
}
