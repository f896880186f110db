//! The index of a checkout: what every file says, linked, kept on disk, and as fresh as the files.
//!
//! ```no_run
//! use fourfold_code_graph::index::{Index, IndexConfig};
//! use fourfold_worktree::{Checkout, Control};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let index = Index::open(&Checkout::discover(".")?, IndexConfig::default());
//! let refreshed = index.refresh(&Control::new())?;
//! println!("{}, {} parsed", index.coverage(), refreshed.parsed);
//! let graph = index.graph();
//! println!("{} nodes", graph.len());
//! # Ok(())
//! # }
//! ```
//!
//! A *generation* is the state of all files at one moment. Readers hold the one they began with;
//! [`Index::refresh`] makes the next when something changed. A file is known by the BLAKE3 hash of
//! its bytes: its stamp (see [`Stamp`]) only decides whether it is hashed again. What it says by
//! itself is kept by content, so that a branch switch, a renamed file and a second work tree cost
//! no parsing; what it says about others is linked again when something that it looked up has
//! changed. The result is that of an index made from nothing, byte for byte.
//!
//! # On disk
//!
//! In the user's cache folder, `fourfold/graph`, a folder for each repository (its work trees share
//! one) with a snapshot for each root and packs of facts. Each file is written whole, under a lock,
//! and gets its name last; every byte of it is under a checksum. Nothing waits for the disk: what a crash
//! takes away is made again. What is damaged, cut off or
//! written by another version is made again from the files. Readers take no lock. Where the cache
//! cannot be written, the index lives in memory and [says so](Kept::InMemory).

mod content;
mod coverage;
mod file;
mod fold;
mod folder;
mod fresh;
mod heap;
mod keep;
mod list;
mod lookups;
mod pack;
mod refresh;
mod relink;
mod rules;
mod snapshot;
mod trees;
mod unit;

pub use coverage::{Counted, Coverage, Reason};
pub use fresh::{Freshness, View};

use crate::error::Error;
use crate::graph::Graph;
use content::{Content, State};
use folder::Folder;
use fourfold_syntax::{ContentHash, FileSummary};
use fourfold_worktree::{Checkout, Control, Stamp, Workers};
use keep::Keeper;
use pack::{Key, Packs};
use parking_lot::{Mutex, RwLock};
use refresh::Scope;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Where an index is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Cache {
    /// In the user's cache folder: `$XDG_CACHE_HOME/fourfold/graph`, else `~/.cache/fourfold/graph`.
    #[default]
    User,
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere.
    Memory,
}

/// How an index is made.
#[derive(Debug, Clone)]
pub struct IndexConfig {
    /// Where it is kept. Default: the user's cache folder.
    pub cache: Cache,
    /// Longer files are left out, in bytes. Default 1 MiB: what people write is shorter.
    pub max_bytes: u64,
    /// A file that takes longer to parse is left out. Default 2 s.
    pub max_time: Duration,
    /// How old the list of files may be when an answer is given; the files that the answer speaks
    /// of are looked at in any case. Default 500 ms.
    pub max_age: Duration,
    /// The threads that list, parse and link.
    pub workers: Workers,
}

impl Default for IndexConfig {
    fn default() -> Self {
        IndexConfig {
            cache: Cache::default(),
            max_bytes: 1 << 20,
            max_time: Duration::from_secs(2),
            max_age: Duration::from_millis(500),
            workers: Workers::default(),
        }
    }
}

/// What became of a generation on disk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Kept {
    /// Nothing was to be written.
    #[default]
    Unchanged,
    /// It was written: the length of the snapshot in bytes.
    Written {
        /// See [`Kept::Written`].
        bytes: u64,
    },
    /// It is being written while whoever asked has the answer; [`Index::settle`] waits for that.
    Later,
    /// It is in memory only. The reason is told once; later it is none until it changes.
    InMemory {
        /// Why it could not be written; none when that was told before, or when no cache is wanted.
        reason: Option<String>,
    },
}

/// What a refresh did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refreshed {
    /// The number of the generation; it grows when something changed.
    pub generation: u64,
    /// How long it took.
    pub took: Duration,
    /// Files that were read and hashed, because their stamps did not prove that they are the same.
    pub hashed: usize,
    /// Files that were parsed; others that changed were known by their content.
    pub parsed: usize,
    /// Files that were linked.
    pub relinked: usize,
    /// Indexed files that are new, moved ones included.
    pub added: usize,
    /// Indexed files that say something else.
    pub changed: usize,
    /// Indexed files that are gone, moved ones included.
    pub removed: usize,
    /// Files that are gone and whose content came up elsewhere: from and to.
    pub moved: Vec<(String, String)>,
    /// What became of it on disk.
    pub kept: Kept,
}

/// See the [module](self). It may be used from many threads.
#[derive(Debug)]
pub struct Index {
    checkout: Checkout,
    config: IndexConfig,
    keeper: Arc<Keeper>,
    current: RwLock<Arc<Content>>,
    /// Held by the one refresh that there is at a time.
    turn: Mutex<()>,
    /// The last list of files.
    listed: Mutex<Option<Listed>>,
    /// Those of the files that were edited last.
    trees: trees::Trees,
}

/// When a list of the files was made, and how long that took, with all that it brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Listed {
    at: Instant,
    took: Duration,
    /// Whether no file was left as it was known.
    whole: bool,
}

/// When a new generation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Before whoever asked goes on.
    Now,
    /// Behind the back of whoever asked.
    Later,
}

/// So many files may have to be hashed again next time; more, and the snapshot is written again.
const FEW: usize = 64;

impl Index {
    /// The index of a checkout as it was kept, or an empty one. Nothing is looked at before
    /// [`refresh`](Index::refresh).
    pub fn open(checkout: &Checkout, config: IndexConfig) -> Index {
        let cache = match &config.cache {
            Cache::User => folder::user_cache(),
            Cache::Folder(folder) => Some(folder.clone()),
            Cache::Memory => None,
        };
        let folder = cache.map(|cache| Folder::of(&cache, checkout));
        let content = folder.as_ref().and_then(|folder| {
            let build = snapshot::build(&config);
            match snapshot::read(&folder.snapshot(), checkout.root(), &build) {
                Ok(content) => Some(content),
                Err(error) => {
                    tracing::debug!(%error, "no snapshot is used");
                    None
                }
            }
        });
        let root = checkout.root().to_path_buf();
        Index {
            checkout: checkout.clone(),
            keeper: Arc::new(Keeper::new(folder, root, config.clone())),
            current: RwLock::new(Arc::new(content.unwrap_or_default())),
            turn: Mutex::default(),
            listed: Mutex::default(),
            trees: trees::Trees::default(),
            config,
        }
    }

    /// The checkout.
    pub fn checkout(&self) -> &Checkout {
        &self.checkout
    }

    /// How the index is made.
    pub fn config(&self) -> &IndexConfig {
        &self.config
    }

    fn folder(&self) -> Option<&Folder> {
        self.keeper.folder()
    }

    fn packs(&self) -> &RwLock<Packs> {
        &self.keeper.packs
    }

    fn current(&self) -> Arc<Content> {
        Arc::clone(&self.current.read())
    }

    /// Throws away what is known: it cannot be read.
    fn forget(&self) {
        *self.current.write() = Arc::default();
        *self.packs().write() = Packs::new();
    }

    /// The number of the current generation; 0 before the first.
    pub fn generation(&self) -> u64 {
        self.current().generation
    }

    /// What the current generation speaks of, as the last [`refresh`](Index::refresh) found it.
    pub fn coverage(&self) -> Arc<Coverage> {
        Arc::clone(&self.current().coverage)
    }

    /// Looks at the whole checkout and takes in what changed.
    ///
    /// `control` ends it early and tells how far it is: files that are read, then files that are
    /// linked. What was there before stays until all is done. What is new is on disk when this
    /// returns.
    ///
    /// # Errors
    /// [`Error`] when the checkout cannot be listed, when it was cancelled, or when files do not
    /// hold still.
    pub fn refresh(&self, control: &Control) -> Result<Refreshed, Error> {
        let _turn = self.turn.lock();
        self.advance(Scope::All { but: &[] }, Keep::Now, control)
    }

    /// Waits until what is [written later](Kept::Later) is written. An index that is dropped does
    /// this too.
    pub fn settle(&self) {
        self.keeper.settle();
    }

    /// Makes the next generation. Whoever calls has the turn.
    fn advance(&self, scope: Scope<'_>, keep: Keep, control: &Control) -> Result<Refreshed, Error> {
        let started = Instant::now();
        let next = refresh::refresh(self, scope, control)?;
        let mut content = next.content;
        let mut refreshed = next.refreshed;
        let grown = content.generation > self.generation();
        let (total, live) = content.weight();
        if grown
            && total > 2 * live + (1 << 20)
            && let Ok(compacted) = content.compacted()
        {
            content = compacted;
        }
        let content = Arc::new(content);
        *self.current.write() = Arc::clone(&content);
        if grown || next.touched > FEW {
            refreshed.kept = match keep {
                Keep::Now => self.keeper.now(&content),
                Keep::Later => self.keeper.later(&content),
            };
        }
        if let Scope::All { but } = scope {
            *self.listed.lock() = Some(Listed {
                at: started,
                took: started.elapsed(),
                whole: but.is_empty(),
            });
        }
        refreshed.took = started.elapsed();
        Ok(refreshed)
    }

    /// Begins to make the graph of the current generation on a thread of its own, unless it is there:
    /// for whoever opens an index to ask it, and looks at the files meanwhile.
    pub fn warm(&self) {
        let content = self.current();
        if content.generation > 0 && !content.has_graph() {
            let builder = thread::Builder::new().name("fourfold-graph".to_owned());
            // Without a thread it is made when it is asked for.
            let _ = builder.spawn(move || content.prepare());
        }
    }

    /// The graph of the current generation. It is made on first use and shared.
    pub fn graph(&self) -> Arc<Graph> {
        self.graph_of(&self.current())
    }

    fn graph_of(&self, content: &Content) -> Arc<Graph> {
        content.graph().unwrap_or_else(|_| {
            // The checksums held and yet it cannot be read: another program of the same version
            // wrote it. It is made from the files the next time.
            tracing::warn!("the index does not fit this program and is made anew");
            self.forget();
            Arc::default()
        })
    }

    /// The summary of a file, when it is that of the file as it is on disk now: what a search need
    /// not parse. `path` is below the root, with `/`.
    pub fn summary(&self, path: &str) -> Option<FileSummary> {
        let content = self.current();
        let entry = content.entry(path)?;
        let now = Stamp::of(self.checkout.root().join(path)).ok()?;
        if !entry.settled || entry.stamp != now {
            return None;
        }
        self.summary_of(path, entry.content)
    }

    /// The summary of a file, when this is its content: for whoever has read it already.
    pub fn summary_of(&self, path: &str, content: ContentHash) -> Option<FileSummary> {
        let current = self.current();
        let entry = current
            .entry(path)
            .filter(|entry| entry.content == content)?;
        let State::Indexed(indexed) = &entry.state else {
            return None;
        };
        let key = Key::of(content, indexed.language);
        if let Some(folder) = self.folder()
            && !self.packs().read().has(&key)
        {
            self.packs().write().look(folder);
        }
        let bytes = self.packs().read().summary(&key)?.ok()?;
        let summary = FileSummary::from_bytes(&bytes).ok()?;
        (summary.content() == content && summary.language() == indexed.language).then_some(summary)
    }

    /// Everything that the current generation says, as bytes. It is equal for two indexes of equal
    /// checkouts, however they came about.
    ///
    /// # Errors
    /// When what was kept cannot be read.
    pub fn dump(&self) -> io::Result<Vec<u8>> {
        self.current().dump().map_err(io::Error::other)
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.settle();
    }
}
