//! `fourfold explain`: how a pattern is read, and why it does not match.

use std::io::{self, Write as _};

use anyhow::Result;
use fourfold::{ExplainRequest, LanguageExplanation, OneLine, Plain};

use crate::Outcome;
use crate::args::Explain;
use crate::excerpt::head;
use crate::json::Object;
use crate::request;
use crate::screen::Screen;
use crate::session::Session;
use crate::style::Paint;
use crate::summary::Summary;

/// Near misses that are shown.
const NEAR_MISSES: usize = 10;

pub(crate) fn run(session: &mut Session, args: &Explain) -> Result<Outcome> {
    let (checkout, here) = session.open()?;
    let mut request = ExplainRequest::default();
    request.shape = request::shape(&args.search);
    request.shape.pattern = Some(args.pattern.clone());
    request.selection = request::selection(&here, &args.search, &args.paths);
    request.near_misses = Some(NEAR_MISSES);
    let progress = session.follow();
    let explanation = checkout.explain(&request, &session.control);
    drop(progress);
    let mut explanation = explanation?;
    here.outside_all(&mut explanation.summary);
    let summary = Summary {
        of: &explanation.summary,
        shown: explanation.summary.matches,
        limit: None,
        interrupted: session.control.is_cancelled(),
    };
    if session.global.json {
        for language in &explanation.languages {
            let fields = serde_json::to_string(language)?;
            let mut line = Object::line(&mut session.screen, "language")?;
            line.fields(&fields)?;
            line.end()?;
        }
        summary.write_json(&mut session.screen)?;
    } else {
        let read = |language: &&LanguageExplanation| language.unusable.is_none();
        let (readable, others): (Vec<_>, Vec<_>) = explanation.languages.iter().partition(read);
        for language in &readable {
            explain(&mut session.screen, language)?;
        }
        for language in &others {
            refuse(&mut session.screen, language, readable.is_empty())?;
        }
        near_misses(session, &summary)?;
        session.screen.flush()?;
        summary.write(&mut io::stderr().lock(), session.aside)?;
    }
    let read = explanation
        .languages
        .iter()
        .any(|language| language.unusable.is_none());
    Ok(match (read, summary.outcome()) {
        (false, _) => Outcome::Refused,
        (true, outcome) => outcome,
    })
}

fn explain(screen: &mut Screen, language: &LanguageExplanation) -> io::Result<()> {
    let style = screen.style();
    let name = style.paint(Paint::Bold, language.language);
    for (index, reading) in language.readings.iter().enumerate() {
        let rank = if index == 0 { "primary" } else { "further" };
        let rung = style.paint(Paint::Bold, reading.rung);
        writeln!(
            screen,
            "{name}, {rank} reading, as {rung}: {}",
            reading.kind
        )?;
        for line in reading.tree.lines() {
            writeln!(screen, "    {line}")?;
        }
        if !reading.required_text.is_empty() {
            let words = reading.required_text.join("`, `");
            let note = format!("only files that hold `{words}` are parsed");
            writeln!(screen, "    {}", style.paint(Paint::Dim, note))?;
        }
    }
    Ok(())
}

/// Why a language cannot be searched: in full when none can.
fn refuse(screen: &mut Screen, language: &LanguageExplanation, in_full: bool) -> io::Result<()> {
    let why = language.unusable.as_deref().unwrap_or_default();
    let why = match in_full {
        true => why,
        false => why.lines().next().unwrap_or_default(),
    };
    let name = screen.style().paint(Paint::Bold, language.language);
    writeln!(screen, "{name}: {why}")
}

fn near_misses(session: &mut Session, summary: &Summary<'_>) -> io::Result<()> {
    let style = session.screen.style();
    let max = session.global.max_text;
    let screen = &mut session.screen;
    if summary.shown == 0 && !summary.of.near_misses.is_empty() {
        writeln!(screen, "{}", style.paint(Paint::Bold, "nearest misses"))?;
    }
    for miss in &summary.of.near_misses {
        let first = miss.text.lines().next().unwrap_or_default();
        writeln!(
            screen,
            "{}:{}:{}: {}",
            style.paint(Paint::Path, OneLine(&miss.path)),
            miss.start.line,
            miss.start.column,
            Plain(head(first, max))
        )?;
        writeln!(screen, "    {}", style.paint(Paint::Warning, &miss.reason))?;
    }
    Ok(())
}
