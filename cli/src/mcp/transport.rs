//! Messages in and out: one JSON object a line.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, GetMeta as _,
    JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::heard::{Heard, SERVED, all_heard, refusal};
use super::order::{Order, Unopened};
use crate::serve::wire::{Lines, line};

/// The most characters of what was said that an answer repeats. Default 80: enough to know it again.
const MOST_ECHOED: usize = 80;

/// The most bytes of answers that wait for a host to read them. Default 256 MiB: answers are bounded,
/// and a host that leaves so many of them reads none.
const MOST_UNREAD: usize = 256 << 20;

/// A connection over two streams.
#[derive(Debug)]
pub(crate) struct LineTransport<R> {
    lines: Lines<R>,
    /// Of the last line, what was not handed on so far.
    heard: VecDeque<Heard>,
    /// How many bytes each of its messages had, about.
    bytes: usize,
    /// The requests that are not answered yet.
    order: Order,
    /// What is said, in the order in which it was said; nothing more after the end.
    queue: Option<UnboundedSender<Said>>,
    writer: JoinHandle<()>,
    /// How many bytes of that the host has not read.
    unread: Arc<AtomicUsize>,
    most_unread: usize,
    /// Whether the conversation has begun: with `initialize`, or with a request that says all that a
    /// handshake would.
    begun: bool,
    /// Becomes true when there is nothing more to be heard.
    over: watch::Sender<bool>,
}

/// A line on its way, and who waits until it is written.
#[derive(Debug)]
struct Said {
    line: Vec<u8>,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

impl<R: AsyncRead + Unpin> LineTransport<R> {
    /// Needs a runtime of tokio: a task writes.
    pub(crate) fn new<W>(input: R, output: W) -> LineTransport<R>
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (queue, said) = unbounded_channel();
        let unread = Arc::default();
        LineTransport {
            lines: Lines::new(input),
            heard: VecDeque::new(),
            bytes: 0,
            order: Order::new(),
            queue: Some(queue),
            writer: tokio::spawn(write(output, said, Arc::clone(&unread))),
            unread,
            most_unread: MOST_UNREAD,
            begun: false,
            over: watch::Sender::new(false),
        }
    }

    /// In which order the requests came.
    pub(super) fn order(&self) -> Order {
        self.order.clone()
    }

    /// Becomes true when the host has said all.
    pub(crate) fn over(&self) -> watch::Receiver<bool> {
        self.over.subscribe()
    }

    /// What comes next; nothing at the end.
    ///
    /// Cancel safety: what has come is kept when the future is dropped.
    async fn next(&mut self) -> Option<Heard> {
        loop {
            if let Some(heard) = self.heard.pop_front() {
                return Some(heard);
            }
            match self.lines.next().await {
                Ok(Some(line)) => {
                    self.heard.extend(all_heard(&line));
                    self.bytes = line.len() / self.heard.len().max(1);
                }
                Ok(None) => {
                    // A host that says one thing and goes may leave out the end of the line. What was
                    // cut off in the middle is no JSON, and nobody waits to hear that.
                    let rest = self.lines.rest();
                    let whole = serde_json::from_slice::<Value>(&rest).is_ok();
                    match whole {
                        true => self.heard.extend(all_heard(&rest)),
                        false => return None,
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    let refusal = refusal(ErrorCode::INVALID_REQUEST, Value::Null, error);
                    return Some(Heard::Wrong(refusal));
                }
                Err(error) => {
                    tracing::error!(%error, "the host cannot be heard");
                    return None;
                }
            }
        }
    }

    /// Whether the host reads no answers.
    fn is_unheard(&self) -> bool {
        self.unread.load(Ordering::Relaxed) > self.most_unread
    }

    fn refuse(&self, id: &RequestId, why: Unopened) {
        let refusal = refusal(ErrorCode::INVALID_REQUEST, json!(id), why);
        if let Ok(line) = line(&refusal) {
            self.say(line);
        }
    }

    fn say(&self, line: Vec<u8>) -> oneshot::Receiver<io::Result<()>> {
        let (written, told) = oneshot::channel();
        let unread = self.unread.fetch_add(line.len(), Ordering::Relaxed);
        if unread > self.most_unread {
            tracing::error!(unread, "the host reads no answers; the connection ends");
            return told;
        }
        if let Some(queue) = &self.queue {
            // Without a writer it is told that nobody writes.
            let _ = queue.send(Said {
                line,
                written: Some(written),
            });
        }
        told
    }
}

async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut said: UnboundedReceiver<Said>,
    unread: Arc<AtomicUsize>,
) {
    while let Some(Said { line, written }) = said.recv().await {
        let done = async {
            output.write_all(&line).await?;
            output.flush().await
        };
        let done = done.await;
        unread.fetch_sub(line.len(), Ordering::Relaxed);
        if let Some(written) = written {
            // Who does not wait does not want to know.
            let _ = written.send(done);
        }
    }
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for LineTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        mut item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Error(refused) = &mut item {
            say_what_is_served(&mut refused.error);
        }
        let answered = match &item {
            JsonRpcMessage::Response(answer) => Some(&answer.id),
            JsonRpcMessage::Error(refused) => refused.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.order.close(id);
        }
        let told = line(&item).map(|line| self.say(line));
        async move {
            let over = || io::Error::new(io::ErrorKind::NotConnected, "the connection is closed");
            told?.await.unwrap_or_else(|_| Err(over()))
        }
    }

    /// Cancel safety: what has come is kept when the future is dropped.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while let Some(heard) = self.next().await {
            if self.is_unheard() {
                break;
            }
            match heard {
                Heard::Message(message) => match &*message {
                    // Before there is a conversation nothing can be about it. The SDK would end.
                    other if !self.begun && !matches!(other, JsonRpcMessage::Request(_)) => {
                        tracing::debug!("passed over: nothing has begun that it could be about");
                    }
                    JsonRpcMessage::Request(request) => {
                        let opened = self.order.open(&request.id, &request.request, self.bytes);
                        if let Err(why) = opened {
                            self.refuse(&request.id, why);
                            continue;
                        }
                        self.begun = self.begun || begins(&request.request);
                        return Some(*message);
                    }
                    JsonRpcMessage::Notification(told) => {
                        // Nobody waits for its answer, and there may be none.
                        if let ClientNotification::CancelledNotification(cancelled) =
                            &told.notification
                            && let Some(id) = &cancelled.params.request_id
                        {
                            self.order.close(id);
                        }
                        return Some(*message);
                    }
                    _ => return Some(*message),
                },
                Heard::Nothing => {}
                Heard::Wrong(refusal) => {
                    if let Ok(line) = line(&refusal) {
                        self.say(line);
                    }
                }
            }
        }
        self.over.send_replace(true);
        // What was said before is written when this is.
        let _ = self.say(Vec::new()).await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        if self.queue.take().is_some() {
            match self.is_unheard() {
                true => self.writer.abort(),
                false => (&mut self.writer).await?,
            }
        }
        Ok(())
    }
}

/// Whether the SDK takes this request as the first of a conversation; it answers others before and
/// goes on waiting.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            let required = ProtocolVersion::V_2026_07_28;
            let version = meta.protocol_version();
            version.is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
                && meta.missing_required_keys(&required).is_empty()
        }
    }
}

/// The SDK refuses a method with its name and nothing else.
fn say_what_is_served(error: &mut ErrorData) {
    if error.code == ErrorCode::METHOD_NOT_FOUND {
        let method: String = error.message.chars().take(MOST_ECHOED).collect();
        let served = SERVED.join(", ");
        error.message = format!("`{method}` is not served here; these are: {served}").into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all_said(theirs: tokio::io::DuplexStream) -> Vec<Value> {
        let mut lines = Lines::new(theirs);
        let mut said = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            said.push(serde_json::from_slice(&line).unwrap());
        }
        said
    }

    fn pong(id: u32) -> ServerJsonRpcMessage {
        serde_json::from_value(json!({"jsonrpc": "2.0", "id": id, "result": {}})).unwrap()
    }

    fn id(message: &ClientJsonRpcMessage) -> Value {
        serde_json::to_value(message).unwrap()["id"].clone()
    }

    #[tokio::test]
    async fn what_is_refused_is_answered_in_its_turn() {
        let input = "nonsense\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n[]\n";
        let (output, theirs) = tokio::io::duplex(1 << 16);
        let mut transport = LineTransport::new(input.as_bytes(), output);
        assert!(transport.receive().await.is_some());
        transport.send(pong(1)).await.unwrap();
        assert!(transport.receive().await.is_none());
        transport.close().await.unwrap();
        let said = all_said(theirs).await;
        let codes: Vec<_> = said
            .iter()
            .map(|one| one["error"]["code"].as_i64())
            .collect();
        assert_eq!(codes, [Some(-32700), None, Some(-32600)]);
    }

    #[tokio::test]
    async fn a_last_message_may_be_without_a_line_end() {
        let ping = |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
        let input = format!("[{},{}]\n{}", ping(1), ping(2), ping(3));
        let (output, _theirs) = tokio::io::duplex(1 << 16);
        let mut transport = LineTransport::new(input.as_bytes(), output);
        let mut ids = Vec::new();
        while let Some(message) = transport.receive().await {
            ids.push(id(&message));
        }
        assert_eq!(ids, [json!(1), json!(2), json!(3)]);
        let (output, theirs) = tokio::io::duplex(1 << 16);
        let cut_off = &input.as_bytes()[..input.len() - 1];
        let mut transport = LineTransport::new(cut_off, output);
        let mut many = 0;
        while transport.receive().await.is_some() {
            many += 1;
        }
        transport.close().await.unwrap();
        drop(transport);
        assert_eq!((many, all_said(theirs).await), (2, Vec::new()));
    }

    #[tokio::test]
    async fn a_host_that_reads_no_answers_is_left() {
        let ping = |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        let (mut host, input) = tokio::io::duplex(1 << 16);
        let (output, theirs) = tokio::io::duplex(16);
        let mut transport = LineTransport::new(input, output);
        transport.most_unread = 100;
        let (mut answered, mut lost) = (0, 0);
        for id in 1..=10 {
            // It goes on asking.
            if host.write_all(ping(id).as_bytes()).await.is_err() {
                break;
            }
            if transport.receive().await.is_none() {
                lost += 1;
                break;
            }
            drop(transport.send(pong(id)));
            answered += 1;
        }
        // Of 37 bytes each, three are more than a hundred.
        assert_eq!((answered, lost), (3, 1));
        transport.close().await.unwrap();
        drop(theirs);
    }

    #[tokio::test]
    async fn an_id_is_one_requests_until_it_is_answered() {
        let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        let (mut host, input) = tokio::io::duplex(1 << 16);
        let (output, theirs) = tokio::io::duplex(1 << 16);
        let mut transport = LineTransport::new(input, output);
        host.write_all(ping.repeat(2).as_bytes()).await.unwrap();
        host.shutdown().await.unwrap();
        assert!(transport.receive().await.is_some());
        assert!(transport.receive().await.is_none(), "the second is refused");
        transport.send(pong(1)).await.unwrap();
        transport.close().await.unwrap();
        drop(transport);
        let said = all_said(theirs).await;
        assert_eq!(said[0]["error"]["code"], -32600);
        assert_eq!(said[1]["result"], json!({}));

        // Answered or cancelled, the id is free.
        let cancelled = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\
                         \"params\":{\"requestId\":1}}\n";
        let (mut host, input) = tokio::io::duplex(1 << 16);
        let (output, _theirs) = tokio::io::duplex(1 << 16);
        let mut transport = LineTransport::new(input, output);
        transport.begun = true;
        let all = format!("{ping}{cancelled}{ping}{ping}");
        host.write_all(all.as_bytes()).await.unwrap();
        for _ in 0..3 {
            assert!(transport.receive().await.is_some());
        }
        transport.send(pong(1)).await.unwrap();
        assert!(transport.receive().await.is_some());
    }
}
