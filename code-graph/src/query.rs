//! What one may ask the graph, and the answers.
//!
//! Every question is a request (a plain struct with defaults) to an [`Inquiry`], and every answer
//! is an [`Answer`]: one sentence, groups of entries, notes, and what the index covers. An answer
//! keeps the token budget of its request, says how much it left out and how to get it, and its
//! order is a function of the content of the checkout.
//!
//! Three rules hold for all of them: what is asked about is never replaced by something that looks
//! like it; what is not known is counted; tests are told apart.

mod accesses;
mod answer;
mod calls;
mod compose;
mod filter;
mod hidden;
mod hierarchy;
mod impact;
mod lines;
mod map;
mod modules;
mod paths;
mod reach;
mod removed;
mod resolve;
mod search;
mod status;
mod symbol;
#[cfg(test)]
mod tests;
mod unreferenced;
mod users;
mod words;

pub use answer::{Answer, Entry, Group, Line, Outcome, Source};
pub use calls::CallRequest;
pub use compose::{DEFAULT_TOKENS, MIN_TOKENS, Page, TOKEN_BYTES};
pub use filter::{Filter, Tests};
pub use impact::{ChangedFile, ImpactRequest};
pub use map::MapRequest;
pub use modules::{Level, ModuleRequest};
pub use paths::PathRequest;
pub use resolve::{Resolution, Wanted};
pub(crate) use search::SearchTexts;
pub use search::{SearchMode, SearchRequest};
pub use status::DrawRequest;
pub use symbol::{OutlineRequest, SymbolRequest};
pub use unreferenced::UnreferencedRequest;
pub use users::{EditedFile, Stake, UserFile, is_within_bodies, lost_users, users};

use crate::graph::{Graph, NodeId};
use crate::index::Coverage;
use std::sync::Arc;

/// Reads the text of a file of the checkout as it is now, by the path that the graph has for it;
/// nothing when it cannot be read.
pub trait Reader {
    /// See the trait.
    fn read(&self, path: &str) -> Option<Arc<str>>;

    /// Whether there is a file or a folder of this path, be it readable or not.
    fn exists(&self, path: &str) -> bool {
        self.read(path).is_some()
    }
}

impl<F: Fn(&str) -> Option<Arc<str>>> Reader for F {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        self(path)
    }
}

/// A graph that is asked, with what its answers need besides.
#[derive(Clone, Copy)]
pub struct Inquiry<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// What it covers; goes into every answer.
    pub coverage: &'a Coverage,
    /// Where lines of code are read from.
    pub reader: &'a dyn Reader,
}

impl std::fmt::Debug for Inquiry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inquiry")
            .field("coverage", self.coverage)
            .finish_non_exhaustive()
    }
}

impl Inquiry<'_> {
    /// An entry for a node, with nothing but what it is and where.
    fn entry(&self, node: NodeId) -> Entry {
        let graph = self.graph;
        let file = graph.file(node);
        let symbol = graph.symbol(node);
        Entry {
            id: graph.id(node).to_string(),
            kind: graph.word(node),
            name: graph.qualified(node),
            path: file.path.clone(),
            line: symbol.map_or(1, |item| item.name_row + 1),
            ..Entry::default()
        }
    }

    /// The declaration of a symbol as one line.
    fn signature(&self, node: NodeId) -> Option<String> {
        let item = self.graph.symbol(node)?;
        let text = self.graph.file(node).outline.names.get(item.signature);
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// How a node is named in a sentence: "method `A.f` (a.py:3)".
    fn said(&self, node: NodeId) -> String {
        let graph = self.graph;
        let path = &graph.file(node).path;
        match graph.symbol(node) {
            Some(item) => format!(
                "{} `{}` ({path}:{})",
                item.kind.word(),
                graph.qualified(node),
                item.name_row + 1
            ),
            None => format!("file {path}"),
        }
    }
}
