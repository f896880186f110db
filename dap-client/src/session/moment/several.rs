//! A program of several processes or parts: their stops come one after the other, and their ends are
//! counted.

use std::collections::VecDeque;

use crate::protocol::Stopped;

use super::{Moment, Phase};

impl Moment {
    /// Turns to a part of the program that has stopped meanwhile. Whether there was one.
    pub(in crate::session) fn next_stop(&mut self, native: bool) -> bool {
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
    pub(in crate::session) fn take_paused(&mut self) -> Vec<(usize, i64)> {
        let all = std::mem::take(&mut self.waiting).into_iter();
        let (paused, waiting): (VecDeque<_>, _) = all.partition(|(_, stop)| stop.reason == "pause");
        self.waiting = waiting;
        let of =
            |(connection, stop): (usize, Stopped)| (connection, stop.thread.unwrap_or_default());
        paused.into_iter().map(of).collect()
    }

    /// Whether a connection has told a stop that waits for its turn.
    pub(in crate::session) fn has_stopped(&self, connection: usize) -> bool {
        self.waiting.iter().any(|(its, _)| *its == connection)
    }

    /// How many stops wait for their turn.
    pub(in crate::session) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// A part of the program goes on by itself.
    pub(in crate::session) fn goes_on(&mut self, connection: usize) {
        self.waiting.retain(|(its, _)| *its != connection);
    }

    /// The process behind a connection.
    pub(in crate::session) fn pid_of(&self, connection: usize) -> Option<u32> {
        self.pids.get(&connection).copied()
    }

    /// A connection tells its process; that of the program itself is the first of them.
    pub(in crate::session) fn runs_in(&mut self, connection: usize, pid: u32) {
        self.pids.insert(connection, pid);
        if connection == 0 || self.in_parts {
            self.pid = Some(pid);
        }
    }

    /// A connection says that the program is over. Those behind the first are parts of it, such as
    /// the one that js-debug runs the program in.
    pub(in crate::session) fn terminated(&mut self, connection: usize) {
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
    pub(in crate::session) fn is_on(&self, connection: usize) -> bool {
        self.over.get(connection) != Some(&true)
    }

    pub(in crate::session) fn exited(&mut self) {
        self.phase = Phase::Exited;
        self.waiting.clear();
        self.forget_handles();
    }

    /// A further connection belongs to the program.
    pub(in crate::session) fn joined(&mut self, connection: usize) {
        if self.over.len() <= connection {
            self.over.resize(connection + 1, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::stop;
    use super::*;

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
}
