//! The program `fourfold`: the command line of the facade.

mod allocator;
mod args;
mod check;
mod debug;
mod diff;
mod excerpt;
mod explain;
mod graph;
mod grep;
mod json;
mod languages;
mod log;
mod lsp;
mod mcp;
mod progress;
mod recover;
mod remote;
mod request;
mod resolve;
mod rewrite;
mod screen;
mod serve;
mod session;
mod staged;
mod style;
mod summary;
mod tour;
mod trust;
mod usage;
mod write;

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{CommandFactory as _, Parser as _};
use fourfold::Plain;

use crate::args::{Cli, Command};
use crate::json::Object;
use crate::screen::note;
use crate::session::Session;

/// How a command ended, other than by an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Something was found or done.
    Found,
    /// Nothing was found.
    Nothing,
    /// What was asked for is refused; why has been said.
    Refused,
    /// Whether something is wrong is not known; why not has been said.
    Unknown,
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

impl Outcome {
    fn status(self) -> u8 {
        match self {
            Outcome::Found => 0,
            Outcome::Nothing => 1,
            Outcome::Refused => 2,
            Outcome::Unknown => 3,
            Outcome::Interrupted => progress::INTERRUPTED,
        }
    }
}

fn main() -> ExitCode {
    // Some of our processes only see to it that others end; these go no further.
    fourfold::guard::enter();
    allocator::install();
    let mut cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // What was typed is not known but for this.
            let is_json = std::env::args_os().any(|word| word == "--json");
            return usage::report(&error, is_json).into();
        }
    };
    cli.global.wire_log = log::wire_log(cli.global.wire_log.take());
    if !cli.command.has_a_log()
        && let Err(error) = log::begin(&cli.global)
    {
        note(format_args!("error: {}", sentence(&error)));
        return Outcome::Refused.status().into();
    }
    match run(&cli) {
        Ok(outcome) => outcome.status().into(),
        // Whoever reads our output has seen enough.
        Err(error) if is_closed_pipe(&error) => Outcome::Found.status().into(),
        Err(error) => {
            let sentence = sentence(&error);
            note(format_args!("error: {}", Plain(&sentence)));
            if cli.global.json {
                error_line(&sentence);
            }
            Outcome::Refused.status().into()
        }
    }
}

fn run(cli: &Cli) -> Result<Outcome> {
    let mut session = Session::new(cli.global.clone());
    if let Some(folder) = session.global.directory.take() {
        session.start_in(&folder)?;
    }
    let outcome = match &cli.command {
        Command::Grep(args) => grep::run(&mut session, args),
        Command::Rewrite(args) => rewrite::run(&mut session, args),
        Command::Staged(args) => staged::run(&mut session, args),
        Command::Resolve(args) => resolve::run(&mut session, args),
        Command::Write(args) => write::write(&mut session, args),
        Command::Edit(args) => write::edit(&mut session, args),
        Command::Patch(args) => write::patch(&mut session, args),
        Command::Explain(args) => explain::run(&mut session, args),
        Command::Graph(args) => graph::run(&mut session, args),
        Command::Lsp(args) => lsp::run(&mut session, args),
        Command::Debug(args) => debug::run(&mut session, args),
        Command::Check(args) => check::run(&mut session, args),
        Command::Servers => lsp::servers(&mut session),
        Command::Trust(args) => trust::run(&mut session, args),
        Command::Languages => languages::run(&mut session),
        Command::Recover => recover::run(&mut session),
        Command::Serve(args) => serve::run(&mut session, args),
        Command::Mcp(args) => mcp::run(&mut session, args),
        Command::Tour(args) => tour::run(&mut session, args),
        Command::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "fourfold", &mut script);
            session.screen.write_all(&script)?;
            Ok(Outcome::Found)
        }
        Command::Man(args) => {
            let folder = args.folder.display();
            std::fs::create_dir_all(&args.folder)
                .and_then(|()| clap_mangen::generate_to(Cli::command(), &args.folder))
                .with_context(|| format!("cannot write manual pages into `{folder}`"))?;
            Ok(Outcome::Found)
        }
    };
    // What was written before an error is of use as well.
    session.screen.flush()?;
    match outcome {
        Err(error) if is_interruption(&error) => {
            note(error);
            Ok(Outcome::Interrupted)
        }
        outcome => outcome,
    }
}

fn is_interruption(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(fourfold::Error::Cancelled))
}

/// What went wrong and why, each thing said once.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    short(&whole_sentence(error))
}

/// A sentence that repeats no more of the command line than tells what is meant.
pub(crate) fn short(sentence: &str) -> String {
    let given = std::env::args_os().map(|one| one.to_string_lossy().into_owned());
    let given: Vec<String> = given.collect();
    fourfold::shortened(sentence, given.iter().map(String::as_str))
}

fn whole_sentence(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |said, cause| {
        let cause = cause.to_string();
        match said.as_str() {
            "" => cause,
            _ if said.contains(&cause) => said,
            _ => format!("{said}: {cause}"),
        }
    })
}

/// Says what is wrong to a program that reads our output, if it still does.
pub(crate) fn error_line(sentence: &str) {
    let mut out = io::stdout().lock();
    let said = Object::line(&mut out, "error").and_then(|mut line| {
        line.text("message", sentence)?;
        line.end()
    });
    if let Err(error) = said {
        tracing::debug!(%error, "nobody reads what is wrong");
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
    })
}
