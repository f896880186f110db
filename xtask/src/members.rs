//! The packages of the workspace as cargo sees them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::run::{Shell, output};

/// One package of the workspace.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Its folder, absolute.
    pub(crate) folder: PathBuf,
    pub(crate) published: bool,
    pub(crate) has_library: bool,
    pub(crate) has_example: bool,
    /// What it needs to run; not what only its tests or its build script need.
    pub(crate) dependencies: Vec<Dependency>,
}

/// An arrow from one package to another.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) optional: bool,
}

impl Member {
    /// The last part of the folder.
    pub(crate) fn folder_name(&self) -> &str {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        name.unwrap_or_default()
    }
}

/// All packages of the workspace. Fails when `Cargo.lock` is out of date.
pub(crate) fn members(shell: &Shell) -> Result<Vec<Member>> {
    let text = output(&mut shell.cargo("metadata --no-deps --format-version 1 --locked"))?;
    let metadata: Value = serde_json::from_str(&text).context("cargo metadata is not JSON")?;
    list(&metadata, "packages").map(member).collect()
}

fn member(package: &Value) -> Result<Member> {
    let manifest = Path::new(text(package, "manifest_path")?);
    let kinds = || list(package, "targets").flat_map(|target| list(target, "kind"));
    let has = |wanted: &str| kinds().any(|kind| kind.as_str() == Some(wanted));
    let dependencies = list(package, "dependencies")
        .filter(|dependency| dependency["kind"].is_null())
        .map(|dependency| {
            Ok(Dependency {
                name: text(dependency, "name")?.to_owned(),
                optional: dependency["optional"].as_bool().unwrap_or(false),
            })
        })
        .collect::<Result<_>>()?;
    Ok(Member {
        name: text(package, "name")?.to_owned(),
        folder: manifest.parent().unwrap_or(manifest).to_path_buf(),
        published: package["publish"].is_null(),
        has_library: has("lib"),
        has_example: has("example"),
        dependencies,
    })
}

pub(crate) fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value[key]
        .as_str()
        .with_context(|| format!("cargo metadata has no `{key}` here"))
}
