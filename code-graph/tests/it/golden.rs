//! Small projects with the traps of their language, and their true edges, worked out by hand.

use fourfold_code_graph::extract::{extract, manifest};
use fourfold_code_graph::facts::{Facts, SymbolId};
use fourfold_code_graph::link::{EdgeKind, SourceFile, Surface, World};
use fourfold_syntax::{Language, ParseLimits, Parser};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

mod csharp;
mod dart;
mod go;
mod java;
mod kotlin;
mod php;
mod scala;

/// What a project links to, a line each, sorted:
///
/// * `a.x F.f -> b.x G.g [calls typed]`: an edge; a file as source or target has no name.
/// * `a.x F.f -> ? name [calls]`: a use that could not be told.
/// * `a.x F.f -> ! name [calls]`: a use of something outside.
fn links(files: &[(&str, &str)], wanted: &[EdgeKind]) -> Vec<String> {
    let mut files = files.to_vec();
    files.sort_unstable();
    let mut sources = Vec::new();
    let mut all: Vec<Arc<Facts>> = Vec::new();
    let mut manifests = Vec::new();
    let mut parser = Parser::new(ParseLimits::default());
    for (path, text) in files {
        if let Some(manifest) = manifest(path, text) {
            manifests.push((path.to_owned(), manifest));
            continue;
        }
        let language = Language::of_path(Path::new(path)).expect("the language of a path");
        let tree = parser.parse(language, text).expect("a tree");
        assert!(!tree.root_node().has_error(), "{path} does not parse");
        let facts = extract(language, text, &tree).expect("an extractor");
        sources.push(SourceFile {
            path: path.to_owned(),
            language,
            surface: Arc::new(Surface::of(&facts)),
        });
        all.push(Arc::new(facts));
    }
    let loader = |file: usize| all.get(file).cloned();
    let world = World::new(sources.clone(), manifests, Box::new(loader));
    let mut names = HashMap::new();
    for (at, (source, facts)) in sources.iter().zip(&all).enumerate() {
        names.insert(world.id_of(at, None), source.path.clone());
        for symbol in 0..facts.symbols.len() as u32 {
            let name = facts.qualified_name(SymbolId(symbol));
            let id = world.id_of(at, Some(SymbolId(symbol)));
            names.insert(id, format!("{} {name}", source.path));
        }
    }
    let mut lines = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let links = world.link(at);
        let from = |symbol: Option<SymbolId>| match symbol {
            Some(symbol) => format!("{} {}", source.path, all[at].qualified_name(symbol)),
            None => source.path.clone(),
        };
        let word = |kind: EdgeKind| serde_json::to_string(&kind).unwrap().replace('"', "");
        for link in &links.edges {
            if wanted.contains(&link.kind) {
                let certainty = serde_json::to_string(&link.certainty).unwrap();
                lines.push(format!(
                    "{} -> {} [{} {}]",
                    from(link.from),
                    names[&link.to],
                    word(link.kind),
                    certainty.replace('"', "")
                ));
            }
        }
        for one in &links.unresolved {
            if wanted.contains(&one.kind) {
                let (from, kind) = (from(one.from), word(one.kind));
                lines.push(format!("{from} -> ? {} [{kind}]", one.name));
            }
        }
        for one in &links.external {
            if wanted.contains(&one.kind) {
                let (from, kind) = (from(one.from), word(one.kind));
                lines.push(format!("{from} -> ! {} [{kind}]", one.name));
            }
        }
    }
    lines.sort();
    lines.dedup();
    lines
}

/// Asserts what a project calls and makes.
fn assert_calls(files: &[(&str, &str)], expected: &str) {
    assert_links(files, &[EdgeKind::Calls, EdgeKind::Instantiates], expected);
}

/// Asserts what a project's types inherit and its methods replace.
fn assert_hierarchy(files: &[(&str, &str)], expected: &str) {
    let kinds = [
        EdgeKind::Extends,
        EdgeKind::Implements,
        EdgeKind::MixesIn,
        EdgeKind::Overrides,
    ];
    assert_links(files, &kinds, expected);
}

/// Asserts edges of some kinds; what differs is shown line by line.
fn assert_links(files: &[(&str, &str)], kinds: &[EdgeKind], expected: &str) {
    let found = links(files, kinds);
    let expected: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let missing = expected
        .iter()
        .filter(|line| !found.iter().any(|f| f == *line))
        .map(|line| format!("- {line}"));
    let wrong = found
        .iter()
        .filter(|line| !expected.contains(&line.as_str()))
        .map(|line| format!("+ {line}"));
    let differences: Vec<String> = missing.chain(wrong).collect();
    assert!(differences.is_empty(), "\n{}\n", differences.join("\n"));
}
