//! The folders that files lie in, each asked about once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::fs::{Fs, Stat};
use crate::{Error, FileKind};

/// What has been learned about folders. Lives as long as one stage is collected or one set of
/// files verified.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    /// By the folder that a path names; several may not exist and lead to the same one above.
    known: BTreeMap<PathBuf, Folder>,
}

/// A folder that exists.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) dev: u64,
    writable: bool,
}

impl Folders {
    /// The nearest folder above `path` that exists. Something else in its place is an error.
    pub(crate) fn above(&mut self, fs: &dyn Fs, path: &Path) -> Result<Folder, Error> {
        let wanted = path.parent().unwrap_or(Path::new(""));
        if let Some(folder) = self.known.get(wanted) {
            return Ok(folder.clone());
        }
        for above in wanted.ancestors() {
            let folder = match fs.stat(above).map_err(Error::io("looking at", above))? {
                Some(stat) if stat.kind == FileKind::Directory => Folder {
                    path: above.to_path_buf(),
                    dev: stat.dev,
                    writable: may_write(fs, above, &stat)?,
                },
                Some(stat) => {
                    return Err(Error::NotAFolder {
                        path: above.to_path_buf(),
                        kind: stat.kind,
                    });
                }
                None => continue,
            };
            self.known.insert(wanted.to_path_buf(), folder.clone());
            return Ok(folder);
        }
        Err(Error::Missing {
            path: fs.root().to_path_buf(),
        })
    }

    /// Says what forbids replacing the file `path`: its own permissions or its folder's. A rename
    /// would pass over the former.
    pub(crate) fn read_only(
        &mut self,
        fs: &dyn Fs,
        path: &Path,
        stat: &Stat,
    ) -> Result<Option<String>, Error> {
        if !may_write(fs, path, stat)? {
            return Ok(Some("the file".to_owned()));
        }
        self.read_only_above(fs, path)
    }

    /// Says whether the folder that `path` is or will be in forbids new names.
    pub(crate) fn read_only_above(
        &mut self,
        fs: &dyn Fs,
        path: &Path,
    ) -> Result<Option<String>, Error> {
        let folder = self.above(fs, path)?;
        if folder.writable {
            return Ok(None);
        }
        let empty = folder.path.as_os_str().is_empty();
        let name = if empty { Path::new(".") } else { &folder.path };
        Ok(Some(format!("its folder {}", name.display())))
    }
}

/// The mode bits are looked at as well as access control, because the superuser passes the latter
/// and shall not change what says that it is not to be changed.
fn may_write(fs: &dyn Fs, path: &Path, stat: &Stat) -> Result<bool, Error> {
    let allowed = stat.mode & 0o222 != 0;
    Ok(allowed
        && fs
            .writable(path, stat)
            .map_err(Error::io("looking at", path))?)
}
