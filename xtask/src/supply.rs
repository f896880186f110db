//! `cargo xtask lint supply`: what our packages bring with them. Every licence is one that the user of
//! `MIT OR Apache-2.0` can live with, and every dependency is used. Read from cargo's metadata and our
//! sources: quick, and nothing has to be installed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::members::{list, text};
use crate::run::{Shell, output};

/// Licences that ask for no more than to be named.
const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Dependencies that no source names, and why they are there.
const UNNAMED: &[(&str, &str, &str)] = &[];

/// Everything that is wrong, one line each.
pub(crate) fn wrong(shell: &Shell) -> Result<Vec<String>> {
    let all = output(&mut shell.cargo("metadata --format-version 1 --locked"))?;
    let metadata: Value = serde_json::from_str(&all).context("cargo metadata is not JSON")?;
    let mut found = Vec::new();
    for package in list(&metadata, "packages") {
        let licence = package["license"].as_str().unwrap_or_default();
        if !is_allowed(licence) {
            let (name, version) = (text(package, "name")?, text(package, "version")?);
            found.push(format!(
                "{name} {version}: its licence is `{licence}`, which is not one of {}",
                LICENCES.join(", ")
            ));
        }
        if package["source"].is_null() {
            found.extend(unused(package)?);
        }
    }
    Ok(found)
}

/// Whether an SPDX expression leaves a choice that is allowed. `/` is an old way to write `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    // For each open parenthesis: what was settled by an OR before, what holds of the AND so far.
    let mut open = vec![(false, true)];
    while let Some(word) = words.next() {
        let settled = match word {
            "(" => {
                open.push((false, true));
                continue;
            }
            "AND" => continue,
            "OR" => {
                let Some((any, all)) = open.last_mut() else {
                    return false;
                };
                *any |= *all;
                *all = true;
                continue;
            }
            ")" => match open.pop() {
                Some((any, all)) => any || all,
                None => return false,
            },
            licence => {
                // An exception only allows more.
                if words.next_if_eq(&"WITH").is_some() {
                    words.next();
                }
                LICENCES.contains(&licence)
            }
        };
        match open.last_mut() {
            Some((_, all)) => *all &= settled,
            None => return false,
        }
    }
    matches!(open.as_slice(), [(any, all)] if !expression.is_empty() && (*any || *all))
}

/// The dependencies of one of our packages that its sources do not name.
fn unused(package: &Value) -> Result<Vec<String>> {
    let name = text(package, "name")?;
    let manifest = Path::new(text(package, "manifest_path")?);
    let folder = manifest.parent().unwrap_or(manifest);
    let library = words(&[folder.join("src")])?;
    let build = words(&[folder.join("build.rs")])?;
    let rest = ["tests", "examples", "benches"].map(|part| folder.join(part));
    let tests: BTreeSet<String> = words(&rest)?.union(&library).cloned().collect();
    let mut found = Vec::new();
    for dependency in list(package, "dependencies") {
        let full = text(dependency, "name")?;
        let rename = dependency["rename"].as_str();
        let ident = rename.unwrap_or(full).replace('-', "_");
        let (kind, named) = match dependency["kind"].as_str() {
            Some("dev") => ("dev-", tests.contains(&ident)),
            Some("build") => ("build-", build.contains(&ident)),
            _ => ("", library.contains(&ident)),
        };
        // Its features are asked for, its names are used by a normal one of the same name.
        let again = kind == "dev-" && library.contains(&ident);
        let excused = UNNAMED
            .iter()
            .any(|(of, what, _)| *of == name && *what == full);
        if !named && !again && !excused {
            found.push(format!("{name}: the {kind}dependency {full} is not used"));
        }
    }
    Ok(found)
}

/// The words of all Rust sources in some files and folders.
fn words(places: &[PathBuf]) -> Result<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    let mut left: Vec<PathBuf> = places.to_vec();
    while let Some(place) = left.pop() {
        if place.is_dir() {
            for entry in fs::read_dir(&place)? {
                left.push(entry?.path());
            }
        } else if place.extension().is_some_and(|extension| extension == "rs") && place.is_file() {
            let text =
                fs::read(&place).with_context(|| format!("cannot read {}", place.display()))?;
            let text = String::from_utf8_lossy(&text);
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("// "));
            for line in code {
                let parts = line.split(|c: char| !c.is_alphanumeric() && c != '_');
                words.extend(parts.filter(|word| !word.is_empty()).map(str::to_owned));
            }
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_allowed_when_a_choice_is() {
        for allowed in [
            "MIT",
            "MIT/GPL-3.0",
            "GPL-3.0 OR Zlib",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
            "BSD-3-Clause AND BSD-2-Clause",
        ] {
            assert!(is_allowed(allowed), "{allowed}");
        }
        for forbidden in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(GPL-3.0 OR MPL-2.0) AND MIT",
            "MIT AND (GPL-3.0 OR AGPL-3.0)",
            "MIT)",
            "(MIT",
        ] {
            assert!(!is_allowed(forbidden), "{forbidden}");
        }
    }
}
