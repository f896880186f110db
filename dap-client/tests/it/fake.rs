//! An adapter in memory: a function from a request to what is said.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use fourfold_dap_client::{AdapterCatalog, Debugger, DebuggerConfig, LaunchRequest, Pipes};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

/// What an adapter says to one request, in order.
pub(crate) enum Say {
    Yes(Value),
    No(&'static str),
    Event(&'static str, Value),
    /// The answer to an earlier request, by its number.
    Late(i64),
    /// A request of its own.
    Ask(&'static str),
    Bytes(&'static [u8]),
    Wait(Duration),
    Close,
}

/// Every request that came, with its arguments.
pub(crate) type Heard = Arc<Mutex<Vec<(String, Value)>>>;

/// A debugger whose checkout is a folder with `a.py` of ten lines.
pub(crate) struct Scene {
    pub(crate) debugger: Debugger,
    pub(crate) folder: tempfile::TempDir,
}

pub(crate) fn scene(change: impl FnOnce(&mut DebuggerConfig)) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (1..=10)
        .map(|number| format!("line{number} = {number}\n"))
        .collect();
    std::fs::write(folder.path().join("a.py"), lines).unwrap();
    let mut config = DebuggerConfig::new(folder.path().canonicalize().unwrap());
    change(&mut config);
    Scene {
        debugger: Debugger::new(config),
        folder,
    }
}

impl Scene {
    pub(crate) fn path(&self) -> String {
        let folder = self.folder.path().canonicalize().unwrap();
        folder.join("a.py").display().to_string()
    }
}

pub(crate) fn request() -> LaunchRequest {
    LaunchRequest::new("debugpy", json!({ "program": "a.py" }))
}

/// The pipes to an adapter that answers by `script`; what it does not say is said by [`usual`].
pub(crate) fn adapter<F>(mut script: F) -> (Pipes, Heard)
where
    F: FnMut(&str, &Value) -> Option<Vec<Say>> + Send + 'static,
{
    let (ours, theirs) = duplex(1 << 20);
    let (read, write) = tokio::io::split(ours);
    let heard = Heard::default();
    let hears = Arc::clone(&heard);
    let catalog = AdapterCatalog::built_in();
    let preparations = catalog.get("debugpy").unwrap().preparations.clone();
    tokio::spawn(async move {
        let mut pipe = theirs;
        let mut seq = 0;
        while let Some(message) = receive(&mut pipe).await {
            if message["type"] == "response" {
                hears.lock().unwrap().push(("response".to_owned(), message));
                continue;
            }
            let command = message["command"].as_str().unwrap_or_default().to_owned();
            let arguments = message["arguments"].clone();
            let prepares = preparations
                .iter()
                .any(|(its, with)| *its == command && *with == arguments);
            if prepares {
                // What the row sends of itself is not part of the script.
                let reply = json!({
                    "type": "response", "request_seq": message["seq"], "success": true,
                });
                let body = reply.to_string();
                let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
                if pipe.write_all(frame.as_bytes()).await.is_err() {
                    return;
                }
                continue;
            }
            hears
                .lock()
                .unwrap()
                .push((command.clone(), arguments.clone()));
            let said = script(&command, &arguments).unwrap_or_else(|| usual(&command));
            for say in said {
                seq += 1;
                let reply = |success: bool, key: &str, value: Value| {
                    json!({
                        "seq": 0, "type": "response", "request_seq": message["seq"],
                        "success": success, "command": "", key: value,
                    })
                };
                let sent = match say {
                    Say::Yes(body) => reply(true, "body", body),
                    Say::No(why) => reply(false, "message", why.into()),
                    Say::Event(event, body) => {
                        json!({ "seq": seq, "type": "event", "event": event, "body": body })
                    }
                    Say::Late(number) => {
                        json!({ "type": "response", "request_seq": number, "success": true })
                    }
                    Say::Ask(command) => {
                        json!({ "seq": seq, "type": "request", "command": command })
                    }
                    Say::Bytes(bytes) => {
                        if pipe.write_all(bytes).await.is_err() {
                            return;
                        }
                        continue;
                    }
                    Say::Wait(time) => {
                        tokio::time::sleep(time).await;
                        continue;
                    }
                    Say::Close => return,
                };
                let body = sent.to_string();
                let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
                if pipe.write_all(frame.as_bytes()).await.is_err() {
                    return;
                }
            }
        }
    });
    (
        Pipes {
            read: Box::new(read),
            write: Box::new(write),
        },
        heard,
    )
}

/// An adapter that answers everything, and whose program runs and runs.
pub(crate) fn usual(command: &str) -> Vec<Say> {
    match command {
        "initialize" => vec![Say::Yes(json!({
            "supportsConfigurationDoneRequest": true,
            "supportsConditionalBreakpoints": true,
            "supportsSetVariable": true,
        }))],
        "launch" => vec![Say::Event("initialized", json!({})), Say::Yes(Value::Null)],
        "setBreakpoints" => vec![Say::Yes(
            json!({ "breakpoints": [{ "id": 1, "verified": true }] }),
        )],
        "threads" => vec![Say::Yes(
            json!({ "threads": [{ "id": 1, "name": "main" }] }),
        )],
        "disconnect" => vec![Say::Yes(Value::Null), Say::Close],
        _ => vec![Say::Yes(json!({}))],
    }
}

/// A stop of thread 1.
pub(crate) fn stopped(reason: &str) -> Say {
    Say::Event(
        "stopped",
        json!({ "reason": reason, "threadId": 1, "allThreadsStopped": true }),
    )
}

/// A stack of one frame with the id 7.
pub(crate) fn stack(path: &str, line: u32) -> Say {
    Say::Yes(json!({ "stackFrames": [
        { "id": 7, "name": "f", "line": line, "column": 1, "source": { "path": path } },
    ] }))
}

async fn receive(pipe: &mut DuplexStream) -> Option<Value> {
    let mut header = Vec::new();
    while !header.ends_with(b"\r\n\r\n") {
        header.push(pipe.read_u8().await.ok()?);
    }
    let header = String::from_utf8(header).ok()?;
    let length = header
        .trim()
        .strip_prefix("Content-Length: ")?
        .parse()
        .ok()?;
    let mut body = vec![0; length];
    pipe.read_exact(&mut body).await.ok()?;
    serde_json::from_slice(&body).ok()
}
