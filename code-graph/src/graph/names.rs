//! Which nodes have a name, and who uses a name that leads nowhere.

use super::NodeId;
use super::csr::Csr;
use crate::facts::{Interner, NameId, Names};
use crate::link::EdgeKind;

/// A use without a target in the checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loose {
    /// The symbol or file around it.
    pub from: NodeId,
    /// The byte and the 0-based row where it stands.
    pub at: u32,
    /// See `at`.
    pub row: u32,
    /// What is done there.
    pub kind: EdgeKind,
}

/// Names of the graph, each once, with what has them.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    names: Names,
    /// Name ids in the order of their texts.
    sorted: Vec<NameId>,
    symbols: Csr,
    unresolved: Runs,
    external: Runs,
}

/// Uses grouped by name.
#[derive(Debug, Default)]
struct Runs {
    csr: Csr,
    uses: Vec<Loose>,
}

impl Runs {
    fn group(names: usize, uses: Vec<(NameId, Loose)>) -> Runs {
        let keys = uses.iter().map(|(name, _)| NodeId(name.0));
        let order = Csr::group(names, keys.clone());
        // The uses themselves are put in the order of their names, so that a run is one slice.
        let mut sorted = Vec::with_capacity(uses.len());
        for name in 0..names as u32 {
            let run = order.of(NodeId(name)).iter();
            sorted.extend(run.filter_map(|at| uses.get(*at as usize).map(|(_, one)| *one)));
        }
        Runs {
            csr: order,
            uses: sorted,
        }
    }

    fn of(&self, name: NameId) -> &[Loose] {
        let (start, end) = self.csr.range(NodeId(name.0));
        self.uses.get(start..end).unwrap_or_default()
    }
}

/// Collects a [`NameTable`].
#[derive(Debug, Default)]
pub(super) struct NameTableBuilder {
    interner: Interner,
    symbols: Vec<(NameId, NodeId)>,
    unresolved: Vec<(NameId, Loose)>,
    external: Vec<(NameId, Loose)>,
}

impl NameTableBuilder {
    pub(super) fn symbol(&mut self, name: &str, node: NodeId) {
        let name = self.interner.intern(name);
        self.symbols.push((name, node));
    }

    pub(super) fn unresolved(&mut self, name: &str, one: Loose) {
        let name = self.interner.intern(last_name(name));
        self.unresolved.push((name, one));
    }

    pub(super) fn external(&mut self, name: &str, one: Loose) {
        let name = self.interner.intern(name);
        self.external.push((name, one));
    }

    pub(super) fn finish(self) -> NameTable {
        let names = self.interner.finish();
        let count = names.len();
        let pairs = self
            .symbols
            .iter()
            .map(|(name, node)| (NodeId(name.0), node.0));
        let symbols = Csr::group_pairs(count, pairs);
        let mut sorted: Vec<NameId> = (0..count as u32).map(NameId).collect();
        sorted.sort_unstable_by(|a, b| names.get(*a).cmp(names.get(*b)));
        NameTable {
            symbols,
            unresolved: Runs::group(count, self.unresolved),
            external: Runs::group(count, self.external),
            sorted,
            names,
        }
    }
}

impl NameTable {
    fn find(&self, name: &str) -> Option<NameId> {
        let at = self
            .sorted
            .binary_search_by(|id| self.names.get(*id).cmp(name));
        at.ok().and_then(|at| self.sorted.get(at).copied())
    }

    pub(super) fn symbols(&self, name: &str) -> &[u32] {
        self.find(name)
            .map_or(&[], |name| self.symbols.of(NodeId(name.0)))
    }

    pub(super) fn unresolved(&self, name: &str) -> &[Loose] {
        self.find(name).map_or(&[], |name| self.unresolved.of(name))
    }

    pub(super) fn external(&self, name: &str) -> &[Loose] {
        self.find(name).map_or(&[], |name| self.external.of(name))
    }

    pub(super) fn external_names(&self) -> Vec<&str> {
        let used = self
            .sorted
            .iter()
            .filter(|name| !self.external.of(**name).is_empty());
        used.map(|name| self.names.get(*name)).collect()
    }

    pub(super) fn counts(&self) -> (usize, usize) {
        (self.unresolved.uses.len(), self.external.uses.len())
    }
}

/// The last name of a path of names: `c` of `a.b.c` and `a::b->c`.
fn last_name(text: &str) -> &str {
    let start = text
        .rfind(['.', ':', '>', '\\', '/'])
        .map_or(0, |at| at + 1);
    match text.get(start..) {
        Some(name) if !name.is_empty() => name,
        _ => text,
    }
}
