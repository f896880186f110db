//! Small projects with the traps of their language, and their true edges, worked out by hand.

use fourfold_code_graph::extract::{extract, manifest};
use fourfold_code_graph::facts::{Facts, Manifest, SymbolId};
use fourfold_code_graph::link::{EdgeKind, SourceFile, Surface, World};
use fourfold_syntax::{Language, ParseLimits, Parser};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

mod bash;
mod c;
mod cpp;
mod csharp;
mod dart;
mod decorated;
mod ecma;
mod elixir;
mod go;
mod implicit;
mod java;
mod kotlin;
mod lua;
mod nameless;
mod narrow;
mod outside;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;
mod values;

/// A small project in memory.
struct Project {
    files: Vec<SourceFile>,
    facts: Vec<Arc<Facts>>,
    manifests: Vec<(String, Manifest)>,
}

impl Project {
    /// A project written as one text: `== path` begins a file.
    fn of(text: &str) -> Project {
        let parts = text.split("== ").skip(1);
        let files: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('\n')).collect();
        Project::new(&files)
    }

    /// The files by their paths; project files among them are read as such.
    fn new(files: &[(&str, &str)]) -> Project {
        let mut files = files.to_vec();
        files.sort_unstable();
        let mut project = Project {
            files: Vec::new(),
            facts: Vec::new(),
            manifests: Vec::new(),
        };
        let mut parser = Parser::new(ParseLimits::default());
        for (path, text) in files {
            if let Some(manifest) = manifest(path, text) {
                project.manifests.push((path.to_owned(), manifest));
                continue;
            }
            let language = Language::of_path(Path::new(path)).expect("the language of a path");
            let tree = parser.parse(language, text).expect("a tree");
            assert!(!tree.root_node().has_error(), "{path} does not parse");
            let facts = extract(language, text, &tree).expect("an extractor");
            project.files.push(SourceFile {
                path: path.to_owned(),
                language,
                surface: Arc::new(Surface::of(&facts)),
            });
            project.facts.push(Arc::new(facts));
        }
        project
    }

    /// The world of the project, nothing linked yet.
    fn world(&self) -> World<'_> {
        let loader = |file: usize| self.facts.get(file).cloned();
        World::new(self.files.clone(), self.manifests.clone(), Box::new(loader))
    }

    /// What it links to, a line each, sorted:
    ///
    /// * `a.x F.f -> b.x G.g [calls typed]`: an edge; a file as source or target has no name.
    /// * `a.x F.f -> ? name [calls]`: a use that could not be told.
    /// * `a.x F.f -> ! name [calls]`: a use of something outside.
    fn links(&self, wanted: &[EdgeKind]) -> Vec<String> {
        let world = self.world();
        let name = |at: usize, symbol: Option<SymbolId>| {
            let path = &self.files[at].path;
            match symbol {
                Some(symbol) => format!("{path} {}", self.facts[at].qualified_name(symbol)),
                None => path.clone(),
            }
        };
        let mut names = HashMap::new();
        for (at, facts) in self.facts.iter().enumerate() {
            let symbols = (0..facts.symbols.len() as u32).map(|id| Some(SymbolId(id)));
            for symbol in symbols.chain([None]) {
                names.insert(world.id_of(at, symbol), name(at, symbol));
            }
        }
        let kind = |kind: EdgeKind| serde_json::to_string(&kind).unwrap().replace('"', "");
        let mut lines = Vec::new();
        for at in 0..self.files.len() {
            let links = world.link(at);
            for link in links
                .edges
                .iter()
                .filter(|link| wanted.contains(&link.kind))
            {
                let certainty = serde_json::to_string(&link.certainty)
                    .unwrap()
                    .replace('"', "");
                let (from, to) = (name(at, link.from), &names[&link.to]);
                lines.push(format!("{from} -> {to} [{} {certainty}]", kind(link.kind)));
            }
            for one in links
                .unresolved
                .iter()
                .filter(|one| wanted.contains(&one.kind))
            {
                let from = name(at, one.from);
                lines.push(format!("{from} -> ? {} [{}]", one.name, kind(one.kind)));
            }
            for one in links
                .external
                .iter()
                .filter(|one| wanted.contains(&one.kind))
            {
                let from = name(at, one.from);
                lines.push(format!("{from} -> ! {} [{}]", one.name, kind(one.kind)));
            }
        }
        lines.sort();
        lines.dedup();
        lines
    }

    /// What it links to inside itself, and the uses that could not be told.
    fn edges(&self, wanted: &[EdgeKind]) -> String {
        let lines = self.links(wanted);
        let lines = lines.iter().filter(|line| !line.contains(" -> ! "));
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// What it calls and makes inside itself, and what of that could not be told.
    fn calls(&self) -> String {
        self.edges(&[EdgeKind::Calls, EdgeKind::Instantiates])
    }
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
    let found = Project::new(files).links(kinds);
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
