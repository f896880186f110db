//! What a stop says, and that it says nothing about another moment.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use fourfold_dap_client::{
    Binding, Breakpoint, DebugError, EvaluateQuery, More, Of, Outcome, Resume, Stop, ValuesQuery,
};
use serde_json::{Value, json};

use crate::fake::{Say, Scene, adapter, request, scene, stack, stopped};

const SECOND: Duration = Duration::from_secs(1);

fn stop(outcome: Outcome) -> Stop {
    match outcome {
        Outcome::Stopped(stop) => *stop,
        other => panic!("{other}"),
    }
}

/// Stops at line 3, then at line 4, and so on; the adapter uses one frame id for all.
fn walking(scene: &Scene) -> impl FnMut(&str, &Value) -> Option<Vec<Say>> + Send + use<> {
    let path = scene.path();
    let line = AtomicU32::new(2);
    move |command, arguments| {
        Some(match command {
            "configurationDone" | "next" | "continue" => {
                line.fetch_add(1, Ordering::Relaxed);
                let reason = if command == "next" {
                    "step"
                } else {
                    "breakpoint"
                };
                vec![
                    Say::Event(
                        "output",
                        json!({ "category": "stdout", "output": "\u{1b}[1mhi\u{1b}[m\r\n" }),
                    ),
                    Say::Yes(json!({})),
                    stopped(reason),
                ]
            }
            "stackTrace" => vec![stack(&path, line.load(Ordering::Relaxed))],
            "scopes" => vec![Say::Yes(json!({ "scopes": [
                { "name": "Locals", "variablesReference": 5 },
                { "name": "Globals", "variablesReference": 6 },
            ] }))],
            "variables" if arguments["variablesReference"] == 5 => {
                vec![Say::Yes(json!({ "variables": [
                    { "name": "special variables", "value": "", "variablesReference": 99 },
                    { "name": "n", "value": "1", "type": "int", "variablesReference": 0 },
                    { "name": "items", "value": "[0, 1, …]", "variablesReference": 8, "indexedVariables": 100 },
                    { "name": "api_key", "value": "'abc'", "variablesReference": 0 },
                ] }))]
            }
            // It ignores paging, as some do.
            "variables" if arguments["variablesReference"] == 8 => {
                let all: Vec<Value> = (0..100)
                    .map(|index| json!({ "name": format!("{index:02}"), "value": (index * 2).to_string() }))
                    .collect();
                vec![Say::Yes(json!({ "variables": all }))]
            }
            "evaluate" => match arguments["expression"].as_str() {
                Some("n") => vec![Say::Yes(json!({ "result": "1", "type": "int" }))],
                Some("n > 1") => vec![Say::Yes(json!({ "result": "False" }))],
                _ => vec![Say::No("NameError: name 'x' is not defined")],
            },
            _ => return None,
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_a_whole_picture() {
    let scene = scene(|_| {});
    let (pipes, heard) = adapter(walking(&scene));
    let mut request = request();
    request
        .breakpoints
        .push(Breakpoint::at_text("a.py", "line3").when("n > 1"));
    let (session, outcome) = scene.debugger.launch_over(request, pipes).await.unwrap();
    let first = stop(outcome);
    let frame = first.frame.as_ref().unwrap();
    assert_eq!(frame.to_string(), "f1.0 f at a.py:3");
    let lines: Vec<_> = frame
        .place
        .as_ref()
        .unwrap()
        .lines
        .iter()
        .map(|line| line.number)
        .collect();
    assert_eq!(lines, [1, 2, 3, 4, 5]);
    let locals: Vec<String> = first.locals.items.iter().map(ToString::to_string).collect();
    assert_eq!(
        locals,
        [
            "n: int = 1",
            "items = [0, 1, …]  [v1.0, 100 inside]",
            "api_key = ***"
        ]
    );
    assert_eq!(first.breakpoints, [1], "it named none: the line tells");
    assert_eq!(first.output.text(), "hi\n");
    assert_eq!(
        first.notes,
        ["the condition `n > 1` of breakpoint #1 is False here, although the program stopped"]
    );
    let heard = heard.lock().unwrap().clone();
    for (command, arguments) in &heard {
        match command.as_str() {
            "stackTrace" => assert_eq!(arguments["levels"], 20),
            "variables" => assert!(arguments["count"].is_u64() && arguments["start"].is_u64()),
            "evaluate" => assert_eq!(arguments["context"], "watch"),
            _ => {}
        }
    }
    assert_eq!(session.breakpoints().unwrap()[0].hits, 1);
}

#[tokio::test(start_paused = true)]
async fn handles_of_another_moment_are_errors() {
    let scene = scene(|_| {});
    let (pipes, heard) = adapter(walking(&scene));
    let (session, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let first = stop(outcome);
    let old = first.frame.unwrap().handle;
    let items = first.locals.items[1].handle.unwrap();
    let second = stop(session.resume(Resume::StepOver, SECOND).await.unwrap());
    assert_eq!((second.number, second.reason.as_str()), (2, "step"));
    assert_eq!(
        second.frame.as_ref().unwrap().place.as_ref().unwrap().line,
        4
    );
    let before = heard.lock().unwrap().len();
    let mut query = EvaluateQuery::new("n");
    query.frame = Some(old);
    let error = session.evaluate(query).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "f1.0 belongs to stop 1, and the program has moved on to stop 2; ask for the stack anew"
    );
    let error = session
        .values(ValuesQuery::new(Of::Value(items)))
        .await
        .unwrap_err();
    assert!(
        matches!(
            error,
            DebugError::Stale {
                was: 1,
                now: Some(2),
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(
        heard.lock().unwrap().len(),
        before,
        "the adapter was not asked"
    );
    let value = session.evaluate(EvaluateQuery::new("n")).await.unwrap();
    assert_eq!(value.to_string(), "n: int = 1");
    let error = session.evaluate(EvaluateQuery::new("x")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "debugpy refused evaluate: NameError: name 'x' is not defined"
    );
}

#[tokio::test(start_paused = true)]
async fn values_are_paged_here_whatever_the_adapter_does() {
    let scene = scene(|_| {});
    let (pipes, _) = adapter(walking(&scene));
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let path = |text: &str| Of::Path {
        frame: None,
        path: text.parse().unwrap(),
    };
    let one = session
        .values(ValuesQuery::new(path("items[42]")))
        .await
        .unwrap();
    assert_eq!(one.items[0].to_string(), "items[42] = 84");
    let handle = session
        .values(ValuesQuery::new(path("items")))
        .await
        .unwrap()
        .items[0]
        .handle
        .unwrap();
    let mut query = ValuesQuery::new(Of::Value(handle));
    (query.start, query.count) = (95, 3);
    let page = session.values(query.clone()).await.unwrap();
    let names: Vec<_> = page.items.iter().map(|value| value.name.as_str()).collect();
    assert_eq!((names, page.more), (vec!["95", "96", "97"], More::Some));
    (query.start, query.count) = (98, 3);
    let page = session.values(query).await.unwrap();
    assert_eq!((page.items.len(), page.more), (2, More::None));
    let error = session
        .values(ValuesQuery::new(path("item[1]")))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no `item` in this frame; there are items, n, api_key"
    );
}

#[tokio::test(start_paused = true)]
async fn breakpoints_are_answered_one_by_one() {
    let scene = scene(|_| {});
    let (pipes, heard) = adapter(|command, arguments| match command {
        "setBreakpoints" => {
            let count = arguments["breakpoints"].as_array().unwrap().len();
            let answers = [
                json!({ "id": 1, "verified": true, "line": 4 }),
                json!({ "id": 2, "verified": false, "message": "no code here", "reason": "failed" }),
                json!({ "id": 3, "verified": false }),
            ];
            Some(vec![
                Say::Yes(json!({ "breakpoints": answers[..count] })),
                Say::Event(
                    "breakpoint",
                    json!({ "breakpoint": { "id": 3, "verified": true } }),
                ),
            ])
        }
        _ => None,
    });
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let set = session
        .break_at(vec![
            Breakpoint::at_line("a.py", 3),
            Breakpoint::at_line("a.py", 5),
            Breakpoint::at_line("a.py", 7),
        ])
        .await
        .unwrap();
    let bindings: Vec<_> = set.iter().map(|report| &report.binding).collect();
    assert_eq!(bindings[0], &Binding::Moved { line: 4 });
    assert_eq!(
        bindings[1],
        &Binding::Unreachable {
            why: "no code here".to_owned()
        }
    );
    assert_eq!(
        bindings[2],
        &Binding::Verified,
        "by the event that followed"
    );

    let refused = [
        (Breakpoint::at_line("a.py", 11), "the file has 10 lines"),
        (Breakpoint::at_line("b.py", 1), "there is no such file"),
        (
            Breakpoint::at_text("a.py", "line1"),
            "2 lines hold this text (1, 10)",
        ),
        (
            Breakpoint::at_line("a.py", 1).log("n = {n}"),
            "debugpy has no log messages of breakpoints",
        ),
        (
            Breakpoint::at_function("f"),
            "debugpy has no breakpoints on functions",
        ),
    ];
    let before = heard.lock().unwrap().len();
    for (breakpoint, why) in refused {
        let error = session
            .break_at(vec![breakpoint])
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(why), "{error}");
    }
    assert_eq!(
        heard.lock().unwrap().len(),
        before,
        "none of them reached the adapter"
    );
    assert_eq!(session.clear(Some(&[1, 3])).await.unwrap().len(), 1);
    let last = heard.lock().unwrap().last().unwrap().1.clone();
    assert_eq!(
        last["breakpoints"],
        json!([{ "line": 5 }]),
        "the file's whole set is sent"
    );
    assert!(matches!(
        session.clear(Some(&[1])).await,
        Err(DebugError::NoBreakpoint(1))
    ));
}

#[tokio::test(start_paused = true)]
async fn a_run_to_leaves_nothing_behind() {
    let scene = scene(|_| {});
    let (pipes, heard) = adapter(walking(&scene));
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let at = fourfold_dap_client::At::Line {
        file: "a.py".into(),
        line: 4,
    };
    let there = stop(session.resume(Resume::RunTo(at), SECOND).await.unwrap());
    assert_eq!(there.notes, Vec::<String>::new());
    assert!(session.breakpoints().unwrap().is_empty());
    let sets: Vec<Value> = heard
        .lock()
        .unwrap()
        .iter()
        .filter(|(command, _)| command == "setBreakpoints")
        .map(|(_, arguments)| arguments["breakpoints"].clone())
        .collect();
    assert_eq!(sets, [json!([{ "line": 4 }]), json!([])]);
    // It stops at line 5.
    let at = Breakpoint::at_line("a.py", 9).at;
    let elsewhere = stop(session.resume(Resume::RunTo(at), SECOND).await.unwrap());
    assert_eq!(
        elsewhere.notes,
        ["`a.py:9` was not reached before this stop"]
    );
    assert!(session.breakpoints().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_leads_nowhere_is_pending_with_the_stacks() {
    let scene = scene(|_| {});
    let path = scene.path();
    let (pipes, _) = adapter(move |command, _| match command {
        "threads" => Some(vec![Say::Yes(json!({ "threads": [
            { "id": 1, "name": "main" }, { "id": 2, "name": "a" }, { "id": 3, "name": "b" },
        ] }))]),
        "stackTrace" => Some(vec![stack(&path, 8)]),
        _ => None,
    });
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let Outcome::StillRunning(running) = session.pause(None).await.unwrap() else {
        panic!("it does not stop");
    };
    assert!(running.pause_pending);
    assert_eq!(running.threads.len(), 1);
    assert_eq!(
        running.threads[0].to_string(),
        "3 threads: 1 main, 2 a, 3 b\n  f0.0 f at a.py:8\n"
    );
}

#[tokio::test(start_paused = true)]
async fn a_condition_that_was_never_true_is_told_at_the_end() {
    let scene = scene(|_| {});
    let (pipes, _) = adapter(|command, _| match command {
        "configurationDone" => Some(vec![
            Say::Yes(Value::Null),
            Say::Event(
                "output",
                json!({ "category": "console", "output": "Error in condition: SyntaxError\n" }),
            ),
            Say::Event("exited", json!({ "exitCode": 0 })),
            Say::Event("terminated", Value::Null),
        ]),
        _ => None,
    });
    let mut request = request();
    request
        .breakpoints
        .push(Breakpoint::at_line("a.py", 3).when("n >"));
    let (_, outcome) = scene.debugger.launch_over(request, pipes).await.unwrap();
    let Outcome::Exited(end) = outcome else {
        panic!("{outcome}");
    };
    assert_eq!(
        end.notes,
        [
            "breakpoint #1 a.py:3 was never stopped at: its condition `n >` could not be evaluated \
          (Error in condition: SyntaxError)"
        ]
    );
}
