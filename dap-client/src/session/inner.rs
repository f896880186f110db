//! What all parts of a session share.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use fourfold_child::Child;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::adapter::Adapter;
use crate::connection::{Connection, Unanswered};
use crate::debugger::{DebuggerConfig, Slot};
use crate::error::DebugError;
use crate::handle::SessionId;
use crate::mask::Secrets;
use crate::program::folder_with;
use crate::request::{Breakpoint, Exceptions, LaunchRequest};
use crate::result::{Clock, Facts, SessionEnd, State};

use super::moment::{Moment, Phase};
use super::settle::END;
use super::texts::Texts;

/// What letting go of a program may take beyond the time limit before the guard ends the adapter.
const DETACH: Duration = Duration::from_secs(10);

/// One session.
pub(crate) struct Inner {
    pub(super) me: Weak<Inner>,
    pub(crate) id: SessionId,
    pub(super) adapter: Arc<Adapter>,
    pub(super) title: String,
    pub(super) project: PathBuf,
    /// The process that was attached to.
    pub(super) attached: Option<u32>,
    /// Whether what is debugged was there before.
    pub(super) foreign: bool,
    /// Whether it is a core file, which never runs.
    pub(super) core: bool,
    pub(super) config: Arc<DebuggerConfig>,
    pub(super) started: Instant,
    pub(super) ttl: Duration,
    pub(super) exceptions: Mutex<Exceptions>,
    /// To start it again.
    pub(crate) request: Option<LaunchRequest>,
    /// What is removed at the end.
    pub(super) scratch: Mutex<Vec<PathBuf>>,
    pub(super) moment: Mutex<Moment>,
    pub(super) secrets: Mutex<Secrets>,
    pub(super) changed: watch::Sender<u64>,
    /// How many marks came behind the program's output.
    pub(super) marks: watch::Sender<u64>,
    pub(super) connections: Mutex<Vec<Arc<Connection>>>,
    pub(super) child: OnceLock<Arc<Child>>,
    pub(super) address: OnceLock<SocketAddr>,
    /// The port of an inspector that was opened in the program.
    pub(super) inspector: OnceLock<u16>,
    pub(super) touched: Mutex<Instant>,
    busy: AtomicUsize,
    /// One resuming call at a time.
    pub(super) resuming: tokio::sync::Mutex<()>,
    pub(super) ending: AtomicBool,
    /// The program is over, and its adapter is sent home.
    pub(super) released: AtomicBool,
    /// Whether the program is on a connection of its own, where the adapter wants that.
    pub(super) parted: AtomicBool,
    pub(super) end: watch::Sender<Option<Arc<SessionEnd>>>,
    pub(super) slot: Arc<Mutex<Slot>>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// What a session is made of.
pub(crate) struct Seed {
    pub(crate) adapter: Arc<Adapter>,
    pub(crate) title: String,
    pub(crate) project: PathBuf,
    pub(crate) attached: Option<u32>,
    pub(crate) foreign: bool,
    pub(crate) core: bool,
    pub(crate) config: Arc<DebuggerConfig>,
    pub(crate) started: Instant,
    pub(crate) ttl: Duration,
    pub(crate) exceptions: Exceptions,
    pub(crate) request: Option<LaunchRequest>,
    pub(crate) slot: Arc<Mutex<Slot>>,
}

/// A call that goes on: while there is one, the session is not idle.
pub(super) struct Call<'a>(&'a Inner);

impl Drop for Call<'_> {
    fn drop(&mut self) {
        *self.0.touched.lock() = Instant::now();
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Inner {
    pub(crate) fn new(seed: Seed) -> Arc<Self> {
        let mut moment = Moment::new(seed.config.limits.output, seed.adapter.in_parts);
        let quotes = seed.adapter.quotes();
        let points = &mut moment.points;
        points
            .condition_form
            .clone_from(&seed.adapter.condition_form);
        points.hit_counts = seed.adapter.hit_counts;
        points.log_form.clone_from(&seed.adapter.log_form);
        Arc::new_cyclic(|me| Self {
            me: me.clone(),
            id: SessionId::new(),
            adapter: seed.adapter,
            title: seed.title,
            project: seed.project,
            attached: seed.attached,
            foreign: seed.foreign,
            core: seed.core,
            started: seed.started,
            ttl: seed.ttl,
            exceptions: Mutex::new(seed.exceptions),
            scratch: Mutex::new(
                seed.request
                    .as_ref()
                    .map(|request| request.scratch.clone())
                    .unwrap_or_default(),
            ),
            request: seed.request,
            moment: Mutex::new(moment),
            secrets: Mutex::new(Secrets::new(seed.config.mask).quoting(quotes)),
            config: seed.config,
            changed: watch::Sender::new(0),
            marks: watch::Sender::new(0),
            connections: Mutex::default(),
            child: OnceLock::new(),
            address: OnceLock::new(),
            inspector: OnceLock::new(),
            touched: Mutex::new(Instant::now()),
            busy: AtomicUsize::new(0),
            resuming: tokio::sync::Mutex::default(),
            ending: AtomicBool::new(false),
            released: AtomicBool::new(false),
            parted: AtomicBool::new(false),
            end: watch::Sender::new(None),
            slot: seed.slot,
        })
    }

    /// Begins a call: the session is in use as long as it goes on.
    pub(super) fn enter(&self) -> Result<Call<'_>, DebugError> {
        if let Some(end) = self.has_ended() {
            return Err(DebugError::Ended(Box::new((*end).clone())));
        }
        self.busy.fetch_add(1, Ordering::Relaxed);
        *self.touched.lock() = Instant::now();
        Ok(Call(self))
    }

    pub(crate) fn touch(&self) {
        *self.touched.lock() = Instant::now();
    }

    pub(super) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn has_ended(&self) -> Option<Arc<SessionEnd>> {
        self.end.borrow().clone()
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    /// Whether what the adapter says from here on is of no interest.
    pub(super) fn is_leaving(&self) -> bool {
        self.is_ending() || self.released.load(Ordering::Acquire)
    }

    pub(crate) fn clock(&self) -> Clock {
        let expires = (self.started + self.ttl).saturating_duration_since(Instant::now());
        let idle = match self.is_busy() {
            true => self.config.limits.idle,
            false => (*self.touched.lock() + self.config.limits.idle)
                .saturating_duration_since(Instant::now()),
        };
        Clock {
            expires_in_s: expires.as_secs(),
            idle_in_s: idle.min(expires).as_secs(),
        }
    }

    pub(crate) fn facts(&self) -> Facts {
        let gone = self.is_gone();
        let code = self.exit_code();
        let moment = self.moment.lock();
        let state = match self.is_ending() {
            true => State::Ending,
            false if gone && moment.phase == Phase::Running => State::Exited { code, signal: None },
            false => moment.state(code),
        };
        Facts {
            id: self.id.clone(),
            adapter: self.adapter.id.clone(),
            program: self.title.clone(),
            pid: moment.pid.or(self.attached),
            attached: self.foreign,
            state,
            age_s: self.started.elapsed().as_secs(),
            clock: self.clock(),
        }
    }

    /// The exit code of the program, however it was told: as an event, in words, or in a file that a shell
    /// of ours has written. A code of 0 after a crash, or of an adapter that says so of every end, says
    /// nothing.
    pub(super) fn exit_code(&self) -> Option<i64> {
        let told = {
            let moment = self.moment.lock();
            let says = self.adapter.exit_code && moment.crash.is_none();
            moment
                .code
                .filter(|code| *code != 0 || says)
                .or(moment.told)
        };
        told.or_else(|| {
            let file = self.request.as_ref()?.code.as_ref()?;
            std::fs::read_to_string(file).ok()?.trim().parse().ok()
        })
    }

    pub(crate) fn attached(&self) -> Option<u32> {
        self.attached
    }

    pub(crate) fn adapter_id(&self) -> &str {
        &self.adapter.id
    }

    /// What the adapter has as its standard input.
    pub(crate) fn stdin(&self) -> Option<&Path> {
        self.request.as_ref()?.stdin.as_deref()
    }

    pub(crate) fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// The inspector of the program was opened for this session.
    pub(crate) fn opened(&self, port: u16) {
        let _ = self.inspector.set(port);
    }

    pub(crate) fn started_at(&self) -> Instant {
        self.started
    }

    pub(crate) fn lifetime(&self) -> Duration {
        self.ttl
    }

    /// When the guard ends everything, whatever we do: what is attached to is let go before.
    pub(crate) fn hard_limit(&self) -> Duration {
        let left = (self.started + self.ttl).saturating_duration_since(Instant::now());
        match self.foreign {
            true => left + DETACH,
            false => left,
        }
    }

    /// How long the adapter may take to let go of the program when we are gone: it finds that out by
    /// itself, and has to take its breakpoints out of it.
    pub(crate) fn farewell(&self) -> Duration {
        match self.foreign {
            true => self.config.limits.disconnect,
            false => Duration::ZERO,
        }
    }

    /// What was asked for, to ask for it again.
    pub(crate) fn asked_points(&self) -> Vec<Breakpoint> {
        let moment = self.moment.lock();
        let asked = moment
            .points
            .all()
            .filter(|point| !point.silent && !point.once);
        asked.map(|point| point.asked.clone()).collect()
    }

    pub(crate) fn asked_exceptions(&self) -> Exceptions {
        *self.exceptions.lock()
    }

    pub(crate) fn take_scratch(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *self.scratch.lock())
    }

    /// Whether the program is over and only its output is kept.
    pub(crate) fn has_exited(&self) -> bool {
        self.moment.lock().phase == Phase::Exited
    }

    pub(super) fn changed(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    pub(super) fn connection(&self, number: usize) -> Result<Arc<Connection>, DebugError> {
        let connections = self.connections.lock();
        connections
            .get(number)
            .cloned()
            .ok_or(DebugError::NotStopped {
                state: "is being started",
                hint: "wait for it",
            })
    }

    /// The connection that the program is on: the one that stopped, else the latest that runs.
    pub(super) fn active(&self) -> usize {
        {
            let moment = self.moment.lock();
            if let (Some((connection, _)), Phase::Stopped) = (&moment.stop, moment.phase) {
                return *connection;
            }
        }
        let latest = self.connections.lock().len().saturating_sub(1);
        self.programs().last().copied().unwrap_or(latest)
    }

    /// Whether a file of this name stands above the program, or in its project.
    pub(super) fn is_below(&self, file: &str) -> bool {
        let mut places = vec![self.project.clone()];
        if let Some(launch) = &self.request {
            let named = launch.configuration.get("program");
            let named = named.and_then(Value::as_str).map(PathBuf::from);
            let told = [&launch.program, &launch.cwd, &launch.test_file];
            let told = told.into_iter().flatten().cloned();
            places.extend(named.into_iter().chain(told));
        }
        let running = self.attached.map(|pid| format!("/proc/{pid}/exe"));
        places.extend(running.and_then(|link| std::fs::read_link(link).ok()));
        let mut places = places.iter().map(|place| self.project.join(place));
        places.any(|place| folder_with(file, &place, Path::new("/")).is_some())
    }

    /// Whether its programs die of signals and panics.
    pub(super) fn is_native(&self) -> bool {
        let mut languages = self.adapter.languages.iter();
        languages.any(|name| name == "C" || name == "Go")
    }

    /// Whether it debugs this language.
    pub(super) fn debugs(&self, language: &str) -> bool {
        self.adapter.languages.iter().any(|name| name == language)
    }

    /// Asks the adapter.
    pub(super) async fn ask(
        &self,
        connection: usize,
        command: &str,
        arguments: Value,
        within: Duration,
    ) -> Result<Value, DebugError> {
        let answer = self
            .connection(connection)?
            .request(command, arguments, within)
            .await;
        match answer {
            Ok(body) => Ok(body),
            Err(why) => Err(self.failed(command, why).await),
        }
    }

    /// Why a request has no answer, in our words.
    pub(super) async fn failed(&self, command: &str, why: Unanswered) -> DebugError {
        match why {
            Unanswered::Refused(fault) => DebugError::Refused {
                adapter: self.adapter.id.clone(),
                request: command.to_owned(),
                message: self.hidden(&fault.message),
            },
            Unanswered::TimedOut(after) => DebugError::TimedOut {
                adapter: self.adapter.id.clone(),
                request: command.to_owned(),
                after,
            },
            Unanswered::Gone(reason) => match self.wait_for_end(END).await {
                Some(end) => DebugError::Ended(Box::new((*end).clone())),
                None => DebugError::Refused {
                    adapter: self.adapter.id.clone(),
                    request: command.to_owned(),
                    message: reason,
                },
            },
        }
    }

    /// A text of the program or the adapter, without secrets.
    pub(crate) fn hidden(&self, text: &str) -> String {
        self.secrets.lock().text(text).into_owned()
    }

    /// An answer without the secrets that were known only when a later part of it was read.
    pub(super) fn scrubbed<T: Texts>(&self, mut answer: T) -> T {
        let secrets = self.secrets.lock();
        answer.texts(&mut |text| secrets.scrub(text));
        answer
    }
}
