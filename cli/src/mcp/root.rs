//! Which folder is served: the checkout that a folder lies in, and never a whole disk by accident.

use std::env;
use std::path::{Path, PathBuf};

use fourfold::Host;

/// A folder to serve.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) path: PathBuf,
    /// Why nothing in it is looked at, if that is so.
    pub(crate) closed: Option<String>,
}

impl Root {
    /// One that is looked at.
    pub(crate) fn open(path: PathBuf) -> Root {
        Root { path, closed: None }
    }
}

/// The checkout that `folder` lies in.
///
/// Hosts that know no project start their servers in `/` or the home folder. Unless that is a
/// checkout itself, it is not walked: it would take minutes, and nobody means it.
///
/// # Errors
/// The folder cannot be reached.
pub(crate) fn of(folder: &Path) -> Result<Root, fourfold::Error> {
    let home = env::var_os("HOME").map(PathBuf::from);
    let home = home.and_then(|home| home.canonicalize().ok());
    among(folder, home.as_deref())
}

fn among(folder: &Path, home: Option<&Path>) -> Result<Root, fourfold::Error> {
    let found = Host::discover(folder)?;
    let kind = |path: &Path| match path.parent() {
        None => Some("the whole file system"),
        Some(_) if Some(path) == home => Some("the home folder"),
        Some(_) => None,
    };
    // `.fourfold` alone is no sign: a stage that somebody kept there once has left it.
    let is_checkout = |path: &Path| {
        [".git", "fourfold.toml"]
            .iter()
            .any(|it| path.join(it).exists())
    };
    let Some(kind_found) = kind(&found).filter(|_| !is_checkout(&found)) else {
        return Ok(Root::open(found));
    };
    let exact = folder.canonicalize().unwrap_or_else(|_| found.clone());
    if kind(&exact).is_none() && exact.is_dir() {
        return Ok(Root::open(exact));
    }
    let closed = format!(
        "`{}` is {kind_found} and no checkout, so nothing in it is read: start `fourfold mcp` with \
         `--root FOLDER`, the folder of the project, or in that folder",
        found.display()
    );
    Ok(Root {
        path: found,
        closed: Some(closed),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn neither_the_disk_nor_a_home_is_served() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let of = |folder: &Path| among(folder, Some(&home)).unwrap();
        let project = home.join("project");
        let inner = project.join("src/inner");
        fs::create_dir_all(&inner).unwrap();

        let closed = of(&home).closed.unwrap();
        assert!(
            closed.contains("is the home folder and no checkout"),
            "{closed}"
        );
        assert!(closed.contains("`--root FOLDER`"), "{closed}");
        if !Path::new("/.git").exists() {
            let closed = of("/".as_ref()).closed.unwrap();
            assert!(
                closed.starts_with("`/` is the whole file system"),
                "{closed}"
            );
        }

        // A stage that was kept at home once makes it no checkout.
        fs::create_dir(home.join(".fourfold")).unwrap();
        assert!(of(&home).closed.is_some());
        let open = |path: &Path| Root::open(path.to_path_buf());
        assert_eq!(of(&inner), open(&inner));

        fs::create_dir(project.join(".git")).unwrap();
        assert_eq!(of(&inner), open(&project));
        // A home under version control is one.
        fs::create_dir(home.join(".git")).unwrap();
        assert_eq!(of(&home), open(&home));
    }
}
