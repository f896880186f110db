//! One owner, at most one session, and how the last one ended.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use crate::adapter::{Adapter, AdapterCatalog, DetectConfig, Detector, Launchable, Start};
use crate::configuration::lay_over;
use crate::error::DebugError;
use crate::inspector;
use crate::limits::{Limits, Shown};
use crate::mask::Mask;
use crate::program::{CoreFile, GO_FAILS, Match};
use crate::protocol::text;
use crate::request::{At, AttachRequest, Breakpoint, LaunchRequest, Target};
use crate::result::{Outcome, SessionEnd, Status, Why};
use crate::session::{Failed, Inner, Seed, Session, target};
use crate::transport::Order;

/// How a debugger works.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DebuggerConfig {
    /// The adapters that are known.
    pub catalog: AdapterCatalog,
    /// Where they are looked for, what is trusted, and who guards what is started.
    pub detect: DetectConfig,
    /// Times and sizes.
    pub limits: Limits,
    /// How much of a stop is shown.
    pub shown: Shown,
    /// Whether secrets in values and output are replaced.
    pub mask: Mask,
}

impl DebuggerConfig {
    /// The defaults for a checkout, which is not trusted.
    #[must_use]
    pub fn new(checkout: PathBuf) -> Self {
        Self {
            catalog: AdapterCatalog::built_in(),
            detect: DetectConfig::new(checkout),
            limits: Limits::default(),
            shown: Shown::default(),
            mask: Mask::default(),
        }
    }
}

/// Both ends of a debug adapter that somebody else holds: for tests, and for adapters inside of
/// other programs.
pub struct Pipes {
    /// What the adapter writes.
    pub read: Box<dyn AsyncRead + Send + Unpin>,
    /// What the adapter reads.
    pub write: Box<dyn AsyncWrite + Send + Unpin>,
}

impl fmt::Debug for Pipes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipes").finish_non_exhaustive()
    }
}

/// Who has the place of the one session, and how the last one ended.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    current: Option<Arc<Inner>>,
    last: Option<Arc<SessionEnd>>,
}

impl Slot {
    /// A session is confirmed gone: the place is free.
    pub(crate) fn over(&mut self, inner: &Inner, end: &Arc<SessionEnd>) {
        self.last = Some(Arc::clone(end));
        if self
            .current
            .as_ref()
            .is_some_and(|current| current.id == inner.id)
        {
            self.current = None;
        }
    }
}

/// The debugger of one owner, such as a conversation. It has at most one session.
///
/// Dropping it ends the session: what was launched is killed at once with all that it started, what
/// was attached to is let go. All of it must happen in a tokio runtime.
#[derive(Debug)]
pub struct Debugger {
    config: Arc<DebuggerConfig>,
    detector: Detector,
    slot: Arc<Mutex<Slot>>,
}

/// Ends a session that was not handed over.
struct Unborn(Option<Arc<Inner>>);

impl Drop for Unborn {
    fn drop(&mut self) {
        if let Some(inner) = self.0.take() {
            inner.drop_now();
        }
    }
}

/// What is started, and from where.
enum From {
    /// A process of our own.
    Adapter {
        found: Option<Box<Launchable>>,
        args: Vec<String>,
        cwd: PathBuf,
        env: Vec<(String, String)>,
    },
    /// An adapter that listens already.
    Listener { host: String, port: u16 },
    /// Somebody else's pipes.
    Pipes(Pipes),
}

impl Debugger {
    /// A debugger without a session.
    #[must_use]
    pub fn new(config: DebuggerConfig) -> Self {
        Self {
            detector: Detector::new(config.catalog.clone(), config.detect.clone()),
            config: Arc::new(config),
            slot: Arc::default(),
        }
    }

    /// How it works.
    #[must_use]
    pub fn config(&self) -> &DebuggerConfig {
        &self.config
    }

    /// What can be started here.
    #[must_use]
    pub fn detector(&self) -> &Detector {
        &self.detector
    }

    /// Starts a program under a debugger, sets the breakpoints before it runs, and waits for the
    /// first stop, the end, or the time.
    ///
    /// A session whose program has ended yields its place, and the new one's first outcome says so.
    ///
    /// *Cancel safety*: when the future is dropped before the session exists, whatever was started
    /// ends and the place is free.
    ///
    /// # Errors
    /// [`DebugError::AlreadyOpen`] when there is a session: nothing was started then. Everything
    /// else: whatever was started is gone again, and the place is free.
    pub async fn launch(&self, request: LaunchRequest) -> Result<(Session, Outcome), DebugError> {
        self.launch_from(request, None, Instant::now()).await
    }

    /// The same over pipes to an adapter that runs already.
    ///
    /// # Errors
    /// As [`Debugger::launch`].
    pub async fn launch_over(
        &self,
        request: LaunchRequest,
        pipes: Pipes,
    ) -> Result<(Session, Outcome), DebugError> {
        self.launch_from(request, Some(pipes), Instant::now()).await
    }

    async fn launch_from(
        &self,
        request: LaunchRequest,
        pipes: Option<Pipes>,
        started: Instant,
    ) -> Result<(Session, Outcome), DebugError> {
        let adapter = self.adapter(&request.adapter)?;
        let project = self.project(request.project.as_deref());
        let cwd = match &request.cwd {
            Some(cwd) => self.config.detect.checkout.join(cwd),
            None => self.config.detect.checkout.clone(),
        };
        let mut configuration = adapter.launch_defaults.clone();
        lay_over(&mut configuration, &request.configuration);
        let title = match request.title.as_str() {
            "" => ["program", "module", "mainClass"]
                .into_iter()
                .find_map(|key| text(&configuration, key))
                .unwrap_or("a program")
                .to_owned(),
            title => title.to_owned(),
        };
        let seed = Seed {
            title,
            project,
            attached: None,
            foreign: false,
            core: false,
            config: Arc::clone(&self.config),
            started,
            ttl: self.ttl(request.ttl),
            exceptions: request.exceptions,
            slot: Arc::clone(&self.slot),
            request: pipes.is_none().then(|| request.clone()),
            adapter: Arc::clone(&adapter),
        };
        let from = match pipes {
            Some(pipes) => From::Pipes(pipes),
            None => From::Adapter {
                found: request.found.map(Box::new),
                args: request.adapter_args,
                env: request.env.into_iter().collect(),
                cwd: cwd.clone(),
            },
        };
        // Some adapters start a program that is not there, and end with it.
        let named = text(&configuration, "program").filter(|path| path.starts_with('/'));
        let program = request.program.or(named.map(PathBuf::from));
        let plan = Plan {
            is_core: false,
            killed: None,
            note: None,
            start: Start::Launch,
            breakpoints: request.breakpoints,
            program: program.map(|program| cwd.join(program)),
            configuration,
            wait: request.wait,
        };
        self.run(seed, from, plan).await
    }

    /// Attaches to a program that runs. It is looked at first whether that can be: whose it is, and
    /// whether another debugger has it.
    ///
    /// # Errors
    /// [`DebugError::AlreadyOpen`] when there is a session, [`DebugError::NotAttachable`] with the
    /// reason when the process cannot be attached to.
    pub async fn attach(&self, request: AttachRequest) -> Result<(Session, Outcome), DebugError> {
        let adapter = self.adapter(&request.adapter)?;
        let mut configuration = adapter.attach_defaults.clone();
        let unable = |what: &str, instead| DebugError::Unsupported {
            adapter: adapter.id.clone(),
            what: what.to_owned(),
            instead,
        };
        let (mut killed, mut note) = (None, None);
        let (title, attached) = match &request.target {
            Target::Pid(pid) if adapter.attach_inspector => (format!("process {pid}"), Some(*pid)),
            Target::Pid(pid) => {
                let key = adapter.attach_pid.as_ref().ok_or_else(|| {
                    unable("way to attach to a process id", "attach by host and port")
                })?;
                lay_over(&mut configuration, &json!({ key.as_str(): pid }));
                (format!("process {pid}"), Some(*pid))
            }
            Target::Address { host, port } => {
                if adapter.attach_address.is_null() {
                    return Err(unable(
                        "way to attach to an address",
                        "attach by process id",
                    ));
                }
                let at = filled(&adapter.attach_address, &address(host, *port));
                lay_over(&mut configuration, &at);
                (format!("{host}:{port}"), None)
            }
            Target::Core { core, program } => {
                if adapter.core.is_null() {
                    return Err(unable(
                        "way to open a core file",
                        "use gdb, lldb-dap or delve",
                    ));
                }
                let checkout = &self.config.detect.checkout;
                let file = |file: &PathBuf| checkout.join(file).display().to_string();
                let files = [("{core}", file(core)), ("{program}", file(program))];
                if let Some(gone) = [core, program]
                    .into_iter()
                    .find(|path| !checkout.join(path).exists())
                {
                    return Err(DebugError::NoProgram(gone.clone()));
                }
                configuration = filled(&adapter.core, &files);
                let read = CoreFile::read(&checkout.join(core)).unwrap_or_default();
                killed = read.signal;
                match read.is_of(&checkout.join(program)) {
                    Match::Same => {}
                    Match::Other(made_by) => {
                        return Err(DebugError::WrongCore {
                            core: core.clone(),
                            program: program.clone(),
                            made_by,
                        });
                    }
                    Match::Named(made_by) => note = Some(not_named(&made_by, program)),
                }
                (format!("core file {}", core.display()), None)
            }
            Target::Configured(title) => (title.clone(), None),
        };
        if configuration.is_null() {
            configuration = json!({});
        }
        if let Some(program) = &request.program {
            let program = self.config.detect.checkout.join(program);
            lay_over(&mut configuration, &json!({ "program": program }));
        }
        lay_over(&mut configuration, &request.configuration);
        let is_core = matches!(request.target, Target::Core { .. });
        let seed = Seed {
            title,
            project: self.project(request.project.as_deref()),
            attached,
            foreign: !is_core,
            core: is_core,
            config: Arc::clone(&self.config),
            started: Instant::now(),
            ttl: self.ttl(request.ttl),
            exceptions: request.exceptions,
            slot: Arc::clone(&self.slot),
            request: None,
            adapter: Arc::clone(&adapter),
        };
        let from = match &request.target {
            Target::Address { host, port } if adapter.attach_direct => From::Listener {
                host: host.clone(),
                port: *port,
            },
            _ => From::Adapter {
                found: None,
                args: Vec::new(),
                cwd: self.config.detect.checkout.clone(),
                env: Vec::new(),
            },
        };
        let plan = Plan {
            is_core,
            killed,
            note,
            start: match is_core {
                true => adapter.core_with,
                false => Start::Attach,
            },
            configuration,
            breakpoints: request.breakpoints,
            program: None,
            wait: Some(request.wait.unwrap_or(self.config.limits.attach_wait)),
        };
        self.run(seed, from, plan).await
    }

    async fn run(
        &self,
        seed: Seed,
        from: From,
        plan: Plan,
    ) -> Result<(Session, Outcome), DebugError> {
        let inner = self.reserve(seed).await?;
        let mut unborn = Unborn(Some(Arc::clone(&inner)));
        inner.was_killed(plan.killed);
        if let Some(note) = &plan.note {
            inner.note(note.clone());
        }
        match self.start(&inner, from, &plan).await {
            Ok(()) => {}
            Err(error) => {
                unborn.0.take();
                let reason = error.to_string();
                inner.end_now(Why::NotStarted { reason }).await;
                return Err(error);
            }
        }
        let session = Session::of(&inner);
        let wait = plan.wait.unwrap_or(self.config.limits.wait);
        if plan.is_core {
            inner.stand(self.config.limits.attach_wait).await;
        }
        let outcome = session.wait(wait).await;
        unborn.0.take();
        match outcome {
            Ok(outcome) => Ok((session, outcome)),
            Err(error) => {
                let reason = error.to_string();
                inner.end_now(Why::NotStarted { reason }).await;
                Err(error)
            }
        }
    }

    /// Takes the place, or says who has it. Before anything is started.
    async fn reserve(&self, seed: Seed) -> Result<Arc<Inner>, DebugError> {
        let inner = Inner::new(seed);
        loop {
            let before = {
                let mut slot = self.slot.lock();
                match &slot.current {
                    None => {
                        slot.current = Some(Arc::clone(&inner));
                        return Ok(inner);
                    }
                    Some(current) if current.has_exited() && !current.is_ending() => {
                        Arc::clone(current)
                    }
                    Some(current) => {
                        return Err(DebugError::AlreadyOpen(Box::new(current.facts())));
                    }
                }
            };
            let end = before.end_now(Why::Replaced).await;
            inner.note(format!("{end}"));
        }
    }

    async fn start(&self, inner: &Arc<Inner>, from: From, plan: &Plan) -> Result<(), DebugError> {
        if let Some(program) = plan.program.as_ref().filter(|program| !program.exists()) {
            return Err(DebugError::NoProgram(program.clone()));
        }
        let mut points = plan.breakpoints.iter();
        if !inner.adapter().function_breakpoints
            && points.any(|point| matches!(point.at, At::Function { .. }))
        {
            return Err(inner.no_functions());
        }
        let mut configuration = plan.configuration.clone();
        if let Some(pid) = inner.attached() {
            target::check(pid, !inner.adapter().attach_inspector)?;
            if inner.adapter().injector.is_some() {
                let launchable = self.launchable(inner.adapter_id()).await?;
                let injects = self.detector.injects(&launchable).await;
                injects.map_err(|why| DebugError::NotAttachable { pid, why })?;
            }
            if inner.adapter().attach_inspector {
                let found = inspector::of(pid).await?;
                let at = address("127.0.0.1", found.port);
                let at = filled(&inner.adapter().attach_address, &at);
                lay_over(&mut configuration, &at);
                if found.opened {
                    inner.opened(found.port);
                }
            }
        }
        let mut breakpoints = plan.breakpoints.clone();
        // Those that were asked for are numbered from 1.
        breakpoints
            .sort_by_key(|point| matches!(&point.at, At::Function { name } if name == GO_FAILS));
        inner.add_points(breakpoints)?;
        inner.watch_failures();
        inner.keep_time();
        let pipes = match from {
            From::Pipes(pipes) => Ok(pipes),
            From::Listener { host, port } => inner.reach(&host, port).await,
            From::Adapter {
                found,
                args,
                cwd,
                env,
            } => {
                let launchable = match found {
                    Some(found) => *found,
                    None => self.launchable(inner.adapter_id()).await?,
                };
                let detect = &self.config.detect;
                let order = Order {
                    launchable: &launchable,
                    args: &args,
                    cwd: &cwd,
                    env,
                    stdin: inner.stdin(),
                    search_path: &detect.search_path,
                    guard: detect.guard.clone(),
                    hard: inner.hard_limit(),
                    farewell: inner.farewell(),
                    within: self.config.limits.connect,
                };
                inner.spawn(order).await
            }
        };
        let begun = match pipes {
            Ok(pipes) => inner.begin(pipes, plan.start, configuration).await,
            Err(failed) => Err(failed),
        };
        if let Err(Failed { stage, why, .. }) = begun {
            if let Some(end) = inner.has_ended() {
                return Err(DebugError::Ended(Box::new((*end).clone())));
            }
            let why = inner.hidden(&why);
            return Err(DebugError::NotStarted {
                adapter: inner.adapter_id().to_owned(),
                program: inner.facts().program,
                stage,
                why,
                output: inner.last_words().await,
            });
        }
        Ok(())
    }

    fn adapter(&self, id: &str) -> Result<Arc<Adapter>, DebugError> {
        let known = self.config.catalog.get(id).cloned();
        known.ok_or_else(|| DebugError::UnknownAdapter {
            given: id.to_owned(),
            nearest: self.config.catalog.nearest(id),
        })
    }

    async fn launchable(&self, id: &str) -> Result<Launchable, DebugError> {
        let detection = self.detector.find(id).await;
        let detection = detection.ok_or_else(|| DebugError::UnknownAdapter {
            given: id.to_owned(),
            nearest: self.config.catalog.nearest(id),
        })?;
        match detection.launchable() {
            Some(launchable) => Ok(launchable.clone()),
            None => Err(DebugError::Unavailable(Box::new(detection))),
        }
    }

    fn project(&self, given: Option<&std::path::Path>) -> PathBuf {
        let checkout = &self.config.detect.checkout;
        let project = given.map_or_else(|| checkout.clone(), |given| checkout.join(given));
        project.canonicalize().unwrap_or(project)
    }

    fn ttl(&self, given: Option<Duration>) -> Duration {
        let limits = &self.config.limits;
        given.unwrap_or(limits.ttl).min(limits.ttl_ceiling)
    }

    /// The session, when there is one that is not over. Asking counts as use.
    ///
    /// # Errors
    /// [`DebugError::NoSession`] says how the last one ended; [`DebugError::OtherSession`] when
    /// `id` is given and names another.
    pub fn session(&self, id: Option<&str>) -> Result<Session, DebugError> {
        let inner = self.current()?;
        if let Some(given) = id
            && given != inner.id.as_str()
        {
            let slot = self.slot.lock();
            let last = slot.last.as_deref().filter(|end| end.id.as_str() == given);
            return Err(DebugError::OtherSession {
                given: given.to_owned(),
                last: last.cloned().map(Box::new),
                open: Some(Box::new(inner.facts())),
            });
        }
        inner.touch();
        Ok(Session::of(&inner))
    }

    fn current(&self) -> Result<Arc<Inner>, DebugError> {
        let slot = self.slot.lock();
        let last = || slot.last.as_deref().cloned().map(Box::new);
        slot.current
            .clone()
            .ok_or_else(|| DebugError::NoSession { last: last() })
    }

    /// What there is, and how the last session ended. Asking does not count as use.
    #[must_use]
    pub fn status(&self) -> Status {
        let slot = self.slot.lock();
        Status {
            session: slot.current.as_ref().map(|current| current.facts()),
            last: slot.last.as_deref().cloned(),
        }
    }

    /// Ends the session and waits until everything of it is confirmed gone.
    ///
    /// *Cancel safety*: it ends all the same.
    ///
    /// # Errors
    /// [`DebugError::NoSession`] when there is none.
    pub async fn terminate(&self) -> Result<SessionEnd, DebugError> {
        let inner = self.current()?;
        let end = inner.end_now(Why::Terminated).await;
        Ok((*end).clone())
    }

    /// Ends this session, which was there for one question only, and waits until everything of it is
    /// confirmed gone; any other one lives on. Nothing when it was over before.
    ///
    /// *Cancel safety*: it ends all the same.
    pub async fn end(&self, session: &Session) -> Option<SessionEnd> {
        let inner = self
            .current()
            .ok()
            .filter(|inner| inner.id == *session.id())?;
        let end = inner.end_now(Why::Answered).await;
        Some((*end).clone())
    }

    /// Starts the program of the session anew, with the breakpoints that are set now, and waits up to
    /// `wait` for its first stop; as long as its launch did when that is absent. The time limit goes on
    /// from the first launch.
    ///
    /// *Cancel safety*: when the future is dropped, the old session ends all the same, and of a new one
    /// that does not exist yet nothing stays.
    ///
    /// # Errors
    /// [`DebugError::NoSession`], [`DebugError::Unsupported`] for a program that was attached to, and
    /// as [`Debugger::launch`].
    pub async fn restart(&self, wait: Option<Duration>) -> Result<(Session, Outcome), DebugError> {
        let inner = self.current()?;
        let Some(mut request) = inner.request.clone() else {
            return Err(DebugError::Unsupported {
                adapter: inner.adapter_id().to_owned(),
                what: "way to start this program anew".to_owned(),
                instead: "terminate the session, and launch or attach again",
            });
        };
        let started = inner.started_at();
        request.ttl = Some(inner.lifetime());
        request.wait = wait.or(request.wait);
        request.breakpoints = inner.asked_points();
        request.exceptions = inner.asked_exceptions();
        // The next session needs them.
        request.scratch = inner.take_scratch();
        inner.end_now(Why::Terminated).await;
        self.launch_from(request, None, started).await
    }
}

impl Drop for Debugger {
    fn drop(&mut self) {
        let current = self.slot.lock().current.clone();
        if let Some(inner) = current {
            inner.drop_now();
        }
    }
}

/// What a session does first.
struct Plan {
    start: Start,
    /// Whether it is a core file, which never runs.
    is_core: bool,
    /// The signal that ended the program of a core file.
    killed: Option<i32>,
    /// What is to be said with the first answer.
    note: Option<String>,
    configuration: Value,
    breakpoints: Vec<Breakpoint>,
    /// Must exist.
    program: Option<PathBuf>,
    wait: Option<Duration>,
}

/// The row's words with what they stand for; a port alone is a number. As deep as rows are.
fn filled(template: &Value, values: &[(&str, String)]) -> Value {
    match template {
        Value::String(text) if text == "{port}" => {
            let port = values.iter().find(|(name, _)| name == text);
            let port = port.and_then(|(_, port)| port.parse::<u16>().ok());
            port.map_or(Value::Null, Value::from)
        }
        Value::String(text) => {
            let words = values.iter().fold(text.clone(), |text, (name, value)| {
                text.replace(name, value)
            });
            words.into()
        }
        Value::Array(items) => items.iter().map(|item| filled(item, values)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(key, value)| (key.clone(), filled(value, values)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// What is said of a core file that a program of another name has left, when nothing more is known.
fn not_named(made_by: &std::path::Path, program: &std::path::Path) -> String {
    format!(
        "the core file says that `{}` has left it; `{}` says nothing of its build: when it is another, what \
         follows is wrong",
        made_by.display(),
        program.display()
    )
}

fn address(host: &str, port: u16) -> [(&'static str, String); 2] {
    [("{host}", host.to_owned()), ("{port}", port.to_string())]
}
