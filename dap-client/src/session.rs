//! One session: a program under a debugger.

use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;

use crate::connection::Unanswered;
use crate::error::DebugError;
use crate::handle::{FrameHandle, SessionId, ValueHandle};
use crate::output::OutputPage;
use crate::protocol::RawValue;
use crate::request::{Breakpoint, EvaluateQuery, Exceptions, Resume, ValuesQuery};
use crate::result::{
    BreakpointReport, Clock, Facts, Outcome, Page, Scope, SessionEnd, StackEntry, ThreadGroup,
    Value, Why,
};

mod end;
mod inner;
mod look;
mod method;
mod moment;
mod parts;
mod passing;
mod picture;
mod points;
mod recursion;
mod start;
pub(crate) mod target;
mod texts;
mod unwound;
mod values;

pub(crate) use inner::{Inner, Seed};
use moment::Phase;
pub(crate) use points::Touched;
use points::Where;
pub(crate) use start::Failed;

/// How long a wedged adapter is given after it was told to stop an evaluation.
const PATIENCE: Duration = Duration::from_secs(2);

/// A session, as its owner's [`Debugger`](crate::Debugger) gives it. Clones are the same session;
/// holding one does not keep it alive. Every call counts as use.
///
/// Each method fails with [`DebugError::Ended`] when the session has ended, or ends meanwhile, by
/// whatever reason.
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
        inner.moment.lock().resumed();
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
        inner.moment.lock().pause_pending = true;
        match inner.pause_all().await {
            Ok(()) => inner.outcome(wait).await,
            // It may have stopped or ended in the same moment.
            Err(error) => match inner.outcome(inner.patience()).await? {
                Outcome::StillRunning(_) => {
                    inner.moment.lock().pause_pending = false;
                    Err(error)
                }
                other => Ok(other),
            },
        }
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
            .evaluate_in(&link, &frame, &query.expression, within)
            .await
        {
            Ok(raw) => {
                let mut values = [inner.value(frame.connection, &raw, false, query.characters)];
                inner.sum_up(&mut values).await?;
                let [value] = values;
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

    /// Changes a variable: `name` in the innermost scope of a frame that has it, or inside of a
    /// value. It runs code of the program where the value is an expression.
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
        if !inner
            .connection(frame.connection)?
            .can("supportsSetVariable")
        {
            return Err(DebugError::Unsupported {
                adapter: inner.adapter.id.clone(),
                what: "way to change a variable".to_owned(),
                instead: "evaluate an assignment, where the language has one",
            });
        }
        let of = match inside {
            Some(handle) => {
                let moment = inner.moment.lock();
                moment.value(handle)?
            }
            None => inner.holder(&frame, name).await?,
        };
        let arguments = json!({
            "variablesReference": of.reference,
            "name": name,
            "value": value,
        });
        let limit = inner.config.limits.evaluate;
        let link = inner.connection(of.connection)?;
        let answer = inner
            .aside(link.request("setVariable", arguments, limit))
            .await;
        let body = match answer {
            Ok(body) => body,
            Err(why) => return Err(inner.failed("setVariable", why).await),
        };
        let mut raw = RawValue::read(&body);
        raw.name = name.to_owned();
        let value = inner.value(of.connection, &raw, of.secret, 300);
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

    /// Whether the adapter has what a breakpoint asks for. What it does not have it would leave out,
    /// and stop where it should not.
    pub(crate) fn supports(
        &self,
        link: &crate::connection::Connection,
        breakpoint: &Breakpoint,
    ) -> Result<(), DebugError> {
        let lacks = |what: &str, instead| {
            Err(DebugError::Unsupported {
                adapter: self.adapter.id.clone(),
                what: what.to_owned(),
                instead,
            })
        };
        let without =
            |option: &Option<String>, name| option.is_some() && !link.can(start::capability(name));
        if without(&breakpoint.condition, "condition") {
            return lacks(
                "conditions of breakpoints",
                "stop without one, and evaluate it there",
            );
        }
        if without(&breakpoint.hit, "hitCondition") {
            return lacks("hit counts", "use a condition on a variable that counts");
        }
        if without(&breakpoint.log, "logMessage") {
            return lacks("log messages of breakpoints", "stop there, and evaluate");
        }
        if matches!(breakpoint.at, crate::request::At::Function { .. })
            && self.qualified(breakpoint).is_none()
            && !link.can("supportsFunctionBreakpoints")
        {
            return Err(self.no_functions());
        }
        Ok(())
    }

    /// The refusal of a breakpoint on a function.
    pub(crate) fn no_functions(&self) -> DebugError {
        DebugError::Unsupported {
            adapter: self.adapter.id.clone(),
            what: "breakpoints on functions".to_owned(),
            instead: "name the file and the line, or the text of the line, where the function begins",
        }
    }

    /// Adds breakpoints whose places are found; none when one is not.
    pub(crate) fn add_points(
        &self,
        breakpoints: Vec<Breakpoint>,
    ) -> Result<(Vec<u32>, Touched), DebugError> {
        let mut places: Vec<Where> = Vec::new();
        for breakpoint in &breakpoints {
            places.push(self.place_of(breakpoint)?);
        }
        let mut touched = Touched::default();
        let mut moment = self.moment.lock();
        let ids = breakpoints
            .into_iter()
            .zip(places)
            .map(|(breakpoint, place)| {
                touched.add(&place);
                moment.points.add(breakpoint, place)
            });
        let ids = ids.collect();
        Ok((ids, touched))
    }

    /// The name of a function, when it is one that the adapter would not find by it.
    fn qualified<'a>(&self, breakpoint: &'a Breakpoint) -> Option<&'a str> {
        let is_python = self.adapter.languages.iter().any(|known| known == "Python");
        match &breakpoint.at {
            crate::request::At::Function { name } if is_python && name.contains('.') => Some(name),
            _ => None,
        }
    }

    /// The place of a breakpoint. Of a name that the adapter would take for another, or never bind,
    /// the line; a file that is no source is none.
    fn place_of(&self, breakpoint: &Breakpoint) -> Result<Where, DebugError> {
        let no_place = |asked: &str, why| DebugError::NoPlace {
            asked: asked.to_owned(),
            why,
        };
        if let Some(name) = self.qualified(breakpoint) {
            let (file, line) =
                method::find(name, &self.project).map_err(|why| no_place(name, why))?;
            return Ok(Where::Line { file, line });
        }
        let place = points::find(breakpoint, &self.project)?;
        if let Where::Line { file, .. } = &place
            && !file.starts_with(&self.project)
            && !self.adapter.extensions.is_empty()
            && !self.adapter.is_for(file)
        {
            let languages = self.adapter.languages.join(" or ");
            let why = format!("it is outside of the project and no source of {languages}");
            return Err(no_place(&file.display().to_string(), why));
        }
        Ok(place)
    }

    /// Makes every connection know.
    async fn tell_all(&self, touched: &Touched) -> Result<(), DebugError> {
        if self.has_exited() {
            return Ok(());
        }
        let connections = self.connections.lock().clone();
        for (number, connection) in connections.iter().enumerate() {
            if connection.has_ended() {
                continue;
            }
            match self.tell(number, connection, touched).await {
                // A process that the program has started may end at any time.
                Err(Unanswered::Gone(_)) if self.is_child(number) => {}
                Err(why) => return Err(self.failed("setBreakpoints", why).await),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    /// Waits a moment for breakpoints to be bound.
    async fn bind(&self, ids: &[u32]) {
        let mut changed = self.changed.subscribe();
        let deadline = tokio::time::Instant::now() + self.config.limits.bind;
        loop {
            changed.mark_unchanged();
            let pending = {
                let moment = self.moment.lock();
                ids.iter().any(|id| {
                    moment
                        .points
                        .get(*id)
                        .is_some_and(points::Point::is_pending)
                })
            };
            let timed_out = !pending
                || tokio::time::timeout_at(deadline, changed.changed())
                    .await
                    .is_err();
            if timed_out {
                return;
            }
        }
    }

    /// A breakpoint for this once.
    async fn run_to(&self, at: crate::request::At) -> Result<u32, DebugError> {
        let (ids, touched) = self.add_points(vec![Breakpoint::new(at)])?;
        let id = ids.first().copied().unwrap_or_default();
        if let Some(point) = self.moment.lock().points.get_mut(id) {
            point.once = true;
        }
        self.tell_all(&touched).await?;
        self.bind(&ids).await;
        let reports = self.moment.lock().points.reports(&self.project);
        let unreachable = reports.into_iter().find(|report| report.id == id);
        match unreachable {
            Some(BreakpointReport {
                binding: crate::result::Binding::Unreachable { why },
                asked,
                ..
            }) => {
                let touched = self.moment.lock().points.remove(|point| point.id == id);
                self.tell_all(&touched).await?;
                Err(DebugError::NoPlace { asked, why })
            }
            _ => Ok(id),
        }
    }

    /// Removes a breakpoint that was for once, as soon as the program stands.
    async fn forget_once(&self, id: u32, outcome: &Result<Outcome, DebugError>) {
        if matches!(outcome, Ok(Outcome::StillRunning(_))) {
            // It is on its way; the breakpoint is listed and can be removed.
            return;
        }
        let touched = self.moment.lock().points.remove(|point| point.id == id);
        if !self.is_ending() && !self.has_exited() {
            // An adapter that does not answer is noticed by the next question.
            let _ = self.tell_all(&touched).await;
        }
    }
}
