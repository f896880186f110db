//! The few ways in which a stream ends early.

use std::io;

use bytes::Bytes;

/// Why no further frame can be read. Everything less is a [`Skipped`](crate::Skipped).
///
/// A decoder that has failed stays failed: it gives the same answer when it is asked again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// A header declared more than the limit. Nothing was allocated for it, and nothing behind the
    /// header was looked at.
    #[error(
        "reading a message: its header declares {declared} bytes and the limit is {max}; end the \
         program that sent it, or raise `Limits::max_body` if messages of that size are expected"
    )]
    BodyTooLarge {
        /// Bytes that the header declared.
        declared: u64,
        /// [`Limits::max_body`](crate::Limits::max_body).
        max: usize,
    },
    /// Too many bytes since the last good frame belonged to no frame.
    #[error(
        "looking for a message: {bytes} bytes went by that are none (the limit is {max}), beginning \
         with \"{}\"; check that the command is one that speaks the protocol on its standard output",
        .sample.escape_ascii()
    )]
    TooMuchNoise {
        /// Bytes since the last good frame.
        bytes: usize,
        /// [`Limits::max_noise`](crate::Limits::max_noise).
        max: usize,
        /// The beginning of what was skipped last, at most
        /// [`Limits::sample`](crate::Limits::sample) bytes.
        sample: Bytes,
    },
    /// The input ended inside a header or a body.
    #[error(
        "reading a message: the input ended inside {}; the program that wrote it died or closed its \
         output, look at its standard error and exit status",
        match .want {
            Some(want) => format!("a body, after {have} of {want} bytes"),
            None => format!("a header, after {have} bytes of it"),
        }
    )]
    Truncated {
        /// Bytes of the header or body that were there.
        have: usize,
        /// Bytes that the body should have had; `None` inside a header.
        want: Option<usize>,
    },
    /// The source or the sink failed.
    #[error("reading or writing a message failed; the other side may have ended")]
    Io(#[from] io::Error),
}
