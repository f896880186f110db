//! From one generation to the next: what changed is read, and what that could concern is linked.

use super::content::{Content, Entry, Heaps, Indexed, State};
use super::coverage::{Coverage, Reason};
use super::heap::Damaged;
use super::list::{Found, Listing, list};
use super::pack::Key;
use super::relink::Unlinked;
use super::trees::FEW;
use super::unit::{self, Looked, What};
use super::{Index, Refreshed};
use crate::error::Error;
use fourfold_syntax::{ParseLimits, Parser, stack};
use fourfold_worktree::{Control, Ended, Purpose, ReadLimits, Stamp};
use hashbrown::{HashMap, HashSet};
use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Files whose facts cannot be had are read again; so often, when they change all the while.
const ROUNDS: usize = 4;

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scope<'a> {
    /// The whole checkout, but for these files: what is known of them stays.
    All {
        /// See [`Scope::All`]; below the root and with `/`.
        but: &'a [&'a str],
    },
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
pub(super) enum Stopped {
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

/// One try at the next generation.
pub(super) struct Attempt<'i> {
    pub(super) index: &'i Index,
    pub(super) before: &'i Content,
    pub(super) control: &'i Control,
    /// Files whose facts could not be had.
    pub(super) lost: Mutex<HashSet<String>>,
}

/// The files as they are now.
#[derive(Default)]
struct Now {
    /// Sorted by path.
    entries: Vec<Arc<Entry>>,
    heaps: Heaps,
    /// Indices of the entries that say something else than before, or that are new.
    changed: HashSet<usize>,
    parsed: usize,
    touched: usize,
    hashed: usize,
}

impl Attempt<'_> {
    fn run(&self, scope: Scope<'_>, distrusted: &HashSet<String>) -> Result<Next, Stopped> {
        let workers = &self.index.config().workers;
        let (slots, skipped) = match scope {
            Scope::All { but } => {
                let listing = list(self.index.checkout(), workers, self.control)?;
                if self.control.is_cancelled() {
                    return Err(self.cancelled().into());
                }
                self.sort_out(listing, but, distrusted)
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
            self.before.retire();
            let linked = self.link(Unlinked {
                entries: now.entries,
                heaps: now.heaps,
                changed: now.changed,
                removed,
            })?;
            refreshed.relinked = linked.relinked;
            let generation = self.before.generation + 1;
            let content = Content::new(generation, linked.entries, linked.heaps, coverage, skipped);
            content.follow(self.before);
            content.remember(linked.side);
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
        but: &[&str],
        distrusted: &HashSet<String>,
    ) -> (Vec<Slot>, Vec<(String, Reason)>) {
        let mut slots = Vec::with_capacity(listing.found.len());
        let mut known = self.before.entries.iter().peekable();
        for found in listing.found {
            while known.next_if(|entry| entry.path < found.path).is_some() {}
            let entry = known.next_if(|entry| entry.path == found.path);
            let left = entry.filter(|_| {
                let path = found.path.as_str();
                but.contains(&path) && !distrusted.contains(path)
            });
            slots.push(match left {
                Some(left) => Slot::Kept(Arc::clone(left)),
                None => slot(found, entry, distrusted),
            });
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
        // A first look at a checkout keeps no trees: most of them would be in vain.
        let trees = (open.len() <= FEW).then_some(&self.index.trees);
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
                            trees,
                            self.control.flag(),
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
            // What was cut off in the middle is not what the file says.
            if ended != Ended::Complete || self.control.is_cancelled() {
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
                now.changed.insert(now.entries.len());
            }
            now.entries.push(entry);
        }
        now.heaps.seal();
        Ok(now)
    }

    /// Worker threads have a big stack when they are set up as they are by default.
    pub(super) fn big_stack(&self) -> Option<stack::BigStack> {
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
        let mut changed: Vec<usize> = now.changed.iter().copied().collect();
        changed.sort_unstable();
        for entry in changed.iter().filter_map(|at| now.entries.get(*at)) {
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

    pub(super) fn failed(&self, source: fourfold_worktree::Error) -> Error {
        Error::Files {
            root: self.index.checkout().root().to_path_buf(),
            source,
        }
    }

    pub(super) fn cancelled(&self) -> Error {
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
