//! Evaluations that are under way, and what they do to the program.

use crate::protocol::Stopped;

use super::{Moment, Phase};

/// Evaluations that are under way. Some adapters tell of a function that they call for one as if the
/// program went on and stopped again: that is no stop of the program's.
#[derive(Debug, Default)]
pub(super) struct Aside {
    /// How many are under way.
    calls: usize,
    /// The connection that said that its part of the program runs.
    ran: Option<usize>,
    /// The last stop since.
    stop: Option<Stopped>,
}

/// What an evaluation has done to the program.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum Ran {
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

impl Moment {
    /// An evaluation begins: until it has ended, what is told of the program belongs to it.
    pub(in crate::session) fn begins_aside(&mut self) {
        self.aside.calls += 1;
    }

    /// Whether what a connection tells is part of an evaluation, and is kept for its end; `stop` is
    /// the event of a stop, none means that the program goes on.
    pub(in crate::session) fn is_aside(
        &mut self,
        connection: usize,
        stop: Option<&Stopped>,
    ) -> bool {
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
    pub(in crate::session) fn ends_aside(&mut self, answered: bool, native: bool) -> Ran {
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
}

#[cfg(test)]
mod tests {
    use super::super::ValueRef;
    use super::super::tests::{frame, stop};
    use super::*;
    use crate::error::DebugError;

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
            root: None,
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
}
