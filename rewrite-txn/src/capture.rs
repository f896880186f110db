//! What a file was when it was staged.

use std::path::{Path, PathBuf};

use crate::fs::{Content, Fs, Look, Stat, Xattrs};
use crate::{ContentHash, Error, FileKind};

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

/// Reads the file at the real path `path` if it may be changed.
pub(crate) fn capture(fs: &dyn Fs, path: &Path, hard_links: HardLinks) -> Result<Original, Error> {
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
    if let Some(what) = read_only(fs, path, &content.stat)? {
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

/// Says what forbids writing to the file `path`: its own permissions or its folder's. The mode
/// bits are looked at as well as access control, because the superuser passes the latter and a
/// rename would change a file that says it is not to be changed.
pub(crate) fn read_only(fs: &dyn Fs, path: &Path, stat: &Stat) -> Result<Option<String>, Error> {
    if !may_write(fs, path, stat)? {
        return Ok(Some("the file".to_owned()));
    }
    read_only_folder(fs, path)
}

/// Says whether the folder that `path` is or will be in forbids new names.
pub(crate) fn read_only_folder(fs: &dyn Fs, path: &Path) -> Result<Option<String>, Error> {
    let (folder, stat) = existing_folder(fs, path)?;
    if may_write(fs, &folder, &stat)? {
        return Ok(None);
    }
    let name = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &folder
    };
    Ok(Some(format!("its folder {}", name.display())))
}

/// The nearest folder above `path` that exists. Something else in its place is an error.
pub(crate) fn existing_folder(fs: &dyn Fs, path: &Path) -> Result<(PathBuf, Stat), Error> {
    for folder in path.ancestors().skip(1) {
        match fs.stat(folder).map_err(Error::io("looking at", folder))? {
            Some(stat) if stat.kind == FileKind::Directory => {
                return Ok((folder.to_path_buf(), stat));
            }
            Some(stat) => {
                return Err(Error::NotAFolder {
                    path: folder.to_path_buf(),
                    kind: stat.kind,
                });
            }
            None => {}
        }
    }
    Err(Error::Missing {
        path: fs.root().to_path_buf(),
    })
}

fn may_write(fs: &dyn Fs, path: &Path, stat: &Stat) -> Result<bool, Error> {
    Ok(stat.mode & 0o222 != 0 && fs.writable(path).map_err(Error::io("looking at", path))?)
}
