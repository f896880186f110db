//! Our program, asked for its graph.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use super::edges::{End, Kind, ToolEdge};
use crate::run::{Shell, output, run};

/// Our program and where it keeps its indexes.
pub(crate) struct Program<'a> {
    shell: &'a Shell,
    path: PathBuf,
    cache: PathBuf,
}

/// How sure an edge is, surest first.
const CERTAINTY: [&str; 5] = ["exact", "typed", "inferred", "candidate", "name"];

impl<'a> Program<'a> {
    /// The program that is named, else the workspace's own, built in release.
    pub(crate) fn find(
        shell: &'a Shell,
        named: Option<PathBuf>,
        cache: PathBuf,
    ) -> Result<Program<'a>> {
        let path = match named {
            Some(named) => std::path::absolute(&named)
                .with_context(|| format!("finding {}", named.display()))?,
            None => {
                run(&mut shell.cargo("build --locked --release --package fourfold-cli"))?;
                let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
                let target = target.unwrap_or_else(|| shell.root().join("target"));
                target.join("release/fourfold")
            }
        };
        Ok(Program { shell, path, cache })
    }

    /// The edges of the project in a folder.
    pub(crate) fn edges(&self, root: &Path) -> Result<Vec<ToolEdge>> {
        let mut export = self.shell.command(&self.path);
        export.args(["graph", "export", "jsonl"]);
        export.env("XDG_CACHE_HOME", &self.cache);
        read(&output(export.current_dir(root))?)
    }
}

/// A node of the graph.
struct Node<'a> {
    end: End,
    qualified: &'a str,
    is_macro: bool,
    is_constructor: bool,
}

/// Reads nodes and edges, one JSON object a line.
fn read(text: &str) -> Result<Vec<ToolEdge>> {
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("`{line}` is not JSON")))
        .collect::<Result<_>>()?;
    let of_type = |wanted: &'static str| lines.iter().filter(move |line| line["type"] == wanted);
    let mut nodes: HashMap<&str, Node<'_>> = HashMap::new();
    for line in of_type("node") {
        let node = node(line, &nodes);
        let (id, node) = node.with_context(|| format!("{line} is not a node"))?;
        nodes.insert(id, node);
    }
    // What makes an instance runs a constructor, which another class may have declared: the class
    // stands for it.
    let made: HashSet<(&str, u64)> = of_type("edge")
        .filter(|line| line["kind"] == "instantiates")
        .filter_map(place)
        .collect();
    let mut edges = Vec::new();
    for line in of_type("edge") {
        let runs = line["to"].as_str().and_then(|to| nodes.get(to));
        if line["kind"] == "calls"
            && runs.is_some_and(|node| node.is_constructor)
            && place(line).is_some_and(|place| made.contains(&place))
        {
            continue;
        }
        let edge = edge(line, &nodes).with_context(|| format!("{line} is not an edge"))?;
        edges.extend(edge);
    }
    // The same edge at several places counts as what it is at the surest of them.
    edges.sort_by_key(|edge: &ToolEdge| CERTAINTY.iter().position(|tier| *tier == edge.tier));
    Ok(edges)
}

/// Where an edge stands: what it comes from, and the line.
fn place(line: &Value) -> Option<(&str, u64)> {
    Some((line["from"].as_str()?, line["line"].as_u64()?))
}

/// A node's own name is what its name has more than its parent's; a parent comes first.
fn node<'a>(line: &'a Value, nodes: &HashMap<&str, Node<'_>>) -> Option<(&'a str, Node<'a>)> {
    let qualified = line["name"].as_str()?;
    let file = line["path"].as_str()?.to_owned();
    let is_file = line["kind"] == "file";
    let parent = line["parent"].as_str().and_then(|parent| nodes.get(parent));
    let own = parent
        .and_then(|parent| qualified.strip_prefix(parent.qualified))
        .map(|own| own.trim_start_matches(['.', ':', '#']))
        .filter(|own| !own.is_empty())
        // The owner may be a type of another package, which is no node.
        .unwrap_or_else(|| qualified.rsplit('.').next().unwrap_or(qualified));
    let line_number = usize::try_from(line["line"].as_u64()?).ok()?;
    let end = End {
        file,
        line: if is_file { 0 } else { line_number },
        name: if is_file {
            String::new()
        } else {
            own.to_owned()
        },
    };
    let node = Node {
        end,
        qualified,
        is_macro: line["kind"] == "macro",
        is_constructor: line["kind"] == "constructor",
    };
    Some((line["id"].as_str()?, node))
}

/// None where the kind of the edge is not scored.
fn edge(line: &Value, nodes: &HashMap<&str, Node<'_>>) -> Option<Option<ToolEdge>> {
    let node = |key: &str| nodes.get(line[key].as_str()?);
    let end = |key: &str| Some(node(key)?.end.clone());
    // A value that is written out is made by no call in Rust.
    let is_literal = line["kind"] == "instantiates" && end("to")?.file.ends_with(".rs");
    if is_literal {
        return Some(None);
    }
    let kind = match line["kind"].as_str()? {
        "calls" | "instantiates" => Kind::Call,
        "references" | "uses_type" | "decorates" => Kind::Reference,
        "extends" => Kind::Extends,
        "implements" => Kind::Implements,
        "imports" => Kind::Imports,
        _ => return Some(None),
    };
    // No index says who uses a macro.
    if node("to")?.is_macro {
        return Some(None);
    }
    Some(Some(ToolEdge {
        caller: end("from")?,
        callee: end("to")?,
        kind,
        tier: line["certainty"].as_str()?.to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_is_read() {
        let text = r#"{"type":"node","id":"1","kind":"file","name":"a/b.py","path":"a/b.py","line":1}
{"type":"node","id":"2","kind":"class","name":"C","path":"a/b.py","line":3,"parent":"1"}
{"type":"node","id":"3","kind":"method","name":"C.m","path":"a/b.py","line":4,"parent":"2"}
{"type":"edge","from":"1","to":"3","kind":"calls","certainty":"name","line":9}
{"type":"edge","from":"3","to":"2","kind":"instantiates","certainty":"typed","line":5}
{"type":"node","id":"4","kind":"constructor","name":"B.__init__","path":"a/b.py","line":8}
{"type":"edge","from":"3","to":"4","kind":"calls","certainty":"typed","line":5}
{"type":"edge","from":"3","to":"2","kind":"writes","certainty":"typed","line":5}
{"type":"external","from":"1","name":"os","kind":"imports","line":1}"#;
        let end = |line, name: &str| End {
            file: "a/b.py".into(),
            line,
            name: name.into(),
        };
        let expected = [
            ToolEdge {
                caller: end(4, "m"),
                callee: end(3, "C"),
                kind: Kind::Call,
                tier: "typed".into(),
            },
            ToolEdge {
                caller: end(0, ""),
                callee: end(4, "m"),
                kind: Kind::Call,
                tier: "name".into(),
            },
        ];
        assert_eq!(read(text).unwrap(), expected);
        assert!(read(r#"{"type":"edge","from":"1","to":"2","kind":"calls"}"#).is_err());
    }
}
