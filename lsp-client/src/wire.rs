//! The JSON-RPC envelope, read leniently and written strictly.

use bytes::BytesMut;
use fourfold_framing::mended;
use serde_json::{Map, Value, json};

/// The server was asked for something it does not know.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// A request was cancelled, by us or by the server itself.
const REQUEST_CANCELLED: i64 = -32800;
/// What the request was about changed while it was worked on.
const CONTENT_MODIFIED: i64 = -32801;
/// The server gave the request up, and may want to be asked again.
const SERVER_CANCELLED: i64 = -32802;

/// One message from the server.
#[derive(Debug, PartialEq)]
pub(crate) enum Incoming {
    /// It wants an answer with this id, whatever the id is.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    /// It wants no answer.
    Notification { method: String, params: Value },
    /// It answers a request of ours.
    Response {
        id: i64,
        outcome: Result<Value, Fault>,
    },
}

/// The error of a response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Value,
}

/// Why a request was not answered although nothing is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// A document changed while the server worked on it.
    ContentModified,
    /// The server gave up, and wants to be asked again or not.
    ByServer {
        /// Whether it wants to be asked again.
        retrigger: bool,
    },
    /// The server says that the request was cancelled. We did not.
    Cancelled,
}

impl Fault {
    pub(crate) fn method_not_found(method: &str) -> Self {
        Self {
            code: METHOD_NOT_FOUND,
            message: format!("the client does not know {method}"),
            data: Value::Null,
        }
    }

    /// Whether asking again may help.
    pub(crate) fn interrupted(&self) -> Option<Interrupted> {
        match self.code {
            REQUEST_CANCELLED => Some(Interrupted::Cancelled),
            CONTENT_MODIFIED => Some(Interrupted::ContentModified),
            SERVER_CANCELLED => Some(Interrupted::ByServer {
                retrigger: self.data.get("retriggerRequest") != Some(&Value::Bool(false)),
            }),
            _ => None,
        }
    }

    /// Reads the `error` of a response; whatever it is, it is one.
    fn read(error: &Value) -> Self {
        let message = match error.get("message") {
            Some(Value::String(message)) => message.clone(),
            _ => error.to_string(),
        };
        Self {
            code: error.get("code").and_then(whole).unwrap_or_default(),
            message,
            data: error.get("data").cloned().unwrap_or_default(),
        }
    }
}

/// A body that is no message, with the reason.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoMessage(String);

impl Incoming {
    /// Reads one body. A byte order mark, broken UTF-8 and an id of ours that comes back as text
    /// are forgiven; an answer with neither result nor error has the result null; `"id": null`
    /// beside a method is no id.
    pub(crate) fn read(body: &[u8]) -> Result<Self, NoMessage> {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let value: Value = serde_json::from_slice(body).or_else(|error| {
            serde_json::from_str(&mended(body)).map_err(|_| NoMessage(error.to_string()))
        })?;
        let Value::Object(mut message) = value else {
            return Err(NoMessage("it is not an object".to_owned()));
        };
        let id = message.remove("id").filter(|id| !id.is_null());
        let params = message.remove("params").unwrap_or_default();
        match (message.remove("method"), id) {
            (Some(Value::String(method)), Some(id)) => Ok(Self::Request { id, method, params }),
            (Some(Value::String(method)), None) => Ok(Self::Notification { method, params }),
            (Some(_), _) => Err(NoMessage("its method is not text".to_owned())),
            (None, Some(id)) => match whole(&id) {
                Some(id) => Ok(Self::Response {
                    id,
                    outcome: outcome(&mut message),
                }),
                None => Err(NoMessage(format!("it answers {id}, which was never asked"))),
            },
            (None, None) => Err(NoMessage(match message.get("error") {
                Some(error) => format!("the server reports: {}", Fault::read(error).message),
                None => "it has neither method nor id".to_owned(),
            })),
        }
    }
}

fn outcome(message: &mut Map<String, Value>) -> Result<Value, Fault> {
    match message.remove("error") {
        None | Some(Value::Null) => Ok(message.remove("result").unwrap_or_default()),
        Some(error) => Err(Fault::read(&error)),
    }
}

/// A whole number, also when it was written as text or with a fraction of zero.
fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let number = number.as_f64()?;
            (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
        }),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// A frame with a request of ours. Null `params` are left out: some servers refuse them.
pub(crate) fn request(id: i64, method: &str, params: Value) -> BytesMut {
    let mut message = envelope(method, params);
    message.insert("id".to_owned(), id.into());
    frame(message)
}

/// A frame with a notification of ours. Null `params` are left out.
pub(crate) fn notification(method: &str, params: Value) -> BytesMut {
    frame(envelope(method, params))
}

/// A frame with an answer of ours.
pub(crate) fn response(id: Value, outcome: Result<Value, Fault>) -> BytesMut {
    let (key, value) = match outcome {
        Ok(result) => ("result", result),
        Err(fault) => (
            "error",
            json!({ "code": fault.code, "message": fault.message }),
        ),
    };
    let mut message = Map::new();
    message.insert("jsonrpc".to_owned(), "2.0".into());
    message.insert("id".to_owned(), id);
    message.insert(key.to_owned(), value);
    frame(message)
}

fn envelope(method: &str, params: Value) -> Map<String, Value> {
    let mut message = Map::new();
    message.insert("jsonrpc".to_owned(), "2.0".into());
    message.insert("method".to_owned(), method.into());
    if !params.is_null() {
        message.insert("params".to_owned(), params);
    }
    message
}

fn frame(message: Map<String, Value>) -> BytesMut {
    let mut frame = BytesMut::new();
    fourfold_framing::encode(Value::Object(message).to_string(), &mut frame);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Incoming {
        Incoming::read(text.as_bytes()).expect("a message")
    }

    fn answer(id: i64, result: Value) -> Incoming {
        Incoming::Response {
            id,
            outcome: Ok(result),
        }
    }

    #[test]
    fn tells_the_three_kinds_apart() {
        assert_eq!(
            read(r#"{"id":"a/1","method":"m","params":[1]}"#),
            Incoming::Request {
                id: json!("a/1"),
                method: "m".to_owned(),
                params: json!([1])
            }
        );
        assert_eq!(
            read(r#"{"id":null,"method":"m"}"#),
            Incoming::Notification {
                method: "m".to_owned(),
                params: Value::Null
            }
        );
        assert_eq!(read(r#"{"id":7,"result":{}}"#), answer(7, json!({})));
    }

    #[test]
    fn forgives_ids_and_missing_results() {
        assert_eq!(read(r#"{"id":"7","result":1}"#), answer(7, json!(1)));
        assert_eq!(read(r#"{"id":7.0,"result":1}"#), answer(7, json!(1)));
        assert_eq!(read(r#"{"id":7}"#), answer(7, Value::Null));
        assert_eq!(read(r#"{"id":7,"error":null}"#), answer(7, Value::Null));
        assert_eq!(read("\u{feff}{\"id\":7}"), answer(7, Value::Null));
    }

    #[test]
    fn an_error_is_an_error_whatever_it_looks_like() {
        let fault = |text: &str| match read(text) {
            Incoming::Response {
                outcome: Err(fault),
                ..
            } => fault,
            other => panic!("{other:?}"),
        };
        let plain = fault(r#"{"id":1,"error":"no"}"#);
        assert_eq!((plain.code, &*plain.message), (0, "\"no\""));
        let cancelled = |data| {
            fault(&format!(
                r#"{{"id":1,"error":{{"code":-32802,"message":"","data":{data}}}}}"#
            ))
            .interrupted()
        };
        let by_server = |retrigger| Some(Interrupted::ByServer { retrigger });
        assert_eq!(cancelled("null"), by_server(true));
        assert_eq!(cancelled(r#"{"retriggerRequest":true}"#), by_server(true));
        assert_eq!(cancelled(r#"{"retriggerRequest":false}"#), by_server(false));
    }

    #[test]
    fn what_is_no_message_says_why() {
        let why = |text: &str| {
            Incoming::read(text.as_bytes())
                .expect_err("no message")
                .to_string()
        };
        assert_eq!(why("[]"), "it is not an object");
        assert_eq!(why(r#"{"method":3}"#), "its method is not text");
        assert_eq!(
            why(r#"{"id":null,"error":{"code":-32700,"message":"parse error"}}"#),
            "the server reports: parse error"
        );
        assert!(why("{").starts_with("EOF while parsing"), "{}", why("{"));
    }

    #[test]
    fn halves_of_surrogate_pairs_and_broken_utf8_lose_only_themselves() {
        let text = r#"{"id":1,"result":"a\ud83d\ude00b\ud83d c\\ud83d\ude00\"\ud83d"}"#;
        assert_eq!(
            read(text),
            answer(1, json!("a😀b\u{fffd} c\\ud83d\u{fffd}\"\u{fffd}"))
        );
        let mut bytes = br#"{"id":1,"result":"x"}"#.to_vec();
        bytes[18] = 0xff;
        let read = Incoming::read(&bytes).expect("a message");
        assert_eq!(read, answer(1, json!("\u{fffd}")));
    }

    #[test]
    fn writes_what_strict_servers_accept() {
        let text = |frame: BytesMut| String::from_utf8(frame.to_vec()).expect("text");
        let shutdown = text(request(1, "shutdown", Value::Null));
        let (header, body) = shutdown.split_once("\r\n\r\n").expect("a frame");
        assert_eq!(header, "Content-Length: 44");
        assert_eq!(
            serde_json::from_str::<Value>(body).expect("JSON"),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "shutdown" })
        );
        assert!(text(response(json!("x"), Ok(Value::Null))).contains("\"result\":null"));
        assert!(
            text(response(json!(1), Err(Fault::method_not_found("x/y"))))
                .contains("\"code\":-32601")
        );
    }
}
