//! Whether a folder decides what is found under a path: what lies in somebody else's checkout must
//! not choose what we run.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Longest chain of links that is followed; the system's own limit.
const LINKS: usize = 40;

/// A folder whose content somebody else chooses, such as a checkout: does it decide which program is
/// found under a path?
#[derive(Clone, Debug)]
pub struct Folder {
    /// Without links.
    root: PathBuf,
}

impl Folder {
    /// The folder at `path`.
    ///
    /// # Errors
    ///
    /// What the system says if there is no such folder.
    pub fn new(path: &Path) -> std::io::Result<Self> {
        Ok(Self {
            root: path.canonicalize()?,
        })
    }

    /// Where it is, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the folder decides what is found under an absolute path: it lies in the folder,
    /// or one of the links that lead to it does, or what they lead to.
    pub fn holds(&self, path: &Path) -> bool {
        let mut links = 0;
        // Free of links, as far as the path has been followed.
        let mut reached = PathBuf::from("/");
        let mut ahead = parts(path);
        while let Some(part) = ahead.pop() {
            if part == ".." {
                reached.pop();
                continue;
            }
            reached.push(part);
            if reached.starts_with(&self.root) {
                return true;
            }
            if let Ok(target) = fs::read_link(&reached) {
                links += 1;
                if links > LINKS {
                    // They go round: nothing is found there.
                    return false;
                }
                reached.pop();
                if target.is_absolute() {
                    reached = PathBuf::from("/");
                }
                ahead.extend(parts(&target));
            }
        }
        false
    }
}

/// The parts of a path below `/`, the last one first.
fn parts(path: &Path) -> Vec<OsString> {
    path.components()
        .rev()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn links_do_not_hide_the_checkout() {
        let base = TempDir::new().unwrap();
        let base = base.path().canonicalize().unwrap();
        let at = |path: &str| base.join(path);
        for folder in ["checkout/bin", "outside", "other"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("checkout/bin/tool"), "").unwrap();
        fs::write(at("outside/tool"), "").unwrap();
        symlink(at("outside/tool"), at("checkout/bin/out")).unwrap();
        symlink("../checkout/bin/tool", at("outside/in")).unwrap();
        symlink(at("checkout/bin"), at("other/bin")).unwrap();
        symlink(at("checkout/bin/out"), at("outside/through")).unwrap();
        symlink(at("outside"), at("checkout/deep")).unwrap();
        symlink(at("checkout/deep"), at("other/deep")).unwrap();
        symlink("round", at("outside/round")).unwrap();
        symlink(at("checkout"), at("alias")).unwrap();

        let folder = Folder::new(&at("alias")).unwrap();
        for (path, held) in [
            ("checkout/bin/tool", true),
            ("checkout/bin/out", true),
            ("outside/in", true),
            ("other/bin/tool", true),
            ("alias/bin/tool", true),
            ("other/deep/tool", true),
            // Starts and ends outside, and still the checkout chooses the end.
            ("outside/through", true),
            ("outside/tool", false),
            ("outside/round", false),
            ("outside/none", false),
        ] {
            assert_eq!(folder.holds(&at(path)), held, "{path}");
        }
        assert!(!folder.holds(Path::new("/")));
    }
}
