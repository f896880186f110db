//! The graph of a project, ours beside the peer's on the same checkout: how long an index takes, how
//! large it is, and what a question costs afterwards.
#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fourfold_benches::measure::{self, Run, Usage};
use fourfold_benches::{report, tools};
use lexopt::prelude::*;

const HELP: &str = "\
graph: the code graph of Fourfold beside codegraph's

  NAME=FOLDER        a project and its checkout (may be repeated); it is copied, never written to
  --runs N           runs of each step (default 3); medians are told
  --fourfold PATH    our program (default: built by cargo in release)
  --peer PATH        the peer's program; without it we are measured alone
  --work DIR         where the copies and our store are (default: bench/graph in the build folder)
  --report FILE      the table as a file as well";

/// A project that is known: the file that is edited, and the symbol that is asked about. For any
/// other project it is the largest file, and no question.
const KNOWN: &[(&str, &str, &str)] = &[
    ("rich", "rich/console.py", "Console"),
    ("httpx", "httpx/_client.py", "Client"),
    ("click", "click/core.py", "Context"),
    ("django", "django/db/models/query.py", "QuerySet"),
    ("rxjs", "src/internal/Observable.ts", "Observable"),
    ("zod", "src/v4/core/schemas.ts", "$ZodType"),
    ("vue", "packages/runtime-core/src/renderer.ts", "patch"),
    ("regex-automata", "src/dfa/dense.rs", "DFA"),
    ("ripgrep", "crates/searcher/src/searcher/mod.rs", "Searcher"),
    ("tokio", "tokio/src/runtime/handle.rs", "Handle"),
    (
        "vscode-languageserver",
        "jsonrpc/src/common/connection.ts",
        "createMessageConnection",
    ),
];

/// One of the two programs, and how each step is asked of it.
struct Program {
    name: &'static str,
    binary: PathBuf,
    /// From nothing, and again after a change.
    index: &'static [&'static str],
    refresh: &'static [&'static str],
    callers: &'static [&'static str],
    impact: &'static [&'static str],
    /// Our store is in the user's cache folder, which `cache` stands for; the peer's is in the
    /// project.
    store: PathBuf,
    cache: PathBuf,
    root: PathBuf,
}

const OUR_INDEX: &[&str] = &["graph", "status"];
const OUR_CALLERS: &[&str] = &["graph", "callers"];
const OUR_IMPACT: &[&str] = &["graph", "impact", "--depth", "3"];
const PEER_INDEX: &[&str] = &["init", "--yes", "."];
const PEER_REFRESH: &[&str] = &["sync", "."];
const PEER_CALLERS: &[&str] = &["callers", "--json"];
const PEER_IMPACT: &[&str] = &["impact", "--json", "--depth", "3"];

impl Program {
    fn ours(binary: PathBuf, work: &Path) -> Program {
        let cache = work.join("cache");
        Program {
            name: "fourfold",
            binary,
            index: OUR_INDEX,
            refresh: OUR_INDEX,
            callers: OUR_CALLERS,
            impact: OUR_IMPACT,
            store: cache.join("fourfold"),
            cache,
            root: work.join("ours"),
        }
    }

    fn peer(binary: PathBuf, work: &Path) -> Program {
        let root = work.join("theirs");
        Program {
            name: "codegraph",
            binary,
            index: PEER_INDEX,
            refresh: PEER_REFRESH,
            callers: PEER_CALLERS,
            impact: PEER_IMPACT,
            store: root.join(".codegraph"),
            cache: work.join("peer-cache"),
            root,
        }
    }

    fn run(&self, args: &[&str], symbol: Option<&str>) -> Result<Usage> {
        let mut all = vec![
            format!("XDG_CACHE_HOME={}", self.cache.display()),
            "DO_NOT_TRACK=1".to_owned(),
            // On a busy machine the peer would take its own slowness for a hang and end itself.
            "CODEGRAPH_NO_WATCHDOG=1".to_owned(),
            self.binary.display().to_string(),
        ];
        all.extend(args.iter().copied().chain(symbol).map(str::to_owned));
        let run = Run {
            program: "env".into(),
            args: all,
            dir: self.root.clone(),
        };
        measure::run(&run, None)
    }
}

/// Medians of one step.
#[derive(Clone, Copy, Default)]
struct Cost {
    wall: f64,
    cpu: f64,
    rss_kib: u64,
    /// Printed, or stored.
    bytes: u64,
    failed: bool,
}

impl Cost {
    fn of(runs: &[Usage]) -> Cost {
        let median =
            |value: fn(&Usage) -> f64| report::median(&runs.iter().map(value).collect::<Vec<_>>());
        Cost {
            wall: median(|run| run.wall),
            cpu: median(|run| run.cpu),
            rss_kib: runs.iter().map(|run| run.rss_kib).max().unwrap_or_default(),
            bytes: runs.last().map_or(0, |run| run.bytes),
            failed: runs.iter().any(|run| run.status != 0),
        }
    }
}

/// What one program cost on one project.
#[derive(Default)]
struct Costs {
    full: Cost,
    store: u64,
    unchanged: Cost,
    edited: Cost,
    callers: Option<Cost>,
    impact: Option<Cost>,
}

fn main() -> Result<()> {
    if measure::gauge_if_asked()? {
        return Ok(());
    }
    let target = tools::target_folder()?;
    let mut work = target.join("bench/graph");
    let (mut projects, mut runs) = (Vec::new(), 3);
    let (mut fourfold, mut peer, mut to_file) = (None, None, None);
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            Value(project) => {
                let project = project.string()?;
                let (name, folder) = project
                    .split_once('=')
                    .with_context(|| format!("`{project}` is not NAME=FOLDER"))?;
                projects.push((name.to_owned(), PathBuf::from(folder)));
            }
            Long("runs") => runs = args.value()?.parse()?,
            Long("fourfold") => fourfold = Some(PathBuf::from(args.value()?)),
            Long("peer") => peer = Some(PathBuf::from(args.value()?)),
            Long("work") => work = args.value()?.into(),
            Long("report") => to_file = Some(PathBuf::from(args.value()?)),
            Short('h') | Long("help") => {
                println!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let work = std::path::absolute(work)?;
    let mut programs = vec![Program::ours(tools::ours(fourfold, &target)?, &work)];
    programs.extend(peer.map(|peer| Program::peer(peer, &work)));
    let mut table = head();
    for (name, folder) in &projects {
        for (program, costs) in programs.iter().zip(compare(&programs, name, folder, runs)?) {
            table.push('\n');
            table += &row(name, program, &costs);
        }
    }
    println!("{table}");
    if let Some(file) = to_file {
        fs::write(&file, table + "\n").with_context(|| format!("writing {}", file.display()))?;
    }
    Ok(())
}

/// Measures all programs on a project, in turns.
fn compare(programs: &[Program], name: &str, folder: &Path, runs: usize) -> Result<Vec<Costs>> {
    let known = KNOWN.iter().find(|(known, ..)| *known == name);
    let file = match known {
        Some((_, file, _)) => PathBuf::from(file),
        None => largest(folder)?,
    };
    for program in programs {
        remove(&program.root)?;
        copy(folder, &program.root)?;
        if !program.root.join(&file).is_file() {
            bail!("{name} has no {}", file.display());
        }
        fs::create_dir_all(&program.cache)?;
    }
    let full = turns(programs, runs, |program, _| {
        remove(&program.store)?;
        program.run(program.index, None)
    })?;
    let unchanged = turns(programs, runs, |program, _| {
        program.run(program.refresh, None)
    })?;
    let edited = turns(programs, runs, |program, run| {
        edit(&program.root.join(&file), run)?;
        program.run(program.refresh, None)
    })?;
    let mut all = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        all.push(Costs {
            full: full[index],
            store: size(&program.store)?,
            unchanged: unchanged[index],
            edited: edited[index],
            ..Costs::default()
        });
    }
    if let Some((_, _, symbol)) = known {
        let callers = turns(programs, runs, |program, _| {
            program.run(program.callers, Some(symbol))
        })?;
        let impact = turns(programs, runs, |program, _| {
            program.run(program.impact, Some(symbol))
        })?;
        for (costs, (callers, impact)) in all.iter_mut().zip(callers.into_iter().zip(impact)) {
            costs.callers = Some(callers);
            costs.impact = Some(impact);
        }
    }
    Ok(all)
}

/// One step of all programs, the order of the programs turned round with each run.
fn turns(
    programs: &[Program],
    runs: usize,
    step: impl Fn(&Program, usize) -> Result<Usage>,
) -> Result<Vec<Cost>> {
    let mut usages = vec![Vec::new(); programs.len()];
    for run in 0..runs.max(1) {
        let order: Vec<_> = if run % 2 == 0 {
            (0..programs.len()).collect()
        } else {
            (0..programs.len()).rev().collect()
        };
        for index in order {
            usages[index].push(step(&programs[index], run)?);
        }
    }
    Ok(usages.iter().map(|usages| Cost::of(usages)).collect())
}

/// Puts a line in front of all others, so that every symbol of the file moves.
fn edit(file: &Path, run: usize) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let sign = match file.extension().and_then(|extension| extension.to_str()) {
        Some("py" | "rb" | "sh") => "#",
        _ => "//",
    };
    let text = format!("{sign} edit {run}\n{text}");
    fs::write(file, text).with_context(|| format!("writing {}", file.display()))
}

fn head() -> String {
    report::head(&[
        "project",
        "program",
        ">index: wall s",
        ">CPU s",
        ">peak MB",
        ">store MB",
        ">nothing changed: wall s",
        ">CPU s",
        ">one file edited: wall s",
        ">CPU s",
        ">peak MB",
        ">callers: wall s",
        ">KB",
        ">impact: wall s",
        ">KB",
    ])
}

#[allow(clippy::cast_precision_loss, reason = "sizes for a table")]
fn row(name: &str, program: &Program, costs: &Costs) -> String {
    let seconds = |cost: Cost, value: f64| match cost.failed {
        true => "failed".to_owned(),
        false => format!("{value:.2}"),
    };
    let megabytes = |cost: Cost| format!("{:.0}", cost.rss_kib as f64 / 1024.0);
    let mut cells = vec![
        name.to_owned(),
        program.name.to_owned(),
        seconds(costs.full, costs.full.wall),
        seconds(costs.full, costs.full.cpu),
        megabytes(costs.full),
        format!("{:.1}", costs.store as f64 / 1e6),
        seconds(costs.unchanged, costs.unchanged.wall),
        seconds(costs.unchanged, costs.unchanged.cpu),
        seconds(costs.edited, costs.edited.wall),
        seconds(costs.edited, costs.edited.cpu),
        megabytes(costs.edited),
    ];
    for question in [costs.callers, costs.impact] {
        match question {
            Some(cost) => {
                cells.push(seconds(cost, cost.wall));
                cells.push(format!("{:.1}", cost.bytes as f64 / 1e3));
            }
            None => cells.extend(["-".to_owned(), "-".to_owned()]),
        }
    }
    format!("| {} |", cells.join(" | "))
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("creating {}", to.display()))?;
    let mut folders = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = folders.pop() {
        for entry in fs::read_dir(&from).with_context(|| format!("reading {}", from.display()))? {
            let entry = entry?;
            let target = to.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                fs::create_dir_all(&target)?;
                folders.push((entry.path(), target));
            } else if kind.is_file() {
                fs::copy(entry.path(), &target)?;
            }
        }
    }
    // A work tree of its own, whatever is around it.
    fs::create_dir_all(to.join(".git"))?;
    Ok(())
}

/// The bytes of all files below a folder.
fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    visit(folder, &mut |_, size| bytes += size)?;
    Ok(bytes)
}

/// The largest source file, relative to the folder.
fn largest(folder: &Path) -> Result<PathBuf> {
    let mut best = (0, PathBuf::new());
    visit(folder, &mut |path, size| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_source = matches!(
            extension,
            Some("py" | "rs" | "ts" | "js" | "go" | "java" | "dart")
        );
        if is_source && size > best.0 {
            best = (size, path.to_owned());
        }
    })?;
    let file = best.1.strip_prefix(folder).map(Path::to_owned);
    file.with_context(|| format!("{} holds no source file", folder.display()))
}

fn visit(folder: &Path, each: &mut impl FnMut(&Path, u64)) -> Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let kind = entry.file_type()?;
            if kind.is_dir() && entry.file_name() != ".git" {
                folders.push(entry.path());
            } else if kind.is_file() {
                each(&entry.path(), entry.metadata()?.len());
            }
        }
    }
    Ok(())
}
