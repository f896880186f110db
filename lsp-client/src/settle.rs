//! The diagnostics of a text, settled: what the server says about this text and no other, with the
//! evidence that it has nothing more to say.
//!
//! A verdict that something is clean needs evidence. When there is none, the answer is what is
//! known and why it may not be all, never an empty list that looks like a clean file. The steps:
//!
//! 1. Wait until the server has loaded the project, by the sign that it gives.
//! 2. If it checks the whole project when it is told to, have it do that (`check`).
//! 3. Ask it, if it can be asked: directly (`ask`), or with a pull (`pull`). Else wait for what it
//!    publishes for this text (`push`). Put both together.
//! 4. Collect what it says about other files meanwhile, and ask about those that are open.

mod ask;
mod check;
mod dependents;
mod evidence;
mod find;
mod late;
mod pull;
mod push;

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use crate::connection::SessionGone;
use crate::documents::Change;
use crate::session::Session;
use crate::{Diagnostic, TextError};

pub use dependents::Dependent;
pub use evidence::{Evidence, Why};
use find::Patience;
pub(crate) use find::{Kept, Memory};
pub(crate) use late::Settling;

/// Bounds of waiting for diagnostics, beside those of a server's
/// [`DiagnosticsProfile`](crate::DiagnosticsProfile).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SettleLimits {
    /// How long after an interruption a server is asked again; 100 ms. It is interrupted because it
    /// is about to know more.
    pub again: Duration,
    /// How many other open documents are asked about after a change, the most recently used ones;
    /// 40. Each takes milliseconds where a server can be asked.
    pub dependents: usize,
    /// How long the questions about them may take in all; 5 s. What is not reached in that time is
    /// left as it was known.
    pub dependents_time: Duration,
    /// How many files that are not open are reported with a result; 50.
    pub others: usize,
    /// How long the findings of a text are still waited for after a result had to go without them;
    /// 5 minutes, so that a check of a large project can end.
    pub late: Duration,
}

impl Default for SettleLimits {
    fn default() -> Self {
        Self {
            again: Duration::from_millis(100),
            dependents: 40,
            dependents_time: Duration::from_secs(5),
            others: 50,
            late: Duration::from_secs(300),
        }
    }
}

/// What a server says about one text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settled {
    /// What it found, in its own order.
    pub diagnostics: Vec<Diagnostic>,
    /// Why this can be relied on, or cannot.
    pub evidence: Evidence,
    /// How long it took.
    pub took: Duration,
    /// What it says about other files since this text was sent.
    pub dependents: Vec<Dependent>,
    /// The same for the text before, when [`Session::baseline`] could not find it out because the
    /// server was still loading, and it was found out now.
    pub before: Option<Before>,
}

/// What a server says about the text before.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Before {
    /// What it found.
    pub diagnostics: Vec<Diagnostic>,
    /// Why this can be relied on, or cannot.
    pub evidence: Evidence,
}

/// Findings that came after the result they belong to had to be given.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Late {
    /// The file. Its text has not changed since.
    pub path: PathBuf,
    /// What the server says about it.
    pub settled: Settled,
}

/// Why a file cannot be opened at a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such file.
    #[error("opening {} at the server: there is no such file", .path.display())]
    Absent {
        /// The file.
        path: PathBuf,
    },
    /// Its text cannot be had.
    #[error("opening {} at the server: {why}", .path.display())]
    NoText {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        why: TextError,
    },
    /// The server takes nothing.
    #[error(transparent)]
    Gone(#[from] SessionGone),
}

impl Session {
    /// Opens the file at the server with the text that is on disk, or brings it up to date there.
    ///
    /// # Errors
    ///
    /// When there is no text, or the server takes none.
    ///
    /// *Cancel safety*: when the future is dropped, the file is open or not.
    pub async fn open(&self, path: &Path, language_id: &str) -> Result<(), OpenError> {
        let text = self.core().documents.read(path).await?;
        self.documents().sync(path, language_id, &text).await?;
        Ok(())
    }

    /// Tells the server what happened to files on disk. Texts are opened or changed and saved, in
    /// the order that servers need, all in one burst.
    ///
    /// # Errors
    ///
    /// When the server does not read, or has ended.
    ///
    /// *Cancel safety*: when the future is dropped the server is told all the same.
    pub async fn announce(&self, changes: &[Change]) -> Result<(), SessionGone> {
        self.documents().announce(changes).await
    }

    /// Closes a document. What the server knows of it from then on is what is on disk.
    ///
    /// # Errors
    ///
    /// When the server does not read, or has ended.
    ///
    /// *Cancel safety*: when the future is dropped it is closed all the same.
    pub async fn close(&self, path: &Path) -> Result<(), SessionGone> {
        self.documents().close(path).await
    }

    /// Compares every open document with its file and tells the server what somebody else changed.
    /// The paths of those files. To be called before a question is asked.
    ///
    /// # Errors
    ///
    /// When the server does not read, or has ended.
    ///
    /// *Cancel safety*: when the future is dropped, files may be left for the next time.
    pub async fn refresh_from_disk(&self) -> Result<Vec<PathBuf>, SessionGone> {
        self.documents().refresh_from_disk().await
    }

    /// The diagnostics of a text before it is changed: `old_text` is what is on disk. Waits at most
    /// for `budget`.
    ///
    /// When the server is still loading, the text is remembered, and a later [`Session::settle`]
    /// of the same file brings the answer as [`Settled::before`].
    ///
    /// *Cancel safety*: the document may be open when the future is dropped.
    pub async fn baseline(
        &self,
        path: &Path,
        language_id: &str,
        old_text: &str,
        budget: Duration,
    ) -> Settled {
        let begun = Instant::now();
        let core = self.core();
        if let Err(gone) = core.documents.sync(path, language_id, old_text).await {
            return Settled::without(Why::from(gone), begun);
        }
        let settled = core.settle(path, Patience::of(budget)).await;
        // A server may also hold its answer back until it has loaded.
        // A check of the project sees only what is on disk: there the old text tells nothing later.
        let may_come = matches!(&settled.evidence, Evidence::Unconfirmed(why) if why.may_pass());
        if may_come && core.spec.diagnostics.check.is_none() {
            core.documents.owe(path, old_text);
        }
        settled
    }

    /// Has the server look at documents that a change of others may concern, so that a later
    /// [`settle`](Self::settle) of those tells what became of them. Waits at most for `budget`. Gives
    /// those that it has looked at.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub async fn watch(&self, paths: &[PathBuf], budget: Duration) -> Vec<PathBuf> {
        let core = self.core();
        let patience = Patience::of(budget);
        let mut looked = Vec::new();
        for path in paths {
            let settled = core.settle_alone(path, patience).await;
            if settled.evidence.is_confirmed() {
                looked.push(path.clone());
            }
            if Instant::now() >= patience.deadline {
                break;
            }
        }
        looked
    }

    /// Whether [`settle`](Self::settle) asks about each of the other open documents that a change may
    /// concern. If not, what the server publishes about them is all there is, and when it is quiet
    /// about one, nothing has changed there.
    #[must_use]
    pub fn asks_about_others(&self) -> bool {
        self.core().asks_about_others()
    }

    /// Whether the server has looked at the project as it is now, so that what it says about other
    /// files after a change can be compared with what it said before. For a change that has no
    /// [`baseline`](Self::baseline) to tell: that of a file which is new. Waits at most for `budget`.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub async fn is_up_to_date(&self, budget: Duration) -> bool {
        self.core().up_to_date(Patience::of(budget)).await
    }

    /// The diagnostics of a document's present text, within `budget`: the longest that the caller
    /// wants to wait in all. The server's profile has shorter limits for each step.
    ///
    /// When something is missing that time may bring, it is waited for in the background:
    /// [`Session::take_late`] has it.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub async fn settle(&self, path: &Path, budget: Duration) -> Settled {
        self.settling().supersede(path);
        let settled = self.core().settle(path, Patience::of(budget)).await;
        if let Evidence::Unconfirmed(why) = &settled.evidence
            && why.may_pass()
        {
            self.settling().follow(path);
        }
        settled
    }

    /// What was found out since about texts whose results had to go without it; each is handed out
    /// once.
    #[must_use]
    pub fn take_late(&self) -> Vec<Late> {
        self.settling().take()
    }

    /// The documents that the server has open, the most recently used first.
    #[must_use]
    pub fn opened(&self) -> Vec<PathBuf> {
        self.documents().open()
    }

    /// What the server has said so far about all files of the root in which it found something. Where
    /// that may be old and the server can be asked, it is asked again, within `budget`; what it was not
    /// asked in that time is not confirmed.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub async fn known(&self, budget: Duration) -> Vec<Dependent> {
        self.core().known(Patience::of(budget)).await
    }
}

impl Settled {
    /// Nothing was found out.
    fn without(why: Why, begun: Instant) -> Self {
        Self {
            diagnostics: Vec::new(),
            evidence: Evidence::Unconfirmed(why),
            took: begun.elapsed(),
            dependents: Vec::new(),
            before: None,
        }
    }
}

#[cfg(test)]
mod tests;
