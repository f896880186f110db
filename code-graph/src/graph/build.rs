//! From outlines and links to a graph.

use super::csr::Csr;
use super::names::{Loose, NameTableBuilder};
use super::{Edge, File, Graph, NodeId, Outline, hierarchy, is_test_path};
use crate::facts::Flags;
use crate::link::{EdgeKind, Link, Links, StableId};
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
    /// What linking it gave.
    pub links: &'a Links,
}

impl Graph {
    /// The graph of these files. Their order does not matter.
    pub fn build<'a>(files: impl IntoIterator<Item = Source<'a>>) -> Graph {
        let mut sources: Vec<Source<'a>> = files.into_iter().collect();
        sources.sort_by(|a, b| a.path.cmp(b.path));
        let mut graph = Graph::default();
        let mut names = NameTableBuilder::default();
        for source in &sources {
            graph.declare(source, &mut names);
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
        let overrides = hierarchy::overrides(&graph);
        if !overrides.is_empty() {
            graph.edges.extend(overrides);
            graph.order();
        }
        graph
    }

    /// Gives a file and its symbols their nodes.
    fn declare(&mut self, source: &Source<'_>, names: &mut NameTableBuilder) {
        let file = self.files.len() as u32;
        let node = NodeId(self.ids.len() as u32);
        let test = is_test_path(source.path);
        let outline = &source.outline;
        let id = StableId::of_file(source.language, source.path);
        let ids = StableId::of_symbols(
            id,
            outline.items.iter().map(|item| {
                let owner = item.owner.map(|owner| outline.names.get(owner));
                (item.parent, owner, outline.names.get(item.name), item.kind)
            }),
        );
        let count = 1 + ids.len();
        self.ids.push(id);
        self.ids.extend(ids);
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
            names.symbol(outline.names.get(item.name), NodeId(node.0 + 1 + at as u32));
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
        links: &Links,
        owners: &mut Vec<(NodeId, NodeId)>,
        names: &mut NameTableBuilder,
    ) {
        let file = self.files[at].clone();
        let source = |from: Option<crate::facts::SymbolId>| {
            from.and_then(|from| self.node_of(&file, from))
                .unwrap_or(file.node)
        };
        let mut edges = Vec::with_capacity(links.edges.len());
        // The types that the file names, by where: what stands for the head of an `impl` block.
        let mut heads: HashMap<u32, NodeId> = HashMap::new();
        let apart = file
            .outline
            .items
            .iter()
            .any(|item| item.owner_at.is_some());
        let mut dangling = 0;
        for together in links.edges.chunk_by(|a, b| a.at == b.at) {
            let head = together.iter().find_map(|link| self.head(link));
            if let (Some(head), true) = (head, apart) {
                heads.entry(together[0].at).or_insert(head);
            }
            for link in together {
                let Some(to) = self.by_id(link.to) else {
                    dangling += 1;
                    continue;
                };
                let mut from = source(link.from);
                if is_hierarchy(link.kind) && !self.is_type(from) {
                    // `impl Trait for Type` says something about a type that may stand elsewhere.
                    from = head.filter(|head| *head != to).unwrap_or(from);
                }
                edges.push(Edge {
                    from,
                    to,
                    at: link.at,
                    row: link.row,
                    kind: link.kind,
                    certainty: link.certainty,
                });
            }
        }
        for one in &links.unresolved {
            let name = names.simple(&one.name);
            names.unresolved(Loose {
                from: source(one.from),
                name,
                at: one.at,
                row: one.row,
                kind: one.kind,
            });
        }
        for one in &links.external {
            let name = names.whole(&one.name);
            names.external(Loose {
                from: source(one.from),
                name,
                at: one.at,
                row: one.row,
                kind: one.kind,
            });
        }
        if apart {
            for (symbol, item) in (0..).map(crate::facts::SymbolId).zip(&file.outline.items) {
                let head = item.owner_at.and_then(|at| heads.get(&at).copied());
                if let (Some(head), Some(node)) = (head, self.node_of(&file, symbol)) {
                    owners.push((node, head));
                }
            }
        }
        self.edges.extend(edges);
        self.dangling += dangling;
    }

    /// The type that a link of a mere mention leads to.
    fn head(&self, link: &Link) -> Option<NodeId> {
        if !matches!(link.kind, EdgeKind::UsesType | EdgeKind::References) {
            return None;
        }
        self.by_id(link.to).filter(|to| self.is_type(*to))
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

    /// Sorts the edges by source and makes both directions.
    fn order(&mut self) {
        let nodes = self.ids.len();
        self.edges.sort_by_key(|edge| (edge.from, edge.at));
        self.outgoing = Csr::group(nodes, self.edges.iter().map(|edge| edge.from));
        self.incoming = Csr::group(nodes, self.edges.iter().map(|edge| edge.to));
    }
}

/// Whether an edge is about what a type takes over from another.
pub(super) fn is_hierarchy(kind: EdgeKind) -> bool {
    matches!(
        kind,
        EdgeKind::Extends | EdgeKind::Implements | EdgeKind::MixesIn
    )
}
