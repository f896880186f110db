//! Java: declarations, uses and imports of one file.

use super::Builder;
use super::table::{
    Act, At, Declared, Grammar, Parameter, Read, Walk, child_of_kind, children, walk,
};
use crate::extract::field::Fields;
use crate::facts::{
    BaseKind, Bound, Expr, Flags, FunctionId, List, ScopeId, SiteKind, SymbolId, SymbolKind,
    Visibility,
};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

/// Collects the facts of a Java file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &JAVA);
}

use At::{Field, Kind, Last, Nth};

static JAVA: Grammar = Grammar {
    walk: &[
        ("line_comment", Act::Comment),
        ("block_comment", Act::Comment),
        ("package_declaration", Act::Hook(package)),
        ("import_declaration", Act::Hook(import)),
        ("class_declaration", Act::Hook(class)),
        ("interface_declaration", Act::Hook(class)),
        ("enum_declaration", Act::Hook(class)),
        ("record_declaration", Act::Hook(class)),
        ("annotation_type_declaration", Act::Hook(class)),
        ("enum_constant", Act::Hook(enum_constant)),
        ("object_creation_expression", Act::Hook(creation)),
        ("method_declaration", Act::Hook(method)),
        ("annotation_type_element_declaration", Act::Hook(method)),
        ("constructor_declaration", Act::Hook(method)),
        ("compact_constructor_declaration", Act::Hook(method)),
        ("field_declaration", Act::Hook(variables)),
        ("constant_declaration", Act::Hook(variables)),
        ("local_variable_declaration", Act::Hook(variables)),
        ("block", Act::Block),
        ("static_initializer", Act::Block),
        ("for_statement", Act::Block),
        ("switch_rule", Act::Block),
        ("switch_block_statement_group", Act::Block),
        ("enhanced_for_statement", Act::Hook(for_each)),
        ("try_with_resources_statement", Act::Block),
        ("resource", Act::Hook(resource)),
        ("catch_clause", Act::Block),
        ("catch_formal_parameter", Act::Hook(catch)),
        ("instanceof_expression", Act::Hook(instance_of)),
        ("type_pattern", Act::Hook(type_pattern)),
        ("record_pattern_component", Act::Hook(type_pattern)),
        ("method_invocation", Act::Call),
        ("explicit_constructor_invocation", Act::Hook(delegate)),
        ("method_reference", Act::Hook(method_reference)),
        ("field_access", Act::Member),
        ("lambda_expression", Act::Hook(lambda)),
        ("return_statement", Act::Return),
        ("argument_list", Act::Values),
        ("array_initializer", Act::Values),
        ("ternary_expression", Act::Values),
        ("assignment_expression", Act::Hook(assignment)),
        ("type_identifier", Act::Type),
        ("scoped_type_identifier", Act::Type),
        ("annotation", Act::Hook(annotation)),
        ("marker_annotation", Act::Hook(annotation)),
    ],
    read: &[
        ("identifier", Read::Name),
        ("type_identifier", Read::Name),
        (
            "scoped_identifier",
            Read::Member(Field("scope"), Field("name")),
        ),
        ("scoped_type_identifier", Read::Member(Nth(0), Last)),
        (
            "generic_type",
            Read::Generic(Nth(0), Kind("type_arguments")),
        ),
        ("array_type", Read::Hook(array_type)),
        ("annotated_type", Read::Through(Last)),
        ("wildcard", Read::Through(Last)),
        ("integral_type", Read::Literal("int")),
        ("floating_point_type", Read::Literal("double")),
        ("boolean_type", Read::Literal("boolean")),
        ("void_type", Read::Literal("void")),
        ("this", Read::This),
        ("super", Read::Super),
        ("field_access", Read::Hook(field_access)),
        (
            "method_invocation",
            Read::Method(Field("object"), Field("name"), Field("arguments")),
        ),
        ("object_creation_expression", Read::Hook(read_creation)),
        ("parenthesized_expression", Read::Through(Nth(0))),
        ("cast_expression", Read::Instance(Field("type"))),
        ("array_access", Read::Index(Field("array"), Field("index"))),
        ("array_creation_expression", Read::Hook(array_creation)),
        (
            "ternary_expression",
            Read::Either(Field("consequence"), Field("alternative")),
        ),
        ("assignment_expression", Read::Through(Field("right"))),
        ("lambda_expression", Read::Closure),
        ("method_reference", Read::Hook(read_reference)),
        ("binary_expression", Read::Binary("boolean")),
        ("instanceof_expression", Read::Literal("boolean")),
        ("unary_expression", Read::Through(Field("operand"))),
        ("update_expression", Read::Through(Nth(0))),
        ("string_literal", Read::Literal("String")),
        ("class_literal", Read::Literal("Class")),
        ("character_literal", Read::Literal("char")),
        ("decimal_integer_literal", Read::Literal("int")),
        ("hex_integer_literal", Read::Literal("int")),
        ("decimal_floating_point_literal", Read::Literal("double")),
        ("true", Read::Literal("boolean")),
        ("false", Read::Literal("boolean")),
    ],
    closure,
    modifiers: &["modifiers"],
    methods_apart: true,
    plain_docs: false,
    annotations: &["annotation", "marker_annotation"],
    visibility,
    operands: &[
        "binary_expression",
        "unary_expression",
        "parenthesized_expression",
        "array_access",
        "switch_label",
        "enhanced_for_statement",
        "dimensions_expr",
        "cast_expression",
        "instanceof_expression",
        "throw_statement",
        "yield_statement",
    ],
    numbered: OnceLock::new(),
};

/// Members of interfaces and annotations are public, members of enums' heads too; else the package.
fn visibility(walk: &Walk<'_, '_>, _: &str, kind: SymbolKind) -> Visibility {
    let owner = walk.owner().and_then(|owner| walk.kind(owner));
    match owner {
        Some(SymbolKind::Interface) => Visibility::Public,
        _ if kind == SymbolKind::EnumMember => Visibility::Public,
        _ => Visibility::Internal,
    }
}

fn package(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let name = children(node).find(|child| child.kind().ends_with("identifier"));
    walk.b.facts.namespace = name.map(|name| walk.b.name_of(name));
    walk.skip();
}

/// `import a.b.C;`, `import a.b.*;`, `import static a.b.C.m;`, `import static a.b.C.*;`
fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let Some(path) = children(node).find(|child| child.kind().ends_with("identifier")) else {
        return;
    };
    let text = walk.b.text(path);
    if child_of_kind(node, "asterisk").is_some() {
        walk.import_of(path, text, None, None);
        return;
    }
    let at = path.field("name").unwrap_or(path);
    let (module, name) = text.rsplit_once('.').unwrap_or(("", text));
    let name = name.trim();
    let is_static = node.child(1).is_some_and(|word| word.kind() == "static");
    // What is imported from a type is a method, or a constant by the look of its name.
    let method = format!("{name}()");
    let name = match is_static && !name.starts_with(char::is_uppercase) {
        true => method.as_str(),
        false => name,
    };
    walk.import_of(at, module.trim(), Some(name), Some(name));
}

/// The names of type parameters and their bounds.
fn type_params<'n>(node: Node<'n>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let Some(params) = node.field("type_parameters") else {
        return Vec::new();
    };
    children(params)
        .filter_map(|param| {
            let name = child_of_kind(param, "type_identifier")?;
            let bound = child_of_kind(param, "type_bound");
            Some((name, bound.and_then(|bound| bound.named_child(0))))
        })
        .collect()
}

fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let kind = match node.kind() {
        "interface_declaration" | "annotation_type_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        "record_declaration" => SymbolKind::Struct,
        _ => SymbolKind::Class,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.field("body"),
    };
    let (id, head) = walk.declare_type(&declared, type_params(node));
    bases(walk, node, id, head);
    if kind == SymbolKind::Struct
        && let Some(params) = node.field("parameters")
    {
        components(walk, params);
    }
}

fn bases(walk: &mut Walk<'_, '_>, node: Node<'_>, id: SymbolId, head: ScopeId) {
    for clause in children(node) {
        let kind = match clause.kind() {
            "superclass" | "extends_interfaces" => BaseKind::Extends,
            "super_interfaces" => BaseKind::Implements,
            _ => continue,
        };
        for base in children(clause) {
            if base.kind() == "type_list" {
                for base in children(base) {
                    walk.base(id, kind, base, head);
                }
            } else {
                walk.base(id, kind, base, head);
            }
        }
    }
}

/// The components of a record: fields, and methods of the same names.
fn components(walk: &mut Walk<'_, '_>, params: Node<'_>) {
    for param in children(params) {
        let (Some(name), Some(ty)) = (param.field("name"), param.field("type")) else {
            continue;
        };
        let declared = Declared {
            node: param,
            kind: SymbolKind::Field,
            name,
            body: None,
        };
        let ty = walk.read(ty);
        let id = walk.variable(&declared, Some(ty), None);
        if let Some(symbol) = id.and_then(|id| walk.b.symbol_mut(id)) {
            symbol.visibility = Visibility::Private;
        }
        let declared = Declared {
            kind: SymbolKind::Method,
            ..declared
        };
        let accessor = walk.declare(&declared);
        let result = walk.accessor(accessor, ty);
        if let Some(symbol) = walk.b.symbol_mut(result) {
            symbol.visibility = Visibility::Public;
        }
    }
}

/// A constant of an enum; one with a body is a type of its own.
fn enum_constant(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::EnumMember,
        name,
        body: node.field("body"),
    };
    let around = walk.class();
    let (scope, args) = (walk.scope(), node.field("arguments"));
    let id = walk.declare(&declared);
    let id_of = id;
    walk.flag(id, Flags::STATIC);
    if let Some(class) = around {
        let ty = walk.b.expr(Expr::Symbol(class));
        if let Some(symbol) = walk.b.symbol_mut(id) {
            symbol.declared = Some(ty);
        }
        let id = walk.b.name_of(name);
        walk.b
            .bind(scope, id, name.start_byte(), Bound::Declared(ty));
        // The constant is made by the constructor of the enum.
        let args = walk.arguments(args);
        walk.with_owner(Some(id_of), |walk| walk.site(SiteKind::New, ty, name, args));
    }
    if declared.body.is_some() {
        walk.type_body(id, []);
        if let Some(class) = around {
            let what = walk.b.expr(Expr::Symbol(class));
            walk.base_expr(id, BaseKind::Extends, what, name, scope);
        }
    } else {
        walk.enter_owner(id);
    }
}

/// The class that is made: `o.new T(…)` makes one that is a member of what `o` is.
fn created(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(class) = node.field("type") else {
        return Expr::Unknown;
    };
    let what = walk.read(class);
    let outer = children(node).next();
    match (outer, walk.b.expr_at(what)) {
        (Some(outer), Expr::Name(name))
            if outer.id() != class.id() && outer.kind() != "type_arguments" =>
        {
            let outer = walk.read(outer);
            Expr::Member(outer, name)
        }
        (_, what) => what,
    }
}

fn read_creation(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let class = created(walk, node);
    let class = walk.b.expr(class);
    Expr::New(class, walk.arguments(node.field("arguments")))
}

/// `new T(…)`, with a body an anonymous class.
fn creation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let what = created(walk, node);
    let what = walk.b.expr(what);
    let args = walk.arguments(node.field("arguments"));
    if let Some(class) = node.field("type") {
        walk.made(what, class, args);
    }
    let (Some(body), Some(ty)) = (child_of_kind(node, "class_body"), node.field("type")) else {
        return;
    };
    walk.anonymous(node, ty, Some(body), BaseKind::Extends);
}

fn method(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let makes = node.kind().ends_with("constructor_declaration");
    let kind = if makes {
        SymbolKind::Constructor
    } else {
        SymbolKind::Method
    };
    let body = node.field("body");
    let declared = Declared {
        node,
        kind,
        name,
        body,
    };
    let in_interface = walk.owner().and_then(|id| walk.kind(id)) == Some(SymbolKind::Interface);
    let (id, function) = match makes {
        // A constructor is not found by its name among the members.
        true => {
            let name_id = walk.b.name_of(name);
            let id = walk.symbol(&declared, name_id);
            walk.bind_constructor(id, name);
            (id, walk.function_of(id))
        }
        false => walk.declare_function(&declared),
    };
    if body.is_none() && (in_interface || !makes) {
        walk.flag(id, Flags::ABSTRACT);
    }
    if walk.b.text(name) == "main" && walk.has_flag(id, Flags::STATIC) {
        walk.flag(id, Flags::ENTRY);
    }
    let names = walk.type_params(type_params(node));
    walk.set_type_params(function, names);
    walk.set_result(function, node.field("type"));
    params(walk, node, function);
}

/// The parameters of a method, or of a lambda with types.
fn params(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    let Some(list) = node.field("parameters") else {
        return;
    };
    for param in children(list) {
        let rest = param.kind() == "spread_parameter";
        let (name, declared) = if rest {
            let name = child_of_kind(param, "variable_declarator")
                .and_then(|declarator| declarator.field("name"));
            let ty = children(param)
                .find(|child| !matches!(child.kind(), "modifiers" | "variable_declarator"));
            (name, ty)
        } else {
            (param.field("name"), param.field("type"))
        };
        let declared = declared.filter(|ty| walk.b.text(*ty) != "var");
        if let Some(name) = name {
            let param = Parameter {
                name,
                declared,
                default: None,
                rest,
            };
            walk.param(function, &param);
        }
    }
}

/// The parameters of a lambda.
fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    let Some(list) = node.field("parameters") else {
        return;
    };
    match list.kind() {
        "identifier" => untyped(walk, list, function),
        "inferred_parameters" => {
            for name in children(list) {
                untyped(walk, name, function);
            }
        }
        _ => params(walk, node, function),
    }
}

fn untyped(walk: &mut Walk<'_, '_>, name: Node<'_>, function: FunctionId) {
    let param = Parameter {
        name,
        declared: None,
        default: None,
        rest: false,
    };
    walk.param(function, &param);
}

fn lambda(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.closure(node);
    if let Some(body) = node.field("body")
        && body.kind() != "block"
    {
        walk.returns(body);
        walk.value_if_name(body);
    }
}

/// Fields, constants and locals: one type, several names.
fn variables(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.field("type");
    let ty = ty.filter(|ty| walk.b.text(*ty) != "var");
    let ty = ty.map(|ty| walk.read(ty));
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(name) = declarator.field("name") else {
            continue;
        };
        let value = declarator.field("value");
        let value_expr = value.map(|value| walk.read(value));
        let ty = match declarator.field("dimensions") {
            Some(_) => ty.map(|ty| walk.array_of(ty)),
            None => ty,
        };
        let constant = node.kind() == "constant_declaration" || {
            let words = child_of_kind(node, "modifiers").map_or("", |words| walk.b.text(words));
            words.contains("static") && words.contains("final")
        };
        let declared = Declared {
            node,
            kind: match constant {
                true => SymbolKind::Constant,
                false => SymbolKind::Field,
            },
            name,
            body: value,
        };
        let id = walk.variable(&declared, ty, value_expr);
        if let Some(id) = id {
            if node.kind() == "constant_declaration" {
                walk.flag(id, Flags::STATIC);
            }
            walk.own_initialiser(declarator, id);
        }
        if let Some(value) = value {
            walk.with_owner(id, |walk| walk.value_if_name(value));
            if let (Some(ty), Expr::Closure(function)) = (
                ty,
                value_expr.map_or(Expr::Unknown, |value| walk.b.expr_at(value)),
            ) {
                walk.expected(function, ty);
            }
        }
    }
}

fn for_each(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let (Some(ty), Some(name), Some(value)) =
        (node.field("type"), node.field("name"), node.field("value"))
    else {
        return;
    };
    let bound = match walk.b.text(ty) {
        "var" => {
            let whole = walk.read(value);
            Bound::Value(walk.b.expr(Expr::Element(whole)))
        }
        _ => Bound::Declared(walk.read(ty)),
    };
    walk.local(name, bound);
}

fn resource(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let ty = node.field("type");
    let bound = match (ty, node.field("value")) {
        (Some(ty), _) if walk.b.text(ty) != "var" => Bound::Declared(walk.read(ty)),
        (_, Some(value)) => Bound::Value(walk.read(value)),
        _ => Bound::Unknown,
    };
    walk.local(name, bound);
}

fn catch(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(types)) = (node.field("name"), child_of_kind(node, "catch_type")) else {
        return;
    };
    let list = walk.read_all(types);
    let ty = match walk.b.operands(list) {
        [one] => *one,
        _ => walk.b.expr(Expr::Union(list)),
    };
    walk.local(name, Bound::Declared(ty));
}

/// `x instanceof T t`.
fn instance_of(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let (Some(ty), Some(name)) = (node.field("right"), node.field("name")) {
        let ty = walk.read(ty);
        walk.local(name, Bound::Declared(ty));
    }
}

/// `case T t`, and a component of a record pattern.
fn type_pattern(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut parts = children(node).filter(|child| child.kind() != "modifiers");
    if let (Some(ty), Some(name)) = (parts.next(), parts.next()) {
        let bound = match walk.b.text(ty) {
            "var" => Bound::Unknown,
            _ => Bound::Declared(walk.read(ty)),
        };
        walk.local(name, bound);
    }
}

/// `this(…)` and `super(…)`: the constructors of this class and of the one it extends.
fn delegate(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(which) = node.field("constructor") else {
        return;
    };
    let what = walk.read(which);
    let args = walk.arguments(node.field("arguments"));
    walk.constructor_call(what, which, args);
}

/// `X::m`, `X::new`.
fn method_reference(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let what = walk.read(node);
    let Some(object) = children(node).next() else {
        return;
    };
    match walk.b.expr_at(what) {
        Expr::Member(..) => {
            let name = children(node).last().unwrap_or(object);
            walk.site(SiteKind::Value, what, name, List::default());
        }
        _ => walk.new_site(object, List::default()),
    }
}

fn read_reference(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let parts: Vec<_> = children(node)
        .filter(|part| part.kind() != "type_arguments")
        .collect();
    let is_new = node
        .child(node.child_count().saturating_sub(1))
        .map(|last| last.kind())
        == Some("new");
    match parts.as_slice() {
        [object, name] if !is_new => {
            let object = walk.read(*object);
            Expr::Member(object, walk.method_name(*name))
        }
        _ => Expr::Unknown,
    }
}

/// `a.b`, and `A.this`, `A.super`.
fn field_access(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let (Some(object), Some(field)) = (node.field("object"), node.field("field")) else {
        return Expr::Unknown;
    };
    let object = walk.read(object);
    match field.kind() {
        "this" => Expr::Instance(object),
        _ => Expr::Member(object, walk.b.name_of(field)),
    }
}

fn array_type(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let element = walk.read_at(node, Field("element"));
    Expr::Array(walk.b.list(&[element]))
}

fn array_creation(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let element = walk.read_at(node, Field("type"));
    let array = walk.array_of(element);
    Expr::Instance(array)
}

/// `this.x = …` binds nothing new, as fields are declared; what is assigned is used.
fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        walk.write(left);
    }
    if let Some(right) = node.field("right") {
        walk.value_if_name(right);
    }
}

fn annotation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        walk.annotation(name, node.field("arguments"));
    }
}
