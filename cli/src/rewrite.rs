//! `fourfold rewrite`: a change that is staged and shown, and made when it is said so.

use std::io::{self, Write};

use anyhow::Result;
use fourfold::{OneLine, ResolveRequest, RewriteRequest, RewriteResult, SiteInfo};

use crate::Outcome;
use crate::args::Rewrite;
use crate::diff;
use crate::grep::by_reading;
use crate::json::Object;
use crate::request::{self, counted};
use crate::resolve;
use crate::screen::{Screen, note};
use crate::session::Session;
use crate::style::{Paint, Style};
use crate::summary::notes;

/// Refusals that are shown to a person; JSON has them all.
const REFUSALS: usize = 10;

pub(crate) fn run(session: &mut Session, args: &Rewrite) -> Result<Outcome> {
    let (checkout, here) = session.open_to_write()?;
    let mut request = RewriteRequest::new(args.pattern.as_str(), args.template.as_str());
    let pattern = request.shape.pattern.take();
    request.shape = request::shape(&args.search);
    request.shape.pattern = pattern;
    request.selection = request::selection(&here, &args.search, &args.paths);
    request.allow_loss = args.allow_loss;
    request.force = args.force;
    // Also what is applied at once: the process that keeps the language servers takes it from there.
    request.keep = true;
    request.limit = Some(usize::MAX);
    request.max_text_bytes = Some(session.global.max_text);
    request.max_diff_bytes = Some(usize::MAX);

    let progress = session.follow();
    let conversation = checkout.conversation(session.global.conversation.as_str());
    let staged = conversation.rewrite(&request, &session.control);
    drop(progress);
    if session.control.is_cancelled() {
        note("interrupted; nothing was changed");
        return Ok(Outcome::Interrupted);
    }
    let staged = staged?;
    let applied = match &staged.stage {
        Some(id) if args.apply => Some(session.call(
            "resolve",
            serde_json::to_value(ResolveRequest::apply(id.as_str()))?,
        )?),
        _ => None,
    };
    if session.global.json {
        write_json(&mut session.screen, &staged, applied.is_some())?;
    } else {
        write(session, &staged)?;
        match (&applied, &staged.stage) {
            (Some(applied), _) => {
                let how = (session.aside, session.asks_nobody());
                let mut out = io::stderr().lock();
                resolve::report(&mut out, how, &here, &applied.value)?;
            }
            (None, Some(id)) => next(&mut io::stderr().lock(), session, id)?,
            (None, None) => {}
        }
    }
    Ok(match staged.stage {
        Some(_) => Outcome::Found,
        None if staged.summary.matches > 0 && is_refused(&staged) => Outcome::Refused,
        None => Outcome::Nothing,
    })
}

fn is_refused(staged: &RewriteResult) -> bool {
    !staged.refused_sites.is_empty() || !staged.refused_files.is_empty()
}

fn write(session: &mut Session, staged: &RewriteResult) -> io::Result<()> {
    let style = session.screen.style();
    diff::write(&mut session.screen, style, &staged.diff)?;
    session.screen.flush()?;
    let aside = session.aside;
    let mut out = io::stderr().lock();
    let mut line = counted(staged.site_count, "site");
    if staged.site_count > 0 {
        line += &format!(" in {}", counted(staged.files.len(), "file"));
    }
    line += &format!(" ({} searched)", staged.summary.files_searched);
    writeln!(out, "{}", aside.paint(Paint::Bold, line))?;
    refused(&mut out, aside, staged)?;
    notes(&staged.summary, &mut out, aside)
}

/// What is not changed, and why.
fn refused(out: &mut impl Write, style: Style, staged: &RewriteResult) -> io::Result<()> {
    let mut warn = |text: String| writeln!(out, "{}", style.paint(Paint::Warning, OneLine(&text)));
    if let Some(sentence) = &staged.template_breaks {
        warn(sentence.clone())?;
    }
    let files = match staged.template_breaks {
        Some(_) => &[],
        None => staged.refused_files.as_slice(),
    };
    let all = staged.refused_sites.iter().chain(files);
    let count = staged.refused_sites.len() + files.len();
    for refused in all.take(REFUSALS) {
        let why = refused.why.strip_prefix("staging ");
        let why = why.and_then(|why| why.strip_prefix(refused.what.as_str()));
        let why = why.and_then(|why| why.strip_prefix(": "));
        let why = why.unwrap_or(&refused.why);
        warn(format!("left out: {}: {why}", refused.what))?;
    }
    if count > REFUSALS {
        warn(format!(
            "left out: {} more; --json lists them all",
            count - REFUSALS
        ))?;
    }
    if !staged.refused_sites.is_empty() {
        warn("(--allow-loss rewrites sites that lose something)".to_owned())?;
    }
    for forced in &staged.forced_files {
        warn(format!("forced: {}: {}", forced.what, forced.why))?;
    }
    if !staged.crossing.is_empty() {
        warn(format!(
            "left out, as they cross another site: {}",
            some(&staged.crossing)
        ))?;
    }
    if !staged.unreached.is_empty() {
        warn(format!(
            "gone with the site around them: {}",
            some(&staged.unreached)
        ))?;
    }
    match staged.unchanged.len() {
        0 => {}
        1 => warn(format!(
            "1 match comes out as it is: {}",
            some(&staged.unchanged)
        ))?,
        count => warn(format!(
            "{count} matches come out as they are: {}",
            some(&staged.unchanged)
        ))?,
    }
    let regrouped: Vec<&str> = staged
        .sites
        .iter()
        .filter(|site| !site.regrouped.is_empty())
        .map(|site| site.id.as_str())
        .collect();
    if !regrouped.is_empty() {
        warn(format!(
            "look at these, where a capture is grouped in another way now: {}",
            some(&regrouped)
        ))?;
    }
    if let Some(others) = by_reading(&staged.other_readings).or_else(|| only(staged)) {
        warn(format!(
            "other readings of the pattern match too and are not rewritten: {others}; pick one with --as"
        ))?;
    }
    for gone in &staged.evicted {
        warn(format!("stage {} had to go: {}", gone.id, gone.why))?;
    }
    Ok(())
}

fn only(staged: &RewriteResult) -> Option<String> {
    let other = staged
        .other_readings
        .iter()
        .find(|other| other.matches > 0)?;
    Some(format!("{} as {}", other.matches, other.rung?))
}

/// The first few of a list of names.
fn some<T: AsRef<str>>(names: &[T]) -> String {
    let shown: Vec<&str> = names.iter().take(5).map(AsRef::as_ref).collect();
    let more = if names.len() > shown.len() {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", shown.join(", "))
}

/// What to type next.
fn next(out: &mut impl Write, session: &Session, id: &str) -> io::Result<()> {
    let program = session.program();
    let style = session.aside;
    writeln!(
        out,
        "staged as {}; nothing is changed yet",
        style.paint(Paint::Bold, id)
    )?;
    writeln!(out, "  apply:   {program} resolve {id} --apply")?;
    writeln!(out, "  discard: {program} resolve {id} --discard")
}

fn write_json(screen: &mut Screen, staged: &RewriteResult, applied: bool) -> Result<()> {
    for site in &staged.sites {
        site_line(screen, site)?;
    }
    let mut line = Object::line(screen, "summary")?;
    line.maybe("stage", staged.stage.as_deref().filter(|_| !applied))?;
    line.flag("applied", applied)?;
    line.number("sites", staged.site_count)?;
    line.raw("files", &serde_json::to_string(&staged.files)?)?;
    line.text("diff", &staged.diff)?;
    line.raw(
        "refused_sites",
        &serde_json::to_string(&staged.refused_sites)?,
    )?;
    line.raw(
        "refused_files",
        &serde_json::to_string(&staged.refused_files)?,
    )?;
    line.raw(
        "forced_files",
        &serde_json::to_string(&staged.forced_files)?,
    )?;
    line.texts("crossing", &staged.crossing)?;
    line.texts("unreached", &staged.unreached)?;
    line.texts("unchanged", &staged.unchanged)?;
    line.maybe("template_breaks", staged.template_breaks.as_deref())?;
    line.raw(
        "other_readings",
        &serde_json::to_string(&staged.other_readings)?,
    )?;
    line.raw("evicted", &serde_json::to_string(&staged.evicted)?)?;
    line.raw("search", &serde_json::to_string(&staged.summary)?)?;
    Ok(line.end()?)
}

fn site_line(screen: &mut Screen, site: &SiteInfo) -> io::Result<()> {
    let mut line = Object::line(screen, "site")?;
    line.text("id", &site.id)?;
    line.text("path", &site.path)?;
    line.number("start", site.start.byte)?;
    line.number("end", site.end.byte)?;
    line.number("line", site.start.line)?;
    line.number("column", site.start.column)?;
    line.text("before", &site.before)?;
    line.text("after", &site.after)?;
    line.texts("losses", &site.losses)?;
    line.maybe("inside", site.inside.as_deref())?;
    line.texts("regrouped", &site.regrouped)?;
    line.end()
}
