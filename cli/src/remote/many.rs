//! Many calls at once over one connection to the daemon of a checkout.
//!
//! The queues here have no bound of their own: there is one line for each call, of whom those who call
//! bound how many there are, and what is said about a call is taken at once by who waits for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::remote::link::{Failed, Link, Parts};
use crate::serve::wire::{Answer, Ask, Call, LONGEST, Lines, Refusal, Say, line};

/// A connection that is shared; dropped, it ends, and with it the conversations that are its own.
#[derive(Debug)]
pub(crate) struct Many {
    waiting: Arc<Waiting>,
    out: UnboundedSender<Vec<u8>>,
    last: AtomicU64,
    silence: Duration,
    process: String,
    tasks: [AbortHandle; 2],
}

/// Who waits for what is said about a request. `None` when nothing is said any more.
#[derive(Debug)]
struct Waiting(Mutex<Option<HashMap<u64, UnboundedSender<Say>>>>);

impl Many {
    /// Shares a connected link; `None` if it is not connected.
    pub(crate) fn over(link: Link) -> Option<Many> {
        let Parts {
            lines,
            out,
            process,
            silence,
        } = link.into_parts()?;
        let waiting = Arc::new(Waiting(Mutex::new(Some(HashMap::new()))));
        let (say, queue) = unbounded_channel();
        let reader = tokio::spawn(hear(lines, Arc::clone(&waiting)));
        let writer = tokio::spawn(write(out, queue));
        Some(Many {
            waiting,
            out: say,
            last: AtomicU64::new(0),
            silence,
            process,
            tasks: [reader.abort_handle(), writer.abort_handle()],
        })
    }

    /// Whether nothing can be called over it any more.
    pub(crate) fn is_over(&self) -> bool {
        self.waiting.lock().is_none() || self.out.is_closed()
    }

    /// From here on this conversation ends with the connection.
    pub(crate) fn own(&self, conversation: &str) {
        let own = Ask::Own {
            conversation: conversation.to_owned(),
        };
        if let Ok(line) = line(&own) {
            // Who has gone has ended it.
            let _ = self.out.send(line);
        }
    }

    /// Calls a tool, tells how far it is, and waits as long as the daemon says that it works.
    ///
    /// Cancel safety: the daemon is told that the answer is not needed any more.
    ///
    /// # Errors
    /// [`Failed`] tells whether it may be called again.
    pub(crate) async fn call(
        &self,
        call: Call,
        far: impl Fn(usize, usize),
    ) -> Result<Answer, Failed> {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let request = line(&Ask::Request { id, call });
        let request = match request {
            Ok(request) if request.len() <= LONGEST => request,
            _ => {
                return Err(Failed::Refused(Refusal {
                    message: format!("the request is longer than {LONGEST} bytes"),
                    typed: None,
                    usage: true,
                }));
            }
        };
        let (say, mut said) = unbounded_channel();
        match &mut *self.waiting.lock() {
            Some(waiting) => waiting.insert(id, say),
            None => return Err(Failed::NotTaken),
        };
        let mut wanted = Wanted {
            many: self,
            id,
            answered: false,
        };
        if self.out.send(request).is_err() {
            return Err(Failed::NotTaken);
        }
        let process = &self.process;
        let mut taken = false;
        loop {
            let Ok(next) = timeout(self.silence, said.recv()).await else {
                let silence = self.silence.as_secs();
                return Err(Failed::Lost(format!(
                    "{process} was silent for {silence} seconds"
                )));
            };
            match next {
                Some(Say::Working { .. }) => taken = true,
                Some(Say::Progress { done, total, .. }) => far(done, total),
                Some(Say::Answer { answer, .. }) => {
                    wanted.answered = true;
                    return Ok(answer);
                }
                Some(Say::Error { error, .. }) => {
                    wanted.answered = true;
                    return Err(Failed::Refused(error));
                }
                // What it had taken before, it would have said before.
                Some(Say::Ending) if !taken => return Err(Failed::NotTaken),
                Some(_) => {}
                None => return Err(Failed::Lost(format!("{process} is gone"))),
            }
        }
    }
}

impl Drop for Many {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

/// A request whose answer is waited for.
struct Wanted<'a> {
    many: &'a Many,
    id: u64,
    answered: bool,
}

impl Drop for Wanted<'_> {
    fn drop(&mut self) {
        if let Some(waiting) = &mut *self.many.waiting.lock() {
            waiting.remove(&self.id);
        }
        if !self.answered
            && let Ok(line) = line(&Ask::Cancel { id: self.id })
        {
            let _ = self.many.out.send(line);
        }
    }
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Option<HashMap<u64, UnboundedSender<Say>>>> {
        // Nothing panics while it holds it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Passes on what the daemon says, until it has gone.
async fn hear(mut lines: Lines<OwnedReadHalf>, waiting: Arc<Waiting>) {
    while let Ok(Some(line)) = lines.next().await {
        let Ok(said) = serde_json::from_slice::<Say>(&line) else {
            break;
        };
        let id = match &said {
            Say::Working { id }
            | Say::Progress { id, .. }
            | Say::Answer { id, .. }
            | Say::Error { id, .. } => *id,
            Say::Ending => {
                let waiting = waiting.lock();
                for waits in waiting.iter().flat_map(HashMap::values) {
                    let _ = waits.send(Say::Ending);
                }
                continue;
            }
            _ => continue,
        };
        if let Some(waits) = waiting.lock().as_ref().and_then(|all| all.get(&id)) {
            let _ = waits.send(said);
        }
    }
    *waiting.lock() = None;
}

async fn write(mut out: OwnedWriteHalf, mut queue: UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = queue.recv().await {
        if out.write_all(&line).await.is_err() {
            return;
        }
    }
}
