//! The most important symbols of a checkout, as many as a budget holds.

use super::Inquiry;
use super::answer::{Answer, Entry, count};
use super::compose::{Draft, Page, tests_left_out};
use super::filter::{Filter, Tests};
use super::resolve::Wanted;
use crate::facts::{Flags, SymbolKind};
use crate::graph::{Graph, NodeId};
use crate::link::{Certainty, EdgeKind};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Rounds of ranking: what is left to change after them is less than one in a hundred.
const ROUNDS: usize = 20;

/// How much of its rank a symbol hands on.
const HANDED_ON: f32 = 0.85;

/// What a map is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MapRequest {
    /// Symbols and files that the work is about: what is near them counts for more.
    pub focus: Vec<Wanted>,
    /// Only symbols among these. Tests are left out unless asked for.
    pub among: Filter,
    /// How much to give.
    pub page: Page,
}

impl Default for MapRequest {
    fn default() -> MapRequest {
        MapRequest {
            focus: Vec::new(),
            among: Filter {
                tests: Tests::Without,
                ..Filter::default()
            },
            page: Page::default(),
        }
    }
}

/// What an edge hands on, as a share.
fn weight(kind: EdgeKind, certainty: Certainty) -> f32 {
    let kind = match kind {
        EdgeKind::Calls | EdgeKind::Instantiates => 1.0,
        EdgeKind::Extends | EdgeKind::Implements | EdgeKind::MixesIn => 1.0,
        EdgeKind::UsesType | EdgeKind::Decorates => 0.7,
        EdgeKind::References | EdgeKind::Overrides => 0.5,
        EdgeKind::Imports | EdgeKind::Writes => 0.2,
    };
    match certainty {
        Certainty::Exact | Certainty::Typed | Certainty::Inferred => kind,
        Certainty::Candidate | Certainty::Name => kind * 0.1,
    }
}

impl Graph {
    /// PageRank of every node: how often one comes there who follows edges from symbol to symbol
    /// and now and then begins anew, at one of `focus` more often than elsewhere.
    pub(super) fn ranks(&self, focus: &[NodeId]) -> Vec<f32> {
        let nodes = self.len();
        if nodes == 0 {
            return Vec::new();
        }
        // What tests use is not important for that.
        let share = |node: NodeId| if self.is_test(node) { 0.1 } else { 1.0 };
        let whole: f32 = self.nodes().map(share).sum();
        let even = if focus.is_empty() { 1.0 } else { 0.3 };
        let mut start: Vec<f32> = self
            .nodes()
            .map(|node| even * share(node) / whole)
            .collect();
        for node in focus {
            start[node.index()] += (1.0 - even) / focus.len() as f32;
        }
        // A member hands on to what it is a member of as well.
        let mut given = vec![0f32; nodes];
        for edge in self.edges() {
            given[edge.from.index()] += weight(edge.kind, edge.certainty);
        }
        const TO_PARENT: f32 = 0.5;
        for node in self.nodes() {
            if self.parent(node).is_some() {
                given[node.index()] += TO_PARENT;
            }
        }
        let mut rank = start.clone();
        let mut next = vec![0f32; nodes];
        for _ in 0..ROUNDS {
            next.fill(0.0);
            let mut kept = 0.0;
            for node in self.nodes() {
                let at = node.index();
                if given[at] == 0.0 {
                    kept += rank[at];
                    continue;
                }
                let each = rank[at] / given[at];
                if let Some(parent) = self.parent(node) {
                    next[parent.index()] += each * TO_PARENT;
                }
                rank[at] = each;
            }
            for edge in self.edges() {
                let each = rank[edge.from.index()];
                next[edge.to.index()] += each * weight(edge.kind, edge.certainty);
            }
            for (value, start) in next.iter_mut().zip(&start) {
                *value = HANDED_ON * (*value + kept * start) + (1.0 - HANDED_ON) * start;
            }
            std::mem::swap(&mut rank, &mut next);
        }
        rank
    }
}

impl Inquiry<'_> {
    /// The declarations of the most important symbols, file by file, as many as the budget holds.
    pub fn map(&self, request: &MapRequest) -> Answer {
        let graph = self.graph;
        let page = &request.page;
        let mut focus = Vec::new();
        for wanted in &request.focus {
            match self.subject(wanted, page) {
                Ok(nodes) => focus.extend(nodes.iter().flat_map(|node| graph.within(*node))),
                Err(answer) => return *answer,
            }
        }
        let sieve = match request.among.sieve(graph) {
            Ok(sieve) => sieve,
            Err(why) => return Draft::new(why, self.coverage).finish(page),
        };
        let rank = match focus.as_slice() {
            [] => Cow::Borrowed(graph.ranks_by(|| graph.ranks(&[]))),
            focus => Cow::Owned(graph.ranks(focus)),
        };
        let mut best: Vec<NodeId> = graph
            .nodes()
            .filter(|node| sieve.lets(graph, *node) && worth_a_line(graph, *node))
            .collect();
        let order = |node: &NodeId| rank.get(node.index()).copied().unwrap_or(0.0);
        best.sort_unstable_by(|a, b| order(b).total_cmp(&order(a)).then(a.cmp(b)));
        let rest = best.get(page.offset.min(best.len())..).unwrap_or_default();
        let whole = best.len();
        let left_out = tests_left_out(graph, &request.among, &sieve);
        let draft = |many: usize| {
            let headline = format!(
                "the {many} most important of {}{}{}",
                count(whole, "symbol"),
                if focus.is_empty() {
                    ""
                } else {
                    " near what was named"
                },
                match page.offset {
                    0 => String::new(),
                    offset => format!(", after the first {offset}"),
                }
            );
            let mut draft = Draft::new(headline, self.coverage);
            draft.narrowed(&sieve);
            if let Some(note) = &left_out {
                draft.note(note.clone());
            }
            let entries = self.by_file(rest.get(..many).unwrap_or(rest));
            draft.group("", true, entries, |(node, indent)| {
                self.mapped(*node, *indent)
            });
            draft
        };
        let wide = Page {
            tokens: usize::MAX / 8,
            offset: 0,
            limit: usize::MAX,
        };
        let fits = |many: usize| {
            let mut answer = draft(many).finish(&wide);
            answer.total = whole;
            answer.next_offset = (page.offset + many < whole).then_some(page.offset + many);
            (answer.to_string().len() <= page.bytes()).then_some(answer)
        };
        let most = rest.len().min(page.limit);
        // More symbols never make a shorter text, so the most that fit are found by doubling
        // and halving.
        let (mut low, mut high) = (0, most + 1);
        let mut found = fits(0);
        while high - low > 1 {
            // From few to many: a long text costs more than it tells.
            let middle = (low + (high - low) / 2).min((2 * low).max(16));
            match fits(middle) {
                Some(answer) => {
                    found = Some(answer);
                    low = middle;
                }
                None => high = middle,
            }
            // An answer of the budget cannot hold more lines than it has bytes.
            high = high.min(page.bytes());
        }
        found.unwrap_or_else(|| draft(0).finish(page))
    }

    /// Symbols grouped by file, the file of the best first, each under what it is declared in.
    fn by_file(&self, best: &[NodeId]) -> Vec<(NodeId, usize)> {
        let graph = self.graph;
        let mut files: Vec<usize> = Vec::new();
        let mut shown: Vec<NodeId> = Vec::new();
        for node in best {
            let file = graph.file_number(*node);
            if !files.contains(&file) {
                files.push(file);
            }
            // A member without its type says little.
            let mut at = Some(*node);
            while let Some(one) = at.filter(|one| graph.symbol(*one).is_some()) {
                if graph.file_number(one) == file {
                    shown.push(one);
                }
                at = graph.parent(one);
            }
        }
        shown.sort_unstable();
        shown.dedup();
        let depth = |node: NodeId| {
            let up = std::iter::successors(graph.parent(node), |at| graph.parent(*at));
            up.filter(|at| shown.binary_search(at).is_ok()).count()
        };
        let mut all = Vec::with_capacity(shown.len());
        for file in files {
            let of_file = shown
                .iter()
                .filter(|node| graph.file_number(**node) == file);
            all.extend(of_file.map(|node| (*node, depth(*node))));
        }
        all
    }

    fn mapped(&self, node: NodeId, indent: usize) -> Entry {
        let mut entry = self.entry(node);
        entry.indent = indent;
        entry.signature = self.signature(node);
        entry
    }
}

/// Whether a symbol has a line of its own in a map.
fn worth_a_line(graph: &Graph, node: NodeId) -> bool {
    graph.symbol(node).is_some_and(|item| {
        let kind = item.kind.is_type()
            || matches!(
                item.kind,
                SymbolKind::Function
                    | SymbolKind::Method
                    | SymbolKind::Getter
                    | SymbolKind::Macro
                    | SymbolKind::TypeAlias
                    | SymbolKind::Constant
            );
        kind && !item.flags.has(Flags::LOCAL)
    })
}
