//! Adapters that die, hang, lie and shout.

use std::time::Duration;

use fourfold_dap_client::{DebugError, EvaluateQuery, Outcome, Resume, Why};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fake::{Say, adapter, request, scene, stack, stopped};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn one_that_never_becomes_ready() {
    let scene = scene(|_| {});
    let (pipes, _) = adapter(|command, _| (command == "launch").then(Vec::new));
    let begin = Instant::now();
    let error = scene
        .debugger
        .launch_over(request(), pipes)
        .await
        .unwrap_err();
    assert_eq!(begin.elapsed().as_secs(), 30);
    assert!(
        error.to_string().contains("while launching the program"),
        "{error}"
    );
    assert!(scene.debugger.status().session.is_none());
}

#[tokio::test(start_paused = true)]
async fn one_that_dies_at_the_start() {
    let scene = scene(|_| {});
    let (pipes, _) = adapter(|_, _| Some(vec![Say::Bytes(b"Traceback: oh no\n"), Say::Close]));
    let error = scene
        .debugger
        .launch_over(request(), pipes)
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("while initializing the adapter: it closed the connection"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn one_that_dies_in_the_middle() {
    let scene = scene(|_| {});
    let path = scene.path();
    let (pipes, _) = adapter(move |command, _| match command {
        "configurationDone" => Some(vec![Say::Yes(Value::Null), stopped("breakpoint")]),
        "stackTrace" => Some(vec![stack(&path, 2)]),
        "continue" => Some(vec![Say::Yes(Value::Null), Say::Wait(SECOND), Say::Close]),
        _ => None,
    });
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let outcome = session.resume(Resume::Continue, 10 * SECOND).await.unwrap();
    let Outcome::SessionEnded(end) = outcome else {
        panic!("{outcome}");
    };
    assert!(matches!(end.why, Why::AdapterGone { .. }), "{end}");
    assert!(scene.debugger.status().session.is_none());
}

#[tokio::test(start_paused = true)]
async fn one_that_prints_what_is_no_message() {
    let scene = scene(|_| {});
    let path = scene.path();
    let (pipes, _) = adapter(move |command, _| match command {
        "configurationDone" => Some(vec![
            Say::Bytes(b"a banner\nContent-Length: 4\r\n\r\n[1]\n"),
            Say::Bytes(b"Content-Length: 15\r\n\r\n{\"type\": 12345}"),
            Say::Yes(Value::Null),
            stopped("breakpoint"),
            // A second word about the same stop.
            stopped("pause"),
        ]),
        "stackTrace" => Some(vec![stack(&path, 2)]),
        _ => None,
    });
    let (_, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let Outcome::Stopped(stop) = outcome else {
        panic!("{outcome}");
    };
    assert_eq!((stop.number, stop.reason.as_str()), (1, "breakpoint"));
}

#[tokio::test(start_paused = true)]
async fn one_that_hangs_in_variables() {
    let scene = scene(|_| {});
    let path = scene.path();
    let (pipes, _) = adapter(move |command, _| match command {
        "configurationDone" => Some(vec![Say::Yes(Value::Null), stopped("breakpoint")]),
        "stackTrace" => Some(vec![stack(&path, 2)]),
        "scopes" => Some(vec![Say::Yes(
            json!({ "scopes": [{ "name": "Locals", "variablesReference": 1 }] }),
        )]),
        "variables" => Some(vec![]),
        _ => None,
    });
    let begin = Instant::now();
    let (_, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let Outcome::Stopped(stop) = outcome else {
        panic!("{outcome}");
    };
    // One `__repr__` that does not come back costs the locals, and not the stop.
    assert_eq!(begin.elapsed().as_secs(), 8);
    assert!(stop.locals.items.is_empty());
    assert_eq!(stop.notes.len(), 1);
    let words = "the locals are not shown: within 8 s they could not be read";
    assert!(stop.notes[0].starts_with(words), "{:?}", stop.notes);
    assert_eq!(stop.frame.unwrap().to_string(), "f1.0 f at a.py:2");
}

#[tokio::test(start_paused = true)]
async fn one_that_an_evaluation_wedges() {
    let scene = scene(|_| {});
    let path = scene.path();
    let mut wedged = false;
    let (pipes, _) = adapter(move |command, _| {
        wedged |= command == "evaluate";
        if wedged {
            return Some(vec![]);
        }
        match command {
            "configurationDone" => Some(vec![Say::Yes(Value::Null), stopped("breakpoint")]),
            "stackTrace" => Some(vec![stack(&path, 2)]),
            _ => None,
        }
    });
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let begin = Instant::now();
    let error = session
        .evaluate(EvaluateQuery::new("loop()"))
        .await
        .unwrap_err();
    let DebugError::Ended(end) = &error else {
        panic!("{error}");
    };
    assert!(matches!(end.why, Why::Wedged { .. }));
    assert_eq!(begin.elapsed().as_secs(), 12);
    assert!(error.to_string().contains("ended by force"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn one_that_refuses_to_go_on() {
    let scene = scene(|_| {});
    let path = scene.path();
    let (pipes, _) = adapter(move |command, _| match command {
        "configurationDone" => Some(vec![Say::Yes(Value::Null), stopped("breakpoint")]),
        "stackTrace" => Some(vec![stack(&path, 2)]),
        "next" => Some(vec![Say::No("notStopped")]),
        _ => None,
    });
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let error = session.resume(Resume::StepOver, SECOND).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "debugpy refused next: the program is running"
    );
    // It stands where it stood.
    let outcome = session.wait(SECOND).await.unwrap();
    assert!(matches!(outcome, Outcome::Stopped(_)), "{outcome}");
}

#[tokio::test(start_paused = true)]
async fn one_that_does_not_say_goodbye() {
    let scene = scene(|_| {});
    let (pipes, _) = adapter(|command, _| (command == "disconnect").then(Vec::new));
    scene.debugger.launch_over(request(), pipes).await.unwrap();
    let begin = Instant::now();
    let end = scene.debugger.terminate().await.unwrap();
    assert_eq!(end.why, Why::Terminated);
    assert!(begin.elapsed() <= 3 * SECOND, "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn one_that_sends_more_than_fits() {
    let scene = scene(|config| config.limits.message = 1 << 10);
    let (pipes, _) = adapter(|command, _| match command {
        "configurationDone" => Some(vec![
            Say::Yes(Value::Null),
            Say::Wait(SECOND),
            Say::Bytes(b"Content-Length: 99999\r\n\r\n{"),
            Say::Wait(100 * SECOND),
        ]),
        _ => None,
    });
    let (_, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let Outcome::SessionEnded(end) = outcome else {
        panic!("{outcome}");
    };
    assert!(
        end.to_string().contains("what it sends cannot be read"),
        "{end}"
    );
}
