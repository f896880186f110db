//! A conversation: one run of an agent, or of a person, with the stages it holds.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use fourfold_ledger::{self as ledger, Ledger};
use fourfold_rewrite_txn::Staged;
use fourfold_worktree::Control;
use parking_lot::Mutex;
use serde_json::Value;

use crate::Error;
use crate::checkout::Checkout;
use crate::code::CodeAnswer;
use crate::lsp::{Listing, LspRequest, LspResult};
use crate::notes::Note;
use crate::request::{CheckRequest, ExplainRequest, GrepRequest, ResolveRequest, RewriteRequest};
use crate::result::{Explanation, GrepResult, ResolveResult, RewriteResult, StagedResult};
use crate::tools::{self, ToolResult};
use crate::verdict::{BeforeWrite, CheckResult, Checkers, Pending, Seen};
use crate::write::{ApplyPatchRequest, EditRequest, WriteRequest, WriteResult};

/// One run of an agent in a checkout. Made by [`Checkout::conversation`]; cheap to clone.
///
/// When the last handle goes, the stages that were not kept on disk go with it. Every tool has a
/// blocking method and an async one, which computes on tokio's blocking pool; dropping the future
/// of a search or of staging cancels the work.
#[derive(Clone)]
pub struct Conversation {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) checkout: Arc<Checkout>,
    id: String,
    /// The stages in memory, the oldest first.
    pub(crate) stages: Mutex<Vec<Held>>,
    /// What the agent was told of problems.
    pub(crate) ledger: Mutex<Ledger>,
    /// The files it knows.
    pub(crate) seen: Mutex<Seen>,
    /// Answers of language servers that may still come.
    pub(crate) pending: Mutex<Vec<Pending>>,
    /// Files that somebody else said he would write.
    pub(crate) announced: Mutex<Vec<BeforeWrite>>,
    /// The actions of servers that were listed last.
    pub(crate) listing: Mutex<Listing>,
    /// What the project's own checkers looked at.
    pub(crate) checkers: Mutex<Checkers>,
}

/// A stage in memory.
pub(crate) struct Held {
    pub(crate) staged: Staged,
    pub(crate) note: Note,
    pub(crate) at: SystemTime,
}

impl Inner {
    pub(crate) fn new(checkout: Arc<Checkout>, id: String) -> Inner {
        Inner {
            checkout,
            id,
            stages: Mutex::default(),
            ledger: Mutex::new(Ledger::new(ledger::Config::default())),
            seen: Mutex::new(Seen::now()),
            pending: Mutex::default(),
            announced: Mutex::default(),
            checkers: Mutex::default(),
            listing: Mutex::default(),
        }
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation")
            .field("id", &self.id())
            .field("checkout", &self.checkout().root())
            .finish_non_exhaustive()
    }
}

impl Conversation {
    pub(crate) fn new(inner: Arc<Inner>) -> Conversation {
        Conversation { inner }
    }

    /// Its name.
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// The checkout it works in.
    pub fn checkout(&self) -> &Arc<Checkout> {
        &self.inner.checkout
    }

    /// Searches; blocking. See [`Checkout::grep`].
    ///
    /// # Errors
    /// Those of [`Checkout::grep`].
    pub fn grep(&self, request: &GrepRequest, control: &Control) -> Result<GrepResult, Error> {
        self.checkout().grep(request, control)
    }

    /// Tells how a pattern is read; blocking. See [`Checkout::explain`].
    ///
    /// # Errors
    /// Those of [`Checkout::explain`].
    pub fn explain(
        &self,
        request: &ExplainRequest,
        control: &Control,
    ) -> Result<Explanation, Error> {
        self.checkout().explain(request, control)
    }

    /// Searches, on tokio's blocking pool.
    ///
    /// # Errors
    /// Those of [`Checkout::grep`].
    pub async fn grep_async(&self, request: GrepRequest) -> Result<GrepResult, Error> {
        let this = self.clone();
        blocking(move |control| this.grep(&request, control)).await
    }

    /// Tells how a pattern is read, on tokio's blocking pool.
    ///
    /// # Errors
    /// Those of [`Checkout::explain`].
    pub async fn explain_async(&self, request: ExplainRequest) -> Result<Explanation, Error> {
        let this = self.clone();
        blocking(move |control| this.explain(&request, control)).await
    }

    /// Asks the language servers, on tokio's blocking pool.
    ///
    /// # Errors
    /// Those of [`lsp`](Conversation::lsp).
    pub async fn lsp_async(&self, request: LspRequest) -> Result<LspResult, Error> {
        let this = self.clone();
        blocking(move |_| this.lsp(&request)).await
    }

    /// The verdict on what somebody else wrote, on tokio's blocking pool.
    ///
    /// # Errors
    /// Those of [`check`](Conversation::check).
    pub async fn check_async(&self, request: CheckRequest) -> Result<CheckResult, Error> {
        let this = self.clone();
        blocking(move |control| this.check(&request, control)).await
    }

    /// Stages a rewrite, on tokio's blocking pool.
    ///
    /// # Errors
    /// Those of [`rewrite`](Conversation::rewrite).
    pub async fn rewrite_async(&self, request: RewriteRequest) -> Result<RewriteResult, Error> {
        let this = self.clone();
        blocking(move |control| this.rewrite(&request, control)).await
    }

    /// Writes a file whole, on tokio's blocking pool.
    ///
    /// *Cancel safety*: once begun it runs to its end, also when the future is dropped.
    ///
    /// # Errors
    /// Those of [`write`](Conversation::write).
    pub async fn write_async(&self, request: WriteRequest) -> Result<WriteResult, Error> {
        let this = self.clone();
        blocking(move |_| this.write(&request)).await
    }

    /// Replaces text in a file, on tokio's blocking pool.
    ///
    /// *Cancel safety*: once begun it runs to its end, also when the future is dropped.
    ///
    /// # Errors
    /// Those of [`edit`](Conversation::edit).
    pub async fn edit_async(&self, request: EditRequest) -> Result<WriteResult, Error> {
        let this = self.clone();
        blocking(move |_| this.edit(&request)).await
    }

    /// Applies a patch, on tokio's blocking pool.
    ///
    /// *Cancel safety*: once begun it runs to its end, also when the future is dropped.
    ///
    /// # Errors
    /// Those of [`apply_patch`](Conversation::apply_patch).
    pub async fn apply_patch_async(
        &self,
        request: ApplyPatchRequest,
    ) -> Result<WriteResult, Error> {
        let this = self.clone();
        blocking(move |_| this.apply_patch(&request)).await
    }

    /// Applies or discards a stage, on tokio's blocking pool. Once begun it runs to its end, also
    /// when the future is dropped.
    ///
    /// # Errors
    /// Those of [`resolve`](Conversation::resolve).
    pub async fn resolve_async(&self, request: ResolveRequest) -> Result<ResolveResult, Error> {
        let this = self.clone();
        blocking(move |_| this.resolve(&request)).await
    }

    /// Lists the stages, on tokio's blocking pool.
    ///
    /// # Errors
    /// Those of [`staged`](Conversation::staged).
    pub async fn staged_async(&self) -> Result<StagedResult, Error> {
        let this = self.clone();
        blocking(move |_| this.staged()).await
    }

    /// Asks the code graph, on tokio's blocking pool.
    pub(crate) async fn code_async(
        &self,
        ask: impl FnOnce(&Checkout, &Control) -> Result<CodeAnswer, Error> + Send + 'static,
    ) -> Result<CodeAnswer, Error> {
        let checkout = Arc::clone(self.checkout());
        blocking(move |control| ask(&checkout, control)).await
    }

    /// Calls a tool by its name with JSON arguments; what computes runs on tokio's blocking pool.
    ///
    /// # Errors
    /// A tool or an argument that does not exist or has another type, in one sentence with the
    /// nearest that does; and what the tool itself says.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<ToolResult, Error> {
        tools::call(self, tool, arguments).await
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }
}

/// Cancels the work when whoever waits for it goes away.
struct Cancelling(Arc<Control>);

impl Drop for Cancelling {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&Control) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let control = Arc::new(Control::new());
    let cancelling = Cancelling(Arc::clone(&control));
    let done = tokio::task::spawn_blocking(move || work(&control)).await;
    drop(cancelling);
    done.unwrap_or_else(|error| {
        Err(Error::Crashed {
            reason: error.to_string(),
        })
    })
}
