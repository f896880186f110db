//! C#: declarations, uses and imports of one file.

mod members;
mod types;
mod values;

use super::Builder;
use super::table::{Act, Declared, Grammar, Parameter, Read, Walk, child_of_kind, children, walk};
use crate::extract::field::Fields;
use crate::extract::table::At::{Field, Kind, Last, Nth};
use crate::facts::{Bound, Expr, Flags, FunctionId, SiteKind, SymbolKind, Visibility};
use members::{
    accessor, arrow, constructor_initializer, method, operator, params, primary_base, property,
};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};
use types::{class, delegate, enum_member};
use values::{
    array_type, assignment, call, conditional_access, creation, initializer, invocation,
    member_binding, predefined, qualified, read_conditional_access, switch, yields,
};

/// Collects the facts of a C# file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &CSHARP);
}

static CSHARP: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("using_directive", Act::Hook(using)),
        ("namespace_declaration", Act::Hook(namespace)),
        ("file_scoped_namespace_declaration", Act::Hook(namespace)),
        ("class_declaration", Act::Hook(class)),
        ("struct_declaration", Act::Hook(class)),
        ("record_declaration", Act::Hook(class)),
        ("interface_declaration", Act::Hook(class)),
        ("enum_declaration", Act::Hook(class)),
        ("enum_member_declaration", Act::Hook(enum_member)),
        ("delegate_declaration", Act::Hook(delegate)),
        ("method_declaration", Act::Hook(method)),
        ("local_function_statement", Act::Hook(method)),
        ("constructor_declaration", Act::Hook(method)),
        ("destructor_declaration", Act::Hook(method)),
        ("operator_declaration", Act::Hook(operator)),
        ("conversion_operator_declaration", Act::Hook(operator)),
        (
            "constructor_initializer",
            Act::Hook(constructor_initializer),
        ),
        ("primary_constructor_base_type", Act::Hook(primary_base)),
        ("property_declaration", Act::Hook(property)),
        ("indexer_declaration", Act::Hook(property)),
        ("event_declaration", Act::Hook(property)),
        ("accessor_declaration", Act::Hook(accessor)),
        ("arrow_expression_clause", Act::Hook(arrow)),
        ("variable_declaration", Act::Hook(variables)),
        ("block", Act::Block),
        ("switch_section", Act::Block),
        ("switch_expression_arm", Act::Block),
        ("for_statement", Act::Block),
        ("using_statement", Act::Block),
        ("foreach_statement", Act::Hook(foreach)),
        ("catch_clause", Act::Block),
        ("catch_declaration", Act::Hook(binding)),
        ("declaration_pattern", Act::Hook(binding)),
        ("recursive_pattern", Act::Hook(binding)),
        ("declaration_expression", Act::Hook(binding)),
        ("var_pattern", Act::Hook(binding)),
        ("from_clause", Act::Hook(from)),
        ("lambda_expression", Act::Hook(lambda)),
        ("anonymous_method_expression", Act::Closure),
        ("parameter", Act::Hook(typed)),
        ("invocation_expression", Act::Hook(invocation)),
        ("object_creation_expression", Act::Hook(creation)),
        ("initializer_expression", Act::Hook(initializer)),
        (
            "conditional_access_expression",
            Act::Hook(conditional_access),
        ),
        ("member_access_expression", Act::Member),
        ("member_binding_expression", Act::Member),
        ("assignment_expression", Act::Hook(assignment)),
        ("return_statement", Act::Return),
        ("yield_statement", Act::Hook(yields)),
        ("argument", Act::Values),
        ("cast_expression", Act::Hook(typed)),
        ("typeof_expression", Act::Hook(typed)),
        ("default_expression", Act::Hook(typed)),
        ("array_creation_expression", Act::Hook(typed)),
        ("type_parameter_constraint", Act::Hook(typed)),
        ("as_expression", Act::Hook(right_type)),
        ("is_expression", Act::Hook(right_type)),
        ("type_argument_list", Act::Hook(arguments_of_type)),
        ("attribute", Act::Hook(attribute)),
    ],
    read: &[
        ("identifier", Read::Name),
        (
            "generic_name",
            Read::Generic(Nth(0), Kind("type_argument_list")),
        ),
        ("qualified_name", Read::Hook(qualified)),
        ("alias_qualified_name", Read::Through(Field("name"))),
        ("nullable_type", Read::Through(Nth(0))),
        ("array_type", Read::Hook(array_type)),
        ("pointer_type", Read::Through(Nth(0))),
        ("ref_type", Read::Through(Field("type"))),
        ("scoped_type", Read::Through(Last)),
        ("tuple_type", Read::Tuple),
        ("tuple_element", Read::Through(Field("type"))),
        ("predefined_type", Read::Hook(predefined)),
        (
            "primary_constructor_base_type",
            Read::Through(Field("type")),
        ),
        ("'this", Read::This),
        ("'base", Read::Super),
        (
            "member_access_expression",
            Read::Member(Field("expression"), Field("name")),
        ),
        (
            "conditional_access_expression",
            Read::Hook(read_conditional_access),
        ),
        ("member_binding_expression", Read::Hook(member_binding)),
        ("invocation_expression", Read::Hook(call)),
        (
            "object_creation_expression",
            Read::New(Field("type"), Field("arguments")),
        ),
        ("parenthesized_expression", Read::Through(Nth(0))),
        ("postfix_unary_expression", Read::Through(Nth(0))),
        ("checked_expression", Read::Through(Nth(0))),
        ("cast_expression", Read::Instance(Field("type"))),
        ("as_expression", Read::Instance(Field("right"))),
        ("default_expression", Read::Instance(Field("type"))),
        (
            "element_access_expression",
            Read::Index(Field("expression"), Field("subscript")),
        ),
        ("array_creation_expression", Read::Instance(Field("type"))),
        ("implicit_array_creation_expression", Read::Through(Last)),
        ("initializer_expression", Read::Array),
        ("collection_expression", Read::Array),
        ("await_expression", Read::Await(Nth(0))),
        (
            "conditional_expression",
            Read::Either(Field("consequence"), Field("alternative")),
        ),
        ("switch_expression", Read::Hook(switch)),
        ("binary_expression", Read::Hook(binary)),
        ("assignment_expression", Read::Through(Field("right"))),
        ("argument", Read::Hook(argument)),
        ("lambda_expression", Read::Closure),
        ("anonymous_method_expression", Read::Closure),
        ("tuple_expression", Read::Tuple),
        ("string_literal", Read::Literal("string")),
        ("verbatim_string_literal", Read::Literal("string")),
        ("raw_string_literal", Read::Literal("string")),
        ("interpolated_string_expression", Read::Literal("string")),
        ("character_literal", Read::Literal("char")),
        ("integer_literal", Read::Literal("int")),
        ("real_literal", Read::Literal("double")),
        ("boolean_literal", Read::Literal("bool")),
        ("null_literal", Read::Literal("null")),
        ("typeof_expression", Read::Literal("Type")),
    ],
    closure,
    methods_apart: false,
    modifiers: &[],
    plain_docs: false,
    annotations: &["attribute_list"],
    visibility,
    operands: &[
        "binary_expression",
        "prefix_unary_expression",
        "postfix_unary_expression",
        "parenthesized_expression",
        "element_access_expression",
        "conditional_expression",
        "if_statement",
        "while_statement",
        "do_statement",
        "for_statement",
        "switch_statement",
        "switch_expression",
        "constant_pattern",
        "initializer_expression",
        "foreach_statement",
        "array_rank_specifier",
        "interpolation",
        "throw_statement",
        "is_expression",
        "as_expression",
    ],
    numbered: OnceLock::new(),
};

/// Types are of their assembly, members of interfaces and enums public, other members private.
fn visibility(walk: &Walk<'_, '_>, _: &str, _: SymbolKind) -> Visibility {
    match walk.owner().and_then(|owner| walk.kind(owner)) {
        None | Some(SymbolKind::Module) => Visibility::Internal,
        Some(SymbolKind::Interface | SymbolKind::Enum) => Visibility::Public,
        _ => Visibility::Private,
    }
}

/// `using A.B;`, `using static A.B.C;`, `using X = A.B.C;`
fn using(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let alias = node.field("name");
    let path = children(node)
        .filter(|child| Some(child.id()) != alias.map(|alias| alias.id()))
        .last();
    let Some(path) = path else { return };
    let text = walk.b.text(path).trim_start_matches("global::");
    match alias {
        Some(alias) => {
            let local = walk.b.text(alias);
            let text = text.split('<').next().unwrap_or(text);
            let (module, name) = text.rsplit_once('.').unwrap_or(("", text));
            walk.import_of(path, module, Some(name), Some(local));
        }
        None => {
            walk.import_of(path, text, None, None);
        }
    }
}

fn namespace(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let text: String = walk.b.text(name).split_whitespace().collect();
    let id = walk.b.name(&text);
    match walk.b.facts.namespace {
        None => walk.b.facts.namespace = Some(id),
        Some(known) if known == id => {}
        Some(_) => {
            let declared = Declared {
                node,
                kind: SymbolKind::Module,
                name,
                body: node.field("body"),
            };
            let symbol = walk.symbol(&declared, id);
            walk.members(symbol);
        }
    }
}

/// Fields, events and locals: one type, several names.
fn variables(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.field("type");
    let ty = ty.filter(|ty| ty.kind() != "implicit_type");
    let whole = match node.parent() {
        Some(parent) if parent.kind().ends_with("field_declaration") => parent,
        _ => node,
    };
    let constant =
        children(whole).any(|child| child.kind() == "modifier" && walk.b.text(child) == "const");
    let read = ty.map(|ty| walk.read(ty));
    if let Some(ty) = ty {
        walk.types_in(ty);
    }
    for declarator in children(node).filter(|child| child.kind() == "variable_declarator") {
        let Some(name) = declarator.field("name") else {
            continue;
        };
        let value = children(declarator)
            .filter(|child| child.id() != name.id() && child.kind() != "bracketed_argument_list")
            .last();
        let value_expr = value.map(|value| walk.read(value));
        let declared = Declared {
            node: whole,
            kind: match constant {
                true => SymbolKind::Constant,
                false if walk.in_members() => SymbolKind::Field,
                false => SymbolKind::Variable,
            },
            name,
            body: value,
        };
        let id = walk.variable(&declared, read, value_expr);
        if let Some(id) = id {
            if constant {
                walk.flag(id, Flags::STATIC);
            }
            walk.own_initialiser(declarator, id);
        }
        let Some(value) = value else { continue };
        walk.with_owner(id, |walk| walk.value_if_name(value));
        if let (Some(class), "implicit_object_creation_expression") = (ty, value.kind()) {
            let what = walk.read(class);
            let args = walk.arguments(child_of_kind(value, "argument_list"));
            walk.with_owner(id, |walk| walk.site(SiteKind::New, what, value, args));
        }
        if let (Some(ty), Expr::Closure(function)) = (
            read,
            value_expr.map_or(Expr::Unknown, |value| walk.b.expr_at(value)),
        ) {
            walk.expected(function, ty);
        }
    }
}

fn foreach(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let (Some(name), Some(value)) = (node.field("left"), node.field("right")) else {
        return;
    };
    let ty = node.field("type");
    let bound = match ty.filter(|ty| ty.kind() != "implicit_type") {
        Some(ty) => {
            walk.types_in(ty);
            Bound::Declared(walk.read(ty))
        }
        None => {
            let whole = walk.read(value);
            Bound::Value(walk.b.expr(Expr::Element(whole)))
        }
    };
    if name.kind() == "identifier" {
        walk.local(name, bound);
    }
}

/// `from x in xs`.
fn from(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let name = node.field("name");
    let value = children(node).last();
    if let (Some(name), Some(value)) = (name, value) {
        let whole = walk.read(value);
        let element = walk.b.expr(Expr::Element(whole));
        walk.local(name, Bound::Value(element));
    }
}

/// A name that is bound where a type is tested or a value comes out: `T x`, `out T x`.
fn binding(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.field("type");
    let ty = ty.filter(|ty| ty.kind() != "implicit_type");
    if let Some(ty) = ty {
        walk.types_in(ty);
    }
    let Some(name) = node.field("name") else {
        return;
    };
    let bound = match ty {
        Some(ty) => Bound::Declared(walk.read(ty)),
        None => Bound::Unknown,
    };
    if name.kind() == "identifier" {
        walk.local(name, bound);
    }
}

/// The parameters of a closure, of a delegate.
fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    walk.set_result(function, node.field("type"));
    let Some(list) = node.field("parameters") else {
        return;
    };
    match list.kind() {
        "parameter_list" => params(walk, list, function, None),
        _ => {
            let param = Parameter {
                name: list,
                declared: None,
                default: None,
                rest: false,
            };
            walk.param(function, &param);
        }
    }
}

fn lambda(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.closure(node);
    if let Some(body) = node.field("body")
        && body.kind() != "block"
    {
        walk.value_if_name(body);
        walk.returns(body);
    }
}

/// The types in the `type` field of a node are used.
fn typed(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(ty) = node.field("type") {
        walk.types_in(ty);
    }
}

fn right_type(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(ty) = node.field("right") {
        walk.types_in(ty);
    }
}

fn arguments_of_type(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    for ty in children(node) {
        walk.types_in(ty);
    }
}

/// `a ?? b`.
fn binary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let operator = node.field("operator").map(|o| o.kind());
    match operator {
        Some("??") => Expr::Union(walk.read_all(node)),
        Some("as") => Expr::Instance(walk.read_at(node, Field("right"))),
        _ => walk.binary(node, "bool"),
    }
}

fn argument(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let value = walk.read_at(node, Last);
    match node.field("name") {
        Some(name) => Expr::Keyword(walk.b.name_of(name), value),
        None => walk.b.expr_at(value),
    }
}

/// `[A]` names the class `AAttribute`.
fn attribute(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let args = child_of_kind(node, "attribute_argument_list");
    if name.kind() != "identifier" || walk.b.text(name).ends_with("Attribute") {
        walk.annotation(name, args);
        return;
    }
    let full = format!("{}Attribute", walk.b.text(name));
    let full = walk.b.name(&full);
    let what = walk.b.expr(Expr::Name(full));
    let args = walk.arguments(args);
    walk.site(SiteKind::Decorator, what, name, args);
}
