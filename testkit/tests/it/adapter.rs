//! What a scripted debug adapter says, in memory and at a port.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use bytes::BytesMut;
use fourfold_framing::{Decoder, Frame, FrameReader, FrameWriter, Limits, encode};
use fourfold_testkit::{Fake, FakeProgram, Project, Script, Step, Style};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Asks in order, whatever comes in between.
struct Client {
    fake: Fake,
    decoder: Decoder,
    buffer: BytesMut,
    asked: i64,
}

impl Client {
    fn of(script: Script) -> Client {
        Client {
            fake: Fake::start(script),
            decoder: Decoder::new(Limits::default()),
            buffer: BytesMut::new(),
            asked: 0,
        }
    }

    async fn ask(&mut self, command: &str, arguments: Value) -> i64 {
        self.asked += 1;
        let message = json!({
            "seq": self.asked, "type": "request", "command": command, "arguments": arguments,
        });
        let mut bytes = BytesMut::new();
        encode(message.to_string(), &mut bytes);
        self.fake.input.write_all(&bytes).await.unwrap();
        self.asked
    }

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

    /// What the next messages are: an event's name, or the number that a response answers.
    async fn kinds(&mut self, count: usize) -> Vec<String> {
        let mut kinds = Vec::new();
        for _ in 0..count {
            let message = self.next().await;
            let number = message["request_seq"].to_string();
            kinds.push(message["event"].as_str().map_or(number, str::to_owned));
        }
        kinds
    }

    async fn up_to_the_first_stop(&mut self, kinds: &[&str]) {
        self.ask("initialize", json!({})).await;
        self.ask("launch", json!({"program": "/p/main.x"})).await;
        let breakpoints = json!([{"line": 7}, {"line": 3}]);
        let source = json!({"path": "/p/main.x"});
        self.ask(
            "setBreakpoints",
            json!({"source": source, "breakpoints": breakpoints}),
        )
        .await;
        self.ask("configurationDone", json!({})).await;
        assert_eq!(self.kinds(kinds.len()).await, kinds);
    }

    async fn place(&mut self) -> Value {
        self.ask("stackTrace", json!({"threadId": 1})).await;
        self.next().await["body"]["stackFrames"][0]["line"].clone()
    }
}

#[tokio::test(start_paused = true)]
async fn a_program_stops_where_it_is_told_and_ends() {
    let mut client = Client::of(Script::of(Style::Adapter));
    client
        .up_to_the_first_stop(&["1", "initialized", "3", "4", "2", "stopped"])
        .await;
    assert_eq!(client.place().await, 3);
    client.ask("next", json!({"threadId": 1})).await;
    assert_eq!(client.kinds(2).await, ["6", "stopped"]);
    assert_eq!(client.place().await, 4);
    client.ask("evaluate", json!({"expression": "line"})).await;
    assert_eq!(client.next().await["body"]["result"], "4");
    client.ask("evaluate", json!({"expression": "lime"})).await;
    let refused = client.next().await;
    assert_eq!(refused["success"], false);
    assert_eq!(
        refused["body"]["error"]["format"],
        "name 'lime' is not defined"
    );
    client.ask("continue", json!({"threadId": 1})).await;
    assert_eq!(client.kinds(2).await, ["10", "stopped"]);
    assert_eq!(client.place().await, 7);
    client.ask("continue", json!({"threadId": 1})).await;
    assert_eq!(
        client.kinds(4).await,
        ["12", "output", "exited", "terminated"]
    );
    client.ask("disconnect", json!({})).await;
    assert_eq!(client.next().await["success"], true);
    assert_eq!((&mut client.fake.ended).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn another_kind_answers_a_launch_at_once() {
    let mut client = Client::of(Script::of(Style::EarlyAdapter));
    client
        .up_to_the_first_stop(&["1", "2", "initialized", "3", "4", "stopped"])
        .await;
    assert_eq!(
        client.fake.log.params("launch"),
        [json!({"program": "/p/main.x"})]
    );
}

#[tokio::test(start_paused = true)]
async fn it_asks_back_and_is_answered() {
    let ask = Step::ask("startDebugging", json!({"configuration": "$params"}));
    let script = Script::of(Style::Adapter).on("launch", [ask, Step::Answered, Step::AsUsual]);
    let mut client = Client::of(script);
    client.ask("launch", json!({"a": 1})).await;
    let asked = client.next().await;
    assert_eq!(
        (&asked["type"], &asked["arguments"]["configuration"]),
        (&json!("request"), &json!({"a": 1}))
    );
    let answer = json!({
        "seq": 9, "type": "response", "request_seq": asked["seq"], "success": false,
        "command": "startDebugging",
    });
    let mut bytes = BytesMut::new();
    encode(answer.to_string(), &mut bytes);
    client.fake.input.write_all(&bytes).await.unwrap();
    assert_eq!(client.kinds(1).await, ["initialized"]);
    assert_eq!(client.fake.log.methods(), ["launch", "answer"]);
}

#[test]
fn it_listens_where_it_says_and_counts_over_all_connections() {
    let project = Project::new();
    let script = Script::of(Style::Adapter)
        .listening("listening at: $address")
        .times(1, "initialize", [Step::fail(7, "not yet")]);
    let fake = FakeProgram::new(&script, project.root());
    let mut child = Command::new(&fake.program)
        .args(&fake.args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line.trim().strip_prefix("listening at: ").unwrap();
    let mut connections: Vec<_> = (0..2)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    for (connection, success) in connections.iter_mut().zip([false, true]) {
        let ask = json!({"seq": 1, "type": "request", "command": "initialize"});
        let writer = connection.try_clone().unwrap();
        FrameWriter::new(writer)
            .write(ask.to_string().as_bytes())
            .unwrap();
        let mut reader = FrameReader::new(BufReader::new(connection), Limits::default());
        let answer = reader.read().unwrap().unwrap().into_body().unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(answer["success"], success);
    }
    connections[0].flush().unwrap();
    drop(connections);
    assert!(child.wait().unwrap().success());
    assert_eq!(fake.count("initialize"), 2);
}
