//! Servers that do what no server should: each time there is a verdict with its reason, in time.

use super::*;

#[tokio::test(start_paused = true)]
async fn it_dies_between_the_change_and_the_publish() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        sleep(ms(100)).await;
        peer.raw("Segmentation fault\nContent-Length: 500\r\n\r\n{\"jso")
            .await;
        peer.close().await;
    });
    assert_eq!(
        why(&settled),
        "fake closed its output; it printed: Segmentation fault"
    );
    assert_eq!(settled.took, ms(100));
    assert!(write(&session, "two").await.is_err());
    let baseline = session.baseline(Path::new(A), "x", "three", BUDGET).await;
    assert!(why(&baseline).starts_with("fake closed its output"));
}

#[tokio::test(start_paused = true)]
async fn it_stops_reading_while_a_large_change_is_sent() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    let begun = Instant::now();
    let large = "x".repeat(5 << 20);
    let sent = write(&session, &large).await;
    assert!(matches!(sent, Err(SessionGone::Stuck { .. })), "{sent:?}");
    assert_eq!(begun.elapsed(), ms(3000));
    let settled = session.settle(Path::new(A), ms(2000)).await;
    assert!(
        why(&settled).contains("has read nothing for"),
        "{}",
        why(&settled)
    );
    assert!(begun.elapsed() <= ms(5000));
    // The next write does not wait at all.
    assert!(write(&session, "two").await.is_err());

    // It reads again: the next write works as if nothing had been.
    peer.expect("textDocument/didChange").await;
    sleep(ms(1)).await;
    write(&session, "three").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.publish(A_URI, Some(3), &["found"]).await;
    });
    assert_eq!(found(&settled), ["found"]);
}

#[tokio::test(start_paused = true)]
async fn it_sends_invalid_json_between_good_messages() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.raw("Content-Length: 9\r\n\r\n{\"id\": 1,").await;
        peer.publish(A_URI, Some(1), &["found"]).await;
    });
    assert_eq!(found(&settled), ["found"]);
}

#[tokio::test(start_paused = true)]
async fn it_sends_a_header_of_two_gigabytes() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.raw("Content-Length: 2147483648\r\n\r\n{").await;
    });
    assert!(why(&settled).contains("its header declares 2147483648 bytes"));
}

#[tokio::test(start_paused = true)]
async fn it_floods_its_log() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    let line = "x".repeat(100_000);
    let (settled, ()) = tokio::join!(settle(&session), async {
        for _ in 0..50 {
            let params = json!({ "type": 3, "message": line });
            peer.notify("window/logMessage", params).await;
        }
        peer.publish(A_URI, Some(1), &[]).await;
    });
    assert!(matches!(settled.evidence, Evidence::ExactVersion));
    let kept: usize = session.log().iter().map(String::len).sum();
    assert_eq!(kept, 50 * 500);
}

#[tokio::test(start_paused = true)]
async fn it_answers_nothing_at_all() {
    let offers = json!({ "documentSymbolProvider": true });
    let (session, _peer) = opened(spec(), offers).await;
    let settled = settle(&session).await;
    assert_eq!(why(&settled), "the server did not answer within 30 s");
    assert_eq!(settled.took, BUDGET);
}

#[tokio::test(start_paused = true)]
async fn it_says_that_it_is_of_no_use_here() {
    let offers = json!({ "diagnosticProvider": { "interFileDependencies": false } });
    let (session, mut peer) = opened(spec(), offers).await;
    peer.request(1, "eslint/noLibrary", json!({})).await;
    peer.answer_to(1).await;
    let settled = settle(&session).await;
    assert_eq!(
        why(&settled),
        "the ESLint library is not installed in the checkout"
    );
}

#[tokio::test(start_paused = true)]
async fn the_limits_of_a_session_hold_for_many_publishes() {
    let mut limits = SessionLimits::default();
    limits.settle.others = 2;
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder");
    let (session, mut peer) = session_with((spec(), &root), json!({}), limits, 1 << 16).await;
    let a = root.join("a.x");
    let change = Change::new(&a, FileEvent::Created).with_text("x", "one");
    session.announce(&[change]).await.expect("sent");
    let (settled, ()) = tokio::join!(session.settle(&a, BUDGET), async {
        peer.publish(&crate::uri::to_uri(&a), Some(1), &[]).await;
        for number in 0..5 {
            let other = root.join(format!("{number}.x"));
            std::fs::write(&other, "").expect("written");
            let messages: &[&str] = if number > 2 { &["bad"] } else { &[] };
            peer.publish(&crate::uri::to_uri(&other), None, messages)
                .await;
        }
    });
    let told: Vec<_> = settled
        .dependents
        .iter()
        .map(|one| one.diagnostics.len())
        .collect();
    assert_eq!(told, [1, 1]);
}
