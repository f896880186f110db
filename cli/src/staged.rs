//! `fourfold staged`: the stages that wait for a word.

use std::io::Write as _;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Outcome;
use crate::args::StagedArgs;
use crate::diff;
use crate::json::Object;
use crate::request::counted;
use crate::screen::note;
use crate::serve::wire::SHOW;
use crate::session::Session;
use crate::style::Paint;

/// What is shown of an answer of `staged`.
#[derive(Debug, Deserialize)]
pub(crate) struct Staged {
    pub(crate) stages: Vec<Stage>,
    #[serde(default)]
    evicted: Vec<Evicted>,
    /// All of it.
    #[serde(skip)]
    value: Value,
}

/// One stage.
#[derive(Debug, Deserialize)]
pub(crate) struct Stage {
    pub(crate) id: String,
    pub(crate) files: Vec<String>,
    age: String,
    sites: usize,
    pattern: Option<String>,
    template: Option<String>,
    description: Option<String>,
    damaged: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Evicted {
    id: String,
    why: String,
}

impl Session {
    /// The stages of this conversation and those on disk.
    pub(crate) fn staged(&mut self) -> Result<Staged> {
        let answer = self.call("staged", json!({}))?;
        let mut staged = Staged::deserialize(&answer.value)?;
        staged.value = answer.value;
        Ok(staged)
    }
}

pub(crate) fn run(session: &mut Session, args: &StagedArgs) -> Result<Outcome> {
    match &args.id {
        Some(id) => show(session, id),
        None => list(session),
    }
}

fn show(session: &mut Session, id: &str) -> Result<Outcome> {
    let shown = session.call(SHOW, json!({ "id": id }))?;
    let style = session.screen.style();
    let screen = &mut session.screen;
    if !session.global.json {
        diff::write(screen, style, &shown.text)?;
        return Ok(Outcome::Found);
    }
    let sites = shown.value["sites"].as_array();
    let sites = sites.map_or(&[][..], Vec::as_slice);
    for site in sites {
        let mut line = Object::line(screen, "site")?;
        line.fields(&site.to_string())?;
        line.end()?;
    }
    let mut line = Object::line(screen, "summary")?;
    line.text("id", id)?;
    line.number("sites", sites.len())?;
    line.text("diff", &shown.text)?;
    line.end()?;
    Ok(Outcome::Found)
}

fn list(session: &mut Session) -> Result<Outcome> {
    let staged = session.staged()?;
    let style = session.screen.style();
    let screen = &mut session.screen;
    if session.global.json {
        let stages = staged.value["stages"].as_array();
        for stage in stages.into_iter().flatten() {
            let mut line = Object::line(screen, "stage")?;
            line.fields(&stage.to_string())?;
            line.end()?;
        }
        let mut line = Object::line(screen, "summary")?;
        line.number("stages", staged.stages.len())?;
        line.raw("evicted", &serde_json::to_string(&staged.evicted)?)?;
        line.end()?;
        return Ok(staged.outcome());
    }
    for stage in &staged.stages {
        let id = style.paint(Paint::Bold, &stage.id);
        if let Some(why) = &stage.damaged {
            writeln!(screen, "{id}  damaged: {why}")?;
            continue;
        }
        let files = counted(stage.files.len(), "file");
        write!(screen, "{id}  {}, ", stage.age)?;
        if stage.description.is_none() {
            write!(screen, "{} in ", counted(stage.sites, "site"))?;
        }
        write!(screen, "{files}")?;
        if let (Some(pattern), Some(template)) = (&stage.pattern, &stage.template) {
            let change = format!("`{}` -> `{}`", one_line(pattern), one_line(template));
            write!(screen, "  {}", style.paint(Paint::Dim, change))?;
        }
        if let Some(what) = &stage.description {
            write!(screen, "  {}", style.paint(Paint::Dim, one_line(what)))?;
        }
        writeln!(screen)?;
    }
    for gone in &staged.evicted {
        note(format_args!("stage {} had to go: {}", gone.id, gone.why));
    }
    if staged.stages.is_empty() {
        note("nothing is staged");
    }
    Ok(staged.outcome())
}

impl Staged {
    fn outcome(&self) -> Outcome {
        match self.stages.is_empty() {
            true => Outcome::Nothing,
            false => Outcome::Found,
        }
    }
}

/// A text in one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
