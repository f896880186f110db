//! Prints the call edges of a folder as JSON lines, one pass in memory: what the scorer reads.
//!
//! `edges ROOT [--all] [--loose] [--time] [--lang ID]`: `--all` prints every kind of edge, `--loose` calls that could
//! not be told and calls of what is outside as well, `--time` says on standard error how long each step took.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "a program for people at a terminal"
)]

use fourfold_code_graph::extract::{extract, manifest};
use fourfold_code_graph::facts::Facts;
use fourfold_code_graph::link::{Certainty, EdgeKind, SourceFile, Surface, World};
use fourfold_syntax::{Language, ParseLimits, with_parser};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    let mut root = None;
    let (mut all, mut loose, mut time, mut only) = (false, false, false, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--all" => all = true,
            "--loose" => loose = true,
            "--time" => time = true,
            "--lang" => only = args.next(),
            _ => root = Some(arg),
        }
    }
    let Some(root) = root else {
        eprintln!("usage: edges ROOT [--all] [--loose] [--time] [--lang ID]");
        return;
    };
    let mut paths = Vec::new();
    files(Path::new(&root), Path::new(""), &mut paths);
    paths.sort();
    let start = Instant::now();
    let mut sources: Vec<(String, Language, String)> = Vec::new();
    let mut manifests = Vec::new();
    for path in paths {
        let read = || std::fs::read_to_string(Path::new(&root).join(&path)).ok();
        let Some(language) = Language::of_path(Path::new(&path)) else {
            manifests.extend(read().and_then(|text| Some((path.clone(), manifest(&path, &text)?))));
            continue;
        };
        if let Some(project) = read().and_then(|text| manifest(&path, &text)) {
            manifests.push((path, project));
            continue;
        }
        if only.as_deref().is_some_and(|only| only != language.id()) {
            continue;
        }
        if let Some(text) = read() {
            sources.push((path, language, text));
        }
    }
    let read = start.elapsed();
    let (mut parsing, mut extracting, mut surfaces) =
        (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let mut files = Vec::new();
    let mut facts: Vec<Arc<Facts>> = Vec::new();
    for (path, language, text) in &sources {
        let at = Instant::now();
        let Ok(tree) = with_parser(ParseLimits::default(), |parser| {
            parser.parse(*language, text)
        }) else {
            continue;
        };
        parsing += at.elapsed();
        let at = Instant::now();
        let Some(one) = extract(*language, text, &tree) else {
            continue;
        };
        extracting += at.elapsed();
        let at = Instant::now();
        files.push(SourceFile {
            path: path.clone(),
            language: *language,
            surface: Arc::new(Surface::of(&one)),
        });
        surfaces += at.elapsed();
        facts.push(Arc::new(one));
    }
    let at = Instant::now();
    let loader = |file: usize| facts.get(file).cloned();
    let world = World::new(files.clone(), manifests, Box::new(loader));
    let made = at.elapsed();
    let at = Instant::now();
    let links: Vec<_> = (0..world.len()).map(|file| world.link(file)).collect();
    let linking = at.elapsed();
    let mut places = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        places.insert(world.id_of(at, None), (file.path.as_str(), 0, ""));
        let Some(facts) = facts.get(at) else {
            continue;
        };
        for (symbol, one) in facts.symbols.iter().enumerate() {
            let id = fourfold_code_graph::facts::SymbolId(symbol as u32);
            let place = (file.path.as_str(), one.span.row + 1, facts.name(one.name));
            places.insert(world.id_of(at, Some(id)), place);
        }
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let (mut edges, mut unresolved, mut external, mut lookups) = (0, 0, 0, 0);
    for (at, links) in links.iter().enumerate() {
        edges += links.edges.len();
        unresolved += links.unresolved.len();
        external += links.external.len();
        lookups += links.lookups.len();
        for link in &links.edges {
            let kind = match link.kind {
                EdgeKind::Calls => "call",
                EdgeKind::Instantiates => "new",
                _ if !all => continue,
                EdgeKind::References => "references",
                EdgeKind::UsesType => "uses_type",
                EdgeKind::Decorates => "decorates",
                EdgeKind::Imports => "imports",
                EdgeKind::Extends => "extends",
                EdgeKind::Implements => "implements",
                EdgeKind::MixesIn => "mixes_in",
                EdgeKind::Overrides => "overrides",
                EdgeKind::Writes => "writes",
                _ => continue,
            };
            // The constructor stands for the class that the same expression makes.
            let makes = |other: &fourfold_code_graph::link::Link| {
                other.at == link.at && other.kind == EdgeKind::Instantiates
            };
            if !all && link.kind == EdgeKind::Calls && links.edges.iter().any(makes) {
                continue;
            }
            let tier = match link.certainty {
                Certainty::Exact => "exact",
                Certainty::Typed => "typed",
                Certainty::Inferred => "inferred",
                Certainty::Candidate => "candidate",
                Certainty::Name => "name",
            };
            let from = places.get(&world.id_of(at, link.from));
            let (Some(from), Some(to)) = (from, places.get(&link.to)) else {
                continue;
            };
            let line = serde_json::json!({
                "caller": {"file": from.0, "line": from.1, "name": from.2},
                "callee": {"file": to.0, "line": to.1, "name": to.2},
                "kind": kind,
                "tier": tier,
                "row": link.row + 1,
            });
            if writeln!(out, "{line}").is_err() {
                return;
            }
        }
    }
    for (at, links) in links.iter().enumerate().filter(|_| loose) {
        let unresolved = links.unresolved.iter().map(|one| {
            let what = ("unresolved", one.name.as_str());
            (what, one.from, one.kind, one.row)
        });
        let external = links.external.iter().map(|one| {
            let what = ("external", one.name.as_str());
            (what, one.from, one.kind, one.row)
        });
        for ((what, name), from, kind, row) in unresolved.chain(external) {
            let Some(from) = places.get(&world.id_of(at, from)) else {
                continue;
            };
            if !all && kind != EdgeKind::Calls {
                continue;
            }
            let caller = serde_json::json!({"file": from.0, "line": from.1, "name": from.2});
            let line = serde_json::json!({
                "caller": caller, what: name, "kind": kind, "row": row + 1,
            });
            if writeln!(out, "{line}").is_err() {
                return;
            }
        }
    }
    if time {
        eprintln!(
            "{} files: read {read:.2?}, parse {parsing:.2?}, extract {extracting:.2?}, surface \
             {surfaces:.2?}, world {made:.2?}, link {linking:.2?}; {edges} edges, {unresolved} \
             unresolved, {external} external, {lookups} lookups",
            files.len(),
        );
    }
}

/// All files below a folder, as paths relative to the root.
fn files(root: &Path, folder: &Path, found: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
        return;
    };
    for entry in entries.flatten() {
        let path = folder.join(entry.file_name());
        let name = entry.file_name();
        let name = name.to_string_lossy();
        match entry.file_type() {
            Ok(kind)
                if kind.is_dir()
                    && !name.starts_with('.')
                    && name != "node_modules"
                    && name != "target" =>
            {
                files(root, &path, found);
            }
            Ok(kind) if kind.is_file() => found.push(path.to_string_lossy().into_owned()),
            _ => {}
        }
    }
}
