//! What can be asked.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the debugger is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DebugAction {
    /// Start a program or a test and wait for its first stop or its end.
    Launch,
    /// Attach to a process that runs (pid, or host and port), or open a core file.
    Attach,
    /// Set breakpoints, remove them (`remove`, `clear`), or list them.
    Breakpoints,
    /// Run to the next stop.
    Continue,
    /// Run to the next line.
    StepOver,
    /// Step into the call on the line.
    StepIn,
    /// Run until the function returns.
    StepOut,
    /// Run to a place (`at`).
    RunTo,
    /// Stop the program where it is now.
    Pause,
    /// All threads, equal stacks together.
    Threads,
    /// The frames of a thread.
    Stack,
    /// The scopes of a frame.
    Scopes,
    /// Values of a frame, or inside of one value (`value`, `path`).
    Variables,
    /// Evaluate an expression in a frame.
    Evaluate,
    /// Give a variable another value.
    SetVariable,
    /// What the program printed.
    Output,
    /// Start the program anew; the time limit goes on.
    Restart,
    /// Which session there is, where it stands, and how the last one ended.
    #[default]
    Status,
    /// End the session: what was launched is killed, what was attached to is let go.
    Terminate,
    /// One question in one call: run, stop at a place or a failure, evaluate, end.
    Ask,
}

impl DebugAction {
    /// Every action.
    pub const ALL: [DebugAction; 20] = [
        DebugAction::Launch,
        DebugAction::Attach,
        DebugAction::Breakpoints,
        DebugAction::Continue,
        DebugAction::StepOver,
        DebugAction::StepIn,
        DebugAction::StepOut,
        DebugAction::RunTo,
        DebugAction::Pause,
        DebugAction::Threads,
        DebugAction::Stack,
        DebugAction::Scopes,
        DebugAction::Variables,
        DebugAction::Evaluate,
        DebugAction::SetVariable,
        DebugAction::Output,
        DebugAction::Restart,
        DebugAction::Status,
        DebugAction::Terminate,
        DebugAction::Ask,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            DebugAction::Launch => "launch",
            DebugAction::Attach => "attach",
            DebugAction::Breakpoints => "breakpoints",
            DebugAction::Continue => "continue",
            DebugAction::StepOver => "step_over",
            DebugAction::StepIn => "step_in",
            DebugAction::StepOut => "step_out",
            DebugAction::RunTo => "run_to",
            DebugAction::Pause => "pause",
            DebugAction::Threads => "threads",
            DebugAction::Stack => "stack",
            DebugAction::Scopes => "scopes",
            DebugAction::Variables => "variables",
            DebugAction::Evaluate => "evaluate",
            DebugAction::SetVariable => "set_variable",
            DebugAction::Output => "output",
            DebugAction::Restart => "restart",
            DebugAction::Status => "status",
            DebugAction::Terminate => "terminate",
            DebugAction::Ask => "ask",
        }
    }
}

/// At which failures a program stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DebugExceptions {
    /// At none; crashes of native programs stop in any case.
    None,
    /// At those that nobody catches, and at failing tests.
    #[default]
    Uncaught,
    /// At every one when it is thrown, caught ones too.
    All,
}

/// Where a program is to stop, or to say something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["at"]))]
pub struct DebugBreakpoint {
    /// `FILE:LINE`, `FILE:TEXT` for the line that holds the text (`TEXT#2` for the second), or a
    /// function.
    pub at: String,
    /// Stop only when this is true, in the program's own language.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub condition: Option<String>,
    /// Stop from this hit on: a number. `== 3` stops at that one alone and `% 10` at every tenth, but
    /// not in gdb and lldb.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub hit: Option<String>,
    /// Do not stop but print this; `{expression}` is evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub log: Option<String>,
}

/// A question or an order to the debugger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DebugRequest {
    /// What to do.
    pub action: DebugAction,
    /// The session, as launch and attach named it; may be left out, as there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
    /// For launch and ask: a script, an executable, or a source file or Go package that is built
    /// first. For attach by port or core file: the executable.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub program: Option<PathBuf>,
    /// Instead: a Python module, as in `python -m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub module: Option<String>,
    /// Instead: a test as its ecosystem names it, such as tests/test_x.py::TestX::test_y,
    /// module::tests::name, ./package.TestName, x.test.js::name; or a file of tests alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub test: Option<String>,
    /// Arguments of the program, or of the test runner.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Environment variables of the program, each as NAME=VALUE.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// What the program reads from its standard input; without, there is nothing to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub stdin: Option<String>,
    /// Where the program runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<PathBuf>,
    /// A shell command that builds the program first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub build: Option<String>,
    /// The debug adapter, when the one of the language is not the right one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub adapter: Option<String>,
    /// More for the adapter, in its own words.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub configuration: Map<String, Value>,
    /// For launch, attach, breakpoints: where to stop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breakpoints: Vec<DebugBreakpoint>,
    /// For launch, attach, breakpoints, ask: at which failures to stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DebugExceptions")]
    pub exceptions: Option<DebugExceptions>,
    /// For attach: the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub pid: Option<u32>,
    /// For attach: where a debugger listens; 127.0.0.1 unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub host: Option<String>,
    /// For attach: its port.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16")]
    pub port: Option<u16>,
    /// For attach: a core file, with `program` for the executable that left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub core: Option<PathBuf>,
    /// For launch and attach: seconds until the session ends whatever happens; 600 unless told, 1800
    /// at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub ttl_s: Option<u64>,
    /// Seconds to wait for a stop; 15 unless told, for ask 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub wait_s: Option<u64>,
    /// For breakpoints: the numbers of those to remove.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<u32>,
    /// For breakpoints: remove all first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub clear: bool,
    /// For run_to and ask: the place, as in `breakpoints`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub at: Option<String>,
    /// For ask: stop at the place only when this is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub condition: Option<String>,
    /// The thread; the one that stopped unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub thread: Option<i64>,
    /// The frame, such as f3.0; the one that the stop showed unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub frame: Option<String>,
    /// For variables and set_variable: the value to look into, such as v3.7.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub value: Option<String>,
    /// For variables and set_variable: a variable, or the way to a part of it, such as
    /// `user.orders[3].total`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub path: Option<String>,
    /// For variables: only these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// For variables: how many levels inside of the value to open, 1 unless told; without `value` and
    /// `path`, the variables of the frame are the first level. For ask: how many levels inside of each
    /// answer; none unless told. 3 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize")]
    pub depth: Option<usize>,
    /// For variables, evaluate and ask: characters of one value; 300 unless told, 16,000 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize")]
    pub characters: Option<usize>,
    /// For evaluate: the expression; for set_variable: the new value, as an expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub expression: Option<String>,
    /// For ask: the expressions to evaluate at each hit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evaluate: Vec<String>,
    /// For ask: in how many callers to evaluate them too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize")]
    pub callers: Option<usize>,
    /// For ask: how many hits to look at; 1 unless told, 50 at most. Breakpoints with `log` are not
    /// counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize")]
    pub times: Option<usize>,
    /// The most frames or values to give: 20 frames or 30 values unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(max = 10_000))]
    pub limit: Option<usize>,
    /// How many to pass over first; for output, the cursor of the last answer.
    #[serde(skip_serializing_if = "is_zero")]
    pub offset: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl DebugRequest {
    /// This, without arguments.
    pub fn of(action: DebugAction) -> DebugRequest {
        DebugRequest {
            action,
            ..DebugRequest::default()
        }
    }
}
