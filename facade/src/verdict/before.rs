//! The state before a change: who can be asked about it, and what was wrong already.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fourfold_lsp_client::{Availability, InUse, Role, Served, Settled};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::change::{Change, Content};
use super::compose::{Answer, Unserved};
use super::concern::{Concern, Survey};
use super::desk::{Asked, Desk, Key, key};

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

/// Servers, and what each is asked about.
type Leases = BTreeMap<Key, (InUse, Vec<(Asked, Change)>)>;

/// What was found out through one server.
struct Looked {
    lease: InUse,
    asked: Vec<Asked>,
    strange: Vec<(PathBuf, Settled)>,
}

/// Files that somebody else changed and that are asked about before a write. More of them means
/// that a branch was switched: what is wrong then is no news of a file or two.
const STRANGE: usize = 10;

impl Desk {
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
        let begun = Instant::now();
        let leases = self.gather(changes, begun, &mut found.unserved).await;
        let starting = begun.elapsed();
        let sessions: Vec<InUse> = leases.values().map(|(lease, _)| lease.clone()).collect();
        let surveying = self.survey(&sessions, changes, survey);
        let until = Instant::now() + self.patience.before;
        let ours = changes.iter().map(|change| &change.absolute).chain(beside);
        let ours: Arc<BTreeSet<PathBuf>> = Arc::new(ours.cloned().collect());
        let mut asking = JoinSet::new();
        for (lease, mut asked) in leases.into_values() {
            let budget = self.budget(&lease, starting);
            for (one, _) in &mut asked {
                one.budget = budget;
            }
            asking.spawn(look(lease, asked, Arc::clone(&ours), until));
        }
        while let Some(looked) = asking.join_next().await {
            let Ok(looked) = looked else {
                continue;
            };
            found.asked.extend(looked.asked);
            for (path, settled) in looked.strange {
                let answer = self.answer(&looked.lease, &path, &settled, None, Vec::new());
                found.elsewhere.push(answer);
            }
        }
        let place = |answer: &Answer| (answer.path.clone(), answer.server.clone());
        found.elsewhere.sort_by_key(place);
        let place = |asked: &Asked| (asked.change, key(&asked.lease));
        found.asked.sort_by_key(place);
        found.concern = self.concern(surveying, &found.asked, changes).await;
        found
    }

    /// The servers that can be asked about a change, started if need be, and for which of its files.
    async fn gather(
        &self,
        changes: &[Change],
        begun: Instant,
        unserved: &mut Vec<Unserved>,
    ) -> Leases {
        // One that takes long to start, or never does, does not keep the others from it.
        let _held = match changes.len() {
            0 | 1 => None,
            _ => {
                let files = changes.iter().map(|change| change.absolute.as_path());
                Some(self.servers().begin(&files.collect::<Vec<_>>()).await)
            }
        };
        let mut leases = Leases::new();
        for (at, change) in changes.iter().enumerate() {
            // What it was is no obstacle once it is text: what is wrong in it may be old, and that is
            // said.
            let obstacle = match (&change.before, &change.after) {
                (Content::Opaque(_), Content::Text(_)) => None,
                (Content::Opaque(why), _) | (_, Content::Opaque(why)) => Some(why),
                _ => None,
            };
            if let Some(why) = obstacle {
                unserved.push(Unserved {
                    path: change.path.clone(),
                    reason: format!("no server was asked, because {why}"),
                    types: true,
                    failed: false,
                });
                continue;
            }
            let mut take = |lease: InUse, language_id: String, manifest| {
                let asked = Asked {
                    change: at,
                    budget: Duration::ZERO,
                    language_id,
                    lease: lease.clone(),
                    before: None,
                    others_known: false,
                    manifest,
                };
                let of = leases.entry(key(&lease));
                let of = of.or_insert_with(|| (lease, Vec::new()));
                of.1.push((asked, change.clone()));
            };
            let wait = self.patience.cold.saturating_sub(begun.elapsed());
            for served in self.servers().for_file_within(&change.absolute, wait).await {
                let language_id = served.detection.language_id.clone();
                match lease(served, &change.path) {
                    Ok(lease) => take(lease, language_id, false),
                    Err(reason) => unserved.extend(reason),
                }
            }
            for lease in self.whose_manifest(change).await {
                take(lease, String::new(), true);
            }
        }
        leases
    }

    /// The servers that run and for which this file says what the project is, though they do not look
    /// into it: what it means for other files they can tell.
    async fn whose_manifest(&self, change: &Change) -> Vec<InUse> {
        let name = change.absolute.file_name().unwrap_or_default();
        let mut found = Vec::new();
        for session in self.servers().running() {
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
            let looks_into = self.servers().detector().catalog();
            let mut looks_into = looks_into.for_path(&change.absolute);
            if looks_into.any(|one| one.id == spec.id) {
                continue;
            }
            let serves = self.servers().for_file(&open).await.into_iter();
            let leases = serves.filter_map(|served| served.session?.ok());
            found.extend(leases.filter(|lease| key(lease) == key(&session)));
        }
        found
    }
}

/// The lease of a server that can be asked; else why it cannot, if that is worth telling.
pub(super) fn lease(served: Served, path: &str) -> Result<InUse, Option<Unserved>> {
    let types = served.detection.server.role == Role::Types;
    let unserved = |reason: String, failed: bool| {
        Some(Unserved {
            path: path.to_owned(),
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

/// Looks at files through one server: what is wrong in those of the change, and in those that somebody
/// else changed since they were last looked at.
async fn look(
    lease: InUse,
    asked: Vec<(Asked, Change)>,
    ours: Arc<BTreeSet<PathBuf>>,
    until: Instant,
) -> Looked {
    let refreshed = timeout_at(until, lease.refresh_from_disk()).await;
    let strange = refreshed.ok().and_then(Result::ok).unwrap_or_default();
    let mut settling = JoinSet::new();
    // The files of the change are told by their baseline.
    let strange = strange.into_iter().filter(|path| !ours.contains(path));
    for path in strange.take(STRANGE) {
        let lease = lease.clone();
        settling.spawn(async move {
            let budget = until.saturating_duration_since(Instant::now());
            let settled = lease.settle(&path, budget).await;
            (path, settled)
        });
    }
    let mut asking = JoinSet::new();
    for (one, change) in asked {
        asking.spawn(baseline(one, change, until));
    }
    let mut looked = Looked {
        lease,
        asked: Vec::new(),
        strange: Vec::new(),
    };
    while let Some(done) = asking.join_next().await {
        looked.asked.extend(done.ok());
    }
    while let Some(done) = settling.join_next().await {
        looked.strange.extend(done.ok());
    }
    looked
}

/// Waits for what a server says is wrong before the change.
async fn baseline(mut asked: Asked, change: Change, until: Instant) -> Asked {
    let budget = until.saturating_duration_since(Instant::now());
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
