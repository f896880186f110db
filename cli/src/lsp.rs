//! `fourfold lsp` and `fourfold servers`: questions to the language servers of the checkout.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use fourfold::{LspAction, LspRequest};
use serde_json::{Map, Value};

use crate::Outcome;
use crate::args::Lsp;
use crate::diff;
use crate::json::Object;
use crate::screen::{Screen, note};
use crate::session::{Here, Session};

/// The lists of an answer, with what one line of each is called in JSON.
const LISTS: [(&str, &str); 5] = [
    ("places", "place"),
    ("symbols", "symbol"),
    ("problems", "problem"),
    ("actions", "action"),
    ("servers", "server"),
];

pub(crate) fn run(session: &mut Session, args: &Lsp) -> Result<Outcome> {
    let here = session.here()?;
    let request = request(&here, args)?;
    let (outcome, stage) = ask(session, &request)?;
    if let (Some(id), false) = (stage, session.global.json) {
        let program = session.program();
        note(format_args!("apply:   {program} resolve {id} --apply"));
        note(format_args!("discard: {program} resolve {id} --discard"));
    }
    Ok(outcome)
}

/// `fourfold servers`.
pub(crate) fn servers(session: &mut Session) -> Result<Outcome> {
    Ok(ask(session, &LspRequest::default())?.0)
}

/// Asks, and shows the answer; gives the stage of what it proposes.
fn ask(session: &mut Session, request: &LspRequest) -> Result<(Outcome, Option<String>)> {
    let answer = session.call("lsp", serde_json::to_value(request)?)?;
    let style = session.screen.style();
    let screen = &mut session.screen;
    let outcome = outcome(request.action, &answer.value);
    let stage = answer.value["stage"].as_str().map(str::to_owned);
    if session.global.json {
        write_lines(screen, answer.value, &LISTS)?;
    } else {
        // A staged change ends with its diff, which has colours.
        let diff = answer.value["diff"].as_str().unwrap_or_default();
        match answer.text.split_once(diff) {
            Some((before, after)) if !diff.is_empty() => {
                screen.write_all(before.as_bytes())?;
                diff::write(screen, style, diff)?;
                screen.write_all(after.as_bytes())?;
            }
            _ => screen.write_all(answer.text.as_bytes())?,
        }
        for (server, why) in unneeded(&answer.value) {
            writeln!(screen, "    {server}: {why}")?;
        }
    }
    Ok((outcome, stage))
}

/// The servers that are not needed here, each once, with what makes it so: a person who expected one
/// of them looks for that.
fn unneeded(value: &Value) -> BTreeSet<(&str, &str)> {
    let servers = value["servers"].as_array().into_iter().flatten();
    let unneeded = servers.filter(|server| server["state"] == "unneeded");
    let reasons =
        unneeded.filter_map(|server| Some((server["server"].as_str()?, server["about"].as_str()?)));
    reasons.collect()
}

/// One line for each item of the lists, and the rest as the summary.
pub(crate) fn write_lines(
    screen: &mut Screen,
    value: Value,
    lists: &[(&str, &str)],
) -> io::Result<()> {
    let mut rest = match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    for (list, kind) in lists {
        let items = rest.remove(*list);
        let items = items.as_ref().and_then(Value::as_array);
        for item in items.into_iter().flatten() {
            let mut line = Object::line(screen, kind)?;
            line.fields(&item.to_string())?;
            line.end()?;
        }
    }
    let mut line = Object::line(screen, "summary")?;
    line.fields(&Value::Object(rest).to_string())?;
    line.end()
}

/// For diagnostics as `fourfold check` has it; else whether something was found.
fn outcome(action: LspAction, value: &Value) -> Outcome {
    let has = |name: &str| match &value[name] {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    };
    match action {
        // A page past the last one is empty, and the problems are still there.
        LspAction::Diagnostics if value["total"].as_u64() > Some(0) || known(value) => {
            Outcome::Nothing
        }
        LspAction::Diagnostics if has("unconfirmed") => Outcome::Unknown,
        LspAction::Diagnostics | LspAction::Reload => Outcome::Found,
        _ if ["places", "symbols", "actions", "servers", "hover", "stage"]
            .iter()
            .any(|name| has(name)) =>
        {
            Outcome::Found
        }
        _ => Outcome::Nothing,
    }
}

/// Whether a checker has found again what it had told before.
fn known(value: &Value) -> bool {
    let checkers = value["checkers"].as_array();
    let mut checkers = checkers.into_iter().flatten();
    checkers.any(|run| run["from_before"].as_u64() > Some(0))
}

fn request(here: &Here, args: &Lsp) -> Result<LspRequest> {
    let mut request = LspRequest {
        action: args.action,
        symbol: args.symbol.clone(),
        query: args.query.clone(),
        new_name: args.new_name.clone(),
        apply: args.apply.clone(),
        // Whoever resolves it may be another process.
        keep: true,
        limit: args.limit,
        offset: args.offset,
        ..LspRequest::default()
    };
    match &args.place {
        Some(place) if place.as_os_str() == "*" => request.file = Some(place.clone()),
        Some(place) => {
            let (file, line) = split(place)?;
            if !file.exists() {
                bail!("there is no `{}` here", file.display());
            }
            request.file = Some(here.inside(&file));
            request.line = line;
        }
        None => match args.action {
            LspAction::Diagnostics => request.file = Some("*".into()),
            LspAction::Status | LspAction::Reload => {}
            LspAction::Symbols if args.query.is_some() => {}
            LspAction::Symbols => bail!("say which symbols: those of a FILE, or --query TEXT"),
            action => bail!("{} needs a FILE, as in src/a.py:7", action.name()),
        },
    }
    let needs_symbol = !matches!(
        args.action,
        LspAction::Diagnostics
            | LspAction::Symbols
            | LspAction::CodeActions
            | LspAction::Format
            | LspAction::Status
            | LspAction::Reload
    );
    if needs_symbol && args.symbol.is_none() {
        bail!(
            "{} needs the symbol as it is written there: --symbol NAME",
            args.action.name()
        );
    }
    if args.action == LspAction::Rename && args.new_name.is_none() {
        bail!("rename needs the new name: --new-name NAME");
    }
    Ok(request)
}

/// `FILE:LINE` taken apart. A file whose name ends so is meant as it is.
fn split(place: &Path) -> Result<(PathBuf, Option<u32>)> {
    let whole = || Ok((place.to_path_buf(), None));
    let Some(text) = place.to_str() else {
        return whole();
    };
    // `FILE:LINE:COLUMN` is how places are printed; a symbol says more than a column.
    let mut parts = text.rsplitn(3, ':');
    let (last, middle, first) = (parts.next(), parts.next(), parts.next());
    let number = |part: Option<&str>| part.and_then(|part| part.parse::<u32>().ok());
    let (file, line) = match (first, number(middle), number(last)) {
        (Some(file), Some(line), Some(_)) => (file, line),
        (_, _, Some(line)) => match text.rsplit_once(':') {
            Some((file, _)) => (file, line),
            None => return whole(),
        },
        _ => return whole(),
    };
    if place.exists() {
        return whole();
    }
    if line == 0 {
        bail!("lines are counted from 1: `{text}`");
    }
    Ok((file.into(), Some(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_file_and_perhaps_a_line() {
        let split = |text: &str| {
            let (file, line) = split(Path::new(text)).unwrap();
            (file.display().to_string(), line)
        };
        assert_eq!(split("a.py"), ("a.py".to_owned(), None));
        assert_eq!(split("b/a.py:7"), ("b/a.py".to_owned(), Some(7)));
        assert_eq!(split("a.py:7:3"), ("a.py".to_owned(), Some(7)));
        assert_eq!(split("a:b.py"), ("a:b.py".to_owned(), None));
        assert_eq!(split("7"), ("7".to_owned(), None));
        assert!(super::split(Path::new("a.py:0")).is_err());
    }
}
