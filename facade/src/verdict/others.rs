//! What somebody else did to the files of a checkout since a conversation last looked: a formatter, a
//! shell, a person.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use fourfold_syntax::ContentHash;
use fourfold_worktree::{Control, Purpose, Walk, WalkOptions};

use super::change::{Change, Content};
use super::desk::Desk;
use crate::Error;
use crate::conversation::Conversation;

/// What a conversation knows of the files of its checkout.
#[derive(Debug)]
pub(crate) struct Seen {
    /// What was written before this moment was looked at.
    since: SystemTime,
    /// What came and went before this number was looked at.
    moves: u64,
    /// What it wrote itself or has looked at since; nothing for what it took away.
    contents: BTreeMap<PathBuf, Option<ContentHash>>,
    /// Until it has looked at everything once: since when it is there.
    begun: Option<Instant>,
}

/// A conversation that is no older has only begun: nobody can have written anything in it.
const BEGUN: Duration = Duration::from_secs(5);

impl Seen {
    /// From now on; `moves` is the number that the roll gives now.
    pub(crate) fn now(moves: u64) -> Seen {
        Seen {
            since: SystemTime::now(),
            moves,
            contents: BTreeMap::new(),
            begun: Some(Instant::now()),
        }
    }

    /// Whether it has only begun, so that what others wrote before is not known.
    pub(super) fn has_just_begun(&self) -> bool {
        self.begun.is_some_and(|begun| begun.elapsed() < BEGUN)
    }

    /// These contents are known.
    pub(crate) fn take(&mut self, changes: &[Change]) {
        if !changes.is_empty() {
            // From this answer on.
            self.begun = None;
        }
        for change in changes {
            let text = change.after.text();
            let hash = text.map(|text| ContentHash::of(text.as_bytes()));
            match (hash, &change.after) {
                (None, Content::Opaque(_) | Content::Unknown) => {
                    self.contents.remove(&change.absolute);
                }
                (hash, _) => {
                    self.contents.insert(change.absolute.clone(), hash);
                }
            }
        }
    }

    /// Whether nobody else touched a file since it was looked at.
    pub(super) fn has_looked(&self, change: &Change) -> bool {
        let at = touched(&change.absolute);
        let before = at.is_some_and(|at| at < self.from());
        before || self.knows(&change.absolute, &change.after)
    }

    /// From when on changes may not have been looked at.
    fn from(&self) -> SystemTime {
        let from = self.since.checked_sub(TICK);
        from.unwrap_or(SystemTime::UNIX_EPOCH)
    }

    fn knows(&self, path: &Path, content: &Content) -> bool {
        let hash = content.text().map(|text| ContentHash::of(text.as_bytes()));
        let known = self.contents.get(path);
        known.is_some_and(|known| *known == hash && (hash.is_some() || *content == Content::Absent))
    }
}

/// A moment up to which others' changes are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    since: SystemTime,
    moves: u64,
}

/// How far the clock that writes times of files may be behind.
const TICK: Duration = Duration::from_millis(20);

/// The same, where a file system knows whole seconds alone, or every other one.
const COARSE: Duration = Duration::from_secs(2);

impl Conversation {
    /// The files of which a server is known and that are not as this conversation last saw them, the
    /// newest first, then those that are gone; and up to when that is so.
    pub(super) fn changed_by_others(
        &self,
        control: &Control,
    ) -> Result<(Vec<Change>, Option<Look>), Error> {
        let checkout = self.checkout();
        let Ok(desk) = checkout.desk() else {
            return Ok((Vec::new(), None));
        };
        let (from, number) = {
            let seen = self.inner().seen.lock();
            (seen.from(), seen.moves)
        };
        let begun = SystemTime::now();
        self.recall(&desk);
        let walk = self.walk(Vec::new(), control)?;
        let files = walk.files().iter();
        let files = files.filter(|file| desk.knows(file.relative()));
        let files: BTreeSet<PathBuf> = files.map(|file| file.absolute().to_path_buf()).collect();
        let mut found = Vec::new();
        for path in &files {
            if let Some(changed) = touched(path).filter(|changed| *changed >= from) {
                found.push((changed, path));
            }
        }
        found.sort_by(|(a, _), (b, _)| b.cmp(a));
        let found: Vec<PathBuf> = found.into_iter().map(|(_, path)| path.clone()).collect();
        checkout.roll.call(files);
        let moved = checkout.roll.since(number);
        let mut changes = Vec::new();
        for path in found {
            let before = match moved.is_new(&path) {
                true => Content::Absent,
                false => Content::Unknown,
            };
            changes.push(seen_now(checkout.root(), &path, before));
        }
        for path in moved.gone().filter(|path| desk.knows(path)) {
            if left(path).is_some_and(|changed| changed >= from) {
                changes.push(seen_now(checkout.root(), path, Content::Unknown));
            }
        }
        let seen = self.inner().seen.lock();
        changes.retain(|change| !seen.knows(&change.absolute, &change.after));
        let look = Look {
            since: begun,
            moves: moved.next,
        };
        Ok((changes, Some(look)))
    }

    /// All that others did up to then was looked at.
    pub(super) fn looked(&self, look: Look) {
        let mut seen = self.inner().seen.lock();
        (seen.since, seen.moves) = (look.since, look.moves);
        seen.begun = None;
    }

    /// The files that are named, those that are gone included, and those in folders that are, of which
    /// a server is known.
    pub(super) fn named(&self, paths: &[PathBuf], control: &Control) -> Result<Vec<Change>, Error> {
        let tree = self.checkout().tree();
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths
            .iter()
            .cloned()
            .partition(|path| self.checkout().is_folder(path));
        let mut changes = Vec::new();
        for path in files {
            match tree.admit(&path, Purpose::Read) {
                Ok(file) => {
                    let path = file.absolute();
                    changes.push(seen_now(tree.root(), path, Content::Unknown));
                }
                Err(missing @ fourfold_worktree::Error::NotFound { .. }) => {
                    let place = tree.admit(&path, Purpose::Create)?;
                    let path = place.absolute();
                    if !self.was_there(path) {
                        return Err(missing.into());
                    }
                    changes.push(seen_now(tree.root(), path, Content::Unknown));
                }
                Err(error) => return Err(error.into()),
            }
        }
        changes.extend(self.in_folders(folders, control)?);
        Ok(changes)
    }

    /// The files in folders of which a server is known.
    pub(super) fn in_folders(
        &self,
        folders: Vec<PathBuf>,
        control: &Control,
    ) -> Result<Vec<Change>, Error> {
        let (Ok(desk), false) = (self.checkout().desk(), folders.is_empty()) else {
            return Ok(Vec::new());
        };
        let root = self.checkout().root();
        let walk = self.walk(folders, control)?;
        let known = walk.files().iter();
        let known = known.filter(|file| desk.knows(file.relative()));
        let changes = known.map(|file| seen_now(root, file.absolute(), Content::Unknown));
        Ok(changes.collect())
    }

    /// Whether a file that is not there was there once.
    fn was_there(&self, path: &Path) -> bool {
        let checkout = self.checkout();
        if let Ok(desk) = checkout.desk() {
            self.recall(&desk);
        }
        let known = self.inner().seen.lock().contents.contains_key(path);
        known || checkout.roll.knew(path)
    }

    /// Before the files are called over for the first time, those count that the code graph knows.
    fn recall(&self, desk: &Desk) {
        let checkout = self.checkout();
        if checkout.roll.is_known() {
            return;
        }
        let index = checkout.index();
        if index.generation() > 0 {
            let files = index.paths().into_iter();
            let files = files.filter(|path| desk.knows(Path::new(path)));
            checkout
                .roll
                .recall(files.map(|path| checkout.root().join(path)));
        }
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
}

/// When something of a file was changed, at the latest. The time of the inode: a file that was moved
/// here keeps the other one.
pub(super) fn touched(path: &Path) -> Option<SystemTime> {
    let meta = fs::symlink_metadata(path).ok()?;
    let seconds = Duration::from_secs(u64::try_from(meta.ctime()).unwrap_or_default());
    let rest = match u64::try_from(meta.ctime_nsec()).unwrap_or_default() {
        0 => COARSE,
        rest => Duration::from_nanos(rest),
    };
    Some(SystemTime::UNIX_EPOCH + seconds + rest)
}

/// When a file that is gone may have gone: when its folder, or what is left of the way there, changed.
fn left(path: &Path) -> Option<SystemTime> {
    path.ancestors().skip(1).find_map(touched)
}

/// A file as it is now.
fn seen_now(root: &Path, absolute: &Path, before: Content) -> Change {
    let mut change = Change::by_others(root, absolute, before);
    change.after = Content::on_disk(absolute);
    change
}
