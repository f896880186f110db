//! The protocol without I/O: bytes in, items out; requests out, each answered at most once.
//!
//! [`Message::read`] makes a message of a body that [`fourfold_framing::Decoder`] delivered; a
//! [`Book`] knows what was asked and tells whose answer it is. Adapters number their messages as they
//! like (some always 0) and repeat the command or leave it out: `request_seq` alone decides.

use std::collections::BTreeMap;

use bytes::BytesMut;
use fourfold_framing::mended;
use serde_json::{Map, Value, json};

use crate::protocol::{Fault, int};

/// One message from an adapter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// It answers a request of ours.
    Response {
        /// The request's number.
        request_seq: i64,
        /// Its body, or why there is none.
        outcome: Result<Value, Fault>,
    },
    /// Something happened.
    Event {
        /// What.
        event: String,
        /// What is to be known about it.
        body: Value,
    },
    /// It wants something from us, and waits for the answer.
    Request {
        /// The number to answer to.
        seq: i64,
        /// What it wants.
        command: String,
        /// More about it.
        arguments: Value,
    },
}

/// A body that is no message; the text says why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoMessage(String);

impl Message {
    /// Reads one body. Broken UTF-8, a byte order mark, halves of surrogate pairs, numbers as text
    /// are forgiven; fields that are not known are ignored.
    ///
    /// # Errors
    /// When it is no message whatever one forgives.
    pub fn read(body: &[u8]) -> Result<Self, NoMessage> {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let value: Value = serde_json::from_slice(body).or_else(|error| {
            serde_json::from_str(&mended(body)).map_err(|_| NoMessage(error.to_string()))
        })?;
        let Value::Object(mut message) = value else {
            return Err(NoMessage("it is not an object".to_owned()));
        };
        let mut text = |key: &str| match message.remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (kind, event, command) = (text("type"), text("event"), text("command"));
        match (kind.as_deref(), event, command) {
            (Some("response"), ..) => response(message),
            (Some("event"), Some(event), _) => Ok(Self::Event {
                event,
                body: message.remove("body").unwrap_or_default(),
            }),
            (Some("request"), _, Some(command)) => Ok(Self::Request {
                seq: message.get("seq").and_then(int).unwrap_or_default(),
                command,
                arguments: message.remove("arguments").unwrap_or_default(),
            }),
            (kind, ..) => Err(NoMessage(format!(
                "it is neither response nor event nor request (type {})",
                kind.unwrap_or("missing")
            ))),
        }
    }
}

fn response(mut message: Map<String, Value>) -> Result<Message, NoMessage> {
    let Some(request_seq) = message.get("request_seq").and_then(int) else {
        return Err(NoMessage("it answers nobody knows what".to_owned()));
    };
    let body = message.remove("body").unwrap_or_default();
    // What does not say that it succeeded has failed.
    let outcome = match message.get("success") {
        Some(Value::Bool(true)) => Ok(body),
        _ => Err(Fault::read(message.get("message"), &body)),
    };
    Ok(Message::Response {
        request_seq,
        outcome,
    })
}

/// What was asked and is not answered yet; `T` is whatever the asker wants back with the answer.
#[derive(Debug)]
pub struct Book<T> {
    next_seq: i64,
    pending: BTreeMap<i64, (String, T)>,
}

/// What a message means for us.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub enum Item<T> {
    /// A request of ours was answered.
    Answer {
        /// What came with the request.
        tag: T,
        /// What was asked.
        command: String,
        /// The body, or why there is none.
        outcome: Result<Value, Fault>,
    },
    /// Something happened.
    Event {
        /// What.
        event: String,
        /// More about it.
        body: Value,
    },
    /// An answer is wanted from us: see [`Book::answer`].
    Asked {
        /// The number to answer to.
        seq: i64,
        /// What is wanted.
        command: String,
        /// More about it.
        arguments: Value,
    },
    /// An answer that nobody waits for: a second one, one that came too late, one to nothing.
    Stray {
        /// The number that it names.
        request_seq: i64,
    },
}

impl<T> Default for Book<T> {
    fn default() -> Self {
        Self {
            next_seq: 1,
            pending: BTreeMap::new(),
        }
    }
}

impl<T> Book<T> {
    /// The number and the frame of a request. Null arguments are left out.
    pub fn request(&mut self, command: &str, arguments: Value, tag: T) -> (i64, BytesMut) {
        let seq = self.next();
        self.pending.insert(seq, (command.to_owned(), tag));
        let mut message = Map::new();
        message.insert("seq".to_owned(), seq.into());
        message.insert("type".to_owned(), "request".into());
        message.insert("command".to_owned(), command.into());
        if !arguments.is_null() {
            message.insert("arguments".to_owned(), arguments);
        }
        (seq, frame(&Value::Object(message)))
    }

    /// The frame of an answer to a request of the adapter.
    pub fn answer(
        &mut self,
        request_seq: i64,
        command: &str,
        outcome: Result<Value, String>,
    ) -> BytesMut {
        let seq = self.next();
        let mut message = json!({
            "seq": seq,
            "type": "response",
            "request_seq": request_seq,
            "success": outcome.is_ok(),
            "command": command,
        });
        match outcome {
            Ok(Value::Null) => {}
            Ok(body) => message["body"] = body,
            Err(why) => message["message"] = why.into(),
        }
        frame(&message)
    }

    /// What a message means.
    pub fn settle(&mut self, message: Message) -> Item<T> {
        match message {
            Message::Response {
                request_seq,
                outcome,
            } => match self.pending.remove(&request_seq) {
                Some((command, tag)) => Item::Answer {
                    tag,
                    command,
                    outcome,
                },
                None => Item::Stray { request_seq },
            },
            Message::Event { event, body } => Item::Event { event, body },
            Message::Request {
                seq,
                command,
                arguments,
            } => Item::Asked {
                seq,
                command,
                arguments,
            },
        }
    }

    /// Nobody waits for this answer any more.
    pub fn forget(&mut self, seq: i64) -> Option<T> {
        self.pending.remove(&seq).map(|(_, tag)| tag)
    }

    /// Everything that waits, when no answer will come any more.
    pub fn close(&mut self) -> Vec<T> {
        let pending = std::mem::take(&mut self.pending);
        pending.into_values().map(|(_, tag)| tag).collect()
    }

    /// How many answers are awaited.
    #[must_use]
    pub fn awaited(&self) -> usize {
        self.pending.len()
    }

    fn next(&mut self) -> i64 {
        let seq = self.next_seq;
        self.next_seq += 1;
        seq
    }
}

fn frame(message: &Value) -> BytesMut {
    let mut frame = BytesMut::new();
    fourfold_framing::encode(message.to_string(), &mut frame);
    frame
}

#[cfg(test)]
mod tests;
