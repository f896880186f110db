//! From one generation to the next: what changed is read, and what that could concern is linked.

use super::content::{Content, Entry, Heaps, Indexed, State};
use super::coverage::{Coverage, Reason};
use super::heap::{Damaged, decode, encode};
use super::list::{Found, Listing, list};
use super::pack::Key;
use super::unit::{self, Looked, What};
use super::{Index, Refreshed};
use crate::error::Error;
use crate::facts::{Facts, Manifest};
use crate::link::{Links, Loader, SourceFile, World};
use fourfold_syntax::{ParseLimits, Parser, stack, with_parser};
use fourfold_worktree::{Control, Ended, Purpose, ReadLimits, Stamp};
use hashbrown::{HashMap, HashSet};
use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Files whose facts cannot be had are read again; so often, when they change all the while.
const ROUNDS: usize = 4;

/// So many files are linked with one world, whose memory grows with what it has seen.
const BATCH: usize = 4096;

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scope<'a> {
    /// The whole checkout.
    All,
    /// These files, below the root and with `/`.
    Files(&'a [&'a str]),
}

/// What is known of each file before anything is read.
enum Slot {
    /// It is what it was.
    Kept(Arc<Entry>),
    /// It must be read.
    Open(Found, Option<Arc<Entry>>),
}

/// The next generation, and how it came about.
pub(super) struct Next {
    pub(super) content: Content,
    pub(super) refreshed: Refreshed,
    /// Files that were read and found to be what they were.
    pub(super) touched: usize,
}

/// Works out the next generation.
pub(super) fn refresh(index: &Index, scope: Scope<'_>, control: &Control) -> Result<Next, Error> {
    let mut distrusted = HashSet::new();
    for _ in 0..ROUNDS {
        let before = index.current();
        let attempt = Attempt {
            index,
            before: &before,
            control,
            lost: Mutex::default(),
        };
        match attempt.run(scope, &distrusted) {
            Ok(next) => {
                let lost = attempt.lost.into_inner();
                if lost.is_empty() {
                    return Ok(next);
                }
                distrusted.extend(lost);
            }
            Err(Stopped::Error(error)) => return Err(error),
            Err(Stopped::Damaged) => {
                tracing::warn!("the index does not fit this program and is made anew");
                index.forget();
            }
        }
    }
    Err(Error::Restless {
        root: index.checkout().root().to_path_buf(),
        rounds: ROUNDS,
    })
}

/// Why there is no next generation.
enum Stopped {
    Error(Error),
    /// What was known cannot be read.
    Damaged,
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Stopped {
        Stopped::Error(error)
    }
}

impl From<Damaged> for Stopped {
    fn from(_: Damaged) -> Stopped {
        Stopped::Damaged
    }
}

struct Attempt<'i> {
    index: &'i Index,
    before: &'i Content,
    control: &'i Control,
    /// Files whose facts could not be had.
    lost: Mutex<HashSet<String>>,
}

/// The files as they are now.
#[derive(Default)]
struct Now {
    /// Sorted by path.
    entries: Vec<Arc<Entry>>,
    heaps: Heaps,
    /// Indices of the entries that say something else than before, or that are new.
    changed: Vec<usize>,
    parsed: usize,
    touched: usize,
    hashed: usize,
}

impl Attempt<'_> {
    fn run(&self, scope: Scope<'_>, distrusted: &HashSet<String>) -> Result<Next, Stopped> {
        let workers = &self.index.config().workers;
        let (slots, skipped) = match scope {
            Scope::All => {
                let listing = list(self.index.checkout(), workers, self.control)?;
                if self.control.is_cancelled() {
                    return Err(self.cancelled().into());
                }
                self.sort_out(listing, distrusted)
            }
            Scope::Files(paths) => (self.some(paths, distrusted), self.before.skipped.to_vec()),
        };
        let now = self.read(slots)?;
        let removed = self.removed(&now);
        let mut coverage = Coverage::default();
        for entry in &now.entries {
            match &entry.state {
                State::Indexed(indexed) => {
                    coverage.add(&entry.path, indexed.partial, indexed.outline_only);
                }
                State::Left(reason) => coverage.skip(&entry.path, *reason),
                State::Project(_) | State::Nothing => {}
            }
        }
        for (path, reason) in &skipped {
            coverage.skip(path, *reason);
        }
        let mut refreshed = Refreshed {
            parsed: now.parsed,
            hashed: now.hashed,
            ..Refreshed::default()
        };
        self.count(&now, &removed, &mut refreshed);
        let touched = now.touched;
        let same = now.changed.is_empty() && removed.is_empty() && self.before.generation > 0;
        let content = if same {
            let generation = self.before.generation;
            let content = Content::new(generation, now.entries, now.heaps, coverage, skipped);
            content.inherit(self.before);
            content
        } else {
            let (entries, heaps, relinked) = self.link(now, &removed)?;
            refreshed.relinked = relinked;
            let generation = self.before.generation + 1;
            let content = Content::new(generation, entries, heaps, coverage, skipped);
            content.follow(self.before);
            content
        };
        refreshed.generation = content.generation;
        Ok(Next {
            content,
            refreshed,
            touched,
        })
    }

    /// Which files are what they were, by their stamps.
    fn sort_out(
        &self,
        listing: Listing,
        distrusted: &HashSet<String>,
    ) -> (Vec<Slot>, Vec<(String, Reason)>) {
        let mut slots = Vec::with_capacity(listing.found.len());
        let mut known = self.before.entries.iter().peekable();
        for found in listing.found {
            while known.next_if(|entry| entry.path < found.path).is_some() {}
            let entry = known.next_if(|entry| entry.path == found.path);
            slots.push(slot(found, entry, distrusted));
        }
        (slots, listing.skipped)
    }

    /// The files that are known, some of which are looked at.
    fn some(&self, paths: &[&str], distrusted: &HashSet<String>) -> Vec<Slot> {
        let mut wanted: HashMap<&str, Option<Found>> = HashMap::new();
        let mut trees = super::list::WorkTrees::default();
        let root = self.index.checkout().root();
        for path in paths
            .iter()
            .copied()
            .chain(distrusted.iter().map(String::as_str))
        {
            let is_ours = self.before.entry(path).is_some() || !trees.has_own(root, path);
            wanted.insert(path, is_ours.then(|| self.find(path)).flatten());
        }
        let mut slots = Vec::with_capacity(self.before.entries.len());
        for entry in &self.before.entries {
            match wanted.remove(entry.path.as_str()) {
                None => slots.push(Slot::Kept(Arc::clone(entry))),
                Some(None) => {}
                Some(Some(found)) => slots.push(slot(found, Some(entry), distrusted)),
            }
        }
        // A file that is not known may be ignored: only a walk tells.
        slots
    }

    /// One file that is known, as it is now.
    fn find(&self, path: &str) -> Option<Found> {
        let file = self.index.checkout().admit(path, Purpose::Read).ok()?;
        if file.relative().to_str() != Some(path) {
            return None;
        }
        Some(Found {
            path: path.to_owned(),
            stamp: Stamp::of(file.absolute()).ok()?,
            role: super::list::role_of(file.relative())?,
            care: super::rules::by_path(path),
            file,
        })
    }

    /// Reads what must be read.
    fn read(&self, slots: Vec<Slot>) -> Result<Now, Stopped> {
        let config = self.index.config();
        let limits = ReadLimits {
            max_bytes: config.max_bytes,
        };
        let parse_limits = ParseLimits {
            max_bytes: usize::try_from(config.max_bytes).unwrap_or(usize::MAX),
            max_time: config.max_time,
        };
        let open: Vec<(usize, &Found, Option<&Entry>)> = (0..)
            .zip(&slots)
            .filter_map(|(at, slot)| match slot {
                Slot::Open(found, before) => Some((at, found, before.as_deref())),
                Slot::Kept(_) => None,
            })
            .collect();
        if !open.is_empty()
            && let Some(folder) = self.index.folder()
        {
            self.index.packs().write().look(folder);
        }
        let mut now = Now {
            heaps: self.before.heaps.clone(),
            hashed: open.len(),
            ..Now::default()
        };
        let mut looked: Vec<Option<Arc<Entry>>> = Vec::new();
        looked.resize_with(slots.len(), || None);
        let mut changed = HashSet::new();
        if !open.is_empty() {
            let ended = config
                .workers
                .map(
                    &open,
                    self.control,
                    || (Parser::new(parse_limits), self.big_stack()),
                    |(parser, _), (_, found, before)| {
                        Ok(unit::look(
                            found,
                            *before,
                            &limits,
                            self.index.packs(),
                            parser,
                        ))
                    },
                    |(at, found, before), outcome| {
                        let outcome = outcome.unwrap_or_else(|why| {
                            tracing::warn!(path = found.path, %why, "a file could not be indexed");
                            unit::crashed(found)
                        });
                        let entry = self.enter(&mut now, found, *before, outcome);
                        if before.is_none_or(|before| before.state != entry.state) {
                            changed.insert(*at);
                        } else {
                            now.touched += 1;
                        }
                        if let Some(slot) = looked.get_mut(*at) {
                            *slot = Some(Arc::new(entry));
                        }
                        ControlFlow::Continue(())
                    },
                )
                .map_err(|source| self.failed(source))?;
            if ended != Ended::Complete {
                return Err(self.cancelled().into());
            }
        }
        for ((at, slot), looked) in slots.into_iter().enumerate().zip(looked) {
            let entry = match (slot, looked) {
                (Slot::Kept(entry), _) => entry,
                (Slot::Open(..), Some(entry)) => entry,
                // It vanished before it could be read.
                (Slot::Open(..), None) => continue,
            };
            if changed.contains(&at) {
                now.changed.push(now.entries.len());
            }
            now.entries.push(entry);
        }
        Ok(now)
    }

    /// Worker threads have a big stack when they are set up as they are by default.
    fn big_stack(&self) -> Option<stack::BigStack> {
        let is_big = self.index.config().workers.stack_bytes >= stack::BIG_STACK;
        is_big.then(stack::assume_big_stack)
    }

    /// Takes down what became of a file.
    fn enter(&self, now: &mut Now, found: &Found, before: Option<&Entry>, looked: Looked) -> Entry {
        let state = match looked.what {
            What::Same => before.map_or(State::Nothing, |before| before.state.clone()),
            What::Unit(unit) => {
                if let Some((facts, summary)) = &unit.extracted {
                    now.parsed += 1;
                    let key = Key::of(looked.content, unit.language);
                    self.index.packs().write().add(key, facts, summary);
                }
                State::Indexed(Indexed {
                    language: unit.language,
                    partial: unit.partial,
                    outline_only: unit.outline_only,
                    outline: now.heaps.outlines.push(&unit.outline),
                    surface: now.heaps.surfaces.push(&unit.surface),
                    ..Indexed::unlinked(unit.language)
                })
            }
            What::Project(manifest) => {
                let same = before.filter(|before| match before.state {
                    State::Project(blob) => {
                        self.before.heaps.surfaces.get(blob).as_ref() == Ok(&manifest)
                    }
                    _ => false,
                });
                match same {
                    Some(before) => before.state.clone(),
                    None => State::Project(now.heaps.surfaces.push(&manifest)),
                }
            }
            What::Nothing => State::Nothing,
            What::Left(reason) => State::Left(reason),
        };
        Entry {
            path: found.path.clone(),
            stamp: looked.stamp,
            settled: looked.settled,
            content: looked.content,
            state,
        }
    }

    /// The entries of before that are not there any more.
    fn removed(&self, now: &Now) -> Vec<Arc<Entry>> {
        let mut there = now.entries.iter().peekable();
        let gone = self.before.entries.iter().filter(|entry| {
            while there.next_if(|now| now.path < entry.path).is_some() {}
            there.next_if(|now| now.path == entry.path).is_none()
        });
        gone.cloned().collect()
    }

    /// Counts for the report: added, removed, moved.
    fn count(&self, now: &Now, removed: &[Arc<Entry>], refreshed: &mut Refreshed) {
        let mut gone: HashMap<[u8; 32], Vec<&str>> = HashMap::new();
        for entry in removed.iter().rev() {
            if matches!(entry.state, State::Indexed(_)) {
                refreshed.removed += 1;
                gone.entry(*entry.content.as_bytes())
                    .or_default()
                    .push(&entry.path);
            }
        }
        for entry in now.changed.iter().filter_map(|at| now.entries.get(*at)) {
            if !matches!(entry.state, State::Indexed(_)) {
                continue;
            }
            if self.before.entry(&entry.path).is_some() {
                refreshed.changed += 1;
                continue;
            }
            refreshed.added += 1;
            if let Some(from) = gone.get_mut(entry.content.as_bytes()).and_then(Vec::pop) {
                refreshed.moved.push((from.to_owned(), entry.path.clone()));
            }
        }
    }

    /// Links what changed, and what could see the change.
    fn link(
        &self,
        now: Now,
        removed: &[Arc<Entry>],
    ) -> Result<(Vec<Arc<Entry>>, Heaps, usize), Stopped> {
        let Now {
            mut entries,
            mut heaps,
            changed,
            ..
        } = now;
        for heap in [&mut heaps.outlines, &mut heaps.surfaces] {
            heap.seal();
        }
        let changed: HashSet<usize> = changed.into_iter().collect();
        let moved_ground = removed.iter().any(|entry| is_project(&entry.state))
            || changed.iter().any(|at| {
                let entry = entries.get(*at);
                let before = entry.and_then(|entry| self.before.entry(&entry.path));
                [entry, before]
                    .into_iter()
                    .flatten()
                    .any(|entry| is_project(&entry.state))
            });
        let side = Side::of(&entries, &heaps)?;
        let new_world = || side.world(Box::new(|at| self.facts(&side, &entries, at)));
        let mut world = Some(new_world());
        // Positions among the indexed files, in order, that are to be linked.
        let mut due = side.linkable();
        if !moved_ground
            && self.before.generation > 0
            && let Some(world) = &world
        {
            let keys = self.changed_keys(&side, world, &changed, removed)?;
            let mut lookups = heaps.lookups.reader();
            let mut met = Vec::new();
            for at in due {
                let Some((entry, indexed)) = side.indexed.get(at) else {
                    continue;
                };
                let new = changed.contains(entry);
                if new || lookups.with(indexed.lookups, |bytes| meets(bytes, &keys))? {
                    met.push(at);
                }
            }
            due = met;
        }
        let mut linked: Vec<(usize, Indexed)> = Vec::with_capacity(due.len());
        for batch in due.chunks(BATCH) {
            let world = world.take().unwrap_or_else(new_world);
            let ended = self
                .index
                .config()
                .workers
                .map(
                    batch,
                    self.control,
                    || self.big_stack(),
                    |_, at| {
                        let mut links = world.link(*at);
                        let lookups = std::mem::take(&mut links.lookups);
                        Ok(Some((encode(&links), short(&lookups))))
                    },
                    |at, done| {
                        let (links, lookups) = done.unwrap_or_else(|why| {
                            tracing::warn!(%why, "a file could not be linked");
                            (encode(&Links::default()), Vec::new())
                        });
                        if let Some((entry, indexed)) = side.indexed.get(*at) {
                            let indexed = Indexed {
                                links: heaps.links.push(&links),
                                lookups: heaps.lookups.push(&lookups),
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
        for (at, indexed) in linked {
            relinked(&mut entries, at, indexed);
        }
        // Files of which only the outline is in have no links of their own.
        let none = (
            heaps.links.push(&encode(&Links::default())),
            heaps.lookups.push(&[]),
        );
        for (at, indexed) in &side.indexed {
            if indexed.outline_only.is_some() && changed.contains(at) {
                let indexed = Indexed {
                    links: none.0,
                    lookups: none.1,
                    ..*indexed
                };
                relinked(&mut entries, *at, indexed);
            }
        }
        for heap in [&mut heaps.links, &mut heaps.lookups] {
            heap.seal();
        }
        Ok((entries, heaps, due.len()))
    }

    /// The keys of everything that can be looked up and is not what it was, shortened.
    fn changed_keys(
        &self,
        now: &Side,
        world: &World<'_>,
        changed: &HashSet<usize>,
        removed: &[Arc<Entry>],
    ) -> Result<HashSet<u32>, Damaged> {
        let before = Side::of(&self.before.entries, &self.before.heaps)?;
        let old_world = before.world(Box::new(|_| None));
        let removed: HashSet<&str> = removed.iter().map(|entry| entry.path.as_str()).collect();
        let mut keys = HashSet::new();
        let mut differ = |old: &[(u64, u64)], new: &[(u64, u64)]| {
            keys.extend(difference(old, new).map(|(key, _)| *key as u32));
        };
        for (at, (entry, _)) in now.indexed.iter().enumerate() {
            if changed.contains(entry) {
                let old = now
                    .files
                    .get(at)
                    .and_then(|file| before.position(&file.path));
                let old = old.map(|at| old_world.keys_of(at)).unwrap_or_default();
                differ(&old, &world.keys_of(at));
            }
        }
        for (at, file) in before.files.iter().enumerate() {
            if removed.contains(file.path.as_str()) || now.position(&file.path).is_none() {
                differ(&old_world.keys_of(at), &[]);
            }
        }
        Ok(keys)
    }

    /// The facts of an indexed file, from the packs or from the file itself.
    fn facts(&self, side: &Side, entries: &[Arc<Entry>], at: usize) -> Option<Arc<Facts>> {
        let (entry, indexed) = side.indexed.get(at)?;
        let entry = entries.get(*entry)?;
        let key = Key::of(entry.content, indexed.language);
        let kept = self.index.packs().read().facts(&key);
        if let Some(facts) = kept.and_then(|bytes| decode(&bytes.ok()?).ok()) {
            return Some(Arc::new(facts));
        }
        // The pack is gone or damaged: the file says it again, if it is what it was.
        let again = (|| {
            let file = self
                .index
                .checkout()
                .admit(&entry.path, Purpose::Read)
                .ok()?;
            let limits = ReadLimits {
                max_bytes: self.index.config().max_bytes,
            };
            let text = fourfold_worktree::read_text(&file, &limits).ok()?.text;
            if fourfold_syntax::ContentHash::of(text.as_bytes()) != entry.content {
                return None;
            }
            let tree = with_parser(ParseLimits::default(), |parser| {
                parser.parse(indexed.language, &text)
            });
            unit::extract(indexed.language, &text, tree.ok()?)
        })();
        let mut packs = self.index.packs().write();
        packs.forget(&key);
        match again {
            Some((facts, summary)) => {
                packs.add(key, &encode(&facts), &summary);
                Some(Arc::new(facts))
            }
            None => {
                self.lost.lock().insert(entry.path.clone());
                None
            }
        }
    }

    fn failed(&self, source: fourfold_worktree::Error) -> Error {
        Error::Files {
            root: self.index.checkout().root().to_path_buf(),
            source,
        }
    }

    fn cancelled(&self) -> Error {
        Error::Cancelled {
            done: self.control.done(),
            total: self.control.total(),
        }
    }
}

/// A file by its stamp: what it was, or to be read.
fn slot(found: Found, entry: Option<&Arc<Entry>>, distrusted: &HashSet<String>) -> Slot {
    let entry = entry.filter(|entry| {
        !distrusted.contains(&found.path) && unit::stands_for(&entry.state, &found)
    });
    match entry {
        Some(entry) if entry.settled && entry.stamp == found.stamp => Slot::Kept(Arc::clone(entry)),
        entry => Slot::Open(found, entry.cloned()),
    }
}

fn is_project(state: &State) -> bool {
    matches!(state, State::Project(_))
}

/// Gives an entry its links.
fn relinked(entries: &mut [Arc<Entry>], at: usize, indexed: Indexed) {
    if let Some(entry) = entries.get_mut(at) {
        Arc::make_mut(entry).state = State::Indexed(indexed);
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

/// What is in one of two sorted lists only.
fn difference<'k>(
    a: &'k [(u64, u64)],
    b: &'k [(u64, u64)],
) -> impl Iterator<Item = &'k (u64, u64)> {
    let only = |a: &'k [(u64, u64)], b: &'k [(u64, u64)]| {
        a.iter().filter(move |one| b.binary_search(one).is_err())
    };
    only(a, b).chain(only(b, a))
}

/// The indexed files of a generation with what linking needs of all of them.
struct Side {
    /// The index of the entry, and what is known of it.
    indexed: Vec<(usize, Indexed)>,
    files: Vec<SourceFile>,
    manifests: Vec<(String, Manifest)>,
}

impl Side {
    fn of(entries: &[Arc<Entry>], heaps: &Heaps) -> Result<Side, Damaged> {
        let mut reader = heaps.surfaces.reader();
        let mut side = Side {
            indexed: Vec::new(),
            files: Vec::new(),
            manifests: Vec::new(),
        };
        for (at, entry) in entries.iter().enumerate() {
            match &entry.state {
                State::Indexed(indexed) => {
                    side.indexed.push((at, *indexed));
                    side.files.push(SourceFile {
                        path: entry.path.clone(),
                        language: indexed.language,
                        surface: Arc::new(reader.decode(indexed.surface)?),
                    });
                }
                State::Project(manifest) => {
                    side.manifests
                        .push((entry.path.clone(), reader.decode(*manifest)?));
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
