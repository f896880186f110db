//! The door: every path that comes from outside is resolved once here, and confined to the root.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, FileType, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::error::Error;

/// Folders that hold the state of a program and are never content of the checkout.
pub(crate) const RESERVED: [&str; 2] = [".git", ".fourfold"];

/// What a path is wanted for; it decides what [`Checkout::admit`] demands of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// The file exists and is to be read.
    Read,
    /// The file exists and is to be changed, moved or deleted.
    Write,
    /// Nothing is there yet; folders above it may be missing too.
    Create,
    /// A file or a folder to be searched, see [`Checkout::walk`].
    Search,
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Purpose::Read => "read",
            Purpose::Write => "write",
            Purpose::Create => "create",
            Purpose::Search => "search",
        })
    }
}

/// What tells that a folder is the root of a checkout.
const MARKERS: [&str; 3] = [".git", ".fourfold", "fourfold.toml"];

fn is_marked(folder: &&Path) -> bool {
    let mut markers = MARKERS.iter();
    markers.any(|marker| folder.join(marker).symlink_metadata().is_ok())
}

/// A checkout: a working tree on disk, named by its canonical root.
///
/// Cheap to clone. Nothing is held open.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Checkout {
    root: Arc<Path>,
}

impl Checkout {
    /// Opens the folder `root` as a checkout.
    ///
    /// # Errors
    /// [`Error::Root`] when it cannot be reached, [`Error::RootNotFolder`] when it is no folder.
    pub fn open(root: impl AsRef<Path>) -> Result<Checkout, Error> {
        let given = root.as_ref();
        let (path, meta) = canonical(given).map_err(|source| Error::Root {
            path: given.to_path_buf(),
            source,
        })?;
        if !meta.is_dir() {
            return Err(Error::RootNotFolder {
                path: given.to_path_buf(),
            });
        }
        Ok(Checkout { root: path.into() })
    }

    /// Opens the checkout that `path` (a file or a folder) lies in: the nearest folder upwards
    /// that holds `.git`, `.fourfold` or `fourfold.toml`, else the folder itself.
    ///
    /// # Errors
    /// [`Error::Root`] when `path` cannot be reached.
    pub fn discover(path: impl AsRef<Path>) -> Result<Checkout, Error> {
        let given = path.as_ref();
        let (path, meta) = canonical(given).map_err(|source| Error::Root {
            path: given.to_path_buf(),
            source,
        })?;
        let start = match path.parent() {
            Some(parent) if !meta.is_dir() => parent,
            _ => &path,
        };
        let root = start.ancestors().find(is_marked).unwrap_or(start);
        Ok(Checkout { root: root.into() })
    }

    /// Whether the root holds one of the markers by which [`discover`](Checkout::discover) knows a
    /// checkout again.
    pub fn is_marked(&self) -> bool {
        is_marked(&self.root.as_ref())
    }

    /// The canonical root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Lets a path in, or says why not.
    ///
    /// `path` is absolute, or relative to the root (a command line makes its paths absolute first).
    /// `..` and symbolic links are resolved by the file system, once; what comes out must lie under
    /// the root. A symbolic link inside the root is followed: the result names the real file, so
    /// that one file has one name. Writing into `.git` and `.fourfold` is refused.
    ///
    /// Of what lies outside nothing is told, not even whether it is there: a relative path that
    /// climbs out is refused before anybody looks, and an absolute one in the same words, whatever
    /// is there.
    ///
    /// # Errors
    /// One variant of [`Error`] for each refusal.
    pub fn admit(&self, path: impl AsRef<Path>, purpose: Purpose) -> Result<Admitted, Error> {
        let given = path.as_ref();
        let (admitted, meta) = self.resolve(given, purpose)?;
        if meta.is_some_and(|meta| meta.is_dir()) {
            return Err(Error::Folder {
                purpose,
                path: given.to_path_buf(),
            });
        }
        Ok(admitted)
    }

    /// The common part of [`Checkout::admit`] and of the walk: folders pass.
    /// There is metadata exactly when the path exists.
    pub(crate) fn resolve(
        &self,
        given: &Path,
        purpose: Purpose,
    ) -> Result<(Admitted, Option<Metadata>), Error> {
        let path = || given.to_path_buf();
        if given.as_os_str().as_bytes().contains(&0) {
            return Err(Error::Nul {
                purpose,
                path: path(),
            });
        }
        let joined = self.root.join(given);
        if !given.is_absolute() && !lexical(&joined).starts_with(&self.root) {
            return Err(self.outside(given, purpose));
        }
        let (absolute, meta) = match (canonical(&joined), purpose) {
            (Ok((absolute, meta)), _) => (absolute, Some(meta)),
            (Err(_), _) if !self.reaches(&joined) => {
                return Err(self.escape(given, &joined, purpose));
            }
            (Err(error), Purpose::Create) if is_absent(&error) => {
                (self.resolve_new(given, &joined)?, None)
            }
            (Err(error), _) => return Err(self.unreachable(given, &joined, purpose, error)),
        };
        let admitted = self
            .under_root(absolute)
            .ok_or_else(|| self.escape(given, &joined, purpose))?;
        if matches!(purpose, Purpose::Write | Purpose::Create | Purpose::Search)
            && let Some(folder) = admitted.reserved()
        {
            return Err(Error::Reserved {
                purpose,
                path: path(),
                folder,
            });
        }
        if let Some(meta) = &meta {
            if !meta.is_file() && !meta.is_dir() {
                return Err(Error::Special {
                    purpose,
                    path: path(),
                    kind: kind_of(meta.file_type()),
                });
            }
            if purpose == Purpose::Create && !meta.is_dir() {
                return Err(Error::Exists { path: path() });
            }
        }
        Ok((admitted, meta))
    }

    /// The canonical name that a file to be created will have.
    fn resolve_new(&self, given: &Path, joined: &Path) -> Result<PathBuf, Error> {
        let purpose = Purpose::Create;
        if joined.as_os_str().as_bytes().ends_with(b"/") {
            return Err(Error::Folder {
                purpose,
                path: given.to_path_buf(),
            });
        }
        // The deepest part that exists is resolved; below it only plain names may follow.
        for existing in joined.ancestors().skip(1) {
            match canonical(existing) {
                Ok((folder, meta)) => {
                    let rest = joined.strip_prefix(existing).unwrap_or(joined);
                    let first =
                        existing.join(rest.components().next().unwrap_or(Component::CurDir));
                    if first.symlink_metadata().is_ok() {
                        return Err(self.broken_link(given, first, purpose));
                    }
                    if !meta.is_dir() {
                        return Err(Error::ParentNotFolder {
                            purpose,
                            path: given.to_path_buf(),
                            file: existing.to_path_buf(),
                        });
                    }
                    if !rest
                        .components()
                        .all(|part| matches!(part, Component::Normal(_)))
                    {
                        return Err(self.not_found(given, purpose));
                    }
                    return Ok(folder.join(rest));
                }
                Err(error) if is_absent(&error) => {}
                Err(error) => return Err(self.unreachable(given, joined, purpose, error)),
            }
        }
        Err(self.not_found(given, purpose))
    }

    /// `absolute` (canonical) as admitted, if it lies under the root.
    pub(crate) fn under_root(&self, absolute: PathBuf) -> Option<Admitted> {
        let relative = absolute.strip_prefix(&self.root).ok()?;
        let start = absolute.as_os_str().len() - relative.as_os_str().len();
        Some(Admitted { absolute, start })
    }

    /// Whether the part of a path that is there lies under the root; links are followed, also those
    /// whose target is not there.
    fn reaches(&self, joined: &Path) -> bool {
        let mut at = joined.to_path_buf();
        for _ in 0..LINKS {
            match canonical(&at) {
                Ok((path, _)) => return path.starts_with(&self.root),
                Err(_) => match fs::read_link(&at) {
                    Ok(target) => {
                        let folder = at.parent().unwrap_or(Path::new("/"));
                        at = lexical(&folder.join(target));
                    }
                    Err(_) if at.pop() => {}
                    Err(_) => return false,
                },
            }
        }
        at.starts_with(&self.root)
    }

    /// The sentence for a path that lies outside: which link led there, if one of the checkout did.
    fn escape(&self, given: &Path, joined: &Path, purpose: Purpose) -> Error {
        let mut prefix = PathBuf::new();
        for part in joined.components() {
            prefix.push(part);
            if !prefix.starts_with(&self.root) || !prefix.is_symlink() || self.reaches(&prefix) {
                continue;
            }
            // What the link says, and no more: where it leads in the end is not told.
            let target = fs::read_link(&prefix).unwrap_or_default();
            let folder = prefix.parent().unwrap_or(&self.root);
            return Error::LinkLeadsOut {
                purpose,
                path: given.to_path_buf(),
                target: lexical(&folder.join(target)),
                link: prefix,
            };
        }
        self.outside(given, purpose)
    }

    fn outside(&self, given: &Path, purpose: Purpose) -> Error {
        Error::Outside {
            purpose,
            path: given.to_path_buf(),
            root: self.root.to_path_buf(),
        }
    }

    /// The sentence for a path that the file system could not resolve.
    fn unreachable(
        &self,
        given: &Path,
        joined: &Path,
        purpose: Purpose,
        source: io::Error,
    ) -> Error {
        let mut prefix = PathBuf::new();
        for part in joined.components() {
            prefix.push(part);
            if prefix.is_symlink() && fs::metadata(&prefix).is_err_and(|error| is_absent(&error)) {
                return self.broken_link(given, prefix, purpose);
            }
            if is_absent(&source) && prefix.is_file() && prefix.as_os_str() != joined.as_os_str() {
                return Error::ParentNotFolder {
                    purpose,
                    path: given.to_path_buf(),
                    file: prefix,
                };
            }
        }
        if is_absent(&source) {
            return self.not_found(given, purpose);
        }
        Error::Io {
            purpose,
            path: given.to_path_buf(),
            source,
        }
    }

    fn broken_link(&self, given: &Path, link: PathBuf, purpose: Purpose) -> Error {
        Error::BrokenLink {
            purpose,
            path: given.to_path_buf(),
            target: fs::read_link(&link).unwrap_or_default(),
            link,
        }
    }

    fn not_found(&self, given: &Path, purpose: Purpose) -> Error {
        Error::NotFound {
            purpose,
            path: given.to_path_buf(),
            root: self.root.to_path_buf(),
        }
    }
}

/// A path that passed the door: canonical, absolute, under the root of its checkout.
///
/// Only [`Checkout::admit`] and [`Checkout::walk`] make one. It displays relative to the root, with
/// `/`, and lossily when the name is not UTF-8. Ordered as a tree is listed: folder by folder,
/// names byte by byte.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Admitted {
    absolute: PathBuf,
    /// Where the part below the root begins.
    start: usize,
}

impl Admitted {
    /// The canonical absolute path.
    pub fn absolute(&self) -> &Path {
        &self.absolute
    }

    /// The path below the root; empty for the root itself.
    pub fn relative(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.relative_bytes()))
    }

    fn relative_bytes(&self) -> &[u8] {
        &self.absolute.as_os_str().as_bytes()[self.start..]
    }

    /// The first reserved name on the way, if any.
    fn reserved(&self) -> Option<&'static str> {
        self.relative()
            .components()
            .find_map(|part| reserved(part.as_os_str()))
    }
}

impl Ord for Admitted {
    fn cmp(&self, other: &Self) -> Ordering {
        tree_order(self.relative_bytes(), other.relative_bytes())
            .then_with(|| self.absolute.cmp(&other.absolute))
    }
}

impl PartialOrd for Admitted {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Admitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.relative_bytes() {
            [] => f.write_str("."),
            _ => fmt::Display::fmt(&self.relative().display(), f),
        }
    }
}

impl fmt::Debug for Admitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.absolute, f)
    }
}

/// The order of `Path::cmp` for normalised paths, without taking them apart: the separator sorts
/// before every other byte.
fn tree_order(a: &[u8], b: &[u8]) -> Ordering {
    let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
    match a.iter().zip(b).find(|(x, y)| x != y) {
        Some((x, y)) => rank(*x).cmp(&rank(*y)),
        None => a.len().cmp(&b.len()),
    }
}

/// The reserved folder that `name` is, if it is one; Git reads its name without regard to case.
pub(crate) fn reserved(name: &OsStr) -> Option<&'static str> {
    RESERVED
        .into_iter()
        .find(|reserved| name.as_bytes().eq_ignore_ascii_case(reserved.as_bytes()))
}

/// What a file is that is neither regular nor a folder.
pub(crate) fn kind_of(file_type: FileType) -> &'static str {
    if file_type.is_fifo() {
        "named pipe"
    } else if file_type.is_socket() {
        "socket"
    } else if file_type.is_block_device() || file_type.is_char_device() {
        "device"
    } else if file_type.is_symlink() {
        "symbolic link"
    } else if file_type.is_dir() {
        "folder"
    } else {
        "special file"
    }
}

/// As many links in a row are followed, as Linux does.
const LINKS: usize = 40;

/// A path without `.` and `..`, by its letters alone.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

fn canonical(path: &Path) -> io::Result<(PathBuf, Metadata)> {
    let path = fs::canonicalize(path)?;
    let meta = fs::symlink_metadata(&path)?;
    Ok((path, meta))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn tree_order_is_the_order_of_paths(a in "[a.!/-]{0,8}", b in "[a.!/-]{0,8}") {
            let tidy = |text: &str| -> PathBuf { Path::new(text).components().collect() };
            let (a, b) = (tidy(&a), tidy(&b));
            let (a_bytes, b_bytes) = (a.as_os_str().as_bytes(), b.as_os_str().as_bytes());
            let plain = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
            prop_assume!(plain(&a) && plain(&b));
            prop_assert_eq!(tree_order(a_bytes, b_bytes), a.cmp(&b));
        }
    }

    #[test]
    fn a_folder_is_listed_where_its_name_stands() {
        let mut names = ["a.rs", "a/z", "a-b/x", "a", "a/b/c"];
        names.sort_by(|x, y| tree_order(x.as_bytes(), y.as_bytes()));
        assert_eq!(names, ["a", "a/b/c", "a/z", "a-b/x", "a.rs"]);
    }

    #[test]
    fn reserved_names_ignore_case() {
        assert_eq!(reserved(OsStr::new(".GIT")), Some(".git"));
        assert_eq!(reserved(OsStr::new(".gitignore")), None);
    }
}
