//! How one symbol reaches another.

use super::Inquiry;
use super::answer::{Answer, Entry, count};
use super::calls::said_kind;
use super::compose::{Draft, Page};
use super::hidden::edges_to;
use super::lines::Texts;
use super::reach::Step;
use super::resolve::Wanted;
use crate::graph::{Graph, Loose, NodeId};
use crate::link::{Certainty, EdgeKind};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Ways that are looked at before the search ends.
const WAYS: usize = 50_000;

/// From where to where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PathRequest {
    /// The symbol, class or file that a way begins at.
    pub from: Wanted,
    /// The one it ends at.
    pub to: Wanted,
    /// How many ways, the shortest first.
    pub ways: usize,
    /// The most steps of a way.
    pub longest: u8,
    /// The weakest certainty that is followed.
    pub certainty: Certainty,
    /// How much to give.
    pub page: Page,
}

impl Default for PathRequest {
    fn default() -> PathRequest {
        PathRequest {
            from: Wanted::default(),
            to: Wanted::default(),
            ways: 3,
            longest: 12,
            certainty: Certainty::Inferred,
            page: Page::default(),
        }
    }
}

/// Whether a way may go over an edge of this kind: it runs its target, or hands it on to be run.
fn leads_on(kind: EdgeKind) -> bool {
    matches!(
        kind,
        EdgeKind::Calls | EdgeKind::Instantiates | EdgeKind::Decorates | EdgeKind::References
    )
}

/// One step from a node to every node after it, the surest and first place for each.
fn steps(graph: &Graph, node: NodeId, weakest: Certainty) -> Vec<Step> {
    let mut best: HashMap<NodeId, Step> = HashMap::new();
    let mut put = |step: Step| {
        let known = best.entry(step.to).or_insert(step);
        if step.certainty < known.certainty {
            *known = step;
        }
    };
    for edge in graph.outgoing(node) {
        if leads_on(edge.kind) && edge.certainty <= weakest && edge.to != node {
            put(Step {
                from: node,
                to: edge.to,
                row: edge.row,
                kind: edge.kind,
                certainty: edge.certainty,
                through: None,
            });
        }
    }
    if weakest == Certainty::Name {
        for one in graph.unresolved_in(node).filter(|one| leads_on(one.kind)) {
            for to in graph.named(graph.name_of(one)).filter(|to| *to != node) {
                put(Step {
                    from: node,
                    to,
                    row: one.row,
                    kind: one.kind,
                    certainty: Certainty::Name,
                    through: None,
                });
            }
        }
    }
    // A call of a member may run what overrides it.
    for edge in graph.incoming(node) {
        if edge.kind == EdgeKind::Overrides && edge.certainty <= weakest {
            put(Step {
                from: node,
                to: edge.from,
                row: edge.row,
                kind: EdgeKind::Overrides,
                certainty: edge.certainty.max(Certainty::Inferred),
                through: None,
            });
        }
    }
    let mut steps: Vec<Step> = best.into_values().collect();
    steps.sort_unstable_by_key(|step| (step.certainty, step.to));
    steps
}

/// The fewest steps from each node to one of `to`.
fn distances(graph: &Graph, to: &[NodeId], weakest: Certainty) -> Vec<u8> {
    let mut distance = vec![u8::MAX; graph.len()];
    let mut frontier: Vec<NodeId> = to.to_vec();
    for node in to {
        distance[node.index()] = 0;
    }
    for depth in 1..u8::MAX {
        let mut next = Vec::new();
        for node in frontier.drain(..) {
            let callers = edges_to(graph, node, weakest)
                .filter(|edge| leads_on(edge.kind) && edge.certainty <= weakest)
                .map(|edge| edge.from);
            let bases = graph
                .outgoing(node)
                .filter(|edge| edge.kind == EdgeKind::Overrides && edge.certainty <= weakest)
                .map(|edge| edge.to);
            for before in callers.chain(bases) {
                if distance[before.index()] == u8::MAX {
                    distance[before.index()] = depth;
                    next.push(before);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        frontier = next;
    }
    distance
}

/// The shortest ways without a node twice, the shortest and surest first.
fn shortest(
    graph: &Graph,
    from: &[NodeId],
    distance: &[u8],
    request: &PathRequest,
) -> Vec<Vec<Step>> {
    /// A way as its last step and the way before.
    struct Way {
        before: Option<usize>,
        step: Option<Step>,
        node: NodeId,
        steps: usize,
    }
    let mut ways: Vec<Way> = Vec::new();
    let mut open = BinaryHeap::new();
    for node in from.iter().filter(|node| distance[node.index()] < u8::MAX) {
        open.push(Reverse((
            usize::from(distance[node.index()]),
            Certainty::Exact,
            ways.len(),
        )));
        ways.push(Way {
            before: None,
            step: None,
            node: *node,
            steps: 0,
        });
    }
    let mut found = Vec::new();
    while let Some(Reverse((_, weakest, at))) = open.pop() {
        let (node, taken) = (ways[at].node, ways[at].steps);
        if distance[node.index()] == 0 && taken > 0 {
            let mut way = Vec::new();
            let mut next = Some(at);
            while let Some(at) = next {
                way.extend(ways[at].step);
                next = ways[at].before;
            }
            way.reverse();
            found.push(way);
            if found.len() >= request.ways {
                break;
            }
            continue;
        }
        for step in steps(graph, node, request.certainty) {
            let left = distance[step.to.index()];
            let length = taken + 1 + usize::from(left);
            if left == u8::MAX || length > usize::from(request.longest) || ways.len() >= WAYS {
                continue;
            }
            let mut before = Some(at);
            let twice = std::iter::from_fn(|| {
                let way = &ways[before?];
                before = way.before;
                Some(way.node)
            })
            .any(|node| node == step.to);
            if !twice {
                open.push(Reverse((length, weakest.max(step.certainty), ways.len())));
                ways.push(Way {
                    before: Some(at),
                    step: Some(step),
                    node: step.to,
                    steps: taken + 1,
                });
            }
        }
    }
    found
}

impl Inquiry<'_> {
    /// The shortest ways on which one symbol reaches another by calls and by handing on functions;
    /// when there is none, how far each side gets and what might join them.
    pub fn paths(&self, request: &PathRequest) -> Answer {
        let graph = self.graph;
        let page = &request.page;
        let from = match self.subject(&request.from, page) {
            Ok(nodes) => nodes,
            Err(answer) => return *answer,
        };
        let to = match self.subject(&request.to, page) {
            Ok(nodes) => nodes,
            Err(answer) => return *answer,
        };
        let mut ends = self.targets(&to);
        if to.iter().any(|node| graph.symbol(*node).is_none()) {
            ends = self.sources(&to);
        }
        let starts = self.sources(&from);
        let distance = distances(graph, &ends, request.certainty);
        let ways = shortest(graph, &starts, &distance, request);
        let (a, b) = (self.said_all(&from), self.said_all(&to));
        if from == to {
            let headline = format!("both ends are {a}: ask for its callers or callees");
            return Draft::new(headline, self.coverage).finish(page);
        }
        if ways.is_empty() {
            return self.no_way(&starts, &distance, request, &a, &b);
        }
        let headline = format!("{} from {a} to {b}", count(ways.len(), "way"));
        let texts = Texts::new(self.reader);
        let mut draft = Draft::new(headline, self.coverage);
        for (number, way) in (1..).zip(ways) {
            draft.group(format!("way {number}, steps"), false, way, |step: &Step| {
                let mut entry = self.entry(step.from);
                entry.certainty = Some(step.certainty);
                entry.detail = match step.kind {
                    EdgeKind::Overrides => format!("may run {}", self.short(step.to)),
                    kind => format!("{} {}", said_kind(kind), self.short(step.to)),
                };
                if step.kind != EdgeKind::Overrides {
                    entry.lines = texts.lines(&entry.path, [step.row]);
                }
                entry
            });
        }
        draft.finish(page)
    }

    fn no_way(
        &self,
        starts: &[NodeId],
        distance: &[u8],
        request: &PathRequest,
        a: &str,
        b: &str,
    ) -> Answer {
        let graph = self.graph;
        let mut reached = starts.to_vec();
        let mut seen = vec![false; graph.len()];
        for node in starts {
            seen[node.index()] = true;
        }
        let mut at = 0;
        while let Some(node) = reached.get(at).copied() {
            at += 1;
            for step in steps(graph, node, request.certainty) {
                if !std::mem::replace(&mut seen[step.to.index()], true) {
                    reached.push(step.to);
                }
            }
        }
        // Something that the one side uses and could not be told may be something of the other.
        let mut joints: Vec<(Loose, Vec<NodeId>)> = Vec::new();
        for node in &reached {
            for one in graph.unresolved_in(*node) {
                let could: Vec<NodeId> = graph
                    .named(graph.name_of(one))
                    .filter(|node| distance[node.index()] < u8::MAX)
                    .collect();
                if !could.is_empty() {
                    joints.push((*one, could));
                }
            }
        }
        joints.sort_by_key(|(one, could)| {
            let left = could.iter().map(|node| distance[node.index()]).min();
            (left, could.len(), one.from, one.at)
        });
        let before = distance.iter().filter(|steps| **steps < u8::MAX).count();
        let headline = format!(
            "no way is known from {a} to {b}: the first reaches {}, the second is reached from {}",
            count(reached.len().saturating_sub(starts.len()), "symbol"),
            count(before.saturating_sub(1), "symbol")
        );
        let texts = Texts::new(self.reader);
        let mut draft = Draft::new(headline, self.coverage);
        draft.group(
            "unresolved uses that might join them",
            false,
            joints,
            |(one, could)| {
                let mut entry: Entry = self.entry(one.from);
                let names: Vec<String> =
                    could.iter().take(3).map(|node| self.short(*node)).collect();
                let more = if could.len() > 3 { ", …" } else { "" };
                entry.detail = format!("might be {}{more}", names.join(", "));
                entry.lines = texts.lines(&entry.path, [one.row]);
                entry
            },
        );
        draft.finish(&request.page)
    }
}
