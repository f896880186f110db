//! `resolve` and `staged`: what becomes of a stage, and which there are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fourfold_rewrite_txn::{
    CommitError, CommitOptions, Committed, DiffOptions, Error as StageError, Guarantee, KeptStage,
    Staged,
};

use crate::Error;
use crate::checkout::recovered;
use crate::conversation::{Conversation, Held};
use crate::echo::shortened;
use crate::nearest;
use crate::notes::Note;
use crate::policy::Deed;
use crate::request::{ResolveAction, ResolveRequest};
use crate::result::{ResolveResult, StagedInfo, StagedResult, StagedSite};
use crate::rewrite::evicted_stage;
use crate::write::Unwritten;

/// A stage with the place it was found in.
struct Found {
    staged: Staged,
    note: Note,
    /// When it was staged, if it was in memory.
    held: Option<SystemTime>,
}

impl Conversation {
    /// Applies a stage, all of it or nothing, or discards it; blocking.
    ///
    /// With `except`, the selection is committed as a whole in place of the stage, and what was left
    /// out is a stage of its own afterwards, see [`ResolveResult::rest`]. A commit survives a power cut when this returns. When a file is not as it was
    /// staged, nothing is written, every such file is named, and the stage is kept.
    ///
    /// # Errors
    /// [`Error::NoSuchStage`], [`Error::NotInStage`], [`Error::Drifted`], [`Error::Commit`].
    pub fn resolve(&self, request: &ResolveRequest) -> Result<ResolveResult, Error> {
        self.writable("resolve a stage")?;
        match request.action {
            ResolveAction::Apply => self.apply(request),
            ResolveAction::Discard => self.discard(request),
        }
    }

    fn apply(&self, request: &ResolveRequest) -> Result<ResolveResult, Error> {
        let mut found = self.take(&request.id)?;
        match self.commit(&mut found, &request.except) {
            Ok((mut result, selection)) => {
                self.forget(&found)?;
                if let Some(applied) = selection {
                    let keep = found.held.is_none();
                    self.stage_rest(&found.staged, found.note, keep, &applied, &mut result);
                }
                Ok(result)
            }
            Err(error) => {
                self.put_back(found);
                Err(error)
            }
        }
    }

    /// Commits a stage, or a selection of it, which is given back.
    fn commit(
        &self,
        found: &mut Found,
        except: &[String],
    ) -> Result<(ResolveResult, Option<Staged>), Error> {
        let id = found.staged.id().to_owned();
        let mut selection = match except {
            [] => None,
            except => Some(select(&found.staged, &found.note, except)?),
        };
        let staged = selection.as_mut().unwrap_or(&mut found.staged);
        let _turn = self.turn(written_by(staged))?;
        let sites = sites(staged, &found.note);
        let all = staged.files().count();
        let durability = self.checkout().durability().resolve;
        // Neither a person nor a server is asked about what cannot be applied.
        let committed = match staged.check(&CommitOptions::new(durability)) {
            Ok(()) => {
                self.approve_change(Deed::Commit, staged)?;
                self.commit_written(staged, durability)
            }
            Err(refused) => Err(Unwritten::Refused(refused)),
        };
        let (committed, verdict) = committed.map_err(|error| match error {
            Unwritten::Cancelled => Error::Cancelled,
            Unwritten::Refused(CommitError::Drifted { files, .. }) => Error::Drifted {
                id: id.clone(),
                again: again(&found.note),
                without: match files.len() < all {
                    true => "apply it without those files (`except`)".to_owned(),
                    false => "discard it".to_owned(),
                },
                files,
            },
            Unwritten::Refused(other) => Error::Commit(other),
        })?;
        let result = ResolveResult {
            id,
            applied: true,
            selection: selection.as_ref().map(|staged| staged.id().to_owned()),
            rest: None,
            files: committed
                .files
                .iter()
                .map(|file| file.path.to_string_lossy().into_owned())
                .collect(),
            sites,
            notices: notices(&committed),
            verdict: Some(verdict),
        };
        Ok((result, selection))
    }

    fn discard(&self, request: &ResolveRequest) -> Result<ResolveResult, Error> {
        if !request.except.is_empty() {
            return Err(Error::usage(
                "`except` selects what is not applied; to discard a stage, leave it out",
            ));
        }
        let id = request.id.clone();
        match self.take(&id) {
            Ok(found) => {
                self.forget(&found)?;
                Ok(ResolveResult {
                    id,
                    applied: false,
                    selection: None,
                    rest: None,
                    files: file_names(&found.staged),
                    sites: sites(&found.staged, &found.note),
                    notices: Vec::new(),
                    verdict: None,
                })
            }
            Err(Error::Stage(StageError::StageDamaged { why, .. })) => {
                self.checkout().store()?.remove(&id)?;
                self.checkout().notes().remove(&id);
                Ok(ResolveResult {
                    id,
                    applied: false,
                    selection: None,
                    rest: None,
                    files: Vec::new(),
                    sites: 0,
                    notices: vec![format!("its file was damaged ({why})")],
                    verdict: None,
                })
            }
            Err(error) => Err(error),
        }
    }

    /// The stage of this id: of this conversation, else of the disk. While it is being resolved
    /// nobody else in this conversation can have it.
    fn take(&self, id: &str) -> Result<Found, Error> {
        {
            let mut stages = self.inner().stages.lock();
            if let Some(at) = stages.iter().position(|held| held.staged.id() == id) {
                let held = stages.remove(at);
                return Ok(Found {
                    staged: held.staged,
                    note: held.note,
                    held: Some(held.at),
                });
            }
        }
        match self.checkout().store()?.load(id) {
            Ok(staged) => Ok(Found {
                note: self.checkout().notes().read(id).unwrap_or_default(),
                staged,
                held: None,
            }),
            Err(StageError::NoSuchStage { .. } | StageError::BadId { .. }) => {
                Err(self.no_such_stage(id))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn no_such_stage(&self, id: &str) -> Error {
        let known = match self.list() {
            Ok(stages) => stages.into_iter().map(|stage| stage.id).collect(),
            Err(_) => Vec::new(),
        };
        Error::NoSuchStage {
            id: shortened(id, [id]),
            hint: nearest::hint(id, known.iter().map(String::as_str)),
            known: match known.as_slice() {
                [] => "there is none now".to_owned(),
                known => format!("there are {}", known.join(", ")),
            },
        }
    }

    fn forget(&self, found: &Found) -> Result<(), Error> {
        if found.held.is_none() {
            let id = found.staged.id();
            self.checkout().store()?.remove(id)?;
            self.checkout().notes().remove(id);
        }
        Ok(())
    }

    fn put_back(&self, found: Found) {
        if let Some(at) = found.held {
            let mut stages = self.inner().stages.lock();
            let place = stages.partition_point(|held| held.at <= at);
            let held = Held {
                staged: found.staged,
                note: found.note,
                at,
            };
            stages.insert(place, held);
        }
    }

    /// The stages: of this conversation and those kept on disk, the newest first; blocking. Kept
    /// ones that are over the limits are removed and named.
    ///
    /// # Errors
    /// [`Error::Stage`] when the folder of the kept ones cannot be read.
    pub fn staged(&self) -> Result<StagedResult, Error> {
        let checkout = self.checkout();
        let evicted = match self.is_writable() {
            true => checkout.store()?.sweep()?,
            false => Vec::new(),
        };
        let notes = checkout.notes();
        evicted.iter().for_each(|one| notes.remove(&one.id));
        Ok(StagedResult {
            stages: self.list()?,
            evicted: evicted.iter().map(evicted_stage).collect(),
        })
    }

    fn list(&self) -> Result<Vec<StagedInfo>, Error> {
        let checkout = self.checkout();
        let notes = checkout.notes();
        let now = SystemTime::now();
        let kept = checkout.store()?.list()?;
        let mut all: Vec<StagedInfo> = kept
            .iter()
            .map(|stage| kept_info(stage, notes.read(&stage.id), now))
            .collect();
        let held = self.inner().stages.lock();
        all.extend(held.iter().map(|held| held_info(held, now)));
        all.sort_by(|a, b| b.staged_at.cmp(&a.staged_at).then(a.id.cmp(&b.id)));
        Ok(all)
    }

    /// The sites of a stage, by the names that `except` takes; blocking.
    ///
    /// # Errors
    /// [`Error::NoSuchStage`], or [`Error::Stage`] when a kept one cannot be read.
    pub fn sites(&self, id: &str) -> Result<Vec<StagedSite>, Error> {
        let found = self.take(id)?;
        let sites = staged_sites(&found.staged, &found.note);
        self.put_back(found);
        Ok(sites)
    }

    /// The unified diff of a stage, at most about `max_bytes` of it; blocking.
    ///
    /// # Errors
    /// [`Error::NoSuchStage`], or [`Error::Stage`] when a kept one cannot be read.
    pub fn diff(&self, id: &str, max_bytes: usize) -> Result<String, Error> {
        let found = self.take(id)?;
        let options = DiffOptions::default().max_bytes(max_bytes);
        let diff = found.staged.diff(&options).to_string();
        self.put_back(found);
        Ok(diff)
    }
}

/// The sites of a stage, by file and place.
fn staged_sites(staged: &Staged, note: &Note) -> Vec<StagedSite> {
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    for file in staged.files() {
        for id in file.edits().iter().filter_map(|edit| edit.site.as_ref()) {
            if !seen.insert(id) {
                continue;
            }
            all.push(site(id, None));
            let within = note.nested.iter().filter(|(_, outer)| *outer == id);
            all.extend(within.map(|(inner, outer)| site(inner, Some(outer.clone()))));
        }
    }
    all
}

fn site(id: &str, inside: Option<String>) -> StagedSite {
    let (path, place) = id.rsplit_once(':').unwrap_or((id, ""));
    let line = place.split('#').next().unwrap_or_default();
    StagedSite {
        id: id.to_owned(),
        path: path.to_owned(),
        line: line.parse().unwrap_or_default(),
        inside,
    }
}

/// The file of a site, as its name tells.
fn file_of(site: &str) -> &str {
    site.rsplit_once(':').map_or(site, |(path, _)| path)
}

/// How to stage again after a drift.
fn again(note: &Note) -> String {
    if let Some(what) = &note.description {
        return format!("ask for it again ({what})");
    }
    match note.pattern.as_str() {
        "" => "stage the rewrite again".to_owned(),
        pattern => format!(
            "stage the rewrite again (pattern `{pattern}`, template `{}`)",
            note.template
        ),
    }
}

/// What is left of a stage without some sites and files.
fn select(staged: &Staged, note: &Note, except: &[String]) -> Result<Staged, Error> {
    // Names that are not UTF-8 are typed as they are shown, and two may be shown alike.
    let mut files: BTreeMap<String, Vec<&Path>> = BTreeMap::new();
    for file in staged.files() {
        let name = file.path().to_string_lossy().into_owned();
        files.entry(name).or_default().push(file.path());
    }
    let known: BTreeSet<&str> = staged.sites().into_iter().collect();
    let mut without_names: BTreeSet<&str> = BTreeSet::new();
    let mut without_files: Vec<&Path> = Vec::new();
    let mut without_sites = Vec::new();
    for name in except {
        let path = name.strip_prefix("./").unwrap_or(name);
        if let Some(paths) = files.get(path) {
            without_names.insert(path);
            without_files.extend(paths);
        } else if known.contains(path) {
            without_sites.push(path);
        } else if let Some(outer) = note.nested.get(path) {
            return Err(Error::usage(format!(
                "the site {path} lies inside {outer} and is changed with it; leave out {outer}, or \
                 stage the rewrite again with `exclude`"
            )));
        } else {
            let names = known
                .iter()
                .copied()
                .chain(files.keys().map(String::as_str));
            return Err(Error::NotInStage {
                id: staged.id().to_owned(),
                name: name.clone(),
                hint: nearest::hint(name, names),
                example: known
                    .first()
                    .map_or_else(String::new, |site| (*site).to_owned()),
            });
        }
    }
    // A site of a file that goes as a whole goes with it.
    without_sites.retain(|site| !without_names.contains(file_of(site)));
    let selection = staged.without(&without_files, &without_sites)?;
    if selection.is_empty() {
        return Err(Error::usage(format!(
            "nothing of stage {} is left; discard it instead",
            staged.id()
        )));
    }
    Ok(selection)
}

/// How many sites a stage has, those inside others among them.
fn sites(staged: &Staged, note: &Note) -> usize {
    let named: BTreeSet<&str> = staged.sites().into_iter().collect();
    let inside = note.nested.values();
    named.len()
        + inside
            .filter(|outer| named.contains(outer.as_str()))
            .count()
}

/// The files that a stage writes, by both names of one that moves.
fn written_by(staged: &Staged) -> Vec<PathBuf> {
    let files = staged.files().flat_map(|file| {
        let to = file.renamed_to().map(Path::to_path_buf);
        [file.path().to_path_buf()].into_iter().chain(to)
    });
    files.collect()
}

fn file_names(staged: &Staged) -> Vec<String> {
    staged
        .files()
        .map(|file| file.path().to_string_lossy().into_owned())
        .collect()
}

/// What is less sure than usual about a commit.
pub(crate) fn notices(committed: &Committed) -> Vec<String> {
    let mut notices = Vec::new();
    match committed.guarantee {
        Guarantee::Full => {}
        Guarantee::NoLease => notices.push(
            "this file system has no leases: what another program wrote at the very moment of the \
             commit, through a file it had open, can be lost"
                .to_owned(),
        ),
        _ => notices.push(
            "this file system cannot exchange files in one step: what another program saved within \
             microseconds of the commit can be lost"
                .to_owned(),
        ),
    }
    notices.extend(recovered(&committed.recovered).notices());
    notices
}

/// The pattern, if it was a rewrite.
fn pattern(note: &Note) -> Option<String> {
    note.description.is_none().then(|| note.pattern.clone())
}

fn template(note: &Note) -> Option<String> {
    note.description.is_none().then(|| note.template.clone())
}

fn kept_info(stage: &KeptStage, note: Option<Note>, now: SystemTime) -> StagedInfo {
    let (files, sites, damaged) = match &stage.content {
        Ok(content) => {
            let files = content.files.iter();
            let files = files.map(|file| file.to_string_lossy().into_owned());
            (files.collect(), content.sites, None)
        }
        Err(why) => (Vec::new(), 0, Some(why.clone())),
    };
    StagedInfo {
        id: stage.id.clone(),
        kept: true,
        staged_at: seconds(stage.saved),
        age: age(stage.saved, now),
        pattern: note.as_ref().and_then(pattern),
        template: note.as_ref().and_then(template),
        description: note.as_ref().and_then(|note| note.description.clone()),
        files,
        sites: sites + note.map_or(0, |note| note.nested.len()),
        damaged,
    }
}

fn held_info(held: &Held, now: SystemTime) -> StagedInfo {
    StagedInfo {
        id: held.staged.id().to_owned(),
        kept: false,
        staged_at: seconds(held.at),
        age: age(held.at, now),
        pattern: pattern(&held.note),
        template: template(&held.note),
        description: held.note.description.clone(),
        files: file_names(&held.staged),
        sites: sites(&held.staged, &held.note),
        damaged: None,
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

fn age(since: SystemTime, now: SystemTime) -> String {
    words(now.duration_since(since).unwrap_or_default())
}

fn words(age: Duration) -> String {
    let seconds = age.as_secs();
    let (number, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural} ago")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_read_well() {
        let said = |seconds| words(Duration::from_secs(seconds));
        assert_eq!(said(59), "just now");
        assert_eq!(said(60), "1 minute ago");
        assert_eq!(said(7300), "2 hours ago");
        assert_eq!(said(3 * 86_400), "3 days ago");
    }
}
