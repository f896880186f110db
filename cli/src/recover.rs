//! `fourfold recover`: brings to an end what a crash has left.

use std::io::Write as _;

use anyhow::Result;
use fourfold::{Host, OneLine};

use crate::Outcome;
use crate::json::Object;
use crate::screen::Screen;
use crate::session::Session;
use crate::style::Paint;

/// How many names of one list are shown; the value of `--json` has all of them.
const SHOWN: usize = 20;

pub(crate) fn run(session: &mut Session) -> Result<Outcome> {
    // Opening a checkout for changes recovers it.
    let (checkout, _) = session.open_with(Host::checkout)?;
    let recovery = checkout.recovery();
    let outcome = match recovery.commits.iter().all(|one| one.whole) {
        true => Outcome::Found,
        false => Outcome::Nothing,
    };
    let style = session.screen.style();
    let screen = &mut session.screen;
    if session.global.json {
        let fields = serde_json::to_string(recovery)?;
        let mut line = Object::line(screen, "summary")?;
        line.fields(&fields)?;
        line.end()?;
        return Ok(outcome);
    }
    if recovery.busy {
        writeln!(
            screen,
            "another process is committing here; there is nothing to recover"
        )?;
    } else if recovery.commits.is_empty() {
        writeln!(
            screen,
            "nothing was interrupted here; no commit is half done"
        )?;
    }
    for commit in &recovery.commits {
        let id = style.paint(Paint::Bold, &commit.id);
        match commit.whole {
            true => writeln!(screen, "{id}: {}", OneLine(&commit.outcome))?,
            false => writeln!(
                screen,
                "{id}: {}",
                style.paint(Paint::Warning, OneLine(&commit.outcome))
            )?,
        }
        list(screen, &commit.conflicts)?;
        if commit.conflicts.is_empty() {
            list(screen, &commit.files)?;
        }
    }
    if !recovery.put_aside.is_empty() {
        writeln!(
            screen,
            "put aside by this recovery or an earlier one, yours to look at and to remove:"
        )?;
        list(screen, &recovery.put_aside)?;
    }
    Ok(outcome)
}

fn list(screen: &mut Screen, all: &[String]) -> Result<()> {
    for one in all.iter().take(SHOWN) {
        writeln!(screen, "  {}", OneLine(one))?;
    }
    match all.len().saturating_sub(SHOWN) {
        0 => {}
        more => writeln!(screen, "  and {more} more")?,
    }
    Ok(())
}
