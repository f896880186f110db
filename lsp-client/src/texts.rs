//! The texts that a server's positions are about: of open documents, else from disk.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

/// How many bytes of texts are kept at once: an answer names the same files again and again.
const KEPT_BYTES: usize = 64 << 20;

/// Texts as they are at one moment, read when they are asked for.
///
/// Looking at a file blocks the thread.
#[derive(Debug)]
pub(crate) struct Texts {
    /// The documents that the server has open: text and version.
    open: HashMap<PathBuf, (Arc<str>, i32)>,
    max_bytes: u64,
    read: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    texts: HashMap<PathBuf, Arc<str>>,
    bytes: usize,
}

/// What lies at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    File(Arc<str>),
    Folder,
    Absent,
}

/// Why the text of a file cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// It is larger than texts are.
    #[error("it has more than {max} bytes; raise the limit if texts of that size are expected")]
    TooLarge {
        /// The limit.
        max: u64,
    },
    /// It is no text, or one in another encoding.
    #[error("it is not UTF-8 from byte {offset} on; convert it, or leave it out")]
    NotUtf8 {
        /// The first byte that is not.
        offset: usize,
    },
    /// It is a device, a pipe, or the like.
    #[error("it is neither a file nor a folder")]
    NotRegular,
    /// The operating system failed.
    #[error("reading it failed")]
    Io(#[from] io::Error),
}

impl Texts {
    pub(crate) fn new(open: HashMap<PathBuf, (Arc<str>, i32)>, max_bytes: u64) -> Texts {
        Texts {
            open,
            max_bytes,
            read: Mutex::default(),
        }
    }

    /// The version of an open document.
    pub(crate) fn version(&self, path: &Path) -> Option<i32> {
        self.open.get(path).map(|(_, version)| *version)
    }

    /// What lies at a path.
    pub(crate) fn entry(&self, path: &Path) -> Result<Entry, TextError> {
        if let Some((text, _)) = self.open.get(path) {
            return Ok(Entry::File(text.clone()));
        }
        let mut kept = self.read.lock();
        if let Some(text) = kept.texts.get(path) {
            return Ok(Entry::File(text.clone()));
        }
        // A pipe without a writer would block the opening.
        let metadata = match path.metadata() {
            Ok(metadata) => metadata,
            Err(error) if absent(&error) => return Ok(Entry::Absent),
            Err(error) => return Err(error.into()),
        };
        if metadata.is_dir() {
            return Ok(Entry::Folder);
        }
        if !metadata.is_file() {
            return Err(TextError::NotRegular);
        }
        let max = self.max_bytes;
        let mut bytes = Vec::new();
        match File::open(path) {
            Ok(file) => file.take(max.saturating_add(1)).read_to_end(&mut bytes)?,
            Err(error) if absent(&error) => return Ok(Entry::Absent),
            Err(error) => return Err(error.into()),
        };
        if u64::try_from(bytes.len()).is_ok_and(|length| length > max) {
            return Err(TextError::TooLarge { max });
        }
        let text = String::from_utf8(bytes).map_err(|error| TextError::NotUtf8 {
            offset: error.utf8_error().valid_up_to(),
        })?;
        let text: Arc<str> = text.into();
        if kept.bytes.saturating_add(text.len()) > KEPT_BYTES {
            *kept = Kept::default();
        }
        kept.bytes += text.len();
        kept.texts.insert(path.to_path_buf(), text.clone());
        Ok(Entry::File(text))
    }

    /// The text of a file; `None` when it cannot be had for any reason.
    pub(crate) fn text(&self, path: &Path) -> Option<Arc<str>> {
        match self.entry(path) {
            Ok(Entry::File(text)) => Some(text),
            Ok(Entry::Folder | Entry::Absent) | Err(_) => None,
        }
    }
}

fn absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
