//! Other files that a change concerns.
//!
//! Many servers look at open files alone: a change that breaks a file nobody has opened would pass
//! for clean. The code graph knows who uses what is changed; those files are opened at such servers,
//! and a verdict names the ones that were not looked at.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fourfold_code_graph::extract::knows;
use fourfold_code_graph::query::{EditedFile, Stake, UserFile, users};
use fourfold_lsp_client::{InUse, Role, Session};
use fourfold_syntax::Language;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, timeout_at};

use super::behind::Known;
use super::change::{Change, Content};
use super::compose::{Answer, Outcome};
use super::desk::{Asked, Desk, key};
use super::text::plural;

/// Makes the code graph as it is before a change; blocking.
pub(super) type Survey = Box<dyn FnOnce() -> Graphs + Send>;

/// The code graph before a change, or why it is not known.
pub(super) type Graphs = Result<Known, String>;

/// Which other files a change concerns, as far as servers have to be shown them.
#[derive(Debug, Default)]
pub(super) struct Concern {
    /// Nothing when no server needs it.
    graphs: Option<Graphs>,
    /// Whether `shown` is complete: who uses what is changed was known before the change.
    told: bool,
    shown: Vec<Shown>,
}

/// The files that a change concerns, at one server that looks at open files alone.
#[derive(Debug)]
struct Shown {
    lease: InUse,
    opened: Vec<UserFile>,
    /// Those of them that it had looked at before the change.
    known: BTreeSet<PathBuf>,
    /// Those that are too many.
    left_out: Vec<UserFile>,
}

/// A file that a change concerns and that nobody looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unlooked {
    /// The file, below the root; none when it is not known which.
    pub(super) path: Option<String>,
    /// The changed files that it uses; all of them when none is named.
    pub(super) uses: Vec<String>,
    /// The rows where it does, from 0.
    pub(super) rows: Vec<u32>,
    /// Whether what it uses may not be there any more, or not in that form.
    pub(super) declared: bool,
    /// The server that would have to be shown it.
    pub(super) server: String,
    /// Why, where it is not that there are too many.
    pub(super) why: Option<String>,
}

impl Concern {
    /// Both, as one change.
    pub(super) fn join(&mut self, other: Concern) {
        self.told &= other.told;
        self.graphs = self.graphs.take().or(other.graphs);
        self.shown.extend(other.shown);
    }

    /// The rows in which a file uses what is changed, if it is one that was opened for the change and
    /// not looked at before it.
    pub(super) fn rows_of_late(&self, lease: &InUse, path: &Path, root: &Path) -> Option<&[u32]> {
        let mut shown = self.shown.iter();
        let shown = shown.find(|one| key(&one.lease) == key(lease))?;
        if shown.known.contains(path) {
            return None;
        }
        let mut opened = shown.opened.iter();
        let user = opened.find(|user| root.join(&user.path) == path)?;
        Some(&user.rows)
    }

    /// The files that were not looked at, by the answers that there are.
    pub(super) fn unlooked(&self, answers: &[Answer]) -> Vec<Unlooked> {
        let sure = |answer: &&Answer| matches!(answer.outcome, Outcome::Confirmed(_));
        let mut all = Vec::new();
        for one in &self.shown {
            let server = &one.lease.spec().id;
            let of_server = || answers.iter().filter(|answer| answer.server == *server);
            // What a server says of its own accord it says about all that is open.
            let quiet = !one.lease.asks_about_others()
                && of_server().all(|answer| !answer.changed || sure(&answer));
            let looked = |user: &&UserFile| {
                quiet || of_server().any(|answer| answer.path == user.path && sure(&answer))
            };
            let opened = one.opened.iter().filter(|user| !looked(user));
            all.extend(opened.chain(&one.left_out).map(|user| Unlooked {
                path: Some(user.path.clone()),
                uses: user.uses.clone(),
                rows: user.rows.clone(),
                declared: user.stake == Stake::Declaration,
                server: server.clone(),
                why: None,
            }));
        }
        if let Some(Err(why)) = &self.graphs {
            all.push(Unlooked {
                path: None,
                uses: Vec::new(),
                rows: Vec::new(),
                declared: true,
                server: String::new(),
                why: Some(why.clone()),
            });
        }
        all
    }
}

impl Desk {
    /// Begins to find out who uses what is changed, if a server that is asked has to be shown them;
    /// in the background. To be waited for with [`concern`](Desk::concern).
    pub(super) fn survey(
        &self,
        asked: &[InUse],
        changes: &[Change],
        survey: Survey,
    ) -> Option<Surveying> {
        let used = |change: &Change| {
            let language = Language::of_path(change.path.as_ref());
            let there = !matches!(change.before, Content::Absent | Content::Opaque(_));
            there && change.is_change() && language.is_some_and(knows)
        };
        let needed = self.patience.users > 0
            && asked.iter().any(|lease| is_short_sighted(lease))
            && changes.iter().any(used);
        needed.then(|| spawn_blocking(survey))
    }

    /// Of each running server that looks at open files alone, how many it looks at.
    pub(super) fn short_sights(&self) -> Vec<String> {
        let running = self.servers().running();
        let short = running.iter().filter(|session| is_short_sighted(session));
        let told = short.map(|session| {
            format!(
                "{} looks at open files alone, {} now; ask about others by name",
                session.spec().id,
                plural(session.opened().len(), "file")
            )
        });
        told.collect()
    }

    /// What a change concerns, once the state before it was asked for; opens those files if it is
    /// known already what is changed.
    ///
    /// *Cancel safety*: files may be open when the future is dropped.
    pub(super) async fn concern(
        &self,
        surveying: Option<Surveying>,
        asked: &[Asked],
        changes: &[Change],
    ) -> Concern {
        let Some(surveying) = surveying else {
            return Concern::default();
        };
        let until = Instant::now() + self.patience.before;
        let graphs = match timeout_at(until, surveying).await {
            Ok(Ok(graphs)) => graphs,
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the code graph of the checkout is still being made".to_owned()),
        };
        let mut concern = Concern {
            graphs: Some(graphs),
            ..Concern::default()
        };
        let known = |content: &Content| *content != Content::Unknown;
        if changes
            .iter()
            .filter(|change| change.is_change())
            .all(|change| known(&change.before) && known(&change.after))
        {
            self.show(&mut concern, asked, changes, until).await;
            let mut watching = JoinSet::new();
            for (at, shown) in concern.shown.iter().enumerate() {
                let opened = shown.opened.iter();
                let opened: Vec<PathBuf> = opened.map(|user| self.root.join(&user.path)).collect();
                let lease = shown.lease.clone();
                watching.spawn(async move {
                    let budget = until.saturating_duration_since(Instant::now());
                    (at, lease.watch(&opened, budget).await)
                });
            }
            while let Some(done) = watching.join_next().await {
                if let Ok((at, looked)) = done
                    && let Some(shown) = concern.shown.get_mut(at)
                {
                    shown.known.extend(looked);
                }
            }
        }
        concern
    }

    /// Opens the files that a change concerns, if that was not done before it and there is time.
    ///
    /// *Cancel safety*: files may be open when the future is dropped.
    pub(super) async fn show(
        &self,
        concern: &mut Concern,
        asked: &[Asked],
        changes: &[Change],
        until: Instant,
    ) {
        let Some(Ok(known)) = &concern.graphs else {
            return;
        };
        if concern.told {
            return;
        }
        concern.told = true;
        let edited: Vec<EditedFile> = changes
            .iter()
            .filter_map(|change| known.edited(change))
            .collect();
        let mut concerned: Vec<UserFile> = Vec::new();
        let told = known.graphs.iter().flat_map(|graph| users(graph, &edited));
        for user in told.chain(known.lost.iter().cloned()) {
            if !concerned.iter().any(|known| known.path == user.path) {
                concerned.push(user);
            }
        }
        let mut seen = BTreeSet::new();
        for asked in asked {
            let lease = &asked.lease;
            if !is_short_sighted(lease) || !seen.insert(key(lease)) {
                continue;
            }
            let catalog = self.servers().detector().catalog();
            let mut shown = Shown {
                lease: lease.clone(),
                opened: Vec::new(),
                known: BTreeSet::new(),
                left_out: Vec::new(),
            };
            for user in &concerned {
                let path = self.root.join(&user.path);
                // Files of another root are another server's.
                if !path.starts_with(lease.root()) || !path.is_file() {
                    continue;
                }
                let Some(language_id) = catalog.language_id(lease.spec(), &path) else {
                    continue;
                };
                if shown.opened.len() == self.patience.users {
                    shown.left_out.push(user.clone());
                    continue;
                }
                match timeout_at(until, lease.open(&path, language_id)).await {
                    Ok(Ok(())) => shown.opened.push(user.clone()),
                    closed => {
                        tracing::debug!(?closed, "a file that a change concerns stays closed");
                        shown.left_out.push(user.clone());
                    }
                }
            }
            concern.shown.push(shown);
        }
    }
}

/// A survey that goes on.
pub(super) type Surveying = tokio::task::JoinHandle<Graphs>;

/// Whether a server that can call a file clean has to be shown the files that it should look at.
fn is_short_sighted(session: &Session) -> bool {
    let spec = session.spec();
    spec.role == Role::Types && !spec.diagnostics.unopened
}
