//! One session at a time, and each has an end.

use std::time::Duration;

use fourfold_dap_client::{DebugError, Outcome, Resume, State, Why};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fake::{Say, adapter, request, scene, stack, stopped, usual};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_second_launch_is_refused_with_the_facts_of_the_first() {
    let scene = scene(|_| {});
    let (pipes, _) = adapter(|_, _| None);
    let (session, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    assert!(matches!(outcome, Outcome::StillRunning(_)), "{outcome}");
    let (pipes, heard) = adapter(|_, _| None);
    let error = scene
        .debugger
        .launch_over(request(), pipes)
        .await
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with(&format!(
            "a debug session is already open: {}, debugpy, a.py, running, started 15 s ago, expires in \
             585 s",
            session.id()
        )),
        "{text}"
    );
    assert!(
        text.contains("Nothing was started. Use `terminate` first"),
        "{text}"
    );
    assert!(
        heard.lock().unwrap().is_empty(),
        "nothing reached the second adapter"
    );
    let end = scene.debugger.terminate().await.unwrap();
    assert_eq!((end.why, end.left), (Why::Terminated, Some(0)));
    let (pipes, _) = adapter(|_, _| None);
    scene.debugger.launch_over(request(), pipes).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_launch_is_refused_until_the_end_of_the_session_before_is_confirmed() {
    let scene = scene(|config| config.limits.disconnect = 5 * SECOND);
    let (pipes, first) = adapter(|command, _| (command == "disconnect").then(Vec::new));
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let (pipes, heard) = adapter(|_, _| None);
    let begin = Instant::now();
    let (end, second) = tokio::join!(
        scene.debugger.terminate(),
        scene.debugger.launch_over(request(), pipes),
    );
    let error = second.unwrap_err();
    let DebugError::AlreadyOpen(facts) = &error else {
        panic!("{error}");
    };
    assert_eq!(facts.state, State::Ending);
    assert_eq!(&facts.id, session.id());
    let text = error.to_string();
    assert!(text.contains("a.py, ending, started 15 s ago"), "{text}");
    assert!(
        text.contains("Nothing was started. Wait until it is gone"),
        "{text}"
    );
    assert!(heard.lock().unwrap().is_empty());
    // The adapter was given its time.
    assert_eq!(begin.elapsed(), 5 * SECOND);
    assert_eq!(first.lock().unwrap().last().unwrap().0, "disconnect");
    let end = end.unwrap();
    assert_eq!((end.why, end.left), (Why::Terminated, Some(0)));
    let (pipes, _) = adapter(|_, _| None);
    let (_, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    assert!(matches!(outcome, Outcome::StillRunning(_)), "{outcome}");
}

#[tokio::test(start_paused = true)]
async fn nothing_renews_the_time_limit() {
    let scene = scene(|_| {});
    let (pipes, _) = adapter(|_, _| None);
    let begin = Instant::now();
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    // In use all the time, and in the middle of a wait at the end.
    let end = loop {
        match session.wait(100 * SECOND).await.unwrap() {
            Outcome::StillRunning(_) => {}
            Outcome::SessionEnded(end) => break end,
            other => panic!("{other}"),
        }
    };
    assert_eq!(begin.elapsed().as_secs(), 600);
    assert_eq!(end.why, Why::TimeLimit { after_s: 600 });
    assert_eq!(end.was, "was running");
    // It is told once more, and then there is no session.
    let error = session.wait(SECOND).await.unwrap_err().to_string();
    assert!(
        error.contains("ended by its time limit of 600 s"),
        "{error}"
    );
    let error = scene.debugger.session(None).unwrap_err().to_string();
    assert!(
        error.starts_with("there is no debug session (the session dbg-"),
        "{error}"
    );
    assert_eq!(
        scene.debugger.status().last.unwrap().why,
        Why::TimeLimit { after_s: 600 }
    );
}

#[tokio::test(start_paused = true)]
async fn a_request_in_flight_does_not_hold_the_limit_up() {
    let scene = scene(|config| config.limits.evaluate = 500 * SECOND);
    let path = scene.path();
    let (pipes, _) = adapter(move |command, _| match command {
        "configurationDone" => Some(vec![Say::Yes(Value::Null), stopped("breakpoint")]),
        "stackTrace" => Some(vec![stack(&path, 3)]),
        "evaluate" => Some(vec![]),
        _ => None,
    });
    let mut request = request();
    request.ttl = Some(60 * SECOND);
    let begin = Instant::now();
    let (session, _) = scene.debugger.launch_over(request, pipes).await.unwrap();
    let query = fourfold_dap_client::EvaluateQuery::new("forever()");
    let error = session.evaluate(query).await.unwrap_err();
    let DebugError::Ended(end) = error else {
        panic!("{error}");
    };
    assert_eq!(end.why, Why::TimeLimit { after_s: 60 });
    assert_eq!(end.was, "was stopped at a.py:3 (breakpoint)");
    assert_eq!(begin.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn the_ceiling_holds_whatever_is_asked_for() {
    let scene = scene(|_| {});
    let (pipes, _) = adapter(|_, _| None);
    let mut request = request();
    request.ttl = Some(100_000 * SECOND);
    let (session, _) = scene.debugger.launch_over(request, pipes).await.unwrap();
    assert_eq!(session.clock().expires_in_s, 1800 - 15);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_nobody_asks_anything_ends() {
    let scene = scene(|_| {});
    let (pipes, _) = adapter(|_, _| None);
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    tokio::time::sleep(179 * SECOND).await;
    assert_eq!(session.clock().idle_in_s, 1);
    // Asking for the status is no use of it; this is.
    assert!(scene.debugger.status().session.is_some());
    session.breakpoints().unwrap();
    tokio::time::sleep(179 * SECOND).await;
    assert!(session.ended().is_none());
    tokio::time::sleep(2 * SECOND).await;
    let end = scene.debugger.status().last.unwrap();
    assert_eq!(end.why, Why::Idle { after_s: 180 });
}

#[tokio::test(start_paused = true)]
async fn an_ended_program_yields_its_place() {
    let scene = scene(|_| {});
    let (pipes, heard) = adapter(|command, _| match command {
        "configurationDone" => Some(vec![
            Say::Yes(Value::Null),
            Say::Event(
                "output",
                json!({ "category": "stdout", "output": "done\n" }),
            ),
            Say::Event("terminated", Value::Null),
            Say::Event("exited", json!({ "exitCode": 3 })),
        ]),
        _ => None,
    });
    let (session, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let Outcome::Exited(end) = outcome else {
        panic!("{outcome}");
    };
    assert_eq!((end.code, end.output.text().as_str()), (Some(3), "done\n"));
    assert_eq!(
        session.facts().unwrap().state,
        State::Exited {
            code: Some(3),
            signal: None,
        }
    );
    assert_eq!(session.output(0, 100).unwrap().text(), "done\n");
    let error = session.resume(Resume::Continue, SECOND).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the program has ended; read its output, or start a new session"
    );
    // The adapter is sent home at once, and nobody asks it any more.
    tokio::time::sleep(SECOND).await;
    assert_eq!(heard.lock().unwrap().last().unwrap().0, "disconnect");
    let begin = Instant::now();
    let path = "a.py";
    session
        .break_at(vec![fourfold_dap_client::Breakpoint::at_line(path, 2)])
        .await
        .unwrap_err();
    assert!(session.threads().await.is_err());
    assert!(session.breakpoints().unwrap().is_empty());
    assert_eq!(begin.elapsed(), Duration::ZERO);
    let (pipes, _) = adapter(|_, _| None);
    let (_, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let Outcome::StillRunning(running) = outcome else {
        panic!("{outcome}");
    };
    assert!(
        running.notes[0].contains("gave its place to a new one"),
        "{:?}",
        running.notes
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_launch_frees_the_place_and_says_why() {
    let scene = scene(|_| {});
    let (pipes, heard) = adapter(|command, _| match command {
        "launch" => Some(vec![Say::No("no such module")]),
        _ => None,
    });
    let error = scene
        .debugger
        .launch_over(request(), pipes)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "starting a.py under debugpy failed while launching the program: no such module"
    );
    assert!(scene.debugger.status().session.is_none());
    let commands: Vec<String> = heard
        .lock()
        .unwrap()
        .iter()
        .map(|(command, _)| command.clone())
        .collect();
    assert_eq!(
        commands,
        ["initialize", "launch", "disconnect"],
        "an adapter is always told"
    );
    let (pipes, _) = adapter(|_, _| None);
    scene.debugger.launch_over(request(), pipes).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_launch_is_not_awaited_before_configuring() {
    // As debugpy, gdb and new lldb do it: the answer comes after `configurationDone`; as rdbg does
    // it, `initialized` comes before anything; as old lldb does it, after the answer.
    for order in ["late", "early", "after"] {
        let scene = scene(|_| {});
        let (pipes, heard) = adapter(move |command, _| {
            let ready = || Say::Event("initialized", Value::Null);
            Some(match (order, command) {
                ("late", "launch") => vec![ready()],
                // Beside its own answer comes the one to `launch`, which has the number 2.
                ("late", "configurationDone") => vec![Say::Yes(Value::Null), Say::Late(2)],
                ("early", "initialize") => {
                    let mut said = vec![ready()];
                    said.extend(usual("initialize"));
                    said
                }
                ("early", "launch") => vec![Say::Yes(Value::Null)],
                ("after", "launch") => vec![
                    Say::Yes(Value::Null),
                    Say::Wait(SECOND),
                    Say::Event("output", json!({ "category": "telemetry" })),
                    Say::Event("debugpySockets", json!({})),
                    ready(),
                ],
                _ => return None,
            })
        });
        let launched = scene.debugger.launch_over(request(), pipes).await;
        let (_, outcome) = launched.unwrap_or_else(|error| panic!("{order}: {error}"));
        assert!(
            matches!(outcome, Outcome::StillRunning(_)),
            "{order}: {outcome}"
        );
        let commands: Vec<String> = heard
            .lock()
            .unwrap()
            .iter()
            .map(|(command, _)| command.clone())
            .collect();
        assert_eq!(
            commands[..3],
            ["initialize", "launch", "configurationDone"],
            "{order}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_goes_takes_the_session_along() {
    let scene = scene(|_| {});
    let (pipes, heard) = adapter(|_, _| None);
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    drop(scene.debugger);
    tokio::time::sleep(SECOND).await;
    assert!(session.wait(SECOND).await.is_err());
    drop(heard);
}

#[tokio::test(start_paused = true)]
async fn wishes_of_the_adapter_are_answered() {
    let scene = scene(|_| {});
    let (pipes, heard) = adapter(|command, _| match command {
        "configurationDone" => Some(vec![
            Say::Yes(Value::Null),
            Say::Ask("runInTerminal"),
            Say::Ask("inventedByNobody"),
            Say::Ask("startDebugging"),
        ]),
        _ => None,
    });
    scene.debugger.launch_over(request(), pipes).await.unwrap();
    let heard = heard.lock().unwrap();
    let answers: Vec<&Value> = heard
        .iter()
        .filter(|(kind, _)| kind == "response")
        .map(|(_, answer)| answer)
        .collect();
    assert_eq!(answers.len(), 3);
    assert!(answers.iter().all(|answer| answer["success"] == false));
    let greeting = &heard[0].1;
    assert_eq!(greeting["supportsRunInTerminalRequest"], false);
    assert_eq!(
        greeting["supportsStartDebuggingRequest"], false,
        "there is no second way in"
    );
}

#[tokio::test(start_paused = true)]
async fn of_two_launches_at_once_one_is_refused() {
    let scene = scene(|_| {});
    let (first, _) = adapter(|_, _| None);
    let (second, heard) = adapter(|_, _| None);
    let (one, two) = tokio::join!(
        scene.debugger.launch_over(request(), first),
        scene.debugger.launch_over(request(), second),
    );
    assert!(one.is_ok());
    let error = two.unwrap_err();
    assert!(matches!(&error, DebugError::AlreadyOpen(facts) if facts.state == State::Starting));
    assert!(heard.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_launch_that_is_given_up_frees_the_place() {
    let scene = scene(|_| {});
    let (pipes, _) = adapter(|command, _| (command == "launch").then(Vec::new));
    let launch = scene.debugger.launch_over(request(), pipes);
    assert!(tokio::time::timeout(SECOND, launch).await.is_err());
    tokio::time::sleep(5 * SECOND).await;
    let status = scene.debugger.status();
    assert!(status.session.is_none());
    assert_eq!(status.last.unwrap().why, Why::Dropped);
    let (pipes, _) = adapter(|_, _| None);
    scene.debugger.launch_over(request(), pipes).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_way_to_end_is_no_failure() {
    let scene = scene(|_| {});
    let (pipes, heard) = adapter(|command, _| match command {
        "configurationDone" => Some(vec![
            Say::Yes(Value::Null),
            Say::Event(
                "stopped",
                json!({ "reason": "exception", "threadId": 1, "description": "1", "text": "SystemExit" }),
            ),
        ]),
        "continue" => Some(vec![
            Say::Yes(Value::Null),
            Say::Event("exited", json!({ "exitCode": 1 })),
            Say::Event("terminated", Value::Null),
        ]),
        _ => None,
    });
    let (_, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    assert!(
        matches!(&outcome, Outcome::Exited(end) if end.code == Some(1)),
        "{outcome}"
    );
    assert!(
        heard
            .lock()
            .unwrap()
            .iter()
            .all(|(command, _)| command != "stackTrace")
    );
}
