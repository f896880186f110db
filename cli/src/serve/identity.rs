//! Which program somebody is, and by which settings: a daemon serves only its like.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// This process's own program, also when another file has taken its name.
pub(crate) const OWN_PROGRAM: &str = "/proc/self/exe";

/// What has to be the same at both ends of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Identity {
    /// The version of the program, for people.
    pub(crate) version: String,
    /// The very file of the program: two builds of one version are not the same.
    pub(crate) build: String,
    /// The settings of the checkout as they are on disk; a checkout reads them when it is opened.
    pub(crate) settings: String,
}

impl Identity {
    /// This process's, for the checkout with this root.
    pub(crate) fn of(root: &Path) -> Identity {
        Identity {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: stamp(OWN_PROGRAM.as_ref()),
            settings: stamp(&root.join("fourfold.toml")),
        }
    }

    /// In what another one differs, for people.
    pub(crate) fn difference(&self, other: &Identity) -> Option<String> {
        if self.version != other.version {
            Some(format!("it is version {}", other.version))
        } else if self.build != other.build {
            Some("it is another build".to_owned())
        } else if self.settings != other.settings {
            Some("fourfold.toml has changed".to_owned())
        } else {
            None
        }
    }
}

/// What tells a file, as it is now, from every other.
fn stamp(path: &Path) -> String {
    match fs::metadata(path) {
        Ok(meta) => format!(
            "{:x}-{:x}-{}.{}-{}",
            meta.dev(),
            meta.ino(),
            meta.mtime(),
            meta.mtime_nsec(),
            meta.len()
        ),
        Err(_) => "none".to_owned(),
    }
}

/// Something on disk that has to stay what it is.
#[derive(Debug)]
pub(crate) struct Fixed {
    path: PathBuf,
    at_first: Option<(u64, u64)>,
}

impl Fixed {
    /// A file or folder as it is now.
    pub(crate) fn now(path: PathBuf) -> Fixed {
        Fixed {
            at_first: number(fs::metadata(&path)),
            path,
        }
    }

    /// The file of our own program, by its name; if it has one.
    pub(crate) fn own_program() -> Option<Fixed> {
        let path = fs::read_link(OWN_PROGRAM).ok()?;
        let program = Fixed::now(path);
        let running = number(fs::metadata(OWN_PROGRAM));
        (program.at_first.is_some() && program.at_first == running).then_some(program)
    }

    /// Whether it is gone, or another one has its name.
    pub(crate) fn has_changed(&self) -> bool {
        number(fs::metadata(&self.path)) != self.at_first
    }
}

fn number(meta: std::io::Result<Metadata>) -> Option<(u64, u64)> {
    meta.ok().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_program_with_other_settings_is_another() {
        let root = tempfile::tempdir().unwrap();
        let before = Identity::of(root.path());
        assert_eq!(before.difference(&Identity::of(root.path())), None);
        fs::write(root.path().join("fourfold.toml"), "").unwrap();
        let after = Identity::of(root.path());
        assert_eq!(
            before.difference(&after).unwrap(),
            "fourfold.toml has changed"
        );
        let other = Identity {
            build: "other".to_owned(),
            ..after.clone()
        };
        assert_eq!(after.difference(&other).unwrap(), "it is another build");
        let older = Identity {
            version: "0.0.1".to_owned(),
            ..other
        };
        assert_eq!(after.difference(&older).unwrap(), "it is version 0.0.1");
    }

    #[test]
    fn what_is_replaced_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "1").unwrap();
        let fixed = Fixed::now(path.clone());
        fs::write(&path, "2").unwrap();
        assert!(!fixed.has_changed());
        // Both exist at once, so they cannot have one number.
        fs::write(folder.path().join("b"), "1").unwrap();
        fs::rename(folder.path().join("b"), &path).unwrap();
        assert!(fixed.has_changed());
        fs::remove_file(&path).unwrap();
        assert!(fixed.has_changed());
        assert!(!Fixed::own_program().unwrap().has_changed());
    }
}
