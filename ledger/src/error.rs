//! Why a stored checkpoint cannot be read: one sentence each, with what to do next.

use std::fmt;

/// What this crate refuses. Only reading a stored checkpoint can fail.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes do not begin as a checkpoint does.
    NotACheckpoint,
    /// The checkpoint was written in another version of the format.
    Version {
        /// The version that was found.
        found: u8,
    },
    /// The checkpoint was cut short or changed.
    Damaged {
        /// The byte at which reading stopped.
        at: usize,
        /// What was wrong there.
        why: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot read the ledger checkpoint: ")?;
        match self {
            Self::NotACheckpoint => f.write_str("the bytes do not begin as one"),
            Self::Version { found } => write!(f, "it has format {found}, not 1"),
            Self::Damaged { at, why } => write!(f, "{why} at byte {at}"),
        }?;
        f.write_str("; begin with an empty ledger and take new baselines")
    }
}

impl std::error::Error for Error {}
