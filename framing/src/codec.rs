//! Frames over tokio's readers and writers.

use bytes::BytesMut;
use tokio_util::codec;

use crate::{Decoder, Frame, FrameError, Limits};

/// Decoder and encoder for `tokio_util::codec::{Framed, FramedRead, FramedWrite}`.
///
/// What can be skipped is an item ([`Frame::Skipped`]), since a `Framed` stream ends after its first
/// error. Bodies to be sent are anything that is bytes.
#[derive(Debug)]
pub struct FrameCodec {
    decoder: Decoder,
}

impl FrameCodec {
    /// A codec at the beginning of a stream.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            decoder: Decoder::new(limits),
        }
    }

    /// The decoder, to ask it for the charset of the last body.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}

impl Default for FrameCodec {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl codec::Decoder for FrameCodec {
    type Item = Frame;
    type Error = FrameError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, FrameError> {
        self.decoder.decode(buffer)
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, FrameError> {
        self.decoder.finish(buffer)
    }
}

impl<B: AsRef<[u8]>> codec::Encoder<B> for FrameCodec {
    type Error = FrameError;

    fn encode(&mut self, body: B, buffer: &mut BytesMut) -> Result<(), FrameError> {
        crate::encode(body, buffer);
        Ok(())
    }
}
