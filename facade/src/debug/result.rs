//! What is answered: the debugger's own types, as JSON that is bounded and described.

use fourfold_dap_client as dap;
use schemars::JsonSchema;
use serde::Serialize;

/// What the debugger answered. Which parts are filled depends on the action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugResult {
    /// What was asked.
    pub action: &'static str,
    /// The session, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<DebugSession>,
    /// What a launch or a resuming call led to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<DebugOutcome>,
    /// The whole picture, when the program stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<DebugStop>,
    /// How the program ended, when it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<DebugEnd>,
    /// Threads with equal stacks together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<DebugThreads>,
    /// The frames of one thread.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<DebugFrame>,
    /// The scopes of a frame.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<DebugScope>,
    /// Values that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<DebugValues>,
    /// All breakpoints, with what became of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breakpoints: Vec<DebugBreakpointInfo>,
    /// What was found at each hit of an ask.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<DebugHit>,
    /// Of an ask for a place: the other stop that came instead of it, such as the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<DebugHit>,
    /// What the program printed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// Bytes of output before it that are not shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub output_dropped: u64,
    /// The `offset` that gives what follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// How the last session ended, when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_session: Option<String>,
    /// What else is to be known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The same as text.
    #[serde(skip)]
    #[schemars(skip)]
    pub text: String,
}

/// What a launch or a resuming call led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DebugOutcome {
    /// The program stands.
    Stopped,
    /// It did not stop in the time that was given; nothing is wrong.
    StillRunning,
    /// It ended.
    Exited,
    /// A signal or a crash ended it.
    Crashed,
    /// The session ended while it ran.
    SessionEnded,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugSession {
    /// Its name.
    pub id: String,
    /// The debug adapter.
    pub adapter: String,
    /// The program.
    pub program: String,
    /// Its process, when the adapter tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Whether it was attached to: it will be let go and not killed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub attached: bool,
    /// How it is, in words.
    pub state: String,
    /// Seconds since its launch.
    pub age_s: u64,
    /// Seconds until it ends whatever happens.
    pub expires_in_s: u64,
    /// Seconds until it ends unless it is used.
    pub idle_in_s: u64,
}

/// A moment of a program.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugStop {
    /// The number of the stop; handles of frames and values carry it and end with it.
    pub number: u32,
    /// Why: breakpoint, step, exception, pause, signal, …
    pub reason: String,
    /// More about the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The exception, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// The breakpoints that were hit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breakpoints: Vec<u32>,
    /// The thread.
    pub thread: i64,
    /// Where, as FILE:LINE, in the first frame of the project's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The lines around it; `>` marks the current one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The stack from the top, runs of library frames in one.
    pub stack: Vec<DebugFrame>,
    /// Arguments and locals of that frame.
    pub locals: DebugValues,
    /// Of a pause: the other threads, those with equal stacks together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<DebugThreads>,
    /// What the program printed since the last answer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// What else is to be known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A frame, or a run of library frames.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugFrame {
    /// Its handle; empty of the frames of a recursion that are not shown.
    pub frame: String,
    /// The function; of a run of library frames the first and the last, of a recursion those that call
    /// one another.
    pub function: String,
    /// Where, as FILE:LINE; of code that is in no file, what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Of a run: how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folded: Option<usize>,
}

/// A page of values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugValues {
    /// The values.
    pub values: Vec<DebugValue>,
    /// The `offset` of the next ones, when there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// How many more there are, when that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<u64>,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugValue {
    /// Its name, or the expression.
    pub name: String,
    /// Its text, cut to the bound.
    pub text: String,
    /// Its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Characters of the whole text, when it was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_from: Option<usize>,
    /// Whether something inside of it is left out of the text, or the text is cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
    /// Whether a secret in it was replaced.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// To look into it with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// How much is inside, when that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// What is inside, when it was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Value")]
    pub inside: Option<Box<DebugValues>>,
}

/// A scope of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugScope {
    /// Its name.
    pub name: String,
    /// To look into it with.
    pub value: String,
    /// Whether it takes long.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expensive: bool,
}

/// Threads with equal stacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugThreads {
    /// Their numbers and names.
    pub threads: Vec<String>,
    /// Their stack, with the handles of the first of them.
    pub stack: Vec<DebugFrame>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A breakpoint, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugBreakpointInfo {
    /// Its number.
    pub id: u32,
    /// Where it was asked for.
    pub at: String,
    /// Its condition and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// verified, moved, pending or unreachable, with the reason.
    pub state: String,
    /// How often it stopped.
    pub hits: u64,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugEnd {
    /// Its exit code; nothing when nobody can tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// The signal or crash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Breakpoints that were never hit, and the like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One hit of an ask.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugHit {
    /// Where, as FILE:LINE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Why it stopped.
    pub reason: String,
    /// The expressions in the frame of the stop, then in its callers.
    pub answers: Vec<DebugAnswered>,
}

/// The expressions in one frame.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DebugAnswered {
    /// The frame's function and place.
    pub frame: String,
    /// Each expression with its value.
    pub values: Vec<DebugValue>,
    /// Each expression that could not be evaluated, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// All of them as text, in the order in which they were asked.
    #[serde(skip)]
    #[schemars(skip)]
    pub text: String,
    /// Whether something of an answer is left out.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) shortened: bool,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl DebugSession {
    pub(super) fn of(facts: &dap::Facts) -> DebugSession {
        DebugSession {
            id: facts.id.to_string(),
            adapter: facts.adapter.clone(),
            program: facts.program.clone(),
            pid: facts.pid,
            attached: facts.attached,
            state: facts.state.to_string(),
            age_s: facts.age_s,
            expires_in_s: facts.clock.expires_in_s,
            idle_in_s: facts.clock.idle_in_s,
        }
    }
}

impl DebugResult {
    /// Takes over what a launch or a resuming call led to.
    pub(super) fn take(&mut self, outcome: &dap::Outcome) {
        self.text.push_str(&outcome.to_string());
        let output = match outcome {
            dap::Outcome::Stopped(stop) => {
                self.outcome = Some(DebugOutcome::Stopped);
                self.stop = Some(DebugStop::of(stop));
                return;
            }
            dap::Outcome::StillRunning(running) => {
                self.outcome = Some(DebugOutcome::StillRunning);
                self.threads = running.threads.iter().map(DebugThreads::of).collect();
                self.notices.extend(running.notes.iter().cloned());
                &running.output
            }
            dap::Outcome::Exited(end) => {
                self.outcome = Some(DebugOutcome::Exited);
                self.end = Some(DebugEnd::of(end));
                &end.output
            }
            dap::Outcome::Crashed(end) => {
                self.outcome = Some(DebugOutcome::Crashed);
                self.end = Some(DebugEnd::of(end));
                &end.output
            }
            dap::Outcome::SessionEnded(end) => {
                self.outcome = Some(DebugOutcome::SessionEnded);
                self.last_session = Some(end.to_string());
                return;
            }
            _ => return,
        };
        self.output = output.text();
        self.output_dropped = output.dropped;
    }
}

impl DebugStop {
    fn of(stop: &dap::Stop) -> DebugStop {
        let place = stop.frame.as_ref().and_then(|frame| frame.place.as_ref());
        let source = place.iter().flat_map(|place| &place.lines).map(|line| {
            let mark = if line.current { '>' } else { ' ' };
            format!("{mark}{:>5} {}\n", line.number, line.text)
        });
        DebugStop {
            number: stop.number,
            reason: stop.reason.clone(),
            detail: stop.detail.clone(),
            exception: stop.exception.as_ref().map(ToString::to_string),
            breakpoints: stop.breakpoints.clone(),
            thread: stop.thread.id,
            at: place.map(ToString::to_string),
            source: source.collect(),
            stack: frames(&stop.stack),
            locals: DebugValues::of(&stop.locals),
            others: stop.others.iter().map(DebugThreads::of).collect(),
            output: stop.output.text(),
            notes: stop.notes.clone(),
        }
    }
}

/// Frames, and runs of them.
pub(super) fn frames(stack: &[dap::StackEntry]) -> Vec<DebugFrame> {
    let frame = |entry: &dap::StackEntry| match entry {
        dap::StackEntry::Frame(frame) => Some(DebugFrame {
            frame: frame.handle.to_string(),
            function: frame.function.clone(),
            at: frame.place.as_ref().map(ToString::to_string),
            folded: None,
        }),
        dap::StackEntry::Folded {
            count,
            names,
            first,
        } => Some(DebugFrame {
            frame: first.to_string(),
            function: names.join(" … "),
            at: None,
            folded: Some(*count),
        }),
        dap::StackEntry::Repeated {
            count, functions, ..
        } => Some(DebugFrame {
            frame: String::new(),
            function: functions.join(" … "),
            at: None,
            folded: Some(*count),
        }),
        _ => None,
    };
    stack.iter().filter_map(frame).collect()
}

impl DebugThreads {
    pub(super) fn of(group: &dap::ThreadGroup) -> DebugThreads {
        let names = group.threads.iter();
        DebugThreads {
            threads: names
                .map(|thread| format!("{} {}", thread.id, thread.name))
                .collect(),
            stack: frames(&group.stack),
            problem: group.problem.clone(),
        }
    }
}

impl DebugValues {
    /// A page; how deep it is, the debugger bounds.
    pub(super) fn of(page: &dap::Page<dap::Value>) -> DebugValues {
        let (next, more) = match page.more {
            dap::More::None => (false, None),
            dap::More::Exactly(count) => (true, Some(count)),
            _ => (true, None),
        };
        DebugValues {
            values: page.items.iter().map(DebugValue::of).collect(),
            next_offset: next.then(|| page.start + page.items.len()),
            more,
        }
    }
}

impl DebugValue {
    pub(super) fn of(value: &dap::Value) -> DebugValue {
        DebugValue {
            name: value.name.clone(),
            text: value.text.clone(),
            kind: value.kind.clone(),
            cut_from: value.cut_from,
            shortened: value.shortened,
            masked: value.masked,
            value: value.handle.map(|handle| handle.to_string()),
            count: value.count,
            inside: value
                .inside
                .as_ref()
                .map(|page| Box::new(DebugValues::of(page))),
        }
    }
}

impl DebugScope {
    pub(super) fn of(scope: &dap::Scope) -> DebugScope {
        DebugScope {
            name: scope.name.clone(),
            value: scope.handle.to_string(),
            expensive: scope.expensive,
        }
    }
}

impl DebugBreakpointInfo {
    pub(super) fn of(report: &dap::BreakpointReport) -> DebugBreakpointInfo {
        DebugBreakpointInfo {
            id: report.id,
            at: report.asked.clone(),
            options: report.options.clone(),
            state: report.binding.to_string(),
            hits: report.hits,
        }
    }
}

impl DebugEnd {
    fn of(end: &dap::End) -> DebugEnd {
        DebugEnd {
            code: end.code,
            signal: end.signal.clone(),
            notes: end.notes.clone(),
        }
    }
}
