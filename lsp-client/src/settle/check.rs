//! The check of the whole project that a server makes when it is told to.
//!
//! What it has found counts when the run began after the last change and ended by itself. Runs tell
//! when they begin and end, but not who asked for them; so there is never more than one question on
//! its way, and a run belongs to the last question before its beginning. A run that a newer question
//! cancels ends like any other, and is told apart by that.
//!
//! A server that loads the project again drops its check without a word, and all its findings with
//! it. Then it is asked once more when it has loaded.

use std::path::Path;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout_at};

use super::Why;
use super::find::Patience;
use crate::session::{Check, Core, Heard, Look};
use crate::spec::ProjectCheck;

/// What was cancelled begins again within this time, if it was cancelled for another run.
const AGAIN: Duration = Duration::from_millis(300);

/// What threads of the server still have in their hands comes within this time.
const QUIET: Duration = Duration::from_millis(200);

/// A server that has loaded the project again has dropped the check that it was asked for before, and
/// if that began all the same it says so within this time.
const DROPPED: Duration = Duration::from_secs(2);

/// The checks of one life of a server.
#[derive(Debug, Default)]
pub(super) struct Checks {
    /// Who holds it may ask.
    turn: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The last question.
    asked: Option<Asked>,
    /// The last question whose run has ended by itself and been heard out.
    done: u64,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    /// Its number among everything that was heard.
    seq: u64,
    at: Instant,
    /// Its run cannot be told any more.
    lost: bool,
}

/// How a run ended.
#[derive(Debug)]
enum Run {
    Ended,
    NotBegun,
    /// Nothing can be said of it.
    Lost,
}

impl Core {
    /// Makes sure that a check of the project has ended that began after its last change, which was
    /// at `changed`. `path` is an open document, if there is one.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(super) async fn checked(
        &self,
        check: &ProjectCheck,
        changed: u64,
        path: Option<&Path>,
        patience: Patience,
    ) -> Result<(), Why> {
        let begun = Instant::now();
        let deadline = patience.step(check.budget);
        let found = timeout_at(deadline, async {
            let _turn = self.memory.checks.turn.lock().await;
            while !self.check_holds(changed) {
                self.quiescent().await?;
                match self.run(check, changed, path, deadline).await? {
                    Run::Ended | Run::Lost => {}
                    // It is not asked for again: the run that is still to come would be taken for
                    // that of the second question, which cancels it.
                    Run::NotBegun => return Err(Why::CheckNotSeen),
                }
            }
            Ok(())
        });
        match found.await {
            Ok(found) => found,
            Err(_) => {
                Err(self
                    .stuck()
                    .unwrap_or_else(|| match self.inbox.look(Heard::is_quiescent) {
                        true => Why::CheckStillRuns {
                            after: begun.elapsed(),
                        },
                        false => Why::StillLoading {
                            running: self.started.elapsed(),
                            doing: self.doing(),
                        },
                    }))
            }
        }
    }

    /// Whether the last check tells of the project as it has been since `changed`, and the server
    /// has not dropped its findings.
    pub(super) fn check_holds(&self, changed: u64) -> bool {
        let done = self.memory.checks.state.lock().done;
        done > changed && self.inbox.look(|heard| heard.unready < done)
    }

    /// Waits until the server has loaded the project, as it may have to do again at any time.
    async fn quiescent(&self) -> Result<(), Why> {
        let readiness = &self.spec.readiness;
        let far = Instant::now() + Duration::from_secs(3600);
        let ready = self.inbox.until(far, |heard, now| {
            if let Some(ended) = &heard.ended {
                return Look::Found(Err(Why::Gone(ended.clone())));
            }
            match heard.ready(readiness, &self.limits, self.started, now) {
                Look::Found(()) => Look::Found(Ok(())),
                Look::At(at) => Look::At(at),
                Look::Wait => Look::Wait,
            }
        });
        ready.await.unwrap_or(Ok(()))
    }

    /// Waits for the end of a run that was asked for after `changed`; asks for it, unless it goes on
    /// already and somebody else has stopped waiting for it.
    async fn run(
        &self,
        check: &ProjectCheck,
        changed: u64,
        path: Option<&Path>,
        deadline: Instant,
    ) -> Result<Run, Why> {
        let state = &self.memory.checks.state;
        let before = state.lock().asked;
        let goes_on = before.filter(|asked| {
            let dropped = self.inbox.look(|heard| heard.unready > asked.seq);
            asked.seq > changed && !asked.lost && !dropped
        });
        let asked = match (goes_on, before) {
            (Some(asked), _) => Some(asked),
            (None, Some(before)) => {
                // Nobody waits for it any more, and it may still be on its way.
                self.begun_or_lost(check, before).await?;
                self.ask_for_check(check).await?
            }
            (None, None) => self.ask_for_check(check).await?,
        };
        // It has begun to load the project meanwhile.
        let Some(Asked { seq: asked, at, .. }) = asked else {
            return Ok(Run::Lost);
        };
        let run = loop {
            let run = self.ended_or_lost(check, asked, at).await?;
            if !matches!(run, Run::Ended) {
                break run;
            }
            // What it found is published after its end. An answer comes after that, or at the same
            // time as the last of it.
            let question = Instant::now();
            match path {
                Some(path) => self.barrier(path, deadline).await,
                None => sleep(AGAIN).await,
            }
            // On a busy machine its threads take longer, and so does the answer.
            self.heard_out(QUIET + question.elapsed() * 3).await;
            // What ended may have been one that was asked for before and came late, cancelled by
            // ours, which has begun only now.
            let last = self.inbox.look(|heard| {
                let ended = heard.progress.check(&check.token, asked) == Check::Ended;
                match (heard.unready < asked, ended) {
                    (false, _) => Some(Run::Lost),
                    (true, true) => Some(Run::Ended),
                    (true, false) => None,
                }
            });
            if let Some(run) = last {
                break run;
            }
        };
        if let Some(last) = &mut state.lock().asked {
            last.lost = !matches!(run, Run::Ended);
        }
        tracing::debug!(
            server = self.spec.id,
            asked,
            ?run,
            "the check of the project is over"
        );
        if matches!(run, Run::Ended) {
            self.inbox.check_ends();
            state.lock().done = asked;
        }
        Ok(run)
    }

    /// Waits for the end of the run that was asked for then.
    async fn ended_or_lost(
        &self,
        check: &ProjectCheck,
        asked: u64,
        at: Instant,
    ) -> Result<Run, Why> {
        let far = at + Duration::from_secs(3600);
        let run = self.inbox.until(far, |heard, now| {
            if let Some(ended) = &heard.ended {
                return Look::Found(Err(Why::Gone(ended.clone())));
            }
            if heard.unready > asked {
                return Look::Found(Ok(Run::Lost));
            }
            let (end, run) = match heard.progress.check(&check.token, asked) {
                Check::Runs => return Look::Wait,
                Check::Ended => return Look::Found(Ok(Run::Ended)),
                Check::NotBegun => (at + check.begin, Run::NotBegun),
                Check::Cancelled { at } => (at + AGAIN, Run::Lost),
            };
            match now >= end {
                true => Look::Found(Ok(run)),
                false => Look::At(end),
            }
        });
        run.await.unwrap_or(Ok(Run::Lost))
    }

    /// Waits until nothing was published for so long.
    async fn heard_out(&self, quiet_for: Duration) {
        let begun = Instant::now();
        let quiet = self.inbox.until(begun + quiet_for * 10, |heard, now| {
            let last = heard.publishes.last();
            let then = last.map_or(begun, |last| last.max(begun)) + quiet_for;
            match now >= then {
                true => Look::Found(()),
                false => Look::At(then),
            }
        });
        let _ = quiet.await;
    }

    /// Asks for a run, unless the server loads the project.
    async fn ask_for_check(&self, check: &ProjectCheck) -> Result<Option<Asked>, Why> {
        let Some(seq) = self.inbox.check_begins() else {
            return Ok(None);
        };
        let asked = Asked {
            seq,
            at: Instant::now(),
            lost: false,
        };
        self.memory.checks.state.lock().asked = Some(asked);
        let params = json!({ "textDocument": null });
        let posted = self.connection.post(&check.start, params)?;
        tracing::debug!(
            server = self.spec.id,
            asked.seq,
            "a check of the project is asked for"
        );
        posted.written().await?;
        Ok(Some(asked))
    }

    /// Waits until the run has begun that was asked for, or cannot be expected any more.
    async fn begun_or_lost(&self, check: &ProjectCheck, asked: Asked) -> Result<(), Why> {
        let Asked { seq: asked, at, .. } = asked;
        let dropped = self.inbox.look(|heard| heard.unready > asked);
        let then = match dropped {
            true => Instant::now() + DROPPED,
            false => at + check.begin,
        };
        let begun = self.inbox.until(then, |heard, _| {
            if let Some(ended) = &heard.ended {
                return Look::Found(Err(Why::Gone(ended.clone())));
            }
            let begun = !matches!(heard.progress.check(&check.token, asked), Check::NotBegun);
            match begun || (heard.unready > asked && !dropped) {
                true => Look::Found(Ok(())),
                false => Look::Wait,
            }
        });
        begun.await.unwrap_or(Ok(()))
    }
}
