//! The peer beside us in one run: CPU seconds, peak memory, and every difference in matches.
#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fourfold_benches::corpora::{self, Corpus};
use fourfold_benches::matches::{self, Difference, Matches};
use fourfold_benches::measure::{self, Run, Usage};
use fourfold_benches::patterns::{self, Question};
use fourfold_benches::{report, tools};
use lexopt::prelude::*;

const HELP: &str = "\
peers: Fourfold beside ast-grep on real projects

  --lang LANGUAGE    only this language (may be repeated)
  --runs N           alternating pairs per pattern (default 5)
  --quick            one pair, and the first two plain and first specific pattern of a language
  --fourfold PATH    our program (default: built by cargo in release)
  --peer PATH        the peer's program (default: installed from its package)
  --peer-only        measure the peer alone
  --cache DIR        where the corpora are (default: corpora/ in the build folder)
  --report FILE      where the report goes (default: bench/peers.md in the build folder)
  --listed N         differences that are listed per pattern and side (default 20)";

/// The goals of the comparison, in one place.
mod goal {
    /// No pattern costs more CPU than this times the peer's.
    pub(super) const ANY: f64 = 1.05;
    /// Patterns with a specific name cost this many times less (median).
    pub(super) const SPECIFIC: f64 = 5.0;
}

struct Options {
    languages: Vec<String>,
    runs: usize,
    quick: bool,
    fourfold: Option<PathBuf>,
    peer: Option<PathBuf>,
    peer_only: bool,
    cache: PathBuf,
    report: PathBuf,
    listed: usize,
}

/// One side of a row: medians over the runs, and what was found.
struct Side {
    cpu: f64,
    rss_kib: u64,
    status: i32,
    found: Matches,
}

impl Side {
    /// Whether the program took the question (0 found, 1 nothing found).
    fn answered(&self) -> bool {
        matches!(self.status, 0 | 1)
    }
}

struct Row {
    question: Question,
    files: u64,
    peer: Side,
    ours: Option<Side>,
}

impl Row {
    fn comparable(&self) -> Option<(&Side, &Side)> {
        let ours = self.ours.as_ref()?;
        (ours.answered() && self.peer.answered()).then_some((ours, &self.peer))
    }
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
    let peer = match &options.peer {
        Some(path) => std::path::absolute(path)?,
        None => tools::peer(&target)?,
    };
    let ours = match options.peer_only {
        true => None,
        false => Some(tools::ours(options.fourfold.clone(), &target)?),
    };
    let scratch = target.join("bench");
    std::fs::create_dir_all(&scratch).with_context(|| format!("creating {}", scratch.display()))?;

    let mut text = String::from("# Fourfold beside ast-grep\n\n");
    for program in ours.iter().chain([&peer]) {
        let _ = writeln!(text, "- program: {}", tools::version(program)?);
    }
    let mut rows = Vec::new();
    let mut differences = String::new();
    let mut corpus: Option<Corpus> = None;
    let columns = report::head(&[
        "language",
        "pattern",
        "",
        ">files",
        ">our CPU s",
        ">peer CPU s",
        ">ratio",
        ">our MB",
        ">peer MB",
        ">our matches",
        ">peer matches",
        ">both",
        ">other end",
        ">only peer",
        ">only ours",
    ]);
    println!("{columns}");
    let mut table = columns + "\n";
    for question in chosen(&options)? {
        if corpus
            .as_ref()
            .is_none_or(|c| c.language != question.language)
        {
            let next = corpora::ready(&question.language, &options.cache)?;
            let (files, mb) = (next.files, next.bytes as f64 / 1e6);
            let _ = writeln!(text, "- {}: {files} files, {mb:.1} MB", next.language);
            for missing in &next.missing {
                let _ = writeln!(text, "  - not to be had: {missing}");
            }
            corpus = Some(next);
        }
        let Some(corpus) = corpus.as_ref().filter(|c| c.files > 0) else {
            continue;
        };
        let row = ask(
            question,
            corpus,
            &peer,
            ours.as_deref(),
            options.runs,
            &scratch,
        )?;
        let line = line(&row, options.listed, &mut differences);
        println!("{line}");
        table = table + &line + "\n";
        rows.push(row);
    }
    let verdict = verdict(&rows);
    println!("\n{verdict}");
    let _ = write!(
        text,
        "\n{table}\n## Verdict\n\n{verdict}\n## Differences\n{differences}"
    );
    std::fs::write(&options.report, text)
        .with_context(|| format!("writing the report to {}", options.report.display()))?;
    println!(
        "\nThe report with every difference: {}",
        options.report.display()
    );
    Ok(())
}

fn options(target: &Path) -> Result<Option<Options>> {
    let mut options = Options {
        languages: Vec::new(),
        runs: 5,
        quick: false,
        fourfold: None,
        peer: None,
        peer_only: false,
        cache: target.join("corpora"),
        report: target.join("bench").join("peers.md"),
        listed: 20,
    };
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            Long("lang") => options.languages.push(args.value()?.string()?),
            Long("runs") => options.runs = args.value()?.parse()?,
            Long("quick") => options.quick = true,
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
    if options.quick {
        options.runs = 1;
    }
    if options.runs == 0 {
        bail!("--runs 0 measures nothing; give at least 1");
    }
    Ok(Some(options))
}

fn chosen(options: &Options) -> Result<Vec<Question>> {
    let mut questions = patterns::all()?;
    if !options.languages.is_empty() {
        questions.retain(|q| options.languages.contains(&q.language));
    }
    if options.quick {
        let mut seen = std::collections::HashMap::new();
        questions.retain(|q| {
            let count = seen.entry((q.language.clone(), q.specific)).or_insert(0);
            *count += 1;
            *count <= if q.specific { 1 } else { 2 }
        });
    }
    if questions.is_empty() {
        bail!("no pattern is listed for {}", options.languages.join(", "));
    }
    Ok(questions)
}

/// Runs the pairs, each side first in turn. What the first pair printed is compared.
fn ask(
    question: Question,
    corpus: &Corpus,
    peer: &Path,
    ours: Option<&Path>,
    runs: usize,
    scratch: &Path,
) -> Result<Row> {
    let Question {
        language, pattern, ..
    } = &question;
    let peer_run = match &question.peer {
        Some(context) => tools::peer_in_context(peer, language, context, &corpus.folder),
        None => tools::peer_run(peer, language, pattern, &corpus.folder),
    };
    let our_run = ours.map(|ours| tools::our_run(ours, language, pattern, &corpus.folder));
    let (peer_output, our_output) = (scratch.join("peer.jsonl"), scratch.join("ours.jsonl"));
    let (mut peer_used, mut our_used) = (Vec::new(), Vec::new());
    for pair in 0..runs {
        let mut peer_turn = || once(&peer_run, pair, &peer_output, &mut peer_used);
        let mut our_turn = || match &our_run {
            Some(run) => once(run, pair, &our_output, &mut our_used),
            None => Ok(()),
        };
        if pair % 2 == 0 {
            our_turn()?;
            peer_turn()?;
        } else {
            peer_turn()?;
            our_turn()?;
        }
    }
    let peer = side(&peer_used, matches::of_peer(&peer_output)?);
    let ours = match our_run {
        Some(_) => Some(side(
            &our_used,
            matches::of_ours(&our_output, &corpus.folder)?,
        )),
        None => None,
    };
    Ok(Row {
        question,
        files: corpus.files,
        peer,
        ours,
    })
}

fn once(run: &Run, pair: usize, output: &Path, used: &mut Vec<Usage>) -> Result<()> {
    used.push(measure::run(run, (pair == 0).then_some(output))?);
    Ok(())
}

fn side(used: &[Usage], found: Matches) -> Side {
    let of = |value: fn(&Usage) -> f64| report::median(&used.iter().map(value).collect::<Vec<_>>());
    Side {
        cpu: of(|u| u.cpu),
        rss_kib: of(|u| u.rss_kib as f64) as u64,
        status: used.first().map_or(-1, |u| u.status),
        found,
    }
}

/// The row as a line of the table; its differences are added to the list.
fn line(row: &Row, listed: usize, differences: &mut String) -> String {
    let Row {
        question,
        files,
        peer,
        ours,
    } = row;
    let (language, pattern) = (&question.language, report::cell(&question.pattern, 60));
    let specific = if question.specific { "name" } else { "" };
    let mb = |side: &Side| side.rss_kib as f64 / 1024.0;
    let count = |side: &Side| match side.status {
        0 | 1 => side.found.len().to_string(),
        status => format!("status {status}"),
    };
    let mut line = format!("| {language} | {pattern} | {specific} | {files} |");
    let (peer_count, peer_cpu, peer_mb) = (count(peer), peer.cpu, mb(peer));
    let Some(ours) = ours else {
        let _ = write!(
            line,
            " | {peer_cpu:.2} | | | {peer_mb:.0} | | {peer_count} | | | | |"
        );
        return line;
    };
    let difference = matches::compare(&ours.found, &peer.found);
    let (our_count, our_cpu, our_mb) = (count(ours), ours.cpu, mb(ours));
    let _ = write!(
        line,
        " {our_cpu:.2} | {peer_cpu:.2} | {:.2} | {our_mb:.0} | {peer_mb:.0} | {our_count} | \
         {peer_count} | {} | {} | {} | {} |",
        our_cpu / peer_cpu,
        difference.both,
        difference.ends.len(),
        difference.only_peer.len(),
        difference.only_ours.len(),
    );
    list(question, &difference, listed, differences);
    line
}

fn list(question: &Question, difference: &Difference, listed: usize, text: &mut String) {
    let Difference {
        ends,
        only_peer,
        only_ours,
        ..
    } = difference;
    if ends.is_empty() && only_peer.is_empty() && only_ours.is_empty() {
        return;
    }
    let pattern = report::cell(&question.pattern, 200);
    let _ = writeln!(text, "\n### {}: {pattern}\n", question.language);
    if let Some(note) = &question.note {
        let _ = writeln!(text, "Note: {note}.\n");
    }
    let mut side = |name: &str, total: usize, lines: &mut dyn Iterator<Item = String>| {
        if total > 0 {
            let _ = writeln!(text, "{name}: {total}\n");
            lines.take(listed).for_each(|l| text.push_str(&l));
            text.push('\n');
        }
    };
    let place = |p: &matches::Span| format!("{}:{}..{}", p.path, p.start, p.end);
    let entry = |(p, f): &(matches::Span, matches::Found)| {
        let rung = f
            .rung
            .as_deref()
            .map(|r| format!(" ({r})"))
            .unwrap_or_default();
        format!("- {}{rung} {}\n", place(p), report::cell(&f.text, 80))
    };
    side(
        "Only the peer",
        only_peer.len(),
        &mut only_peer.iter().map(entry),
    );
    side(
        "Only ours",
        only_ours.len(),
        &mut only_ours.iter().map(entry),
    );
    let other_end = |(p, f, end): &(matches::Span, matches::Found, u64)| {
        format!(
            "- {} ours ends at {end} {}\n",
            place(p),
            report::cell(&f.text, 80)
        )
    };
    side(
        "Same begin, other end",
        ends.len(),
        &mut ends.iter().map(other_end),
    );
}

/// The verdict lines, each with its goal.
fn verdict(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut say = |line: String| text = format!("{text}- {line}\n");
    let peer_total: f64 = rows.iter().map(|r| r.peer.cpu).sum();
    say(format!(
        "{} patterns; the peer's CPU over all: {peer_total:.1} s",
        rows.len()
    ));
    let refused = |ours: bool| {
        rows.iter().filter(move |r| match ours {
            true => r.ours.as_ref().is_some_and(|o| !o.answered()),
            false => !r.peer.answered(),
        })
    };
    for (who, ours) in [("us", true), ("the peer", false)] {
        for row in refused(ours) {
            let pattern = report::cell(&row.question.pattern, 60);
            say(format!(
                "refused by {who}, not counted: {} {pattern}",
                row.question.language
            ));
        }
    }
    let pairs: Vec<_> = rows
        .iter()
        .filter_map(|r| Some((r, r.comparable()?)))
        .collect();
    if pairs.is_empty() {
        say("nothing to compare".to_owned());
        return text;
    }
    let met = |yes: bool| if yes { "met" } else { "NOT met" };
    let ratios: Vec<f64> = pairs.iter().map(|(_, (o, p))| o.cpu / p.cpu).collect();
    let within = ratios.iter().filter(|r| **r <= goal::ANY).count();
    say(format!(
        "at most {} times the peer's CPU: {within} of {} ({}); worst {:.2}, median {:.2}",
        goal::ANY,
        pairs.len(),
        met(within == pairs.len()),
        ratios.iter().copied().fold(0.0, f64::max),
        report::median(&ratios),
    ));
    let sum =
        |of: fn(&(&Side, &Side)) -> f64| pairs.iter().map(|(_, sides)| of(sides)).sum::<f64>();
    let overall = sum(|s| s.0.cpu) / sum(|s| s.1.cpu);
    say(format!(
        "CPU over all patterns: {overall:.2} times the peer's ({})",
        met(overall < 1.0)
    ));
    let factors: Vec<f64> = pairs
        .iter()
        .filter(|(row, _)| row.question.specific)
        .map(|(_, (o, p))| p.cpu / o.cpu)
        .collect();
    if !factors.is_empty() {
        let factor = report::median(&factors);
        say(format!(
            "with a specific name ({}): {factor:.1} times less CPU, goal {} ({})",
            factors.len(),
            goal::SPECIFIC,
            met(factor >= goal::SPECIFIC),
        ));
    }
    let memory = |(_, (o, p)): &(&Row, (&Side, &Side))| o.rss_kib as f64 / p.rss_kib as f64;
    let (worst, row) = pairs
        .iter()
        .map(|pair| (memory(pair), pair.0))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap_or((0.0, pairs[0].0));
    say(format!(
        "peak memory: at most {worst:.2} times the peer's ({}), at {} {}",
        met(worst <= 1.0),
        row.question.language,
        report::cell(&row.question.pattern, 60),
    ));
    let same = |(_, (o, p)): &&(&Row, (&Side, &Side))| o.found.keys().eq(p.found.keys());
    say(format!(
        "the same matches: {} of {}",
        pairs.iter().filter(same).count(),
        pairs.len()
    ));
    text
}
