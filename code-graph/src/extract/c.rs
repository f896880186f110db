//! C and C++: one grammar's nodes are nearly all in the other's.
//!
//! What stands in a namespace is bound at the top of the file by its full name (`a::b::f`), which is
//! how other files know it. Prototypes are bound apart (see [`PROTOTYPE`]), so that a call finds the
//! function itself first.

mod declarator;

use super::Builder;
use super::table::{
    Act, At, Declared, Grammar, Parameter, Read, Walk, child_of_kind, children, walk,
};
use crate::facts::{
    BaseKind, Bound, Expr, ExprId, Extension, Flags, FunctionId, ScopeId, ScopeKind, SiteKind,
    SymbolId, SymbolKind, Visibility,
};
use declarator::Declarator;
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

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

use At::{Field, Last, Nth};

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

/// The declaration with its template head: what a doc comment stands before.
fn with_template(node: Node<'_>) -> Node<'_> {
    match node.parent() {
        Some(parent) if parent.kind() == "template_declaration" => parent,
        _ => node,
    }
}

/// The names of template parameters.
fn template_params<'n>(node: Node<'n>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let params = with_template(node).child_by_field_name("parameters");
    let Some(params) = params.filter(|params| params.kind() == "template_parameter_list") else {
        return Vec::new();
    };
    children(params)
        .filter(|param| param.kind().contains("type_parameter"))
        .filter_map(|param| {
            let name = param
                .child_by_field_name("name")
                .or_else(|| child_of_kind(param, "type_identifier"))?;
            Some((name, None))
        })
        .collect()
}

/// The full name of a symbol of this file.
fn full_name(walk: &Walk<'_, '_>, id: SymbolId) -> String {
    let mut parts = Vec::new();
    let mut at = Some(id);
    while let Some(symbol) = at.and_then(|id| walk.b.facts.symbols.get(id.index())) {
        parts.push(walk.b.named(symbol.name));
        at = symbol.parent.filter(|parent| Some(*parent) < at);
    }
    parts.reverse();
    parts.join("::")
}

/// Binds what stands in a namespace by its full name at the top.
fn publish(walk: &mut Walk<'_, '_>, id: SymbolId, at: usize) {
    if walk.function().is_some() || walk.scope() == ScopeId::MODULE || !at_namespace(walk) {
        return;
    }
    let full = full_name(walk, id);
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
    let Some(path) = node.child_by_field_name("path") else {
        return;
    };
    // Angle brackets are kept: they say that it comes from elsewhere first.
    let text = walk.b.text(path).trim_matches('"').to_owned();
    walk.import_of(path, &text, None, None);
}

/// `#define`.
fn define(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let value = node.child_by_field_name("value");
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

/// A struct, union or class with a body; without one it only names a type.
fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(body) = node.child_by_field_name("body") else {
        return;
    };
    let kind = match node.kind() {
        "class_specifier" => SymbolKind::Class,
        _ => SymbolKind::Struct,
    };
    // One without a name of its own has that of the `typedef` around it.
    let around = node
        .parent()
        .filter(|parent| parent.kind() == "type_definition");
    let name = node.child_by_field_name("name").or_else(|| {
        let declarator = around?.child_by_field_name("declarator")?;
        (declarator.kind() == "type_identifier").then_some(declarator)
    });
    let Some(name) = name else { return };
    let name = match name.kind() {
        "template_type" => name.child_by_field_name("name").unwrap_or(name),
        _ => name,
    };
    walk.take(name);
    let declared = Declared {
        node: with_template(node),
        kind,
        name,
        body: Some(body),
    };
    let id = walk.declare(&declared);
    publish(walk, id, name.start_byte());
    let head = walk.type_body(id, template_params(node));
    if let Some(clause) = child_of_kind(node, "base_class_clause") {
        for base in children(clause) {
            if !matches!(
                base.kind(),
                "access_specifier" | "virtual" | "attribute_declaration"
            ) {
                walk.base(id, BaseKind::Extends, base, head);
            }
        }
    }
}

fn enumeration(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(body) = node.child_by_field_name("body") else {
        return;
    };
    let around = node
        .parent()
        .filter(|parent| parent.kind() == "type_definition");
    let name = node
        .child_by_field_name("name")
        .or_else(|| around?.child_by_field_name("declarator"));
    let Some(name) = name.filter(|name| name.kind() == "type_identifier") else {
        return;
    };
    walk.take(name);
    let declared = Declared {
        node,
        kind: SymbolKind::Enum,
        name,
        body: Some(body),
    };
    let id = walk.declare(&declared);
    publish(walk, id, name.start_byte());
    walk.members(id);
}

/// A member of an enum; of a plain one it is visible around the enum as well.
fn enumerator(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::EnumMember,
        name,
        body: None,
    };
    let id = walk.declare(&declared);
    let scoped = node
        .parent()
        .and_then(|list| list.parent())
        .and_then(|around| around.child(1))
        .is_some_and(|word| matches!(word.kind(), "class" | "struct"));
    let scope = walk.b.facts.scopes.get(walk.scope().index());
    if let Some(around) = scope.filter(|_| !scoped).and_then(|scope| scope.parent) {
        let name_id = walk.b.name_of(name);
        walk.b
            .bind(around, name_id, name.start_byte(), Bound::Symbol(id));
    }
}

/// `typedef T name;`
fn typedef(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(ty), Some(declarator)) = (
        node.child_by_field_name("type"),
        node.child_by_field_name("declarator"),
    ) else {
        return;
    };
    let declarator = Declarator::of(declarator);
    let Some(name) = declarator.name else { return };
    // `typedef struct x { … } x;` and `typedef struct { … } x;` declare `x` once.
    let own = ty.child_by_field_name("name");
    let same = own.is_none_or(|own| walk.b.text(own) == walk.b.text(name));
    if ty.child_by_field_name("body").is_some() && same {
        return;
    }
    walk.take(name);
    let declared = Declared {
        node,
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let id = walk.declare(&declared);
    publish(walk, id, name.start_byte());
    let ty = declarator.function.is_none().then(|| walk.read(ty));
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = ty;
    }
}

/// `using Name = T;`
fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(ty)) = (
        node.child_by_field_name("name"),
        node.child_by_field_name("type"),
    ) else {
        return;
    };
    walk.take(name);
    let declared = Declared {
        node: with_template(node),
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let id = walk.declare(&declared);
    publish(walk, id, name.start_byte());
    let ty = walk.read(ty);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = Some(ty);
    }
}

/// `namespace a::b { … }`; one without a name is seen around.
fn namespace(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let text: String = walk.b.text(name).split_whitespace().collect();
    let name_id = walk.b.name(&text);
    let declared = Declared {
        node,
        kind: SymbolKind::Module,
        name,
        body: node.child_by_field_name("body"),
    };
    let around = walk.scope();
    let id = walk.symbol(&declared, name_id);
    walk.b
        .bind(around, name_id, name.start_byte(), Bound::Symbol(id));
    let scope = walk.b.scope(around, ScopeKind::Module, Some(id));
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.members = Some(scope);
    }
    walk.enter_scope(scope);
    walk.enter_owner(id);
}

/// `using namespace a;`, `using a::b;`
fn using(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let Some(name) = children(node).next() else {
        return;
    };
    let whole = node.child(1).is_some_and(|word| word.kind() == "namespace");
    let text: String = walk.b.text(name).split_whitespace().collect();
    if whole {
        walk.import_of(name, &text, None, None);
    } else if let Some((module, last)) = text.rsplit_once("::") {
        walk.import_of(name, module, Some(last), Some(last));
    }
}

/// What a function's declarator says about whose function it is.
fn function(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(declarator) = node.child_by_field_name("declarator") else {
        return;
    };
    let declarator = Declarator::of(declarator);
    if let (Some(name), Some(list)) = (declarator.name, declarator.parameters)
        && node.child_by_field_name("type").is_none()
        && is_test_macro(walk.b.text(name))
    {
        test(walk, node, name, list);
        return;
    }
    declare(walk, node, &declarator, node.child_by_field_name("body"));
}

/// The macros of GoogleTest and its kin.
fn is_test_macro(name: &str) -> bool {
    matches!(
        name,
        "TEST"
            | "TEST_F"
            | "TEST_P"
            | "TYPED_TEST"
            | "TYPED_TEST_P"
            | "BOOST_AUTO_TEST_CASE"
            | "TEST_CASE"
            | "SCENARIO"
    )
}

/// `TEST(Suite, Name) { … }`.
fn test(walk: &mut Walk<'_, '_>, node: Node<'_>, name: Node<'_>, list: Node<'_>) {
    let parts: Vec<_> = children(list).map(|part| walk.b.text(part)).collect();
    let name_id = walk.b.name(&parts.join("."));
    for part in children(list) {
        walk.take(part);
        if let Some(ty) = part.child_by_field_name("type") {
            walk.take(ty);
        }
    }
    let declared = Declared {
        node,
        kind: SymbolKind::Function,
        name,
        body: node.child_by_field_name("body"),
    };
    let id = walk.symbol(&declared, name_id);
    walk.flag(id, Flags::TEST);
    walk.function_of(id);
}

/// Declares a function, method or constructor, and enters it when it has a body.
fn declare(
    walk: &mut Walk<'_, '_>,
    node: Node<'_>,
    declarator: &Declarator<'_>,
    body: Option<Node<'_>>,
) {
    let (Some(name), Some(parameters)) = (declarator.name, declarator.parameters) else {
        return;
    };
    if is_keyword(walk.b.text(name)) {
        return;
    }
    walk.take(name);
    let in_type = walk.in_members();
    let class_name = walk
        .class()
        .and_then(|class| walk.b.facts.symbols.get(class.index()))
        .map(|class| walk.b.named(class.name).to_owned());
    let text = walk.b.text(name).to_owned();
    let scope_name = declarator.scope.map(|scope| scope_text(walk, scope));
    let of_type = scope_name
        .as_deref()
        .and_then(|scope| scope.rsplit("::").next());
    let makes = match of_type {
        Some(class) => class == text,
        None => in_type && class_name.as_deref() == Some(&text),
    };
    let outer = with_template(node);
    let declared = Declared {
        node: outer,
        kind: match (makes, in_type || of_type.is_some()) {
            (true, _) => SymbolKind::Constructor,
            (false, true) => SymbolKind::Method,
            (false, false) => SymbolKind::Function,
        },
        name,
        body,
    };
    let name_id = walk.b.name(&text);
    let words = words_before(walk, node, name);
    let is_static = words.contains("static");
    let id = walk.symbol(&declared, name_id);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        if is_static {
            match in_type {
                true => symbol.flags.set(Flags::STATIC),
                // Seen in this file only.
                false => symbol.visibility = Visibility::Private,
            }
        }
        if body.is_none() && !matches!(words.as_str(), "=default" | "=delete") {
            symbol.flags.set(Flags::DECLARATION);
        }
        if text == "main" && !in_type {
            symbol.flags.set(Flags::ENTRY);
        }
    }
    if in_type {
        access(walk, node, id);
    }
    let at = name.start_byte();
    match (&scope_name, declarator.scope) {
        (Some(scope_name), Some(scope)) => outside(walk, id, makes, name, scope_name, scope),
        _ if makes => walk.bind_constructor(id, name),
        _ if body.is_none() && !in_type => {
            let prototype = walk.b.name(&format!("{PROTOTYPE}{}", full_name(walk, id)));
            walk.b
                .bind(ScopeId::MODULE, prototype, at, Bound::Symbol(id));
        }
        _ => {
            walk.b.bind(walk.scope(), name_id, at, Bound::Symbol(id));
            publish(walk, id, at);
        }
    }
    let function = walk.function_of(id);
    let names = walk.type_params(template_params(node));
    walk.set_type_params(function, names);
    if !makes {
        let result = declarator
            .result
            .or_else(|| node.child_by_field_name("type"));
        walk.set_result(
            function,
            result.filter(|ty| ty.kind() != "placeholder_type_specifier"),
        );
    }
    params(walk, parameters, function);
}

/// A definition outside the class (or namespace) that it belongs to.
fn outside(
    walk: &mut Walk<'_, '_>,
    id: SymbolId,
    makes: bool,
    name: Node<'_>,
    scope_name: &str,
    scope: Node<'_>,
) {
    let around = walk.scope();
    let owner = walk.b.name(scope_name);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.owner = Some(owner);
    }
    let target = walk.b.expr(Expr::Name(owner));
    let last = scope_name
        .rsplit("::")
        .next()
        .unwrap_or(scope_name)
        .to_owned();
    let target_name = walk.b.name(&last);
    let members = walk.b.scope(around, ScopeKind::Members, None);
    walk.b.facts.extensions.push(Extension {
        target,
        interface: None,
        members,
        scope: around,
        at: scope.start_byte() as u32,
        row: scope.start_position().row as u32,
        target_name: Some(target_name),
    });
    take_all(walk, scope);
    if let Some(whole) = scope.parent() {
        walk.take(whole);
    }
    walk.enter_scope(members);
    if makes {
        walk.bind_constructor(id, name);
    } else {
        let name_id = walk.b.name_of(name);
        walk.b
            .bind(members, name_id, name.start_byte(), Bound::Symbol(id));
    }
}

/// The words before a declaration's name, and what follows `=`.
fn words_before(walk: &Walk<'_, '_>, node: Node<'_>, name: Node<'_>) -> String {
    let mut words = String::new();
    for child in children(node) {
        match child.kind() {
            "default_method_clause" => return "=default".to_owned(),
            "delete_method_clause" => return "=delete".to_owned(),
            _ if child.start_byte() >= name.start_byte() => {}
            "storage_class_specifier" => {
                words.push_str(walk.b.text(child));
                words.push(' ');
            }
            _ => {}
        }
    }
    words
}

/// The `public:` or `private:` that a member stands under.
fn access(walk: &mut Walk<'_, '_>, node: Node<'_>, id: SymbolId) {
    let mut before = with_template(node).prev_named_sibling();
    let mut said = None;
    let mut steps = 0;
    while let Some(node) = before.filter(|_| steps < 512) {
        if node.kind() == "access_specifier" {
            said = Some(walk.b.text(node));
            break;
        }
        before = node.prev_named_sibling();
        steps += 1;
    }
    let is_class = walk.class().and_then(|class| walk.kind(class)) == Some(SymbolKind::Class);
    let visibility = match said {
        Some("private") => Visibility::Private,
        Some("protected") => Visibility::Protected,
        None if is_class => Visibility::Private,
        _ => Visibility::Public,
    };
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.visibility = visibility;
    }
}

/// The text of a scope without its type arguments: `a::Box` of `a::Box<T>`.
fn scope_text(walk: &Walk<'_, '_>, node: Node<'_>) -> String {
    let mut text = String::new();
    let mut depth = 0usize;
    for c in walk.b.text(node).chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 && !c.is_whitespace() => text.push(c),
            _ => {}
        }
    }
    text
}

/// Marks a node and what is in it.
fn take_all(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        walk.take(node);
        if node.kind() != "template_argument_list" {
            left.extend(children(node));
        }
    }
}

/// Parameters of a function or lambda.
fn params(walk: &mut Walk<'_, '_>, list: Node<'_>, function: FunctionId) {
    for param in children(list) {
        let declarator = param.child_by_field_name("declarator").map(Declarator::of);
        let Some(name) = declarator.as_ref().and_then(|declarator| declarator.name) else {
            continue;
        };
        let declared = param.child_by_field_name("type").filter(|ty| {
            ty.kind() != "placeholder_type_specifier"
                && declarator
                    .as_ref()
                    .is_some_and(|declarator| declarator.function.is_none())
        });
        let param = Parameter {
            name,
            declared,
            default: param.child_by_field_name("default_value"),
            rest: false,
        };
        walk.take(name);
        walk.param(function, &param);
    }
}

fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    let Some(declarator) = node.child_by_field_name("declarator") else {
        return;
    };
    if let Some(list) = declarator.child_by_field_name("parameters") {
        params(walk, list, function);
    }
    let result = child_of_kind(declarator, "trailing_return_type").and_then(|r| r.named_child(0));
    walk.set_result(function, result);
}

/// Variables, fields and prototypes: one type, several declarators.
fn declaration(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.child_by_field_name("type");
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
        let value = declarator
            .value
            .or_else(|| node.child_by_field_name("default_value"));
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
    let (Some(declarator), Some(right)) = (
        node.child_by_field_name("declarator"),
        node.child_by_field_name("right"),
    ) else {
        return;
    };
    let ty = node.child_by_field_name("type");
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
        .child_by_field_name("parameters")
        .and_then(|list| children(list).next());
    let Some(param) = param else { return };
    if let (Some(ty), Some(declarator)) = (
        param.child_by_field_name("type"),
        param.child_by_field_name("declarator"),
    ) && let Some(name) = Declarator::of(declarator).name
    {
        let ty = walk.read(ty);
        walk.local(name, Bound::Declared(ty));
    }
}

fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(callee) = node.child_by_field_name("function") else {
        return;
    };
    take_all_names(walk, callee);
    if is_keyword(walk.b.text(callee)) {
        return;
    }
    let what = walk.read(callee);
    let args = walk.arguments(node.child_by_field_name("arguments"));
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
                node.child_by_field_name("name")
            }
            "field_expression" => node.child_by_field_name("field"),
            "parenthesized_expression" => node.named_child(0),
            "pointer_expression" => node.child_by_field_name("argument"),
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
            if let Some(name) = callee.child_by_field_name("name") {
                walk.take(name);
            }
        }
        _ => {}
    }
}

fn creation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(ty) = node.child_by_field_name("type") else {
        return;
    };
    let ty = match ty.kind() {
        "type_descriptor" => ty.child_by_field_name("type").unwrap_or(ty),
        _ => ty,
    };
    if ty.kind() == "primitive_type" {
        return;
    }
    let args = walk.arguments(node.child_by_field_name("arguments"));
    walk.new_site(ty, args);
}

fn initializer(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = node.child_by_field_name("value") {
        walk.value_if_name(value);
    }
}

fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(left) = node.child_by_field_name("left") {
        walk.write(left);
    }
    if let Some(right) = node.child_by_field_name("right") {
        walk.value_if_name(right);
    }
}

/// `a::b::c` is one name; with type arguments in it, a member of what stands before.
fn read_qualified(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut inner = node;
    while let Some(next) = inner
        .child_by_field_name("name")
        .filter(|next| next.kind() == "qualified_identifier")
    {
        inner = next;
    }
    let named = inner.child_by_field_name("name");
    let text = scope_text(walk, node);
    let name = walk.b.name(text.trim_start_matches("::"));
    if let Some(generic) =
        named.filter(|n| matches!(n.kind(), "template_type" | "template_function"))
        && let Some(args) = generic.child_by_field_name("arguments")
    {
        let base = walk.b.expr(Expr::Name(name));
        let args = walk.read_all(args);
        return Expr::Generic(base, args);
    }
    Expr::Name(name)
}

fn read_primitive(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    Expr::Literal(walk.b.name_of(node))
}

/// A call; the casts of C++ give an instance of their type.
fn read_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(callee) = node.child_by_field_name("function") else {
        return Expr::Unknown;
    };
    if callee.kind() == "template_function"
        && let (Some(name), Some(args)) = (
            callee.child_by_field_name("name"),
            callee.child_by_field_name("arguments"),
        )
        && walk.b.text(name).ends_with("_cast")
        && let Some(ty) = children(args).next()
    {
        return Expr::Instance(walk.read(ty));
    }
    let what: ExprId = walk.read(callee);
    let args = walk.arguments(node.child_by_field_name("arguments"));
    Expr::Call(what, args)
}
