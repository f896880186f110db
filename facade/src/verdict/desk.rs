//! Asking the language servers of a checkout about a change: before it, and after it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fourfold_lsp_client::{
    Availability, Catalog, Change as Told, DetectConfig, Detector, Diagnostic, FileEvent, InUse,
    Origin, PoolConfig, Role, Served, Servers, ServersConfig, Session, SessionLimits, Settled,
};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::change::{Change, Content};
use super::compose::{Answer, Unserved};
use super::concern::{Concern, Survey, Unlooked};
use crate::config::{ConfigTable, FILE, ServerOptions};
use crate::{Error, Trust};

/// How long the parts of a verdict may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// The whole wait after a change for servers that were up.
    pub(crate) warm: Duration,
    /// The whole wait after a change when a server had to be started for it.
    pub(crate) cold: Duration,
    /// What finding out the state before may take: it holds the write back.
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

/// Who will be asked about a change, and what they said before it.
#[derive(Debug)]
pub(super) struct Before {
    pub(crate) asked: Vec<Asked>,
    /// Changed files that a server is missing for.
    pub(crate) unserved: Vec<Unserved>,
    /// What was found in files that somebody else changed since they were last looked at.
    pub(crate) elsewhere: Vec<Answer>,
    /// Which other files the change concerns.
    pub(super) concern: Concern,
}

/// What was said about a change.
#[derive(Debug, Default)]
pub(super) struct After {
    pub(super) answers: Vec<Answer>,
    pub(super) pending: Vec<Pending>,
    /// Files that the change concerns and that nobody looked at.
    pub(super) unlooked: Vec<Unlooked>,
}

/// One server and one changed file.
#[derive(Debug)]
pub(crate) struct Asked {
    /// Its place in the change.
    pub(super) change: usize,
    pub(super) lease: InUse,
    language_id: String,
    /// What was wrong before; nothing when that is not known.
    pub(super) before: Option<Vec<Diagnostic>>,
    /// Whether it was known what was wrong in other files.
    pub(super) others_known: bool,
    /// Whether the file is none that the server looks into, but one that tells it what the project is.
    manifest: bool,
    /// How long the server may take for what is wrong after.
    budget: Duration,
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

/// Files that were deleted or are manifests, as far as one server is concerned.
#[derive(Debug)]
pub(super) struct Gone {
    pub(super) lease: InUse,
    /// Their places in the change.
    pub(super) files: Vec<usize>,
    /// A file that the server had open, with what is wrong in it now.
    pub(super) witness: Option<(PathBuf, Settled)>,
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

    /// Finds out who can be asked about a change, starts them if need be, and asks what is wrong
    /// before it. `beside` are more files of it, which were asked about earlier.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(super) async fn before(
        &self,
        changes: &[Change],
        beside: &[PathBuf],
        survey: Survey,
    ) -> Before {
        let mut found = Before {
            asked: Vec::new(),
            unserved: Vec::new(),
            elsewhere: Vec::new(),
            concern: Concern::default(),
        };
        let mut leases = Vec::new();
        let mut looked: BTreeSet<Key> = BTreeSet::new();
        let mut asking = JoinSet::new();
        // One that takes long to start, or never does, does not keep the others from it.
        let _begun = match changes.len() {
            0 | 1 => None,
            _ => {
                let files = changes.iter().map(|change| change.absolute.as_path());
                Some(self.servers.begin(&files.collect::<Vec<_>>()).await)
            }
        };
        for (at, change) in changes.iter().enumerate() {
            // What it was is no obstacle once it is text: what is wrong in it may be old, and that is
            // said.
            let obstacle = match (&change.before, &change.after) {
                (Content::Opaque(_), Content::Text(_)) => None,
                (Content::Opaque(why), _) | (_, Content::Opaque(why)) => Some(why),
                _ => None,
            };
            if let Some(why) = obstacle {
                found.unserved.push(Unserved {
                    path: change.path.clone(),
                    reason: format!("no server was asked, because {why}"),
                    types: true,
                    failed: false,
                });
                continue;
            }
            for served in self.servers.for_file(&change.absolute).await {
                let language_id = served.detection.language_id.clone();
                let lease = match lease(served, change) {
                    Ok(lease) => lease,
                    Err(unserved) => {
                        found.unserved.extend(unserved);
                        continue;
                    }
                };
                if looked.insert(key(&lease)) {
                    let strange = lease.refresh_from_disk().await.unwrap_or_default();
                    let answers = self.strange(&lease, strange, changes, beside).await;
                    found.elsewhere.extend(answers);
                }
                leases.push(lease.clone());
                let asked = Asked {
                    change: at,
                    budget: self.budget(&lease),
                    language_id,
                    lease,
                    before: None,
                    others_known: false,
                    manifest: false,
                };
                asking.spawn(baseline(asked, change.clone(), self.patience.before));
            }
            for lease in self.whose_manifest(change).await {
                let asked = Asked {
                    change: at,
                    budget: self.budget(&lease),
                    language_id: String::new(),
                    lease,
                    before: None,
                    others_known: false,
                    manifest: true,
                };
                asking.spawn(baseline(asked, change.clone(), self.patience.before));
            }
        }
        let surveying = self.survey(&leases, changes, survey);
        while let Some(asked) = asking.join_next().await {
            found.asked.extend(asked.ok());
        }
        found.asked.sort_by_key(|asked| asked.change);
        found.concern = self.concern(surveying, &found.asked, changes).await;
        found
    }

    /// The servers that run and for which this file says what the project is, though they do not look
    /// into it: what it means for other files they can tell.
    async fn whose_manifest(&self, change: &Change) -> Vec<InUse> {
        let name = change.absolute.file_name().unwrap_or_default();
        let mut found = Vec::new();
        for session in self.servers.running() {
            let spec = session.spec();
            let markers = spec.roots.outermost.iter().chain(&spec.roots.nearest);
            let says = markers
                .map(|marker| marker.name.as_str())
                .any(|one| name == one);
            let open = session.opened().into_iter().next();
            let Some(open) = open.filter(|_| says && spec.role == Role::Types) else {
                continue;
            };
            if !change.absolute.starts_with(session.root()) {
                continue;
            }
            let looks_into = self.servers.detector().catalog();
            let mut looks_into = looks_into.for_path(&change.absolute);
            if looks_into.any(|one| one.id == spec.id) {
                continue;
            }
            let serves = self.servers.for_file(&open).await.into_iter();
            let leases = serves.filter_map(|served| served.session?.ok());
            found.extend(leases.filter(|lease| key(lease) == key(&session)));
        }
        found
    }

    /// What is wrong in files that somebody else changed. The files of the change itself are left
    /// out: their baseline tells.
    async fn strange(
        &self,
        lease: &InUse,
        paths: Vec<PathBuf>,
        changes: &[Change],
        beside: &[PathBuf],
    ) -> Vec<Answer> {
        let mut answers = Vec::new();
        let ours = |path: &Path| {
            beside.iter().any(|one| one == path)
                || changes.iter().any(|change| change.absolute == *path)
        };
        let mut settling = JoinSet::new();
        for path in paths.into_iter().filter(|path| !ours(path)).take(STRANGE) {
            let (lease, patience) = (lease.clone(), self.patience.before);
            settling.spawn(async move {
                let settled = lease.settle(&path, patience).await;
                (path, settled)
            });
        }
        let mut all = Vec::new();
        while let Some(done) = settling.join_next().await {
            all.extend(done.ok());
        }
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (path, settled) in all {
            answers.push(self.answer(lease, &path, &settled, None, Vec::new()));
        }
        answers
    }

    /// Tells the servers what was changed, and asks what is wrong now.
    ///
    /// *Cancel safety*: the servers may have been told when the future is dropped; the next question
    /// compares their documents with the disk.
    pub(super) async fn after(
        &self,
        before: Vec<Asked>,
        mut concern: Concern,
        changes: &[Change],
    ) -> After {
        let mut sessions: BTreeMap<Key, InUse> = BTreeMap::new();
        for asked in &before {
            let key = key(&asked.lease);
            sessions.entry(key).or_insert_with(|| asked.lease.clone());
        }
        for ((server, root), lease) in &sessions {
            let told = changes.iter().enumerate().map(|(at, change)| {
                let mine = before.iter().find(|asked| {
                    asked.change == at
                        && asked.lease.spec().id == *server
                        && asked.lease.root() == root
                });
                let mine = mine.filter(|asked| !asked.manifest);
                told(change, mine.map(|asked| asked.language_id.as_str()))
            });
            let told: Vec<Told> = told.flatten().collect();
            if let Err(gone) = lease.announce(&told).await {
                tracing::debug!(server, %gone, "a server was not told of a change");
            }
        }

        self.show(&mut concern, &before, changes).await;

        let mut settling = JoinSet::new();
        let mut deleted: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for asked in before {
            let Some(change) = changes.get(asked.change) else {
                continue;
            };
            if change.after == Content::Absent || asked.manifest {
                deleted
                    .entry(key(&asked.lease))
                    .or_default()
                    .push(asked.change);
                continue;
            }
            if change.after.text().is_none() {
                continue;
            }
            let path = change.absolute.clone();
            settling.spawn(async move {
                let settled = asked.lease.settle(&path, asked.budget).await;
                (asked, settled)
            });
        }
        let mut all = Vec::new();
        let mut gone = Vec::new();
        while let Some(done) = settling.join_next().await {
            all.extend(done.ok());
        }
        // What a deletion or a manifest means to others: a file that is open tells, and what depends
        // on it.
        for (key, files) in deleted {
            let Some(lease) = sessions.remove(&key) else {
                continue;
            };
            let ours = |path: &Path| changes.iter().any(|change| change.absolute == *path);
            let mut opened = lease.opened().into_iter();
            // A linter looks at each file by itself.
            let looks_around = lease.spec().role == Role::Types;
            let witness = opened.find(|path| looks_around && !ours(path) && path.is_file());
            let witness = match witness {
                Some(path) => {
                    let settled = lease.settle(&path, self.patience.warm).await;
                    Some((path, settled))
                }
                None => None,
            };
            gone.push(Gone {
                lease,
                files,
                witness,
            });
        }
        all.sort_by_key(|(asked, _)| asked.change);
        let (answers, pending) = self.answers(all, gone, changes, &concern);
        After {
            unlooked: concern.unlooked(&answers),
            answers,
            pending,
        }
    }

    /// All that is wrong in a file as it is on disk, and why nobody says more.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(crate) async fn about(&self, file: &Path) -> (Vec<Answer>, Vec<String>) {
        let mut answers = Vec::new();
        let mut reasons = Vec::new();
        let mut asking = JoinSet::new();
        for served in self.servers.for_file(file).await {
            let language_id = served.detection.language_id.clone();
            let session = match served.session {
                Some(Ok(session)) => session,
                Some(Err(why)) => {
                    reasons.push(why.to_string());
                    continue;
                }
                None => {
                    reasons.push(served.detection.to_string());
                    continue;
                }
            };
            let budget = self.budget(&session);
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
                Ok(Err(why)) => reasons.push(why),
                Err(error) => reasons.push(error.to_string()),
            }
        }
        if !answers.is_empty() {
            // The other servers of the file are no concern of who got an answer.
            reasons.clear();
        }
        (answers, reasons)
    }

    /// How long a server may take to say what is wrong in a file.
    fn budget(&self, session: &Session) -> Duration {
        match session.age() < PROVEN {
            true => self.patience.cold,
            false => self.patience.warm,
        }
    }

    /// Waits until a server has looked at a file that it has open, as long as that may take.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(crate) async fn looked(&self, session: &Session, file: &Path) {
        session.settle(file, self.budget(session)).await;
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

/// The lease of a server that can be asked; else why it cannot, if that is worth telling.
fn lease(served: Served, change: &Change) -> Result<InUse, Option<Unserved>> {
    let types = served.detection.server.role == Role::Types;
    let unserved = |reason: String, failed: bool| {
        Some(Unserved {
            path: change.path.clone(),
            reason,
            types,
            failed,
        })
    };
    match served.session {
        Some(Ok(lease)) => Ok(lease),
        Some(Err(unavailable)) => Err(unserved(unavailable.to_string(), true)),
        None => match served.detection.availability {
            // Others do this work, or nobody wants it done.
            Availability::Elsewhere { .. }
            | Availability::GivesWay { .. }
            | Availability::Disabled { .. } => Err(None),
            Availability::NoMarker { .. } if !types => Err(None),
            Availability::NoneStarts => Err(unserved(served.detection.to_string(), true)),
            _ => Err(unserved(served.detection.to_string(), false)),
        },
    }
}

/// A server that runs for less long still loads, as a rule.
const PROVEN: Duration = Duration::from_secs(60);

/// Files that somebody else changed and that are asked about before a write. More of them means
/// that a branch was switched: what is wrong then is no news of a file or two.
const STRANGE: usize = 10;

/// Waits for what a server says is wrong before the change.
async fn baseline(mut asked: Asked, change: Change, budget: Duration) -> Asked {
    asked.before = match &change.before {
        _ if asked.manifest => None,
        Content::Text(text) => {
            // Under its new name it is not there yet: a server would see it twice.
            let path = change.moved_from.as_ref().unwrap_or(&change.absolute);
            let id = &asked.language_id;
            let settled = asked.lease.baseline(path, id, text, budget).await;
            let sure = settled.evidence.is_confirmed();
            asked.others_known = sure;
            sure.then_some(settled.diagnostics)
        }
        // In a file that is new nothing was wrong.
        Content::Absent => {
            asked.others_known = asked.lease.is_up_to_date(budget).await;
            Some(Vec::new())
        }
        Content::Unknown | Content::Opaque(_) => None,
    };
    asked
}

/// What a server is told of a change. Of a file about which nobody knows whether it was there, both:
/// a server that had missed it may look for it now, and one that had read it reads it again.
fn told(change: &Change, language_id: Option<&str>) -> Vec<Told> {
    let event = match (&change.before, &change.after) {
        (_, Content::Absent) => FileEvent::Deleted,
        (Content::Absent, _) => FileEvent::Created,
        _ if change.moved_from.is_some() => FileEvent::Created,
        _ => FileEvent::Changed,
    };
    let told = Told::new(&change.absolute, event);
    let told = match (language_id, change.after.text()) {
        (Some(id), Some(text)) => told.with_text(id, Arc::clone(text)),
        _ => told,
    };
    let unknown = change.before == Content::Unknown && event == FileEvent::Changed;
    let came = unknown.then(|| Told::new(&change.absolute, FileEvent::Created));
    came.into_iter().chain([told]).collect()
}
