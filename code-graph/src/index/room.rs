//! Stand-ins for extraction and linking until their rooms are there.

use crate::facts::*;
use crate::link::*;
use fourfold_syntax::{Language, Tree};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const LINKER_VERSION: u32 = 1;

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

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Surface {
    top: Vec<String>,
}

impl Surface {
    pub(super) fn of(facts: &Facts) -> Surface {
        let mut top: Vec<String> = facts
            .symbols
            .iter()
            .map(|s| facts.name(s.name).to_owned())
            .collect();
        top.sort();
        Surface { top }
    }
}

#[derive(Clone)]
pub(super) struct SourceFile {
    pub(super) path: String,
    pub(super) language: Language,
    pub(super) surface: Arc<Surface>,
}
pub(super) type Loader<'w> = Box<dyn Fn(usize) -> Option<Arc<Facts>> + Send + Sync + 'w>;
pub(super) struct World<'w> {
    files: Vec<SourceFile>,
    loader: Loader<'w>,
    by_name: HashMap<String, Vec<(usize, usize)>>,
}

fn hash(s: &str) -> u64 {
    u64::from_le_bytes(
        blake3::hash(s.as_bytes()).as_bytes()[..8]
            .try_into()
            .unwrap_or_default(),
    )
}

impl<'w> World<'w> {
    pub(super) fn new(
        files: Vec<SourceFile>,
        _m: Vec<(String, Manifest)>,
        loader: Loader<'w>,
    ) -> World<'w> {
        let mut by_name: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (i, f) in files.iter().enumerate() {
            for (j, n) in f.surface.top.iter().enumerate() {
                by_name.entry(n.clone()).or_default().push((i, j));
            }
        }
        World {
            files,
            loader,
            by_name,
        }
    }
    pub(super) fn keys_of(&self, i: usize) -> Vec<(u64, u64)> {
        let Some(f) = self.files.get(i) else {
            return Vec::new();
        };
        let mut k: Vec<_> = f
            .surface
            .top
            .iter()
            .map(|n| (hash(n), hash(&f.path)))
            .collect();
        k.sort_unstable();
        k
    }
    pub(super) fn link(&self, i: usize) -> Links {
        let mut links = Links::default();
        let Some(facts) = (self.loader)(i) else {
            return links;
        };
        for s in &facts.sites {
            let Some(Expr::Name(n)) = facts.exprs.get(s.what.index()) else {
                continue;
            };
            let name = facts.name(*n);
            links.lookups.push(hash(name));
            match self.by_name.get(name).map(Vec::as_slice) {
                Some([(f, _)]) => {
                    let file = &self.files[*f];
                    let fid = StableId::of_file(file.language, &file.path);
                    let to = StableId::of_symbols(
                        fid,
                        [(None, None, name, SymbolKind::Function)].into_iter(),
                    );
                    links.edges.push(Link {
                        from: None,
                        to: to[0],
                        kind: EdgeKind::Calls,
                        certainty: Certainty::Name,
                        at: s.at,
                        row: s.row,
                    });
                }
                Some(_) => links.unresolved.push(Unresolved {
                    from: None,
                    name: name.to_owned(),
                    kind: EdgeKind::Calls,
                    at: s.at,
                    row: s.row,
                }),
                None => links.external.push(External {
                    from: None,
                    name: name.to_owned(),
                    kind: EdgeKind::Calls,
                    at: s.at,
                    row: s.row,
                }),
            }
        }
        links.lookups.sort_unstable();
        links.lookups.dedup();
        links
    }
}
