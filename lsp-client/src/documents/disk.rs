//! Files as they are on disk, compared with what a server has of them.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::texts::{Entry, TextError, Texts};

/// A change of the same size within this time of the last one may leave the time stamp as it was:
/// file systems keep time coarsely.
const COARSE: Duration = Duration::from_secs(2);

/// What tells without reading that a file is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    bytes: u64,
    seconds: i64,
    nanoseconds: i64,
    device: u64,
    file: u64,
}

/// A document as it was when the comparison began.
#[derive(Debug)]
pub(super) struct Then {
    pub(super) path: PathBuf,
    pub(super) text: Arc<str>,
    pub(super) stamp: Option<Stamp>,
}

/// What lies on disk now.
#[derive(Debug)]
pub(super) struct Now {
    pub(super) then: Then,
    pub(super) file: File,
}

#[derive(Debug)]
pub(super) enum File {
    /// The same text; the stamp that says so the next time, when it can be relied on.
    Same(Option<Stamp>),
    /// Another text.
    Text(Arc<str>),
    /// Something that cannot be shown to a server: too large, or no text.
    Other,
    /// Nothing any more.
    Gone,
}

/// Looks at the files, on a thread where looking may take its time.
pub(super) async fn compare(open: Vec<Then>, max_bytes: u64) -> Vec<Now> {
    let compared = tokio::task::spawn_blocking(move || {
        let texts = Texts::new(HashMap::new(), max_bytes);
        open.into_iter()
            .map(|then| Now {
                file: look(&then, &texts),
                then,
            })
            .collect()
    });
    // It fails only when the runtime ends, and then nobody wants to know.
    compared.await.unwrap_or_default()
}

/// What lies at a path.
pub(super) async fn read(path: PathBuf, max_bytes: u64) -> Result<Entry, TextError> {
    let read = move || Texts::new(HashMap::new(), max_bytes).entry(&path);
    match tokio::task::spawn_blocking(read).await {
        Ok(entry) => entry,
        Err(error) => Err(TextError::Io(std::io::Error::other(error))),
    }
}

fn look(then: &Then, texts: &Texts) -> File {
    let stamp = Stamp::of(&then.path);
    if stamp.is_some() && stamp == then.stamp {
        return File::Same(stamp);
    }
    match texts.entry(&then.path) {
        Ok(Entry::File(text)) if text == then.text => File::Same(stamp),
        Ok(Entry::File(text)) => File::Text(text),
        Ok(Entry::Folder | Entry::Absent) => File::Gone,
        Err(error) => {
            tracing::debug!(path = %then.path.display(), %error, "an open document cannot be read");
            File::Other
        }
    }
}

impl Stamp {
    /// The stamp of a file, unless it changed so recently that it may change again unseen.
    fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        let age = SystemTime::now().duration_since(metadata.modified().ok()?);
        (age.ok()? > COARSE).then(|| Self {
            bytes: metadata.len(),
            seconds: metadata.mtime(),
            nanoseconds: metadata.mtime_nsec(),
            device: metadata.dev(),
            file: metadata.ino(),
        })
    }
}
