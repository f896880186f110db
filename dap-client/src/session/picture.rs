//! The whole picture of a moment.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, timeout};

use crate::connection::{Connection, Unanswered};
use crate::error::DebugError;
use crate::protocol::{RawFrame, Stopped, clip, plain, text};
use crate::result::{End, Exception, More, Outcome, Page, Running, Stop, ThreadGroup, ThreadInfo};

use super::inner::{Inner, Settled};
use super::look::{RawStack, read_stack, read_threads, stack_request, with_lines};
use super::moment::FrameRef;
use super::target;
use super::texts::Texts as _;

/// How long the condition of a breakpoint may take to be looked at again.
const CONDITION: Duration = Duration::from_secs(3);

/// Characters of a traceback that are shown, from its end.
const TRACE: usize = 1500;

/// Frames of each thread that are asked for when threads are compared.
const THREAD_FRAMES: usize = 20;

impl Inner {
    /// Waits for what comes, and tells all of it.
    pub(super) async fn outcome(&self, wait: Duration) -> Result<Outcome, DebugError> {
        let outcome = self.whole(wait).await?;
        Ok(self.scrubbed(outcome))
    }

    async fn whole(&self, wait: Duration) -> Result<Outcome, DebugError> {
        let deadline = Instant::now() + wait;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            return Ok(match self.settle(left).await {
                Settled::Stopped if self.is_no_failure().await => {
                    self.pass().await?;
                    continue;
                }
                Settled::Stopped => match self.picture().await {
                    Ok(stop) => Outcome::Stopped(Box::new(stop)),
                    // It ended while it was looked at.
                    Err(DebugError::Ended(end)) => Outcome::SessionEnded(*end),
                    Err(error) => return Err(error),
                },
                Settled::Running => self.running().await,
                Settled::Exited => self.ended().await,
                Settled::Ended(end) => Outcome::SessionEnded((*end).clone()),
            });
        }
    }

    async fn running(&self) -> Outcome {
        let (pending, notes, output) = {
            let mut moment = self.moment.lock();
            let mut notes = std::mem::take(&mut moment.notes);
            notes.extend(moment.points.unbound(&self.project));
            let output = moment.output.news(self.config.shown.output);
            let pid = moment.pid.or(self.attached);
            if pid.is_some_and(target::waits_for_input) {
                notes.push(
                    "the program waits for input: it reads its standard input, and nobody writes it"
                        .to_owned(),
                );
            }
            (moment.pause_pending, notes, output)
        };
        let threads = match pending && self.adapter.stacks_while_running {
            true => self.groups_of_all().await,
            false => Vec::new(),
        };
        Outcome::StillRunning(Running {
            pause_pending: pending,
            threads,
            output,
            notes,
            clock: self.clock(),
        })
    }

    /// The threads of every process that is debugged, as far as they are told.
    async fn groups_of_all(&self) -> Vec<ThreadGroup> {
        let mut groups = Vec::new();
        for connection in self.programs() {
            if let Ok(page) = self.thread_groups(connection).await {
                groups.extend(page.items);
            }
        }
        groups
    }

    async fn ended(&self) -> Outcome {
        self.release().await;
        let code = self.exit_code();
        let passed = self.passed_over();
        let mut moment = self.moment.lock();
        let mut notes = std::mem::take(&mut moment.notes);
        notes.extend(passed);
        let printed = moment.output.last_lines(40);
        notes.extend(moment.points.never_hit(&self.project, &printed));
        let signal = moment.crash.clone();
        let output = moment.output.news(self.config.shown.output);
        drop(moment);
        notes.extend(self.signal_in(code));
        if code.is_none() && !self.adapter.exit_code {
            notes.push(format!("{} does not tell the exit code", self.adapter.id));
        }
        let end = End {
            code,
            output,
            notes,
            clock: self.clock(),
            signal,
        };
        match end.signal {
            Some(_) => Outcome::Crashed(end),
            None => Outcome::Exited(end),
        }
    }

    /// What an exit code may mean where signals are told as such, of those that crashes end by.
    fn signal_in(&self, code: Option<i64>) -> Option<String> {
        let number = i32::try_from(self.adapter.signals_below? - code?).ok()?;
        let name = signal(number).filter(|name| {
            [
                "SIGILL", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGSEGV", "SIGTERM",
            ]
            .contains(name)
        })?;
        Some(format!(
            "the code {} is how {} tells that {name} ended the program",
            code?, self.adapter.id
        ))
    }

    /// Everything that is to be known about the stop. What the adapter cannot tell is a note.
    pub(super) async fn picture(&self) -> Result<Stop, DebugError> {
        let (number, connection, mut event) = {
            let moment = self.moment.lock();
            let (number, connection) = moment.standing()?;
            let event = moment.stop.as_ref().map(|(_, event)| event.clone());
            (number, connection, event.unwrap_or_default())
        };
        let link = self.connection(connection)?;
        let mut notes = Vec::new();
        notes.extend(self.which_process(connection));
        notes.extend(self.passed_over());
        let mut detail = detail(&event);

        // Pipelined: some adapters take 44 ms for each answer, whatever it is.
        let limit = self.config.limits.request;
        let threads_reply = link.post("threads", Json::Null);
        let mut stack_reply = event.thread.map(|thread| {
            link.post(
                "stackTrace",
                stack_request(thread, 0, self.config.shown.frames),
            )
        });
        let failure = matches!(event.reason.as_str(), "exception" | "panic" | "signal");
        let wants_info = failure && link.can("supportsExceptionInfoRequest");
        let info_reply = event
            .thread
            .filter(|_| wants_info)
            .map(|thread| link.post("exceptionInfo", json!({ "threadId": thread })));

        let threads = match threads_reply {
            Ok(mut reply) => match reply.within(limit).await {
                Ok(body) => read_threads(&body),
                Err(why @ Unanswered::Gone(_)) => return Err(self.failed("threads", why).await),
                Err(_) => Vec::new(),
            },
            Err(why) => return Err(self.failed("threads", why).await),
        };
        let thread = self
            .stopped_thread(connection, event.thread, &threads)
            .await;
        if stack_reply.is_none() {
            let request = stack_request(thread.id, 0, self.config.shown.frames);
            stack_reply = Some(link.post("stackTrace", request));
        }
        let raw = match stack_reply {
            Some(Ok(mut reply)) => match reply.within(limit).await {
                Ok(body) => Some(read_stack(&body, 0, self.config.shown.frames)),
                Err(why @ Unanswered::Gone(_)) => return Err(self.failed("stackTrace", why).await),
                Err(why) => {
                    notes.push(self.failed("stackTrace", why).await.to_string());
                    None
                }
            },
            Some(Err(why)) => return Err(self.failed("stackTrace", why).await),
            None => None,
        };
        let exception = match info_reply {
            Some(Ok(mut reply)) => reply
                .within(limit)
                .await
                .ok()
                .and_then(|body| read_exception(&body)),
            _ => None,
        };
        if exception.is_some()
            && detail
                .as_ref()
                .is_some_and(|words| !words.contains("signal"))
        {
            // The same in other words.
            detail = None;
        }
        let mut exception = exception.or_else(|| failure_words(&event));
        exception.texts(&mut |text| *text = self.hidden(text));
        detail.texts(&mut |text| *text = self.hidden(text));

        let of_condition = exception
            .as_ref()
            .is_some_and(|exception| self.is_of_condition(&exception.message));
        let mut condition_fault = None;
        if of_condition {
            // Not the program's: it stands at a breakpoint.
            condition_fault = exception.take().map(|exception| exception.message);
            detail = None;
            event.reason = "breakpoint".to_owned();
            if let Some((_, stop)) = &mut self.moment.lock().stop {
                (stop.reason, stop.text) = (event.reason.clone(), None);
                stop.description = None;
            }
        }

        let raw = raw.unwrap_or(RawStack {
            frames: Vec::new(),
            more: More::None,
        });
        let (entries, more) = self.told(connection, thread.id, 0, &raw).await;
        let (frames, raw_more) = (raw.frames, raw.more);
        let (breakpoints, focus) = self.locate(connection, thread.id, &event, &frames);
        let mut frame = focus.map(|(level, raw)| self.frame(connection, thread.id, level, raw));
        let mut top = match (&frame, frames.first()) {
            (Some(frame), Some(first)) if frame.level > 0 => {
                Some(self.frame(connection, thread.id, 0, first))
            }
            _ => None,
        };
        if let Some(frame) = &mut frame {
            with_lines(frame, self.config.shown.lines);
        }
        if let Some(top) = &mut top {
            with_lines(top, self.config.shown.lines);
        }
        let mut locals = Page {
            items: Vec::new(),
            start: 0,
            more: More::None,
        };
        if let Some((_, raw)) = focus {
            let of = FrameRef {
                connection,
                id: raw.id,
                thread: thread.id,
            };
            let within = self.config.limits.locals;
            let asked = self.shown_locals(&of);
            match timeout(within, asked)
                .await
                .unwrap_or(Err(DebugError::Locals { after: within }))
            {
                Ok((page, left_out)) => {
                    notes.extend(left_out);
                    locals = page;
                }
                Err(error @ DebugError::Ended(_)) => return Err(error),
                Err(error) => notes.push(error.to_string()),
            }
        }
        if event.reason == "exception" {
            notes.extend(self.unwound(&frames));
        }
        if event.reason == "pause" && number == 1 && raw_more == More::None {
            notes.extend(self.not_begun(&frames));
        }
        if let Some(first) = frames.first() {
            let top = FrameRef {
                connection,
                id: first.id,
                thread: thread.id,
            };
            let doubts = self.doubts(&link, &top, &breakpoints).await;
            notes.extend(condition_fault.filter(|_| doubts.is_empty()).map(|fault| {
                format!(
                    "the condition of a breakpoint cannot be evaluated here ({fault}); the program \
                     stopped all the same, and this stop says nothing about it"
                )
            }));
            notes.extend(doubts);
            if let Some(name) = self.signal_name(&link, &top, &event).await {
                self.moment.lock().crash = Some(name.clone());
                detail = Some(name);
            }
        }

        let mut moment = self.moment.lock();
        let failure = moment.points.is_failure(connection, &event.hit);
        if moment.stops == number {
            moment.at = frame
                .as_ref()
                .and_then(|frame| frame.place.as_ref())
                .map(ToString::to_string);
            moment.focus = frame.as_ref().map(|frame| frame.handle);
            if exception.is_some() {
                moment.told_exception = Some((connection, thread.id));
            }
        }
        notes.extend(std::mem::take(&mut moment.notes));
        let first = frames.first();
        notes.extend(moment.points.not_run_to(&breakpoints, first, &self.project));
        if number == 1 {
            notes.extend(self.mistaken_variants());
            notes.extend(moment.points.unbound(&self.project));
        }
        let output = moment.output.news(self.config.shown.output);
        drop(moment);
        Ok(Stop {
            number,
            detail,
            reason: match failure {
                true => "panic".to_owned(),
                false => event.reason,
            },
            exception,
            breakpoints,
            thread,
            threads: (!threads.is_empty()).then_some(threads.len()),
            frame,
            top,
            stack: entries,
            more_frames: more,
            locals,
            output,
            notes,
            clock: self.clock(),
        })
    }

    /// What is said of a pause before the program has come to its own code. The stack is whole then.
    fn not_begun(&self, frames: &[RawFrame]) -> Option<String> {
        let is_loaded = |frame: &RawFrame| {
            let name = frame.name.trim_start_matches("__GI_");
            !name.starts_with("_dl_") && name != "dl_main"
        };
        let is_prepared = |frame: &RawFrame| {
            let path = frame.path.as_deref().unwrap_or_default();
            !(self.debugs("Python") && path.ends_with("/runpy.py"))
        };
        let is_early = !frames.iter().all(is_loaded) || !frames.last().is_none_or(is_prepared);
        let is_own = frames.iter().any(|frame| self.is_ours(frame));
        (!self.foreign && is_early && !is_own).then(|| {
            "the program is still being loaded, and has not come to its own code yet: run to a place of \
             it (`run_to`), or continue and pause again"
                .to_owned()
        })
    }

    /// What is said of a debugger that reads the variants of Rust wrongly.
    fn mistaken_variants(&self) -> Option<String> {
        let is_lldb = ["lldb-dap", "codelldb"].contains(&self.adapter.id.as_str());
        let is_rust = is_lldb && self.is_below("Cargo.toml");
        is_rust.then(|| {
            format!(
                "{} may show another variant than the one that is there of an enum that holds data, \
                 such as `Some` for `None`; gdb shows the right one",
                self.adapter.id
            )
        })
    }

    /// What is said of a stop in a process that the program has started.
    fn which_process(&self, connection: usize) -> Option<String> {
        if !self.is_child(connection) {
            return None;
        }
        let (pid, waiting) = {
            let moment = self.moment.lock();
            (moment.pid_of(connection), moment.waiting())
        };
        let pid = pid.map(|pid| format!(" {pid}")).unwrap_or_default();
        let others = match waiting {
            0 => String::new(),
            1 => "; another process stands too, and is told of next".to_owned(),
            more => format!("; {more} other processes stand too, and are told of next"),
        };
        Some(format!(
            "it stands in the process{pid}, which the program has started{others}"
        ))
    }

    /// The thread that stopped. Some adapters answer the first question for threads from a cache: a
    /// thread that is missing is asked for again.
    async fn stopped_thread(
        &self,
        connection: usize,
        id: Option<i64>,
        threads: &[ThreadInfo],
    ) -> ThreadInfo {
        let among = |threads: &[ThreadInfo]| match id {
            Some(id) => threads.iter().find(|thread| thread.id == id).cloned(),
            None => threads.first().cloned(),
        };
        if let Some(thread) = among(threads) {
            return thread;
        }
        let again = self.threads_of(connection).await.unwrap_or_default();
        among(&again).unwrap_or(ThreadInfo {
            id: id.unwrap_or_default(),
            name: String::new(),
        })
    }

    /// The breakpoints that were hit, and the frame to look at: the first of the user's own, else
    /// the top one.
    fn locate<'a>(
        &self,
        connection: usize,
        thread: i64,
        event: &Stopped,
        frames: &'a [RawFrame],
    ) -> (Vec<u32>, Option<(usize, &'a RawFrame)>) {
        let mut hit = {
            let mut moment = self.moment.lock();
            let mut hit = moment.points.named(connection, &event.hit);
            if hit.is_empty()
                && event.hit.is_empty()
                && event.reason.contains("breakpoint")
                && let Some(first) = frames.first()
                && let Some(path) = &first.path
            {
                hit = moment.points.hit_at(Path::new(path), first.line);
            }
            hit.retain(|id| moment.points.get(*id).is_some_and(|point| !point.silent));
            hit
        };
        hit.sort_unstable();
        let mut numbered = frames.iter().enumerate();
        let own = numbered.find(|(level, raw)| self.frame(connection, thread, *level, raw).ours);
        (hit, own.or_else(|| frames.first().map(|first| (0, first))))
    }

    /// Whether what is told as a failure is that of a breakpoint's condition.
    fn is_of_condition(&self, message: &str) -> bool {
        let conditional = self.moment.lock().points.all().any(|point| {
            let asked = &point.asked;
            asked.condition.is_some() || asked.hit.is_some()
        });
        let faults = &self.adapter.condition_faults;
        conditional && faults.iter().any(|words| message.contains(words))
    }

    /// A stop at a condition that is false or cannot be evaluated is a trap: it is looked at again.
    async fn doubts(&self, link: &Connection, top: &FrameRef, hit: &[u32]) -> Vec<String> {
        let conditions: Vec<(u32, String)> = {
            let moment = self.moment.lock();
            hit.iter()
                .filter_map(|id| Some((*id, moment.points.get(*id)?.asked.condition.clone()?)))
                .collect()
        };
        let mut notes = Vec::new();
        for (id, condition) in conditions {
            if self.is_native() && condition.contains('(') {
                // A call would run again, and what was read of the stop would be forgotten for it.
                continue;
            }
            match self.evaluate_in(link, top, &condition, CONDITION).await {
                Err(Unanswered::Refused(fault)) => notes.push(format!(
                    "the condition `{condition}` of breakpoint #{id} cannot be evaluated here ({}); \
                     the program stopped all the same, and this stop says nothing about it",
                    self.hidden(&fault.message)
                )),
                Ok(raw) if is_false(&raw.value) => notes.push(format!(
                    "the condition `{condition}` of breakpoint #{id} is {} here, although the program \
                     stopped",
                    raw.value
                )),
                _ => {}
            }
        }
        notes
    }

    /// The name of the signal, of an adapter that does not tell it.
    async fn signal_name(
        &self,
        link: &Connection,
        top: &FrameRef,
        event: &Stopped,
    ) -> Option<String> {
        let expression = self.adapter.signal_expression.as_ref()?;
        if event.reason != "signal" || event.description.is_some() || event.text.is_some() {
            return None;
        }
        let raw = self
            .evaluate_in(link, top, expression, CONDITION)
            .await
            .ok()?;
        let number: i32 = raw.value.trim().parse().ok()?;
        Some(match signal(number) {
            Some(name) => format!("signal {name}"),
            None => format!("signal {number}"),
        })
    }

    /// Threads, those with equal stacks together, the larger groups last.
    pub(super) async fn thread_groups(
        &self,
        connection: usize,
    ) -> Result<Page<ThreadGroup>, DebugError> {
        let link = self.connection(connection)?;
        let threads = self.threads_of(connection).await?;
        let total = threads.len();
        let looked = total.min(self.config.limits.threads);
        let limit = self.config.limits.request;
        let mut replies = Vec::new();
        for thread in threads.into_iter().take(looked) {
            let request = stack_request(thread.id, 0, THREAD_FRAMES);
            replies.push((thread, link.post("stackTrace", request)));
        }
        type Key = (Vec<(String, Option<String>, u32)>, Option<String>);
        let mut groups: Vec<(Key, ThreadGroup)> = Vec::new();
        for (thread, reply) in replies {
            let answer = match reply {
                Ok(mut reply) => reply.within(limit).await,
                Err(why) => Err(why),
            };
            let (frames, problem) = match answer {
                Ok(body) => (read_stack(&body, 0, THREAD_FRAMES).frames, None),
                Err(Unanswered::Refused(fault)) => (Vec::new(), Some(fault.message)),
                Err(why) => return Err(self.failed("stackTrace", why).await),
            };
            let key = frames
                .iter()
                .map(|frame| (frame.name.clone(), frame.path.clone(), frame.line))
                .collect();
            let key = (key, problem.clone());
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, group)) => group.threads.push(thread),
                None => {
                    let stack = self.entries(connection, thread.id, 0, &frames);
                    groups.push((
                        key,
                        ThreadGroup {
                            threads: vec![thread],
                            stack,
                            problem,
                        },
                    ));
                }
            }
        }
        groups.sort_by_key(|(_, group)| group.threads.len());
        Ok(Page {
            items: groups.into_iter().map(|(_, group)| group).collect(),
            start: 0,
            more: match total - looked {
                0 => More::None,
                rest => More::Exactly(rest as u64),
            },
        })
    }

    /// After an evaluation that did not come back: whether the adapter still answers.
    pub(super) async fn is_wedged(&self, link: &Arc<Connection>, patience: Duration) -> bool {
        let answer = link.request("threads", Json::Null, patience).await;
        matches!(answer, Err(Unanswered::TimedOut(_)))
    }
}

fn read_exception(body: &Json) -> Option<Exception> {
    let details = body.get("details").unwrap_or(&Json::Null);
    let kind = text(details, "typeName")
        .or_else(|| text(body, "exceptionId"))
        .unwrap_or_default();
    let message = text(details, "message")
        .or_else(|| text(body, "description"))
        .unwrap_or_default();
    let trace = text(details, "stackTrace")
        .map(plain)
        .filter(|trace| !trace.trim().is_empty());
    // debugpy adds a remark to the name.
    let kind = kind.split("(note:").next().unwrap_or(kind);
    let exception = Exception {
        kind: clip(plain(kind).trim(), 200),
        message: clip(plain(message).trim(), 1000),
        trace: trace.map(|trace| {
            let skip = trace.chars().count().saturating_sub(TRACE);
            trace.chars().skip(skip).collect()
        }),
    };
    (!exception.kind.is_empty() || !exception.message.is_empty()).then_some(exception)
}

/// What the event says, where the adapter has no more to tell.
fn failure_words(event: &Stopped) -> Option<Exception> {
    if event.reason != "exception" {
        return None;
    }
    let words = event.text.as_ref().or(event.description.as_ref())?;
    Some(Exception {
        kind: String::new(),
        message: words.clone(),
        trace: None,
    })
}

fn detail(event: &Stopped) -> Option<String> {
    let words = event
        .description
        .as_ref()
        .filter(|words| **words != event.reason);
    match (words, &event.text) {
        (Some(words), Some(text)) if words != text => Some(format!("{words}: {text}")),
        (Some(words), _) => Some(words.clone()),
        (None, text) => text.clone(),
    }
}

/// The names of the signals that programs stop at, by their numbers on Linux and macOS.
fn signal(number: i32) -> Option<&'static str> {
    Some(match number {
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        // macOS has another number for it.
        7 if cfg!(target_os = "linux") => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return None,
    })
}

fn is_false(value: &str) -> bool {
    matches!(
        value.trim(),
        "false" | "False" | "0" | "nil" | "null" | "None" | "(bool) false"
    )
}
