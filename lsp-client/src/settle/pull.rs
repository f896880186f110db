//! Servers that can be asked with `textDocument/diagnostic`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::find::Native;
use super::{Evidence, Why};
use crate::connection::RequestError;
use crate::received::Received;
use crate::session::Core;
use crate::uri::to_uri;
use crate::wire::Interrupted;

/// Remembered answers; more than four servers' worth of open documents.
const REMEMBERED: usize = 512;

const METHOD: &str = "textDocument/diagnostic";

/// One answer: what it found, and the id by which the server may refer to it later.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    id: String,
    items: Arc<[Received]>,
}

/// One question: a document, and one of the producers of diagnostics in the server.
pub(super) type Question = (PathBuf, Option<String>);

/// What a pull found.
struct Pulled {
    items: Vec<Received>,
    related: Vec<(PathBuf, Arc<[Received]>)>,
}

impl Core {
    /// Whether the server can be asked this way, now.
    pub(super) fn pulls(&self) -> bool {
        self.inbox
            .look(|heard| !heard.offers.all(METHOD).is_empty())
    }

    /// Whether a change of one file may change what is said about another.
    pub(super) fn pulls_across_files(&self) -> bool {
        let ways = self.inbox.look(|heard| heard.offers.all(METHOD));
        ways.iter()
            .any(|way| way.get("interFileDependencies") != Some(&Value::Bool(false)))
    }

    /// Asks about a document; `None` when the server has taken the offer back.
    pub(super) async fn pulled(&self, path: &Path, deadline: Instant) -> Option<Native> {
        let seen = self.seen();
        let (items, evidence, related) = match self.pull_all(path, deadline).await? {
            Ok(pulled) => (pulled.items, Evidence::Pulled, pulled.related),
            Err(why) => (Vec::new(), Evidence::Unconfirmed(why), Vec::new()),
        };
        Some(Native {
            diagnostics: self.convert(path, items.into(), self.encoding).await,
            evidence,
            related,
            seen,
        })
    }

    /// One question for each producer that the server has named.
    async fn pull_all(&self, path: &Path, deadline: Instant) -> Option<Result<Pulled, Why>> {
        let ways = self.inbox.look(|heard| heard.offers.all(METHOD));
        let mut names: Vec<Option<String>> = ways
            .iter()
            .map(|way| way.get("identifier")?.as_str().map(str::to_owned))
            .collect();
        names.sort();
        names.dedup();
        let mut pulled = Pulled {
            items: Vec::new(),
            related: Vec::new(),
        };
        if names.is_empty() {
            return None;
        }
        for name in names {
            match self.pull(path, name, &mut pulled, deadline).await {
                Ok(()) => {}
                Err(_) if !self.pulls() => return None,
                Err(why) => return Some(Err(why)),
            }
        }
        Some(Ok(pulled))
    }

    async fn pull(
        &self,
        path: &Path,
        name: Option<String>,
        pulled: &mut Pulled,
        deadline: Instant,
    ) -> Result<(), Why> {
        let begun = Instant::now();
        let question = (path.to_owned(), name);
        let mut known = self.memory.answers.lock().get(&question).cloned();
        loop {
            let mut params = json!({ "textDocument": { "uri": to_uri(path) } });
            if let Some(name) = &question.1 {
                params["identifier"] = name.as_str().into();
            }
            if let Some(known) = &known {
                params["previousResultId"] = known.id.as_str().into();
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let answer = match self.connection.request(METHOD, params, left).await {
                Ok(answer) => answer,
                // It does not want to be asked again.
                Err(
                    error @ RequestError::Again {
                        why: Interrupted::ByServer { retrigger: false },
                        ..
                    },
                ) => return Err(Why::RequestFailed(error)),
                Err(RequestError::Again { .. }) => {
                    if left <= self.limits.settle.again {
                        return Err(self.late_why(begun));
                    }
                    sleep(self.limits.settle.again).await;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            self.take_related(&answer, pulled);
            match (answer.get("kind").and_then(Value::as_str), known.take()) {
                (Some("unchanged"), Some(known)) => {
                    pulled.items.extend(known.items.iter().cloned());
                    return Ok(());
                }
                // It refers to an answer that we do not have: ask for the whole.
                (Some("unchanged"), None) if left > self.limits.settle.again => {
                    self.memory.answers.lock().remove(&question);
                    sleep(self.limits.settle.again).await;
                }
                _ => {
                    let items = match answer.get("items") {
                        Some(items @ Value::Array(_)) => Received::all(Some(items)),
                        _ => return Err(Why::RequestFailed(no_report(&self.spec.id))),
                    };
                    pulled.items.extend(items.iter().cloned());
                    self.remember(question, &answer, items);
                    return Ok(());
                }
            }
        }
    }

    fn remember(&self, question: Question, answer: &Value, items: Arc<[Received]>) {
        let mut answers = self.memory.answers.lock();
        let Some(id) = answer.get("resultId").and_then(Value::as_str) else {
            answers.remove(&question);
            return;
        };
        if answers.len() >= REMEMBERED {
            answers.clear();
        }
        let id = id.to_owned();
        answers.insert(question, Answer { id, items });
    }

    /// Answers may bring those for other files along.
    fn take_related(&self, answer: &Value, pulled: &mut Pulled) {
        let related = answer.get("relatedDocuments").and_then(Value::as_object);
        for (uri, report) in related.into_iter().flatten() {
            let items = report.get("items");
            if let Some(path) = self.root.to_path(uri)
                && self.root.contains(&path)
                && items.is_some()
            {
                pulled.related.push((path, Received::all(items)));
            }
        }
    }
}

fn no_report(server: &str) -> RequestError {
    RequestError::Refused {
        server: server.to_owned(),
        method: METHOD.to_owned(),
        code: 0,
        message: "its answer has no list of diagnostics".to_owned(),
    }
}
