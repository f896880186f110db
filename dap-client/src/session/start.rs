//! The one order of requests that all adapters understand: `launch` is sent and not awaited before
//! breakpoints are set and `configurationDone` is sent.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use crate::adapter::{HitCounts, Start, Transport};
use crate::connection::{Connection, Unanswered};
use crate::debugger::Pipes;
use crate::output::Stream;
use crate::protocol::{Bound, Stopped, list, text};
use crate::request::{Breakpoint, Exceptions};
use crate::transport;

use super::inner::Inner;
use super::moment::Phase;
use super::points::{Touched, Where};
use super::settle::Settled;

/// How long the reason of a failed launch is waited for when something after it failed first.
const REASON: Duration = Duration::from_secs(1);

/// Where a start failed.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) stage: &'static str,
    pub(crate) why: String,
    /// Whether the connection was over.
    pub(super) is_end: bool,
}

impl Failed {
    pub(crate) fn new(stage: &'static str, why: impl Into<String>) -> Self {
        Self {
            stage,
            why: why.into(),
            is_end: false,
        }
    }

    fn of(stage: &'static str, why: Unanswered) -> Self {
        let is_end = matches!(why, Unanswered::Gone(_));
        let why = match why {
            Unanswered::Refused(fault) => fault.message,
            Unanswered::TimedOut(after) => {
                format!("no answer within {} s", after.as_secs_f32())
            }
            Unanswered::Gone(why) => why,
        };
        Self { stage, why, is_end }
    }
}

impl Inner {
    /// Starts the adapter's program and connects to it.
    pub(crate) async fn spawn(&self, order: transport::Order<'_>) -> Result<Pipes, Failed> {
        let started = transport::start(order, self.prints())
            .await
            .map_err(|why| Failed::new("starting the adapter", why))?;
        // Only this sets them.
        let _ = self.child.set(started.child);
        if let Some(address) = started.address {
            let _ = self.address.set(address);
        }
        let (read, write) = started.ends;
        Ok(Pipes { read, write })
    }

    /// Connects to an adapter that listens.
    pub(crate) async fn reach(&self, host: &str, port: u16) -> Result<Pipes, Failed> {
        let within = self.config.limits.connect;
        let connected = async {
            let mut found = tokio::net::lookup_host((host, port)).await?;
            let missing = || std::io::Error::other("there is no such host");
            let address = found.next().ok_or_else(missing)?;
            Ok::<_, std::io::Error>((address, transport::connect(address).await?))
        };
        let why = match timeout_at(Instant::now() + within, connected).await {
            Ok(Ok((address, (read, write)))) => {
                // Where further connections are made to.
                let _ = self.address.set(address);
                return Ok(Pipes { read, write });
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no answer within {} s", within.as_secs_f32()),
        };
        Err(Failed::new("connecting to the debugger that listens", why))
    }

    /// A core file stands, whether the adapter says so or not.
    pub(crate) async fn stand(&self, wait: Duration) {
        if matches!(self.settle(wait).await, Settled::Running) {
            let stop = Stopped {
                reason: "core".to_owned(),
                ..Stopped::default()
            };
            self.moment.lock().stopped(0, stop, true);
            self.changed();
        }
    }

    /// Speaks to the adapter up to the point at which the program runs.
    pub(crate) async fn begin(
        self: &Arc<Self>,
        pipes: Pipes,
        start: Start,
        configuration: Value,
    ) -> Result<(), Failed> {
        let number = self.join(pipes);
        let within = self.adapter.launch_within;
        self.greet(number, start, configuration, within).await?;
        {
            let mut moment = self.moment.lock();
            if moment.phase == Phase::Starting {
                moment.resumed();
            }
        }
        if number == 0 && self.adapter.in_parts {
            self.first_part(Instant::now() + within).await?;
        } else {
            self.parted.store(true, Ordering::Release);
        }
        self.changed();
        Ok(())
    }

    /// Waits until the program is on a connection of its own: until then nothing can be asked of it.
    async fn first_part(&self, deadline: Instant) -> Result<(), Failed> {
        let mut changed = self.changed.subscribe();
        loop {
            changed.mark_unchanged();
            let over = self.moment.lock().phase != Phase::Running || self.is_ending();
            if over || self.parted.load(Ordering::Acquire) {
                return Ok(());
            }
            if timeout_at(deadline, changed.changed()).await.is_err() {
                return Err(Failed::new(
                    "reaching the program",
                    "the adapter did not connect to it in time",
                ));
            }
        }
    }

    /// A further connection; its number.
    fn join(self: &Arc<Self>, pipes: Pipes) -> usize {
        let mut connections = self.connections.lock();
        let number = connections.len();
        self.moment.lock().joined(number);
        connections.push(Arc::new(Connection::open(
            number,
            (pipes.read, pipes.write),
            self.config.limits.message,
            Arc::clone(self) as _,
        )));
        number
    }

    async fn greet(
        &self,
        number: usize,
        start: Start,
        configuration: Value,
        within: Duration,
    ) -> Result<(), Failed> {
        const GREETING: &str = "initializing the adapter";
        let connection = self
            .connection(number)
            .map_err(|error| Failed::new(GREETING, error.to_string()))?;
        let said = connection
            .request(
                "initialize",
                self.greeting(&configuration),
                self.config.limits.request,
            )
            .await
            .map_err(|why| Failed::of(GREETING, why))?;
        connection.learn(said);
        for breakpoint in self.asked_points() {
            self.supports(&connection, &breakpoint)
                .map_err(|error| Failed::new("setting breakpoints", error.to_string()))?;
        }

        let stage = match start {
            Start::Launch => "launching the program",
            Start::Attach => "attaching",
        };
        let deadline = Instant::now() + within;
        let left = || deadline.saturating_duration_since(Instant::now());
        let mut launch = connection
            .post(start.command(), configuration)
            .map_err(|why| Failed::of(stage, why))?;
        let mut answered = false;
        loop {
            tokio::select! {
                () = connection.initialized() => break,
                answer = launch.within(left()), if !answered => {
                    answer.map_err(|why| Failed::of(stage, why))?;
                    answered = true;
                }
                why = connection.ended() => return Err(Failed::of(stage, Unanswered::Gone(why))),
                () = tokio::time::sleep_until(deadline) => {
                    let why = format!("it was not ready within {} s", within.as_secs_f32());
                    return Err(Failed::new(stage, why));
                }
            }
        }

        if let Err(failed) = self.configure(number, &connection).await {
            // The launch itself tells more.
            if !answered
                && let Ok(Err(why)) =
                    timeout_at(Instant::now() + REASON, launch.within(REASON)).await
                && matches!(why, Unanswered::Refused(_))
            {
                return Err(Failed::of(stage, why));
            }
            return Err(failed);
        }
        let mut changed = self.changed.subscribe();
        while !answered {
            let phase = self.moment.lock().phase;
            if matches!(phase, Phase::Stopped | Phase::Exited) {
                // What has stopped was launched; its answer may come or not.
                break;
            }
            tokio::select! {
                answer = launch.within(left()) => {
                    answer.map_err(|why| Failed::of(stage, why))?;
                    answered = true;
                }
                _ = changed.changed() => {}
            }
        }
        Ok(())
    }

    /// Who we are, and what we can. `runInTerminal` is not among it: there is no terminal.
    fn greeting(&self, configuration: &Value) -> Value {
        let kind = text(configuration, "type").unwrap_or(&self.adapter.id);
        json!({
            "clientID": "fourfold",
            "clientName": "Fourfold",
            "adapterID": kind,
            "pathFormat": "path",
            "linesStartAt1": true,
            "columnsStartAt1": true,
            "supportsVariableType": true,
            "supportsVariablePaging": true,
            "supportsRunInTerminalRequest": false,
            // Of no use without a port for the second connection, and then waited for without end.
            "supportsStartDebuggingRequest": self.address.get().is_some()
                && self.adapter.transport != Transport::Stdio,
            "locale": "en",
        })
    }

    async fn configure(&self, number: usize, connection: &Connection) -> Result<(), Failed> {
        const STAGE: &str = "setting breakpoints";
        for (command, arguments) in &self.adapter.preparations {
            let limit = self.config.limits.evaluate;
            let answer = connection.request(command, arguments.clone(), limit).await;
            match answer {
                // An older one does without.
                Ok(_) | Err(Unanswered::Refused(_) | Unanswered::TimedOut(_)) => {}
                Err(why @ Unanswered::Gone(_)) => {
                    return Err(Failed::of("setting up the debugger", why));
                }
            }
        }
        let everything = self.moment.lock().points.everything();
        self.tell(number, connection, &everything)
            .await
            .map_err(|why| Failed::of(STAGE, why))?;
        let exceptions = *self.exceptions.lock();
        self.tell_exceptions(connection, exceptions)
            .await
            .map_err(|why| Failed::of("setting exception filters", why))?;
        // From here on what is printed is the program's; it may have begun before a further part of it.
        if number <= usize::from(self.adapter.in_parts) {
            let mut moment = self.moment.lock();
            moment.configured = true;
            // Banners and pending breakpoints: in the output for whoever asks, and no news.
            moment.output.skip_news();
        }
        if connection.can("supportsConfigurationDoneRequest") {
            connection
                .request("configurationDone", Value::Null, self.config.limits.request)
                .await
                .map_err(|why| Failed::of("letting the program run", why))?;
        }
        Ok(())
    }

    /// Makes one connection know the breakpoints of some files, and those on functions. What the
    /// adapter refuses is remembered with the breakpoints; only silence is an error.
    pub(super) async fn tell(
        &self,
        number: usize,
        connection: &Connection,
        touched: &Touched,
    ) -> Result<(), Unanswered> {
        let mut requests = Vec::new();
        {
            let moment = self.moment.lock();
            for file in &touched.files {
                let (ids, arguments) = moment
                    .points
                    .of_file(file, |option| self.has(connection, option));
                requests.push((ids, "setBreakpoints", arguments));
            }
            if touched.functions && connection.can("supportsFunctionBreakpoints") {
                let (ids, arguments) = moment.points.of_functions();
                requests.push((ids, "setFunctionBreakpoints", arguments));
            }
        }
        // All at once, then their answers.
        let mut replies = Vec::new();
        for (ids, command, arguments) in requests {
            replies.push((ids, connection.post(command, arguments)?));
        }
        for (ids, mut reply) in replies {
            match reply.within(self.config.limits.request).await {
                Ok(body) => {
                    let bounds: Vec<Bound> =
                        list(&body, "breakpoints").iter().map(Bound::read).collect();
                    self.moment.lock().points.answered(number, &ids, &bounds);
                }
                Err(Unanswered::Refused(fault)) => {
                    self.moment.lock().points.refused(&ids, &fault.message);
                }
                Err(other) => return Err(other),
            }
        }
        self.changed();
        Ok(())
    }

    /// Chooses the filters that the adapter offers; what it makes of the wish, in words.
    pub(super) async fn tell_exceptions(
        &self,
        connection: &Connection,
        exceptions: Exceptions,
    ) -> Result<Vec<String>, Unanswered> {
        let offered: BTreeSet<String> = connection.filters().into_iter().collect();
        let known = &self.adapter.exceptions;
        let wanted = match exceptions {
            Exceptions::None => &Vec::new(),
            Exceptions::Uncaught => &known.uncaught,
            Exceptions::All => &known.all,
        };
        let chosen: Vec<&String> = wanted
            .iter()
            .filter(|name| offered.contains(*name))
            .collect();
        let mut notes = Vec::new();
        if chosen.is_empty() && exceptions == Exceptions::All {
            notes.push(format!(
                "{} has no filter for exceptions that are caught; signals and panics stop anyway",
                self.adapter.id
            ));
        }
        let mut arguments = json!({ "filters": chosen });
        if self.watches_test() && connection.can("supportsExceptionFilterOptions") {
            let options = known.in_tests.iter();
            arguments["filterOptions"] = options
                .filter(|(name, _)| offered.contains(name))
                .map(|(name, condition)| json!({ "filterId": name, "condition": condition }))
                .collect();
        }
        if !offered.is_empty() {
            let answer = connection
                .request(
                    "setExceptionBreakpoints",
                    arguments,
                    self.config.limits.request,
                )
                .await;
            match answer {
                Err(Unanswered::Refused(fault)) => {
                    notes.push(format!("exceptions are not stopped at: {}", fault.message));
                }
                Err(other) => return Err(other),
                Ok(_) => {}
            }
        }
        Ok(notes)
    }

    /// Whether what a test throws is stopped at beside what nobody catches.
    pub(super) fn watches_test(&self) -> bool {
        self.request.as_ref().is_some_and(|launch| launch.is_test)
            && !self.adapter.exceptions.in_tests.is_empty()
            && *self.exceptions.lock() == Exceptions::Uncaught
    }

    /// Breakpoints on the functions that a failing program passes through.
    pub(crate) fn watch_failures(&self) {
        let with = self.adapter.exceptions.functions_with.as_ref();
        let fits = with.is_none_or(|file| self.is_below(file));
        if !fits || *self.exceptions.lock() == Exceptions::None {
            return;
        }
        let mut moment = self.moment.lock();
        for name in &self.adapter.exceptions.functions {
            let id = moment
                .points
                .add(Breakpoint::at_function(name), Where::Function(name.clone()));
            if let Some(point) = moment.points.get_mut(id) {
                point.silent = true;
            }
        }
    }

    /// Whether the adapter has an option of breakpoints.
    pub(super) fn has(&self, connection: &Connection, option: &str) -> bool {
        let unannounced = self.adapter.hit_counts == HitCounts::Unannounced;
        connection.can(capability(option)) || unannounced && option == "hitCondition"
    }

    /// The last that adapter and program had to say.
    pub(crate) async fn last_words(&self) -> Vec<String> {
        let mut words = match self.child.get() {
            Some(child) => child.last_words(transport::LAST_LINES).await,
            None => Vec::new(),
        };
        words.extend(self.moment.lock().output.last_lines(transport::LAST_LINES));
        words.iter().map(|line| self.hidden(line)).collect()
    }

    /// Says something with the next outcome, and in the output.
    pub(crate) fn note(&self, note: String) {
        self.print(Stream::Console, &format!("{note}\n"));
        self.moment.lock().notes.push(note);
    }
}

/// What an adapter must be able to for an option of a breakpoint.
fn capability(option: &str) -> &'static str {
    match option {
        "condition" => "supportsConditionalBreakpoints",
        "hitCondition" => "supportsHitConditionalBreakpoints",
        _ => "supportsLogPoints",
    }
}
