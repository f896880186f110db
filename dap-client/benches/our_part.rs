//! Our own part of a step and of an evaluation, beside what an adapter takes: CPU time of this
//! process with an adapter in memory that answers at once from texts that were made before.
#![allow(
    clippy::unwrap_used,
    reason = "a bench that cannot go on has no result"
)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use fourfold_dap_client::{
    Debugger, DebuggerConfig, EvaluateQuery, LaunchRequest, Outcome, Pipes, Resume, Session,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio::runtime::Runtime;

/// Frames of each stack, and variables of the frame: a stop as a program of some size has it.
const FRAMES: usize = 20;
const VARIABLES: usize = 30;

fn bench(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (_folder, _debugger, session) = runtime.block_on(session());
    c.bench_function("step over", |bencher| {
        bencher.iter(|| step(&runtime, &session));
    });
    c.bench_function("evaluate", |bencher| {
        bencher.iter(|| {
            let value = runtime.block_on(session.evaluate(EvaluateQuery::new("total")));
            black_box(value.unwrap())
        });
    });
}

fn step(runtime: &Runtime, session: &Session) -> usize {
    let outcome = runtime
        .block_on(session.resume(Resume::StepOver, Duration::from_secs(5)))
        .unwrap();
    let Outcome::Stopped(stop) = &outcome else {
        panic!("{outcome}");
    };
    assert_eq!(stop.locals.items.len(), VARIABLES);
    // What a tool makes of it.
    black_box(outcome.to_string()).len()
}

async fn session() -> (tempfile::TempDir, Debugger, Session) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let source: String = (1..2000).map(|line| format!("total += {line}\n")).collect();
    std::fs::write(root.join("a.py"), source).unwrap();
    let path = root.join("a.py").display().to_string();
    let mut config = DebuggerConfig::new(root);
    config.limits.ttl = Duration::from_secs(1800);
    let debugger = Debugger::new(config);
    let request = LaunchRequest::new("debugpy", json!({ "program": path }));
    let (session, _) = debugger.launch_over(request, adapter(path)).await.unwrap();
    (folder, debugger, session)
}

/// Stops at every step.
fn adapter(path: String) -> Pipes {
    let (ours, mut pipe) = duplex(1 << 20);
    let (read, write) = tokio::io::split(ours);
    let frames: Vec<Value> = (0..FRAMES)
        .map(|id| {
            json!({
                "id": id, "name": format!("function_{id}"), "line": 100 + id, "column": 5,
                "source": { "path": path },
            })
        })
        .collect();
    let variables: Vec<Value> = (0..VARIABLES)
        .map(|id| json!({
            "name": format!("variable_{id}"), "value": format!("'{}'", "text ".repeat(20)),
            "type": "str", "variablesReference": id % 3, "evaluateName": format!("variable_{id}"),
        }))
        .collect();
    tokio::spawn(async move {
        loop {
            let mut header = Vec::new();
            while !header.ends_with(b"\r\n\r\n") {
                let Ok(byte) = pipe.read_u8().await else {
                    return;
                };
                header.push(byte);
            }
            let header = String::from_utf8(header).unwrap();
            let length = header.trim().rsplit(' ').next().unwrap().parse().unwrap();
            let mut body = vec![0; length];
            pipe.read_exact(&mut body).await.unwrap();
            let asked: Value = serde_json::from_slice(&body).unwrap();
            let command = asked["command"].as_str().unwrap();
            let body = match command {
                "initialize" => json!({ "supportsConfigurationDoneRequest": true }),
                "threads" => json!({ "threads": [{ "id": 1, "name": "MainThread" }] }),
                "stackTrace" => json!({ "stackFrames": frames, "totalFrames": FRAMES }),
                "scopes" => json!({ "scopes": [{ "name": "Locals", "variablesReference": 1 }] }),
                "variables" => json!({ "variables": variables }),
                "evaluate" => json!({ "result": "17", "type": "int", "variablesReference": 0 }),
                _ => json!({}),
            };
            let mut said = vec![json!({
                "seq": 1, "type": "response", "request_seq": asked["seq"], "success": true,
                "command": command, "body": body,
            })];
            match command {
                "launch" => said.push(json!({ "seq": 1, "type": "event", "event": "initialized" })),
                "configurationDone" | "next" => said.push(json!({
                    "seq": 1, "type": "event", "event": "stopped",
                    "body": { "reason": "step", "threadId": 1 },
                })),
                _ => {}
            }
            for message in said {
                let body = message.to_string();
                let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
                pipe.write_all(frame.as_bytes()).await.unwrap();
            }
        }
    });
    Pipes {
        read: Box::new(read),
        write: Box::new(write),
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
