//! [`Fs`] on the real disk: every path is opened beneath the root without following a link.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{
    self as sys, Access, AtFlags, FileType, Gid, Mode, OFlags, RenameFlags, ResolveFlags, Timespec,
    Timestamps, Uid, XattrFlags,
};
use rustix::io::Errno;

use crate::FileKind;
use crate::fs::{Attrs, Content, Fs, Lock, LockError, Look, Stat, WriteError, Writers, Xattrs};
use crate::raw;
use crate::state::txn_root;

/// A root directory, held open: what it is called may change, what is meant does not.
#[derive(Debug)]
pub(crate) struct RealFs {
    root: OwnedFd,
    name: PathBuf,
    /// Who this process is to the kernel.
    user: u32,
    /// The transaction's folder, from its making to its removal: every file of a commit passes
    /// through it several times, and nobody else has business there.
    txn: Mutex<Option<(PathBuf, Arc<OwnedFd>)>>,
}

/// Opens a directory only to reach what is in it.
const REACH: OFlags = OFlags::PATH
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// Opens a file for reading; a pipe does not block.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);
/// Opens a directory so that it can be listed and synced.
const READ_DIR: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The most memory that is reserved because a file says it is that long.
const READ_AHEAD: usize = 1 << 30;

impl RealFs {
    /// Opens the directory `root`, following links in that path alone.
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let name = root.canonicalize()?;
        let root = sys::open(
            &name,
            OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        let user = rustix::process::geteuid().as_raw();
        Ok(Self {
            root,
            name,
            user,
            txn: Mutex::default(),
        })
    }

    /// Opens `path` beneath the root; a link anywhere in it is `ELOOP`.
    fn open_at(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match sys::openat2(&self.root, path, flags, mode, beneath) {
            // Old kernels lack the call, some sandboxes deny it.
            Err(Errno::NOSYS | Errno::PERM) => self.walk_to(path, flags, mode),
            other => Ok(other?),
        }
    }

    /// What [`open_at`](Self::open_at) does, one component at a time.
    fn walk_to(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let mut at = sys::openat(&self.root, ".", REACH, Mode::empty())?;
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            let last = parts.peek().is_none();
            let (flags, mode) = if last {
                (flags | OFlags::NOFOLLOW, mode)
            } else {
                (REACH, Mode::empty())
            };
            at = sys::openat(&at, part.as_os_str(), flags, mode)?;
        }
        Ok(at)
    }

    /// Does `call` with the directory that `path` is in and its name there.
    fn with_parent<R>(
        &self,
        path: &Path,
        call: impl FnOnce(BorrowedFd<'_>, &OsStr) -> rustix::io::Result<R>,
    ) -> io::Result<R> {
        let name = path.file_name().ok_or(Errno::INVAL)?;
        match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => {
                if let Some(dir) = self.held(parent) {
                    return Ok(call(dir.as_fd(), name)?);
                }
                let dir = self.open_at(parent, REACH, Mode::empty())?;
                Ok(call(dir.as_fd(), name)?)
            }
            _ => Ok(call(self.root.as_fd(), name)?),
        }
    }

    /// The folder `path`, if it is the one that is held.
    fn held(&self, path: &Path) -> Option<Arc<OwnedFd>> {
        let txn = self.txn.lock().unwrap_or_else(PoisonError::into_inner);
        txn.as_ref()
            .filter(|(name, _)| name == path)
            .map(|(_, dir)| Arc::clone(dir))
    }

    /// Holds another folder, or none.
    fn hold(&self, folder: Option<(PathBuf, Arc<OwnedFd>)>) {
        *self.txn.lock().unwrap_or_else(PoisonError::into_inner) = folder;
    }

    fn rename_with(&self, from: &Path, to: &Path, flags: RenameFlags) -> io::Result<()> {
        self.with_parent(from, |from_dir, from_name| {
            Ok(self.with_parent(to, |to_dir, to_name| {
                sys::renameat_with(from_dir, from_name, to_dir, to_name, flags)
            }))
        })?
    }

    /// Opens for reading; `Err` holds what to answer when there is nothing to open.
    fn open_file(&self, path: &Path) -> io::Result<Result<OwnedFd, Look>> {
        match self.open_at(path, READ, Mode::empty()) {
            Ok(fd) => Ok(Ok(fd)),
            Err(error) if absent(&error) => Ok(Err(Look::Absent)),
            // A link is not followed, a socket cannot be opened; or the name went away just now.
            Err(error) => match self.stat(path) {
                Ok(Some(stat)) if stat.kind != FileKind::File => Ok(Err(Look::Other(stat.kind))),
                _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                    Ok(Err(Look::Other(FileKind::Symlink)))
                }
                _ => Err(error),
            },
        }
    }
}

impl Fs for RealFs {
    fn root(&self) -> &Path {
        &self.name
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        let found = if path.as_os_str().is_empty() {
            sys::statat(&self.root, "", AtFlags::EMPTY_PATH).map_err(io::Error::from)
        } else {
            self.with_parent(path, |dir, name| {
                sys::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
            })
        };
        match found {
            Ok(found) => Ok(Some(stat_of(&found))),
            Err(error) if absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn look(&self, path: &Path) -> io::Result<Look> {
        match self.open_file(path)? {
            Ok(file) => read(&file, true),
            Err(other) => Ok(other),
        }
    }

    fn look_leased(&self, path: &Path) -> io::Result<(Look, Writers)> {
        match self.open_file(path)? {
            Ok(file) => {
                // First the lease: what is read then is what stays.
                let writers = raw::read_lease(file.as_fd());
                Ok((read(&file, false)?, writers))
            }
            Err(other) => Ok((other, Writers::None)),
        }
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let target = self.with_parent(path, |dir, name| sys::readlinkat(dir, name, Vec::new()))?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    fn writable(&self, path: &Path, stat: &Stat) -> io::Result<bool> {
        // The superuser may, and so may an owner whose bit is set; lists and groups are asked for.
        if self.user == 0 || (self.user == stat.uid && stat.mode & 0o200 != 0) {
            return Ok(true);
        }
        let answer = if path.as_os_str().is_empty() {
            sys::accessat(&self.root, ".", Access::WRITE_OK, AtFlags::EACCESS)
                .map_err(io::Error::from)
        } else {
            self.with_parent(path, |dir, name| {
                sys::accessat(dir, name, Access::WRITE_OK, AtFlags::EACCESS)
            })
        };
        match answer {
            Ok(()) => Ok(true),
            Err(error) => match error.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Ok(false),
                _ => Err(error),
            },
        }
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        let fd = match self.open_at(dir, READ_DIR, Mode::empty()) {
            Err(error) if absent(&error) => return Ok(Vec::new()),
            other => other?,
        };
        let mut names = Vec::new();
        for entry in sys::Dir::new(fd)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.with_parent(path, |dir, name| {
            sys::mkdirat(dir, name, Mode::from_raw_mode(mode))
        })?;
        if path.parent() == Some(&txn_root()) {
            let dir = self.open_at(path, REACH, Mode::empty())?;
            self.hold(Some((path.to_path_buf(), Arc::new(dir))));
        }
        Ok(())
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        if self.held(path).is_some() {
            self.hold(None);
        }
        self.with_parent(path, |dir, name| {
            sys::unlinkat(dir, name, AtFlags::REMOVEDIR)
        })
    }

    fn write_new(
        &self,
        path: &Path,
        bytes: &[u8],
        attrs: Option<&Attrs>,
    ) -> Result<(), WriteError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        // What replaces a file is nobody else's to read until it has that file's rights.
        let mode = Mode::from_raw_mode(if attrs.is_some() { 0o600 } else { 0o666 });
        let fd = self.open_at(path, flags, mode)?;
        let mut file = File::from(fd);
        file.write_all(bytes)?;
        if let Some(attrs) = attrs {
            dress(&file, attrs)?;
        }
        // With its place on disk settled now, the content gets there before the name does (ext4
        // and others). An exchange, unlike a rename over a file, gives no such order by itself:
        // without this a power cut within half a minute of a commit that does not wait for the
        // disk could leave empty files.
        match raw::begin_writing(file.as_fd()) {
            Err(error) if !crate::fs::unsupported(&error) => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.rename_with(from, to, RenameFlags::empty())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.rename_with(from, to, RenameFlags::NOREPLACE)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.rename_with(one, other, RenameFlags::EXCHANGE)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.with_parent(from, |from_dir, from_name| {
            Ok(self.with_parent(to, |to_dir, to_name| {
                sys::linkat(from_dir, from_name, to_dir, to_name, AtFlags::empty())
            }))
        })?
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.with_parent(path, |dir, name| sys::unlinkat(dir, name, AtFlags::empty()))
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        Ok(sys::fsync(self.open_at(path, READ, Mode::empty())?)?)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        Ok(sys::fsync(self.open_at(path, READ_DIR, Mode::empty())?)?)
    }

    fn sync_fs(&self, path: &Path) -> io::Result<()> {
        Ok(sys::syncfs(self.open_at(path, READ_DIR, Mode::empty())?)?)
    }

    fn lock(&self, path: &Path) -> Result<Lock, LockError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = self
            .open_at(path, flags, Mode::from_raw_mode(0o600))
            .map_err(LockError::Io)?;
        let mut file = File::from(fd);
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The number is a courtesy: a holder that has not written it yet is just unnamed.
                let read = file.take(32).read_to_string(&mut text);
                return Err(LockError::Held(
                    read.ok().and_then(|_| text.trim().parse().ok()),
                ));
            }
            Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
        }
        let signed = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        if let Err(error) = signed {
            tracing::debug!(%error, "the lock is held but could not be signed");
        }
        Ok(Box::new(Held(file)))
    }
}

/// A lock that is given back in so many words: closing alone would leave it with a process that was
/// forked off meanwhile and has not got to its own program yet.
#[derive(Debug)]
struct Held(File);

impl Drop for Held {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::debug!(%error, "the lock ends with its file");
        }
    }
}

fn absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[allow(
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    reason = "the widths of these fields differ between processors"
)]
fn stat_of(stat: &sys::Stat) -> Stat {
    Stat {
        kind: match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => FileKind::File,
            FileType::Directory => FileKind::Directory,
            FileType::Symlink => FileKind::Symlink,
            _ => FileKind::Special,
        },
        dev: stat.st_dev as u64,
        ino: stat.st_ino as u64,
        links: stat.st_nlink as u64,
        mode: stat.st_mode & 0o7777,
        uid: stat.st_uid,
        gid: stat.st_gid,
        len: stat.st_size as u64,
        mtime: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
    }
}

/// Reads an open file whole, if it is a regular one.
fn read(file: &OwnedFd, with_xattrs: bool) -> io::Result<Look> {
    let stat = stat_of(&sys::fstat(file)?);
    if stat.kind != FileKind::File {
        return Ok(Look::Other(stat.kind));
    }
    // One byte more than there should be, so that the end shows without a second buffer.
    let mut bytes = vec![0; usize::try_from(stat.len).unwrap_or(0).min(READ_AHEAD) + 1];
    let mut len = 0;
    loop {
        match rustix::io::read(file, &mut bytes[len..]) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if len == bytes.len() {
            bytes.resize(2 * len, 0);
        }
    }
    bytes.truncate(len);
    let xattrs = if with_xattrs {
        xattrs(file)?
    } else {
        Vec::new()
    };
    Ok(Look::File(Box::new(Content {
        stat,
        bytes,
        xattrs,
    })))
}

/// All extended attributes in name order; none where the file system has no such thing.
fn xattrs(file: impl AsFd) -> io::Result<Xattrs> {
    let names = match grow(|buffer| sys::flistxattr(&file, buffer)) {
        Err(error) if crate::fs::unsupported(&error) => return Ok(Vec::new()),
        other => other?,
    };
    let mut all = Vec::new();
    for name in names
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
    {
        all.push((
            name.to_vec(),
            grow(|buffer| sys::fgetxattr(&file, name, buffer))?,
        ));
    }
    all.sort();
    Ok(all)
}

/// Calls `fill` with a buffer that is large enough.
fn grow(mut fill: impl FnMut(&mut [u8]) -> rustix::io::Result<usize>) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; 256];
    loop {
        match fill(&mut buffer) {
            Ok(len) => {
                buffer.truncate(len);
                return Ok(buffer);
            }
            // The kernel's own limit for names and values is 64 KiB.
            Err(Errno::RANGE) if buffer.len() < 1 << 17 => buffer.resize(buffer.len() * 8, 0),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Gives a new file the owner, attributes, mode and time it shall have.
fn dress(file: &File, attrs: &Attrs) -> Result<(), WriteError> {
    let fail = |what: &str| {
        let what = what.to_owned();
        move |errno: Errno| WriteError::Attribute(what, errno.into())
    };
    let own = stat_of(&sys::fstat(file).map_err(io::Error::from)?);
    if (own.uid, own.gid) != (attrs.uid, attrs.gid) {
        let (uid, gid) = (Uid::from_raw(attrs.uid), Gid::from_raw(attrs.gid));
        sys::fchown(file, Some(uid), Some(gid)).map_err(fail("owner and group"))?;
    }
    let present = xattrs(file)?;
    for (name, value) in attrs.xattrs.iter().filter(|pair| !present.contains(pair)) {
        sys::fsetxattr(file, name.as_slice(), value, XattrFlags::empty()).map_err(fail(
            &format!("attribute {}", String::from_utf8_lossy(name)),
        ))?;
    }
    // A list that the folder hands down to new files, where the old file had none.
    const ACL: &[u8] = b"system.posix_acl_access";
    let has_acl = |list: &Xattrs| list.iter().any(|(name, _)| name == ACL);
    if has_acl(&present) && !has_acl(&attrs.xattrs) {
        sys::fremovexattr(file, ACL).map_err(fail("access control list"))?;
    }
    // Last, because a change of owner clears the set-id bits.
    sys::fchmod(file, Mode::from_raw_mode(attrs.mode)).map_err(fail("mode"))?;
    if let Some((seconds, nanoseconds)) = attrs.mtime {
        let time = Timespec {
            tv_sec: seconds,
            tv_nsec: i64::from(nanoseconds) as _,
        };
        let times = Timestamps {
            last_access: time,
            last_modification: time,
        };
        sys::futimens(file, &times).map_err(fail("modification time"))?;
    }
    Ok(())
}
