//! A daemon's end of a connection, with a client and tools that are odd on purpose.

use std::sync::Mutex;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};
use tokio::sync::{Barrier, Notify};

use super::*;
use crate::serve::house::Counts;
use crate::serve::identity::Identity;
use crate::serve::service::Tools;

/// A service whose tools do what tests need.
#[derive(Default)]
struct Odd {
    /// Calls of `hang` that were dropped.
    dropped: Arc<Dropped>,
    pair: Option<Barrier>,
    began: Mutex<Vec<String>>,
}

#[derive(Default)]
struct Dropped {
    count: Mutex<usize>,
    told: Notify,
}

struct Hanging(Arc<Dropped>);

impl Drop for Hanging {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap() += 1;
        self.0.told.notify_one();
    }
}

impl Service for Odd {
    fn end(&self, conversation: &str) {
        self.began
            .lock()
            .unwrap()
            .push(format!("end {conversation}"));
    }

    async fn call(&self, call: Call, _: Arc<Control>) -> Result<Answer, Refusal> {
        self.began.lock().unwrap().push(call.tool.clone());
        match call.tool.as_str() {
            "hang" => {
                let _hanging = Hanging(Arc::clone(&self.dropped));
                std::future::pending().await
            }
            // Both of them are there, or none returns.
            "pair" => {
                self.pair.as_ref().unwrap().wait().await;
                Ok(Answer::default())
            }
            "crash" => panic!("on purpose"),
            "refuse" => Err(Refusal {
                message: "no".to_owned(),
                typed: None,
                usage: true,
            }),
            "long" => Ok(Answer {
                text: "x".repeat(call.arguments["bytes"].as_u64().unwrap() as usize),
                value: Value::Null,
                ..Answer::default()
            }),
            _ => Ok(Answer {
                text: call.tool,
                value: call.arguments,
                ..Answer::default()
            }),
        }
    }

    fn conversations(&self) -> Vec<String> {
        Vec::new()
    }

    fn notices(&self) -> Vec<String> {
        vec!["odd".to_owned()]
    }
}

/// Nothing is said in between, however slow the machine is.
fn calm() -> Manners {
    Manners {
        beat: Duration::from_secs(100_000),
        ..Manners::default()
    }
}

fn house() -> Arc<House<Odd>> {
    house_of(Odd::default(), calm())
}

fn house_of<S>(service: S, manners: Manners) -> Arc<House<S>> {
    Arc::new(House {
        service,
        identity: Identity::default(),
        checkout: "c".to_owned(),
        root: "/c".to_owned(),
        manners,
        idle: Duration::from_secs(1),
        counts: Counts::default(),
    })
}

struct Peer {
    lines: Lines<ReadHalf<DuplexStream>>,
    out: WriteHalf<DuplexStream>,
    attended: tokio::task::JoinHandle<Option<ReadHalf<DuplexStream>>>,
}

impl Peer {
    fn silent<S: Service>(house: &Arc<House<S>>) -> Peer {
        let (ours, theirs) = duplex(1000);
        let (input, out) = tokio::io::split(ours);
        Peer {
            lines: Lines::new(input),
            out,
            attended: tokio::spawn(attend(theirs, Arc::clone(house))),
        }
    }

    async fn greeted(house: &Arc<House<Odd>>) -> Peer {
        let mut peer = Peer::silent(house);
        peer.say(json!({"type": "hello", "checkout": "c"})).await;
        let hello = peer.hear().await;
        assert_eq!(
            (&hello["type"], &hello["notices"][0]),
            (&json!("hello"), &json!("odd"))
        );
        peer
    }

    async fn say(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.out.write_all(line.as_bytes()).await.unwrap();
    }

    async fn request(&mut self, id: u64, tool: &str, arguments: Value) {
        let request = json!({
            "type": "request", "id": id, "tool": tool, "arguments": arguments,
            "conversation": "cli",
        });
        self.say(request).await;
        assert_eq!(self.hear().await, json!({"type": "working", "id": id}));
    }

    async fn hear(&mut self) -> Value {
        let line = self.lines.next().await.unwrap().expect("a message");
        serde_json::from_slice(&line).unwrap()
    }

    async fn is_over(&mut self) {
        assert_eq!(self.lines.next().await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_request_is_answered() {
    let mut peer = Peer::greeted(&house()).await;
    peer.request(7, "echo", json!({"a": 1})).await;
    let answer = json!({"type": "answer", "id": 7, "text": "echo", "value": {"a": 1}});
    assert_eq!(peer.hear().await, answer);
    peer.request(8, "refuse", json!({})).await;
    let error = json!({"type": "error", "id": 8, "error": {"message": "no", "usage": true}});
    assert_eq!(peer.hear().await, error);
}

#[tokio::test]
async fn requests_of_many_clients_run_at_once() {
    let odd = Odd {
        pair: Some(Barrier::new(3)),
        ..Odd::default()
    };
    let house = house_of(odd, calm());
    let (mut one, mut two) = (Peer::greeted(&house).await, Peer::greeted(&house).await);
    one.request(1, "pair", json!({})).await;
    one.request(2, "pair", json!({})).await;
    two.request(1, "pair", json!({})).await;
    assert_eq!(two.hear().await["type"], "answer");
    let mut ids = [
        one.hear().await["id"].clone(),
        one.hear().await["id"].clone(),
    ];
    ids.sort_by_key(Value::as_u64);
    assert_eq!(ids, [1, 2]);
}

#[tokio::test]
async fn a_client_that_vanishes_takes_its_requests_along() {
    let house = house();
    let mut peer = Peer::greeted(&house).await;
    peer.request(1, "hang", json!({})).await;
    let Peer {
        attended,
        lines,
        out,
    } = peer;
    drop((lines, out));
    assert!(attended.await.unwrap().is_none());
    house.service.dropped.told.notified().await;
    assert_eq!(house.status().requests, 0);
}

#[tokio::test]
async fn a_request_can_be_cancelled() {
    let house = house();
    let mut peer = Peer::greeted(&house).await;
    peer.request(1, "hang", json!({})).await;
    peer.request(2, "hang", json!({})).await;
    peer.say(json!({"type": "cancel", "id": 2})).await;
    let error = peer.hear().await;
    assert_eq!((&error["type"], &error["id"]), (&json!("error"), &json!(2)));
    assert_eq!(error["error"]["message"], "the request was cancelled");
    // One that is not known is no trouble, and the number may be used again.
    peer.say(json!({"type": "cancel", "id": 9})).await;
    peer.request(2, "echo", json!({})).await;
    assert_eq!(peer.hear().await["type"], "answer");
    assert_eq!(*house.service.dropped.count.lock().unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn long_work_is_told_from_a_dead_daemon() {
    let house = house_of(Odd::default(), Manners::default());
    let mut peer = Peer::greeted(&house).await;
    peer.request(1, "hang", json!({})).await;
    let begin = Instant::now();
    for _ in 0..10 {
        assert_eq!(peer.hear().await, json!({"type": "working", "id": 1}));
    }
    let beats = begin.elapsed().as_secs_f64() / house.manners.beat.as_secs_f64();
    assert!((9.0..=10.1).contains(&beats), "{beats}");
}

/// What ends between two looks has got as far as any other work.
#[tokio::test]
async fn how_far_work_came_is_told_before_its_answer() {
    let root = tempfile::tempdir().unwrap();
    for name in ["a.py", "b.py", "c.py"] {
        std::fs::write(root.path().join(name), "f(1)\n").unwrap();
    }
    let mut config = fourfold::HostConfig::default();
    config.user_folder = None;
    config.servers.enabled = false;
    let host = fourfold::Host::new(config);
    let checkout = host.checkout(root.path()).unwrap();
    let looks_once = Manners {
        progress: Duration::from_secs(100_000),
        ..calm()
    };
    let house = house_of(Tools::of(host, checkout), looks_once);
    let mut peer = Peer::silent(&house);
    peer.say(json!({"type": "hello", "checkout": "c"})).await;
    assert_eq!(peer.hear().await["type"], "hello");
    peer.request(1, "ast_grep", json!({"pattern": "f($X)"}))
        .await;
    let far = json!({"type": "progress", "id": 1, "done": 3, "total": 3});
    assert_eq!(peer.hear().await, far);
    assert_eq!(peer.hear().await["type"], "answer");
}

#[tokio::test]
async fn an_answer_may_be_long_but_not_endless() {
    let longest = 100_000;
    let manners = Manners { longest, ..calm() };
    let mut peer = Peer::greeted(&house_of(Odd::default(), manners)).await;
    peer.request(1, "long", json!({ "bytes": longest - 100 }))
        .await;
    let answer = peer.hear().await;
    assert_eq!(answer["text"].as_str().unwrap().len(), longest - 100);
    peer.request(2, "long", json!({ "bytes": longest })).await;
    let error = peer.hear().await;
    assert_eq!(error["id"], 2);
    let message = "the answer is longer than 100000 bytes; ask for less";
    assert_eq!(error["error"]["message"], message);
    peer.request(3, "echo", json!({})).await;
    assert_eq!(peer.hear().await["id"], 3);
}

#[tokio::test]
async fn a_crash_is_an_answer() {
    let mut peer = Peer::greeted(&house()).await;
    peer.request(1, "crash", json!({})).await;
    let error = peer.hear().await;
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("a fault of Fourfold"), "{message}");
    peer.request(2, "echo", json!({})).await;
    assert_eq!(peer.hear().await["id"], 2);
}

#[tokio::test(start_paused = true)]
async fn who_is_not_meant_for_us_is_sent_away() {
    let house = house();
    for (first, why) in [
        (json!({"type": "status"}), "say hello first"),
        (
            json!({"type": "hello", "checkout": "d"}),
            "this daemon serves another checkout",
        ),
        (json!(3), "this is no message of this protocol: "),
    ] {
        let mut peer = Peer::silent(&house);
        peer.say(first).await;
        let refused = peer.hear().await;
        assert_eq!(refused["type"], "refused");
        let message = refused["message"].as_str().unwrap();
        assert!(message.starts_with(why), "{message}");
        peer.is_over().await;
    }
    // Who says nothing at all is not waited for.
    Peer::silent(&house).is_over().await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_let_go() {
    let house = house_of(Odd::default(), Manners::default());
    let mut peer = Peer::greeted(&house).await;
    peer.request(1, "hang", json!({})).await;
    // What it is told fills the pipe, and then the queue.
    assert!(peer.attended.await.unwrap().is_none());
    assert_eq!(*house.service.dropped.count.lock().unwrap(), 1);
    let mut rest = Vec::new();
    let mut input = peer.lines.into_inner();
    input.read_to_end(&mut rest).await.unwrap();
    assert!(rest.len() <= 1000);
}

#[tokio::test]
async fn a_client_has_so_many_requests_at_once() {
    let manners = Manners {
        requests: 1,
        ..calm()
    };
    let house = house_of(Odd::default(), manners);
    let mut peer = Peer::greeted(&house).await;
    peer.request(1, "hang", json!({})).await;
    let more = json!({
        "type": "request", "id": 2, "tool": "echo", "arguments": {}, "conversation": "cli",
    });
    peer.say(more).await;
    let error = peer.hear().await;
    assert_eq!((&error["type"], &error["id"]), (&json!("error"), &json!(2)));
    assert_eq!(*house.service.began.lock().unwrap(), ["hang"]);
}

#[tokio::test]
async fn the_end_is_polite() {
    let house = house();
    let mut working = Peer::greeted(&house).await;
    working.request(1, "hang", json!({})).await;
    let mut resting = Peer::greeted(&house).await;
    let mut asking = Peer::greeted(&house).await;
    asking.say(json!({"type": "end"})).await;
    house.asked_to_end().await;
    house.say_the_end();

    assert_eq!(resting.hear().await, json!({"type": "ending"}));
    resting.is_over().await;
    // Who asked for it is given back.
    assert_eq!(asking.hear().await, json!({"type": "ending"}));
    let kept = asking.attended.await.unwrap();
    assert!(kept.is_some());
    // What was begun is finished; nothing more is begun.
    assert_eq!(working.hear().await, json!({"type": "ending"}));
    let more = json!({
        "type": "request", "id": 2, "tool": "echo", "arguments": {}, "conversation": "cli",
    });
    working.say(more).await;
    working.say(json!({"type": "cancel", "id": 1})).await;
    assert_eq!(working.hear().await["id"], 1);
    working.is_over().await;
    assert_eq!(*house.service.began.lock().unwrap(), ["hang"]);
}
