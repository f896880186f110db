//! The language server that plays a [`Script`].

use std::collections::HashMap;
use std::process::{Command, Stdio};

use bytes::BytesMut;
use fourfold_framing::{Decoder, Frame, Limits};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};

use crate::log::Log;
use crate::problems;
use crate::script::{Script, Step, Style};

/// Plays a script until the server ends, and gives its exit code.
///
/// *Cancel safety*: dropped, the server is gone without a word, as one that was killed.
pub async fn serve(
    script: Script,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Send + Unpin + 'static,
    errors: impl AsyncWrite + Send + Unpin + 'static,
    log: Log,
) -> u8 {
    let (out, writes) = mpsc::unbounded_channel();
    let (ends, mut end) = watch::channel(None);
    let writer = tokio::spawn(write(writes, output, errors, ends));
    let mut server = Server {
        script,
        out,
        log,
        documents: HashMap::new(),
        root: String::new(),
        asked: 0,
        answered: watch::Sender::new(0),
        reads: true,
        shut_down: false,
    };
    let plays = server.play(input);
    let code = tokio::select! {
        biased;
        code = end.wait_for(Option::is_some) => code.ok().and_then(|code| *code).unwrap_or(0),
        never = plays => match never {},
    };
    // What a step before wrote is out; what one beside still waits to write never comes.
    writer.abort();
    code
}

/// What the writer does next.
enum Output {
    Bytes(Vec<u8>),
    Pieces(usize),
    Errors(String, usize),
    Close,
    Exit(u8),
}

/// Bytes that are written at once.
const BLOCK: usize = 64 * 1024;

/// One task writes, so that the server reads on while the client does not.
async fn write(
    mut writes: mpsc::UnboundedReceiver<Output>,
    output: impl AsyncWrite + Unpin,
    mut errors: impl AsyncWrite + Unpin,
    ends: watch::Sender<Option<u8>>,
) {
    let mut output = Some(output);
    let mut pieces = usize::MAX;
    let mut next = None;
    while let Some(write) = match next.take() {
        Some(write) => Some(write),
        None => writes.recv().await,
    } {
        match write {
            Output::Bytes(mut bytes) => {
                // What waits already goes in one write: a flood is no reason to be slow.
                next = loop {
                    match writes.try_recv() {
                        Ok(Output::Bytes(more)) if bytes.len() < BLOCK => bytes.extend(more),
                        other => break other.ok(),
                    }
                };
                for piece in bytes.chunks(pieces) {
                    if let Some(output) = &mut output {
                        // A client that does not listen any more is no reason to stop.
                        let _ = output.write_all(piece).await;
                        let _ = output.flush().await;
                    }
                    if pieces != usize::MAX {
                        tokio::task::yield_now().await;
                    }
                }
            }
            Output::Pieces(bytes) => pieces = bytes.max(1),
            Output::Errors(text, times) => {
                let at_once = (BLOCK / text.len().max(1)).clamp(1, times.max(1));
                let block = text.repeat(at_once);
                for _ in 0..times / at_once {
                    let _ = errors.write_all(block.as_bytes()).await;
                }
                let rest = text.repeat(times % at_once);
                let _ = errors.write_all(rest.as_bytes()).await;
                let _ = errors.flush().await;
            }
            Output::Close => {
                if let Some(mut output) = output.take() {
                    let _ = output.shutdown().await;
                }
            }
            Output::Exit(code) => {
                ends.send_replace(Some(code));
                return;
            }
        }
    }
}

/// The state of a server.
struct Server {
    script: Script,
    out: mpsc::UnboundedSender<Output>,
    log: Log,
    /// By URI: version, text, and whether the last publish was empty.
    documents: HashMap<String, Document>,
    root: String,
    /// How many requests were sent to the client.
    asked: usize,
    answered: watch::Sender<usize>,
    reads: bool,
    shut_down: bool,
}

#[derive(Clone, Default)]
struct Document {
    version: Value,
    text: String,
    was_clean: bool,
}

/// The message that a rule is about.
#[derive(Clone)]
struct Cause {
    method: String,
    id: Option<Value>,
    params: Value,
    uri: Option<String>,
    document: Document,
    root: String,
}

impl Server {
    async fn play(&mut self, mut input: impl AsyncRead + Unpin) -> std::convert::Infallible {
        let mut decoder = Decoder::new(Limits::default());
        let mut buffer = BytesMut::new();
        self.happened(json!({"method": "$start"}));
        loop {
            if !self.reads {
                std::future::pending::<()>().await;
            }
            match decoder.decode(&mut buffer) {
                Ok(Some(Frame::Body(body))) => {
                    let message = serde_json::from_slice::<Value>(&body)
                        .unwrap_or_else(|error| json!({"method": format!("$invalid: {error}")}));
                    self.log.add(&message);
                    if message.get("method").is_some() {
                        self.happened(message);
                    } else {
                        self.answered.send_modify(|answered| *answered += 1);
                    }
                    continue;
                }
                Ok(Some(Frame::Skipped(skipped))) => {
                    self.log
                        .add(&json!({"method": format!("$skipped: {skipped}")}));
                    continue;
                }
                Ok(None) => {}
                Err(error) => self
                    .log
                    .add(&json!({"method": format!("$broken: {error}")})),
            }
            if input.read_buf(&mut buffer).await.unwrap_or(0) == 0 {
                self.reads = false;
                self.happened(json!({"method": "$end"}));
            }
        }
    }

    fn happened(&mut self, message: Value) {
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let params = message["params"].clone();
        self.note(&method, &params);
        let uri = params["textDocument"]["uri"].as_str().map(str::to_owned);
        let document = uri.as_ref().and_then(|uri| self.documents.get(uri));
        let cause = Cause {
            id: message.get("id").cloned(),
            document: document.cloned().unwrap_or_default(),
            root: self.root.clone(),
            method,
            params,
            uri,
        };
        let rule = self
            .script
            .rules
            .iter_mut()
            .find(|rule| rule.on == cause.method && rule.times != Some(0));
        let steps = match rule {
            Some(rule) => {
                rule.times = rule.times.map(|times| times - 1);
                rule.steps.clone()
            }
            None => vec![Step::AsUsual],
        };
        let mut actions = Vec::new();
        for step in steps {
            if let Step::AsUsual = step {
                actions.extend(
                    self.usual(&cause)
                        .into_iter()
                        .map(|step| self.action(step, &cause)),
                );
            } else {
                actions.push(self.action(step, &cause));
            }
        }
        self.act(actions);
    }

    /// What a message changes in any server.
    fn note(&mut self, method: &str, params: &Value) {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
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
                self.documents.insert(uri, opened);
            }
            "textDocument/didChange" => {
                let known = self.documents.entry(uri).or_default();
                known.version = document["version"].clone();
                // Only whole texts: that is what our clients send.
                if let Some(text) = params["contentChanges"][0]["text"].as_str() {
                    known.text = text.to_owned();
                }
            }
            "textDocument/didClose" => {
                self.documents.remove(&uri);
            }
            _ => {}
        }
    }

    /// What the server does by its style.
    fn usual(&mut self, cause: &Cause) -> Vec<Step> {
        let style = self.script.style;
        match cause.method.as_str() {
            "$start" | "initialized" => Vec::new(),
            "$end" => vec![Step::Exit(u8::from(!self.shut_down))],
            "exit" => vec![Step::Exit(u8::from(!self.shut_down))],
            "initialize" => vec![Step::Answer(json!({
                "capabilities": self.script.announced(),
                "serverInfo": {"name": "fake", "version": "1"},
            }))],
            "shutdown" => vec![Step::Answer(Value::Null)],
            "textDocument/didOpen" | "textDocument/didChange" => {
                let clean = problems::found(&cause.document.text) == json!([]);
                let uri = cause.uri.clone().unwrap_or_default();
                let known = self.documents.entry(uri).or_default();
                let was_clean = std::mem::replace(&mut known.was_clean, clean);
                match style {
                    Style::Push => vec![Step::publish("$version", "$found")],
                    Style::PushWithoutVersion => vec![Step::publish(Value::Null, "$found")],
                    Style::PushUnlessClean if clean && was_clean => Vec::new(),
                    Style::PushUnlessClean => vec![Step::publish("$version", "$found")],
                    Style::Pull | Style::Silent => Vec::new(),
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

    /// A step with all that it needs to be done at any time.
    fn action(&mut self, step: Step, cause: &Cause) -> Action {
        let id = || cause.id.clone().unwrap_or(Value::Null);
        let output = match step {
            Step::AsUsual => return Action::None,
            Step::Answer(result) => {
                framed(&json!({"jsonrpc": "2.0", "id": id(), "result": cause.fill(result)}))
            }
            Step::Fail {
                code,
                message,
                data,
            } => {
                let mut error = json!({"code": code, "message": message});
                if !data.is_null() {
                    error["data"] = cause.fill(data);
                }
                framed(&json!({"jsonrpc": "2.0", "id": id(), "error": error}))
            }
            Step::Notify { method, params } => {
                framed(&json!({"jsonrpc": "2.0", "method": method, "params": cause.fill(params)}))
            }
            Step::Ask { method, params } => {
                self.asked += 1;
                let params = cause.fill(params);
                let id = format!("ask-{}", self.asked);
                framed(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            }
            Step::Wait(milliseconds) => return Action::Wait(milliseconds),
            Step::Answered => return Action::Answered(self.asked),
            Step::Raw(text) => Output::Bytes(text.into_bytes()),
            Step::RawTimes(text, times) => Output::Bytes(text.repeat(times).into_bytes()),
            Step::Pieces(bytes) => Output::Pieces(bytes),
            Step::Errors(text, times) => Output::Errors(text, times),
            Step::StopReading => {
                self.reads = false;
                return Action::None;
            }
            Step::CloseOutput => Output::Close,
            Step::Child => return Action::Child,
            Step::Exit(code) => Output::Exit(code),
        };
        Action::Write(output)
    }

    /// Does what can be done now, and the rest beside.
    fn act(&self, actions: Vec<Action>) {
        let mut rest = actions.into_iter();
        let waits = loop {
            match rest.next() {
                None => return,
                Some(action @ (Action::Wait(_) | Action::Answered(_))) => break action,
                Some(action) => action.done(&self.out),
            }
        };
        let out = self.out.clone();
        let mut answered = self.answered.subscribe();
        tokio::spawn(async move {
            for action in std::iter::once(waits).chain(rest) {
                match action {
                    Action::Wait(milliseconds) => {
                        tokio::time::sleep(Step::duration(milliseconds)).await;
                    }
                    Action::Answered(count) => {
                        let _ = answered.wait_for(|answered| *answered >= count).await;
                    }
                    action => action.done(&out),
                }
            }
        });
    }
}

/// A step with all that it needs.
enum Action {
    None,
    Write(Output),
    Wait(u64),
    Answered(usize),
    Child,
}

impl Action {
    fn done(self, out: &mpsc::UnboundedSender<Output>) {
        match self {
            Action::Write(output) => {
                let _ = out.send(output);
            }
            Action::Child => {
                let mut sleep = Command::new("sleep");
                sleep
                    .arg("3600")
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null());
                #[allow(clippy::zombie_processes, reason = "to leave it behind is the point")]
                sleep.spawn().unwrap();
            }
            Action::None | Action::Wait(_) | Action::Answered(_) => {}
        }
    }
}

fn framed(message: &Value) -> Output {
    let mut bytes = BytesMut::new();
    fourfold_framing::encode(message.to_string(), &mut bytes);
    Output::Bytes(bytes.to_vec())
}

impl Cause {
    /// A value with its placeholders replaced.
    fn fill(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.placeholder(&text).unwrap_or(Value::String(text)),
            Value::Array(items) => items.into_iter().map(|item| self.fill(item)).collect(),
            Value::Object(members) => members
                .into_iter()
                .map(|(name, value)| (name, self.fill(value)))
                .collect(),
            plain => plain,
        }
    }

    fn placeholder(&self, text: &str) -> Option<Value> {
        Some(match text {
            "$uri" => self.uri.clone().into(),
            "$version" => self.document.version.clone(),
            "$version-1" => (self.document.version.as_i64()? - 1).into(),
            "$text" => self.document.text.clone().into(),
            "$found" => problems::found(&self.document.text),
            "$params" => self.params.clone(),
            _ => format!("{}/{}", self.root, text.strip_prefix("$file:")?).into(),
        })
    }
}
