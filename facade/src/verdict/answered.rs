//! A change with its verdict: asked before, carried out, asked after, composed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use fourfold_rewrite_txn::Staged;
use fourfold_syntax::ParseLimits;
use fourfold_worktree::Purpose;

use super::after::After;
use super::before::Before;
use super::change::{Change, Content};
use super::compose::{Answer, Question, Unserved, compose};
use super::concern::{Concern, Survey};
use super::desk::{Asked, Desk, Pending};
use super::result::{FileVerdict, FixedProblem, Problem, Verdict, VerdictState};
use super::syntax::broken_line;
use crate::Error;
use crate::conversation::Conversation;

/// What was found out before files are written by somebody else's hand.
///
/// Made by [`Conversation::before_write`], used up by [`Conversation::after_write`].
#[derive(Debug)]
#[must_use = "the verdict comes from `after_write`"]
pub struct BeforeWrite {
    pub(super) at: Instant,
    pub(super) changes: Vec<Change>,
    asked: Vec<Asked>,
    unserved: Vec<Unserved>,
    concern: Concern,
    earlier: Found,
}

impl BeforeWrite {
    /// The files.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.changes.iter().map(|change| change.absolute.as_path())
    }

    /// Both, as one change.
    pub(super) fn join(&mut self, other: BeforeWrite) {
        let behind = self.changes.len();
        self.changes.extend(other.changes);
        self.asked.extend(other.asked.into_iter().map(|mut asked| {
            asked.change += behind;
            asked
        }));
        self.unserved.extend(other.unserved);
        self.concern.join(other.concern);
        self.earlier.new.extend(other.earlier.new);
        self.earlier.fixed.extend(other.earlier.fixed);
    }
}

/// What was found after the answer that it belongs to.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) new: Vec<Problem>,
    pub(crate) fixed: Vec<FixedProblem>,
}

impl Found {
    /// What came late and is gone by now is no news, neither that it came nor that it went: it is
    /// taken out here and from what is `fixed`.
    fn without_gone(mut self, fixed: &mut Vec<FixedProblem>) -> Found {
        let mut own = std::mem::take(&mut self.fixed);
        for gone in own.iter_mut().chain(fixed.iter_mut()) {
            self.new.retain(|problem| {
                let went = gone.count > 0 && gone.is_of(problem);
                gone.count -= u32::from(went);
                !went
            });
        }
        own.retain(|gone| gone.count > 0);
        fixed.retain(|gone| gone.count > 0);
        self.fixed = own;
        self
    }
}

impl Conversation {
    /// Carries out a change that was staged, and says what the language servers think of it. What
    /// goes wrong with asking them never stands in the way of the change.
    pub(crate) fn answered<T, E>(
        &self,
        staged: &mut Staged,
        commit: impl FnOnce(&mut Staged) -> Result<T, E>,
    ) -> Result<(T, Verdict), E> {
        let changes = Change::of_stage(staged);
        let files: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
        let before = self.ask_before(changes, &[]);
        let done = commit(staged)?;
        let verdict = before.and_then(|before| self.ask_after(before));
        Ok((
            done,
            verdict.unwrap_or_else(|error| Verdict::unasked(files, &error.to_string())),
        ))
    }

    /// For hosts with writing tools of their own: asks the language servers what is wrong in these
    /// files before they are written; blocking. Paths are absolute or relative to the root.
    ///
    /// # Errors
    /// A path that the door of the checkout does not let in.
    pub fn before_write<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<BeforeWrite, Error> {
        let mut changes = Vec::new();
        for path in paths {
            let tree = self.checkout().tree();
            let admitted = match tree.admit(path.as_ref(), Purpose::Write) {
                Err(fourfold_worktree::Error::NotFound { .. }) => {
                    tree.admit(path.as_ref(), Purpose::Create)?
                }
                admitted => admitted?,
            };
            let path = admitted.absolute();
            changes.push(Change::by_others(tree.root(), path, Content::on_disk(path)));
        }
        self.ask_before(changes, &[])
    }

    /// The verdict on what was written since [`before_write`](Conversation::before_write);
    /// blocking.
    ///
    /// # Errors
    /// [`Error::Crashed`], if the language servers could not be spoken to at all.
    pub fn after_write(&self, mut before: BeforeWrite) -> Result<Verdict, Error> {
        for change in &mut before.changes {
            change.after = Content::on_disk(&change.absolute);
        }
        self.ask_after(before)
    }

    /// What has been found out since the last answer about earlier changes.
    pub(crate) fn found_late(&self) -> Found {
        let mut found = std::mem::take(&mut *self.inner().late.lock());
        let now = self.found_since();
        found.new.extend(now.new);
        found.fixed.extend(now.fixed);
        found
    }

    /// The same for somebody who only listens: the next answer has it too.
    pub(crate) fn look_for_late(&self) -> Found {
        let found = self.found_since();
        let mut late = self.inner().late.lock();
        late.new.extend(found.new.iter().cloned());
        late.fixed.extend(found.fixed.iter().cloned());
        found
    }

    fn found_since(&self) -> Found {
        let Ok(desk) = self.checkout().desk() else {
            return Found::default();
        };
        let answers = desk.late(&mut self.inner().pending.lock());
        self.earlier(answers)
    }

    fn earlier(&self, answers: Vec<Answer>) -> Found {
        if answers.is_empty() {
            return Found::default();
        }
        let most = self.checkout().limits().max_problems;
        let asked = Question {
            most,
            ..Question::default()
        };
        *self.inner().standing.lock() = None;
        let verdict = compose(&mut self.inner().ledger.lock(), &asked, answers);
        Found {
            new: verdict.new,
            fixed: verdict.fixed,
        }
    }

    /// Asks what is wrong before a change. `beside` are files of it that were asked about earlier.
    pub(super) fn ask_before(
        &self,
        changes: Vec<Change>,
        beside: &[PathBuf],
    ) -> Result<BeforeWrite, Error> {
        let at = Instant::now();
        let mut earlier = self.found_late();
        let desk = match self.checkout().desk() {
            Ok(desk) => desk,
            Err(why) => {
                let unserved = changes.iter().map(|change| Unserved {
                    path: change.path.clone(),
                    reason: why.to_owned(),
                    types: true,
                    failed: false,
                });
                return Ok(BeforeWrite {
                    at,
                    unserved: unserved.collect(),
                    changes,
                    asked: Vec::new(),
                    concern: Concern::default(),
                    earlier,
                });
            }
        };
        let changes: Arc<[Change]> = changes.into();
        let asking = Arc::clone(&changes);
        let beside = beside.to_vec();
        let survey = self.survey(&changes);
        let Before {
            asked,
            unserved,
            elsewhere,
            concern,
        } = self
            .checkout()
            .engine()
            .run(async move { Desk::before(&desk, &asking, &beside, survey).await })?;
        let elsewhere = self.earlier(elsewhere);
        earlier.new.extend(elsewhere.new);
        earlier.fixed.extend(elsewhere.fixed);
        Ok(BeforeWrite {
            at,
            changes: changes.to_vec(),
            asked,
            unserved,
            concern,
            earlier,
        })
    }

    /// How the code graph before these changes is made.
    fn survey(&self, changes: &Arc<[Change]>) -> Survey {
        let checkout = Arc::clone(self.checkout());
        let changes = Arc::clone(changes);
        Box::new(move || {
            let known = checkout.behind.known(checkout.index(), &changes);
            known.map_err(|error| error.to_string())
        })
    }

    pub(super) fn ask_after(&self, before: BeforeWrite) -> Result<Verdict, Error> {
        let BeforeWrite {
            changes,
            asked,
            unserved,
            concern,
            earlier,
            ..
        } = before;
        let changes: Arc<[Change]> = changes.into();
        self.checkout().behind.note(&changes);
        let After {
            answers,
            pending,
            unlooked,
        } = match self.checkout().desk() {
            Ok(desk) => {
                let asking = Arc::clone(&changes);
                let engine = self.checkout().engine();
                engine.run(async move { Desk::after(&desk, asked, concern, &asking).await })?
            }
            Err(_) => After::default(),
        };
        {
            let mut waiting = self.inner().pending.lock();
            let again: Vec<_> = pending.iter().map(Pending::key).collect();
            waiting.retain(|one| !again.contains(&one.key()));
            waiting.extend(pending);
        }
        let files: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
        let limits = self.checkout().limits();
        *self.inner().standing.lock() = None;
        let mut verdict = {
            let mut ledger = self.inner().ledger.lock();
            for change in changes.iter() {
                if let Some(old) = &change.renamed_from {
                    ledger.rename(old, &change.path);
                } else if change.after == Content::Absent {
                    // What was wrong in it is not fixed, it is gone.
                    ledger.remove(&change.path);
                }
            }
            let asked = Question {
                files: &files,
                unserved: &unserved,
                unlooked: &unlooked,
                most: limits.max_problems,
                counts: true,
            };
            compose(&mut ledger, &asked, answers)
        };
        self.owe(&verdict.files, &unlooked);
        self.leave(&verdict);
        let earlier = earlier.without_gone(&mut verdict.fixed);
        verdict.earlier = earlier.new;
        verdict.earlier_fixed = earlier.fixed;
        self.inner().seen.lock().take(&changes);
        for (file, change) in verdict.files.iter_mut().zip(changes.iter()) {
            parse(file, change, limits.parsing(limits.max_file_bytes));
            if change.after == Content::Absent && file.state == VerdictState::Clean {
                file.reason.get_or_insert_with(|| "deleted".to_owned());
            }
        }
        Ok(verdict)
    }
}

/// Without a server's word, the grammar has one.
fn parse(file: &mut FileVerdict, change: &Change, limits: ParseLimits) {
    let unheard = matches!(
        file.state,
        VerdictState::NoServer | VerdictState::Unconfirmed
    );
    if let (true, Some(after)) = (unheard, change.after.text()) {
        let before = change.before.text().map(AsRef::as_ref);
        file.syntax_error_line = broken_line(&change.path, before, after, limits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(message: &str, line: u32) -> Problem {
        Problem {
            path: "a.py".to_owned(),
            line,
            column: 1,
            severity: "error".to_owned(),
            code: None,
            message: message.to_owned(),
            server: "pyright".to_owned(),
            source: None,
            maybe_old: false,
            was: None,
        }
    }

    fn gone(message: &str, count: u32) -> FixedProblem {
        FixedProblem {
            path: "a.py".to_owned(),
            severity: "error".to_owned(),
            code: None,
            message: message.to_owned(),
            count,
            server: "pyright".to_owned(),
        }
    }

    #[test]
    fn what_came_late_and_is_gone_is_no_news() {
        let late = Found {
            new: vec![problem("x", 1), problem("x", 2), problem("y", 3)],
            fixed: vec![gone("z", 1), gone("y", 1)],
        };
        let mut fixed = vec![gone("x", 1), gone("w", 2)];
        let left = late.without_gone(&mut fixed);
        assert_eq!(left.new, [problem("x", 2)], "one of the two equal ones");
        assert_eq!(left.fixed, [gone("z", 1)]);
        assert_eq!(fixed, [gone("w", 2)]);
    }

    #[test]
    fn another_servers_word_ends_nothing() {
        let mut other = gone("x", 1);
        other.server = "ruff".to_owned();
        let mut fixed = vec![other.clone()];
        let late = Found {
            new: vec![problem("x", 1)],
            fixed: Vec::new(),
        };
        assert_eq!(late.without_gone(&mut fixed).new.len(), 1);
        assert_eq!(fixed, [other]);
    }
}
