//! One fault at a time, over pipes in memory, on a paused clock: what is said, how long it takes,
//! and that the next write works.

use std::time::Duration;

use expect_test::expect;
use fourfold_lsp_client::StartError;
use fourfold_testkit::{Script, Step, Style};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::desk::{Desk, messages, spec, told};

const CHANGE: &str = "textDocument/didChange";
const PULL: &str = "textDocument/diagnostic";

/// The good answers about these two texts.
const BAD: &str = "[unknown name `bad_a`] ExactVersion";
const FINE: &str = "[] ExactVersion";

fn framed(message: &Value) -> String {
    let message = message.to_string();
    format!("Content-Length: {}\r\n\r\n{message}", message.len())
}

/// A server that does this at the first change is good again at the second.
async fn recovers(steps: impl Into<Vec<Step>>) {
    let script = Script::of(Style::Push).times(1, CHANGE, steps);
    let desk = Desk::start(script).await.unwrap();
    assert_eq!(desk.verdict("fine").await, FINE);
    assert_eq!(desk.verdict("bad_a").await, BAD);
    assert_eq!(desk.verdict("fine again").await, FINE);
}

#[tokio::test(start_paused = true)]
async fn text_around_the_messages() {
    for banner in [
        "fake 1.2\n",
        "fake 1.2\r\n\r\n",
        "\u{1b}[32mready\u{1b}[0m ",
        "the header is Content-Length: 12 or so\n",
        "Content-Length: soon\r\n\r\n",
    ] {
        let script = Script::of(Style::Push)
            .on("$start", [Step::Raw(banner.into())])
            .times(1, CHANGE, [Step::Raw(banner.into()), Step::AsUsual]);
        let desk = Desk::start(script).await.unwrap();
        assert_eq!(desk.verdict("fine").await, FINE, "{banner:?}");
        assert_eq!(desk.verdict("bad_a").await, BAD, "{banner:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn messages_in_pieces_and_in_one_piece() {
    for bytes in [1, 3, 64] {
        let script = Script::of(Style::Push).on("$start", [Step::Pieces(bytes)]);
        let desk = Desk::start(script).await.unwrap();
        assert_eq!(desk.verdict("bad_a").await, BAD, "{bytes}");
    }
    let log = |what: &str| {
        let params = json!({"type": 3, "message": what});
        framed(&json!({"jsonrpc": "2.0", "method": "window/logMessage", "params": params}))
    };
    let three = ["one", "two", "three"]
        .map(log)
        .concat()
        .replace("Content-Length", "content-length");
    recovers([Step::Raw(three), Step::AsUsual]).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_no_message() {
    for body in [
        "{",
        "[]",
        "null",
        "{\"jsonrpc\":\"2.0\"}",
        "{\"id\":{}}",
        "\u{fffd}",
    ] {
        recovers([Step::body(body), Step::AsUsual]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn publishes_that_are_half_right() {
    let odd = json!([
        null,
        {"message": "without a range"},
        {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 99}},
         "message": "far out", "severity": 7, "code": {"value": 3}, "tags": [9], "data": {}},
    ]);
    let script = Script::of(Style::Push).times(1, CHANGE, [Step::publish("$version", odd)]);
    let desk = Desk::start(script).await.unwrap();
    desk.verdict("fine").await;
    desk.write("x\n").await;
    let settled = desk.settle().await;
    assert!(
        messages(&settled.diagnostics).contains(&"far out".to_owned()),
        "{settled:?}"
    );
    assert_eq!(desk.verdict("bad_a").await, BAD);
}

#[tokio::test(start_paused = true)]
async fn it_dies_in_the_middle_of_a_message() {
    let script = Script::of(Style::Push).on(
        CHANGE,
        [
            Step::Raw("Content-Length: 500\r\n\r\n{\"jsonrpc\":".into()),
            Step::Exit(3),
        ],
    );
    let desk = Desk::start(script).await.unwrap();
    assert_eq!(desk.verdict("fine").await, FINE);
    let begun = Instant::now();
    assert_eq!(
        desk.verdict("bad_a").await,
        "[] not confirmed: fake closed its output"
    );
    assert!(begun.elapsed() < Duration::from_secs(1));
    // It stays gone, and each write is told so at once.
    assert_eq!(
        desk.verdict("bad_b").await,
        "[] not confirmed: fake closed its output"
    );
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_header_of_two_gigabytes() {
    let header = "Content-Length: 2147483648\r\n\r\n";
    let script = Script::of(Style::Push).on(CHANGE, [Step::Raw(header.into())]);
    let desk = Desk::start(script).await.unwrap();
    assert_eq!(desk.verdict("fine").await, FINE);
    let begun = Instant::now();
    assert_eq!(
        desk.verdict("bad_a").await,
        "[] not confirmed: fake sent what cannot be read (reading a message: its header declares 2147483648 bytes and the limit is 67108864; end the program that sent it, or raise `Limits::max_body` if messages of that size are expected)"
    );
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn it_closes_its_output_and_lives_on() {
    let script = Script::of(Style::Push).on(CHANGE, [Step::CloseOutput]);
    let desk = Desk::start(script).await.unwrap();
    desk.verdict("fine").await;
    let begun = Instant::now();
    assert_eq!(
        desk.verdict("bad_a").await,
        "[] not confirmed: fake closed its output"
    );
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn it_does_not_start() {
    let start = async |steps: Vec<Step>| {
        let begun = Instant::now();
        let script = Script::of(Style::Push).on("initialize", steps);
        let error = Desk::start(script).await.err().unwrap();
        (error, begun.elapsed().as_secs())
    };
    let (error, seconds) = start(vec![]).await;
    assert!(matches!(error, StartError::NoAnswer { .. }));
    assert_eq!(
        error.to_string(),
        "starting fake: it did not answer `initialize` within 45 s; start it by hand in the same folder to see what it waits for"
    );
    assert_eq!(seconds, 45);

    let (error, seconds) = start(vec![Step::fail(-32603, "no licence")]).await;
    assert_eq!(error.to_string(), "starting fake: it refused: no licence");
    assert_eq!(seconds, 0);

    let (error, seconds) = start(vec![
        Step::Raw("Error: needs Java 21\n".into()),
        Step::Exit(13),
    ])
    .await;
    assert_eq!(
        error.to_string(),
        "starting fake closed its output; it printed: Error: needs Java 21"
    );
    assert_eq!(seconds, 0);
}

#[tokio::test(start_paused = true)]
async fn it_asks_all_it_can_before_it_answers_and_gets_answers() {
    let asked = [
        (
            "workspace/configuration",
            json!({"items": [{"section": "a.b"}, {}]}),
        ),
        ("client/registerCapability", json!({"registrations": []})),
        (
            "client/unregisterCapability",
            json!({"unregisterations": []}),
        ),
        ("window/workDoneProgress/create", json!({"token": 1})),
        ("workspace/workspaceFolders", Value::Null),
        (
            "window/showMessageRequest",
            json!({"type": 1, "message": "Well?", "actions": []}),
        ),
        ("workspace/applyEdit", json!({"edit": {"changes": {}}})),
        ("workspace/diagnostic/refresh", Value::Null),
        ("workspace/semanticTokens/refresh", Value::Null),
        ("window/showDocument", json!({"uri": "file:///x"})),
        ("fake/unheardOf", json!({})),
    ];
    let mut steps: Vec<_> = asked
        .iter()
        .map(|(method, params)| Step::ask(method, params.clone()))
        .collect();
    steps.extend([Step::Answered, Step::AsUsual]);
    let script = Script::of(Style::Push).on("initialize", steps);
    let desk = Desk::start(script).await.unwrap();
    let answers: Vec<_> = desk
        .log
        .received()
        .into_iter()
        .filter(|message| message.get("method").is_none())
        .map(|answer| match answer.get("error") {
            Some(error) => format!("{}: {}", answer["id"], error["code"]),
            None => format!("{}: {}", answer["id"], answer["result"]),
        })
        .map(|answer| answer.replace(desk.project.root().to_str().unwrap(), "ROOT"))
        .collect();
    expect![[r#"
        "ask-1": [null,{}]
        "ask-2": null
        "ask-3": null
        "ask-4": null
        "ask-5": [{"name":"checkout","uri":"file://ROOT"}]
        "ask-6": null
        "ask-7": {"applied":false,"failureReason":"nobody asked for an edit"}
        "ask-8": null
        "ask-9": null
        "ask-10": {"success":false}
        "ask-11": -32601"#]]
    .assert_eq(&answers.join("\n"));
    assert_eq!(desk.verdict("bad_a").await, BAD);
}

#[tokio::test(start_paused = true)]
async fn it_stops_reading() {
    let script = Script::of(Style::Push).on(CHANGE, [Step::StopReading]);
    let desk = Desk::start(script).await.unwrap();
    assert_eq!(desk.verdict("fine").await, FINE);
    desk.write("the last that it reads").await;
    let large = "bad_a ".repeat(1 << 20);
    let begun = Instant::now();
    let verdict = desk.verdict(&large).await;
    assert_eq!(
        verdict,
        "[] not confirmed: the server has read nothing for 5 s"
    );
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn it_is_silent() {
    let script = Script::of(Style::Push).times(1, CHANGE, []);
    let desk = Desk::start(script).await.unwrap();
    assert_eq!(desk.verdict("fine").await, FINE);
    let begun = Instant::now();
    assert_eq!(
        desk.verdict("bad_a").await,
        "[] not confirmed: the server said nothing about this text"
    );
    assert_eq!(begun.elapsed().as_secs(), 5);
    assert_eq!(desk.verdict("bad_a\n").await, BAD);
}

#[tokio::test(start_paused = true)]
async fn it_is_silent_while_clean() {
    let desk = Desk::start(Script::of(Style::PushUnlessClean))
        .await
        .unwrap();
    assert_eq!(desk.verdict("fine").await, FINE);
    assert_eq!(
        desk.verdict("fine too").await,
        "[] not confirmed: the server said nothing about this text, as it does when a clean file stays clean"
    );
    assert_eq!(desk.verdict("bad_a").await, BAD);
    assert_eq!(desk.verdict("fine").await, FINE);
}

#[tokio::test(start_paused = true)]
async fn it_never_answers_a_pull() {
    let script = Script::of(Style::Pull).times(1, PULL, []);
    let desk = Desk::start(script).await.unwrap();
    let begun = Instant::now();
    assert_eq!(
        desk.verdict("bad_a").await,
        "[] not confirmed: the server did not answer within 30 s"
    );
    assert!(begun.elapsed() <= Duration::from_secs(30));
    // What nobody waits for any more is called off.
    desk.log.wait_for("$/cancelRequest", 1).await;
    assert_eq!(desk.verdict("bad_b").await, "[unknown name `bad_b`] Pulled");
}

#[tokio::test(start_paused = true)]
async fn it_takes_its_offer_back_while_it_is_asked() {
    let register = |id: &str| {
        json!({"registrations": [{"id": id, "method": PULL, "registerOptions": {
            "identifier": "f", "interFileDependencies": false, "workspaceDiagnostics": false,
        }}]})
    };
    let unregister = json!({"unregisterations": [{"id": "r", "method": PULL}]});
    let script = Script::of(Style::Push)
        .on(
            "initialized",
            [Step::ask("client/registerCapability", register("r"))],
        )
        .times(1, PULL, [Step::answer_pull("$found")])
        .on(
            PULL,
            [
                Step::ask("client/unregisterCapability", unregister),
                Step::Answered,
                Step::fail(-32601, "not any more"),
                Step::publish("$version", "$found"),
            ],
        );
    let desk = Desk::start(script).await.unwrap();
    desk.log.wait_for("initialized", 1).await;
    assert_eq!(desk.verdict("bad_a").await, "[unknown name `bad_a`] Pulled");
    assert_eq!(
        desk.verdict("bad_b").await,
        "[unknown name `bad_b`] ExactVersion"
    );
    assert_eq!(desk.verdict("fine").await, FINE);
}

#[tokio::test(start_paused = true)]
async fn it_publishes_for_files_that_nobody_opened() {
    let error = json!([{
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
        "message": "broken by that",
    }]);
    let at = |uri: &str| Step::publish_for(uri, Value::Null, error.clone());
    let script = Script::of(Style::Push).on(
        CHANGE,
        [
            at("$file:b.x"),
            at("$file:gone.x"),
            at("file:///etc/hosts"),
            at("untitled:x"),
            at("file://host/share/x"),
            at("%%%"),
            Step::AsUsual,
        ],
    );
    let desk = Desk::start(script).await.unwrap();
    desk.project.write("b.x", "b");
    desk.verdict("fine").await;
    desk.write("bad_a").await;
    let settled = desk.settle().await;
    assert_eq!(told(&settled), BAD);
    let others: Vec<_> = settled
        .dependents
        .iter()
        .map(|other| (other.path.clone(), messages(&other.diagnostics)))
        .collect();
    let expected = (desk.project.path("b.x"), vec!["broken by that".to_owned()]);
    assert_eq!(others, [expected]);
}

#[tokio::test(start_paused = true)]
async fn it_ends_only_when_it_is_made_to() {
    for deaf_to in ["exit", "shutdown"] {
        let script = Script::of(Style::Push)
            .on("$end", [])
            .on("exit", [])
            .on(deaf_to, []);
        let desk = Desk::start(script).await.unwrap();
        desk.verdict("fine").await;
        let begun = Instant::now();
        desk.session.shutdown().await;
        assert!(
            begun.elapsed() <= Duration::from_secs(7),
            "{deaf_to}: {:?}",
            begun.elapsed()
        );
        desk.log.wait_for("exit", 1).await;
        assert_eq!(
            desk.log
                .methods()
                .iter()
                .filter(|method| *method == "shutdown")
                .count(),
            1
        );
    }
}

#[tokio::test(start_paused = true)]
async fn columns_count_what_was_agreed() {
    let text = "é😀 bad_a 漢 bad_b";
    let expected = [(0, 7), (0, 17)];
    for encoding in [
        Value::Null,
        json!("utf-16"),
        json!("utf-8"),
        json!("utf-32"),
    ] {
        // The scripted server counts in UTF-16 only: here it says what it would say otherwise.
        let unit = |utf8: u32, utf16: u32, utf32: u32| match encoding.as_str() {
            Some("utf-8") => utf8,
            Some("utf-32") => utf32,
            _ => utf16,
        };
        let at = |column: u32| {
            json!({"message": "x", "range": {
                "start": {"line": 0, "character": column},
                "end": {"line": 0, "character": column + 5},
            }})
        };
        let found = json!([at(unit(7, 4, 3)), at(unit(17, 12, 11))]);
        let mut script = Script::of(Style::Push).on(CHANGE, [Step::publish("$version", found)]);
        if !encoding.is_null() {
            script = script.capability("positionEncoding", encoding.clone());
        }
        let desk = Desk::start_as(script, spec(Style::Push)).await.unwrap();
        desk.verdict("fine").await;
        desk.write(text).await;
        let settled = desk.settle().await;
        let starts: Vec<_> = settled
            .diagnostics
            .iter()
            .map(|one| (one.span.start.line, one.span.start.column))
            .collect();
        assert_eq!(starts, expected, "{encoding}");
    }
}
