//! Why something was not done.

use std::path::PathBuf;
use std::time::Duration;

use crate::adapter::Detection;
use crate::path::PathError;
use crate::result::{Facts, SessionEnd};

/// Why a debugger did not do what it was asked. Each sentence says what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DebugError {
    /// There is a session. Nothing was started.
    #[error("{}", crate::text::already_open(.0))]
    AlreadyOpen(Box<Facts>),
    /// There is no session.
    #[error("there is no debug session{}; start one with a launch", crate::text::ended_before(.last.as_deref()))]
    NoSession {
        /// How the last one ended.
        last: Option<Box<SessionEnd>>,
    },
    /// A session of another name than the one that is there.
    #[error("there is no debug session `{given}`; {}", crate::text::other_session(.last.as_deref(), .open.as_deref()))]
    OtherSession {
        /// The name that was given.
        given: String,
        /// How it ended, when it was the last one before.
        last: Option<Box<SessionEnd>>,
        /// The one that is there.
        open: Option<Box<Facts>>,
    },
    /// The session ended while, or before, it was asked.
    #[error("{}", crate::text::session_ended(.0))]
    Ended(Box<SessionEnd>),
    /// No adapter has this name.
    #[error("there is no debug adapter `{given}`; the nearest name is `{nearest}`")]
    UnknownAdapter {
        /// The name that was given.
        given: String,
        /// A known one.
        nearest: String,
    },
    /// The adapter cannot be started here.
    #[error("cannot start the debug adapter {0}")]
    Unavailable(Box<Detection>),
    /// A core file and a program that do not belong together. Nothing was started.
    #[error("{}", crate::text::wrong_core(.core, .program, .made_by.as_deref()))]
    WrongCore {
        /// The core file.
        core: PathBuf,
        /// The program that was given.
        program: PathBuf,
        /// The one that has made it, when that is another.
        made_by: Option<PathBuf>,
    },
    /// A file that a launch needs is not there. Nothing was started.
    #[error("cannot debug {}: there is no such file; build it first, or correct the path", .0.display())]
    NoProgram(PathBuf),
    /// The adapter was started and no session came of it. Everything is gone again.
    #[error("starting {program} under {adapter} failed while {stage}: {why}{}", crate::text::last_words(.output))]
    NotStarted {
        /// The adapter.
        adapter: String,
        /// The program, as people call it.
        program: String,
        /// What was being done.
        stage: &'static str,
        /// What went wrong.
        why: String,
        /// The last that adapter and program had to say.
        output: Vec<String>,
    },
    /// What is attached to cannot be: it is not there, of another user, or traced already.
    #[error("cannot attach to process {pid}: {why}")]
    NotAttachable {
        /// The process.
        pid: u32,
        /// Why not, and what to do.
        why: String,
    },
    /// The adapter answered that it cannot.
    #[error("{adapter} refused {request}: {message}")]
    Refused {
        /// The adapter.
        adapter: String,
        /// The request.
        request: String,
        /// Its words.
        message: String,
    },
    /// The adapter did not answer in time.
    #[error("{adapter} did not answer {request} within {} s; ask for less, or terminate the session", .after.as_secs_f32())]
    TimedOut {
        /// The adapter.
        adapter: String,
        /// The request.
        request: String,
        /// How long was waited.
        after: Duration,
    },
    /// The locals of a stop, which is shown without them.
    #[error(
        "the locals are not shown: within {} s they could not be read, as a value among them is large or \
         takes long to be turned into text (in Python its `__repr__` runs, and until it is done the \
         thread answers nothing else). Ask for single values by name, or stop where it is not there yet",
        .after.as_secs_f32()
    )]
    Locals {
        /// How long was waited.
        after: Duration,
    },
    /// The adapter does not have this.
    #[error("{adapter} has no {what}; {instead}")]
    Unsupported {
        /// The adapter.
        adapter: String,
        /// What it does not have.
        what: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// This needs a program that stands.
    #[error("the program {state}; {hint}")]
    NotStopped {
        /// How it is, such as `is running`.
        state: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// A core file was told to go on.
    #[error(
        "a core file is one moment and cannot go on; look at its frames and values, or launch the program"
    )]
    NeverRuns,
    /// A handle of a moment that is over.
    #[error("{handle} belongs to stop {was}, and the program has moved on{}; ask for the stack anew", crate::text::now_at(*.now))]
    Stale {
        /// The handle.
        handle: String,
        /// The stop that it belongs to.
        was: u32,
        /// The current stop, when the program stands.
        now: Option<u32>,
    },
    /// A value that was read before a call ran in the program, of an adapter that forgets it then.
    #[error(
        "{0} was read before an expression called a function of the program, and the debugger has \
             forgotten it; ask for the variable by its name again"
    )]
    Spent(String),
    /// A handle that was never given out.
    #[error("there is no {0}; handles come with answers")]
    UnknownHandle(String),
    /// A path of names that leads nowhere.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A name that is not among the values.
    #[error("there is no `{name}` in {of}{}", crate::text::did_you_mean(.nearest))]
    NoValue {
        /// The name.
        name: String,
        /// Where it was looked for.
        of: String,
        /// Those that are there, the nearest first.
        nearest: Vec<String>,
    },
    /// A breakpoint's place cannot be found.
    #[error("cannot set a breakpoint at {asked}: {why}")]
    NoPlace {
        /// What was asked for.
        asked: String,
        /// Why it is no place, and what to do.
        why: String,
    },
    /// No breakpoint has this number.
    #[error("there is no breakpoint {0}; ask for the list")]
    NoBreakpoint(u32),
    /// A thread that the program does not have.
    #[error("there is no thread {0}; ask for the threads")]
    NoThread(i64),
}
