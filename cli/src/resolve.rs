//! `fourfold resolve`: the end of a stage.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use fourfold::{DriftedFile, Error, OneLine, ResolveRequest, StageRest, Verdict};
use serde::Deserialize;
use serde_json::Value;

use crate::Outcome;
use crate::args::Resolve;
use crate::json::Object;
use crate::request::counted;
use crate::session::{Here, Session, quoted};
use crate::staged::Staged;
use crate::style::{Paint, Style};
use crate::write::shown;

pub(crate) fn run(session: &mut Session, args: &Resolve) -> Result<Outcome> {
    let request = if args.discard {
        ResolveRequest::discard(args.id.as_str())
    } else {
        let mut request = ResolveRequest::apply(args.id.as_str());
        // A name is one of the stage, seen from the root, or one that was typed here.
        request.except.clone_from(&args.except);
        let here = session.here()?;
        if !here.is_root() && !request.except.is_empty() {
            let known = files_of(session, &args.id)?;
            for name in &mut request.except {
                let inside = here.inside(Path::new(name.as_str())).display().to_string();
                let is_of = |name: &str| known.iter().any(|file| is_site_of(name, file));
                if !is_of(name) && is_of(&inside) {
                    *name = inside;
                }
            }
        }
        request
    };
    let resolved = session.call("resolve", serde_json::to_value(&request)?)?;
    if session.global.json {
        let fields = resolved.value.to_string();
        let mut line = Object::line(&mut session.screen, "summary")?;
        line.fields(&fields)?;
        line.end()?;
    } else {
        let here = session.here()?;
        let how = (session.screen.style(), session.asks_nobody());
        report(&mut session.screen, how, &here, &resolved.value)?;
    }
    Ok(Outcome::Found)
}

/// The files of a stage, seen from the root.
fn files_of(session: &mut Session, id: &str) -> Result<Vec<String>> {
    let Staged { stages, .. } = session.staged()?;
    let stage = stages.into_iter().find(|stage| stage.id == id);
    Ok(stage.map_or_else(Vec::new, |stage| stage.files))
}

/// What is shown of an answer of `resolve`.
#[derive(Debug, Deserialize)]
struct Resolved {
    id: String,
    applied: bool,
    files: Vec<String>,
    sites: usize,
    rest: Option<StageRest>,
    #[serde(default)]
    notices: Vec<String>,
    verdict: Option<Verdict>,
}

/// The error with options of this program in place of the facade's.
pub(crate) fn typed(error: Error) -> Error {
    match error {
        Error::Drifted {
            id,
            files,
            again,
            without,
        } => Error::Drifted {
            without: without.replace("`except`", &except(&files)),
            id,
            files,
            again,
        },
        other => other,
    }
}

/// The options that leave files out.
fn except(files: &[DriftedFile]) -> String {
    const SHOWN: usize = 5;
    let mut options: Vec<String> = files
        .iter()
        .take(SHOWN)
        .map(|file| format!("--except {}", quoted(&file.path.to_string_lossy())))
        .collect();
    if files.len() > SHOWN {
        options.push("…".to_owned());
    }
    options.join(" ")
}

/// Whether a name is that of a file or of a site in it.
fn is_site_of(name: &str, file: &str) -> bool {
    name.strip_prefix(file)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// Says what was done, by the answer of `resolve`.
pub(crate) fn report(
    out: &mut impl Write,
    (style, quiet): (Style, bool),
    here: &Here,
    answer: &Value,
) -> Result<()> {
    let resolved = Resolved::deserialize(answer)?;
    let what = match resolved.sites {
        // What a server proposed has none.
        0 => counted(resolved.files.len(), "file"),
        sites => format!(
            "{} in {}",
            counted(sites, "site"),
            counted(resolved.files.len(), "file")
        ),
    };
    let line = if resolved.applied {
        format!("applied {}: {what}", resolved.id)
    } else {
        format!("discarded {}: {what} stay as they are", resolved.id)
    };
    writeln!(out, "{}", style.paint(Paint::Bold, line))?;
    if let Some(rest) = &resolved.rest {
        writeln!(
            out,
            "left out and staged as {}: {} in {}",
            rest.stage,
            counted(rest.sites, "site"),
            counted(rest.files.len(), "file")
        )?;
    }
    for notice in &resolved.notices {
        writeln!(out, "{}", style.paint(Paint::Warning, OneLine(notice)))?;
    }
    match &resolved.verdict {
        Some(verdict) if !quiet => shown(out, style, here, verdict)?,
        _ => {}
    }
    Ok(())
}
