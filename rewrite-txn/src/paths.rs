//! From a path as a caller writes it to the one real path inside the root, or to a refusal.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::fs::Fs;
use crate::{Error, FileKind};

/// The folder of the crate's own state, directly in the root.
pub(crate) const STATE: &str = ".fourfold";

/// How many links one path may lead through, as the kernel has it.
const MAX_LINKS: usize = 40;

/// What becomes of a symbolic link in the last component of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Symlinks {
    /// The file it points to is changed, if that lies under the root; the link stays as it is.
    #[default]
    Resolve,
    /// It is refused.
    Refuse,
}

/// A path inside the root that no link leads to.
#[derive(Debug)]
pub(crate) struct RealPath {
    pub(crate) path: PathBuf,
    /// The length of the file there, 0 if there is none.
    pub(crate) len: u64,
}

/// The real path of `given` relative to the root: no links, no `..`, not in a tool's own folder.
/// What does not exist yet is taken as it is written.
pub(crate) fn resolve(fs: &dyn Fs, given: &Path, symlinks: Symlinks) -> Result<RealPath, Error> {
    let real = match already_real(fs, given) {
        Some(real) => real,
        None => follow(fs, given, symlinks)?,
    };
    if reserved(&real.path) {
        Err(Error::Reserved { path: real.path })
    } else {
        Ok(real)
    }
}

/// Goes along a path component by component.
fn follow(fs: &dyn Fs, given: &Path, symlinks: Symlinks) -> Result<RealPath, Error> {
    let outside = || Error::Outside {
        path: given.to_path_buf(),
    };
    let mut left: VecDeque<OsString> = VecDeque::new();
    let mut real = PathBuf::new();
    let (mut links, mut len) = (0, 0);
    push_front(fs, &mut left, &mut real, given).ok_or_else(outside)?;
    while let Some(part) = left.pop_front() {
        if part == ".." {
            if !real.pop() {
                return Err(outside());
            }
            continue;
        }
        let next = real.join(&part);
        let stat = fs.stat(&next).map_err(Error::io("looking at", &next))?;
        if stat
            .as_ref()
            .is_none_or(|stat| stat.kind != FileKind::Symlink)
        {
            len = stat.map_or(0, |stat| stat.len);
            real = next;
            continue;
        }
        links += 1;
        if left.is_empty() && symlinks == Symlinks::Refuse {
            return Err(Error::SymlinkRefused { path: next });
        }
        let target = fs
            .read_link(&next)
            .map_err(Error::io("reading the link", &next))?;
        if links > MAX_LINKS {
            return Err(Error::NotAFile {
                path: given.to_path_buf(),
                kind: FileKind::Symlink,
            });
        }
        push_front(fs, &mut left, &mut real, &target).ok_or_else(outside)?;
    }
    if real.as_os_str().is_empty() {
        return Err(Error::NotAFile {
            path: given.to_path_buf(),
            kind: FileKind::Directory,
        });
    }
    Ok(RealPath { path: real, len })
}

/// The common case in one look: a file under the root that no link leads to. The look itself
/// follows none, so what it finds is where it says.
fn already_real(fs: &dyn Fs, given: &Path) -> Option<RealPath> {
    let path = if given.is_absolute() {
        given.strip_prefix(fs.root()).ok()?
    } else {
        given
    };
    let normal = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !path.components().all(normal) {
        return None;
    }
    let real: PathBuf = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect();
    let stat = fs.stat(&real).ok()??;
    (stat.kind == FileKind::File).then_some(RealPath {
        path: real,
        len: stat.len,
    })
}

/// Whether a path inside the root belongs to a tool: our state, or a repository's own folder.
pub(crate) fn reserved(path: &Path) -> bool {
    path.starts_with(STATE)
        || path.components().any(
            |part| matches!(part, Component::Normal(name) if name.eq_ignore_ascii_case(".git")),
        )
}

/// Puts the components of `path` before those that are left. An absolute path starts over at the
/// root; `None` if it does not lie there.
fn push_front(
    fs: &dyn Fs,
    left: &mut VecDeque<OsString>,
    real: &mut PathBuf,
    path: &Path,
) -> Option<()> {
    let path = if path.is_absolute() {
        real.clear();
        path.strip_prefix(fs.root()).ok()?
    } else {
        path
    };
    for part in path.components().rev() {
        match part {
            Component::Normal(name) => left.push_front(name.to_owned()),
            Component::ParentDir => left.push_front("..".into()),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(())
}
