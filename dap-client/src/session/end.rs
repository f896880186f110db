//! The end of a session: politely where there is time, by force where there is none, and confirmed.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fourfold_child::StopPlan;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use crate::connection::Connection;
use crate::result::{SessionEnd, State, Why};

use super::inner::Inner;
use super::moment::Phase;
use super::target;

impl Inner {
    /// Ends the session, once, and waits until it is confirmed gone; whoever comes second waits for
    /// the first. It goes on when the future is dropped.
    pub(crate) async fn end_now(self: &Arc<Self>, why: Why) -> Arc<SessionEnd> {
        if !self.ending.swap(true, Ordering::AcqRel) {
            self.changed();
            let me = Arc::clone(self);
            tokio::spawn(async move {
                let end = Arc::new(me.take_down(why).await);
                tracing::info!(session = %me.id, %end, "over");
                me.slot.lock().over(&me, &end);
                me.end.send_replace(Some(end));
                me.changed();
            });
        }
        let mut end = self.end.subscribe();
        loop {
            if let Some(end) = &*end.borrow_and_update() {
                return Arc::clone(end);
            }
            if end.changed().await.is_err() {
                // The sender lives as long as this does.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Ends what was launched at once, from a place that cannot wait.
    pub(crate) fn drop_now(self: &Arc<Self>) {
        if !self.foreign
            && let Some(child) = self.child.get()
        {
            child.kill();
        }
        if tokio::runtime::Handle::try_current().is_ok() {
            let me = Arc::clone(self);
            tokio::spawn(async move { me.end_now(Why::Dropped).await });
        } else if let Some(child) = self.child.get() {
            child.kill();
        }
    }

    async fn take_down(&self, why: Why) -> SessionEnd {
        let code = self.exit_code();
        let (was, exited) = {
            let moment = self.moment.lock();
            let was = match moment.state(code) {
                State::Stopped {
                    reason,
                    at: Some(at),
                } => format!("was stopped at {at} ({reason})"),
                State::Stopped { reason, .. } => format!("was stopped ({reason})"),
                exited @ State::Exited { .. } => format!("had {exited}"),
                State::Starting | State::Ending => "was starting".to_owned(),
                State::Running => "was running".to_owned(),
            };
            (was, moment.phase == Phase::Exited)
        };
        let hurried = matches!(
            why,
            Why::TimeLimit { .. } | Why::Dropped | Why::Wedged { .. }
        );
        if hurried
            && !self.foreign
            && let Some(child) = self.child.get()
        {
            child.kill();
        }
        let connections: Vec<_> = self.connections.lock().clone();
        if !hurried || self.foreign {
            self.say_goodbye(&connections, exited).await;
        }
        for connection in &connections {
            connection.close();
            connection.abandon("the session is over");
        }
        let left = match self.child.get() {
            Some(child) => child.stop(self.stop_plan()).await.left,
            None => Some(0),
        };
        let mut notes = Vec::new();
        if let Some(pid) = self.attached {
            notes.extend(target::let_go(pid).await);
        }
        if let Some(port) = self.inspector.get() {
            notes.push(format!(
                "the inspector that was opened in it goes on listening at 127.0.0.1:{port}"
            ));
        }
        for path in std::mem::take(&mut *self.scratch.lock()) {
            let removed = match path.is_dir() {
                true => fs::remove_dir_all(&path),
                false => fs::remove_file(&path),
            };
            if let Err(error) = removed
                && error.kind() != std::io::ErrorKind::NotFound
            {
                notes.push(format!("{} could not be removed: {error}", path.display()));
            }
        }
        SessionEnd {
            id: self.id.clone(),
            program: self.title.clone(),
            why,
            was,
            code: code.filter(|_| exited),
            detached: self.foreign
                && !exited
                && self.attached.is_none_or(|pid| !target::is_gone(pid)),
            left,
            notes,
        }
    }

    fn stop_plan(&self) -> StopPlan {
        let limits = &self.config.limits;
        StopPlan::default()
            .with_after_eof(limits.end)
            .with_after_term(limits.end)
            .with_after_kill(limits.kill)
    }

    /// The program is over: its adapter, and whatever the program has left behind, are ended at once.
    /// The session stays for what there is to read.
    ///
    /// What an adapter says only on its way out is heard: of one that tells no exit code otherwise, its
    /// goodbye is waited for.
    pub(super) async fn release(&self) {
        if self.foreign || self.released.swap(true, Ordering::AcqRel) {
            return;
        }
        let Some(me) = self.me.upgrade() else { return };
        let (said, goodbye) = tokio::sync::oneshot::channel::<()>();
        tokio::spawn(async move {
            let connections: Vec<_> = me.connections.lock().clone();
            me.say_goodbye(&connections, true).await;
            drop(said);
            for connection in &connections {
                connection.close();
            }
            if let Some(child) = me.child.get() {
                child.stop(me.stop_plan()).await;
            }
        });
        let tells = self.adapter.exit_code || self.moment.lock().told.is_some();
        if !tells {
            let _ = goodbye.await;
        }
    }

    /// `terminate` lets the program clean up, `disconnect` the adapter. Those of the parts first.
    async fn say_goodbye(&self, connections: &[Arc<Connection>], exited: bool) {
        let limits = &self.config.limits;
        let parts = connections.iter().enumerate().rev();
        // Processes that the program has started end with it; of one that is let go they are let go.
        let asked = parts.filter(|(number, connection)| {
            !connection.has_ended() && (self.foreign || !self.is_child(*number))
        });
        for (_, connection) in asked {
            if !self.foreign && !exited && connection.can("supportsTerminateRequest") {
                // Whatever comes of it, it is followed by the next step.
                let _ = connection
                    .request("terminate", json!({ "restart": false }), limits.terminate)
                    .await;
            }
            let _ = connection
                .request(
                    "disconnect",
                    json!({ "restart": false, "terminateDebuggee": !self.foreign }),
                    limits.disconnect,
                )
                .await;
        }
    }

    /// Ends the session at its limits. Holds nothing that would keep it alive.
    pub(crate) fn keep_time(self: &Arc<Self>) {
        let me = Arc::downgrade(self);
        let expires = self.started + self.ttl;
        let idle = self.config.limits.idle;
        tokio::spawn(async move {
            loop {
                let Some(session) = me.upgrade() else { return };
                if session.is_ending() {
                    return;
                }
                let now = Instant::now();
                if session.is_busy() {
                    session.touch();
                }
                let idles = *session.touched.lock() + idle;
                let why = if expires <= now {
                    Why::TimeLimit {
                        after_s: session.ttl.as_secs(),
                    }
                } else if idles <= now {
                    Why::Idle {
                        after_s: idle.as_secs(),
                    }
                } else {
                    drop(session);
                    sleep_until(expires.min(idles)).await;
                    continue;
                };
                session.end_now(why).await;
                return;
            }
        });
    }
}
