//! One session: a program under a debugger.

use std::time::Duration;

use crate::error::DebugError;
use crate::handle::{FrameHandle, SessionId, ValueHandle};
use crate::output::OutputPage;
use crate::request::{Breakpoint, EvaluateQuery, Exceptions, Resume, ValuesQuery};
use crate::result::{
    BreakpointReport, Clock, Facts, Outcome, Page, Scope, StackEntry, ThreadGroup, Value,
};

/// A session, as its owner's [`Debugger`](crate::Debugger) gives it. Clones are the same session;
/// holding one does not keep it alive. Every call counts as use.
///
/// Each method fails with [`DebugError::Ended`] when the session has ended, or ends meanwhile, by
/// whatever reason.
#[derive(Clone, Debug)]
pub struct Session {
    id: SessionId,
}

impl Session {
    /// Its name.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// What is to be known about it.
    #[must_use]
    pub fn facts(&self) -> Facts {
        unimplemented!()
    }

    /// How long it lives on: part of every answer.
    #[must_use]
    pub fn clock(&self) -> Clock {
        unimplemented!()
    }

    /// The current state as an outcome, with the whole stop when the program stands; waits up to
    /// `wait` for it when it runs. Nothing is resumed.
    ///
    /// # Errors
    /// When the adapter cannot tell the stop.
    pub async fn wait(&self, wait: Duration) -> Result<Outcome, DebugError> {
        let _ = wait;
        unimplemented!()
    }

    /// Lets the program go on, and waits up to `wait` for the next stop or the end. It is the thread
    /// that stopped last that steps.
    ///
    /// # Errors
    /// [`DebugError::NotStopped`] when it does not stand.
    pub async fn resume(&self, how: Resume, wait: Duration) -> Result<Outcome, DebugError> {
        let _ = (how, wait);
        unimplemented!()
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
        let _ = (thread, how, wait);
        unimplemented!()
    }

    /// Stops a running program. When it does not stop in time, because it waits or is in native code,
    /// the answer is `StillRunning` with the pause pending and the stacks that the adapter gives. A
    /// program that stands is answered as it stands.
    ///
    /// # Errors
    /// When the adapter cannot pause.
    pub async fn pause(&self, wait: Option<Duration>) -> Result<Outcome, DebugError> {
        let _ = wait;
        unimplemented!()
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
        let _ = breakpoints;
        unimplemented!()
    }

    /// All breakpoints.
    ///
    /// # Errors
    /// Only when the session has ended.
    pub fn breakpoints(&self) -> Result<Vec<BreakpointReport>, DebugError> {
        unimplemented!()
    }

    /// Removes breakpoints by their numbers, or all; answers with those that are left.
    ///
    /// # Errors
    /// [`DebugError::NoBreakpoint`] for a number that there is not. None is removed then.
    pub async fn clear(&self, ids: Option<&[u32]>) -> Result<Vec<BreakpointReport>, DebugError> {
        let _ = ids;
        unimplemented!()
    }

    /// Chooses at which failures it stops; says what the adapter makes of it.
    ///
    /// # Errors
    /// When the adapter refuses.
    pub async fn exceptions(&self, exceptions: Exceptions) -> Result<Vec<String>, DebugError> {
        let _ = exceptions;
        unimplemented!()
    }

    /// The threads with their stacks, those that stand at the same place together. Of a running
    /// program only where the adapter can.
    ///
    /// # Errors
    /// [`DebugError::NotStopped`] when it runs and the adapter cannot.
    pub async fn threads(&self) -> Result<Page<ThreadGroup>, DebugError> {
        unimplemented!()
    }

    /// A part of the stack of a thread; of the one that stopped when none is named.
    ///
    /// # Errors
    /// [`DebugError::NotStopped`], [`DebugError::NoThread`].
    pub async fn stack(
        &self,
        thread: Option<i64>,
        start: usize,
        levels: usize,
    ) -> Result<Page<StackEntry>, DebugError> {
        let _ = (thread, start, levels);
        unimplemented!()
    }

    /// The scopes of a frame; of the one that the stop showed when none is named.
    ///
    /// # Errors
    /// [`DebugError::NotStopped`], [`DebugError::Stale`].
    pub async fn scopes(&self, frame: Option<FrameHandle>) -> Result<Vec<Scope>, DebugError> {
        let _ = frame;
        unimplemented!()
    }

    /// Values of a frame, or inside of a value.
    ///
    /// # Errors
    /// [`DebugError::NotStopped`], [`DebugError::Stale`], [`DebugError::NoValue`].
    pub async fn values(&self, query: ValuesQuery) -> Result<Page<Value>, DebugError> {
        let _ = query;
        unimplemented!()
    }

    /// Evaluates an expression in a frame.
    ///
    /// One that never returns wedges some adapters: the session is ended then.
    ///
    /// # Errors
    /// [`DebugError::Refused`] with the adapter's words when it cannot be evaluated.
    pub async fn evaluate(&self, query: EvaluateQuery) -> Result<Value, DebugError> {
        let _ = query;
        unimplemented!()
    }

    /// Changes a variable: `name` in the innermost scope of a frame that has it, or inside of a
    /// value.
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
        let _ = (inside, frame, name, value);
        unimplemented!()
    }

    /// The program's output from a cursor on, at most `room` bytes.
    ///
    /// # Errors
    /// Only when the session has ended.
    pub fn output(&self, since: u64, room: usize) -> Result<OutputPage, DebugError> {
        let _ = (since, room);
        unimplemented!()
    }
}
