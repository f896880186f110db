//! One connection to an adapter: requests with deadlines, events handed on in order.
//!
//! Two tasks do the I/O. The reader hands what comes in to a [`Handler`] at once, in order, and never
//! waits for the writer.

use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use fourfold_framing::{Decoder, Frame};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::protocol::{Capabilities, Fault};
use crate::wire::{Book, Item, Message};

/// The target under which every message is traced, both ways.
const WIRE: &str = "fourfold::wire";

/// Room for one read.
const CHUNK: usize = 64 << 10;

/// Messages that may wait to be written; an adapter that reads never lets as many wait.
const QUEUED: usize = 256;

/// Who takes what the adapter says. It is called by the reader and must not block.
pub(crate) trait Handler: Send + Sync + 'static {
    /// Something happened.
    fn event(&self, connection: usize, event: &str, body: Value);
    /// The adapter wants something.
    fn asked(&self, connection: usize, command: &str, arguments: Value) -> Result<Value, String>;
    /// Nothing more will come.
    fn ended(&self, connection: usize, why: &str);
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unanswered {
    /// The adapter answered that it cannot.
    Refused(Fault),
    /// No answer in time.
    TimedOut(Duration),
    /// The connection is over.
    Gone(String),
}

/// A connection. Dropping it ends both tasks and closes the adapter's input.
#[derive(Debug)]
pub(crate) struct Connection {
    link: Arc<Link>,
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
}

#[derive(Debug)]
struct Link {
    book: Mutex<Book<Asker>>,
    out: Mutex<Option<mpsc::Sender<BytesMut>>>,
    capabilities: Mutex<Capabilities>,
    initialized: watch::Sender<bool>,
    ended: watch::Sender<Option<String>>,
}

type Asker = oneshot::Sender<Result<Value, Fault>>;

/// A request that was sent. Dropping it means that nobody waits.
#[derive(Debug)]
pub(crate) struct Reply {
    link: Arc<Link>,
    seq: i64,
    answer: oneshot::Receiver<Result<Value, Fault>>,
}

impl Connection {
    /// Starts reading and writing; `number` is handed to the handler.
    pub(crate) fn open<R, W>(
        number: usize,
        (read, write): (R, W),
        message_limit: usize,
        handler: Arc<dyn Handler>,
    ) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (sender, outbox) = mpsc::channel(QUEUED);
        let link = Arc::new(Link {
            book: Mutex::default(),
            out: Mutex::new(Some(sender)),
            capabilities: Mutex::default(),
            initialized: watch::Sender::new(false),
            ended: watch::Sender::new(None),
        });
        let limits = fourfold_framing::Limits {
            max_body: message_limit,
            ..fourfold_framing::Limits::default()
        };
        Self {
            reader: tokio::spawn(run_reader(number, read, limits, Arc::clone(&link), handler)),
            writer: tokio::spawn(run_writer(write, outbox)),
            link,
        }
    }

    /// Puts a request into the writer's queue, at once, in order.
    pub(crate) fn post(&self, command: &str, arguments: Value) -> Result<Reply, Unanswered> {
        let link = &self.link;
        let (asker, answer) = oneshot::channel();
        // In the queue in the order of the numbers.
        let mut book = link.book.lock();
        if let Some(why) = &*link.ended.borrow() {
            return Err(Unanswered::Gone(why.clone()));
        }
        let (seq, frame) = book.request(command, arguments, asker);
        tracing::trace!(frame = %String::from_utf8_lossy(&frame), "sent");
        if !link.send(frame) {
            book.forget(seq);
            return Err(Unanswered::Gone(
                "it does not read what it is sent".to_owned(),
            ));
        }
        drop(book);
        Ok(Reply {
            link: Arc::clone(link),
            seq,
            answer,
        })
    }

    /// Sends a request and waits for its answer.
    ///
    /// *Cancel safety*: when the future is dropped, the answer is ignored when it comes.
    pub(crate) async fn request(
        &self,
        command: &str,
        arguments: Value,
        within: Duration,
    ) -> Result<Value, Unanswered> {
        let mut reply = self.post(command, arguments)?;
        let answer = reply.within(within).await;
        if matches!(answer, Err(Unanswered::TimedOut(_))) && self.can("supportsCancelRequest") {
            // Whatever it answers, nobody waits.
            drop(self.post("cancel", serde_json::json!({ "requestId": reply.seq })));
        }
        answer
    }

    /// Whether the adapter can something, as it said.
    pub(crate) fn can(&self, capability: &str) -> bool {
        self.link.capabilities.lock().has(capability)
    }

    pub(crate) fn filters(&self) -> Vec<String> {
        let capabilities = self.link.capabilities.lock();
        capabilities
            .filters()
            .into_iter()
            .map(str::to_owned)
            .collect()
    }

    /// Adds what it says about itself.
    pub(crate) fn learn(&self, said: Value) {
        self.link.capabilities.lock().learn(said);
    }

    /// Waits for the `initialized` event.
    pub(crate) async fn initialized(&self) {
        let mut initialized = self.link.initialized.subscribe();
        // The sender lives as long as this does.
        let _ = initialized.wait_for(|done| *done).await;
    }

    /// Waits until the connection is over, and says why.
    pub(crate) async fn ended(&self) -> String {
        let mut ended = self.link.ended.subscribe();
        let found = ended.wait_for(Option::is_some).await;
        match found.map(|why| why.clone()) {
            Ok(Some(why)) => why,
            _ => "it was closed".to_owned(),
        }
    }

    /// Whether it is over.
    pub(crate) fn has_ended(&self) -> bool {
        self.link.ended.borrow().is_some()
    }

    /// Gives up on every answer that is awaited, at once.
    pub(crate) fn abandon(&self, why: &str) {
        let mut book = self.link.book.lock();
        self.link.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            ended.get_or_insert_with(|| why.to_owned());
            first
        });
        drop(book.close());
    }

    /// Writes what was posted, then closes the adapter's input.
    pub(crate) fn close(&self) {
        self.link.out.lock().take();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.reader.abort();
        self.writer.abort();
    }
}

impl Reply {
    /// Waits for the answer.
    pub(crate) async fn within(&mut self, limit: Duration) -> Result<Value, Unanswered> {
        let deadline = Instant::now() + limit;
        match timeout_at(deadline, &mut self.answer).await {
            Ok(Ok(outcome)) => outcome.map_err(Unanswered::Refused),
            Ok(Err(_)) => Err(Unanswered::Gone(
                self.link
                    .ended
                    .borrow()
                    .clone()
                    .unwrap_or_else(|| "it was closed".to_owned()),
            )),
            Err(_) => Err(Unanswered::TimedOut(limit)),
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.link.book.lock().forget(self.seq);
    }
}

impl Link {
    fn send(&self, frame: BytesMut) -> bool {
        tracing::trace!(
            target: WIRE,
            body = %String::from_utf8_lossy(&frame).split("\r\n\r\n").nth(1).unwrap_or_default(),
            "sent"
        );
        let out = self.out.lock();
        out.as_ref().is_some_and(|out| out.try_send(frame).is_ok())
    }

    fn take(&self, number: usize, frame: Frame, handler: &dyn Handler) {
        let body = match frame {
            Frame::Body(body) => body,
            Frame::Skipped(skipped) => {
                tracing::debug!("{skipped}");
                return;
            }
        };
        tracing::trace!(target: WIRE, connection = number, body = %String::from_utf8_lossy(&body), "received");
        let message = match Message::read(&body) {
            Ok(message) => message,
            Err(why) => {
                tracing::warn!(%why, "skipped a message that is none");
                return;
            }
        };
        let item = self.book.lock().settle(message);
        match item {
            Item::Answer { tag, outcome, .. } => {
                // The asker may have gone in this moment.
                let _ = tag.send(outcome);
            }
            Item::Event { event, body } => {
                match event.as_str() {
                    "initialized" => {
                        self.initialized.send_replace(true);
                    }
                    "capabilities" => {
                        let said = body.get("capabilities").cloned().unwrap_or_default();
                        self.capabilities.lock().learn(said);
                    }
                    _ => {}
                }
                handler.event(number, &event, body);
            }
            Item::Asked {
                seq,
                command,
                arguments,
            } => {
                let outcome = handler.asked(number, &command, arguments);
                let answer = self.book.lock().answer(seq, &command, outcome);
                // An adapter that does not read its answers must not stop us from reading.
                self.send(answer);
            }
            Item::Stray { request_seq } => tracing::debug!(request_seq, "nobody waits for this"),
        }
    }
}

async fn run_reader<R>(
    number: usize,
    source: R,
    limits: fourfold_framing::Limits,
    link: Arc<Link>,
    handler: Arc<dyn Handler>,
) where
    R: AsyncRead + Unpin,
{
    let why = read(number, source, limits, &link, &*handler).await;
    tracing::debug!(number, why, "connection ended");
    link.out.lock().take();
    let mut book = link.book.lock();
    link.ended.send_if_modified(|ended| {
        ended.get_or_insert_with(|| why.clone());
        true
    });
    // Their answers will not come: dropping says so.
    drop(book.close());
    drop(book);
    handler.ended(number, &why);
}

async fn read<R>(
    number: usize,
    mut source: R,
    limits: fourfold_framing::Limits,
    link: &Link,
    handler: &dyn Handler,
) -> String
where
    R: AsyncRead + Unpin,
{
    let mut decoder = Decoder::new(limits);
    let mut buffer = BytesMut::new();
    loop {
        match decoder.decode(&mut buffer) {
            Ok(Some(frame)) => {
                link.take(number, frame, handler);
                continue;
            }
            Ok(None) => {}
            Err(error) => return format!("what it sends cannot be read: {error}"),
        }
        if buffer.capacity() - buffer.len() < CHUNK / 8 {
            buffer.reserve(CHUNK);
        }
        match source.read_buf(&mut buffer).await {
            Ok(0) => return "it closed the connection".to_owned(),
            Ok(_) => {}
            Err(error) => return format!("reading from it failed: {error}"),
        }
    }
}

async fn run_writer<W>(mut sink: W, mut outbox: mpsc::Receiver<BytesMut>)
where
    W: AsyncWrite + Unpin,
{
    while let Some(frame) = outbox.recv().await {
        // One write for one message: two small ones wait for each other over TCP.
        if sink.write_all(&frame).await.is_err() || sink.flush().await.is_err() {
            // Its output tells more, or ends as well.
            return;
        }
    }
    // A pipe that cannot be closed politely is closed by dropping it.
    let _ = sink.shutdown().await;
}
