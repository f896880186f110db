//! PyCG's micro-benchmark: small programs in Python, each with its call graph worked out by hand.
//!
//! Graphs name what they connect `module.Class.method`. A call of a class is a call of its
//! constructor, where it has one of its own; what is built into Python, or is of another package, is
//! left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use super::edges::{End, Kind, ToolEdge};
use super::score::Counts;
use super::spans;

/// What came out, by the folder that the programs are in.
#[derive(Debug, Default)]
pub(crate) struct Micro {
    pub(crate) all: Counts,
    pub(crate) groups: BTreeMap<String, Counts>,
    /// Programs without a wrong or a missed edge, and all programs.
    pub(crate) whole: (usize, usize),
    pub(crate) wrong: Vec<String>,
    pub(crate) missed: Vec<String>,
}

impl Micro {
    pub(crate) fn json(&self) -> Value {
        let groups = self
            .groups
            .iter()
            .map(|(name, counts)| (name.clone(), counts.json()));
        let groups: serde_json::Map<_, _> = groups.collect();
        serde_json::json!({
            "all": self.all.json(), "groups": groups,
            "whole_programs": self.whole.0, "programs": self.whole.1,
        })
    }
}

/// A caller and a callee, by their names with dots.
type Pair = (String, String);

/// Scores what `ask` says of each program's folder.
pub(crate) fn score(
    snippets: &Path,
    ask: impl Fn(&Path) -> Result<Vec<ToolEdge>>,
) -> Result<Micro> {
    let mut micro = Micro::default();
    for group in folders(snippets)? {
        for program in folders(&group)? {
            let Ok(graph) = fs::read_to_string(program.join("callgraph.json")) else {
                continue;
            };
            let doing = || format!("scoring {}", program.display());
            let is_here = |name: &str| {
                let module = name.split('.').next().unwrap_or(name);
                program.join(module).is_dir() || program.join(format!("{module}.py")).is_file()
            };
            let graph = serde_json::from_str(&graph).with_context(doing)?;
            let expected = expected(&graph, is_here);
            let edges = ask(&program).with_context(doing)?;
            let found = found(&program, &edges).with_context(doing)?;
            let counts = Counts {
                right: found.intersection(&expected).count(),
                wrong: found.difference(&expected).count(),
                missed: expected.difference(&found).count(),
            };
            let name = group
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            for total in [
                &mut micro.all,
                micro.groups.entry(name.clone()).or_default(),
            ] {
                total.right += counts.right;
                total.wrong += counts.wrong;
                total.missed += counts.missed;
            }
            micro.whole.0 += usize::from(counts.wrong + counts.missed == 0);
            micro.whole.1 += 1;
            let place = program.file_name().unwrap_or_default().to_string_lossy();
            let shown = |(from, to): &Pair| format!("{name}/{place}: {from} -> {to}");
            micro.wrong.extend(found.difference(&expected).map(shown));
            micro.missed.extend(expected.difference(&found).map(shown));
        }
    }
    Ok(micro)
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    Ok(folders)
}

/// The pairs of a graph whose callee is a part of the program.
fn expected(graph: &Value, is_here: impl Fn(&str) -> bool) -> BTreeSet<Pair> {
    let callers = graph.as_object().into_iter().flatten();
    callers
        .flat_map(|(caller, callees)| {
            let callees = callees.as_array().into_iter().flatten();
            callees.filter_map(move |callee| Some((caller.clone(), callee.as_str()?.to_owned())))
        })
        .filter(|(_, callee)| is_here(callee))
        .collect()
}

fn found(program: &Path, edges: &[ToolEdge]) -> Result<BTreeSet<Pair>> {
    let calls = || edges.iter().filter(|edge| edge.kind == Kind::Call);
    let ends = calls().flat_map(|edge| [&edge.caller, &edge.callee]);
    let files: BTreeSet<_> = ends.map(|end| end.file.clone()).collect();
    let files: Vec<_> = files.into_iter().collect();
    let spans = spans::read(program, &files)?;
    Ok(calls()
        .filter_map(|edge| {
            let file = spans.get(&edge.callee.file);
            let callee = name(&edge.callee, file)?;
            let constructor = format!("{callee}.__init__");
            let callee = match file.map(|file| (file, span_of(&edge.callee, file))) {
                Some((file, Some(span))) if span.is_class => {
                    let own = file
                        .spans
                        .iter()
                        .any(|inner| qualified(&edge.callee.file, inner, file) == constructor);
                    own.then_some(constructor)?
                }
                _ => callee,
            };
            Some((around(&edge.caller, spans.get(&edge.caller.file))?, callee))
        })
        .collect())
}

/// The name of what a call is written in. The value of a variable is worked out where it stands: in
/// the function around it, or in the module.
fn around(end: &End, file: Option<&spans::File>) -> Option<String> {
    if let Some(name) = name(end, file) {
        return Some(name);
    }
    let (file, line) = (file?, end.line.checked_sub(1)?);
    let spans = file.spans.iter();
    let inner = spans
        .filter(|span| span.whole.0 <= line && line <= span.whole.1)
        .max_by_key(|span| span.line);
    Some(match inner {
        Some(span) => qualified(&end.file, span, file),
        None => module(&end.file),
    })
}

/// The name with dots of an end; none for what the file does not define.
fn name(end: &End, file: Option<&spans::File>) -> Option<String> {
    if end.is_module() {
        return Some(module(&end.file));
    }
    let file = file?;
    Some(qualified(&end.file, span_of(end, file)?, file))
}

fn span_of<'a>(end: &End, file: &'a spans::File) -> Option<&'a spans::Span> {
    let line = end.line.checked_sub(1)?;
    let named = file.spans.iter().filter(|span| span.name == end.name);
    named
        .into_iter()
        .find(|span| span.whole.0 <= line && line <= span.line)
}

fn qualified(path: &str, span: &spans::Span, file: &spans::File) -> String {
    let mut around: Vec<_> = file
        .spans
        .iter()
        .filter(|outer| outer.whole.0 <= span.whole.0 && span.whole.1 <= outer.whole.1)
        .filter(|outer| outer.line <= span.line)
        .collect();
    around.sort_by_key(|outer| outer.line);
    let names = around.into_iter().map(|outer| outer.name.as_str());
    std::iter::once(module(path).as_str())
        .chain(names)
        .collect::<Vec<_>>()
        .join(".")
}

fn module(path: &str) -> String {
    let module = path.strip_suffix(".py").unwrap_or(path);
    module
        .strip_suffix("/__init__")
        .unwrap_or(module)
        .replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_owners_in_front() {
        let span = |name: &str, line, last, is_class| spans::Span {
            name: name.into(),
            line,
            whole: (line, last),
            is_class,
        };
        let file = spans::File {
            spans: vec![
                span("C", 0, 5, true),
                span("g", 7, 8, false),
                span("m", 1, 3, false),
            ],
            ..spans::File::default()
        };
        let end = |line, name: &str| End {
            file: "a/b.py".into(),
            line,
            name: name.into(),
        };
        assert_eq!(name(&end(2, "m"), Some(&file)).as_deref(), Some("a.b.C.m"));
        assert_eq!(name(&end(8, "g"), Some(&file)).as_deref(), Some("a.b.g"));
        assert_eq!(name(&end(0, ""), None).as_deref(), Some("a.b"));
        assert_eq!(name(&end(4, "h"), Some(&file)), None);
        // A variable is where its value is worked out.
        let around = |line| around(&end(line, "v"), Some(&file));
        assert_eq!(around(3).as_deref(), Some("a.b.C.m"));
        assert_eq!(around(6).as_deref(), Some("a.b.C"));
        assert_eq!(around(7).as_deref(), Some("a.b"));
        assert_eq!(module("p/__init__.py"), "p");
    }

    #[test]
    fn what_is_of_others_is_left_out() {
        let graph = serde_json::json!({ "m": ["m.f", "<builtin>.print", "ext.f"], "m.f": [] });
        let expected = expected(&graph, |name| name.starts_with("m."));
        assert_eq!(expected, BTreeSet::from([("m".into(), "m.f".into())]));
    }
}
