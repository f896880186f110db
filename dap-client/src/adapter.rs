//! What is known about one debug adapter: data, without behaviour.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

mod catalog;
mod config;
mod detect;
mod rows;

pub use catalog::AdapterCatalog;
pub use config::{AdapterConfig, AdaptersConfig, ConfigError, TransportName};
pub use detect::{Availability, DetectConfig, Detection, Detector, Launchable};

/// One row of the table of adapters. [`Adapter::new`] makes one that is filled in field by field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Adapter {
    /// Its name in configuration, answers and logs, such as `debugpy`.
    pub id: String,
    /// The languages it debugs, as people call them, the main one first.
    pub languages: Vec<String>,
    /// Extensions of the source files, without the dot.
    pub extensions: Vec<String>,
    /// Files that mark a project of the language; the last part may begin with `*`. An adapter is
    /// offered where one of them is, or for a file of one of the extensions.
    pub markers: Vec<String>,
    /// How it is started, the preferred way first.
    pub commands: Vec<AdapterCommand>,
    /// How it is spoken to.
    pub transport: Transport,
    /// Environment variables that it is started with.
    pub env: Vec<(String, String)>,
    /// Laid under every launch configuration: what a planner gives wins.
    pub launch_defaults: Value,
    /// Laid under every attach configuration.
    pub attach_defaults: Value,
    /// The key of an attach configuration that takes the process id, when it can attach to one.
    pub attach_pid: Option<String>,
    /// What injects the debugger into a process that is attached to by its number, where that is another
    /// program than the adapter.
    pub injector: Option<Injector>,
    /// Whether a process is attached to through its inspector, which SIGUSR1 opens, as at an address.
    pub attach_inspector: bool,
    /// Whether the program is debugged over a further connection, which the adapter asks for.
    pub in_parts: bool,
    /// An attach configuration to a debugger that listens; `{host}` and `{port}` stand for it. Null
    /// when it cannot.
    pub attach_address: Value,
    /// Whether what listens at such an address is itself to be spoken to, and no adapter is started.
    pub attach_direct: bool,
    /// A configuration for a core file; `{program}` and `{core}` stand for the files. Null when it
    /// cannot.
    pub core: Value,
    /// The request that opens a core file.
    pub core_with: Start,
    /// An expression for the number of the signal that a program stopped at, where the adapter does
    /// not name it.
    pub signal_expression: Option<String>,
    /// A command that prints where a symbol `{name}` is from, when an expression in a frame finds one that
    /// its language cannot mean: of another library.
    pub foreign_symbol: Option<String>,
    /// Names of values that are not the program's, such as groups of special variables; not shown. One
    /// that ends in `*` stands for all that begin so.
    pub hidden_values: Vec<String>,
    /// Requests and their arguments that are sent before the breakpoints; what the adapter refuses of
    /// them is done without.
    pub preparations: Vec<(String, Value)>,
    /// Whether a failure that nobody catches is told after its frames were left: their values are
    /// those of that time.
    pub post_mortem: bool,
    /// Words by which a stop is known that stands at a breakpoint whose condition could not be evaluated,
    /// where the adapter calls that a failure of the program.
    pub condition_faults: Vec<String>,
    /// How a condition is sent, with `{condition}` for what was asked for: so that one that cannot be
    /// evaluated stops, and can be told, where the adapter takes it for false.
    pub condition_form: Option<String>,
    /// An expression that makes of a value `{value}` with very many properties one that has those from
    /// `{from}` up to `{to}` alone, and of another nothing: of an adapter that looks at all of them,
    /// whatever page is asked for.
    pub part_form: Option<String>,
    /// How it counts the hits of a breakpoint.
    pub hit_counts: HitCounts,
    /// How a log message is sent, with `{message}` for what was asked for.
    pub log_form: Option<String>,
    /// Whether it has breakpoints on functions; else they are refused before anything is started.
    pub function_breakpoints: bool,
    /// Where an end by a signal is told as an exit code: this less the signal's number.
    pub signals_below: Option<i64>,
    /// Whether an end by a signal is told as an exit code that is the signal's number, which may be one of
    /// the program's own too.
    pub signals_as_codes: bool,
    /// Whether it is the program itself, which it takes on its command line: its end is the program's.
    pub is_program: bool,
    /// What it can stop at when a program fails.
    pub exceptions: ExceptionFilters,
    /// Exceptions that are a way to end and no failure, such as `SystemExit`: the program goes on at
    /// once.
    pub passed_exceptions: Vec<String>,
    /// The description of a stop that the adapter knows no reason for, and the statement of the language
    /// that it takes for one. Where the line holds no such statement, and nobody asked for a stop, the
    /// program goes on at once.
    pub unexplained_stop: Option<(String, String)>,
    /// Whether a pause of a program that waits in native code succeeds and never stops; its stacks
    /// can be asked for while it runs.
    pub stacks_while_running: bool,
    /// Whether the program's output comes on the adapter's own standard output.
    pub output_on_stdout: bool,
    /// A command that makes it print `{mark}` and a line end behind what the program has printed,
    /// where output comes later than the events that it belongs to.
    pub marks_output: Option<String>,
    /// Whether its exit codes are what the program exited with. When not, a code of 0 says nothing.
    pub exit_code: bool,
    /// How long a launch may take to the first answer: tens of seconds where it builds first.
    pub launch_within: Duration,
    /// How to install it, one line that a person can copy.
    pub install_hint: String,
    /// Whether somebody has tried it; the others are rows from reading.
    pub tried: bool,
    /// Whether the checkout's own configuration chose what it runs.
    pub from_checkout: bool,
    /// Whether configuration switched it off.
    pub disabled: bool,
}

impl Adapter {
    /// An adapter of this name, without languages and commands; everything else is what most need.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            languages: Vec::new(),
            extensions: Vec::new(),
            markers: Vec::new(),
            commands: Vec::new(),
            transport: Transport::Stdio,
            env: Vec::new(),
            launch_defaults: Value::Null,
            attach_defaults: Value::Null,
            attach_pid: None,
            injector: None,
            attach_inspector: false,
            in_parts: false,
            attach_address: Value::Null,
            attach_direct: false,
            core: Value::Null,
            core_with: Start::Attach,
            signal_expression: None,
            foreign_symbol: None,
            hidden_values: Vec::new(),
            preparations: Vec::new(),
            post_mortem: false,
            condition_faults: Vec::new(),
            condition_form: None,
            part_form: None,
            hit_counts: HitCounts::Unknown,
            log_form: None,
            function_breakpoints: true,
            signals_below: None,
            signals_as_codes: false,
            is_program: false,
            exceptions: ExceptionFilters::default(),
            passed_exceptions: Vec::new(),
            unexplained_stop: None,
            stacks_while_running: false,
            output_on_stdout: false,
            marks_output: None,
            exit_code: true,
            // The slowest that builds nothing took 3 s on an idle machine.
            launch_within: Duration::from_secs(30),
            install_hint: String::new(),
            tried: true,
            from_checkout: false,
            disabled: false,
        }
    }

    /// Whether the texts of its programs stand in quotes wherever it tells a value, so that a word without
    /// is none.
    pub(crate) fn quotes(&self) -> bool {
        let known = ["C", "Go", "Python", "JavaScript"];
        self.languages
            .iter()
            .any(|name| known.contains(&name.as_str()))
    }

    /// Whether it debugs programs written in this file, by the file's name alone.
    #[must_use]
    pub fn is_for(&self, path: &Path) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|given| self.extensions.iter().any(|known| known == given))
    }
}

/// A way to start an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdapterCommand {
    /// The name of the program, or its path.
    pub program: String,
    /// Its arguments. `{port}` stands for a free port of ours.
    pub args: Vec<String>,
    /// Folders of the project that are looked into before the search path, such as `.venv/bin`.
    /// What is found there runs only in a trusted checkout.
    pub look_in: Vec<String>,
    /// What must succeed before it is offered.
    pub probe: Option<Probe>,
}

impl AdapterCommand {
    /// A program on the search path.
    #[must_use]
    pub fn new<A: Into<String>>(
        program: impl Into<String>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            look_in: Vec::new(),
            probe: None,
        }
    }
}

/// A program beside the adapter that injects the debugger into a process. It is tried on a program of
/// ours before: what it fails at may die of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Injector {
    /// The name of the program, which the adapter looks for on the search path.
    pub program: String,
    /// Shows whether it can.
    pub probe: Probe,
    /// A run of the adapter's own program that shows that no injector is needed.
    pub unless: Option<Probe>,
}

/// A short run of the adapter's program that shows whether it can serve.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Probe {
    /// The arguments; it must exit with 0.
    pub args: Vec<String>,
    /// The first number with a dot that it prints must be at least this, in its part before the dot.
    pub at_least: Option<u64>,
    /// What a failure means, such as `this Python cannot import debugpy`.
    pub means: String,
}

/// How an adapter is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// Over its standard input and output.
    Stdio,
    /// Over a TCP port of this machine that it chooses and prints, as `HOST:PORT`, to its standard
    /// output.
    Announced,
    /// Over a TCP port that we choose and that it is told with `{port}`.
    Port,
}

/// What an adapter makes of the hit count of a breakpoint: a number means from that hit on, whatever
/// the adapter would take it for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HitCounts {
    /// It is sent as it is.
    #[default]
    Unknown,
    /// A number would stop at that hit alone; `>= 3` and `% 10` are understood.
    Relations,
    /// As relations, by an adapter that does not say that it has hit counts.
    Unannounced,
    /// Only a number is understood: the hit to stop from.
    From,
    /// Only a number is understood: how many hits to pass by.
    After,
}

impl HitCounts {
    /// What is sent for this one; nothing when the adapter would not understand it.
    pub(crate) fn sent(self, hit: &str) -> Option<String> {
        let number = hit.trim().parse::<u32>().ok();
        match (self, number) {
            (Self::Unknown, _) | (Self::Relations | Self::Unannounced, None) => {
                Some(hit.to_owned())
            }
            (Self::Relations | Self::Unannounced, Some(number)) => Some(format!(">= {number}")),
            (Self::From, Some(number)) => Some(number.to_string()),
            (Self::After, Some(number)) => Some(number.saturating_sub(1).to_string()),
            (Self::From | Self::After, None) => None,
        }
    }
}

/// Which request begins a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// `launch`: the adapter starts the program.
    Launch,
    /// `attach`: the program is there.
    Attach,
}

impl Start {
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Attach => "attach",
        }
    }
}

/// How an adapter is told to stop at failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExceptionFilters {
    /// Filters for exceptions that nobody catches.
    pub uncaught: Vec<String>,
    /// Filters for every exception when it is thrown.
    pub all: Vec<String>,
    /// Filters with a condition in the program's language, for what a failing test throws and its
    /// runner catches: beside `uncaught`, and in tests only.
    pub in_tests: Vec<(String, String)>,
    /// Functions that a failing program of the language passes through, where there is no filter:
    /// `rust_panic`. Breakpoints are set on them.
    pub functions: Vec<String>,
    /// A file that the project, or a folder above the program, must have for them, such as `Cargo.toml`.
    pub functions_with: Option<String>,
}
