//! One generation of an index: what every file was when it was last looked at.

use super::coverage::{Coverage, Reason};
use super::fold::{links_from_bytes, outline_from_bytes};
use super::heap::{Blob, Damaged, Heap};
use super::relink::Side;
use crate::graph::{Graph, Outline, PackedLinks, Source, both};
use crate::link::StableId;
use fourfold_syntax::{ContentHash, Language};
use fourfold_worktree::Stamp;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

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

/// The files of a generation, with what was read of them.
#[derive(Debug)]
struct Before {
    entries: Vec<Arc<Entry>>,
    parts: Arc<Parts>,
}

/// What a graph is made from, by the indexed files in order.
#[derive(Debug)]
struct Parts {
    outlines: Vec<Shown>,
    /// None where they would take too much room.
    links: Option<Vec<Arc<PackedLinks>>>,
}

/// What a file declares, with its ids.
type Shown = (Arc<Outline>, Arc<[StableId]>);

/// With more files than this, nothing is kept decoded but the graph.
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
    /// Held while the graph is made.
    making: Mutex<()>,
    /// There is a newer generation, or there soon will be.
    outdated: AtomicBool,
    /// What linking needs of all files, when it is kept for the next generation.
    pub(super) side: OnceLock<Arc<Side>>,
    read: Mutex<Read>,
}

/// What has been decoded.
#[derive(Debug, Default)]
struct Read {
    /// What the graph is made from, for that of the next generation too.
    parts: Option<Arc<Parts>>,
    /// The generation before: what has not changed need not be decoded again.
    before: Option<Before>,
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

    /// Lets what was read of the generation before serve for this one.
    pub(super) fn follow(&self, before: &Content) {
        // Waits for whoever is reading it.
        let mut theirs = before.read.lock();
        self.read.lock().before = match &theirs.parts {
            Some(parts) => Some(Before {
                entries: before.entries.clone(),
                parts: Arc::clone(parts),
            }),
            None => theirs.before.take(),
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
        // Waits for whoever is making it: both need the same graph.
        let _making = before.making.lock();
        if let Some(graph) = before.graph.get() {
            let _ = self.graph.set(Arc::clone(graph));
        }
        let mut theirs = before.read.lock();
        let mut ours = self.read.lock();
        match &theirs.parts {
            Some(parts) => ours.parts = Some(Arc::clone(parts)),
            None => ours.before = theirs.before.take(),
        }
        if let Some(side) = before.side.get() {
            let _ = self.side.set(Arc::clone(side));
        }
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

    /// Says that nobody needs the graph of this generation any more who does not ask for it.
    pub(super) fn retire(&self) {
        self.outdated.store(true, Ordering::Relaxed);
    }

    /// Makes the graph for whoever will ask for it, as long as this generation is the newest.
    pub(super) fn prepare(&self) -> Result<(), Damaged> {
        self.parts()?;
        if !self.outdated.load(Ordering::Relaxed) {
            self.graph()?;
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
        let links = parts.links.as_deref().ok_or(Damaged)?;
        let files = self.indexed().zip(&parts.outlines).zip(links);
        let graph = Arc::new(Graph::build(files.map(
            |(((entry, indexed), (outline, ids)), links)| Source {
                path: &entry.path,
                language: indexed.language,
                outline: Arc::clone(outline),
                ids,
                links,
            },
        )));
        if self.entries.len() > MANY {
            self.read.lock().parts = Some(Arc::new(Parts {
                outlines: parts.outlines.clone(),
                links: None,
            }));
        }
        let _ = self.graph.set(Arc::clone(&graph));
        Ok(graph)
    }

    /// What the graph is made from, decoded on first use.
    fn parts(&self) -> Result<Arc<Parts>, Damaged> {
        let mut read = self.read.lock();
        if let Some(parts) = &read.parts {
            return Ok(Arc::clone(parts));
        }
        let known = read.before.take();
        let outlines = || self.outlines(known.as_ref());
        let links = || self.links(known.as_ref());
        let (outlines, links) = both("fourfold-outlines", outlines, links);
        // Whatever went wrong there, it cannot be read.
        let outlines = outlines.unwrap_or(Err(Damaged));
        let parts = Arc::new(Parts {
            outlines: outlines?,
            links: Some(links?),
        });
        read.parts = Some(Arc::clone(&parts));
        Ok(parts)
    }

    /// The outlines of the indexed files in order and their ids, from another generation where they
    /// are the same.
    fn outlines(&self, known: Option<&Before>) -> Result<Vec<Shown>, Damaged> {
        let mut known = known.map(|before| before.indexed().zip(&before.parts.outlines).peekable());
        let mut outlines = self.heaps.outlines.reader();
        let indexed = self.indexed();
        indexed
            .map(|(entry, one)| {
                let known = known.as_mut().and_then(|known| {
                    while known
                        .next_if(|((old, _), _)| old.path < entry.path)
                        .is_some()
                    {}
                    known.next_if(|((old, _), _)| old.path == entry.path)
                });
                let same = known.filter(|((old, of), _)| {
                    old.content == entry.content && of.language == one.language
                });
                if let Some((_, (outline, ids))) = same {
                    return Ok((Arc::clone(outline), Arc::clone(ids)));
                }
                let outline = outlines.with(one.outline, outline_from_bytes)??;
                let ids = outline.ids(one.language, &entry.path);
                Ok((Arc::new(outline), ids.into()))
            })
            .collect()
    }

    /// The links of the indexed files in order, from another generation where they are the same.
    fn links(&self, known: Option<&Before>) -> Result<Vec<Arc<PackedLinks>>, Damaged> {
        let known = known.and_then(|before| Some((before, before.parts.links.as_ref()?)));
        let mut known = known.map(|(before, links)| before.indexed().zip(links).peekable());
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
        // The blobs of what was read before are other ones now.
        if let Some(before) = &mut content.read.lock().before {
            before.parts = Arc::new(Parts {
                outlines: before.parts.outlines.clone(),
                links: None,
            });
        }
        Ok(Content {
            side: OnceLock::new(),
            ..content
        })
    }
}

impl Before {
    /// The files whose symbols are in, in order.
    fn indexed(&self) -> impl Iterator<Item = (&Arc<Entry>, &Indexed)> {
        indexed(&self.entries)
    }
}

/// The files whose symbols are in, in order.
fn indexed(entries: &[Arc<Entry>]) -> impl Iterator<Item = (&Arc<Entry>, &Indexed)> {
    entries.iter().filter_map(|entry| match &entry.state {
        State::Indexed(indexed) => Some((entry, indexed)),
        _ => None,
    })
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
