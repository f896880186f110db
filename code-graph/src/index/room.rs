//! Stand-ins for extraction and linking until their rooms are there.

use crate::facts::*;
use fourfold_syntax::{Language, Tree};

pub(super) fn knows(language: Language) -> bool {
    language.id() == "python"
}

pub(super) fn manifest(_path: &str, text: &str) -> Option<Manifest> {
    Some(Manifest::Dart {
        name: text.lines().next()?.to_owned(),
    })
}

pub(super) fn extract(language: Language, text: &str, tree: &Tree) -> Option<Facts> {
    if !knows(language) {
        return None;
    }
    let mut b = crate::extract::Builder::new(text);
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.kind() == "function_definition" {
            if let Some(name) = node.child_by_field_name("name") {
                let id = b.name_of(name);
                let signature = b.line(node.start_byte(), name.end_byte() + 2);
                let s = b.symbol(Symbol {
                    kind: SymbolKind::Function,
                    name: id,
                    parent: None,
                    owner: None,
                    span: Span::of(node),
                    name_at: name.start_byte() as u32,
                    name_row: name.start_position().row as u32,
                    signature,
                    doc: None,
                    visibility: Visibility::Public,
                    flags: Flags::default(),
                    members: None,
                    function: None,
                    declared: None,
                    scope: ScopeId::MODULE,
                });
                b.bind(ScopeId::MODULE, id, node.start_byte(), Bound::Symbol(s));
            }
        } else if node.kind() == "call" {
            if let Some(f) = node
                .child_by_field_name("function")
                .filter(|f| f.kind() == "identifier")
            {
                let id = b.name_of(f);
                let what = b.expr(Expr::Name(id));
                b.facts.sites.push(Site {
                    kind: SiteKind::Call,
                    owner: None,
                    scope: ScopeId::MODULE,
                    what,
                    at: f.start_byte() as u32,
                    row: f.start_position().row as u32,
                    args: List::default(),
                });
            }
        }
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return Some(b.finish(tree));
            }
        }
    }
}
