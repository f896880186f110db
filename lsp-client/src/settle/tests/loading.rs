//! Servers that are not ready yet.

use super::*;
use crate::Readiness;

fn pull() -> Value {
    json!({ "diagnosticProvider": { "interFileDependencies": false } })
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_before_the_server_is_ready() {
    let mut profile = spec();
    profile.readiness = Readiness::ServerStatus;
    let (session, mut peer) = opened(profile, pull()).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        let status = |quiescent| json!({ "health": "ok", "quiescent": quiescent });
        peer.notify("experimental/serverStatus", status(false))
            .await;
        sleep(Duration::from_secs(13)).await;
        peer.notify("experimental/serverStatus", status(true)).await;
        peer.answer_pull(&["bad"]).await;
    });
    assert_eq!(found(&settled), ["bad"]);
    assert_eq!(settled.took, Duration::from_secs(13));
}

#[tokio::test(start_paused = true)]
async fn signs_of_readiness() {
    let cases: [(_, &[(&str, Value)], u64); 3] = [
        (
            Readiness::LanguageStatus("ServiceReady".to_owned()),
            &[
                (
                    "language/status",
                    json!({ "type": "Starting", "message": "1%" }),
                ),
                (
                    "language/status",
                    json!({ "type": "ServiceReady", "message": "ok" }),
                ),
            ],
            2000,
        ),
        (
            Readiness::Progress("Setting up".to_owned()),
            &[
                (
                    "$/progress",
                    json!({ "token": 1, "value": { "kind": "begin",
                    "title": "Setting up workspace" } }),
                ),
                (
                    "$/progress",
                    json!({ "token": 1, "value": { "kind": "end" } }),
                ),
            ],
            2000,
        ),
        // There was nothing to load.
        (Readiness::Progress("Setting up".to_owned()), &[], 10_000),
    ];
    for (readiness, signs, expected) in cases {
        let mut profile = spec();
        profile.readiness = readiness;
        let (session, mut peer) = opened(profile, pull()).await;
        let (settled, ()) = tokio::join!(settle(&session), async {
            for (method, params) in signs {
                sleep(ms(1000)).await;
                peer.notify(method, params.clone()).await;
            }
            peer.answer_pull(&[]).await;
        });
        assert_eq!(settled.took, ms(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_sign_is_ready_when_it_works_on_nothing() {
    let mut profile = spec();
    profile.readiness = Readiness::NoProgress;
    let (session, mut peer) = opened(profile, pull()).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.progress("1", "begin", "loading").await;
        sleep(ms(2000)).await;
        peer.progress("1", "end", "").await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(settled.took, ms(2500));
    // Later work does not make it cold again.
    peer.progress("2", "begin", "something").await;
    write(&session, "two").await.expect("sent");
    let (settled, _) = tokio::join!(settle(&session), peer.answer_pull(&[]));
    assert_eq!(settled.took, ms(0));
}

#[tokio::test(start_paused = true)]
async fn a_cold_server_is_said_to_be_cold_and_catches_up_with_the_baseline_too() {
    let mut profile = spec();
    profile.readiness = Readiness::ServerStatus;
    let (session, mut peer) = session((profile, root()), pull()).await;
    let path = Path::new(A);
    let baseline = session.baseline(path, "x", "old text", ms(500)).await;
    assert!(matches!(
        baseline.evidence,
        Evidence::Unconfirmed(Why::StillLoading { .. })
    ));
    write(&session, "new text").await.expect("sent");
    peer.progress("1", "begin", "Fetching").await;
    let settled = session.settle(path, ms(1500)).await;
    assert_eq!(
        why(&settled),
        "the server still loads the project, 2 s after its start (Fetching)"
    );

    let text = |params: &Value| params["contentChanges"][0]["text"].clone();
    let server = async {
        let status = json!({ "health": "ok", "quiescent": true });
        peer.expect("textDocument/didSave").await;
        peer.notify("experimental/serverStatus", status).await;
        // The old text once more, to compare with.
        let (_, params) = peer.expect("textDocument/didChange").await;
        assert_eq!(text(&params), "old text");
        peer.answer_pull(&["was there"]).await;
        let (_, params) = peer.expect("textDocument/didChange").await;
        assert_eq!(text(&params), "new text");
        peer.answer_pull(&["was there", "is new"]).await;
    };
    tokio::join!(server, sleep(ms(100)));
    let late = session.take_late();
    let settled = &late[0].settled;
    assert_eq!(found(settled), ["was there", "is new"]);
    let before = settled.before.as_ref().expect("the baseline");
    assert_eq!(messages(&before.diagnostics), ["was there"]);
    assert!(before.evidence.is_confirmed());
}

#[tokio::test(start_paused = true)]
async fn a_baseline_that_is_dropped_half_way_leaves_the_text_as_it_is_on_disk() {
    let mut profile = spec();
    profile.readiness = Readiness::ServerStatus;
    let (session, mut peer) = session((profile, root()), pull()).await;
    let path = Path::new(A);
    session.baseline(path, "x", "old text", ms(500)).await;
    write(&session, "new text").await.expect("sent");
    let status = json!({ "health": "ok", "quiescent": true });
    peer.notify("experimental/serverStatus", status).await;
    {
        let settling = session.settle(path, BUDGET);
        tokio::select! {
            settled = settling => panic!("{settled:?}"),
            () = async { peer.expect("textDocument/diagnostic").await; } => {}
        }
    }
    assert_eq!(session.documents().text(path).as_deref(), Some("new text"));
    let (_, params) = peer.expect("textDocument/didChange").await;
    assert_eq!(params["contentChanges"][0]["text"], "new text");
}

#[tokio::test(start_paused = true)]
async fn nobody_asks_about_another_file_while_the_text_before_is_shown() {
    let mut profile = spec();
    profile.readiness = Readiness::ServerStatus;
    let (session, mut peer) = session((profile, root()), pull()).await;
    let b = Path::new("/r/b.x");
    let status = json!({ "health": "ok", "quiescent": false });
    peer.notify("experimental/serverStatus", status).await;
    let baseline = session.baseline(Path::new(A), "x", "old", ms(100)).await;
    assert!(why(&baseline).contains("still loads"));
    let changes = [
        Change::new(A, FileEvent::Changed).with_text("x", "new"),
        Change::new(b, FileEvent::Created).with_text("x", "b"),
    ];
    session.announce(&changes).await.expect("sent");
    let both = async { tokio::join!(settle(&session), session.settle(b, BUDGET)) };
    let ((a, b), shown) = tokio::join!(both, async {
        let status = json!({ "health": "ok", "quiescent": true });
        peer.notify("experimental/serverStatus", status).await;
        // What each file is at the server when it is asked about.
        let mut text = String::new();
        let mut shown = Vec::new();
        while shown.len() < 3 {
            let message = peer.next().await.expect("a message");
            let params = &message["params"];
            let name = params["textDocument"]["uri"].as_str().unwrap_or_default();
            if name == A_URI && message["method"] == "textDocument/didChange" {
                text = params["contentChanges"][0]["text"].to_string();
            }
            if message["method"] == "textDocument/diagnostic" {
                shown.push(format!(
                    "{} {text}",
                    name.rsplit('/').next().unwrap_or_default()
                ));
                let report = json!({ "kind": "full", "items": [] });
                peer.answer(message["id"].clone(), report).await;
            }
        }
        shown
    });
    assert!(a.evidence.is_confirmed() && b.evidence.is_confirmed());
    assert!(
        a.before
            .is_some_and(|before| before.evidence.is_confirmed())
    );
    let old: Vec<_> = shown.iter().filter(|one| one.contains("old")).collect();
    assert_eq!(old, [r#"a.x "old""#], "{shown:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_has_said_nothing_since_it_loaded_is_taken_to_load() {
    let mut profile = spec();
    profile.readiness = Readiness::NoProgress;
    let (session, mut peer) = opened(profile, json!({})).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        sleep(Duration::from_secs(12)).await;
        peer.publish(A_URI, Some(1), &["found"]).await;
    });
    assert_eq!(found(&settled), ["found"]);
    // It has spoken: from now on silence is silence.
    write(&session, "two").await.expect("sent");
    let silent = settle(&session).await;
    assert!(why(&silent).contains("said nothing about this text"));
    assert_eq!(silent.took, ms(5000));

    let mut profile = spec();
    profile.readiness = Readiness::NoProgress;
    let (session, _peer) = opened(profile, json!({})).await;
    let settled = settle(&session).await;
    assert!(why(&settled).contains("still loads the project"));
    assert_eq!(settled.took, ms(20_500));
}
