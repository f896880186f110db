//! Functions of C and C++.

use super::super::table::{Declared, Parameter, Walk, child_of_kind, children};
use super::declarator::Declarator;
use super::types::{template_params, with_template};
use super::{PROTOTYPE, is_keyword, publish};
use crate::extract::field::Fields;
use crate::facts::{
    Bound, Expr, Extension, Flags, FunctionId, ScopeId, ScopeKind, SymbolId, SymbolKind, Visibility,
};
use tree_sitter::Node;

/// What a function's declarator says about whose function it is.
pub(super) fn function(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(declarator) = node.field("declarator") else {
        return;
    };
    let declarator = Declarator::of(declarator);
    if let (Some(name), Some(list)) = (declarator.name, declarator.parameters)
        && node.field("type").is_none()
        && is_test_macro(walk.b.text(name))
    {
        test(walk, node, name, list);
        return;
    }
    declare(walk, node, &declarator, node.field("body"));
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
        if let Some(ty) = part.field("type") {
            walk.take(ty);
        }
    }
    let declared = Declared {
        node,
        kind: SymbolKind::Function,
        name,
        body: node.field("body"),
    };
    let id = walk.symbol(&declared, name_id);
    walk.flag(id, Flags::TEST);
    walk.function_of(id);
}

/// Declares a function, method or constructor, and enters it when it has a body.
pub(super) fn declare(
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
            let prototype = walk
                .b
                .name(&format!("{PROTOTYPE}{}", walk.full_name(id, "::")));
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
        let result = declarator.result.or_else(|| node.field("type"));
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
pub(super) fn access(walk: &mut Walk<'_, '_>, node: Node<'_>, id: SymbolId) {
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
pub(super) fn scope_text(walk: &Walk<'_, '_>, node: Node<'_>) -> String {
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
pub(super) fn take_all(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        walk.take(node);
        if node.kind() != "template_argument_list" {
            left.extend(children(node));
        }
    }
}

/// Parameters of a function or lambda.
pub(super) fn params(walk: &mut Walk<'_, '_>, list: Node<'_>, function: FunctionId) {
    for param in children(list) {
        let declarator = param.field("declarator").map(Declarator::of);
        let Some(name) = declarator.as_ref().and_then(|declarator| declarator.name) else {
            continue;
        };
        let declared = param.field("type").filter(|ty| {
            ty.kind() != "placeholder_type_specifier"
                && declarator
                    .as_ref()
                    .is_some_and(|declarator| declarator.function.is_none())
        });
        let param = Parameter {
            name,
            declared,
            default: param.field("default_value"),
            rest: false,
        };
        walk.take(name);
        walk.param(function, &param);
    }
}

pub(super) fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    let Some(declarator) = node.field("declarator") else {
        return;
    };
    if let Some(list) = declarator.field("parameters") {
        params(walk, list, function);
    }
    let result = child_of_kind(declarator, "trailing_return_type").and_then(|r| r.named_child(0));
    walk.set_result(function, result);
}
