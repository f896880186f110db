//! `cargo xtask release --dry-run`: whether every published crate could be published as it is.

use std::path::Path;

use anyhow::{Result, bail};
use lexopt::prelude::*;
use serde_json::Value;

use crate::api;
use crate::members::members;
use crate::run::{Shell, output, run};

/// What a crate has in its folder beside its code.
const FILES: &[&str] = &["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// What its manifest says of it.
const FIELDS: &[&str] = &[
    "description",
    "license",
    "repository",
    "keywords",
    "categories",
];

/// Packages all published crates, each after those it stands on; with `--verify` each is built from
/// its package as well. Nothing is uploaded: publishing is done by hand.
pub(crate) fn main(shell: &Shell, mut args: lexopt::Parser) -> Result<()> {
    let (mut dry, mut verify) = (false, false);
    while let Some(arg) = args.next()? {
        match arg {
            Long("dry-run") => dry = true,
            Long("verify") => verify = true,
            other => return Err(other.unexpected().into()),
        }
    }
    if !dry {
        bail!("only `cargo xtask release --dry-run` is done here; publishing is done by hand");
    }
    let text = output(&mut shell.cargo("metadata --no-deps --format-version 1 --locked"))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let missing: Vec<String> = packages
        .filter(|package| package["publish"].is_null())
        .flat_map(lacks)
        .collect();
    if !missing.is_empty() {
        bail!("{}", missing.join("\n"));
    }
    run(&mut shell.cargo("doc --workspace --no-deps --locked"))?;
    let drift = api::drift(shell, &members(shell)?)?;
    if !drift.is_empty() {
        bail!("{}", drift.join("\n"));
    }
    // Cargo goes in the order of the dependencies, and takes each package for the next one's.
    let mut publish = shell.cargo("publish --dry-run --workspace --locked --allow-dirty");
    if !verify {
        publish.arg("--no-verify");
    }
    run(&mut publish)
}

/// What a published package lacks.
fn lacks(package: &Value) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().unwrap_or(manifest);
    let fields = FIELDS.iter().filter(|field| match &package[**field] {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        _ => false,
    });
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap_or_default();
    let version = package["version"].as_str().unwrap_or_default();
    let (log, readme) = (read("CHANGELOG.md"), read("README.md"));
    let unlogged = !log.is_empty() && !log.contains(&format!("\n## [{version}]"));
    let unlogged = unlogged.then(|| format!("{name}: its CHANGELOG.md has nothing on {version}"));
    let features = package["features"].as_object().into_iter().flatten();
    let features = features.map(|(feature, _)| feature);
    let unexplained = features.filter(|feature| {
        *feature != "default" && !readme.is_empty() && !readme.contains(&format!("`{feature}`"))
    });
    let files = FILES.iter().filter(|file| !folder.join(file).is_file());
    fields
        .map(|field| format!("{name}: no `{field}` in its Cargo.toml"))
        .chain(files.map(|file| format!("{name}: no {file} beside its Cargo.toml")))
        .chain(unlogged)
        .chain(
            unexplained
                .map(|feature| format!("{name}: its README.md does not explain `{feature}`")),
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let package = json!({
            "name": "x", "manifest_path": "/nowhere/Cargo.toml", "description": "d",
            "license": "MIT", "repository": "r", "keywords": [], "categories": ["c"],
        });
        assert_eq!(
            lacks(&package),
            [
                "x: no `keywords` in its Cargo.toml",
                "x: no README.md beside its Cargo.toml",
                "x: no CHANGELOG.md beside its Cargo.toml",
                "x: no LICENSE-MIT beside its Cargo.toml",
                "x: no LICENSE-APACHE beside its Cargo.toml",
            ]
        );
    }
}
