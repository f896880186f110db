//! One question in one call: run, stop, evaluate, end. It leaves no session behind.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fourfold_dap_client::{
    Breakpoint, Debugger, EvaluateQuery, Frame, Outcome, Resume, Session, StackEntry, Stop,
};
use tokio::time::Instant;

use super::request::{DebugExceptions, DebugRequest};
use super::result::{DebugAnswered, DebugHit, DebugResult, DebugValue};
use super::{launch, place};
use crate::Error;

/// How long the program may run in all unless told otherwise.
const WAIT: Duration = Duration::from_secs(60);

/// Hits that are looked at most.
const HITS: usize = 50;

/// Callers that are looked at most.
const CALLERS: usize = 20;

/// Ends the session on every way out, a dropped future and a panic too.
struct Ends(Option<Arc<Debugger>>);

impl Ends {
    async fn now(mut self) {
        if let Some(debugger) = self.0.take() {
            // There is none when the launch failed.
            let _ = debugger.terminate().await;
        }
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        if let (Some(debugger), Ok(runtime)) =
            (self.0.take(), tokio::runtime::Handle::try_current())
        {
            runtime.spawn(async move {
                let _ = debugger.terminate().await;
            });
        }
    }
}

pub(super) async fn ask(
    debugger: Arc<Debugger>,
    request: &DebugRequest,
    root: &Path,
    result: &mut DebugResult,
) -> Result<(), Error> {
    let mut request = request.clone();
    if request.at.is_none()
        && request.breakpoints.is_empty()
        && request.exceptions == Some(DebugExceptions::None)
    {
        return Err(Error::usage(
            "ask needs `at`, or `exceptions` other than none: else it would never stop",
        ));
    }
    if request.condition.is_some() && request.at.is_none() {
        return Err(Error::usage(
            "`condition` belongs to a place: give `at` too",
        ));
    }
    let at = match &request.at {
        Some(at) => {
            let mut breakpoint = Breakpoint::new(place::read(at, root)?);
            breakpoint.condition.clone_from(&request.condition);
            Some(breakpoint)
        }
        None => None,
    };
    let wait = request.wait_s.map_or(WAIT, Duration::from_secs);
    // Longer than the question may take, so that the limit is the second line of defence.
    request.ttl_s = Some(wait.as_secs().saturating_add(60));
    request.wait_s = Some(wait.as_secs());
    let mut launch = launch::prepared(&debugger, &request, root).await?;
    launch.breakpoints.extend(at);
    let ends = Ends(Some(Arc::clone(&debugger)));
    let until = Instant::now() + wait;
    let asked = look(&debugger, launch, &request, until, result).await;
    ends.now().await;
    asked
}

async fn look(
    debugger: &Debugger,
    launch: fourfold_dap_client::LaunchRequest,
    request: &DebugRequest,
    until: Instant,
    result: &mut DebugResult,
) -> Result<(), Error> {
    let times = request.times.unwrap_or(1).clamp(1, HITS);
    let (session, mut outcome) = debugger.launch(launch).await?;
    if let Some(facts) = session.facts() {
        result.text = format!("{} under {}\n", facts.program, facts.adapter);
    }
    while let Outcome::Stopped(stop) = &outcome {
        let hit = hit(&session, stop, request).await;
        result
            .text
            .push_str(&said(&hit, result.hits.len() + 1, times));
        result.hits.push(hit);
        if result.hits.len() >= times {
            break;
        }
        let left = until.saturating_duration_since(Instant::now());
        outcome = session.resume(Resume::Continue, left).await?;
    }
    if let Ok(reports) = session.breakpoints() {
        for report in reports.iter().filter(|report| report.hits == 0) {
            result.text.push_str(&format!("breakpoint {report}\n"));
        }
    }
    match &outcome {
        Outcome::StillRunning(_) => result.notices.push(
            "the program did not stop again in time and was ended; `wait_s` gives it longer"
                .to_owned(),
        ),
        Outcome::Exited(_) | Outcome::Crashed(_) if result.hits.is_empty() => {
            result
                .notices
                .push("the program ended without a stop".to_owned());
        }
        _ => {}
    }
    result.take(&outcome);
    if let Outcome::Stopped(_) = outcome {
        // The session is over when this is read: its limits say nothing any more.
        let end = result.text.rfind('\n').unwrap_or(result.text.len());
        result.text.truncate(end);
        let over = "the session is over; to go on from here, launch with a breakpoint";
        result.text.push_str(&format!("\n{over}"));
    }
    for notice in &result.notices {
        result.text.push_str(&format!("\nnote: {notice}"));
    }
    Ok(())
}

/// The expressions in the frame of a stop and in its callers.
async fn hit(session: &Session, stop: &Stop, request: &DebugRequest) -> DebugHit {
    let mut answers = Vec::new();
    let callers = request.callers.unwrap_or(0).min(CALLERS);
    let own = stop.stack.iter().filter_map(|entry| match entry {
        StackEntry::Frame(frame) if frame.ours => Some(frame),
        _ => None,
    });
    let mut frames: Vec<&Frame> = own.take(callers + 1).collect();
    if frames.is_empty() {
        frames.extend(&stop.frame);
    }
    if !request.evaluate.is_empty() {
        for frame in frames {
            answers.push(answered(session, frame, &request.evaluate, request).await);
        }
    }
    let place = stop.frame.as_ref().and_then(|frame| frame.place.as_ref());
    DebugHit {
        at: place.map(ToString::to_string),
        reason: match &stop.exception {
            Some(exception) => format!("{}: {exception}", stop.reason),
            None => stop.reason.clone(),
        },
        answers,
    }
}

async fn answered(
    session: &Session,
    frame: &Frame,
    expressions: &[String],
    request: &DebugRequest,
) -> DebugAnswered {
    let mut answered = DebugAnswered {
        frame: match &frame.place {
            Some(place) => format!("{} at {place}", frame.function),
            None => frame.function.clone(),
        },
        values: Vec::new(),
        failed: Vec::new(),
    };
    for expression in expressions {
        let mut query = EvaluateQuery::new(expression.as_str());
        query.frame = Some(frame.handle);
        query.characters = request.characters.unwrap_or(300).clamp(1, 16_000);
        match session.evaluate(query).await {
            Ok(value) => answered.values.push(DebugValue::of(&value)),
            Err(error) => answered.failed.push(format!("{expression}: {error}")),
        }
    }
    answered
}

/// A hit as text; the last one has its whole stop behind it.
fn said(hit: &DebugHit, number: usize, times: usize) -> String {
    let mut text = String::new();
    if times > 1 {
        let at = hit.at.as_deref().unwrap_or("an unknown place");
        text.push_str(&format!("hit {number} at {at} ({})\n", hit.reason));
    }
    for answered in &hit.answers {
        text.push_str(&format!("in {}:\n", answered.frame));
        for value in &answered.values {
            text.push_str(&format!("  {} = {}", value.name, value.text));
            if let Some(total) = value.cut_from {
                text.push_str(&format!("… ({total} characters)"));
            }
            text.push('\n');
        }
        for failed in &answered.failed {
            text.push_str(&format!("  {failed}\n"));
        }
    }
    text
}
