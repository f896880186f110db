//! The one door to the disk: every file-system call of the crate is a method of [`Fs`], so that a
//! test can count the calls, fail the n-th, stop at it, or put a model of a disk in its place.
//!
//! Paths are relative to the root, have normal components only, and no component of them may be a
//! symbolic link: a method that meets one fails instead of following it.

use std::any::Any;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::{ContentHash, FileKind};

/// What `lstat` says about an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) kind: FileKind,
    pub(crate) dev: u64,
    pub(crate) ino: u64,
    pub(crate) links: u64,
    /// Permission bits, set-id bits included.
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) len: u64,
    /// Seconds and nanoseconds.
    pub(crate) mtime: (i64, u32),
}

impl Stat {
    /// Whether both describe one inode.
    pub(crate) fn same_file(&self, other: &Self) -> bool {
        (self.dev, self.ino) == (other.dev, other.ino)
    }

    /// Whether mode, owner and group agree.
    pub(crate) fn same_rights(&self, other: &Self) -> bool {
        (self.mode, self.uid, self.gid) == (other.mode, other.uid, other.gid)
    }
}

/// Extended attributes, access control lists among them, in name order.
pub(crate) type Xattrs = Vec<(Vec<u8>, Vec<u8>)>;

/// What new content takes over from the file it replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attrs {
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) xattrs: Xattrs,
    /// Kept when a file only moves.
    pub(crate) mtime: Option<(i64, u32)>,
}

/// What is found under a name.
#[derive(Clone, Debug)]
pub(crate) enum Look {
    Absent,
    File(Box<Content>),
    Other(FileKind),
}

/// A regular file, read whole.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    pub(crate) stat: Stat,
    pub(crate) bytes: Vec<u8>,
    pub(crate) xattrs: Xattrs,
}

impl Content {
    pub(crate) fn hash(&self) -> ContentHash {
        ContentHash::of(&self.bytes)
    }
}

/// Whether somebody can still write into a displaced file through a descriptor opened earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writers {
    /// A read lease was granted: nobody can.
    None,
    /// The lease was refused: somebody can.
    Some,
    /// Leases do not work here.
    Unknown,
}

/// Why a lock was not taken.
#[derive(Debug)]
pub(crate) enum LockError {
    /// Somebody has it; the process number if the holder wrote it down.
    Held(Option<u32>),
    Io(io::Error),
}

/// An exclusive lock, given back on drop.
pub(crate) type Lock = Box<dyn Any + Send>;

/// The file-system calls.
pub(crate) trait Fs: Send + Sync + fmt::Debug {
    /// The absolute path of the root, for messages and for taking absolute paths apart.
    fn root(&self) -> &Path;

    /// The entry's facts, without following a link; `None` when there is none.
    fn stat(&self, path: &Path) -> io::Result<Option<Stat>>;

    /// Reads whatever is there.
    fn look(&self, path: &Path) -> io::Result<Look>;

    /// Like [`look`](Self::look), with a read lease asked for before and held while reading;
    /// extended attributes are left out.
    fn look_leased(&self, path: &Path) -> io::Result<(Look, Writers)>;

    /// Where a symbolic link points.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;

    /// Whether this process may write to the entry, of which `stat` is known, as access control
    /// has it.
    fn writable(&self, path: &Path, stat: &Stat) -> io::Result<bool>;

    /// The names in a directory, sorted; empty when there is no such directory.
    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>>;

    /// Makes one directory.
    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()>;

    /// Removes an empty directory.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// Writes a file that must not exist yet. Without `attrs` it gets the mode of any new file.
    fn write_new(&self, path: &Path, bytes: &[u8], attrs: Option<&Attrs>)
    -> Result<(), WriteError>;

    /// Renames, replacing what is at `to`.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Renames onto a free name; fails with `AlreadyExists` when it is taken.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Swaps two entries in one step.
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()>;

    /// Gives a file a second name.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file's name.
    fn unlink(&self, path: &Path) -> io::Result<()>;

    /// Makes a file's content durable.
    fn sync_file(&self, path: &Path) -> io::Result<()>;

    /// Makes a directory's entries durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// Makes all of the file system that `path` is on durable.
    fn sync_fs(&self, path: &Path) -> io::Result<()>;

    /// Takes the exclusive lock kept in the file `path`, without waiting.
    fn lock(&self, path: &Path) -> Result<Lock, LockError>;
}

/// Why [`Fs::write_new`] failed.
#[derive(Debug)]
pub(crate) enum WriteError {
    Io(io::Error),
    /// This attribute could not be given to the new file.
    Attribute(String, io::Error),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Whether the file system, not this one file, is what cannot do the call.
pub(crate) fn unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Whether two names lie on different file systems or mounts.
pub(crate) fn cross_device(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::CrossesDevices
}
