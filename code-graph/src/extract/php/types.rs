//! Namespaces, classes and enums of PHP.

use super::super::table::{Declared, Walk, child_of_kind, children};
use crate::extract::field::Fields;
use crate::facts::{BaseKind, Expr, Flags, SymbolKind};
use tree_sitter::Node;

pub(super) fn namespace(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        let id = walk.b.name_of(name);
        if walk.b.facts.namespace.is_none() {
            walk.b.facts.namespace = Some(id);
        } else if walk.b.facts.namespace != Some(id) {
            // A second namespace in one file: its names are not those of the first.
            let declared = Declared {
                node,
                kind: SymbolKind::Module,
                name,
                body: node.field("body").or(Some(name)),
            };
            let symbol = walk.symbol(&declared, id);
            if declared.node.field("body").is_some() {
                walk.members(symbol);
            }
        }
    }
}

/// `use A\B;`, `use A\B as C;`, `use A\{B, C as D};`, `use function A\f;`
pub(super) fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let prefix = child_of_kind(node, "namespace_name").map(|prefix| walk.b.text(prefix));
    let group = node.field("body");
    for clause in children(group.unwrap_or(node)) {
        if clause.kind() != "namespace_use_clause" {
            continue;
        }
        let Some(path) = children(clause).next() else {
            continue;
        };
        let text = walk.b.text(path).trim_start_matches('\\');
        let full = match prefix.filter(|_| group.is_some()) {
            Some(prefix) => format!("{}\\{text}", prefix.trim_start_matches('\\')),
            None => text.to_owned(),
        };
        let (module, name) = full.rsplit_once('\\').unwrap_or(("", &full));
        let alias = clause.field("alias");
        let local = alias.map_or(name, |alias| walk.b.text(alias));
        let at = children(path).last().unwrap_or(path);
        walk.import_of(at, module, Some(name), Some(local));
    }
}

pub(super) fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let kind = match node.kind() {
        "interface_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        "trait_declaration" => SymbolKind::Mixin,
        _ => SymbolKind::Class,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.field("body"),
    };
    let scope = walk.scope();
    let (id, _) = walk.declare_type(&declared, []);
    bases(walk, node, id, scope);
}

pub(super) fn bases(
    walk: &mut Walk<'_, '_>,
    node: Node<'_>,
    id: crate::facts::SymbolId,
    scope: crate::facts::ScopeId,
) {
    for clause in children(node) {
        let kind = match clause.kind() {
            "base_clause" => BaseKind::Extends,
            "class_interface_clause" => BaseKind::Implements,
            _ => continue,
        };
        for base in children(clause) {
            walk.base(id, kind, base, scope);
        }
    }
}

pub(super) fn anonymous(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let base = children(node).find_map(|clause| match clause.kind() {
        "base_clause" | "class_interface_clause" => children(clause).next(),
        _ => None,
    });
    let scope = walk.scope();
    let name = match base {
        Some(base) => format!("new {}", walk.b.text(base)),
        None => "new class".to_owned(),
    };
    let name = walk.b.name(&name);
    let declared = Declared {
        node,
        kind: SymbolKind::Class,
        name: node,
        body: node.field("body"),
    };
    let id = walk.symbol(&declared, name);
    walk.type_body(id, []);
    bases(walk, node, id, scope);
}

pub(super) fn traits(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(class) = walk.class() else { return };
    let scope = walk.outside(class);
    for name in children(node) {
        if matches!(name.kind(), "name" | "qualified_name") {
            walk.base(class, BaseKind::MixesIn, name, scope);
        }
    }
}

pub(super) fn enum_case(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(class)) = (node.field("name"), walk.class()) else {
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

pub(super) fn constants(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    for element in children(node).filter(|child| child.kind() == "const_element") {
        let mut parts = children(element);
        let (Some(name), value) = (parts.next(), parts.next()) else {
            continue;
        };
        let declared = Declared {
            node,
            kind: SymbolKind::Constant,
            name,
            body: value,
        };
        let value = value.map(|value| walk.read(value));
        if let Some(id) = walk.variable(&declared, None, value) {
            walk.flag(id, Flags::STATIC);
        }
    }
}
