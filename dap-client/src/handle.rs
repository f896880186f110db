//! Names of sessions, frames and values that are ours. Those of frames and values carry the stop
//! that they belong to, so that an old one is an error and never an answer about another moment.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Serialize, Serializer};

/// The name of a session, such as `dbg-3f2a`: unlike those of the sessions before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(String);

impl SessionId {
    pub(crate) fn new() -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let seed = now.map_or(0, |now| now.as_secs() as u32 ^ now.subsec_nanos());
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mixed = seed.wrapping_mul(0x9e37_79b1).wrapping_add(number) & 0xffff;
        Self(format!("dbg-{mixed:04x}"))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            /// The stop that it belongs to, counted from 1.
            pub(crate) stop: u32,
            /// Its number within the stop.
            pub(crate) number: u32,
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}.{}"), self.stop, self.number)
            }
        }

        impl FromStr for $name {
            type Err = BadHandle;

            fn from_str(text: &str) -> Result<Self, BadHandle> {
                let bad = || BadHandle {
                    given: text.chars().take(40).collect(),
                    like: concat!($letter, "3.0"),
                };
                let numbers = text.strip_prefix($letter).ok_or_else(bad)?;
                let (stop, number) = numbers.split_once('.').ok_or_else(bad)?;
                Ok(Self {
                    stop: stop.parse().map_err(|_| bad())?,
                    number: number.parse().map_err(|_| bad())?,
                })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    };
}

handle!(
    /// A frame of a stack, as `f3.0`: frame 0 of what was looked at during stop 3.
    FrameHandle,
    "f"
);
handle!(
    /// A value that can be opened, as `v3.7`.
    ValueHandle,
    "v"
);

/// A text that is no handle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no handle; one looks like `{like}` and comes with an answer")]
pub struct BadHandle {
    given: String,
    like: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_text_and_back() {
        let frame = FrameHandle {
            stop: 3,
            number: 12,
        };
        assert_eq!(frame.to_string(), "f3.12");
        assert_eq!("f3.12".parse(), Ok(frame));
        for bad in [
            "",
            "f",
            "f3",
            "v3.1",
            "f3.",
            "f-1.2",
            "f3.1.2",
            "f99999999999.0",
        ] {
            assert!(bad.parse::<FrameHandle>().is_err(), "{bad}");
        }
        assert_ne!(SessionId::new(), SessionId::new());
    }
}
