//! Everything that the server has said, and the answers to what it asks.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::offers::Offers;
use super::progress::Progress;
use super::publishes::Publishes;
use super::settings;
use crate::connection::{Ended, Handler};
use crate::spec::Readiness;
use crate::uri::{Root, to_uri};
use crate::wire::Fault;

/// Lines of the server's log that are kept, and characters of each.
const LOG_LINES: usize = 100;
const LOG_WIDTH: usize = 500;
/// Types of `language/status` that are remembered.
const STATUSES: usize = 64;

/// What the server has said. The reader writes it, everybody else waits for it to change.
#[derive(Debug)]
pub(crate) struct Inbox {
    root: Root,
    settings: Value,
    heard: Mutex<Heard>,
    changed: watch::Sender<()>,
}

/// The state of it all, for a look.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// How many things were heard or done: each has its number.
    seq: u64,
    pub(crate) offers: Offers,
    pub(crate) progress: Progress,
    pub(crate) publishes: Publishes,
    /// The number of the last `workspace/diagnostic/refresh`.
    pub(crate) refreshed: u64,
    /// When `initialize` was answered.
    initialized: Option<Instant>,
    quiescent: bool,
    /// The number of the last thing that said that the server was loading.
    pub(crate) unready: u64,
    /// Why the server says that it cannot do its work now: the project does not load, its check does
    /// not start.
    pub(crate) broken: Option<String>,
    statuses: BTreeSet<String>,
    log: VecDeque<String>,
    /// Why the server says that it is of no use here.
    pub(crate) unusable: Option<String>,
    pub(crate) ended: Option<Arc<Ended>>,
    /// Edits that the server asked to apply, while a request of ours expects some.
    edits: Option<Vec<Value>>,
}

/// What a look at the state found.
pub(crate) enum Look<T> {
    /// What was waited for.
    Found(T),
    /// Not yet; time alone can change it, then.
    At(Instant),
    /// Not yet.
    Wait,
}

/// While it lives, what the server asks to apply is collected instead of refused.
#[derive(Debug)]
pub(crate) struct ExpectedEdits<'a> {
    inbox: &'a Inbox,
}

impl ExpectedEdits<'_> {
    /// The edits so far, as the server sent them.
    pub(crate) fn take(&self) -> Vec<Value> {
        let mut heard = self.inbox.heard.lock();
        heard.edits.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

impl Drop for ExpectedEdits<'_> {
    fn drop(&mut self) {
        self.inbox.heard.lock().edits = None;
    }
}

impl Inbox {
    pub(super) fn new(root: Root, settings: Value) -> Self {
        Self {
            root,
            settings,
            heard: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }

    /// A look at what was heard.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Heard) -> T) -> T {
        look(&self.heard.lock())
    }

    /// Looks again whenever something was heard, or when a look wants to, until one finds what it
    /// looks for; `None` at the deadline, after a last look.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(crate) async fn until<T>(
        &self,
        deadline: Instant,
        mut look: impl FnMut(&Heard, Instant) -> Look<T>,
    ) -> Option<T> {
        let mut changed = self.changed.subscribe();
        loop {
            let now = Instant::now();
            let wake = match look(&self.heard.lock(), now) {
                Look::Found(found) => return Some(found),
                _ if now >= deadline => return None,
                Look::At(at) => at.min(deadline),
                Look::Wait => deadline,
            };
            tokio::select! {
                // The sender lives as long as we do.
                _ = changed.changed() => {}
                () = sleep_until(wake) => {}
            }
        }
    }

    /// A number of its own, later than everything that was heard so far and earlier than
    /// everything that will be.
    pub(crate) fn mark(&self) -> u64 {
        self.heard.lock().next()
    }

    /// `initialize` was answered with these capabilities.
    pub(super) fn initialized(&self, capabilities: Value) {
        self.change(|heard| {
            heard.offers.announce(capabilities);
            heard.initialized = Some(Instant::now());
        });
    }

    /// Files are about to change: what is known now is what was known before.
    /// The number of this moment.
    pub(crate) fn change_begins(&self) -> u64 {
        let mut heard = self.heard.lock();
        let seq = heard.next();
        heard.publishes.change_begins(seq);
        seq
    }

    /// A check of the project is asked for; the number of this moment. Nothing while the server says
    /// that it is loading: it would drop the check, and end it like one that has looked at all.
    pub(crate) fn check_begins(&self) -> Option<u64> {
        let mut heard = self.heard.lock();
        if !heard.is_quiescent() {
            return None;
        }
        heard.publishes.check_begins();
        Some(heard.next())
    }

    /// The check has ended, and what it found was heard.
    pub(crate) fn check_ends(&self) {
        self.heard.lock().publishes.check_ends();
    }

    pub(crate) fn opened(&self, path: &Path) {
        self.heard.lock().publishes.opened(path);
    }

    pub(crate) fn closed(&self, path: &Path) {
        self.heard.lock().publishes.closed(path);
    }

    /// Collects the edits that the server asks to apply, as long as the answer lives. A second
    /// caller takes over from the first.
    pub(crate) fn expect_edits(&self) -> ExpectedEdits<'_> {
        self.heard.lock().edits = Some(Vec::new());
        ExpectedEdits { inbox: self }
    }

    /// The end of the server's log.
    pub(super) fn log(&self) -> Vec<String> {
        self.heard.lock().log.iter().cloned().collect()
    }

    fn change(&self, change: impl FnOnce(&mut Heard)) {
        change(&mut self.heard.lock());
        self.changed.send_replace(());
    }

    /// The one workspace folder, as the protocol lists it.
    pub(super) fn folders(&self) -> Value {
        let root = self.root.path();
        let name = root.file_name().unwrap_or(root.as_os_str());
        json!([{ "uri": to_uri(root), "name": name.to_string_lossy() }])
    }
}

impl Heard {
    /// The number of the last thing that was heard.
    pub(crate) fn last(&self) -> u64 {
        self.seq
    }

    /// Whether the server does not say that it is loading.
    pub(crate) fn is_quiescent(&self) -> bool {
        self.quiescent || self.unready == 0
    }

    fn next(&mut self) -> u64 {
        self.seq += 1;
        self.seq
    }

    fn note(&mut self, line: &str) {
        if self.log.len() == LOG_LINES {
            self.log.pop_front();
        }
        self.log.push_back(line.chars().take(LOG_WIDTH).collect());
    }

    /// Whether the server has loaded the project, by the sign that it gives. `opened` is when the
    /// document was opened that is asked about: some load a project only then. One that has ended is
    /// waited for no more.
    pub(crate) fn ready(
        &self,
        readiness: &Readiness,
        limits: &super::SessionLimits,
        opened: Instant,
        now: Instant,
    ) -> Look<()> {
        let Some(initialized) = self.initialized else {
            return Look::Wait;
        };
        if self.ended.is_some() {
            return Look::Found(());
        }
        let sign = match readiness {
            Readiness::AtOnce => true,
            Readiness::ServerStatus => self.quiescent,
            Readiness::LanguageStatus(status) => self.statuses.contains(status),
            Readiness::Progress(title) => {
                if self.progress.runs(title) {
                    false
                } else if self.progress.has_ended(title) {
                    true
                } else {
                    let no_sign = initialized.max(opened) + limits.signal;
                    return self.idle(no_sign, Duration::ZERO, now);
                }
            }
            Readiness::NoProgress => return self.idle(initialized, limits.idle, now),
        };
        if sign { Look::Found(()) } else { Look::Wait }
    }

    /// Whether no work was open for some time, `from` then at the earliest.
    pub(crate) fn idle(&self, from: Instant, quiet: Duration, now: Instant) -> Look<()> {
        match self.progress.idle_since(from) {
            None => Look::Wait,
            Some(since) if now >= since + quiet => Look::Found(()),
            Some(since) => Look::At(since + quiet),
        }
    }
}

impl Handler for Inbox {
    fn request(&self, method: &str, params: Value) -> Result<Value, Fault> {
        match method {
            "workspace/configuration" => Ok(settings::answer(&self.settings, &params)),
            "workspace/workspaceFolders" => Ok(self.folders()),
            "client/registerCapability" => {
                self.change(|heard| heard.offers.register(&params));
                Ok(Value::Null)
            }
            "client/unregisterCapability" => {
                self.change(|heard| heard.offers.unregister(&params));
                Ok(Value::Null)
            }
            "workspace/diagnostic/refresh" => {
                self.change(|heard| heard.refreshed = heard.next());
                Ok(Value::Null)
            }
            "workspace/applyEdit" => {
                let mut heard = self.heard.lock();
                let applied = heard.edits.as_mut().is_some_and(|edits| {
                    edits.push(params.get("edit").cloned().unwrap_or_default());
                    true
                });
                Ok(if applied {
                    json!({ "applied": true })
                } else {
                    json!({ "applied": false, "failureReason": "nobody asked for an edit" })
                })
            }
            "window/showMessageRequest" => {
                self.note(&params);
                Ok(Value::Null)
            }
            "window/showDocument" => Ok(json!({ "success": false })),
            "window/workDoneProgress/create" => Ok(Value::Null),
            // The linter's library is not installed in the checkout: it answers everything with
            // nothing from here on.
            "eslint/noLibrary" | "eslint/noConfig" => {
                let why = match method {
                    "eslint/noLibrary" => "the ESLint library is not installed in the checkout",
                    _ => "the checkout has no ESLint configuration",
                };
                self.change(|heard| heard.unusable = Some(why.to_owned()));
                Ok(json!({}))
            }
            method if method.starts_with("workspace/") && method.ends_with("/refresh") => {
                Ok(Value::Null)
            }
            method => Err(Fault::method_not_found(method)),
        }
    }

    fn notification(&self, method: &str, params: Value) {
        let now = Instant::now();
        match method {
            "textDocument/publishDiagnostics" => {
                let uri = params
                    .get("uri")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                match self.root.to_path(uri) {
                    Some(path) if self.root.contains(&path) => self.change(|heard| {
                        let seq = heard.next();
                        heard.publishes.take(path, &params, seq, now);
                    }),
                    _ => tracing::debug!(uri, "diagnostics for something outside of the root"),
                }
            }
            "$/progress" => self.change(|heard| {
                let seq = heard.next();
                heard.progress.take(&params, seq, now);
            }),
            "experimental/serverStatus" => {
                self.change(|heard| {
                    heard.quiescent = params.get("quiescent") == Some(&Value::Bool(true));
                    if !heard.quiescent {
                        heard.unready = heard.next();
                    }
                    heard.broken = broken(&params);
                });
                self.note(&params);
            }
            "language/status" => {
                let status = params.get("type").and_then(Value::as_str);
                let status = status.unwrap_or_default().to_owned();
                self.change(|heard| {
                    if heard.statuses.len() < STATUSES {
                        heard.statuses.insert(status);
                    }
                });
                self.note(&params);
            }
            "window/logMessage" | "window/showMessage" => self.note(&params),
            _ => {}
        }
    }

    fn ended(&self, ended: &Arc<Ended>) {
        self.change(|heard| heard.ended = Some(Arc::clone(ended)));
    }
}

impl Inbox {
    /// Keeps the `message` of a notification in the log.
    fn note(&self, params: &Value) {
        if let Some(message) = params.get("message").and_then(Value::as_str) {
            tracing::debug!(message, "the server says");
            self.heard.lock().note(message);
        }
    }
}

/// What a status that means that nothing works says.
fn broken(status: &Value) -> Option<String> {
    let message = status.get("message").and_then(Value::as_str);
    let message = message.unwrap_or_default();
    let mut lines = message.lines().map(str::trim);
    // The check that did not come about is only a warning to the server, and its findings are gone.
    let why = match message.find(NO_CHECK).and_then(|at| message.get(at..)) {
        Some(failed) => {
            let mut lines = failed.lines();
            let error = failed.lines().find(|line| line.starts_with("error"));
            let first = lines.next().unwrap_or_default();
            match error {
                Some(error) => format!("cargo {NO_CHECK}: {error}"),
                None => first.to_owned(),
            }
        }
        None if status.get("health").and_then(Value::as_str) != Some("error") => return None,
        None => {
            let first = lines.find(|line| !line.is_empty());
            first.unwrap_or("the server reports an error").to_owned()
        }
    };
    Some(why)
}

/// What rust-analyzer says when the program that checks had nothing to say but an error.
const NO_CHECK: &str = "check failed to start";
