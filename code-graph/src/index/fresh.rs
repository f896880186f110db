//! Answers that are true of the files as they are at the moment they are given.

use super::refresh::Scope;
use super::{Coverage, Index, Keep, Refreshed};
use crate::error::Error;
use crate::graph::Graph;
use fourfold_syntax::ContentHash;
use fourfold_worktree::{Control, Stamp};
use std::sync::Arc;
use std::time::Duration;

/// An answer is worked out again when a file that it speaks of has changed; so often.
const ROUNDS: usize = 4;

/// One generation, to be asked.
#[derive(Debug, Clone)]
pub struct View {
    /// The graph.
    pub graph: Arc<Graph>,
    /// What it speaks of, and what not.
    pub coverage: Arc<Coverage>,
    /// Its number.
    pub generation: u64,
}

/// How fresh an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freshness {
    /// The generation that the answer is about.
    pub generation: u64,
    /// How many files of the answer were looked at after it was worked out.
    pub checked: usize,
    /// They all were what the answer says. False only for files that change again and again.
    pub current: bool,
}

impl Index {
    /// Makes sure that these files are known as they are on disk now, and that the list of files is
    /// not older than [`max_age`](super::IndexConfig::max_age). Paths are below the root, with `/`;
    /// what is not in the index is left to the walk. What is new is [written later](super::Kept::Later).
    ///
    /// # Errors
    /// Those of [`Index::refresh`].
    pub fn check(&self, files: &[&str], control: &Control) -> Result<Refreshed, Error> {
        self.check_within(|_| self.config().max_age, files, &[], control)
    }

    /// The same for whoever asks after each of many small changes: where it takes long to list the
    /// files, the list may be older, so that all the listing takes a twentieth of the time. What
    /// others have added meanwhile is not known then. Of the files in `behind` the index may go on
    /// knowing an earlier state; [`Index::content_of`] tells which.
    ///
    /// # Errors
    /// Those of [`Index::refresh`].
    pub fn check_cheaply(
        &self,
        files: &[&str],
        behind: &[&str],
        control: &Control,
    ) -> Result<Refreshed, Error> {
        let max_age = self.config().max_age;
        let age = |took: Duration| max_age.max(20 * took);
        self.check_within(age, files, behind, control)
    }

    /// Lists the files in any case, for whoever knows that there are new ones; `behind` as in
    /// [`check_cheaply`](Index::check_cheaply). What is new is [written later](super::Kept::Later).
    ///
    /// # Errors
    /// Those of [`Index::refresh`].
    pub fn check_list(&self, behind: &[&str], control: &Control) -> Result<Refreshed, Error> {
        let _turn = self.turn.lock();
        self.advance(Scope::All { but: behind }, Keep::Later, control)
    }

    /// The files that the index has an entry of, read or left out, in order.
    pub fn paths(&self) -> Vec<String> {
        let content = self.current();
        let entries = content.entries.iter();
        entries.map(|entry| entry.path.clone()).collect()
    }

    /// The content of a file as the index knows it; none for one that it does not read.
    pub fn content_of(&self, path: &str) -> Option<ContentHash> {
        self.current().entry(path).map(|entry| entry.content)
    }

    /// `max_age` of a list of files is told how long it took.
    fn check_within(
        &self,
        max_age: impl Fn(Duration) -> Duration,
        files: &[&str],
        behind: &[&str],
        control: &Control,
    ) -> Result<Refreshed, Error> {
        let last = || {
            let listed = *self.listed.lock();
            listed.filter(|listed| listed.whole || !behind.is_empty())
        };
        let listed = last();
        if listed.is_none_or(|listed| listed.at.elapsed() > max_age(listed.took)) {
            let _turn = self.turn.lock();
            // Somebody else may have done it while this one waited.
            if last() == listed {
                return self.advance(Scope::All { but: behind }, Keep::Later, control);
            }
        }
        let content = self.current();
        let differs = |path: &&str| {
            let Some(entry) = content.entry(path) else {
                return false;
            };
            let now = Stamp::of(self.checkout().root().join(path));
            !entry.settled || now.ok() != Some(entry.stamp)
        };
        let changed: Vec<&str> = files.iter().copied().filter(differs).collect();
        if changed.is_empty() {
            return Ok(Refreshed {
                generation: content.generation,
                ..Refreshed::default()
            });
        }
        let _turn = self.turn.lock();
        self.advance(Scope::Files(&changed), Keep::Later, control)
    }

    /// The current generation.
    pub fn view(&self) -> View {
        let content = self.current();
        View {
            graph: self.graph_of(&content),
            coverage: Arc::clone(&content.coverage),
            generation: content.generation,
        }
    }

    /// Answers a question from files as they are now: `ask` gives an answer and the paths of the
    /// files that it speaks of; these are looked at, and if one has changed, it is asked again. An
    /// answer that speaks of no file may have missed what any of them holds: all are looked at.
    ///
    /// # Errors
    /// Those of [`Index::refresh`].
    pub fn answer<T>(
        &self,
        control: &Control,
        mut ask: impl FnMut(&View) -> (T, Vec<String>),
    ) -> Result<(T, Freshness), Error> {
        // While the files are looked at: most often nothing has changed.
        self.warm();
        self.check(&[], control)?;
        let mut view = self.view();
        let mut rounds = 1;
        loop {
            let (answer, files) = ask(&view);
            let paths: Vec<&str> = files.iter().map(String::as_str).collect();
            let checked = match paths.as_slice() {
                [] => self.refresh(control)?,
                paths => self.check(paths, control)?,
            };
            let current = checked.generation == view.generation;
            if current || rounds == ROUNDS {
                let freshness = Freshness {
                    generation: view.generation,
                    checked: files.len(),
                    current,
                };
                return Ok((answer, freshness));
            }
            rounds += 1;
            view = self.view();
        }
    }
}
