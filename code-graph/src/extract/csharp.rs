//! C#: declarations, uses and imports of one file.

use super::Builder;
use super::table::{
    Act, At, Declared, Grammar, Parameter, Read, Walk, child_of_kind, children, walk,
};
use crate::facts::{
    BaseKind, Bound, Expr, ExprId, Flags, FunctionId, List, ScopeId, ScopeKind, SiteKind, SymbolId,
    SymbolKind, Visibility,
};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

/// Collects the facts of a C# file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &CSHARP);
}

use At::{Field, Kind, Last, Nth};

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
    let alias = node.child_by_field_name("name");
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
    let Some(name) = node.child_by_field_name("name") else {
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
                body: node.child_by_field_name("body"),
            };
            let symbol = walk.symbol(&declared, id);
            walk.members(symbol);
        }
    }
}

fn type_params<'n>(walk: &Walk<'_, '_>, node: Node<'n>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let Some(list) = child_of_kind(node, "type_parameter_list") else {
        return Vec::new();
    };
    // `where T : A` stands after the head.
    let bound = |name: Node<'n>| {
        let clause = children(node).find(|child| {
            child.kind() == "type_parameter_constraints_clause"
                && children(*child).next().map(|of| walk.b.text(of)) == Some(walk.b.text(name))
        })?;
        children(clause).find_map(|constraint| constraint.child_by_field_name("type"))
    };
    children(list)
        .filter_map(|param| {
            let name = param.child_by_field_name("name")?;
            Some((name, bound(name)))
        })
        .collect()
}

fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let kind = match node.kind() {
        "interface_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        "struct_declaration" => SymbolKind::Struct,
        "record_declaration" => SymbolKind::Struct,
        _ => SymbolKind::Class,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.child_by_field_name("body"),
    };
    let outer = walk.scope();
    let params = type_params(walk, node);
    let (id, head) = walk.declare_type(&declared, params);
    let members = walk.scope();
    let partial =
        children(node).any(|child| child.kind() == "modifier" && walk.b.text(child) == "partial");
    let mut first = kind == SymbolKind::Class || node.kind() == "record_declaration";
    if let Some(list) = child_of_kind(node, "base_list") {
        for base in children(list) {
            if base.kind() == "argument_list" || kind == SymbolKind::Enum {
                continue;
            }
            let how = match kind {
                SymbolKind::Interface => BaseKind::Extends,
                _ if first && !looks_like_interface(walk, base) => BaseKind::Extends,
                _ => BaseKind::Implements,
            };
            first = false;
            walk.base(id, how, base, head);
            if partial {
                walk.extension(name, Some(base), members, outer);
            }
        }
    }
    if partial {
        // The parts have each other's members.
        walk.extension(name, None, members, outer);
    }
    if let Some(params) = child_of_kind(node, "parameter_list") {
        primary(walk, node, params);
    }
}

/// Interfaces are named `I` and a capital letter.
fn looks_like_interface(walk: &Walk<'_, '_>, base: Node<'_>) -> bool {
    let text = walk.b.text(base);
    let head = text.split(['<', '(']).next().unwrap_or(text);
    let name = head.rsplit('.').next().unwrap_or(head).trim();
    let mut letters = name.chars();
    letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase)
}

/// The parameters of a type: properties of a record, else names that its members see.
fn primary(walk: &mut Walk<'_, '_>, node: Node<'_>, params: Node<'_>) {
    for param in children(params) {
        let (Some(name), Some(ty)) = (
            param.child_by_field_name("name"),
            param.child_by_field_name("type"),
        ) else {
            continue;
        };
        let ty = walk.read(ty);
        if node.kind() == "record_declaration" {
            let declared = Declared {
                node: param,
                kind: SymbolKind::Field,
                name,
                body: None,
            };
            if let Some(id) = walk.variable(&declared, Some(ty), None)
                && let Some(symbol) = walk.b.symbol_mut(id)
            {
                symbol.visibility = Visibility::Public;
                symbol.flags.set(Flags::PROPERTY);
            }
        } else {
            walk.local(name, Bound::Declared(ty));
        }
    }
}

fn enum_member(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(class)) = (node.child_by_field_name("name"), walk.class()) else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::EnumMember,
        name,
        body: None,
    };
    let ty = walk.b.expr(Expr::Symbol(class));
    if let Some(id) = walk.variable(&declared, Some(ty), None) {
        walk.flag(id, Flags::STATIC);
    }
}

/// A delegate is a name for a function's type.
fn delegate(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let id = walk.declare(&declared);
    let function = walk.closure_of(node);
    let ty = walk.b.expr(Expr::Closure(function));
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = Some(ty);
    }
    walk.enter_owner(id);
    typed(walk, node);
}

fn method(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let kind = match node.kind() {
        "constructor_declaration" => SymbolKind::Constructor,
        "local_function_statement" => SymbolKind::Function,
        _ => SymbolKind::Method,
    };
    let body = node.child_by_field_name("body");
    let declared = Declared {
        node,
        kind,
        name,
        body,
    };
    let members = walk.scope();
    let (id, function) = match node.kind() {
        "constructor_declaration" | "destructor_declaration" => {
            let text = walk.b.text(name);
            let is_destructor = node.kind() == "destructor_declaration";
            let shown = match is_destructor {
                true => walk.b.name(&format!("~{text}")),
                false => walk.b.name(text),
            };
            let id = walk.symbol(&declared, shown);
            if is_destructor || walk.has_flag(id, Flags::STATIC) {
                // The runtime calls it.
                walk.flag(id, Flags::ENTRY);
                if let Some(symbol) = walk.b.symbol_mut(id) {
                    symbol.kind = SymbolKind::Method;
                }
            } else {
                walk.bind_constructor(id, name);
            }
            (id, walk.function_of(id))
        }
        _ => walk.declare_function(&declared),
    };
    if body.is_none() {
        walk.flag(id, Flags::ABSTRACT);
    }
    if walk.b.text(name) == "Main" && walk.has_flag(id, Flags::STATIC) {
        walk.flag(id, Flags::ENTRY);
    }
    let names = type_params(walk, node);
    let names = walk.type_params(names);
    walk.set_type_params(function, names);
    let result = node
        .child_by_field_name("returns")
        .or_else(|| node.child_by_field_name("type"));
    walk.set_result(function, result);
    if let Some(result) = result {
        walk.types_in(result);
    }
    if let Some(list) = node.child_by_field_name("parameters") {
        let first = children(list).next();
        let receiver = first.filter(|first| {
            children(*first).any(|word| word.kind() == "modifier" && walk.b.text(word) == "this")
        });
        if let Some(receiver) = receiver {
            extension_method(walk, id, name, receiver, members);
        }
        params(walk, list, function, receiver);
    }
}

/// `static R M(this T x, …)`: a member of `T`.
fn extension_method(
    walk: &mut Walk<'_, '_>,
    id: SymbolId,
    name: Node<'_>,
    receiver: Node<'_>,
    members: ScopeId,
) {
    let (Some(ty), Some(of)) = (
        receiver.child_by_field_name("type"),
        receiver.child_by_field_name("name"),
    ) else {
        return;
    };
    let scope = walk.b.scope(members, ScopeKind::Members, None);
    let bound = walk.b.name_of(name);
    walk.b
        .bind(scope, bound, name.start_byte(), Bound::Symbol(id));
    let around = walk.scope();
    walk.extension(ty, None, scope, around);
    let ty = walk.read(ty);
    walk.local(of, Bound::Declared(ty));
}

fn params(
    walk: &mut Walk<'_, '_>,
    list: Node<'_>,
    function: FunctionId,
    receiver: Option<Node<'_>>,
) {
    let mut cursor = list.walk();
    for param in children(list) {
        if param.kind() != "parameter" || Some(param.id()) == receiver.map(|r| r.id()) {
            continue;
        }
        if let Some(name) = param.child_by_field_name("name") {
            let param = Parameter {
                name,
                declared: param.child_by_field_name("type"),
                default: None,
                rest: false,
            };
            walk.param(function, &param);
        }
    }
    // `params T[] rest` has no node of its own.
    let rest = list
        .children_by_field_name("name", &mut cursor)
        .find(Node::is_named);
    if let Some(name) = rest {
        let ty = list.child_by_field_name("type");
        let declared = ty.map(|ty| walk.read(ty));
        let id = walk.b.name_of(name);
        walk.param_of(function, id, name.start_byte(), declared, None, true);
        if let Some(ty) = ty {
            walk.types_in(ty);
        }
    }
}

fn operator(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let name = node
        .child_by_field_name("operator")
        .or_else(|| node.child_by_field_name("type"));
    let Some(name) = name else { return };
    let text = format!("operator {}", walk.b.text(name));
    let shown = walk.b.name(&text);
    let declared = Declared {
        node,
        kind: SymbolKind::Method,
        name,
        body: node.child_by_field_name("body"),
    };
    let id = walk.symbol(&declared, shown);
    let function = walk.function_of(id);
    walk.set_result(function, node.child_by_field_name("type"));
    if let Some(list) = node.child_by_field_name("parameters") {
        params(walk, list, function, None);
    }
    typed(walk, node);
}

/// `: base(…)`, `: this(…)`.
fn constructor_initializer(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut cursor = node.walk();
    let word = node
        .children(&mut cursor)
        .find(|word| matches!(word.kind(), "base" | "this"));
    let Some(word) = word else { return };
    let class = match word.kind() {
        "base" => walk.b.expr(Expr::Super),
        _ => walk.b.expr(Expr::This),
    };
    let args = walk.arguments(child_of_kind(node, "argument_list"));
    walk.constructor_call(class, word, args);
}

/// `record R(…) : Base(…)`.
fn primary_base(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let class = walk.b.expr(Expr::Super);
    let args = walk.arguments(child_of_kind(node, "argument_list"));
    if let Some(name) = node.child_by_field_name("type") {
        walk.constructor_call(class, name, args);
    }
}

fn property(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.child_by_field_name("type");
    let name = match node.child_by_field_name("name") {
        Some(name) => name,
        // An indexer.
        None => match node.child_by_field_name("parameters") {
            Some(params) => params,
            None => return,
        },
    };
    let body = node
        .child_by_field_name("accessors")
        .or_else(|| node.child_by_field_name("value"));
    let declared = Declared {
        node,
        kind: SymbolKind::Field,
        name,
        body,
    };
    let read = ty.map(|ty| walk.read(ty));
    let id = match node.kind() {
        "indexer_declaration" => {
            let shown = walk.b.name("this[]");
            let id = walk.symbol(&declared, shown);
            if let Some(symbol) = walk.b.symbol_mut(id) {
                symbol.declared = read;
            }
            let scope = walk.scope();
            walk.b
                .bind(scope, shown, name.start_byte(), Bound::Symbol(id));
            id
        }
        _ => match walk.variable(&declared, read, None) {
            Some(id) => id,
            None => return,
        },
    };
    walk.flag(id, Flags::PROPERTY);
    if let Some(ty) = ty {
        walk.types_in(ty);
    }
    let function = walk.function_of(id);
    walk.set_result(function, ty);
    if let Some(list) = node.child_by_field_name("parameters") {
        params(walk, list, function, None);
    }
}

/// `set` gets what is written as `value`.
fn accessor(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let word = node.child_by_field_name("name");
    if word.is_some_and(|word| matches!(walk.b.text(word), "set" | "init")) {
        let result = walk
            .function()
            .and_then(|function| walk.b.function_mut(function))
            .and_then(|function| function.result);
        if let Some(ty) = result {
            let value = walk.b.name("value");
            walk.local_named(value, node.start_byte(), Bound::Declared(ty));
        }
    }
}

fn arrow(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = children(node).next() {
        walk.value_if_name(value);
        walk.returns(value);
    }
}

/// Fields, events and locals: one type, several names.
fn variables(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.child_by_field_name("type");
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
        let Some(name) = declarator.child_by_field_name("name") else {
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
    let (Some(name), Some(value)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("right"),
    ) else {
        return;
    };
    let ty = node.child_by_field_name("type");
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
    let name = node.child_by_field_name("name");
    let value = children(node).last();
    if let (Some(name), Some(value)) = (name, value) {
        let whole = walk.read(value);
        let element = walk.b.expr(Expr::Element(whole));
        walk.local(name, Bound::Value(element));
    }
}

/// A name that is bound where a type is tested or a value comes out: `T x`, `out T x`.
fn binding(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.child_by_field_name("type");
    let ty = ty.filter(|ty| ty.kind() != "implicit_type");
    if let Some(ty) = ty {
        walk.types_in(ty);
    }
    let Some(name) = node.child_by_field_name("name") else {
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
    walk.set_result(function, node.child_by_field_name("type"));
    let Some(list) = node.child_by_field_name("parameters") else {
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
    if let Some(body) = node.child_by_field_name("body")
        && body.kind() != "block"
    {
        walk.value_if_name(body);
        walk.returns(body);
    }
}

/// The types in the `type` field of a node are used.
fn typed(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(ty) = node.child_by_field_name("type") {
        walk.types_in(ty);
    }
}

fn right_type(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(ty) = node.child_by_field_name("right") {
        walk.types_in(ty);
    }
}

fn arguments_of_type(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    for ty in children(node) {
        walk.types_in(ty);
    }
}

/// The callee, with the type arguments that it is written with.
fn callee(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let what = walk.read(node);
    let name = node.child_by_field_name("name");
    let args = name
        .filter(|name| name.kind() == "generic_name")
        .and_then(|name| child_of_kind(name, "type_argument_list"));
    match args {
        Some(args) => Expr::Generic(what, walk.read_all(args)),
        None => walk.b.expr_at(what),
    }
}

fn invocation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(function) = node.child_by_field_name("function") else {
        return;
    };
    walk.take(function);
    if function.kind() == "conditional_access_expression"
        && let Some(inner) = children(function).last()
    {
        walk.take(inner);
    }
    let what = callee(walk, function);
    let what = walk.b.expr(what);
    let args = walk.arguments(node.child_by_field_name("arguments"));
    walk.call_site(what, args, function);
}

fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let args = node.child_by_field_name("arguments");
    let Some(function) = node.child_by_field_name("function") else {
        return Expr::Unknown;
    };
    let what = callee(walk, function);
    let what = walk.b.expr(what);
    Expr::Call(what, walk.arguments(args))
}

/// `a?.b`: the second part is read with `a` as what it belongs to.
fn read_conditional_access(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let parts: Vec<_> = children(node).collect();
    let [object, rest] = parts.as_slice() else {
        return Expr::Unknown;
    };
    let object = walk.read(*object);
    let inner = walk.with_receiver(object, |walk| walk.read(*rest));
    walk.b.expr_at(inner)
}

fn conditional_access(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(object) = children(node).next() {
        let object = walk.read(object);
        walk.value(node);
        walk.enter_receiver(object);
    }
}

fn member_binding(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let receiver = walk.receiver();
    match node.child_by_field_name("name") {
        Some(name) => {
            let name = match name.kind() {
                "generic_name" => children(name).next().unwrap_or(name),
                _ => name,
            };
            Expr::Member(receiver, walk.b.name_of(name))
        }
        None => Expr::Unknown,
    }
}

fn creation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.new_of(node);
    if let Some(ty) = node.child_by_field_name("type")
        && ty.kind() == "generic_name"
        && let Some(args) = child_of_kind(ty, "type_argument_list")
    {
        arguments_of_type(walk, args);
    }
}

/// `{ A = x }` after `new T`: `A` is a member of `T`.
fn initializer(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.values(node);
    let class = node
        .parent()
        .filter(|parent| parent.kind() == "object_creation_expression")
        .and_then(|parent| parent.child_by_field_name("type"));
    for child in children(node) {
        let Some(left) = child
            .child_by_field_name("left")
            .filter(|left| child.kind() == "assignment_expression" && left.kind() == "identifier")
        else {
            continue;
        };
        walk.take(left);
        if let Some(class) = class {
            let class = walk.read(class);
            let object = walk.b.expr(Expr::Instance(class));
            let name = walk.b.name_of(left);
            let what = walk.b.expr(Expr::Member(object, name));
            walk.site(SiteKind::Write, what, left, List::default());
        }
    }
}

fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(right) = node.child_by_field_name("right") {
        walk.value_if_name(right);
    }
    if let Some(left) = node.child_by_field_name("left")
        && !walk.is_taken(left)
    {
        walk.write(left);
    }
}

fn yields(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.values(node);
}

fn qualified(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let qualifier = walk.read_at(node, Field("qualifier"));
    let Some(name) = node.child_by_field_name("name") else {
        return Expr::Unknown;
    };
    match name.kind() {
        "generic_name" => {
            let base = children(name).next().unwrap_or(name);
            let base = walk.b.name_of(base);
            let base = walk.b.expr(Expr::Member(qualifier, base));
            match child_of_kind(name, "type_argument_list") {
                Some(args) => Expr::Generic(base, walk.read_all(args)),
                None => walk.b.expr_at(base),
            }
        }
        _ => Expr::Member(qualifier, walk.b.name_of(name)),
    }
}

fn array_type(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let element = walk.read_at(node, Field("type"));
    Expr::Array(walk.b.list(&[element]))
}

fn predefined(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    Expr::Literal(walk.b.name_of(node))
}

fn switch(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut all: Vec<ExprId> = Vec::new();
    for arm in children(node).filter(|child| child.kind() == "switch_expression_arm") {
        if let Some(value) = children(arm).last() {
            all.push(walk.read(value));
        }
    }
    Expr::Union(walk.b.list(&all))
}

/// `a ?? b`.
fn binary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let operator = node.child_by_field_name("operator").map(|o| o.kind());
    match operator {
        Some("??") => Expr::Union(walk.read_all(node)),
        Some("as") => Expr::Instance(walk.read_at(node, Field("right"))),
        _ => walk.binary(node, "bool"),
    }
}

fn argument(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let value = walk.read_at(node, Last);
    match node.child_by_field_name("name") {
        Some(name) => Expr::Keyword(walk.b.name_of(name), value),
        None => walk.b.expr_at(value),
    }
}

/// `[A]` names the class `AAttribute`.
fn attribute(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
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
