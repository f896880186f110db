//! Waiting until the program stands or is over.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::result::SessionEnd;

use super::inner::Inner;
use super::moment::Phase;

/// How long the end of a request that the session's end has cut off is waited for.
pub(super) const END: Duration = Duration::from_secs(15);

/// How often it is looked whether a program that runs is still there.
const LOOK: Duration = Duration::from_secs(1);

/// How long it takes at most until a program whose process is gone counts as ended.
pub(super) const GONE: Duration = Duration::from_secs(3);

impl Inner {
    pub(super) async fn wait_for_end(&self, within: Duration) -> Option<Arc<SessionEnd>> {
        let mut end = self.end.subscribe();
        let found = tokio::time::timeout(within, end.wait_for(Option::is_some)).await;
        found.ok()?.ok()?.clone()
    }

    /// Waits until the program stands or is over, at most so long.
    pub(super) async fn settle(&self, wait: Duration) -> Settled {
        let deadline = Instant::now() + wait;
        let mut changed = self.changed.subscribe();
        let (mut gone, mut heard) = (false, 0);
        loop {
            changed.mark_unchanged();
            if self.is_ending() {
                return match self.wait_for_end(END).await {
                    Some(end) => Settled::Ended(end),
                    None => Settled::Running,
                };
            }
            let phase = self.moment.lock().phase;
            match phase {
                Phase::Stopped => {
                    self.whole_output().await;
                    return Settled::Stopped;
                }
                Phase::Exited => {
                    self.late_words(&mut changed).await;
                    return Settled::Exited;
                }
                Phase::Starting | Phase::Running => {}
            }
            let look = deadline.min(Instant::now() + LOOK);
            if timeout_at(look, changed.changed()).await.is_err() {
                // One part of the program may wait for another that stands.
                if self.moment.lock().next_stop(self.is_native()) {
                    continue;
                }
                // What a program has left behind may be much, and comes when it is over.
                let end = self.moment.lock().output.end();
                let quiet = std::mem::replace(&mut heard, end) == end;
                if self.is_gone() && quiet && std::mem::replace(&mut gone, true) {
                    self.gone();
                } else if Instant::now() >= deadline {
                    return Settled::Running;
                }
            }
        }
    }

    /// Whether the process of a program that was launched is not there any more.
    pub(super) fn is_gone(&self) -> bool {
        let pid = self.moment.lock().pid;
        let ours = !self.foreign && self.child.get().is_some();
        ours && pid.is_some_and(super::target::is_gone)
    }

    /// How long to wait for an end that is near.
    pub(super) fn patience(&self) -> Duration {
        match self.is_gone() {
            true => GONE,
            false => Duration::ZERO,
        }
    }

    /// The program is over, and nobody says so.
    fn gone(&self) {
        let mut moment = self.moment.lock();
        moment.notes.push(format!(
            "the program's process is gone, and {} does not say so: something that it started may hold \
             its output",
            self.adapter.id
        ));
        moment.exited();
    }
}

/// What a wait came to.
pub(super) enum Settled {
    Stopped,
    Running,
    Exited,
    Ended(Arc<SessionEnd>),
}
