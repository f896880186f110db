//! All files together: nodes, edges in both directions, and the queries over them.
//!
//! A node is a file or a symbol. Nodes are numbered without gaps: files in the order of their
//! paths, each followed by its symbols in the order of their position; so the numbers are a
//! function of the content of the checkout. Edges lie in flat arrays, grouped by source, with a
//! second array that groups them by target.

mod build;
mod csr;
#[cfg(test)]
pub(crate) mod fixture;
mod hierarchy;
mod names;
pub(crate) mod outline;
mod packed;
#[cfg(test)]
mod tests;
mod trial;

pub use build::Source;
pub(crate) use build::both;
pub use names::Loose;
pub use outline::{Item, Outline};
pub use packed::PackedLinks;
pub use trial::is_test_path;

use crate::facts::{Flags, SymbolId, SymbolKind};
use crate::link::{Certainty, EdgeKind, StableId};
use crate::query::SearchTexts;
use csr::Csr;
use fourfold_syntax::Language;
use hashbrown::HashMap;
use names::NameTable;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// A file or a symbol: an index into the tables of one [`Graph`], of no meaning in another.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One edge. An edge per place: a function that calls another twice has two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// What it goes out from.
    pub from: NodeId,
    /// Where it leads.
    pub to: NodeId,
    /// The byte and the 0-based row in the file of `from` where it is said.
    pub at: u32,
    /// See `at`.
    pub row: u32,
    /// What it says.
    pub kind: EdgeKind,
    /// How it was found.
    pub certainty: Certainty,
}

/// One file of the graph.
#[derive(Debug, Clone)]
pub struct File {
    /// Relative to the checkout, with `/`.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// What it declares.
    pub outline: Arc<Outline>,
    /// The path says that what stands in it is for tests.
    pub test: bool,
    /// Its own node; its symbols follow.
    pub node: NodeId,
}

/// A checkout as nodes and edges. See the [module](self).
#[derive(Debug, Default)]
pub struct Graph {
    files: Vec<File>,
    /// The file that each node stands in.
    file_of: Vec<u32>,
    ids: Vec<StableId>,
    by_id: HashMap<StableId, NodeId>,
    /// What each node is declared in, blocks that add members to a type taken for the type.
    parents: Vec<NodeId>,
    children: Csr,
    edges: Vec<Edge>,
    /// Runs of `edges`.
    outgoing: Csr,
    incoming: Csr,
    tests: Vec<bool>,
    names: NameTable,
    dangling: usize,
    /// Made when first searched.
    search: OnceLock<SearchTexts>,
    /// How important each node is, when nothing is in focus; made when first asked for.
    ranks: OnceLock<Vec<f32>>,
}

impl Graph {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// All nodes in order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + Clone + use<> {
        (0..self.ids.len() as u32).map(NodeId)
    }

    /// All files in the order of their paths.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The file of this path.
    pub fn file_at(&self, path: &str) -> Option<&File> {
        let at = self
            .files
            .binary_search_by(|file| file.path.as_str().cmp(path));
        at.ok().and_then(|at| self.files.get(at))
    }

    /// The number of the file that a node stands in: its place in [`files`](Graph::files).
    ///
    /// # Panics
    ///
    /// When the node is of another graph.
    pub fn file_number(&self, node: NodeId) -> usize {
        self.file_of[node.index()] as usize
    }

    /// The file that a node stands in, or is.
    ///
    /// # Panics
    ///
    /// When the node is of another graph.
    pub fn file(&self, node: NodeId) -> &File {
        &self.files[self.file_number(node)]
    }

    /// The symbol that a node is; none for a file.
    pub fn symbol(&self, node: NodeId) -> Option<&Item> {
        let file = self.file(node);
        let at = node.0.checked_sub(file.node.0 + 1)?;
        file.outline.items.get(at as usize)
    }

    /// The node of a symbol of a file.
    pub fn node_of(&self, file: &File, symbol: SymbolId) -> Option<NodeId> {
        let inside = symbol.index() < file.outline.items.len();
        inside.then(|| NodeId(file.node.0 + 1 + symbol.0))
    }

    /// The kind of a symbol; none for a file.
    pub fn kind(&self, node: NodeId) -> Option<SymbolKind> {
        self.symbol(node).map(|item| item.kind)
    }

    /// The word for what a node is: `file`, `class`, `method`.
    pub fn word(&self, node: NodeId) -> &'static str {
        self.kind(node).map_or("file", SymbolKind::word)
    }

    /// The simple name of a symbol, the path of a file.
    pub fn name(&self, node: NodeId) -> &str {
        let file = self.file(node);
        match self.symbol(node) {
            Some(item) => file.outline.names.get(item.name),
            None => &file.path,
        }
    }

    /// The qualified name of a symbol within its file, the path of a file.
    pub fn qualified(&self, node: NodeId) -> String {
        let file = self.file(node);
        match node.0.checked_sub(file.node.0 + 1) {
            Some(at) => file.outline.qualified(SymbolId(at)),
            None => file.path.clone(),
        }
    }

    /// The id by which a node is known outside of this graph.
    ///
    /// # Panics
    ///
    /// When the node is of another graph.
    pub fn id(&self, node: NodeId) -> StableId {
        self.ids[node.index()]
    }

    /// The node of an id.
    pub fn by_id(&self, id: StableId) -> Option<NodeId> {
        self.by_id.get(&id).copied()
    }

    /// What a symbol is declared in: a type, a function, its file. Members that are written apart
    /// from their type are members of the type, when it could be told. A file has none.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = *self.parents.get(node.index())?;
        (parent != node).then_some(parent)
    }

    /// What is declared in a node, in order.
    pub fn children(&self, node: NodeId) -> impl ExactSizeIterator<Item = NodeId> + '_ {
        self.children.of(node).iter().map(|child| NodeId(*child))
    }

    /// The node and everything that is declared in it, at any depth, in order of discovery.
    pub fn within(&self, node: NodeId) -> Vec<NodeId> {
        let mut all = vec![node];
        let mut at = 0;
        while let Some(next) = all.get(at).copied() {
            all.extend(self.children(next));
            at += 1;
        }
        all
    }

    /// All edges, grouped by source.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges that go out from a node, in the order of their places.
    pub fn outgoing(&self, node: NodeId) -> impl ExactSizeIterator<Item = &Edge> {
        let (start, end) = self.outgoing.range(node);
        self.edges[start..end].iter()
    }

    /// The edges that lead to a node, in the order of their sources and places.
    pub fn incoming(&self, node: NodeId) -> impl ExactSizeIterator<Item = &Edge> {
        self.incoming
            .of(node)
            .iter()
            .map(|edge| &self.edges[*edge as usize])
    }

    /// Whether a node is a test, or stands in code that is there for tests.
    pub fn is_test(&self, node: NodeId) -> bool {
        self.tests.get(node.index()).copied().unwrap_or(false)
    }

    /// Whether a node is something that a test runner runs: a symbol with the language's own sign
    /// of a test.
    pub fn runs_as_test(&self, node: NodeId) -> bool {
        self.symbol(node)
            .is_some_and(|item| item.flags.has(Flags::TEST))
    }

    /// The symbols of this simple name, in order.
    pub fn named(&self, name: &str) -> impl ExactSizeIterator<Item = NodeId> + '_ {
        let known = self.names.find(name);
        let nodes = known.map_or(&[][..], |name| self.names.symbols(name));
        nodes.iter().map(|node| NodeId(*node))
    }

    /// Every simple name of a symbol once, in the order of their texts, with its symbols.
    pub fn all_names(&self) -> impl Iterator<Item = (&str, &[u32])> {
        let all = self.names.sorted().iter();
        all.map(|name| (self.names.text(*name), self.names.symbols(*name)))
            .filter(|(_, nodes)| !nodes.is_empty())
    }

    /// The text of the name of a [`Loose`].
    pub fn name_of(&self, one: &Loose) -> &str {
        self.names.text(one.name)
    }

    /// Uses of this simple name that could not be told, file by file.
    pub fn unresolved_named(&self, name: &str) -> impl Iterator<Item = &Loose> {
        let known = self.names.find(name);
        known
            .into_iter()
            .flat_map(|name| self.names.unresolved.of_name(name))
    }

    /// Uses in a node that could not be told, in the order of their places.
    pub fn unresolved_in(&self, node: NodeId) -> impl ExactSizeIterator<Item = &Loose> {
        self.names.unresolved.of_source(node)
    }

    /// Uses of this name, as qualified as it is known, that lead out of the checkout.
    pub fn external_named(&self, name: &str) -> impl Iterator<Item = &Loose> {
        let known = self.names.find(name);
        known
            .into_iter()
            .flat_map(|name| self.names.external.of_name(name))
    }

    /// Uses in a node that lead out of the checkout, in the order of their places.
    pub fn external_in(&self, node: NodeId) -> impl ExactSizeIterator<Item = &Loose> {
        self.names.external.of_source(node)
    }

    /// Every name outside of the checkout that is used, in the order of their texts, with how often.
    pub fn external_names(&self) -> impl Iterator<Item = (&str, usize)> {
        let all = self.names.sorted().iter();
        all.map(|name| {
            (
                self.names.text(*name),
                self.names.external.of_name(*name).len(),
            )
        })
        .filter(|(_, uses)| *uses > 0)
    }

    /// How many uses could not be told, and how many lead out of the checkout.
    pub fn loose(&self) -> (usize, usize) {
        (self.names.unresolved.len(), self.names.external.len())
    }

    /// The texts that search looks through.
    pub(crate) fn search_texts(&self) -> &SearchTexts {
        self.search.get_or_init(|| SearchTexts::of(self))
    }

    /// How important each node is, when nothing is in focus: worked out by `rank` once.
    pub(crate) fn ranks_by(&self, rank: impl FnOnce() -> Vec<f32>) -> &[f32] {
        self.ranks.get_or_init(rank)
    }

    /// Links whose target no file declares. More than none is a defect of whoever made the links.
    pub fn dangling(&self) -> usize {
        self.dangling
    }
}
