//! `check`: the verdict on what somebody else wrote, be it a formatter, a shell or a person.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fourfold_syntax::ContentHash;
use fourfold_worktree::{Control, Purpose, Walk, WalkOptions};

use super::answered::BeforeWrite;
use super::change::{Change, Content};
use super::result::{CheckResult, Verdict, VerdictState};
use crate::Error;
use crate::conversation::Conversation;
use crate::request::CheckRequest;

/// What a conversation knows of the files of its checkout.
#[derive(Debug)]
pub(crate) struct Seen {
    /// What was written before this moment was looked at.
    since: SystemTime,
    /// What it wrote itself or has looked at since.
    contents: BTreeMap<PathBuf, ContentHash>,
}

impl Seen {
    /// From now on.
    pub(crate) fn now() -> Seen {
        Seen {
            since: SystemTime::now(),
            contents: BTreeMap::new(),
        }
    }

    /// These contents are known.
    pub(crate) fn take(&mut self, changes: &[Change]) {
        for change in changes {
            match change.after.text() {
                Some(text) => {
                    let hash = ContentHash::of(text.as_bytes());
                    self.contents.insert(change.absolute.clone(), hash);
                }
                None => {
                    self.contents.remove(&change.absolute);
                }
            }
        }
    }

    fn knows(&self, path: &Path, content: &Content) -> bool {
        let hash = content.text().map(|text| ContentHash::of(text.as_bytes()));
        hash.is_some() && self.contents.get(path) == hash.as_ref()
    }
}

/// What there is to say when nobody wrote anything.
const UNCHANGED: &str =
    "nothing to check: no file that a server is known for changed since the last answer";

/// What there is to say when there was nothing to ask about.
const NOTHING: &str = "nothing was asked: a server is known for none of these files";

/// What there is to say of files that are about to be written.
const NOTED: &str = "what is wrong in them now is noted; `check` them when they are written";

/// How long an announcement is kept: it keeps servers from being ended.
const ANNOUNCED: Duration = Duration::from_secs(600);

/// The coarsest clock of a file system that writes times of files.
const TICK: Duration = Duration::from_secs(2);

/// The most files that one check asks about. More of them means that a branch was switched.
const MOST: usize = 50;

impl Conversation {
    /// The verdict on files that somebody else wrote since the last answer: those that are named, or
    /// lie in folders that are, or all of the checkout; blocking. What was wrong in a file already is
    /// known if a request with [`before`](CheckRequest::before) came first.
    ///
    /// # Errors
    /// A path that the door of the checkout does not let in, or a walk that fails.
    pub fn check(&self, request: &CheckRequest, control: &Control) -> Result<CheckResult, Error> {
        if request.before {
            return self.announced(&request.paths);
        }
        let begun = SystemTime::now();
        let (mut changes, whole) = match request.paths.as_slice() {
            [] => (self.changed_by_others(control)?, true),
            paths => (self.named(paths, control)?, false),
        };
        let left_out = changes.len().saturating_sub(MOST);
        changes.truncate(MOST);
        let announced = self.take_announced(&changes);
        let beside: Vec<PathBuf> = announced
            .iter()
            .flat_map(BeforeWrite::files)
            .map(Path::to_path_buf)
            .collect();
        changes.retain(|change| !beside.contains(&change.absolute));
        let mut before = self.ask_before(changes, &beside)?;
        for one in announced {
            before.join(one);
        }
        let files: Vec<String> = before
            .changes
            .iter()
            .map(|change| change.path.clone())
            .collect();
        let mut verdict = self.after_write(before)?;
        if files.is_empty() {
            (verdict.state, verdict.reason) = match whole {
                true => (VerdictState::Clean, Some(UNCHANGED.to_owned())),
                false => (VerdictState::NoServer, Some(NOTHING.to_owned())),
            };
        }
        if whole {
            self.inner().seen.lock().since = begun;
        }
        Ok(CheckResult {
            files,
            left_out,
            verdict,
        })
    }

    /// Finds out what is wrong in files that are about to be written by other means.
    fn announced(&self, paths: &[PathBuf]) -> Result<CheckResult, Error> {
        let before = self.before_write(paths)?;
        let files: Vec<String> = before
            .changes
            .iter()
            .map(|change| change.path.clone())
            .collect();
        let verdict = Verdict::unasked(files.clone(), NOTED);
        let mut announced = self.inner().announced.lock();
        announced.retain(|earlier| {
            earlier.at.elapsed() < ANNOUNCED
                && !earlier
                    .files()
                    .any(|file| before.files().any(|one| one == file))
        });
        announced.push(before);
        Ok(CheckResult {
            files,
            left_out: 0,
            verdict,
        })
    }

    /// What was found out before these changes, if they were announced. The other files of an
    /// announcement come with them.
    fn take_announced(&self, changes: &[Change]) -> Vec<BeforeWrite> {
        let mut announced = self.inner().announced.lock();
        announced.retain(|one| one.at.elapsed() < ANNOUNCED);
        let (taken, left) = std::mem::take(&mut *announced)
            .into_iter()
            .partition(|one| {
                let mut files = one.files();
                files.any(|file| changes.iter().any(|change| change.absolute == file))
            });
        *announced = left;
        taken
    }

    /// The files that are named, and those in folders that are, of which a server is known.
    fn named(&self, paths: &[PathBuf], control: &Control) -> Result<Vec<Change>, Error> {
        let tree = self.checkout().tree();
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths
            .iter()
            .cloned()
            .partition(|path| self.checkout().is_folder(path));
        let mut changes = Vec::new();
        for path in files {
            let file = tree.admit(&path, Purpose::Read)?;
            changes.push(seen_now(tree.root(), file.absolute()));
        }
        if let (Ok(desk), false) = (self.checkout().desk(), folders.is_empty()) {
            let walk = self.walk(folders, control)?;
            let known = walk
                .files()
                .iter()
                .filter(|file| desk.knows(file.relative()));
            changes.extend(known.map(|file| seen_now(tree.root(), file.absolute())));
        }
        Ok(changes)
    }

    /// The files below these folders, or all of the checkout.
    pub(crate) fn walk(&self, paths: Vec<PathBuf>, control: &Control) -> Result<Walk, Error> {
        let checkout = self.checkout();
        let options = WalkOptions {
            paths,
            workers: checkout.limits().workers(),
            ..WalkOptions::default()
        };
        let walk = checkout.tree().walk(&options, control)?;
        match control.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(walk),
        }
    }

    /// The files of which a server is known and that are not as this conversation last saw them, the
    /// newest first.
    fn changed_by_others(&self, control: &Control) -> Result<Vec<Change>, Error> {
        let checkout = self.checkout();
        let Ok(desk) = checkout.desk() else {
            return Ok(Vec::new());
        };
        let since = self.inner().seen.lock().since;
        let from = since.checked_sub(TICK).unwrap_or(SystemTime::UNIX_EPOCH);
        let walk = self.walk(Vec::new(), control)?;
        let mut found = Vec::new();
        for file in walk.files() {
            let Ok(meta) = fs::symlink_metadata(file.absolute()) else {
                continue;
            };
            // The time of the inode too: a file that was moved here keeps the other one.
            let seconds = u64::try_from(meta.ctime()).unwrap_or_default();
            let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            if changed + Duration::from_secs(1) < from || !desk.knows(file.relative()) {
                continue;
            }
            let change = seen_now(checkout.root(), file.absolute());
            if !self
                .inner()
                .seen
                .lock()
                .knows(&change.absolute, &change.after)
            {
                found.push((changed, change));
            }
        }
        found.sort_by(|(a, _), (b, _)| b.cmp(a));
        Ok(found.into_iter().map(|(_, change)| change).collect())
    }
}

/// A file as it is now; what it was is not known.
fn seen_now(root: &Path, absolute: &Path) -> Change {
    let mut change = Change::by_others(root, absolute, Content::Unknown);
    change.after = Content::on_disk(absolute);
    change
}
