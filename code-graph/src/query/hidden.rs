//! What could be more than an answer tells: uses that could not be told, and callers that lie
//! outside of the checkout.

use super::Inquiry;
use super::answer::count;
use super::compose::Draft;
use crate::facts::{Flags, SymbolKind, Visibility};
use crate::graph::{Edge, Graph, Loose, NodeId};
use crate::link::{Certainty, EdgeKind};
use hashbrown::HashSet;

/// Names that are told of; the others are counted.
const NAMES: usize = 5;

/// Places that are told of one name.
const PLACES: usize = 3;

/// Uses that could not be told, by the name that they have in common with something asked about,
/// those of the most frequent name first.
#[derive(Debug, Default)]
pub(super) struct Hidden<'g> {
    by_name: Vec<(&'g str, Vec<&'g Loose>)>,
}

impl Hidden<'_> {
    fn uses(&self) -> usize {
        self.by_name.iter().map(|(_, uses)| uses.len()).sum()
    }
}

/// Whether something that nobody declares by scope may name a node: what stands inside of a
/// function is named there only, unless it is handed out.
fn may_be_named(graph: &Graph, node: NodeId) -> bool {
    graph.symbol(node).is_some_and(|item| {
        !item.flags.has(Flags::LOCAL)
            || item.kind.is_callable()
            || graph
                .parent(node)
                .and_then(|parent| graph.kind(parent))
                .is_some_and(SymbolKind::is_type)
    })
}

/// Edges to a node that nothing but its name speaks for: one for each use of the name that could
/// not be told.
pub(super) fn by_name_only(graph: &Graph, node: NodeId) -> impl Iterator<Item = Edge> {
    let named = may_be_named(graph, node);
    let uses = named.then(|| graph.unresolved_named(graph.name(node)));
    uses.into_iter().flatten().map(move |one| Edge {
        from: one.from,
        to: node,
        at: one.at,
        row: one.row,
        kind: one.kind,
        certainty: Certainty::Name,
    })
}

/// Edges to a node, those by name only among them when `weakest` lets them count.
pub(super) fn edges_to(
    graph: &Graph,
    node: NodeId,
    weakest: Certainty,
) -> impl Iterator<Item = Edge> {
    let by_name = (weakest == Certainty::Name).then(|| by_name_only(graph, node));
    let known = graph.incoming(node).copied();
    known.chain(by_name.into_iter().flatten())
}

impl<'a> Inquiry<'a> {
    /// The uses that could not be told and may be of one of these nodes, but for those in what
    /// `known` says is known anyway.
    pub(super) fn hidden(
        &self,
        nodes: impl IntoIterator<Item = NodeId>,
        follows: fn(EdgeKind) -> bool,
        known: impl Fn(NodeId) -> bool,
    ) -> Hidden<'a> {
        let graph = self.graph;
        let nodes = nodes.into_iter().filter(|node| may_be_named(graph, *node));
        let mut names: Vec<&str> = nodes.map(|node| graph.name(node)).collect();
        names.sort_unstable();
        names.dedup();
        let uses = |name| {
            let uses = graph.unresolved_named(name);
            uses.filter(|one| follows(one.kind) && !known(one.from))
                .collect()
        };
        let mut by_name: Vec<(&str, Vec<&Loose>)> =
            names.into_iter().map(|name| (name, uses(name))).collect();
        by_name.retain(|(_, uses)| !uses.is_empty());
        by_name.sort_by_key(|(name, uses)| (std::cmp::Reverse(uses.len()), *name));
        Hidden { by_name }
    }

    /// How many uses of the name of what was asked about could be more; the first of them.
    pub(super) fn said_hidden(&self, hidden: &Hidden<'_>) -> Option<String> {
        let graph = self.graph;
        let [(name, uses)] = hidden.by_name.as_slice() else {
            return self.said_hidden_on(hidden, "of these names");
        };
        let first: Vec<String> = uses
            .iter()
            .take(PLACES)
            .map(|one| format!("{}:{}", graph.file(one.from).path, one.row + 1))
            .collect();
        let more = match uses.len() > first.len() {
            true => ", …; certainty=name gives them all",
            false => "",
        };
        Some(format!(
            "{} of `{name}` elsewhere could be more: {}{more}",
            count(uses.len(), "unresolved use"),
            first.join(", ")
        ))
    }

    /// How many uses of several names could hide more, with the most frequent names; `of` says
    /// which names these are.
    pub(super) fn said_hidden_on(&self, hidden: &Hidden<'_>, of: &str) -> Option<String> {
        let uses = hidden.uses();
        let names: Vec<String> = hidden
            .by_name
            .iter()
            .take(NAMES)
            .map(|(name, uses)| format!("`{name}` {}", uses.len()))
            .collect();
        let more = match hidden.by_name.len().saturating_sub(names.len()) {
            0 => String::new(),
            more => format!(" and {}", count(more, "more name")),
        };
        (uses > 0).then(|| {
            format!(
                "{} {of} could hide more: {}{more}; certainty=name follows them",
                count(uses, "unresolved use"),
                names.join(", ")
            )
        })
    }

    /// Says what could lead on from what an answer passes through: uses that could not be told, and
    /// callers outside of the checkout.
    pub(super) fn note_way(
        &self,
        draft: &mut Draft<'_>,
        start: &[NodeId],
        way: &[NodeId],
        weakest: Certainty,
        follows: fn(EdgeKind) -> bool,
    ) {
        let graph = self.graph;
        if weakest < Certainty::Name {
            let told: HashSet<&str> = start.iter().map(|node| graph.name(*node)).collect();
            let known: HashSet<NodeId> = start.iter().chain(way).copied().collect();
            let new = way.iter().filter(|node| !told.contains(graph.name(**node)));
            let hidden = self.hidden(new.copied(), follows, |node| known.contains(&node));
            let of = "of names on the way";
            if let Some(note) = self.said_hidden_on(&hidden, of) {
                draft.note(note);
            }
        }
        let plain = way.iter().filter(|node| !graph.is_test(**node));
        let open: Vec<NodeId> = plain
            .copied()
            .filter(|node| self.called_from_outside(*node).is_some())
            .collect();
        if !open.is_empty() {
            let names = open.iter().take(NAMES).map(|node| self.short(*node));
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            let more = match open.len() - names.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            draft.note(format!(
                "what lies on the way may be called from outside of the checkout, by the runtime or \
                 a framework: {}{more}",
                names.join(", ")
            ));
        }
    }

    /// Whether something of what was asked about carries a decorator.
    pub(super) fn is_decorated(&self, subject: &[NodeId]) -> bool {
        let items = subject.iter().filter_map(|node| self.graph.symbol(*node));
        items
            .into_iter()
            .any(|item| item.flags.has(Flags::DECORATED))
    }

    /// Why something outside of the checkout may call a node, in words. What begins a program or
    /// makes an instance leads on to nothing.
    pub(super) fn called_from_outside(&self, node: NodeId) -> Option<String> {
        let graph = self.graph;
        let item = graph.symbol(node)?;
        if item.kind == SymbolKind::Constructor || graph.name(node) == "main" {
            return None;
        }
        if item.flags.has(Flags::ENTRY) {
            return Some("called by the runtime or a framework".to_owned());
        }
        let class = graph.parent(node)?;
        let member = item.kind.is_callable() && item.visibility != Visibility::Private;
        (member && open_base(graph, class, node)).then(|| {
            format!(
                "{} inherits from outside of the checkout, which may call it",
                self.short(class)
            )
        })
    }
}

/// Whether a member belongs to what its type has from a base that is not in the checkout, or that
/// could not be told.
fn open_base(graph: &Graph, class: NodeId, member: NodeId) -> bool {
    let hierarchy = |kind: EdgeKind| {
        matches!(
            kind,
            EdgeKind::Extends | EdgeKind::Implements | EdgeKind::MixesIn
        )
    };
    let loose = |node| graph.external_in(node).chain(graph.unresolved_in(node));
    let file = graph.file(member);
    // In Go nothing calls a type's methods by what the type is made of.
    if file.language.id() == "go" {
        return false;
    }
    // A member of a block fulfils what the block names, and no more.
    if let Some(block) = graph.symbol(member).and_then(|item| item.owner_at) {
        return [class, file.node].into_iter().any(|node| {
            loose(node).any(|one| {
                hierarchy(one.kind)
                    && one.at == block
                    && graph.file_number(one.from) == graph.file_number(member)
            })
        });
    }
    let mut all = vec![class];
    let mut at = 0;
    while let Some(node) = all.get(at).copied() {
        at += 1;
        if loose(node).any(|one| hierarchy(one.kind)) {
            return true;
        }
        for edge in graph.outgoing(node) {
            if hierarchy(edge.kind) && !all.contains(&edge.to) {
                all.push(edge.to);
            }
        }
    }
    false
}
