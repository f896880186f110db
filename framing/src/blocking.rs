//! Frames over blocking readers and writers.

use std::io::{self, BufRead, ErrorKind, IoSlice, Write};

use bytes::BytesMut;

use crate::{Decoder, Frame, FrameError, Header, Limits};

/// Bytes that are read in one go if they are surely part of a body; with fewer, taking over what the
/// source has ready costs less than asking it for so many.
const LARGE: usize = 16 << 10;

/// Reads frames from a blocking source.
///
/// ```
/// use fourfold_framing::{Frame, FrameReader, Limits};
/// # fn main() -> Result<(), fourfold_framing::FrameError> {
/// let mut reader = FrameReader::new(&b"Content-Length: 2\r\n\r\n{}"[..], Limits::default());
/// assert_eq!(reader.read()?, Some(Frame::Body("{}".into())));
/// assert_eq!(reader.read()?, None);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FrameReader<R> {
    source: R,
    decoder: Decoder,
    buffer: BytesMut,
}

impl<R: BufRead> FrameReader<R> {
    /// A reader at the beginning of `source`, whose own buffer is the size of a chunk.
    pub fn new(source: R, limits: Limits) -> Self {
        Self {
            source,
            decoder: Decoder::new(limits),
            buffer: BytesMut::new(),
        }
    }

    /// The next item; `None` at the end of the input. Blocks until there is one.
    ///
    /// # Errors
    ///
    /// Those of [`Decoder::decode`] and [`Decoder::finish`], and [`FrameError::Io`] when the source
    /// fails; after that one reading may be tried again, nothing is lost.
    pub fn read(&mut self) -> Result<Option<Frame>, FrameError> {
        loop {
            if let Some(frame) = self.decoder.decode(&mut self.buffer)? {
                return Ok(Some(frame));
            }
            let need = self.decoder.need();
            if need.saturating_sub(self.buffer.len()) >= LARGE {
                if !self.fill(need)? {
                    return self.decoder.finish(&mut self.buffer);
                }
                continue;
            }
            let chunk = match self.source.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                chunk => chunk?,
            };
            if chunk.is_empty() {
                return self.decoder.finish(&mut self.buffer);
            }
            self.buffer.extend_from_slice(chunk);
            let taken = chunk.len();
            self.source.consume(taken);
        }
    }

    /// Reads until `need` bytes are in the buffer, past the decoder and the source's own buffer; `false`
    /// at the end of the input. What was read before an error is kept.
    fn fill(&mut self, need: usize) -> io::Result<bool> {
        let mut filled = self.buffer.len();
        self.buffer.resize(need, 0);
        let done = loop {
            match self.source.read(&mut self.buffer[filled..]) {
                Ok(0) => break Ok(false),
                Ok(read) => filled = need.min(filled + read),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => break Err(error),
            }
            if filled >= need {
                break Ok(true);
            }
        };
        self.buffer.truncate(filled);
        done
    }

    /// The decoder, to ask it for the charset of the last body.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}

/// Writes frames to a blocking sink.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let mut writer = fourfold_framing::FrameWriter::new(Vec::new());
/// writer.write(b"{}")?;
/// assert_eq!(writer.into_inner(), b"Content-Length: 2\r\n\r\n{}");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FrameWriter<W> {
    sink: W,
}

impl<W: Write> FrameWriter<W> {
    /// A writer to `sink`, which needs no buffer of its own.
    pub fn new(sink: W) -> Self {
        Self { sink }
    }

    /// Writes one frame and flushes. Header and body leave in one system call where the sink can.
    ///
    /// # Errors
    ///
    /// What the sink reports. Part of the frame may have been written, so the stream is lost.
    pub fn write(&mut self, body: &[u8]) -> io::Result<()> {
        let header = Header::new(body.len());
        let written = loop {
            match self
                .sink
                .write_vectored(&[IoSlice::new(&header), IoSlice::new(body)])
            {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                written => break written?,
            }
        };
        self.sink.write_all(&header[written.min(header.len())..])?;
        let of_body = written.saturating_sub(header.len()).min(body.len());
        self.sink.write_all(&body[of_body..])?;
        self.sink.flush()
    }

    /// The sink.
    pub fn into_inner(self) -> W {
        self.sink
    }
}
