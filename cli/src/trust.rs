//! `fourfold trust`: which checkouts may choose what is run.

use std::io::Write as _;

use anyhow::Result;
use fourfold::{LspAction, LspRequest};

use crate::Outcome;
use crate::args::Trust;
use crate::json::Object;
use crate::screen::note;
use crate::session::Session;

pub(crate) fn run(session: &mut Session, args: &Trust) -> Result<Outcome> {
    if args.list {
        return list(session);
    }
    let (checkout, _) = session.open()?;
    let was = checkout.trust().is_granted();
    checkout.set_trust(!args.remove)?;
    let root = checkout.root().display().to_string();
    drop(checkout);
    if args.remove {
        // What runs for it was started while it was trusted.
        let reload = LspRequest {
            action: LspAction::Reload,
            ..LspRequest::default()
        };
        session.call("lsp", serde_json::to_value(&reload)?)?;
    }
    if session.global.json {
        let mut line = Object::line(&mut session.screen, "summary")?;
        line.text("root", &root)?;
        line.flag("trusted", !args.remove)?;
        line.end()?;
        return Ok(Outcome::Found);
    }
    match (args.remove, was) {
        (false, _) => note(format_args!(
            "`{root}` is trusted as it is now: programs that lie in it (node_modules/.bin, \
             .venv/bin, …), commands that its fourfold.toml names, and its own checkers may run"
        )),
        (true, true) => note(format_args!(
            "`{root}` is not trusted any more; its language servers were ended"
        )),
        (true, false) => note(format_args!("`{root}` was not trusted")),
    }
    Ok(Outcome::Found)
}

fn list(session: &mut Session) -> Result<Outcome> {
    let roots = session.host().trusted()?;
    let screen = &mut session.screen;
    for root in &roots {
        let root = root.display().to_string();
        if session.global.json {
            let mut line = Object::line(screen, "checkout")?;
            line.text("root", &root)?;
            line.end()?;
        } else {
            writeln!(screen, "{root}")?;
        }
    }
    if session.global.json {
        let mut line = Object::line(screen, "summary")?;
        line.number("checkouts", roots.len())?;
        line.end()?;
    } else if roots.is_empty() {
        note("no checkout is trusted");
    }
    Ok(match roots.is_empty() {
        true => Outcome::Nothing,
        false => Outcome::Found,
    })
}
