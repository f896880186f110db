//! `fourfold write`, `edit` and `patch`: text that is changed at once.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use fourfold::{
    ApplyPatchRequest, EditRequest, OneLine, Plain, Verdict, VerdictState, WriteAction,
    WriteRequest, WriteResult, WrittenFile,
};
use serde::Serialize;

use crate::Outcome;
use crate::args::{Edit, Patch, Write};
use crate::diff;
use crate::json::Object;
use crate::session::{Here, Session};
use crate::style::{Paint, Style};

pub(crate) fn write(session: &mut Session, args: &Write) -> Result<Outcome> {
    let here = session.here()?;
    let content = bytes_of(args.from.as_deref())?;
    let plain = is_text(&content);
    let mut request = WriteRequest::new(here.inside(&args.path), content);
    request.expected_hash.clone_from(&args.expecting.hash);
    request.dry_run = args.trying.dry_run;
    let result = match plain && !request.dry_run {
        true => by_tool(session, "write", &request)?,
        false => session.conversation()?.write(&request)?,
    };
    report(session, &here, &result)
}

pub(crate) fn edit(session: &mut Session, args: &Edit) -> Result<Outcome> {
    let here = session.here()?;
    let old = text_of(args.old.as_deref(), args.old_file.as_deref())?;
    let new = text_of(args.new.as_deref(), args.new_file.as_deref())?;
    let plain = is_text(&old) && is_text(&new);
    let mut request = EditRequest::new(here.inside(&args.path), old, new);
    request.replace_all = args.all;
    request.expected_hash.clone_from(&args.expecting.hash);
    request.dry_run = args.trying.dry_run;
    let result = match plain && !request.dry_run {
        true => by_tool(session, "edit", &request)?,
        false => session.conversation()?.edit(&request)?,
    };
    report(session, &here, &result)
}

pub(crate) fn patch(session: &mut Session, args: &Patch) -> Result<Outcome> {
    let here = session.here()?;
    let patch = bytes_of(args.file.as_deref())?;
    let plain = is_text(&patch);
    let mut request = ApplyPatchRequest::new(patch);
    request.dry_run = args.trying.dry_run;
    let result = match plain && !request.dry_run {
        true => by_tool(session, "apply_patch", &request)?,
        false => session.conversation()?.apply_patch(&request)?,
    };
    report(session, &here, &result)
}

/// Calls a tool where its servers are warm. What is no text does not fit into a call.
fn by_tool(session: &mut Session, tool: &str, request: &impl Serialize) -> Result<WriteResult> {
    let answer = session.call(tool, serde_json::to_value(request)?)?;
    Ok(serde_json::from_value(answer.value)?)
}

fn is_text(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok()
}

/// What a file holds, or standard input if none is named.
fn bytes_of(file: Option<&Path>) -> Result<Vec<u8>> {
    match file.filter(|file| *file != "-") {
        Some(file) => fs::read(file).with_context(|| format!("cannot read `{}`", file.display())),
        None => {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes);
            read.context("cannot read standard input")?;
            Ok(bytes)
        }
    }
}

/// A text that is given, or the content of the file that has it.
fn text_of(text: Option<&OsStr>, file: Option<&Path>) -> Result<Vec<u8>> {
    match text {
        Some(text) => Ok(text.as_bytes().to_vec()),
        None => bytes_of(file),
    }
}

fn report(session: &mut Session, here: &Here, result: &WriteResult) -> Result<Outcome> {
    if session.global.json {
        let fields = serde_json::to_string(result)?;
        let mut line = Object::line(&mut session.screen, "summary")?;
        line.fields(&fields)?;
        line.end()?;
    } else if result.dry_run {
        // The diff is what was asked for; the rest is said beside it.
        let style = session.screen.style();
        diff::write(&mut session.screen, style, &result.diff)?;
        session.screen.flush()?;
        let mut out = io::stderr().lock();
        tell(&mut out, session.aside, here, result)?;
        writeln!(out, "nothing is changed: --dry-run only shows")?;
    } else {
        let style = session.screen.style();
        let quiet = session.asks_nobody();
        let out = &mut session.screen;
        tell(out, style, here, result)?;
        if let Some(verdict) = result.verdict.as_ref().filter(|_| !quiet) {
            shown(out, style, here, verdict)?;
        }
    }
    Ok(if result.changes_something() {
        Outcome::Found
    } else {
        Outcome::Nothing
    })
}

/// What became of each file.
fn tell(
    out: &mut impl io::Write,
    style: Style,
    here: &Here,
    result: &WriteResult,
) -> io::Result<()> {
    let warning = |text: &str| style.paint(Paint::Warning, OneLine(text)).to_string();
    for file in &result.files {
        let line = told(here, file, result.dry_run);
        writeln!(out, "{}", style.paint(Paint::Bold, OneLine(&line)))?;
        if let Some(what) = &file.tolerance {
            let note = format!("matched although {what}; the file keeps its own");
            writeln!(out, "{}", warning(&note))?;
        }
        for note in &file.notes {
            writeln!(out, "{}", warning(note))?;
        }
    }
    for notice in &result.notices {
        writeln!(out, "{}", style.paint(Paint::Warning, OneLine(notice)))?;
    }
    Ok(())
}

/// The verdict, with paths as they are typed here.
pub(crate) fn shown(
    out: &mut impl io::Write,
    style: Style,
    here: &Here,
    verdict: &Verdict,
) -> io::Result<()> {
    let mut verdict = verdict.clone();
    let problems = verdict.new.iter_mut().chain(&mut verdict.earlier);
    let paths = problems.map(|problem| &mut problem.path);
    let fixed = verdict.fixed.iter_mut().chain(&mut verdict.earlier_fixed);
    let fixed = fixed.map(|fixed| &mut fixed.path);
    let files = verdict.files.iter_mut().map(|file| &mut file.path);
    for path in paths.chain(fixed).chain(files) {
        *path = here.outside(path);
    }
    let text = verdict.to_string();
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let paint = match verdict.state {
        VerdictState::Clean => Paint::Bold,
        _ => Paint::Warning,
    };
    writeln!(out, "{}", style.paint(paint, OneLine(first)))?;
    for line in rest.lines() {
        writeln!(out, "{}", Plain(line))?;
    }
    Ok(())
}

/// One file in a line.
fn told(here: &Here, file: &WrittenFile, dry_run: bool) -> String {
    let path = here.outside(&file.path);
    let verb = match file.action {
        WriteAction::Created => "created",
        WriteAction::Deleted => "deleted",
        WriteAction::Moved => "moved",
        WriteAction::Unchanged => return format!("{path} has this content already"),
        _ => "updated",
    };
    let from = file.moved_from.as_ref();
    let path = match from.map(|from| here.outside(from)) {
        Some(from) => format!("{from} to {path}"),
        None => path,
    };
    let would = if dry_run { "(not yet) " } else { "" };
    let (added, removed) = (file.lines_added, file.lines_removed);
    format!("{would}{verb} {path} (+{added} -{removed})")
}
