//! The life of a daemon: it lets clients in until there is a reason to end, and ends politely.

use std::fmt;
use std::future::pending;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::io::ReadHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::select;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use crate::serve::connection::attend;
use crate::serve::house::House;
use crate::serve::identity::Fixed;
use crate::serve::place::{Place, Serving, is_ours};
use crate::serve::service::Service;

/// How a daemon lives and ends.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// How often it is looked whether the checkout, the program and the socket are still there.
    /// Default 5 s: three looks at the disk, and nobody waits for them.
    pub(crate) look: Duration,
    /// Connections at once. Default 128; each is a person or an agent.
    pub(crate) clients: usize,
    /// At the end, requests that are worked on may go on for so long. Default 10 minutes: another
    /// daemon may serve meanwhile.
    pub(crate) finishing: Duration,
    /// The same when a signal has ended it. Default 5 s: who sends one wants it gone.
    pub(crate) hurrying: Duration,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            look: Duration::from_secs(5),
            clients: 128,
            finishing: Duration::from_secs(600),
            hurrying: Duration::from_secs(5),
        }
    }
}

/// Why a daemon ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Idle,
    Asked,
    Signalled,
    RootGone,
    ProgramReplaced,
    SocketGone,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ended::Idle => "nobody needed it for a while",
            Ended::Asked => "it was asked to end",
            Ended::Signalled => "a signal ended it",
            Ended::RootGone => "the checkout is gone",
            Ended::ProgramReplaced => "the program was replaced",
            Ended::SocketGone => "its socket is gone",
        })
    }
}

/// A daemon that listens.
#[derive(Debug)]
pub(crate) struct Daemon<S> {
    pub(crate) house: Arc<House<S>>,
    pub(crate) listener: UnixListener,
    pub(crate) place: Place,
    pub(crate) serving: Serving,
    pub(crate) watched: Watched,
    pub(crate) terms: Terms,
}

/// What has to stay as it is on disk.
#[derive(Debug)]
pub(crate) struct Watched {
    root: Fixed,
    program: Option<Fixed>,
    socket: Option<u64>,
}

impl Watched {
    pub(crate) fn now(root: PathBuf, place: &Place) -> Watched {
        Watched {
            root: Fixed::now(root),
            program: Fixed::own_program(),
            socket: place.socket_number(),
        }
    }

    fn look(&self, place: &Place) -> Option<Ended> {
        if self.root.has_changed() {
            Some(Ended::RootGone)
        } else if self.program.as_ref().is_some_and(Fixed::has_changed) {
            Some(Ended::ProgramReplaced)
        } else if place.socket_number() != self.socket {
            Some(Ended::SocketGone)
        } else {
            None
        }
    }
}

/// The signals that end a daemon.
#[derive(Debug)]
pub(crate) struct Signals([Signal; 3]);

impl Signals {
    /// From here on these signals do not end the process.
    pub(crate) fn caught() -> io::Result<Signals> {
        Ok(Signals([
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn next(&mut self) {
        let [terminate, interrupt, hangup] = &mut self.0;
        let caught = select! {
            caught = terminate.recv() => caught,
            caught = interrupt.recv() => caught,
            caught = hangup.recv() => caught,
        };
        if caught.is_none() {
            // There will be none any more.
            pending::<()>().await;
        }
    }
}

/// The connections; one that asked for the end gives back what keeps it open.
type Clients = JoinSet<Option<ReadHalf<UnixStream>>>;

impl<S: Service> Daemon<S> {
    /// Serves until there is a reason to end, and ends: from then on another daemon may serve, no
    /// request is taken any more, and those that were taken are finished. The connections of
    /// those who asked for the end are ended by that of the process.
    ///
    /// Cancel safety: dropping the future ends all connections; the socket stays.
    ///
    /// # Errors
    /// The system does not let clients in any more.
    pub(crate) async fn serve(self, mut signals: Signals) -> Result<Ended> {
        let mut clients = Clients::new();
        let ended = self.until_the_end(&mut clients, &mut signals).await;
        let Daemon {
            house,
            listener,
            place,
            serving,
            terms,
            ..
        } = self;
        place.leave(serving);
        drop(listener);
        house.say_the_end();
        let patience = match ended {
            Ok(Ended::Signalled) => terms.hurrying,
            _ => terms.finishing,
        };
        let mut kept = Vec::new();
        let all = async {
            while let Some(client) = clients.join_next().await {
                kept.push(client);
            }
        };
        let finished = select! {
            finished = timeout(patience, all) => finished.is_ok(),
            () = signals.next() => false,
        };
        if !finished {
            tracing::warn!("requests were given up at the end");
        }
        clients.shutdown().await;
        // Who asked for the end waits for that of the process, which ends these connections.
        std::mem::forget(kept);
        ended
    }

    async fn until_the_end(&self, clients: &mut Clients, signals: &mut Signals) -> Result<Ended> {
        let mut looking = interval(self.terms.look);
        looking.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last = Instant::now();
        loop {
            select! {
                come = self.listener.accept() => {
                    let (stream, _) = come.context("no client can be let in any more")?;
                    self.let_in(stream, clients);
                }
                Some(_) = clients.join_next() => last = Instant::now(),
                () = sleep_until(last + self.house.idle), if clients.is_empty() => {
                    return Ok(Ended::Idle);
                }
                () = signals.next() => return Ok(Ended::Signalled),
                () = self.house.asked_to_end() => return Ok(Ended::Asked),
                _ = looking.tick() => {
                    if let Some(ended) = self.watched.look(&self.place) {
                        return Ok(ended);
                    }
                }
            }
        }
    }

    /// Whoever is not let in sees the end of the connection.
    fn let_in(&self, stream: UnixStream, clients: &mut Clients) {
        match stream.peer_cred() {
            Ok(peer) if is_ours(peer.uid()) => {}
            peer => {
                tracing::warn!(?peer, "somebody else is not let in");
                return;
            }
        }
        if clients.len() >= self.terms.clients {
            tracing::warn!("there are too many clients");
            return;
        }
        let house = Arc::clone(&self.house);
        clients.spawn(async move {
            let _counted = house.count_client();
            attend(stream, house).await
        });
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::net::UnixStream as Stream;
    use std::path::Path;

    use fourfold::Control;

    use super::*;
    use crate::serve::connection::Manners;
    use crate::serve::house::Counts;
    use crate::serve::identity::Identity;
    use crate::serve::wire::{Answer, Call, Refusal};

    struct Nothing;

    impl Service for Nothing {
        async fn call(&self, _: Call, _: Arc<Control>) -> Result<Answer, Refusal> {
            pending().await
        }

        fn end(&self, _: &str) {}

        fn conversations(&self) -> Vec<String> {
            Vec::new()
        }

        fn notices(&self) -> Vec<String> {
            Vec::new()
        }
    }

    const IDLE: Duration = Duration::from_secs(1800);

    fn daemon(folder: &Path) -> Daemon<Nothing> {
        let root = folder.join("root");
        fs::create_dir(&root).unwrap();
        let place = Place::below(Some(folder.to_path_buf()), &root).unwrap();
        let serving = place.serving().unwrap().unwrap();
        let listener = place.listen(&serving).unwrap();
        let house = House {
            service: Nothing,
            identity: Identity::default(),
            checkout: place.name().to_owned(),
            root: String::new(),
            manners: Manners::default(),
            idle: IDLE,
            counts: Counts::default(),
        };
        Daemon {
            house: Arc::new(house),
            listener: UnixListener::from_std(listener).unwrap(),
            watched: Watched::now(root, &place),
            place,
            serving,
            terms: Terms::default(),
        }
    }

    fn client(daemon: &Daemon<Nothing>, more: &str) -> Stream {
        let mut stream = Stream::connect(daemon.place.shown()).unwrap();
        let name = daemon.place.name();
        writeln!(stream, r#"{{"type":"hello","checkout":"{name}"}}"#).unwrap();
        stream.write_all(more.as_bytes()).unwrap();
        stream
    }

    const REQUEST: &str = "{\"type\":\"request\",\"id\":1,\"tool\":\"t\",\"arguments\":{},\
                           \"conversation\":\"c\"}\n";

    #[tokio::test(start_paused = true)]
    async fn it_ends_when_nobody_needs_it() {
        let folder = tempfile::tempdir().unwrap();
        let daemon = daemon(folder.path());
        let (house, socket) = (Arc::clone(&daemon.house), daemon.place.shown());
        let client = client(&daemon, "");
        let serving = daemon.serve(Signals::caught().unwrap());
        tokio::pin!(serving);

        // A client that is connected needs it.
        assert!(timeout(IDLE * 3, &mut serving).await.is_err());
        assert_eq!(house.status().clients, 0, "nobody but this one");
        drop(client);
        let begin = Instant::now();
        assert_eq!(serving.await.unwrap(), Ended::Idle);
        assert!(begin.elapsed() >= IDLE);
        assert!(!socket.exists());
    }

    #[tokio::test(start_paused = true)]
    async fn it_ends_when_what_it_serves_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let daemon_of_root = daemon(folder.path());
        fs::remove_dir(folder.path().join("root")).unwrap();
        let ended = daemon_of_root.serve(Signals::caught().unwrap()).await;
        assert_eq!(ended.unwrap(), Ended::RootGone);

        let without_socket = daemon(folder.path());
        fs::remove_file(without_socket.place.shown()).unwrap();
        let ended = without_socket.serve(Signals::caught().unwrap()).await;
        assert_eq!(ended.unwrap(), Ended::SocketGone);
    }

    #[tokio::test(start_paused = true)]
    async fn work_is_waited_for_but_not_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let daemon = daemon(folder.path());
        let terms = daemon.terms.clone();
        let (house, lock) = (Arc::clone(&daemon.house), daemon.place.shown());
        let _working = client(&daemon, REQUEST);
        let _asking = client(&daemon, "{\"type\":\"end\"}\n");
        let begin = Instant::now();
        let ended = daemon.serve(Signals::caught().unwrap()).await;
        assert_eq!(ended.unwrap(), Ended::Asked);
        let waited = begin.elapsed();
        assert!(waited >= terms.finishing, "{waited:?}");
        assert!(waited < terms.finishing * 2, "{waited:?}");
        assert!(!lock.exists());
        assert_eq!(house.status().requests, 0);
    }
}
