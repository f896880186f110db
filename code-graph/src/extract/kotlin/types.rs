//! Classes, objects, type aliases and types of Kotlin.

use super::super::table::{Declared, Walk, child_of_kind, children};
use super::functions::params;
use super::has_word;
use crate::extract::field::Fields;
use crate::facts::{BaseKind, Bound, Expr, Flags, List, ScopeId, SiteKind, SymbolId, SymbolKind};
use tree_sitter::Node;

/// The nodes of types.
pub(super) fn is_type(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "user_type" | "nullable_type" | "function_type" | "parenthesized_type"
    )
}

pub(super) fn type_params<'n>(node: Node<'n>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
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

pub(super) fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
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
        .field("name")
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
pub(super) fn object_literal(walk: &mut Walk<'_, '_>, node: Node<'_>) {
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
pub(super) fn last_type_name(node: Node<'_>) -> Node<'_> {
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

pub(super) fn read_object(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let first = child_of_kind(node, "delegation_specifiers").and_then(|list| children(list).next());
    match first {
        Some(first) => Expr::Instance(walk.read(first)),
        None => Expr::Unknown,
    }
}

pub(super) fn enum_entry(walk: &mut Walk<'_, '_>, node: Node<'_>) {
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
pub(super) fn super_call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
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

pub(super) fn secondary(walk: &mut Walk<'_, '_>, node: Node<'_>) {
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

pub(super) fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(ty)) = (
        node.field("type"),
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

/// The last name of a dotted expression.
pub(super) fn last_of(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "navigation_expression" => children(node).last().unwrap_or(node),
        _ => node,
    }
}

pub(super) fn read_type(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
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

pub(super) fn type_use(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if walk.is_taken(node) {
        return;
    }
    let mut what = walk.read(node);
    if let Expr::Generic(base, _) = walk.b.expr_at(what) {
        what = base;
    }
    walk.site(SiteKind::Type, what, last_type_name(node), List::default());
}
