//! What is done with a session.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use fourfold_dap_client::{
    BreakpointReport, Debugger, Detector, EvaluateQuery, Of, Resume, Session, State, ValuePath,
    ValuesQuery,
};

use super::request::{DebugAction, DebugRequest};
use super::result::{
    DebugBreakpointInfo, DebugResult, DebugScope, DebugSession, DebugThreads, DebugValue,
    DebugValues, frames,
};
use super::{ask, launch, place};
use crate::Error;
use crate::conversation::Conversation;

/// Frames in one answer unless told otherwise, and at most.
const FRAMES: (usize, usize) = (20, 200);

/// Values in one answer unless told otherwise, and at most.
const VALUES: (usize, usize) = (30, 300);

/// Characters of one value unless told otherwise, and at most.
const CHARACTERS: (usize, usize) = (300, 16_000);

/// Bytes of output in one answer.
const OUTPUT: usize = 8 << 10;

/// Ends the work when whoever waits for it goes away.
struct Task<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Conversation {
    /// Asks the debugger, or orders it.
    ///
    /// *Cancel safety*: dropped, or cancelled by the control of a handle, a launch that is not done is taken back, and an `ask` ends; the
    /// program of a session stays as it is.
    ///
    /// # Errors
    /// What the action needs is not given; there is a session already, or none; the program cannot
    /// be built or started; the adapter refuses; [`Error::Declined`] when the host says no to what
    /// would run.
    pub async fn debug(&self, request: DebugRequest) -> Result<DebugResult, Error> {
        self.executable()?;
        if let Some(what) = request.execution() {
            self.approve_execution(what).await?;
        }
        let checkout = Arc::clone(self.checkout());
        let runtime = checkout.engine().handle()?;
        let debugger = self.inner().debugger.debugger(&checkout)?;
        let fixed = checkout.server_options().search_path.is_some();
        let detector = launch::detector(&debugger, &request, fixed);
        let wanted = self.wanted();
        let work = async move {
            tokio::select! {
                biased;
                done = act(debugger, &detector, &request, checkout.root()) => done,
                () = wanted => Err(Error::Cancelled),
            }
        };
        let mut task = Task(runtime.spawn(work));
        (&mut task.0).await.unwrap_or_else(|error| {
            Err(Error::Crashed {
                reason: error.to_string(),
            })
        })
    }
}

async fn act(
    debugger: Arc<Debugger>,
    detector: &Detector,
    request: &DebugRequest,
    root: &Path,
) -> Result<DebugResult, Error> {
    let mut result = DebugResult {
        action: request.action.name(),
        ..DebugResult::default()
    };
    match request.action {
        DebugAction::Status => {
            let mut status = debugger.status();
            if let Some(State::Stopped { at: None, .. }) =
                status.session.as_ref().map(|facts| &facts.state)
                && let Ok(session) = debugger.session(None)
                && session.place().await.is_ok()
            {
                status = debugger.status();
            }
            result.session = status.session.as_ref().map(DebugSession::of);
            result.last_session = status.last.as_ref().map(ToString::to_string);
            result.text = format!("{status}\n");
        }
        DebugAction::Launch => {
            let launch = launch::prepared(&debugger, detector, request, root).await?;
            let (session, outcome) = debugger.launch(launch).await?;
            begun(&mut result, &session, &outcome);
        }
        DebugAction::Attach => {
            let attach = launch::attach(&debugger, request, root).await?;
            let (session, outcome) = debugger.attach(attach).await?;
            begun(&mut result, &session, &outcome);
        }
        DebugAction::Restart => {
            debugger.session(request.session.as_deref())?;
            let wait = request.wait_s.map(Duration::from_secs);
            let (session, outcome) = debugger.restart(wait).await?;
            begun(&mut result, &session, &outcome);
        }
        DebugAction::Terminate => {
            debugger.session(request.session.as_deref())?;
            let end = debugger.terminate().await?;
            result.text = format!("{end}\n");
            result.last_session = Some(end.to_string());
        }
        DebugAction::Ask => ask::ask(debugger, detector, request, root, &mut result).await?,
        _ => {
            let session = debugger.session(request.session.as_deref())?;
            with_session(&debugger, &session, request, root, &mut result).await?;
            left_out(&mut result, request);
            result.session = session.facts().as_ref().map(DebugSession::of);
            explain_mask(&mut result, &session);
        }
    }
    if !result.text.ends_with('\n') {
        result.text.push('\n');
    }
    Ok(result)
}

/// Says how to get what was left out of values: where they were asked for, and at the first stop.
fn left_out(result: &mut DebugResult, request: &DebugRequest) {
    let stop = result.stop.as_ref().filter(|stop| stop.number == 1);
    let locals = stop.map(|stop| &stop.locals);
    let shown = result.values.iter().chain(locals);
    let shortened: Vec<&DebugValue> = shown
        .flat_map(|page| &page.values)
        .filter(|value| value.shortened)
        .collect();
    let Some(notice) = how_to_see_more(&shortened, request.characters) else {
        return;
    };
    result.text.push_str(&format!("\nnote: {notice}\n"));
    result.notices.push(notice);
}

fn how_to_see_more(shortened: &[&DebugValue], characters: Option<usize>) -> Option<String> {
    let inside = shortened.iter().find_map(|value| value.value.as_ref());
    let is_cut = shortened.iter().any(|value| value.cut_from.is_some());
    let most = characters.is_some_and(|count| count >= CHARACTERS.1);
    let longer = match (is_cut, most) {
        (false, _) => None,
        (true, false) => Some(format!(
            "`characters` (`--characters {}`) gives longer texts",
            CHARACTERS.1
        )),
        (true, true) => Some(format!(
            "no text is longer than {} characters: evaluate a part of it",
            CHARACTERS.1
        )),
    };
    let opens = inside.map(|value| format!("`variables` with `{value}` opens one"));
    let words: Vec<String> = opens.into_iter().chain(longer).collect();
    (!words.is_empty()).then(|| format!("`…` in a value: {}", words.join("; ")))
}

/// Says once what the stars in an answer mean.
fn explain_mask(result: &mut DebugResult, session: &Session) {
    if let Some(meaning) = session.meaning_of_mask() {
        let ended = if result.text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        result.text.push_str(&format!("{ended}note: {meaning}\n"));
        result.notices.push(meaning.to_owned());
    }
}

/// A session that has just begun, with what its breakpoints became.
fn begun(result: &mut DebugResult, session: &Session, outcome: &fourfold_dap_client::Outcome) {
    result.text = match session.facts() {
        Some(facts) => {
            let pid = facts.pid.map(|pid| format!(", pid {pid}"));
            result.session = Some(DebugSession::of(&facts));
            let pid = pid.unwrap_or_default();
            let (program, adapter) = (&facts.program, &facts.adapter);
            format!("session {}: {program} under {adapter}{pid}\n", facts.id)
        }
        None => format!("session {}\n", session.id()),
    };
    // After a program has ended there is nothing to say of them that its end does not.
    if let Ok(reports) = session.breakpoints() {
        breakpoints(result, &reports);
    }
    result.take(outcome);
    left_out(result, &DebugRequest::default());
    explain_mask(result, session);
}

fn breakpoints(result: &mut DebugResult, reports: &[BreakpointReport]) {
    for report in reports {
        result.text.push_str(&format!("breakpoint {report}\n"));
    }
    result.breakpoints = reports.iter().map(DebugBreakpointInfo::of).collect();
}

async fn with_session(
    debugger: &Debugger,
    session: &Session,
    request: &DebugRequest,
    root: &Path,
    result: &mut DebugResult,
) -> Result<(), Error> {
    let how = match request.action {
        DebugAction::Continue => Some(Resume::Continue),
        DebugAction::StepOver => Some(Resume::StepOver),
        DebugAction::StepIn => Some(Resume::StepIn),
        DebugAction::StepOut => Some(Resume::StepOut),
        DebugAction::RunTo => {
            let at = needed(
                &request.at,
                "run_to needs `at`: FILE:LINE, FILE:TEXT or a function",
            )?;
            Some(Resume::RunTo(place::read(at, root)?))
        }
        _ => None,
    };
    if let Some(how) = how {
        let wait = request.wait_s.map(Duration::from_secs);
        let wait = wait.unwrap_or(debugger.config().limits.wait);
        let outcome = match request.thread {
            Some(thread) => session.resume_thread(thread, how, wait).await?,
            None => session.resume(how, wait).await?,
        };
        result.take(&outcome);
        return Ok(());
    }
    match request.action {
        DebugAction::Pause => {
            let wait = request.wait_s.map(Duration::from_secs);
            result.take(&session.pause(wait).await?);
            return Ok(());
        }
        DebugAction::Breakpoints => set(session, request, root, result).await?,
        DebugAction::Threads => {
            let threads = session.threads().await?;
            let groups = &threads.items;
            result.text = groups.iter().map(ToString::to_string).collect();
            if threads.more != fourfold_dap_client::More::None {
                result.text.push_str(&format!("{}\n", threads.more));
            }
            result.threads = groups.iter().map(DebugThreads::of).collect();
        }
        DebugAction::Stack => {
            let start = usize::try_from(request.offset).unwrap_or(usize::MAX);
            let levels = bounded(request.limit, FRAMES);
            let page = session.stack(request.thread, start, levels).await?;
            result.text = page
                .items
                .iter()
                .map(|entry| format!("{entry}\n"))
                .collect();
            if page.more != fourfold_dap_client::More::None {
                let next = start.saturating_add(levels) as u64;
                result
                    .text
                    .push_str(&format!("{}: offset {next}\n", page.more));
                result.next_offset = Some(next);
            }
            result.stack = frames(&page.items);
        }
        DebugAction::Scopes => {
            let scopes = session.scopes(handle(&request.frame)?).await?;
            result.text = scopes.iter().map(|scope| format!("{scope}\n")).collect();
            result.scopes = scopes.iter().map(DebugScope::of).collect();
        }
        DebugAction::Variables => {
            let page = session.values(query(request)?).await?;
            result.text = page.to_string();
            // At the end of a path the value is there in any case.
            let shown = match (page.items.as_slice(), &request.path) {
                ([value], Some(_)) if request.offset > 0 => {
                    value.inside.as_ref().map_or(1, |inside| inside.items.len())
                }
                (items, _) => items.len(),
            };
            if shown == 0 {
                let none = match request.offset {
                    0 => "no values\n".to_owned(),
                    offset => format!("no values from offset {offset} on\n"),
                };
                result.text.push_str(&none);
            }
            result.values = Some(DebugValues::of(&page));
        }
        DebugAction::Evaluate => {
            let expression = needed(&request.expression, "evaluate needs `expression`")?;
            let mut query = EvaluateQuery::new(expression);
            query.frame = handle(&request.frame)?;
            query.within = request.wait_s.map(Duration::from_secs);
            query.characters = bounded(request.characters, CHARACTERS);
            let value = session.evaluate(query).await?;
            one(result, &value);
        }
        DebugAction::SetVariable => {
            let name = needed(
                &request.path,
                "set_variable needs `path`: the variable, or the way to a part of it",
            )?;
            let new = needed(
                &request.expression,
                "set_variable needs `expression`: the new value",
            )?;
            let (inside, frame) = (handle(&request.value)?, handle(&request.frame)?);
            let value = session.set_variable(inside, frame, name, new).await?;
            one(result, &value);
        }
        DebugAction::Output => {
            let page = session.output(request.offset, OUTPUT)?;
            result.text = page.to_string();
            if page.is_empty() {
                result.text.push_str("no output\n");
            }
            if page.more {
                result
                    .text
                    .push_str(&format!("… more: offset {}\n", page.next));
            }
            result.output = page.text();
            result.output_dropped = page.dropped;
            result.next_offset = Some(page.next);
        }
        _ => {}
    }
    result.text.push_str(&session.clock().to_string());
    Ok(())
}

/// Adds, removes and lists breakpoints.
async fn set(
    session: &Session,
    request: &DebugRequest,
    root: &Path,
    result: &mut DebugResult,
) -> Result<(), Error> {
    // What cannot be read is refused before anything is changed.
    let added = place::breakpoints(&request.breakpoints, root)?;
    if request.clear {
        session.clear(None).await?;
    } else if !request.remove.is_empty() {
        session.clear(Some(&request.remove)).await?;
    }
    if !added.is_empty() {
        session.break_at(added).await?;
    }
    if let Some(exceptions) = request.exceptions {
        let said = session.exceptions(place::exceptions(exceptions)).await?;
        result.notices.extend(said);
    }
    breakpoints(result, &session.breakpoints()?);
    if result.breakpoints.is_empty() {
        result.text.push_str("no breakpoints\n");
    }
    for notice in &result.notices {
        result.text.push_str(&format!("note: {notice}\n"));
    }
    Ok(())
}

fn one(result: &mut DebugResult, value: &fourfold_dap_client::Value) {
    result.text = format!("{value}\n");
    result.values = Some(DebugValues {
        values: vec![DebugValue::of(value)],
        ..DebugValues::default()
    });
}

fn query(request: &DebugRequest) -> Result<ValuesQuery, Error> {
    let frame = handle(&request.frame)?;
    let of = match (handle(&request.value)?, &request.path) {
        (Some(_), Some(_)) => {
            return Err(Error::usage("variables takes `value` or `path`, not both"));
        }
        (Some(value), None) => Of::Value(value),
        (None, Some(path)) => {
            let path =
                ValuePath::from_str(path).map_err(|error| Error::usage(error.to_string()))?;
            Of::Path { frame, path }
        }
        (None, None) => Of::Frame(frame),
    };
    let mut query = ValuesQuery::new(of);
    query.start = usize::try_from(request.offset).unwrap_or(usize::MAX);
    query.count = bounded(request.limit, VALUES);
    query.names.clone_from(&request.names);
    query.depth = request.depth.unwrap_or(1).clamp(1, 3);
    query.characters = bounded(request.characters, CHARACTERS);
    Ok(query)
}

fn bounded(given: Option<usize>, (usual, most): (usize, usize)) -> usize {
    given.unwrap_or(usual).clamp(1, most)
}

/// A handle of a frame or a value.
fn handle<T: FromStr<Err = fourfold_dap_client::BadHandle>>(
    given: &Option<String>,
) -> Result<Option<T>, Error> {
    let parsed = given.as_deref().map(str::parse).transpose();
    parsed.map_err(|error: fourfold_dap_client::BadHandle| Error::usage(error.to_string()))
}

fn needed<'a>(given: &'a Option<String>, sentence: &str) -> Result<&'a str, Error> {
    given.as_deref().ok_or_else(|| Error::usage(sentence))
}
