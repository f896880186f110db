//! What plays a [`Script`]: a language server or a debug adapter, as its style says.

mod adapter;
mod server;
mod write;

use std::process::{Command, Stdio};
use std::sync::Arc;

use bytes::BytesMut;
use fourfold_framing::{Decoder, Frame, Limits};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};

use crate::log::{Log, named};
use crate::script::{Rule, Script, Step};

use write::{Output, write};

/// Plays a script until the peer ends, and gives its exit code.
///
/// *Cancel safety*: dropped, the peer is gone without a word, as one that was killed.
pub async fn serve(
    script: Script,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Send + Unpin + 'static,
    errors: impl AsyncWrite + Send + Unpin + 'static,
    log: Log,
) -> u8 {
    let rules = Arc::new(Mutex::new(script.rules.clone()));
    play(&script, rules, input, output, errors, log).await
}

/// Listens as the script says, prints where, and plays the script on every connection until the
/// first of them ends; gives the exit code of that one.
///
/// # Errors
/// When it cannot listen or print.
pub async fn listen(script: &Script, log: Log) -> std::io::Result<u8> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    if let Some(line) = &script.listen {
        let line = line.replace("$address", &listener.local_addr()?.to_string());
        let mut output = tokio::io::stdout();
        output.write_all(format!("{line}\n").as_bytes()).await?;
        output.flush().await?;
    }
    let rules = Arc::new(Mutex::new(script.rules.clone()));
    let (ended, mut ends) = mpsc::channel(1);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            code = ends.recv() => return Ok(code.unwrap_or(0)),
        };
        let (input, output) = accepted?.0.into_split();
        let (script, rules, log) = (script.clone(), rules.clone(), log.clone());
        let ended = ended.clone();
        tokio::spawn(async move {
            let errors = tokio::io::stderr();
            let code = play(&script, rules, input, output, errors, log).await;
            let _ = ended.send(code).await;
        });
    }
}

async fn play(
    script: &Script,
    rules: Arc<Mutex<Vec<Rule>>>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Send + Unpin + 'static,
    errors: impl AsyncWrite + Send + Unpin + 'static,
    log: Log,
) -> u8 {
    let (out, writes) = mpsc::unbounded_channel();
    let (ends, mut end) = watch::channel(None);
    let writer = tokio::spawn(write(writes, output, errors, ends));
    let speech: Box<dyn Speech> = match script.style.is_adapter() {
        true => Box::new(adapter::Adapter::of(script)),
        false => Box::new(server::Server::of(script)),
    };
    let mut peer = Peer {
        rules,
        speech,
        out,
        log,
        asked: 0,
        answered: watch::Sender::new(0),
        reads: true,
    };
    let plays = peer.play(input);
    let code = tokio::select! {
        biased;
        code = end.wait_for(Option::is_some) => code.ok().and_then(|code| *code).unwrap_or(0),
        never = plays => match never {},
    };
    // What a step before wrote is out; what one beside still waits to write never comes.
    writer.abort();
    code
}

/// The protocol that a peer speaks, and what it does by itself.
trait Speech: Send {
    /// Takes note of what a message changes in any peer, and gives what the placeholders of a rule
    /// about it stand for.
    fn note(&mut self, method: &str, params: &Value) -> Placeholders;
    /// What the peer does by its style.
    fn usual(&mut self, cause: &Cause) -> Vec<Step>;
    /// A message with the answer to a request.
    fn answer(&mut self, cause: &Cause, result: Value) -> Value;
    /// A message that refuses a request.
    fn failure(&mut self, cause: &Cause, code: i64, message: &str, data: Value) -> Value;
    /// A message that wants no answer.
    fn notification(&mut self, method: &str, params: Value) -> Value;
    /// The `number`-th message that wants one.
    fn request(&mut self, number: usize, method: &str, params: Value) -> Value;
}

/// What the placeholders of a rule stand for.
#[derive(Clone, Default)]
struct Placeholders {
    words: Vec<(&'static str, Value)>,
    /// What the paths of `$file:PATH` are below.
    root: String,
}

/// The message that a rule is about.
#[derive(Clone)]
struct Cause {
    method: String,
    /// The number of a request.
    id: Option<Value>,
    params: Value,
    placeholders: Placeholders,
}

/// The state of a peer.
struct Peer {
    rules: Arc<Mutex<Vec<Rule>>>,
    speech: Box<dyn Speech>,
    out: mpsc::UnboundedSender<Output>,
    log: Log,
    /// How many requests were sent to the client.
    asked: usize,
    answered: watch::Sender<usize>,
    reads: bool,
}

impl Peer {
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
                    match named(&message) {
                        Some(_) => self.happened(message),
                        None => self.answered.send_modify(|answered| *answered += 1),
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
        let (method, params) = named(&message).unwrap_or_default();
        let placeholders = self.speech.note(&method, &params);
        // The protocols number their requests in members of different names.
        let id = message.get("id").or_else(|| message.get("seq")).cloned();
        let cause = Cause {
            id,
            method,
            params,
            placeholders,
        };
        let mut rules = self.rules.lock();
        let rule = rules
            .iter_mut()
            .find(|rule| rule.on == cause.method && rule.times != Some(0));
        let steps = match rule {
            Some(rule) => {
                rule.times = rule.times.map(|times| times - 1);
                rule.steps.clone()
            }
            None => vec![Step::AsUsual],
        };
        drop(rules);
        let mut actions = Vec::new();
        for step in steps {
            if let Step::AsUsual = step {
                actions.extend(
                    self.speech
                        .usual(&cause)
                        .into_iter()
                        .map(|step| self.action(step, &cause)),
                );
            } else {
                actions.push(self.action(step, &cause));
            }
        }
        self.act(actions);
    }

    /// A step with all that it needs to be done at any time.
    fn action(&mut self, step: Step, cause: &Cause) -> Action {
        let output = match step {
            Step::AsUsual => return Action::None,
            Step::Answer(result) => framed(&self.speech.answer(cause, cause.fill(result))),
            Step::Fail {
                code,
                message,
                data,
            } => {
                let data = cause.fill(data);
                framed(&self.speech.failure(cause, code, &message, data))
            }
            Step::Notify { method, params } => {
                framed(&self.speech.notification(&method, cause.fill(params)))
            }
            Step::Ask { method, params } => {
                self.asked += 1;
                let params = cause.fill(params);
                framed(&self.speech.request(self.asked, &method, params))
            }
            Step::Say(message) => framed(&cause.fill(message)),
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
        let known = &self.placeholders;
        if text == "$params" {
            return Some(self.params.clone());
        }
        if let Some(path) = text.strip_prefix("$file:") {
            return Some(format!("{}/{path}", known.root).into());
        }
        let (_, value) = known.words.iter().find(|(word, _)| *word == text)?;
        Some(value.clone())
    }
}
