//! What a daemon has to tell while nobody watches: a file of bounded length in the user's state
//! folder.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

/// A log is cut when it would become longer than this. Some ten thousand lines.
const LONGEST: u64 = 1 << 20;

/// Logs of checkouts that were not served for so long are removed.
const OLDEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The log of the checkout with this name; `None` for somebody without a home.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    Some(folder()?.join(format!("serve-{name}.log")))
}

fn folder() -> Option<PathBuf> {
    let absolute = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    Some(state?.join("fourfold"))
}

/// From here on what the libraries tell, and the last words of a crash, go to the log.
///
/// `wire` is where every message from and to servers and adapters is written, if anywhere.
pub(crate) fn begin(name: &str, wire: Option<&Path>) -> io::Result<()> {
    let path = path(name).ok_or_else(|| io::Error::other("HOME is not set"))?;
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        remove_old(folder);
    }
    let log = Log::open(&path, LONGEST)?;
    rustix::stdio::dup2_stderr(&log.file)?;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let told = fmt::layer().with_ansi(false).with_writer(Mutex::new(log));
    let wire = wire.map(crate::log::wire).transpose();
    let wire = wire.map_err(io::Error::other)?;
    tracing_subscriber::registry()
        .with(told.with_filter(filter))
        .with(wire)
        .init();
    Ok(())
}

fn remove_old(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_log = name.starts_with("serve-") && name.ends_with(".log");
        let modified = entry.metadata().and_then(|meta| meta.modified());
        let is_old = modified.is_ok_and(|modified| {
            SystemTime::now()
                .duration_since(modified)
                .is_ok_and(|age| age > OLDEST)
        });
        if is_log && is_old {
            // Another daemon may be as tidy.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file that forgets its beginning when it becomes too long. It stays the same file, so that
/// others who append to it do not lose it.
#[derive(Debug)]
struct Log {
    file: File,
    longest: u64,
}

impl Log {
    fn open(path: &Path, longest: u64) -> io::Result<Log> {
        let file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .mode(0o600)
            .open(path)?;
        Ok(Log { file, longest })
    }

    /// Keeps the later half, from the beginning of a line.
    fn forget(&mut self) -> io::Result<()> {
        let mut kept = Vec::new();
        self.file.seek(SeekFrom::End(0))?;
        let length = self.file.stream_position()?;
        let from = length.saturating_sub(self.longest / 2);
        self.file.seek(SeekFrom::Start(from))?;
        self.file.read_to_end(&mut kept)?;
        let line = kept.iter().position(|byte| *byte == b'\n');
        self.file.set_len(0)?;
        self.file.write_all(&kept[line.map_or(0, |end| end + 1)..])
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.file.metadata()?.len();
        if length + bytes.len() as u64 > self.longest {
            self.forget()?;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_its_later_half() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let mut log = Log::open(&path, 40).unwrap();
        for number in 0..6 {
            log.write_all(format!("line {number}\n").as_bytes())
                .unwrap();
        }
        // 35 bytes are five lines; the sixth does not fit, and 20 bytes are two lines and a piece.
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "line 3\nline 4\nline 5\n");
    }

    #[test]
    fn old_logs_go() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, age: Duration| {
            let path = folder.path().join(name);
            let file = File::create(&path).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
            path
        };
        let old = make("serve-a.log", OLDEST + Duration::from_secs(60));
        let fresh = make("serve-b.log", OLDEST - Duration::from_secs(60));
        let other = make("other.log", OLDEST * 2);
        remove_old(folder.path());
        assert!(!old.exists() && fresh.exists() && other.exists());
    }
}
