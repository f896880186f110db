//! What the adapter's events do to a session.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::connection::Handler;
use crate::output::Stream;
use crate::protocol::{Bound, Stopped, number, plain, text};
use crate::result::Why;
use crate::transport;

use super::inner::Inner;
use super::late::{LATE, unmarked};
use super::moment::Phase;

/// How long the end of an adapter may be seen later on its first connection than on another.
const FIRST: Duration = Duration::from_secs(1);

impl Inner {
    pub(super) fn print(&self, stream: Stream, words: &str) {
        let (words, marked) = unmarked(words);
        self.take_in(stream, &words);
        if marked {
            self.marks.send_modify(|marks| *marks += 1);
        }
    }

    fn take_in(&self, stream: Stream, words: &str) {
        if self.is_leaving() {
            // What adapters print while they end is not the program's; but what a program had printed
            // before it ended may come only now.
            let exited = self.moment.lock().phase == Phase::Exited;
            if !exited || stream == Stream::Console {
                return;
            }
        }
        let words = plain(words);
        let words = self.secrets.lock().text(&words).into_owned();
        self.moment.lock().print(stream, &words);
    }

    /// What the program prints on the adapter's own output.
    pub(super) fn prints(&self) -> transport::Prints {
        let me = self.me.clone();
        let wanted = self.adapter.output_on_stdout;
        Arc::new(move |words| {
            if let Some(me) = me.upgrade().filter(|_| wanted) {
                me.print(Stream::Stdout, words);
            }
        })
    }

    /// The limit of a stream that nobody can read: the adapter is of no use any more.
    fn adapter_gone(&self, why: &str) {
        let program = self.adapter.is_program && !self.foreign;
        {
            let mut moment = self.moment.lock();
            if moment.phase == Phase::Exited {
                return;
            }
            if program && moment.phase != Phase::Starting {
                // The adapter was the program.
                moment.exited();
                drop(moment);
                return self.changed();
            }
            if moment.phase == Phase::Starting {
                // Whoever starts it tells.
                drop(moment);
                return self.changed();
            }
        }
        if let Some(me) = self.me.upgrade() {
            let reason = why.to_owned();
            tokio::spawn(async move {
                let words = match me.child.get() {
                    Some(child) => {
                        // Its last words are complete when it is gone.
                        let _ = tokio::time::timeout(LATE, child.wait()).await;
                        child.last_words(transport::LAST_LINES).await
                    }
                    None => Vec::new(),
                };
                let exit = me.child.get().and_then(|child| child.try_wait());
                let mut reason = match exit {
                    Some(exit) => format!("{reason}, {exit}"),
                    None => reason,
                };
                if !words.is_empty() {
                    reason = format!("{reason}: {}", me.hidden(&words.join(" / ")));
                }
                let why = match exit.map(|exit| exit.by) {
                    Some(fourfold_child::EndedBy::HardLimit) => Why::TimeLimit {
                        after_s: me.ttl.as_secs(),
                    },
                    _ => Why::AdapterGone { reason },
                };
                me.end_now(why).await;
            });
        }
    }
}

impl Handler for Inner {
    fn event(&self, connection: usize, event: &str, body: Value) {
        if self.is_leaving() {
            // Some tell the exit code only now.
            if event == "output" && text(&body, "category") != Some("stdout") {
                let words = text(&body, "output").unwrap_or_default();
                self.moment.lock().tell(words);
            }
            return;
        }
        match event {
            "output" => {
                let stream = match text(&body, "category") {
                    Some("stdout") => Stream::Stdout,
                    Some("stderr") => Stream::Stderr,
                    Some("telemetry") => return,
                    _ => Stream::Console,
                };
                // Nobody waits for it, and there may be very many.
                return self.print(stream, text(&body, "output").unwrap_or_default());
            }
            "stopped" => {
                let stop = Stopped::read(&body);
                tracing::debug!(session = %self.id, ?stop, "stopped");
                let native = self.is_native();
                let mut moment = self.moment.lock();
                if moment.is_aside(connection, Some(&stop)) {
                    return;
                }
                moment.stopped(connection, stop, native);
            }
            "continued" => {
                let mut moment = self.moment.lock();
                if moment.is_aside(connection, None) {
                    return;
                }
                let another = match &moment.stop {
                    Some((its, stop)) => {
                        *its != connection
                            || body.get("allThreadsContinued") == Some(&Value::Bool(false))
                                && stop.thread != number(&body, "threadId")
                    }
                    None => false,
                };
                match another {
                    true => moment.goes_on(connection),
                    false => moment.resumed(),
                }
            }
            // Of a process that the program has started, nobody asks.
            "exited" if self.is_child(connection) => {}
            "exited" => self.moment.lock().code = number(&body, "exitCode"),
            "terminated" => {
                self.moment.lock().terminated(connection);
                self.part_is_over(connection);
            }
            "process" => {
                let pid = number(&body, "systemProcessId");
                let pid = pid
                    .and_then(|pid| u32::try_from(pid).ok())
                    .filter(|pid| *pid > 0);
                if let Some(pid) = pid {
                    self.moment.lock().runs_in(connection, pid);
                }
            }
            "breakpoint" => {
                let bound = Bound::read(body.get("breakpoint").unwrap_or(&Value::Null));
                self.moment.lock().points.changed(connection, &bound);
            }
            _ => return,
        }
        self.changed();
    }

    fn asked(&self, _: usize, command: &str, arguments: Value) -> Result<Value, String> {
        match command {
            "startDebugging" => self.start_part(&arguments).map(|()| Value::Null),
            other => Err(format!("this client does not serve {other}")),
        }
    }

    fn ended(&self, connection: usize, why: &str) {
        if self.is_ending() {
            return;
        }
        if connection == 0 {
            return self.adapter_gone(why);
        }
        if let Some(me) = self.me.upgrade()
            && self.adapter.in_parts
            && self.moment.lock().is_on(connection)
        {
            // It did not say that the program is over: it may be the adapter that is.
            tokio::spawn(async move {
                if let Ok(first) = me.connection(0) {
                    let _ = tokio::time::timeout(FIRST, first.ended()).await;
                    if first.has_ended() {
                        // That is told by the first.
                        return;
                    }
                }
                me.moment.lock().terminated(connection);
                me.changed();
            });
            return;
        }
        self.moment.lock().terminated(connection);
        self.changed();
    }
}
