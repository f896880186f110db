//! From outlines and links to a graph.

use super::csr::Csr;
use super::names::{Loose, NameTable, NameTableBuilder};
use super::packed::{PackedEdge, PackedLinks, PackedUse, Target};
use super::{Edge, File, Graph, NodeId, Outline, hierarchy, is_test_path};
use crate::facts::{Flags, NameId, SymbolId};
use crate::link::{EdgeKind, StableId};
use fourfold_syntax::Language;
use hashbrown::HashMap;
use std::sync::Arc;
use std::thread;

/// One file that goes into a graph.
#[derive(Debug)]
pub struct Source<'a> {
    /// Relative to the checkout, with `/`; no two files have the same.
    pub path: &'a str,
    /// Its language.
    pub language: Language,
    /// What it declares.
    pub outline: Arc<Outline>,
    /// The ids of the file and its symbols: [`Outline::ids`].
    pub ids: &'a [StableId],
    /// What linking it gave.
    pub links: &'a PackedLinks,
}

/// A graph of fewer nodes is made faster by one thread than by two.
const FEW: usize = 4096;

/// What the files say about their nodes, but for names.
struct Ties<'g> {
    /// Its files and nodes are numbered.
    graph: &'g Graph,
    by_id: HashMap<StableId, NodeId>,
    parents: Vec<NodeId>,
    tests: Vec<bool>,
    edges: Vec<Edge>,
    dangling: usize,
    /// The members whose type is named elsewhere, with their type.
    owners: Vec<(NodeId, NodeId)>,
}

impl Graph {
    /// The graph of these files. Their order does not matter.
    pub fn build<'a>(files: impl IntoIterator<Item = Source<'a>>) -> Graph {
        let mut sources: Vec<Source<'a>> = files.into_iter().collect();
        sources.sort_by(|a, b| a.path.cmp(b.path));
        let mut graph = Graph::numbered(&sources);
        let nodes = graph.len();
        let named = || graph.names_of(&sources);
        let tied = || graph.tie(&sources);
        let ((called, names), ties) = in_two(nodes >= FEW, named, tied);
        let Ties {
            by_id,
            parents,
            tests,
            edges,
            dangling,
            owners,
            ..
        } = ties;
        graph.by_id = by_id;
        graph.parents = parents;
        graph.tests = tests;
        graph.edges = edges;
        graph.dangling = dangling;
        graph.names = names;
        graph.adopt(&owners);
        let declared = graph
            .nodes()
            .filter_map(|node| Some((graph.parent(node)?, node.0)));
        let children = Csr::group_pairs(nodes, declared);
        graph.children = children;
        graph.order();
        let half = NodeId((nodes / 2) as u32);
        let (start, end) = (NodeId(0), NodeId(nodes as u32));
        let (mut overrides, more) = in_two(
            nodes >= FEW,
            || hierarchy::overrides(&graph, &called, start..half),
            || hierarchy::overrides(&graph, &called, half..end),
        );
        overrides.extend(more);
        if !overrides.is_empty() {
            graph.merge(overrides);
        }
        graph.incoming = Csr::group(nodes, graph.edges.iter().map(|edge| edge.to));
        graph
    }

    /// Gives files and their symbols their nodes.
    fn numbered(sources: &[Source<'_>]) -> Graph {
        let mut graph = Graph::default();
        let counts = sources.iter().map(|source| 1 + source.outline.items.len());
        let nodes = counts.sum();
        graph.ids.reserve(nodes);
        graph.file_of.reserve(nodes);
        graph.files.reserve(sources.len());
        for source in sources {
            let file = graph.files.len() as u32;
            let node = NodeId(graph.ids.len() as u32);
            let count = 1 + source.outline.items.len();
            graph.ids.extend(source.ids);
            // One for each, whatever came.
            graph.ids.resize(node.index() + count, StableId(0));
            graph.file_of.extend(std::iter::repeat_n(file, count));
            graph.files.push(File {
                path: source.path.to_owned(),
                language: source.language,
                outline: Arc::clone(&source.outline),
                test: is_test_path(source.path),
                node,
            });
        }
        graph
    }

    /// The name of each node, of files none that counts, and the table of all names.
    fn names_of(&self, sources: &[Source<'_>]) -> (Vec<NameId>, NameTable) {
        let mut names = NameTableBuilder::sized(self.len());
        let mut called = Vec::with_capacity(self.len());
        for file in &self.files {
            called.push(NameId(0));
            for (at, item) in file.outline.items.iter().enumerate() {
                let own = NodeId(file.node.0 + 1 + at as u32);
                called.push(names.symbol(file.outline.names.get(item.name), own));
            }
        }
        for (file, source) in self.files.iter().zip(sources) {
            self.name_loose(file, source.links, &mut names);
        }
        (called, names.finish(self.len()))
    }

    /// Takes over the uses of a file that lead nowhere.
    fn name_loose(&self, file: &File, links: &PackedLinks, names: &mut NameTableBuilder) {
        let loose = |one: &PackedUse, name: NameId| Loose {
            from: self.source(file, one.from),
            name,
            at: one.at,
            row: one.row,
            kind: one.kind,
        };
        // Each name of the file is looked up once.
        let mut known: Vec<Option<NameId>> = vec![None; links.names.len()];
        for one in &links.unresolved {
            let text = || links.names.get(one.name);
            let name = match known.get_mut(one.name.index()) {
                Some(known) => *known.get_or_insert_with(|| names.simple(text())),
                None => names.simple(text()),
            };
            names.unresolved(loose(one, name));
        }
        known.fill(None);
        for one in &links.external {
            let text = || links.names.get(one.name);
            let name = match known.get_mut(one.name.index()) {
                Some(known) => *known.get_or_insert_with(|| names.whole(text())),
                None => names.whole(text()),
            };
            names.external(loose(one, name));
        }
    }

    /// The node that something of a file goes out from.
    fn source(&self, file: &File, from: Option<SymbolId>) -> NodeId {
        from.and_then(|symbol| self.node_of(file, symbol))
            .unwrap_or(file.node)
    }

    /// All that the files say, but for names.
    fn tie(&self, sources: &[Source<'_>]) -> Ties<'_> {
        let mut by_id = HashMap::with_capacity(self.len());
        for (node, id) in self.ids.iter().enumerate() {
            // The first of two symbols with one id stands for it: one chance in 2^64 per pair.
            by_id.entry(*id).or_insert(NodeId(node as u32));
        }
        let edges = sources.iter().map(|source| source.links.edges.len());
        let mut ties = Ties {
            graph: self,
            by_id,
            parents: Vec::with_capacity(self.len()),
            tests: Vec::with_capacity(self.len()),
            edges: Vec::with_capacity(edges.sum()),
            dangling: 0,
            owners: Vec::new(),
        };
        for file in &self.files {
            ties.declare(file);
        }
        for (file, source) in self.files.iter().zip(sources) {
            ties.connect(file, source.links);
        }
        ties
    }
}

impl Ties<'_> {
    /// Says what each symbol of a file is declared in, and whether it is there for tests.
    fn declare(&mut self, file: &File) {
        self.parents.push(file.node);
        self.tests.push(file.test);
        for (at, item) in file.outline.items.iter().enumerate() {
            let parent = item.parent.filter(|parent| parent.index() < at);
            let parent = parent.map_or(file.node, |parent| NodeId(file.node.0 + 1 + parent.0));
            self.parents.push(parent);
            let own = item.flags.has(Flags::TEST) || item.flags.has(Flags::TEST_CODE);
            let inherited = self.tests.get(parent.index()).copied().unwrap_or(false);
            self.tests.push(own || inherited);
        }
    }

    /// Takes over the links of a file; notes the members whose type is named elsewhere.
    fn connect(&mut self, file: &File, links: &PackedLinks) {
        let graph = self.graph;
        let outline = &file.outline;
        let others: Vec<Option<NodeId>> = links
            .targets()
            .map(|id| self.by_id.get(&id).copied())
            .collect();
        let target = |to: Target| match to {
            Target::Symbol(symbol) => graph.node_of(file, symbol),
            Target::File => Some(file.node),
            Target::Other(at) => others.get(at as usize).copied().flatten(),
        };
        // The types that the file names, by where: what stands for the head of an `impl` block.
        let mut heads: HashMap<u32, NodeId> = HashMap::new();
        let apart = outline.items.iter().any(|item| item.owner_at.is_some());
        for together in links.edges.chunk_by(|a, b| a.at == b.at) {
            let head = if apart || together.iter().any(|edge| is_hierarchy(edge.kind)) {
                together
                    .iter()
                    .find_map(|edge| graph.head(edge, target(edge.to)?))
            } else {
                None
            };
            if let (Some(head), true) = (head, apart) {
                heads.entry(together[0].at).or_insert(head);
            }
            for edge in together {
                let Some(to) = target(edge.to) else {
                    self.dangling += 1;
                    continue;
                };
                let mut from = graph.source(file, edge.from);
                if is_hierarchy(edge.kind) && !graph.is_type(from) {
                    // `impl Trait for Type` says something about a type that may stand elsewhere.
                    from = head.filter(|head| *head != to).unwrap_or(from);
                }
                self.edges.push(Edge {
                    from,
                    to,
                    at: edge.at,
                    row: edge.row,
                    kind: edge.kind,
                    certainty: edge.certainty,
                });
            }
        }
        if apart {
            for (symbol, item) in (0..).map(SymbolId).zip(&outline.items) {
                let head = item.owner_at.and_then(|at| heads.get(&at).copied());
                if let (Some(head), Some(node)) = (head, graph.node_of(file, symbol)) {
                    self.owners.push((node, head));
                }
            }
        }
    }
}

/// Does two things, at once when that is worth a thread.
fn in_two<A: Send, B>(
    at_once: bool,
    first: impl Fn() -> A + Send + Sync,
    second: impl FnOnce() -> B,
) -> (A, B) {
    if !at_once {
        return (first(), second());
    }
    let (first, second) = both("fourfold-graph", first, second);
    let first = first.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    (first, second)
}

/// Does two things at once, the first on a thread of this name; without a thread, one after the other.
pub(crate) fn both<A: Send, B>(
    name: &str,
    first: impl Fn() -> A + Send + Sync,
    second: impl FnOnce() -> B,
) -> (thread::Result<A>, B) {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name(name.to_owned());
        match builder.spawn_scoped(scope, &first) {
            Ok(thread) => {
                let second = second();
                (thread.join(), second)
            }
            Err(_) => (Ok(first()), second()),
        }
    })
}

impl Graph {
    /// The type that a link of a mere mention leads to.
    fn head(&self, edge: &PackedEdge, to: NodeId) -> Option<NodeId> {
        let mention = matches!(edge.kind, EdgeKind::UsesType | EdgeKind::References);
        (mention && self.is_type(to)).then_some(to)
    }

    fn is_type(&self, node: NodeId) -> bool {
        self.kind(node)
            .is_some_and(crate::facts::SymbolKind::is_type)
    }

    /// Puts members that are written apart from their type under it: where the linker found the
    /// type, there; else where the file, or else the folder, declares one type of that name only.
    fn adopt(&mut self, owners: &[(NodeId, NodeId)]) {
        let found: HashMap<NodeId, NodeId> = owners.iter().copied().collect();
        let mut moves = Vec::new();
        for node in self.nodes() {
            let Some(item) = self.symbol(node) else {
                continue;
            };
            let Some(owner) = item.owner else { continue };
            let owner = self.file(node).outline.names.get(owner);
            let owner = found
                .get(&node)
                .copied()
                .or_else(|| self.type_near(node, owner));
            moves.extend(
                owner
                    .filter(|owner| *owner != node)
                    .map(|owner| (node, owner)),
            );
        }
        for (node, owner) in moves {
            // A type that is declared inside one of its own members stays where it is.
            let mut around = Some(owner);
            while let Some(at) = around.filter(|at| *at != node) {
                around = self.parent(at);
            }
            if around.is_none() {
                self.parents[node.index()] = owner;
                self.tests[node.index()] |= self.tests[owner.index()];
            }
        }
    }

    /// The only type of this name in the file of a node, else in its folder.
    fn type_near(&self, node: NodeId, name: &str) -> Option<NodeId> {
        let here = self.file(node);
        let folder = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
        let of_folder = &here.path[..folder(&here.path)];
        let types = || {
            self.named(name).filter(|one| {
                self.is_type(*one) && {
                    let file = self.file(*one);
                    file.language == here.language && &file.path[..folder(&file.path)] == of_folder
                }
            })
        };
        let mut same = types().filter(|one| self.file(*one).node == here.node);
        match (same.next(), same.next()) {
            (Some(one), None) => return Some(one),
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
        let mut near = types();
        near.next().filter(|_| near.next().is_none())
    }

    /// Sorts the edges by source, and those of one source by place.
    fn order(&mut self) {
        // They come file by file and in order within each, so that grouping does nearly all.
        self.outgoing = Csr::group(self.ids.len(), self.edges.iter().map(|edge| edge.from));
        let order = self.outgoing.take_items();
        self.edges = order.iter().map(|at| self.edges[*at as usize]).collect();
        for run in self.edges.chunk_by_mut(|a, b| a.from == b.from) {
            if !run.is_sorted_by_key(|edge| edge.at) {
                run.sort_by_key(|edge| edge.at);
            }
        }
    }

    /// Takes in more edges, each behind those of its source and place.
    fn merge(&mut self, mut more: Vec<Edge>) {
        let key = |edge: &Edge| (edge.from, edge.at);
        more.sort_by_key(key);
        let mut edges = Vec::with_capacity(self.edges.len() + more.len());
        let mut more = more.into_iter().peekable();
        for edge in &self.edges {
            while let Some(one) = more.next_if(|one| key(one) < key(edge)) {
                edges.push(one);
            }
            edges.push(*edge);
        }
        edges.extend(more);
        self.edges = edges;
        self.outgoing = Csr::runs(self.ids.len(), self.edges.iter().map(|edge| edge.from));
    }
}

/// Whether an edge is about what a type takes over from another.
pub(super) fn is_hierarchy(kind: EdgeKind) -> bool {
    matches!(
        kind,
        EdgeKind::Extends | EdgeKind::Implements | EdgeKind::MixesIn
    )
}
