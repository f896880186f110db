//! Which method replaces which: what neither file says by itself.

use super::build::is_hierarchy;
use super::{Edge, Graph, NodeId};
use crate::facts::{SymbolKind, Visibility};
use crate::link::{Certainty, EdgeKind};
use hashbrown::HashSet;

/// The edges from members to the members of the nearest types above that they replace. Members for
/// which a linker said so already are left out.
pub(super) fn overrides(graph: &Graph) -> Vec<Edge> {
    let mut found = Vec::new();
    for class in graph.nodes() {
        let is_type = graph.kind(class).is_some_and(SymbolKind::is_type);
        if !is_type || !graph.outgoing(class).any(|edge| is_hierarchy(edge.kind)) {
            continue;
        }
        let above = ancestors(graph, class);
        for member in graph
            .children(class)
            .filter(|member| may_replace(graph, *member))
        {
            if graph
                .outgoing(member)
                .any(|edge| edge.kind == EdgeKind::Overrides)
            {
                continue;
            }
            let name = graph.name(member);
            let replaced = above.iter().find_map(|(base, certainty)| {
                let same = |one: &NodeId| {
                    *one != member && graph.name(*one) == name && may_replace(graph, *one)
                };
                Some((graph.children(*base).find(same)?, *certainty))
            });
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
