//! Content-Length framing, as language servers and debug adapters speak it, for readers that have
//! to live with what those programs really print.
//!
//! A message is a header, a blank line and a body:
//!
//! ```text
//! Content-Length: 17\r\n
//! \r\n
//! {"jsonrpc":"2.0"}
//! ```
//!
//! Around it come banners, logs, colour codes, progress bars, blank lines, wrong lengths. A reader
//! that dies of them takes the session with it; one that is silent leaves its user to guess. This
//! one goes on, and tells: a stream is a sequence of [`Frame`]s, each a body or a [`Skipped`] with
//! the reason, the number of bytes and a sample.
//!
//! - [`Decoder`] is the core: bytes in, items out, no I/O. [`Limits`] bound it.
//! - [`encode`] appends a frame to a buffer; [`Header`] is for vectored writes.
//! - [`FrameReader`] and [`FrameWriter`] are for blocking sources and sinks; `FrameCodec`, with the
//!   feature `tokio`, is for tokio's.
//! - [`FrameError`] lists the four ways in which a stream is over.
//!
//! ```
//! use fourfold_framing::{Frame, FrameReader, FrameWriter, Limits};
//!
//! # fn main() -> Result<(), fourfold_framing::FrameError> {
//! let mut writer = FrameWriter::new(b"server v1.2 ready\n".to_vec());
//! writer.write(br#"{"id":1}"#)?;
//! let output = writer.into_inner();
//!
//! let mut reader = FrameReader::new(&output[..], Limits::default());
//! let mut log = Vec::new();
//! let mut bodies = Vec::new();
//! while let Some(frame) = reader.read()? {
//!     match frame {
//!         Frame::Body(body) => bodies.push(body),
//!         Frame::Skipped(skipped) => log.push(skipped.to_string()),
//!     }
//! }
//! assert_eq!(bodies, [&br#"{"id":1}"#[..]]);
//! assert_eq!(log, [r#"skipped 18 bytes, not part of a message: "server v1.2 ready\n""#]);
//! # Ok(())
//! # }
//! ```
//!
//! # What is accepted
//!
//! Lines end with LF, with or without CRs before it. Field names are compared without case, blanks
//! around the colon are allowed, other fields than `Content-Length` are ignored. A length is ASCII
//! digits. `Content-Length` may stand behind other text on its line, if its number ends the line.
//! The text of a body is searched for a header only after its first byte has shown that it is no
//! message. A body is delivered as it is: byte order mark, NUL and broken UTF-8 included.
//!
//! # Limits
//!
//! - Nothing is promised about a program that prints whole frames into its log: they are frames.
//! - A body that is shorter or longer than declared costs itself, and when it is shorter also the
//!   frame behind it; then reading goes on.
//! - Text that looks like a header field (`INFO: ready`) is a header field; it is skipped without a
//!   word when a length follows before any blank line.
//! - What was skipped is told when the next header is complete, or at the end of the input.
//! - One allocation of the decoder is at most what has been received and 1 MiB. Chunks of more than
//!   64 KiB that the caller appends make a `BytesMut` grow by its own rule, which is to double.
//! - A body keeps the block alive that it lies in; see [`Frame::Body`].
//! - Defaults: a line and a header 8 KiB, noise 64 KiB, a body 64 MiB. All in [`Limits`].
#![warn(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod blocking;
#[cfg(feature = "tokio")]
mod codec;
mod decoder;
mod encode;
mod error;
mod frame;
mod limits;
mod line;
mod mend;

pub use blocking::{FrameReader, FrameWriter};
#[cfg(feature = "tokio")]
pub use codec::FrameCodec;
pub use decoder::Decoder;
pub use encode::{Header, encode};
pub use error::FrameError;
pub use frame::{Frame, SkipReason, Skipped};
pub use limits::Limits;
pub use mend::mended;
