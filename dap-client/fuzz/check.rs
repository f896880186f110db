//! What must hold of any bytes from an adapter, in any pieces, while requests are asked and forgotten:
//! nothing is answered twice, nothing that was not asked is answered, nothing is lost.

use std::collections::BTreeSet;

use bytes::BytesMut;
use fourfold_dap_client::wire::{Book, Item, Message};
use fourfold_framing::{Decoder, Limits};
use serde_json::Value;

/// Panics when it does not hold. The first byte chooses how many requests are open and how the rest
/// is cut.
pub(super) fn check(data: &[u8]) {
    let (&steps, bytes) = data.split_first().unwrap_or((&0, &[]));
    let mut book: Book<i64> = Book::default();
    let mut open = BTreeSet::new();
    let ask = |book: &mut Book<i64>, open: &mut BTreeSet<i64>| {
        let next = open.last().map_or(1, |last| last + 1);
        let (seq, _) = book.request("x", Value::Null, next);
        open.insert(next);
        (seq, next)
    };
    let mut names = std::collections::BTreeMap::new();
    for _ in 0..=steps % 8 {
        let (seq, tag) = ask(&mut book, &mut open);
        names.insert(tag, seq);
    }
    let mut decoder = Decoder::new(Limits {
        max_body: 1 << 20,
        ..Limits::default()
    });
    let mut buffer = BytesMut::new();
    for chunk in bytes.chunks(usize::from(steps >> 3) + 1) {
        buffer.extend_from_slice(chunk);
        loop {
            let frame = match decoder.decode(&mut buffer) {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(_) => return,
            };
            let Some(body) = frame.into_body() else {
                continue;
            };
            let Ok(message) = Message::read(&body) else {
                continue;
            };
            let named = match &message {
                Message::Response { request_seq, .. } => Some(*request_seq),
                _ => None,
            };
            match book.settle(message) {
                Item::Answer { tag, command, .. } => {
                    assert_eq!(command, "x");
                    assert!(open.remove(&tag), "answered twice, or never asked");
                    assert_eq!(names.get(&tag).copied(), named);
                }
                Item::Stray { request_seq } => assert_eq!(named, Some(request_seq)),
                Item::Asked { seq, command, .. } => {
                    book.answer(seq, &command, Err("no".to_owned()));
                }
                _ => {}
            }
        }
    }
    assert_eq!(book.awaited(), open.len());
    let left: BTreeSet<i64> = book.close().into_iter().collect();
    assert_eq!(left, open);
}
