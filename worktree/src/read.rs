//! Reading a file as text, bounded, and saying why not.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rustix::buffer::spare_capacity;
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::door::{Admitted, kind_of};
use crate::stamp::Stamp;
use crate::tally::SkipKind;

/// How far from the start of a file a NUL byte makes it binary, in bytes.
const BINARY_PROBE: usize = 8 << 10;

/// What [`read_text`] reads at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// Files longer than this are skipped, in bytes. Default 8 MiB: sources that people write are
    /// smaller, and what is larger is generated and would cost more memory than it is worth.
    pub max_bytes: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        ReadLimits { max_bytes: 8 << 20 }
    }
}

/// The text of a file and the identity it had when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The bytes exactly as on disk: byte-order mark and line ends are kept.
    pub text: String,
    /// Taken before the first byte was read: a later change shows as another stamp.
    pub stamp: Stamp,
}

/// Why a file was left out of a run. A value, not an error: the run goes on and counts it.
///
/// Displays as a clause that follows the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skipped {
    /// There is a NUL byte in the first 8 KiB.
    Binary {
        /// Where the first one is, in bytes.
        offset: usize,
    },
    /// The bytes are not UTF-8.
    NotUtf8 {
        /// The first offending byte.
        offset: usize,
    },
    /// The file is longer than the limit.
    TooLarge {
        /// Its length in bytes, or what had been read of it when the limit was passed.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file was listed or admitted, and is gone.
    Vanished,
    /// It is not a regular file (any more).
    NotRegular {
        /// What it is, in words.
        kind: &'static str,
    },
    /// No permission to read.
    Denied,
    /// The operating system failed for another reason.
    Unreadable {
        /// What it said.
        reason: String,
    },
    /// A link that was named explicitly and leads out of the checkout.
    LeadsOut {
        /// Where it leads.
        target: PathBuf,
    },
    /// A link that was named explicitly and whose target does not exist.
    BrokenLink,
    /// Named explicitly, but the caller's [`wanted`](crate::WalkOptions::wanted) declined it.
    NotWanted,
    /// The work on this file panicked.
    Crashed {
        /// The panic message.
        message: String,
    },
}

impl Skipped {
    /// The reason without its particulars, to count by.
    pub fn kind(&self) -> SkipKind {
        match self {
            Skipped::Binary { .. } => SkipKind::Binary,
            Skipped::NotUtf8 { .. } => SkipKind::NotUtf8,
            Skipped::TooLarge { limit, .. } => SkipKind::TooLarge { limit: *limit },
            Skipped::Vanished => SkipKind::Vanished,
            Skipped::NotRegular { .. } => SkipKind::NotRegular,
            Skipped::Denied => SkipKind::Denied,
            Skipped::Unreadable { .. } => SkipKind::Unreadable,
            Skipped::LeadsOut { .. } => SkipKind::LeadsOut,
            Skipped::BrokenLink => SkipKind::BrokenLink,
            Skipped::NotWanted => SkipKind::NotWanted,
            Skipped::Crashed { .. } => SkipKind::Crashed,
        }
    }

    pub(crate) fn from_io(error: &io::Error) -> Skipped {
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(errno) => Skipped::from_errno(errno),
            None => Skipped::Unreadable {
                reason: error.to_string(),
            },
        }
    }

    fn from_errno(errno: Errno) -> Skipped {
        match errno {
            Errno::NOENT | Errno::NOTDIR | Errno::STALE => Skipped::Vanished,
            Errno::ACCESS | Errno::PERM => Skipped::Denied,
            Errno::LOOP => Skipped::NotRegular {
                kind: "symbolic link",
            },
            Errno::NXIO => Skipped::NotRegular { kind: "socket" },
            _ => Skipped::Unreadable {
                reason: errno.to_string(),
            },
        }
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Skipped::Binary { offset } => write!(f, "is binary (a NUL byte at offset {offset})"),
            Skipped::NotUtf8 { offset } => {
                write!(
                    f,
                    "is not UTF-8 text (the first bad byte is at offset {offset})"
                )
            }
            Skipped::TooLarge { bytes, limit } => write!(
                f,
                "is too large ({}, the limit is {})",
                Size(*bytes),
                Size(*limit)
            ),
            Skipped::Vanished => f.write_str("is gone: it vanished while it was wanted"),
            Skipped::NotRegular { kind } => write!(f, "is not a regular file but a {kind}"),
            Skipped::Denied => f.write_str("may not be read (permission denied)"),
            Skipped::Unreadable { reason } => write!(f, "cannot be read ({reason})"),
            Skipped::LeadsOut { target } => write!(
                f,
                "is a symbolic link that leads out of the checkout, to `{}`",
                target.display()
            ),
            Skipped::BrokenLink => f.write_str("is a broken symbolic link"),
            Skipped::NotWanted => f.write_str("is not of a kind that was asked for"),
            Skipped::Crashed { message } => write!(f, "crashed the work on it ({message})"),
        }
    }
}

/// A number of bytes for people: `8 MiB`, `1.5 GiB`, `300 bytes`.
pub(crate) struct Size(pub(crate) u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        match units.into_iter().find(|(bits, _)| self.0 >> bits > 0) {
            None => write!(f, "{} bytes", self.0),
            Some((bits, unit)) if self.0.is_multiple_of(1 << bits) => {
                write!(f, "{} {unit}", self.0 >> bits)
            }
            Some((bits, unit)) => {
                let tenths = (u128::from(self.0) * 10) >> bits;
                write!(f, "{}.{} {unit}", tenths / 10, tenths % 10)
            }
        }
    }
}

/// Reads a file that passed the door.
///
/// The file is opened without following a link and without blocking, must be regular, and is read
/// (never memory-mapped: a file cut short under a map would end the process). Everything that can
/// be wrong with it comes back as [`Skipped`].
///
/// # Errors
/// The reason why there is no text.
pub fn read_text(file: &Admitted, limits: &ReadLimits) -> Result<Text, Skipped> {
    let fd = open(file.absolute())?;
    let stat = rustix::fs::fstat(&fd).map_err(Skipped::from_errno)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(match file.absolute().symlink_metadata() {
            Ok(meta) => Skipped::NotRegular {
                kind: kind_of(meta.file_type()),
            },
            Err(error) => Skipped::from_io(&error),
        });
    }
    let stamp = Stamp::from_stat(&stat);
    let too_large = |bytes: u64| Skipped::TooLarge {
        bytes,
        limit: limits.max_bytes,
    };
    if stamp.len > limits.max_bytes {
        return Err(too_large(stamp.len));
    }
    // One byte more than the length, so that the read that meets the end needs no larger buffer.
    let mut bytes = Vec::with_capacity(usize::try_from(stamp.len).unwrap_or(0) + 1);
    loop {
        if bytes.len() == bytes.capacity() {
            bytes.reserve(BINARY_PROBE);
        }
        match rustix::io::read(&fd, spare_capacity(&mut bytes)) {
            Ok(0) => break,
            Ok(_) if bytes.len() as u64 > limits.max_bytes => {
                return Err(too_large(bytes.len() as u64));
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(Skipped::from_errno(errno)),
        }
    }
    let text = text_of(bytes)?;
    Ok(Text { text, stamp })
}

/// Opens for reading; a pipe or a device must not make us wait or act.
fn open(path: &Path) -> Result<rustix::fd::OwnedFd, Skipped> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY;
    match rustix::fs::open(path, flags | OFlags::NONBLOCK, Mode::empty()) {
        // Somebody holds a lease on it for a moment; on a regular file waiting is the answer.
        Err(Errno::AGAIN) if path.symlink_metadata().is_ok_and(|meta| meta.is_file()) => {
            rustix::fs::open(path, flags, Mode::empty())
        }
        opened => opened,
    }
    .map_err(Skipped::from_errno)
}

/// The bytes as text, unchanged.
fn text_of(bytes: Vec<u8>) -> Result<String, Skipped> {
    // UTF-16 is full of NUL bytes; its mark tells what it really is.
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Skipped::NotUtf8 { offset: 0 });
    }
    let probe = &bytes[..bytes.len().min(BINARY_PROBE)];
    if let Some(offset) = probe.iter().position(|byte| *byte == 0) {
        return Err(Skipped::Binary { offset });
    }
    String::from_utf8(bytes).map_err(|error| Skipped::NotUtf8 {
        offset: error.utf8_error().valid_up_to(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_text_or_a_reason() {
        let check = |bytes: &[u8]| text_of(bytes.to_vec());
        assert_eq!(
            check(b"\xef\xbb\xbfa\r\nb\n").as_deref(),
            Ok("\u{feff}a\r\nb\n")
        );
        assert_eq!(check(b"abc\0"), Err(Skipped::Binary { offset: 3 }));
        assert_eq!(check(b"abc\xff"), Err(Skipped::NotUtf8 { offset: 3 }));
        assert_eq!(check(b"\xff\xfea\0"), Err(Skipped::NotUtf8 { offset: 0 }));
        let mut late = vec![b'a'; BINARY_PROBE];
        late.push(0);
        assert!(
            check(&late).is_ok(),
            "NUL is a legal character further down"
        );
    }

    #[test]
    fn sizes_read_well() {
        let sizes = [
            0,
            1023,
            1024,
            1536,
            8 << 20,
            (3 << 30) + (1 << 29),
            u64::MAX,
        ];
        let text: Vec<_> = sizes.map(|bytes| Size(bytes).to_string()).into();
        assert_eq!(
            text,
            [
                "0 bytes",
                "1023 bytes",
                "1 KiB",
                "1.5 KiB",
                "8 MiB",
                "3.5 GiB",
                "17179869183.9 GiB"
            ]
        );
    }
}
