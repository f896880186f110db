//! What a change does to other files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::time::Instant;

use super::find::Patience;
use super::{Evidence, Why};
use crate::Diagnostic;
use crate::documents::View;
use crate::received::{Converter, Received};
use crate::session::{Core, Published};

/// What a server says about a file that it was not asked about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Dependent {
    /// The file: inside the root, and there is one.
    pub path: PathBuf,
    /// What is wrong in it now.
    pub diagnostics: Vec<Diagnostic>,
    /// Why this can be relied on, or cannot.
    pub evidence: Evidence,
    /// What was known of it before the change; nothing when nothing was.
    pub before: Option<Vec<Diagnostic>>,
}

/// One file's lists, not yet converted.
struct Raw {
    path: PathBuf,
    items: Arc<[Received]>,
    evidence: Evidence,
    before: Option<Arc<[Received]>>,
}

impl Core {
    /// Everything about other files since the text of `view` was sent: what the server published,
    /// what it said along with another answer, and what it says of the documents that are open.
    pub(super) async fn dependents(
        &self,
        path: &Path,
        view: &View,
        related: Vec<(PathBuf, Arc<[Received]>)>,
        checked: &Option<Result<(), Why>>,
        patience: Patience,
    ) -> Vec<Dependent> {
        let patience = patience.at_most(self.limits.settle.dependents_time);
        let asked = self
            .ask_others(Some(path), view.sent.seq, checked, patience)
            .await;
        let mut known: Vec<_> = asked.iter().map(|one| one.path.clone()).collect();
        let related = related
            .into_iter()
            .filter(|(other, _)| other != path && !known.contains(other));
        let related: Vec<_> = related
            .map(|(path, items)| Raw {
                path,
                items,
                evidence: Evidence::Pulled,
                before: None,
            })
            .collect();
        known.extend(related.iter().map(|one| one.path.clone()));
        let mut all = asked;
        all.extend(self.convert_all(related).await);
        all.extend(
            self.published_elsewhere(path, view, &known, checked.as_ref())
                .await,
        );
        all
    }

    /// Whether it can be asked about them at all.
    pub(super) fn asks_about_others(&self) -> bool {
        self.asks().is_some() || (self.pulls() && self.pulls_across_files())
    }

    /// Whether it says that what it told of documents may have changed, since this text was sent. A
    /// server for which no file matters to another still has schemas and settings.
    fn takes_back(&self, sent: u64) -> bool {
        self.pulls() && self.inbox.look(|heard| heard.refreshed > sent)
    }

    /// Asks again about the other open documents, where the server can be asked and a change of one
    /// file may matter for another, or the server says that it does.
    async fn ask_others(
        &self,
        path: Option<&Path>,
        sent: u64,
        checked: &Option<Result<(), Why>>,
        patience: Patience,
    ) -> Vec<Dependent> {
        let mut found = Vec::new();
        if !self.asks_about_others() && !self.takes_back(sent) {
            return found;
        }
        let others = self.documents.open();
        let others = others.iter().filter(|other| Some(other.as_path()) != path);
        for other in others.take(self.limits.settle.dependents) {
            let before = self.documents.kept(other).map(|kept| kept.diagnostics);
            let Some(view) = self.documents.view(other) else {
                continue;
            };
            let (diagnostics, evidence) = match self.still_valid(other, &view) {
                Some(kept) => (kept.diagnostics, kept.evidence),
                None => {
                    let _shown = self.memory.shown.read().await;
                    let native = self.native(other, &view, view.sent.at, patience).await;
                    let (diagnostics, evidence, seen) =
                        self.complete(other, &view, native, checked).await;
                    self.keep(other, &view, &diagnostics, &evidence, seen);
                    (diagnostics, evidence)
                }
            };
            found.push(Dependent {
                path: other.clone(),
                diagnostics,
                evidence,
                before,
            });
            if Instant::now() >= patience.deadline {
                break;
            }
        }
        found
    }

    /// What was published about other files since the text of `view` was sent. While a check goes on
    /// what was published is some of what is wrong, or nothing.
    ///
    /// A server that is asked past the protocol publishes what it found for an earlier text too, without
    /// a word about which: what it was not asked about is not known.
    pub(super) async fn published_elsewhere(
        &self,
        path: &Path,
        view: &View,
        but: &[PathBuf],
        checked: Option<&Result<(), Why>>,
    ) -> Vec<Dependent> {
        if self.asks().is_some() {
            return Vec::new();
        }
        let held = self.spec.diagnostics.check.is_none() || self.check_holds(view.changed);
        // What was cleared since the check has ended is not repaired.
        let of_check = match checked {
            Some(checked) => checked.is_ok(),
            None => held && self.spec.diagnostics.check.is_some(),
        };
        type News = (PathBuf, Published, Option<Published>);
        let mut news: Vec<News> = self.inbox.look(|heard| {
            let publishes = &heard.publishes;
            let news = |(other, one, before): (&PathBuf, &Published, Option<&Published>)| {
                // What was cleared before, and found no more.
                let gone = of_check && before.is_some_and(|before| before.seq != one.seq);
                let is_news = one.seq > view.sent.seq || gone;
                let is_news = is_news && *other != path && !but.contains(other);
                is_news.then(|| (other.clone(), one.clone(), before.cloned()))
            };
            match of_check {
                true => publishes.all_found().filter_map(news).collect(),
                false => publishes.all().filter_map(news).collect(),
            }
        });
        // Files in which something is wrong first: they are the ones that must not be left out.
        news.sort_by_key(|(_, one, _)| one.items.is_empty());
        news.truncate(self.limits.settle.others);
        let raw = news.into_iter().filter_map(|(other, one, before)| {
            let evidence = match (one.version, self.documents.version(&other)) {
                (Some(published), Some(ours)) if published < ours => return None,
                _ if let Some(Err(why)) = checked => Evidence::Unconfirmed(why.clone()),
                _ if !held && !of_check => Evidence::Unconfirmed(Why::CheckStillRuns {
                    after: view.world_at.elapsed(),
                }),
                _ if checked.is_some() => Evidence::CheckEnded,
                (Some(_), Some(_)) => Evidence::ExactVersion,
                _ => Evidence::QuietAfterChange,
            };
            Some(Raw {
                path: other,
                items: one.items,
                evidence,
                before: before.map(|before| before.items),
            })
        });
        let raw = raw.collect();
        self.convert_all(raw).await
    }

    /// What is known of all files in which something is wrong; what may be old is asked for again.
    pub(super) async fn known(&self, patience: Patience) -> Vec<Dependent> {
        let begun = Instant::now();
        // What its check found is not found by asking.
        let asks = self.asks_about_others() && self.spec.diagnostics.check.is_none();
        let asked = match asks {
            true => self.ask_others(None, 0, &None, patience).await,
            false => Vec::new(),
        };
        let asked = asked.into_iter().map(|one| (one.path.clone(), one));
        let mut known: BTreeMap<PathBuf, Dependent> = asked.collect();
        for path in self.documents.open() {
            let kept = self.documents.kept(&path);
            let (Some(found), false) = (kept, known.contains_key(&path)) else {
                continue;
            };
            let view = self.documents.view(&path);
            let holds = view.is_some_and(|view| self.still_valid(&path, &view).is_some());
            let evidence = match asks && !holds {
                // There are too many to ask about all of them again.
                true => Evidence::Unconfirmed(Why::TimedOut {
                    after: begun.elapsed(),
                }),
                false => found.evidence,
            };
            let one = Dependent {
                path: path.clone(),
                diagnostics: found.diagnostics,
                evidence,
                before: None,
            };
            known.insert(path, one);
        }
        let speaks = self.asks().is_none();
        let published = self.inbox.look(|heard| {
            let all = heard.publishes.all();
            all.filter(|(path, one, _)| {
                speaks && !one.items.is_empty() && !known.contains_key(*path)
            })
            .map(|(path, one, _)| Raw {
                path: path.clone(),
                items: Arc::clone(&one.items),
                evidence: Evidence::QuietAfterChange,
                before: None,
            })
            .collect()
        });
        let mut all = self.convert_all(published).await;
        let wrong = |one: &Dependent| !one.diagnostics.is_empty() || !one.evidence.is_confirmed();
        all.extend(known.into_values().filter(wrong));
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all
    }

    /// Counts columns in bytes, and leaves out what is no file: servers publish for folders too.
    async fn convert_all(&self, raw: Vec<Raw>) -> Vec<Dependent> {
        if raw.is_empty() {
            return Vec::new();
        }
        let (root, texts, encoding) = (self.root.clone(), self.texts(), self.encoding);
        let work = move || {
            let converter = Converter {
                encoding,
                root: &root,
                texts: &texts,
            };
            let files = raw.into_iter().filter(|one| {
                root.contains(&one.path)
                    && (texts.version(&one.path).is_some() || one.path.is_file())
            });
            files
                .map(|one| Dependent {
                    diagnostics: converter.diagnostics(&one.path, &one.items),
                    evidence: one.evidence,
                    before: one
                        .before
                        .map(|before| converter.diagnostics(&one.path, &before)),
                    path: one.path,
                })
                .collect()
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_default()
    }
}
