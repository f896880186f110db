//! One session: a program under a debugger.

use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;

use crate::connection::Unanswered;
use crate::error::DebugError;
use crate::handle::{FrameHandle, SessionId, ValueHandle};
use crate::output::OutputPage;
use crate::path::ValuePath;
use crate::request::{Breakpoint, EvaluateQuery, Exceptions, ValuesQuery};
use crate::result::{
    BreakpointReport, Clock, Facts, Page, Scope, SessionEnd, StackEntry, ThreadGroup, Value, Why,
};

mod assign;
mod caught;
mod end;
mod evaluate;
mod events;
mod going;
mod groups;
mod inner;
mod late;
mod line;
mod long;
mod look;
mod made;
mod method;
mod moment;
mod outcome;
mod parts;
mod passing;
mod picture;
mod points;
mod reason;
mod recursion;
mod rest;
mod script;
mod setting;
mod settle;
mod start;
pub(crate) mod target;
mod texts;
mod thrown;
mod unwound;
mod values;
mod walk;

pub(crate) use inner::{Inner, Seed};
pub(crate) use start::Failed;

/// How long a wedged adapter is given after it was told to stop an evaluation.
const PATIENCE: Duration = Duration::from_secs(2);

/// A session, as its owner's [`Debugger`](crate::Debugger) gives it. Clones are the same session;
/// holding one does not keep it alive. Every call counts as use.
///
/// Each method fails with [`DebugError::Ended`] when the session has ended, or ends meanwhile, by
/// whatever reason.
///
/// *Cancel safety*: whichever method's future is dropped, the session goes on, and what the adapter
/// answers then is dropped too. What it was told to do before may be done all the same: the program may
/// go on or stand ([`wait`](Session::wait) tells), an expression may be evaluated to its end, a breakpoint
/// or a variable may be set.
#[derive(Clone, Debug)]
pub struct Session {
    id: SessionId,
    /// The owner keeps it alive.
    inner: Weak<Inner>,
    end: watch::Receiver<Option<Arc<SessionEnd>>>,
}

impl Session {
    pub(crate) fn of(inner: &Arc<Inner>) -> Self {
        Self {
            id: inner.id.clone(),
            inner: Arc::downgrade(inner),
            end: inner.end.subscribe(),
        }
    }

    fn inner(&self) -> Result<Arc<Inner>, DebugError> {
        self.inner.upgrade().ok_or_else(|| match self.ended() {
            Some(end) => DebugError::Ended(Box::new(end)),
            None => DebugError::NoSession { last: None },
        })
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// What is to be known about it; nothing when its owner is gone.
    #[must_use]
    pub fn facts(&self) -> Option<Facts> {
        Some(self.inner.upgrade()?.facts())
    }

    /// How long it lives on: part of every answer.
    #[must_use]
    pub fn clock(&self) -> Clock {
        match self.inner.upgrade() {
            Some(inner) => inner.clock(),
            None => Clock {
                expires_in_s: 0,
                idle_in_s: 0,
            },
        }
    }

    /// How it ended, when it has.
    #[must_use]
    pub fn ended(&self) -> Option<SessionEnd> {
        self.end.borrow().as_deref().cloned()
    }

    /// Adds breakpoints, and says of each what became of it.
    ///
    /// # Errors
    /// [`DebugError::NoPlace`] when a place cannot be found, [`DebugError::Unsupported`] when the
    /// adapter has no conditions, hit counts, log messages or function breakpoints. None is set then.
    pub async fn break_at(
        &self,
        breakpoints: Vec<Breakpoint>,
    ) -> Result<Vec<BreakpointReport>, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        if inner.has_exited() {
            inner.moment.lock().standing()?;
        }
        let link = inner.connection(inner.active())?;
        for breakpoint in &breakpoints {
            inner.supports(&link, breakpoint)?;
        }
        let (ids, touched) = inner.add_points(breakpoints)?;
        inner.tell_all(&touched).await?;
        inner.bind(&ids).await;
        let reports = inner.moment.lock().points.reports(&inner.project);
        Ok(reports
            .into_iter()
            .filter(|report| ids.contains(&report.id))
            .collect())
    }

    /// All breakpoints.
    ///
    /// # Errors
    /// Only when the session has ended.
    pub fn breakpoints(&self) -> Result<Vec<BreakpointReport>, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        let reports = inner.moment.lock().points.reports(&inner.project);
        Ok(inner.scrubbed(reports))
    }

    /// Removes breakpoints by their numbers, or all; answers with those that are left.
    ///
    /// # Errors
    /// [`DebugError::NoBreakpoint`] for a number that there is not. None is removed then.
    pub async fn clear(&self, ids: Option<&[u32]>) -> Result<Vec<BreakpointReport>, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        let touched = {
            let mut moment = inner.moment.lock();
            let unknown = ids
                .into_iter()
                .flatten()
                .find(|id| moment.points.get(**id).is_none_or(points::Point::is_ours));
            if let Some(id) = unknown {
                return Err(DebugError::NoBreakpoint(*id));
            }
            moment
                .points
                .remove(|point| !point.is_ours() && ids.is_none_or(|ids| ids.contains(&point.id)))
        };
        inner.tell_all(&touched).await?;
        let reports = inner.moment.lock().points.reports(&inner.project);
        Ok(inner.scrubbed(reports))
    }

    /// Chooses at which failures it stops; says what the adapter makes of it.
    ///
    /// # Errors
    /// When the adapter does not answer.
    pub async fn exceptions(&self, exceptions: Exceptions) -> Result<Vec<String>, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        *inner.exceptions.lock() = exceptions;
        let mut touched = inner.moment.lock().points.remove(|point| point.silent);
        inner.watch_failures();
        touched.functions |= !inner.adapter.exceptions.functions.is_empty();
        inner.tell_all(&touched).await?;
        let mut notes = Vec::new();
        let connections = inner.connections.lock().clone();
        for connection in &connections {
            if connection.has_ended() || inner.has_exited() {
                continue;
            }
            match inner.tell_exceptions(connection, exceptions).await {
                Ok(said) => notes = said,
                Err(why) => return Err(inner.failed("setExceptionBreakpoints", why).await),
            }
        }
        Ok(notes)
    }

    /// The threads with their stacks, those that stand at the same place together, the smallest groups
    /// first. Of a running program only where the adapter can.
    ///
    /// # Errors
    /// [`DebugError::NotStopped`] when it runs and the adapter cannot.
    pub async fn threads(&self) -> Result<Page<ThreadGroup>, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        if !inner.adapter.stacks_while_running || inner.has_exited() {
            inner.moment.lock().standing()?;
        }
        let groups = inner.thread_groups(inner.active()).await?;
        Ok(inner.scrubbed(groups))
    }

    /// A part of the stack of a thread; of the one that stopped when none is named. Library frames
    /// are folded; a handle of each counts up from the first of its run.
    ///
    /// # Errors
    /// [`DebugError::NotStopped`], [`DebugError::NoThread`].
    pub async fn stack(
        &self,
        thread: Option<i64>,
        start: usize,
        levels: usize,
    ) -> Result<Page<StackEntry>, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        if !inner.adapter.stacks_while_running || inner.has_exited() {
            inner.moment.lock().standing()?;
        }
        let connection = inner.active();
        let threads = inner.threads_of(connection).await?;
        let told = {
            let moment = inner.moment.lock();
            moment.stop.as_ref().and_then(|(_, stop)| stop.thread)
        };
        let id = match thread {
            Some(id) if threads.iter().any(|known| known.id == id) => id,
            Some(id) => return Err(DebugError::NoThread(id)),
            None => told
                .or(threads.first().map(|thread| thread.id))
                .unwrap_or_default(),
        };
        let levels = levels.clamp(1, 200);
        let raw = inner.stack_of(connection, id, start, levels).await?;
        // Whoever asks for frames by number gets those, and not what is behind a recursion.
        let (items, more) = match start {
            0 => inner.told(connection, id, start, &raw).await,
            _ => (inner.entries(connection, id, start, &raw.frames), raw.more),
        };
        Ok(inner.scrubbed(Page { items, start, more }))
    }

    /// The scopes of a frame; of the one that the stop showed when none is named.
    ///
    /// # Errors
    /// [`DebugError::NotStopped`], [`DebugError::Stale`].
    pub async fn scopes(&self, frame: Option<FrameHandle>) -> Result<Vec<Scope>, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        let (_, frame) = inner.focused(frame).await?;
        let scopes = inner.scopes_of(&frame).await?;
        Ok(scopes
            .iter()
            .map(|raw| inner.scope(frame.connection, raw))
            .collect())
    }

    /// Values of a frame, or inside of a value.
    ///
    /// # Errors
    /// [`DebugError::NotStopped`], [`DebugError::Stale`], [`DebugError::NoValue`].
    pub async fn values(&self, query: ValuesQuery) -> Result<Page<Value>, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        inner.focused(None).await?;
        let values = inner.values(&query).await?;
        Ok(inner.scrubbed(values))
    }

    /// Evaluates an expression in a frame.
    ///
    /// One that never returns wedges some adapters: the session is ended then.
    ///
    /// # Errors
    /// [`DebugError::Refused`] with the adapter's words when it cannot be evaluated.
    pub async fn evaluate(&self, query: EvaluateQuery) -> Result<Value, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        let (_, frame) = inner.focused(query.frame).await?;
        let link = inner.connection(frame.connection)?;
        let within = query.within.unwrap_or(inner.config.limits.evaluate);
        match inner
            .evaluate_own(&link, &frame, &query.expression, within)
            .await
        {
            Ok(mut raw) => {
                let characters = query.characters;
                inner.lengthen(&link, &frame, &mut raw, characters).await;
                let mut values = [inner.value(frame.connection, &raw, false, query.characters)];
                inner.sum_up(&mut values, query.characters).await?;
                let [value] = values;
                // What only names a value can be evaluated once more.
                if query.expression.parse::<ValuePath>().is_ok() {
                    inner.root(&value, &frame, &query.expression);
                }
                Ok(inner.scrubbed(value))
            }
            Err(why @ Unanswered::TimedOut(_)) => {
                // Some can be stopped; some answer nothing any more.
                drop(link.post("pause", json!({ "threadId": frame.thread })));
                if inner.is_wedged(&link, PATIENCE).await {
                    let request = format!("evaluating `{}`", query.expression);
                    let end = inner.end_now(Why::Wedged { request }).await;
                    return Err(DebugError::Ended(Box::new((*end).clone())));
                }
                Err(inner.failed("evaluate", why).await)
            }
            Err(why) => Err(inner.failed("evaluate", why).await),
        }
    }

    /// Changes a variable: `name` in the innermost scope of a frame that has it, or inside of a value;
    /// `name` may also be the way to a part of one, such as `order.items[0]`. It runs code of the
    /// program where the value is an expression.
    ///
    /// # Errors
    /// [`DebugError::Unsupported`], [`DebugError::NoValue`], [`DebugError::Refused`].
    pub async fn set_variable(
        &self,
        inside: Option<ValueHandle>,
        frame: Option<FrameHandle>,
        name: &str,
        value: &str,
    ) -> Result<Value, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        let (_, frame) = inner.focused(frame).await?;
        let value = inner.assign(inside, &frame, name, value).await?;
        Ok(inner.scrubbed(value))
    }

    /// The program's output from a cursor on, at most `room` bytes.
    ///
    /// # Errors
    /// Only when the session has ended.
    pub fn output(&self, since: u64, room: usize) -> Result<OutputPage, DebugError> {
        let inner = self.inner()?;
        let _call = inner.enter()?;
        let page = inner.moment.lock().output.page(since, room);
        Ok(inner.scrubbed(page))
    }

    /// A text that was made of earlier answers, without the secrets that are known by now.
    #[must_use]
    pub fn without_secrets(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if let Some(inner) = self.inner.upgrade() {
            inner.secrets.lock().scrub(&mut text);
        }
        text
    }

    /// What `***` means, in a sentence: once, when there has been one.
    #[must_use]
    pub fn meaning_of_mask(&self) -> Option<&'static str> {
        self.inner.upgrade()?.secrets.lock().meaning()
    }
}

impl Inner {
    /// The frame that is meant; of a stop that nobody has looked at, the one that it would show.
    async fn focused(
        &self,
        frame: Option<FrameHandle>,
    ) -> Result<(FrameHandle, moment::FrameRef), DebugError> {
        let unseen = {
            let moment = self.moment.lock();
            moment.standing()?;
            frame.is_none() && moment.focus.is_none()
        };
        if unseen {
            self.picture().await?;
        }
        self.frame_ref(frame)
    }
}
