//! The writer: a bounded queue, and a task that empties it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use parking_lot::Mutex;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout};

use super::{Cause, ConnectionLimits, Ended, SessionGone};

/// What is to be written. Whatever is posted first is written first.
#[derive(Debug)]
pub(super) struct Queue {
    sender: Mutex<Option<mpsc::Sender<Message>>>,
    progress: Arc<Progress>,
    write: Duration,
    max_bytes: usize,
}

/// The other end of the queue.
#[derive(Debug)]
pub(super) struct Outbox {
    receiver: mpsc::Receiver<Message>,
    progress: Arc<Progress>,
    give_up: Duration,
}

#[derive(Debug)]
struct Message {
    frame: BytesMut,
    written: oneshot::Sender<()>,
}

/// How the writing goes.
#[derive(Debug, Default)]
struct Progress {
    /// Bytes that wait, those being written included.
    queued: AtomicUsize,
    /// While something is being written: when the server last took some of it.
    since: Mutex<Option<Instant>>,
}

/// A message in the queue.
#[derive(Debug)]
#[must_use = "await `written` to keep the order against what is sent elsewhere, or drop it"]
pub(crate) struct Posted {
    written: oneshot::Receiver<()>,
    ended: watch::Receiver<Option<Arc<Ended>>>,
    server: String,
    limit: Duration,
}

impl Posted {
    /// Waits until the server's pipe has taken the message, for the time that
    /// [`ConnectionLimits::write`] gives.
    ///
    /// *Cancel safety*: the message stays in the queue when the future is dropped.
    pub(crate) async fn written(mut self) -> Result<(), SessionGone> {
        let written = async {
            if self.written.await.is_ok() {
                return Ok(());
            }
            // The writer has given up, and the reader finds out why.
            match self.ended.wait_for(Option::is_some).await.as_deref() {
                Ok(Some(ended)) => Err(SessionGone::Ended(Arc::clone(ended))),
                _ => Err(SessionGone::Ended(Arc::new(Ended::stopped(&self.server)))),
            }
        };
        timeout(self.limit, written).await.unwrap_or_else(|_| {
            Err(SessionGone::Stuck {
                server: self.server.clone(),
                seconds: self.limit.as_secs(),
            })
        })
    }
}

impl Queue {
    pub(super) fn new(limits: &ConnectionLimits) -> (Self, Outbox) {
        let (sender, receiver) = mpsc::channel(limits.queued_messages.max(1));
        let progress = Arc::<Progress>::default();
        let queue = Self {
            sender: Mutex::new(Some(sender)),
            progress: Arc::clone(&progress),
            write: limits.write,
            max_bytes: limits.queued_bytes,
        };
        let outbox = Outbox {
            receiver,
            progress,
            give_up: limits.give_up,
        };
        (queue, outbox)
    }

    /// Appends a message, unless the server is stuck or the queue is full.
    pub(super) fn post(
        &self,
        frame: BytesMut,
        server: &str,
        ended: watch::Receiver<Option<Arc<Ended>>>,
    ) -> Result<Posted, SessionGone> {
        let stuck = |time: Duration| SessionGone::Stuck {
            server: server.to_owned(),
            seconds: time.as_secs(),
        };
        if let Some(time) = self.stuck() {
            return Err(stuck(time));
        }
        let bytes = frame.len();
        let sender = self.sender.lock();
        let queued = self.progress.queued.load(Ordering::Relaxed);
        // One message always fits, so that no text is too large for an idle server.
        if queued > 0 && queued.saturating_add(bytes) > self.max_bytes {
            return Err(stuck(self.progress.waited()));
        }
        let (written, receiver) = oneshot::channel();
        // Counted first: the writer may be done with it before this function is.
        self.progress.queued.fetch_add(bytes, Ordering::Relaxed);
        let sent = sender
            .as_ref()
            .is_some_and(|sender| sender.try_send(Message { frame, written }).is_ok());
        if !sent {
            self.progress.queued.fetch_sub(bytes, Ordering::Relaxed);
            return Err(stuck(self.progress.waited()));
        }
        Ok(Posted {
            written: receiver,
            ended,
            server: server.to_owned(),
            limit: self.write,
        })
    }

    /// How long nothing was taken, when that is too long.
    pub(super) fn stuck(&self) -> Option<Duration> {
        let waited = self.progress.waited();
        (waited >= self.write).then_some(waited)
    }

    /// Nothing more is posted; what was is written, then the server's input is closed.
    pub(super) fn close(&self) {
        self.sender.lock().take();
    }
}

impl Progress {
    fn waited(&self) -> Duration {
        self.since
            .lock()
            .map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// Writes until the queue is closed or the server takes no more; then says why through `failed`.
pub(super) async fn run<W>(mut sink: W, mut outbox: Outbox, failed: oneshot::Sender<Cause>)
where
    W: AsyncWrite + Unpin,
{
    while let Some(Message { frame, written }) = outbox.receiver.recv().await {
        let bytes = frame.len();
        if let Err(cause) = write(&mut sink, frame, &outbox).await {
            let _ = failed.send(cause);
            return;
        }
        *outbox.progress.since.lock() = None;
        outbox.progress.queued.fetch_sub(bytes, Ordering::Relaxed);
        // Nobody may be waiting for it.
        let _ = written.send(());
    }
    // A pipe that cannot be closed politely is closed by dropping it.
    let _ = timeout(outbox.give_up, sink.shutdown()).await;
}

async fn write<W>(sink: &mut W, mut frame: BytesMut, outbox: &Outbox) -> Result<(), Cause>
where
    W: AsyncWrite + Unpin,
{
    while !frame.is_empty() {
        *outbox.progress.since.lock() = Some(Instant::now());
        match timeout(outbox.give_up, sink.write(&frame)).await {
            Ok(Ok(0)) => return Err(Cause::ClosedInput("it takes no more bytes".to_owned())),
            Ok(Ok(taken)) => frame.advance(taken),
            Ok(Err(error)) => return Err(Cause::ClosedInput(error.to_string())),
            Err(_) => return Err(Cause::NeverReads(outbox.give_up)),
        }
    }
    match timeout(outbox.give_up, sink.flush()).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(Cause::ClosedInput(error.to_string())),
        Err(_) => Err(Cause::NeverReads(outbox.give_up)),
    }
}
