//! Linking what changed, and what could see the change.

use super::content::{Entry, Heaps, Indexed, State};
use super::fold::{facts_from_bytes, facts_to_bytes, links_to_bytes};
use super::heap::Damaged;
use super::lookups;
use super::pack::Key;
use super::refresh::{Attempt, Stopped};
use super::unit;
use crate::facts::{Facts, Manifest};
use crate::graph::PackedLinks;
use crate::link::{Loader, Prints, SourceFile, World};
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
        let kept = self.before.side.get();
        let side = Side::of(&now.entries, &now.heaps, kept.map(|side| &**side))?;
        let new_world = || side.world(Box::new(|at| self.facts(&side, &now.entries, at)));
        let first = new_world();
        let places: Vec<u64> = (0..side.files.len()).map(|at| first.place_of(at)).collect();
        // Positions among the indexed files, in order.
        let mut due = side.linkable();
        if self.before.generation > 0
            && !self.ground_moved(&now)
            && let Some(changes) = self.changes(&side, &first, &places, &now)?
        {
            let mut kept = now.heaps.lookups.reader();
            let mut met = Vec::new();
            for at in due {
                let Some((_, indexed)) = side.indexed.get(at) else {
                    continue;
                };
                let own = changes.files.contains(&at);
                if own || kept.with(indexed.lookups, |bytes| meets(bytes, &changes.keys))? {
                    met.push(at);
                }
            }
            due = met;
        }
        let mut world = Some(first);
        let mut links = now.heaps.links.clone();
        let mut all_lookups = now.heaps.lookups.clone();
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
                        let keys = std::mem::take(&mut links.lookups).into_iter();
                        // What is its own needs no key: a file that changed is linked again.
                        let own = world.own(*at);
                        let lookups = lookups::to_bytes(keys.filter(|key| !own(*key)));
                        let file = world.id_of(*at, None);
                        let packed = PackedLinks::of(&links, file, world.ids_of(*at));
                        Ok(Some((links_to_bytes(packed), lookups)))
                    },
                    |at, done| {
                        let done = done.unwrap_or_else(|why| {
                            tracing::warn!(%why, "a file could not be linked");
                            (links_to_bytes(PackedLinks::default()), Vec::new())
                        });
                        if let Some((entry, indexed)) = side.indexed.get(*at) {
                            let indexed = Indexed {
                                links: links.push(&done.0),
                                lookups: all_lookups.push(&done.1),
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
            links.push(&links_to_bytes(PackedLinks::default())),
            all_lookups.push(&[]),
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
        for ((at, _), place) in side.indexed.iter().zip(places) {
            if let Some(entry) = entries.get_mut(*at)
                && let State::Indexed(indexed) = entry.state
                && indexed.place != place
            {
                Arc::make_mut(entry).state = State::Indexed(Indexed { place, ..indexed });
            }
        }
        let mut heaps = Heaps {
            links,
            lookups: all_lookups,
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

    /// What differs between the two generations; none when it cannot be told, because the facts of
    /// a file as it was are gone.
    fn changes(
        &self,
        side: &Side,
        world: &World<'_>,
        places: &[u64],
        now: &Unlinked,
    ) -> Result<Option<Changes>, Stopped> {
        let mut changes = Changes::default();
        // Files that were there, with their keys of now.
        let mut old: Vec<(&Entry, &Indexed, Keys)> = Vec::new();
        for (entry, indexed) in self.before.indexed() {
            let at = side.position(&entry.path);
            let here = at.and_then(|at| Some((at, side.indexed.get(at)?.0, *places.get(at)?)));
            let Some((at, number, place)) = here else {
                old.push((entry, indexed, Vec::new()));
                continue;
            };
            let changed = now.changed.contains(&number);
            if !changed && indexed.place == place {
                continue;
            }
            changes.files.insert(at);
            let Some(facts) = self.facts(side, &now.entries, at) else {
                return Ok(None);
            };
            let keys = world.keys_of(at, &Prints::of(&facts), place);
            if changed {
                old.push((entry, indexed, keys));
            } else {
                // Where it stands is part of everything in it.
                changes.differ(&keys, &[]);
                old.push((entry, indexed, Vec::new()));
            }
        }
        for (at, ((number, _), place)) in side.indexed.iter().zip(places).enumerate() {
            if now.changed.contains(number) && changes.files.insert(at) {
                let Some(facts) = self.facts(side, &now.entries, at) else {
                    return Ok(None);
                };
                changes.differ(&[], &world.keys_of(at, &Prints::of(&facts), *place));
            }
        }
        let mut surfaces = self.before.heaps.surfaces.reader();
        let mut files = Vec::with_capacity(old.len());
        for (entry, indexed, _) in &old {
            files.push(SourceFile {
                path: entry.path.clone(),
                language: indexed.language,
                surface: Arc::new(surfaces.decode(indexed.surface)?),
            });
        }
        // Namespaces are a matter of one file and the project files, which are what they were.
        let then = World::new(files, side.manifests.clone(), Box::new(|_| None));
        for (at, (entry, indexed, keys)) in old.iter().enumerate() {
            let Some(facts) = self.kept_facts(&Key::of(entry.content, indexed.language)) else {
                return Ok(None);
            };
            changes.differ(&then.keys_of(at, &Prints::of(&facts), indexed.place), keys);
        }
        Ok(Some(changes))
    }

    /// Facts from the packs.
    fn kept_facts(&self, key: &Key) -> Option<Facts> {
        let kept = self.index.packs().read().facts(key)?;
        facts_from_bytes(&kept.ok()?).ok()
    }

    /// The facts of an indexed file, from the packs or from the file itself.
    fn facts(&self, side: &Side, entries: &[Arc<Entry>], at: usize) -> Option<Arc<Facts>> {
        let (entry, indexed) = side.indexed.get(at)?;
        let entry = entries.get(*entry)?;
        let key = Key::of(entry.content, indexed.language);
        if let Some(facts) = self.kept_facts(&key) {
            return Some(Arc::new(facts));
        }
        let again = self.extract_again(entry, indexed);
        let mut packs = self.index.packs().write();
        packs.forget(&key);
        match again {
            Some((facts, summary)) => {
                packs.add(key, &facts_to_bytes(facts.clone()), &summary);
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

/// What can be looked up in a file: see [`World::keys_of`].
type Keys = Vec<(u64, u64)>;

/// What differs between two generations.
#[derive(Default)]
struct Changes {
    /// The positions of the files that are to be linked whatever they looked up.
    files: HashSet<usize>,
    /// The keys of everything that can be looked up and is not what it was, shortened.
    keys: HashSet<u32>,
}

impl Changes {
    /// Takes in what is in one of two sorted lists only.
    fn differ(&mut self, old: &[(u64, u64)], new: &[(u64, u64)]) {
        let only = |a: &[(u64, u64)], b: &[(u64, u64)]| -> Vec<u32> {
            let alone = a.iter().filter(|one| b.binary_search(one).is_err());
            alone.map(|(key, _)| lookups::short(*key)).collect()
        };
        self.keys.extend(only(old, new));
        self.keys.extend(only(new, old));
    }
}

/// Whether one of a file's lookups is among these.
fn meets(bytes: &[u8], keys: &HashSet<u32>) -> bool {
    !keys.is_empty() && lookups::keys(bytes).any(|key| keys.contains(&key))
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
