//! What is known about the program at this moment. It changes with events only, and with the requests
//! that resume it.

use crate::error::DebugError;
use crate::handle::FrameHandle;
use crate::output::{Ring, Stream};
use crate::protocol::Stopped;
use crate::result::State;

use std::collections::{BTreeMap, VecDeque};

use super::picture::FAILING_TEST;
use super::points::Points;
use super::reason::signal;
use super::thrown::Thrown;

mod aside;
mod handles;
mod several;

use aside::Aside;
pub(super) use aside::Ran;
pub(super) use handles::{FrameRef, ValueRef};

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
    /// The same of those that the program's own code catches.
    pub(super) caught: usize,
    /// The same of exceptions that no code of the program's own had to do with.
    pub(super) outside: usize,
    /// The connection and the thread that stood at an exception which was told, the last one.
    pub(super) told_exception: Option<(usize, i64)>,
    /// What a test of JavaScript threw last, by way of a library.
    pub(super) thrown: Option<Thrown>,
    /// Evaluations that are under way, and what the adapter tells of the program meanwhile.
    aside: Aside,
    /// The frame that the stop showed.
    pub(super) focus: Option<FrameHandle>,
    pub(super) code: Option<i64>,
    /// The exit code as it is told in words, by a debugger that has no other way.
    pub(super) told: Option<i64>,
    /// The signal or panic that it stopped at last.
    pub(super) crash: Option<String>,
    /// The signal that ended the program of a core file.
    pub(super) killed: Option<String>,
    pub(super) pid: Option<u32>,
    /// The processes behind the connections, as far as they are told.
    pids: BTreeMap<usize, u32>,
    pub(super) pause_pending: bool,
    /// Whether a stop is what was asked for, by a step or a pause, since the program went on.
    pub(super) stop_asked: bool,
    /// It was said that the processes which the program starts are not followed.
    pub(super) told_children: bool,
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
            caught: 0,
            outside: 0,
            told_exception: None,
            thrown: None,
            aside: Aside::default(),
            focus: None,
            code: None,
            told: None,
            crash: None,
            killed: None,
            pid: None,
            pids: BTreeMap::new(),
            pause_pending: false,
            stop_asked: false,
            told_children: false,
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
        let by_signal = words.into_iter().flatten().any(|words| {
            // The last is one of lldb's own, which it was on its way to.
            ["SIGSTOP", "SIGINT", "breakpoint -"]
                .iter()
                .any(|known| words.contains(known))
        });
        // A step that was not asked for is how some tell of a pause.
        let by_name = ["SIGINT", "step"].contains(&event.reason.as_str());
        if self.pause_pending && (by_signal || by_name) {
            // How debuggers stop a program is not why.
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

    /// Whether the program has ended.
    pub(super) fn is_over(&self) -> bool {
        self.phase == Phase::Exited
    }

    /// How it is, for those who ask; `code` is that of a program that has ended.
    pub(super) fn state(&self, code: Option<i64>) -> State {
        match self.phase {
            Phase::Starting => State::Starting,
            Phase::Running => State::Running,
            Phase::Stopped => State::Stopped {
                reason: self.stop.as_ref().map_or_else(String::new, |(on, stop)| {
                    match self.points.is_failing_test(*on, &stop.hit) {
                        true => FAILING_TEST.to_owned(),
                        false => stop.reason.clone(),
                    }
                }),
                at: self.at.clone(),
            },
            Phase::Exited => State::Exited {
                code,
                signal: self.crash.clone(),
            },
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

    /// Hears what delve says instead of an `exited` event, and gdb of an end that such an event does not
    /// tell.
    pub(super) fn tell(&mut self, text: &str) {
        if let Some(code) = number_behind("has exited with status ", text) {
            self.told = Some(code);
        }
        if let Some(number) = number_behind("terminated with signal ", text) {
            let known = i32::try_from(number).ok().and_then(signal);
            let name = known.map_or_else(|| number.to_string(), str::to_owned);
            self.crash = Some(format!("signal {name}"));
        }
    }
}

fn number_behind(words: &str, text: &str) -> Option<i64> {
    let (_, rest) = text.split_once(words)?;
    let end = rest.find(|char: char| !char.is_ascii_digit() && char != '-');
    rest[..end.unwrap_or(rest.len())].parse().ok()
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

    pub(super) fn stop(reason: &str, text: &str) -> Stopped {
        Stopped {
            reason: reason.to_owned(),
            description: (!text.is_empty()).then(|| text.to_owned()),
            thread: Some(1),
            ..Stopped::default()
        }
    }

    pub(super) fn frame(id: i64) -> FrameRef {
        FrameRef {
            connection: 0,
            id,
            thread: 1,
        }
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
        moment.pause_pending = true;
        moment.stopped(0, stop("breakpoint", "breakpoint -1.1"), true);
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
        moment.print(Stream::Console, "terminated with signal 9\n");
        assert_eq!(moment.crash.as_deref(), Some("signal SIGKILL"));
    }
}
