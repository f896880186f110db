//! The steps put together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use super::check::Checks;
use super::pull::{Answer, Question};
use super::{Before, Evidence, Settled, Why};
use crate::Diagnostic;
use crate::documents::{Overlay, View};
use crate::position::Encoding;
use crate::received::{Converter, Received};
use crate::session::{Core, Look, Published, Publishes};
use crate::spec::Readiness;

/// How long is waited for questions about other files to be answered before one of them is shown as it
/// was before.
const TURN: Duration = Duration::from_secs(2);

/// What was learned about a server during its life.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(super) answers: Mutex<BTreeMap<Question, Answer>>,
    /// How many texts in a row never got their version back.
    pub(super) wrong_versions: AtomicU32,
    /// Whether something was confirmed at any time: the server is warm.
    pub(super) warm: AtomicBool,
    /// When it had loaded the project for the first time.
    loaded: OnceLock<Instant>,
    pub(super) checks: Checks,
    /// Who writes here shows the server a text that is not the present one; who reads asks.
    pub(super) shown: tokio::sync::RwLock<()>,
}

/// What was found about a text, and under which circumstances.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    world: u64,
    seen: Seen,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) evidence: Evidence,
}

/// Up to where what the server said was taken into account.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// The last thing that was heard.
    seq: u64,
    /// The last time it wanted all pulls to be repeated.
    refreshed: u64,
}

/// How long a baseline that could not be had in time is waited for afterwards. Default 5 s: the server
/// has loaded the project by then, and what was changed is waited for too.
const OWED: Duration = Duration::from_secs(5);

/// How long is waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// In all.
    pub(super) deadline: Instant,
    /// Nobody waits: single steps have no limit of their own, and silence is waited out.
    pub(super) late: bool,
}

impl Patience {
    pub(super) fn of(budget: Duration) -> Self {
        Self {
            deadline: Instant::now() + budget,
            late: false,
        }
    }

    pub(super) fn late(budget: Duration) -> Self {
        Self {
            late: true,
            ..Self::of(budget)
        }
    }

    /// Less of it.
    pub(super) fn at_most(self, limit: Duration) -> Self {
        Self {
            deadline: self.deadline.min(Instant::now() + limit),
            late: false,
        }
    }

    /// The end of a step that may take so long.
    pub(super) fn step(self, limit: Duration) -> Instant {
        if self.late {
            self.deadline
        } else {
            self.deadline.min(Instant::now() + limit)
        }
    }
}

/// What the server says by itself, without the check of the project.
pub(super) struct Native {
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) evidence: Evidence,
    pub(super) related: Vec<(PathBuf, Arc<[Received]>)>,
    pub(super) seen: Seen,
}

impl Core {
    /// What is wrong in a document, and what its present text means for others.
    pub(super) async fn settle(&self, path: &Path, patience: Patience) -> Settled {
        self.find(path, patience, true).await
    }

    /// What is wrong in a document, without a look at others.
    pub(super) async fn settle_alone(&self, path: &Path, patience: Patience) -> Settled {
        self.find(path, patience, false).await
    }

    async fn find(&self, path: &Path, patience: Patience, others: bool) -> Settled {
        let begun = Instant::now();
        let Some((_pin, mut view)) = self.documents.pin(path) else {
            return Settled::without(Why::NotOpen, begun);
        };
        if let Some(kept) = self.still_valid(path, &view) {
            return Settled {
                diagnostics: kept.diagnostics,
                evidence: kept.evidence,
                took: begun.elapsed(),
                dependents: match others {
                    true => self.published_elsewhere(path, &view, &[], None).await,
                    false => Vec::new(),
                },
                before: None,
            };
        }
        let loaded = match self.loaded(&view, patience).await {
            Ok(loaded) => loaded,
            Err(why) => return Settled::without(why, begun),
        };
        let before = self.owed_baseline(path, &mut view, loaded, patience).await;
        let (native, checked) = self.both(path, &view, loaded, patience).await;
        let related = native.related.clone();
        let (diagnostics, mut evidence, seen) = self.complete(path, &view, native, &checked).await;
        let unchanged = |now: View| now.version == view.version;
        if !self.documents.view(path).is_some_and(unchanged) {
            evidence = Evidence::Unconfirmed(Why::Overtaken);
        }
        if evidence.is_confirmed()
            && let Some(why) = self.inbox.look(|heard| heard.broken.clone())
        {
            evidence = Evidence::Unconfirmed(Why::Unusable(why));
        }
        self.keep(path, &view, &diagnostics, &evidence, seen);
        let dependents = match others {
            true => {
                self.dependents(path, &view, related, &checked, patience)
                    .await
            }
            false => Vec::new(),
        };
        Settled {
            diagnostics,
            evidence,
            took: begun.elapsed(),
            dependents,
            before,
        }
    }

    /// Whether what was published so far is what is wrong in the files as they are.
    pub(super) async fn up_to_date(&self, patience: Patience) -> bool {
        let Some(check) = &self.spec.diagnostics.check else {
            return self.memory.warm.load(Ordering::Relaxed);
        };
        let changed = self.documents.changed();
        let open = self.documents.open().into_iter().next();
        let checked = self.checked(check, changed, open.as_deref(), patience);
        checked.await.is_ok()
    }

    /// What the server says by itself, and whether a check of the project has ended that holds.
    async fn both(
        &self,
        path: &Path,
        view: &View,
        loaded: Instant,
        patience: Patience,
    ) -> (Native, Option<Result<(), Why>>) {
        let Some(check) = &self.spec.diagnostics.check else {
            let _shown = self.memory.shown.read().await;
            return (self.native(path, view, loaded, patience).await, None);
        };
        loop {
            let checked = self
                .checked(check, view.changed, Some(path), patience)
                .await;
            // Asked afterwards: what is known of a new file comes with loading the project again.
            let native = self.native(path, view, loaded, patience).await;
            let lost = checked.is_ok() && !self.check_holds(view.changed);
            if !lost {
                return (native, Some(checked));
            }
            if Instant::now() >= patience.deadline {
                let loading = Why::StillLoading {
                    running: self.started.elapsed(),
                    doing: self.doing(),
                };
                return (native, Some(Err(loading)));
            }
        }
    }

    /// What was found before, if nothing has happened since that could change it.
    pub(super) fn still_valid(&self, path: &Path, view: &View) -> Option<Kept> {
        let kept = self.documents.kept(path)?;
        let same = self.inbox.look(|heard| {
            let published = heard.publishes.get(path);
            let news = published.is_some_and(|one| one.seq > kept.seen.seq);
            !news && heard.refreshed == kept.seen.refreshed
        });
        let holds = self.spec.diagnostics.check.is_none() || self.check_holds(view.changed);
        let lives = self.connection.has_ended().is_none();
        (same && holds && lives && kept.world == view.world).then_some(kept)
    }

    pub(super) fn keep(
        &self,
        path: &Path,
        view: &View,
        diagnostics: &[Diagnostic],
        evidence: &Evidence,
        seen: Seen,
    ) {
        if !evidence.is_confirmed() {
            return;
        }
        self.memory.warm.store(true, Ordering::Relaxed);
        let kept = Kept {
            world: view.world,
            seen,
            diagnostics: diagnostics.to_vec(),
            evidence: evidence.clone(),
        };
        self.documents.keep(path, view, kept);
    }

    /// Waits until the server has loaded the project; when that was.
    async fn loaded(&self, view: &View, patience: Patience) -> Result<Instant, Why> {
        let readiness = &self.spec.readiness;
        // Work that goes on later is looked at where it matters.
        let once = matches!(readiness, Readiness::AtOnce | Readiness::NoProgress);
        let deadline = patience.step(self.spec.diagnostics.cold);
        let ready = self.inbox.until(deadline, |heard, now| {
            if let Some(ended) = &heard.ended {
                return Look::Found(Err(Why::Gone(ended.clone())));
            }
            if let Some(why) = &heard.unusable {
                return Look::Found(Err(Why::Unusable(why.clone())));
            }
            if once && self.memory.loaded.get().is_some() {
                return Look::Found(Ok(()));
            }
            match heard.ready(readiness, &self.limits, view.opened, now) {
                Look::Found(()) => Look::Found(Ok(())),
                Look::At(at) => Look::At(at),
                Look::Wait => Look::Wait,
            }
        });
        match ready.await {
            Some(Ok(())) => Ok(*self.memory.loaded.get_or_init(Instant::now)),
            Some(Err(why)) => Err(why),
            None => Err(self.stuck().unwrap_or_else(|| Why::StillLoading {
                running: self.started.elapsed(),
                doing: self.doing(),
            })),
        }
    }

    /// Catches up on a baseline that could not be had while the server was loading: shows it the
    /// old text for a moment.
    async fn owed_baseline(
        &self,
        path: &Path,
        view: &mut View,
        loaded: Instant,
        patience: Patience,
    ) -> Option<Before> {
        let owed = self.documents.take_owed(path)?;
        if *owed == *view.text {
            return None;
        }
        // Nobody may ask about another file meanwhile: what is wrong there may depend on this text.
        let turn = patience.deadline.min(Instant::now() + TURN);
        let Ok(_shown) = timeout_at(turn, self.memory.shown.write()).await else {
            self.documents.owe(path, &owed);
            return None;
        };
        let overlay = Overlay::new(&self.documents, path, &owed)?;
        let old = self.documents.view(path)?;
        // What it found for the same text before it may not publish again.
        let native = self
            .native(path, &old, loaded, patience.at_most(OWED))
            .await;
        drop(overlay);
        *view = self.documents.view(path)?;
        Some(Before {
            diagnostics: native.diagnostics,
            evidence: native.evidence,
        })
    }

    /// How long an answer may take by the server's profile.
    pub(super) fn step(&self) -> Duration {
        if self.memory.warm.load(Ordering::Relaxed) {
            self.spec.diagnostics.warm
        } else {
            self.spec.diagnostics.cold
        }
    }

    /// What the server says by itself, by the best way that it offers.
    pub(super) async fn native(
        &self,
        path: &Path,
        view: &View,
        loaded: Instant,
        patience: Patience,
    ) -> Native {
        let begun = Instant::now();
        loop {
            let deadline = patience.step(self.step());
            let found = if let Some(ask) = self.asks() {
                Some(self.asked(ask, path, deadline).await)
            } else if self.pulls() {
                self.pulled(path, deadline).await
            } else {
                let from = view.sent.at.max(loaded);
                self.pushed(path, view, from, patience).await
            };
            match found {
                Some(native) => return native,
                // What it offers has changed; it can be asked in another way.
                None if Instant::now() < deadline => {}
                None => {
                    return Native {
                        diagnostics: Vec::new(),
                        evidence: Evidence::Unconfirmed(self.late_why(begun)),
                        related: Vec::new(),
                        seen: self.seen(),
                    };
                }
            }
        }
    }

    /// Puts what the server says by itself and what it has published together.
    pub(super) async fn complete(
        &self,
        path: &Path,
        view: &View,
        native: Native,
        checked: &Option<Result<(), Why>>,
    ) -> (Vec<Diagnostic>, Evidence, Seen) {
        let this_text = |one: &&Published| one.version.is_some_and(|got| got >= view.version);
        let (published, seen) = match checked {
            // The check has ended: what it found is what there is, even if it was published earlier,
            // because it is not published again when it stays the same.
            Some(Ok(())) => self.published(path, |all| all.found(path)).await,
            _ => {
                let (published, _) = self
                    .published(path, |all| all.get(path).filter(this_text))
                    .await;
                (published, native.seen)
            }
        };
        let diagnostics = merged(native.diagnostics, published);
        let evidence = match (native.evidence, checked) {
            (Evidence::Unconfirmed(why), _) => Evidence::Unconfirmed(why),
            (_, Some(Ok(()))) => Evidence::CheckEnded,
            (_, Some(Err(why))) => Evidence::Unconfirmed(why.clone()),
            (evidence, None) => evidence,
        };
        (diagnostics, evidence, seen)
    }

    /// Up to where everything has been heard.
    pub(super) fn seen(&self) -> Seen {
        self.inbox.look(|heard| Seen {
            seq: heard.last(),
            refreshed: heard.refreshed,
        })
    }

    /// What was published for a file, by one of the ways to look at it.
    pub(super) async fn published(
        &self,
        path: &Path,
        which: impl FnOnce(&Publishes) -> Option<&Published>,
    ) -> (Vec<Diagnostic>, Seen) {
        let (items, seen) = self.inbox.look(|heard| {
            let seen = Seen {
                seq: heard.last(),
                refreshed: heard.refreshed,
            };
            let published = which(&heard.publishes);
            (published.map(|one| Arc::clone(&one.items)), seen)
        });
        let items = items.unwrap_or_default();
        (self.convert(path, items, self.encoding).await, seen)
    }

    /// Counts columns in bytes.
    pub(super) async fn convert(
        &self,
        path: &Path,
        items: Arc<[Received]>,
        encoding: Encoding,
    ) -> Vec<Diagnostic> {
        if items.is_empty() {
            return Vec::new();
        }
        let (path, root, texts) = (path.to_owned(), self.root.clone(), self.texts());
        let work = move || {
            let converter = Converter {
                encoding,
                root: &root,
                texts: &texts,
            };
            converter.diagnostics(&path, &items)
        };
        // Places in other files are looked up on disk.
        tokio::task::spawn_blocking(work).await.unwrap_or_default()
    }
}

/// Both lists, without what one mistake has in both. Where they disagree in words or columns, the
/// same code on the same line is the same mistake, and the published one stays: it is the
/// compiler's.
fn merged(native: Vec<Diagnostic>, published: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let twice = |one: &Diagnostic| {
        published.iter().any(|other| {
            let same_code = one.code.is_some() && one.code == other.code;
            let same_line = one.span.start.line == other.span.start.line;
            (same_code && same_line)
                || (one.severity == other.severity
                    && one.message == other.message
                    && one.span == other.span)
        })
    };
    let mut all: Vec<_> = native.into_iter().filter(|one| !twice(one)).collect();
    all.extend(published);
    all
}
