//! What a file was when it was staged.

use std::path::Path;

use crate::folders::Folders;
use crate::fs::{Content, Fs, Look, Stat, Xattrs};
use crate::{ContentHash, Error};

/// What becomes of a file with several names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HardLinks {
    /// It is refused: a replacement would leave the other names with the old content.
    #[default]
    Refuse,
    /// It is replaced under the staged name; the others keep the old content.
    Split,
}

/// The facts of a file when it was staged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Captured {
    /// Its content.
    pub hash: ContentHash,
    /// Its length in bytes.
    pub len: u64,
    /// Its permission bits, set-id bits included.
    pub mode: u32,
    /// The number of its owner.
    pub uid: u32,
    /// The number of its group.
    pub gid: u32,
    /// The number of its device.
    pub dev: u64,
    /// The number of its inode.
    pub ino: u64,
    /// How many names it has.
    pub links: u64,
    /// Extended attributes as (name, value), in name order.
    pub xattrs: Xattrs,
}

impl Captured {
    fn of(content: &Content) -> Self {
        let stat = &content.stat;
        Self {
            hash: content.hash(),
            len: content.bytes.len() as u64,
            mode: stat.mode,
            uid: stat.uid,
            gid: stat.gid,
            dev: stat.dev,
            ino: stat.ino,
            links: stat.links,
            xattrs: content.xattrs.clone(),
        }
    }
}

/// A captured file with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Original {
    pub(crate) captured: Captured,
    pub(crate) bytes: Vec<u8>,
}

impl Original {
    /// Whether `stat` is of the same file.
    pub(crate) fn is_file(&self, stat: &Stat) -> bool {
        (self.captured.dev, self.captured.ino) == (stat.dev, stat.ino)
    }
}

/// Reads the file at the real path `path` if it may be changed.
pub(crate) fn capture(
    fs: &dyn Fs,
    folders: &mut Folders,
    path: &Path,
    hard_links: HardLinks,
) -> Result<Original, Error> {
    let content = match fs.look(path).map_err(Error::io("reading", path))? {
        Look::File(content) => content,
        Look::Absent => {
            return Err(Error::Missing {
                path: path.to_path_buf(),
            });
        }
        Look::Other(kind) => {
            return Err(Error::NotAFile {
                path: path.to_path_buf(),
                kind,
            });
        }
    };
    if hard_links == HardLinks::Refuse && content.stat.links > 1 {
        return Err(Error::HardLinked {
            path: path.to_path_buf(),
            links: content.stat.links,
        });
    }
    if let Some(what) = folders.read_only(fs, path, &content.stat)? {
        return Err(Error::ReadOnly {
            path: path.to_path_buf(),
            what,
        });
    }
    Ok(Original {
        captured: Captured::of(&content),
        bytes: content.bytes,
    })
}
