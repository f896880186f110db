//! Which method replaces which: what neither file says by itself.

use super::build::is_hierarchy;
use super::{Edge, Graph, NodeId};
use crate::facts::{NameId, SymbolKind, Visibility};
use crate::link::{Certainty, EdgeKind};
use hashbrown::HashSet;
use std::ops::Range;

/// A member that another replaces, and how surely.
type Replaced = (NodeId, Certainty);

/// The edges from members to the members of the nearest types above that they replace. Members for
/// which a linker said so already are left out. `called` is the name of each node; only the types
/// among `nodes` are looked at.
pub(super) fn overrides(graph: &Graph, called: &[NameId], nodes: Range<NodeId>) -> Vec<Edge> {
    let name_of = |node: NodeId| called.get(node.index()).copied();
    let mut found = Vec::new();
    // The last type that has a member of each name: most members above have a name that the type
    // has none of.
    let most = called.iter().map(|name| name.index()).max();
    let mut last: Vec<Option<NodeId>> = vec![None; most.map_or(0, |most| most + 1)];
    for class in (nodes.start.0..nodes.end.0).map(NodeId) {
        let is_type = graph.kind(class).is_some_and(SymbolKind::is_type);
        if !is_type || !graph.outgoing(class).any(|edge| is_hierarchy(edge.kind)) {
            continue;
        }
        let above = ancestors(graph, class);
        let says_so = |member: NodeId| {
            let mut edges = graph.outgoing(member);
            edges.any(|edge| edge.kind == EdgeKind::Overrides)
        };
        // By name, each with what it replaces.
        let mut members: Vec<(Option<NameId>, NodeId, Option<Replaced>)> = graph
            .children(class)
            .filter(|member| may_replace(graph, *member) && !says_so(*member))
            .map(|member| (name_of(member), member, None))
            .collect();
        members.sort_unstable_by_key(|(name, member, _)| (*name, *member));
        for (name, ..) in &members {
            if let Some(last) = name.and_then(|name| last.get_mut(name.index())) {
                *last = Some(class);
            }
        }
        for (base, certainty) in above {
            for one in graph.children(base) {
                let name = name_of(one);
                let known = name.and_then(|name| *last.get(name.index())?);
                if known != Some(class) {
                    continue;
                }
                let from = members.partition_point(|(other, ..)| *other < name);
                let same = members.get_mut(from..).unwrap_or_default().iter_mut();
                for (_, member, replaced) in same.take_while(|(other, ..)| *other == name) {
                    if replaced.is_none() && one != *member && may_replace(graph, one) {
                        *replaced = Some((one, certainty));
                    }
                }
            }
        }
        for (_, member, replaced) in members {
            let (Some((to, certainty)), Some(item)) = (replaced, graph.symbol(member)) else {
                continue;
            };
            found.push(Edge {
                from: member,
                to,
                at: item.name_at,
                row: item.name_row,
                kind: EdgeKind::Overrides,
                certainty,
            });
        }
    }
    found
}

/// The types above a type, the nearest first, each with the weakest certainty on the way. What is
/// only one of several possible bases is none.
fn ancestors(graph: &Graph, class: NodeId) -> Vec<(NodeId, Certainty)> {
    let mut above = vec![(class, Certainty::Exact)];
    let mut seen: HashSet<NodeId> = HashSet::new();
    seen.insert(class);
    let mut at = 0;
    while let Some((node, certainty)) = above.get(at).copied() {
        at += 1;
        for edge in graph.outgoing(node) {
            let sure = is_hierarchy(edge.kind) && edge.certainty <= Certainty::Inferred;
            if sure && seen.insert(edge.to) {
                above.push((edge.to, certainty.max(edge.certainty)));
            }
        }
    }
    above.remove(0);
    above
}

/// Whether a member is of a kind that replaces an inherited one of its name.
fn may_replace(graph: &Graph, member: NodeId) -> bool {
    let Some(item) = graph.symbol(member) else {
        return false;
    };
    let kind = matches!(
        item.kind,
        SymbolKind::Method | SymbolKind::Function | SymbolKind::Getter | SymbolKind::Setter
    );
    // In Python, as in Ruby and JavaScript, what is private by its name is inherited all the same.
    let dynamic = matches!(
        graph.file(member).language.id(),
        "python" | "ruby" | "javascript" | "jsx" | "typescript" | "tsx"
    );
    kind && (dynamic || item.visibility != Visibility::Private)
}
