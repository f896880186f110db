//! The edges that a tool found, one JSON object a line:
//!
//! ```json
//! {"caller":{"file":"a.py","line":3,"name":"f"},"callee":{"file":"b.py","line":1,"name":"g"},
//!  "kind":"call","tier":"exact"}
//! ```
//!
//! Paths are relative to the corpus, lines count from one; `kind`, `tier` and `site`, the line on
//! which the edge is found, may be missing. Code outside of any symbol has line 0 and no name, and so have both ends of an import.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// What an edge says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A call, or the making of an object.
    Call,
    /// A function as a value, a type that is used, a decorator.
    Reference,
    Extends,
    Implements,
    /// File to file.
    Imports,
}

impl Kind {
    pub(crate) const ALL: [Kind; 5] = [
        Kind::Call,
        Kind::Reference,
        Kind::Extends,
        Kind::Implements,
        Kind::Imports,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Call => "call",
            Kind::Reference => "reference",
            Kind::Extends => "extends",
            Kind::Implements => "implements",
            Kind::Imports => "imports",
        }
    }

    fn of(name: &str) -> Option<Kind> {
        match name {
            "new" => Some(Kind::Call),
            "references" | "uses_type" => Some(Kind::Reference),
            _ => Kind::ALL.into_iter().find(|kind| kind.name() == name),
        }
    }
}

/// One end of an edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct End {
    pub(crate) file: String,
    /// Where the symbol starts, from one.
    pub(crate) line: usize,
    pub(crate) name: String,
}

impl End {
    /// Whether this is a file and no symbol in it.
    pub(crate) fn is_module(&self) -> bool {
        let base = self.file.rsplit('/').next().unwrap_or(&self.file);
        let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
        let name = self.name.as_str();
        self.line <= 1 && (["", base, stem, &self.file].contains(&name) || name.starts_with('<'))
    }
}

/// One edge of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolEdge {
    pub(crate) caller: End,
    pub(crate) callee: End,
    pub(crate) kind: Kind,
    /// How sure the tool is, in its own words.
    pub(crate) tier: String,
    /// The line of the caller's file on which it is found, from one; not every tool tells.
    pub(crate) at: Option<usize>,
}

/// Reads a tool's edges. Those of a kind that is not scored are left out.
pub(crate) fn read(text: &str, root: &Path) -> Result<Vec<ToolEdge>> {
    let mut edges = Vec::new();
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let edge = serde_json::from_str::<Value>(line)
            .ok()
            .and_then(|value| parse(&value, root))
            .with_context(|| format!("line {} is not an edge: {line}", index + 1))?;
        edges.extend(edge);
    }
    Ok(edges)
}

fn parse(value: &Value, root: &Path) -> Option<Option<ToolEdge>> {
    let kind = value["kind"].as_str();
    let tier = value["tier"]
        .as_str()
        .or(kind)
        .unwrap_or_default()
        .to_owned();
    let (caller, callee) = (end(&value["caller"], root)?, end(&value["callee"], root)?);
    Some(Kind::of(kind.unwrap_or("call")).map(|kind| {
        ToolEdge {
            caller,
            callee,
            kind,
            tier,
            at: value["site"]
                .as_u64()
                .and_then(|at| usize::try_from(at).ok()),
        }
    }))
}

fn end(value: &Value, root: &Path) -> Option<End> {
    let file = value["file"].as_str()?.replace('\\', "/");
    let file = match Path::new(&file).strip_prefix(root) {
        Ok(inside) => inside.to_string_lossy().into_owned(),
        Err(_) => file.strip_prefix("./").unwrap_or(&file).to_owned(),
    };
    let line = value["line"].as_u64().unwrap_or_default();
    Some(End {
        file,
        line: usize::try_from(line).ok()?,
        name: value["name"].as_str().unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_read() {
        let text = concat!(
            r#"{"caller":{"file":"./a.py","line":0,"name":""},"callee":{"file":"/r/b.py","line":3,"name":"C"},"kind":"new","tier":"exact"}"#,
            "\n\n",
            r#"{"caller":{"file":"a.py"},"callee":{"file":"b.py"},"kind":"reads"}"#,
            "\n",
            r#"{"caller":{"file":"a.py","line":1,"name":"a"},"callee":{"file":"b.py"}}"#,
        );
        let edges = read(text, Path::new("/r")).unwrap();
        assert_eq!(edges.len(), 2);
        assert_eq!(
            (edges[0].kind, edges[0].tier.as_str()),
            (Kind::Call, "exact")
        );
        assert_eq!(
            (edges[0].caller.file.as_str(), edges[0].callee.file.as_str()),
            ("a.py", "b.py")
        );
        assert!(edges[0].caller.is_module() && edges[1].caller.is_module());
        assert!(!edges[0].callee.is_module());
        let error = read("{}", Path::new("/r")).unwrap_err();
        assert_eq!(error.to_string(), "line 1 is not an edge: {}");
    }
}
