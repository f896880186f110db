//! Found as meant: the natural fragments, against what the peer finds when it is told the meaning.
#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fourfold_benches::corpora::{self, Corpus};
use fourfold_benches::fragments::{self, Fragment, Oracle};
use fourfold_benches::matches::{self, Matches, Span};
use fourfold_benches::measure::{self, Run};
use fourfold_benches::{report, tools};
use lexopt::prelude::*;

const HELP: &str = "\
fragments: natural fragments found as meant, ours and ast-grep's

  [FILE]...          files of fragments (default: the four in data/fragments/)
  --lang LANGUAGE    only this language (may be repeated)
  --fourfold PATH    our program (default: built by cargo in release)
  --peer PATH        the peer's program (default: installed from its package)
  --peer-only        ask the peer alone
  --cache DIR        where the corpora are (default: corpora/ in the build folder)
  --report FILE      where the report goes (default: bench/fragments.md in the build folder)
  --listed N         missed places that are listed per fragment (default 5)";

struct Options {
    files: Vec<PathBuf>,
    languages: Vec<String>,
    fourfold: Option<PathBuf>,
    peer: Option<PathBuf>,
    peer_only: bool,
    cache: PathBuf,
    report: PathBuf,
    listed: usize,
}

/// How well a program found what is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// It answered with an error.
    Refused,
    /// Nothing of it.
    Missed,
    /// A part.
    Part,
    /// All of it, as the corpus has it.
    AsMeant,
    /// The corpus has nothing of it, or there is no oracle.
    Unknown,
}

impl Verdict {
    fn of(status: i32, meant: usize, covered: usize) -> Verdict {
        match (status, meant, covered) {
            (s, ..) if s != 0 && s != 1 => Verdict::Refused,
            (_, 0, _) => Verdict::Unknown,
            (_, m, c) if m == c => Verdict::AsMeant,
            (_, _, 0) => Verdict::Missed,
            _ => Verdict::Part,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Verdict::Refused => "refused",
            Verdict::Missed => "missed",
            Verdict::Part => "part",
            Verdict::AsMeant => "as meant",
            Verdict::Unknown => "-",
        }
    }
}

/// Which answer is the truth for a fragment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Truth {
    /// What the peer finds with the plain fragment.
    Plain,
    /// What it finds when it is told the context: the meaning depends on it.
    Context,
    /// Every node of a kind: an upper bound.
    UpperBound,
}

/// How many fragments of a language and truth got which verdict.
#[derive(Default)]
struct Tally {
    fragments: usize,
    ours: BTreeMap<Verdict, usize>,
    peer: BTreeMap<Verdict, usize>,
}

struct Programs {
    ours: Option<PathBuf>,
    peer: PathBuf,
    scratch: PathBuf,
    listed: usize,
}

fn main() -> Result<()> {
    if measure::gauge_if_asked()? {
        return Ok(());
    }
    let target = tools::target_folder()?;
    let Some(options) = options(&target)? else {
        println!("{HELP}");
        return Ok(());
    };
    let programs = Programs {
        ours: match options.peer_only {
            true => None,
            false => Some(tools::ours(options.fourfold.clone(), &target)?),
        },
        peer: match &options.peer {
            Some(path) => std::path::absolute(path)?,
            None => tools::peer(&target)?,
        },
        scratch: target.join("bench"),
        listed: options.listed,
    };
    std::fs::create_dir_all(&programs.scratch)
        .with_context(|| format!("creating {}", programs.scratch.display()))?;
    let mut lists = match options.files.is_empty() {
        true => fragments::own()?,
        false => options
            .files
            .iter()
            .map(|f| fragments::read(f))
            .collect::<Result<_>>()?,
    };
    if !options.languages.is_empty() {
        lists.retain(|l| options.languages.contains(&l.language));
    }

    let mut text = String::from("# Fragments found as meant\n");
    let mut tallies: BTreeMap<(String, Truth), Tally> = BTreeMap::new();
    for list in lists {
        let corpus = corpora::ready(&list.language, &options.cache)?;
        let (files, mb) = (corpus.files, corpus.bytes as f64 / 1e6);
        let columns = report::head(&[
            "fragment",
            "category",
            "meaning from",
            ">meant",
            "ours",
            ">of them",
            ">ours in all",
            "our readings",
            ">best precision",
            "peer",
            ">of them",
            ">peer in all",
        ]);
        let head = format!(
            "\n## {}: {files} files, {mb:.1} MB\n\n{columns}",
            list.language
        );
        println!("{head}");
        let _ = writeln!(text, "{head}");
        let mut missed = String::new();
        for fragment in &list.patterns {
            let (line, truth, ours, peer) = programs.ask(fragment, &corpus, &mut missed)?;
            println!("{line}");
            let _ = writeln!(text, "{line}");
            let tally = tallies.entry((list.language.clone(), truth)).or_default();
            tally.fragments += 1;
            *tally.peer.entry(peer).or_default() += 1;
            if let Some(ours) = ours {
                *tally.ours.entry(ours).or_default() += 1;
            }
        }
        text.push_str(&missed);
    }
    let summary = summary(&tallies);
    println!("\n{summary}");
    let _ = write!(text, "\n## Summary\n\n{summary}");
    std::fs::write(&options.report, text)
        .with_context(|| format!("writing the report to {}", options.report.display()))?;
    println!(
        "The report with what was missed: {}",
        options.report.display()
    );
    Ok(())
}

fn options(target: &Path) -> Result<Option<Options>> {
    let mut options = Options {
        files: Vec::new(),
        languages: Vec::new(),
        fourfold: None,
        peer: None,
        peer_only: false,
        cache: target.join("corpora"),
        report: target.join("bench").join("fragments.md"),
        listed: 5,
    };
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            Value(file) => options.files.push(file.into()),
            Long("lang") => options.languages.push(args.value()?.string()?),
            Long("fourfold") => options.fourfold = Some(args.value()?.into()),
            Long("peer") => options.peer = Some(args.value()?.into()),
            Long("peer-only") => options.peer_only = true,
            Long("cache") => options.cache = args.value()?.into(),
            Long("report") => options.report = std::path::absolute(PathBuf::from(args.value()?))?,
            Long("listed") => options.listed = args.value()?.parse()?,
            Long("help") | Short('h') => return Ok(None),
            other => bail!("{}; try --help", other.unexpected()),
        }
    }
    Ok(Some(options))
}

impl Programs {
    /// Asks both for one fragment: its line, which truth it has, and the verdicts.
    fn ask(
        &self,
        fragment: &Fragment,
        corpus: &Corpus,
        missed: &mut String,
    ) -> Result<(String, Truth, Option<Verdict>, Verdict)> {
        let (language, folder) = (corpus.language.as_str(), corpus.folder.as_path());
        let plain = tools::peer_run(&self.peer, language, &fragment.pattern, folder);
        let (peer_status, peer_found) = self.matches(&plain, matches::of_peer)?;
        let (truth, meant) = self.meant(fragment, corpus, &peer_found)?;
        let peer_covered = matches::covered(&meant, &peer_found, folder)?;
        let peer = Verdict::of(peer_status, meant.len(), peer_covered);

        let pattern = report::cell(&fragment.pattern, 50);
        let from = match truth {
            Truth::Plain => "the plain text",
            Truth::Context => "its context",
            Truth::UpperBound => "all of its kind",
        };
        let mut line = format!(
            "| {pattern} | {} | {from} | {} |",
            fragment.category,
            meant.len()
        );
        let mut verdict = None;
        if let Some(ours) = &self.ours {
            let run = tools::our_run(ours, language, &fragment.pattern, folder);
            let (status, found) = self.matches(&run, |output| matches::of_ours(output, folder))?;
            let covered = matches::covered(&meant, &found, folder)?;
            let ours = Verdict::of(status, meant.len(), covered);
            let readings = readings(&found);
            let mut best: Option<f64> = None;
            let mut names = Vec::new();
            for (rung, places) in &readings {
                names.push(format!("{rung} {}", places.len()));
                let right = matches::covered(places, &meant, folder)?;
                let precision = right as f64 / places.len() as f64;
                best = Some(best.map_or(precision, |b| b.max(precision)));
            }
            let best = best.map(|b| format!("{b:.2}")).unwrap_or_default();
            let (name, total, names) = (ours.name(), found.len(), names.join(", "));
            let _ = write!(line, " {name} | {covered} | {total} | {names} | {best} |");
            if matches!(ours, Verdict::Part | Verdict::Missed | Verdict::Refused) {
                self.list(fragment, &meant, &found, folder, missed)?;
            }
            verdict = Some(ours);
        } else {
            line.push_str(" | | | | |");
        }
        let _ = write!(
            line,
            " {} | {peer_covered} | {} |",
            peer.name(),
            peer_found.len()
        );
        Ok((line, truth, verdict, peer))
    }

    /// What the fragment means in this corpus.
    fn meant(
        &self,
        fragment: &Fragment,
        corpus: &Corpus,
        plain: &Matches,
    ) -> Result<(Truth, Matches)> {
        let (language, folder) = (corpus.language.as_str(), corpus.folder.as_path());
        let contexts = match &fragment.oracle {
            None => return Ok((Truth::Plain, plain.clone())),
            Some(Oracle::Kind { kind }) => {
                let run = tools::peer_kind(&self.peer, language, kind, folder);
                return Ok((Truth::UpperBound, self.matches(&run, matches::of_peer)?.1));
            }
            Some(Oracle::One(context)) => std::slice::from_ref(context),
            Some(Oracle::Many(contexts)) => contexts.as_slice(),
        };
        let mut meant = Matches::new();
        for context in contexts {
            let run = tools::peer_in_context(&self.peer, language, context, folder);
            meant.extend(self.matches(&run, matches::of_peer)?.1);
        }
        Ok((Truth::Context, meant))
    }

    fn matches(
        &self,
        run: &Run,
        read: impl Fn(&Path) -> Result<Matches>,
    ) -> Result<(i32, Matches)> {
        let output = self.scratch.join("fragment.jsonl");
        let status = measure::run(run, Some(&output))?.status;
        Ok((status, read(&output)?))
    }

    fn list(
        &self,
        fragment: &Fragment,
        meant: &Matches,
        found: &Matches,
        folder: &Path,
        missed: &mut String,
    ) -> Result<()> {
        let _ = writeln!(
            missed,
            "\nMissed of {}:\n",
            report::cell(&fragment.pattern, 200)
        );
        let mut left = self.listed;
        for (place, what) in meant {
            if left == 0 {
                break;
            }
            let one = Matches::from([(place.clone(), what.clone())]);
            if matches::covered(&one, found, folder)? == 0 {
                let Span { path, start, end } = place;
                let code = report::cell(&what.text, 80);
                let _ = writeln!(missed, "- {path}:{start}..{end} {code}");
                left -= 1;
            }
        }
        Ok(())
    }
}

/// Our matches by the reading that found them.
fn readings(found: &Matches) -> BTreeMap<&str, Matches> {
    let mut readings: BTreeMap<&str, Matches> = BTreeMap::new();
    for (place, what) in found {
        let rung = what.rung.as_deref().unwrap_or("?");
        readings
            .entry(rung)
            .or_default()
            .insert(place.clone(), what.clone());
    }
    readings
}

fn summary(tallies: &BTreeMap<(String, Truth), Tally>) -> String {
    let mut text = report::head(&[
        "language",
        "meaning from",
        ">fragments",
        ">ours as meant",
        ">part",
        ">missed",
        ">refused",
        ">unknown",
        ">peer as meant",
        ">part",
        ">missed",
        ">refused",
        ">unknown",
    ]);
    let order = [
        Verdict::AsMeant,
        Verdict::Part,
        Verdict::Missed,
        Verdict::Refused,
        Verdict::Unknown,
    ];
    let (mut fragments, mut ours, mut peer) = (0, 0, 0);
    for ((language, truth), tally) in tallies {
        let from = match truth {
            Truth::Plain => "the plain text",
            Truth::Context => "its context",
            Truth::UpperBound => "all of its kind (upper bound)",
        };
        let _ = write!(text, "\n| {language} | {from} | {} |", tally.fragments);
        for counts in [&tally.ours, &tally.peer] {
            for verdict in order {
                let _ = write!(text, " {} |", counts.get(&verdict).unwrap_or(&0));
            }
        }
        if *truth != Truth::UpperBound {
            fragments += tally.fragments;
            ours += tally.ours.get(&Verdict::AsMeant).unwrap_or(&0);
            peer += tally.peer.get(&Verdict::AsMeant).unwrap_or(&0);
        }
    }
    let _ = writeln!(
        text,
        "\n\nFound as meant, upper bounds left out: ours {ours} of {fragments}, the peer {peer} of \
         {fragments}.",
    );
    text
}
