//! One client of a daemon, from its `hello` to its end.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use fourfold::Control;
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadHalf, WriteHalf};
use tokio::select;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at, timeout};

use crate::serve::house::House;
use crate::serve::service::Service;
use crate::serve::wire::{Answer, Ask, Call, LONGEST, Lines, Refusal, Say, line, search_path};

/// How a daemon treats a client.
#[derive(Clone, Debug)]
pub(crate) struct Manners {
    /// A client says `hello` within this time. Default 10 s: it has nothing else to do.
    pub(crate) hello: Duration,
    /// While a request is worked on this is said so often, so that the client can tell a long work
    /// from a dead daemon. Default 3 s, a fifth of what clients wait.
    pub(crate) beat: Duration,
    /// How often it is looked whether a request has got further, so that it can be said. Default
    /// 200 ms, as people look.
    pub(crate) progress: Duration,
    /// A client takes what it is sent within this time. Default 60 s: it has been stopped, or
    /// forgotten.
    pub(crate) reading: Duration,
    /// Requests of one client that are worked on at once. Default 64; a client that wants more has
    /// lost count.
    pub(crate) requests: usize,
    /// Bytes of a message. Default 64 MiB: answers are bounded far below it.
    pub(crate) longest: usize,
}

impl Default for Manners {
    fn default() -> Manners {
        Manners {
            hello: Duration::from_secs(10),
            beat: Duration::from_secs(3),
            progress: Duration::from_millis(200),
            reading: Duration::from_secs(60),
            requests: 64,
            longest: LONGEST,
        }
    }
}

/// Lines on their way to a client.
const QUEUE: usize = 16;

/// Attends to a client until it has gone, or until the daemon ends and its requests are answered.
/// One that asked for the end is given back, to be let go when all is over.
///
/// Cancel safety: dropping the future ends the connection, and cancels its requests.
pub(crate) async fn attend<T, S>(stream: T, house: Arc<House<S>>) -> Option<ReadHalf<T>>
where
    T: AsyncRead + AsyncWrite + Send + 'static,
    S: Service,
{
    let (input, output) = tokio::io::split(stream);
    let (out, queue) = mpsc::channel(QUEUE);
    let writer = tokio::spawn(write(output, queue, house.manners.reading));
    let mut client = Client {
        lines: Lines::bounded(input, house.manners.longest),
        out,
        house,
        requests: JoinSet::new(),
        taken: HashMap::new(),
        own: HashSet::new(),
        asked_for_the_end: false,
    };
    let left = client.listen().await;
    match left {
        Ok(Left::Gone) => writer.abort(),
        Ok(Left::Over) => {}
        Err(error) => {
            tracing::info!(%error, "a client is sent away");
            let message = error.to_string();
            client.say(&Say::Refused { message }).await;
        }
    }
    let Client {
        lines,
        out,
        asked_for_the_end,
        mut requests,
        own,
        house,
        ..
    } = client;
    drop(out);
    // One that is being begun would begin its conversation again.
    requests.shutdown().await;
    own.iter()
        .for_each(|conversation| house.service.end(conversation));
    // What was said is to arrive.
    let arrived = writer.await.unwrap_or(false);
    (asked_for_the_end && arrived).then(|| lines.into_inner())
}

/// Why a client is not attended to any more.
enum Left {
    /// It has gone, or does not read.
    Gone,
    /// The daemon ends, and everything it asked for is answered.
    Over,
}

struct Client<T, S> {
    lines: Lines<ReadHalf<T>>,
    out: mpsc::Sender<Vec<u8>>,
    house: Arc<House<S>>,
    requests: JoinSet<Result<Answer, Refusal>>,
    taken: HashMap<Id, Taken>,
    /// Conversations that end with the connection.
    own: HashSet<String>,
    asked_for_the_end: bool,
}

/// A request that is worked on.
struct Taken {
    id: u64,
    work: AbortHandle,
    control: Arc<Control>,
    /// How far the client knows it to be.
    told: (usize, usize),
}

impl<T, S> Client<T, S>
where
    T: AsyncRead + AsyncWrite + Send + 'static,
    S: Service,
{
    async fn listen(&mut self) -> io::Result<Left> {
        let house = Arc::clone(&self.house);
        match timeout(house.manners.hello, self.lines.next()).await {
            Ok(Ok(Some(first))) => self.greet(&first).await?,
            Ok(Err(error)) => return Err(error),
            Ok(Ok(None)) | Err(_) => return Ok(Left::Gone),
        }
        let beat = house.manners.beat;
        let mut beat = interval_at(Instant::now() + beat, beat);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut look = interval(house.manners.progress);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut takes = true;
        loop {
            select! {
                // Nothing is taken after the end was said.
                biased;
                () = house.the_end(), if takes => {
                    takes = false;
                    self.say(&Say::Ending).await;
                }
                Some(done) = self.requests.join_next_with_id() => self.answer(done).await,
                _ = beat.tick(), if !self.requests.is_empty() => {
                    let ids: Vec<u64> = self.taken.values().map(|taken| taken.id).collect();
                    for id in ids {
                        self.say(&Say::Working { id }).await;
                    }
                }
                _ = look.tick(), if !self.requests.is_empty() => self.say_how_far().await,
                line = self.lines.next() => match line? {
                    None => return Ok(Left::Gone),
                    Some(line) => self.hear(&line, takes).await?,
                },
                () = self.out.closed() => return Ok(Left::Gone),
            }
            if !takes && self.requests.is_empty() {
                return Ok(Left::Over);
            }
        }
    }

    /// The first thing it says tells whether it is meant for us.
    async fn greet(&self, first: &[u8]) -> io::Result<()> {
        let house = &self.house;
        match read(first)? {
            Ask::Hello { checkout, .. } if checkout == house.checkout => {
                let hello = Say::Hello {
                    identity: house.identity.clone(),
                    checkout,
                    pid: std::process::id(),
                    notices: house.service.notices(),
                    search_path: search_path(),
                };
                self.say(&hello).await;
                Ok(())
            }
            Ask::Hello { .. } => Err(invalid("this daemon serves another checkout")),
            _ => Err(invalid("say hello first")),
        }
    }

    async fn hear(&mut self, line: &[u8], takes: bool) -> io::Result<()> {
        match read(line)? {
            Ask::Hello { .. } => return Err(invalid("hello was said before")),
            Ask::Request { id, call } if takes => self.take(id, call).await?,
            // The end was said before it was heard; the client knows what to make of it.
            Ask::Request { .. } => {}
            Ask::Cancel { id } => {
                if let Some(taken) = self.taken.values().find(|taken| taken.id == id) {
                    taken.work.abort();
                }
            }
            Ask::Own { conversation } => {
                self.own.insert(conversation);
            }
            Ask::Status => {
                self.say(&Say::Status(self.house.status())).await;
            }
            Ask::End => {
                self.asked_for_the_end = true;
                self.house.end();
            }
        }
        Ok(())
    }

    async fn take(&mut self, id: u64, call: Call) -> io::Result<()> {
        if self.taken.values().any(|taken| taken.id == id) {
            return Err(invalid("two requests have one id"));
        }
        if self.taken.len() >= self.house.manners.requests {
            let message = format!(
                "{} requests are worked on already; wait for an answer",
                self.taken.len()
            );
            self.say(&Say::Error {
                id,
                error: refusal(message),
            })
            .await;
            return Ok(());
        }
        self.say(&Say::Working { id }).await;
        let house = Arc::clone(&self.house);
        let control = Arc::new(Control::new());
        let following = Arc::clone(&control);
        let work = self.requests.spawn(async move {
            let _counted = house.count_request();
            house.service.call(call, following).await
        });
        let taken = Taken {
            id,
            control,
            told: (0, 0),
            work: work.clone(),
        };
        self.taken.insert(work.id(), taken);
        Ok(())
    }

    /// Says of each request how far it is, if that is news.
    async fn say_how_far(&mut self) {
        let taken = self.taken.values_mut();
        let news = taken.filter_map(|taken| {
            let far = (taken.control.done(), taken.control.total());
            let is_news = far != taken.told;
            taken.told = far;
            is_news.then_some((taken.id, far))
        });
        let news: Vec<_> = news.collect();
        for (id, (done, total)) in news {
            self.say(&Say::Progress { id, done, total }).await;
        }
    }

    /// Says what came of a request. One that was cancelled is answered too, so that its id is free.
    async fn answer(&mut self, done: Result<(Id, Result<Answer, Refusal>), JoinError>) {
        let task = match &done {
            Ok((task, _)) => *task,
            Err(error) => error.id(),
        };
        // What was quick has not been looked at before.
        self.say_how_far().await;
        let Some(Taken { id, .. }) = self.taken.remove(&task) else {
            return;
        };
        let said = match done {
            Ok((_, Ok(answer))) => Say::Answer { id, answer },
            Ok((_, Err(error))) => Say::Error { id, error },
            Err(error) => {
                let message = match error.is_cancelled() {
                    true => "the request was cancelled".to_owned(),
                    false => {
                        format!("the work crashed ({error}); this is a fault of Fourfold")
                    }
                };
                Say::Error {
                    id,
                    error: refusal(message),
                }
            }
        };
        if !self.say(&said).await {
            let longest = self.house.manners.longest;
            let message = format!("the answer is longer than {longest} bytes; ask for less");
            self.say(&Say::Error {
                id,
                error: refusal(message),
            })
            .await;
        }
    }

    /// Whether it could be said. That nobody listens any more is seen elsewhere.
    async fn say(&self, said: &(impl Serialize + Sync)) -> bool {
        match line(said) {
            Ok(line) if line.len() <= self.house.manners.longest => {
                let _ = self.out.send(line).await;
                true
            }
            _ => false,
        }
    }
}

fn read(line: &[u8]) -> io::Result<Ask> {
    serde_json::from_slice(line)
        .map_err(|error| invalid(&format!("this is no message of this protocol: {error}")))
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn refusal(message: String) -> Refusal {
    Refusal {
        message,
        typed: None,
        usage: false,
    }
}

/// Sends what is queued; whether all of it could be sent.
async fn write<T: AsyncWrite>(
    mut output: WriteHalf<T>,
    mut queue: mpsc::Receiver<Vec<u8>>,
    patience: Duration,
) -> bool {
    while let Some(line) = queue.recv().await {
        match timeout(patience, output.write_all(&line)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(%error, "a client went away");
                return false;
            }
            Err(_) => {
                tracing::info!("a client does not read what it is sent");
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests;
