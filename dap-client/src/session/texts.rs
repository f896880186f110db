//! Every text of an answer that the program has a part in.

use crate::output::OutputPage;
use crate::result::{
    BreakpointReport, End, Exception, Frame, Outcome, Page, Running, Scope, SessionEnd, StackEntry,
    Stop, ThreadGroup, Value, Why,
};

/// What is done with a text.
pub(super) type Change<'a> = &'a mut dyn FnMut(&mut String);

/// An answer that has texts.
pub(super) trait Texts {
    /// Does something with each of them.
    fn texts(&mut self, change: Change<'_>);
}

impl<T: Texts> Texts for Vec<T> {
    fn texts(&mut self, change: Change<'_>) {
        self.iter_mut().for_each(|one| one.texts(change));
    }
}

impl<T: Texts> Texts for Option<T> {
    fn texts(&mut self, change: Change<'_>) {
        self.iter_mut().for_each(|one| one.texts(change));
    }
}

impl<T: Texts> Texts for Page<T> {
    fn texts(&mut self, change: Change<'_>) {
        self.items.texts(change);
    }
}

impl Texts for String {
    fn texts(&mut self, change: Change<'_>) {
        change(self);
    }
}

impl Texts for OutputPage {
    fn texts(&mut self, change: Change<'_>) {
        self.chunks
            .iter_mut()
            .for_each(|chunk| change(&mut chunk.text));
    }
}

impl Texts for Value {
    /// How deep it is open is bounded where that is done.
    fn texts(&mut self, change: Change<'_>) {
        change(&mut self.name);
        change(&mut self.text);
        self.kind.texts(change);
        self.inside.texts(change);
    }
}

impl Texts for Frame {
    fn texts(&mut self, change: Change<'_>) {
        change(&mut self.function);
        let places = self.place.iter_mut();
        places
            .flat_map(|place| &mut place.lines)
            .for_each(|line| change(&mut line.text));
    }
}

impl Texts for StackEntry {
    fn texts(&mut self, change: Change<'_>) {
        match self {
            Self::Frame(frame) => frame.texts(change),
            Self::Folded { names, .. } => names.texts(change),
            Self::Repeated { functions, .. } => functions.texts(change),
        }
    }
}

impl Texts for ThreadGroup {
    fn texts(&mut self, change: Change<'_>) {
        self.threads
            .iter_mut()
            .for_each(|thread| change(&mut thread.name));
        self.stack.texts(change);
        self.problem.texts(change);
    }
}

impl Texts for Scope {
    fn texts(&mut self, change: Change<'_>) {
        change(&mut self.name);
    }
}

impl Texts for BreakpointReport {
    fn texts(&mut self, change: Change<'_>) {
        change(&mut self.asked);
        self.options.texts(change);
    }
}

impl Texts for Exception {
    fn texts(&mut self, change: Change<'_>) {
        change(&mut self.kind);
        change(&mut self.message);
        self.trace.texts(change);
    }
}

impl Texts for Stop {
    fn texts(&mut self, change: Change<'_>) {
        self.detail.texts(change);
        self.exception.texts(change);
        change(&mut self.thread.name);
        self.frame.texts(change);
        self.top.texts(change);
        self.stack.texts(change);
        self.others.texts(change);
        self.locals.texts(change);
        self.output.texts(change);
        self.notes.texts(change);
    }
}

impl Texts for Running {
    fn texts(&mut self, change: Change<'_>) {
        self.threads.texts(change);
        self.output.texts(change);
        self.notes.texts(change);
    }
}

impl Texts for End {
    fn texts(&mut self, change: Change<'_>) {
        self.signal.texts(change);
        self.output.texts(change);
        self.notes.texts(change);
    }
}

impl Texts for SessionEnd {
    fn texts(&mut self, change: Change<'_>) {
        match &mut self.why {
            Why::NotStarted { reason } | Why::AdapterGone { reason } => change(reason),
            Why::Wedged { request } => change(request),
            _ => {}
        }
        self.notes.texts(change);
    }
}

impl Texts for Outcome {
    fn texts(&mut self, change: Change<'_>) {
        match self {
            Self::Stopped(stop) => stop.texts(change),
            Self::StillRunning(running) => running.texts(change),
            Self::Exited(end) | Self::Crashed(end) => end.texts(change),
            Self::SessionEnded(end) => end.texts(change),
        }
    }
}
