//! One server at one root: how it is, and who uses it.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::detect::Launchable;

use super::history::History;

/// Which server, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) server: String,
    pub(super) root: PathBuf,
}

/// One server at one root.
#[derive(Debug)]
pub(super) struct Slot<L> {
    pub(super) state: State<L>,
    /// The newest life, or the one that is being started or ended.
    pub(super) generation: u64,
    pub(super) history: History,
}

/// How it is.
#[derive(Debug)]
pub(super) enum State<L> {
    Down,
    Starting {
        since: Instant,
        /// Who waits holds it already.
        usage: Arc<Usage>,
        _start: Task,
    },
    Up(Up<L>),
    Stopping,
}

/// A life that is up.
#[derive(Debug)]
pub(super) struct Up<L> {
    pub(super) life: Arc<L>,
    pub(super) usage: Arc<Usage>,
    pub(super) since: Instant,
    pub(super) watch: Task,
}

/// A task that ends with its owner.
#[derive(Debug)]
pub(super) struct Task(pub(super) JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// When a life was last of use. Every lease holds it once more.
#[derive(Debug)]
pub(super) struct Usage {
    last: Mutex<Instant>,
}

/// A server in use. It is not ended for being idle, nor to make room, as long as this is held.
#[derive(Debug)]
pub(super) struct Lease<L> {
    life: Arc<L>,
    usage: Arc<Usage>,
}

impl<L> Deref for Lease<L> {
    type Target = L;

    fn deref(&self) -> &L {
        &self.life
    }
}

impl<L> Clone for Lease<L> {
    fn clone(&self) -> Self {
        Self {
            life: Arc::clone(&self.life),
            usage: Arc::clone(&self.usage),
        }
    }
}

impl<L> Drop for Lease<L> {
    fn drop(&mut self) {
        self.usage.touch();
    }
}

impl Usage {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            last: Mutex::new(Instant::now()),
        })
    }

    /// Of use now.
    pub(super) fn touch(&self) {
        *self.last.lock() = Instant::now();
    }

    pub(super) fn last(&self) -> Instant {
        *self.last.lock()
    }
}

impl<L> Up<L> {
    pub(super) fn lease(&self) -> Lease<L> {
        Lease {
            life: Arc::clone(&self.life),
            usage: Arc::clone(&self.usage),
        }
    }

    pub(super) fn in_use(&self) -> bool {
        // Its own, and that of the task that watches it.
        Arc::strong_count(&self.usage) > 2
    }
}

impl<L> Default for Slot<L> {
    fn default() -> Self {
        Self {
            state: State::Down,
            generation: 0,
            history: History::default(),
        }
    }
}

impl<L> Slot<L> {
    /// Whether it takes up room. One that is being ended is on its way out.
    pub(super) fn live(&self) -> bool {
        matches!(self.state, State::Starting { .. } | State::Up(_))
    }
}

impl Key {
    pub(super) fn of(launchable: &Launchable) -> Self {
        Self {
            server: launchable.server.id.clone(),
            root: launchable.root.clone(),
        }
    }
}
