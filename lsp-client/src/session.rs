//! One life of one server: the handshake, what it says, what it offers, its end.

mod ground;
mod handshake;
mod inbox;
mod launch;
mod limits;
mod offers;
mod progress;
mod publishes;
mod settings;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fourfold_child::{Child, StopPlan};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

pub(crate) use inbox::{ExpectedEdits, Heard, Inbox, Look};
pub use launch::{Launch, Transport};
pub use limits::SessionLimits;
pub(crate) use progress::Check;
pub(crate) use publishes::{Published, Publishes};

use crate::connection::{Connection, Ended, RequestError, SessionGone};
use crate::documents::Documents;
use crate::position::Encoding;
use crate::settle::{Memory, Settling};
use crate::spec::ServerSpec;
use crate::texts::Texts;
use crate::uri::Root;

/// Why a server could not be started.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// It did not answer `initialize` in time.
    #[error(
        "starting {server}: it did not answer `initialize` within {} s{log}; start it by hand in \
         the same folder to see what it waits for", .after.as_secs()
    )]
    NoAnswer {
        /// The server.
        server: String,
        /// How long was waited.
        after: Duration,
        /// The last line of its log, as the end of a clause.
        log: String,
    },
    /// It answered `initialize` with an error.
    #[error("starting {server}: it refused: {message}")]
    Refused {
        /// The server.
        server: String,
        /// Its words.
        message: String,
    },
    /// Somebody else talks to its program already.
    #[error("starting {server}: the input or output of its program was taken; start a new one")]
    NoPipes {
        /// The server.
        server: String,
    },
    /// It ended instead of answering.
    #[error("starting {0}")]
    Ended(Arc<Ended>),
}

/// A server that has answered `initialize`. Dropping it ends the server without ceremony;
/// [`Session::shutdown`] does it politely.
#[derive(Debug)]
pub struct Session {
    core: Arc<Core>,
    settling: Settling,
}

/// What the session and the work it leaves behind share.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) spec: Arc<ServerSpec>,
    pub(crate) root: Root,
    pub(crate) limits: SessionLimits,
    pub(crate) encoding: Encoding,
    pub(crate) generation: u64,
    pub(crate) started: Instant,
    pub(crate) connection: Arc<Connection>,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) documents: Documents,
    pub(crate) memory: Memory,
    /// Its program, when it has one.
    child: Option<Arc<Child>>,
    /// Held while a command runs: the edits that the server asks to apply are of that one.
    commands: tokio::sync::Mutex<()>,
}

impl Session {
    /// Starts a session: `initialize`, `initialized`, the settings.
    ///
    /// # Errors
    ///
    /// When the server refuses, ends or does not answer within [`SessionLimits::initialize`].
    ///
    /// *Cancel safety*: when the future is dropped the server is ended.
    pub async fn start(launch: Launch, limits: SessionLimits) -> Result<Self, StartError> {
        let started = Instant::now();
        let server = launch.spec.id.clone();
        let root = Root::new(&launch.root);
        let inbox = Arc::new(Inbox::new(root.clone(), launch.settings.clone()));
        let params = handshake::initialize(&launch, &inbox);
        let ends = launch.transport.open(limits.farewell);
        let Some(ends) = ends else {
            return Err(StartError::NoPipes { server });
        };
        let connection = Arc::new(Connection::open(
            &server,
            (ends.read, ends.write),
            &limits.connection,
            Arc::clone(&inbox) as Arc<_>,
            ends.farewell,
        ));
        let answer = connection
            .request("initialize", params, limits.initialize)
            .await
            .map_err(|error| not_started(error, &server, &inbox))?;
        let capabilities = answer.get("capabilities").cloned().unwrap_or_default();
        let encoding = capabilities
            .get("positionEncoding")
            .and_then(Value::as_str)
            .and_then(Encoding::from_name)
            .unwrap_or_default();
        inbox.initialized(capabilities);
        let settings = settings::whole(&launch.settings);
        for (method, params) in [
            ("initialized", json!({})),
            // Some stay mute without it, also when nothing is set.
            (
                "workspace/didChangeConfiguration",
                json!({ "settings": settings }),
            ),
        ] {
            // Whether it reads will show soon enough.
            drop(connection.post(method, params));
        }
        let documents = Documents::new(
            Arc::clone(&connection),
            Arc::clone(&inbox),
            limits.documents.clone(),
        );
        let core = Arc::new(Core {
            spec: launch.spec,
            root,
            limits,
            encoding,
            generation: launch.generation,
            started,
            connection,
            inbox,
            documents,
            memory: Memory::default(),
            child: ends.child,
            commands: tokio::sync::Mutex::default(),
        });
        let settling = Settling::new(Arc::clone(&core));
        Ok(Self { core, settling })
    }

    /// What is known about the server.
    #[must_use]
    pub fn spec(&self) -> &Arc<ServerSpec> {
        &self.core.spec
    }

    /// The folder it works in.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.core.root.path()
    }

    /// What its columns count.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.core.encoding
    }

    /// Which life of the server this is.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.core.generation
    }

    /// For how long it has been running.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.core.started.elapsed()
    }

    /// How it ended, when it has.
    #[must_use]
    pub fn has_ended(&self) -> Option<Arc<Ended>> {
        self.core.connection.has_ended()
    }

    /// Waits for its end.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub async fn ended(&self) -> Arc<Ended> {
        self.core.connection.ended().await
    }

    /// How long it has not read what it was sent, when that is longer than it should be. It is
    /// given up by itself after [`ConnectionLimits::give_up`](crate::ConnectionLimits::give_up).
    #[must_use]
    pub fn stuck(&self) -> Option<Duration> {
        self.core.connection.stuck()
    }

    /// What it says that it is doing: the titles of its open work.
    #[must_use]
    pub fn doing(&self) -> Vec<String> {
        self.core.doing()
    }

    /// The last lines of the log that it sends.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        self.core.inbox.log()
    }

    /// How many pieces of its output were no message: banners, lines of a log, invalid JSON.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.core.connection.skipped()
    }

    /// Ends the server politely: `shutdown`, `exit`, the end of its input. Its program is then
    /// asked to end, and killed with everything that it has started when it does not. Bounded by
    /// [`SessionLimits::shutdown`], [`SessionLimits::exit`] and the patience of
    /// [`Child::stop`].
    ///
    /// *Cancel safety*: when the future is dropped it may be called again.
    pub async fn shutdown(&self) {
        let Core {
            connection,
            limits,
            child,
            ..
        } = &*self.core;
        self.settling.stop();
        // A server that does not answer is told to exit all the same.
        let _ = connection
            .request("shutdown", Value::Null, limits.shutdown)
            .await;
        drop(connection.post("exit", Value::Null));
        connection.close_input();
        let _ = timeout(limits.exit, connection.ended()).await;
        if let Some(child) = child {
            // It has had the end of its input for a while.
            let plan = StopPlan::default().with_after_eof(Duration::ZERO);
            let stopped = child.stop(plan).await;
            // Its pipes are closed now.
            let _ = timeout(limits.exit, connection.ended()).await;
            tracing::debug!(server = self.core.spec.id, ?stopped, "stopped");
        }
    }

    /// The process id of its program, for people and logs.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.core.child.as_ref().map(|child| child.id())
    }

    /// Asks the server.
    ///
    /// # Errors
    ///
    /// [`RequestError::Again`] when it was interrupted and may be asked again.
    ///
    /// *Cancel safety*: when the future is dropped the server is told to stop working on it.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: Value,
        deadline: Duration,
    ) -> Result<Value, RequestError> {
        self.core.connection.request(method, params, deadline).await
    }

    /// Tells the server, and waits until it has read it, at most
    /// [`ConnectionLimits::write`](crate::ConnectionLimits::write).
    ///
    /// *Cancel safety*: what was not sent yet is sent all the same.
    pub(crate) async fn notify(&self, method: &str, params: Value) -> Result<(), SessionGone> {
        self.core.connection.post(method, params)?.written().await
    }

    /// How `method` is offered now, if it is: by what was announced, or by what was registered
    /// since and not taken back. `true` or the options.
    pub(crate) fn offers(&self, method: &str) -> Option<Value> {
        self.core.inbox.look(|heard| heard.offers.one(method))
    }

    /// Collects the edits that the server asks to apply, as long as the answer lives.
    pub(crate) fn expect_edits(&self) -> ExpectedEdits<'_> {
        self.core.inbox.expect_edits()
    }

    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    pub(crate) fn settling(&self) -> &Settling {
        &self.settling
    }

    pub(crate) fn documents(&self) -> &Documents {
        &self.core.documents
    }

    /// The texts of this moment: of open documents, else from disk.
    pub(crate) fn texts(&self) -> Texts {
        self.core.texts()
    }
}

impl Core {
    pub(crate) fn texts(&self) -> Texts {
        self.documents.texts()
    }

    pub(crate) fn doing(&self) -> Vec<String> {
        self.inbox
            .look(|heard| heard.progress.open().map(str::to_owned).collect())
    }
}

fn not_started(error: RequestError, server: &str, inbox: &Inbox) -> StartError {
    let server = server.to_owned();
    match error {
        RequestError::Gone(SessionGone::Ended(ended)) => StartError::Ended(ended),
        RequestError::TimedOut { after, .. } => StartError::NoAnswer {
            server,
            after,
            log: match inbox.log().last() {
                Some(line) => format!(" (it said last: {line})"),
                None => String::new(),
            },
        },
        RequestError::Refused { message, .. } | RequestError::Again { message, .. } => {
            StartError::Refused { server, message }
        }
        RequestError::Gone(gone) => StartError::Refused {
            server,
            message: gone.to_string(),
        },
    }
}

#[cfg(test)]
mod tests;
