//! A disk in memory that knows what is durable.
//!
//! Names and contents each have a volatile and a durable state. A power cut keeps any set of the
//! name changes that nobody has waited for, as long as it has, with each change, the earlier
//! changes to the same names; and of a content that nobody has waited for it keeps all, half or
//! nothing. That is weaker than any of the journalling file systems in use.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rustix::io::Errno;

use crate::FileKind;
use crate::fs::{Attrs, Content, Fs, Lock, LockError, Look, Stat, WriteError, Writers};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Dir,
    File(u64),
}

type Names = BTreeMap<PathBuf, Node>;

/// A change of names.
#[derive(Clone, Debug)]
enum Change {
    Add(PathBuf, Node),
    Remove(PathBuf),
    Move(PathBuf, PathBuf),
    Swap(PathBuf, PathBuf),
}

impl Change {
    fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Add(path, _) | Self::Remove(path) => vec![path],
            Self::Move(one, other) | Self::Swap(one, other) => vec![one, other],
        }
    }

    fn touches_dir(&self, dir: &Path) -> bool {
        self.paths().iter().any(|path| path.parent() == Some(dir))
    }

    /// Does it to `names`, unless the names it needs are not there.
    fn apply(&self, names: &mut Names) {
        let has_parent = |names: &Names, path: &Path| {
            path.parent()
                .is_some_and(|dir| names.get(dir) == Some(&Node::Dir))
        };
        match self {
            Self::Add(path, node) => {
                if has_parent(names, path) {
                    names.insert(path.clone(), *node);
                }
            }
            Self::Remove(path) => {
                names.remove(path);
            }
            Self::Move(from, to) => {
                if has_parent(names, to) {
                    let moved: Vec<PathBuf> = names
                        .keys()
                        .filter(|path| path.starts_with(from))
                        .cloned()
                        .collect();
                    for path in moved {
                        let tail = path.strip_prefix(from).unwrap();
                        let target = if tail.as_os_str().is_empty() {
                            to.clone()
                        } else {
                            to.join(tail)
                        };
                        let node = names.remove(&path).unwrap();
                        names.insert(target, node);
                    }
                }
            }
            Self::Swap(one, other) => {
                if let (Some(first), Some(second)) =
                    (names.get(one).copied(), names.get(other).copied())
                {
                    names.insert(one.clone(), second);
                    names.insert(other.clone(), first);
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
struct FileData {
    bytes: Vec<u8>,
    mode: u32,
    durable: bool,
}

#[derive(Clone, Debug, Default)]
struct Disk {
    names: Names,
    durable: Names,
    pending: Vec<Change>,
    files: BTreeMap<u64, FileData>,
    next: u64,
}

/// The disk. Clones are other disks with the same content.
#[derive(Debug)]
pub(crate) struct ModelFs {
    disk: Mutex<Disk>,
    locked: Arc<AtomicBool>,
}

/// Which of the pending changes a power cut keeps, and what of the contents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cut {
    kept: Vec<bool>,
    /// For contents that nobody has waited for: all, half or nothing, in turn.
    contents: Vec<u8>,
}

impl ModelFs {
    /// A disk with these files, all durable.
    pub(crate) fn new(files: &[(&str, &str)]) -> Arc<Self> {
        let mut disk = Disk::default();
        disk.names.insert(PathBuf::new(), Node::Dir);
        for (path, content) in files {
            let path = Path::new(path);
            for dir in path.ancestors().skip(1) {
                disk.names.insert(dir.to_path_buf(), Node::Dir);
            }
            let file = FileData {
                bytes: content.as_bytes().to_vec(),
                mode: 0o644,
                durable: true,
            };
            disk.names.insert(path.to_path_buf(), Node::File(disk.next));
            disk.files.insert(disk.next, file);
            disk.next += 1;
        }
        disk.durable = disk.names.clone();
        Self::of(disk)
    }

    fn of(disk: Disk) -> Arc<Self> {
        Arc::new(Self {
            disk: Mutex::new(disk),
            locked: Arc::default(),
        })
    }

    /// The files outside the crate's own folder.
    pub(crate) fn contents(&self) -> BTreeMap<String, String> {
        let disk = self.disk.lock().unwrap();
        let mut contents = BTreeMap::new();
        for (path, node) in &disk.names {
            if path.starts_with(".fourfold") || path.as_os_str().is_empty() {
                continue;
            }
            let name = path.to_string_lossy().into_owned();
            match node {
                Node::Dir => contents.insert(name + "/", String::new()),
                Node::File(number) => contents.insert(
                    name,
                    String::from_utf8_lossy(&disk.files[number].bytes).into_owned(),
                ),
            };
        }
        contents
    }

    /// The names in the crate's transaction folder.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        let disk = self.disk.lock().unwrap();
        let txn = Path::new(".fourfold/txn");
        let inside = disk.names.keys().filter(|path| path.parent() == Some(txn));
        inside
            .filter(|path| !path.ends_with("lock"))
            .cloned()
            .collect()
    }

    /// How many name changes nobody has waited for.
    pub(crate) fn pending(&self) -> usize {
        self.disk.lock().unwrap().pending.len()
    }

    /// The ways in which a power cut may hit now. All of them if that is no more than `most`,
    /// else the outer ones and some that `random` picks.
    pub(crate) fn cuts(&self, most: usize, mut random: impl FnMut() -> u64) -> Vec<Cut> {
        let disk = self.disk.lock().unwrap();
        let count = disk.pending.len();
        let mut cuts = BTreeSet::new();
        // Every prefix, with contents lost and with contents kept.
        for len in 0..=count {
            for content in [0, 2] {
                let kept = (0..count).map(|index| index < len).collect();
                cuts.insert(Cut {
                    kept,
                    contents: vec![content],
                });
            }
        }
        let all = count < 20 && (1usize << count) <= most;
        let subsets = if all { 1 << count } else { most };
        for subset in 0..subsets {
            let bits = if all { subset as u64 } else { random() };
            let mut kept: Vec<bool> = (0..count)
                .map(|index| bits >> (index % 64) & 1 == 1)
                .collect();
            close(&disk.pending, &mut kept);
            let choice = random();
            let contents = (0..5)
                .map(|index| (choice >> (2 * index) & 3).min(2) as u8)
                .collect();
            cuts.insert(Cut { kept, contents });
        }
        cuts.into_iter().collect()
    }

    /// The disk after such a cut.
    pub(crate) fn after(&self, cut: &Cut) -> Arc<Self> {
        let mut disk = self.disk.lock().unwrap().clone();
        let mut names = disk.durable.clone();
        for (change, _) in disk
            .pending
            .iter()
            .zip(&cut.kept)
            .filter(|(_, kept)| **kept)
        {
            change.apply(&mut names);
        }
        let lossy = disk.files.values_mut().filter(|file| !file.durable);
        for (file, left) in lossy.zip(cut.contents.iter().cycle()) {
            let len = file.bytes.len() * usize::from(*left) / 2;
            file.bytes.truncate(len);
            file.durable = true;
        }
        disk.durable = names.clone();
        disk.names = names;
        disk.pending.clear();
        Self::of(disk)
    }

    fn change(disk: &mut Disk, change: Change) {
        change.apply(&mut disk.names);
        disk.pending.push(change);
    }

    fn parent(disk: &Disk, path: &Path) -> io::Result<()> {
        match disk.names.get(path.parent().unwrap()) {
            Some(Node::Dir) => Ok(()),
            Some(Node::File(_)) => Err(Errno::NOTDIR.into()),
            None => Err(Errno::NOENT.into()),
        }
    }

    fn rename_any(&self, from: &Path, to: &Path, replace: bool) -> io::Result<()> {
        let mut disk = self.disk.lock().unwrap();
        Self::parent(&disk, to)?;
        if !disk.names.contains_key(from) {
            return Err(Errno::NOENT.into());
        }
        if !replace && disk.names.contains_key(to) {
            return Err(Errno::EXIST.into());
        }
        Self::change(
            &mut disk,
            Change::Move(from.to_path_buf(), to.to_path_buf()),
        );
        Ok(())
    }
}

/// Adds to the kept changes the earlier ones to the same names or to folders above them.
fn close(pending: &[Change], kept: &mut [bool]) {
    let related = |one: &Change, other: &Change| {
        one.paths().iter().any(|path| {
            other
                .paths()
                .iter()
                .any(|second| path.starts_with(second) || second.starts_with(path))
        })
    };
    for late in (0..kept.len()).rev() {
        if kept[late] {
            for early in 0..late {
                kept[early] |= related(&pending[early], &pending[late]);
            }
        }
    }
}

fn stat_of(disk: &Disk, node: Node) -> Stat {
    let (kind, ino, mode, len) = match node {
        Node::Dir => (FileKind::Directory, u64::MAX, 0o755, 0),
        Node::File(number) => {
            let file = &disk.files[&number];
            (FileKind::File, number, file.mode, file.bytes.len() as u64)
        }
    };
    let links = disk.names.values().filter(|other| **other == node).count() as u64;
    Stat {
        kind,
        dev: 1,
        ino,
        links,
        mode,
        uid: 0,
        gid: 0,
        len,
        mtime: (0, 0),
    }
}

impl Fs for ModelFs {
    fn root(&self) -> &Path {
        Path::new("/model")
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        let disk = self.disk.lock().unwrap();
        Ok(disk.names.get(path).map(|node| stat_of(&disk, *node)))
    }

    fn look(&self, path: &Path) -> io::Result<Look> {
        let disk = self.disk.lock().unwrap();
        Ok(match disk.names.get(path) {
            None => Look::Absent,
            Some(Node::Dir) => Look::Other(FileKind::Directory),
            Some(node @ Node::File(number)) => Look::File(Box::new(Content {
                stat: stat_of(&disk, *node),
                bytes: disk.files[number].bytes.clone(),
                xattrs: Vec::new(),
            })),
        })
    }

    fn look_leased(&self, path: &Path) -> io::Result<(Look, Writers)> {
        Ok((self.look(path)?, Writers::None))
    }

    fn read_link(&self, _path: &Path) -> io::Result<PathBuf> {
        Err(Errno::INVAL.into())
    }

    fn writable(&self, _path: &Path, _stat: &Stat) -> io::Result<bool> {
        Ok(true)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        let disk = self.disk.lock().unwrap();
        let inside = disk.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(inside
            .filter_map(|path| path.file_name())
            .map(ToOwned::to_owned)
            .collect())
    }

    fn make_dir(&self, path: &Path, _mode: u32) -> io::Result<()> {
        let mut disk = self.disk.lock().unwrap();
        Self::parent(&disk, path)?;
        if disk.names.contains_key(path) {
            return Err(Errno::EXIST.into());
        }
        Self::change(&mut disk, Change::Add(path.to_path_buf(), Node::Dir));
        Ok(())
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let mut disk = self.disk.lock().unwrap();
        match disk.names.get(path) {
            None => return Err(Errno::NOENT.into()),
            Some(Node::File(_)) => return Err(Errno::NOTDIR.into()),
            Some(Node::Dir) => {}
        }
        if disk.names.keys().any(|other| other.parent() == Some(path)) {
            return Err(Errno::NOTEMPTY.into());
        }
        Self::change(&mut disk, Change::Remove(path.to_path_buf()));
        Ok(())
    }

    fn write_new(
        &self,
        path: &Path,
        bytes: &[u8],
        attrs: Option<&Attrs>,
    ) -> Result<(), WriteError> {
        let mut disk = self.disk.lock().unwrap();
        Self::parent(&disk, path)?;
        if disk.names.contains_key(path) {
            return Err(io::Error::from(Errno::EXIST).into());
        }
        let number = disk.next;
        disk.next += 1;
        let mode = attrs.map_or(0o644, |attrs| attrs.mode);
        let file = FileData {
            bytes: bytes.to_vec(),
            mode,
            durable: bytes.is_empty(),
        };
        disk.files.insert(number, file);
        Self::change(
            &mut disk,
            Change::Add(path.to_path_buf(), Node::File(number)),
        );
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.rename_any(from, to, true)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.rename_any(from, to, false)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        let mut disk = self.disk.lock().unwrap();
        if !disk.names.contains_key(one) || !disk.names.contains_key(other) {
            return Err(Errno::NOENT.into());
        }
        Self::change(
            &mut disk,
            Change::Swap(one.to_path_buf(), other.to_path_buf()),
        );
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut disk = self.disk.lock().unwrap();
        Self::parent(&disk, to)?;
        let Some(node) = disk.names.get(from).copied() else {
            return Err(Errno::NOENT.into());
        };
        if disk.names.contains_key(to) {
            return Err(Errno::EXIST.into());
        }
        Self::change(&mut disk, Change::Add(to.to_path_buf(), node));
        Ok(())
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        let mut disk = self.disk.lock().unwrap();
        match disk.names.get(path) {
            None => Err(Errno::NOENT.into()),
            Some(Node::Dir) => Err(Errno::ISDIR.into()),
            Some(Node::File(_)) => {
                Self::change(&mut disk, Change::Remove(path.to_path_buf()));
                Ok(())
            }
        }
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        let mut disk = self.disk.lock().unwrap();
        let Some(Node::File(number)) = disk.names.get(path).copied() else {
            return Err(Errno::NOENT.into());
        };
        disk.files.get_mut(&number).unwrap().durable = true;
        Ok(())
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut disk = self.disk.lock().unwrap();
        match disk.names.get(path) {
            None => return Err(Errno::NOENT.into()),
            Some(Node::File(_)) => return Err(Errno::NOTDIR.into()),
            Some(Node::Dir) => {}
        }
        let mut flushed: Vec<bool> = disk
            .pending
            .iter()
            .map(|change| change.touches_dir(path))
            .collect();
        close(&disk.pending, &mut flushed);
        let mut names = std::mem::take(&mut disk.durable);
        let mut left = Vec::new();
        for (change, flush) in std::mem::take(&mut disk.pending).into_iter().zip(flushed) {
            if flush {
                change.apply(&mut names);
            } else {
                left.push(change);
            }
        }
        disk.durable = names;
        disk.pending = left;
        Ok(())
    }

    fn sync_fs(&self, _path: &Path) -> io::Result<()> {
        let mut disk = self.disk.lock().unwrap();
        disk.files.values_mut().for_each(|file| file.durable = true);
        disk.durable = disk.names.clone();
        disk.pending.clear();
        Ok(())
    }

    fn lock(&self, _path: &Path) -> Result<Lock, LockError> {
        struct Held(Arc<AtomicBool>);
        impl Drop for Held {
            fn drop(&mut self) {
                self.0.store(false, Ordering::SeqCst);
            }
        }
        if self.locked.swap(true, Ordering::SeqCst) {
            return Err(LockError::Held(None));
        }
        Ok(Box::new(Held(Arc::clone(&self.locked))))
    }
}
