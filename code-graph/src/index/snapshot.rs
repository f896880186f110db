//! A generation of an index as a file.

use super::IndexConfig;
use super::content::{Content, Entry, Heaps, State};
use super::coverage::Coverage;
use super::file::{self, Build, Kind};
use super::folder::{Folder, Lock};
use super::heap::Damaged;
use super::pack::Key;
use crate::facts::EXTRACTOR_VERSION;
use fourfold_syntax::Language;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// Stands for the sources of the extractors, see `build.rs`.
pub(super) const FACTS_SOURCES: &str = env!("FOURFOLD_FACTS_SOURCES");

/// What the packs of this program carry: they are made again when anything of it differs.
pub(super) fn pack_build() -> Build {
    build_of(&[], &[FACTS_SOURCES, env!("FOURFOLD_PACKS_SOURCES")])
}

/// What the snapshots of this program carry, which also depend on what is left out.
pub(super) fn build(config: &IndexConfig) -> Build {
    let time = config.max_time.as_nanos() as u64;
    let sources = [FACTS_SOURCES, env!("FOURFOLD_LINKS_SOURCES")];
    build_of(&[config.max_bytes, time], &sources)
}

fn build_of(settings: &[u64], sources: &[&str]) -> Build {
    let mut hasher = blake3::Hasher::new();
    for setting in settings
        .iter()
        .copied()
        .chain([u64::from(EXTRACTOR_VERSION)])
    {
        hasher.update(&setting.to_le_bytes());
    }
    for sources in sources {
        hasher.update(sources.as_bytes());
    }
    let mut build = Build::default();
    build.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    build
}

#[derive(Serialize, Deserialize)]
struct Directory<'a> {
    /// The root, as bytes.
    root: Cow<'a, [u8]>,
    /// Fingerprints of the grammars that the files were read with.
    grammars: Vec<(String, [u8; 8])>,
    entries: Vec<Entry>,
}

/// Writes a generation. The next one has a higher number, whoever writes it.
pub(super) fn write(
    folder: &Folder,
    _lock: &Lock,
    root: &Path,
    content: &Content,
    build: &Build,
) -> io::Result<u64> {
    let mut languages: Vec<Language> = content
        .indexed()
        .map(|(_, indexed)| indexed.language)
        .collect();
    languages.sort_unstable_by_key(|language| language.id());
    languages.dedup();
    let grammars = languages
        .iter()
        .map(|language| (language.id().to_owned(), language.fingerprint()));
    let directory = Directory {
        root: Cow::Borrowed(root.as_os_str().as_bytes()),
        grammars: grammars.collect(),
        entries: content
            .entries
            .iter()
            .map(|entry| Entry::clone(entry))
            .collect(),
    };
    let mut heaps = content.heaps.clone();
    let path = folder.snapshot();
    file::write(
        &path,
        Kind::Snapshot,
        build,
        content.generation,
        &directory,
        &mut [
            &mut heaps.outlines,
            &mut heaps.surfaces,
            &mut heaps.links,
            &mut heaps.lookups,
        ],
    )?;
    Ok(path.metadata()?.len())
}

/// Reads the last generation that was written for a root, all of it checked.
pub(super) fn read(path: &Path, root: &Path, build: &Build) -> Result<Content, Damaged> {
    let opened = file::open::<Directory<'static>>(path, Kind::Snapshot, build)?;
    let generation = opened.generation;
    let (directory, [outlines, surfaces, links, lookups]) = opened.load()?;
    if *directory.root != *root.as_os_str().as_bytes() {
        return Err(Damaged);
    }
    for (id, print) in &directory.grammars {
        let language = Language::named(id).map_err(|_| Damaged)?;
        if language.fingerprint() != *print {
            return Err(Damaged);
        }
    }
    let sorted = directory.entries.is_sorted_by(|a, b| a.path < b.path);
    if !sorted {
        return Err(Damaged);
    }
    let entries: Vec<Arc<Entry>> = directory.entries.into_iter().map(Arc::new).collect();
    let heaps = Heaps {
        outlines,
        surfaces,
        links,
        lookups,
    };
    Ok(Content::new(
        generation,
        entries,
        heaps,
        Coverage::default(),
        Vec::new(),
    ))
}

/// The keys of the contents that a snapshot needs; none when its work tree is gone.
pub(super) fn contents(path: &Path, build: &Build) -> Result<Option<Vec<Key>>, Damaged> {
    let opened = file::open::<Directory<'static>>(path, Kind::Snapshot, build)?;
    if !Path::new(OsStr::from_bytes(&opened.directory.root)).exists() {
        return Ok(None);
    }
    let keys = opened
        .directory
        .entries
        .iter()
        .filter_map(|entry| match &entry.state {
            State::Indexed(indexed) => Some(Key::of(entry.content, indexed.language)),
            _ => None,
        });
    Ok(Some(keys.collect()))
}
