//! What a type or a member takes over, and from whom.

use super::Inquiry;
use super::answer::{Answer, Entry, count};
use super::calls::{CallRequest, said_kind};
use super::compose::Draft;
use crate::facts::SymbolKind;
use crate::graph::NodeId;
use crate::link::{Certainty, EdgeKind};
use hashbrown::HashSet;

/// A type or member above or below, with the edge that leads there.
struct Kin {
    node: NodeId,
    depth: usize,
    certainty: Certainty,
    detail: String,
}

fn is_kin(kind: EdgeKind) -> bool {
    matches!(
        kind,
        EdgeKind::Extends | EdgeKind::Implements | EdgeKind::MixesIn | EdgeKind::Overrides
    )
}

impl Inquiry<'_> {
    /// Of a type: what it inherits from and what inherits from it, at any distance. Of a member:
    /// what it overrides and what overrides it.
    pub fn hierarchy(&self, request: &CallRequest) -> Answer {
        let graph = self.graph;
        let page = &request.page;
        let (subject, sieve) = match self.about(&request.wanted, &request.among, page) {
            Ok(both) => both,
            Err(answer) => return *answer,
        };
        let mut up = self.kin(&subject, request.certainty, true);
        let mut down = self.kin(&subject, request.certainty, false);
        let whole = up.len() + down.len();
        up.retain(|kin| sieve.lets(graph, kin.node));
        down.retain(|kin| sieve.lets(graph, kin.node));
        let kept_back = whole - up.len() - down.len();
        let mut outside: Vec<(String, EdgeKind)> = subject
            .iter()
            .copied()
            .chain(up.iter().map(|kin| kin.node))
            .flat_map(|node| graph.external_in(node))
            .filter(|one| is_kin(one.kind))
            .map(|one| (graph.name_of(one).to_owned(), one.kind))
            .collect();
        outside.sort();
        outside.dedup();
        let types = subject
            .iter()
            .any(|node| graph.kind(*node).is_some_and(SymbolKind::is_type));
        let said = self.said_all(&subject);
        let (above, below) = match types {
            true => ("bases", "derived types"),
            false => ("overrides", "overridden by"),
        };
        let headline = match types {
            true => format!(
                "{said} has {} in the checkout, {} outside, and {}",
                count(up.len(), "base"),
                outside.len(),
                count(down.len(), "derived type")
            ),
            false => format!(
                "{said} overrides {} and is overridden by {}",
                count(up.len(), "member"),
                count(down.len(), "member")
            ),
        };
        let mut draft = Draft::new(headline, self.coverage);
        let entry = |kin: &Kin| {
            let mut entry = self.entry(kin.node);
            entry.certainty = Some(kin.certainty);
            entry.detail = kin.detail.clone();
            entry.indent = kin.depth - 1;
            entry
        };
        draft.group(above, false, up, entry);
        draft.group(
            "bases outside of the checkout",
            false,
            outside,
            |(name, _)| Entry {
                kind: "external",
                name: name.clone(),
                ..Entry::default()
            },
        );
        draft.group(below, false, down, entry);
        let unknown: usize = subject
            .iter()
            .flat_map(|node| graph.unresolved_in(*node))
            .filter(|one| is_kin(one.kind))
            .count();
        draft.narrowed(&sieve);
        draft.kept_back(kept_back, if types { "type more" } else { "member more" });
        if unknown > 0 {
            draft.note(format!("{} could not be told", count(unknown, "base")));
        }
        draft.finish(page)
    }

    /// What lies above or below, nearest first along each line.
    fn kin(&self, subject: &[NodeId], weakest: Certainty, up: bool) -> Vec<Kin> {
        let graph = self.graph;
        let mut seen: HashSet<NodeId> = subject.iter().copied().collect();
        let mut all: Vec<Kin> = Vec::new();
        let mut open: Vec<(NodeId, usize)> = subject.iter().rev().map(|node| (*node, 0)).collect();
        let mut found: Vec<Kin> = Vec::new();
        while let Some((node, depth)) = open.pop() {
            // What was found is told when its turn comes, so that each line stands together.
            if let Some(at) = found
                .iter()
                .position(|kin| kin.node == node && kin.depth == depth)
            {
                all.push(found.swap_remove(at));
            }
            let edges: Vec<(NodeId, Certainty, EdgeKind)> = match up {
                true => graph
                    .outgoing(node)
                    .map(|edge| (edge.to, edge.certainty, edge.kind))
                    .collect(),
                false => graph
                    .incoming(node)
                    .map(|edge| (edge.from, edge.certainty, edge.kind))
                    .collect(),
            };
            let new: Vec<(NodeId, Certainty, EdgeKind)> = edges
                .into_iter()
                .filter(|(_, certainty, kind)| is_kin(*kind) && *certainty <= weakest)
                // What is implemented for a type without a name stands in a file and no type.
                .filter(|(other, _, _)| graph.symbol(*other).is_some())
                .filter(|(other, _, _)| seen.insert(*other))
                .collect();
            for (other, certainty, kind) in new.into_iter().rev() {
                let detail = match up {
                    true => format!("{} {} it", self.short(node), said_kind(kind)),
                    false => format!("{} {}", said_kind(kind), self.short(node)),
                };
                found.push(Kin {
                    node: other,
                    depth: depth + 1,
                    certainty,
                    detail,
                });
                open.push((other, depth + 1));
            }
        }
        all
    }
}
