//! Modules, classes and methods of Ruby.

use super::super::table::{Declared, Parameter, Walk, children};
use super::{DECLARED, take_path};
use crate::extract::field::Fields;
use crate::facts::{
    BaseKind, Bound, Expr, Extension, Flags, FunctionId, ScopeId, SymbolId, SymbolKind,
};
use tree_sitter::Node;

/// `module A`, `class A < B`, `class A::B`.
pub(super) fn module(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    take_path(walk, name);
    let declared = Declared {
        node,
        kind: match node.kind() {
            "module" => SymbolKind::Module,
            _ => SymbolKind::Class,
        },
        name,
        body: node.field("body"),
    };
    let text = walk.b.text(name).trim_start_matches("::").to_owned();
    let name_id = walk.b.name(&text);
    let id = walk.symbol(&declared, name_id);
    let around = walk.scope();
    declare_path(walk, id, name);
    // A comment may stand between the head and the body.
    let superclass = node.field("superclass");
    let end = superclass.unwrap_or(name).end_byte();
    let signature = walk.b.line(node.start_byte(), end);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.signature = signature;
    }
    walk.type_body(id, []);
    extend(walk, id, name, around);
    if let Some(superclass) = superclass.and_then(|s| children(s).next()) {
        take_path(walk, superclass);
        walk.base(id, BaseKind::Extends, superclass, around);
    }
}

/// Binds a module, class or constant for everybody by its full name. Where it stands it is
/// found in the same way, as it may be opened elsewhere too.
pub(super) fn declare_path(walk: &mut Walk<'_, '_>, id: SymbolId, name: Node<'_>) {
    let full = format!("{DECLARED}{}", walk.full_name(id, "::"));
    let full = walk.b.name(&full);
    let at = name.start_byte();
    walk.b.bind(ScopeId::MODULE, full, at, Bound::Symbol(id));
}

/// What stands in the body belongs to the class wherever it is opened.
fn extend(walk: &mut Walk<'_, '_>, id: SymbolId, name: Node<'_>, around: ScopeId) {
    let full = walk.full_name(id, "::");
    let target_name = full.rsplit("::").next().unwrap_or(&full).to_owned();
    let full = walk.b.name(&format!("::{full}"));
    let target = walk.b.expr(Expr::Name(full));
    let target_name = walk.b.name(&target_name);
    let members = walk.scope();
    walk.b.facts.extensions.push(Extension {
        target,
        interface: None,
        members,
        scope: around,
        at: name.start_byte() as u32,
        row: name.start_position().row as u32,
        target_name: Some(target_name),
    });
}

/// `class << self`: methods of the class around.
pub(super) fn singleton_class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = node.field("value") {
        walk.take(value);
    }
}

pub(super) fn method(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    walk.take(name);
    let text = walk.b.text(name).to_owned();
    let in_type = walk.in_members();
    let of_class = node.kind() == "singleton_method"
        || node
            .parent()
            .and_then(|body| body.parent())
            .is_some_and(|around| around.kind() == "singleton_class");
    let kind = match (in_type, text.as_str()) {
        (true, "initialize") => SymbolKind::Constructor,
        (true, _) if text.ends_with('=') && text.len() > 1 && !text.ends_with("==") => {
            SymbolKind::Setter
        }
        (true, _) => SymbolKind::Method,
        (false, _) => SymbolKind::Function,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.field("body"),
    };
    let (id, function) = walk.declare_function(&declared);
    if of_class {
        walk.flag(id, Flags::STATIC);
        if let Some(object) = node.field("object") {
            walk.take(object);
        }
    }
    if in_type && text.starts_with("test_") {
        walk.flag(id, Flags::TEST);
    }
    if let Some(list) = node.field("parameters") {
        params(walk, list, Some(function));
    }
    if let Some(body) = declared.body {
        let last = match body.kind() {
            "body_statement" => children(body).filter(|c| c.kind() != "rescue").last(),
            _ => Some(body),
        };
        if let Some(last) = last {
            walk.returns_later(last);
        }
    }
}

/// Binds parameters.
pub(super) fn params(walk: &mut Walk<'_, '_>, list: Node<'_>, function: Option<FunctionId>) {
    for node in children(list) {
        let name = match node.kind() {
            "identifier" => Some(node),
            _ => node.field("name"),
        };
        let Some(name) = name else {
            // A pattern: `(a, b)`.
            for name in children(node).filter(|name| name.kind() == "identifier") {
                walk.take(name);
                walk.local(name, Bound::Unknown);
            }
            continue;
        };
        walk.take(name);
        let default = node.field("value");
        let rest = matches!(node.kind(), "splat_parameter" | "hash_splat_parameter");
        match function {
            Some(function) => {
                let param = Parameter {
                    name,
                    declared: None,
                    default,
                    rest,
                };
                walk.param(function, &param);
            }
            None => walk.local(name, Bound::Unknown),
        }
    }
}
