//! The links of a file in the form that is kept, and that a graph is made from.

use crate::facts::{Interner, NameId, Names, SymbolId};
use crate::link::{Certainty, EdgeKind, Links, StableId};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// [`Links`] without their lookups, in which every text and every target stands once: a pure
/// function of the links and of the file that they are of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PackedLinks {
    /// The ids of targets in other files, in the order of their first use, as little-endian bytes:
    /// nothing makes a hash shorter.
    targets: Vec<[u8; 8]>,
    /// The texts of uses without a target.
    pub(crate) names: Names,
    pub(crate) edges: Vec<PackedEdge>,
    pub(crate) unresolved: Vec<PackedUse>,
    pub(crate) external: Vec<PackedUse>,
}

/// Where an edge leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Target {
    /// To a symbol of the same file.
    Symbol(SymbolId),
    /// To the file itself.
    File,
    /// To something of another file: an index into the targets.
    Other(u32),
}

/// See [`Link`](crate::link::Link).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct PackedEdge {
    pub(crate) from: Option<SymbolId>,
    pub(crate) to: Target,
    pub(crate) kind: EdgeKind,
    pub(crate) certainty: Certainty,
    pub(crate) at: u32,
    pub(crate) row: u32,
}

/// See [`Unresolved`](crate::link::Unresolved) and [`External`](crate::link::External).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct PackedUse {
    pub(crate) from: Option<SymbolId>,
    pub(crate) name: NameId,
    pub(crate) kind: EdgeKind,
    pub(crate) at: u32,
    pub(crate) row: u32,
}

impl PackedLinks {
    /// The links of a file whose own id and whose symbols' ids these are.
    pub fn of(links: &Links, file: StableId, symbols: &[StableId]) -> PackedLinks {
        let mut packed = PackedLinks::default();
        let mut places: HashMap<StableId, Target> = HashMap::with_capacity(symbols.len() + 1);
        for (at, id) in (0..).map(SymbolId).zip(symbols) {
            places.entry(*id).or_insert(Target::Symbol(at));
        }
        places.entry(file).or_insert(Target::File);
        let mut names = Interner::default();
        packed.edges = links
            .edges
            .iter()
            .map(|link| PackedEdge {
                from: link.from,
                to: *places.entry(link.to).or_insert_with(|| {
                    packed.targets.push(link.to.0.to_le_bytes());
                    Target::Other(packed.targets.len() as u32 - 1)
                }),
                kind: link.kind,
                certainty: link.certainty,
                at: link.at,
                row: link.row,
            })
            .collect();
        packed.unresolved = links
            .unresolved
            .iter()
            .map(|one| PackedUse {
                from: one.from,
                name: names.intern(&one.name),
                kind: one.kind,
                at: one.at,
                row: one.row,
            })
            .collect();
        packed.external = links
            .external
            .iter()
            .map(|one| PackedUse {
                from: one.from,
                name: names.intern(&one.name),
                kind: one.kind,
                at: one.at,
                row: one.row,
            })
            .collect();
        packed.names = names.finish();
        packed
    }

    /// The ids of targets in other files.
    pub(crate) fn targets(&self) -> impl Iterator<Item = StableId> + '_ {
        let ids = self.targets.iter();
        ids.map(|id| StableId(u64::from_le_bytes(*id)))
    }
}
