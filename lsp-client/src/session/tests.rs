//! The handshake, the answers to a server's questions, and the end.

use std::path::Path;

use super::*;
use crate::connection::Cause;
use crate::peer::{Peer, session, spec};

fn launch() -> (Launch, Peer) {
    let (peer, (read, write)) = Peer::new(1 << 16);
    let transport = Transport::Pipes {
        read: Box::new(read),
        write: Box::new(write),
    };
    let mut spec = spec();
    spec.settings = json!({ "fake": { "level": 3 } });
    spec.initialization_options = json!({ "fast": true });
    (
        Launch::new(Arc::new(spec), "/r/a b".into(), transport),
        peer,
    )
}

async fn started(capabilities: Value) -> (Session, Peer) {
    session((spec(), Path::new("/r")), capabilities).await
}

#[tokio::test(start_paused = true)]
async fn questions_are_answered_before_the_handshake_is_over() {
    let (launch, mut peer) = launch();
    let server = async {
        let (id, params) = peer.expect("initialize").await;
        let folder = json!([{ "uri": "file:///r/a%20b", "name": "a b" }]);
        assert_eq!(params["processId"], std::process::id());
        assert_eq!(params["rootUri"], "file:///r/a%20b");
        assert_eq!(params["rootPath"], "/r/a b");
        assert_eq!(params["workspaceFolders"], folder);
        assert_eq!(params["initializationOptions"], json!({ "fast": true }));
        for (number, (method, params, expected)) in [
            (
                "workspace/configuration",
                json!({ "items": [{ "section": "fake.level" }, { "section": "other" }, {}] }),
                json!([3, null, { "fake": { "level": 3 } }]),
            ),
            ("workspace/workspaceFolders", Value::Null, folder),
            (
                "client/registerCapability",
                json!({ "registrations": [{ "id": "1", "method": "textDocument/hover" }] }),
                Value::Null,
            ),
            (
                "window/workDoneProgress/create",
                json!({ "token": 1 }),
                Value::Null,
            ),
            (
                "window/showMessageRequest",
                json!({ "type": 1, "message": "update?", "actions": [] }),
                Value::Null,
            ),
            ("workspace/diagnostic/refresh", Value::Null, Value::Null),
            ("workspace/inlayHint/refresh", Value::Null, Value::Null),
            (
                "window/showDocument",
                json!({ "uri": "" }),
                json!({ "success": false }),
            ),
            (
                "workspace/applyEdit",
                json!({ "edit": {} }),
                json!({ "applied": false, "failureReason": "nobody asked for an edit" }),
            ),
        ]
        .into_iter()
        .enumerate()
        {
            peer.request(number, method, params).await;
            assert_eq!(peer.answer_to(number).await["result"], expected, "{method}");
        }
        peer.request("x", "workspace/nobodyKnows", Value::Null)
            .await;
        assert_eq!(peer.answer_to("x").await["error"]["code"], -32601);
        peer.answer(
            id,
            json!({ "capabilities": { "positionEncoding": "utf-8" } }),
        )
        .await;
        peer.expect("initialized").await;
        let (_, params) = peer.expect("workspace/didChangeConfiguration").await;
        assert_eq!(params, json!({ "settings": { "fake": { "level": 3 } } }));
    };
    let (session, ()) = tokio::join!(Session::start(launch, SessionLimits::default()), server);
    let session = session.expect("a session");
    assert_eq!(session.encoding(), Encoding::Utf8);
    assert!(session.offers("textDocument/hover").is_some());
    assert_eq!(session.log(), ["update?"]);
    assert_eq!(
        (session.generation(), session.root()),
        (1, Path::new("/r/a b"))
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_announced_makes_servers_talk() {
    let (launch, mut peer) = launch();
    let start = Session::start(launch, SessionLimits::default());
    let params = tokio::select! {
        started = start => panic!("{started:?}"),
        (_, params) = peer.expect("initialize") => params,
    };
    let announced = |path: &str| params.pointer(&format!("/capabilities/{path}")).cloned();
    let yes = Some(json!(true));
    for path in [
        "textDocument/diagnostic/dynamicRegistration",
        "textDocument/diagnostic/relatedDocumentSupport",
        "textDocument/publishDiagnostics/versionSupport",
        "textDocument/publishDiagnostics/codeDescriptionSupport",
        "textDocument/publishDiagnostics/relatedInformation",
        "textDocument/synchronization/didSave",
        "workspace/configuration",
        "workspace/workspaceFolders",
        "workspace/applyEdit",
        "workspace/didChangeWatchedFiles/dynamicRegistration",
        "workspace/diagnostics/refreshSupport",
        "window/workDoneProgress",
        "experimental/serverStatusNotification",
    ] {
        assert_eq!(announced(path), yes, "{path}");
    }
    assert_eq!(
        announced("general/positionEncodings"),
        Some(json!(["utf-8", "utf-16"]))
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_names_no_encoding_counts_in_utf16() {
    for capabilities in [json!({}), json!({ "positionEncoding": "utf-7" }), json!(7)] {
        let (session, _peer) = started(capabilities).await;
        assert_eq!(session.encoding(), Encoding::Utf16);
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_that_fails_says_why() {
    let (never, mut peer) = launch();
    let params = json!({ "type": 3, "message": "waiting for the lock" });
    peer.notify("window/logMessage", params).await;
    let failed = Session::start(never, SessionLimits::default()).await;
    expect_test::expect![[r#"starting fake: it did not answer `initialize` within 45 s (it said last: waiting for the lock); start it by hand in the same folder to see what it waits for"#]]
    .assert_eq(&failed.expect_err("no answer").to_string());

    let (banner, mut peer) = launch();
    peer.raw("usage: fake start\n").await;
    peer.close().await;
    let failed = Session::start(banner, SessionLimits::default()).await;
    expect_test::expect!["starting fake closed its output; it printed: usage: fake start"]
        .assert_eq(&failed.expect_err("it ended").to_string());

    let (refusing, mut peer) = launch();
    let (failed, ()) = tokio::join!(Session::start(refusing, SessionLimits::default()), async {
        let (id, _) = peer.expect("initialize").await;
        peer.fail(id, -32603, Value::Null).await;
    });
    expect_test::expect!["starting fake: it refused: no"]
        .assert_eq(&failed.expect_err("it refused").to_string());
}

#[tokio::test(start_paused = true)]
async fn edits_are_taken_while_a_request_expects_them() {
    let (session, mut peer) = started(json!({})).await;
    let expected = session.expect_edits();
    peer.request(
        1,
        "workspace/applyEdit",
        json!({ "edit": { "changes": {} } }),
    )
    .await;
    assert_eq!(peer.answer_to(1).await["result"]["applied"], true);
    assert_eq!(expected.take(), [json!({ "changes": {} })]);
    assert_eq!(expected.take(), [Value::Null; 0]);
    drop(expected);
    peer.request(2, "workspace/applyEdit", json!({ "edit": {} }))
        .await;
    assert_eq!(peer.answer_to(2).await["result"]["applied"], false);
}

#[tokio::test(start_paused = true)]
async fn the_end_is_polite_and_bounded() {
    let (session, mut peer) = started(json!({})).await;
    let begun = Instant::now();
    let ((), ()) = tokio::join!(session.shutdown(), async {
        let shutdown = peer.next().await.expect("a message");
        assert_eq!(shutdown["method"], "shutdown");
        assert_eq!(shutdown.get("params"), None);
        peer.answer(shutdown["id"].clone(), Value::Null).await;
        let exit = peer.next().await.expect("a message");
        assert_eq!(exit, json!({ "jsonrpc": "2.0", "method": "exit" }));
        assert_eq!(peer.next().await, None);
        peer.close().await;
    });
    assert_eq!(begun.elapsed(), Duration::ZERO);
    let ended = session.has_ended().expect("ended");
    assert_eq!(ended.cause, Cause::ClosedOutput);

    let (deaf, _peer) = started(json!({})).await;
    let begun = Instant::now();
    deaf.shutdown().await;
    assert_eq!(begun.elapsed(), Duration::from_secs(7));
}

#[tokio::test]
async fn a_program_ends_with_its_session_and_its_last_words_are_kept() {
    let script = "read -r line; echo 'no such project' >&2; exit 3";
    let child = fourfold_child::Spawn::new("/bin/sh")
        .args(["-c", script])
        .guard(fourfold_child::Guard::None)
        .spawn()
        .await
        .expect("a shell");
    let launch = Launch::new(Arc::new(spec()), "/".into(), Transport::Process(child));
    let failed = Session::start(launch, SessionLimits::default()).await;
    let failed = failed.expect_err("it is no server").to_string();
    assert_eq!(
        failed,
        "starting fake ended (exit code 3); its last words: no such project"
    );
}
