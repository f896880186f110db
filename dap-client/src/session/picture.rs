//! The whole picture of a moment.

use std::path::Path;

use serde_json::{Value as Json, json};
use tokio::time::timeout;

use crate::connection::Unanswered;
use crate::error::DebugError;
use crate::protocol::{RawFrame, Stopped};
use crate::result::{More, Page, Stop};

use super::inner::Inner;
use super::look::{RawStack, read_stack, read_threads, stack_request, with_lines};
use super::moment::FrameRef;
use super::reason::{detail, failure_words, read_exception};
use super::texts::Texts as _;

/// Why the program stands where a test of Go fails without a panic.
pub(super) const FAILING_TEST: &str = "failing test";

impl Inner {
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
        let killed = self.moment.lock().killed.clone();
        if let Some(name) = killed {
            let words = format!("{name} ended the program");
            let exception = exception.take().map(|exception| exception.message);
            let told = exception
                .or(detail.take())
                .filter(|told| told.contains(&name));
            detail = Some(told.map_or(words.clone(), |told| format!("{words}: {told}")));
            event.reason = "core file".to_owned();
        }
        let (others, rest) = match event.reason.as_str() {
            "pause" => self.others(connection, thread.id).await?,
            _ => (Vec::new(), 0),
        };
        if rest > 0 {
            notes.push(format!(
                "the stacks of {rest} further threads were not looked at"
            ));
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
        let fails = moment.points.is_failing_test(connection, &event.hit);
        if fails {
            // The function that we stop in is not why.
            detail = None;
        }
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
            reason: match (failure, fails) {
                (true, _) => "panic".to_owned(),
                (_, true) => FAILING_TEST.to_owned(),
                _ => event.reason,
            },
            exception,
            breakpoints,
            thread,
            threads: (!threads.is_empty()).then_some(threads.len()),
            frame,
            top,
            stack: entries,
            more_frames: more,
            others,
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
                && event.reason.contains("breakpoint")
                && let Some(first) = frames.first()
                && let Some(path) = &first.path
            {
                hit = moment.points.hit_at(Path::new(path), first.line);
            }
            hit.retain(|id| moment.points.get(*id).is_some_and(|point| !point.is_ours()));
            hit
        };
        hit.sort_unstable();
        let mut numbered = frames.iter().enumerate();
        let own = numbered.find(|(level, raw)| self.frame(connection, thread, *level, raw).ours);
        (hit, own.or_else(|| frames.first().map(|first| (0, first))))
    }
}
