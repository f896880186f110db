//! Letting the program go on, and waiting for what comes.

use std::time::Duration;

use serde_json::json;

use crate::error::DebugError;
use crate::request::Resume;
use crate::result::Outcome;

use super::Session;
use super::moment::Phase;
use super::settle::GONE;

impl Session {
    /// The current state as an outcome, with the whole stop when the program stands; waits up to
    /// `wait` for it when it runs. Nothing is resumed.
    ///
    /// # Errors
    /// When the adapter cannot tell the stop.
    pub async fn wait(&self, wait: Duration) -> Result<Outcome, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        inner.outcome(wait).await
    }

    /// Lets the program go on, and waits up to `wait` for the next stop or the end. It is the thread
    /// that stopped last that steps. A program that runs already is waited for when it is told to
    /// continue.
    ///
    /// # Errors
    /// [`DebugError::NotStopped`] when it does not stand and is told to do something else.
    pub async fn resume(&self, how: Resume, wait: Duration) -> Result<Outcome, DebugError> {
        self.go_on(None, how, wait).await
    }

    /// The same for another thread.
    ///
    /// # Errors
    /// As [`Session::resume`], and [`DebugError::NoThread`].
    pub async fn resume_thread(
        &self,
        thread: i64,
        how: Resume,
        wait: Duration,
    ) -> Result<Outcome, DebugError> {
        self.go_on(Some(thread), how, wait).await
    }

    async fn go_on(
        &self,
        thread: Option<i64>,
        how: Resume,
        wait: Duration,
    ) -> Result<Outcome, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        if inner.core {
            return Err(DebugError::NeverRuns);
        }
        let _one = inner.resuming.lock().await;
        if how == Resume::Continue && inner.moment.lock().phase == Phase::Running {
            return inner.outcome(wait).await;
        }
        let (stops, connection) = inner.moment.lock().standing()?;
        let thread = match thread {
            Some(thread) => {
                let threads = inner.threads_of(connection).await?;
                if !threads.iter().any(|known| known.id == thread) {
                    return Err(DebugError::NoThread(thread));
                }
                thread
            }
            None => {
                let told = {
                    let moment = inner.moment.lock();
                    moment.stop.as_ref().and_then(|(_, stop)| stop.thread)
                };
                match told {
                    Some(thread) => thread,
                    None => {
                        let threads = inner.threads_of(connection).await?;
                        threads.first().map(|thread| thread.id).unwrap_or_default()
                    }
                }
            }
        };
        let once = match &how {
            Resume::RunTo(at) => Some(inner.run_to(at.clone()).await?),
            _ => None,
        };
        let command = match how {
            Resume::Continue | Resume::RunTo(_) => "continue",
            Resume::StepOver => "next",
            Resume::StepIn => "stepIn",
            Resume::StepOut => "stepOut",
        };
        // Whatever comes from here on is about the time after.
        {
            let mut moment = inner.moment.lock();
            moment.resumed();
            moment.stop_asked = command != "continue";
        }
        let arguments = json!({ "threadId": thread });
        let limit = inner.config.limits.request;
        let asked = inner.ask(connection, command, arguments, limit).await;
        let outcome = match asked {
            Ok(_) => {
                if command == "continue" {
                    inner.turn_to_next();
                }
                inner.outcome(wait).await
            }
            Err(DebugError::Ended(end)) => Ok(Outcome::SessionEnded(*end)),
            Err(error) => {
                inner.moment.lock().not_resumed(stops);
                Err(error)
            }
        };
        if let Some(id) = once {
            inner.forget_once(id, &outcome).await;
        }
        outcome
    }

    /// Where the program stands, as `FILE:LINE`, when it does: it is looked up where nobody has seen
    /// the stop yet. What the next answer tells is left to it.
    ///
    /// # Errors
    /// Only when the session has ended.
    pub async fn place(&self) -> Result<Option<String>, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        let (number, connection, thread) = {
            let moment = inner.moment.lock();
            let Ok((number, connection)) = moment.standing() else {
                return Ok(None);
            };
            if let Some(at) = &moment.at {
                return Ok(Some(at.clone()));
            }
            let thread = moment.stop.as_ref().and_then(|(_, stop)| stop.thread);
            (number, connection, thread.unwrap_or_default())
        };
        let frames = inner.config.shown.frames;
        // What it cannot tell is not known.
        let Ok(raw) = inner.stack_of(connection, thread, 0, frames).await else {
            return Ok(None);
        };
        let own = raw.frames.iter().find(|frame| inner.is_ours(frame));
        let at = own
            .or(raw.frames.first())
            .and_then(|frame| inner.place(frame));
        let at = at.map(|place| place.to_string());
        let mut moment = inner.moment.lock();
        if moment.stops == number {
            moment.at.clone_from(&at);
        }
        Ok(at)
    }

    /// Stops a running program. When it does not stop in time, because it waits or is in native code,
    /// the answer is `StillRunning` with the pause pending and the stacks that the adapter gives. A
    /// program that stands is answered as it stands.
    ///
    /// # Errors
    /// When the adapter cannot pause.
    pub async fn pause(&self, wait: Option<Duration>) -> Result<Outcome, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        let wait = wait.unwrap_or(inner.config.limits.pause);
        if inner.moment.lock().phase != Phase::Running {
            return inner.outcome(Duration::ZERO).await;
        }
        if inner.is_gone() {
            // Its children may hold the adapter.
            return inner.outcome(inner.patience()).await;
        }
        {
            let mut moment = inner.moment.lock();
            (moment.pause_pending, moment.stop_asked) = (true, true);
        }
        match inner.pause_all().await {
            Ok(()) => inner.paused(wait).await,
            // It may have stopped or ended in the same moment.
            Err(error) => match inner.outcome(GONE).await? {
                Outcome::StillRunning(_) => {
                    inner.moment.lock().pause_pending = false;
                    Err(error)
                }
                other => Ok(other),
            },
        }
    }
}
