//! Writing generations to the cache: at once, or behind the back of whoever waits for an answer.

use super::content::Content;
use super::folder::Folder;
use super::pack::{self, Packs};
use super::{IndexConfig, Kept, snapshot};
use parking_lot::{Mutex, RwLock};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Writes the generations of one index, one at a time.
#[derive(Debug)]
pub(super) struct Keeper {
    folder: Option<Folder>,
    root: PathBuf,
    config: IndexConfig,
    pub(super) packs: RwLock<Packs>,
    /// Held while a generation is written. The reason why one could not be, as it was told.
    told: Mutex<Option<String>>,
    queue: Mutex<Queue>,
}

/// What is yet to be written.
#[derive(Debug, Default)]
struct Queue {
    next: Option<Arc<Content>>,
    /// A thread takes what is next, and looks again before it ends.
    busy: bool,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    pub(super) fn new(folder: Option<Folder>, root: PathBuf, config: IndexConfig) -> Keeper {
        Keeper {
            folder,
            root,
            config,
            packs: RwLock::new(Packs::new()),
            told: Mutex::default(),
            queue: Mutex::default(),
        }
    }

    pub(super) fn folder(&self) -> Option<&Folder> {
        self.folder.as_ref()
    }

    /// Writes a generation.
    pub(super) fn now(&self, content: &Content) -> Kept {
        // Nothing older is written after it.
        self.queue.lock().next = None;
        self.write(content)
    }

    /// Has a generation written on a thread of its own. When one is being written, the newest of those
    /// that come meanwhile is the next.
    pub(super) fn later(self: &Arc<Keeper>, content: &Arc<Content>) -> Kept {
        if self.folder.is_none() {
            return Kept::InMemory { reason: None };
        }
        let mut queue = self.queue.lock();
        queue.next = Some(Arc::clone(content));
        if !queue.busy {
            let keeper = Arc::clone(self);
            let builder = thread::Builder::new().name("fourfold-keep".to_owned());
            match builder.spawn(move || keeper.work()) {
                Ok(thread) => {
                    queue.busy = true;
                    queue.thread = Some(thread);
                }
                Err(_) => {
                    queue.next = None;
                    drop(queue);
                    return self.write(content);
                }
            }
        }
        Kept::Later
    }

    fn work(&self) {
        loop {
            let next = {
                let mut queue = self.queue.lock();
                let next = queue.next.take();
                queue.busy = next.is_some();
                next
            };
            match next {
                Some(content) => drop(self.write(&content)),
                None => return,
            }
        }
    }

    /// Waits until everything is written.
    pub(super) fn settle(&self) {
        loop {
            let thread = self.queue.lock().thread.take();
            match thread {
                // A thread that panicked has written nothing, which the next process makes up for.
                Some(thread) => drop(thread.join()),
                None => return,
            }
        }
    }

    fn write(&self, content: &Content) -> Kept {
        let Some(folder) = &self.folder else {
            return Kept::InMemory { reason: None };
        };
        let mut told = self.told.lock();
        let written = (|| -> io::Result<u64> {
            let lock = folder.lock()?;
            let mut packs = self.packs.write();
            packs.write(folder, &lock, &pack::live(content), &self.config)?;
            drop(packs);
            let build = snapshot::build(&self.config);
            snapshot::write(folder, &lock, &self.root, content, &build)
        })();
        match written {
            Ok(bytes) => {
                *told = None;
                Kept::Written { bytes }
            }
            Err(error) => {
                let reason = error.to_string();
                tracing::debug!(%reason, "the index lives in memory");
                let news = told.as_ref() != Some(&reason);
                *told = Some(reason.clone());
                Kept::InMemory {
                    reason: news.then_some(reason),
                }
            }
        }
    }
}
