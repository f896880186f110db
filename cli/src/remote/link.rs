//! The client's end of the connection to the daemon of a checkout.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;

use crate::remote::start;
use crate::serve::Ready;
use crate::serve::identity::Identity;
use crate::serve::place::Place;
use crate::serve::wire::{
    Answer, Ask, Call, LONGEST, Lines, Refusal, Say, Status, line, search_path,
};

/// How long a daemon is waited for.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    /// It says hello, and takes its leave, within this time. Default 5 s: it has nothing to look up.
    pub(crate) hello: Duration,
    /// A new one serves within this time. Default 20 s: a program is loaded, and a checkout is
    /// recovered.
    pub(crate) start: Duration,
    /// While it works it says so. After so long without a word it is given up. Default 15 s, five of
    /// its beats.
    pub(crate) silence: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            hello: Duration::from_secs(5),
            start: Duration::from_secs(20),
            silence: Duration::from_secs(15),
        }
    }
}

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The tool says no.
    Refused(Refusal),
    /// The daemon ends and has not begun with it.
    NotTaken,
    /// The daemon is gone or silent. What became of the call is not known.
    Lost(String),
}

/// The way to the daemon of one checkout, connected or not.
#[derive(Debug)]
pub(crate) struct Link {
    place: Place,
    root: PathBuf,
    patience: Patience,
    /// Where a daemon that is started writes what is said to its servers, if anywhere.
    wire_log: Option<PathBuf>,
    wire: Option<Wire>,
}

/// A connection on which hello was said.
#[derive(Debug)]
struct Wire {
    lines: Lines<OwnedReadHalf>,
    out: OwnedWriteHalf,
    /// The process at the other end.
    process: String,
    identity: Identity,
    notices: Vec<String>,
    /// The folders in which the other end looks for programs.
    search_path: Vec<String>,
    requests: u64,
}

/// A connection, taken apart.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) lines: Lines<OwnedReadHalf>,
    pub(crate) out: OwnedWriteHalf,
    pub(crate) process: String,
    pub(crate) silence: Duration,
}

impl Link {
    /// The way to the daemon of the checkout with this canonical root; nothing is connected yet.
    ///
    /// # Errors
    /// There is no folder in which only this user could listen.
    pub(crate) fn to(root: &Path, patience: Patience) -> Result<Link> {
        Ok(Link {
            place: Place::of(root)?,
            root: root.to_path_buf(),
            patience,
            wire_log: None,
            wire: None,
        })
    }

    /// The same, where a daemon that is started writes what is said to its servers to a file.
    pub(crate) fn logged(mut self, wire_log: Option<PathBuf>) -> Link {
        self.wire_log = wire_log;
        self
    }

    /// Connects, if a daemon of this very program runs. One of another build, or one that was
    /// started before the settings were changed, is sent away.
    ///
    /// Cancel safety: as if it had not been called.
    ///
    /// # Errors
    /// A daemon is there but does not answer.
    pub(crate) async fn connect(&mut self) -> Result<bool> {
        if !self.connect_to_any().await? {
            return Ok(false);
        }
        let ours = Identity::of(&self.root);
        let theirs = self.wire.as_ref().map(|wire| &wire.identity);
        let Some(difference) = theirs.and_then(|theirs| ours.difference(theirs)) else {
            return Ok(true);
        };
        tracing::info!(difference, "the daemon is sent away");
        self.end().await?;
        self.wire = None;
        Ok(false)
    }

    /// Connects to whatever daemon runs.
    ///
    /// Cancel safety: as if it had not been called.
    ///
    /// # Errors
    /// A daemon is there but does not answer.
    pub(crate) async fn connect_to_any(&mut self) -> Result<bool> {
        if self.wire.is_none() {
            self.wire = self.hello().await?;
        }
        Ok(self.wire.is_some())
    }

    async fn hello(&self) -> Result<Option<Wire>> {
        let Some(stream) = self.place.connect().await? else {
            return Ok(None);
        };
        let process = match stream.peer_cred()?.pid() {
            Some(pid) => format!("the daemon (process {pid})"),
            None => "the daemon".to_owned(),
        };
        let (input, out) = stream.into_split();
        let mut wire = Wire {
            lines: Lines::new(input),
            out,
            process,
            identity: Identity::default(),
            notices: Vec::new(),
            search_path: Vec::new(),
            requests: 0,
        };
        let hello = Ask::Hello {
            identity: Identity::of(&self.root),
            checkout: self.place.name().to_owned(),
        };
        let answer = async {
            wire.say(&hello).await?;
            wire.hear().await
        };
        let answer = timeout(self.patience.hello, answer).await;
        match answer {
            // It ended just now.
            Ok(Err(error)) if is_end(&error) => Ok(None),
            Ok(answer) => match answer? {
                Say::Hello {
                    identity,
                    notices,
                    search_path,
                    ..
                } => {
                    wire.identity = identity;
                    wire.notices = notices;
                    wire.search_path = search_path;
                    Ok(Some(wire))
                }
                Say::Refused { message } => bail!("{} refuses: {message}", wire.process),
                other => bail!("{} does not say hello but {other:?}", wire.process),
            },
            Err(_) => bail!(
                "{} did not answer within {} seconds",
                wire.process,
                self.patience.hello.as_secs()
            ),
        }
    }

    /// Connects, and starts a daemon if none runs; whether it was started.
    ///
    /// Cancel safety: a daemon that was started goes on.
    ///
    /// # Errors
    /// It cannot be started, does not serve in time, or does not answer.
    pub(crate) async fn start(&mut self) -> Result<bool> {
        if self.connect().await? {
            return Ok(false);
        }
        let starting = self.place.starting(self.patience.start).await?;
        // It may have been started while we waited.
        if self.connect().await? {
            return Ok(false);
        }
        let log = self.wire_log.as_deref();
        let ready = start::start(&self.place, &self.root, starting, &self.patience, log).await?;
        let started = match ready {
            Ready::Serving => true,
            Ready::Served => false,
            Ready::Failed(why) => bail!("the daemon cannot start: {why}"),
        };
        if !self.connect().await? {
            bail!("the daemon ended as soon as it was started");
        }
        Ok(started)
    }

    /// What the daemon had to say about the checkout; said once.
    pub(crate) fn notices(&mut self) -> Vec<String> {
        match &mut self.wire {
            Some(wire) => std::mem::take(&mut wire.notices),
            None => Vec::new(),
        }
    }

    /// The folders in which this process would look for programs, and the daemon does not: it was
    /// started by somebody with another search path.
    pub(crate) fn unsearched(&self) -> Vec<String> {
        let Some(wire) = &self.wire else {
            return Vec::new();
        };
        let mut folders = search_path();
        folders.retain(|one| !wire.search_path.contains(one) && Path::new(one).is_dir());
        folders
    }

    /// The two ends of the connection, the process at the other end, and how long it is waited for;
    /// `None` when nothing is connected.
    pub(crate) fn into_parts(self) -> Option<Parts> {
        let wire = self.wire?;
        Some(Parts {
            lines: wire.lines,
            out: wire.out,
            process: wire.process,
            silence: self.patience.silence,
        })
    }

    /// Calls a tool, and waits as long as the daemon says that it works.
    ///
    /// Cancel safety: the daemon cancels what can be cancelled when this link is dropped too.
    ///
    /// # Errors
    /// [`Failed`] tells whether it may be called again.
    pub(crate) async fn call(&mut self, call: &Call) -> Result<Answer, Failed> {
        let Some(wire) = &mut self.wire else {
            return Err(Failed::NotTaken);
        };
        let done = wire.call(call, self.patience.silence).await;
        if !matches!(done, Ok(_) | Err(Failed::Refused(_))) {
            self.wire = None;
        }
        done
    }

    /// How the daemon is.
    ///
    /// Cancel safety: the connection is of no use any more.
    ///
    /// # Errors
    /// It is gone, or does not answer.
    pub(crate) async fn status(&mut self) -> Result<Status> {
        self.ask(&Ask::Status, |said| match said {
            Say::Status(status) => Some(status),
            _ => None,
        })
        .await
    }

    /// Asks the daemon to end. When this returns another one may be started.
    ///
    /// Cancel safety: the daemon may have heard it.
    ///
    /// # Errors
    /// It is gone, or does not answer.
    pub(crate) async fn end(&mut self) -> Result<()> {
        let ended = self.ask(&Ask::End, |said| matches!(said, Say::Ending).then_some(()));
        match ended.await {
            // It had another reason to end.
            Err(error) if error.downcast_ref().is_some_and(is_end) => Ok(()),
            ended => ended,
        }
    }

    /// Waits until the daemon has gone.
    ///
    /// Cancel safety: it may be called again.
    pub(crate) async fn closed(&mut self) {
        if let Some(wire) = &mut self.wire {
            while wire.hear().await.is_ok() {}
        }
    }

    async fn ask<T>(&mut self, ask: &Ask, answer: impl Fn(Say) -> Option<T>) -> Result<T> {
        let wire = self.wire.as_mut().context("nothing is connected")?;
        let answered = async {
            wire.say(ask).await?;
            loop {
                if let Some(answer) = answer(wire.hear().await?) {
                    return Ok(answer);
                }
            }
        };
        match timeout(self.patience.hello, answered).await {
            Ok(answered) => answered,
            Err(_) => bail!(
                "{} did not answer within {} seconds",
                wire.process,
                self.patience.hello.as_secs()
            ),
        }
    }
}

impl Wire {
    async fn say(&mut self, ask: &Ask) -> io::Result<()> {
        let line = line(ask)?;
        if line.len() > LONGEST {
            let message = format!("the request is longer than {LONGEST} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        self.out.write_all(&line).await
    }

    async fn hear(&mut self) -> io::Result<Say> {
        let line = self.lines.next().await?;
        let line = line.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(serde_json::from_slice(&line)?)
    }

    async fn call(&mut self, call: &Call, silence: Duration) -> Result<Answer, Failed> {
        self.requests += 1;
        let id = self.requests;
        let request = Ask::Request {
            id,
            call: call.clone(),
        };
        let process = self.process.clone();
        let silent = || {
            let silence = silence.as_secs();
            Failed::Lost(format!("{process} was silent for {silence} seconds"))
        };
        // A line without an end is no request.
        match timeout(silence, self.say(&request)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(Failed::Refused(Refusal {
                    message: error.to_string(),
                    typed: None,
                    usage: true,
                }));
            }
            Ok(Err(_)) => return Err(Failed::NotTaken),
            Err(_) => return Err(silent()),
        }
        let mut taken = false;
        loop {
            let said = timeout(silence, self.hear()).await.map_err(|_| silent())?;
            match said {
                Ok(Say::Working { id: of }) if of == id => taken = true,
                Ok(Say::Answer { id: of, answer }) if of == id => return Ok(answer),
                Ok(Say::Error { id: of, error }) if of == id => return Err(Failed::Refused(error)),
                // What it had taken before, it would have said before.
                Ok(Say::Ending) if !taken => return Err(Failed::NotTaken),
                Ok(Say::Refused { message }) => {
                    return Err(Failed::Lost(format!("{process} refuses: {message}")));
                }
                Ok(_) => {}
                Err(error) if is_end(&error) => {
                    return Err(Failed::Lost(format!("{process} is gone")));
                }
                Err(error) => {
                    return Err(Failed::Lost(format!(
                        "{process} is not understood: {error}"
                    )));
                }
            }
        }
    }
}

/// Whether the other end has gone.
fn is_end(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
    )
}
