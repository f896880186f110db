//! From the name of a program to the file that would be run.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::{env, fs};

use rustix::fs::{Access, access};

/// What became of looking for a program.
///
/// Its `Display` is for people: the file that would be run, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lookup {
    /// The name that was looked for.
    pub program: OsString,
    /// Files that can be executed, the first of them first.
    pub found: Vec<PathBuf>,
    /// Files of that name that cannot, with the reason.
    pub unusable: Vec<(PathBuf, Unusable)>,
    /// How many folders were searched.
    pub searched: usize,
    /// Entries of the search path that were passed over: empty ones and relative ones mean another
    /// folder with every working directory, and could be one of a checkout that nobody trusts.
    pub passed_over: Vec<PathBuf>,
}

/// Why a file of the right name cannot be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unusable {
    /// A folder, a socket or another thing that is no file.
    NotAFile,
    /// This user may not execute it.
    NotExecutable,
    /// A symbolic link to something that is not there.
    DanglingLink,
}

impl Lookup {
    /// The file that would be run.
    pub fn first(&self) -> Option<&Path> {
        self.found.first().map(PathBuf::as_path)
    }
}

impl fmt::Display for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(first) = self.first() {
            return write!(f, "{}", first.display());
        }
        match self.searched {
            0 => f.write_str("no such file")?,
            1 => f.write_str("not found in the one folder of the search path")?,
            n => write!(f, "not found in the {n} folders of the search path")?,
        }
        for (path, why) in &self.unusable {
            write!(f, "; {} {why}", path.display())?;
        }
        for path in &self.passed_over {
            write!(
                f,
                "; {:?} in the search path was passed over",
                path.as_os_str()
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAFile => "is not a file",
            Self::NotExecutable => "is not executable",
            Self::DanglingLink => "is a link to a file that is not there",
        })
    }
}

/// Looks for `program` on `search_path` (in the form of `PATH`), without running anything.
///
/// A name with a `/` in it is no name but a path, taken from `folder` when it is relative. Links are
/// not resolved: many programs look at the name by which they were called.
///
/// ```
/// use std::path::Path;
/// use fourfold_child::which;
///
/// let shell = which("sh".as_ref(), "/usr/bin:/bin".as_ref(), Path::new("/"));
/// assert!(shell.first().is_some());
///
/// let missing = which("no-such-program".as_ref(), "/usr/bin:/bin".as_ref(), Path::new("/"));
/// assert_eq!(missing.to_string(), "not found in the 2 folders of the search path");
/// ```
pub fn which(program: &OsStr, search_path: &OsStr, folder: &Path) -> Lookup {
    let mut lookup = Lookup {
        program: program.to_owned(),
        found: Vec::new(),
        unusable: Vec::new(),
        searched: 0,
        passed_over: Vec::new(),
    };
    if program.is_empty() {
        return lookup;
    }
    if program.as_encoded_bytes().contains(&b'/') {
        lookup.look_at(folder.join(program));
        return lookup;
    }
    for entry in env::split_paths(search_path) {
        if entry.is_absolute() {
            lookup.searched += 1;
            lookup.look_at(entry.join(program));
        } else {
            lookup.passed_over.push(entry);
        }
    }
    lookup
}

impl Lookup {
    fn look_at(&mut self, path: PathBuf) {
        let why = match fs::metadata(&path) {
            Ok(file) if !file.is_file() => Unusable::NotAFile,
            Ok(_) if access(&path, Access::EXEC_OK).is_ok() => {
                if !self.found.contains(&path) {
                    self.found.push(path);
                }
                return;
            }
            Ok(_) => Unusable::NotExecutable,
            Err(_) if path.is_symlink() => Unusable::DanglingLink,
            Err(_) => return,
        };
        self.unusable.push((path, why));
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn every_candidate_is_named_in_order_with_the_reasons() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for (folder, mode) in [("plain", 0o644), ("one", 0o755), ("two", 0o755)] {
            fs::create_dir(at(folder)).unwrap();
            let file = at(folder).join("tool");
            fs::write(&file, "").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::create_dir_all(at("folder/tool")).unwrap();
        fs::create_dir(at("dangling")).unwrap();
        symlink("nowhere", at("dangling/tool")).unwrap();
        fs::create_dir(at("link")).unwrap();
        symlink(at("one/tool"), at("link/tool")).unwrap();

        let folders = [
            "plain", "folder", "dangling", "missing", "link", "one", "two", "one",
        ];
        let path = env::join_paths(folders.map(at)).unwrap();
        let lookup = which("tool".as_ref(), &path, Path::new("/"));
        assert_eq!(lookup.searched, 8);
        assert_eq!(lookup.found, ["link/tool", "one/tool", "two/tool"].map(at));
        assert_eq!(
            lookup.unusable,
            [
                (at("plain/tool"), Unusable::NotExecutable),
                (at("folder/tool"), Unusable::NotAFile),
                (at("dangling/tool"), Unusable::DanglingLink),
            ]
        );

        let lookup = which("tool".as_ref(), at("plain").as_os_str(), Path::new("/"));
        assert_eq!(
            lookup.to_string(),
            format!(
                "not found in the one folder of the search path; {} is not executable",
                at("plain/tool").display()
            )
        );
    }

    #[test]
    fn a_path_is_not_searched_for() {
        let lookup = which("bin/sh".as_ref(), "/usr".as_ref(), Path::new("/"));
        assert_eq!(lookup.first(), Some(Path::new("/bin/sh")));
        let lookup = which("./sh".as_ref(), "/bin".as_ref(), Path::new("/"));
        assert_eq!(lookup.to_string(), "no such file");
    }

    #[test]
    fn relative_folders_are_passed_over() {
        let lookup = which("sh".as_ref(), ":bin".as_ref(), Path::new("/"));
        assert_eq!(
            lookup.to_string(),
            "no such file; \"\" in the search path was passed over; \"bin\" in the search path was \
             passed over"
        );
        assert!(
            which("".as_ref(), "/bin".as_ref(), Path::new("/"))
                .first()
                .is_none()
        );
    }
}
