//! One symbol with its source, and what a file or a class declares.

use super::Inquiry;
use super::answer::{Answer, Entry, count};
use super::compose::{Draft, Page};
use super::filter::Filter;
use super::lines::Texts;
use super::reach::{is_call, replaced};
use super::resolve::Wanted;
use crate::facts::{Flags, SymbolKind, Visibility};
use crate::graph::NodeId;
use crate::link::{Certainty, EdgeKind};
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

/// A question about one symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SymbolRequest {
    /// Which.
    #[serde(flatten)]
    pub wanted: Wanted,
    /// Whether its source is given.
    pub source: bool,
    /// How much to give.
    pub page: Page,
}

impl Default for SymbolRequest {
    fn default() -> SymbolRequest {
        SymbolRequest {
            wanted: Wanted::default(),
            source: true,
            page: Page::default(),
        }
    }
}

/// A question about what a file, a folder or a type declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutlineRequest {
    /// A file, a folder or a symbol.
    #[serde(flatten)]
    pub wanted: Wanted,
    /// How many levels: 1 gives what is declared directly in it.
    pub depth: u8,
    /// Only symbols among these (and what they stand in).
    pub among: Filter,
    /// How much to give.
    pub page: Page,
}

impl Default for OutlineRequest {
    fn default() -> OutlineRequest {
        OutlineRequest {
            wanted: Wanted::default(),
            depth: 3,
            among: Filter::default(),
            page: Page::default(),
        }
    }
}

impl Inquiry<'_> {
    /// What a symbol is: its declaration, documentation, source, members, and who uses it. Of a
    /// file: its outline.
    pub fn symbol(&self, request: &SymbolRequest) -> Answer {
        let graph = self.graph;
        let subject = match self.subject(&request.wanted, &request.page) {
            Ok(subject) => subject,
            Err(answer) => return *answer,
        };
        if subject.iter().all(|node| graph.symbol(*node).is_none()) {
            return self.outline(&OutlineRequest {
                wanted: request.wanted.clone(),
                page: request.page,
                ..OutlineRequest::default()
            });
        }
        let texts = Texts::new(self.reader);
        let mut draft = Draft::new(self.headline(&subject), self.coverage);
        draft.answer.about = subject.iter().map(|node| self.described(*node)).collect();
        if request.source {
            let node = subject.first().copied().unwrap_or_default();
            if let Some(item) = graph.symbol(node) {
                // Several declarations of one thing are shown from the first to the last when they
                // stand together, else the first.
                let last = subject.iter().filter_map(|one| graph.symbol(*one));
                let last = last.map(|item| item.span).fold(item.span, |whole, next| {
                    match next.row <= whole.end_row + 2 {
                        true if next.end_row > whole.end_row => next,
                        _ => whole,
                    }
                });
                let path = &graph.file(node).path;
                match texts.source(path, item.span.row, last.end_row) {
                    Some(source) => draft.source(source),
                    None => draft.note(format!("{path} cannot be read")),
                }
            }
        }
        let is_type = |node: &&NodeId| graph.kind(**node).is_some_and(SymbolKind::is_type);
        let members: Vec<NodeId> = subject
            .iter()
            .filter(is_type)
            .flat_map(|node| graph.children(*node))
            .collect();
        draft.group("members", true, members, |node| self.declared(*node, 0));
        let hidden = self.hidden(subject.iter().copied(), is_call, |_| false);
        if let Some(note) = self.said_hidden(&hidden) {
            draft.note(note);
        }
        draft.finish(&request.page)
    }

    /// The first sentence about a symbol.
    fn headline(&self, subject: &[NodeId]) -> String {
        let graph = self.graph;
        let mut out = self.said_all(subject);
        let Some(node) = subject.first() else {
            return out;
        };
        if let Some(parent) = graph.parent(*node)
            && graph.symbol(parent).is_some()
        {
            out.push_str(&format!(", in {}", self.said(parent)));
        }
        if graph.is_test(*node) {
            out.push_str(", test code");
        }
        out
    }

    /// A symbol as what is asked about.
    fn described(&self, node: NodeId) -> Entry {
        let graph = self.graph;
        let mut entry = self.entry(node);
        entry.signature = self.signature(node);
        let mut facts = Vec::new();
        if let Some(item) = graph.symbol(node) {
            entry.end_line = Some(item.span.end_row + 1);
            let names = &graph.file(node).outline.names;
            entry.doc = item.doc.map(|doc| names.get(doc).to_owned());
            facts.extend(visibility_word(item.visibility).map(str::to_owned));
            let said = FLAG_WORDS
                .iter()
                .filter(|(flag, _)| item.flags.has(*flag))
                .map(|(_, word)| (*word).to_owned());
            facts.extend(said);
        }
        let targets = self.targets(&[node]);
        let mut callers: HashSet<NodeId> = HashSet::new();
        let mut users: HashSet<NodeId> = HashSet::new();
        for edge in targets.iter().flat_map(|target| graph.incoming(*target)) {
            if edge.certainty > Certainty::Inferred || edge.kind == EdgeKind::Overrides {
                continue;
            }
            users.insert(edge.from);
            if is_call(edge.kind) {
                callers.insert(edge.from);
            }
        }
        let tests = callers.iter().filter(|node| graph.is_test(**node)).count();
        facts.push(match tests {
            0 => count(callers.len(), "caller"),
            tests => format!("{} ({tests} in tests)", count(callers.len(), "caller")),
        });
        if users.len() > callers.len() {
            facts.push(count(users.len() - callers.len(), "other user"));
        }
        let sources = self.sources(&[node]);
        let mut callees: HashSet<NodeId> = HashSet::new();
        let outgoing = sources.iter().flat_map(|source| graph.outgoing(*source));
        callees.extend(
            outgoing
                .filter(|edge| is_call(edge.kind))
                .map(|edge| edge.to),
        );
        if !callees.is_empty() {
            facts.push(count(callees.len(), "callee"));
        }
        facts.extend(
            replaced(graph, node)
                .first()
                .map(|base| format!("overrides {}", self.said(*base))),
        );
        let below = graph
            .incoming(node)
            .filter(|edge| edge.kind == EdgeKind::Overrides);
        facts.extend(match below.count() {
            0 => None,
            many => Some(format!("overridden by {many}")),
        });
        entry.detail = facts.join(", ");
        entry
    }

    /// A symbol in an outline.
    pub(super) fn declared(&self, node: NodeId, indent: usize) -> Entry {
        let mut entry = self.entry(node);
        entry.indent = indent;
        entry.signature = self.signature(node);
        let item = self.graph.symbol(node);
        entry.end_line = item.map(|item| item.span.end_row + 1);
        entry
    }

    /// What a file, a folder or a symbol declares.
    pub fn outline(&self, request: &OutlineRequest) -> Answer {
        let graph = self.graph;
        let page = &request.page;
        let sieve = match request.among.sieve(graph) {
            Ok(sieve) => sieve,
            Err(why) => return Draft::new(why, self.coverage).finish(page),
        };
        let mut depth = usize::from(request.depth.max(1));
        let subject = match self.subject(&request.wanted, page) {
            Ok(subject) => subject,
            Err(answer) => return *answer,
        };
        if subject.len() > 1 && graph.symbol(subject[0]).is_none() {
            depth = depth.min(2);
        }
        let mut all: Vec<(NodeId, usize)> = Vec::new();
        let mut open: Vec<(NodeId, usize)> = subject.iter().rev().map(|node| (*node, 0)).collect();
        while let Some((node, level)) = open.pop() {
            if level > 0 && sieve.lets(graph, node) {
                all.push((node, level - 1));
            }
            if level < depth {
                let children: Vec<NodeId> = graph.children(node).collect();
                open.extend(children.into_iter().rev().map(|child| (child, level + 1)));
            }
        }
        let what = self.said_all(&subject);
        let headline = format!("{what} declares {}", count(all.len(), "symbol"));
        let mut draft = Draft::new(headline, self.coverage);
        draft.narrowed(&sieve);
        draft.group("", true, all, |(node, indent)| {
            self.declared(*node, *indent)
        });
        draft.finish(page)
    }
}

const FLAG_WORDS: [(Flags, &str); 9] = [
    (Flags::TEST, "test"),
    (Flags::STATIC, "static"),
    (Flags::ABSTRACT, "abstract"),
    (Flags::ASYNC, "async"),
    (Flags::DECORATED, "decorated"),
    (Flags::EXPORTED, "exported"),
    (Flags::PROPERTY, "property"),
    (Flags::DEPRECATED, "deprecated"),
    (Flags::ENTRY, "entry point"),
];

fn visibility_word(visibility: Visibility) -> Option<&'static str> {
    match visibility {
        Visibility::Public => None,
        Visibility::Internal => Some("internal"),
        Visibility::Protected => Some("protected"),
        Visibility::Private => Some("private"),
    }
}
