//! Answers as text for people and agents: what matters first, one line each.

use std::fmt;
use std::path::Path;

use crate::output::{OutputPage, Stream};
use crate::protocol::clip;
use crate::result::{
    Binding, BreakpointReport, Clock, End, Exception, Facts, Frame, More, Outcome, Page, Place,
    Running, Scope, SessionEnd, StackEntry, State, Status, Stop, ThreadGroup, Value, Why,
};

pub(crate) fn already_open(facts: &Facts) -> String {
    let end = match facts.state {
        State::Ending => "Wait until it is gone",
        _ => "Use `terminate` first, or continue with it",
    };
    format!("a debug session is already open: {facts}. Nothing was started. {end}")
}

pub(crate) fn ended_before(last: Option<&SessionEnd>) -> String {
    last.map(|end| format!(" ({end})")).unwrap_or_default()
}

pub(crate) fn other_session(last: Option<&SessionEnd>, open: Option<&Facts>) -> String {
    let ended = last.map(|end| format!("{end}; ")).unwrap_or_default();
    match open {
        Some(facts) => format!("{ended}the one that is open is {facts}"),
        None => format!("{ended}none is open"),
    }
}

pub(crate) fn wrong_core(core: &Path, program: &Path, made_by: Option<&Path>) -> String {
    let (core, program) = (core.display(), program.display());
    match made_by {
        Some(made_by) => format!(
            "the core file `{core}` was left by `{}`, and `{program}` is another build: open it with that \
             program, or with a copy of it",
            made_by.display()
        ),
        None => format!(
            "the core file `{core}` was left by another build of `{program}`: open it with the very build \
             that crashed, or let this one crash again"
        ),
    }
}

pub(crate) fn session_ended(end: &SessionEnd) -> String {
    format!("{end}; start a new one with a launch")
}

pub(crate) fn last_words(words: &[String]) -> String {
    match words {
        [] => String::new(),
        words => format!("; it said last: {}", words.join(" / ")),
    }
}

pub(crate) fn now_at(stop: Option<u32>) -> String {
    match stop {
        Some(stop) => format!(" to stop {stop}"),
        None => String::new(),
    }
}

pub(crate) fn did_you_mean(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        some => format!("; there are {}", some.join(", ")),
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expires in {} s, idle limit in {} s",
            self.expires_in_s, self.idle_in_s
        )
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Starting => f.write_str("starting"),
            Self::Running => f.write_str("running"),
            Self::Stopped { reason, at: None } => write!(f, "stopped ({reason})"),
            Self::Stopped {
                reason,
                at: Some(at),
            } => write!(f, "stopped at {at} ({reason})"),
            Self::Exited {
                signal: Some(signal),
                ..
            } => write!(f, "crashed ({signal})"),
            Self::Exited {
                code: Some(code), ..
            } => write!(f, "exited with {code}"),
            Self::Exited { code: None, .. } => f.write_str("exited, code unknown"),
            Self::Ending => f.write_str("ending"),
        }
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.id, self.adapter, self.program)?;
        if let Some(pid) = self.pid {
            write!(f, " pid {pid}")?;
        }
        if self.attached {
            f.write_str(" (attached)")?;
        }
        write!(
            f,
            ", {}, started {} s ago, {}",
            self.state, self.age_s, self.clock
        )
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Terminated => f.write_str("was terminated"),
            Self::TimeLimit { after_s } => write!(f, "ended by its time limit of {after_s} s"),
            Self::Answered => f.write_str(
                "was that of an `ask`, and ended with its answer: its frames and values are gone with it",
            ),
            Self::Idle { after_s } => {
                write!(f, "ended because nothing was asked of it for {after_s} s")
            }
            Self::Replaced => f.write_str("gave its place to a new one"),
            Self::Dropped => f.write_str("ended with its owner"),
            // Whoever started it was told all of it.
            Self::NotStarted { reason } => write!(f, "did not start ({})", clip(reason, 160)),
            Self::AdapterGone { reason } => write!(f, "ended because its adapter did ({reason})"),
            Self::Wedged { request } => write!(
                f,
                "was ended by force: the adapter answered nothing any more since {request}"
            ),
        }
    }
}

impl fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the session {} {}", self.id, self.why)?;
        write!(f, "; program {}, {}", self.program, self.was)?;
        if self.detached {
            f.write_str(", let go and living on")?;
        }
        match self.left {
            Some(0) => {}
            Some(left) => write!(f, "; {left} of its processes could not be ended")?,
            None => f.write_str("; not confirmed gone")?,
        }
        for note in &self.notes {
            write!(f, "; {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.session, &self.last) {
            (Some(session), _) => write!(f, "{session}"),
            (None, Some(last)) => write!(f, "no debug session; {last}"),
            (None, None) => f.write_str("no debug session"),
        }
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind.as_str(), self.message.as_str()) {
            (kind, "") => f.write_str(kind),
            ("", message) => f.write_str(message),
            (kind, message) => write!(f, "{kind}: {message}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_file {
            true => write!(f, "{}:{}", self.file, self.line),
            false => write!(f, "line {} of {}", self.line, self.file),
        }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.handle, self.function)?;
        if let Some(place) = &self.place {
            write!(f, " at {place}")?;
        }
        Ok(())
    }
}

impl fmt::Display for StackEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frame(frame) => write!(f, "{frame}"),
            Self::Folded {
                count,
                names,
                first,
            } => {
                let s = if *count == 1 { "" } else { "s" };
                write!(
                    f,
                    "{first} … {count} library frame{s}: {}",
                    names.join(" … ")
                )
            }
            Self::Repeated {
                count,
                at_least,
                functions,
            } => {
                let least = if *at_least { "at least " } else { "" };
                let functions: Vec<_> = functions.iter().map(|name| format!("`{name}`")).collect();
                write!(
                    f,
                    "× {least}{} more of {}",
                    grouped(*count),
                    functions.join(", ")
                )
            }
        }
    }
}

/// A number with a comma before each three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

impl fmt::Display for More {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Exactly(count) => write!(f, "… {count} more"),
            Self::Some => f.write_str("… more"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(kind) = &self.kind {
            write!(f, ": {kind}")?;
        }
        // One value, one line.
        write!(f, " = {}", self.text.replace('\n', "\\n"))?;
        if let Some(total) = self.cut_from {
            // From here on it is adapters that cut.
            let more = if total >= 1 << 16 { " or more" } else { "" };
            write!(f, "… ({total} characters{more})")?;
        }
        if let Some(handle) = self.handle {
            write!(f, "  [{handle}")?;
            if let Some(count) = self.count {
                write!(f, ", {count} inside")?;
            }
            f.write_str("]")?;
        }
        Ok(())
    }
}

impl fmt::Display for Page<Value> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_values(f, self, "")
    }
}

/// The depth of a page is bounded where it is made.
fn write_values(f: &mut fmt::Formatter<'_>, page: &Page<Value>, indent: &str) -> fmt::Result {
    for value in &page.items {
        writeln!(f, "{indent}{value}")?;
        if let Some(inside) = &value.inside {
            write_values(f, inside, &format!("{indent}  "))?;
        }
    }
    match page.more {
        More::None => Ok(()),
        more => writeln!(
            f,
            "{indent}{more}: offset {}",
            page.start + page.items.len()
        ),
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}", self.name, self.handle)?;
        if let Some(count) = self.count {
            write!(f, ", {count} inside")?;
        }
        f.write_str(if self.expensive {
            ", slow to read]"
        } else {
            "]"
        })
    }
}

impl fmt::Display for ThreadGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMED: usize = 8;
        let names: Vec<_> = self
            .threads
            .iter()
            .take(NAMED)
            .map(|thread| format!("{} {}", thread.id, thread.name))
            .collect();
        let count = self.threads.len();
        let s = if count == 1 { "" } else { "s" };
        write!(f, "{count} thread{s}: {}", names.join(", "))?;
        if count > NAMED {
            f.write_str(", …")?;
        }
        writeln!(f)?;
        for entry in &self.stack {
            writeln!(f, "  {entry}")?;
        }
        if let Some(problem) = &self.problem {
            writeln!(f, "  no stack: {problem}")?;
        }
        Ok(())
    }
}

impl fmt::Display for BreakpointReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{} {}", self.id, self.asked)?;
        if let Some(options) = &self.options {
            write!(f, " {options}")?;
        }
        match (&self.binding, &self.at) {
            (Binding::Pending { why: None }, None) => f.write_str(
                ": pending: no function of this name is loaded so far; it is bound when one is",
            )?,
            (binding, _) => write!(f, ": {binding}")?,
        }
        match self.hits {
            0 => Ok(()),
            1 => f.write_str(", stopped at once"),
            hits => write!(f, ", stopped at {hits} times"),
        }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verified => f.write_str("verified"),
            Self::Moved { line } => write!(f, "moved to line {line}"),
            Self::Pending { why: None } => {
                f.write_str("pending: not bound yet; the line may have no code, or is not loaded")
            }
            Self::Pending { why: Some(why) } => write!(f, "pending: {why}"),
            Self::Unreachable { why } => write!(f, "not reachable: {why}"),
        }
    }
}

impl fmt::Display for OutputPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.dropped > 0 {
            writeln!(f, "… {} bytes before this are not shown", self.dropped)?;
        }
        for chunk in &self.chunks {
            let mark = match chunk.stream {
                Stream::Stdout => "",
                Stream::Stderr => "stderr: ",
                Stream::Console => "debugger: ",
            };
            for line in chunk.text.lines() {
                writeln!(f, "  | {mark}{line}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stop {}: {}", self.number, self.reason)?;
        if let Some(detail) = &self.detail {
            write!(f, " ({detail})")?;
        }
        for id in &self.breakpoints {
            write!(f, " #{id}")?;
        }
        write!(f, " in thread {} {}", self.thread.id, self.thread.name)?;
        if let Some(threads) = self.threads {
            write!(f, " of {threads}")?;
        }
        writeln!(f)?;
        if let Some(exception) = &self.exception {
            writeln!(f, "exception: {exception}")?;
        }
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        if let Some(frame) = &self.frame {
            writeln!(f, "{frame}")?;
            for line in frame.place.iter().flat_map(|place| &place.lines) {
                let mark = if line.current { '>' } else { ' ' };
                writeln!(f, "{mark}{:>5} {}", line.number, line.text)?;
            }
        }
        writeln!(f, "stack:")?;
        for entry in &self.stack {
            writeln!(f, "  {entry}")?;
        }
        if self.more_frames != More::None {
            writeln!(f, "  {}", self.more_frames)?;
        }
        if !self.locals.items.is_empty() {
            writeln!(f, "locals:")?;
            write_values(f, &self.locals, "  ")?;
        }
        if !self.others.is_empty() {
            writeln!(f, "other threads:")?;
        }
        for group in &self.others {
            write!(f, "{group}")?;
        }
        write_output(f, &self.output)?;
        write!(f, "{}", self.clock)
    }
}

fn write_output(f: &mut fmt::Formatter<'_>, output: &OutputPage) -> fmt::Result {
    if output.is_empty() {
        return Ok(());
    }
    writeln!(f, "output:")?;
    write!(f, "{output}")
}

impl fmt::Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("still running")?;
        if self.pause_pending {
            f.write_str(", pause pending")?;
        }
        writeln!(f)?;
        for group in &self.threads {
            write!(f, "{group}")?;
        }
        write_notes(f, &self.notes)?;
        write_output(f, &self.output)?;
        write!(f, "{}", self.clock)
    }
}

fn write_notes(f: &mut fmt::Formatter<'_>, notes: &[String]) -> fmt::Result {
    notes
        .iter()
        .try_for_each(|note| writeln!(f, "note: {note}"))
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(stop) => write!(f, "{stop}"),
            Self::StillRunning(running) => write!(f, "{running}"),
            Self::Exited(end) => write_end(f, "exited", end),
            Self::Crashed(end) => write_end(f, "crashed", end),
            Self::SessionEnded(end) => write!(f, "{end}"),
        }
    }
}

fn write_end(f: &mut fmt::Formatter<'_>, how: &str, end: &End) -> fmt::Result {
    f.write_str(how)?;
    if let Some(signal) = &end.signal {
        write!(f, " ({signal})")?;
    }
    match end.code {
        Some(code) => writeln!(f, " (code {code})")?,
        None => writeln!(f, " (code unknown)")?,
    }
    write_notes(f, &end.notes)?;
    write_output(f, &end.output)?;
    write!(f, "{}", end.clock)
}
