//! From a package to its workspace, as Cargo looks for it.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{join_within, read_start, upwards};

/// The folder of the workspace that the package in `package` belongs to, or `package` itself.
///
/// As in Cargo, a manifest with `[workspace]` is a root, `package.workspace` points to one, and
/// otherwise the nearest workspace above that does not exclude the package. A package that its
/// workspace neither lists nor excludes is an error to Cargo, and unknown to its server; a
/// dependency by path is a member without being listed, so that is not judged here.
pub(super) fn workspace(checkout: &Path, package: &Path) -> PathBuf {
    upwards(checkout, package)
        .unwrap_or_default()
        .into_iter()
        .find_map(|folder| match claim(folder)? {
            Claim::Root(workspace) => {
                (!workspace.excludes(folder, package)).then(|| folder.to_path_buf())
            }
            Claim::Pointer(to) => {
                join_within(checkout, folder, &to).filter(|root| root.join("Cargo.toml").is_file())
            }
        })
        .unwrap_or_else(|| package.to_path_buf())
}

/// What the manifest of a folder says about workspaces.
fn claim(folder: &Path) -> Option<Claim> {
    let text = read_start(&folder.join("Cargo.toml"))?;
    match toml::from_str::<Manifest>(&text) {
        Ok(manifest) => manifest
            .workspace
            .map(Claim::Root)
            .or_else(|| Some(Claim::Pointer(manifest.package?.workspace?))),
        // In the middle of an edit; the root must not jump away for that.
        Err(_) => text
            .lines()
            .any(|line| line.starts_with("[workspace]") || line.starts_with("[workspace."))
            .then(|| Claim::Root(Workspace::default())),
    }
}

enum Claim {
    Root(Workspace),
    Pointer(String),
}

#[derive(Deserialize)]
struct Manifest {
    workspace: Option<Workspace>,
    package: Option<Package>,
}

#[derive(Deserialize)]
struct Package {
    workspace: Option<String>,
}

#[derive(Default, Deserialize)]
struct Workspace {
    #[serde(default)]
    members: Vec<String>,
    #[serde(default)]
    exclude: Vec<String>,
}

impl Workspace {
    /// Cargo compares these as plain paths, without globs, and lets a member win.
    fn excludes(&self, root: &Path, package: &Path) -> bool {
        let names = |list: &[String]| list.iter().any(|path| package.starts_with(root.join(path)));
        names(&self.exclude) && !names(&self.members)
    }
}
