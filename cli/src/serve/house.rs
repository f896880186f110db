//! What the connections of a daemon share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::serve::connection::Manners;
use crate::serve::identity::Identity;
use crate::serve::service::Service;
use crate::serve::wire::Status;

/// A daemon as its connections see it.
#[derive(Debug)]
pub(crate) struct House<S> {
    pub(crate) service: S,
    pub(crate) identity: Identity,
    /// The name of the checkout's place.
    pub(crate) checkout: String,
    /// The root of the checkout, for people.
    pub(crate) root: String,
    pub(crate) manners: Manners,
    /// It ends after so long without a client.
    pub(crate) idle: Duration,
    pub(crate) counts: Counts,
}

/// What goes on, and whether it is to end.
#[derive(Debug)]
pub(crate) struct Counts {
    since: Instant,
    clients: AtomicUsize,
    requests: AtomicUsize,
    asked_to_end: Notify,
    ending: watch::Sender<bool>,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts {
            since: Instant::now(),
            clients: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            asked_to_end: Notify::new(),
            ending: watch::Sender::new(false),
        }
    }
}

impl<S: Service> House<S> {
    /// Asks the daemon to end.
    pub(crate) fn end(&self) {
        self.counts.asked_to_end.notify_one();
    }

    /// Waits until somebody asks the daemon to end.
    ///
    /// Cancel safety: who asked is not forgotten when the future is dropped.
    pub(crate) async fn asked_to_end(&self) {
        self.counts.asked_to_end.notified().await;
    }

    /// Tells all connections that the daemon ends.
    pub(crate) fn say_the_end(&self) {
        self.counts.ending.send_replace(true);
    }

    /// Waits until the daemon ends.
    ///
    /// Cancel safety: it may be called again.
    pub(crate) async fn the_end(&self) {
        let mut ending = self.counts.ending.subscribe();
        // It fails when the other end has gone, which is part of ourselves.
        let _ = ending.wait_for(|ending| *ending).await;
    }

    pub(crate) fn count_client(self: &Arc<Self>) -> impl Sized + Send + use<S> {
        Counted::new(Arc::clone(self), |counts| &counts.clients)
    }

    pub(crate) fn count_request(self: &Arc<Self>) -> impl Sized + Send + use<S> {
        Counted::new(Arc::clone(self), |counts| &counts.requests)
    }

    /// How the daemon is; who asks is not counted.
    pub(crate) fn status(&self) -> Status {
        let counts = &self.counts;
        Status {
            pid: std::process::id(),
            version: self.identity.version.clone(),
            root: self.root.clone(),
            up_seconds: counts.since.elapsed().as_secs(),
            idle_seconds: self.idle.as_secs(),
            clients: counts.clients.load(Ordering::Relaxed).saturating_sub(1),
            requests: counts.requests.load(Ordering::Relaxed),
            conversations: self.service.conversations(),
        }
    }
}

/// One more, as long as it lives.
struct Counted<S> {
    house: Arc<House<S>>,
    which: fn(&Counts) -> &AtomicUsize,
}

impl<S> Counted<S> {
    fn new(house: Arc<House<S>>, which: fn(&Counts) -> &AtomicUsize) -> Counted<S> {
        which(&house.counts).fetch_add(1, Ordering::Relaxed);
        Counted { house, which }
    }
}

impl<S> Drop for Counted<S> {
    fn drop(&mut self) {
        (self.which)(&self.house.counts).fetch_sub(1, Ordering::Relaxed);
    }
}
