//! A neighbourhood as a drawing.

use crate::graph::{Graph, NodeId};
use crate::link::{Certainty, EdgeKind};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The language of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drawing {
    /// That of Graphviz.
    Dot,
    /// That of Mermaid, which many viewers of Markdown draw.
    Mermaid,
}

/// Draws what lies at most `depth` edges from `around`, in both directions, over edges that are at
/// least as sure as `weakest`: at most `most` nodes, the nearest first. Gives the text, and how many
/// nodes were left out.
pub fn drawing(
    graph: &Graph,
    around: &[NodeId],
    depth: u8,
    weakest: Certainty,
    most: usize,
    form: Drawing,
) -> (String, usize) {
    let shown = |kind: EdgeKind| kind != EdgeKind::Imports;
    let mut near: Vec<NodeId> = Vec::new();
    let mut known: BTreeSet<NodeId> = BTreeSet::new();
    let mut left_out: BTreeSet<NodeId> = BTreeSet::new();
    let mut frontier: Vec<NodeId> = around.to_vec();
    for _ in 0..=depth {
        let mut next = BTreeSet::new();
        for node in frontier {
            if known.contains(&node) {
                continue;
            }
            if near.len() >= most {
                left_out.insert(node);
                continue;
            }
            known.insert(node);
            near.push(node);
            let out = graph.outgoing(node).map(|edge| (edge.to, edge));
            let into = graph.incoming(node).map(|edge| (edge.from, edge));
            for (other, edge) in out.chain(into) {
                if edge.certainty <= weakest && shown(edge.kind) && !known.contains(&other) {
                    next.insert(other);
                }
            }
        }
        frontier = next.into_iter().collect();
    }
    let mut edges: BTreeMap<(NodeId, NodeId, EdgeKind), (Certainty, usize)> = BTreeMap::new();
    for node in &near {
        for edge in graph.outgoing(*node) {
            if known.contains(&edge.to) && edge.certainty <= weakest && shown(edge.kind) {
                let key = (edge.from, edge.to, edge.kind);
                let one = edges.entry(key).or_insert((edge.certainty, 0));
                *one = (one.0.min(edge.certainty), one.1 + 1);
            }
        }
    }
    near.sort_unstable();
    let text = match form {
        Drawing::Dot => dot(graph, &near, around, &edges),
        Drawing::Mermaid => mermaid(graph, &near, around, &edges),
    };
    (text, left_out.len())
}

type Edges = BTreeMap<(NodeId, NodeId, EdgeKind), (Certainty, usize)>;

/// What an edge is labelled with: nothing for a call, which most are.
fn label(kind: EdgeKind, times: usize) -> String {
    let kind = match kind {
        EdgeKind::Calls => "",
        EdgeKind::Instantiates => "makes",
        EdgeKind::References => "refers to",
        EdgeKind::UsesType => "type",
        EdgeKind::Decorates => "decorated",
        EdgeKind::Imports => "imports",
        EdgeKind::Extends => "extends",
        EdgeKind::Implements => "implements",
        EdgeKind::MixesIn => "mixes in",
        EdgeKind::Overrides => "overrides",
        EdgeKind::Writes => "writes",
    };
    match (kind, times) {
        (kind, 0 | 1) => kind.to_owned(),
        ("", times) => format!("{times}×"),
        (kind, times) => format!("{kind} {times}×"),
    }
}

/// The nodes of each file.
fn by_file<'g>(graph: &'g Graph, nodes: &[NodeId]) -> Vec<(&'g str, Vec<NodeId>)> {
    let mut files: Vec<(&str, Vec<NodeId>)> = Vec::new();
    for node in nodes {
        let path = graph.file(*node).path.as_str();
        match files.last_mut() {
            Some((last, of_file)) if *last == path => of_file.push(*node),
            _ => files.push((path, vec![*node])),
        }
    }
    files
}

fn text_of(graph: &Graph, node: NodeId) -> String {
    match graph.symbol(node) {
        Some(item) => format!("{} {}", item.kind.word(), graph.qualified(node)),
        None => "file".to_owned(),
    }
}

fn dot(graph: &Graph, nodes: &[NodeId], around: &[NodeId], edges: &Edges) -> String {
    let quoted = |text: &str| format!("{:?}", text.replace('\n', " "));
    let mut out = String::from("digraph code {\n  rankdir=LR;\n  node [shape=box];\n");
    for (at, (path, of_file)) in by_file(graph, nodes).into_iter().enumerate() {
        let _ = writeln!(
            out,
            "  subgraph cluster_{at} {{\n    label={};",
            quoted(path)
        );
        for node in of_file {
            let bold = if around.contains(&node) {
                ", style=bold"
            } else {
                ""
            };
            let text = quoted(&text_of(graph, node));
            let _ = writeln!(out, "    n{} [label={text}{bold}];", node.0);
        }
        out.push_str("  }\n");
    }
    for ((from, to, kind), (certainty, times)) in edges {
        let mut marks = Vec::new();
        let label = label(*kind, *times);
        if !label.is_empty() {
            marks.push(format!("label={}", quoted(&label)));
        }
        if *certainty > Certainty::Inferred {
            marks.push("style=dashed".to_owned());
        }
        let marks = match marks.as_slice() {
            [] => String::new(),
            marks => format!(" [{}]", marks.join(", ")),
        };
        let _ = writeln!(out, "  n{} -> n{}{marks};", from.0, to.0);
    }
    out.push_str("}\n");
    out
}

fn mermaid(graph: &Graph, nodes: &[NodeId], around: &[NodeId], edges: &Edges) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "#quot;").replace('\n', " "));
    let mut out = String::from("flowchart LR\n");
    for (at, (path, of_file)) in by_file(graph, nodes).into_iter().enumerate() {
        let _ = writeln!(out, "  subgraph f{at}[{}]", quoted(path));
        for node in of_file {
            let text = quoted(&text_of(graph, node));
            let shape = match around.contains(&node) {
                true => format!("([{text}])"),
                false => format!("[{text}]"),
            };
            let _ = writeln!(out, "    n{}{shape}", node.0);
        }
        out.push_str("  end\n");
    }
    for ((from, to, kind), (certainty, times)) in edges {
        let arrow = if *certainty > Certainty::Inferred {
            "-.->"
        } else {
            "-->"
        };
        let label = match label(*kind, *times).as_str() {
            "" => String::new(),
            label => format!("|{}|", quoted(label)),
        };
        let _ = writeln!(out, "  n{} {arrow}{label} n{}", from.0, to.0);
    }
    out
}
