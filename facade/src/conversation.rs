//! A conversation: one run of an agent, or of a person, with the stages it holds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use fourfold_ledger::{self as ledger, Ledger};
use fourfold_rewrite_txn::Staged;
use fourfold_worktree::Control;
use parking_lot::Mutex;
use serde_json::Value;

use crate::Error;
use crate::checkout::Checkout;
use crate::code::CodeAnswer;
use crate::debug::DebugDesk;
use crate::engine;
use crate::events::Running;
use crate::lsp::{Listing, LspRequest, LspResult};
use crate::notes::Note;
use crate::request::{CheckRequest, ExplainRequest, GrepRequest, ResolveRequest, RewriteRequest};
use crate::result::{Explanation, GrepResult, ResolveResult, RewriteResult, StagedResult};
use crate::tools::{self, ToolResult};
use crate::verdict::{BeforeWrite, CheckResult, Checkers, Found, Owed, Pending, Seen, Standing};
use crate::write::{ApplyPatchRequest, EditRequest, WriteRequest, WriteResult};

/// One run of an agent in a checkout. Made by [`Checkout::conversation`]; cheap to clone.
///
/// When the last handle goes, the stages that were not kept on disk and its debug session go with it. Every tool has a
/// blocking method and an async one, which computes on tokio's blocking pool; dropping the future
/// of a search or of staging cancels the work.
#[derive(Clone)]
pub struct Conversation {
    inner: Arc<Inner>,
    /// What ends the calls of this handle early, and tells how far they are.
    control: Option<Arc<Control>>,
    /// Whether it may change nothing.
    reads_only: bool,
    /// Whether it may run what is in the checkout.
    executes: bool,
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
    /// Files that use what was changed and that no server looked at, below the root.
    pub(crate) owed: Mutex<BTreeMap<String, Owed>>,
    /// Files, below the root, in which an answer left an error, or about which it knew nothing: then
    /// `true`.
    pub(crate) left: Mutex<BTreeMap<String, bool>>,
    /// Files that somebody else said he would write.
    pub(crate) announced: Mutex<Vec<BeforeWrite>>,
    /// The actions of servers that were listed last.
    pub(crate) listing: Mutex<Listing>,
    /// What was wrong when it was last listed, for its next page; nothing was written since.
    pub(crate) standing: Mutex<Option<Standing>>,
    /// What the project's own checkers looked at.
    pub(crate) checkers: Mutex<Checkers>,
    /// The calls that go on.
    pub(crate) running: Mutex<Vec<Running>>,
    /// What somebody who listens was told late, and the agent was not yet.
    pub(crate) late: Mutex<Found>,
    /// Its debugger.
    pub(crate) debugger: DebugDesk,
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
            seen: Mutex::new(Seen::now(checkout.roll.now())),
            checkout,
            id,
            stages: Mutex::default(),
            ledger: Mutex::new(Ledger::new(ledger::Config::default())),
            pending: Mutex::default(),
            owed: Mutex::default(),
            left: Mutex::default(),
            announced: Mutex::default(),
            standing: Mutex::default(),
            checkers: Mutex::default(),
            running: Mutex::default(),
            late: Mutex::default(),
            listing: Mutex::default(),
            debugger: DebugDesk::default(),
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
        Conversation {
            inner,
            control: None,
            reads_only: false,
            executes: true,
        }
    }

    /// The same conversation for one call that is followed: `control` tells how far its walk is, and
    /// ends the call early. What has begun to change files is finished all the same.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fourfold::{Control, Host, HostConfig};
    /// # use serde_json::json;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::write(folder.path().join("a.py"), "f(1)\n")?;
    /// # let checkout = Host::new(HostConfig::default()).checkout(folder.path())?;
    /// # let conversation = checkout.conversation("example");
    /// let control = Arc::new(Control::new());
    /// let call = conversation.followed_by(Arc::clone(&control));
    /// call.call("ast_grep", json!({"pattern": "f($X)"})).await?;
    /// assert_eq!((control.done(), control.total()), (1, 1));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn followed_by(&self, control: Arc<Control>) -> Conversation {
        Conversation {
            control: Some(control),
            ..self.clone()
        }
    }

    /// The same conversation for who may look and not change anything: this handle stages, applies
    /// and writes nothing and runs no program, as if the checkout had been opened by
    /// [`Host::checkout_read_only`](crate::Host::checkout_read_only).
    #[must_use]
    pub fn reading_only(&self) -> Conversation {
        Conversation {
            reads_only: true,
            executes: false,
            ..self.clone()
        }
    }

    /// The same conversation for who may not run what is in the checkout: through this handle no
    /// program is debugged and no checker of the project is run. Language servers answer; what these
    /// run of a checkout themselves is told in `SECURITY.md`.
    #[must_use]
    pub fn not_executing(&self) -> Conversation {
        Conversation {
            executes: false,
            ..self.clone()
        }
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
    /// *Cancel safety*: dropped, the search ends; nothing was changed.
    ///
    /// # Errors
    /// Those of [`Checkout::grep`].
    pub async fn grep_async(&self, request: GrepRequest) -> Result<GrepResult, Error> {
        self.blocking(move |this, control| this.grep(&request, control))
            .await
    }

    /// Tells how a pattern is read, on tokio's blocking pool.
    ///
    /// *Cancel safety*: dropped, the search for near misses ends; nothing was changed.
    ///
    /// # Errors
    /// Those of [`Checkout::explain`].
    pub async fn explain_async(&self, request: ExplainRequest) -> Result<Explanation, Error> {
        self.blocking(move |this, control| this.explain(&request, control))
            .await
    }

    /// Asks the language servers, on tokio's blocking pool.
    ///
    /// *Cancel safety*: dropped, the request is taken back from the server. A change that was staged
    /// just then stays until it is resolved or evicted.
    ///
    /// # Errors
    /// Those of [`lsp`](Conversation::lsp).
    pub async fn lsp_async(&self, request: LspRequest) -> Result<LspResult, Error> {
        self.blocking(move |this, _| this.lsp(&request)).await
    }

    /// The verdict on what somebody else wrote, on tokio's blocking pool.
    ///
    /// *Cancel safety*: dropped, it ends; what it would have told is told with a later answer.
    ///
    /// # Errors
    /// Those of [`check`](Conversation::check).
    pub async fn check_async(&self, request: CheckRequest) -> Result<CheckResult, Error> {
        self.blocking(move |this, control| this.check(&request, control))
            .await
    }

    /// Stages a rewrite, on tokio's blocking pool.
    ///
    /// *Cancel safety*: dropped, the search ends and nothing is staged, unless it was done just then:
    /// such a stage stays until it is resolved or evicted.
    ///
    /// # Errors
    /// Those of [`rewrite`](Conversation::rewrite).
    pub async fn rewrite_async(&self, request: RewriteRequest) -> Result<RewriteResult, Error> {
        self.blocking(move |this, control| this.rewrite(&request, control))
            .await
    }

    /// Writes a file whole, on tokio's blocking pool.
    ///
    /// *Cancel safety*: once begun it runs to its end, also when the future is dropped.
    ///
    /// # Errors
    /// Those of [`write`](Conversation::write).
    pub async fn write_async(&self, request: WriteRequest) -> Result<WriteResult, Error> {
        self.blocking(move |this, _| this.write(&request)).await
    }

    /// Replaces text in a file, on tokio's blocking pool.
    ///
    /// *Cancel safety*: once begun it runs to its end, also when the future is dropped.
    ///
    /// # Errors
    /// Those of [`edit`](Conversation::edit).
    pub async fn edit_async(&self, request: EditRequest) -> Result<WriteResult, Error> {
        self.blocking(move |this, _| this.edit(&request)).await
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
        self.blocking(move |this, _| this.apply_patch(&request))
            .await
    }

    /// Applies or discards a stage, on tokio's blocking pool.
    ///
    /// *Cancel safety*: once begun it runs to its end, also when the future is dropped.
    ///
    /// # Errors
    /// Those of [`resolve`](Conversation::resolve).
    pub async fn resolve_async(&self, request: ResolveRequest) -> Result<ResolveResult, Error> {
        self.blocking(move |this, _| this.resolve(&request)).await
    }

    /// Lists the stages, on tokio's blocking pool.
    ///
    /// *Cancel safety*: it may be dropped at any time; nothing is changed.
    ///
    /// # Errors
    /// Those of [`staged`](Conversation::staged).
    pub async fn staged_async(&self) -> Result<StagedResult, Error> {
        self.blocking(move |this, _| this.staged()).await
    }

    /// Asks the code graph on tokio's blocking pool: `ask` is one of the questions of [`Checkout`],
    /// such as [`Checkout::search_code`].
    ///
    /// *Cancel safety*: dropped, the question ends; the files that were indexed for it need not be
    /// indexed again.
    ///
    /// # Errors
    /// Those of the question.
    ///
    /// # Examples
    /// ```
    /// use fourfold::{CodeSymbolRequest, Host, HostConfig};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::write(folder.path().join("a.py"), "def total():\n    return 1\n")?;
    /// # let checkout = Host::new(HostConfig::default()).checkout(folder.path())?;
    /// # let conversation = checkout.conversation("example");
    /// let request = CodeSymbolRequest {
    ///     symbol: "total".to_owned(),
    ///     ..CodeSymbolRequest::default()
    /// };
    /// let answer = conversation
    ///     .code_async(move |checkout, control| checkout.code_symbol(&request, control))
    ///     .await?;
    /// assert!(answer.text.contains("return 1"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn code_async(
        &self,
        ask: impl FnOnce(&Checkout, &Control) -> Result<CodeAnswer, Error> + Send + 'static,
    ) -> Result<CodeAnswer, Error> {
        self.blocking(move |this, control| ask(this.checkout(), control))
            .await
    }

    /// Calls a tool by its name with JSON arguments; what computes runs on tokio's blocking pool.
    ///
    /// *Cancel safety*: that of the tool's own method. What reads ends when it is dropped; what writes
    /// files runs to its end once it has begun.
    ///
    /// # Errors
    /// A tool or an argument that does not exist or has another type, in one sentence with the
    /// nearest that does; and what the tool itself says.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<ToolResult, Error> {
        tools::call(self, tool, arguments).await
    }

    pub(crate) fn is_writable(&self) -> bool {
        !self.reads_only && self.checkout().is_writable()
    }

    /// Whether what is in the checkout may be run: what runs may write as well.
    pub(crate) fn is_executing(&self) -> bool {
        self.executes && self.is_writable()
    }

    /// Refuses to run a program where none may be run.
    pub(crate) fn executable(&self) -> Result<(), Error> {
        self.writable("run a program")?;
        match self.executes {
            true => Ok(()),
            false => Err(Error::NotExecuting),
        }
    }

    /// Refuses what would change something where nothing may be changed.
    pub(crate) fn writable(&self, doing: &'static str) -> Result<(), Error> {
        match self.is_writable() {
            true => Ok(()),
            false => Err(Error::ReadOnly {
                doing,
                root: self.checkout().root().to_path_buf(),
            }),
        }
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// Whether nobody waits for this call any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.control
            .as_ref()
            .is_some_and(|control| control.is_cancelled())
    }

    /// The handle for one call by name, which is known to go on until the guard is dropped.
    pub(crate) fn begun(&self, tool: &'static str) -> (Conversation, impl Drop + use<>) {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let control = self.control.clone().unwrap_or_default();
        let call = self.followed_by(Arc::clone(&control));
        let number = CALLS.fetch_add(1, Ordering::Relaxed);
        self.inner.running.lock().push(Running {
            number,
            tool,
            control,
        });
        let inner = Arc::clone(&self.inner);
        (call, GoesOn { inner, number })
    }

    /// Ends when the control of this handle is cancelled. Needs a runtime of tokio with a clock.
    pub(crate) fn wanted(&self) -> impl Future<Output = ()> + Send + use<> {
        let control = self.control.clone();
        async move {
            let Some(control) = control else {
                return std::future::pending().await;
            };
            while !control.is_cancelled() {
                tokio::time::sleep(engine::LOOK).await;
            }
        }
    }

    /// Runs what only asks language servers, and waits for it no longer than the call is wanted.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Error> {
        let engine = self.checkout().engine();
        match &self.control {
            Some(control) => engine.run_while_wanted(future, control),
            None => engine.run(future),
        }
    }

    /// Works on the blocking pool with a handle whose control is cancelled when the future is
    /// dropped.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Conversation, &Control) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let control = self.control.clone().unwrap_or_default();
        let this = self.followed_by(Arc::clone(&control));
        let mut cancelling = Cancelling(Some(Arc::clone(&control)));
        let done = tokio::task::spawn_blocking(move || work(&this, &control)).await;
        cancelling.0 = None;
        done.unwrap_or_else(|error| {
            Err(Error::Crashed {
                reason: error.to_string(),
            })
        })
    }
}

/// A call that goes on as long as this lives.
struct GoesOn {
    inner: Arc<Inner>,
    number: u64,
}

impl Drop for GoesOn {
    fn drop(&mut self) {
        let mut running = self.inner.running.lock();
        running.retain(|call| call.number != self.number);
    }
}

/// Cancels the work when whoever waits for it goes away.
struct Cancelling(Option<Arc<Control>>);

impl Drop for Cancelling {
    fn drop(&mut self) {
        if let Some(control) = &self.0 {
            control.cancel();
        }
    }
}
