//! `fourfold staged`: the stages that wait for a word.

use std::io::Write as _;

use anyhow::Result;

use crate::Outcome;
use crate::args::StagedArgs;
use crate::diff;
use crate::json::Object;
use crate::request::counted;
use crate::screen::note;
use crate::session::Session;
use crate::style::Paint;

pub(crate) fn run(session: &mut Session, args: &StagedArgs) -> Result<Outcome> {
    let (checkout, _) = session.open_to_write()?;
    let conversation = checkout.conversation("cli");
    let style = session.screen.style();
    let screen = &mut session.screen;
    if let Some(id) = &args.id {
        let diff = conversation.diff(id, usize::MAX)?;
        if session.global.json {
            let sites = conversation.sites(id)?;
            for site in &sites {
                let fields = serde_json::to_string(site)?;
                let mut line = Object::line(screen, "site")?;
                line.fields(&fields)?;
                line.end()?;
            }
            let mut line = Object::line(screen, "summary")?;
            line.text("id", id)?;
            line.number("sites", sites.len())?;
            line.text("diff", &diff)?;
            line.end()?;
        } else {
            diff::write(screen, style, &diff)?;
        }
        return Ok(Outcome::Found);
    }
    let staged = conversation.staged()?;
    for stage in &staged.stages {
        if session.global.json {
            let fields = serde_json::to_string(stage)?;
            let mut line = Object::line(screen, "stage")?;
            line.fields(&fields)?;
            line.end()?;
            continue;
        }
        let id = style.paint(Paint::Bold, &stage.id);
        if let Some(why) = &stage.damaged {
            writeln!(screen, "{id}  damaged: {why}")?;
            continue;
        }
        let what = counted(stage.sites, "site");
        let files = counted(stage.files.len(), "file");
        write!(screen, "{id}  {}, {what} in {files}", stage.age)?;
        if let (Some(pattern), Some(template)) = (&stage.pattern, &stage.template) {
            let change = format!("`{}` -> `{}`", one_line(pattern), one_line(template));
            write!(screen, "  {}", style.paint(Paint::Dim, change))?;
        }
        writeln!(screen)?;
    }
    if session.global.json {
        let mut line = Object::line(screen, "summary")?;
        line.number("stages", staged.stages.len())?;
        line.raw("evicted", &serde_json::to_string(&staged.evicted)?)?;
        line.end()?;
    } else {
        for gone in &staged.evicted {
            note(format_args!("stage {} had to go: {}", gone.id, gone.why));
        }
        if staged.stages.is_empty() {
            note("nothing is staged");
        }
    }
    Ok(match staged.stages.is_empty() {
        true => Outcome::Nothing,
        false => Outcome::Found,
    })
}

/// A text in one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
