//! The tool `debug` where nothing can be debugged: what bad questions get.

use fourfold::{Access, DebugAction, DebugRequest};
use serde_json::{Value, json};

use crate::project::Project;

async fn refused(project: &Project, arguments: Value) -> String {
    let conversation = project.conversation();
    let error = conversation.call("debug", arguments).await.unwrap_err();
    error.to_string()
}

#[tokio::test]
async fn a_question_that_cannot_be_answered_says_what_would_do() {
    let project = Project::new(&[("cart.py", "x = 1\n"), ("list.c", "int main;\n")]);
    for (arguments, said) in [
        (
            json!({"action": "lunch"}),
            "debug: `action` is one of launch, attach, breakpoints, continue, step_over, step_in, \
             step_out, run_to, pause, threads, stack, scopes, variables, evaluate, set_variable, \
             output, restart, status, terminate, ask, not `lunch`; the nearest is `launch`",
        ),
        (
            json!({"action": "launch"}),
            "launch needs one of `program` (a file), `module` (of Python) or `test`",
        ),
        (
            json!({"action": "ask", "program": "cart.py", "test": "cart.py::x"}),
            "ask takes one of `program`, `module` and `test`, not several",
        ),
        (
            json!({"action": "launch", "program": "carp.py"}),
            "there is no carp.py; near it: cart.py",
        ),
        (
            json!({"action": "launch", "program": "cart.py", "env": "MODE"}),
            "`MODE` in `env` is not NAME=VALUE; write `MODE=1`",
        ),
        (
            json!({"action": "launch", "program": "cart.py", "breakpoints": [{"at": "cart.py"}]}),
            "`cart.py` is a file; a place in it is `cart.py:LINE`, or `cart.py:TEXT` of the line",
        ),
        (
            json!({"action": "launch", "program": "cart.py", "adapter": "delve"}),
            "delve does not debug Python; use debugpy",
        ),
        (
            json!({"action": "ask", "program": "cart.py", "exceptions": "none"}),
            "ask needs `at`, or `exceptions` other than none: else it would never stop",
        ),
        (
            json!({"action": "attach"}),
            "attach needs `pid`, `port` (and `host`) of a debugger that listens, or `core`",
        ),
        (
            json!({"action": "continue"}),
            "there is no debug session; start one with a launch",
        ),
    ] {
        assert_eq!(
            refused(&project, arguments.clone()).await,
            said,
            "{arguments}"
        );
    }
    let source = refused(&project, json!({"action": "launch", "program": "list.c"})).await;
    assert!(source.contains("`cc -g -O0 list.c -o list`"), "{source}");
}

#[tokio::test]
async fn it_executes_and_is_not_there_where_nothing_may_be_changed() {
    let project = Project::new(&[("a.py", "")]);
    let tools = project.checkout().tools();
    let tool = tools.iter().find(|tool| tool.name == "debug").unwrap();
    assert_eq!(tool.access, Access::Executes);
    assert!(!tool.annotations.read_only_hint && tool.annotations.destructive_hint);
    let reading = crate::project::host(fourfold::Limits::default())
        .checkout_read_only(project.root())
        .unwrap();
    assert!(reading.tools().iter().all(|tool| tool.name != "debug"));
    // Nor by its own method, whatever the handle came from.
    let launch = || {
        let mut launch = DebugRequest::of(DebugAction::Launch);
        launch.program = Some("a.py".into());
        launch
    };
    for kept in [
        reading.conversation("one"),
        project.conversation().reading_only(),
    ] {
        let refused = kept.debug(launch()).await.unwrap_err().to_string();
        assert!(refused.contains("opened for reading only"), "{refused}");
    }
    let kept = project.conversation().not_executing();
    let refused = kept.debug(launch()).await.unwrap_err();
    assert!(refused.is_user(), "{refused}");
    assert!(
        refused
            .to_string()
            .contains("nothing of the checkout may be run"),
        "{refused}"
    );
    let status = project
        .conversation()
        .call("debug", json!({"action": "status"}))
        .await;
    assert_eq!(status.unwrap().text, "no debug session\n");
}

#[tokio::test]
async fn what_the_checkout_chooses_runs_only_when_it_is_trusted() {
    let project = Project::new(&[
        ("cart.py", "x = 1\n"),
        (
            "fourfold.toml",
            "[adapters.debugpy]\ncommand = [\"./mine\"]\n",
        ),
        ("mine", "#!/bin/sh\ntouch ran\n"),
    ]);
    let launch = json!({"action": "launch", "program": "cart.py"});
    let why = refused(&project, launch).await;
    assert!(
        why.contains("no debug adapter for cart.py can be started"),
        "{why}"
    );
    assert!(
        why.contains("needs a trusted one: `fourfold trust`"),
        "{why}"
    );
    assert!(!project.root().join("ran").exists());
}
