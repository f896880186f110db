//! What a scripted server says, on a paused clock.

use bytes::BytesMut;
use fourfold_framing::{Decoder, Frame, Limits, encode};
use fourfold_testkit::{Fake, Script, Step, Style};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;

/// The simplest client there is.
struct Client {
    fake: Fake,
    decoder: Decoder,
    buffer: BytesMut,
}

impl Client {
    fn of(script: Script) -> Client {
        Client {
            fake: Fake::start(script),
            decoder: Decoder::new(Limits::default()),
            buffer: BytesMut::new(),
        }
    }

    async fn send(&mut self, message: Value) {
        let mut bytes = BytesMut::new();
        encode(message.to_string(), &mut bytes);
        self.fake.input.write_all(&bytes).await.unwrap();
    }

    /// The next message, or what was skipped as text; null at the end.
    async fn next(&mut self) -> Value {
        loop {
            match self.decoder.decode(&mut self.buffer).unwrap() {
                Some(Frame::Body(body)) => return serde_json::from_slice(&body).unwrap(),
                Some(Frame::Skipped(skipped)) => return skipped.to_string().into(),
                None if self.fake.output.read_buf(&mut self.buffer).await.unwrap() == 0 => {
                    return Value::Null;
                }
                None => {}
            }
        }
    }

    async fn change(&mut self, version: i64, text: &str) {
        let params = json!({
            "textDocument": {"uri": "file:///p/a.x", "version": version},
            "contentChanges": [{"text": text}],
        });
        let method = "textDocument/didChange";
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    /// The version and messages of the next publish.
    async fn publish(&mut self) -> (Value, Vec<String>) {
        let message = self.next().await;
        assert_eq!(message["method"], "textDocument/publishDiagnostics");
        let found = message["params"]["diagnostics"].as_array().unwrap();
        let messages = found
            .iter()
            .map(|item| item["message"].as_str().unwrap().to_owned());
        (message["params"]["version"].clone(), messages.collect())
    }
}

const CHANGE: &str = "textDocument/didChange";

#[tokio::test(start_paused = true)]
async fn each_style_tells_in_its_way() {
    let mut client = Client::of(Script::of(Style::Push));
    client.change(1, "bad_a").await;
    let bad = vec!["unknown name `bad_a`".to_owned()];
    assert_eq!(client.publish().await, (json!(1), bad.clone()));

    let mut client = Client::of(Script::of(Style::PushWithoutVersion));
    client.change(1, "fine").await;
    assert_eq!(client.publish().await, (Value::Null, vec![]));

    let mut client = Client::of(Script::of(Style::PushUnlessClean));
    for (version, text) in [(1, "fine"), (2, "fine too"), (3, "bad_a"), (4, "fine")] {
        client.change(version, text).await;
    }
    assert_eq!(client.publish().await, (json!(1), vec![]));
    assert_eq!(client.publish().await, (json!(3), bad));
    assert_eq!(client.publish().await, (json!(4), vec![]));

    let mut client = Client::of(Script::of(Style::Pull));
    client.change(1, "bad_a").await;
    let params = json!({"textDocument": {"uri": "file:///p/a.x"}});
    client
        .send(json!({"id": 7, "method": "textDocument/diagnostic", "params": params}))
        .await;
    let answer = client.next().await;
    assert_eq!(answer["id"], 7);
    assert_eq!(answer["result"]["items"][0]["code"], "E1");
}

#[tokio::test(start_paused = true)]
async fn rules_count_and_steps_wait() {
    let script = Script::default()
        .times(1, CHANGE, [])
        .times(
            1,
            CHANGE,
            [
                Step::publish("$version-1", json!([])),
                Step::wait(400),
                Step::publish("$version", "$found"),
            ],
        )
        .on("$end", [Step::wait(1000), Step::Exit(9)]);
    let mut client = Client::of(script);
    let begun = Instant::now();
    client.change(1, "bad_a").await;
    client.change(2, "bad_b").await;
    client.change(3, "bad_c").await;
    assert_eq!(client.publish().await, (json!(1), vec![]));
    assert_eq!(client.publish().await.0, json!(3));
    assert_eq!(begun.elapsed().as_millis(), 0);
    assert_eq!(
        client.publish().await,
        (json!(2), vec!["unknown name `bad_b`".to_owned()])
    );
    assert_eq!(begun.elapsed().as_millis(), 400);
    client.fake.input.shutdown().await.unwrap();
    assert_eq!((&mut client.fake.ended).await.unwrap(), 9);
    assert_eq!(begun.elapsed().as_millis(), 1400);
    assert_eq!(client.fake.log.methods(), [CHANGE; 3]);
}

#[tokio::test(start_paused = true)]
async fn it_waits_for_answers_of_the_client() {
    let script = Script::default().on(
        "initialize",
        [
            Step::ask("workspace/configuration", json!({})),
            Step::Answered,
            Step::AsUsual,
        ],
    );
    let mut client = Client::of(script);
    client
        .send(json!({"id": 1, "method": "initialize", "params": {"rootUri": "file:///p"}}))
        .await;
    let asked = client.next().await;
    assert_eq!(asked["method"], "workspace/configuration");
    client.send(json!({"id": asked["id"], "result": []})).await;
    let answer = client.next().await;
    assert_eq!(
        answer["result"]["capabilities"],
        json!({"textDocumentSync": 1})
    );
    assert_eq!(client.fake.log.methods(), ["initialize", "answer"]);
}

#[tokio::test(start_paused = true)]
async fn bytes_come_as_they_are_told() {
    let script = Script::default()
        .on("$start", [Step::Raw("hello\n".into()), Step::Pieces(3)])
        .on("last", [Step::notify("one", json!({})), Step::CloseOutput])
        .on("question", [Step::fail(-1, "no")]);
    let mut client = Client::of(script);
    client.send(json!({"id": 1, "method": "question"})).await;
    let said = client.next().await;
    assert!(said.as_str().unwrap().contains("hello"), "{said}");
    assert_eq!(client.next().await["error"]["message"], "no");
    client.send(json!({"method": "last"})).await;
    assert_eq!(client.next().await["method"], "one");
    assert_eq!(client.next().await, Value::Null);
    assert!(!client.fake.ended.is_finished());
}

#[tokio::test(start_paused = true)]
async fn one_that_stops_reading_lets_the_pipe_fill() {
    let script = Script::default().on(CHANGE, [Step::StopReading]);
    let mut client = Client::of(script);
    client.change(1, "x").await;
    let text = "x".repeat(1 << 20);
    let hour = std::time::Duration::from_secs(3600);
    tokio::time::timeout(hour, client.change(2, &text))
        .await
        .unwrap_err();
}
