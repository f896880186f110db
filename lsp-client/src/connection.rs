//! One connection to a server: requests that are answered, notifications that are bounded, and an
//! end that says why.
//!
//! Two tasks do the I/O. The reader hands what comes in to a [`Handler`], at once and in order, and
//! never waits for the writer: what it has to answer goes into the writer's queue, which is bounded
//! and refuses when it is full. So neither side can hang because the other does not read.

mod ended;
mod pending;
mod reader;
mod writer;

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub(crate) use ended::LastWords;
pub use ended::{Cause, Ended};
use pending::Pending;
pub(crate) use writer::Posted;
use writer::Queue;

use crate::wire::{self, Fault, Interrupted};

/// The target under which every message is traced, both ways.
const WIRE: &str = "fourfold::wire";

/// Bounds of a connection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConnectionLimits {
    /// How long a message may wait to be taken by the server before it counts as stuck; 3 s. A
    /// healthy server reads all the time, also while it computes.
    pub write: Duration,
    /// How long a server may take nothing at all before it is given up; 60 s. Some stop reading
    /// while they load a project.
    pub give_up: Duration,
    /// Messages that may wait to be written; 1,024. More than a server that reads ever lets wait.
    pub queued_messages: usize,
    /// Bytes that may wait to be written; 64 MiB, eight of the largest texts.
    pub queued_bytes: usize,
    /// What may be read.
    pub framing: fourfold_framing::Limits,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            write: Duration::from_secs(3),
            give_up: Duration::from_secs(60),
            queued_messages: 1024,
            queued_bytes: 64 << 20,
            framing: fourfold_framing::Limits::default(),
        }
    }
}

/// Who takes what the server sends. It is called by the reader and must not block.
pub(crate) trait Handler: Send + Sync + 'static {
    /// The answer to a request of the server.
    fn request(&self, method: &str, params: Value) -> Result<Value, Fault>;
    /// A notification of the server.
    fn notification(&self, method: &str, params: Value);
    /// Nothing more will come.
    fn ended(&self, ended: &Arc<Ended>);
}

/// What the server's program has to say when its output has ended. The future bounds its own wait.
pub(crate) type Farewell = Pin<Box<dyn Future<Output = LastWords> + Send>>;

/// Why a message could not be sent.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionGone {
    /// The server does not read what it is sent. It may come back.
    #[error(
        "sending to {server}: it has not read its input for {seconds} s; go on without it, and \
         reload it if it stays so"
    )]
    Stuck {
        /// The server.
        server: String,
        /// For how long nothing was taken.
        seconds: u64,
    },
    /// The server's life is over.
    #[error("{0}")]
    Ended(Arc<Ended>),
}

/// Why a request has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// Nothing is wrong; ask again.
    #[error("asking {server} for {method}: it was interrupted ({message}); ask again")]
    Again {
        /// The server.
        server: String,
        /// What was asked.
        method: String,
        /// Why it was interrupted.
        why: Interrupted,
        /// The server's words.
        message: String,
    },
    /// The server answered with an error.
    #[error("asking {server} for {method}: it refused: {message} (code {code})")]
    Refused {
        /// The server.
        server: String,
        /// What was asked.
        method: String,
        /// The code of JSON-RPC or of the protocol.
        code: i64,
        /// The server's words.
        message: String,
    },
    /// No answer in time. The server was told that none is needed any more.
    #[error(
        "asking {server} for {method}: no answer within {} s; it may still be loading, ask again \
         later or reload it", .after.as_secs_f32()
    )]
    TimedOut {
        /// The server.
        server: String,
        /// What was asked.
        method: String,
        /// How long was waited.
        after: Duration,
    },
    /// It could not be sent, or the server ended before it answered.
    #[error(transparent)]
    Gone(#[from] SessionGone),
}

/// A connection. Dropping it ends both tasks and closes the server's input.
#[derive(Debug)]
pub(crate) struct Connection {
    link: Arc<Link>,
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
}

/// What the two tasks and the callers share.
#[derive(Debug)]
struct Link {
    server: String,
    queue: Queue,
    pending: Pending,
    next_id: AtomicI64,
    /// Set once, when it is over.
    ended: watch::Sender<Option<Arc<Ended>>>,
    /// What the reader skipped: the end of it, for error messages.
    noise: Mutex<String>,
    /// How often it skipped something.
    skipped: AtomicU64,
}

impl Connection {
    /// Starts reading and writing. `server` is the name in messages; `farewell` is awaited once the
    /// server's output has ended.
    pub(crate) fn open<R, W>(
        server: &str,
        (read, write): (R, W),
        limits: &ConnectionLimits,
        handler: Arc<dyn Handler>,
        farewell: Farewell,
    ) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (queue, outbox) = Queue::new(limits);
        let link = Arc::new(Link {
            server: server.to_owned(),
            queue,
            pending: Pending::default(),
            next_id: AtomicI64::new(1),
            ended: watch::Sender::new(None),
            noise: Mutex::default(),
            skipped: AtomicU64::new(0),
        });
        let (failed, write_failed) = tokio::sync::oneshot::channel();
        let writer = tokio::spawn(writer::run(write, outbox, failed));
        let reader = tokio::spawn(reader::run(
            read,
            limits.framing.clone(),
            Arc::clone(&link),
            handler,
            write_failed,
            farewell,
        ));
        Self {
            link,
            reader,
            writer,
        }
    }

    /// Sends a request and waits for its answer, at most for `deadline`.
    ///
    /// *Cancel safety*: when the future is dropped, or the deadline passes, the server is told that
    /// the answer is not needed any more.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: Value,
        deadline: Duration,
    ) -> Result<Value, RequestError> {
        let link = &self.link;
        let id = link.next_id.fetch_add(1, Ordering::Relaxed);
        let answer = link.pending.expect(id).map_err(SessionGone::Ended)?;
        // From here on, whatever happens, the entry goes and the server is told.
        let mut asked = Asked {
            link,
            id,
            done: false,
        };
        drop(link.post(wire::request(id, method, params))?);
        let outcome = match timeout(deadline, answer).await {
            Ok(Ok(outcome)) => outcome,
            // The sender is only dropped by `Pending`, with the entry.
            Ok(Err(_)) => return Err(self.gone().into()),
            Err(_) => {
                return Err(RequestError::TimedOut {
                    server: link.server.clone(),
                    method: method.to_owned(),
                    after: deadline,
                });
            }
        };
        asked.done = true;
        match outcome {
            Ok(answer) => answer.map_err(|fault| link.refused(method, fault)),
            Err(ended) => Err(SessionGone::Ended(ended).into()),
        }
    }

    /// Puts a notification into the writer's queue, at once. What is posted is written in the order
    /// it was posted in.
    pub(crate) fn post(&self, method: &str, params: Value) -> Result<Posted, SessionGone> {
        self.link.post(wire::notification(method, params))
    }

    /// Waits until the connection has ended, and says how.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(crate) async fn ended(&self) -> Arc<Ended> {
        let mut ended = self.link.ended.subscribe();
        let found = ended.wait_for(Option::is_some).await;
        match found.map(|found| found.clone()) {
            Ok(Some(ended)) => ended,
            _ => Arc::new(Ended::stopped(&self.link.server)),
        }
    }

    /// How it ended, when it has.
    pub(crate) fn has_ended(&self) -> Option<Arc<Ended>> {
        self.link.ended.borrow().clone()
    }

    /// How long the server has not taken what was written, when that is longer than it should be.
    pub(crate) fn stuck(&self) -> Option<Duration> {
        self.link.queue.stuck()
    }

    /// How many pieces of the server's output were no message.
    pub(crate) fn skipped(&self) -> u64 {
        self.link.skipped.load(Ordering::Relaxed)
    }

    /// Writes what was posted, then closes the server's input.
    pub(crate) fn close_input(&self) {
        self.link.queue.close();
    }

    fn gone(&self) -> SessionGone {
        SessionGone::Ended(
            self.has_ended()
                .unwrap_or_else(|| Arc::new(Ended::stopped(&self.link.server))),
        )
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.reader.abort();
        self.writer.abort();
    }
}

impl Link {
    fn post(&self, frame: bytes::BytesMut) -> Result<Posted, SessionGone> {
        if let Some(ended) = &*self.ended.borrow() {
            return Err(SessionGone::Ended(Arc::clone(ended)));
        }
        tracing::trace!(
            target: WIRE,
            server = self.server,
            body = %String::from_utf8_lossy(&frame).split("\r\n\r\n").nth(1).unwrap_or_default(),
            "sent"
        );
        self.queue.post(frame, &self.server, self.ended.subscribe())
    }

    fn refused(&self, method: &str, fault: Fault) -> RequestError {
        let (server, method) = (self.server.clone(), method.to_owned());
        match fault.interrupted() {
            Some(why) => RequestError::Again {
                server,
                method,
                why,
                message: fault.message,
            },
            None => RequestError::Refused {
                server,
                method,
                code: fault.code,
                message: fault.message,
            },
        }
    }

    /// The connection is over: everything that waits learns why.
    fn end(&self, ended: Ended, handler: &dyn Handler) {
        let ended = Arc::new(ended);
        tracing::debug!(server = self.server, %ended, "connection ended");
        self.queue.close();
        self.pending.end(&ended);
        self.ended.send_replace(Some(Arc::clone(&ended)));
        handler.ended(&ended);
    }
}

/// A request that was sent. Unless it was answered, the server is told that nobody waits.
struct Asked<'a> {
    link: &'a Link,
    id: i64,
    done: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        if self.link.pending.forget(self.id) {
            let params = serde_json::json!({ "id": self.id });
            // A server that takes nothing needs not be told.
            let _ = self
                .link
                .post(wire::notification("$/cancelRequest", params));
        }
    }
}

#[cfg(test)]
mod tests;
