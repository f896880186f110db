//! `fourfold check`: the verdict of the language servers on what was written.

use std::io::Write as _;

use anyhow::Result;
use fourfold::CheckRequest;
use serde_json::Value;

use crate::Outcome;
use crate::args::Check;
use crate::lsp::write_lines;
use crate::session::Session;

pub(crate) fn run(session: &mut Session, args: &Check) -> Result<Outcome> {
    let here = session.here()?;
    let request = CheckRequest {
        paths: args.paths.iter().map(|path| here.inside(path)).collect(),
        before: args.before,
    };
    let answer = session.call("check", serde_json::to_value(&request)?)?;
    let outcome = match args.before {
        true => Outcome::Found,
        false => outcome(&answer.value),
    };
    if session.global.json {
        let mut value = answer.value;
        let new = value["verdict"]
            .as_object_mut()
            .and_then(|verdict| verdict.remove("new"));
        if let (Some(new), Some(fields)) = (new, value.as_object_mut()) {
            fields.insert("new".to_owned(), new);
        }
        write_lines(&mut session.screen, value, &[("new", "problem")])?;
    } else {
        session.screen.write_all(answer.text.as_bytes())?;
    }
    Ok(outcome)
}

fn outcome(value: &Value) -> Outcome {
    let verdict = &value["verdict"];
    let files = verdict["files"].as_array().into_iter().flatten();
    let mut states = files.map(|file| file["state"].as_str());
    let errors = verdict["remaining"]["errors"].as_u64();
    match verdict["state"].as_str() {
        Some("problems") => Outcome::Nothing,
        _ if errors.is_some_and(|errors| errors > 0) => Outcome::Nothing,
        Some("clean") if states.all(|state| matches!(state, Some("clean"))) => Outcome::Found,
        _ => Outcome::Unknown,
    }
}
