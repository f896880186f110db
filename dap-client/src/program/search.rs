//! Files and names that are looked for.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::ProgramError;

/// Folders that hold no sources of the project's own.
const PASSED_OVER: &[&str] = &[
    "node_modules",
    "target",
    "vendor",
    "venv",
    "__pycache__",
    "site-packages",
];

/// Folders and files that are looked at most.
const MOST: usize = 20_000;

/// Names that are suggested at most.
const SUGGESTED: usize = 3;

/// The path of a file that is there, absolute.
pub(super) fn existing(path: &Path, checkout: &Path) -> Result<PathBuf, ProgramError> {
    let full = plain(&checkout.join(path));
    if full.exists() {
        return Ok(full);
    }
    Err(ProgramError::NoFile {
        path: path.to_owned(),
        nearest: near(path, checkout),
    })
}

/// Files of a checkout that may be meant by a path that leads to none.
pub(crate) fn near(path: &Path, checkout: &Path) -> Vec<String> {
    let full = plain(&checkout.join(path));
    let name = path.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default();
    let mut same = Vec::new();
    let mut siblings = Vec::new();
    for file in files(checkout) {
        let relative = shown(&file, checkout);
        let file_name = file.file_name().map(|name| name.to_string_lossy());
        if file_name.as_deref() == Some(&*name) {
            same.push(relative);
        } else if file.parent() == full.parent() {
            siblings.push(relative);
        }
    }
    match same.is_empty() {
        true => nearest(&shown(&full, checkout), siblings),
        false => same.into_iter().take(SUGGESTED).collect(),
    }
}

/// The path without `.` and, where nothing but names is in the way, without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// A path as people name it.
pub(super) fn shown(path: &Path, checkout: &Path) -> String {
    let relative = path.strip_prefix(checkout).unwrap_or(path);
    relative.display().to_string()
}

/// The names most like this one, the nearest first; those that have nothing to do with it are left
/// out.
pub(super) fn nearest(wanted: &str, names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut scored: Vec<_> = names
        .into_iter()
        .map(|name| (likeness(wanted, &name), name))
        .filter(|(likeness, _)| *likeness > 0.4)
        .collect();
    scored.sort_by(|(one, a), (other, b)| other.total_cmp(one).then_with(|| a.cmp(b)));
    scored.dedup();
    scored
        .into_iter()
        .take(SUGGESTED)
        .map(|(_, name)| name)
        .collect()
}

/// From 0 to 1, by the whole names or by the last parts of their paths.
fn likeness(wanted: &str, name: &str) -> f64 {
    let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_owned();
    let whole = strsim::normalized_levenshtein(wanted, name);
    whole.max(strsim::normalized_levenshtein(&last(wanted), &last(name)) - 0.05)
}

/// The files of a project's own below a folder, folders in order of their names.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    let mut looked_at = 0;
    while let Some(folder) = open.pop() {
        let mut entries: Vec<_> = fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        let mut folders = Vec::new();
        for entry in entries {
            looked_at += 1;
            if looked_at > MOST {
                return found;
            }
            let name = entry.file_name();
            // A link may lead anywhere, and round.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    let name = name.to_string_lossy();
                    let hidden = name.starts_with('.');
                    folders
                        .extend((!hidden && !PASSED_OVER.contains(&&*name)).then(|| entry.path()));
                }
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
        open.extend(folders.into_iter().rev());
    }
    found
}

/// The nearest folder from `start` upwards that holds a file of this name, not above `top`.
pub(crate) fn folder_with(name: &str, start: &Path, top: &Path) -> Option<PathBuf> {
    start
        .ancestors()
        .take_while(|folder| folder.starts_with(top))
        .find(|folder| folder.join(name).is_file())
        .map(Path::to_owned)
}

/// The text of a source file; nothing of one that is very long.
pub(super) fn text(path: &Path) -> String {
    const LONGEST: u64 = 4 << 20;
    let short = fs::metadata(path).is_ok_and(|data| data.len() <= LONGEST);
    let read = short.then(|| fs::read(path).unwrap_or_default());
    String::from_utf8_lossy(&read.unwrap_or_default()).into_owned()
}
