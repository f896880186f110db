//! What is told and done where nothing is wrong, and a user would wonder.

use std::time::Duration;

use fourfold_dap_client::{Breakpoint, LaunchRequest, Outcome, Pipes, Resume, State};
use serde_json::{Value, json};

use crate::fake::{Heard, Say, adapter, request, scene, stack, stopped};

const SECOND: Duration = Duration::from_secs(1);

/// A program that runs for five seconds and then stops in its second line.
fn stops_late(path: String) -> (Pipes, Heard) {
    adapter(move |command, _| match command {
        "configurationDone" => Some(vec![
            Say::Yes(Value::Null),
            Say::Wait(5 * SECOND),
            stopped("breakpoint"),
        ]),
        "stackTrace" => Some(vec![stack(&path, 2)]),
        _ => None,
    })
}

#[tokio::test(start_paused = true)]
async fn a_program_that_runs_is_waited_for_by_continue() {
    let scene = scene(|config| config.limits.wait = SECOND);
    let (pipes, heard) = stops_late(scene.path());
    let (session, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    assert!(matches!(outcome, Outcome::StillRunning(_)), "{outcome}");
    let error = session.resume(Resume::StepOver, SECOND).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the program is running; pause it, or wait for its next stop with `continue`"
    );
    let outcome = session.resume(Resume::Continue, 60 * SECOND).await.unwrap();
    assert!(matches!(outcome, Outcome::Stopped(_)), "{outcome}");
    let asked = |command: &str| heard.lock().unwrap().iter().any(|(one, _)| one == command);
    assert!(!asked("continue"), "it ran already");
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_nobody_has_seen_has_a_place() {
    let scene = scene(|config| config.limits.wait = SECOND);
    let (pipes, _) = stops_late(scene.path());
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    assert_eq!(session.place().await.unwrap(), None, "it runs");
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!(session.place().await.unwrap().as_deref(), Some("a.py:2"));
    let state = scene.debugger.status().session.unwrap().state;
    let stopped = State::Stopped {
        reason: "breakpoint".to_owned(),
        at: Some("a.py:2".to_owned()),
    };
    assert_eq!(state, stopped);
}

/// Left out, it would stop at the first hit and seem to be the third.
#[tokio::test(start_paused = true)]
async fn a_hit_count_that_the_adapter_lacks_is_refused_and_one_that_it_has_is_sent() {
    let third = || {
        let mut point = Breakpoint::at_line("a.py", 2);
        point.hit = Some("3".to_owned());
        point
    };
    let said = "debugpy has no hit counts; use a condition on a variable that counts";
    let asked = |heard: &Heard| {
        let heard = heard.lock().unwrap();
        let mut all = heard.iter().filter(|(one, _)| one == "setBreakpoints");
        let (_, last) = all.next_back()?;
        Some(last["breakpoints"].clone())
    };
    let scene = scene(|config| config.limits.wait = SECOND);
    // With the launch, and later.
    let (pipes, heard) = adapter(|_, _| None);
    let mut launch = request();
    launch.breakpoints.push(third());
    let error = scene.debugger.launch_over(launch, pipes).await.unwrap_err();
    assert!(error.to_string().contains(said), "{error}");
    assert_eq!(asked(&heard), None);
    let (pipes, heard) = adapter(|_, _| None);
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let error = session.break_at(vec![third()]).await.unwrap_err();
    assert_eq!(error.to_string(), said);
    assert_eq!(asked(&heard), None);
    assert!(session.breakpoints().unwrap().is_empty());
    scene.debugger.terminate().await.unwrap();

    let (pipes, heard) = adapter(|command, _| {
        (command == "initialize").then(|| {
            vec![Say::Yes(json!({
                "supportsConfigurationDoneRequest": true,
                "supportsHitConditionalBreakpoints": true,
            }))]
        })
    });
    let mut launch = request();
    launch.breakpoints.push(third());
    let (session, _) = scene.debugger.launch_over(launch, pipes).await.unwrap();
    assert_eq!(
        asked(&heard),
        Some(json!([{ "line": 2, "hitCondition": ">= 3" }]))
    );
    let reports = session.breakpoints().unwrap();
    assert_eq!(reports[0].to_string(), "#1 a.py:2 hit 3: verified");
}

#[tokio::test(start_paused = true)]
async fn a_session_is_ended_and_not_the_one_after_it() {
    let scene = scene(|_| {});
    let (first, _) = scene
        .debugger
        .launch_over(request(), adapter(|_, _| None).0)
        .await
        .unwrap();
    assert!(scene.debugger.end(&first).await.is_some());
    let (second, _) = scene
        .debugger
        .launch_over(request(), adapter(|_, _| None).0)
        .await
        .unwrap();
    assert_eq!(scene.debugger.end(&first).await, None);
    assert_eq!(second.ended(), None, "it lives on");
    assert!(scene.debugger.end(&second).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn places_that_are_none_are_refused_with_what_may_be_meant() {
    let scene = scene(|_| {});
    let sources = scene.folder.path().join("src/pkg");
    std::fs::create_dir_all(&sources).unwrap();
    std::fs::write(
        sources.join("signer.py"),
        "class Signer:\n    def unsign(self):\n        'Undoes it.'\n        return 1\n",
    )
    .unwrap();
    let (pipes, heard) = adapter(|command, _| match command {
        "setBreakpoints" => Some(vec![Say::Yes(
            json!({ "breakpoints": [{ "id": 1, "verified": true }] }),
        )]),
        _ => None,
    });
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    for (breakpoint, why) in [
        (
            Breakpoint::at_line("signer.py", 1),
            "cannot set a breakpoint at signer.py: there is no such file; near it: \
             src/pkg/signer.py",
        ),
        (
            Breakpoint::at_line("/etc/passwd", 1),
            "cannot set a breakpoint at /etc/passwd: it is outside of the project and no source of \
             Python",
        ),
        (
            Breakpoint::at_function("Signer.sign"),
            "cannot set a breakpoint at Signer.sign: no Python file of the project defines it; name \
             the file and the line, or `sign` for every function of that name",
        ),
    ] {
        let error = session.break_at(vec![breakpoint]).await.unwrap_err();
        assert_eq!(error.to_string(), why);
    }
    let set = session
        .break_at(vec![Breakpoint::at_function("Signer.unsign")])
        .await
        .unwrap();
    assert_eq!(set[0].to_string(), "#1 src/pkg/signer.py:4: verified");
    let sent = heard.lock().unwrap().last().unwrap().1.clone();
    assert_eq!(sent["breakpoints"], json!([{ "line": 4 }]));
}

/// js-debug may stop once more where it has just set the breakpoints of a file, and says the same as at
/// a `debugger` statement.
#[tokio::test(start_paused = true)]
async fn a_stop_without_a_reason_is_passed_over_and_the_statement_that_is_one_is_not() {
    let scene = scene(|_| {});
    std::fs::write(
        scene.path(),
        "let a = 1;\nlet b = 2;\ndebugger;\nlet c = 3;\n",
    )
    .unwrap();
    let (path, mut line) = (scene.path(), 0);
    let (pipes, heard) = adapter(move |command, _| match command {
        "configurationDone" | "continue" | "next" => {
            line += 1;
            let body = json!({
                "reason": "pause", "description": "Paused on debugger statement", "threadId": 1,
            });
            Some(vec![Say::Yes(json!({})), Say::Event("stopped", body)])
        }
        "stackTrace" => Some(vec![stack(&path, line)]),
        _ => None,
    });
    let request = LaunchRequest::new("js-debug", json!({ "program": "a.py" }));
    let (session, outcome) = scene.debugger.launch_over(request, pipes).await.unwrap();
    let stop = |outcome| match outcome {
        Outcome::Stopped(stop) => stop.frame.unwrap().place.unwrap().line,
        other => panic!("{other}"),
    };
    assert_eq!(stop(outcome), 3, "the statement");
    let passed = |heard: &Heard| {
        let heard = heard.lock().unwrap();
        heard.iter().filter(|(one, _)| one == "continue").count()
    };
    assert_eq!(passed(&heard), 2, "the lines before it");
    // A step was asked for: wherever it ends is where it ends.
    let outcome = session.resume(Resume::StepOver, SECOND).await.unwrap();
    assert_eq!(stop(outcome), 4);
    assert_eq!(passed(&heard), 2);
}
