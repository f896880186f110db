//! Which nodes have a name, and who uses a name that leads nowhere.

use super::NodeId;
use super::csr::Csr;
use crate::facts::{Interner, NameId};
use crate::link::EdgeKind;
use std::sync::OnceLock;

/// A use without a target in the checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loose {
    /// The symbol or file around it.
    pub from: NodeId,
    /// What is used: see [`Graph::name_of`](super::Graph::name_of).
    pub name: NameId,
    /// The byte and the 0-based row where it stands.
    pub at: u32,
    /// See `at`.
    pub row: u32,
    /// What is done there.
    pub kind: EdgeKind,
}

/// Uses without a target, by name and by source.
#[derive(Debug, Default)]
pub(super) struct LooseUses {
    all: Vec<Loose>,
    by_name: Csr,
    by_source: Csr,
}

impl LooseUses {
    fn group(names: usize, nodes: usize, all: Vec<Loose>) -> LooseUses {
        LooseUses {
            by_name: Csr::group(names, all.iter().map(|one| NodeId(one.name.0))),
            by_source: Csr::group(nodes, all.iter().map(|one| one.from)),
            all,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn of_name(&self, name: NameId) -> impl ExactSizeIterator<Item = &Loose> {
        let run = self.by_name.of(NodeId(name.0)).iter();
        run.map(|at| &self.all[*at as usize])
    }

    pub(super) fn of_source(&self, node: NodeId) -> impl ExactSizeIterator<Item = &Loose> {
        let run = self.by_source.of(node).iter();
        run.map(|at| &self.all[*at as usize])
    }
}

/// Names of the graph, each once, with what has them and who uses them.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    interner: Interner,
    /// Name ids in the order of their texts; made when first needed.
    sorted: OnceLock<Vec<NameId>>,
    symbols: Csr,
    pub(super) unresolved: LooseUses,
    pub(super) external: LooseUses,
}

/// Collects a [`NameTable`].
#[derive(Debug, Default)]
pub(super) struct NameTableBuilder {
    interner: Interner,
    symbols: Vec<(NodeId, u32)>,
    unresolved: Vec<Loose>,
    external: Vec<Loose>,
}

impl NameTableBuilder {
    /// Takes in the name of a symbol; gives its id.
    pub(super) fn symbol(&mut self, name: &str, node: NodeId) -> NameId {
        let whole = self.interner.intern(name);
        self.symbols.push((NodeId(whole.0), node.0));
        // A name that is a path (`A\B`, `A.B`) is found by its last part as well.
        let last = last_name(name);
        if last.len() != name.len() {
            let last = self.interner.intern(last);
            self.symbols.push((NodeId(last.0), node.0));
        }
        whole
    }

    /// The id of the simple name that is used by a use which may be of anything of that name.
    pub(super) fn simple(&mut self, text: &str) -> NameId {
        self.interner.intern(last_name(text))
    }

    /// The id of a name as it is written.
    pub(super) fn whole(&mut self, text: &str) -> NameId {
        self.interner.intern(text)
    }

    pub(super) fn unresolved(&mut self, one: Loose) {
        self.unresolved.push(one);
    }

    pub(super) fn external(&mut self, one: Loose) {
        self.external.push(one);
    }

    pub(super) fn finish(self, nodes: usize) -> NameTable {
        let count = self.interner.names().len();
        NameTable {
            symbols: Csr::group_pairs(count, self.symbols.iter().copied()),
            unresolved: LooseUses::group(count, nodes, self.unresolved),
            external: LooseUses::group(count, nodes, self.external),
            sorted: OnceLock::new(),
            interner: self.interner,
        }
    }
}

impl NameTable {
    pub(super) fn find(&self, name: &str) -> Option<NameId> {
        self.interner.find(name)
    }

    pub(super) fn text(&self, name: NameId) -> &str {
        self.interner.get(name)
    }

    /// All names in the order of their texts.
    pub(super) fn sorted(&self) -> &[NameId] {
        self.sorted.get_or_init(|| {
            let names = self.interner.names();
            let mut sorted: Vec<NameId> = (0..names.len() as u32).map(NameId).collect();
            sorted.sort_unstable_by(|a, b| names.get(*a).cmp(names.get(*b)));
            sorted
        })
    }

    pub(super) fn symbols(&self, name: NameId) -> &[u32] {
        self.symbols.of(NodeId(name.0))
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
