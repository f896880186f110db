//! `fourfold debug`: its options.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use fourfold::{DebugAction, DebugExceptions};

use super::positive;

/// `fourfold debug`.
#[derive(Debug, Args)]
pub(crate) struct Debug {
    /// What to do: ask, launch, attach, breakpoints, continue, step_over, step_in, step_out, run_to,
    /// pause, threads, stack, scopes, variables, evaluate, set_variable, output, restart, status or
    /// terminate.
    #[arg(value_name = "ACTION", value_parser = actions(), hide_possible_values = true)]
    pub(crate) action: DebugAction,
    /// For ask and launch: the program; for attach by port or core file the executable. For evaluate: the expression. For variables: a path such as
    /// user.orders[3].total. For set_variable: NAME=VALUE. For run_to: the place.
    #[arg(value_name = "WHAT", value_hint = ValueHint::FilePath)]
    pub(crate) what: Option<String>,
    /// Arguments of the program, or of the test runner, after `--`.
    #[arg(last = true, value_name = "ARG")]
    pub(crate) args: Vec<String>,
    #[command(flatten)]
    pub(crate) program: Program,
    #[command(flatten)]
    pub(crate) stops: Stops,
    #[command(flatten)]
    pub(crate) look: Look,
}

/// What is debugged.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to debug")]
pub(crate) struct Program {
    /// A test as its ecosystem names it: tests/test_x.py::TestX::test_y, module::tests::name,
    /// ./package.TestName, x.test.js::name; or a file of tests alone.
    #[arg(long, value_name = "NAME")]
    pub(crate) test: Option<String>,
    /// A Python module, as in `python -m`.
    #[arg(long, value_name = "NAME")]
    pub(crate) module: Option<String>,
    /// Build it first with this shell command.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) build: Option<String>,
    /// Set an environment variable of the program; may be repeated.
    #[arg(long = "env", value_name = "NAME=VALUE")]
    pub(crate) envs: Vec<String>,
    /// Give the program this file as its standard input; `-` for what this command gets.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) stdin: Option<PathBuf>,
    /// Run the program in this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,
    /// Use this debug adapter.
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Attach to this process.
    #[arg(long, value_name = "PID", allow_negative_numbers = true)]
    pub(crate) pid: Option<u32>,
    /// Attach to the debugger that listens at this port.
    #[arg(long, value_name = "PORT", conflicts_with = "pid")]
    pub(crate) port: Option<u16>,
    /// The host of that port; 127.0.0.1 unless told.
    #[arg(long, value_name = "HOST", requires = "port")]
    pub(crate) host: Option<String>,
    /// Open this core file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["pid", "port"])]
    pub(crate) core: Option<PathBuf>,
    /// Tell the adapter this too, in its own JSON.
    #[arg(long, value_name = "JSON")]
    pub(crate) configuration: Option<String>,
    /// End the session after so many seconds whatever happens; 600 unless told.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) ttl: Option<u64>,
}

/// Where it stops.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where to stop")]
pub(crate) struct Stops {
    /// Stop at FILE:LINE, at the line FILE:TEXT, or at a function; `AT if CONDITION` under a
    /// condition, `AT log TEXT` prints and does not stop. May be repeated.
    #[arg(short, long = "break", value_name = "AT")]
    pub(crate) breaks: Vec<String>,
    /// For ask: the place, likewise.
    #[arg(long, value_name = "AT")]
    pub(crate) at: Option<String>,
    /// At which failures to stop: none, uncaught (also failing tests; the default), all.
    #[arg(long, value_name = "WHICH", value_parser = exceptions(), hide_possible_values = true)]
    pub(crate) exceptions: Option<DebugExceptions>,
    /// For breakpoints: remove this one; may be repeated.
    #[arg(long, value_name = "N")]
    pub(crate) remove: Vec<u32>,
    /// For breakpoints: remove all.
    #[arg(long)]
    pub(crate) clear: bool,
    /// Wait so many seconds for a stop; 15 unless told, for ask 60.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) wait: Option<u64>,
}

/// What is looked at.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to look at")]
pub(crate) struct Look {
    /// For ask: evaluate this where it stops; may be repeated.
    #[arg(short, long = "evaluate", value_name = "EXPR")]
    pub(crate) evaluate: Vec<String>,
    /// For ask: evaluate it in so many callers too.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) callers: Option<usize>,
    /// For ask: look at so many hits of the place.
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) times: Option<usize>,
    /// The frame, such as f3.1; the one that the stop showed unless told.
    #[arg(long, value_name = "FRAME")]
    pub(crate) frame: Option<String>,
    /// The value to look into, such as v3.7.
    #[arg(long, value_name = "VALUE")]
    pub(crate) value: Option<String>,
    /// The thread; the one that stopped unless told.
    #[arg(long, value_name = "N")]
    pub(crate) thread: Option<i64>,
    /// For variables: only this one; may be repeated.
    #[arg(long = "name", value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// For variables: open so many levels inside of the value; 1 unless told, and of a frame its
    /// variables are the first. For ask: so many inside of each answer; none unless told. 3 at most.
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) depth: Option<usize>,
    /// For ask: show passwords, tokens and keys as they are, and not as `***`.
    #[arg(long)]
    pub(crate) show_secrets: bool,
    /// Show so many characters of a value; 300 unless told.
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) characters: Option<usize>,
    /// Show so many frames or values.
    #[arg(short = 'n', long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) limit: Option<usize>,
    /// Pass over so many first; for output, go on from this cursor.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        allow_negative_numbers = true
    )]
    pub(crate) offset: u64,
    /// The session; there is only one.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

fn actions() -> impl TypedValueParser<Value = DebugAction> {
    let dashed = |action| match action {
        DebugAction::StepOver => Some("step-over"),
        DebugAction::StepIn => Some("step-in"),
        DebugAction::StepOut => Some("step-out"),
        DebugAction::RunTo => Some("run-to"),
        DebugAction::SetVariable => Some("set-variable"),
        _ => None,
    };
    PossibleValuesParser::new(
        DebugAction::ALL.map(|action| PossibleValue::new(action.name()).aliases(dashed(action))),
    )
    .map(|typed| {
        let typed = typed.replace('-', "_");
        let mut all = DebugAction::ALL.into_iter();
        all.find(|action| action.name() == typed)
            .unwrap_or_default()
    })
}

fn exceptions() -> impl TypedValueParser<Value = DebugExceptions> {
    PossibleValuesParser::new(["none", "uncaught", "all"]).map(|typed| match typed.as_str() {
        "none" => DebugExceptions::None,
        "all" => DebugExceptions::All,
        _ => DebugExceptions::Uncaught,
    })
}
