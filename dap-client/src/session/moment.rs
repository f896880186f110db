//! What is known about the program at this moment. It changes with events only, and with the requests
//! that resume it.

use crate::error::DebugError;
use crate::handle::{FrameHandle, ValueHandle};
use crate::output::{Ring, Stream};
use crate::protocol::Stopped;
use crate::result::State;

use std::collections::{BTreeMap, VecDeque};

use super::points::Points;

/// How the program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Starting,
    Running,
    Stopped,
    Exited,
}

/// The moment.
#[derive(Debug)]
pub(super) struct Moment {
    pub(super) phase: Phase,
    /// How many stops there were; the number of the current one, when it stands.
    pub(super) stops: u32,
    /// The stop, and the connection that told it. Kept after a resume, to be restored when that is
    /// refused.
    pub(super) stop: Option<(usize, Stopped)>,
    /// Stops of other parts of the program that came while it stood: their turn comes after it.
    waiting: VecDeque<(usize, Stopped)>,
    /// Where it stands, once that was looked at.
    pub(super) at: Option<String>,
    /// The frames that were told of, each with its place in its stack.
    frames: Vec<(usize, FrameRef)>,
    values: Vec<ValueRef>,
    /// How many of those were read before a call ran in the program, and are forgotten by the adapter.
    spent: usize,
    /// Exceptions of a test that were passed over, since that was said.
    pub(super) passed: usize,
    /// Evaluations that are under way, and what the adapter tells of the program meanwhile.
    aside: Aside,
    /// The frame that the stop showed.
    pub(super) focus: Option<FrameHandle>,
    pub(super) code: Option<i64>,
    /// The exit code as it is told in words, by a debugger that has no other way.
    pub(super) told: Option<i64>,
    /// The signal or panic that it stopped at last.
    pub(super) crash: Option<String>,
    pub(super) pid: Option<u32>,
    /// The processes behind the connections, as far as they are told.
    pids: BTreeMap<usize, u32>,
    pub(super) pause_pending: bool,
    /// Whether the adapter knows all that it has to know before the program runs.
    pub(super) configured: bool,
    pub(super) output: Ring,
    pub(super) points: Points,
    /// To be said with the next outcome.
    pub(super) notes: Vec<String>,
    /// Per connection, whether it said that the program is over.
    over: Vec<bool>,
    /// Whether the program is on the connections behind the first, as with js-debug. Else it is on the
    /// first, and the others are processes that it has started.
    in_parts: bool,
}

/// Evaluations that are under way. Some adapters tell of a function that they call for one as if the
/// program went on and stopped again: that is no stop of the program's.
#[derive(Debug, Default)]
struct Aside {
    /// How many are under way.
    calls: usize,
    /// The connection that said that its part of the program runs.
    ran: Option<usize>,
    /// The last stop since.
    stop: Option<Stopped>,
}

/// What an evaluation has done to the program.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ran {
    /// Nothing that the adapter tells of.
    Nothing,
    /// A function was called and came back, or it is not told how it ended.
    Call {
        /// The connection that told of it.
        connection: usize,
        /// Whether the adapter said that the program stands again.
        back: bool,
    },
    /// Something stopped the program inside of the function: that is the stop now.
    Stopped,
}

/// The word of gdb for the end of a call.
const CALLED: &str = "function call";

/// A frame, as the adapter knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameRef {
    pub(super) connection: usize,
    pub(super) id: i64,
    pub(super) thread: i64,
}

/// What can be opened, as the adapter knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueRef {
    pub(super) connection: usize,
    pub(super) reference: i64,
    /// How many elements it has, when the adapter says so.
    pub(super) indexed: Option<u64>,
    /// What it is called, for messages.
    pub(super) name: String,
    /// Whether it is a secret: what is inside of it is one.
    pub(super) secret: bool,
}

impl Moment {
    pub(super) fn new(output: usize, in_parts: bool) -> Self {
        Self {
            phase: Phase::Starting,
            stops: 0,
            stop: None,
            waiting: VecDeque::new(),
            at: None,
            frames: Vec::new(),
            values: Vec::new(),
            spent: 0,
            passed: 0,
            aside: Aside::default(),
            focus: None,
            code: None,
            told: None,
            crash: None,
            pid: None,
            pids: BTreeMap::new(),
            pause_pending: false,
            configured: false,
            output: Ring::new(output),
            points: Points::default(),
            notes: Vec::new(),
            over: Vec::new(),
            in_parts,
        }
    }

    /// The program stands. A second word about the same stop changes nothing; the stop of another part
    /// of it waits for its turn.
    pub(super) fn stopped(&mut self, connection: usize, mut event: Stopped, native: bool) {
        match self.phase {
            Phase::Exited => return,
            Phase::Stopped => {
                let another = self
                    .stop
                    .as_ref()
                    .is_some_and(|(its, _)| *its != connection);
                if another && self.waiting.iter().all(|(its, _)| *its != connection) {
                    self.waiting.push_back((connection, event));
                }
                return;
            }
            Phase::Starting | Phase::Running => {}
        }
        // What it tells now is newer.
        self.waiting.retain(|(its, _)| *its != connection);
        let words = [&event.description, &event.text];
        let by_signal = words
            .into_iter()
            .flatten()
            .any(|words| words.contains("SIGSTOP") || words.contains("SIGINT"));
        if self.pause_pending && (by_signal || event.reason == "SIGINT") {
            // How native debuggers stop a program is not why.
            event.reason = "pause".to_owned();
            (event.description, event.text) = (None, None);
        }
        self.phase = Phase::Stopped;
        self.stops += 1;
        self.forget_handles();
        self.at = None;
        self.crash = crash(&event, native && !self.pause_pending);
        self.pause_pending = false;
        self.points.hit(connection, &event.hit);
        self.stop = Some((connection, event));
    }

    /// An evaluation begins: until it has ended, what is told of the program belongs to it.
    pub(super) fn begins_aside(&mut self) {
        self.aside.calls += 1;
    }

    /// Whether what a connection tells is part of an evaluation, and is kept for its end; `stop` is
    /// the event of a stop, none means that the program goes on.
    pub(super) fn is_aside(&mut self, connection: usize, stop: Option<&Stopped>) -> bool {
        let stands = self.phase == Phase::Stopped
            && self
                .stop
                .as_ref()
                .is_some_and(|(its, _)| *its == connection);
        if self.aside.calls == 0 || !stands {
            return false;
        }
        match stop {
            None => {
                self.aside.ran = Some(connection);
                self.aside.stop = None;
            }
            Some(_) if self.aside.ran != Some(connection) => return false,
            Some(stop) => self.aside.stop = Some(stop.clone()),
        }
        true
    }

    /// An evaluation has ended, and was answered or not; what it has done to the program.
    pub(super) fn ends_aside(&mut self, answered: bool, native: bool) -> Ran {
        self.aside.calls = self.aside.calls.saturating_sub(1);
        let (Some(connection), stop) = (self.aside.ran.take(), self.aside.stop.take()) else {
            return Ran::Nothing;
        };
        match stop {
            Some(stop) if stop.reason != CALLED => {
                self.resumed();
                self.stopped(connection, stop, native);
                Ran::Stopped
            }
            None if !answered => {
                // It is still inside.
                self.resumed();
                Ran::Nothing
            }
            stop => {
                self.spent = self.values.len();
                Ran::Call {
                    connection,
                    back: stop.is_some(),
                }
            }
        }
    }

    /// The threads that frames were told of, with how many of them to ask for.
    pub(super) fn known_threads(&self, connection: usize) -> BTreeMap<i64, usize> {
        let mut threads = BTreeMap::new();
        for (level, frame) in &self.frames {
            if frame.connection == connection {
                let levels = threads.entry(frame.thread).or_insert(0);
                *levels = (*levels).max(level + 1);
            }
        }
        threads
    }

    /// What the adapter calls the frames of a thread from now on, the innermost first.
    pub(super) fn renumber(&mut self, connection: usize, thread: i64, ids: &[i64]) {
        for (level, frame) in &mut self.frames {
            if (frame.connection, frame.thread) == (connection, thread)
                && let Some(id) = ids.get(*level)
            {
                frame.id = *id;
            }
        }
    }

    /// Turns to a part of the program that has stopped meanwhile. Whether there was one.
    pub(super) fn next_stop(&mut self, native: bool) -> bool {
        if self.phase != Phase::Running {
            return false;
        }
        let Some((connection, event)) = self.waiting.pop_front() else {
            return false;
        };
        self.stopped(connection, event, native);
        true
    }

    /// Those that stand only because everything was paused, which wait no more: their connections and
    /// threads.
    pub(super) fn take_paused(&mut self) -> Vec<(usize, i64)> {
        let all = std::mem::take(&mut self.waiting).into_iter();
        let (paused, waiting): (VecDeque<_>, _) = all.partition(|(_, stop)| stop.reason == "pause");
        self.waiting = waiting;
        let of =
            |(connection, stop): (usize, Stopped)| (connection, stop.thread.unwrap_or_default());
        paused.into_iter().map(of).collect()
    }

    /// How many stops wait for their turn.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// A part of the program goes on by itself.
    pub(super) fn goes_on(&mut self, connection: usize) {
        self.waiting.retain(|(its, _)| *its != connection);
    }

    /// The process behind a connection.
    pub(super) fn pid_of(&self, connection: usize) -> Option<u32> {
        self.pids.get(&connection).copied()
    }

    /// A connection tells its process; that of the program itself is the first of them.
    pub(super) fn runs_in(&mut self, connection: usize, pid: u32) {
        self.pids.insert(connection, pid);
        if connection == 0 || self.in_parts {
            self.pid = Some(pid);
        }
    }

    /// The program goes on, or is about to.
    pub(super) fn resumed(&mut self) {
        if matches!(self.phase, Phase::Stopped | Phase::Starting) {
            self.phase = Phase::Running;
            self.forget_handles();
        }
    }

    /// The resume was refused: it stands where it stood. Handles stay forgotten.
    pub(super) fn not_resumed(&mut self, stops: u32) {
        if self.phase == Phase::Running && self.stops == stops {
            self.phase = Phase::Stopped;
        }
    }

    /// A connection says that the program is over. Those behind the first are parts of it, such as
    /// the one that js-debug runs the program in.
    pub(super) fn terminated(&mut self, connection: usize) {
        if self.over.len() <= connection {
            self.over.resize(connection + 1, false);
        }
        if let Some(over) = self.over.get_mut(connection) {
            *over = true;
        }
        self.goes_on(connection);
        let parts = self.over.get(1..).unwrap_or_default();
        let all = self.in_parts && !parts.is_empty() && parts.iter().all(|over| *over);
        if self.over.first() == Some(&true) || all {
            self.exited();
        } else if self.phase == Phase::Stopped
            && self
                .stop
                .as_ref()
                .is_some_and(|(its, _)| *its == connection)
        {
            // What stood is gone; the rest runs.
            self.resumed();
        }
    }

    /// Whether a connection has not said that its part of the program is over.
    pub(super) fn is_on(&self, connection: usize) -> bool {
        self.over.get(connection) != Some(&true)
    }

    pub(super) fn exited(&mut self) {
        self.phase = Phase::Exited;
        self.waiting.clear();
        self.forget_handles();
    }

    /// A further connection belongs to the program.
    pub(super) fn joined(&mut self, connection: usize) {
        if self.over.len() <= connection {
            self.over.resize(connection + 1, false);
        }
    }

    fn forget_handles(&mut self) {
        self.frames.clear();
        self.values.clear();
        self.spent = 0;
        self.focus = None;
    }

    /// The handle of a frame at a place of its stack. It stays the same as long as the program stands,
    /// also where the adapter calls the frame by another number whenever it is asked.
    pub(super) fn add_frame(&mut self, level: usize, frame: FrameRef) -> FrameHandle {
        let same = |(its, known): &(usize, FrameRef)| {
            *its == level && (known.connection, known.thread) == (frame.connection, frame.thread)
        };
        let number = match self.frames.iter().position(same) {
            Some(number) => {
                if let Some((_, known)) = self.frames.get_mut(number) {
                    known.id = frame.id;
                }
                number
            }
            None => {
                self.frames.push((level, frame));
                self.frames.len() - 1
            }
        };
        FrameHandle {
            stop: self.stops,
            number: number as u32,
        }
    }

    pub(super) fn add_value(&mut self, value: ValueRef) -> ValueHandle {
        let known = self.values.iter().skip(self.spent).position(|known| {
            known.reference == value.reference && known.connection == value.connection
        });
        let known = known.map(|number| number + self.spent);
        let number = known.unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        ValueHandle {
            stop: self.stops,
            number: number as u32,
        }
    }

    pub(super) fn frame(&self, handle: FrameHandle) -> Result<FrameRef, DebugError> {
        self.alive(handle.stop, &handle)?;
        let frame = self.frames.get(handle.number as usize);
        frame
            .map(|(_, frame)| frame.clone())
            .ok_or_else(|| DebugError::UnknownHandle(handle.to_string()))
    }

    pub(super) fn value(&self, handle: ValueHandle) -> Result<ValueRef, DebugError> {
        self.alive(handle.stop, &handle)?;
        let number = handle.number as usize;
        if number < self.spent {
            return Err(DebugError::Spent(handle.to_string()));
        }
        let value = self.values.get(number);
        value
            .cloned()
            .ok_or_else(|| DebugError::UnknownHandle(handle.to_string()))
    }

    fn alive(&self, stop: u32, handle: &dyn std::fmt::Display) -> Result<(), DebugError> {
        let stands = self.phase == Phase::Stopped;
        if stop > self.stops || stop == 0 {
            Err(DebugError::UnknownHandle(handle.to_string()))
        } else if stop < self.stops || !stands {
            Err(DebugError::Stale {
                handle: handle.to_string(),
                was: stop,
                now: stands.then_some(self.stops),
            })
        } else {
            Ok(())
        }
    }

    /// The number of the stop and the connection that tells of it.
    pub(super) fn standing(&self) -> Result<(u32, usize), DebugError> {
        let state = match self.phase {
            Phase::Stopped => {
                return Ok((
                    self.stops,
                    self.stop.as_ref().map_or(0, |(connection, _)| *connection),
                ));
            }
            Phase::Starting | Phase::Running => "is running",
            Phase::Exited => "has ended",
        };
        Err(DebugError::NotStopped {
            state,
            hint: match self.phase {
                Phase::Exited => "read its output, or start a new session",
                _ => "pause it, or wait for its next stop with `continue`",
            },
        })
    }

    pub(super) fn state(&self) -> State {
        match self.phase {
            Phase::Starting => State::Starting,
            Phase::Running => State::Running,
            Phase::Stopped => State::Stopped {
                reason: self
                    .stop
                    .as_ref()
                    .map_or_else(String::new, |(_, stop)| stop.reason.clone()),
                at: self.at.clone(),
            },
            Phase::Exited => State::Exited { code: self.code },
        }
    }

    /// Output of the program or of the adapter.
    pub(super) fn print(&mut self, stream: Stream, text: &str) {
        // Banners and answers of debuggers come as the program's output.
        let stream = if self.configured {
            stream
        } else {
            Stream::Console
        };
        self.output.push(stream, text);
        if stream == Stream::Console {
            self.tell(text);
        }
    }

    /// Hears what delve says instead of an `exited` event.
    pub(super) fn tell(&mut self, text: &str) {
        if let Some((_, rest)) = text.split_once("has exited with status ") {
            let digits: String = rest
                .chars()
                .take_while(|char| char.is_ascii_digit() || *char == '-')
                .collect();
            self.told = digits.parse().ok().or(self.told);
        }
    }
}

/// What a native program died of, when this stop is that.
fn crash(event: &Stopped, native: bool) -> Option<String> {
    let words = [&event.description, &event.text];
    let said = words.into_iter().flatten().next();
    match event.reason.as_str() {
        "signal" if native => Some(said.map_or_else(|| "signal".to_owned(), Clone::clone)),
        "exception" if native => {
            let words = said?;
            let fatal = [
                "SIGSEGV",
                "SIGABRT",
                "SIGBUS",
                "SIGFPE",
                "SIGILL",
                "SIGSYS",
                "panic",
                "fatal error",
            ];
            let dies = fatal.iter().any(|word| words.contains(word));
            dies.then(|| words.clone())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(reason: &str, text: &str) -> Stopped {
        Stopped {
            reason: reason.to_owned(),
            description: (!text.is_empty()).then(|| text.to_owned()),
            thread: Some(1),
            ..Stopped::default()
        }
    }

    fn frame(id: i64) -> FrameRef {
        FrameRef {
            connection: 0,
            id,
            thread: 1,
        }
    }

    #[test]
    fn handles_die_with_their_stop() {
        let mut moment = Moment::new(100, false);
        moment.resumed();
        assert!(matches!(
            moment.standing(),
            Err(DebugError::NotStopped {
                state: "is running",
                ..
            })
        ));
        moment.stopped(0, stop("breakpoint", ""), false);
        let first = moment.add_frame(0, frame(6));
        assert_eq!(
            moment.add_frame(0, frame(7)),
            first,
            "called by another number"
        );
        assert_ne!(moment.add_frame(1, frame(8)), first);
        assert_eq!(moment.frame(first).unwrap().id, 7);
        moment.resumed();
        assert!(matches!(
            moment.frame(first),
            Err(DebugError::Stale {
                was: 1,
                now: None,
                ..
            })
        ));
        moment.stopped(0, stop("step", ""), false);
        // The adapter uses the same id again: ours is another one.
        let second = moment.add_frame(0, frame(7));
        assert_ne!(first, second);
        assert!(matches!(
            moment.frame(first),
            Err(DebugError::Stale {
                was: 1,
                now: Some(2),
                ..
            })
        ));
        let invented = FrameHandle { stop: 2, number: 9 };
        assert!(matches!(
            moment.frame(invented),
            Err(DebugError::UnknownHandle(_))
        ));
        let future = ValueHandle { stop: 3, number: 0 };
        assert!(matches!(
            moment.value(future),
            Err(DebugError::UnknownHandle(_))
        ));
    }

    #[test]
    fn what_is_told_during_an_evaluation_is_part_of_it() {
        let mut moment = Moment::new(100, false);
        moment.stopped(0, stop("breakpoint", ""), false);
        let handle = moment.add_frame(0, frame(6));
        let value = moment.add_value(ValueRef {
            connection: 0,
            reference: 3,
            indexed: None,
            name: "p".to_owned(),
            secret: false,
        });
        assert!(!moment.is_aside(0, None), "nothing is evaluated");
        moment.begins_aside();
        assert!(moment.is_aside(0, None));
        assert!(!moment.is_aside(1, None), "another process");
        assert!(moment.is_aside(0, Some(&stop(CALLED, ""))));
        let ran = moment.ends_aside(true, false);
        let call = Ran::Call {
            connection: 0,
            back: true,
        };
        assert_eq!((ran, moment.stops), (call, 1));
        moment.renumber(0, 1, &[9]);
        assert_eq!(moment.frame(handle).unwrap().id, 9);
        assert!(matches!(moment.value(value), Err(DebugError::Spent(_))));
        // A breakpoint inside of the function is a stop.
        moment.begins_aside();
        assert!(moment.is_aside(0, None));
        assert!(moment.is_aside(0, Some(&stop("breakpoint", ""))));
        assert_eq!(moment.ends_aside(true, false), Ran::Stopped);
        assert_eq!(moment.stops, 2);
        // One that is not answered runs on.
        moment.begins_aside();
        assert!(moment.is_aside(0, None));
        assert_eq!(moment.ends_aside(false, false), Ran::Nothing);
        assert_eq!(moment.phase, Phase::Running);
    }

    #[test]
    fn a_second_word_about_a_stop_changes_nothing() {
        let mut moment = Moment::new(100, false);
        moment.stopped(0, stop("breakpoint", ""), false);
        moment.stopped(0, stop("pause", ""), false);
        assert_eq!(moment.stops, 1);
        assert_eq!(moment.stop.as_ref().unwrap().1.reason, "breakpoint");
    }

    #[test]
    fn the_parts_of_a_program_end_it_together() {
        let mut moment = Moment::new(100, true);
        moment.joined(1);
        moment.joined(2);
        moment.resumed();
        moment.terminated(1);
        assert_eq!(moment.phase, Phase::Running);
        moment.terminated(2);
        assert_eq!(moment.phase, Phase::Exited);
        let mut moment = Moment::new(100, true);
        moment.joined(1);
        moment.terminated(0);
        assert_eq!(moment.phase, Phase::Exited);
    }

    #[test]
    fn the_stops_of_several_processes_come_one_after_the_other() {
        let mut moment = Moment::new(100, false);
        moment.joined(0);
        moment.joined(1);
        moment.joined(2);
        moment.resumed();
        moment.stopped(1, stop("breakpoint", ""), false);
        moment.stopped(2, stop("exception", ""), false);
        moment.stopped(2, stop("exception", ""), false);
        moment.stopped(0, stop("pause", ""), false);
        assert_eq!((moment.standing().unwrap(), moment.waiting()), ((1, 1), 2));
        assert!(!moment.next_stop(false), "the first is not done with");
        // Nobody wants to look at what stands for a pause alone.
        assert_eq!(moment.take_paused(), [(0, 1)]);
        moment.resumed();
        assert!(moment.next_stop(false));
        assert_eq!((moment.standing().unwrap(), moment.waiting()), ((2, 2), 0));
        // What stands ends; the program does not, before its own process has.
        moment.terminated(2);
        assert_eq!(moment.phase, Phase::Running);
        moment.terminated(1);
        assert_eq!(moment.phase, Phase::Running);
        moment.terminated(0);
        assert_eq!(moment.phase, Phase::Exited);
    }

    #[test]
    fn a_crash_is_told_from_a_pause() {
        let mut moment = Moment::new(100, false);
        moment.stopped(
            0,
            stop("exception", "signal SIGSEGV: invalid address"),
            true,
        );
        assert!(moment.crash.is_some());
        moment.resumed();
        moment.pause_pending = true;
        moment.stopped(0, stop("exception", "signal SIGSTOP"), true);
        assert_eq!(moment.crash, None);
        assert_eq!(moment.stop.as_ref().unwrap().1.reason, "pause");
        moment.resumed();
        moment.stopped(0, stop("exception", "ValueError: panic"), false);
        assert_eq!(moment.crash, None);
    }

    #[test]
    fn the_code_is_read_from_what_delve_says() {
        let mut moment = Moment::new(100, false);
        moment.configured = true;
        moment.print(Stream::Stdout, "Process 1 has exited with status 4");
        assert_eq!(moment.told, None);
        moment.print(Stream::Console, "Process 1 has exited with status 3\n");
        assert_eq!(moment.told, Some(3));
    }
}
