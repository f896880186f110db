//! Servers that publish by themselves.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_publish_for_the_text_before_does_not_count() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.publish(A_URI, Some(1), &["old"]).await;
        sleep(ms(900)).await;
        peer.publish(A_URI, Some(2), &[]).await;
    });
    assert!(
        matches!(settled.evidence, Evidence::ExactVersion),
        "{settled:?}"
    );
    assert_eq!(found(&settled), [""; 0]);
    assert_eq!(settled.took, ms(1300));
}

#[tokio::test(start_paused = true)]
async fn a_second_round_for_the_same_version_counts() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.publish(A_URI, Some(1), &[]).await;
        sleep(ms(390)).await;
        peer.publish(A_URI, Some(1), &["no such name"]).await;
    });
    assert_eq!(found(&settled), ["no such name"]);
    assert_eq!(settled.took, ms(790));
}

#[tokio::test(start_paused = true)]
async fn silence_is_not_clean() {
    let (session, mut peer) = opened(spec(), json!({ "documentSymbolProvider": true })).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        let (id, _) = peer.expect("textDocument/documentSymbol").await;
        peer.answer(id, json!([])).await;
    });
    assert!(why(&settled).starts_with("the server said nothing about this text"));
    // Not the whole budget: it has answered, and works on nothing.
    assert_eq!(settled.took, ms(5000));

    // It spoke up in the end: that goes with the next result.
    assert_eq!(session.take_late().len(), 0);
    peer.publish(A_URI, Some(1), &["late"]).await;
    sleep(ms(500)).await;
    let late = session.take_late();
    assert_eq!(found(&late[0].settled), ["late"]);
    assert_eq!(session.take_late().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_and_busy_is_waited_for() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.progress("1", "begin", "indexing").await;
        sleep(Duration::from_secs(20)).await;
        peer.publish(A_URI, Some(1), &["found"]).await;
    });
    assert_eq!(found(&settled), ["found"]);
    assert!(settled.evidence.is_confirmed());

    write(&session, "two").await.expect("sent");
    let settled = settle(&session).await;
    assert_eq!(why(&settled), "the server was still busy (indexing)");
    assert_eq!(
        settled.took,
        ms(10_000),
        "the profile's limit for a warm server"
    );
}

#[tokio::test(start_paused = true)]
async fn without_versions_only_what_comes_after_the_change_counts() {
    let mut profile = spec();
    profile.diagnostics.versioned = false;
    let (session, mut peer) = opened(profile, json!({ "documentSymbolProvider": true })).await;
    peer.publish(A_URI, None, &["before"]).await;
    sleep(ms(1)).await;
    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        let (id, _) = peer.expect("textDocument/documentSymbol").await;
        peer.answer(id, Value::Null).await;
        sleep(ms(1000)).await;
        peer.publish(A_URI, None, &["after"]).await;
    });
    assert!(matches!(settled.evidence, Evidence::QuietAfterChange));
    assert_eq!(found(&settled), ["after"]);
    assert_eq!(settled.took, ms(1400));
}

#[tokio::test(start_paused = true)]
async fn without_versions_a_publish_counts_when_the_server_is_idle_and_has_answered() {
    let mut profile = spec();
    profile.diagnostics.versioned = false;
    let (session, mut peer) = opened(profile, json!({ "documentSymbolProvider": true })).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        // Maybe of the text before: the question about this one is not answered yet.
        peer.publish(A_URI, None, &["stale"]).await;
        peer.progress("1", "begin", "checking").await;
        sleep(ms(1000)).await;
        let (id, _) = peer.expect("textDocument/documentSymbol").await;
        peer.answer(id, Value::Null).await;
        sleep(ms(1000)).await;
        peer.publish(A_URI, None, &["right"]).await;
        sleep(ms(1000)).await;
        peer.progress("1", "end", "").await;
    });
    assert_eq!(found(&settled), ["right"]);
    assert_eq!(settled.took, ms(3400));
}

#[tokio::test(start_paused = true)]
async fn versions_that_never_match_stop_counting() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    // The first version is 1, and so is whatever this server sends.
    for text in ["two", "three"] {
        write(&session, text).await.expect("sent");
        let (settled, ()) = tokio::join!(settle(&session), async {
            peer.publish(A_URI, Some(1), &[text]).await;
        });
        assert!(why(&settled).starts_with("the server published for version 1"));
    }
    write(&session, "four").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        sleep(ms(100)).await;
        peer.publish(A_URI, Some(1), &["four"]).await;
    });
    assert!(
        matches!(settled.evidence, Evidence::QuietAfterChange),
        "{settled:?}"
    );
    assert_eq!((found(&settled), settled.took), (vec!["four"], ms(500)));
}

#[tokio::test(start_paused = true)]
async fn the_same_text_is_not_sent_again_and_its_result_stands() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    peer.publish(A_URI, Some(1), &["there"]).await;
    let first = settle(&session).await;
    assert_eq!(found(&first), ["there"]);
    // Nothing happened since.
    let again = session.baseline(Path::new(A), "x", "one", BUDGET).await;
    assert_eq!((found(&again), again.took), (vec!["there"], ms(0)));
    // A save of the same text; the server says nothing about it.
    write(&session, "one").await.expect("sent");
    let saved = settle(&session).await;
    assert!(
        matches!(saved.evidence, Evidence::ExactVersion),
        "{saved:?}"
    );
    assert_eq!((found(&saved), saved.took), (vec!["there"], ms(400)));
    drop(session);
    let mut sent = Vec::new();
    while let Some(message) = peer.next().await {
        sent.push(message["method"].as_str().expect("a method").to_owned());
    }
    assert_eq!(
        sent,
        [
            "workspace/didChangeWatchedFiles",
            "textDocument/didSave",
            "workspace/didChangeWatchedFiles"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_text_that_is_changed_meanwhile_has_no_verdict() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        sleep(ms(100)).await;
        write(&session, "two").await.expect("sent");
        peer.publish(A_URI, Some(2), &["of two"]).await;
    });
    assert_eq!(why(&settled), "the text was changed again meanwhile");
}

/// As gopls does: what it found when it loaded the project is about the files on the disk, has no
/// version, and may come when the document is another one already.
#[tokio::test(start_paused = true)]
async fn what_has_no_version_is_not_about_the_document_where_versions_can_be_trusted() {
    let (session, mut peer) = opened(spec(), json!({ "documentSymbolProvider": true })).await;
    sleep(ms(1)).await;
    write(&session, "before the change").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.publish(A_URI, None, &["brought by the change"]).await;
        let (id, _) = peer.expect("textDocument/documentSymbol").await;
        peer.answer(id, json!([])).await;
        sleep(ms(4300)).await;
        peer.publish(A_URI, Some(2), &[]).await;
    });
    assert!(
        matches!(settled.evidence, Evidence::ExactVersion),
        "{settled:?}"
    );
    assert_eq!(found(&settled), [""; 0]);
}
