//! The servers that run: started at the first need, one for everybody at a root, ended when nobody
//! needs them any more.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::detect::{Detection, Detector, Launchable};
use crate::session::{Session, SessionLimits};

mod config;
mod history;
mod launch;
mod pool;
mod slot;

pub use config::PoolConfig;

use launch::Launcher;
use pool::Pool;
use slot::Lease;

/// The servers of a host for one checkout.
///
/// Nothing runs before the first request that needs it. All who need the same server at the same
/// root share one process; whoever comes while it starts waits for that start. A start goes on when
/// nobody waits for it any more. Dropping this ends all servers without ceremony;
/// [`Servers::shutdown`] does it politely.
#[derive(Debug)]
pub struct Servers {
    pool: Pool<Launcher>,
}

/// A server for a file, or why there is none.
#[derive(Debug)]
#[non_exhaustive]
pub struct Served {
    /// What was found on the disk.
    pub detection: Detection,
    /// The running server; nothing when the detection says that there is none to start.
    pub session: Option<Result<InUse, Unavailable>>,
}

/// A session in use. It is not ended for being idle, nor to make room for another one, as long as
/// this is held.
#[derive(Clone, Debug)]
pub struct InUse(Lease<Session>);

impl Deref for InUse {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.0
    }
}

/// Servers that were begun to be started, see [`Servers::begin`].
#[must_use = "what was begun may be given up when this is dropped"]
pub struct Begun {
    _held: Vec<Box<dyn Send + Sync>>,
}

impl fmt::Debug for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Begun({})", self._held.len())
    }
}

impl Servers {
    /// No servers yet.
    #[must_use]
    pub fn new(detector: Arc<Detector>, config: PoolConfig, limits: SessionLimits) -> Self {
        Self {
            pool: Pool::new(Launcher { detector, limits }, config),
        }
    }

    /// What finds them.
    #[must_use]
    pub fn detector(&self) -> &Arc<Detector> {
        &self.pool.starter().detector
    }

    /// Every server that is asked about a file: running, or why not. Those that do not run are
    /// started, side by side, and waited for; the path is one for [`Detector::detect`].
    ///
    /// *Cancel safety*: safe; what was being started goes on.
    pub async fn for_file(&self, file: &Path) -> Vec<Served> {
        self.served(file, None).await
    }

    /// [`for_file`](Self::for_file), where those that take longer to start than this are not waited
    /// for any more: they are [`Unavailable::Starting`].
    ///
    /// *Cancel safety*: safe; what was being started goes on.
    pub async fn for_file_within(&self, file: &Path, wait: Duration) -> Vec<Served> {
        self.served(file, Some(wait)).await
    }

    async fn served(&self, file: &Path, wait: Option<Duration>) -> Vec<Served> {
        let until = wait.map(|wait| (Instant::now() + wait, wait));
        let found = self.detector().detect(file).await;
        let begun: Vec<_> = found
            .iter()
            .filter_map(Detection::launchable)
            .map(|launchable| self.pool.begin(launchable))
            .collect();
        let mut served = Vec::new();
        for detection in found {
            let session = match (detection.launchable(), until) {
                (None, _) => None,
                (Some(launchable), None) => Some(self.session(launchable).await),
                (Some(launchable), Some((until, wait))) => {
                    let session = timeout_at(until, self.session(launchable)).await;
                    Some(session.unwrap_or_else(|_| {
                        Err(Unavailable::Starting {
                            server: launchable.server.id.clone(),
                            root: launchable.root.clone(),
                            wait,
                        })
                    }))
                }
            };
            served.push(Served { detection, session });
        }
        drop(begun);
        served
    }

    /// Begins to start what these files need, all side by side, and waits for none of it. What comes of
    /// it is kept for as long as the result is held.
    ///
    /// *Cancel safety*: safe; what was being started goes on.
    pub async fn begin(&self, files: &[&Path]) -> Begun {
        let mut begun: Vec<Box<dyn Send + Sync>> = Vec::new();
        for file in files {
            let found = self.detector().detect(file).await;
            for launchable in found.iter().filter_map(Detection::launchable) {
                begun.push(Box::new(self.pool.begin(launchable)));
            }
        }
        Begun { _held: begun }
    }

    /// One server that was detected, started when it does not run.
    ///
    /// # Errors
    ///
    /// When it does not start, or may not for now.
    ///
    /// *Cancel safety*: safe; what was being started goes on.
    pub async fn session(&self, launchable: &Launchable) -> Result<InUse, Unavailable> {
        self.pool.lease(launchable).await.map(InUse)
    }

    /// The sessions that run. This is no use of them: it does not keep them from being idle. It is
    /// for telling everybody what has changed on the disk.
    #[must_use]
    pub fn running(&self) -> Vec<Arc<Session>> {
        let all = self.pool.status().into_iter();
        all.filter_map(|(_, session)| session).collect()
    }

    /// How every server is that was needed so far.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        let all = self.pool.status().into_iter();
        all.map(|(mut status, session)| {
            status.doing = session.map(|session| session.doing()).unwrap_or_default();
            status
        })
        .collect()
    }

    /// Ends the servers of this name, or all, and forgets what went wrong with them. They start
    /// again when they are needed. Says how many there were to reload.
    ///
    /// *Cancel safety*: what has begun to end does so.
    pub async fn reload(&self, server: Option<&str>) -> usize {
        self.detector().forget_failures(server);
        self.pool.reload(server).await
    }

    /// Ends all servers politely, and starts none any more.
    ///
    /// *Cancel safety*: what has begun to end does so.
    pub async fn shutdown(&self) {
        self.pool.shutdown().await;
    }
}

/// Why there is no server to talk to, though one could be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// It did not start, or has just ended; it is not tried again at once.
    #[error(
        "{server} in {} is not available: {why}; it is tried again {}",
        .root.display(), when(*.again_in)
    )]
    Failed {
        /// The server.
        server: String,
        /// Where.
        root: PathBuf,
        /// What happened.
        why: String,
        /// When the next request starts it again.
        again_in: Duration,
    },
    /// It ended too often.
    #[error(
        "{server} in {} is switched off, because it ended {deaths} times in short order, the last \
         time: {why}; reload it to try again",
        .root.display()
    )]
    Off {
        /// The server.
        server: String,
        /// Where.
        root: PathBuf,
        /// How often it ended.
        deaths: usize,
        /// How it ended last.
        why: String,
    },
    /// As many servers as may run are running, and each of them is in use.
    #[error(
        "{server} was not started: {live} servers run, and all are in use ({}); try again when one \
         is done, or allow more",
        .servers.join(", ")
    )]
    Full {
        /// The server that was wanted.
        server: String,
        /// How many run.
        live: usize,
        /// Which.
        servers: Vec<String>,
    },
    /// It was not waited for any longer.
    #[error(
        "{server} in {} was not up within {} s; its start goes on, and the next request finds it",
        .root.display(), (.wait.as_secs_f32() * 10.0).round() / 10.0
    )]
    Starting {
        /// The server.
        server: String,
        /// Where.
        root: PathBuf,
        /// How long it was waited for.
        wait: Duration,
    },
    /// The pool was shut down.
    #[error("no server is started any more: the host is shutting down")]
    ShutDown,
}

/// In how long, for people.
fn when(again_in: Duration) -> String {
    match again_in.as_secs_f32().ceil() {
        0.0 => "at the next request".to_owned(),
        seconds => format!("in {seconds} s"),
    }
}

/// A server at a root.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Its name.
    pub server: String,
    /// Its root.
    pub root: PathBuf,
    /// Which life this is, or was last; no two lives of servers have the same number.
    pub generation: u64,
    /// How it is.
    pub state: ServerState,
    /// How often it ended lately that we did not end it.
    pub deaths: usize,
    /// What it says that it is doing.
    pub doing: Vec<String>,
}

/// How a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerState {
    /// Not running: not needed any more.
    Down,
    /// Being started.
    Starting {
        /// For how long.
        since: Duration,
    },
    /// Running.
    Up {
        /// For how long.
        since: Duration,
        /// Whether it was up long enough to be counted on.
        proven: bool,
        /// For how long nobody has used it; nothing while somebody does.
        idle: Option<Duration>,
    },
    /// Being ended.
    Stopping,
    /// It did not start, or ended by itself.
    Failed {
        /// What happened.
        why: String,
        /// In how long a request may start it again.
        again_in: Duration,
    },
    /// It ended too often; only a reload helps.
    Off {
        /// How it ended last.
        why: String,
    },
}

#[cfg(test)]
mod tests;
