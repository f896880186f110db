//! `fourfold grep`: matches as they are found, in the order of their paths.

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use fourfold::{CaptureText, FileMatches, GrepRequest, MatchInfo, OneLine, ReadingCount};

use crate::Outcome;
use crate::args::Grep;
use crate::excerpt::Excerpt;
use crate::json::Object;
use crate::request;
use crate::screen::{Screen, note};
use crate::session::{Here, Session};
use crate::style::Paint;
use crate::summary::Summary;

pub(crate) fn run(session: &mut Session, args: &Grep) -> Result<Outcome> {
    let (request, paths) = what(args)?;
    let (checkout, here) = session.open()?;
    let json = session.global.json;
    let mut request = request;
    request.selection = request::selection(&here, &args.search, &paths);
    request.count_only = args.count;
    request.max_text_bytes = Some(session.global.max_text);
    request.near_misses = Some(0);
    request.with_source = !json && !args.count;

    let progress = session.follow();
    let mut sink = Sink {
        screen: &mut session.screen,
        here: &here,
        json,
        count: args.count,
        max_text: session.global.max_text,
        left: args.limit.unwrap_or(usize::MAX),
        shown: 0,
        stopped: false,
    };
    let mut failed = None;
    let mut summary = checkout.grep_each(&request, &session.control, &mut |file| {
        if sink.screen.is_terminal() {
            progress.yield_to_results();
        }
        match sink.take(&file) {
            Ok(flow) => flow,
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    let (shown, stopped) = (sink.shown, sink.stopped);
    drop(progress);
    if let Some(error) = failed {
        return Err(error.into());
    }
    summary.shown = shown;
    here.outside_all(&mut summary);
    let summary = Summary {
        of: &summary,
        shown,
        limit: args.limit.filter(|_| stopped),
        interrupted: session.control.is_cancelled(),
    };
    if json {
        summary.write_json(&mut session.screen)?;
    } else {
        session.screen.flush()?;
        summary.write(&mut io::stderr().lock(), session.aside)?;
        if shown == 0 && args.query.is_none() && !summary.interrupted {
            note("`fourfold explain` with the same arguments tells how the pattern is read");
        }
    }
    Ok(summary.outcome())
}

/// The pattern or the query, and the paths: with a query every argument is a path.
fn what(args: &Grep) -> Result<(GrepRequest, Vec<PathBuf>)> {
    let mut shape = request::shape(&args.search);
    let mut paths = args.paths.clone();
    if let Some(query) = &args.query {
        shape.query = Some(query.clone());
        paths.splice(0..0, args.pattern.iter().map(PathBuf::from));
    } else {
        let pattern = args.pattern.as_ref().context("a pattern is missing")?;
        let pattern = pattern
            .to_str()
            .context("the pattern is not UTF-8; correct it")?;
        shape.pattern = Some(pattern.to_owned());
    }
    Ok((GrepRequest::new(shape), paths))
}

/// Where the matches of each file go.
struct Sink<'a> {
    screen: &'a mut Screen,
    here: &'a Here,
    json: bool,
    count: bool,
    max_text: usize,
    /// How many more are wanted.
    left: usize,
    shown: usize,
    stopped: bool,
}

impl Sink<'_> {
    fn take(&mut self, file: &FileMatches) -> io::Result<ControlFlow<()>> {
        let path = self.here.outside(&file.path);
        let taken = file.count.min(self.left);
        if self.count {
            self.count_line(&path, file.language, taken)?;
        } else {
            for found in file.matches.iter().take(taken) {
                if self.json {
                    match_line(self.screen, &path, file.language, found)?;
                } else {
                    self.excerpt(&path, &file.source, found)?;
                }
            }
        }
        self.shown += taken;
        self.left -= taken;
        self.stopped = self.left == 0;
        self.screen.pause()?;
        Ok(if self.stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    fn count_line(&mut self, path: &str, language: &str, count: usize) -> io::Result<()> {
        if self.json {
            let mut line = Object::line(self.screen, "count")?;
            line.text("path", path)?;
            line.text("language", language)?;
            line.number("matches", count)?;
            return line.end();
        }
        let path = self.screen.style().paint(Paint::Path, OneLine(path));
        writeln!(self.screen, "{path}:{count}")
    }

    fn excerpt(&mut self, path: &str, source: &str, found: &MatchInfo) -> io::Result<()> {
        let style = self.screen.style();
        let place = format_args!("{}:{}", found.start.line, found.start.column);
        write!(
            self.screen,
            "{}:{}: ",
            style.paint(Paint::Path, OneLine(path)),
            style.paint(Paint::Place, place)
        )?;
        if let Some(rung) = found.rung.filter(|_| found.further) {
            write!(
                self.screen,
                "{} ",
                style.paint(Paint::Dim, format_args!("[{rung}]"))
            )?;
        }
        Excerpt::of(source, &(found.start.byte..found.end.byte)).write(
            self.screen,
            style,
            self.max_text,
        )
    }
}

/// One match as a line of JSON.
pub(crate) fn match_line(
    screen: &mut Screen,
    path: &str,
    language: &str,
    found: &MatchInfo,
) -> io::Result<()> {
    let mut line = Object::line(screen, "match")?;
    line.text("path", path)?;
    line.number("start", found.start.byte)?;
    line.number("end", found.end.byte)?;
    line.number("line", found.start.line)?;
    line.number("column", found.start.column)?;
    line.number("end_line", found.end.line)?;
    line.number("end_column", found.end.column)?;
    line.text("text", &found.text)?;
    if found.truncated {
        line.flag("truncated", true)?;
    }
    line.object("captures", |captures| {
        found
            .captures
            .iter()
            .try_for_each(|(name, text)| match text {
                CaptureText::One(text) => captures.text(name, text),
                CaptureText::Many(texts) => captures.texts(name, texts),
                _ => Ok(()),
            })
    })?;
    line.maybe("rung", found.rung)?;
    if found.further {
        line.flag("further", true)?;
    }
    line.text("kind", found.kind)?;
    line.text("language", language)?;
    line.end()
}

/// How often each reading matched, if there are several: `9 as statement, 3 as class-member`.
pub(crate) fn by_reading(readings: &[ReadingCount]) -> Option<String> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for reading in readings {
        let Some(rung) = reading.rung else { continue };
        match counts.iter_mut().find(|(known, _)| *known == rung) {
            Some((_, count)) => *count += reading.matches,
            None => counts.push((rung, reading.matches)),
        }
    }
    (counts.len() > 1).then(|| {
        let counts: Vec<_> = counts
            .iter()
            .map(|(rung, count)| format!("{count} as {rung}"))
            .collect();
        counts.join(", ")
    })
}
