//! Why the program stands: the failure, the signal, the condition of a breakpoint.

use std::time::Duration;

use serde_json::Value as Json;

use crate::connection::{Connection, Unanswered};
use crate::protocol::{Stopped, clip, plain, text};
use crate::result::Exception;

use super::inner::Inner;
use super::moment::FrameRef;

/// How long the condition of a breakpoint may take to be looked at again.
const CONDITION: Duration = Duration::from_secs(3);

/// Characters of a traceback that are shown, from its end.
const TRACE: usize = 1500;

impl Inner {
    /// A core file tells the signal that ended its program.
    pub(crate) fn was_killed(&self, number: Option<i32>) {
        let name = number.map(|number| match signal(number) {
            Some(name) => name.to_owned(),
            None => format!("signal {number}"),
        });
        self.moment.lock().killed = name;
    }

    /// Whether what is told as a failure is that of a breakpoint's condition.
    pub(super) fn is_of_condition(&self, message: &str) -> bool {
        let conditional = self.moment.lock().points.all().any(|point| {
            let asked = &point.asked;
            asked.condition.is_some() || asked.hit.is_some()
        });
        let faults = &self.adapter.condition_faults;
        conditional && faults.iter().any(|words| message.contains(words))
    }

    /// A stop at a condition that is false or cannot be evaluated is a trap: it is looked at again.
    pub(super) async fn doubts(
        &self,
        link: &Connection,
        top: &FrameRef,
        hit: &[u32],
    ) -> Vec<String> {
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
    pub(super) async fn signal_name(
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
}

pub(super) fn read_exception(body: &Json) -> Option<Exception> {
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
pub(super) fn failure_words(event: &Stopped) -> Option<Exception> {
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

pub(super) fn detail(event: &Stopped) -> Option<String> {
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
pub(super) fn signal(number: i32) -> Option<&'static str> {
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
