//! What a decoder delivers.

use std::fmt;

use bytes::Bytes;

/// One item of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The body of one message, exactly as it was sent. A slice of the read buffer: while it is
    /// kept, so is the whole block it lies in. Parse it and drop it, or copy it.
    Body(Bytes),
    /// Input that was no message. Decoding goes on behind it.
    Skipped(Skipped),
}

impl Frame {
    /// The body, if this is one.
    #[must_use]
    pub fn into_body(self) -> Option<Bytes> {
        match self {
            Self::Body(body) => Some(body),
            Self::Skipped(_) => None,
        }
    }
}

/// One incident: input that was skipped, from the first byte that made no sense up to the next
/// header. Its `Display` form is one line for a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Why.
    pub reason: SkipReason,
    /// How many bytes were skipped.
    pub bytes: u64,
    /// The first of them, at most [`Limits::sample`](crate::Limits::sample) bytes; any bytes, not
    /// necessarily text.
    pub sample: Bytes,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, s) = (self.bytes, if self.bytes == 1 { "" } else { "s" });
        write!(
            f,
            "skipped {bytes} byte{s}, {}: \"{}\"",
            self.reason,
            self.sample.escape_ascii()
        )?;
        if self.bytes > self.sample.len() as u64 {
            f.write_str("…")?;
        }
        Ok(())
    }
}

/// Why input was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// Neither a header nor a body: a banner, a line of a log, what a longer body left behind.
    Noise,
    /// A header without `Content-Length`.
    MissingLength,
    /// A `Content-Length` that is not a number of at most 20 digits below 2⁶⁴.
    BadLength,
    /// Two `Content-Length` fields that differ; to guess would be to believe a stranger.
    ConflictingLength,
    /// A `Content-Length` of 0; no message is empty.
    EmptyBody,
    /// A body that does not begin like a JSON message; its declared length is not believed.
    NotJson,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Noise => "not part of a message",
            Self::MissingLength => "a header without Content-Length",
            Self::BadLength => "a Content-Length that is not a number",
            Self::ConflictingLength => "a header with two different Content-Lengths",
            Self::EmptyBody => "an empty message",
            Self::NotJson => "a body that is not JSON",
        })
    }
}

/// A [`Skipped`] that may still grow.
#[derive(Debug)]
pub(crate) struct Incident {
    reason: SkipReason,
    bytes: u64,
    sample: Vec<u8>,
}

impl Incident {
    /// `blank` bytes of blank lines went before.
    pub(crate) fn new(reason: SkipReason, blank: u64) -> Self {
        Self {
            reason,
            bytes: blank,
            sample: Vec::new(),
        }
    }

    /// Counts `bytes` that begin with `data`, and keeps up to `limit` bytes in all.
    pub(crate) fn add(&mut self, data: &[u8], bytes: usize, limit: usize) {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        let room = limit.saturating_sub(self.sample.len()).min(data.len());
        self.sample.extend_from_slice(&data[..room]);
    }

    pub(crate) fn sample(&self) -> Bytes {
        Bytes::copy_from_slice(&self.sample)
    }
}

impl From<Incident> for Frame {
    fn from(incident: Incident) -> Self {
        Self::Skipped(Skipped {
            reason: incident.reason,
            bytes: incident.bytes,
            sample: incident.sample.into(),
        })
    }
}
