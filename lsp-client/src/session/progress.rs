//! Work that the server says it is doing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

/// Runs that are remembered: hundreds of times what one write causes.
const REMEMBERED: usize = 1024;
/// Tokens that may be open at once, and titles that are remembered; a server that opens more never
/// closes them.
const OPEN: usize = 1024;
/// Of a run that ends sooner than this after it began nothing can be told: it was cancelled, or its
/// beginning was told late. No program can be started and say something in that time.
const CANCELLED: Duration = Duration::from_millis(5);

/// The log of work-done progress.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    open: BTreeMap<String, Begun>,
    ended: VecDeque<Run>,
    /// Titles of what has ended at any time.
    done: BTreeSet<String>,
    /// When the last open one ended.
    idle_since: Option<Instant>,
}

#[derive(Clone, Debug)]
struct Begun {
    seq: u64,
    at: Instant,
    title: String,
}

#[derive(Debug)]
struct Run {
    token: String,
    begun: Begun,
    at: Instant,
}

/// How far a check of the project is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// None has begun since the mark.
    NotBegun,
    /// One runs.
    Runs,
    /// All that began have ended.
    Ended,
    /// All that began have ended, and so soon that nothing can have come of them, then.
    Cancelled { at: Instant },
}

impl Progress {
    /// Takes the params of `$/progress`. Partial results are none of ours.
    pub(super) fn take(&mut self, params: &Value, seq: u64, at: Instant) {
        let token = match params.get("token") {
            Some(Value::String(token)) => token.clone(),
            Some(token @ Value::Number(_)) => token.to_string(),
            _ => return,
        };
        let Some(value) = params.get("value") else {
            return;
        };
        match value.get("kind").and_then(Value::as_str) {
            Some("begin") if self.open.len() < OPEN || self.open.contains_key(&token) => {
                // The same token again: what ran before was cancelled without a word.
                self.end(&token, at);
                let title = value.get("title").and_then(Value::as_str);
                let title = title.unwrap_or_default().to_owned();
                self.open.insert(token, Begun { seq, at, title });
            }
            Some("end") => self.end(&token, at),
            _ => {}
        }
    }

    fn end(&mut self, token: &str, at: Instant) {
        let Some(begun) = self.open.remove(token) else {
            return;
        };
        if self.ended.len() == REMEMBERED {
            self.ended.pop_front();
        }
        if self.done.len() < OPEN {
            self.done.insert(begun.title.clone());
        }
        self.ended.push_back(Run {
            token: token.to_owned(),
            begun,
            at,
        });
        if self.open.is_empty() {
            self.idle_since = Some(at);
        }
    }

    /// What is being worked on: the titles.
    pub(crate) fn open(&self) -> impl Iterator<Item = &str> {
        self.open.values().map(|begun| &*begun.title)
    }

    /// When the last work ended; nothing while there is some.
    pub(crate) fn idle_since(&self, start: Instant) -> Option<Instant> {
        if self.open.is_empty() {
            Some(self.idle_since.map_or(start, |idle| idle.max(start)))
        } else {
            None
        }
    }

    /// Whether work whose title begins so has ended, and none of it goes on.
    pub(super) fn has_ended(&self, title: &str) -> bool {
        !self.runs(title) && self.done.iter().any(|done| done.starts_with(title))
    }

    /// Whether work whose title begins so goes on.
    pub(super) fn runs(&self, title: &str) -> bool {
        self.open().any(|open| open.starts_with(title))
    }

    /// How far the checks with tokens that begin with `token` are, of what began after `mark`.
    pub(crate) fn check(&self, token: &str, mark: u64) -> Check {
        let ours = |name: &str, begun: &Begun| name.starts_with(token) && begun.seq > mark;
        if self.open.iter().any(|(name, begun)| ours(name, begun)) {
            return Check::Runs;
        }
        let runs = self.ended.iter().rev();
        let mut ended = runs.filter(|run| ours(&run.token, &run.begun)).peekable();
        let Some(last) = ended.peek().map(|run| run.at) else {
            return Check::NotBegun;
        };
        match ended.any(|run| run.at - run.begun.at >= CANCELLED) {
            true => Check::Ended,
            false => Check::Cancelled { at: last },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Log {
        progress: Progress,
        start: Instant,
        seq: u64,
    }

    impl Log {
        fn new() -> Self {
            Self {
                progress: Progress::default(),
                start: Instant::now(),
                seq: 0,
            }
        }

        /// `kind` for a token, so many milliseconds after the start.
        fn at(&mut self, ms: u64, token: &str, kind: &str) {
            self.seq += 1;
            let params = json!({ "token": token, "value": { "kind": kind, "title": "T of it" } });
            self.progress.take(&params, self.seq, self.time(ms));
        }

        fn time(&self, ms: u64) -> Instant {
            self.start + Duration::from_millis(ms)
        }
    }

    #[test]
    fn a_check_counts_when_it_began_after_the_mark() {
        let mut log = Log::new();
        assert_eq!(log.progress.check("check/", 0), Check::NotBegun);
        log.at(0, "check/0", "begin");
        assert_eq!(log.progress.check("check/", 0), Check::Runs);
        assert_eq!(log.progress.check("check/", 1), Check::NotBegun);
        log.at(500, "check/0", "end");
        assert_eq!(log.progress.check("check/", 0), Check::Ended);
        assert_eq!(log.progress.check("check/", 2), Check::NotBegun);
        assert_eq!(log.progress.check("else", 0), Check::NotBegun);
        // The end of an older run is no sign of a newer one.
        log.at(600, "check/0", "begin");
        let mark = log.seq;
        log.at(900, "check/0", "end");
        assert_eq!(log.progress.check("check/", mark), Check::NotBegun);
        assert_eq!(log.progress.check("check/", mark - 1), Check::Ended);
    }

    #[test]
    fn all_that_began_must_have_ended_and_what_was_cancelled_at_once_was_no_run() {
        let mut log = Log::new();
        log.at(0, "check/0", "begin");
        log.at(1, "check/0", "end");
        let at = log.time(1);
        assert_eq!(log.progress.check("check", 0), Check::Cancelled { at });
        log.at(25, "check/0", "begin");
        log.at(30, "check/1", "begin");
        log.at(900, "check/0", "end");
        assert_eq!(log.progress.check("check", 0), Check::Runs);
        log.at(950, "check/1", "end");
        assert_eq!(log.progress.check("check", 0), Check::Ended);
    }

    #[test]
    fn idle_and_titles() {
        let mut log = Log::new();
        let start = log.start;
        assert_eq!(log.progress.idle_since(start), Some(start));
        assert!(!log.progress.has_ended("T"));
        log.at(10, "7", "begin");
        assert_eq!(log.progress.idle_since(start), None);
        assert!(log.progress.runs("T of") && !log.progress.has_ended("T"));
        log.at(15, "7", "report");
        log.at(20, "7", "end");
        log.at(30, "unknown", "end");
        assert_eq!(log.progress.idle_since(start), Some(log.time(20)));
        assert!(log.progress.has_ended("T"));
        log.progress
            .take(&json!({ "token": 7, "value": [1] }), 9, start);
        log.progress.take(&json!(null), 9, start);
        assert_eq!(log.progress.open().count(), 0);
    }
}
