//! Kotlin: declarations, uses and imports of one file.
//!
//! A function or method whose name begins with a small letter is bound, and called, as `name()`:
//! properties and functions have names of their own. Names with a capital letter are those of
//! classes, and of functions that look like their constructors.

use super::Builder;
use super::table::{Act, At, Declared, Grammar, Read, Walk, child_of_kind, children, walk};
use crate::facts::{
    BaseKind, Binding, Bound, Expr, ExprId, Flags, FunctionId, List, NameId, ScopeId, ScopeKind,
    SiteKind, SymbolId, SymbolKind, Visibility,
};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

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

use At::{Field, Last, Nth};

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

/// The nodes of types.
fn is_type(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "user_type" | "nullable_type" | "function_type" | "parenthesized_type"
    )
}

fn type_params<'n>(node: Node<'n>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let Some(list) = child_of_kind(node, "type_parameters") else {
        return Vec::new();
    };
    children(list)
        .filter_map(|param| {
            let name = child_of_kind(param, "identifier")?;
            Some((name, children(param).find(|child| is_type(*child))))
        })
        .collect()
}

/// Whether a declaration has a word before its name.
fn has_word(walk: &Walk<'_, '_>, node: Node<'_>, word: &str) -> bool {
    let words = child_of_kind(node, "modifiers");
    words.is_some_and(|words| children(words).any(|w| walk.b.text(w) == word))
}

fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let companion = node.kind() == "companion_object";
    let mut cursor = node.walk();
    let interface = node
        .children(&mut cursor)
        .any(|child| child.kind() == "interface");
    let kind = match () {
        () if interface => SymbolKind::Interface,
        () if has_word(walk, node, "enum") => SymbolKind::Enum,
        () => SymbolKind::Class,
    };
    let name = node
        .child_by_field_name("name")
        .or_else(|| child_of_kind(node, "identifier"));
    let body = child_of_kind(node, "class_body").or_else(|| child_of_kind(node, "enum_class_body"));
    let declared = Declared {
        node,
        kind,
        name: name.unwrap_or(node),
        body,
    };
    let id = match name {
        Some(_) => walk.declare(&declared),
        None => {
            let name = walk.b.name("Companion");
            let id = walk.symbol(&declared, name);
            let scope = walk.scope();
            walk.b
                .bind(scope, name, node.start_byte(), Bound::Symbol(id));
            id
        }
    };
    if companion {
        walk.flag(id, Flags::STATIC);
    }
    let head = walk.type_body(id, type_params(node));
    bases(walk, node, id, head, kind == SymbolKind::Interface);
    if let Some(primary) = child_of_kind(node, "primary_constructor")
        && let Some(name) = name
    {
        primary_constructor(walk, primary, name);
    }
}

fn bases(walk: &mut Walk<'_, '_>, node: Node<'_>, id: SymbolId, head: ScopeId, interface: bool) {
    let Some(list) = child_of_kind(node, "delegation_specifiers") else {
        return;
    };
    for specifier in children(list) {
        let Some(base) = children(specifier).next() else {
            continue;
        };
        let (kind, ty) = match base.kind() {
            "constructor_invocation" => (BaseKind::Extends, children(base).next()),
            "explicit_delegation" => (BaseKind::Implements, children(base).next()),
            _ if interface => (BaseKind::Extends, Some(base)),
            _ => (BaseKind::Implements, Some(base)),
        };
        if let Some(ty) = ty {
            walk.base(id, kind, ty, head);
        }
    }
}

/// `class C(val a: A, b: B)`: fields, names for initialisers, and the constructor.
fn primary_constructor(walk: &mut Walk<'_, '_>, node: Node<'_>, class: Node<'_>) {
    let Some(list) = child_of_kind(node, "class_parameters") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::Constructor,
        name: class,
        body: None,
    };
    let name = walk.b.name_of(class);
    let id = walk.symbol(&declared, name);
    walk.bind_constructor(id, class);
    let members = walk.scope();
    let unit = walk.b.name("Unit");
    let unit = walk.b.expr(Expr::Literal(unit));
    walk.accessor(id, unit);
    let Some(function) = walk.function_id(id) else {
        return;
    };
    if let Some(function) = walk.b.function_mut(function) {
        function.result = None;
    }
    for param in children(list).filter(|param| param.kind() == "class_parameter") {
        let Some(name) = child_of_kind(param, "identifier") else {
            continue;
        };
        let ty = children(param).find(|child| is_type(*child));
        let ty = ty.map(|ty| walk.read(ty));
        let default = children(param)
            .last()
            .filter(|last| !is_type(*last) && last.id() != name.id());
        let default = default.map(|default| walk.read(default));
        let name_id = walk.b.name_of(name);
        let rest = has_word(walk, param, "vararg");
        walk.param_of(function, name_id, name.start_byte(), ty, default, rest);
        let mut cursor = param.walk();
        let is_field = param
            .children(&mut cursor)
            .any(|child| matches!(child.kind(), "val" | "var"));
        if is_field {
            let declared = Declared {
                node: param,
                kind: SymbolKind::Field,
                name,
                body: None,
            };
            walk.variable(&declared, ty, None);
        } else if let Some(ty) = ty {
            walk.b
                .bind(members, name_id, name.start_byte(), Bound::Declared(ty));
        }
    }
}

/// `object : A(1), B { … }`.
fn object_literal(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let first = child_of_kind(node, "delegation_specifiers").and_then(|list| children(list).next());
    let last = first.map_or(node, |first| last_type_name(first));
    let text = match first {
        Some(_) => format!("new {}", walk.b.text(last)),
        None => "object".to_owned(),
    };
    let name = walk.b.name(&text);
    let declared = Declared {
        node,
        kind: SymbolKind::Class,
        name: last,
        body: child_of_kind(node, "class_body"),
    };
    let id = walk.symbol(&declared, name);
    let scope = walk.scope();
    walk.type_body(id, []);
    bases(walk, node, id, scope, false);
}

/// The last name of a type, wherever it stands in `node`.
fn last_type_name(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    for _ in 0..8 {
        let next = match node.kind() {
            "identifier" => return node,
            "user_type" => children(node).filter(|c| c.kind() == "identifier").last(),
            _ => children(node).next(),
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

fn read_object(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let first = child_of_kind(node, "delegation_specifiers").and_then(|list| children(list).next());
    match first {
        Some(first) => Expr::Instance(walk.read(first)),
        None => Expr::Unknown,
    }
}

fn enum_entry(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(class)) = (child_of_kind(node, "identifier"), walk.class()) else {
        return;
    };
    let body = child_of_kind(node, "class_body");
    let declared = Declared {
        node,
        kind: SymbolKind::EnumMember,
        name,
        body,
    };
    let ty = walk.b.expr(Expr::Symbol(class));
    let scope = walk.scope();
    let Some(id) = walk.variable(&declared, Some(ty), None) else {
        return;
    };
    walk.flag(id, Flags::STATIC);
    if let Some(args) = child_of_kind(node, "value_arguments") {
        let args = walk.arguments(Some(args));
        walk.with_owner(Some(id), |walk| walk.site(SiteKind::New, ty, name, args));
    }
    if body.is_some() {
        walk.type_body(id, []);
        walk.base_expr(id, BaseKind::Extends, ty, name, scope);
    } else {
        walk.enter_owner(id);
    }
}

/// `: Base(…)` calls a constructor.
fn super_call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(parent) = node
        .parent()
        .filter(|parent| parent.kind() == "delegation_specifier")
    else {
        return;
    };
    let class = walk.b.expr(Expr::Super);
    let args = walk.arguments(child_of_kind(node, "value_arguments"));
    walk.constructor_call(class, last_type_name(parent), args);
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

fn secondary(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(class) = walk.class() else { return };
    let Some(name) = walk
        .b
        .facts
        .symbols
        .get(class.index())
        .map(|symbol| symbol.name)
    else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::Constructor,
        name: node.child(0).unwrap_or(node),
        body: child_of_kind(node, "block"),
    };
    let id = walk.symbol(&declared, name);
    walk.bind_constructor(id, node);
    let function = walk.function_of(id);
    params(walk, node, function);
}

fn params(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    let Some(list) = child_of_kind(node, "function_value_parameters") else {
        return;
    };
    let mut rest = false;
    let mut last: Option<(FunctionId, usize)> = None;
    for param in children(list) {
        match param.kind() {
            "parameter_modifiers" => rest = walk.b.text(param).contains("vararg"),
            "parameter" => {
                let Some(name) = child_of_kind(param, "identifier") else {
                    continue;
                };
                let ty = children(param).find(|child| is_type(*child));
                let declared = ty.map(|ty| walk.read(ty));
                let declared = match rest {
                    true => declared.map(|ty| walk.array_of(ty)),
                    false => declared,
                };
                let id = walk.b.name_of(name);
                walk.param_of(function, id, name.start_byte(), declared, None, rest);
                last = walk
                    .b
                    .function_mut(function)
                    .map(|f| (function, f.params.len().saturating_sub(1)));
                rest = false;
            }
            // A default value follows its parameter.
            _ => {
                let value = walk.read(param);
                if let Some((function, at)) = last
                    && let Some(function) = walk.b.function_mut(function)
                    && let Some(param) = function.params.get_mut(at)
                {
                    param.default = Some(value);
                }
            }
        }
    }
}

/// What stands before a name with a dot is the type that gets the member.
fn receiver_of<'n>(node: Node<'n>, name: Node<'n>) -> Option<Node<'n>> {
    children(node)
        .take_while(|child| child.start_byte() < name.start_byte())
        .filter(|child| is_type(*child))
        .last()
}

/// Makes a scope for a member that is added to `receiver`, and enters it.
fn extend(walk: &mut Walk<'_, '_>, receiver: Node<'_>) -> ScopeId {
    let outer = walk.scope();
    let scope = walk.b.scope(outer, ScopeKind::Members, None);
    let target = match receiver.kind() {
        "nullable_type" | "parenthesized_type" => children(receiver).next().unwrap_or(receiver),
        _ => receiver,
    };
    walk.extension(target, None, scope, outer);
    walk.enter_scope(scope);
    outer
}

fn function(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let in_members = walk.in_members();
    let body = child_of_kind(node, "function_body");
    let receiver = receiver_of(node, name);
    let outer = receiver.map(|receiver| extend(walk, receiver));
    let kind = match in_members {
        true => SymbolKind::Method,
        false => SymbolKind::Function,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body,
    };
    let text = walk.b.text(name).trim_matches('`').to_owned();
    let shown = walk.b.name(&text);
    let id = walk.symbol(&declared, shown);
    let bound = callable(walk, &text);
    let scope = walk.scope();
    for scope in [Some(scope), outer].into_iter().flatten() {
        walk.b
            .bind(scope, bound, name.start_byte(), Bound::Symbol(id));
    }
    if body.is_none() {
        walk.flag(id, Flags::ABSTRACT);
    }
    if text == "main" && !in_members {
        walk.flag(id, Flags::ENTRY);
    }
    let function = walk.function_of(id);
    let names = walk.type_params(type_params(node));
    walk.set_type_params(function, names);
    let params_end = child_of_kind(node, "function_value_parameters").map(|list| list.end_byte());
    let result = children(node).find(|child| {
        is_type(*child) && Some(child.start_byte()) >= params_end && params_end.is_some()
    });
    walk.set_result(function, result);
    params(walk, node, function);
}

fn property(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(variable) = child_of_kind(node, "variable_declaration") else {
        if let Some(several) = child_of_kind(node, "multi_variable_declaration")
            && let Some(value) = children(node).last()
        {
            let value = walk.read(value);
            parts(walk, several, value);
        }
        return;
    };
    let Some(name) = child_of_kind(variable, "identifier") else {
        return;
    };
    let ty = children(variable).find(|child| is_type(*child));
    let ty = ty.map(|ty| walk.read(ty));
    let value = children(node)
        .skip_while(|child| child.id() != variable.id())
        .skip(1)
        .find(|child| !matches!(child.kind(), "getter" | "setter" | "type_constraints"));
    let getter = child_of_kind(node, "getter");
    let receiver = receiver_of(node, variable);
    let outer = receiver.map(|receiver| extend(walk, receiver));
    let value_expr = match (value, getter) {
        (Some(value), _) if value.kind() == "property_delegate" => delegated(walk, value),
        (Some(value), _) => Some(walk.read(value)),
        (None, Some(getter)) => child_of_kind(getter, "function_body")
            .and_then(|body| children(body).next())
            .filter(|value| value.kind() != "block")
            .map(|value| walk.read(value)),
        (None, None) => None,
    };
    let constant = has_word(walk, node, "const");
    let in_members = walk.in_members();
    let declared = Declared {
        node,
        kind: match (constant, in_members) {
            (true, _) => SymbolKind::Constant,
            (_, true) => SymbolKind::Field,
            _ => SymbolKind::Variable,
        },
        name,
        body: value.or(getter),
    };
    if let Some(id) = walk.variable(&declared, ty, value_expr) {
        if getter.is_some() {
            walk.flag(id, Flags::PROPERTY);
        }
        if let Some(outer) = outer {
            let bound = walk.b.name_of(name);
            walk.b
                .bind(outer, bound, name.start_byte(), Bound::Symbol(id));
        }
        walk.enter_owner(id);
    }
    if let Some(value) = value {
        walk.value_if_name(value);
        if let (Some(ty), Some(value)) = (ty, value_expr)
            && let Expr::Closure(function) = walk.b.expr_at(value)
        {
            walk.expected(function, ty);
        }
    }
}

/// `by lazy { … }` is what the closure gives.
fn delegated(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Option<ExprId> {
    let call = children(node).next()?;
    let callee = children(call).next()?;
    let lambda = child_of_kind(call, "annotated_lambda")?;
    (walk.b.text(callee) == "lazy").then(|| {
        let closure = walk.read(lambda);
        walk.b.expr(Expr::Call(closure, List::default()))
    })
}

/// `val (a, b) = value`.
fn parts(walk: &mut Walk<'_, '_>, node: Node<'_>, value: ExprId) {
    for (at, variable) in children(node).enumerate() {
        let Some(name) = child_of_kind(variable, "identifier") else {
            continue;
        };
        let ty = children(variable).find(|child| is_type(*child));
        let bound = match ty {
            Some(ty) => Bound::Declared(walk.read(ty)),
            None => Bound::Value(walk.b.expr(Expr::Part(value, at as u16))),
        };
        walk.local(name, bound);
    }
}

fn accessor(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    if let Some(name) = child_of_kind(node, "identifier") {
        walk.local(name, Bound::Unknown);
    }
}

fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(ty)) = (
        node.child_by_field_name("type"),
        children(node).find(|child| is_type(*child)),
    ) else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let ty = walk.read(ty);
    let id = walk.declare(&declared);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = Some(ty);
    }
    walk.enter_owner(id);
}

fn body(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = children(node).next()
        && value.kind() != "block"
    {
        walk.value_if_name(value);
        walk.returns(value);
    }
}

fn for_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let mut all = children(node);
    let (Some(variable), Some(value)) = (all.next(), all.next()) else {
        return;
    };
    let whole = walk.read(value);
    let element = walk.b.expr(Expr::Element(whole));
    match variable.kind() {
        "multi_variable_declaration" => parts(walk, variable, element),
        _ => {
            let Some(name) = child_of_kind(variable, "identifier") else {
                return;
            };
            let bound = match children(variable).find(|child| is_type(*child)) {
                Some(ty) => Bound::Declared(walk.read(ty)),
                None => Bound::Value(element),
            };
            walk.local(name, bound);
        }
    }
}

/// The name and the value that a `when` looks at.
fn subject<'n>(node: Node<'n>) -> Option<Node<'n>> {
    let subject = child_of_kind(node, "when_subject")?;
    match child_of_kind(subject, "variable_declaration") {
        Some(variable) => child_of_kind(variable, "identifier"),
        None => children(subject)
            .next()
            .filter(|name| name.kind() == "identifier"),
    }
}

fn when(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let Some(subject_node) = child_of_kind(node, "when_subject") else {
        return;
    };
    if let Some(variable) = child_of_kind(subject_node, "variable_declaration")
        && let Some(name) = child_of_kind(variable, "identifier")
        && let Some(value) = children(subject_node).last()
    {
        let value = walk.read(value);
        walk.local(name, Bound::Value(value));
    }
}

/// `is T -> …`: the subject is a `T` there.
fn when_entry(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let mut cursor = node.walk();
    let tests: Vec<_> = node
        .children_by_field_name("condition", &mut cursor)
        .collect();
    if let [test] = tests.as_slice()
        && test.kind() == "type_test"
        && !walk.b.text(*test).starts_with('!')
        && let Some(ty) = children(*test).next()
        && let Some(name) = node.parent().and_then(|when| subject(when))
    {
        let ty = walk.read(ty);
        let id = walk.b.name_of(name);
        walk.local_named(id, node.start_byte(), Bound::Declared(ty));
    }
}

/// `if (x is T) …`: `x` is a `T` there.
fn if_expression(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(condition) = node.child_by_field_name("condition") else {
        return;
    };
    let holds = children(node).find(|child| child.start_byte() >= condition.end_byte());
    let Some(holds) = holds else { return };
    let mut left = vec![condition];
    while let Some(test) = left.pop() {
        match test.kind() {
            "parenthesized_expression" => left.extend(children(test)),
            "binary_expression"
                if test
                    .child_by_field_name("operator")
                    .is_some_and(|o| o.kind() == "&&") =>
            {
                left.extend(children(test));
            }
            "is_expression" => {
                let (Some(name), Some(ty)) = (
                    test.child_by_field_name("left"),
                    test.child_by_field_name("right"),
                ) else {
                    continue;
                };
                let mut cursor = test.walk();
                let negated = test.children(&mut cursor).any(|word| word.kind() == "!is");
                if name.kind() == "identifier" && !negated {
                    let ty = walk.read(ty);
                    let id = walk.b.name_of(name);
                    walk.narrow(holds, id, ty);
                }
            }
            _ => {}
        }
    }
}

fn catch(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    if let (Some(name), Some(ty)) = (
        child_of_kind(node, "identifier"),
        children(node).find(|child| is_type(*child)),
    ) {
        let ty = walk.read(ty);
        walk.local(name, Bound::Declared(ty));
    }
}

/// Parameters of lambdas, anonymous functions and function types.
fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    match node.kind() {
        "anonymous_function" => {
            params(walk, node, function);
            let result = children(node).filter(|child| is_type(*child)).last();
            walk.set_result(function, result);
        }
        "function_type" => {
            let result = children(node).filter(|child| is_type(*child)).last();
            walk.set_result(function, result);
            let params = child_of_kind(node, "function_type_parameters");
            for ty in params
                .iter()
                .flat_map(|params| children(*params).collect::<Vec<_>>())
            {
                let name = walk.b.name("_");
                let declared = match ty.kind() {
                    "parameter" => children(ty).find(|child| is_type(*child)),
                    _ => Some(ty),
                };
                let declared = declared.map(|ty| walk.read(ty));
                walk.param_of(function, name, ty.start_byte(), declared, None, false);
            }
        }
        _ => {
            let Some(list) = child_of_kind(node, "lambda_parameters") else {
                let it = walk.b.name("it");
                walk.param_of(function, it, node.start_byte(), None, None, false);
                return;
            };
            for variable in children(list) {
                let Some(name) = child_of_kind(variable, "identifier") else {
                    let name = walk.b.name("_");
                    walk.param_of(function, name, variable.start_byte(), None, None, false);
                    continue;
                };
                let ty = children(variable).find(|child| is_type(*child));
                let ty = ty.map(|ty| walk.read(ty));
                let id = walk.b.name_of(name);
                walk.param_of(function, id, name.start_byte(), ty, None, false);
            }
        }
    }
}

/// The last expression of a lambda is what it gives.
fn lambda(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.closure(node);
    if let Some(last) = children(node)
        .filter(|child| child.kind() != "lambda_parameters")
        .last()
    {
        walk.value_if_name(last);
        walk.returns(last);
    }
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

/// Whether `a::b` is written.
fn is_reference(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == "::")
}

fn read_navigation(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut all = children(node);
    let (Some(object), Some(name)) = (all.next(), all.last()) else {
        return Expr::Unknown;
    };
    let of = walk.read(object);
    if !is_reference(node) {
        return Expr::Member(of, walk.b.name_of(name));
    }
    match walk.b.text(name) {
        "class" => Expr::Unknown,
        text => {
            let name = callable(walk, text);
            Expr::Member(of, name)
        }
    }
}

fn navigation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if is_reference(node)
        && let Some(object) = children(node).next()
        && walk.b.text(object).starts_with(char::is_uppercase)
    {
        walk.class_use(object);
    }
    walk.value_at(node, children(node).last());
}

fn read_reference(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let parts: Vec<_> = children(node).collect();
    match parts.as_slice() {
        [name] => {
            let text = walk.b.text(*name);
            Expr::Name(callable(walk, text))
        }
        [object, name] => {
            let of = walk.read(*object);
            let text = walk.b.text(*name);
            let name = callable(walk, text);
            Expr::Member(of, name)
        }
        _ => Expr::Unknown,
    }
}

fn reference(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.value_at(node, children(node).last());
}

/// The callee of a call as an expression, and the node of its last name.
fn callee<'n>(walk: &mut Walk<'_, '_>, node: Node<'n>) -> (ExprId, Node<'n>) {
    match node.kind() {
        "identifier" => {
            let text = walk.b.text(node);
            let plain = walk.b.name(text);
            let name = match walk.is_local(plain) {
                true => plain,
                false => callable(walk, text),
            };
            (walk.b.expr(Expr::Name(name)), node)
        }
        "navigation_expression" if !is_reference(node) => {
            let mut all = children(node);
            let (Some(object), Some(name)) = (all.next(), all.last()) else {
                return (walk.read(node), node);
            };
            let of = walk.read(object);
            let text = walk.b.text(name);
            let id = callable(walk, text);
            (walk.b.expr(Expr::Member(of, id)), name)
        }
        _ => (walk.read(node), node),
    }
}

/// The arguments of a call: those in parentheses and the lambda after them.
fn all_arguments(walk: &mut Walk<'_, '_>, node: Node<'_>) -> List {
    let mut operands = Vec::new();
    let inner = call_parts(node)
        .map(|(_, inner)| inner)
        .filter(|inner| inner.id() != node.id());
    let inner = inner.into_iter().flat_map(|inner| children(inner).skip(1));
    for part in inner.chain(children(node).skip(1)) {
        match part.kind() {
            "value_arguments" => {
                for arg in children(part) {
                    operands.push(walk.read(arg));
                }
            }
            "annotated_lambda" => operands.push(walk.read(part)),
            _ => {}
        }
    }
    walk.b.list(&operands)
}

/// What is called, and the nodes of the arguments: `f(x) { … }` is one call, which the grammar
/// takes for a call of what `f(x)` gives.
fn call_parts<'n>(node: Node<'n>) -> Option<(Node<'n>, Node<'n>)> {
    let function = children(node).next()?;
    let trails = function.kind() == "call_expression"
        && child_of_kind(node, "value_arguments").is_none()
        && child_of_kind(function, "annotated_lambda").is_none();
    match trails {
        true => Some((children(function).next()?, function)),
        false => Some((function, node)),
    }
}

fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some((function, inner)) = call_parts(node).filter(|_| !walk.is_taken(node)) else {
        return;
    };
    if inner.id() != node.id() {
        walk.take(inner);
    }
    if function.kind() != "call_expression" {
        walk.take(function);
    }
    let (what, name) = callee(walk, function);
    let args = all_arguments(walk, node);
    scope_function(walk, what, args);
    let what = with_types(walk, what, inner);
    walk.call_site(what, args, name);
}

/// A callee with the type arguments that stand in the call.
fn with_types(walk: &mut Walk<'_, '_>, what: ExprId, node: Node<'_>) -> ExprId {
    match child_of_kind(node, "type_arguments") {
        Some(types) => {
            let types = walk.read_all(types);
            walk.b.expr(Expr::Generic(what, types))
        }
        None => what,
    }
}

/// In `x.let { … }` and `x.also { … }` the closure gets `x`.
fn scope_function(walk: &mut Walk<'_, '_>, what: ExprId, args: List) {
    let Expr::Member(object, name) = walk.b.expr_at(what) else {
        return;
    };
    if !matches!(
        walk.b.named(name),
        "let()" | "also()" | "takeIf()" | "takeUnless()"
    ) {
        return;
    }
    let closure = walk
        .b
        .operands(args)
        .last()
        .map(|last| walk.b.expr_at(*last));
    let Some(Expr::Closure(function)) = closure else {
        return;
    };
    let Some((scope, name)) = walk
        .b
        .function_mut(function)
        .and_then(|f| Some((f.scope, f.params.first()?.name)))
    else {
        return;
    };
    walk.b.rebind(scope, name, Bound::Value(object));
}

fn read_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some((function, inner)) = call_parts(node) else {
        return Expr::Unknown;
    };
    let (what, _) = callee(walk, function);
    let args = all_arguments(walk, node);
    if let Expr::Member(object, name) = walk.b.expr_at(what) {
        let closure = walk.b.operands(args).last().copied();
        match walk.b.named(name) {
            "apply()" | "also()" | "takeIf()" | "takeUnless()" => return walk.b.expr_at(object),
            "let()" | "run()" if closure.is_some() => {
                scope_function(walk, what, args);
                if let Some(closure) = closure {
                    return Expr::Call(closure, List::default());
                }
            }
            _ => {}
        }
    }
    Expr::Call(with_types(walk, what, inner), args)
}

/// `f<T>(x)`, which the grammar takes for comparisons.
fn generic_call<'n>(node: Node<'n>) -> Option<(Node<'n>, Node<'n>)> {
    let operator = |node: Node<'n>| node.child_by_field_name("operator").map(|o| o.kind());
    let left = node.child_by_field_name("left")?;
    let right = node.child_by_field_name("right")?;
    let is = operator(node) == Some(">")
        && right.kind() == "parenthesized_expression"
        && left.kind() == "binary_expression"
        && operator(left) == Some("<");
    let function = left.child_by_field_name("left").filter(|_| is)?;
    matches!(function.kind(), "identifier" | "navigation_expression").then_some((function, right))
}

/// The callee of such a call with its type argument.
fn compared_type(walk: &mut Walk<'_, '_>, what: ExprId, node: Node<'_>) -> ExprId {
    let ty = node
        .child_by_field_name("left")
        .and_then(|left| left.child_by_field_name("right"));
    match ty {
        Some(ty) => {
            let ty = walk.read(ty);
            let types = walk.b.list(&[ty]);
            walk.b.expr(Expr::Generic(what, types))
        }
        None => what,
    }
}

fn binary(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some((function, args)) = generic_call(node) {
        walk.take(function);
        let (what, name) = callee(walk, function);
        let what = compared_type(walk, what, node);
        let args = walk.arguments(Some(args));
        walk.call_site(what, args, name);
    }
}

fn read_binary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    if let Some((function, args)) = generic_call(node) {
        let (what, _) = callee(walk, function);
        let what = compared_type(walk, what, node);
        return Expr::Call(what, walk.arguments(Some(args)));
    }
    let operator = node.child_by_field_name("operator").map(|o| o.kind());
    match operator {
        Some("?:") => Expr::Union(walk.read_all(node)),
        _ => walk.binary(node, "Boolean"),
    }
}

/// `a to b`.
fn infix_parts(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Option<(ExprId, List)> {
    let all: Vec<_> = children(node).collect();
    let [left, name, right] = all.as_slice() else {
        return None;
    };
    let of = walk.read(*left);
    let text = walk.b.text(*name);
    let id = callable(walk, text);
    let what = walk.b.expr(Expr::Member(of, id));
    let right = walk.read(*right);
    Some((what, walk.b.list(&[right])))
}

fn infix(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some((what, args)) = infix_parts(walk, node)
        && let Some(name) = children(node).nth(1)
    {
        walk.call_site(what, args, name);
    }
}

fn read_infix(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match infix_parts(walk, node) {
        Some((what, args)) => Expr::Call(what, args),
        None => Expr::Unknown,
    }
}

fn read_if(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let condition = node.child_by_field_name("condition").map(|c| c.id());
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
    if let Some(left) = node.child_by_field_name("left") {
        walk.write_at(left, last_of(left));
    }
    if let Some(right) = node.child_by_field_name("right") {
        walk.value_if_name(right);
    }
}

/// The last name of a dotted expression.
fn last_of(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "navigation_expression" => children(node).last().unwrap_or(node),
        _ => node,
    }
}

fn read_type(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut whole: Option<Expr> = None;
    for part in children(node) {
        whole = match (part.kind(), whole) {
            ("identifier", None) => Some(Expr::Name(walk.b.name_of(part))),
            ("identifier", Some(base)) => {
                let base = walk.b.expr(base);
                Some(Expr::Member(base, walk.b.name_of(part)))
            }
            ("type_arguments", Some(base)) => {
                let base = walk.b.expr(base);
                Some(Expr::Generic(base, walk.read_all(part)))
            }
            (_, whole) => whole,
        };
    }
    whole.unwrap_or(Expr::Unknown)
}

fn type_use(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if walk.is_taken(node) {
        return;
    }
    let mut what = walk.read(node);
    if let Expr::Generic(base, _) = walk.b.expr_at(what) {
        what = base;
    }
    walk.site(SiteKind::Type, what, last_type_name(node), List::default());
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
