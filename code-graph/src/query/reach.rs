//! What reaches what, level by level.

use super::hidden::edges_to;
use crate::graph::{Edge, Graph, NodeId};
use crate::link::{Certainty, EdgeKind};

/// Which edges are followed, and how far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    /// The weakest certainty that is followed.
    pub(super) weakest: Certainty,
    /// The most steps.
    pub(super) depth: u8,
    /// Whether an edge of this kind is followed.
    pub(super) follows: fn(EdgeKind) -> bool,
    /// Whether what calls a member is taken to call what may stand in for it in a subclass.
    pub(super) dispatch: bool,
}

/// Whether an edge runs code of its target, or may.
pub(super) fn is_call(kind: EdgeKind) -> bool {
    matches!(
        kind,
        EdgeKind::Calls | EdgeKind::Instantiates | EdgeKind::Decorates
    )
}

/// Whether its source may have to change when the target of an edge does. Imports say nothing that
/// the uses of what is imported do not say more exactly.
pub(super) fn is_dependency(kind: EdgeKind) -> bool {
    kind != EdgeKind::Imports
}

/// One step of a way: `from` says at `row` that it needs `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) row: u32,
    pub(super) kind: EdgeKind,
    pub(super) certainty: Certainty,
    /// The member that is named there, when `to` may only stand in for it.
    pub(super) through: Option<NodeId>,
}

/// A node that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reached {
    pub(super) node: NodeId,
    /// Steps from what was asked about.
    pub(super) depth: u8,
    /// The weakest certainty on the surest of the shortest ways.
    pub(super) weakest: Certainty,
    /// The first step of that way, towards what was asked about.
    pub(super) step: Step,
    /// How many edges lead from here to what was reached a level before.
    pub(super) edges: u32,
}

/// All that was reached.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// By depth, then in the order of nodes.
    pub(super) all: Vec<Reached>,
    /// The index of each node in `all`; [`NONE`] for what was not reached, [`SEED`] for what was
    /// asked about.
    index: Vec<u32>,
}

const NONE: u32 = u32::MAX;
const SEED: u32 = u32::MAX - 1;

impl Reach {
    pub(super) fn of(&self, node: NodeId) -> Option<&Reached> {
        self.all.get(*self.index.get(node.index())? as usize)
    }

    /// Whether a node is of what was asked about.
    pub(super) fn is_seed(&self, node: NodeId) -> bool {
        self.index.get(node.index()) == Some(&SEED)
    }

    /// The way from a reached node to what was asked about.
    pub(super) fn way(&self, node: NodeId) -> Vec<Step> {
        let mut way = Vec::new();
        let mut at = node;
        // A step leads to a lower depth each time.
        while let Some(reached) = self.of(at) {
            way.push(reached.step);
            at = reached.step.to;
        }
        way
    }
}

/// Everything that leads to `seeds` over edges that `walk` follows.
pub(super) fn reaching(graph: &Graph, seeds: &[NodeId], walk: Walk) -> Reach {
    let mut reach = Reach {
        all: Vec::new(),
        index: vec![NONE; graph.len()],
    };
    for seed in seeds {
        if let Some(slot) = reach.index.get_mut(seed.index()) {
            *slot = SEED;
        }
    }
    let mut frontier: Vec<(NodeId, Certainty)> =
        seeds.iter().map(|seed| (*seed, Certainty::Exact)).collect();
    for depth in 1..=walk.depth {
        let first = reach.all.len();
        for (node, before) in frontier.drain(..) {
            for (step, edge) in steps_to(graph, node, walk) {
                if edge.certainty > walk.weakest || !(walk.follows)(edge.kind) {
                    continue;
                }
                let slot = &mut reach.index[step.from.index()];
                let weakest = before.max(step.certainty);
                match *slot {
                    NONE => {
                        *slot = reach.all.len() as u32;
                        reach.all.push(Reached {
                            node: step.from,
                            depth,
                            weakest,
                            step,
                            edges: 1,
                        });
                    }
                    SEED => {}
                    known => {
                        let known = &mut reach.all[known as usize];
                        if known.depth == depth {
                            known.edges += 1;
                            if weakest < known.weakest {
                                known.weakest = weakest;
                                known.step = step;
                            }
                        }
                    }
                }
            }
        }
        if reach.all.len() == first {
            break;
        }
        let level = reach.all.get_mut(first..).unwrap_or_default();
        level.sort_unstable_by_key(|one| one.node);
        for (at, one) in (first as u32..).zip(level.iter()) {
            reach.index[one.node.index()] = at;
            frontier.push((one.node, one.weakest));
        }
    }
    reach
}

/// The steps that lead to a node, each with the edge that says so.
pub(super) fn steps_to(
    graph: &Graph,
    node: NodeId,
    walk: Walk,
) -> impl Iterator<Item = (Step, Edge)> {
    let own = edges_to(graph, node, walk.weakest).map(move |edge| (step(&edge, node, None), edge));
    let replaced = match walk.dispatch {
        true => replaced(graph, node),
        false => Vec::new(),
    };
    let through = replaced.into_iter().flat_map(move |base| {
        graph
            .incoming(base)
            .filter(move |edge| edge.kind == EdgeKind::Calls && edge.from != node)
            .map(move |edge| (step(edge, node, Some(base)), *edge))
    });
    own.chain(through)
}

fn step(edge: &Edge, to: NodeId, through: Option<NodeId>) -> Step {
    Step {
        from: edge.from,
        to,
        row: edge.row,
        kind: edge.kind,
        certainty: match through {
            Some(_) => edge.certainty.max(Certainty::Inferred),
            None => edge.certainty,
        },
        through,
    }
}

/// The members that a member replaces, the nearest first.
pub(super) fn replaced(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    let mut all = vec![node];
    let mut at = 0;
    while let Some(member) = all.get(at).copied() {
        at += 1;
        for edge in graph.outgoing(member) {
            let sure = edge.kind == EdgeKind::Overrides && edge.certainty <= Certainty::Inferred;
            if sure && !all.contains(&edge.to) {
                all.push(edge.to);
            }
        }
    }
    all.remove(0);
    all
}
