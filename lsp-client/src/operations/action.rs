//! What a server offers to do: fixes and refactorings.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::ask;
use crate::lens::{flag, items, text};
use crate::position::{self, Encoding};
use crate::{Span, WorkspaceEdit};

/// Something that a server offers to do at a place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CodeAction {
    /// What it does, in the server's words.
    pub title: String,
    /// What sort it is, such as `quickfix` or `refactor.extract`.
    pub kind: Option<String>,
    /// Whether the server would choose it.
    pub preferred: bool,
    /// Why it cannot be applied here.
    pub disabled: Option<String>,
    /// The messages of the problems that it is for.
    pub fixes: Vec<String>,
    /// As the server wrote it.
    pub(crate) sent: Value,
}

/// What an action would change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Performed {
    /// The change.
    pub change: WorkspaceEdit,
    /// A command that the server wants to run when the change has been made. It was not run.
    pub not_run: Option<String>,
}

/// A command of the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

impl CodeAction {
    /// Reads `(Command | CodeAction)[]`, those of the wanted kinds; all of them when no kind is
    /// said. A server may answer with more than was asked for.
    pub(crate) fn read_all(answer: &Value, only: &[String]) -> Vec<CodeAction> {
        items(answer)
            .iter()
            .filter_map(CodeAction::read)
            .filter(|action| only.is_empty() || only.iter().any(|kind| action.is_of(kind)))
            .collect()
    }

    fn read(item: &Value) -> Option<CodeAction> {
        let disabled = item.get("disabled").filter(|disabled| !disabled.is_null());
        let fixes = item.get("diagnostics").unwrap_or(&Value::Null);
        Some(CodeAction {
            title: text(item, "title")?,
            kind: text(item, "kind"),
            preferred: flag(item, "isPreferred"),
            disabled: disabled
                .map(|disabled| text(disabled, "reason").unwrap_or_else(|| "not here".to_owned())),
            fixes: items(fixes)
                .iter()
                .filter_map(|problem| text(problem, "message"))
                .collect(),
            sent: item.clone(),
        })
    }

    /// Whether it is of a kind or of one below it: `refactor.extract` is a `refactor`.
    fn is_of(&self, kind: &str) -> bool {
        let own = self.kind.as_deref().unwrap_or_default();
        let below = own.strip_prefix(kind);
        below.is_some_and(|below| below.is_empty() || below.starts_with('.'))
    }

    /// Whether it must be asked for its edit. A command that is no action has none.
    pub(crate) fn wants_resolving(&self) -> bool {
        self.edit().is_null() && !matches!(self.sent.get("command"), Some(Value::String(_)))
    }

    /// Takes the answer to that.
    pub(crate) fn resolved(&mut self, answer: Value) {
        if answer.is_object() {
            self.sent = answer;
        }
    }

    /// Its edit; null when it has none or has yet to be asked for it.
    pub(crate) fn edit(&self) -> &Value {
        self.sent.get("edit").unwrap_or(&Value::Null)
    }

    /// The command that it runs. A command that is no action is one as well.
    pub(crate) fn command(&self) -> Option<Command> {
        let command = match self.sent.get("command")? {
            Value::String(_) => &self.sent,
            command => command,
        };
        Some(Command {
            name: text(command, "command")?,
            arguments: command.get("arguments").cloned().unwrap_or(Value::Null),
        })
    }
}

/// `CodeActionParams`: with the problems that touch the span.
pub(crate) fn params(
    path: &Path,
    text: &str,
    span: Span,
    encoding: Encoding,
    only: &[String],
    problems: &[Value],
) -> Value {
    let range = ask::range(text, span, encoding);
    let touches = |problem: &&Value| {
        let at = problem.get("range").map(position::Range::deserialize);
        let Some(Ok(at)) = at else { return false };
        at.start <= range.end && range.start <= at.end
    };
    let problems: Vec<&Value> = problems.iter().filter(touches).collect();
    const INVOKED: u32 = 1;
    let mut params = ask::document(path);
    params["range"] = json!(range);
    params["context"] = json!({"diagnostics": problems, "triggerKind": INVOKED});
    if !only.is_empty() {
        params["context"]["only"] = json!(only);
    }
    params
}
