//! What a wait came to, told whole.

use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::{Instant, timeout_at};

use crate::error::DebugError;
use crate::program::forks;
use crate::result::{End, Outcome, Running, ThreadGroup};

use super::inner::Inner;
use super::moment::Moment;
use super::reason::signal;
use super::settle::Settled;
use super::target;

impl Inner {
    /// Waits for what comes, and tells all of it.
    pub(super) async fn outcome(&self, wait: Duration) -> Result<Outcome, DebugError> {
        let outcome = self.whole(wait).await?;
        Ok(self.scrubbed(outcome))
    }

    async fn whole(&self, wait: Duration) -> Result<Outcome, DebugError> {
        let deadline = Instant::now() + wait;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            return Ok(match self.settle(left).await {
                Settled::Stopped if self.is_no_failure().await => {
                    self.pass().await?;
                    continue;
                }
                Settled::Stopped => match self.picture().await {
                    Ok(stop) => Outcome::Stopped(Box::new(stop)),
                    // It ended while it was looked at.
                    Err(DebugError::Ended(end)) => Outcome::SessionEnded(*end),
                    Err(error) => return Err(error),
                },
                Settled::Running => self.running().await,
                Settled::Exited => self.ended().await,
                Settled::Ended(end) => Outcome::SessionEnded((*end).clone()),
            });
        }
    }

    async fn running(&self) -> Outcome {
        let (pending, mut notes, output) = {
            let mut moment = self.moment.lock();
            let mut notes = std::mem::take(&mut moment.notes);
            notes.extend(moment.points.unbound(&self.project));
            if moment.points.any_unhit() {
                notes.extend(self.no_children(&mut moment));
            }
            let output = moment.output.news(self.config.shown.output);
            let pid = moment.pid.or(self.attached);
            if pid.is_some_and(target::waits_for_input) {
                notes.push(
                    "the program waits for input: it reads its standard input, and nobody writes it"
                        .to_owned(),
                );
            }
            (moment.pause_pending, notes, output)
        };
        if self.is_gone() {
            notes.push(
                "the program's process has ended; what it has printed is still being read"
                    .to_owned(),
            );
        }
        let threads = match pending && self.adapter.stacks_while_running {
            true => self.groups_of_all().await,
            false => Vec::new(),
        };
        Outcome::StillRunning(Running {
            pause_pending: pending,
            threads,
            output,
            notes,
            clock: self.clock(),
        })
    }

    /// The threads of every process that is debugged, as far as they are told in time.
    async fn groups_of_all(&self) -> Vec<ThreadGroup> {
        let until = Instant::now() + self.config.limits.pause;
        let mut groups = Vec::new();
        for connection in self.programs() {
            if let Ok(Ok(page)) = timeout_at(until, self.thread_groups(connection)).await {
                groups.extend(page.items);
            }
        }
        groups
    }

    async fn ended(&self) -> Outcome {
        self.release().await;
        let code = self.exit_code();
        let passed = self.passed_over();
        let mut moment = self.moment.lock();
        let mut notes = std::mem::take(&mut moment.notes);
        notes.extend(passed);
        let printed = moment.output.last_lines(40);
        let never = moment.points.never_hit(&self.project, &printed);
        if !never.is_empty() {
            notes.extend(self.no_children(&mut moment));
        }
        notes.extend(never);
        let signal = moment.crash.clone();
        let output = moment.output.news(self.config.shown.output);
        drop(moment);
        notes.extend(self.signal_in(code));
        if code.is_none() && !self.adapter.exit_code {
            let id = &self.adapter.id;
            let written = self
                .request
                .as_ref()
                .is_some_and(|ours| ours.code.is_some());
            notes.push(match written {
                true => format!(
                    "{id} says that the program is over, which left no exit code: it may have lost the \
                     program, as it does when a value is a text of several hundred MB, and ended it"
                ),
                false => format!("{id} does not tell the exit code"),
            });
        }
        let end = End {
            code,
            output,
            notes,
            clock: self.clock(),
            signal,
        };
        match end.signal {
            Some(_) => Outcome::Crashed(end),
            None => Outcome::Exited(end),
        }
    }

    /// What is said once where a breakpoint may be one of a process that the program starts, and that is
    /// not followed.
    fn no_children(&self, moment: &mut Moment) -> Option<String> {
        if moment.told_children || !self.is_native() {
            return None;
        }
        let named = self.request.as_ref()?.configuration.get("program");
        let program = named.and_then(Json::as_str)?;
        if !forks(&self.project.join(program)) {
            return None;
        }
        moment.told_children = true;
        Some(format!(
            "{} does not follow the processes that a program starts: in those, breakpoints stop nothing",
            self.adapter.id
        ))
    }

    /// What an exit code may mean where signals are told as such, of those that crashes end by.
    fn signal_in(&self, code: Option<i64>) -> Option<String> {
        let code = code?;
        let number = match self.adapter.signals_as_codes {
            true => code,
            false => self.adapter.signals_below? - code,
        };
        let number = i32::try_from(number).ok()?;
        let name = signal(number).filter(|name| {
            [
                "SIGILL", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGSEGV", "SIGTERM",
            ]
            .contains(name)
        })?;
        let id = &self.adapter.id;
        Some(match self.adapter.signals_as_codes {
            true => format!("the code {code} is also how {id} tells that {name} ended the program"),
            false => format!("the code {code} is how {id} tells that {name} ended the program"),
        })
    }
}
