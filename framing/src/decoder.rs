//! The decoder: bytes in, items out.

use std::mem;
use std::ops::Range;

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr;

use crate::frame::Incident;
use crate::line::{Line, classify, foreign_charset, is_begun_length, plain_header};
use crate::{Frame, FrameError, Limits, SkipReason};

/// What is kept of a line that is too long: its end may be a header.
const LINE_END: usize = 64;
/// The most that is allocated beyond what has been received.
const STEP: usize = 1 << 20;
/// Room that is kept ready for the chunk behind a large body.
const CHUNK: usize = 64 << 10;

/// A push decoder without I/O: append what was read to a buffer, call [`decode`](Self::decode)
/// until it returns `None`, and at the end of the input [`finish`](Self::finish) likewise.
///
/// What comes out does not depend on how the input was cut into chunks. The buffer belongs to the
/// decoder between calls: only append to it.
///
/// ```
/// use fourfold_framing::{Decoder, Frame, Limits, SkipReason};
/// # fn main() -> Result<(), fourfold_framing::FrameError> {
/// let mut decoder = Decoder::new(Limits::default());
/// let mut buffer = bytes::BytesMut::new();
/// let mut items = Vec::new();
/// for chunk in ["Listening...Content-Len", "gth: 2\r", "\n\r\n{", "}"] {
///     buffer.extend_from_slice(chunk.as_bytes());
///     while let Some(item) = decoder.decode(&mut buffer)? {
///         items.push(item);
///     }
/// }
/// assert!(matches!(&items[0], Frame::Skipped(noise)
///     if noise.reason == SkipReason::Noise && noise.sample == "Listening..."));
/// assert_eq!(items[1], Frame::Body("{}".into()));
/// assert_eq!(decoder.finish(&mut buffer)?, None);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Decoder {
    limits: Limits,
    /// What is known of the header being read.
    header: Header,
    /// The body that is awaited; the header is then a new one.
    body: Option<Body>,
    /// With fewer bytes than this in the buffer there is nothing to do.
    need: usize,
    /// What was skipped and not yet told, because more may follow.
    pending: Option<Incident>,
    /// What was skipped and is the next item.
    told: Option<Incident>,
    /// Bytes of blank lines not yet told: silent unless something else is skipped.
    blank: u64,
    /// Bytes skipped since the last good frame.
    noise: usize,
    charset: Option<Box<str>>,
}

/// A header being read. It begins at the start of the buffer and stays there until it is decided.
#[derive(Debug, Default)]
struct Header {
    /// Where the current line begins.
    line: usize,
    /// Up to here there is no line end in the current line.
    scanned: usize,
    /// The beginning of the current line, which is the first, was dropped.
    cut: bool,
    length: Length,
    /// The length stood behind other text.
    glued: bool,
    /// Noise lines since the length: the first of them, and their bytes.
    noise: Option<(Range<usize>, usize)>,
    charset: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Length {
    #[default]
    Missing,
    Is(u64),
    Bad,
    Conflicting,
}

impl Length {
    fn and(self, other: Option<u64>) -> Self {
        match (self, other) {
            (_, None) | (Self::Bad, _) => Self::Bad,
            (Self::Missing, Some(length)) => Self::Is(length),
            (Self::Is(length), Some(other)) if length == other => self,
            _ => Self::Conflicting,
        }
    }
}

/// A body being read; its header is still in front of it in the buffer.
#[derive(Debug)]
struct Body {
    start: usize,
    end: usize,
    /// Up to here the body is blank; `None` when its beginning has been approved.
    blank: Option<usize>,
    charset: Option<Box<str>>,
}

/// Small on purpose: items are made where they are returned, because to hand them through here costs
/// as much as all the rest for a short frame.
enum Step {
    /// Something was consumed or decided.
    Again,
    /// The body is there.
    Whole,
    /// Nothing to do before the buffer holds so many bytes.
    Need(usize),
}

impl Decoder {
    /// A decoder at the beginning of a stream.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits: Limits {
                max_line: limits.max_line.max(2 * LINE_END),
                ..limits
            },
            header: Header::default(),
            body: None,
            need: 0,
            pending: None,
            told: None,
            blank: 0,
            noise: 0,
            charset: None,
        }
    }

    /// The charset that the header of the last body declared, when it is not UTF-8. The body was
    /// delivered all the same: many declare one charset and send another.
    #[must_use]
    pub fn charset(&self) -> Option<&str> {
        self.charset.as_deref()
    }

    /// The length of the buffer below which nothing will be decoded.
    pub(crate) fn need(&self) -> usize {
        self.need
    }

    /// Takes the next item from the front of `buffer`; `None` asks for more input.
    ///
    /// Skipped input is delivered as one item when the next header is complete, or by
    /// [`finish`](Self::finish). When a body is awaited, room for it is reserved in `buffer`, at
    /// most 1 MiB beyond what is there.
    ///
    /// # Errors
    ///
    /// [`FrameError::BodyTooLarge`] and [`FrameError::TooMuchNoise`]; then every further call too.
    #[inline]
    pub fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, FrameError> {
        // All that happens for most of the chunks of a body.
        if buffer.len() < self.need {
            return Ok(None);
        }
        self.advance(buffer)
    }

    fn advance(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, FrameError> {
        self.need = 0;
        loop {
            if let Some(incident) = self.told.take() {
                return Ok(Some(incident.into()));
            }
            if self.noise > self.limits.max_noise {
                return Err(FrameError::TooMuchNoise {
                    bytes: self.noise,
                    max: self.limits.max_noise,
                    sample: self
                        .pending
                        .as_ref()
                        .map(Incident::sample)
                        .unwrap_or_default(),
                });
            }
            let step = match &self.body {
                None => self.line(buffer)?,
                Some(_) => self.body(buffer),
            };
            match step {
                Step::Again => {}
                Step::Whole => return Ok(self.take_body(buffer).map(Frame::Body)),
                Step::Need(bytes) => {
                    self.need = bytes;
                    return Ok(None);
                }
            }
        }
    }

    /// Takes the next item when no more input will come; `None` is the clean end.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode), and [`FrameError::Truncated`] when the input ended inside a
    /// header or a body. Text that does not look like one is noise.
    pub fn finish(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, FrameError> {
        if let Some(frame) = self.decode(buffer)? {
            return Ok(Some(frame));
        }
        let (begun, have, want) = match &self.body {
            Some(body) => (
                true,
                buffer.len().saturating_sub(body.start),
                Some(body.end - body.start),
            ),
            None => {
                let header = &self.header;
                let rest = buffer.get(header.line..).unwrap_or_default();
                let begun = header.length != Length::Missing || is_begun_length(rest, header.cut);
                (begun, buffer.len(), None)
            }
        };
        if begun {
            return match self.pending.take() {
                Some(incident) => Ok(Some(incident.into())),
                None => Err(FrameError::Truncated { have, want }),
            };
        }
        if !buffer.is_empty() {
            self.drop_before(buffer, buffer.len());
            self.need = 0;
            // The limit holds for the last bytes too.
            return self.finish(buffer);
        }
        Ok(self.pending.take().map(Frame::from))
    }

    /// Looks at the next line.
    fn line(&mut self, buffer: &mut BytesMut) -> Result<Step, FrameError> {
        let header = &mut self.header;
        if header.line == 0
            && !header.cut
            && let Some((length, end)) = plain_header(buffer)
            && end <= self.limits.max_header
        {
            header.length = Length::Is(length);
            return self.end_of_header(buffer, end);
        }
        let start = header.line.min(buffer.len());
        // Not further, so that a line is too long or not whatever the chunks were.
        let window = buffer.len().min(start.saturating_add(self.limits.max_line));
        let from = header.scanned.clamp(start, window);
        let Some(found) = memchr(b'\n', &buffer[from..window]) else {
            if window - start < self.limits.max_line {
                header.scanned = buffer.len();
                return Ok(Step::Need(buffer.len() + 1));
            }
            *header = Header {
                scanned: LINE_END,
                cut: true,
                ..Header::default()
            };
            self.skip_noise(buffer, window - LINE_END);
            return Ok(Step::Again);
        };
        let end = from + found + 1;
        if start > 0 && end > self.limits.max_header {
            self.drop_before(buffer, start);
            return Ok(Step::Again);
        }

        let mut text = &buffer[start..end - 1];
        while let Some(rest) = text.strip_suffix(b"\r") {
            text = rest;
        }
        let known = header.length != Length::Missing;
        match classify(text, header.cut) {
            Line::Blank if start == 0 => {
                if self.pending.is_some() {
                    self.skip_noise(buffer, end);
                } else {
                    self.blank += end as u64;
                    self.noise = self.noise.saturating_add(end);
                    buffer.advance(end);
                }
                self.header = Header::default();
                return Ok(Step::Again);
            }
            Line::Blank => return self.end_of_header(buffer, end),
            // What came before was a line of a log, or a header whose writer died.
            Line::Length(_) if header.glued || header.noise.is_some() => {
                self.drop_before(buffer, start);
                return Ok(Step::Again);
            }
            Line::Length(length) => header.length = header.length.and(length),
            Line::Glued { at, length, field } if !(field && known) => {
                let dropped = start + at;
                *header = Header {
                    line: end - dropped,
                    scanned: end - dropped,
                    length: Length::Is(length),
                    glued: true,
                    ..Header::default()
                };
                self.skip_noise(buffer, dropped);
                return Ok(Step::Again);
            }
            Line::Type(value) => header.charset = foreign_charset(value),
            Line::Glued { .. } | Line::Field => {}
            // The lines before it were no header either.
            Line::Noise if !known => {
                self.drop_before(buffer, end);
                return Ok(Step::Again);
            }
            Line::Noise => {
                let (_, bytes) = header.noise.get_or_insert((start..end, 0));
                *bytes += end - start;
            }
        }
        header.line = end;
        header.scanned = end;
        Ok(Step::Again)
    }

    /// A blank line ends the header, at `end`.
    fn end_of_header(&mut self, buffer: &mut BytesMut, end: usize) -> Result<Step, FrameError> {
        let header = &mut self.header;
        let reason = match header.length {
            Length::Missing => SkipReason::MissingLength,
            Length::Bad => SkipReason::BadLength,
            Length::Conflicting => SkipReason::ConflictingLength,
            Length::Is(0) => SkipReason::EmptyBody,
            Length::Is(declared) => {
                if let Some((first, bytes)) = header.noise.take() {
                    self.record_noise(&buffer[first], bytes);
                }
                // Told before the body is waited for; the blank line is met again.
                if self.pending.is_some() {
                    self.told = self.pending.take();
                    return Ok(Step::Again);
                }
                let max = self.limits.max_body;
                let length = usize::try_from(declared)
                    .ok()
                    .filter(|length| *length <= max)
                    .ok_or(FrameError::BodyTooLarge { declared, max })?;
                self.body = Some(Body {
                    start: end,
                    end: end.saturating_add(length),
                    blank: self.limits.check_body.then_some(end),
                    charset: mem::take(&mut self.header).charset,
                });
                return Ok(Step::Again);
            }
        };
        self.skip(reason, buffer, end);
        Ok(Step::Again)
    }

    /// Waits for a body, or gives it up.
    fn body(&mut self, buffer: &mut BytesMut) -> Step {
        let Some(body) = &mut self.body else {
            return Step::Again;
        };
        let (start, end) = (body.start, body.end);
        if let Some(blank) = body.blank {
            let there = buffer.len().min(end);
            let rest = buffer.get(blank..there).unwrap_or_default();
            match rest.iter().position(|byte| !b" \t\r\n".contains(byte)) {
                // The last is the first byte of a byte order mark.
                Some(at) if matches!(rest[at], b'{' | b'[' | 0xef) => body.blank = None,
                None if there < end => body.blank = Some(there),
                // The length was probably a lie: what follows the header is searched for another.
                _ => {
                    self.skip(SkipReason::NotJson, buffer, start);
                    return Step::Again;
                }
            }
        }
        if buffer.len() < end {
            let need = match body.blank {
                None => end,
                Some(_) => buffer.len() + 1,
            };
            let full = make_room(buffer, end - buffer.len(), end);
            return Step::Need(need.min(full));
        }
        Step::Whole
    }

    /// Takes the body, which is there.
    fn take_body(&mut self, buffer: &mut BytesMut) -> Option<Bytes> {
        let body = self.body.take()?;
        self.charset = body.charset;
        self.noise = 0;
        self.blank = 0;
        buffer.advance(body.start);
        Some(buffer.split_to(body.end - body.start).freeze())
    }

    /// Drops everything before `start` and begins a header with what is there.
    fn drop_before(&mut self, buffer: &mut BytesMut, start: usize) {
        self.skip_noise(buffer, start);
        self.header = Header::default();
    }

    /// Drops `bytes` that are wrong in their own right, and begins to look for a header. Delivers
    /// what was skipped before.
    fn skip(&mut self, reason: SkipReason, buffer: &mut BytesMut, bytes: usize) {
        self.header = Header::default();
        self.body = None;
        let mut incident = Incident::new(reason, mem::take(&mut self.blank));
        incident.add(&buffer[..bytes], bytes, self.limits.sample);
        self.noise = self.noise.saturating_add(bytes);
        buffer.advance(bytes);
        self.told = self.pending.replace(incident);
    }

    /// Drops `bytes` as noise, part of the incident before it if there is one.
    fn skip_noise(&mut self, buffer: &mut BytesMut, bytes: usize) {
        if bytes > 0 {
            self.record_noise(&buffer[..bytes], bytes);
            buffer.advance(bytes);
        }
    }

    fn record_noise(&mut self, data: &[u8], bytes: usize) {
        let blank = mem::take(&mut self.blank);
        self.pending
            .get_or_insert_with(|| Incident::new(SkipReason::Noise, blank))
            .add(data, bytes, self.limits.sample);
        self.noise = self.noise.saturating_add(bytes);
    }
}

/// Makes room for the `missing` bytes of a frame that ends at `end`, without believing that they
/// will come: no allocation is larger than what has been received and [`STEP`]. Returns the length
/// at which the buffer needs room again.
fn make_room(buffer: &mut BytesMut, missing: usize, end: usize) -> usize {
    let spare = buffer.capacity() - buffer.len();
    if end <= STEP {
        if spare < missing {
            buffer.reserve(missing);
        }
        return end;
    }
    // Room for the chunk that holds the end of the body keeps its appending from doubling the block.
    let wanted = missing.saturating_add(CHUNK).min(STEP);
    if spare < CHUNK && !buffer.try_reclaim(wanted) {
        // A `BytesMut` grows by doubling; a `Vec` can be told not to.
        let mut block = Vec::from(mem::take(buffer));
        block.reserve_exact(wanted);
        *buffer = BytesMut::from(Bytes::from(block));
    }
    buffer.capacity() - CHUNK + 1
}
