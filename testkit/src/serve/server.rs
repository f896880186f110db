//! A language server.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Cause, Placeholders, Speech};
use crate::problems;
use crate::script::{Script, Step, Style};

/// The state of a server.
pub(super) struct Server {
    style: Style,
    announced: Value,
    /// By URI.
    documents: HashMap<String, Document>,
    root: String,
    shut_down: bool,
}

#[derive(Clone, Default)]
struct Document {
    version: Value,
    text: String,
    /// Whether the last publish was empty.
    was_clean: bool,
}

impl Server {
    pub(super) fn of(script: &Script) -> Server {
        Server {
            style: script.style,
            announced: script.announced(),
            documents: HashMap::new(),
            root: String::new(),
            shut_down: false,
        }
    }
}

/// The document that a message is about.
fn uri(params: &Value) -> Option<String> {
    params["textDocument"]["uri"].as_str().map(str::to_owned)
}

impl Speech for Server {
    fn note(&mut self, method: &str, params: &Value) -> Placeholders {
        let document = &params["textDocument"];
        let name = document["uri"].as_str().unwrap_or_default().to_owned();
        match method {
            "initialize" => {
                let root = params["rootUri"].as_str().unwrap_or_default();
                self.root = root.trim_end_matches('/').to_owned();
            }
            "shutdown" => self.shut_down = true,
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default();
                let opened = Document {
                    version: document["version"].clone(),
                    text: text.to_owned(),
                    was_clean: false,
                };
                self.documents.insert(name, opened);
            }
            "textDocument/didChange" => {
                let known = self.documents.entry(name).or_default();
                known.version = document["version"].clone();
                // Only whole texts: that is what our clients send.
                if let Some(text) = params["contentChanges"][0]["text"].as_str() {
                    known.text = text.to_owned();
                }
            }
            "textDocument/didClose" => {
                self.documents.remove(&name);
            }
            _ => {}
        }
        let uri = uri(params);
        let known = uri.as_ref().and_then(|uri| self.documents.get(uri));
        let Document { version, text, .. } = known.cloned().unwrap_or_default();
        let mut words = vec![
            ("$uri", uri.into()),
            ("$found", problems::found(&text)),
            ("$text", text.into()),
        ];
        if let Some(number) = version.as_i64() {
            words.push(("$version-1", (number - 1).into()));
        }
        words.push(("$version", version));
        Placeholders {
            words,
            root: self.root.clone(),
        }
    }

    fn usual(&mut self, cause: &Cause) -> Vec<Step> {
        let style = self.style;
        match cause.method.as_str() {
            "$start" | "initialized" => Vec::new(),
            "$end" => vec![Step::Exit(u8::from(!self.shut_down))],
            "exit" => vec![Step::Exit(u8::from(!self.shut_down))],
            "initialize" => vec![Step::Answer(json!({
                "capabilities": self.announced.clone(),
                "serverInfo": {"name": "fake", "version": "1"},
            }))],
            "shutdown" => vec![Step::Answer(Value::Null)],
            "textDocument/didOpen" | "textDocument/didChange" => {
                let uri = uri(&cause.params).unwrap_or_default();
                let known = self.documents.entry(uri).or_default();
                let clean = problems::found(&known.text) == json!([]);
                let was_clean = std::mem::replace(&mut known.was_clean, clean);
                match style {
                    Style::Push => vec![Step::publish("$version", "$found")],
                    Style::PushWithoutVersion => vec![Step::publish(Value::Null, "$found")],
                    Style::PushUnlessClean if clean && was_clean => Vec::new(),
                    Style::PushUnlessClean => vec![Step::publish("$version", "$found")],
                    _ => Vec::new(),
                }
            }
            "textDocument/diagnostic" if style == Style::Pull => {
                vec![Step::answer_pull("$found")]
            }
            method if cause.id.is_some() => {
                vec![Step::fail(-32601, &format!("{method} is unknown"))]
            }
            _ => Vec::new(),
        }
    }

    fn answer(&mut self, cause: &Cause, result: Value) -> Value {
        json!({"jsonrpc": "2.0", "id": cause.id, "result": result})
    }

    fn failure(&mut self, cause: &Cause, code: i64, message: &str, data: Value) -> Value {
        let mut error = json!({"code": code, "message": message});
        if !data.is_null() {
            error["data"] = data;
        }
        json!({"jsonrpc": "2.0", "id": cause.id, "error": error})
    }

    fn notification(&mut self, method: &str, params: Value) -> Value {
        json!({"jsonrpc": "2.0", "method": method, "params": params})
    }

    fn request(&mut self, number: usize, method: &str, params: Value) -> Value {
        let id = format!("ask-{number}");
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }
}
