//! Requests to a server, typed.

mod action;
mod ask;
mod error;
mod format;
mod hierarchy;
mod hint;
mod limits;
mod place;
mod rename;
mod symbol;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub use action::{CodeAction, Performed};
pub use error::OperationError;
pub use format::Indentation;
pub use hierarchy::{Calls, Direction, HierarchyItem};
pub use hint::{Hover, InlayHint, InlayKind, Parameter, Signature, SignatureHelp};
pub use limits::OperationLimits;
pub use place::{Goto, Place, Places};
pub use rename::Renamable;
pub use symbol::{FoundSymbol, Symbol, SymbolKind};

use crate::lens::{Lens, items};
use crate::session::Session;
use crate::uri::to_uri;
use crate::{Point, Span, WorkspaceEdit};
use ask::{Reach, at, document};

/// What a server is asked for, other than diagnostics.
///
/// Each operation is about documents that the server has open ([`Session::open`]) and
/// notices first what others have changed on disk. Whether a server offers it is decided when it
/// is asked: offers come and go. An operation waits for the server to have loaded the project, and
/// asks again when the server was interrupted. Answers are read leniently: what cannot be read is
/// left out and the rest stays.
///
/// *Cancel safety*: when the future of an operation is dropped, the server is told to stop working
/// on it. Nothing is ever written: what would change files comes back as a [`WorkspaceEdit`].
#[derive(Clone, Debug)]
pub struct Operations<'s> {
    session: &'s Session,
    limits: OperationLimits,
}

impl<'s> Operations<'s> {
    /// The operations of a session.
    #[must_use]
    pub fn new(session: &'s Session, limits: OperationLimits) -> Operations<'s> {
        Operations { session, limits }
    }

    /// What the server tells about the symbol at a point; `None` when it knows nothing.
    ///
    /// # Errors
    ///
    /// When the server does not offer it, refuses, does not answer in time or is gone; when the
    /// document is not open; [`OperationError::Loading`] when it found nothing because it has not
    /// loaded the project yet. The other operations fail likewise.
    pub async fn hover(&self, path: &Path, point: Point) -> Result<Option<Hover>, OperationError> {
        let method = "textDocument/hover";
        let answer = self.ask_at(method, path, point, Reach::Document).await?;
        let path = path.to_path_buf();
        Ok(answer
            .read(move |answer, lens| Hover::read(answer, &path, lens))
            .await)
    }

    /// Where the symbol at a point leads.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn go_to(
        &self,
        goto: Goto,
        path: &Path,
        point: Point,
    ) -> Result<Places, OperationError> {
        let answer = self
            .ask_at(goto.method(), path, point, goto.reach())
            .await?;
        Ok(answer.read(Places::read).await)
    }

    /// Where the symbol at a point is used, and with `declaration` where it is declared.
    ///
    /// A server that is still at work may know the declaration only: when it found no more than
    /// one place, it is asked once more when the work is done.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn references(
        &self,
        path: &Path,
        point: Point,
        declaration: bool,
    ) -> Result<Places, OperationError> {
        let ask = || {
            let params = move |text: &str, encoding| {
                let mut params = at(path, text, point, encoding);
                params["context"] = json!({"includeDeclaration": declaration});
                params
            };
            self.ask_about("textDocument/references", path, params, Reach::Project)
        };
        let works = || !self.session.doing().is_empty();
        let worked = works();
        let mut answer = ask().await?;
        if items(&answer.value).len() <= 1 && (worked || works()) {
            self.session
                .idle(self.session.started(), self.limits.indexing)
                .await;
            answer = ask().await?;
        }
        Ok(answer.read(Places::read).await)
    }

    /// The symbols of a document.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn document_symbols(&self, path: &Path) -> Result<Vec<Symbol>, OperationError> {
        let method = "textDocument/documentSymbol";
        let params = |_: &str, _| document(path);
        let answer = self
            .ask_about(method, path, params, Reach::Document)
            .await?;
        let path = path.to_path_buf();
        Ok(answer
            .read(move |answer, lens| Symbol::read(answer, &path, lens))
            .await)
    }

    /// The symbols of the project that a text leads to, in the server's order: how it is matched
    /// is the server's business. Of those that the server names without a place, the first
    /// [`OperationLimits::resolved`] get one.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn workspace_symbols(&self, query: &str) -> Result<Vec<FoundSymbol>, OperationError> {
        let params = json!({"query": query});
        let mut answer = self.ask("workspace/symbol", params).await?;
        let resolve = "workspaceSymbol/resolve";
        if let Value::Array(items) = &mut answer.value
            && self.session.offers(resolve).is_some()
        {
            let lacking = items
                .iter_mut()
                .filter(|item| FoundSymbol::lacks_range(item));
            for item in lacking.take(self.limits.resolved) {
                let asked = self.request(resolve, item.clone(), Reach::Document).await;
                // It is still found, without its place.
                *item = asked.unwrap_or_else(|_| item.take());
            }
        }
        let read = |answer: &Value, lens: &mut Lens| {
            let items = items(answer).iter();
            items
                .filter_map(|item| FoundSymbol::read(item, lens))
                .collect()
        };
        Ok(answer.read(read).await)
    }

    /// The function at a point, to ask for its calls; several where the point is ambiguous.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn call_hierarchy(
        &self,
        path: &Path,
        point: Point,
    ) -> Result<Vec<HierarchyItem>, OperationError> {
        let method = "textDocument/prepareCallHierarchy";
        let answer = self.ask_at(method, path, point, Reach::Project).await?;
        Ok(answer.read(HierarchyItem::read_all).await)
    }

    /// Who calls a function, or whom it calls.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn calls(
        &self,
        item: &HierarchyItem,
        direction: Direction,
    ) -> Result<Vec<Calls>, OperationError> {
        let method = match direction {
            Direction::Incoming => "callHierarchy/incomingCalls",
            Direction::Outgoing => "callHierarchy/outgoingCalls",
        };
        let params = json!({"item": item.sent});
        let answer = self.ask(method, params).await?;
        let of = item.clone();
        let read =
            move |answer: &Value, lens: &mut Lens| Calls::read_all(answer, &of, direction, lens);
        Ok(answer.read(read).await)
    }

    /// The type at a point, to ask for what stands above and below it.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn type_hierarchy(
        &self,
        path: &Path,
        point: Point,
    ) -> Result<Vec<HierarchyItem>, OperationError> {
        let method = "textDocument/prepareTypeHierarchy";
        let answer = self.ask_at(method, path, point, Reach::Project).await?;
        Ok(answer.read(HierarchyItem::read_all).await)
    }

    /// What a type extends or implements.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn supertypes(
        &self,
        item: &HierarchyItem,
    ) -> Result<Vec<HierarchyItem>, OperationError> {
        self.types("typeHierarchy/supertypes", item).await
    }

    /// What extends or implements a type.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn subtypes(
        &self,
        item: &HierarchyItem,
    ) -> Result<Vec<HierarchyItem>, OperationError> {
        self.types("typeHierarchy/subtypes", item).await
    }

    async fn types(
        &self,
        method: &str,
        item: &HierarchyItem,
    ) -> Result<Vec<HierarchyItem>, OperationError> {
        let params = json!({"item": item.sent});
        let answer = self.ask(method, params).await?;
        Ok(answer.read(HierarchyItem::read_all).await)
    }

    /// What would be renamed at a point; `None` when nothing there can be.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn prepare_rename(
        &self,
        path: &Path,
        point: Point,
    ) -> Result<Option<Renamable>, OperationError> {
        let method = "textDocument/prepareRename";
        let answer = self.ask_at(method, path, point, Reach::Document).await?;
        let path = path.to_path_buf();
        Ok(answer
            .read(move |answer, lens| Renamable::read(answer, &path, lens))
            .await)
    }

    /// The change that gives the symbol at a point another name, everywhere. Servers that can say
    /// beforehand whether it can be renamed are asked that first.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover); [`OperationError::NotRenamable`]; and when the change is
    /// refused ([`EditError`](crate::EditError)).
    pub async fn rename(
        &self,
        path: &Path,
        point: Point,
        new_name: &str,
    ) -> Result<WorkspaceEdit, OperationError> {
        let prepares = self.session.offers("textDocument/prepareRename").is_some();
        if prepares && self.prepare_rename(path, point).await?.is_none() {
            return Err(OperationError::NotRenamable {
                server: self.server(),
                path: path.to_path_buf(),
                line: point.line + 1,
            });
        }
        let ask = || {
            let params = move |text: &str, encoding| {
                let mut params = at(path, text, point, encoding);
                params["newName"] = new_name.into();
                params
            };
            self.ask_about("textDocument/rename", path, params, Reach::Project)
        };
        let change = ask().await?.edit().await?;
        if !self.tell_of_foreign_changes(&change).await? {
            return Ok(change);
        }
        Ok(ask().await?.edit().await?)
    }

    /// The change that follows from giving files other names, such as of imports: to be made
    /// together with it. Empty when the server has nothing to change.
    ///
    /// # Errors
    ///
    /// As [`rename`](Operations::rename).
    pub async fn will_rename_files(
        &self,
        files: &[(PathBuf, PathBuf)],
    ) -> Result<WorkspaceEdit, OperationError> {
        let method = "workspace/willRenameFiles";
        let ask = || self.ask(method, renamed(files));
        let change = ask().await?.edit().await?;
        if !self.tell_of_foreign_changes(&change).await? {
            return Ok(change);
        }
        Ok(ask().await?.edit().await?)
    }

    /// Tells the server that files were given other names, if it wants to know. It hears of the
    /// files that are gone and new in any case, as of every change on disk.
    ///
    /// # Errors
    ///
    /// When the server is gone.
    pub async fn did_rename_files(
        &self,
        files: &[(PathBuf, PathBuf)],
    ) -> Result<(), OperationError> {
        let method = "workspace/didRenameFiles";
        if self.session.offers(method).is_some() {
            self.session.notify(method, renamed(files)).await?;
        }
        Ok(())
    }

    /// What the server offers to do in a part of a document, with the problems there that it has
    /// reported: without them no server offers to fix any. `only` are the kinds that are wanted,
    /// such as `quickfix` or `source.organizeImports`; all but those of whole files when there is
    /// none.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn code_actions(
        &self,
        path: &Path,
        span: Span,
        only: &[String],
    ) -> Result<Vec<CodeAction>, OperationError> {
        let method = "textDocument/codeAction";
        self.must_offer(method)?;
        let problems = self.problems(path).await?;
        let params =
            |text: &str, encoding| action::params(path, text, span, encoding, only, &problems);
        let answer = self
            .ask_about(method, path, params, Reach::Document)
            .await?;
        Ok(CodeAction::read_all(&answer.value, only))
    }

    /// What an action would change. An action may have to be asked for its edit, and may be a
    /// command, which the server runs now: what it wants to change then comes back instead of
    /// being applied.
    ///
    /// # Errors
    ///
    /// As [`rename`](Operations::rename); when the action is disabled; when it is a command of an
    /// editor, or one that changes nothing that we are told of.
    pub async fn perform(&self, action: &CodeAction) -> Result<Performed, OperationError> {
        if let Some(reason) = &action.disabled {
            return Err(OperationError::Disabled {
                title: action.title.clone(),
                reason: reason.clone(),
            });
        }
        let mut action = action.clone();
        if action.wants_resolving() && self.session.offers("codeAction/resolve").is_some() {
            let method = "codeAction/resolve";
            let asked = self
                .request(method, action.sent.clone(), Reach::Document)
                .await;
            action.resolved(asked?);
        }
        let known = |name: &str| self.session.offers_command(name);
        let edit = action.edit().clone();
        let command = action.command();
        if !edit.is_null() {
            return Ok(Performed {
                change: self.answer(edit).edit().await?,
                not_run: command
                    .map(|command| command.name)
                    .filter(|name| known(name)),
            });
        }
        match command {
            Some(command) if known(&command.name) => {
                let change = self.command(&action.title, command).await?;
                Ok(Performed {
                    change,
                    not_run: None,
                })
            }
            Some(command) => Err(OperationError::EditorCommand {
                server: self.server(),
                title: action.title,
                command: command.name,
            }),
            None => Ok(Performed::default()),
        }
    }

    /// The change that formats a document. The indentation of its text is used where the server
    /// has no configuration of its own, unless another one is said.
    ///
    /// # Errors
    ///
    /// As [`rename`](Operations::rename).
    pub async fn format(
        &self,
        path: &Path,
        indentation: Option<Indentation>,
    ) -> Result<WorkspaceEdit, OperationError> {
        let params = |text: &str, _| {
            let mut params = document(path);
            params["options"] = indentation
                .unwrap_or_else(|| Indentation::of(text))
                .params();
            params
        };
        self.formatted("textDocument/formatting", path, params)
            .await
    }

    /// The change that formats a part of a document, as [`format`](Operations::format).
    ///
    /// # Errors
    ///
    /// As [`rename`](Operations::rename).
    pub async fn format_range(
        &self,
        path: &Path,
        span: Span,
        indentation: Option<Indentation>,
    ) -> Result<WorkspaceEdit, OperationError> {
        let params = |text: &str, encoding| {
            let mut params = document(path);
            params["options"] = indentation
                .unwrap_or_else(|| Indentation::of(text))
                .params();
            params["range"] = json!(ask::range(text, span, encoding));
            params
        };
        self.formatted("textDocument/rangeFormatting", path, params)
            .await
    }

    async fn formatted(
        &self,
        method: &str,
        path: &Path,
        params: impl Fn(&str, crate::Encoding) -> Value,
    ) -> Result<WorkspaceEdit, OperationError> {
        let answer = self
            .ask_about(method, path, params, Reach::Document)
            .await?;
        let text = answer.text.clone().unwrap_or_default();
        let encoding = self.session.encoding();
        Ok(WorkspaceEdit::read_edits(
            &answer.value,
            path,
            text,
            encoding,
        )?)
    }

    /// The signatures of the call that a point is in; `None` outside of calls.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn signature_help(
        &self,
        path: &Path,
        point: Point,
    ) -> Result<Option<SignatureHelp>, OperationError> {
        let method = "textDocument/signatureHelp";
        let answer = self.ask_at(method, path, point, Reach::Document).await?;
        Ok(SignatureHelp::read(&answer.value))
    }

    /// The notes that an editor shows in a part of a document: inferred types, names of
    /// parameters. Many servers show none unless their settings ask for them.
    ///
    /// # Errors
    ///
    /// As [`hover`](Operations::hover).
    pub async fn inlay_hints(
        &self,
        path: &Path,
        span: Span,
    ) -> Result<Vec<InlayHint>, OperationError> {
        let params = |text: &str, encoding| {
            let mut params = document(path);
            params["range"] = json!(ask::range(text, span, encoding));
            params
        };
        let method = "textDocument/inlayHint";
        let answer = self
            .ask_about(method, path, params, Reach::Document)
            .await?;
        let path = path.to_path_buf();
        Ok(answer
            .read(move |answer, lens| InlayHint::read_all(answer, &path, lens))
            .await)
    }
}

/// `RenameFilesParams`.
fn renamed(files: &[(PathBuf, PathBuf)]) -> Value {
    let files: Vec<Value> = files
        .iter()
        .map(|(from, to)| json!({"oldUri": to_uri(from), "newUri": to_uri(to)}))
        .collect();
    json!({"files": files})
}

#[cfg(test)]
mod tests;
