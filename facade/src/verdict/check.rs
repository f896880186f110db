//! `check`: the verdict on what somebody else wrote, be it a formatter, a shell or a person.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fourfold_syntax::ContentHash;
use fourfold_worktree::{Control, Purpose, Walk, WalkOptions};

use super::change::{Change, Content};
use super::result::CheckResult;
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

/// What there is to say when there was nothing to ask about.
const NOTHING: &str =
    "nothing was asked: no file that a server is known for changed since the last answer";

/// The coarsest clock of a file system that writes times of files.
const TICK: Duration = Duration::from_secs(2);

/// The most files that one check asks about. More of them means that a branch was switched.
const MOST: usize = 50;

impl Conversation {
    /// The verdict on files that somebody else wrote since the last answer: those that are named, or
    /// lie in folders that are, or all of the checkout; blocking.
    ///
    /// # Errors
    /// A path that the door of the checkout does not let in, or a walk that fails.
    pub fn check(&self, request: &CheckRequest, control: &Control) -> Result<CheckResult, Error> {
        let begun = SystemTime::now();
        let (mut changes, whole) = match request.paths.as_slice() {
            [] => (self.changed_by_others(control)?, true),
            paths => (self.named(paths, control)?, false),
        };
        let left_out = changes.len().saturating_sub(MOST);
        changes.truncate(MOST);
        let files: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
        let before = self.ask_before(changes)?;
        let mut verdict = self.ask_after(before)?;
        if files.is_empty() {
            verdict.reason = Some(NOTHING.to_owned());
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

    /// The files that are named, and those in folders that are, of which a server is known.
    fn named(&self, paths: &[PathBuf], control: &Control) -> Result<Vec<Change>, Error> {
        let tree = self.checkout().tree();
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths
            .iter()
            .cloned()
            .partition(|path| tree.root().join(path).is_dir());
        let mut changes = Vec::new();
        for path in files {
            let file = tree.admit(&path, Purpose::Read)?;
            changes.push(seen_now(tree.root(), file.absolute()));
        }
        if let (Some(desk), false) = (self.checkout().desk(), folders.is_empty()) {
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
        let Some(desk) = checkout.desk() else {
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
