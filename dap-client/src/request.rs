//! What is asked of a debugger.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::adapter::Launchable;
use crate::handle::{FrameHandle, ValueHandle};
use crate::path::ValuePath;

/// A program to start under a debugger.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LaunchRequest {
    /// The adapter's name in the catalog.
    pub adapter: String,
    /// The adapter as it was found, when somebody has looked for it; else it is looked for.
    pub found: Option<Launchable>,
    /// The launch configuration, in the adapter's own JSON. It is laid over the defaults of the row.
    pub configuration: Value,
    /// Arguments that are added to the adapter's command: the program itself, for adapters that are
    /// the program.
    pub adapter_args: Vec<String>,
    /// What people call the program, such as `pytest test_cart.py::test_total`; when empty, what the
    /// configuration names.
    pub title: String,
    /// The executable that the debugger loads or the script that it runs, when there is one: it must
    /// exist. Else nothing is started.
    pub program: Option<PathBuf>,
    /// Files below here are the user's own; frames elsewhere are library frames. The checkout when
    /// absent.
    pub project: Option<PathBuf>,
    /// Where the adapter is started. The checkout when absent. The program's own is in the
    /// configuration.
    pub cwd: Option<PathBuf>,
    /// Environment variables of the adapter, which the program inherits where the configuration does
    /// not say otherwise.
    pub env: BTreeMap<String, String>,
    /// Set before the program runs.
    pub breakpoints: Vec<Breakpoint>,
    /// At which failures it stops.
    pub exceptions: Exceptions,
    /// Whether it is a test: what it throws is caught by what runs it, and is a failure all the same.
    pub is_test: bool,
    /// The file of that test, in Python: exceptions that reach neither it nor a fixture are handled by
    /// the library that they pass through, and are no failure.
    pub test_file: Option<PathBuf>,
    /// How long the session may live; bounded by [`Limits::ttl_ceiling`](crate::Limits::ttl_ceiling).
    pub ttl: Option<Duration>,
    /// How long the launch waits for the first stop once the program runs.
    pub wait: Option<Duration>,
    /// A file that the adapter has as its standard input, for those whose program inherits it.
    pub stdin: Option<PathBuf>,
    /// A file into which the program's exit code is written, for adapters that do not tell it.
    pub code: Option<PathBuf>,
    /// Files and folders of ours that are removed when the session has ended, such as a built binary.
    pub scratch: Vec<PathBuf>,
}

impl LaunchRequest {
    /// A launch without breakpoints that stops at uncaught exceptions.
    #[must_use]
    pub fn new(adapter: impl Into<String>, configuration: Value) -> Self {
        Self {
            adapter: adapter.into(),
            found: None,
            configuration,
            adapter_args: Vec::new(),
            title: String::new(),
            program: None,
            project: None,
            cwd: None,
            env: BTreeMap::new(),
            breakpoints: Vec::new(),
            exceptions: Exceptions::default(),
            is_test: false,
            test_file: None,
            ttl: None,
            wait: None,
            stdin: None,
            code: None,
            scratch: Vec::new(),
        }
    }
}

/// A program that runs already.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AttachRequest {
    /// The adapter's name in the catalog.
    pub adapter: String,
    /// Where it is.
    pub target: Target,
    /// The executable, for what does not tell it: a debugger that listens.
    pub program: Option<PathBuf>,
    /// What else the adapter is told, in its own JSON; laid over the defaults of the row.
    pub configuration: Value,
    /// Files below here are the user's own. The checkout when absent.
    pub project: Option<PathBuf>,
    /// Set as soon as possible.
    pub breakpoints: Vec<Breakpoint>,
    /// At which failures it stops.
    pub exceptions: Exceptions,
    /// How long the session may live.
    pub ttl: Option<Duration>,
    /// How long the attach waits for a stop.
    pub wait: Option<Duration>,
}

impl AttachRequest {
    /// An attach that stops at nothing.
    #[must_use]
    pub fn new(adapter: impl Into<String>, target: Target) -> Self {
        Self {
            adapter: adapter.into(),
            target,
            program: None,
            configuration: Value::Null,
            project: None,
            breakpoints: Vec::new(),
            exceptions: Exceptions::None,
            ttl: None,
            wait: None,
        }
    }
}

/// What to attach to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// A process of this machine and user. It is never killed: at the end of the session it is let
    /// go and lives on.
    Pid(u32),
    /// A debugger that listens, such as `debugpy --listen` or `node --inspect`.
    Address {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// What a program left when it crashed.
    Core {
        /// The core file.
        core: PathBuf,
        /// The executable that left it.
        program: PathBuf,
    },
    /// What the configuration alone says.
    Configured(String),
}

/// Where a program is to stop, or to say something.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Breakpoint {
    /// Where.
    pub at: At,
    /// Stops only when this is true, in the program's own language.
    pub condition: Option<String>,
    /// A number stops only from this hit on; `>= 3`, `== 3` and `% 10` are as the adapter understands
    /// them, and gdb and lldb do not.
    pub hit: Option<String>,
    /// Does not stop, but prints this; `{expression}` is evaluated.
    pub log: Option<String>,
}

/// The place of a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum At {
    /// A line of a file, counted from 1.
    Line {
        /// The file, absolute or relative to the project.
        file: PathBuf,
        /// The line.
        line: u32,
    },
    /// The line of a file that holds this text; `text#2` is the second that does.
    Text {
        /// The file, absolute or relative to the project.
        file: PathBuf,
        /// A part of the line.
        text: String,
    },
    /// The entry of a function.
    Function {
        /// Its name, as the adapter knows it.
        name: String,
    },
}

impl Breakpoint {
    /// A breakpoint without conditions.
    #[must_use]
    pub fn new(at: At) -> Self {
        Self {
            at,
            condition: None,
            hit: None,
            log: None,
        }
    }

    /// At a line, counted from 1.
    #[must_use]
    pub fn at_line(file: impl Into<PathBuf>, line: u32) -> Self {
        Self::new(At::Line {
            file: file.into(),
            line,
        })
    }

    /// At the line that holds this text.
    #[must_use]
    pub fn at_text(file: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self::new(At::Text {
            file: file.into(),
            text: text.into(),
        })
    }

    /// At the entry of a function.
    #[must_use]
    pub fn at_function(name: impl Into<String>) -> Self {
        Self::new(At::Function { name: name.into() })
    }

    /// Stops only when this is true.
    #[must_use]
    pub fn when(mut self, condition: impl Into<String>) -> Self {
        self.condition = Some(condition.into());
        self
    }

    /// Stops only from this hit on.
    #[must_use]
    pub fn from_hit(mut self, hit: impl Into<String>) -> Self {
        self.hit = Some(hit.into());
        self
    }

    /// Prints this and does not stop.
    #[must_use]
    pub fn log(mut self, message: impl Into<String>) -> Self {
        self.log = Some(message.into());
        self
    }
}

/// At which failures a program stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exceptions {
    /// At none; signals such as SIGSEGV stop native programs in any case.
    None,
    /// At those that nobody catches.
    #[default]
    Uncaught,
    /// At every one when it is thrown, caught ones too.
    All,
}

/// How a stopped program goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resume {
    /// Up to the next stop.
    Continue,
    /// To the next line of this function.
    StepOver,
    /// Into the call on this line.
    StepIn,
    /// To the caller.
    StepOut,
    /// Up to a place, which is a breakpoint for this once; other stops come first.
    RunTo(At),
}

/// A question for values.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ValuesQuery {
    /// Whose values.
    pub of: Of,
    /// The first that is wanted, counted from 0.
    pub start: usize,
    /// How many are wanted; 30.
    pub count: usize,
    /// Only those of these names, when there are any. They are looked for among the first thousand.
    pub names: Vec<String>,
    /// How many levels are opened; 1 shows the values themselves. At most 3.
    pub depth: usize,
    /// Characters of one value; 300.
    pub characters: usize,
}

impl ValuesQuery {
    /// The first 30 values, one level deep.
    #[must_use]
    pub fn new(of: Of) -> Self {
        Self {
            of,
            start: 0,
            count: 30,
            names: Vec::new(),
            depth: 1,
            characters: 300,
        }
    }
}

/// Whose values are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Of {
    /// A frame's arguments and locals; without a handle of the frame that the stop showed.
    Frame(Option<FrameHandle>),
    /// What is inside of a value or a scope.
    Value(ValueHandle),
    /// What is inside of the value at the end of a path.
    Path {
        /// Where the first name is looked for; without a handle in the frame that the stop showed.
        frame: Option<FrameHandle>,
        /// The path, such as `user.orders[3].total`.
        path: ValuePath,
    },
}

/// An expression to evaluate in a frame. It may run code of the program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EvaluateQuery {
    /// The expression, in the program's own language as the adapter understands it.
    pub expression: String,
    /// The frame; the one that the stop showed when absent.
    pub frame: Option<FrameHandle>,
    /// How long it may take; [`Limits::evaluate`](crate::Limits::evaluate) when absent.
    pub within: Option<Duration>,
    /// Characters of the value that are shown; 300.
    pub characters: usize,
}

impl EvaluateQuery {
    /// An expression in the frame that the stop showed.
    #[must_use]
    pub fn new(expression: impl Into<String>) -> Self {
        Self {
            expression: expression.into(),
            frame: None,
            within: None,
            characters: 300,
        }
    }
}
