//! Servers that can be asked.

use super::*;

fn pull() -> Value {
    json!({ "diagnosticProvider": { "identifier": "one", "interFileDependencies": false } })
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_taken_at_its_word() {
    let (session, mut peer) = opened(spec(), pull()).await;
    let (settled, params) = tokio::join!(settle(&session), peer.answer_pull(&["bad"]));
    assert!(matches!(settled.evidence, Evidence::Pulled));
    assert_eq!((found(&settled), settled.took), (vec!["bad"], ms(0)));
    assert_eq!(
        params,
        json!({ "textDocument": { "uri": A_URI }, "identifier": "one" })
    );
}

#[tokio::test(start_paused = true)]
async fn interruptions_are_asked_again_and_unchanged_means_the_answer_before() {
    let (session, mut peer) = opened(spec(), pull()).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        for (code, data) in [
            (-32802, json!({ "retriggerRequest": true })),
            (-32801, Value::Null),
            (-32800, Value::Null),
        ] {
            let (id, _) = peer.expect("textDocument/diagnostic").await;
            peer.fail(id, code, data).await;
        }
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        let report = json!({ "kind": "full", "resultId": "r1", "items": items(&["bad"]) });
        peer.answer(id, report).await;
    });
    assert_eq!((found(&settled), settled.took), (vec!["bad"], ms(300)));

    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        let (id, params) = peer.expect("textDocument/diagnostic").await;
        assert_eq!(params["previousResultId"], "r1");
        peer.answer(id, json!({ "kind": "unchanged", "resultId": "r1" }))
            .await;
    });
    assert_eq!(found(&settled), ["bad"]);
    assert!(settled.evidence.is_confirmed());
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_or_no_list_is_not_clean() {
    let (session, mut peer) = opened(spec(), pull()).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        peer.fail(id, -32802, json!({ "retriggerRequest": false }))
            .await;
    });
    assert!(why(&settled).contains("it was interrupted"), "{settled:?}");
    let (settled, ()) = tokio::join!(settle(&session), async {
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        peer.answer(id, Value::Null).await;
    });
    assert!(why(&settled).contains("no list of diagnostics"));
    let settled = settle(&session).await;
    assert_eq!(why(&settled), "the server did not answer within 30 s");
}

#[tokio::test(start_paused = true)]
async fn an_offer_may_come_late_and_be_taken_back() {
    let (session, mut peer) = opened(spec(), json!({})).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        sleep(ms(700)).await;
        for id in ["1", "2"] {
            let registration = json!({ "id": id, "method": "textDocument/diagnostic",
                "registerOptions": { "identifier": id, "interFileDependencies": false } });
            let params = json!({ "registrations": [registration] });
            peer.request(id, "client/registerCapability", params).await;
        }
        // Two producers, one answer each.
        let first = peer.answer_pull(&["of one"]).await;
        if first["identifier"] == "1" {
            assert_eq!(peer.answer_pull(&["of two"]).await["identifier"], "2");
        }
    });
    assert_eq!(found(&settled), ["of one", "of two"]);
    assert_eq!(settled.took, ms(700));

    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        let gone = json!({ "unregisterations": [{ "id": "1" }, { "id": "2" }] });
        peer.request("3", "client/unregisterCapability", gone).await;
        peer.fail(id, -32601, Value::Null).await;
        peer.publish(A_URI, Some(2), &["pushed"]).await;
    });
    assert!(
        matches!(settled.evidence, Evidence::ExactVersion),
        "{settled:?}"
    );
    assert_eq!(found(&settled), ["pushed"]);
}

#[tokio::test(start_paused = true)]
async fn a_pull_does_not_bring_back_what_was_pushed_for_the_text_before() {
    let (session, mut peer) = opened(spec(), pull()).await;
    peer.publish(A_URI, Some(1), &["old"]).await;
    sleep(ms(1)).await;
    write(&session, "two").await.expect("sent");
    let (settled, _) = tokio::join!(settle(&session), peer.answer_pull(&[]));
    assert_eq!(found(&settled), [""; 0]);
    // But what was pushed for this text belongs to it.
    peer.publish(A_URI, Some(2), &["more"]).await;
    sleep(ms(1)).await;
    let (settled, _) = tokio::join!(settle(&session), peer.answer_pull(&["one"]));
    assert_eq!(found(&settled), ["one", "more"]);
}

#[tokio::test(start_paused = true)]
async fn tsserver_is_asked_directly() {
    let mut profile = spec();
    profile.diagnostics.ask = Some(crate::Ask::TsServer);
    let commands = json!(["typescript.tsserverRequest"]);
    let offers = json!({ "executeCommandProvider": { "commands": commands } });
    let (session, mut peer) = opened(profile, offers).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        let mut asked = Vec::new();
        for body in [
            json!([]),
            json!([{ "start": { "line": 1, "offset": 2 }, "end": { "line": 1, "offset": 4 },
                     "text": "not assignable", "code": 2322, "category": "error" }]),
        ] {
            let (id, mut params) = peer.expect("workspace/executeCommand").await;
            asked.push(params["arguments"].take());
            peer.answer(id, json!({ "success": true, "body": body }))
                .await;
        }
        assert_eq!(
            asked,
            [
                json!(["syntacticDiagnosticsSync", { "file": A }]),
                json!(["semanticDiagnosticsSync", { "file": A }])
            ]
        );
    });
    assert!(matches!(settled.evidence, Evidence::Asked));
    let one = &settled.diagnostics[0];
    assert_eq!(
        (&*one.message, one.code.as_deref()),
        ("not assignable", Some("2322"))
    );
    assert_eq!((one.span.start.column, one.span.end.column), (1, 3));

    // The file belongs to no project.
    write(&session, "two").await.expect("sent");
    let (settled, ()) = tokio::join!(settle(&session), async {
        let (id, _) = peer.expect("workspace/executeCommand").await;
        peer.answer(id, json!({ "success": false, "message": "No Project." }))
            .await;
    });
    assert!(why(&settled).contains("No Project."));
}

#[tokio::test(start_paused = true)]
async fn a_refresh_makes_the_answer_before_it_old() {
    let (session, mut peer) = opened(spec(), pull()).await;
    let (settled, ()) = tokio::join!(settle(&session), async {
        let (id, _) = peer.expect("textDocument/diagnostic").await;
        // It comes with the answer: the answer was computed before it.
        peer.request(1, "workspace/diagnostic/refresh", Value::Null)
            .await;
        let report = json!({ "kind": "full", "items": items(&["old"]) });
        peer.answer(id, report).await;
    });
    assert_eq!(found(&settled), ["old"]);
    let (settled, _) = tokio::join!(settle(&session), peer.answer_pull(&["new"]));
    assert_eq!(found(&settled), ["new"]);
    // Nothing has happened since: nothing is asked.
    assert_eq!(found(&settle(&session).await), ["new"]);
}
