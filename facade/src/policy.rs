//! What a host asks a person before it happens: the moment of Accept or Discard, with the diff in
//! hand.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fourfold_rewrite_txn::{DiffOptions, Staged};

use crate::Error;
use crate::conversation::Conversation;

/// What is about to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Deed {
    /// Files are written by `write`, `edit` or `apply_patch`.
    Write,
    /// A stage is applied.
    Commit,
    /// A program is run: what `debug` launches, attaches to or is given to evaluate, and the
    /// project's own checker, which `lsp` runs in a trusted checkout for `diagnostics` of the file
    /// `*`. Language servers are not asked about: trust decides which are started,
    /// `ServerOptions::enabled` whether any is.
    Execute,
}

/// Something that waits for a word.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proposal {
    /// The root of the checkout.
    pub root: PathBuf,
    /// The conversation that wants it.
    pub conversation: String,
    /// What kind of thing it is.
    pub deed: Deed,
    /// What it is, in one line: the files, or what is run.
    pub what: String,
    /// The files that are changed, relative to the root.
    pub files: Vec<PathBuf>,
    /// The whole unified diff; empty where no file is changed.
    pub diff: String,
}

/// The word.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// Do it.
    Granted,
    /// Leave it; the reason is told to who wanted it. What was staged stays staged.
    Declined(String),
}

/// Who decides. A closure is one as well.
pub trait Approve: Send + Sync {
    /// Decides; it may wait as long as it likes, on a thread of its own. Files that change meanwhile
    /// are not written over: the commit is refused then.
    fn approve(&self, proposal: &Proposal) -> Approval;
}

impl<F: Fn(&Proposal) -> Approval + Send + Sync> Approve for F {
    fn approve(&self, proposal: &Proposal) -> Approval {
        self(proposal)
    }
}

/// Whether somebody is asked, and who. By default nobody is: the tools do what they are told.
///
/// ```
/// use fourfold::{Approval, Host, HostConfig, Policy, WriteRequest};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let mut config = HostConfig::default();
/// config.policy = Policy::ask(|proposal: &fourfold::Proposal| {
///     match proposal.diff.contains("+password") {
///         true => Approval::Declined("no secrets in files".to_owned()),
///         false => Approval::Granted,
///     }
/// });
/// let checkout = Host::new(config).checkout(folder.path())?;
/// let conversation = checkout.conversation("example");
/// let refused = conversation.write(&WriteRequest::new("a.txt", "password\n")).unwrap_err();
/// assert_eq!(refused.to_string(), "a.txt: not written, declined by the host: no secrets in files");
/// assert!(!folder.path().join("a.txt").exists());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Policy(Option<Arc<dyn Approve>>);

impl Policy {
    /// Asks before every write, commit and execution.
    pub fn ask(who: impl Approve + 'static) -> Policy {
        Policy(Some(Arc::new(who)))
    }

    /// Whether anybody is asked.
    pub fn asks(&self) -> bool {
        self.0.is_some()
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.asks() {
            "Policy(asks)"
        } else {
            "Policy(asks nobody)"
        })
    }
}

/// Equal are those that ask the very same one.
impl PartialEq for Policy {
    fn eq(&self, other: &Policy) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Eq for Policy {}

impl Conversation {
    /// Asks whether a stage may change its files.
    ///
    /// # Errors
    /// [`Error::Declined`]; or [`Error::Cancelled`] when nobody waits for it any more.
    pub(crate) fn approve_change(&self, deed: Deed, staged: &Staged) -> Result<(), Error> {
        if !self.checkout().policy().asks() {
            return Ok(());
        }
        let files: Vec<PathBuf> = staged
            .files()
            .map(|file| file.renamed_to().unwrap_or(file.path()).to_path_buf())
            .collect();
        let what = match files.as_slice() {
            [] => return Ok(()),
            [only] => shown(only),
            [first, rest @ ..] => format!("{} and {} more", shown(first), rest.len()),
        };
        let diff = staged.diff(&DiffOptions::full()).to_string();
        self.approve(deed, what, files, diff)
    }

    /// Asks whether something may be run; on tokio's blocking pool, as a person takes her time.
    ///
    /// # Errors
    /// As those of [`approve_change`](Conversation::approve_change).
    pub(crate) async fn approve_execution(&self, what: String) -> Result<(), Error> {
        if !self.checkout().policy().asks() {
            return Ok(());
        }
        let asking = self.clone();
        tokio::task::spawn_blocking(move || asking.approve_execution_here(what))
            .await
            .unwrap_or_else(|error| {
                Err(Error::Crashed {
                    reason: error.to_string(),
                })
            })
    }

    /// The same on this thread; blocking.
    ///
    /// # Errors
    /// As those of [`approve_change`](Conversation::approve_change).
    pub(crate) fn approve_execution_here(&self, what: String) -> Result<(), Error> {
        self.approve(Deed::Execute, what, Vec::new(), String::new())
    }

    fn approve(
        &self,
        deed: Deed,
        what: String,
        files: Vec<PathBuf>,
        diff: String,
    ) -> Result<(), Error> {
        let Some(who) = &self.checkout().policy().0 else {
            return Ok(());
        };
        let proposal = Proposal {
            root: self.checkout().root().to_path_buf(),
            conversation: self.id().to_owned(),
            deed,
            what,
            files,
            diff,
        };
        match who.approve(&proposal) {
            Approval::Declined(why) => Err(Error::Declined {
                what: proposal.what,
                deed,
                why,
            }),
            Approval::Granted if self.is_cancelled() => Err(Error::Cancelled),
            Approval::Granted => Ok(()),
        }
    }
}

impl Deed {
    /// That it was not done.
    pub(crate) fn undone(self) -> &'static str {
        match self {
            Deed::Write => "not written",
            Deed::Commit => "not applied",
            Deed::Execute => "not run",
        }
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
