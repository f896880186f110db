//! The other side, for unit tests: a server whose every word a test says itself.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use fourfold_framing::{Decoder, Limits};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio::time::timeout;

use crate::{Launch, Readiness, ServerSpec, Session, SessionLimits, Transport};

/// Longer than anything under test waits; on a paused clock it costs nothing.
const PATIENCE: Duration = Duration::from_secs(3600);

/// A server in a test's hands.
pub(crate) struct Peer {
    decoder: Decoder,
    buffer: BytesMut,
    read: ReadHalf<DuplexStream>,
    write: Option<WriteHalf<DuplexStream>>,
}

/// The client's ends of the pipes: what it reads, and what it writes.
pub(crate) type Ends = (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>);

impl Peer {
    /// A server behind pipes that hold `room` bytes each way.
    pub(crate) fn new(room: usize) -> (Self, Ends) {
        let (ours, theirs) = tokio::io::duplex(room);
        let (read, write) = tokio::io::split(theirs);
        let peer = Self {
            decoder: Decoder::new(Limits::default()),
            buffer: BytesMut::new(),
            read,
            write: Some(write),
        };
        (peer, tokio::io::split(ours))
    }

    /// The next message of the client; `None` when it has closed the pipe.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        timeout(PATIENCE, async {
            loop {
                if let Some(frame) = self.decoder.decode(&mut self.buffer).expect("frames") {
                    let body = frame.into_body().expect("nothing but messages");
                    return Some(serde_json::from_slice(&body).expect("JSON"));
                }
                if self.read.read_buf(&mut self.buffer).await.unwrap_or(0) == 0 {
                    return None;
                }
            }
        })
        .await
        .expect("the client sends something")
    }

    /// Skips what the client sends until it is `method`; its id and its params.
    pub(crate) async fn expect(&mut self, method: &str) -> (Value, Value) {
        loop {
            let mut message = self.next().await.unwrap_or_else(|| panic!("no {method}"));
            if message["method"] == method {
                return (message["id"].take(), message["params"].take());
            }
        }
    }

    /// The client's answer to the request with this id of ours.
    pub(crate) async fn answer_to(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        loop {
            let message = self.next().await.expect("an answer");
            if message.get("method").is_none() && message["id"] == id {
                return message;
            }
        }
    }

    pub(crate) async fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        let write = self.write.as_mut().expect("not closed");
        // The client may have gone.
        let _ = write.write_all(bytes.as_ref()).await;
    }

    pub(crate) async fn send(&mut self, message: Value) {
        let mut frame = BytesMut::new();
        fourfold_framing::encode(message.to_string(), &mut frame);
        self.raw(frame).await;
    }

    pub(crate) async fn answer(&mut self, id: Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
            .await;
    }

    pub(crate) async fn fail(&mut self, id: Value, code: i64, data: Value) {
        let error = json!({ "code": code, "message": "no", "data": data });
        self.send(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
            .await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    pub(crate) async fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id = id.into();
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
    }

    /// Closes what the client reads.
    pub(crate) async fn close(&mut self) {
        if let Some(mut write) = self.write.take() {
            let _ = write.shutdown().await;
        }
    }
}

/// Starts a session with a server that has these capabilities and says nothing more.
pub(crate) async fn session(launch: (ServerSpec, &Path), capabilities: Value) -> (Session, Peer) {
    session_with(launch, capabilities, SessionLimits::default(), 1 << 16).await
}

/// The same, with other limits, over pipes of another size.
pub(crate) async fn session_with(
    (spec, root): (ServerSpec, &Path),
    capabilities: Value,
    limits: SessionLimits,
    room: usize,
) -> (Session, Peer) {
    let (mut peer, (read, write)) = Peer::new(room);
    let transport = Transport::Pipes {
        read: Box::new(read),
        write: Box::new(write),
    };
    let launch = Launch::new(Arc::new(spec), root.to_owned(), transport);
    let answer = async {
        let (id, _) = peer.expect("initialize").await;
        peer.answer(id, json!({ "capabilities": capabilities }))
            .await;
        peer.expect("workspace/didChangeConfiguration").await;
    };
    let (session, ()) = tokio::join!(Session::start(launch, limits), answer);
    (session.expect("a session"), peer)
}

/// A server that is ready at once and publishes with versions.
pub(crate) fn spec() -> ServerSpec {
    let mut spec = ServerSpec::new("fake");
    spec.readiness = Readiness::AtOnce;
    spec.diagnostics.versioned = true;
    spec
}

impl Peer {
    /// Publishes messages for a document, all errors on its first line.
    pub(crate) async fn publish(&mut self, uri: &str, version: Option<i32>, messages: &[&str]) {
        let mut params = json!({ "uri": uri, "diagnostics": items(messages) });
        if let Some(version) = version {
            params["version"] = version.into();
        }
        self.notify("textDocument/publishDiagnostics", params).await;
    }

    /// Answers the next pull.
    pub(crate) async fn answer_pull(&mut self, messages: &[&str]) -> Value {
        let (id, params) = self.expect("textDocument/diagnostic").await;
        let report = json!({ "kind": "full", "items": items(messages) });
        self.answer(id, report).await;
        params
    }

    /// Begins or ends work.
    pub(crate) async fn progress(&mut self, token: &str, kind: &str, title: &str) {
        let value = json!({ "kind": kind, "title": title });
        self.notify("$/progress", json!({ "token": token, "value": value }))
            .await;
    }
}

/// Diagnostics of one character each.
pub(crate) fn items(messages: &[&str]) -> Value {
    let range = json!({ "start": { "line": 0, "character": 0 },
                        "end": { "line": 0, "character": 1 } });
    messages
        .iter()
        .map(|message| json!({ "range": range, "severity": 1, "message": message }))
        .collect()
}
