//! Asking: about a document as it is, until there is an answer or the time is over.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::action::Command;
use super::{OperationError, Operations};
use crate::connection::RequestError;
use crate::documents::{Change, FileEvent};
use crate::lens::{Lens, items};
use crate::position::{self, Encoding, LineIndex};
use crate::spec::Readiness;
use crate::uri::to_uri;
use crate::wire::{Interrupted, METHOD_NOT_FOUND};
use crate::workspace_edit::EditError;
use crate::{FileChange, Point, Span, WorkspaceEdit};

/// How often a document may change under a question.
const ROUNDS: usize = 3;

/// How far a server has to look for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Into the document and what it uses.
    Document,
    /// Through the whole project.
    Project,
}

/// What a server answered, and what it is read with.
pub(super) struct Answer {
    pub(super) value: Value,
    /// The text of the document that was asked about.
    pub(super) text: Option<Arc<str>>,
    lens: Lens,
}

impl Answer {
    /// Reads it on a thread where looking at files may take its time.
    pub(super) async fn read<T: Send + 'static>(
        self,
        read: impl FnOnce(&Value, &mut Lens) -> T + Send + 'static,
    ) -> T {
        let Answer {
            value, mut lens, ..
        } = self;
        blocking(move || read(&value, &mut lens)).await
    }

    /// Reads it as a workspace edit.
    pub(super) async fn edit(self) -> Result<WorkspaceEdit, EditError> {
        self.read(|value, lens| WorkspaceEdit::read(value, &lens.root, &lens.texts, lens.encoding))
            .await
    }
}

/// `TextDocumentIdentifier` as the only parameter.
pub(super) fn document(path: &Path) -> Value {
    json!({"textDocument": {"uri": to_uri(path)}})
}

/// `TextDocumentPositionParams`.
pub(super) fn at(path: &Path, text: &str, point: Point, encoding: Encoding) -> Value {
    let mut params = document(path);
    let index = LineIndex::new(text);
    params["position"] = json!(index.to_position(text, point, encoding));
    params
}

/// A part of a document.
pub(super) fn range(text: &str, span: Span, encoding: Encoding) -> position::Range {
    LineIndex::new(text).to_range(text, span, encoding)
}

impl Operations<'_> {
    pub(super) fn server(&self) -> String {
        self.session.spec().id.clone()
    }

    pub(super) fn must_offer(&self, method: &str) -> Result<(), OperationError> {
        if self.session.offers(method).is_some() {
            return Ok(());
        }
        Err(self.not_offered(method))
    }

    fn not_offered(&self, method: &str) -> OperationError {
        OperationError::NotOffered {
            server: self.server(),
            method: method.to_owned(),
        }
    }

    /// An answer of which the texts of this moment are part.
    pub(super) fn answer(&self, value: Value) -> Answer {
        Answer {
            value,
            text: None,
            lens: self.session.lens(),
        }
    }

    /// Asks about a point in an open document.
    pub(super) async fn ask_at(
        &self,
        method: &str,
        path: &Path,
        point: Point,
        reach: Reach,
    ) -> Result<Answer, OperationError> {
        let params = |text: &str, encoding| at(path, text, point, encoding);
        self.ask_about(method, path, params, reach).await
    }

    /// Asks about an open document: the answer is about the text that comes with it.
    pub(super) async fn ask_about(
        &self,
        method: &str,
        path: &Path,
        params: impl Fn(&str, Encoding) -> Value,
        reach: Reach,
    ) -> Result<Answer, OperationError> {
        self.must_offer(method)?;
        let documents = self.session.documents();
        documents.refresh_from_disk().await?;
        for _ in 0..ROUNDS {
            let Some((pin, view)) = documents.pin(path) else {
                return Err(OperationError::NotOpen {
                    server: self.server(),
                    path: path.to_path_buf(),
                });
            };
            let ready = self.ready(view.opened, reach).await;
            let mut answer = self.answer(Value::Null);
            let params = params(&view.text, self.session.encoding());
            answer.value = self.request(method, params, reach).await?;
            let still = documents.version(path) == Some(view.version);
            drop(pin);
            if !still {
                continue;
            }
            self.found(method, &answer.value, ready)?;
            answer.text = Some(view.text);
            return Ok(answer);
        }
        Err(OperationError::Changing {
            server: self.server(),
            method: method.to_owned(),
            path: path.to_path_buf(),
        })
    }

    /// Waits until the server has loaded the project, and says whether it has. A server that can
    /// be asked at once about a document may still build an index of the project: what is looked
    /// for everywhere is looked for when that is done.
    async fn ready(&self, opened: Instant, reach: Reach) -> bool {
        let ready = self.session.ready(opened, self.limits.ready).await;
        let readiness = &self.session.spec().readiness;
        let no_sign = matches!(readiness, Readiness::AtOnce | Readiness::NoProgress);
        if reach == Reach::Project && no_sign {
            self.session.idle(opened, self.limits.indexing).await;
        }
        ready
    }

    /// Asks about the project, not a document.
    pub(super) async fn ask(&self, method: &str, params: Value) -> Result<Answer, OperationError> {
        self.must_offer(method)?;
        self.session.documents().refresh_from_disk().await?;
        let ready = self.ready(self.session.started(), Reach::Project).await;
        let mut answer = self.answer(Value::Null);
        answer.value = self.request(method, params, Reach::Project).await?;
        self.found(method, &answer.value, ready)?;
        Ok(answer)
    }

    /// That a server has found nothing counts only when it has loaded the project.
    fn found(&self, method: &str, answer: &Value, ready: bool) -> Result<(), OperationError> {
        if ready || !items(answer).is_empty() {
            return Ok(());
        }
        Err(OperationError::Loading {
            server: self.server(),
            method: method.to_owned(),
            after: self.limits.ready,
            doing: self.session.doing(),
        })
    }

    /// Sends a request, and sends it again when nothing was wrong with it.
    pub(super) async fn request(
        &self,
        method: &str,
        params: Value,
        reach: Reach,
    ) -> Result<Value, OperationError> {
        let deadline = match reach {
            Reach::Document => self.limits.request,
            Reach::Project => self.limits.search,
        };
        let end = Instant::now() + deadline;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let error = match self.session.request(method, params.clone(), left).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let wants_again = match &error {
                RequestError::Again { why, .. } => {
                    *why != Interrupted::ByServer { retrigger: false }
                }
                // Some announce a whole of which they do not have all the parts.
                RequestError::Refused {
                    code: METHOD_NOT_FOUND,
                    ..
                } => return Err(self.not_offered(method)),
                _ => false,
            };
            if !wants_again || Instant::now() + self.limits.again >= end {
                return Err(error.into());
            }
            sleep(self.limits.again).await;
        }
    }

    /// The problems of a document as the server reported them, word for word: it wants them back.
    pub(super) async fn problems(&self, path: &Path) -> Result<Vec<Value>, OperationError> {
        let mut problems = self.session.published(path);
        for options in self.session.all_offers("textDocument/diagnostic") {
            let params = |_: &str, _| {
                let mut params = document(path);
                if let Some(identifier) = options.get("identifier") {
                    params["identifier"] = identifier.clone();
                }
                params
            };
            let method = "textDocument/diagnostic";
            let answer = self
                .ask_about(method, path, params, Reach::Document)
                .await?;
            let pulled = answer.value.get("items").unwrap_or(&Value::Null);
            problems.extend(items(pulled).iter().cloned());
        }
        Ok(problems)
    }

    /// Runs a command of the server, and returns what it wants to change.
    pub(super) async fn command(
        &self,
        title: &str,
        command: Command,
    ) -> Result<WorkspaceEdit, OperationError> {
        let mut params = json!({"command": command.name});
        if !command.arguments.is_null() {
            params["arguments"] = command.arguments;
        }
        let turn = self.session.turn().await;
        let expected = self.session.expect_edits();
        let method = "workspace/executeCommand";
        // Not sent again: it may have done half of what it does.
        self.session
            .request(method, params, self.limits.search)
            .await?;
        let mut sent = expected.take();
        let end = Instant::now() + self.limits.late_edits;
        while sent.is_empty() && Instant::now() < end {
            sleep(self.limits.again).await;
            sent = expected.take();
        }
        drop(expected);
        drop(turn);
        let mut whole = WorkspaceEdit::default();
        for sent in sent {
            let change = self.answer(sent).edit().await?;
            let named = |path: &Path| {
                let mut named = whole.files.iter().flat_map(FileChange::paths);
                named.any(|other| other == path)
            };
            let twice = change
                .files
                .iter()
                .flat_map(FileChange::paths)
                .find(|path| named(path));
            if let Some(path) = twice {
                return Err(OperationError::SeveralSteps {
                    title: title.to_owned(),
                    path: path.to_path_buf(),
                });
            }
            whole.files.extend(change.files);
            whole.annotations.extend(change.annotations);
        }
        whole
            .files
            .sort_by(|one, other| one.paths().next().cmp(&other.paths().next()));
        Ok(whole)
    }

    /// A server's edits of files that are not open are for the texts that it once read. Tells it
    /// of those that have changed on disk since it was started, and whether there were any: then
    /// it must be asked again.
    pub(super) async fn tell_of_foreign_changes(
        &self,
        change: &WorkspaceEdit,
    ) -> Result<bool, OperationError> {
        let documents = self.session.documents();
        let paths: Vec<_> = change
            .files
            .iter()
            .filter_map(|change| match change {
                FileChange::Edit { path, .. } | FileChange::Rename { from: path, .. } => Some(path),
                _ => None,
            })
            .filter(|path| documents.version(path).is_none())
            .cloned()
            .collect();
        let age = self.session.started().elapsed();
        let changed = blocking(move || {
            // Clocks of file systems are coarse.
            let started = SystemTime::now() - age - Duration::from_secs(2);
            let younger = |path: &Path| {
                let modified = path.metadata().and_then(|metadata| metadata.modified());
                modified.is_ok_and(|modified| modified >= started)
            };
            let paths = paths.into_iter().filter(|path| younger(path));
            paths
                .map(|path| Change::new(path, FileEvent::Changed))
                .collect::<Vec<_>>()
        })
        .await;
        documents.announce(&changed).await?;
        Ok(!changed.is_empty())
    }
}

/// Runs what may block on a thread of its own.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is ending, and we with it.
            Err(_) => std::future::pending().await,
        },
    }
}
