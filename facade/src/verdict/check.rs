//! `check`: the verdict on what somebody else wrote, be it a formatter, a shell or a person.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fourfold_worktree::Control;

use super::answered::BeforeWrite;
use super::change::{Change, Content};
use super::concern::Unlooked;
use super::others::touched;
use super::result::{CheckResult, FileVerdict, Verdict, VerdictState};
use crate::Error;
use crate::conversation::Conversation;
use crate::request::CheckRequest;

/// What there is to say when nobody wrote anything.
const UNCHANGED: &str = "nothing to check: no file of a kind that has servers changed since the last \
                         answer, and that one left nothing wrong or open";

/// What there is to say when nothing was found because nobody had looked before.
const BEGUN: &str = "this conversation has only begun, so that what others wrote before is not known; name the files or folders to check";

/// What there is to say when there was nothing to ask about.
const NOTHING: &str = "nothing was asked: a server is known for none of these files";

/// What there is to say of files that are about to be written.
const NOTED: &str = "what is wrong in them now is noted; `check` them when they are written";

/// How long an announcement is kept: it keeps servers from being ended.
const ANNOUNCED: Duration = Duration::from_secs(600);

/// The most files that one check asks about. More of them means that a branch was switched.
const MOST: usize = 50;

/// So many files that nobody looked at are remembered.
const OWED: usize = 500;

/// A file that a verdict left open.
#[derive(Debug, Default)]
pub(crate) struct Owed {
    /// The rows where it uses what was changed, from 0.
    rows: BTreeSet<u32>,
    /// When something of it was changed last.
    touched: Option<SystemTime>,
}

impl Conversation {
    /// The verdict on files that somebody else wrote since the last answer: those that are named, or
    /// lie in folders that are, or all of the checkout; with these come the files that an earlier
    /// verdict left open or wrong, so that nothing stays unsaid. Blocking.
    ///
    /// What was wrong in a file already is known if a request with [`before`](CheckRequest::before)
    /// came first.
    ///
    /// # Errors
    /// A path that the door of the checkout does not let in, or a walk that fails.
    pub fn check(&self, request: &CheckRequest, control: &Control) -> Result<CheckResult, Error> {
        if request.before {
            return self.announced(&request.paths, control);
        }
        let whole = request.paths.is_empty();
        let begun = self.inner().seen.lock().has_just_begun();
        let (mut changes, look) = match whole {
            true => {
                let (mut changes, look) = self.changed_by_others(control)?;
                self.add_owed(&mut changes, control);
                (changes, look)
            }
            false => (self.named(&request.paths, control)?, None),
        };
        self.tell_owed(&mut changes);
        if whole {
            self.add_left(&mut changes, control);
        }
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
                true if begun => (VerdictState::Unconfirmed, Some(BEGUN.to_owned())),
                true => (VerdictState::Clean, Some(UNCHANGED.to_owned())),
                false => (VerdictState::NoServer, Some(NOTHING.to_owned())),
            };
        }
        if let Some(look) = look {
            self.looked(look);
        }
        Ok(CheckResult {
            files,
            left_out,
            verdict,
        })
    }

    /// Finds out what is wrong in files that are about to be written by other means.
    fn announced(&self, paths: &[PathBuf], control: &Control) -> Result<CheckResult, Error> {
        let (folders, mut files): (Vec<PathBuf>, Vec<PathBuf>) = paths
            .iter()
            .cloned()
            .partition(|path| self.checkout().is_folder(path));
        let inside = self.in_folders(folders, control)?.into_iter();
        files.extend(inside.map(|change| change.absolute));
        if files.is_empty() {
            return Err(Error::usage(
                "`before` needs `paths`: name the files that are about to be written, or folders \
                 with files that a server is known for",
            ));
        }
        let left_out = files.len().saturating_sub(MOST);
        files.truncate(MOST);
        let before = self.before_write(files)?;
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
            left_out,
            verdict,
        })
    }

    /// Remembers which files a verdict left open; those that it was sure about are answered.
    pub(super) fn owe(&self, told: &[FileVerdict], unlooked: &[Unlooked]) {
        let is_answered = |path: &String| {
            told.iter()
                .any(|one| one.path == *path && one.state != VerdictState::Unconfirmed)
        };
        let mut owed = self.inner().owed.lock();
        owed.retain(|path, _| !is_answered(path));
        for one in unlooked {
            let Some(path) = one.path.as_ref().filter(|path| !is_answered(path)) else {
                continue;
            };
            let touched = touched(&self.checkout().root().join(path));
            let of_it = owed.entry(path.clone()).or_default();
            if of_it.touched != touched {
                *of_it = Owed::default();
            }
            of_it.touched = touched;
            of_it.rows.extend(&one.rows);
        }
        while owed.len() > OWED {
            owed.pop_last();
        }
    }

    /// The files that earlier verdicts left open, as if they had been named.
    fn add_owed(&self, changes: &mut Vec<Change>, control: &Control) {
        let owed: Vec<String> = self.inner().owed.lock().keys().cloned().collect();
        for path in owed {
            if changes.iter().any(|change| change.path == path) {
                continue;
            }
            match self.named(&[PathBuf::from(&path)], control) {
                Ok(named) => changes.extend(named),
                // It is gone, or nobody is let in any more.
                Err(_) => drop(self.inner().owed.lock().remove(&path)),
            }
        }
    }

    /// Remembers in which files something is wrong still, or is not known.
    pub(super) fn leave(&self, verdict: &Verdict) {
        let ledger = self.inner().ledger.lock();
        let mut left = self.inner().left.lock();
        for one in &verdict.files {
            let known = matches!(one.state, VerdictState::Clean | VerdictState::Problems);
            left.insert(one.path.clone(), !known);
        }
        for problem in &verdict.new {
            left.entry(problem.path.clone()).or_default();
        }
        let wrong = ledger.in_error();
        left.retain(|path, unknown| *unknown || wrong.contains(path.as_str()));
        while left.len() > OWED {
            left.pop_last();
        }
    }

    /// The files that an earlier verdict left wrong or open, to be looked at once more. Those that
    /// changed since are among the changes already.
    fn add_left(&self, changes: &mut Vec<Change>, control: &Control) {
        let Ok(desk) = self.checkout().desk() else {
            return;
        };
        let left: Vec<String> = self.inner().left.lock().keys().cloned().collect();
        for path in left {
            if changes.iter().any(|change| change.path == path) || !desk.knows(Path::new(&path)) {
                continue;
            }
            let named = self.named(&[PathBuf::from(&path)], control).ok();
            let named = named.into_iter().flatten();
            let there: Vec<Change> = named
                .filter(|change| change.after != Content::Absent)
                .collect();
            if there.is_empty() {
                self.inner().left.lock().remove(&path);
            }
            changes.extend(there.into_iter().map(|mut change| {
                let lines = change.after.text().map_or(0, |text| text.lines().count());
                // Whatever is found in it may come from the change that was not answered.
                change.owed = Some((0..=u32::try_from(lines).unwrap_or(u32::MAX)).collect());
                change
            }));
        }
    }

    /// Tells those that nobody touched since an earlier verdict left them open from changes.
    fn tell_owed(&self, changes: &mut [Change]) {
        let owed = self.inner().owed.lock();
        let seen = self.inner().seen.lock();
        for change in changes {
            let left = owed.get(&change.path);
            let same = left.filter(|left| {
                left.touched == touched(&change.absolute) && seen.has_looked(change)
            });
            change.owed = same.map(|left| left.rows.iter().copied().collect());
        }
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
}
