//! One JSON object a line.

use crate::facts::Visibility;
use crate::graph::{Graph, Loose, NodeId};
use crate::link::{Certainty, EdgeKind};
use serde::Serialize;
use std::io::{self, Write};

/// A line of [`json_lines`].
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    Node {
        id: String,
        kind: &'static str,
        name: String,
        path: &'a str,
        language: &'static str,
        /// 1-based; the first and the last line of the declaration.
        line: u32,
        end_line: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        #[serde(skip_serializing_if = "str::is_empty")]
        signature: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        doc: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        visibility: Option<Visibility>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        test: bool,
    },
    Edge {
        from: String,
        to: String,
        kind: EdgeKind,
        certainty: Certainty,
        line: u32,
    },
    External {
        from: String,
        name: &'a str,
        kind: EdgeKind,
        line: u32,
    },
    Unresolved {
        from: String,
        name: &'a str,
        kind: EdgeKind,
        line: u32,
    },
}

fn put(out: &mut dyn Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// Every file, symbol and edge, and every use that leads out of the checkout or could not be told.
/// A node stands before what refers to it as its parent; edges come after all nodes.
///
/// # Errors
/// Those of writing.
pub fn json_lines(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let id = |node: NodeId| graph.id(node).to_string();
    for node in graph.nodes() {
        let file = graph.file(node);
        let names = &file.outline.names;
        let item = graph.symbol(node);
        put(
            out,
            &Line::Node {
                id: id(node),
                kind: graph.word(node),
                name: graph.qualified(node),
                path: &file.path,
                language: file.language.id(),
                line: item.map_or(1, |item| item.span.row + 1),
                end_line: item.map_or(1, |item| item.span.end_row + 1),
                parent: graph.parent(node).map(id),
                signature: item.map_or("", |item| names.get(item.signature)),
                doc: item
                    .and_then(|item| item.doc)
                    .map_or("", |doc| names.get(doc)),
                visibility: item.map(|item| item.visibility),
                test: graph.is_test(node),
            },
        )?;
    }
    for edge in graph.edges() {
        put(
            out,
            &Line::Edge {
                from: id(edge.from),
                to: id(edge.to),
                kind: edge.kind,
                certainty: edge.certainty,
                line: edge.row + 1,
            },
        )?;
    }
    for node in graph.nodes() {
        for one in graph.external_in(node) {
            let Loose { kind, row, .. } = *one;
            let (from, name, line) = (id(node), graph.name_of(one), row + 1);
            put(
                out,
                &Line::External {
                    from,
                    name,
                    kind,
                    line,
                },
            )?;
        }
        for one in graph.unresolved_in(node) {
            let Loose { kind, row, .. } = *one;
            let (from, name, line) = (id(node), graph.name_of(one), row + 1);
            put(
                out,
                &Line::Unresolved {
                    from,
                    name,
                    kind,
                    line,
                },
            )?;
        }
    }
    Ok(())
}

/// One end of a line of [`call_edges`].
#[derive(Serialize)]
struct End<'a> {
    file: &'a str,
    /// 1-based line where the definition begins; 0 for a file.
    line: u32,
    name: &'a str,
}

#[derive(Serialize)]
struct Call<'a> {
    caller: End<'a>,
    callee: End<'a>,
    kind: &'static str,
    tier: &'static str,
}

/// The calls: who calls what, each pair once with its surest certainty, as
/// `{"caller":{"file","line","name"},"callee":{…},"kind":"call"|"new","tier":…}`.
///
/// # Errors
/// Those of writing.
pub fn call_edges(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let end = |node: NodeId| {
        let file = graph.file(node).path.as_str();
        match graph.symbol(node) {
            Some(item) => End {
                file,
                line: item.span.row + 1,
                name: graph.name(node),
            },
            None => End {
                file,
                line: 0,
                name: "",
            },
        }
    };
    for node in graph.nodes() {
        let mut calls: Vec<(NodeId, EdgeKind, Certainty)> = graph
            .outgoing(node)
            .filter(|edge| matches!(edge.kind, EdgeKind::Calls | EdgeKind::Instantiates))
            .map(|edge| (edge.to, edge.kind, edge.certainty))
            .collect();
        calls.sort_unstable();
        calls.dedup_by_key(|(to, kind, _)| (*to, *kind));
        for (to, kind, certainty) in calls {
            let call = Call {
                caller: end(node),
                callee: end(to),
                kind: match kind {
                    EdgeKind::Instantiates => "new",
                    _ => "call",
                },
                tier: certainty.word(),
            };
            put(out, &call)?;
        }
    }
    Ok(())
}
