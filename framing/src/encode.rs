//! Writing frames.

use std::io::Write;

use bytes::BytesMut;

/// Bytes of the longest header: the name, twenty digits, two line ends.
const MAX: usize = 16 + 20 + 4;

/// The header of one frame, for a vectored write of header and body.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    bytes: [u8; MAX],
    len: usize,
}

impl Header {
    /// The header of a body of `length` bytes.
    ///
    /// ```
    /// assert_eq!(&*fourfold_framing::Header::new(7), b"Content-Length: 7\r\n\r\n");
    /// ```
    #[must_use]
    pub fn new(length: usize) -> Self {
        let mut bytes = [0; MAX];
        let mut rest = &mut bytes[..];
        // Cannot fail: there is room for every length.
        let _ = write!(rest, "Content-Length: {length}\r\n\r\n");
        let len = MAX - rest.len();
        Self { bytes, len }
    }
}

impl std::ops::Deref for Header {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Appends a frame with `body` to `buffer`. No other field than `Content-Length` is ever sent: some
/// readers accept no other.
///
/// ```
/// let mut buffer = bytes::BytesMut::new();
/// fourfold_framing::encode("\"é\"", &mut buffer);
/// assert_eq!(buffer, "Content-Length: 4\r\n\r\n\"é\"");
/// ```
pub fn encode(body: impl AsRef<[u8]>, buffer: &mut BytesMut) {
    let body = body.as_ref();
    let header = Header::new(body.len());
    buffer.reserve(header.len() + body.len());
    buffer.extend_from_slice(&header);
    buffer.extend_from_slice(body);
}
