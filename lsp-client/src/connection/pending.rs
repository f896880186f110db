//! Requests that wait for their answers.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::oneshot;

use super::Ended;
use crate::wire::Fault;

/// The answer of the server, or the end of it.
type Outcome = Result<Result<Value, Fault>, Arc<Ended>>;

/// Who waits for which answer.
#[derive(Debug, Default)]
pub(super) struct Pending {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<i64, oneshot::Sender<Outcome>>,
    ended: Option<Arc<Ended>>,
}

impl Pending {
    /// Waits for the answer to `id`.
    pub(super) fn expect(&self, id: i64) -> Result<oneshot::Receiver<Outcome>, Arc<Ended>> {
        let mut state = self.state.lock();
        if let Some(ended) = &state.ended {
            return Err(Arc::clone(ended));
        }
        let (sender, receiver) = oneshot::channel();
        state.waiting.insert(id, sender);
        Ok(receiver)
    }

    /// Delivers an answer. Those that nobody waits for any more are dropped: they were cancelled.
    pub(super) fn answer(&self, id: i64, answer: Result<Value, Fault>) {
        match self.state.lock().waiting.remove(&id) {
            // Whoever waited may have gone in this very moment.
            Some(sender) => {
                let _ = sender.send(Ok(answer));
            }
            None => tracing::debug!(id, "an answer that nobody waits for"),
        }
    }

    /// Nobody waits for `id` any more; whether it was still open.
    pub(super) fn forget(&self, id: i64) -> bool {
        self.state.lock().waiting.remove(&id).is_some()
    }

    /// Nobody will be answered any more.
    pub(super) fn end(&self, ended: &Arc<Ended>) {
        let waiting = {
            let mut state = self.state.lock();
            state.ended = Some(Arc::clone(ended));
            std::mem::take(&mut state.waiting)
        };
        for sender in waiting.into_values() {
            let _ = sender.send(Err(Arc::clone(ended)));
        }
    }
}
