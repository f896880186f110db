//! `cargo xtask truth`: how right our code graph is, measured against indexes that know types.
//!
//! Each corpus is a project of a package registry, indexed once by a compiler or a type checker.
//! What the index proves is compared with what `fourfold graph export` says: calls, references,
//! heritage and imports, each with precision, recall and F1, within a file and across files, and
//! the precision of each certainty that we give.

mod corpora;
mod edges;
mod heritage;
mod imports;
mod indexers;
pub(crate) mod peer;
mod program;
mod pycg;
mod reference;
mod report;
mod scip;
mod score;
mod source;
mod spans;
mod symbols;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;

pub(crate) use self::corpora::Corpora;
use self::edges::{Kind, ToolEdge};
use self::program::Program;
use self::reference::Reference;
use self::report::Row;
use crate::run::Shell;

const HELP: &str = "\
cargo xtask truth [NAME...]   the corpora with these names, or all; `pycg` is PyCG's micro-benchmark

  --edges FILE    score these edges (JSON lines) of the one corpus that is named, not our program's
  --program PATH  our program; else it is built
  --bar           fail where our calls are below what they have been
  --peer          codegraph beside us on the same checkouts
  --without TEXT  leave out files whose path contains TEXT, tests/ for example; may be repeated
  --show N        print about N wrong and N missed edges of each kind
  --json          one JSON object with everything instead of tables
  --list          the names

The checkouts, the indexes and the indexers are made where they are missing and kept in target/truth;
Django's index takes ten minutes. FOURFOLD_CORPORA=FOLDER adds corpora: FOLDER/NAME/src with
FOLDER/NAME/index.scip, and FOLDER/pycg/micro-benchmark.
";

/// What is asked for.
#[derive(Default)]
struct Options {
    names: Vec<String>,
    edges: Option<PathBuf>,
    program: Option<PathBuf>,
    peer: bool,
    bar: bool,
    without: Vec<String>,
    show: usize,
    json: bool,
}

pub(crate) fn main(shell: &Shell, mut args: lexopt::Parser) -> Result<()> {
    let mut options = Options::default();
    let corpora = Corpora::new(shell);
    while let Some(arg) = args.next()? {
        match arg {
            Value(name) => options.names.push(name.string()?),
            Long("edges") => options.edges = Some(args.value()?.into()),
            Long("program") => options.program = Some(args.value()?.into()),
            Long("peer") => options.peer = true,
            Long("bar") => options.bar = true,
            Long("without") => options.without.push(args.value()?.string()?),
            Long("show") => options.show = args.value()?.parse()?,
            Long("json") => options.json = true,
            Long("list") => {
                println!("{}", corpora.names().join("\n"));
                return Ok(());
            }
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if options.names == [PYCG] {
        return micro(shell, &corpora, options);
    }
    if options.names.is_empty() {
        options.names = corpora.names();
    }
    if options.edges.is_some() && options.names.len() != 1 {
        bail!("--edges FILE is of one corpus: name it");
    }
    let program = match options.edges {
        Some(_) => None,
        None => Some(Program::find(
            shell,
            options.program.take(),
            corpora.cache(),
        )?),
    };
    let mut rows = Vec::new();
    for name in &options.names {
        let corpus = corpora.ready(name)?;
        let bytes = fs::read(&corpus.index)
            .with_context(|| format!("reading {}", corpus.index.display()))?;
        let documents =
            scip::read(&bytes).with_context(|| format!("reading {}", corpus.index.display()))?;
        let wanted = |path: &str| !options.without.iter().any(|text| path.contains(text));
        let mut reference = Reference::new(&documents, &corpus.root, wanted)?;
        let mut add = |program: &str, edges: &[ToolEdge]| {
            let scores = Kind::ALL.map(|kind| (kind, score::score(&mut reference, edges, kind)));
            rows.push(Row {
                corpus: name.clone(),
                program: program.to_owned(),
                scores: scores.into(),
            });
        };
        if let Some(file) = &options.edges {
            let read = || edges::read(&fs::read_to_string(file)?, &corpus.root);
            add(
                "file",
                &read().with_context(|| format!("reading {}", file.display()))?,
            );
        }
        if let Some(program) = &program {
            add("fourfold", &program.edges(&corpus.root)?);
        }
        if options.peer {
            let program = peer::install(shell, &corpora.tools(peer::NAME))?;
            let work = corpora.home().join("peer");
            let text = peer::edges(shell, &program, &corpus.root, &work)?;
            add(peer::NAME, &edges::read(&text, &work)?);
        }
    }
    if options.json {
        let rows: Vec<_> = rows.iter().map(Row::json).collect();
        println!("{}", serde_json::json!({ "rows": rows }));
    } else {
        for row in rows.iter().filter(|_| options.show > 0) {
            print!("{}", row.examples(options.show));
        }
        print!("{}", report::tables(&rows));
    }
    rows.retain(|row| row.program != peer::NAME);
    let lost = report::below(&rows);
    if options.bar && !lost.is_empty() {
        bail!("{}", lost.join("\n"));
    }
    Ok(())
}

/// The name of the micro-benchmark.
const PYCG: &str = "pycg";

fn micro(shell: &Shell, corpora: &Corpora<'_>, options: Options) -> Result<()> {
    let folder = corpora.further(PYCG).context(
        "PyCG's micro-benchmark is in no registry: put it into FOLDER/pycg/micro-benchmark and FOURFOLD_CORPORA=FOLDER in the environment",
    )?;
    let program = Program::find(shell, options.program, corpora.cache())?;
    let snippets = folder.join("micro-benchmark/snippets");
    let micro = pycg::score(&snippets, |folder| program.edges(folder))?;
    if options.json {
        println!("{}", micro.json());
        return Ok(());
    }
    for (title, edges) in [("wrong", &micro.wrong), ("missed", &micro.missed)] {
        for edge in edges.iter().take(options.show) {
            println!("{title}: {edge}");
        }
    }
    print!("{}", report::micro(&micro));
    Ok(())
}
