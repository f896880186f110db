//! The moment before something is changed: who is asked, with what in hand, and what a no means.

use std::sync::{Arc, Mutex};

use fourfold::{
    Approval, Control, DebugAction, DebugRequest, Deed, Error, Event, Host, HostConfig, LspAction,
    LspRequest, Policy, Proposal,
};
use serde_json::json;

use crate::served::Served;

/// A host whose person says yes to everything but what `no` picks, and what she was asked.
fn asked(no: fn(&Proposal) -> bool) -> (Host, Arc<Mutex<Vec<Proposal>>>) {
    let seen: Arc<Mutex<Vec<Proposal>>> = Arc::default();
    let noted = Arc::clone(&seen);
    let mut config = HostConfig::default();
    config.user_folder = None;
    config.servers.enabled = false;
    config.policy = Policy::ask(move |proposal: &Proposal| {
        noted.lock().unwrap().push(proposal.clone());
        match no(proposal) {
            true => Approval::Declined("not today".to_owned()),
            false => Approval::Granted,
        }
    });
    (Host::new(config), seen)
}

#[tokio::test]
async fn a_person_sees_the_diff_and_may_say_no() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.py"), "old(1)\n").unwrap();
    let (host, seen) = asked(|proposal| proposal.deed == Deed::Commit);
    let checkout = host.checkout(folder.path()).unwrap();
    let conversation = checkout.conversation("one");

    let write = json!({"path": "b.py", "content": "x = 1\n"});
    conversation.call("write", write).await.unwrap();
    let edit = json!({"pattern": "old($X)", "template": "new($X)"});
    let staged = conversation.call("ast_edit", edit).await.unwrap();
    let apply = json!({"id": staged.value["stage"], "action": "apply"});
    let declined = conversation
        .call("resolve", apply.clone())
        .await
        .unwrap_err();
    assert_eq!(
        declined.to_string(),
        "a.py: not applied, declined by the host: not today"
    );
    assert!(!declined.is_user());
    let text = std::fs::read_to_string(folder.path().join("a.py")).unwrap();
    assert_eq!(text, "old(1)\n");
    // It may be asked again: the stage is kept.
    let again = conversation.call("resolve", apply).await.unwrap_err();
    assert!(matches!(again, Error::Declined { .. }), "{again}");

    let seen = seen.lock().unwrap();
    let deeds: Vec<_> = seen.iter().map(|proposal| proposal.deed).collect();
    assert_eq!(deeds, [Deed::Write, Deed::Commit, Deed::Commit]);
    assert_eq!(seen[0].what, "b.py");
    assert!(seen[0].diff.contains("+x = 1\n"), "{}", seen[0].diff);
    assert!(
        seen[1].diff.contains("-old(1)\n+new(1)\n"),
        "{}",
        seen[1].diff
    );
    assert_eq!(seen[1].conversation, "one");
}

#[tokio::test]
async fn nobody_is_asked_about_what_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.py"), "old(1)\n").unwrap();
    let (host, seen) = asked(|_| true);
    let conversation = host.checkout(folder.path()).unwrap().conversation("one");
    let edit = json!({"path": "a.py", "old_text": "absent", "new_text": "x"});
    conversation.call("edit", edit).await.unwrap_err();
    let found = conversation.call("ast_grep", json!({"pattern": "old($X)"}));
    found.await.unwrap();
    let rewrite = json!({"pattern": "old($X)", "template": "new($X)"});
    let staged = conversation.call("ast_edit", rewrite).await.unwrap();
    std::fs::write(folder.path().join("a.py"), "old(1)\nmore\n").unwrap();
    let apply = json!({"id": staged.value["stage"], "action": "apply"});
    let refused = conversation.call("resolve", apply).await.unwrap_err();
    assert!(matches!(refused, Error::Drifted { .. }), "{refused}");
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_approval_that_comes_when_nobody_waits_any_more_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let control = Arc::new(Control::new());
    let cancelling = Arc::clone(&control);
    let mut config = HostConfig::default();
    config.user_folder = None;
    config.servers.enabled = false;
    config.policy = Policy::ask(move |_: &Proposal| {
        cancelling.cancel();
        Approval::Granted
    });
    let checkout = Host::new(config).checkout(folder.path()).unwrap();
    let conversation = checkout.conversation("one").followed_by(control);
    let write = json!({"path": "b.py", "content": "x = 1\n"});
    let late = conversation.call("write", write).await.unwrap_err();
    assert!(matches!(late, Error::Cancelled), "{late}");
    assert!(!folder.path().join("b.py").exists());
}

#[tokio::test]
async fn who_listens_hears_how_far_a_call_is() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..300 {
        let text = "def f(x):\n    return g(x)\n".repeat(200);
        std::fs::write(folder.path().join(format!("{number}.py")), text).unwrap();
    }
    let mut config = HostConfig::default();
    config.user_folder = None;
    config.servers.enabled = false;
    let checkout = Host::new(config).checkout(folder.path()).unwrap();
    let conversation = checkout.conversation("one");
    let mut events = conversation.events();
    let search = async {
        // Again and again, until the listener has seen one of them at work.
        loop {
            let call = conversation.call("ast_grep", json!({"pattern": "g($X)"}));
            call.await.unwrap();
        }
    };
    let (tool, done, total) = tokio::select! {
        () = search => unreachable!("it does not end"),
        event = events.next() => match event {
            Event::Progress { tool, done, total } => (tool, done, total),
            other => panic!("{other:?}"),
        },
    };
    assert_eq!((tool, total), ("ast_grep", 300));
    assert!((1..=300).contains(&done), "{done}");
}

#[tokio::test]
async fn what_there_is_to_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.py"), "old(1)\n").unwrap();
    let (host, _) = asked(|_| false);
    let conversation = host.checkout(folder.path()).unwrap().conversation("one");
    let edit = json!({"pattern": "old($X)", "template": "new($X)"});
    let staged = conversation.call("ast_edit", edit).await.unwrap();
    let id = staged.value["stage"].as_str().unwrap();
    let names: Vec<String> = conversation
        .resources()
        .unwrap()
        .into_iter()
        .map(|one| one.name)
        .collect();
    assert_eq!(names, ["status".to_owned(), format!("staged/{id}")]);
    let diff = conversation.resource(&format!("staged/{id}")).unwrap();
    assert!(diff.ends_with("-old(1)\n+new(1)\n"), "{diff}");
    let status = conversation.resource("status").unwrap();
    assert!(
        status.contains(id) && status.contains("trusted: no"),
        "{status}"
    );
    let absent = conversation.resource("state").unwrap_err().to_string();
    assert!(
        absent.starts_with(
            "there is no resource `state`; the nearest is `status`; there are status, staged/"
        ),
        "{absent}"
    );
}

#[tokio::test]
async fn a_person_is_asked_before_a_program_is_run_however_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.py"), "x = 1\n").unwrap();
    let (host, seen) = asked(|proposal| proposal.deed == Deed::Execute);
    let conversation = host.checkout(folder.path()).unwrap().conversation("one");
    let mut launch = DebugRequest::of(DebugAction::Launch);
    launch.program = Some("a.py".into());
    launch.args = vec!["--all".to_owned()];
    let no = "debug launch a.py --all: not run, declined by the host: not today";
    let typed = conversation.debug(launch).await.unwrap_err();
    assert_eq!(typed.to_string(), no);
    let named = json!({"action": "launch", "program": "a.py", "args": ["--all"]});
    let named = conversation.call("debug", named).await.unwrap_err();
    assert_eq!(named.to_string(), no);
    // Looking runs nothing.
    let status = json!({"action": "status"});
    conversation.call("debug", status).await.unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 2);
    assert!(
        seen.iter()
            .all(|one| one.deed == Deed::Execute && one.diff.is_empty())
    );
}

#[test]
fn a_person_is_asked_before_the_projects_own_checker_is_run() {
    let allowed = Arc::new(Mutex::new(false));
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let (word, noted) = (Arc::clone(&allowed), Arc::clone(&asked));
    let policy = Policy::ask(move |proposal: &Proposal| {
        assert_eq!(proposal.deed, Deed::Execute);
        noted.lock().unwrap().push(proposal.what.clone());
        match *word.lock().unwrap() {
            true => Approval::Granted,
            false => Approval::Declined("not today".to_owned()),
        }
    });
    let go = &[("go.mod", "module x\n"), ("main.go", "package main\n")];
    let served = Served::asking(go, policy);
    served.on_path("go", "exit 0");
    served.checkout().set_trust(true).unwrap();
    let root = served.checkout().root().display().to_string();
    let refused = served.everywhere();
    let what = asked.lock().unwrap()[0].clone();
    assert!(
        what.starts_with("`go vet") && what.ends_with(&root),
        "{what}"
    );
    let no = format!("{what}: not run, declined by the host: not today");
    assert_eq!(refused.unconfirmed, [no]);
    assert_eq!(served.started(), "");
    *allowed.lock().unwrap() = true;
    // Who may not run anything is not asked about, nor is who may only read.
    let asked_by_now = asked.lock().unwrap().len();
    for kept in [
        served.conversation().not_executing(),
        served.conversation().reading_only(),
    ] {
        let everywhere = LspRequest::about(LspAction::Diagnostics, "*");
        let said = kept.lsp(&everywhere).unwrap().unconfirmed;
        let no = format!("{what} was not run: nothing of the checkout may be run here");
        assert_eq!(said, [no]);
    }
    assert_eq!(asked.lock().unwrap().len(), asked_by_now);
    assert_eq!(served.started(), "");
    let run = served.everywhere();
    assert!(run.unconfirmed.is_empty(), "{:?}", run.unconfirmed);
    assert_eq!(served.started(), "go\n");
    served.close();
}
