//! Facts and summaries by content, shared by all work trees of a repository.
//!
//! A pack is a file that is written once. What a run extracted becomes a new pack; small packs are
//! made into one now and then, and all of them when more than half is garbage. Readers hold the
//! files open, so that a pack which another process deletes stays readable for them.

use super::IndexConfig;
use super::content::Content;
use super::file::{self, Build, Kind};
use super::folder::{Folder, Lock};
use super::heap::{Blob, Damaged, Heap};
use super::snapshot;
use fourfold_syntax::{ContentHash, Language};
use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// More packs than this, and the small ones become one.
const MANY: usize = 8;

/// The number of the pack that has not been written.
const FRESH: usize = usize::MAX;

/// A pack up to this many bytes is small.
const SMALL: u64 = 1 << 20;

/// What the facts of a file are kept under: its content, the language it is read as, the grammar
/// and the extractors of this build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Key([u8; 32]);

impl Key {
    pub(super) fn of(content: ContentHash, language: Language) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(content.as_bytes());
        hasher.update(language.id().as_bytes());
        hasher.update(&language.fingerprint());
        hasher.update(&crate::facts::EXTRACTOR_VERSION.to_le_bytes());
        hasher.update(snapshot::FACTS_SOURCES.as_bytes());
        Key(*hasher.finalize().as_bytes())
    }
}

/// Where the two blobs of one content are.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Record {
    key: Key,
    facts: Blob,
    summary: Blob,
}

/// One pack.
#[derive(Debug, Default)]
struct Pack {
    /// Its file, and that file's size; none for what has not been written yet.
    file: Option<(PathBuf, u64)>,
    facts: Heap,
    summaries: Heap,
    records: Vec<Record>,
}

/// The packs of a family.
#[derive(Debug)]
pub(super) struct Packs {
    build: Build,
    packs: Vec<Arc<Pack>>,
    /// What was extracted and has not been written.
    fresh: Pack,
    /// The number of the pack, [`FRESH`] for the fresh one, and the record in it.
    by_key: HashMap<Key, (usize, u32)>,
    /// The files that were looked at, readable or not.
    seen: HashSet<PathBuf>,
}

impl Packs {
    /// None yet.
    pub(super) fn new() -> Packs {
        Packs {
            build: snapshot::pack_build(),
            packs: Vec::new(),
            fresh: Pack::default(),
            by_key: HashMap::new(),
            seen: HashSet::new(),
        }
    }

    /// Takes in the packs of the folder that have not been looked at.
    pub(super) fn look(&mut self, folder: &Folder) {
        for path in folder.packs() {
            if self.seen.insert(path.clone()) {
                match open(&path, &self.build) {
                    Ok(pack) => self.adopt(pack),
                    Err(error) => {
                        tracing::debug!(path = %path.display(), %error, "a pack is passed over");
                    }
                }
            }
        }
    }

    fn adopt(&mut self, pack: Pack) {
        let number = self.packs.len();
        for (at, record) in (0..).zip(&pack.records) {
            self.by_key.entry(record.key).or_insert((number, at));
        }
        self.packs.push(Arc::new(pack));
    }

    /// Whether the facts of a content are here.
    pub(super) fn has(&self, key: &Key) -> bool {
        self.by_key.contains_key(key)
    }

    /// Puts facts and a summary in, as bytes.
    pub(super) fn add(&mut self, key: Key, facts: &[u8], summary: &[u8]) {
        if self.has(&key) {
            return;
        }
        let record = Record {
            key,
            facts: self.fresh.facts.push(facts),
            summary: self.fresh.summaries.push(summary),
        };
        let at = self.fresh.records.len() as u32;
        self.fresh.records.push(record);
        self.by_key.insert(key, (FRESH, at));
    }

    /// Forgets a content whose blobs cannot be read.
    pub(super) fn forget(&mut self, key: &Key) {
        self.by_key.remove(key);
    }

    fn find(&self, key: &Key) -> Option<(usize, &Pack, Record)> {
        let (number, at) = *self.by_key.get(key)?;
        let pack = match self.packs.get(number) {
            Some(pack) => pack,
            None => &self.fresh,
        };
        Some((number, pack, *pack.records.get(at as usize)?))
    }

    /// The facts of a content, as bytes.
    pub(super) fn facts(&self, key: &Key) -> Option<Result<Vec<u8>, Damaged>> {
        let (_, pack, record) = self.find(key)?;
        Some(pack.facts.get(record.facts))
    }

    /// The summary of a content, as bytes.
    pub(super) fn summary(&self, key: &Key) -> Option<Result<Vec<u8>, Damaged>> {
        let (_, pack, record) = self.find(key)?;
        Some(pack.summaries.get(record.summary))
    }

    /// Writes what is not on disk, and clears up. `live` are the contents that this root has.
    pub(super) fn write(
        &mut self,
        folder: &Folder,
        _lock: &Lock,
        live: &HashSet<Key>,
        config: &IndexConfig,
    ) -> io::Result<()> {
        self.look(folder);
        // Another process may have deleted packs that it did not need.
        let lost = |pack: &Pack| pack.file.as_ref().is_some_and(|(path, _)| !path.exists());
        let lost: Vec<usize> = (0..self.packs.len())
            .filter(|at| self.packs.get(*at).is_some_and(|pack| lost(pack)))
            .collect();
        let mut keep: Vec<Key> = self.fresh.records.iter().map(|record| record.key).collect();
        let mut sorted: Vec<&Key> = live.iter().collect();
        sorted.sort_unstable();
        let is_lost = |key: &Key| {
            let place = self.by_key.get(key);
            place.is_some_and(|(number, _)| lost.contains(number))
        };
        keep.extend(sorted.into_iter().filter(|key| is_lost(key)));
        let mut replaced: Vec<usize> = lost;

        let on_disk = |at: &usize| !replaced.contains(at);
        let there: Vec<usize> = (0..self.packs.len()).filter(on_disk).collect();
        if self.mostly_garbage(folder, live, config) {
            let wanted = self.family(folder, live, config);
            let mut all: Vec<Key> = Vec::new();
            for pack in &self.packs {
                let keys = pack.records.iter().map(|record| record.key);
                all.extend(keys.filter(|key| wanted.contains(key)));
            }
            all.extend(keep);
            keep = all;
            replaced = (0..self.packs.len()).collect();
        } else if there.len() >= MANY {
            for at in there {
                let Some(pack) = self.packs.get(at) else {
                    continue;
                };
                if pack.file.as_ref().is_some_and(|(_, size)| *size <= SMALL) {
                    keep.extend(pack.records.iter().map(|record| record.key));
                    replaced.push(at);
                }
            }
        }
        if keep.is_empty() && replaced.is_empty() {
            return Ok(());
        }
        if replaced.is_empty() && keep.len() == self.fresh.records.len() {
            return self.write_fresh(folder);
        }
        let mut next = Pack::default();
        let mut done = HashSet::new();
        for key in keep {
            let Some((_, pack, record)) = self.find(&key) else {
                continue;
            };
            if let (Ok(facts), Ok(summary)) = (
                pack.facts.get(record.facts),
                pack.summaries.get(record.summary),
            ) && done.insert(key)
            {
                next.records.push(Record {
                    key,
                    facts: next.facts.push(&facts),
                    summary: next.summaries.push(&summary),
                });
            }
        }
        if !next.records.is_empty() {
            let path = folder.next_pack();
            file::write(
                &path,
                Kind::Pack,
                &self.build,
                0,
                &next.records,
                &mut [&mut next.facts, &mut next.summaries],
            )?;
        }
        for at in replaced {
            if let Some((path, _)) = self.packs.get(at).and_then(|pack| pack.file.as_ref()) {
                let _ = fs::remove_file(path);
            }
        }
        let mut again = Packs::new();
        again.look(folder);
        *self = again;
        Ok(())
    }

    /// Writes what was extracted as a pack of its own.
    fn write_fresh(&mut self, folder: &Folder) -> io::Result<()> {
        let fresh = &mut self.fresh;
        let path = folder.next_pack();
        file::write(
            &path,
            Kind::Pack,
            &self.build,
            0,
            &fresh.records,
            &mut [&mut fresh.facts, &mut fresh.summaries],
        )?;
        let mut again = Packs::new();
        again.look(folder);
        *self = again;
        Ok(())
    }

    /// The contents that the roots of the family have.
    fn family(&self, folder: &Folder, live: &HashSet<Key>, config: &IndexConfig) -> HashSet<Key> {
        let build = snapshot::build(config);
        let mut all = live.clone();
        for path in folder.snapshots() {
            match snapshot::contents(&path, &build) {
                Ok(Some(keys)) => all.extend(keys),
                // Its work tree is gone, or nobody has used it for long.
                Ok(None) => drop(fs::remove_file(path)),
                Err(Damaged) if is_old(&path) => drop(fs::remove_file(path)),
                Err(Damaged) => {}
            }
        }
        all
    }

    /// Whether more than half of what is kept belongs to no root.
    fn mostly_garbage(&self, folder: &Folder, live: &HashSet<Key>, config: &IndexConfig) -> bool {
        let total: u64 = self.packs.iter().map(|pack| pack.facts.raw_len()).sum();
        let own = self.live_len(live);
        total > FEW
            && own * 2 < total
            && self.live_len(&self.family(folder, live, config)) * 2 < total
    }

    fn live_len(&self, live: &HashSet<Key>) -> u64 {
        let lens = live
            .iter()
            .filter_map(|key| Some(self.find(key)?.2.facts.len()));
        lens.sum()
    }
}

/// Whether a file has not been written for a month.
fn is_old(path: &Path) -> bool {
    let written = path.metadata().and_then(|meta| meta.modified());
    let age = written.ok().and_then(|written| written.elapsed().ok());
    age.is_some_and(|age| age > Duration::from_secs(30 * 24 * 60 * 60))
}

/// So little is not worth clearing up.
const FEW: u64 = 256 << 10;

fn open(path: &Path, build: &Build) -> Result<Pack, Damaged> {
    let size = path.metadata().map_err(|_| Damaged)?.len();
    let opened = file::open::<Vec<Record>>(path, Kind::Pack, build)?;
    let (records, [facts, summaries]) = opened.leave()?;
    Ok(Pack {
        file: Some((path.to_path_buf(), size)),
        facts,
        summaries,
        records,
    })
}

/// The contents that an index needs.
pub(super) fn live(content: &Content) -> HashSet<Key> {
    content
        .indexed()
        .map(|(entry, indexed)| Key::of(entry.content, indexed.language))
        .collect()
}
