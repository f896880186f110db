//! `fourfold serve`: one process per user and checkout that keeps what is costly to begin.

pub(crate) mod connection;
pub(crate) mod daemon;
pub(crate) mod house;
pub(crate) mod identity;
pub(crate) mod log;
pub(crate) mod place;
pub(crate) mod service;
pub(crate) mod wire;

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use tokio::runtime::{Builder, Runtime};

use crate::Outcome;
use crate::args::{Serve, ServeAction};
use crate::json::Object;
use crate::remote::link::{Link, Patience};
use crate::request::counted;
use crate::screen::note;
use crate::serve::connection::Manners;
use crate::serve::daemon::{Daemon, Signals, Terms, Watched};
use crate::serve::house::{Counts, House};
use crate::serve::identity::Identity;
use crate::serve::place::Place;
use crate::serve::service::Tools;
use crate::serve::wire::Status;
use crate::session::Session;

/// At the end, work that does not stop is left alone after this time. A commit that is cut off is
/// brought to its end by recovery.
const LAST: Duration = Duration::from_secs(5);

/// What a daemon that was started by another process says when it serves, or why it does not.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ready {
    Serving,
    /// Another one does already.
    Served,
    Failed(String),
}

pub(crate) fn run(session: &mut Session, args: &Serve) -> Result<Outcome> {
    let root = session.root()?;
    match args.action() {
        ServeAction::Detached => detached(session, args, &root),
        ServeAction::Foreground => foreground(session, args, &root),
        ServeAction::Background => background(session, &root),
        ServeAction::Status => status(session, &root),
        ServeAction::Stop => stop(session, &root),
    }
}

fn runtime() -> Result<Runtime> {
    // Clients are waited for here; what computes has the blocking pool.
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build();
    runtime.context("cannot start the threads of the daemon")
}

/// What has to be done before somebody can be served, and the one lock that stays.
async fn prepare(session: &Session, args: &Serve, root: &Path, place: Place) -> Result<Prepared> {
    let Some(serving) = place.serving()? else {
        return Ok(Prepared::Served(place.server()));
    };
    // Before the checkout is opened: what changes meanwhile is another identity.
    let identity = Identity::of(root);
    fourfold::sweep();
    let host = session.host();
    let checkout = host.checkout(root)?;
    let listener = place.listen(&serving)?;
    let listener = tokio::net::UnixListener::from_std(listener)?;
    let house = House {
        service: Tools::of(host, checkout),
        identity,
        checkout: place.name().to_owned(),
        root: root.display().to_string(),
        manners: Manners::default(),
        idle: args.idle(),
        counts: Counts::default(),
    };
    Ok(Prepared::Ready(Box::new(Daemon {
        house: Arc::new(house),
        listener,
        watched: Watched::now(root.to_path_buf(), &place),
        place,
        serving,
        terms: Terms::default(),
    })))
}

enum Prepared {
    Ready(Box<Daemon<Tools>>),
    /// By this process, if it is known.
    Served(Option<u32>),
}

/// Serves while somebody watches.
fn foreground(session: &Session, args: &Serve, root: &Path) -> Result<Outcome> {
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let place = Place::of(root)?;
        let starting = place.starting(Patience::default().start).await?;
        let signals = Signals::caught()?;
        let daemon = match prepare(session, args, root, place).await? {
            Prepared::Ready(daemon) => daemon,
            Prepared::Served(by) => {
                let by = by.map_or_else(String::new, |pid| format!(" by process {pid}"));
                bail!(
                    "`{}` is served already{by}; `{} serve --stop` ends that",
                    root.display(),
                    session.program()
                );
            }
        };
        drop(starting);
        note(format_args!(
            "serving `{}`, process {}; Ctrl-C ends it",
            root.display(),
            std::process::id()
        ));
        let ended = daemon.serve(signals).await?;
        note(format_args!("ended: {ended}"));
        Ok(Outcome::Found)
    });
    runtime.shutdown_timeout(LAST);
    done
}

/// Serves for the process that has started this one: its standard input is the lock on starting,
/// and its standard output is where that process waits for a word.
fn detached(session: &Session, args: &Serve, root: &Path) -> Result<Outcome> {
    // It fails for the leader of a group, whom the terminal of others does not reach either.
    let _ = rustix::process::setsid();
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let prepared = async {
            let place = Place::of(root)?;
            let wire = session.global.wire_log.as_deref();
            if let Err(error) = log::begin(place.name(), wire) {
                tracing::debug!(%error, "nothing is logged");
            }
            let signals = Signals::caught()?;
            Ok::<_, anyhow::Error>((prepare(session, args, root, place).await?, signals))
        };
        let (daemon, signals) = match prepared.await {
            Ok((Prepared::Ready(daemon), signals)) => (daemon, signals),
            Ok((Prepared::Served(_), _)) => {
                report(&Ready::Served);
                return Ok(Outcome::Refused);
            }
            Err(error) => {
                report(&Ready::Failed(crate::sentence(&error)));
                return Err(error);
            }
        };
        report(&Ready::Serving);
        let null = File::options().read(true).write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdin(&null)?;
        rustix::stdio::dup2_stdout(&null)?;
        tracing::info!(root = %root.display(), pid = std::process::id(), "serving");
        let ended = daemon.serve(signals).await;
        match &ended {
            Ok(ended) => tracing::info!(why = %ended, "ended"),
            Err(error) => tracing::error!("{error:#}"),
        }
        ended.map(|_| Outcome::Found)
    });
    runtime.shutdown_timeout(LAST);
    done
}

fn report(ready: &Ready) {
    let mut out = io::stdout().lock();
    // Nobody waits any more, and the next client will come by itself.
    let _ = serde_json::to_writer(&mut out, ready);
    let _ = writeln!(out).and_then(|()| out.flush());
}

fn background(session: &mut Session, root: &Path) -> Result<Outcome> {
    let mut link = Link::to(root, Patience::default())?.logged(session.global.wire_log.clone());
    let runtime = session.runtime()?;
    let started = runtime.block_on(link.start())?;
    session.warn(link.notices());
    let status = runtime.block_on(link.status())?;
    if session.global.json {
        write_json(session, &status)?;
    } else {
        let already = if started { "" } else { " already" };
        session.tell_unlogged(started);
        note(format_args!(
            "`{}` is served{already}, by process {}",
            status.root, status.pid
        ));
    }
    Ok(Outcome::Found)
}

fn status(session: &mut Session, root: &Path) -> Result<Outcome> {
    let mut link = Link::to(root, Patience::default())?;
    let runtime = session.runtime()?;
    if !runtime.block_on(link.connect_to_any())? {
        return nobody(session, root);
    }
    session.warn(link.notices());
    let status = runtime.block_on(link.status())?;
    if session.global.json {
        write_json(session, &status)?;
        return Ok(Outcome::Found);
    }
    let screen = &mut session.screen;
    writeln!(
        screen,
        "`{}` is served by process {}, version {}, for {}",
        status.root,
        status.pid,
        status.version,
        span(status.up_seconds)
    )?;
    writeln!(
        screen,
        "{}, {} worked on; without a client it ends after {}",
        counted(status.clients, "client"),
        counted(status.requests, "request"),
        span(status.idle_seconds)
    )?;
    if !status.conversations.is_empty() {
        writeln!(screen, "conversations: {}", status.conversations.join(", "))?;
    }
    Ok(Outcome::Found)
}

fn stop(session: &mut Session, root: &Path) -> Result<Outcome> {
    let mut link = Link::to(root, Patience::default())?;
    let runtime = session.runtime()?;
    if !runtime.block_on(link.connect_to_any())? {
        return nobody(session, root);
    }
    session.warn(link.notices());
    let status = runtime.block_on(link.status())?;
    runtime.block_on(link.end())?;
    if status.requests > 0 {
        note(format_args!(
            "it finishes {} first",
            counted(status.requests, "request")
        ));
    }
    runtime.block_on(link.closed());
    if session.global.json {
        write_json(session, &status)?;
    } else {
        note(format_args!("process {} has ended", status.pid));
    }
    Ok(Outcome::Found)
}

fn nobody(session: &mut Session, root: &Path) -> Result<Outcome> {
    if session.global.json {
        let line = Object::line(&mut session.screen, "summary")?;
        line.end()?;
    } else {
        note(format_args!("nobody serves `{}`", root.display()));
    }
    Ok(Outcome::Nothing)
}

fn write_json(session: &mut Session, status: &Status) -> Result<()> {
    let fields = serde_json::to_string(status)?;
    let mut line = Object::line(&mut session.screen, "summary")?;
    line.fields(&fields)?;
    Ok(line.end()?)
}

/// So many seconds in words.
fn span(seconds: u64) -> String {
    let (number, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3600 => (seconds / 60, "minute"),
        _ => (seconds / 3600, "hour"),
    };
    counted(usize::try_from(number).unwrap_or(usize::MAX), unit)
}
