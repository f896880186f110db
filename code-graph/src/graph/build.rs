//! From outlines and links to a graph.

use super::csr::Csr;
use super::names::{Loose, NameTableBuilder};
use super::packed::{PackedEdge, PackedLinks, PackedUse, Target};
use super::{Edge, File, Graph, NodeId, Outline, hierarchy, is_test_path};
use crate::facts::{Flags, NameId, SymbolId};
use crate::link::{EdgeKind, StableId};
use fourfold_syntax::Language;
use hashbrown::HashMap;
use std::sync::Arc;

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
    pub ids: Vec<StableId>,
    /// What linking it gave.
    pub links: &'a PackedLinks,
}

impl Graph {
    /// The graph of these files. Their order does not matter.
    pub fn build<'a>(files: impl IntoIterator<Item = Source<'a>>) -> Graph {
        let mut sources: Vec<Source<'a>> = files.into_iter().collect();
        sources.sort_by(|a, b| a.path.cmp(b.path));
        let mut graph = Graph::default();
        let nodes: usize = sources
            .iter()
            .map(|source| 1 + source.outline.items.len())
            .sum();
        let edges = sources.iter().map(|source| source.links.edges.len());
        graph.edges.reserve(edges.sum());
        graph.ids.reserve(nodes);
        graph.file_of.reserve(nodes);
        graph.parents.reserve(nodes);
        graph.tests.reserve(nodes);
        graph.files.reserve(sources.len());
        let mut names = NameTableBuilder::sized(nodes);
        // The name of each node; of files, none that counts.
        let mut called = Vec::with_capacity(nodes);
        for source in &sources {
            graph.declare(source, &mut names, &mut called);
        }
        graph.by_id = HashMap::with_capacity(graph.ids.len());
        for (node, id) in graph.ids.iter().enumerate() {
            // The first of two symbols with one id stands for it: one chance in 2^64 per pair.
            graph.by_id.entry(*id).or_insert(NodeId(node as u32));
        }
        let mut owners = Vec::new();
        for (at, source) in sources.iter().enumerate() {
            graph.connect(at, source.links, &mut owners, &mut names);
        }
        graph.names = names.finish(graph.ids.len());
        graph.adopt(&owners);
        let nodes = graph.ids.len();
        let declared = graph
            .nodes()
            .filter_map(|node| Some((graph.parent(node)?, node.0)));
        let children = Csr::group_pairs(nodes, declared);
        graph.children = children;
        graph.order();
        let overrides = hierarchy::overrides(&graph, &called);
        if !overrides.is_empty() {
            graph.merge(overrides);
        }
        graph.incoming = Csr::group(nodes, graph.edges.iter().map(|edge| edge.to));
        graph
    }

    /// Gives a file and its symbols their nodes.
    fn declare(
        &mut self,
        source: &Source<'_>,
        names: &mut NameTableBuilder,
        called: &mut Vec<NameId>,
    ) {
        let file = self.files.len() as u32;
        let node = NodeId(self.ids.len() as u32);
        let test = is_test_path(source.path);
        let outline = &source.outline;
        let count = 1 + outline.items.len();
        self.ids.extend(&source.ids);
        // One for each, whatever came.
        self.ids.resize(node.index() + count, StableId(0));
        called.push(NameId(0));
        self.file_of.extend(std::iter::repeat_n(file, count));
        self.parents.push(node);
        self.tests.push(test);
        for (at, item) in outline.items.iter().enumerate() {
            let parent = item.parent.filter(|parent| parent.index() < at);
            let parent = parent.map_or(node, |parent| NodeId(node.0 + 1 + parent.0));
            self.parents.push(parent);
            let own = item.flags.has(Flags::TEST) || item.flags.has(Flags::TEST_CODE);
            let inherited = self.tests.get(parent.index()).copied().unwrap_or(false);
            self.tests.push(own || inherited);
            let own = NodeId(node.0 + 1 + at as u32);
            called.push(names.symbol(outline.names.get(item.name), own));
        }
        self.files.push(File {
            path: source.path.to_owned(),
            language: source.language,
            outline: source.outline.clone(),
            test,
            node,
        });
    }

    /// Takes over the links of file number `at`; notes the members whose type is named elsewhere.
    fn connect(
        &mut self,
        at: usize,
        links: &PackedLinks,
        owners: &mut Vec<(NodeId, NodeId)>,
        names: &mut NameTableBuilder,
    ) {
        let file = &self.files[at];
        let (node, outline) = (file.node, Arc::clone(&file.outline));
        let own = |symbol: SymbolId| {
            let inside = symbol.index() < outline.items.len();
            inside.then(|| NodeId(node.0 + 1 + symbol.0))
        };
        let source = |from: Option<SymbolId>| from.and_then(own).unwrap_or(node);
        let others: Vec<Option<NodeId>> = links.targets().map(|id| self.by_id(id)).collect();
        let target = |to: Target| match to {
            Target::Symbol(symbol) => own(symbol),
            Target::File => Some(node),
            Target::Other(at) => others.get(at as usize).copied().flatten(),
        };
        let mut edges = Vec::with_capacity(links.edges.len());
        // The types that the file names, by where: what stands for the head of an `impl` block.
        let mut heads: HashMap<u32, NodeId> = HashMap::new();
        let apart = outline.items.iter().any(|item| item.owner_at.is_some());
        let mut dangling = 0;
        for together in links.edges.chunk_by(|a, b| a.at == b.at) {
            let head = if apart || together.iter().any(|edge| is_hierarchy(edge.kind)) {
                together
                    .iter()
                    .find_map(|edge| self.head(edge, target(edge.to)?))
            } else {
                None
            };
            if let (Some(head), true) = (head, apart) {
                heads.entry(together[0].at).or_insert(head);
            }
            for edge in together {
                let Some(to) = target(edge.to) else {
                    dangling += 1;
                    continue;
                };
                let mut from = source(edge.from);
                if is_hierarchy(edge.kind) && !self.is_type(from) {
                    // `impl Trait for Type` says something about a type that may stand elsewhere.
                    from = head.filter(|head| *head != to).unwrap_or(from);
                }
                edges.push(Edge {
                    from,
                    to,
                    at: edge.at,
                    row: edge.row,
                    kind: edge.kind,
                    certainty: edge.certainty,
                });
            }
        }
        let loose = |one: &PackedUse, name: NameId| Loose {
            from: source(one.from),
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
        if apart {
            for (symbol, item) in (0..).map(SymbolId).zip(&outline.items) {
                let head = item.owner_at.and_then(|at| heads.get(&at).copied());
                if let (Some(head), Some(node)) = (head, own(symbol)) {
                    owners.push((node, head));
                }
            }
        }
        self.edges.extend(edges);
        self.dangling += dangling;
    }

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
