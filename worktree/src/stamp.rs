//! The identity of a file on disk at one moment, to tell cheaply whether it may have changed.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What `stat` says about a file: equal stamps mean "very probably the same bytes".
///
/// The identity of content is its hash; a stamp only decides whether to hash again. An editor that
/// saves through a new file changes `ino`, one that writes in place changes `mtime_ns` and
/// `ctime_ns`, and `ctime_ns` cannot be set back by a program that restores old times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Device.
    pub dev: u64,
    /// Inode.
    pub ino: u64,
    /// Length in bytes.
    pub len: u64,
    /// Last change of the bytes, in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Last change of the bytes or of the inode, in nanoseconds since 1970.
    pub ctime_ns: i128,
}

/// A file can change twice within one tick of the clock that writes its times (10 ms at most on
/// Linux; some file systems count in two seconds).
const COARSEST_TICK: Duration = Duration::from_secs(2);

impl Stamp {
    /// The stamp of the file at `path`, links not followed.
    ///
    /// # Errors
    /// What `lstat` says.
    pub fn of(path: impl AsRef<Path>) -> io::Result<Stamp> {
        let meta = path.as_ref().symlink_metadata()?;
        Ok(Stamp {
            dev: meta.dev(),
            ino: meta.ino(),
            len: meta.len(),
            mtime_ns: nanoseconds(meta.mtime(), meta.mtime_nsec()),
            ctime_ns: nanoseconds(meta.ctime(), meta.ctime_nsec()),
        })
    }

    #[allow(
        clippy::unnecessary_cast,
        reason = "the widths of these fields differ between systems"
    )]
    pub(crate) fn from_stat(stat: &rustix::fs::Stat) -> Stamp {
        Stamp {
            dev: stat.st_dev as u64,
            ino: stat.st_ino as u64,
            len: stat.st_size as u64,
            mtime_ns: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime_ns: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    /// Whether the file had been left alone long enough at `now` for an equal stamp later on to
    /// prove equal bytes. A cache must hash again when it kept a stamp that was not settled: a
    /// second change in the same clock tick leaves no trace in the times.
    pub fn is_settled_at(&self, now: SystemTime) -> bool {
        let now_ns = match now.duration_since(UNIX_EPOCH) {
            Ok(since) => since.as_nanos() as i128,
            Err(before) => -(before.duration().as_nanos() as i128),
        };
        self.mtime_ns.max(self.ctime_ns) + COARSEST_TICK.as_nanos() as i128 <= now_ns
    }
}

fn nanoseconds(seconds: i64, part: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_settled_two_seconds_after_the_last_change() {
        let stamp = Stamp {
            dev: 1,
            ino: 1,
            len: 1,
            mtime_ns: 5_000_000_000,
            ctime_ns: 7_000_000_000,
        };
        let at = |ms| UNIX_EPOCH + Duration::from_millis(ms);
        assert!(!stamp.is_settled_at(at(8_999)));
        assert!(stamp.is_settled_at(at(9_000)));
        assert!(!stamp.is_settled_at(UNIX_EPOCH - Duration::from_secs(1)));
    }
}
