//! Messages in and out: one JSON object a line. What is no message is answered here, as JSON-RPC has
//! it; the SDK would say nothing, or that there is no such method.

use std::io;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorCode, InitializeRequestParams,
    JsonRpcMessage, ReadResourceRequestParams, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::serve::wire::{Lines, line};

/// The requests that are served; others have no method of that name.
const SERVED: [&str; 9] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "subscriptions/listen",
];

/// A connection over two streams.
#[derive(Debug)]
pub(crate) struct LineTransport<R> {
    lines: Lines<R>,
    /// What is said, in the order in which it was said; nothing more after the end.
    queue: Option<UnboundedSender<Said>>,
    writer: JoinHandle<()>,
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
        LineTransport {
            lines: Lines::new(input),
            queue: Some(queue),
            writer: tokio::spawn(write(output, said)),
        }
    }

    fn say(&self, line: Vec<u8>) -> oneshot::Receiver<io::Result<()>> {
        let (written, told) = oneshot::channel();
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

async fn write(mut output: impl AsyncWrite + Unpin, mut said: UnboundedReceiver<Said>) {
    while let Some(Said { line, written }) = said.recv().await {
        let done = async {
            output.write_all(&line).await?;
            output.flush().await
        };
        let done = done.await;
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
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let told = line(&item).map(|line| self.say(line));
        async move {
            let over = || io::Error::new(io::ErrorKind::NotConnected, "the connection is closed");
            told?.await.unwrap_or_else(|_| Err(over()))
        }
    }

    /// Cancel safety: what has come is kept when the future is dropped.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let heard = match self.lines.next().await {
                Ok(Some(line)) => heard(&line),
                Ok(None) => break,
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    Heard::Wrong(refusal(ErrorCode::INVALID_REQUEST, Value::Null, error))
                }
                Err(error) => {
                    tracing::error!(%error, "the host cannot be heard");
                    break;
                }
            };
            match heard {
                Heard::Message(message) => return Some(*message),
                Heard::Nothing => {}
                Heard::Wrong(refusal) => {
                    if let Ok(line) = line(&refusal) {
                        self.say(line);
                    }
                }
            }
        }
        // What was said before is written when this is.
        let _ = self.say(Vec::new()).await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        if self.queue.take().is_some() {
            (&mut self.writer).await?;
        }
        Ok(())
    }
}

/// What a line is.
enum Heard {
    Message(Box<ClientJsonRpcMessage>),
    /// Nothing that is answered.
    Nothing,
    /// No message; this is the answer.
    Wrong(Value),
}

fn heard(line: &[u8]) -> Heard {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Heard::Nothing;
    }
    let said: Value = match serde_json::from_slice(line) {
        Ok(said) => said,
        Err(error) => {
            let why = format!("this line is no JSON ({error}); a message is one line");
            return Heard::Wrong(refusal(ErrorCode::PARSE_ERROR, Value::Null, why));
        }
    };
    let Value::Object(said) = said else {
        let why = "a message is one JSON object; several are not taken at once";
        return Heard::Wrong(refusal(ErrorCode::INVALID_REQUEST, Value::Null, why));
    };
    let id = match said.get("id") {
        None => None,
        Some(id) if id.is_string() || id.is_i64() || id.is_u64() => Some(id.clone()),
        Some(_) => {
            let why = "`id` is a text or a whole number";
            return Heard::Wrong(refusal(ErrorCode::INVALID_REQUEST, Value::Null, why));
        }
    };
    let is_answer = said.contains_key("result") || said.contains_key("error");
    let invalid = |why: &str| {
        let id = id.clone().unwrap_or_default();
        Heard::Wrong(refusal(ErrorCode::INVALID_REQUEST, id, why))
    };
    let method = match said.get("method") {
        Some(Value::String(method)) => Some(method.as_str()),
        Some(_) => return invalid("`method` is a text"),
        None if is_answer => None,
        None => return invalid("there is no `method`"),
    };
    if said.get("jsonrpc") != Some(&json!("2.0")) {
        // Who sends a notification or an answer waits for none.
        return match (method, &id) {
            (Some(_), Some(_)) => invalid("`jsonrpc` has to be \"2.0\""),
            _ => Heard::Nothing,
        };
    }
    let parsed = serde_json::from_slice::<ClientJsonRpcMessage>(line);
    let (Some(method), Some(id)) = (method, id) else {
        return match parsed {
            Ok(message) => Heard::Message(Box::new(message)),
            Err(error) => {
                tracing::debug!(%error, "this needs no answer");
                Heard::Nothing
            }
        };
    };
    let is_served = SERVED.contains(&method);
    match parsed {
        // That is how the SDK takes what it does not understand.
        Ok(JsonRpcMessage::Request(request))
            if is_served && matches!(request.request, ClientRequest::CustomRequest(_)) => {}
        Ok(message) => return Heard::Message(Box::new(message)),
        Err(_) if is_served => {}
        Err(error) => {
            let why = format!("this is no request ({error})");
            return Heard::Wrong(refusal(ErrorCode::INVALID_REQUEST, id, why));
        }
    }
    let params = said.get("params").cloned().unwrap_or_default();
    let why = format!("`params` of {method}: {}", misfit(method, params));
    Heard::Wrong(refusal(ErrorCode::INVALID_PARAMS, id, why))
}

/// Why the parameters of a request are none.
fn misfit(method: &str, params: Value) -> String {
    fn of<T: DeserializeOwned>(params: Value) -> Option<String> {
        serde_json::from_value::<T>(params)
            .err()
            .map(|error| error.to_string())
    }
    if !params.is_object() {
        return match params {
            Value::Null => "they are missing".to_owned(),
            _ => "they are an object".to_owned(),
        };
    }
    let known = match method {
        "tools/call" => of::<CallToolRequestParams>(params),
        "resources/read" => of::<ReadResourceRequestParams>(params),
        "initialize" => of::<InitializeRequestParams>(params),
        _ => None,
    };
    known.unwrap_or_else(|| "they are not as the protocol has them".to_owned())
}

fn refusal(code: ErrorCode, id: Value, why: impl std::fmt::Display) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id,
        "error": { "code": code.0, "message": why.to_string() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code and the id of the answer, or what the line is otherwise.
    fn sorted(line: &str) -> (i32, Value) {
        match heard(line.as_bytes()) {
            Heard::Message(_) => (0, json!("message")),
            Heard::Nothing => (0, json!("nothing")),
            Heard::Wrong(said) => {
                let code = said["error"]["code"].as_i64().unwrap();
                (i32::try_from(code).unwrap(), said["id"].clone())
            }
        }
    }

    /// By JSON-RPC 2.0: -32700 for what is no JSON, -32600 for what is no request, -32602 for
    /// parameters that are none; with the id where there is one that can be read.
    #[test]
    fn what_is_no_message_is_answered_as_the_protocol_has_it() {
        let none = Value::Null;
        for (line, code, id) in [
            ("nonsense", -32700, none.clone()),
            ("\u{0}\u{1}", -32700, none.clone()),
            (r#"{"jsonrpc":"2.0","#, -32700, none.clone()),
            ("[]", -32600, none.clone()),
            ("7", -32600, none.clone()),
            ("{}", -32600, none.clone()),
            (r#"{"jsonrpc":"2.0"}"#, -32600, none.clone()),
            (r#"{"jsonrpc":"2.0","id":7}"#, -32600, json!(7)),
            (
                r#"{"jsonrpc":"2.0","id":"x","method":5}"#,
                -32600,
                json!("x"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                -32600,
                none.clone(),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
                -32600,
                none.clone(),
            ),
            (r#"{"id":77,"method":"ping"}"#, -32600, json!(77)),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":["y"]}}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
                -32602,
                json!(1),
            ),
            // A method that is not served is the server's to refuse.
            (
                r#"{"jsonrpc":"2.0","id":8,"method":"no/such"}"#,
                0,
                json!("message"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#,
                0,
                json!("message"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":null}}"#,
                0,
                json!("message"),
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                0,
                json!("message"),
            ),
            // Nobody waits for an answer to these.
            ("", 0, json!("nothing")),
            (" \r", 0, json!("nothing")),
            (r#"{"method":"ping"}"#, 0, json!("nothing")),
            (r#"{"id":3,"result":{}}"#, 0, json!("nothing")),
        ] {
            assert_eq!(sorted(line), (code, id), "{line}");
        }
    }

    #[tokio::test]
    async fn what_is_refused_is_answered_in_its_turn() {
        let input = "nonsense\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n[]\n";
        let (output, theirs) = tokio::io::duplex(1 << 16);
        let mut transport = LineTransport::new(input.as_bytes(), output);
        assert!(transport.receive().await.is_some());
        let pong = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
        let pong = serde_json::from_value(pong).unwrap();
        transport.send(pong).await.unwrap();
        assert!(transport.receive().await.is_none());
        transport.close().await.unwrap();
        let mut said = Lines::new(theirs);
        let mut codes = Vec::new();
        while let Some(line) = said.next().await.unwrap() {
            let line: Value = serde_json::from_slice(&line).unwrap();
            codes.push(line["error"]["code"].as_i64());
        }
        assert_eq!(codes, [Some(-32700), None, Some(-32600)]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let Heard::Wrong(said) =
            heard(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}"#)
        else {
            panic!("it is no call");
        };
        assert_eq!(
            said["error"]["message"],
            "`params` of tools/call: missing field `name`"
        );
    }
}
