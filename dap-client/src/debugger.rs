//! One owner, at most one session, and how the last one ended.

use std::fmt;
use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::adapter::{AdapterCatalog, DetectConfig};
use crate::error::DebugError;
use crate::limits::{Limits, Shown};
use crate::mask::Mask;
use crate::request::{AttachRequest, LaunchRequest};
use crate::result::{Outcome, SessionEnd, Status};
use crate::session::Session;

/// How a debugger works.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DebuggerConfig {
    /// The adapters that are known.
    pub catalog: AdapterCatalog,
    /// Where they are looked for, what is trusted, and who guards what is started.
    pub detect: DetectConfig,
    /// Times and sizes.
    pub limits: Limits,
    /// How much of a stop is shown.
    pub shown: Shown,
    /// Whether secrets in values and output are replaced.
    pub mask: Mask,
}

impl DebuggerConfig {
    /// The defaults for a checkout, which is not trusted.
    #[must_use]
    pub fn new(checkout: PathBuf) -> Self {
        Self {
            catalog: AdapterCatalog::built_in(),
            detect: DetectConfig::new(checkout),
            limits: Limits::default(),
            shown: Shown::default(),
            mask: Mask::default(),
        }
    }
}

/// Both ends of a debug adapter that somebody else holds: for tests, and for adapters inside of
/// other programs.
pub struct Pipes {
    /// What the adapter writes.
    pub read: Box<dyn AsyncRead + Send + Unpin>,
    /// What the adapter reads.
    pub write: Box<dyn AsyncWrite + Send + Unpin>,
}

impl fmt::Debug for Pipes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipes").finish_non_exhaustive()
    }
}

/// The debugger of one owner, such as a conversation. It has at most one session.
///
/// Dropping it ends the session: what was launched is killed at once with all that it started, what
/// was attached to is let go. All of it must happen in a tokio runtime.
#[derive(Debug)]
pub struct Debugger {
    config: DebuggerConfig,
}

impl Debugger {
    /// A debugger without a session.
    #[must_use]
    pub fn new(config: DebuggerConfig) -> Self {
        Self { config }
    }

    /// How it works.
    #[must_use]
    pub fn config(&self) -> &DebuggerConfig {
        &self.config
    }

    /// Starts a program under a debugger, sets the breakpoints before it runs, and waits for the
    /// first stop, the end, or the time.
    ///
    /// A session whose program has ended yields its place; the new session's notes say so.
    ///
    /// *Cancel safety*: when the future is dropped before the session exists, whatever was started
    /// ends and the place is free.
    ///
    /// # Errors
    /// [`DebugError::AlreadyOpen`] when there is a session: nothing was started then. Everything
    /// else: whatever was started is gone again, and the place is free.
    pub async fn launch(&self, request: LaunchRequest) -> Result<(Session, Outcome), DebugError> {
        let _ = request;
        Err(DebugError::NoSession { last: None })
    }

    /// The same over pipes to an adapter that runs already.
    ///
    /// # Errors
    /// As [`Debugger::launch`].
    pub async fn launch_over(
        &self,
        request: LaunchRequest,
        pipes: Pipes,
    ) -> Result<(Session, Outcome), DebugError> {
        let _ = (request, pipes);
        Err(DebugError::NoSession { last: None })
    }

    /// Attaches to a program that runs. It is looked at first whether that can be: whose it is, and
    /// whether another debugger has it.
    ///
    /// # Errors
    /// [`DebugError::AlreadyOpen`] when there is a session, [`DebugError::NotAttachable`] with the
    /// reason when the process cannot be attached to.
    pub async fn attach(&self, request: AttachRequest) -> Result<(Session, Outcome), DebugError> {
        let _ = request;
        Err(DebugError::NoSession { last: None })
    }

    /// The session, when there is one that is not over. Asking counts as use.
    ///
    /// # Errors
    /// [`DebugError::NoSession`] says how the last one ended; [`DebugError::OtherSession`] when
    /// `id` is given and names another.
    pub fn session(&self, id: Option<&str>) -> Result<Session, DebugError> {
        let _ = id;
        Err(DebugError::NoSession { last: None })
    }

    /// What there is, and how the last session ended. Asking does not count as use.
    #[must_use]
    pub fn status(&self) -> Status {
        Status {
            session: None,
            last: None,
        }
    }

    /// Ends the session and waits until everything of it is confirmed gone.
    ///
    /// # Errors
    /// [`DebugError::NoSession`] when there is none.
    pub async fn terminate(&self) -> Result<SessionEnd, DebugError> {
        Err(DebugError::NoSession { last: None })
    }
}

impl Debugger {
    /// Starts the program of the session anew, with the breakpoints that are set now. The time limit
    /// goes on from the first launch.
    ///
    /// # Errors
    /// [`DebugError::NoSession`], [`DebugError::Unsupported`] for a program that was attached to, and
    /// as [`Debugger::launch`].
    pub async fn restart(&self) -> Result<(Session, Outcome), DebugError> {
        Err(DebugError::NoSession { last: None })
    }
}
