//! The state after a change: the servers are told of it, and asked what is wrong now.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fourfold_lsp_client::{Change as Told, FileEvent, InUse, Role, Settled};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::change::{Change, Content};
use super::compose::Answer;
use super::concern::{Concern, Unlooked};
use super::desk::{Asked, Desk, Key, Pending, key};

/// What was said about a change.
#[derive(Debug, Default)]
pub(super) struct After {
    pub(super) answers: Vec<Answer>,
    pub(super) pending: Vec<Pending>,
    /// Files that the change concerns and that nobody looked at.
    pub(super) unlooked: Vec<Unlooked>,
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

impl Desk {
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
        let begun = Instant::now();
        let longest = before.iter().map(|asked| asked.budget).max();
        let until = begun + longest.unwrap_or_default();
        let mut sessions: BTreeMap<Key, InUse> = BTreeMap::new();
        for asked in &before {
            let key = key(&asked.lease);
            sessions.entry(key).or_insert_with(|| asked.lease.clone());
        }
        let mut announcing = JoinSet::new();
        for ((server, root), lease) in &sessions {
            let real = changes.iter().enumerate();
            let real = real.filter(|(_, change)| change.is_change());
            let told = real.map(|(at, change)| {
                let mine = before.iter().find(|asked| {
                    asked.change == at
                        && asked.lease.spec().id == *server
                        && asked.lease.root() == root
                });
                let mine = mine.filter(|asked| !asked.manifest);
                told(change, mine.map(|asked| asked.language_id.as_str()))
            });
            let told: Vec<Told> = told.flatten().collect();
            let (server, lease) = (server.clone(), lease.clone());
            announcing.spawn(async move {
                if let Err(gone) = lease.announce(&told).await {
                    tracing::debug!(server, %gone, "a server was not told of a change");
                }
            });
        }
        while announcing.join_next().await.is_some() {}

        self.show(&mut concern, &before, changes, until).await;

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
            let owed = !change.is_change();
            settling.spawn(async move {
                if owed && let Err(closed) = asked.lease.open(&path, &asked.language_id).await {
                    tracing::debug!(?closed, "a file that was left open stays closed");
                }
                let budget = asked.budget.saturating_sub(begun.elapsed());
                let settled = asked.lease.settle(&path, budget).await;
                (asked, settled)
            });
        }
        // What a deletion or a manifest means to others: a file that is open tells, and what depends
        // on it.
        let ours = |path: &Path| changes.iter().any(|change| change.absolute == *path);
        let mut witnessing = JoinSet::new();
        for (key, files) in deleted {
            let Some(lease) = sessions.remove(&key) else {
                continue;
            };
            let mut opened = lease.opened().into_iter();
            // A linter looks at each file by itself.
            let looks_around = lease.spec().role == Role::Types;
            let witness = opened.find(|path| looks_around && !ours(path) && path.is_file());
            witnessing.spawn(async move {
                let witness = match witness {
                    Some(path) => {
                        let budget = until.saturating_duration_since(Instant::now());
                        let settled = lease.settle(&path, budget).await;
                        Some((path, settled))
                    }
                    None => None,
                };
                Gone {
                    lease,
                    files,
                    witness,
                }
            });
        }
        let (mut all, mut gone) = (Vec::new(), Vec::new());
        while let Some(done) = settling.join_next().await {
            all.extend(done.ok());
        }
        while let Some(done) = witnessing.join_next().await {
            gone.extend(done.ok());
        }
        gone.sort_by_key(|one| key(&one.lease));
        all.sort_by_key(|(asked, _)| asked.change);
        let (answers, pending) = self.answers(all, gone, changes, &concern);
        After {
            unlooked: concern.unlooked(&answers),
            answers,
            pending,
        }
    }
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
