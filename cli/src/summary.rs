//! The last words of a search: what was found, what was not looked at, and why.

use std::io::{self, Write};

use fourfold::{GrepSummary, OneLine};

use crate::Outcome;
use crate::grep::by_reading;
use crate::json::Object;
use crate::request::counted;
use crate::screen::Screen;
use crate::style::{Paint, Style};

/// Paths that are named for one reason.
const EXAMPLES: usize = 3;

/// What a search did.
pub(crate) struct Summary<'a> {
    pub(crate) of: &'a GrepSummary,
    /// Matches that were shown.
    pub(crate) shown: usize,
    /// The limit at which the search stopped.
    pub(crate) limit: Option<usize>,
    pub(crate) interrupted: bool,
}

impl Summary<'_> {
    pub(crate) fn outcome(&self) -> Outcome {
        if self.interrupted {
            Outcome::Interrupted
        } else if self.shown > 0 {
            Outcome::Found
        } else {
            Outcome::Nothing
        }
    }

    /// The last line of JSON.
    pub(crate) fn write_json(&self, screen: &mut Screen) -> anyhow::Result<()> {
        let fields = serde_json::to_string(self.of)?;
        let mut line = Object::line(screen, "summary")?;
        line.fields(&fields)?;
        if let Some(limit) = self.limit {
            line.number("limit", limit)?;
        }
        if self.interrupted {
            line.flag("interrupted", true)?;
        }
        Ok(line.end()?)
    }

    /// For people.
    pub(crate) fn write(&self, out: &mut impl Write, style: Style) -> io::Result<()> {
        let of = self.of;
        let mut line = counted(self.shown, "match");
        if self.shown > 0 {
            line += &format!(" in {}", counted(of.files_matched, "file"));
        }
        // How many others were searched before the limit was reached is a matter of threads.
        if self.limit.is_none() {
            line += &format!(" ({} searched)", of.files_searched);
        }
        if let Some(readings) =
            by_reading(&of.readings).filter(|_| self.shown > 0 && self.limit.is_none())
        {
            line += &format!(": {readings}");
        }
        if let Some(limit) = self.limit {
            line += &format!("; stopped at the limit of {limit}");
        }
        if self.interrupted {
            line += "; interrupted";
        }
        writeln!(out, "{}", style.paint(Paint::Bold, line))?;
        notes(of, out, style)
    }
}

/// What was left out, each reason on a line of its own.
pub(crate) fn notes(of: &GrepSummary, out: &mut impl Write, style: Style) -> io::Result<()> {
    let mut warn = |text: String| writeln!(out, "{}", style.paint(Paint::Warning, OneLine(&text)));
    if !of.skipped.is_empty() {
        let reasons: Vec<String> = of
            .skipped
            .iter()
            .map(|skipped| {
                let examples = &skipped.examples[..skipped.examples.len().min(EXAMPLES)];
                let more = if skipped.files > examples.len() {
                    ", …"
                } else {
                    ""
                };
                format!(
                    "{} {} ({}{more})",
                    skipped.files,
                    skipped.reason,
                    examples.join(", ")
                )
            })
            .collect();
        warn(format!("skipped: {}", reasons.join(", ")))?;
    }
    let unmet = of.unmet.iter().cloned();
    let told = of.not_searched().into_iter().chain(unmet);
    told.into_iter().try_for_each(&mut warn)?;
    if let Some(hint) = &of.hint {
        warn(format!("hint: {hint}"))?;
    }
    if of.files_with_errors > 0 {
        warn(format!(
            "{} with syntax errors: what stands in or near them may not have been found",
            counted(of.files_with_errors, "file")
        ))?;
    }
    if of.given_up > 0 {
        warn(format!(
            "{} given up at the step bound: each may be a match; make the pattern more specific",
            counted(of.given_up, "candidate")
        ))?;
    }
    Ok(())
}
