//! Linking what changed, and what could see the change.

use super::content::{Content, Entry, Heaps, Indexed, State};
use super::fold::{facts_from_bytes, facts_to_bytes, links_to_bytes};
use super::heap::Damaged;
use super::pack::Key;
use super::refresh::{Attempt, Stopped};
use super::unit;
use crate::facts::{Facts, Manifest};
use crate::link::{Links, Loader, SourceFile, World};
use fourfold_syntax::{ContentHash, ParseLimits, with_parser};
use fourfold_worktree::{Ended, Purpose, ReadLimits, read_text};
use hashbrown::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// So many files are linked with one world, whose memory grows with what it has seen.
const BATCH: usize = 4096;

/// The files of a generation whose links are worked out.
pub(super) struct Unlinked {
    /// Sorted by path.
    pub(super) entries: Vec<Arc<Entry>>,
    pub(super) heaps: Heaps,
    /// Indices of the entries that say something else than before, or that are new.
    pub(super) changed: HashSet<usize>,
    /// The entries of before that are not there any more.
    pub(super) removed: Vec<Arc<Entry>>,
}

/// The same with links.
pub(super) struct Linked {
    pub(super) entries: Vec<Arc<Entry>>,
    pub(super) heaps: Heaps,
    pub(super) side: Arc<Side>,
    /// How many files were linked.
    pub(super) relinked: usize,
}

impl Attempt<'_> {
    /// Links the files that changed, and those that looked up something that is not what it was.
    pub(super) fn link(&self, now: Unlinked) -> Result<Linked, Stopped> {
        let before = match self.before.generation {
            0 => None,
            _ => Some(self.before.side()?),
        };
        let side = Side::of(&now.entries, &now.heaps, before.as_deref())?;
        let new_world = || side.world(Box::new(|at| self.facts(&side, &now.entries, at)));
        let mut world = Some(new_world());
        // Positions among the indexed files, in order.
        let mut due = side.linkable();
        if let (Some(before), Some(world)) = (&before, &world)
            && !self.ground_moved(&now)
        {
            let changes = Changes::between(before, &side, world, &now.changed);
            let mut lookups = now.heaps.lookups.reader();
            let mut met = Vec::new();
            for at in due {
                let Some((_, indexed)) = side.indexed.get(at) else {
                    continue;
                };
                let own = changes.files.contains(&at);
                if own || lookups.with(indexed.lookups, |bytes| meets(bytes, &changes.keys))? {
                    met.push(at);
                }
            }
            due = met;
        }
        let mut links = now.heaps.links.clone();
        let mut lookups = now.heaps.lookups.clone();
        let mut linked: Vec<(usize, Indexed)> = Vec::with_capacity(due.len());
        for batch in due.chunks(BATCH) {
            let world = world.take().unwrap_or_else(new_world);
            let workers = &self.index.config().workers;
            let ended = workers
                .map(
                    batch,
                    self.control,
                    || self.big_stack(),
                    |_, at| {
                        let mut links = world.link(*at);
                        let lookups = std::mem::take(&mut links.lookups);
                        Ok(Some((links_to_bytes(&links), short(&lookups))))
                    },
                    |at, done| {
                        let done = done.unwrap_or_else(|why| {
                            tracing::warn!(%why, "a file could not be linked");
                            (links_to_bytes(&Links::default()), Vec::new())
                        });
                        if let Some((entry, indexed)) = side.indexed.get(*at) {
                            let indexed = Indexed {
                                links: links.push(&done.0),
                                lookups: lookups.push(&done.1),
                                ..*indexed
                            };
                            linked.push((*entry, indexed));
                        }
                        ControlFlow::Continue(())
                    },
                )
                .map_err(|source| self.failed(source))?;
            if ended != Ended::Complete {
                return Err(self.cancelled().into());
            }
        }
        drop(world);
        // Files of which only the outline is in have no links of their own.
        let none = (
            links.push(&links_to_bytes(&Links::default())),
            lookups.push(&[]),
        );
        for (at, indexed) in &side.indexed {
            if indexed.outline_only.is_some() && now.changed.contains(at) {
                let indexed = Indexed {
                    links: none.0,
                    lookups: none.1,
                    ..*indexed
                };
                linked.push((*at, indexed));
            }
        }
        let relinked = due.len();
        let mut entries = now.entries;
        for (at, indexed) in linked {
            if let Some(entry) = entries.get_mut(at) {
                Arc::make_mut(entry).state = State::Indexed(indexed);
            }
        }
        let mut heaps = Heaps {
            links,
            lookups,
            ..now.heaps
        };
        heaps.seal();
        Ok(Linked {
            entries,
            heaps,
            side: Arc::new(side),
            relinked,
        })
    }

    /// Whether a project file came, went, or says something else: modules may be elsewhere now.
    fn ground_moved(&self, now: &Unlinked) -> bool {
        let is_project = |entry: &Arc<Entry>| matches!(entry.state, State::Project(_));
        let changed = now.changed.iter().filter_map(|at| now.entries.get(*at));
        now.removed.iter().any(is_project)
            || changed.into_iter().any(|entry| {
                is_project(entry) || self.before.entry(&entry.path).is_some_and(is_project)
            })
    }

    /// The facts of an indexed file, from the packs or from the file itself.
    fn facts(&self, side: &Side, entries: &[Arc<Entry>], at: usize) -> Option<Arc<Facts>> {
        let (entry, indexed) = side.indexed.get(at)?;
        let entry = entries.get(*entry)?;
        let key = Key::of(entry.content, indexed.language);
        let kept = self.index.packs().read().facts(&key);
        if let Some(facts) = kept.and_then(|bytes| facts_from_bytes(&bytes.ok()?).ok()) {
            return Some(Arc::new(facts));
        }
        let again = self.extract_again(entry, indexed);
        let mut packs = self.index.packs().write();
        packs.forget(&key);
        match again {
            Some((facts, summary)) => {
                packs.add(key, &facts_to_bytes(&facts), &summary);
                Some(Arc::new(facts))
            }
            None => {
                self.lost.lock().insert(entry.path.clone());
                None
            }
        }
    }

    /// The facts of a file whose pack is gone or damaged: the file says them again, if it is what
    /// it was.
    fn extract_again(&self, entry: &Entry, indexed: &Indexed) -> Option<(Facts, Vec<u8>)> {
        let file = self.index.checkout().admit(&entry.path, Purpose::Read);
        let limits = ReadLimits {
            max_bytes: self.index.config().max_bytes,
        };
        let text = read_text(&file.ok()?, &limits).ok()?.text;
        if ContentHash::of(text.as_bytes()) != entry.content {
            return None;
        }
        let parse = ParseLimits::default();
        let tree = with_parser(parse, |parser| parser.parse(indexed.language, &text));
        unit::extract(indexed.language, &text, tree.ok()?)
    }
}

/// What differs between two generations.
struct Changes {
    /// The positions of the files that are to be linked whatever they looked up.
    files: HashSet<usize>,
    /// The keys of everything that can be looked up and is not what it was, shortened.
    keys: HashSet<u32>,
}

impl Changes {
    /// `changed` are the entries that say something else than before, or that are new.
    fn between(before: &Side, now: &Side, world: &World<'_>, changed: &HashSet<usize>) -> Changes {
        let old_world = before.world(Box::new(|_| None));
        let mut changes = Changes {
            files: HashSet::new(),
            keys: HashSet::new(),
        };
        for (at, ((entry, _), file)) in now.indexed.iter().zip(&now.files).enumerate() {
            let old = before.position(&file.path);
            if changed.contains(entry) {
                changes.files.insert(at);
                let old = old.map(|old| old_world.keys_of(old)).unwrap_or_default();
                changes.differ(&old, &world.keys_of(at));
            } else if let Some(old) = old
                && old_world.place_of(old) != world.place_of(at)
            {
                changes.files.insert(at);
                changes.differ(&old_world.keys_of(old), &[]);
                changes.differ(&world.keys_of(at), &[]);
            }
        }
        for (at, file) in before.files.iter().enumerate() {
            if now.position(&file.path).is_none() {
                changes.differ(&old_world.keys_of(at), &[]);
            }
        }
        changes
    }

    /// Takes in what is in one of two sorted lists only.
    fn differ(&mut self, old: &[(u64, u64)], new: &[(u64, u64)]) {
        let only = |a: &[(u64, u64)], b: &[(u64, u64)]| -> Vec<u32> {
            let alone = a.iter().filter(|one| b.binary_search(one).is_err());
            alone.map(|(key, _)| *key as u32).collect()
        };
        self.keys.extend(only(old, new));
        self.keys.extend(only(new, old));
    }
}

/// Keys as they are kept: half of each. Two keys that share a half let a file be linked once more
/// than it need be.
fn short(keys: &[u64]) -> Vec<u8> {
    let mut short: Vec<u32> = keys.iter().map(|key| *key as u32).collect();
    short.sort_unstable();
    short.dedup();
    short.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Whether one of a file's shortened lookups is among these.
fn meets(lookups: &[u8], keys: &HashSet<u32>) -> bool {
    let (lookups, _) = lookups.as_chunks::<4>();
    !keys.is_empty()
        && lookups
            .iter()
            .any(|key| keys.contains(&u32::from_le_bytes(*key)))
}

/// The indexed files of a generation with what linking needs of all of them.
#[derive(Debug)]
pub(super) struct Side {
    /// The index of the entry, and what is known of it.
    indexed: Vec<(usize, Indexed)>,
    files: Vec<SourceFile>,
    manifests: Vec<(String, Manifest)>,
}

impl Side {
    /// What has not changed since `before` is taken from there.
    pub(super) fn of(
        entries: &[Arc<Entry>],
        heaps: &Heaps,
        before: Option<&Side>,
    ) -> Result<Side, Damaged> {
        let mut reader = heaps.surfaces.reader();
        let mut side = Side {
            indexed: Vec::new(),
            files: Vec::new(),
            manifests: Vec::new(),
        };
        let mut known = before.map(|before| before.indexed.iter().zip(&before.files).peekable());
        for (at, entry) in entries.iter().enumerate() {
            match &entry.state {
                State::Indexed(indexed) => {
                    let known = known.as_mut().and_then(|known| {
                        while known.next_if(|(_, file)| file.path < entry.path).is_some() {}
                        known.next_if(|(_, file)| file.path == entry.path)
                    });
                    // The same blob of heaps that only grow is the same surface.
                    let same = known.filter(|((_, old), _)| old.surface == indexed.surface);
                    side.indexed.push((at, *indexed));
                    side.files.push(match same {
                        Some((_, file)) => file.clone(),
                        None => SourceFile {
                            path: entry.path.clone(),
                            language: indexed.language,
                            surface: Arc::new(reader.decode(indexed.surface)?),
                        },
                    });
                }
                State::Project(manifest) => {
                    let manifest = reader.decode(*manifest)?;
                    side.manifests.push((entry.path.clone(), manifest));
                }
                State::Nothing | State::Left(_) => {}
            }
        }
        Ok(side)
    }

    fn world<'w>(&self, loader: Loader<'w>) -> World<'w> {
        World::new(self.files.clone(), self.manifests.clone(), loader)
    }

    /// The positions of the files whose links are asked for.
    fn linkable(&self) -> Vec<usize> {
        let whole = |at: &usize| {
            let indexed = self.indexed.get(*at);
            indexed.is_some_and(|(_, indexed)| indexed.outline_only.is_none())
        };
        (0..self.indexed.len()).filter(whole).collect()
    }

    fn position(&self, path: &str) -> Option<usize> {
        self.files
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .ok()
    }
}

impl Content {
    /// The side of this generation, from memory if it is there.
    fn side(&self) -> Result<Arc<Side>, Damaged> {
        match self.side.get() {
            Some(side) => Ok(Arc::clone(side)),
            None => Ok(Arc::new(Side::of(&self.entries, &self.heaps, None)?)),
        }
    }
}
