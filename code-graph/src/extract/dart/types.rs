//! Libraries, classes, mixins, extensions, enums and types of Dart.

use super::super::table::{Declared, Walk, child_of_kind, children};
use crate::extract::field::Fields;
use crate::facts::{BaseKind, Expr, Flags, Import, List, ScopeId, SiteKind, SymbolId, SymbolKind};
use tree_sitter::Node;

pub(super) fn library(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    if let Some(name) = child_of_kind(node, "dotted_identifier_list") {
        walk.b.facts.namespace = Some(walk.b.name_of(name));
    }
}

/// The text of a URI, and the node that it stands in.
fn uri<'n>(walk: &Walk<'_, '_>, node: Node<'n>) -> Option<(Node<'n>, String)> {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        if node.kind() == "string_literal" {
            let text = walk.b.text(node);
            let text = text.trim_start_matches('r').trim_matches(['\'', '"']);
            return Some((node, text.to_owned()));
        }
        left.extend(children(node));
    }
    None
}

pub(super) fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let specification = child_of_kind(node, "import_specification").unwrap_or(node);
    let Some((at, module)) = uri(walk, specification) else {
        return;
    };
    let reexport = node.kind() == "library_export";
    let alias = specification.field("alias");
    let mut shown = Vec::new();
    let mut only = false;
    for combinator in children(specification).filter(|child| child.kind() == "combinator") {
        if walk.b.text(combinator).starts_with("show") {
            only = true;
            shown.extend(children(combinator));
        }
    }
    let module_id = walk.b.name(&module);
    let base = Import {
        module: module_id,
        level: 0,
        name: None,
        local: None,
        wildcard: false,
        reexport,
        type_only: false,
        scope: ScopeId::MODULE,
        at: at.start_byte() as u32,
        row: at.start_position().row as u32,
    };
    if let Some(alias) = alias {
        let local = Some(walk.b.name_of(alias));
        walk.import(Import { local, ..base });
    } else if only {
        for name in shown {
            let id = walk.b.name_of(name);
            walk.import(Import {
                name: Some(id),
                local: Some(id),
                at: name.start_byte() as u32,
                row: name.start_position().row as u32,
                ..base
            });
        }
    } else {
        walk.import(Import {
            wildcard: true,
            ..base
        });
    }
}

/// `part 'x.dart'`: its names are names of this library.
pub(super) fn part(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    if let Some((at, module)) = uri(walk, node) {
        let id = walk.import_of(at, &module, None, None);
        if let Some(import) = walk.b.facts.imports.get_mut(id.index()) {
            import.reexport = true;
            import.level = 1;
        }
    }
}

/// `part of 'x.dart'` and `part of a.b`: everything the library sees is seen here.
pub(super) fn part_of(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let (at, module) = match uri(walk, node) {
        Some(found) => found,
        None => match children(node).next() {
            Some(name) => (name, walk.b.text(name).to_owned()),
            None => return,
        },
    };
    let id = walk.import_of(at, &module, None, None);
    if let Some(import) = walk.b.facts.imports.get_mut(id.index()) {
        import.wildcard = false;
        import.level = 2;
    }
}

pub(super) fn type_params<'n>(list: Option<Node<'n>>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let Some(list) = list else { return Vec::new() };
    children(list)
        .filter_map(|param| {
            let name = param.field("name")?;
            Some((name, param.field("bound")))
        })
        .collect()
}

pub(super) fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(application) = child_of_kind(node, "mixin_application_class") {
        mixin_application(walk, node, application);
        return;
    }
    let Some(name) = node.field("name") else {
        return;
    };
    let name = child_of_kind(name, "identifier").unwrap_or(name);
    let kind = match node.kind() {
        "mixin_declaration" => SymbolKind::Mixin,
        "enum_declaration" => SymbolKind::Enum,
        _ => SymbolKind::Class,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.field("body"),
    };
    let params = type_params(child_of_kind(node, "type_parameters"));
    let (id, head) = walk.declare_type(&declared, params);
    for clause in children(node) {
        match clause.kind() {
            "superclass" => {
                for base in children(clause) {
                    match base.kind() {
                        "type" => walk.base(id, BaseKind::Extends, base, head),
                        "mixins" => mixins(walk, id, base, head),
                        _ => {}
                    }
                }
            }
            "mixins" => mixins(walk, id, clause, head),
            "interfaces" => {
                for base in children(clause) {
                    walk.base(id, BaseKind::Implements, base, head);
                }
            }
            // `mixin M on T`.
            "type" => walk.base(id, BaseKind::Extends, clause, head),
            "extension_type_representation" => {
                if let (Some(name), Some(ty)) = (clause.field("name"), clause.field("type")) {
                    let declared = Declared {
                        node: clause,
                        kind: SymbolKind::Field,
                        name,
                        body: None,
                    };
                    let ty = walk.read(ty);
                    walk.variable(&declared, Some(ty), None);
                }
            }
            _ => {}
        }
    }
}

fn mixins(walk: &mut Walk<'_, '_>, id: SymbolId, node: Node<'_>, head: ScopeId) {
    for base in children(node) {
        walk.base(id, BaseKind::MixesIn, base, head);
    }
}

/// `class A = B with M;`
fn mixin_application(walk: &mut Walk<'_, '_>, node: Node<'_>, application: Node<'_>) {
    let (Some(name), Some(what)) = (
        children(application).next(),
        child_of_kind(application, "mixin_application"),
    ) else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::Class,
        name,
        body: None,
    };
    let params = type_params(child_of_kind(application, "type_parameters"));
    let (id, head) = walk.declare_type(&declared, params);
    for part in children(what) {
        match part.kind() {
            "type" => walk.base(id, BaseKind::Extends, part, head),
            "mixins" => mixins(walk, id, part, head),
            "interfaces" => {
                for base in children(part) {
                    walk.base(id, BaseKind::Implements, base, head);
                }
            }
            _ => {}
        }
    }
}

pub(super) fn extension(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(target) = node.field("class") else {
        return;
    };
    let name = node.field("name");
    let declared = Declared {
        node,
        kind: SymbolKind::Extension,
        name: name.unwrap_or(target),
        body: node.field("body"),
    };
    let id = match name {
        Some(_) => walk.declare(&declared),
        None => {
            let last = walk.b.name_of(target);
            walk.symbol(&declared, last)
        }
    };
    let params = type_params(child_of_kind(node, "type_parameters"));
    let head = walk.type_body(id, params);
    let members = walk.scope();
    walk.extension(target, None, members, head);
}

pub(super) fn enum_entry(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::EnumMember,
        name,
        body: None,
    };
    let Some(class) = walk.class() else { return };
    let ty = walk.b.expr(Expr::Symbol(class));
    if let Some(id) = walk.variable(&declared, Some(ty), None) {
        walk.flag(id, Flags::STATIC);
        let args = child_of_kind(node, "arguments");
        if args.is_some() {
            let args = walk.arguments(args);
            walk.with_owner(Some(id), |walk| walk.site(SiteKind::New, ty, name, args));
        }
        walk.enter_owner(id);
    }
}

/// The names of a type: a prefix, a class, a constructor.
pub(super) fn names<'n>(ty: Node<'n>) -> Vec<Node<'n>> {
    children(ty)
        .filter(|child| child.kind() == "type_identifier")
        .collect()
}

pub(super) fn read_type(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut whole: Option<Expr> = None;
    for part in children(node) {
        whole = Some(match (part.kind(), whole) {
            ("type_identifier", None) => Expr::Name(walk.b.name_of(part)),
            ("type_identifier", Some(base)) => {
                let base = walk.b.expr(base);
                Expr::Member(base, walk.b.name_of(part))
            }
            ("type_arguments", Some(base)) => {
                let base = walk.b.expr(base);
                Expr::Generic(base, walk.read_all(part))
            }
            (_, Some(base)) => base,
            (_, None) => {
                let inner = walk.read(part);
                walk.b.expr_at(inner)
            }
        });
    }
    whole.unwrap_or(Expr::Unknown)
}

pub(super) fn type_use(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if walk.is_taken(node) {
        return;
    }
    let Some(last) = names(node).pop() else {
        return;
    };
    let mut what = walk.read(node);
    if let Expr::Generic(base, _) = walk.b.expr_at(what) {
        what = base;
    }
    walk.site(SiteKind::Type, what, last, List::default());
}

pub(super) fn cast(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let cast = child_of_kind(node, "type_cast");
    match cast.and_then(|cast| child_of_kind(cast, "type")) {
        Some(ty) => Expr::Instance(walk.read(ty)),
        None => Expr::Unknown,
    }
}

pub(super) fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = child_of_kind(node, "type_identifier") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let ty = child_of_kind(node, "type").map(|ty| walk.read(ty));
    let id = walk.declare(&declared);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = ty;
    }
    walk.enter_owner(id);
}
