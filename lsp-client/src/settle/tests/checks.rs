//! The check of the project that a save starts.

use super::*;
use crate::AfterSave;

const TOKEN: &str = "check/0";

fn checking() -> ServerSpec {
    let mut spec = spec();
    spec.diagnostics.after_save = Some(AfterSave {
        token: "check/".to_owned(),
        begin: ms(3000),
        quiet: ms(300),
        budget: ms(20_000),
    });
    spec
}

fn pull() -> Value {
    json!({ "diagnosticProvider": { "interFileDependencies": false } })
}

/// An item with a code and a source at a line.
fn item(source: &str, code: &str, line: u32, message: &str) -> Value {
    json!({ "source": source, "code": code, "message": message,
            "range": { "start": { "line": line, "character": 0 },
                       "end": { "line": line, "character": 1 } } })
}

#[tokio::test(start_paused = true)]
async fn both_halves_are_one_and_what_they_share_is_told_once() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        let native = json!([
            item("native", "E0308", 0, "expected i32, found &str"),
            item("native", "unused", 1, "unused variable"),
        ]);
        peer.answer(id, json!({ "kind": "full", "items": native }))
            .await;
        sleep(ms(200)).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(500)).await;
        let compiler = json!([
            item("rustc", "E0308", 0, "mismatched types"),
            item("rustc", "E0502", 2, "cannot borrow"),
        ]);
        let params = json!({ "uri": A_URI, "version": 1, "diagnostics": compiler });
        peer.notify("textDocument/publishDiagnostics", params).await;
        peer.progress(TOKEN, "end", "").await;
    });
    assert!(
        matches!(settled.evidence, Evidence::CheckEnded),
        "{settled:?}"
    );
    assert_eq!(
        found(&settled),
        ["unused variable", "mismatched types", "cannot borrow"]
    );
    assert_eq!(settled.took, ms(1000));

    // Nothing about the file has changed for the compiler: it is not published again.
    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.answer_pull(&[]).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(500)).await;
        peer.progress(TOKEN, "end", "").await;
    });
    assert_eq!(found(&settled), ["mismatched types", "cannot borrow"]);
}

#[tokio::test(start_paused = true)]
async fn the_run_that_a_newer_save_cancels_does_not_count() {
    let (session, mut peer) = opened(checking(), pull()).await;
    peer.progress(TOKEN, "begin", "check").await;
    sleep(ms(1)).await;
    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.answer_pull(&[]).await;
        // The run for the save before, then the one that the save after cut short.
        peer.progress(TOKEN, "end", "").await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(20)).await;
        peer.progress(TOKEN, "end", "").await;
        sleep(ms(1000)).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(500)).await;
        peer.publish(A_URI, Some(2), &["borrowed"]).await;
        peer.progress(TOKEN, "end", "").await;
    });
    assert_eq!(found(&settled), ["borrowed"]);
    assert!(matches!(settled.evidence, Evidence::CheckEnded));
}

#[tokio::test(start_paused = true)]
async fn a_check_that_does_not_begin_leaves_the_verdict_open() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let (settled, _) = tokio::join!(settle(&session), peer.answer_pull(&["native"]));
    assert!(why(&settled).contains("was not seen to begin"));
    assert_eq!((found(&settled), settled.took), (vec!["native"], ms(3000)));
}

#[tokio::test(start_paused = true)]
async fn a_check_that_takes_too_long_comes_with_the_next_result() {
    let (session, mut peer) = opened(checking(), pull()).await;
    peer.publish(A_URI, Some(0), &["of the text before"]).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.answer_pull(&["native"]).await;
        peer.progress(TOKEN, "begin", "check").await;
    });
    assert!(
        why(&settled).contains("still ran after 20 s"),
        "{}",
        why(&settled)
    );
    assert_eq!(found(&settled), ["native"]);
    assert_eq!(session.take_late().len(), 0);

    let ((), ()) = tokio::join!(sleep(Duration::from_secs(60)), async {
        peer.answer_pull(&["native"]).await;
        sleep(Duration::from_secs(40)).await;
        peer.publish(A_URI, Some(1), &["borrowed"]).await;
        peer.progress(TOKEN, "end", "").await;
    });
    let late = session.take_late();
    assert_eq!((late.len(), &*late[0].path), (1, Path::new(A)));
    assert_eq!(found(&late[0].settled), ["native", "borrowed"]);
    assert!(matches!(late[0].settled.evidence, Evidence::CheckEnded));
}

#[tokio::test(start_paused = true)]
async fn findings_of_a_text_that_is_gone_are_not_handed_out() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let (_, ()) = tokio::join!(settle(&session), async {
        peer.answer_pull(&[]).await;
        peer.progress(TOKEN, "begin", "check").await;
    });
    let ((), ()) = tokio::join!(sleep(Duration::from_secs(10)), async {
        peer.answer_pull(&[]).await;
        peer.publish(A_URI, Some(1), &["late"]).await;
        peer.progress(TOKEN, "end", "").await;
    });
    write(&session, "two").await.expect("sent");
    assert_eq!(session.take_late().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_first_baseline_uses_the_check_that_the_server_makes_by_itself() {
    let (session, mut peer) = session((checking(), root()), pull()).await;
    let baseline = session.baseline(Path::new(A), "x", "one", BUDGET);
    let (settled, ()) = tokio::join!(baseline, async {
        peer.answer_pull(&[]).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(900)).await;
        peer.publish(A_URI, Some(1), &["old"]).await;
        peer.progress(TOKEN, "end", "").await;
    });
    assert!(
        matches!(settled.evidence, Evidence::CheckEnded),
        "{settled:?}"
    );
    assert_eq!(found(&settled), ["old"]);
}

#[tokio::test(start_paused = true)]
async fn a_deletion_starts_a_check_too() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let gone = Change::new("/r/b.x", FileEvent::Deleted);
    session.announce(&[gone]).await.expect("sent");
    peer.expect("workspace/didChangeWatchedFiles").await;
    peer.expect("workspace/didChangeWatchedFiles").await;
    let (_, params) = peer.expect("textDocument/didSave").await;
    assert_eq!(params["textDocument"]["uri"], A_URI);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_it_is_broken_confirms_nothing() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        peer.answer(id, json!({ "kind": "full", "items": [] }))
            .await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(100)).await;
        peer.progress(TOKEN, "end", "").await;
        let status = json!({ "health": "error", "quiescent": true,
                             "message": "\ncargo check failed to start: no such edition" });
        peer.notify("experimental/serverStatus", status).await;
    });
    let Evidence::Unconfirmed(why) = &settled.evidence else {
        panic!("{settled:?}");
    };
    assert_eq!(
        why.to_string(),
        "cargo check failed to start: no such edition"
    );

    // It works again: the same question is answered as before.
    let status = json!({ "health": "ok", "quiescent": true });
    peer.notify("experimental/serverStatus", status).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        peer.answer(id, json!({ "kind": "full", "items": [] }))
            .await;
    });
    assert!(
        matches!(settled.evidence, Evidence::CheckEnded),
        "{settled:?}"
    );
}
