//! Feeding a decoder in chunks, and items as short text.

use bytes::BytesMut;
use fourfold_framing::{Decoder, Frame, FrameError, Limits};

pub(crate) const A: &[u8] = br#"{"id":"A"}"#;
pub(crate) const B: &[u8] = br#"{"id":"B","text":"b"}"#;
pub(crate) const C: &[u8] = br#"{"id":"C","text":"cc"}"#;

/// A well-formed frame.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Everything that comes out of `chunks`, and how it ended.
pub(crate) fn decode<'a>(
    chunks: impl IntoIterator<Item = &'a [u8]>,
    limits: &Limits,
) -> (Vec<Frame>, Result<(), FrameError>) {
    let mut decoder = Decoder::new(limits.clone());
    let mut buffer = BytesMut::new();
    let mut items = Vec::new();
    let end = (|| {
        for chunk in chunks {
            buffer.extend_from_slice(chunk);
            while let Some(item) = decoder.decode(&mut buffer)? {
                items.push(item);
            }
        }
        while let Some(item) = decoder.finish(&mut buffer)? {
            items.push(item);
        }
        Ok(())
    })();
    (items, end)
}

/// Items and end in short: bodies `A`, `B`, `C` by letter, others quoted, reasons with their bytes.
pub(crate) fn outcome<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, limits: &Limits) -> String {
    let (items, end) = decode(chunks, limits);
    let mut words: Vec<String> = items.iter().map(word).collect();
    if let Err(error) = end {
        words.push(match error {
            FrameError::BodyTooLarge { declared, .. } => format!("!TooLarge({declared})"),
            FrameError::TooMuchNoise { .. } => "!TooMuchNoise".into(),
            FrameError::Truncated { have, want: None } => format!("!Truncated({have})"),
            FrameError::Truncated {
                have,
                want: Some(want),
            } => format!("!Truncated({have}/{want})"),
            other => format!("!{other}"),
        });
    }
    words.join(" ")
}

fn word(item: &Frame) -> String {
    match item {
        Frame::Body(body) if body == A => "A".into(),
        Frame::Body(body) if body == B => "B".into(),
        Frame::Body(body) if body == C => "C".into(),
        Frame::Body(body) => format!("\"{}\"", body.escape_ascii()),
        Frame::Skipped(skipped) => format!("{:?}({})", skipped.reason, skipped.bytes),
    }
}
