use fourfold_framing::{Decoder, Limits};
use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Message {
    Message::read(text.as_bytes()).unwrap()
}

#[test]
fn the_three_kinds_are_told_apart() {
    assert_eq!(
        read(r#"{"seq":0,"type":"response","request_seq":"4","success":true,"command":""}"#),
        Message::Response {
            request_seq: 4,
            outcome: Ok(Value::Null)
        }
    );
    assert_eq!(
        read(r#"{"type":"event","event":"terminated","seq":0}"#),
        Message::Event {
            event: "terminated".to_owned(),
            body: Value::Null
        }
    );
    assert!(matches!(
        read(r#"{"type":"request","command":"startDebugging","seq":9}"#),
        Message::Request { seq: 9, .. }
    ));
    let why = |text: &str| Message::read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(why("[]"), "it is not an object");
    assert_eq!(
        why(r#"{"type":"response"}"#),
        "it answers nobody knows what"
    );
    assert!(why(r#"{"type":7}"#).contains("type missing"));
}

#[test]
fn a_response_that_does_not_say_success_has_failed() {
    let Message::Response { outcome, .. } = read(r#"{"type":"response","request_seq":1}"#) else {
        panic!("a response");
    };
    assert_eq!(outcome.unwrap_err().message, "it gave no reason");
}

#[test]
fn halves_of_surrogate_pairs_lose_only_themselves() {
    let text =
        r#"{"type":"event","event":"output","body":{"output":"a\ud83d\ude00b\ud83d\\ud83d"}}"#;
    let Message::Event { body, .. } = read(text) else {
        panic!("an event");
    };
    assert_eq!(body["output"], "a😀b\u{fffd}\\ud83d");
}

#[test]
fn frames_are_what_adapters_read() {
    let mut book = Book::default();
    let (seq, frame) = book.request("threads", Value::Null, ());
    let text = String::from_utf8(frame.to_vec()).unwrap();
    assert_eq!(seq, 1);
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        body,
        json!({ "seq": 1, "type": "request", "command": "threads" })
    );
    let answer = book.answer(5, "runInTerminal", Err("no".to_owned()));
    assert!(answer.ends_with(br#""type":"response"}"#) || answer.len() > 20);
    assert!(String::from_utf8_lossy(&answer).contains("\"success\":false"));
}

/// What an adapter may do next.
#[derive(Clone, Debug)]
enum Act {
    Ask,
    Answer(usize),
    AnswerTwice(usize),
    Event,
    Want,
    Noise,
    Forget(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => Just(Act::Ask),
        4 => any::<usize>().prop_map(Act::Answer),
        1 => any::<usize>().prop_map(Act::AnswerTwice),
        2 => Just(Act::Event),
        1 => Just(Act::Want),
        1 => Just(Act::Noise),
        1 => any::<usize>().prop_map(Act::Forget),
    ];
    prop::collection::vec(act, 0..40)
}

proptest! {
    /// Whatever the order of answers, events and wishes, and however the bytes are cut: every asker
    /// gets the answer to what it asked, once.
    #[test]
    fn answers_find_their_askers(acts in acts(), cut in 1usize..50, seq in -2i64..3) {
        let mut book: Book<u32> = Book::default();
        let mut bytes = BytesMut::new();
        let mut tags = BTreeMap::new();
        let mut open: Vec<i64> = Vec::new();
        let (mut next, mut answered, mut events, mut wants, mut strays) = (0, Vec::new(), 0, 0, 0);
        let mut forgotten = Vec::new();
        for act in acts {
            let mut say = |value: Value| fourfold_framing::encode(value.to_string(), &mut bytes);
            match act {
                Act::Ask => {
                    let (number, _) = book.request("x", Value::Null, next);
                    tags.insert(number, next);
                    open.push(number);
                    next += 1;
                }
                Act::Answer(which) | Act::AnswerTwice(which) if !open.is_empty() => {
                    let number = open.remove(which % open.len());
                    let answer = json!({
                        "seq": seq, "type": "response", "request_seq": number, "success": true,
                        "command": "other", "body": { "n": tags[&number] },
                    });
                    say(answer.clone());
                    answered.push(tags[&number]);
                    if matches!(act, Act::AnswerTwice(_)) {
                        say(answer);
                        strays += 1;
                    }
                }
                Act::Event => {
                    say(json!({ "seq": seq, "type": "event", "event": "invented", "new": 1 }));
                    events += 1;
                }
                Act::Want => {
                    say(json!({ "seq": seq, "type": "request", "command": "invented" }));
                    wants += 1;
                }
                Act::Noise => bytes.extend_from_slice(b"a log line\n"),
                Act::Forget(which) if !open.is_empty() => {
                    let number = open.remove(which % open.len());
                    forgotten.push(book.forget(number));
                }
                _ => {}
            }
        }
        let mut decoder = Decoder::new(Limits::default());
        let mut buffer = BytesMut::new();
        let mut got = Vec::new();
        for chunk in bytes.chunks(cut) {
            buffer.extend_from_slice(chunk);
            while let Some(frame) = decoder.decode(&mut buffer).unwrap() {
                let Some(body) = frame.into_body() else { continue };
                match book.settle(Message::read(&body).unwrap()) {
                    Item::Answer { tag, outcome, command } => {
                        prop_assert_eq!(outcome.unwrap()["n"].clone(), json!(tag));
                        prop_assert_eq!(command, "x");
                        got.push(tag);
                    }
                    Item::Event { .. } => events -= 1,
                    Item::Asked { seq: asked, command, .. } => {
                        prop_assert_eq!((asked, command.as_str()), (seq, "invented"));
                        wants -= 1;
                    }
                    Item::Stray { .. } => strays -= 1,
                }
            }
        }
        prop_assert_eq!(got, answered);
        prop_assert_eq!((events, wants, strays), (0, 0, 0));
        prop_assert!(forgotten.iter().all(Option::is_some));
        prop_assert_eq!(book.awaited(), open.len());
        prop_assert_eq!(book.close().len(), open.len());
    }

    #[test]
    fn any_bytes_are_a_message_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Message::read(&bytes);
    }
}
