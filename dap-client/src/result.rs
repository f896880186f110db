//! What a debugger answers.

use std::path::PathBuf;

use serde::Serialize;

use crate::handle::{FrameHandle, SessionId, ValueHandle};
use crate::output::OutputPage;

/// What a launch or a resuming call led to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The program stands.
    Stopped(Box<Stop>),
    /// It did not stop in the time that was given. Nothing is wrong; wait on, or pause it.
    StillRunning(Running),
    /// It ended.
    Exited(End),
    /// A signal ended it, or it ended after a stop at a crash.
    Crashed(End),
    /// The session ended while the program ran: by its time limit, because it was idle, because the
    /// adapter died.
    SessionEnded(SessionEnd),
}

/// The whole picture of a moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Stop {
    /// The number of the stop, from 1. Handles carry it.
    pub number: u32,
    /// Why it stopped: `breakpoint`, `step`, `exception`, `panic`, `failing test`, `pause`, `entry`,
    /// `signal`, …
    pub reason: String,
    /// What the adapter adds to the reason, such as `signal SIGSEGV`.
    pub detail: Option<String>,
    /// The exception, when there is one.
    pub exception: Option<Exception>,
    /// The breakpoints that were hit, by our numbers.
    pub breakpoints: Vec<u32>,
    /// The thread that stopped.
    pub thread: ThreadInfo,
    /// How many threads the program has, when that is known.
    pub threads: Option<usize>,
    /// The frame that is looked at: the first of the user's own, else the top one. Its place has
    /// lines around it.
    pub frame: Option<Frame>,
    /// The top frame, when that is another one: in a library.
    pub top: Option<Frame>,
    /// The stack from the top, runs of library frames folded.
    pub stack: Vec<StackEntry>,
    /// How many frames more there are, when that is known, and whether there are more at all.
    pub more_frames: More,
    /// Of a pause: the other threads, and those of other processes that stand too, those that stand at
    /// the same place together. Of stacks without the user's own code only the top.
    pub others: Vec<ThreadGroup>,
    /// Arguments and locals of `frame`.
    pub locals: Page<Value>,
    /// What the program printed since the last answer.
    pub output: OutputPage,
    /// What is to be known beside it, such as a condition that could not be evaluated.
    pub notes: Vec<String>,
    /// How long the session lives on.
    pub clock: Clock,
}

/// How many more there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum More {
    /// No more.
    None,
    /// So many.
    Exactly(u64),
    /// More, and nobody knows how many.
    Some,
}

/// An exception or a panic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Exception {
    /// Its type, such as `ZeroDivisionError`.
    pub kind: String,
    /// Its message.
    pub message: String,
    /// The adapter's own account of it, such as a traceback; the end of it.
    pub trace: Option<String>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ThreadInfo {
    /// Its number, as the adapter has it. 0 is one too.
    pub id: i64,
    /// Its name.
    pub name: String,
}

/// Threads that stand at the same place.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ThreadGroup {
    /// The threads.
    pub threads: Vec<ThreadInfo>,
    /// Their stack from the top, with the handles of the first of them.
    pub stack: Vec<StackEntry>,
    /// Why there is no stack, when there is none.
    pub problem: Option<String>,
}

/// One frame, or a run of library frames.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StackEntry {
    /// A frame: the top one, or one of the user's own.
    Frame(Frame),
    /// Library frames in a row.
    Folded {
        /// How many.
        count: usize,
        /// The first and the last of them.
        names: Vec<String>,
        /// The handle of the first; the next ones count up.
        first: FrameHandle,
    },
    /// Frames of a recursion that stand where those before them stand.
    Repeated {
        /// How many more there are.
        count: usize,
        /// Whether there may be yet more: nobody looked further.
        at_least: bool,
        /// The functions that call one another.
        functions: Vec<String>,
    },
}

/// One frame of a stack.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Frame {
    /// Its name, valid up to the next resume.
    pub handle: FrameHandle,
    /// Its place in the stack, the top being 0.
    pub level: usize,
    /// The function.
    pub function: String,
    /// Where in the sources it stands.
    pub place: Option<Place>,
    /// Whether it is the user's own code.
    pub ours: bool,
}

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Place {
    /// The file, when there is one on this machine.
    pub path: Option<PathBuf>,
    /// The file as people name it: relative to the project, else as the adapter calls it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether it is in a file; else `file` says what it is, such as `node:fs (in Node.js itself)`.
    pub is_file: bool,
    /// The lines around it, when they were asked for and the file is there.
    pub lines: Vec<SourceLine>,
}

/// A line of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SourceLine {
    /// Its number, from 1.
    pub number: u32,
    /// Its text without the line end, at most 200 characters.
    pub text: String,
    /// Whether the program stands here.
    pub current: bool,
}

/// A part of many.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Page<T> {
    /// The part.
    pub items: Vec<T>,
    /// The number of its first item, from 0.
    pub start: usize,
    /// What is behind it.
    pub more: More,
}

/// A scope of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Scope {
    /// Its name, such as `Locals`.
    pub name: String,
    /// To open it with.
    pub handle: ValueHandle,
    /// Whether it takes long to read: globals, registers. Such a scope is not among the locals.
    pub expensive: bool,
    /// How many values are in it, when the adapter says so.
    pub count: Option<u64>,
}

/// A value with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Value {
    /// Its name in what holds it, or the expression.
    pub name: String,
    /// Its text, as much of it as was asked for.
    pub text: String,
    /// Characters that the text has in all, when it was cut. The adapter may have cut it before.
    pub cut_from: Option<usize>,
    /// Whether something that is inside is left out of the text, or the text is cut.
    pub shortened: bool,
    /// Whether a secret in it was replaced.
    pub masked: bool,
    /// Its type, as the adapter names it.
    pub kind: Option<String>,
    /// To open it with, when something is inside.
    pub handle: Option<ValueHandle>,
    /// How much is inside, when the adapter says so.
    pub count: Option<u64>,
    /// What is inside, when more than one level was asked for.
    pub inside: Option<Page<Value>>,
}

/// What became of a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BreakpointReport {
    /// Our number for it, from 1, valid for the session.
    pub id: u32,
    /// Where it was asked for, in words: `cart.py:12`, `main`.
    pub asked: String,
    /// The file as people name it, and the line asked for; not for functions.
    pub at: Option<(String, u32)>,
    /// Its condition, hit count and log message, in words.
    pub options: Option<String>,
    /// Whether it is bound.
    pub binding: Binding,
    /// How often the program stopped at it, as far as the adapter tells.
    pub hits: u64,
}

/// Whether a breakpoint is bound to code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Binding {
    /// It is, where it was asked for. bash-dap says so of any line.
    Verified,
    /// It is, at another line.
    Moved {
        /// That line.
        line: u32,
    },
    /// Not yet: the code may not be loaded. It may also be a line without code.
    Pending {
        /// What the adapter says.
        why: Option<String>,
    },
    /// It will not be.
    Unreachable {
        /// Why.
        why: String,
    },
}

/// A program that runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Running {
    /// Whether a pause was asked for that did not lead to a stop yet: the program is in native code
    /// or waits.
    pub pause_pending: bool,
    /// The stacks of its threads, where the adapter gives them of a running program and a pause is
    /// pending.
    pub threads: Vec<ThreadGroup>,
    /// What the program printed since the last answer.
    pub output: OutputPage,
    /// Breakpoints that are not bound, and whatever else is worth knowing.
    pub notes: Vec<String>,
    /// How long the session lives on.
    pub clock: Clock,
}

/// The end of a program.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct End {
    /// Its exit code; nothing when nobody can tell.
    pub code: Option<i64>,
    /// The signal or crash that it stopped at or ended by, in words.
    pub signal: Option<String>,
    /// What it printed since the last answer.
    pub output: OutputPage,
    /// Breakpoints that were never hit, with the reason where there is one.
    pub notes: Vec<String>,
    /// How long its output can be read; a new launch may take the slot before.
    pub clock: Clock,
}

/// How long a session lives on. Both limits end it, whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Clock {
    /// Seconds to its time limit, which nothing renews.
    pub expires_in_s: u64,
    /// Seconds to its idle limit, counted anew with each call.
    pub idle_in_s: u64,
}

/// How a session is at this moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum State {
    /// The adapter starts.
    Starting,
    /// The program runs.
    Running,
    /// It stands.
    Stopped {
        /// Why.
        reason: String,
        /// Where, as `FILE:LINE`, when that is known.
        at: Option<String>,
    },
    /// It has ended; its output can be read.
    Exited {
        /// Its exit code; nothing when nobody can tell.
        code: Option<i64>,
        /// The signal or crash that it ended by or had stopped at last, in words.
        signal: Option<String>,
    },
    /// The session is being ended, and is not confirmed gone.
    Ending,
}

/// What is to be known about a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Facts {
    /// Its name.
    pub id: SessionId,
    /// The adapter.
    pub adapter: String,
    /// The program, as people call it.
    pub program: String,
    /// The program's process id, when the adapter tells it.
    pub pid: Option<u32>,
    /// Whether it was there before: it will be let go and not killed.
    pub attached: bool,
    /// How it is.
    pub state: State,
    /// Seconds since its launch.
    pub age_s: u64,
    /// How long it lives on.
    pub clock: Clock,
}

/// What there is, and what was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// The session, when there is one.
    pub session: Option<Facts>,
    /// How the last one ended.
    pub last: Option<SessionEnd>,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SessionEnd {
    /// Its name.
    pub id: SessionId,
    /// The program, as people call it.
    pub program: String,
    /// Why.
    pub why: Why,
    /// Where the program stood, as `FILE:LINE (reason)`, or that it ran.
    pub was: String,
    /// The program's exit code, when it had ended before.
    pub code: Option<i64>,
    /// Whether the program was let go and lives on.
    pub detached: bool,
    /// Processes that could not be ended; nothing when nobody could confirm in time.
    pub left: Option<usize>,
    /// What is to be known, such as that the target was left stopped and was sent on.
    pub notes: Vec<String>,
}

/// Why a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// It was told to.
    Terminated,
    /// It was there for one question, which was answered or given up.
    Answered,
    /// Its time limit.
    TimeLimit {
        /// The limit in seconds.
        after_s: u64,
    },
    /// Nobody asked it anything.
    Idle {
        /// The limit in seconds.
        after_s: u64,
    },
    /// The program had ended, and a new session took its place.
    Replaced,
    /// Its owner is gone.
    Dropped,
    /// It could not be started.
    NotStarted {
        /// Why.
        reason: String,
    },
    /// The adapter ended or could not be understood.
    AdapterGone {
        /// What was seen of it.
        reason: String,
    },
    /// The adapter answers nothing any more.
    Wedged {
        /// What it did not answer.
        request: String,
    },
}
