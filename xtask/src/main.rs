//! The chores of this workspace: `cargo xtask help` lists them.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for a person at a terminal"
)]

mod adapters;
mod api;
mod arrows;
mod bench;
mod book;
mod clients;
mod docs;
mod fuzz;
mod hunt;
mod lint;
mod members;
mod registry;
mod release;
mod run;
mod servers;
mod smoke;
mod supply;
mod test;
mod tidy;
mod toolbox;
mod truth;

use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::prelude::*;

use crate::run::Shell;

const HELP: &str = "\
cargo xtask COMMAND

  test [--long] [ARGS]      run all tests, doctests and examples' builds; --long adds the exhaustive
                            fault and soak runs; with ARGS only the tests they select
                            (ARGS go to nextest, or to `cargo test` where nextest is missing)
  lint [STEP...]            arrows, tidy, book, supply, fmt, features, clippy, doc, api, docs; all
                            without STEP
  docs                      write the pages of docs/ that come from the code; `lint docs` compares
  api                       note what each published library offers; `lint api` compares
  bench [NAME] [ARGS]       the criterion benches, or only NAME
  bench peers [ARGS]        ourselves beside other programs on the same files
  bench graph [NAME...] [ARGS]
                            our code graph beside another one: time, memory, size, answers
  bench framing [WORD...]   our reader of frames beside the published ones
  bench debug [ARGS]        our part of a step and of an evaluation in the debugger
  bench host [ARGS]         what `fourfold mcp` costs: cold start, a warm call, memory
  truth [NAME...]           how right the code graph is, against indexes that know types; see --help
  fuzz [TARGET] [--seconds N]
                            list the fuzz targets; run TARGET, or with --seconds alone all, each for
                            N seconds (60 by default)
  hunt [PROJECT...]         find bugs that were planted in public projects with the debugger again
  servers                   install the language servers that the tests talk to; `test` does it
  clients                   install the MCP clients that the tests talk with; `test` does it
  release --dry-run         whether every published crate could be published; --verify builds each
  adapters                  install the debug adapters that the tests drive; `test` does it
  smoke                     the first command of README.md
  ci                        lint, smoke, test: what .ci/run does
  help                      this text
";

fn main() -> ExitCode {
    match dispatch() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch() -> Result<()> {
    let mut args = lexopt::Parser::from_env();
    let Some(first) = args.next()? else {
        print!("{HELP}");
        return Ok(());
    };
    let command = match first {
        Short('h') | Long("help") => "help".to_owned(),
        Value(name) => name.string()?,
        other => return Err(other.unexpected().into()),
    };
    let shell = Shell::at_root()?;
    match command.as_str() {
        "help" => print!("{HELP}"),
        "test" => test::main(&shell, args)?,
        "lint" => lint::main(&shell, args)?,
        "bench" => bench::main(&shell, args)?,
        "fuzz" => fuzz::main(&shell, args)?,
        "servers" => servers::provide(&shell)?,
        "clients" => clients::provide(&shell)?,
        "release" => release::main(&shell, args)?,
        "docs" => docs::write(&shell)?,
        "api" => api::write(&shell)?,
        "adapters" => adapters::provide(&shell)?,
        "hunt" => hunt::main(&shell, args)?,
        "smoke" => smoke::main(&shell)?,
        "truth" => truth::main(&shell, args)?,
        "ci" => {
            let nothing = || lexopt::Parser::from_args(std::iter::empty::<&str>());
            lint::main(&shell, nothing())?;
            smoke::main(&shell)?;
            // The runner's own summary stays the last thing on the screen.
            test::main(&shell, nothing())?;
        }
        other => bail!("there is no command `{other}`; `cargo xtask help` lists them"),
    }
    Ok(())
}

/// The arguments that were not looked at, as they are.
fn rest(args: &mut lexopt::Parser) -> Result<Vec<String>> {
    args.raw_args()?
        .map(|arg| {
            arg.into_string()
                .map_err(|arg| anyhow::anyhow!("the argument {arg:?} is not UTF-8"))
        })
        .collect()
}
