//! What a change takes away, and who still names it.

use super::Inquiry;
use super::answer::{Entry, times};
use super::impact::ChangedFile;
use super::lines::Texts;
use crate::extract;
use crate::facts::{Flags, SymbolId, SymbolKind};
use crate::graph::{Graph, Loose, NodeId, Outline};
use crate::link::Certainty;
use fourfold_syntax::{Language, ParseLimits, Parser};
use hashbrown::{HashMap, HashSet};
use std::path::Path;

/// Something that a file declared and does not declare any more.
pub(super) struct Removed {
    kind: SymbolKind,
    /// Its qualified name, and the last part of it.
    name: String,
    simple: String,
    path: String,
    /// The 1-based line that it stood on.
    line: u32,
    /// Where it is declared now, when another changed file has it.
    moved: Option<NodeId>,
    uses: Vec<Loose>,
}

/// Who may still use what was removed.
pub(super) struct Orphan {
    pub(super) node: NodeId,
    /// The names, and the 0-based rows where they stand.
    names: Vec<String>,
    rows: Vec<u32>,
}

impl Inquiry<'_> {
    /// What the files declared before the change and do not declare now; what goes with something
    /// around it is not told of.
    pub(super) fn removed(&self, changed: &[ChangedFile]) -> Vec<Removed> {
        let graph = self.graph;
        let paths: HashSet<&str> = changed.iter().map(|file| file.path.as_str()).collect();
        let mut all = Vec::new();
        for file in changed {
            let Some(before) = file
                .before
                .as_deref()
                .and_then(|text| outline(&file.path, text))
            else {
                continue;
            };
            let now: HashSet<String> = match graph.file_at(&file.path) {
                Some(file) => {
                    let nodes = graph.within(file.node).into_iter();
                    nodes.map(|node| graph.qualified(node)).collect()
                }
                None => HashSet::new(),
            };
            let mut gone: HashSet<SymbolId> = HashSet::new();
            for (id, item) in (0..).map(SymbolId).zip(&before.items) {
                let name = before.qualified(id);
                if now.contains(&name) {
                    continue;
                }
                gone.insert(id);
                let with_owner = item.parent.is_some_and(|parent| gone.contains(&parent));
                if with_owner || item.flags.has(Flags::LOCAL) {
                    continue;
                }
                let simple = before.names.get(item.name).to_owned();
                let moved = graph.named(&simple).find(|node| {
                    let here = graph.file(*node).path.as_str();
                    here != file.path
                        && paths.contains(here)
                        && graph.kind(*node) == Some(item.kind)
                        && graph.qualified(*node) == name
                });
                all.push(Removed {
                    kind: item.kind,
                    uses: uses(graph, &simple, &file.path),
                    name,
                    simple,
                    path: file.path.clone(),
                    line: item.name_row + 1,
                    moved,
                });
            }
        }
        all
    }

    /// Something that was removed, as an entry.
    pub(super) fn gone(&self, one: &Removed) -> Entry {
        let moved = one.moved.map(|node| {
            let line = self.graph.symbol(node).map_or(1, |item| item.name_row + 1);
            format!("now in {}:{line}", self.graph.file(node).path)
        });
        let used = match one.uses.len() {
            0 => "no use of its name is left".to_owned(),
            many => format!("still named {}", times(many)),
        };
        Entry {
            kind: one.kind.word(),
            name: one.name.clone(),
            path: one.path.clone(),
            line: one.line,
            detail: moved
                .into_iter()
                .chain([used])
                .collect::<Vec<_>>()
                .join(", "),
            ..Entry::default()
        }
    }

    /// Who may still use what was removed, in the order of nodes.
    pub(super) fn orphans(&self, removed: &[Removed]) -> Vec<Orphan> {
        let mut all: HashMap<NodeId, Orphan> = HashMap::new();
        for one in removed {
            for place in &one.uses {
                let orphan = all.entry(place.from).or_insert_with(|| Orphan {
                    node: place.from,
                    names: Vec::new(),
                    rows: Vec::new(),
                });
                orphan.rows.push(place.row);
                if !orphan.names.contains(&one.simple) {
                    orphan.names.push(one.simple.clone());
                }
            }
        }
        let mut all: Vec<Orphan> = all.into_values().collect();
        for orphan in &mut all {
            orphan.rows.sort_unstable();
            orphan.rows.dedup();
        }
        all.sort_by_key(|orphan| orphan.node);
        all
    }

    /// Who may still use what was removed, as an entry.
    pub(super) fn orphan(&self, one: &Orphan, texts: &Texts<'_>) -> Entry {
        let mut entry = self.entry(one.node);
        entry.certainty = Some(Certainty::Name);
        entry.detail = format!("names {}", one.names.join(", "));
        entry.lines = texts.lines(&entry.path, one.rows.iter().copied());
        entry
    }
}

/// What a text of a file of this path declares.
fn outline(path: &str, text: &str) -> Option<Outline> {
    let language = Language::of_path(Path::new(path))?;
    let tree = Parser::new(ParseLimits::default())
        .parse(language, text)
        .ok()?;
    Some(Outline::of(&extract::extract(language, text, &tree)?))
}

/// Uses of a name that lead nowhere, or to a module of the name of a file that may be gone.
fn uses(graph: &Graph, name: &str, path: &str) -> Vec<Loose> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut parts = stem.rsplit('/');
    let module = match parts.next() {
        Some("__init__" | "index" | "mod" | "lib" | "main") => parts.next(),
        module => module,
    };
    let split = |text: &str| -> Vec<String> {
        let parts = text
            .split(['.', ':', '/', '\\'])
            .filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let from_module = |outside: &str| match split(outside).as_slice() {
        [.., before, last] => last == name && module == Some(before.as_str()),
        _ => false,
    };
    let mut all: Vec<Loose> = graph.unresolved_named(name).copied().collect();
    for (outside, _) in graph.external_names().filter(|(text, _)| from_module(text)) {
        all.extend(graph.external_named(outside));
    }
    all.sort_by_key(|one| (one.from, one.at));
    all
}
