//! Packages of npm that a command depends on.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::spec::Package;

/// What speaks against a command that depends on a package, in words; nothing when all is well.
pub(super) fn objection(package: &Package, root: &Path, checkout: &Path) -> Option<String> {
    let name = &package.name;
    let Some(installed) = installed(name, root, checkout) else {
        return (!package.optional).then(|| {
            format!(
                "needs the package {name} in the project, which no node_modules has; install the \
                 project's packages"
            )
        });
    };
    let path = installed.display();
    let Some(version) = major(&installed) else {
        return Some(format!("depends on {path}, whose version cannot be read"));
    };
    match (package.at_least, package.below) {
        (Some(least), _) if version < least => Some(format!(
            "needs version {least} or later of {name}; the project has {version}: {path}"
        )),
        (_, Some(below)) if version >= below => Some(format!(
            "needs a version of {name} before {below}; the project has {version}: {path}"
        )),
        _ => None,
    }
}

fn installed(name: &str, root: &Path, checkout: &Path) -> Option<PathBuf> {
    root.ancestors()
        .take_while(|folder| folder.starts_with(checkout))
        .map(|folder| folder.join("node_modules").join(name))
        .find(|package| package.join("package.json").is_file())
}

fn major(package: &Path) -> Option<u64> {
    let text = fs::read(package.join("package.json")).ok()?;
    let manifest: Value = serde_json::from_slice(&text).ok()?;
    let version = manifest.get("version")?.as_str()?;
    version.split('.').next()?.parse().ok()
}
