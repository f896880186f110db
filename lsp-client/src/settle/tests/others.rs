//! What a write does to other files.

use std::fs;

use super::*;

/// A root on disk, with the files of this content.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn uri(path: &Path) -> String {
    crate::uri::to_uri(path)
}

#[tokio::test(start_paused = true)]
async fn publishes_for_other_files_of_the_root_are_told_with_what_was_known_before() {
    let folder = project(&[("a.x", "one"), ("caller.x", "é😀 f()")]);
    let root = folder.path().canonicalize().expect("a folder");
    fs::create_dir(root.join("sub.x")).expect("a folder");
    let (a, caller) = (root.join("a.x"), root.join("caller.x"));
    let (session, mut peer) = session((spec(), &root), json!({})).await;
    session.open(&a, "x").await.expect("open");
    peer.publish(&uri(&caller), None, &["old"]).await;
    sleep(ms(1)).await;
    let change = Change::new(&a, FileEvent::Changed).with_text("x", "two");
    session.announce(&[change]).await.expect("sent");
    let (settled, ()) = tokio::join!(session.settle(&a, BUDGET), async {
        peer.publish(&uri(&a), Some(2), &[]).await;
        let range = json!({ "start": { "line": 0, "character": 4 },
                            "end": { "line": 0, "character": 5 } });
        let broken = json!([{ "message": "no such function", "range": range }]);
        let params = json!({ "uri": uri(&caller), "diagnostics": broken });
        peer.notify("textDocument/publishDiagnostics", params).await;
        // A folder, a file that is not there, and one elsewhere.
        for other in [root.join("sub.x"), root.join("gone.x"), "/etc/hosts".into()] {
            peer.publish(&uri(&other), None, &["elsewhere"]).await;
        }
    });
    assert_eq!(settled.dependents.len(), 1, "{settled:?}");
    let dependent = &settled.dependents[0];
    assert_eq!(dependent.path, caller);
    assert_eq!(messages(&dependent.diagnostics), ["no such function"]);
    // Columns are counted in bytes of the file on disk.
    assert_eq!(dependent.diagnostics[0].span.start.column, 7);
    let before = dependent.before.as_deref().expect("known before");
    assert_eq!(messages(before), ["old"]);

    let known = session.known(BUDGET).await;
    let known: Vec<_> = known.iter().map(|one| &*one.path).collect();
    assert_eq!(known, [&*caller]);
}

#[tokio::test(start_paused = true)]
async fn open_documents_are_asked_about_again() {
    let folder = project(&[("a.x", "one"), ("b.x", "uses a")]);
    let root = folder.path().canonicalize().expect("a folder");
    let (a, b) = (root.join("a.x"), root.join("b.x"));
    let offers = json!({ "diagnosticProvider": { "interFileDependencies": true } });
    let (session, mut peer) = session((spec(), &root), offers).await;
    session.open(&b, "x").await.expect("open");
    let (first, _) = tokio::join!(session.settle(&b, BUDGET), peer.answer_pull(&["old"]));
    assert_eq!(found(&first), ["old"]);
    let change = Change::new(&a, FileEvent::Created).with_text("x", "two");
    session.announce(&[change]).await.expect("sent");
    let (settled, ()) = tokio::join!(session.settle(&a, BUDGET), async {
        let (id, params) = peer.expect("textDocument/diagnostic").await;
        assert_eq!(params["textDocument"]["uri"], uri(&a));
        let related = json!({ uri(&root.join("c.x")): { "kind": "full", "items": [] } });
        let report = json!({ "kind": "full", "items": [], "relatedDocuments": related });
        peer.answer(id, report).await;
        let params = peer.answer_pull(&["old", "broken by the write"]).await;
        assert_eq!(params["textDocument"]["uri"], uri(&b));
    });
    let dependent = &settled.dependents[0];
    assert_eq!((settled.dependents.len(), &dependent.path), (1, &b));
    assert_eq!(
        messages(&dependent.diagnostics),
        ["old", "broken by the write"]
    );
    assert!(matches!(dependent.evidence, Evidence::Pulled));
    let before = dependent.before.as_deref().expect("known before");
    assert_eq!(messages(before), ["old"]);
}

/// As the server of JSON does, for which no file matters to another but a schema.
#[tokio::test(start_paused = true)]
async fn what_a_server_takes_back_is_asked_again_though_files_do_not_matter_to_each_other() {
    let folder = project(&[("a.x", "one"), ("b.x", "described by a")]);
    let root = folder.path().canonicalize().expect("a folder");
    let (a, b) = (root.join("a.x"), root.join("b.x"));
    let offers = json!({ "diagnosticProvider": { "interFileDependencies": false } });
    let (session, mut peer) = session((spec(), &root), offers).await;
    session.open(&b, "x").await.expect("open");
    let (first, _) = tokio::join!(session.settle(&b, BUDGET), peer.answer_pull(&[]));
    assert_eq!(found(&first), [""; 0]);
    for (text, takes_back) in [("two", false), ("three", true)] {
        let change = Change::new(&a, FileEvent::Changed).with_text("x", text);
        session.announce(&[change]).await.expect("sent");
        let (settled, ()) = tokio::join!(session.settle(&a, BUDGET), async {
            let (id, _) = peer.expect("textDocument/diagnostic").await;
            if takes_back {
                peer.request(1, "workspace/diagnostic/refresh", json!(null))
                    .await;
            }
            peer.answer(id, json!({ "kind": "full", "items": [] }))
                .await;
            if takes_back {
                let params = peer.answer_pull(&["does not fit"]).await;
                assert_eq!(params["textDocument"]["uri"], uri(&b));
            }
        });
        let told: Vec<_> = settled.dependents.iter().map(|one| &one.path).collect();
        match takes_back {
            false => assert_eq!(told, [&a; 0]),
            true => assert_eq!(told, [&b]),
        }
    }
}

/// tsserver's answer to one of the two questions about a file.
async fn answer_tsserver(peer: &mut Peer, semantic: &[&str]) -> String {
    let mut file = String::new();
    for texts in [&[][..], semantic] {
        let (id, params) = peer.expect("workspace/executeCommand").await;
        let asked = params["arguments"][1]["file"].as_str();
        file = asked.expect("a file").to_owned();
        let item = |text: &&str| {
            json!({ "start": { "line": 1, "offset": 1 }, "end": { "line": 1, "offset": 2 },
                    "text": text, "code": 1, "category": "error" })
        };
        let body: Vec<_> = texts.iter().map(item).collect();
        peer.answer(id, json!({ "success": true, "body": body }))
            .await;
    }
    file
}

#[tokio::test(start_paused = true)]
async fn what_a_server_publishes_that_is_asked_is_about_an_earlier_text() {
    let folder = project(&[("a.x", "one"), ("b.x", "uses a")]);
    let root = folder.path().canonicalize().expect("a folder");
    let (a, b) = (root.join("a.x"), root.join("b.x"));
    let mut profile = spec();
    profile.diagnostics.ask = Some(crate::Ask::TsServer);
    let commands = json!(["typescript.tsserverRequest"]);
    let offers = json!({ "executeCommandProvider": { "commands": commands } });
    let mut limits = SessionLimits::default();
    limits.settle.dependents = 0;
    let (session, mut peer) = session_with((profile, &root), offers, limits, 1 << 16).await;
    session.open(&a, "x").await.expect("open");
    let (first, _) = tokio::join!(session.settle(&a, BUDGET), answer_tsserver(&mut peer, &[]));
    assert_eq!(found(&first), [""; 0]);
    session.open(&b, "x").await.expect("open");
    let change = Change::new(&a, FileEvent::Changed).with_text("x", "two");
    session.announce(&[change]).await.expect("sent");
    // There are too many files to ask about this one too. Its old problem, of which the server tells by
    // itself, is not one that the change brought.
    let (settled, ()) = tokio::join!(session.settle(&a, BUDGET), async {
        peer.publish(&uri(&b), None, &["old"]).await;
        answer_tsserver(&mut peer, &[]).await;
    });
    assert!(settled.evidence.is_confirmed());
    assert_eq!(settled.dependents.len(), 0, "{settled:?}");
    assert_eq!(session.known(BUDGET).await.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_may_be_old_is_asked_again_of_who_asks_for_all() {
    let folder = project(&[("a.x", "one"), ("b.x", "uses a")]);
    let root = folder.path().canonicalize().expect("a folder");
    let (a, b) = (root.join("a.x"), root.join("b.x"));
    let offers = json!({ "diagnosticProvider": { "interFileDependencies": true } });
    let (session, mut peer) = session((spec(), &root), offers).await;
    session.open(&b, "x").await.expect("open");
    let (first, _) = tokio::join!(session.settle(&b, BUDGET), peer.answer_pull(&["old"]));
    assert_eq!(found(&first), ["old"]);
    let known = session.known(BUDGET).await;
    assert_eq!(
        messages(&known[0].diagnostics),
        ["old"],
        "nothing has changed"
    );
    let change = Change::new(&a, FileEvent::Changed);
    session.announce(&[change]).await.expect("sent");
    let (known, _) = tokio::join!(session.known(BUDGET), peer.answer_pull(&["new"]));
    assert_eq!((known.len(), &known[0].path), (1, &b));
    assert_eq!(messages(&known[0].diagnostics), ["new"]);
    // Without an answer it is what it was, and not sure.
    let change = Change::new(&a, FileEvent::Changed);
    session.announce(&[change]).await.expect("sent");
    let known = session.known(ms(100)).await;
    assert_eq!(known.len(), 1, "{known:?}");
    assert!(!known[0].evidence.is_confirmed());
}

#[tokio::test(start_paused = true)]
async fn what_is_published_at_a_close_is_not_about_the_file() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    session.close(Path::new(A)).await.expect("sent");
    peer.expect("textDocument/didClose").await;
    peer.publish(A_URI, None, &["old"]).await;
    sleep(ms(1)).await;
    assert_eq!(session.known(BUDGET).await.len(), 0);
    let settled = settle(&session).await;
    assert_eq!(why(&settled), "the file is not open at the server");
}

#[tokio::test(start_paused = true)]
async fn of_a_patch_every_file_is_asked_about_once() {
    let offers = json!({ "diagnosticProvider": { "interFileDependencies": true } });
    let (session, mut peer) = session((spec(), root()), offers).await;
    let paths = ["/r/a.x", "/r/b.x", "/r/c.x"].map(Path::new);
    let changes = paths.map(|path| Change::new(path, FileEvent::Created).with_text("x", "text"));
    session.announce(&changes).await.expect("sent");
    let server = tokio::spawn(async move {
        let mut asked = 0;
        while let Some(message) = peer.next().await {
            if message["method"] == "textDocument/diagnostic" {
                asked += 1;
                peer.answer(
                    message["id"].clone(),
                    json!({ "kind": "full", "items": [] }),
                )
                .await;
            }
        }
        asked
    });
    for path in paths {
        let settled = session.settle(path, BUDGET).await;
        assert!(matches!(settled.evidence, Evidence::Pulled), "{settled:?}");
    }
    drop(session);
    assert_eq!(server.await.expect("counted"), 3);
}

#[tokio::test(start_paused = true)]
async fn slow_answers_about_other_files_hold_the_verdict_back_only_so_long() {
    let offers = json!({ "diagnosticProvider": { "interFileDependencies": true } });
    let (session, mut peer) = session((spec(), root()), offers).await;
    let b = Change::new("/r/b.x", FileEvent::Created).with_text("x", "b");
    session.announce(&[b]).await.expect("sent");
    write(&session, "two").await.expect("sent");
    let (settled, _) = tokio::join!(settle(&session), peer.answer_pull(&["bad"]));
    assert_eq!(found(&settled), ["bad"]);
    assert_eq!(settled.took, ms(5000));
    assert!(!settled.dependents[0].evidence.is_confirmed());
}
