//! A call that nobody waits for any more ends, and what it has asked others is taken back.

use std::sync::Arc;
use std::time::Duration;

use fourfold::{Control, Error};
use fourfold_testkit::{FakeProgram, Script, Style};
use serde_json::json;

use crate::served::Served;

/// Looks until something is so; a test that waits for ever is ended by its runner.
async fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn with_a_server_that_never_answers() -> (Served, FakeProgram) {
    let served = Served::alone(&[
        ("go.mod", "module a\n"),
        ("a.go", "package a\n\nfunc Send() {}\n"),
    ]);
    let script = Script::of(Style::Push)
        .capability("hoverProvider", json!(true))
        .on("textDocument/hover", []);
    let fake = FakeProgram::new(&script, &served.project.beside());
    let command = format!("exec {} {}", fake.program.display(), fake.args.join(" "));
    served.on_path("gopls", &command);
    (served, fake)
}

#[tokio::test]
async fn a_question_to_a_server_is_taken_back() {
    let (served, fake) = with_a_server_that_never_answers();
    let control = Arc::new(Control::new());
    let call = served.conversation().followed_by(Arc::clone(&control));
    let hover = json!({"action": "hover", "file": "a.go", "line": 3, "symbol": "Send"});
    let asking = tokio::spawn(async move { call.call("lsp", hover).await });
    until(|| fake.count("textDocument/hover") == 1).await;
    control.cancel();
    let cancelled = asking.await.unwrap().unwrap_err();
    assert!(matches!(cancelled, Error::Cancelled), "{cancelled}");
    until(|| fake.count("$/cancelRequest") == 1).await;
    served.close();
}

/// Also when it had only waited for a server to say what was wrong before.
#[tokio::test]
async fn a_write_that_is_cancelled_while_servers_are_asked_is_not_done_later() {
    let (served, fake) = with_a_server_that_never_answers();
    let before = served.project.read("a.go");
    let control = Arc::new(Control::new());
    let call = served.conversation().followed_by(Arc::clone(&control));
    let write = json!({"path": "a.go", "content": "package a\n"});
    let writing = tokio::spawn(async move { call.call("write", write).await });
    until(|| fake.count("textDocument/didOpen") == 1).await;
    control.cancel();
    let cancelled = writing.await.unwrap().unwrap_err();
    assert!(matches!(cancelled, Error::Cancelled), "{cancelled}");
    // Whoever comes next waits for its turn at the file, and finds it as it was.
    let seen = served.conversation().clone();
    let edit = json!({"path": "a.go", "old_text": before, "new_text": "package b\n"});
    let written = seen.call("edit", edit).await.unwrap();
    assert_eq!(written.value["files"][0]["path"], "a.go");
    served.close();
}

#[tokio::test]
async fn dropping_the_future_does_the_same() {
    let (served, fake) = with_a_server_that_never_answers();
    let hover = json!({"action": "hover", "file": "a.go", "line": 3, "symbol": "Send"});
    let call = served.conversation().clone();
    let asking = tokio::spawn(async move { call.call("lsp", hover).await });
    until(|| fake.count("textDocument/hover") == 1).await;
    asking.abort();
    until(|| fake.count("$/cancelRequest") == 1).await;
    served.close();
}

/// Only what can work is offered: a program of a server, a file of its language, a root.
/// Haskell is searched by its shapes, and the graph knows nothing of it.
#[test]
fn the_graph_is_offered_by_looking() {
    let offers = |files: &[(&str, &str)]| {
        let served = Served::alone(files);
        let tools = served.checkout().tools();
        assert!(tools.iter().any(|tool| tool.name == "ast_grep"));
        tools
            .iter()
            .filter(|tool| tool.name.contains("code"))
            .count()
    };
    let (known, other) = (("a.py", "x = 1\n"), ("b.hs", "main = print 1\n"));
    assert_eq!(offers(&[other]), 0);
    assert_eq!(offers(&[known, other]), 7);
    assert_eq!(offers(&[]), 7, "a project that begins");
    assert_eq!(offers(&[("a.txt", "")]), 7, "no code yet");
}

#[test]
fn servers_are_offered_by_looking() {
    let offers = |files: &[(&str, &str)], program: Option<&str>| {
        let served = Served::alone(files);
        if let Some(program) = program {
            served.on_path(program, "exit 1");
        }
        let tools = served.checkout().tools();
        assert_eq!(served.started(), "", "nothing is started for it");
        tools.iter().any(|tool| tool.name == "lsp")
    };
    let (file, root) = (("a.go", "package a\n"), ("go.mod", "module a\n"));
    assert!(!offers(&[file, root], None), "no program");
    assert!(!offers(&[file], Some("gopls")), "no root");
    assert!(!offers(&[("a.txt", "")], Some("gopls")), "no file");
    assert!(offers(&[file, root], Some("gopls")));
}
