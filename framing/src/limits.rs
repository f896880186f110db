//! What a decoder is willing to read before it gives up.

/// Bounds of a [`Decoder`](crate::Decoder). Each is checked before anything is kept or allocated.
///
/// ```
/// use fourfold_framing::Limits;
/// let limits = Limits { max_body: 1 << 20, ..Limits::default() };
/// assert_eq!(limits.max_line, 8192);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one line between frames, its end included; 8 KiB. A longer one is dropped as noise
    /// piece by piece, except for its end, where a header may stand. Less than 128 counts as 128.
    pub max_line: usize,
    /// Bytes of the lines of one header; 8 KiB. Lines before that are dropped as noise.
    pub max_header: usize,
    /// Bytes that belong to no frame, since the last good frame; 64 KiB. More is
    /// [`FrameError::TooMuchNoise`](crate::FrameError::TooMuchNoise).
    pub max_noise: usize,
    /// Bytes of one body; 64 MiB, because semantic tokens and workspace symbols of a large project
    /// take tens of them. A header that declares more is
    /// [`FrameError::BodyTooLarge`](crate::FrameError::BodyTooLarge).
    pub max_body: usize,
    /// Bytes of skipped input that are kept to be shown; 256.
    pub sample: usize,
    /// Whether a body has to begin like a JSON message (after blanks: `{`, `[` or a byte order
    /// mark); on. It is what tells a header from a line of a log that quotes one.
    pub check_body: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_line: 8 << 10,
            max_header: 8 << 10,
            max_noise: 64 << 10,
            max_body: 64 << 20,
            sample: 256,
            check_body: true,
        }
    }
}
