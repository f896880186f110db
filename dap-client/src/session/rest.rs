//! A program that is told to stop and does not, because it waits in native code.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::DebugError;
use crate::result::{Outcome, ThreadInfo};

use super::inner::Inner;
use super::settle::Settled;
use super::target::{Work, work_of};

/// How long a program that was told to stop is given between two looks at whether it does anything.
const LOOK: Duration = Duration::from_millis(150);

impl Inner {
    /// Waits for what a pause leads to. A program that does nothing at all, of a language whose debugger
    /// stops only code of that language, is not waited for.
    pub(super) async fn paused(&self, wait: Duration) -> Result<Outcome, DebugError> {
        if !self.stops_own_code_only() {
            return self.outcome(wait).await;
        }
        let deadline = Instant::now() + wait;
        let mut before = None;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let settled = self.settle(left.min(LOOK)).await;
            if !matches!(settled, Settled::Running) || Instant::now() >= deadline {
                break;
            }
            let now = self.rests();
            if now.is_some() && now == before {
                break;
            }
            before = now;
        }
        if self.is_still_pausing() {
            self.moment
                .lock()
                .notes
                .push(self.why_not_paused(before.is_some()));
        }
        self.outcome(Duration::ZERO).await
    }

    fn stops_own_code_only(&self) -> bool {
        self.debugs("Python") || self.debugs("JavaScript")
    }

    fn is_still_pausing(&self) -> bool {
        let moment = self.moment.lock();
        moment.pause_pending && moment.standing().is_err() && !moment.is_over()
    }

    fn why_not_paused(&self, rests: bool) -> String {
        let id = &self.adapter.id;
        let how = match rests {
            true => "waits in the system, for a lock, a time, another process or the like",
            false => "is in native code",
        };
        match self.adapter.stacks_while_running {
            true => format!(
                "every thread of the program {how}; {id} stops one when it is back in its own code. These are \
                 their stacks as they wait"
            ),
            false => format!(
                "the program {how}, and none of its own code runs; {id} stops it when some does. What it \
                 waits for is in no stack: set a breakpoint where it goes on"
            ),
        }
    }

    /// What the processes have done so far; nothing when one of them does something now, or is not
    /// known.
    fn rests(&self) -> Option<Vec<Work>> {
        let pids = self.processes();
        let all: Option<Vec<Work>> = pids.iter().map(|pid| work_of(*pid)).collect();
        all.filter(|all| !all.is_empty())
    }

    fn processes(&self) -> Vec<u32> {
        let programs = self.programs();
        let moment = self.moment.lock();
        let told = programs.into_iter().filter_map(|part| moment.pid_of(part));
        let mut pids: Vec<u32> = told.chain(moment.pid).chain(self.attached).collect();
        pids.sort_unstable();
        pids.dedup();
        pids
    }

    /// The process of a part of the program that is told only in the name of its thread: `a.js [42]`.
    pub(super) fn runs_as(&self, connection: usize, threads: &[ThreadInfo]) {
        let mut moment = self.moment.lock();
        if !self.adapter.in_parts || moment.pid_of(connection).is_some() {
            return;
        }
        let pid = threads.iter().find_map(|thread| {
            let (_, number) = thread.name.strip_suffix(']')?.rsplit_once('[')?;
            number.parse().ok()
        });
        if let Some(pid) = pid {
            moment.runs_in(connection, pid);
        }
    }
}
