//! `fourfold debug`: a program or a test under a debugger.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use fourfold::{DebugAction, DebugBreakpoint, DebugRequest};
use serde_json::Value;

use crate::Outcome;
use crate::args::debug::Debug;
use crate::lsp::write_lines;
use crate::session::{Here, Session};

/// The lists of an answer, with what one line of each is called in JSON.
const LISTS: [(&str, &str); 5] = [
    ("threads", "threads"),
    ("stack", "frame"),
    ("scopes", "scope"),
    ("breakpoints", "breakpoint"),
    ("hits", "hit"),
];

pub(crate) fn run(session: &mut Session, args: &Debug) -> Result<Outcome> {
    let here = session.here()?;
    let request = serde_json::to_value(request(&here, args)?)?;
    if args.look.show_secrets {
        if args.action != DebugAction::Ask {
            bail!("--show-secrets goes with `ask`: a session of `fourfold serve` never shows them");
        }
        // What others ask a daemon is not to be affected.
        session.show_secrets = true;
        session.global.no_serve = true;
    }
    let answer = match args.action {
        // It is whole: a daemon that runs anyway may have what it needs at hand.
        DebugAction::Ask => session.call("debug", request)?,
        action => match session.ask_daemon("debug", request)? {
            Some(answer) => answer,
            None if action == DebugAction::Status => {
                session.screen.write_all(b"no debug session\n")?;
                return Ok(Outcome::Nothing);
            }
            None => {
                let program = session.program();
                bail!(
                    "a debug session lives in `fourfold serve`, which does not run; `{program} debug \
                     launch` starts it, and `{program} debug ask` does without"
                );
            }
        },
    };
    let outcome = outcome(args.action, &answer.value);
    if session.global.json {
        write_lines(&mut session.screen, answer.value, &LISTS)?;
    } else {
        session.screen.write_all(answer.text.as_bytes())?;
        if args.action == DebugAction::Ask && answer.text.contains("note: `***` stands for") {
            session
                .screen
                .write_all(b"note: `--show-secrets` shows them here\n")?;
        }
    }
    Ok(outcome)
}

/// Whether there was what was asked for: of what runs, a stop.
fn outcome(action: DebugAction, value: &Value) -> Outcome {
    let has = |name: &str| !value[name].is_null();
    let found = match action {
        DebugAction::Ask if value["outcome"] == "still_running" => return Outcome::Unknown,
        DebugAction::Ask => has("hits") || has("instead"),
        DebugAction::Status => has("session"),
        _ => match value["outcome"].as_str() {
            Some("still_running") => return Outcome::Unknown,
            Some(outcome) => outcome == "stopped",
            None => true,
        },
    };
    match found {
        true => Outcome::Found,
        false => Outcome::Nothing,
    }
}

fn request(here: &Here, args: &Debug) -> Result<DebugRequest> {
    let mut request = DebugRequest::of(args.action);
    let (program, stops, look) = (&args.program, &args.stops, &args.look);
    request.session.clone_from(&look.session);
    request.test = program.test.as_ref().map(|test| inside(here, test, "::"));
    request.module.clone_from(&program.module);
    request.build.clone_from(&program.build);
    if matches!(args.action, DebugAction::Launch | DebugAction::Ask) {
        // It runs as if it were started here, and not where the daemon was.
        request.env = environment(std::env::vars_os());
    }
    request.env.extend(program.envs.iter().cloned());
    request.cwd = program.cwd.as_ref().map(|folder| here.inside(folder));
    if request.cwd.is_none() && !here.is_root() && request.test.is_none() {
        // As a shell would.
        request.cwd = Some(here.inside(Path::new("")));
    }
    request.adapter.clone_from(&program.adapter);
    request.pid = program.pid;
    request.port = program.port;
    request.host.clone_from(&program.host);
    request.core = program.core.as_ref().map(|core| here.inside(core));
    request.stdin = match &program.stdin {
        Some(file) => Some(text(file)?),
        None => None,
    };
    if let Some(json) = &program.configuration {
        request.configuration = serde_json::from_str(json)
            .context("--configuration is no JSON object; write it like '{\"key\": 1}'")?;
    }
    request.ttl_s = program.ttl;
    request.args.clone_from(&args.args);
    for typed in &stops.breaks {
        request.breakpoints.push(breakpoint(here, typed));
    }
    if let Some(typed) = &stops.at {
        let one = breakpoint(here, typed);
        request.at = Some(one.at);
        request.condition = one.condition;
        if one.log.is_some() {
            bail!(
                "ask stops and looks: give --evaluate EXPR for what is to be told, and --times N"
            );
        }
    }
    request.exceptions = stops.exceptions;
    request.remove.clone_from(&stops.remove);
    request.clear = stops.clear;
    request.wait_s = stops.wait;
    request.evaluate.clone_from(&look.evaluate);
    request.callers = look.callers;
    request.times = look.times;
    request.frame.clone_from(&look.frame);
    request.value.clone_from(&look.value);
    request.thread = look.thread;
    request.names.clone_from(&look.names);
    request.depth = look.depth;
    request.characters = look.characters;
    request.limit = look.limit;
    request.offset = look.offset;
    let Some(what) = &args.what else {
        return Ok(request);
    };
    match args.action {
        DebugAction::Launch | DebugAction::Ask | DebugAction::Attach => {
            request.program = Some(here.inside(Path::new(what)));
        }
        DebugAction::Evaluate => request.expression = Some(what.clone()),
        DebugAction::Variables => request.path = Some(what.clone()),
        DebugAction::RunTo => request.at = Some(inside(here, what, ":")),
        DebugAction::SetVariable => match what.split_once('=') {
            Some((name, value)) => {
                request.path = Some(name.trim().to_owned());
                request.expression = Some(value.trim().to_owned());
            }
            None => bail!("set_variable takes NAME=VALUE, as in `{what}=1`"),
        },
        DebugAction::Breakpoints => request.breakpoints.push(breakpoint(here, what)),
        action => bail!("{} takes nothing but options, not `{what}`", action.name()),
    }
    Ok(request)
}

/// What a program is to read.
fn text(file: &Path) -> Result<String> {
    let read = match file == Path::new("-") {
        true => std::io::read_to_string(std::io::stdin()),
        false => std::fs::read_to_string(file),
    };
    read.with_context(|| format!("cannot read {} for --stdin", file.display()))
}

/// The environment of the caller, as far as it can be passed on. What a shell keeps about itself is
/// not part of it.
fn environment(all: impl Iterator<Item = (OsString, OsString)>) -> Vec<String> {
    let passed = all.filter_map(|(name, value)| {
        let (name, value) = (name.to_str()?, value.to_str()?);
        let own = matches!(name, "_" | "PWD" | "OLDPWD" | "SHLVL") || name.starts_with("FOURFOLD_");
        (!own && !name.is_empty()).then(|| format!("{name}={value}"))
    });
    passed.collect()
}

/// `AT`, `AT if CONDITION`, `AT log TEXT`.
fn breakpoint(here: &Here, typed: &str) -> DebugBreakpoint {
    let mut one = DebugBreakpoint::default();
    let mut at = typed;
    if let Some((before, text)) = at.split_once(" log ") {
        (at, one.log) = (before, Some(text.to_owned()));
    }
    if let Some((before, condition)) = at.split_once(" if ") {
        (at, one.condition) = (before, Some(condition.to_owned()));
    }
    one.at = inside(here, at, ":");
    one
}

/// The same with the file before `mark` as it is seen from the root.
fn inside(here: &Here, typed: &str, mark: &str) -> String {
    match typed.split_once(mark) {
        Some((file, rest)) if !here.is_root() && Path::new(file).is_file() => {
            format!("{}{mark}{rest}", here.inside(Path::new(file)).display())
        }
        // A file of tests alone.
        None if mark == "::" && !here.is_root() && Path::new(typed).is_file() => {
            here.inside(Path::new(typed)).display().to_string()
        }
        _ => typed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &[&str]) -> Result<DebugRequest> {
        let words = ["fourfold", "debug"].iter().chain(words);
        let parsed = <crate::args::Cli as clap::Parser>::try_parse_from(words)?;
        let crate::args::Command::Debug(debug) = parsed.command else {
            bail!("another command")
        };
        request(&Here::new("/r/a".as_ref(), "/r".as_ref()), &debug)
    }

    #[test]
    fn a_core_file_and_more_for_the_adapter_are_handed_on() {
        let core = asked(&["attach", "orders", "--core", "core.7", "--adapter", "gdb"]).unwrap();
        // Typed in `a`, seen from the root.
        assert_eq!(core.core.as_deref(), Some("a/core.7".as_ref()));
        assert_eq!(core.program.as_deref(), Some("a/orders".as_ref()));
        assert_eq!(core.adapter.as_deref(), Some("gdb"));
        let more = [
            "launch",
            "who.py",
            "--configuration",
            r#"{"justMyCode": true}"#,
        ];
        let more = asked(&more).unwrap();
        assert_eq!(more.configuration["justMyCode"], true);
        let wrong = asked(&["launch", "who.py", "--configuration", "justMyCode"]);
        let said = wrong.unwrap_err().to_string();
        assert!(
            said.starts_with("--configuration is no JSON object"),
            "{said}"
        );
    }

    #[test]
    fn a_program_gets_the_environment_of_its_caller() {
        let given = [
            ("FOO_X", "bar"),
            ("PATH", "/mine:/usr/bin"),
            ("PWD", "/here"),
            ("FOURFOLD_LOG", "debug"),
        ];
        let given = given.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        assert_eq!(
            environment(given.into_iter()),
            ["FOO_X=bar", "PATH=/mine:/usr/bin"]
        );
    }
}
