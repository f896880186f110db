//! `fourfold recover`: brings to an end what a crash has left.

use std::io::Write as _;

use anyhow::Result;
use fourfold::Host;

use crate::Outcome;
use crate::json::Object;
use crate::session::Session;
use crate::style::Paint;

pub(crate) fn run(session: &mut Session) -> Result<Outcome> {
    // Opening a checkout for changes recovers it.
    let (checkout, _) = session.open_with(Host::checkout)?;
    let recovery = checkout.recovery();
    let style = session.screen.style();
    let screen = &mut session.screen;
    if session.global.json {
        let fields = serde_json::to_string(recovery)?;
        let mut line = Object::line(screen, "summary")?;
        line.fields(&fields)?;
        line.end()?;
        return Ok(Outcome::Found);
    }
    if recovery.busy {
        writeln!(
            screen,
            "another process is committing here; there is nothing to recover"
        )?;
    } else if recovery.commits.is_empty() {
        writeln!(screen, "nothing was interrupted here; every file is whole")?;
    }
    for commit in &recovery.commits {
        let id = style.paint(Paint::Bold, &commit.id);
        writeln!(screen, "{id}: {}", commit.outcome)?;
        for file in &commit.files {
            writeln!(screen, "  {file}")?;
        }
        for conflict in &commit.conflicts {
            writeln!(screen, "  {}", style.paint(Paint::Warning, conflict))?;
        }
    }
    Ok(Outcome::Found)
}
