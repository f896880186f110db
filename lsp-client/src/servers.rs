//! The servers that run: started at the first need, one for everybody at a root, ended when nobody
//! needs them any more.

use std::path::PathBuf;
use std::time::Duration;

mod config;
mod history;
mod pool;

pub use config::PoolConfig;

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
