//! Random checkouts, and slow ways to the same answers.

use super::*;
use crate::facts::{SymbolKind, Visibility};
use crate::graph::fixture;
use crate::link::{Certainty, EdgeKind};
use crate::query::reach::{Walk, is_dependency, reaching, replaced};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Symbols of each file (whether a class around methods), and edges between symbol numbers.
pub(super) type Files = Vec<Vec<bool>>;
pub(super) type Edges = Vec<(usize, usize, u8, u8)>;

pub(super) fn checkout() -> impl Strategy<Value = (Files, Edges)> {
    let files = proptest::collection::vec(proptest::collection::vec(any::<bool>(), 0..4), 1..6);
    let edges = proptest::collection::vec((0usize..30, 0usize..30, 0u8..6, 0u8..5), 0..60);
    (files, edges)
}

/// The checkout as text: every third file is a test, classes have two methods of common names.
pub(super) fn graph(files: &Files, edges: &Edges) -> Graph {
    let mut symbols: Vec<(usize, String, bool)> = Vec::new();
    let mut blocks: Vec<String> = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let path = path(at);
        let mut block = format!("file {path}\n");
        for (n, class) in file.iter().enumerate() {
            let line = n * 10 + 1;
            if *class {
                let name = format!("Class{at}x{n}");
                let _ = writeln!(block, "  class {name} {line}-{}", line + 8);
                let _ = writeln!(block, "    method run {}-{}", line + 1, line + 2);
                let _ = writeln!(block, "    method stop {}-{} private", line + 3, line + 4);
                symbols.push((at, name.clone(), true));
                symbols.push((at, format!("{name}.run"), false));
                symbols.push((at, format!("{name}.stop"), false));
            } else {
                let _ = writeln!(block, "  function make_{at}_{n} {line}-{}", line + 3);
                symbols.push((at, format!("make_{at}_{n}"), false));
            }
        }
        blocks.push(block);
    }
    if !symbols.is_empty() {
        for (from, to, kind, certainty) in edges {
            let (from, to) = (&symbols[from % symbols.len()], &symbols[to % symbols.len()]);
            let certainty =
                ["exact", "typed", "inferred", "candidate", "name"][usize::from(*certainty)];
            let kind = match kind {
                0..=1 => "calls",
                2 => "references",
                3 => "imports",
                4 if from.2 && to.2 => "extends",
                4 => "uses_type",
                _ => {
                    let _ = writeln!(blocks[from.0], "  {} ? run 3", from.1);
                    continue;
                }
            };
            let target = format!("{}:{}", path(to.0), to.1);
            let _ = writeln!(
                blocks[from.0],
                "  {} -> {target} {kind} {certainty} 3",
                from.1
            );
        }
    }
    fixture::graph(&blocks.concat())
}

fn path(file: usize) -> String {
    match file % 3 {
        2 => format!("tests/test_{file}.py"),
        1 => format!("lib/inner/m{file}.py"),
        _ => format!("lib/m{file}.py"),
    }
}

/// Search first, then every other question.
pub(super) fn every_answer(inquiry: &Inquiry<'_>, page: Page) -> Vec<Answer> {
    let graph = inquiry.graph;
    let mut answers = vec![inquiry.search(&SearchRequest {
        query: "make run class".to_owned(),
        page,
        ..SearchRequest::default()
    })];
    for node in graph.nodes() {
        let wanted = Wanted::named(graph.id(node).to_string());
        let calls = CallRequest {
            wanted: wanted.clone(),
            depth: 4,
            page,
            ..CallRequest::default()
        };
        answers.push(inquiry.callers(&calls));
        answers.push(inquiry.callees(&calls));
        answers.push(inquiry.references(&calls));
        answers.push(inquiry.hierarchy(&calls));
        answers.push(inquiry.impact(&ImpactRequest {
            subjects: vec![wanted.clone()],
            depth: 6,
            page,
            ..ImpactRequest::default()
        }));
        answers.push(inquiry.symbol(&SymbolRequest {
            wanted: wanted.clone(),
            source: true,
            page,
        }));
        answers.push(inquiry.outline(&OutlineRequest {
            wanted: wanted.clone(),
            page,
            ..OutlineRequest::default()
        }));
        answers.push(inquiry.paths(&PathRequest {
            from: wanted,
            to: Wanted::named(graph.id(NodeId(0)).to_string()),
            page,
            ..PathRequest::default()
        }));
    }
    let modules = ModuleRequest {
        level: Level::File,
        page,
        ..ModuleRequest::default()
    };
    answers.push(inquiry.modules(&modules));
    answers.push(inquiry.cycles(&modules));
    answers.push(inquiry.unreferenced(&UnreferencedRequest {
        page,
        ..UnreferencedRequest::default()
    }));
    answers.push(inquiry.map(&MapRequest {
        page,
        ..MapRequest::default()
    }));
    for name in ["run", "nothing of the kind", ""] {
        answers.push(inquiry.callers(&CallRequest {
            page,
            ..CallRequest::named(name)
        }));
    }
    answers
}

/// Depth by repeated passes over all edges; certainty by trying all shortest ways.
pub(super) fn check_reach(graph: &Graph, seed: NodeId) -> Result<(), TestCaseError> {
    let walk = Walk {
        weakest: Certainty::Candidate,
        depth: 6,
        follows: is_dependency,
        dispatch: true,
    };
    let reach = reaching(graph, &[seed], walk);
    // Every pair "a depends on b" with its certainty, written out.
    let mut pairs: Vec<(NodeId, NodeId, Certainty)> = Vec::new();
    for edge in graph.edges() {
        if edge.kind == EdgeKind::Imports || edge.certainty > walk.weakest {
            continue;
        }
        pairs.push((edge.from, edge.to, edge.certainty));
        if edge.kind == EdgeKind::Calls {
            for below in graph.nodes().filter(|node| *node != edge.from) {
                if replaced(graph, below).contains(&edge.to) {
                    pairs.push((edge.from, below, edge.certainty.max(Certainty::Inferred)));
                }
            }
        }
    }
    let mut known: BTreeMap<NodeId, (u8, Certainty)> = BTreeMap::new();
    known.insert(seed, (0, Certainty::Exact));
    for depth in 1..=walk.depth {
        let before = known.clone();
        for (from, to, certainty) in &pairs {
            let Some((at, weakest)) = before.get(to).filter(|(at, _)| *at + 1 == depth) else {
                continue;
            };
            prop_assert_eq!(at + 1, depth);
            let weakest = (*weakest).max(*certainty);
            let one = known.entry(*from).or_insert((depth, weakest));
            if one.0 == depth {
                one.1 = one.1.min(weakest);
            }
        }
    }
    known.remove(&seed);
    let found: BTreeMap<NodeId, (u8, Certainty)> = reach
        .all
        .iter()
        .map(|one| (one.node, (one.depth, one.weakest)))
        .collect();
    prop_assert_eq!(&found, &known);
    for one in &reach.all {
        let way = reach.way(one.node);
        prop_assert_eq!(way.len(), usize::from(one.depth));
        prop_assert_eq!(way.last().map(|step| step.to), Some(seed));
        let weakest = way.iter().map(|step| step.certainty).max();
        prop_assert_eq!(weakest, Some(one.weakest));
        let edges = pairs.iter().filter(|(from, to, _)| {
            let lower = match *to == seed {
                true => Some(0),
                false => known.get(to).map(|(depth, _)| *depth),
            };
            *from == one.node && lower == Some(one.depth - 1)
        });
        prop_assert_eq!(edges.count(), one.edges as usize);
    }
    Ok(())
}

pub(super) fn check_filter(graph: &Graph, which: usize) -> Result<(), TestCaseError> {
    type Condition = fn(&Graph, NodeId) -> bool;
    let (filter, condition): (Filter, Condition) = match which {
        0 => (
            Filter {
                kinds: vec![SymbolKind::Method],
                ..Filter::default()
            },
            |graph, node| graph.word(node) == "method",
        ),
        1 => (
            Filter {
                paths: vec!["lib".to_owned(), "!inner".to_owned()],
                ..Filter::default()
            },
            |graph, node| {
                let path = &graph.file(node).path;
                path.starts_with("lib/") && !path.contains("inner")
            },
        ),
        2 => (
            Filter {
                tests: Tests::Only,
                ..Filter::default()
            },
            |graph, node| graph.file(node).path.starts_with("tests/"),
        ),
        3 => (
            Filter {
                visibility: Some(Visibility::Public),
                tests: Tests::Without,
                ..Filter::default()
            },
            |graph, node| {
                graph.name(node) != "stop" && !graph.file(node).path.starts_with("tests/")
            },
        ),
        _ => (
            Filter {
                languages: vec!["rust".to_owned()],
                ..Filter::default()
            },
            |_, _| false,
        ),
    };
    let coverage = Coverage::default();
    let inquiry = Inquiry {
        graph,
        coverage: &coverage,
        reader: &reader,
    };
    let all = |filter: Filter, query: &str| {
        let answer = inquiry.search(&SearchRequest {
            query: query.to_owned(),
            filter,
            page: Page {
                tokens: 1 << 20,
                ..Page::default()
            },
            ..SearchRequest::default()
        });
        let groups = answer.groups.iter().filter(|group| group.title.is_empty());
        let ids = groups.flat_map(|group| group.entries.iter().map(|entry| entry.id.clone()));
        let mut ids: Vec<String> = ids.collect();
        ids.sort();
        ids
    };
    for query in ["run", "stop", "make", "class"] {
        let id = |node: NodeId| graph.id(node).to_string();
        let wanted = all(Filter::default(), query);
        let fitting: Vec<String> = graph
            .nodes()
            .filter(|node| condition(graph, *node))
            .map(id)
            .collect();
        let expected: Vec<String> = wanted
            .into_iter()
            .filter(|id| fitting.contains(id))
            .collect();
        prop_assert_eq!(all(filter.clone(), query), expected, "{}", query);
    }
    Ok(())
}
