//! Small projects with their true edges, worked out by hand: what each language makes easy to get
//! wrong.

mod bash;
mod c;
mod cpp;
mod ecma;
mod elixir;
mod lua;
mod python;
mod ruby;

use fourfold_code_graph::extract::{extract, manifest};
use fourfold_code_graph::facts::{Facts, SymbolId};
use fourfold_code_graph::link::{Certainty, EdgeKind, SourceFile, StableId, Surface, World};
use fourfold_syntax::{Language, ParseLimits, Parser};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

/// A project in memory, linked.
pub(crate) struct Project {
    files: Vec<(String, Language, Arc<Facts>)>,
    manifests: Vec<(String, String)>,
}

impl Project {
    /// The files with their paths; a file that no extractor knows may be a project file.
    pub(crate) fn new(files: &[(&str, &str)]) -> Project {
        let mut parser = Parser::new(ParseLimits::default());
        let mut project = Project {
            files: Vec::new(),
            manifests: Vec::new(),
        };
        for (path, text) in files {
            if manifest(path, text).is_some() {
                project
                    .manifests
                    .push(((*path).to_owned(), (*text).to_owned()));
                continue;
            }
            let language = Language::of_path(Path::new(path))
                .or_else(|| Language::of_shebang(text.lines().next().unwrap_or_default()))
                .unwrap_or_else(|| panic!("no language for {path}"));
            let tree = parser.parse(language, text).expect("it parses");
            assert!(
                !tree.root_node().has_error(),
                "{path} has a syntax error: {}",
                tree.root_node()
            );
            let facts = extract(language, text, &tree).expect("an extractor");
            project
                .files
                .push(((*path).to_owned(), language, Arc::new(facts)));
        }
        project.files.sort_by(|a, b| a.0.cmp(&b.0));
        project
    }

    /// The world of the project, nothing linked yet.
    pub(crate) fn world(&self) -> World<'static> {
        let sources = self
            .files
            .iter()
            .map(|(path, language, facts)| SourceFile {
                path: path.clone(),
                language: *language,
                surface: Arc::new(Surface::of(facts)),
            })
            .collect();
        let manifests = self
            .manifests
            .iter()
            .filter_map(|(path, text)| Some((path.clone(), manifest(path, text)?)))
            .collect();
        let facts: Vec<_> = self.files.iter().map(|file| file.2.clone()).collect();
        World::new(
            sources,
            manifests,
            Box::new(move |at| facts.get(at).cloned()),
        )
    }

    /// Every edge of these kinds as a line `file owner -> file target [kind certainty]`, sorted; a
    /// file itself is its path alone. Then what could not be told (`owner ? name`) of these kinds.
    pub(crate) fn edges(&self, kinds: &[EdgeKind]) -> String {
        let world = self.world();
        let mut names: HashMap<StableId, String> = HashMap::new();
        for (at, (path, _, facts)) in self.files.iter().enumerate() {
            names.insert(world.id_of(at, None), path.clone());
            for symbol in (0..facts.symbols.len() as u32).map(SymbolId) {
                names.insert(world.id_of(at, Some(symbol)), self.name(at, Some(symbol)));
            }
        }
        let mut lines = BTreeSet::new();
        for at in 0..self.files.len() {
            let links = world.link(at);
            for link in links.edges.iter().filter(|link| kinds.contains(&link.kind)) {
                let from = self.name(at, link.from);
                let to = names.get(&link.to).map_or("?", String::as_str);
                let (kind, certainty) = (word(link.kind), certainty(link.certainty));
                lines.insert(format!("{from} -> {to} [{kind} {certainty}]"));
            }
            for unknown in links
                .unresolved
                .iter()
                .filter(|use_| kinds.contains(&use_.kind))
            {
                let from = self.name(at, unknown.from);
                lines.insert(format!("{from} ? {}", unknown.name));
            }
        }
        lines.into_iter().map(|line| line + "\n").collect()
    }

    /// Calls and instantiations.
    pub(crate) fn calls(&self) -> String {
        self.edges(&[EdgeKind::Calls, EdgeKind::Instantiates])
    }

    /// `path qualified.name`.
    fn name(&self, at: usize, symbol: Option<SymbolId>) -> String {
        let (path, _, facts) = &self.files[at];
        match symbol {
            None => path.clone(),
            Some(id) => format!("{path} {}", facts.qualified_name(id)),
        }
    }
}

fn word(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Calls => "calls",
        EdgeKind::Instantiates => "makes",
        EdgeKind::References => "uses",
        EdgeKind::UsesType => "uses type",
        EdgeKind::Decorates => "decorated by",
        EdgeKind::Imports => "imports",
        EdgeKind::Extends => "extends",
        EdgeKind::Implements => "implements",
        EdgeKind::MixesIn => "mixes in",
        EdgeKind::Overrides => "overrides",
        EdgeKind::Writes => "writes",
        _ => "other",
    }
}

fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Exact => "exact",
        Certainty::Typed => "typed",
        Certainty::Inferred => "inferred",
        Certainty::Candidate => "candidate",
        Certainty::Name => "name",
    }
}
