//! What a connection does with a server that behaves, and with one that does not.

use std::future::poll_fn;
use std::task::Poll;

use serde_json::json;

use super::*;
use crate::peer::{Ends, Peer};

/// Keeps what it is told, and answers `null`.
#[derive(Default)]
struct Kept {
    notifications: Mutex<Vec<String>>,
}

impl Handler for Kept {
    fn request(&self, method: &str, _: Value) -> Result<Value, Fault> {
        match method {
            "known" => Ok(Value::Null),
            _ => Err(Fault::method_not_found(method)),
        }
    }

    fn notification(&self, method: &str, _: Value) {
        self.notifications.lock().push(method.to_owned());
    }

    fn ended(&self, _: &Arc<Ended>) {}
}

fn words() -> LastWords {
    LastWords {
        exit: Some("exit status 13".to_owned()),
        code: Some(13),
        stderr: "no JDK\nbye\n".to_owned(),
    }
}

fn open(ends: Ends, handler: &Arc<Kept>) -> Connection {
    Connection::open(
        "fake",
        ends,
        &ConnectionLimits::default(),
        Arc::clone(handler) as Arc<dyn Handler>,
        Box::pin(async { words() }),
    )
}

fn pair(room: usize) -> (Peer, Connection, Arc<Kept>) {
    let (peer, ends) = Peer::new(room);
    let kept = Arc::default();
    let connection = open(ends, &kept);
    (peer, connection, kept)
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn answers_find_their_requests_in_any_order() {
    let (mut peer, connection, _) = pair(1 << 16);
    let server = async {
        let (first, _) = peer.expect("a").await;
        let (second, params) = peer.expect("b").await;
        assert_eq!(params, json!([2]));
        // As text, and later than asked: both are seen.
        peer.answer(json!(second.to_string()), json!("two")).await;
        peer.answer(first, json!("one")).await;
    };
    let (a, b, ()) = tokio::join!(
        connection.request("a", Value::Null, MINUTE),
        connection.request("b", json!([2]), MINUTE),
        server
    );
    assert_eq!((a.expect("a"), b.expect("b")), (json!("one"), json!("two")));
}

#[tokio::test(start_paused = true)]
async fn errors_are_told_apart() {
    let (mut peer, connection, _) = pair(1 << 16);
    tokio::spawn(async move {
        for (code, data) in [
            (-32801, Value::Null),
            (-32802, json!({ "retriggerRequest": false })),
            (-32800, Value::Null),
            (-32603, Value::Null),
        ] {
            let (id, _) = peer.expect("m").await;
            peer.fail(id, code, data).await;
        }
        peer
    });
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(match connection.request("m", Value::Null, MINUTE).await {
            Err(RequestError::Again { why, .. }) => Ok(why),
            Err(RequestError::Refused { code, .. }) => Err(code),
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(
        seen,
        [
            Ok(Interrupted::ContentModified),
            Ok(Interrupted::ByServer { retrigger: false }),
            Ok(Interrupted::Cancelled),
            Err(-32603)
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_dropped_or_late_is_cancelled_at_the_server() {
    let (mut peer, connection, _) = pair(1 << 16);
    let late = connection
        .request("slow", Value::Null, Duration::from_secs(2))
        .await;
    let late = late.expect_err("no answer").to_string();
    assert!(
        late.starts_with("asking fake for slow: no answer within 2 s"),
        "{late}"
    );
    let (id, _) = peer.expect("slow").await;
    assert_eq!(peer.expect("$/cancelRequest").await.1, json!({ "id": id }));
    // The late answer hurts nobody.
    peer.answer(id, Value::Null).await;

    {
        let mut request = std::pin::pin!(connection.request("dropped", Value::Null, MINUTE));
        poll_fn(|context| {
            assert!(request.as_mut().poll(context).is_pending());
            Poll::Ready(())
        })
        .await;
    }
    let (id, _) = peer.expect("dropped").await;
    assert_eq!(peer.expect("$/cancelRequest").await.1, json!({ "id": id }));

    let (answer, ()) = tokio::join!(connection.request("m", Value::Null, MINUTE), async {
        let (id, _) = peer.expect("m").await;
        peer.answer(id, json!(1)).await;
        // An answered request is not cancelled.
        peer.request(9, "known", Value::Null).await;
        assert_eq!(peer.next().await.expect("an answer")["id"], 9);
    });
    assert_eq!(answer.expect("an answer"), json!(1));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_server_answers_whatever_waits() {
    let (mut peer, connection, _) = pair(1 << 16);
    let server = async {
        peer.expect("m").await;
        peer.raw("Picked up JAVA_OPTIONS\nContent-Length: 40\r\n\r\n{\"jsonrpc\"")
            .await;
        peer.close().await;
    };
    let (answer, ()) = tokio::join!(connection.request("m", Value::Null, MINUTE), server);
    expect_test::expect![[
        r"fake ended (exit status 13); its last words: no JDK / bye; it printed: Picked up JAVA_OPTIONS"
    ]]
    .assert_eq(&answer.expect_err("gone").to_string());
    let after = connection.request("m", Value::Null, MINUTE).await;
    assert!(matches!(
        after,
        Err(RequestError::Gone(SessionGone::Ended(_)))
    ));
    assert!(connection.post("n", Value::Null).is_err());
    assert_eq!(connection.ended().await.cause, Cause::ClosedOutput);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_message_is_skipped_and_the_next_one_counts() {
    let (mut peer, connection, kept) = pair(1 << 16);
    let server = async {
        let (id, _) = peer.expect("m").await;
        peer.raw("Content-Length: 5\r\n\r\n{\"a\":").await;
        peer.send(json!([1])).await;
        peer.notify("n", Value::Null).await;
        peer.answer(id, json!(true)).await;
    };
    let (answer, ()) = tokio::join!(connection.request("m", Value::Null, MINUTE), server);
    assert_eq!(answer.expect("an answer"), json!(true));
    assert_eq!(connection.skipped(), 2);
    assert_eq!(*kept.notifications.lock(), ["n"]);
}

#[tokio::test(start_paused = true)]
async fn a_header_of_two_gigabytes_ends_it_at_once() {
    let (mut peer, connection, _) = pair(1 << 16);
    peer.raw("Content-Length: 2147483648\r\n\r\n{").await;
    let ended = connection.ended().await;
    assert!(
        matches!(&ended.cause, Cause::Unreadable(why) if why.contains("2147483648")),
        "{ended}"
    );
}

#[tokio::test(start_paused = true)]
async fn unknown_requests_are_refused_and_known_ones_answered() {
    let (mut peer, connection, _) = pair(1 << 16);
    peer.request("x", "known", Value::Null).await;
    assert_eq!(peer.answer_to("x").await["result"], Value::Null);
    peer.request(2, "unknown", Value::Null).await;
    assert_eq!(peer.answer_to(2).await["error"]["code"], -32601);
    drop(connection);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_read_blocks_nobody() {
    let (mut peer, connection, kept) = pair(1 << 10);
    let started = tokio::time::Instant::now();
    let large = json!("x".repeat(5 << 20));
    let posted = connection.post("large", large).expect("queued");
    let stuck = posted.written().await.expect_err("stuck");
    assert_eq!(started.elapsed(), Duration::from_secs(3));
    assert!(
        stuck.to_string().contains("has not read its input for 3 s"),
        "{stuck}"
    );
    // From now on nothing is even queued.
    assert!(connection.stuck().is_some());
    let refused = connection.request("m", Value::Null, MINUTE).await;
    assert!(matches!(
        refused,
        Err(RequestError::Gone(SessionGone::Stuck { .. }))
    ));
    assert_eq!(started.elapsed(), Duration::from_secs(3));
    // It is still read, whatever it asks for.
    peer.request(1, "known", Value::Null).await;
    peer.notify("alive", Value::Null).await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(*kept.notifications.lock(), ["alive"]);
    // It reads again: everything is as before.
    let (_, params) = peer.expect("large").await;
    assert_eq!(params.as_str().map(str::len), Some(5 << 20));
    assert_eq!(connection.stuck(), None);
    connection
        .post("next", Value::Null)
        .expect("queued")
        .written()
        .await
        .expect("written");
    peer.expect("next").await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_reads_again_is_given_up() {
    let (_peer, connection, _) = pair(1 << 10);
    let posted = connection.post("large", json!("x".repeat(1 << 20)));
    drop(posted.expect("queued"));
    let started = tokio::time::Instant::now();
    assert_eq!(connection.ended().await.cause, Cause::NeverReads(MINUTE));
    assert_eq!(started.elapsed(), MINUTE);
}

#[tokio::test(start_paused = true)]
async fn the_queue_is_bounded_also_for_answers() {
    let (mut peer, connection, _) = pair(1 << 10);
    // Answers fill the pipe, then the queue, then are dropped; the reader goes on.
    let flood = async {
        for id in 0..3000 {
            peer.request(id, "known", Value::Null).await;
        }
        peer.close().await;
    };
    timeout(Duration::from_secs(1), flood)
        .await
        .expect("all of it is read");
    assert_eq!(connection.ended().await.cause, Cause::ClosedOutput);
}

#[tokio::test(start_paused = true)]
async fn closing_the_input_writes_what_was_posted() {
    let (mut peer, connection, _) = pair(1 << 10);
    drop(connection.post("exit", Value::Null).expect("queued"));
    connection.close_input();
    assert!(connection.post("late", Value::Null).is_err());
    assert_eq!(peer.next().await.expect("a message")["method"], "exit");
    assert_eq!(peer.next().await, None);
}
