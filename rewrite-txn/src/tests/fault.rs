//! A file system on which the n-th call goes wrong.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rustix::io::Errno;

use crate::fs::{Attrs, Fs, Lock, LockError, Look, Stat, WriteError, Writers};

/// What goes wrong.
pub(crate) enum Fault {
    /// Nothing; calls are only counted.
    None,
    /// From this call on nothing works any more: what a killed process has done. A write that is
    /// hit leaves half of its bytes.
    DieAt(u64),
    /// The process is aborted before this call.
    AbortAt(u64),
    /// This one call fails.
    FailAt(u64, Errno),
    /// All calls of this name fail.
    FailAll(&'static str, Errno),
    /// Names in the crate's own folder cannot be exchanged with names outside of it, as if there
    /// were a mount between them.
    Fence,
    /// Something else happens before every call.
    BeforeEach(Box<dyn Fn(&str) + Send + Sync>),
    /// Something else happens before this call.
    Before(u64, Box<dyn Fn() + Send + Sync>),
}

impl std::fmt::Debug for Fault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Fault")
    }
}

/// Passes calls on, except for the one that goes wrong.
#[derive(Debug)]
pub(crate) struct FaultFs {
    inner: Arc<dyn Fs>,
    fault: Fault,
    calls: AtomicU64,
    log: Mutex<Vec<String>>,
}

impl FaultFs {
    pub(crate) fn new(inner: Arc<dyn Fs>, fault: Fault) -> Arc<Self> {
        Arc::new(Self {
            inner,
            fault,
            calls: AtomicU64::new(0),
            log: Mutex::default(),
        })
    }

    /// How many calls there have been.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    /// Name and path of each call.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    fn fence(&self, one: &Path, other: &Path) -> io::Result<()> {
        let inside = |path: &Path| path.starts_with(".fourfold");
        match self.fault {
            Fault::Fence if inside(one) != inside(other) => Err(Errno::XDEV.into()),
            _ => Ok(()),
        }
    }

    fn gate(&self, call: &'static str, path: &Path) -> io::Result<()> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        self.log
            .lock()
            .unwrap()
            .push(format!("{call} {}", path.display()));
        match &self.fault {
            Fault::DieAt(at) if number >= *at => Err(io::Error::other("dead")),
            Fault::AbortAt(at) if number == *at => std::process::abort(),
            Fault::FailAt(at, errno) if number == *at => Err((*errno).into()),
            Fault::FailAll(name, errno) if *name == call => Err((*errno).into()),
            Fault::Before(at, act) if number == *at => {
                act();
                Ok(())
            }
            Fault::BeforeEach(act) => {
                act(&format!("{call} {} (call {number})", path.display()));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Fs for FaultFs {
    fn root(&self) -> &Path {
        self.inner.root()
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        self.gate("stat", path)?;
        self.inner.stat(path)
    }

    fn look(&self, path: &Path) -> io::Result<Look> {
        self.gate("look", path)?;
        self.inner.look(path)
    }

    fn look_leased(&self, path: &Path) -> io::Result<(Look, Writers)> {
        self.gate("look_leased", path)?;
        self.inner.look_leased(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.gate("read_link", path)?;
        self.inner.read_link(path)
    }

    fn writable(&self, path: &Path, stat: &Stat) -> io::Result<bool> {
        self.gate("writable", path)?;
        self.inner.writable(path, stat)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        self.gate("list", dir)?;
        self.inner.list(dir)
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.gate("make_dir", path)?;
        self.inner.make_dir(path, mode)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.gate("remove_dir", path)?;
        self.inner.remove_dir(path)
    }

    fn write_new(
        &self,
        path: &Path,
        bytes: &[u8],
        attrs: Option<&Attrs>,
    ) -> Result<(), WriteError> {
        let number = self.calls();
        let gate = self.gate("write_new", path);
        if matches!(self.fault, Fault::DieAt(at) if at == number) {
            let _ = self.inner.write_new(path, &bytes[..bytes.len() / 2], None);
        }
        gate?;
        self.inner.write_new(path, bytes, attrs)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.gate("rename", from)?;
        self.fence(from, to)?;
        self.inner.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.gate("rename_new", from)?;
        self.fence(from, to)?;
        self.inner.rename_new(from, to)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.gate("exchange", other)?;
        self.fence(one, other)?;
        self.inner.exchange(one, other)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.gate("link", from)?;
        self.fence(from, to)?;
        self.inner.link(from, to)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.gate("unlink", path)?;
        self.inner.unlink(path)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.gate("sync_file", path)?;
        self.inner.sync_file(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.gate("sync_dir", path)?;
        self.inner.sync_dir(path)
    }

    fn sync_fs(&self, path: &Path) -> io::Result<()> {
        self.gate("sync_fs", path)?;
        self.inner.sync_fs(path)
    }

    fn lock(&self, path: &Path) -> Result<Lock, LockError> {
        self.gate("lock", path).map_err(LockError::Io)?;
        self.inner.lock(path)
    }
}
