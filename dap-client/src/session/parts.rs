//! A program of several processes or threads of its own, each behind a connection: the first, and what the
//! adapter asks for.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::adapter::Start;
use crate::connection::Unanswered;
use crate::debugger::Pipes;
use crate::error::DebugError;
use crate::protocol::text;
use crate::transport;

use super::inner::Inner;
use super::look::read_threads;
use super::start::Failed;

/// How long a process that the program has started may take to tell its threads, when all are paused.
const CHILD: Duration = Duration::from_millis(500);

fn left(until: Instant) -> Duration {
    // Whoever has answered is heard also when the time is over.
    until
        .saturating_duration_since(Instant::now())
        .max(Duration::from_millis(1))
}

/// Connections of one session in all.
const IN_ALL: usize = 4096;

impl Inner {
    /// The adapter wants a part of the program to be debugged over a connection of its own: js-debug the
    /// program itself and its workers, debugpy what the program starts. What is refused runs on
    /// without a debugger.
    pub(super) fn start_part(&self, arguments: &Value) -> Result<(), String> {
        let address = *self
            .address
            .get()
            .ok_or("this adapter has no port to connect to")?;
        let me = self.me.upgrade().ok_or("the session is over")?;
        if self.is_ending() {
            return Err("the session ends".to_owned());
        }
        {
            let connections = self.connections.lock();
            let living = connections.iter().filter(|one| !one.has_ended()).count();
            let most = self.config.limits.parts;
            if living >= most || connections.len() >= IN_ALL {
                let note = format!(
                    "the program has more than {most} processes: further ones run without breakpoints"
                );
                let mut moment = self.moment.lock();
                if !moment.notes.contains(&note) {
                    moment.notes.push(note.clone());
                }
                return Err(note);
            }
        }
        let start = match text(arguments, "request") {
            Some("attach") => Start::Attach,
            _ => Start::Launch,
        };
        let configuration = arguments.get("configuration").cloned().unwrap_or_default();
        tokio::spawn(async move {
            let began = match transport::connect(address).await {
                Ok((read, write)) => me.begin(Pipes { read, write }, start, configuration).await,
                Err(error) => Err(Failed::new("connecting", error.to_string())),
            };
            if let Err(failed) = began {
                me.without_part(&failed);
            }
        });
        Ok(())
    }

    /// A part could not be debugged. One that has ended meanwhile is none.
    fn without_part(self: &Arc<Self>, failed: &Failed) {
        if self.adapter.in_parts || !failed.is_end {
            let note = format!(
                "a part of the program is not debugged: {} failed: {}",
                failed.stage, failed.why
            );
            self.moment.lock().notes.push(note);
        }
        self.parted
            .store(true, std::sync::atomic::Ordering::Release);
        self.changed();
    }

    /// What is behind a connection is over: it is taken leave of, which the adapter waits for.
    pub(super) fn part_is_over(&self, connection: usize) {
        if self.is_child(connection)
            && let Ok(link) = self.connection(connection)
        {
            // It closes the connection then; debugpy dies when we do.
            drop(link.post("disconnect", json!({ "terminateDebuggee": false })));
        }
    }

    /// Whether a process is behind the connection that the program has started.
    pub(super) fn is_child(&self, connection: usize) -> bool {
        connection > 0 && !self.adapter.in_parts
    }

    /// The connections behind which a part of the program runs or stands, the latest last.
    pub(super) fn programs(&self) -> Vec<usize> {
        let ended: Vec<bool> = {
            let connections = self.connections.lock();
            connections.iter().map(|one| one.has_ended()).collect()
        };
        let moment = self.moment.lock();
        let first = usize::from(self.adapter.in_parts && ended.len() > 1);
        let parts = ended.iter().enumerate().skip(first);
        parts
            .filter(|(number, ended)| !**ended && moment.is_on(*number))
            .map(|(number, _)| number)
            .collect()
    }

    /// Pauses every part of the program; the first one that stops is shown. All are asked before any
    /// answer is waited for: a process that is about to end may give none.
    pub(super) async fn pause_all(&self) -> Result<(), DebugError> {
        let until = Instant::now() + self.config.limits.pause;
        let mut asked = Vec::new();
        for connection in self.programs().into_iter().rev() {
            let link = self.connection(connection)?;
            let threads = link.post("threads", Value::Null);
            asked.push((connection, link, threads));
        }
        let mut paused = Vec::new();
        for (connection, link, threads) in asked {
            let threads = match threads {
                Ok(mut reply) => {
                    let child = self.is_child(connection);
                    let within = if child {
                        CHILD.min(left(until))
                    } else {
                        left(until)
                    };
                    reply.within(within).await.unwrap_or_default()
                }
                Err(_) => Value::Null,
            };
            let threads = read_threads(&threads);
            self.runs_as(connection, &threads);
            let thread = threads.first().map(|thread| thread.id).unwrap_or_default();
            paused.push((
                connection,
                link.post("pause", json!({ "threadId": thread })),
            ));
        }
        let (mut any, mut answer) = (false, Ok(()));
        for (connection, reply) in paused {
            let said = match reply {
                Ok(mut reply) => reply.within(left(until)).await,
                Err(why) => Err(why),
            };
            match said {
                Ok(_) => any = true,
                Err(Unanswered::Gone(_)) if self.is_child(connection) => {}
                Err(why) => answer = Err(self.failed("pause", why).await),
            }
        }
        if any { Ok(()) } else { answer }
    }

    /// After the program was told to go on: what stands for a pause alone goes on with it, and what has
    /// stopped meanwhile has its turn.
    pub(super) fn turn_to_next(&self) {
        let paused = self.moment.lock().take_paused();
        for (connection, thread) in paused {
            if let Ok(link) = self.connection(connection) {
                // Nobody waits for the answer: one that is gone meanwhile has gone on.
                drop(link.post("continue", json!({ "threadId": thread })));
            }
        }
        if self.moment.lock().next_stop(self.is_native()) {
            self.changed();
        }
    }
}
