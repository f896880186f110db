//! What the server has published.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;

use crate::received::Received;

/// Files whose publishes are kept; of more, the oldest go that are not open. A large workspace
/// with errors everywhere has thousands.
const KEPT: usize = 4096;

/// The last publish of each file of the root.
///
/// Files that were never opened count: a broken caller is one. Files that were closed do not: what
/// servers publish at a close says nothing about the file.
#[derive(Debug, Default)]
pub(crate) struct Publishes {
    latest: BTreeMap<PathBuf, Entry>,
    /// What came up to here was known before the last change.
    boundary: u64,
    open: BTreeSet<PathBuf>,
    closed: BTreeSet<PathBuf>,
    /// Of each file about which something came since a check was asked for, the fullest.
    fullest: Option<BTreeMap<PathBuf, Published>>,
    /// What the last check that was heard out has found, of all files. What the server clears
    /// afterwards, because it loads the project again, is not repaired by that.
    found: Arc<BTreeMap<PathBuf, Published>>,
    /// The same, as it was before the last change.
    found_before: Arc<BTreeMap<PathBuf, Published>>,
}

#[derive(Debug)]
struct Entry {
    latest: Published,
    /// The last one before the last change, when the latest came after it.
    before: Option<Published>,
}

/// One publish.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    /// Its place among everything that the server said.
    pub(crate) seq: u64,
    pub(crate) at: Instant,
    /// The version of the document that it is about, when it says so.
    pub(crate) version: Option<i32>,
    pub(crate) items: Arc<[Received]>,
}

/// Whether a publish is about an earlier text than another: versions only grow while a document is
/// open.
fn is_older(published: &Published, than: &Published) -> bool {
    matches!((published.version, than.version), (Some(this), Some(that)) if this < that)
}

impl Publishes {
    /// Takes the params of `textDocument/publishDiagnostics` for a file of the root.
    pub(super) fn take(&mut self, path: PathBuf, params: &Value, seq: u64, at: Instant) {
        if self.closed.contains(&path) {
            return;
        }
        if self.latest.len() >= KEPT && !self.latest.contains_key(&path) {
            self.make_room();
        }
        let version = params.get("version").and_then(Value::as_i64);
        let published = Published {
            seq,
            at,
            version: version.and_then(|version| version.try_into().ok()),
            items: Received::all(params.get("diagnostics")),
        };
        if let Some(fullest) = &mut self.fullest {
            match fullest.get(&path) {
                Some(fuller) if fuller.items.len() > published.items.len() => {}
                _ if fullest.len() >= KEPT && !fullest.contains_key(&path) => {}
                _ => {
                    fullest.insert(path.clone(), published.clone());
                }
            }
        }
        self.found_late(&path, &published);
        let boundary = self.boundary;
        match self.latest.get_mut(&path) {
            // A slow one of before that comes after the newer: no news.
            Some(entry) if is_older(&published, &entry.latest) => {}
            Some(entry) => {
                let older = std::mem::replace(&mut entry.latest, published);
                if older.seq <= boundary {
                    entry.before = Some(older);
                }
            }
            None => {
                let entry = Entry {
                    latest: published,
                    before: None,
                };
                self.latest.insert(path, entry);
            }
        }
    }

    /// Files are about to change: what is known now is what was known before.
    pub(super) fn change_begins(&mut self, seq: u64) {
        self.boundary = seq;
        self.found_before = Arc::clone(&self.found);
    }

    /// A check of the project is asked for.
    pub(super) fn check_begins(&mut self) {
        self.fullest = Some(BTreeMap::new());
    }

    /// The check has ended, and was heard out. It clears what an earlier one found and then adds, so
    /// of each file the fullest list is the last one, whatever came last: a server whose threads
    /// publish does not keep the order.
    pub(super) fn check_ends(&mut self) {
        for (path, fullest) in self.fullest.take().into_iter().flatten() {
            if let Some(entry) = self.latest.get_mut(&path)
                && entry.latest.items.len() < fullest.items.len()
                && !is_older(&fullest, &entry.latest)
            {
                tracing::debug!(path = %path.display(), "published in another order");
                entry.latest.items = fullest.items;
            }
        }
        let latest = self.latest.iter();
        let found = latest.map(|(path, entry)| (path.clone(), entry.latest.clone()));
        self.found = Arc::new(found.collect());
    }

    /// A thread of the server that was slow may publish what a check has found after it was heard
    /// out. Whatever else comes outside of a check is what the server has cleared.
    fn found_late(&mut self, path: &Path, published: &Published) {
        let fewer = |found: &Published| {
            found.items.len() < published.items.len() && !is_older(published, found)
        };
        if self.fullest.is_none() && self.found.get(path).is_some_and(fewer) {
            tracing::debug!(path = %path.display(), "published after the check was heard out");
            Arc::make_mut(&mut self.found).insert(path.to_owned(), published.clone());
        }
    }

    /// When something was last published about any file.
    pub(crate) fn last(&self) -> Option<Instant> {
        self.latest.values().map(|entry| entry.latest.at).max()
    }

    /// Forgets an eighth of the files, so that a server with many more does not make each of its
    /// publishes search for the oldest.
    fn make_room(&mut self) {
        let mut oldest: Vec<_> = self
            .latest
            .iter()
            .filter(|(path, _)| !self.open.contains(*path))
            .map(|(path, entry)| (entry.latest.seq, path.clone()))
            .collect();
        oldest.sort_unstable();
        for (_, path) in oldest.into_iter().take(KEPT / 8) {
            self.latest.remove(&path);
        }
    }

    /// A document was opened: what comes from now on counts.
    pub(super) fn opened(&mut self, path: &Path) {
        self.closed.remove(path);
        self.open.insert(path.to_owned());
    }

    /// A document was closed.
    pub(super) fn closed(&mut self, path: &Path) {
        self.latest.remove(path);
        if self.found.contains_key(path) {
            Arc::make_mut(&mut self.found).remove(path);
        }
        self.open.remove(path);
        self.closed.insert(path.to_owned());
    }

    /// The last publish for a file.
    pub(crate) fn get(&self, path: &Path) -> Option<&Published> {
        self.latest.get(path).map(|entry| &entry.latest)
    }

    /// The last publish of every file, and what was known of it before the last change: the same,
    /// if nothing came since.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&PathBuf, &Published, Option<&Published>)> {
        self.latest.iter().map(|(path, entry)| {
            let known = entry.latest.seq <= self.boundary;
            let before = if known {
                Some(&entry.latest)
            } else {
                entry.before.as_ref()
            };
            (path, &entry.latest, before)
        })
    }

    /// What the last check that was heard out has found in a file.
    pub(crate) fn found(&self, path: &Path) -> Option<&Published> {
        self.found.get(path)
    }

    /// What the last check that was heard out has found in all files, and what the last one before
    /// the last change had found there.
    pub(crate) fn all_found(
        &self,
    ) -> impl Iterator<Item = (&PathBuf, &Published, Option<&Published>)> {
        let found = self.found.iter();
        found.map(|(path, found)| (path, found, self.found_before.get(path)))
    }
}
