//! The check of the project that a save starts.

use super::*;
use crate::{ProjectCheck, Readiness};

const START: &str = "check/start";
const TOKEN: &str = "check/0";

fn checking() -> ServerSpec {
    let mut spec = spec();
    spec.diagnostics.check = Some(ProjectCheck::new(START, "check/"));
    spec
}

/// One that says when it loads.
fn loading() -> ServerSpec {
    let mut spec = checking();
    spec.readiness = Readiness::ServerStatus;
    spec
}

async fn quiescent(peer: &mut Peer, quiescent: bool) {
    let status = json!({ "health": "ok", "quiescent": quiescent });
    peer.notify("experimental/serverStatus", status).await;
}

/// Runs the check that is asked for next, with what it publishes for `A`.
async fn check(peer: &mut Peer, version: i32, published: &[&str]) {
    peer.expect(START).await;
    sleep(ms(80)).await;
    peer.progress(TOKEN, "begin", "check").await;
    sleep(ms(500)).await;
    peer.publish(A_URI, Some(version), published).await;
    peer.progress(TOKEN, "end", "").await;
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
        let (_, params) = peer.expect(START).await;
        assert_eq!(params, json!({ "textDocument": null }));
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
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        let native = json!([
            item("native", "E0308", 0, "expected i32, found &str"),
            item("native", "unused", 1, "unused variable"),
        ]);
        peer.answer(id, json!({ "kind": "full", "items": native }))
            .await;
    });
    assert!(
        matches!(settled.evidence, Evidence::CheckEnded),
        "{settled:?}"
    );
    assert_eq!(
        found(&settled),
        ["unused variable", "mismatched types", "cannot borrow"]
    );
    assert_eq!(settled.took, ms(900));

    // Nothing about the file has changed for the compiler: it is not published again.
    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(500)).await;
        peer.progress(TOKEN, "end", "").await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), ["mismatched types", "cannot borrow"]);
}

#[tokio::test(start_paused = true)]
async fn an_error_that_stands_elsewhere_is_not_gone_while_a_check_runs() {
    let stands = "file:///r/stands.x";
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder");
    let other = root.join("stands.x");
    std::fs::write(&other, "let a = b").expect("written");
    let stands = stands.replace("file:///r", &format!("file://{}", root.display()));
    let a = root.join("a.x");
    let (session, mut peer) = session((loading(), &root), pull()).await;
    quiescent(&mut peer, true).await;
    let change = |text: &str| Change::new(&a, FileEvent::Changed).with_text("x", text);
    let of_other = |settled: &Settled| {
        let mut others = settled.dependents.iter();
        let found = others.find(|one| one.path == other);
        found.map(|one| (one.diagnostics.len(), one.evidence.is_confirmed()))
    };

    session.announce(&[change("one")]).await.expect("sent");
    let (settled, ()) = tokio::join!(session.settle(&a, BUDGET), async {
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(100)).await;
        peer.publish(&stands, None, &["moved"]).await;
        peer.progress(TOKEN, "end", "").await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(of_other(&settled), Some((1, true)));

    // The next check takes longer than anybody waits: what it has cleared is not gone.
    session.announce(&[change("two")]).await.expect("sent");
    let (settled, ()) = tokio::join!(session.settle(&a, BUDGET), async {
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        peer.publish(&stands, None, &[]).await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(of_other(&settled), Some((0, false)));
    assert!(why(&settled).contains("still ran after 20 s"));
}

#[tokio::test(start_paused = true)]
async fn findings_that_are_published_after_the_end_are_waited_for() {
    let announced = json!({ "documentSymbolProvider": true,
        "diagnosticProvider": { "interFileDependencies": false } });
    let (session, mut peer) = opened(checking(), announced).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(100)).await;
        peer.progress(TOKEN, "end", "").await;
        let (id, _) = peer.expect("textDocument/documentSymbol").await;
        sleep(ms(900)).await;
        peer.publish(A_URI, Some(1), &["borrowed"]).await;
        peer.answer(id, json!([])).await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), ["borrowed"]);
}

#[tokio::test(start_paused = true)]
async fn what_threads_publish_in_another_order_is_the_same() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        check(&mut peer, 1, &["borrowed"]).await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), ["borrowed"]);
    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        check(&mut peer, 2, &["borrowed"]).await;
        // It was cleared before.
        sleep(ms(100)).await;
        peer.publish(A_URI, Some(2), &[]).await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), ["borrowed"]);
    // And when it is gone, it is gone.
    write(&session, "three").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        check(&mut peer, 3, &[]).await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_older_run_is_not_the_end_of_this_one() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let (first, ()) = tokio::join!(session.settle(Path::new(A), ms(50)), async {
        peer.expect(START).await;
    });
    assert!(!first.evidence.is_confirmed());
    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        // The run for the text before begins only now. Until it does, none is asked for.
        sleep(ms(10_000)).await;
        peer.progress(TOKEN, "begin", "check").await;
        peer.expect(START).await;
        // It is cancelled, long after its beginning.
        sleep(ms(2000)).await;
        peer.progress(TOKEN, "end", "").await;
        sleep(ms(100)).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(500)).await;
        peer.publish(A_URI, Some(2), &["borrowed"]).await;
        peer.progress(TOKEN, "end", "").await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), ["borrowed"]);
    assert!(matches!(settled.evidence, Evidence::CheckEnded));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_cut_short_does_not_count() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(1)).await;
        peer.progress(TOKEN, "end", "").await;
        // Nothing follows: it is asked for again.
        check(&mut peer, 1, &["borrowed"]).await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), ["borrowed"]);
    assert!(matches!(settled.evidence, Evidence::CheckEnded));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_loads_again_is_asked_again() {
    let (session, mut peer) = session((loading(), root()), pull()).await;
    quiescent(&mut peer, true).await;
    write(&session, "one").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        // The run begins and ends well, and then the server drops all that was found.
        peer.expect(START).await;
        quiescent(&mut peer, false).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(300)).await;
        peer.publish(A_URI, Some(1), &["borrowed"]).await;
        peer.progress(TOKEN, "end", "").await;
        peer.publish(A_URI, Some(1), &[]).await;
        sleep(ms(1000)).await;
        quiescent(&mut peer, true).await;
        check(&mut peer, 1, &["borrowed"]).await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), ["borrowed"]);
    assert!(matches!(settled.evidence, Evidence::CheckEnded));

    // It loads again by itself: what was known holds no more, though nothing was changed.
    quiescent(&mut peer, false).await;
    peer.publish(A_URI, Some(1), &[]).await;
    quiescent(&mut peer, true).await;
    sleep(ms(1)).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        check(&mut peer, 1, &["borrowed"]).await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), ["borrowed"]);
}

#[tokio::test(start_paused = true)]
async fn one_check_serves_all_files_of_a_change() {
    let (session, mut peer) = session((checking(), root()), pull()).await;
    let files = ["/r/a.x", "/r/b.x"];
    let changes = files.map(|file| Change::new(file, FileEvent::Changed).with_text("x", "one"));
    session.announce(&changes).await.expect("sent");
    let [a, b] = files.map(|file| session.settle(Path::new(file), BUDGET));
    let (a, b, ()) = tokio::join!(a, b, async {
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(500)).await;
        peer.progress(TOKEN, "end", "").await;
        for _ in 0..2 {
            let (id, _) = peer.expect("textDocument/diagnostic").await;
            peer.answer(id, json!({ "kind": "full", "items": [] }))
                .await;
        }
    });
    for settled in [a, b] {
        assert!(matches!(settled.evidence, Evidence::CheckEnded));
        assert_eq!(settled.took, ms(700));
    }
}

#[tokio::test(start_paused = true)]
async fn a_check_that_does_not_begin_leaves_the_verdict_open() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let (settled, _) = tokio::join!(settle(&session), peer.answer_pull(&["native"]));
    assert!(why(&settled).contains("was not seen to begin"));
    assert_eq!(found(&settled), ["native"]);
    assert_eq!(settled.took, ms(15_000));
}

#[tokio::test(start_paused = true)]
async fn a_check_that_takes_too_long_comes_with_the_next_result() {
    let (session, mut peer) = opened(checking(), pull()).await;
    peer.publish(A_URI, Some(0), &["of the text before"]).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        peer.answer_pull(&["native"]).await;
    });
    assert!(
        why(&settled).contains("still ran after 20 s"),
        "{}",
        why(&settled)
    );
    assert_eq!(found(&settled), ["native"]);
    assert_eq!(session.take_late().len(), 0);

    // It is not asked for again.
    let ((), ()) = tokio::join!(sleep(Duration::from_secs(60)), async {
        sleep(Duration::from_secs(40)).await;
        peer.publish(A_URI, Some(1), &["borrowed"]).await;
        peer.progress(TOKEN, "end", "").await;
        peer.answer_pull(&["native"]).await;
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
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        peer.answer_pull(&[]).await;
    });
    let ((), ()) = tokio::join!(sleep(Duration::from_secs(10)), async {
        peer.publish(A_URI, Some(1), &["late"]).await;
        peer.progress(TOKEN, "end", "").await;
        peer.answer_pull(&[]).await;
    });
    write(&session, "two").await.expect("sent");
    assert_eq!(session.take_late().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_first_baseline_starts_a_check() {
    let (session, mut peer) = session((checking(), root()), pull()).await;
    let baseline = session.baseline(Path::new(A), "x", "one", BUDGET);
    let (settled, ()) = tokio::join!(baseline, async {
        check(&mut peer, 1, &["old"]).await;
        peer.answer_pull(&[]).await;
    });
    assert!(
        matches!(settled.evidence, Evidence::CheckEnded),
        "{settled:?}"
    );
    assert_eq!(found(&settled), ["old"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_it_is_broken_confirms_nothing() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let failed = "Some build scripts failed.\n\ncargo check failed to start: no metadata:\n\
                  error: no such edition\n\nCaused by:";
    for (status, said) in [
        (
            json!({ "health": "error", "quiescent": true, "message": "\nno workspace\nat all" }),
            "no workspace",
        ),
        // That is only a warning to the server.
        (
            json!({ "health": "warning", "quiescent": true, "message": failed }),
            "cargo check failed to start: error: no such edition",
        ),
    ] {
        write(&session, said).await.expect("sent");
        let (settled, ()) = tokio::join!(settle(&session), async {
            peer.expect(START).await;
            peer.progress(TOKEN, "begin", "check").await;
            sleep(ms(100)).await;
            peer.progress(TOKEN, "end", "").await;
            peer.notify("experimental/serverStatus", status).await;
            peer.answer_pull(&[]).await;
        });
        assert_eq!(why(&settled), said);
    }

    // It works again: the same question is answered as before.
    let status = json!({ "health": "warning", "quiescent": true, "message": "no sources" });
    peer.notify("experimental/serverStatus", status).await;
    let (settled, _) = tokio::join!(settle(&session), peer.answer_pull(&[]));
    assert!(
        matches!(settled.evidence, Evidence::CheckEnded),
        "{settled:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn none_is_asked_for_while_the_server_loads() {
    let (session, mut peer) = session((loading(), root()), pull()).await;
    quiescent(&mut peer, true).await;
    write(&session, "one").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        // It loads twice in a row, and what was asked for before is dropped without a word.
        peer.expect(START).await;
        quiescent(&mut peer, false).await;
        sleep(ms(100)).await;
        quiescent(&mut peer, true).await;
        sleep(ms(1500)).await;
        quiescent(&mut peer, false).await;
        sleep(ms(1500)).await;
        // What a question would have begun now, it would have ended when it had loaded.
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(600)).await;
        peer.progress(TOKEN, "end", "").await;
        sleep(ms(1500)).await;
        quiescent(&mut peer, true).await;
        check(&mut peer, 1, &["borrowed"]).await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), ["borrowed"]);
    assert!(matches!(settled.evidence, Evidence::CheckEnded));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_comes_late_and_is_cancelled_by_the_next_does_not_count() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let (first, ()) = tokio::join!(session.settle(Path::new(A), ms(50)), async {
        peer.expect(START).await;
    });
    assert!(!first.evidence.is_confirmed());
    // Longer than any takes to begin.
    sleep(ms(16_000)).await;
    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(1000)).await;
        peer.progress(TOKEN, "end", "").await;
        sleep(ms(60)).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(500)).await;
        peer.publish(A_URI, Some(2), &["borrowed"]).await;
        peer.progress(TOKEN, "end", "").await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), ["borrowed"]);
    assert!(matches!(settled.evidence, Evidence::CheckEnded));
}

#[tokio::test(start_paused = true)]
async fn what_is_cleared_after_the_check_is_not_gone() {
    let (session, mut peer) = opened(checking(), pull()).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        check(&mut peer, 1, &["borrowed"]).await;
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        peer.publish(A_URI, Some(1), &[]).await;
        peer.answer(id, json!({ "kind": "full", "items": [] }))
            .await;
    });
    assert_eq!(found(&settled), ["borrowed"]);

    // A slow thread publishes what was found when the check has been heard out.
    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        check(&mut peer, 2, &["borrowed"]).await;
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        peer.publish(A_URI, Some(2), &["borrowed", "moved"]).await;
        peer.answer(id, json!({ "kind": "full", "items": [] }))
            .await;
    });
    assert_eq!(found(&settled), ["borrowed", "moved"]);

    // It was cleared already: the next check finds nothing, and does not say so again.
    peer.publish(A_URI, Some(2), &[]).await;
    write(&session, "three").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(500)).await;
        peer.progress(TOKEN, "end", "").await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(found(&settled), [""; 0]);
    assert!(matches!(settled.evidence, Evidence::CheckEnded));
}

#[tokio::test(start_paused = true)]
async fn what_loading_clears_elsewhere_is_not_gone_and_what_is_gone_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder");
    let [a, open, shut] = ["a.x", "open.x", "shut.x"].map(|name| root.join(name));
    for file in [&open, &shut] {
        std::fs::write(file, "let a = b").expect("written");
    }
    let [open_uri, shut_uri] = [&open, &shut].map(|file| crate::uri::to_uri(file));
    let offers = json!({ "diagnosticProvider": { "interFileDependencies": true } });
    let (session, mut peer) = session((loading(), &root), offers).await;
    quiescent(&mut peer, true).await;
    session.open(&open, "x").await.expect("open");
    let of_others = |settled: &Settled| {
        let mut others: Vec<_> = settled
            .dependents
            .iter()
            .map(|one| {
                let name = one.path.file_name().expect("a file").to_owned();
                (name, one.diagnostics.len(), one.evidence.is_confirmed())
            })
            .collect();
        others.sort();
        others
    };
    let told = |open: usize, shut: usize| {
        [("open.x", open), ("shut.x", shut)].map(|(name, count)| (name.into(), count, true))
    };

    let change = Change::new(&a, FileEvent::Created).with_text("x", "one");
    session.announce(&[change]).await.expect("sent");
    let (settled, ()) = tokio::join!(session.settle(&a, BUDGET), async {
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        peer.publish(&open_uri, Some(1), &["stands"]).await;
        peer.publish(&shut_uri, None, &["stands"]).await;
        sleep(ms(100)).await;
        peer.progress(TOKEN, "end", "").await;
        peer.answer_pull(&[]).await;
        // Now it loads again, and drops all that was found.
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        quiescent(&mut peer, false).await;
        peer.publish(&open_uri, Some(1), &[]).await;
        peer.publish(&shut_uri, None, &[]).await;
        peer.answer(id, json!({ "kind": "full", "items": [] }))
            .await;
    });
    assert_eq!(of_others(&settled), told(1, 1));
    quiescent(&mut peer, true).await;

    // The next change repairs both. The server has nothing to clear any more.
    let change = Change::new(&a, FileEvent::Changed).with_text("x", "two");
    session.announce(&[change]).await.expect("sent");
    let (settled, ()) = tokio::join!(session.settle(&a, BUDGET), async {
        peer.expect(START).await;
        peer.progress(TOKEN, "begin", "check").await;
        sleep(ms(100)).await;
        peer.progress(TOKEN, "end", "").await;
        peer.answer_pull(&[]).await;
        peer.answer_pull(&[]).await;
    });
    assert_eq!(of_others(&settled), told(0, 0));
    let before = settled.dependents.iter().map(|one| one.before.as_deref());
    let before: Vec<_> = before.map(|one| one.map(messages)).collect();
    assert_eq!(before, [Some(vec!["stands"]), Some(vec!["stands"])]);
}
