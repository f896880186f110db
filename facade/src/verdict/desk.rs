//! Asking the language servers of a checkout about a change: before it, and after it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fourfold_lsp_client::{
    Catalog, DetectConfig, Detector, Diagnostic, InUse, Origin, PoolConfig, Servers, ServersConfig,
    Session, SessionLimits,
};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::before::lease;
use super::compose::{Answer, Unserved};
use crate::config::{ConfigTable, FILE, ServerOptions};
use crate::{Error, Trust};

/// How long the parts of a verdict may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// The whole wait after a change for servers that were up.
    pub(crate) warm: Duration,
    /// The same when a server had to be started for it; what its start took is part of it.
    pub(crate) cold: Duration,
    /// What finding out the state before may take, of the files themselves and then of those that
    /// use them: it holds the write back.
    pub(crate) before: Duration,
    /// How many files that use what is changed are opened for a change.
    pub(crate) users: usize,
}

/// The language servers of one checkout, as verdicts use them.
#[derive(Debug)]
pub(crate) struct Desk {
    servers: Servers,
    pub(super) root: PathBuf,
    pub(super) patience: Patience,
}

/// One server and one changed file.
#[derive(Debug)]
pub(crate) struct Asked {
    /// Its place in the change.
    pub(super) change: usize,
    pub(super) lease: InUse,
    pub(super) language_id: String,
    /// What was wrong before; nothing when that is not known.
    pub(super) before: Option<Vec<Diagnostic>>,
    /// Whether it was known what was wrong in other files.
    pub(super) others_known: bool,
    /// Whether the file is none that the server looks into, but one that tells it what the project is.
    pub(super) manifest: bool,
    /// How long the server may take for what is wrong after.
    pub(super) budget: Duration,
}

/// An answer that had to be given without something that may still come.
#[derive(Debug)]
pub(crate) struct Pending {
    lease: InUse,
    path: PathBuf,
    since: Instant,
}

impl Pending {
    pub(super) fn of(lease: &InUse, path: &Path) -> Pending {
        Pending {
            lease: lease.clone(),
            path: path.to_path_buf(),
            since: Instant::now(),
        }
    }

    /// The server and the file.
    pub(crate) fn key(&self) -> (String, PathBuf) {
        (self.lease.spec().id.clone(), self.path.clone())
    }
}

/// A server: its name and its root.
pub(super) type Key = (String, PathBuf);

pub(super) fn key(session: &Session) -> Key {
    (session.spec().id.clone(), session.root().to_path_buf())
}

/// Why nobody answers about a file that no server of the table is for.
pub(super) const UNKNOWN_KIND: &str = "no server is known for this kind of file";

/// What is not there after so long does not come any more.
const PENDING: Duration = Duration::from_secs(300);

impl Desk {
    /// The desk of the checkout at this root; within the runtime that servers are spoken to on.
    pub(crate) fn open(
        root: &Path,
        tables: &[ConfigTable],
        options: &ServerOptions,
        patience: Patience,
    ) -> Result<Desk, Error> {
        let fail = |reason: String| Error::Config {
            path: root.join(FILE),
            reason,
        };
        let mut catalog = Catalog::built_in();
        for table in tables {
            let config: ServersConfig = table
                .table
                .clone()
                .try_into()
                .map_err(|error: toml::de::Error| fail(format!("[servers]: {error}")))?;
            let origin = match table.of_checkout {
                true => Origin::Checkout,
                false => Origin::User,
            };
            catalog = catalog
                .configured(&config, origin)
                .map_err(|error| fail(error.to_string()))?;
        }
        let mut config = DetectConfig::new(options.state_folder.join("servers"));
        config.guard = options.guard.clone();
        if let Some(path) = &options.search_path {
            config.search_path = path.clone();
        }
        let untrusted = fourfold_lsp_client::Trust::Untrusted;
        let detector = Detector::new(catalog, root, untrusted, config)
            .map_err(|error| fail(error.to_string()))?;
        let limits = SessionLimits::default();
        let servers = Servers::new(Arc::new(detector), PoolConfig::default(), limits);
        Ok(Desk {
            servers,
            root: root.to_path_buf(),
            patience,
        })
    }

    pub(crate) fn servers(&self) -> &Servers {
        &self.servers
    }

    /// Whether a server is known for files of this name.
    pub(crate) fn knows(&self, path: &Path) -> bool {
        let catalog = self.servers.detector().catalog();
        catalog.for_path(path).next().is_some()
    }

    pub(crate) fn set_trust(&self, trust: Trust) {
        self.servers.detector().set_trust(match trust.is_granted() {
            true => fourfold_lsp_client::Trust::Trusted,
            false => fourfold_lsp_client::Trust::Untrusted,
        });
    }

    /// All that is wrong in a file as it is on disk, and why nobody says more.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(crate) async fn about(&self, file: &Path) -> (Vec<Answer>, Vec<String>) {
        let mut answers = Vec::new();
        let mut reasons = Vec::new();
        let mut unserved: Vec<Unserved> = Vec::new();
        let mut failed = Vec::new();
        let mut asking = JoinSet::new();
        let begun = Instant::now();
        let relative = self.relative(file);
        for served in self.servers.for_file_within(file, self.patience.cold).await {
            let language_id = served.detection.language_id.clone();
            let about = served.detection.to_string();
            let session = match lease(served, &relative) {
                Ok(session) => session,
                Err(None) => {
                    reasons.push(about);
                    continue;
                }
                Err(Some(one)) => {
                    reasons.push(one.reason.clone());
                    unserved.push(one);
                    continue;
                }
            };
            let budget = self.budget(&session, begun.elapsed());
            let path = file.to_path_buf();
            asking.spawn(async move {
                // What is wrong in a file may depend on others that were written meanwhile.
                if let Err(gone) = session.refresh_from_disk().await {
                    return Err(gone.to_string());
                }
                if let Err(error) = session.open(&path, &language_id).await {
                    return Err(error.to_string());
                }
                let settled = session.settle(&path, budget).await;
                Ok((session, settled))
            });
        }
        if asking.is_empty() && reasons.is_empty() {
            reasons.push(UNKNOWN_KIND.to_owned());
        }
        while let Some(done) = asking.join_next().await {
            match done {
                Ok(Ok((session, settled))) => {
                    answers.push(self.answer(&session, file, &settled, None, Vec::new()));
                }
                Ok(Err(why)) => failed.push(why),
                Err(error) => failed.push(error.to_string()),
            }
        }
        if !answers.is_empty() {
            // Of the other servers of the file those are no concern of who got an answer that failed
            // at nothing, unless nobody checks types.
            let checks = answers.iter().any(|answer: &Answer| answer.types);
            let missed = |one: &Unserved| one.failed || (one.types && !checks);
            let missed = unserved.into_iter().filter(missed);
            reasons = missed.map(|one| one.reason).collect();
        }
        reasons.append(&mut failed);
        (answers, reasons)
    }

    /// How long a server may take to say what is wrong in a file, when so much went by until it was
    /// there.
    pub(super) fn budget(&self, session: &Session, spent: Duration) -> Duration {
        match session.age() < PROVEN {
            true => self
                .patience
                .cold
                .saturating_sub(spent)
                .max(self.patience.before),
            false => self.patience.warm,
        }
    }

    /// Waits until a server has looked at a file that it has open, as long as that may take.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(crate) async fn looked(&self, session: &Session, file: &Path) {
        let budget = self.budget(session, Duration::ZERO);
        session.settle(file, budget).await;
    }

    /// All that the running servers have said so far, those that can be asked again at once.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(crate) async fn known(&self) -> Vec<Answer> {
        let mut answers = Vec::new();
        for session in &self.servers.running() {
            for known in session.known(self.patience.warm).await {
                answers.push(self.told(session, &known.path, &known.diagnostics, &known.evidence));
            }
        }
        answers
    }

    /// What came late of the answers that are waited for; those that nothing comes for any more are
    /// dropped from the list.
    pub(crate) fn late(&self, pending: &mut Vec<Pending>) -> Vec<Answer> {
        let mut answers = Vec::new();
        let mut had: BTreeSet<(String, PathBuf)> = BTreeSet::new();
        for one in pending.iter() {
            for late in one.lease.take_late() {
                let id = one.lease.spec().id.clone();
                let before = late.settled.before.as_ref();
                let before = before.map(|before| before.diagnostics.clone());
                let path = &late.path;
                answers.push(self.answer(&one.lease, path, &late.settled, before, Vec::new()));
                had.insert((id, late.path));
            }
        }
        pending.retain(|one| {
            let over = one.since.elapsed() > PENDING || one.lease.has_ended().is_some();
            !over && !had.contains(&one.key())
        });
        answers
    }
}

/// A server that runs for less long still loads, as a rule.
const PROVEN: Duration = Duration::from_secs(60);
