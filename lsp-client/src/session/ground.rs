//! What operations need of a session.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::MutexGuard;
use tokio::time::Instant;

use super::Session;
use crate::lens::Lens;

impl Session {
    /// What answers are read with: the texts of this moment.
    pub(crate) fn lens(&self) -> Lens {
        let core = &self.core;
        Lens::new(core.root.clone(), self.texts(), core.encoding)
    }

    /// When the server was started.
    pub(crate) fn started(&self) -> Instant {
        self.core.started
    }

    /// Waits until the server has loaded the project, and says whether it has. `opened` is when
    /// the document was opened that it will be asked about.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(crate) async fn ready(&self, opened: Instant, at_most: Duration) -> bool {
        let core = &self.core;
        let readiness = &core.spec.readiness;
        let ready = core.inbox.until(Instant::now() + at_most, |heard, now| {
            heard.ready(readiness, &core.limits, opened, now)
        });
        ready.await.is_some()
    }

    /// Waits until the server has had no open work for a moment, for so long at most. `opened` is
    /// as for [`ready`](Session::ready).
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(crate) async fn idle(&self, opened: Instant, at_most: Duration) {
        let core = &self.core;
        let quiet = core.limits.idle;
        let idle = core.inbox.until(Instant::now() + at_most, |heard, now| {
            heard.idle(opened, quiet, now)
        });
        // It is asked in any case.
        let _ = idle.await;
    }

    /// All the ways in which `method` is offered now.
    pub(crate) fn all_offers(&self, method: &str) -> Vec<Value> {
        self.core.inbox.look(|heard| heard.offers.all(method))
    }

    /// Whether the server runs this command.
    pub(crate) fn offers_command(&self, command: &str) -> bool {
        self.core.inbox.look(|heard| heard.offers.command(command))
    }

    /// Waits for the commands that others run: what the server wants to change meanwhile is what
    /// the one command changes.
    ///
    /// *Cancel safety*: when the future is dropped, the turn is lost.
    pub(crate) async fn turn(&self) -> MutexGuard<'_, ()> {
        self.core.commands.lock().await
    }

    /// What the server last published for a file, word for word.
    pub(crate) fn published(&self, path: &Path) -> Vec<Value> {
        self.core.inbox.look(|heard| {
            let items = heard
                .publishes
                .get(path)
                .map(|published| published.items.iter());
            items
                .into_iter()
                .flatten()
                .map(|item| item.sent().clone())
                .collect()
        })
    }
}
