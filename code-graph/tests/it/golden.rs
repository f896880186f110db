//! Small projects that hold the traps of a language, with their true edges.
//!
//! A project is a text: `== path` begins a file. [`edges`] gives a line for every edge, sorted:
//! `a.py f -> b.py C.m [calls typed]`; a file itself has no name after its path.

mod python;
mod rust;

use fourfold_code_graph::extract::extract;
use fourfold_code_graph::facts::{Facts, Manifest, SymbolId};
use fourfold_code_graph::link::{Certainty, EdgeKind, Links, SourceFile, StableId, Surface, World};
use fourfold_syntax::{Language, ParseLimits, Parser};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The files of a project, sorted by path.
pub(crate) fn files(project: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in project.lines() {
        match line.strip_prefix("== ") {
            Some(path) => files.push((path.trim().to_owned(), String::new())),
            None => {
                if let Some((_, text)) = files.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    files.sort();
    files
}

/// A project with its facts, ready to be linked.
pub(crate) struct Project {
    sources: Vec<SourceFile>,
    facts: Vec<Arc<Facts>>,
    manifests: Vec<(String, Manifest)>,
}

impl Project {
    /// Reads a project.
    pub(crate) fn new(project: &str, manifests: Vec<(String, Manifest)>) -> Project {
        let mut parser = Parser::new(ParseLimits::default());
        let mut sources = Vec::new();
        let mut facts = Vec::new();
        for (path, text) in files(project) {
            let language = Language::of_path(Path::new(&path)).unwrap();
            let tree = parser.parse(language, &text).unwrap();
            let one = extract(language, &text, &tree).unwrap();
            sources.push(SourceFile {
                path,
                language,
                surface: Arc::new(Surface::of(&one)),
            });
            facts.push(Arc::new(one));
        }
        Project {
            sources,
            facts,
            manifests,
        }
    }

    /// The world of the project.
    pub(crate) fn world(&self) -> World<'_> {
        World::new(
            self.sources.clone(),
            self.manifests.clone(),
            Box::new(|file| self.facts.get(file).cloned()),
        )
    }

    /// The links of every file, and the name of every node.
    fn linked(&self) -> (Vec<Links>, HashMap<StableId, String>) {
        let world = self.world();
        let links = (0..world.len()).map(|file| world.link(file)).collect();
        let mut names = HashMap::new();
        for (file, (source, facts)) in self.sources.iter().zip(&self.facts).enumerate() {
            names.insert(world.id_of(file, None), source.path.clone());
            for symbol in (0..facts.symbols.len() as u32).map(SymbolId) {
                let name = format!("{} {}", source.path, facts.qualified_name(symbol));
                names.insert(world.id_of(file, Some(symbol)), name);
            }
        }
        (links, names)
    }

    /// A line for every edge of these kinds, sorted; all kinds when none is given.
    pub(crate) fn edges(&self, kinds: &[EdgeKind]) -> String {
        let (links, names) = self.linked();
        let world = self.world();
        let mut lines = Vec::new();
        for (file, links) in links.iter().enumerate() {
            for link in &links.edges {
                if !kinds.is_empty() && !kinds.contains(&link.kind) {
                    continue;
                }
                let from = &names[&world.id_of(file, link.from)];
                let to = names.get(&link.to).map_or("?", String::as_str);
                let kind = format!("{:?}", link.kind).to_lowercase();
                let tier = match link.certainty {
                    Certainty::Exact => "exact",
                    Certainty::Typed => "typed",
                    Certainty::Inferred => "inferred",
                    Certainty::Candidate => "candidate",
                    Certainty::Name => "name",
                };
                lines.push(format!("{from} -> {to} [{kind} {tier}]\n"));
            }
        }
        lines.sort();
        lines.dedup();
        lines.concat()
    }

    /// A line for every call that leaves the project and every one that could not be told, sorted.
    pub(crate) fn others(&self) -> String {
        let (links, names) = self.linked();
        let world = self.world();
        let mut lines = Vec::new();
        for (file, links) in links.iter().enumerate() {
            for one in links.external.iter().filter(|e| e.kind == EdgeKind::Calls) {
                let from = &names[&world.id_of(file, one.from)];
                lines.push(format!("{from} -> {} [external]\n", one.name));
            }
            for one in links
                .unresolved
                .iter()
                .filter(|e| e.kind == EdgeKind::Calls)
            {
                let from = &names[&world.id_of(file, one.from)];
                lines.push(format!("{from} -> {} [unresolved]\n", one.name));
            }
        }
        lines.sort();
        lines.dedup();
        lines.concat()
    }
}

/// The call and instantiation edges of a project.
pub(crate) fn calls(project: &str) -> String {
    Project::new(project, Vec::new()).edges(&[EdgeKind::Calls, EdgeKind::Instantiates])
}
