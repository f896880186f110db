//! One generation of an index: what every file was when it was last looked at.

use super::coverage::{Coverage, Reason};
use super::fold::{links_from_bytes, outline_from_bytes};
use super::heap::{Blob, Damaged, Heap};
use super::relink::Side;
use crate::graph::{Graph, Outline, PackedLinks, Source};
use crate::link::StableId;
use fourfold_syntax::{ContentHash, Language};
use fourfold_worktree::Stamp;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

/// One file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Below the root, with `/`.
    pub(super) path: String,
    /// What the file was on disk when its content was read.
    #[serde(with = "stored::stamp")]
    pub(super) stamp: Stamp,
    /// An equal stamp later on proves equal bytes.
    pub(super) settled: bool,
    #[serde(with = "stored::hash")]
    pub(super) content: ContentHash,
    pub(super) state: State,
}

/// What a file is to the index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum State {
    Indexed(Indexed),
    /// It tells where modules are; its manifest is among the surfaces.
    Project(Blob),
    /// A project file without anything to say, a file without an extension that is no script.
    Nothing,
    /// It was looked at, and is left out.
    Left(Reason),
}

/// A file whose symbols are in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Indexed {
    #[serde(with = "stored::language")]
    pub(super) language: Language,
    pub(super) partial: bool,
    /// Only its symbols are in, and this is why.
    pub(super) outline_only: Option<Reason>,
    /// Where it stands among the others, see [`World::place_of`](crate::link::World::place_of).
    pub(super) place: u64,
    pub(super) outline: Blob,
    pub(super) surface: Blob,
    pub(super) links: Blob,
    pub(super) lookups: Blob,
}

/// The blobs of a generation.
#[derive(Debug, Clone, Default)]
pub(super) struct Heaps {
    pub(super) outlines: Heap,
    /// Surfaces, and the manifests of project files.
    pub(super) surfaces: Heap,
    /// Links without their lookups.
    pub(super) links: Heap,
    /// See [`lookups`](super::lookups).
    pub(super) lookups: Heap,
}

impl Heaps {
    /// Closes the frames that are being filled.
    pub(super) fn seal(&mut self) {
        self.outlines.seal();
        self.surfaces.seal();
        self.links.seal();
        self.lookups.seal();
    }
}

/// The files of a generation, with what was decoded of them.
#[derive(Debug)]
struct Before {
    entries: Vec<Arc<Entry>>,
    outlines: Arc<Vec<Shown>>,
    links: Option<Arc<Vec<Arc<PackedLinks>>>>,
}

/// What a file declares, with its ids.
type Shown = (Arc<Outline>, Vec<StableId>);

/// What a graph is made from: the outlines and the links of the indexed files, in order.
type Parts = (Arc<Vec<Shown>>, Arc<Vec<Arc<PackedLinks>>>);

/// With more files than this, links are not kept decoded.
const MANY: usize = 20_000;

/// See the [module](self).
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) generation: u64,
    /// Sorted by path.
    pub(super) entries: Vec<Arc<Entry>>,
    pub(super) heaps: Heaps,
    pub(super) coverage: Arc<Coverage>,
    /// What is left out because of where it is.
    pub(super) skipped: Vec<(String, Reason)>,
    graph: OnceLock<Arc<Graph>>,
    /// Held by whoever makes the graph.
    making: Mutex<()>,
    /// There will be another generation, so that a graph of this one is made for nothing.
    outdated: AtomicBool,
    /// What the graph was made from, for that of the next generation.
    outlines: OnceLock<Arc<Vec<Shown>>>,
    links: OnceLock<Arc<Vec<Arc<PackedLinks>>>>,
    /// What linking needs of all files, when it is kept for the next generation.
    pub(super) side: OnceLock<Arc<Side>>,
    /// The generation before: what has not changed need not be decoded again. Held by whoever decodes.
    before: Mutex<Option<Before>>,
}

impl Content {
    pub(super) fn new(
        generation: u64,
        entries: Vec<Arc<Entry>>,
        heaps: Heaps,
        coverage: Coverage,
        skipped: Vec<(String, Reason)>,
    ) -> Content {
        Content {
            generation,
            entries,
            heaps,
            coverage: Arc::new(coverage),
            skipped,
            ..Content::default()
        }
    }

    /// Lets what was decoded of the generation before serve for this one, as far as it goes.
    pub(super) fn follow(&self, before: &Content) {
        // Waits for whoever is decoding that.
        let mut theirs = before.before.lock();
        *self.before.lock() = match before.outlines.get() {
            Some(outlines) => Some(Before {
                entries: before.entries.clone(),
                outlines: Arc::clone(outlines),
                links: before.links.get().cloned(),
            }),
            None => theirs.take(),
        };
    }

    /// Keeps what linking needs of all files, unless it is too much.
    pub(super) fn remember(&self, side: Arc<Side>) {
        if self.entries.len() <= MANY {
            let _ = self.side.set(side);
        }
    }

    /// Takes over from a generation that says the same.
    pub(super) fn inherit(&self, before: &Content) {
        // Waits for whoever is making that graph.
        let _making = before.making.lock();
        *self.before.lock() = before.before.lock().take();
        take_over(&self.graph, &before.graph);
        take_over(&self.outlines, &before.outlines);
        take_over(&self.links, &before.links);
        take_over(&self.side, &before.side);
    }

    /// The files whose symbols are in, in order.
    pub(super) fn indexed(&self) -> impl Iterator<Item = (&Arc<Entry>, &Indexed)> {
        indexed(&self.entries)
    }

    pub(super) fn entry(&self, path: &str) -> Option<&Arc<Entry>> {
        let at = self
            .entries
            .binary_search_by(|entry| entry.path.as_str().cmp(path))
            .ok()?;
        self.entries.get(at)
    }

    /// Whether the graph is there.
    pub(super) fn has_graph(&self) -> bool {
        self.graph.get().is_some()
    }

    /// Says that there will be another generation.
    pub(super) fn outdate(&self) {
        self.outdated.store(true, Ordering::Relaxed);
    }

    /// Makes the graph, unless there will be another generation before it is begun; then what it is
    /// made from is decoded, which serves the next one.
    pub(super) fn warm(&self) -> Result<(), Damaged> {
        let _making = self.making.lock();
        let parts = self.parts()?;
        if !self.outdated.load(Ordering::Relaxed) {
            self.graph.get_or_init(|| self.build(&parts));
        }
        Ok(())
    }

    /// The graph; made on first use. Whoever comes meanwhile waits for it.
    pub(super) fn graph(&self) -> Result<Arc<Graph>, Damaged> {
        if let Some(graph) = self.graph.get() {
            return Ok(Arc::clone(graph));
        }
        let _making = self.making.lock();
        if let Some(graph) = self.graph.get() {
            return Ok(Arc::clone(graph));
        }
        let parts = self.parts()?;
        Ok(Arc::clone(self.graph.get_or_init(|| self.build(&parts))))
    }

    fn build(&self, (outlines, links): &Parts) -> Arc<Graph> {
        let files = self.indexed().zip(outlines.iter()).zip(links.iter());
        Arc::new(Graph::build(files.map(
            |(((entry, indexed), (outline, ids)), links)| Source {
                path: &entry.path,
                language: indexed.language,
                outline: Arc::clone(outline),
                ids: ids.clone(),
                links,
            },
        )))
    }

    /// What the graph is made from, decoded on first use.
    fn parts(&self) -> Result<Parts, Damaged> {
        let mut before = self.before.lock();
        if let (Some(outlines), Some(links)) = (self.outlines.get(), self.links.get()) {
            return Ok((Arc::clone(outlines), Arc::clone(links)));
        }
        let known = before.take();
        let outlines = || match self.outlines.get() {
            Some(outlines) => Ok(Arc::clone(outlines)),
            None => self.decode_outlines(known.as_ref()).map(Arc::new),
        };
        let links = || self.decode_links(known.as_ref()).map(Arc::new);
        let (outlines, links) = thread::scope(|scope| {
            let builder = thread::Builder::new().name("fourfold-outlines".to_owned());
            match builder.spawn_scoped(scope, outlines) {
                Ok(thread) => {
                    let links = links();
                    (thread.join().unwrap_or(Err(Damaged)), links)
                }
                Err(_) => (outlines(), links()),
            }
        });
        let (outlines, links) = (outlines?, links?);
        let outlines = Arc::clone(self.outlines.get_or_init(|| outlines));
        if self.entries.len() <= MANY {
            let _ = self.links.set(Arc::clone(&links));
        }
        Ok((outlines, links))
    }

    /// The outlines of the indexed files in order and their ids, from another generation where they
    /// are the same.
    fn decode_outlines(&self, known: Option<&Before>) -> Result<Vec<Shown>, Damaged> {
        let mut known = known.map(|before| before.indexed().zip(before.outlines.iter()).peekable());
        let mut outlines = self.heaps.outlines.reader();
        let mut all = Vec::new();
        for (entry, one) in self.indexed() {
            let known = known.as_mut().and_then(|known| {
                while known
                    .next_if(|((old, _), _)| old.path < entry.path)
                    .is_some()
                {}
                known.next_if(|((old, _), _)| old.path == entry.path)
            });
            let same = known.filter(|((old, indexed), _)| {
                old.content == entry.content && indexed.language == one.language
            });
            all.push(match same {
                Some((_, shown)) => shown.clone(),
                None => {
                    let outline = outlines.with(one.outline, outline_from_bytes)??;
                    let ids = outline.ids(one.language, &entry.path);
                    (Arc::new(outline), ids)
                }
            });
        }
        Ok(all)
    }

    /// The links of the indexed files in order, from another generation where they are the same.
    fn decode_links(&self, known: Option<&Before>) -> Result<Vec<Arc<PackedLinks>>, Damaged> {
        let known = known.and_then(|before| Some((before, before.links.as_ref()?)));
        let mut known = known.map(|(before, links)| before.indexed().zip(links.iter()).peekable());
        let mut links = self.heaps.links.reader();
        let mut all = Vec::new();
        for (entry, one) in self.indexed() {
            let known = known.as_mut().and_then(|known| {
                while known
                    .next_if(|((old, _), _)| old.path < entry.path)
                    .is_some()
                {}
                known.next_if(|((old, _), _)| old.path == entry.path)
            });
            // The same blob of heaps that only grow is the same text.
            let same = known.filter(|((_, old), _)| old.links == one.links);
            all.push(match same {
                Some((_, links)) => Arc::clone(links),
                None => Arc::new(links.with(one.links, links_from_bytes)??),
            });
        }
        Ok(all)
    }

    /// Everything that an index says, as bytes: equal for equal content of the checkout, however
    /// it came about.
    pub(super) fn dump(&self) -> Result<Vec<u8>, Damaged> {
        let mut all = Vec::new();
        let (mut outlines, mut surfaces) =
            (self.heaps.outlines.reader(), self.heaps.surfaces.reader());
        let (mut links, mut lookups) = (self.heaps.links.reader(), self.heaps.lookups.reader());
        for entry in &self.entries {
            all.extend(entry.path.as_bytes());
            all.push(0);
            all.extend(entry.content.as_bytes());
            match &entry.state {
                State::Indexed(indexed) => {
                    all.extend(indexed.language.id().as_bytes());
                    all.extend(format!("{} {:?}", indexed.partial, indexed.outline_only).bytes());
                    outlines.with(indexed.outline, |bytes| all.extend(bytes))?;
                    surfaces.with(indexed.surface, |bytes| all.extend(bytes))?;
                    links.with(indexed.links, |bytes| all.extend(bytes))?;
                    lookups.with(indexed.lookups, |bytes| all.extend(bytes))?;
                }
                State::Project(manifest) => surfaces.with(*manifest, |bytes| all.extend(bytes))?,
                State::Nothing => all.push(1),
                State::Left(reason) => all.extend(reason.to_string().bytes()),
            }
        }
        all.extend(self.coverage.to_string().bytes());
        Ok(all)
    }

    /// Bytes in the heaps, and how many of them still belong to a file.
    pub(super) fn weight(&self) -> (u64, u64) {
        let heaps = &self.heaps;
        let all = [
            &heaps.outlines,
            &heaps.surfaces,
            &heaps.links,
            &heaps.lookups,
        ];
        let total = all.iter().map(|heap| heap.raw_len()).sum();
        let live = self.entries.iter().map(|entry| match &entry.state {
            State::Indexed(indexed) => {
                indexed.outline.len()
                    + indexed.surface.len()
                    + indexed.links.len()
                    + indexed.lookups.len()
            }
            State::Project(manifest) => manifest.len(),
            State::Nothing | State::Left(_) => 0,
        });
        (total, live.sum())
    }

    /// The same without garbage.
    pub(super) fn compacted(&self) -> Result<Content, Damaged> {
        let mut heaps = Heaps::default();
        let (mut outlines, mut surfaces) =
            (self.heaps.outlines.reader(), self.heaps.surfaces.reader());
        let (mut links, mut lookups) = (self.heaps.links.reader(), self.heaps.lookups.reader());
        let mut entries = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let state = match &entry.state {
                State::Indexed(indexed) => State::Indexed(Indexed {
                    outline: outlines.with(indexed.outline, |bytes| heaps.outlines.push(bytes))?,
                    surface: surfaces.with(indexed.surface, |bytes| heaps.surfaces.push(bytes))?,
                    links: links.with(indexed.links, |bytes| heaps.links.push(bytes))?,
                    lookups: lookups.with(indexed.lookups, |bytes| heaps.lookups.push(bytes))?,
                    ..*indexed
                }),
                State::Project(manifest) => {
                    State::Project(surfaces.with(*manifest, |bytes| heaps.surfaces.push(bytes))?)
                }
                other => other.clone(),
            };
            entries.push(Arc::new(Entry {
                state,
                ..Entry::clone(entry)
            }));
        }
        let content = Content {
            generation: self.generation,
            entries,
            heaps,
            coverage: Arc::clone(&self.coverage),
            skipped: self.skipped.clone(),
            ..Content::default()
        };
        content.inherit(self);
        // Its blobs are other ones now.
        if let Some(before) = &mut *content.before.lock() {
            before.links = None;
        }
        Ok(Content {
            side: OnceLock::new(),
            links: OnceLock::new(),
            ..content
        })
    }
}

impl Before {
    fn indexed(&self) -> impl Iterator<Item = (&Arc<Entry>, &Indexed)> {
        indexed(&self.entries)
    }
}

fn indexed(entries: &[Arc<Entry>]) -> impl Iterator<Item = (&Arc<Entry>, &Indexed)> {
    entries.iter().filter_map(|entry| match &entry.state {
        State::Indexed(indexed) => Some((entry, indexed)),
        _ => None,
    })
}

fn take_over<T>(ours: &OnceLock<Arc<T>>, theirs: &OnceLock<Arc<T>>) {
    if let Some(theirs) = theirs.get() {
        let _ = ours.set(Arc::clone(theirs));
    }
}

impl Indexed {
    /// A file that is not linked yet.
    pub(super) fn unlinked(language: Language) -> Indexed {
        Indexed {
            language,
            partial: false,
            outline_only: None,
            place: 0,
            outline: Blob::default(),
            surface: Blob::default(),
            links: Blob::default(),
            lookups: Blob::default(),
        }
    }
}

/// How foreign types are stored.
mod stored {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) mod stamp {
        use super::*;
        use fourfold_worktree::Stamp;

        pub(crate) fn serialize<S: Serializer>(stamp: &Stamp, to: S) -> Result<S::Ok, S::Error> {
            (
                stamp.dev,
                stamp.ino,
                stamp.len,
                stamp.mtime_ns,
                stamp.ctime_ns,
            )
                .serialize(to)
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Stamp, D::Error> {
            let (dev, ino, len, mtime_ns, ctime_ns) = Deserialize::deserialize(from)?;
            Ok(Stamp {
                dev,
                ino,
                len,
                mtime_ns,
                ctime_ns,
            })
        }
    }

    pub(super) mod hash {
        use super::*;
        use fourfold_syntax::ContentHash;

        pub(crate) fn serialize<S: Serializer>(
            hash: &ContentHash,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            hash.as_bytes().serialize(to)
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<ContentHash, D::Error> {
            Ok(ContentHash::from(<[u8; 32]>::deserialize(from)?))
        }
    }

    pub(super) mod language {
        use super::*;
        use fourfold_syntax::Language;

        pub(crate) fn serialize<S: Serializer>(
            language: &Language,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            language.id().serialize(to)
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Language, D::Error> {
            let id = <&str>::deserialize(from)?;
            Language::named(id).map_err(serde::de::Error::custom)
        }
    }
}
