//! One question in one call: run, stop, evaluate, end. It leaves no session behind.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fourfold_dap_client::program::near_tests;
use fourfold_dap_client::{
    Binding, Breakpoint, Debugger, Detector, EvaluateQuery, Frame, Of, Outcome, Page, Resume,
    Session, StackEntry, Stop, Value, ValuesQuery,
};
use tokio::time::{Instant, timeout};

use super::request::{DebugBreakpoint, DebugExceptions, DebugRequest};
use super::result::{DebugAnswered, DebugHit, DebugResult, DebugValue};
use super::{launch, place};
use crate::Error;

/// How long the program may run in all unless told otherwise.
const WAIT: Duration = Duration::from_secs(60);

/// How long a program that hangs may take to be stopped.
const PAUSE: Duration = Duration::from_secs(5);

/// Hits that are looked at most.
const HITS: usize = 50;

/// Callers that are looked at most.
const CALLERS: usize = 20;

/// Ends the session of this question, and no other, on every way out, a dropped future and a panic
/// too.
struct Ends(Option<(Arc<Debugger>, Session)>);

impl Ends {
    async fn now(mut self) {
        if let Some((debugger, session)) = self.0.take() {
            debugger.end(&session).await;
        }
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        if let (Some((debugger, session)), Ok(runtime)) =
            (self.0.take(), tokio::runtime::Handle::try_current())
        {
            runtime.spawn(async move { debugger.end(&session).await });
        }
    }
}

pub(super) async fn ask(
    debugger: Arc<Debugger>,
    detector: &Detector,
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
    let logs = |point: &DebugBreakpoint| point.log.is_some();
    let only_logs = request.at.is_none()
        && !request.breakpoints.is_empty()
        && request.breakpoints.iter().all(logs);
    if only_logs && request.times.is_some() {
        return Err(Error::usage(
            "`times` counts stops, and what only logs makes none: for so many and no more, give the place as \
             `at` and the expressions as `evaluate`",
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
    let mut launch = launch::prepared(&debugger, detector, &request, root).await?;
    // They are numbered from 1, before those that stand for failures.
    let stops = request.breakpoints.iter().map(|point| !logs(point));
    let stops = stops.chain(at.as_ref().map(|_| true));
    let places = (1..).zip(stops).filter(|(_, stops)| *stops);
    let places: Vec<u32> = places.map(|(id, _)| id).collect();
    launch.breakpoints.extend(at);
    let until = Instant::now() + wait;
    // A launch that fails leaves nothing behind.
    let (session, outcome) = debugger.launch(launch).await?;
    let ends = Ends(Some((debugger, session.clone())));
    let looked = Look {
        session: &session,
        request: &request,
        root,
        places,
        only_logs,
        wait,
        until,
    };
    let told = looked.told(outcome, result).await;
    ends.now().await;
    told
}

/// One question, under way.
struct Look<'a> {
    session: &'a Session,
    request: &'a DebugRequest,
    root: &'a Path,
    /// The numbers of the breakpoints to stop at; none when it is for a failure, or only logs.
    places: Vec<u32>,
    /// Whether no place is one to stop at.
    only_logs: bool,
    wait: Duration,
    until: Instant,
}

impl Look<'_> {
    async fn told(&self, outcome: Outcome, result: &mut DebugResult) -> Result<(), Error> {
        let request = self.request;
        let asked = request.times.unwrap_or(1).max(1);
        let times = asked.min(HITS);
        let mut outcome = outcome;
        if let Some(facts) = self.session.facts() {
            result.text = format!("{} under {}\n", facts.program, facts.adapter);
        }
        while let Outcome::Stopped(stop) = &outcome {
            let hit = hit(self.session, stop, request).await;
            if !self.is_asked(stop) {
                let notice = self.instead(result.hits.len(), times);
                result.text.push_str(&format!("note: {notice}\n"));
                result.text.push_str(&said(&hit, None));
                result.notices.push(notice);
                result.instead = Some(hit);
                break;
            }
            if let Some(notice) = self.passed_place(stop, result.hits.len()) {
                result.text.push_str(&format!("note: {notice}\n"));
                result.notices.push(notice);
            }
            let number = (times > 1).then_some(result.hits.len() + 1);
            result.text.push_str(&said(&hit, number));
            result.hits.push(hit);
            if result.hits.len() >= times {
                break;
            }
            let left = self.until.saturating_duration_since(Instant::now());
            outcome = self.session.resume(Resume::Continue, left).await?;
        }
        if let Ok(reports) = self.session.breakpoints() {
            for report in reports.iter().filter(|report| report.hits == 0) {
                result.text.push_str(&format!("breakpoint {report}\n"));
            }
        }
        // Where it hangs is what there is to know of it.
        let hanging = match &outcome {
            Outcome::StillRunning(_) => {
                let paused = timeout(PAUSE * 2, self.session.pause(Some(PAUSE)));
                paused.await.ok().and_then(Result::ok)
            }
            _ => None,
        };
        let mut notices = Vec::new();
        if asked > times && result.hits.len() == times {
            notices.push(format!(
                "{times} hits are shown at most, and {asked} were asked for"
            ));
        }
        if let Outcome::Exited(_) | Outcome::Crashed(_) = outcome
            && result.hits.is_empty()
            && !self.only_logs
        {
            let succeeded = matches!(&outcome, Outcome::Exited(end) if end.code == Some(0));
            let ran_none = matches!(&outcome, Outcome::Exited(end) if ran_none(&end.output.text()));
            notices.push(match &request.test {
                Some(test) if ran_none => no_test(test, self.root),
                Some(_) if succeeded => "the test passed; nothing stopped it".to_owned(),
                _ => "the program ended without a stop".to_owned(),
            });
        }
        if let Outcome::Stopped(stop) = &mut outcome
            && request.evaluate.iter().any(|text| assigns(text))
            // What cannot be read again was read before.
            && let Ok(locals) = self.session.values(ValuesQuery::new(Of::Frame(None))).await
        {
            let known = std::mem::take(&mut stop.locals.items);
            let is_known = |value: &Value| known.iter().any(|other| other.name == value.name);
            stop.locals.items = locals.items.into_iter().filter(is_known).collect();
        }
        let begin = result.text.len();
        result.take(&outcome);
        // The session is over when this is read: its limits say nothing any more.
        let end = result.text.rfind('\n').unwrap_or(begin).max(begin);
        result.text.truncate(end);
        match outcome {
            Outcome::Stopped(_) => {
                let over = "the session is over; to go on from here, launch with a breakpoint";
                result.text.push_str(&format!("\n{over}"));
            }
            Outcome::StillRunning(_) => {
                let said = result.text.split_off(begin);
                let waited = self.wait.as_secs();
                let again = if result.hits.is_empty() { "" } else { " again" };
                let rest = said.strip_prefix("still running").unwrap_or(&said);
                result.text.push_str(&format!(
                    "did not stop{again} within {waited} s, and was ended; `wait_s` (`--wait`) gives it longer{rest}"
                ));
                if let Some(hanging) = &hanging {
                    self.hangs(hanging, result);
                }
            }
            _ => {}
        }
        let mut answers = result.hits.iter().chain(&result.instead);
        if answers.any(|hit| hit.answers.iter().any(|answered| answered.shortened)) {
            notices.push(
                "`…` in a value: `depth` (`--depth 2`) opens it, `characters` (`--characters 2000`) \
                 gives longer texts"
                    .to_owned(),
            );
        }
        for notice in &notices {
            result.text.push_str(&format!("\nnote: {notice}"));
        }
        result.notices.extend(notices);
        self.without_secrets(result);
        Ok(())
    }

    /// Tells where a program was when its time was over.
    fn hangs(&self, paused: &Outcome, result: &mut DebugResult) {
        let begin = result.text.len();
        let outcome = result.outcome;
        let (output, dropped) = (std::mem::take(&mut result.output), result.output_dropped);
        result.take(paused);
        let said = result.text.split_off(begin);
        // Not its limits: the session is over when this is read.
        let said = said.rsplit_once('\n').map_or("", |(said, _)| said);
        let said = said
            .strip_prefix("still running, pause pending\n")
            .unwrap_or(said);
        if !said.is_empty() {
            result
                .text
                .push_str(&format!("\nwhere it was then:\n{said}"));
        }
        (result.outcome, result.output_dropped) = (outcome, dropped);
        result.output.insert_str(0, &output);
    }

    /// Whether it stands where it was asked to; anywhere, when it was asked for a failure.
    fn is_asked(&self, stop: &Stop) -> bool {
        self.places.is_empty() || stop.breakpoints.iter().any(|id| self.places.contains(id))
    }

    /// Whether the debugger has no code for what was asked for.
    fn is_unbound(&self) -> bool {
        let reports = self.session.breakpoints().unwrap_or_default();
        let bound =
            |binding: &Binding| matches!(binding, Binding::Verified | Binding::Moved { .. });
        !reports.is_empty() && !reports.iter().any(|report| bound(&report.binding))
    }

    /// The place that was asked for first, when it stopped at another one of those.
    fn passed_place(&self, stop: &Stop, hits: usize) -> Option<String> {
        let at = self.request.at.as_ref().filter(|_| hits == 0)?;
        let last = self.places.last()?;
        let elsewhere = self.places.len() > 1 && !stop.breakpoints.contains(last);
        elsewhere.then(|| format!("`{at}` was not reached yet: this is another one of the places"))
    }

    /// What is said where it stopped elsewhere.
    fn instead(&self, hits: usize, times: usize) -> String {
        let only = match (&self.request.at, self.request.breakpoints.as_slice()) {
            (Some(at), []) => Some(at),
            (None, [only]) => Some(&only.at),
            _ => None,
        };
        let unbound = only.is_some() && self.is_unbound();
        let condition = match self.request.breakpoints.as_slice() {
            [one] if self.request.at.is_none() => &one.condition,
            _ => &self.request.condition,
        };
        match (only, hits) {
            (Some(at), 0) if unbound => format!(
                "`{at}` was not reached before this stop, and is bound to no code so far: there is no such \
                 function or line, or what has it is not loaded yet"
            ),
            (Some(at), 0) => match condition {
                Some(condition) => format!(
                    "`{at}` was not reached with `{condition}` true before this stop; a condition that \
                     cannot be evaluated counts as false"
                ),
                None => format!("`{at}` was not reached before this stop"),
            },
            (Some(at), hits) => format!("`{at}` was hit {hits} of {times} times before this stop"),
            (None, 0) => "none of the places was reached before this stop".to_owned(),
            (None, hits) => format!("there were {hits} of {times} hits before this stop"),
        }
    }

    /// What was told of the first hits without the secrets that the later ones showed.
    fn without_secrets(&self, result: &mut DebugResult) {
        if let Some(meaning) = self.session.meaning_of_mask() {
            result.text.push_str(&format!("\nnote: {meaning}"));
            result.notices.push(meaning.to_owned());
        }
        let clean = |text: &mut String| *text = self.session.without_secrets(text);
        clean(&mut result.text);
        for hit in result.hits.iter_mut().chain(&mut result.instead) {
            clean(&mut hit.reason);
            for answered in &mut hit.answers {
                answered.failed.iter_mut().for_each(clean);
                let mut open: Vec<&mut DebugValue> = answered.values.iter_mut().collect();
                while let Some(value) = open.pop() {
                    clean(&mut value.text);
                    open.extend(
                        value
                            .inside
                            .iter_mut()
                            .flat_map(|inside| &mut inside.values),
                    );
                }
            }
        }
    }
}

/// Whether a runner of tests says that it has run none.
fn ran_none(output: &str) -> bool {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    output.lines().map(words).any(|line| {
        let line = line.trim_start_matches(['#', 'ℹ', ' ']);
        // Node.js, mocha, pytest, Go; the last of jest and vitest, whose tests are all skipped.
        line == "tests 0"
            || line.starts_with("0 passing")
            || line.starts_with("no tests ran")
            || line.contains("no tests to run")
            || line.starts_with("Tests")
                && line.contains(" skipped")
                && !line.contains(" passed")
                && !line.contains(" failed")
    })
}

/// What is said of a test that there is not.
fn no_test(test: &str, root: &Path) -> String {
    let near: Vec<String> = near_tests(test, root)
        .iter()
        .map(|title| format!("`{title}`"))
        .collect();
    match near.is_empty() {
        true => format!("no test ran: there is none of the name `{test}`"),
        false => format!(
            "no test ran: there is none of the name `{test}`; the file has {}",
            near.join(", ")
        ),
    }
}

/// Whether an expression may give a variable another value.
fn assigns(expression: &str) -> bool {
    let bytes = expression.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
    let is_assignment = |(index, _): (usize, &u8)| {
        let before = at(index.wrapping_sub(1));
        at(index + 1) != b'='
            && at(index + 1) != b'>'
            && !matches!(before, b'=' | b'!' | b'<' | b'>')
    };
    let mut equals = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'=');
    equals.any(is_assignment) || expression.contains("++") || expression.contains("--")
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
        text: String::new(),
        shortened: false,
    };
    for expression in expressions {
        let mut query = EvaluateQuery::new(expression.as_str());
        query.frame = Some(frame.handle);
        query.characters = request.characters.unwrap_or(300).clamp(1, 16_000);
        match session.evaluate(query).await {
            Ok(mut value) => {
                if let (Some(depth), Some(of)) = (request.depth, value.handle) {
                    let mut query = ValuesQuery::new(Of::Value(of));
                    query.depth = depth.clamp(1, 3);
                    // What cannot be opened is told closed.
                    value.inside = session.values(query).await.ok();
                }
                let text = format!("  {} = {}", value.name, value.text.replace('\n', "\\n"));
                answered.text.push_str(&text);
                if let Some(total) = value.cut_from {
                    answered.text.push_str(&format!("… ({total} characters)"));
                }
                answered.shortened |= value.shortened && value.inside.is_none();
                answered.text.push('\n');
                for line in value.inside.iter().flat_map(opened) {
                    answered.text.push_str(&line);
                }
                answered.values.push(DebugValue::of(&value));
            }
            Err(error) => {
                let failed = format!("{expression}: {error}");
                answered.text.push_str(&format!("  {failed}\n"));
                answered.failed.push(failed);
            }
        }
    }
    answered
}

/// The lines of what is inside of an answer.
fn opened(inside: &Page<Value>) -> Vec<String> {
    let text = inside.to_string();
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// A hit as text, with its number when there may be several; the last one has its whole stop behind
/// it.
fn said(hit: &DebugHit, number: Option<usize>) -> String {
    let mut text = String::new();
    if let Some(number) = number {
        let at = hit.at.as_deref().unwrap_or("an unknown place");
        text.push_str(&format!("hit {number} at {at} ({})\n", hit.reason));
    }
    for answered in &hit.answers {
        text.push_str(&format!("in {}:\n{}", answered.frame, answered.text));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_tests_is_told_from_one_that_passed() {
        for text in [
            "1..0\n# tests 0\n# pass 0\n",
            "ℹ tests 0\nℹ suites 0",
            "\n  0 passing (2ms)\n",
            "no tests ran in 0.01s",
            "testing: warning: no tests to run\nPASS",
            "Tests:       3 skipped, 3 total",
            "      Tests  2 skipped (2)",
        ] {
            assert!(ran_none(text), "{text}");
        }
        for text in [
            "# tests 10\n# pass 10",
            "10 passing",
            "1 passed in 1.77s",
            "Tests:       2 skipped, 1 passed, 3 total",
            "ok",
        ] {
            assert!(!ran_none(text), "{text}");
        }
    }

    #[test]
    fn an_assignment_is_told_from_a_comparison() {
        for text in ["n = 100", "n=1", "n += 1", "a.b[0] = x == y", "n++", "--n"] {
            assert!(assigns(text), "{text}");
        }
        for text in [
            "n",
            "n == 1",
            "n === 1",
            "n != 1",
            "n !== 1",
            "n <= 1",
            "n >= 1",
            "x => x + 1",
        ] {
            assert!(!assigns(text), "{text}");
        }
    }
}
