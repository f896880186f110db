//! The streams, and a source that gives them out in chunks.

use std::fmt::Write;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One long string, so that JSON costs a reader as little as it can.
    Flat,
    /// A `publishDiagnostics` notification.
    Diagnostics,
}

impl Kind {
    /// A body of about `size` bytes; of exactly that many when it is flat.
    pub fn body(self, size: usize) -> String {
        match self {
            Self::Flat => {
                let (head, tail) = (r#"{"jsonrpc":"2.0","method":"m","params":[""#, r#""]}"#);
                let fill = size.saturating_sub(head.len() + tail.len());
                format!("{head}{}{tail}", "a".repeat(fill))
            }
            Self::Diagnostics => {
                let mut body = String::from(
                    r#"{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"file:///a.rs","version":7,"diagnostics":["#,
                );
                let mut line = 0;
                while line == 0 || body.len() + 3 < size {
                    let comma = if line > 0 { "," } else { "" };
                    let _ = write!(
                        body,
                        r#"{comma}{{"range":{{"start":{{"line":{line},"character":4}},"end":{{"line":{line},"character":19}}}},"severity":1,"code":"E0308","source":"rustc","message":"mismatched types\nexpected `u32`, found `&str` at item {line}"}}"#
                    );
                    line += 1;
                }
                body.push_str("]}}");
                body
            }
        }
    }
}

/// Frames with the same body, back to back.
pub struct Stream {
    /// All of it.
    pub bytes: Vec<u8>,
    /// How many there are.
    pub frames: usize,
    /// The body of each.
    pub body: String,
}

impl Stream {
    /// Frames of about `size` bytes each and `total` in all, two at least.
    pub fn new(kind: Kind, size: usize, total: usize) -> Self {
        let body = kind.body(size);
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let frames = (total / frame.len()).max(2);
        Self {
            bytes: frame.repeat(frames).into_bytes(),
            frames,
            body,
        }
    }
}

/// A source that gives at most `chunk` bytes a read.
pub struct Chunked<'a> {
    rest: &'a [u8],
    chunk: usize,
}

impl<'a> Chunked<'a> {
    /// The bytes of `stream` in chunks.
    pub fn new(stream: &'a Stream, chunk: usize) -> Self {
        Self {
            rest: &stream.bytes,
            chunk,
        }
    }

    fn next(&mut self, room: usize) -> &'a [u8] {
        let size = self.chunk.min(room).min(self.rest.len());
        let (part, rest) = self.rest.split_at(size);
        self.rest = rest;
        part
    }
}

impl Read for Chunked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let part = self.next(buffer.len());
        buffer[..part.len()].copy_from_slice(part);
        Ok(part.len())
    }
}

impl futures::io::AsyncRead for Chunked<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(self.read(buffer))
    }
}

impl tokio::io::AsyncRead for Chunked<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let part = self.next(buffer.remaining());
        buffer.put_slice(part);
        Poll::Ready(Ok(()))
    }
}
