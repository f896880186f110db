//! Which files of a checkout there are that servers are known for, and which came and went.
//!
//! A file that somebody else deleted leaves nothing to look at. So the files are called over
//! whenever a walk has listed them, and what was not there the last time, or is not there any more,
//! is kept for every conversation that has not looked since.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

/// So much of what came and went is kept.
const MOST: usize = 10_000;

/// The roll of a checkout.
#[derive(Debug, Default)]
pub(crate) struct Roll {
    called: Mutex<Called>,
}

#[derive(Debug, Default)]
struct Called {
    /// As they were the last time; absolute.
    files: Option<BTreeSet<PathBuf>>,
    /// They were not called over, but are known from another time: a file that is not among them
    /// may have been there long.
    old: bool,
    /// What came and went, the newest last.
    news: VecDeque<PathBuf>,
    /// The number of the next of them.
    next: u64,
}

/// What came and went since some moment, perhaps more than once.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    files: BTreeSet<PathBuf>,
    /// Those that came at first.
    came: BTreeSet<PathBuf>,
    /// The number to ask with the next time.
    pub(crate) next: u64,
}

impl Moved {
    /// Those that are gone.
    pub(crate) fn gone(&self) -> impl Iterator<Item = &Path> {
        let files = self.files.iter().map(PathBuf::as_path);
        files.filter(|path| !path.exists())
    }

    /// Whether a file that is there was not there before.
    pub(crate) fn is_new(&self, path: &Path) -> bool {
        self.came.contains(path)
    }
}

impl Roll {
    /// The number to ask with later for what comes and goes from now on.
    pub(crate) fn now(&self) -> u64 {
        self.called.lock().next
    }

    /// Whether it was called over before, or is known from another time.
    pub(crate) fn is_known(&self) -> bool {
        self.called.lock().files.is_some()
    }

    /// Takes files that were there at another time for the roll, if there is none.
    pub(crate) fn recall(&self, files: impl IntoIterator<Item = PathBuf>) {
        let mut called = self.called.lock();
        if called.files.is_none() {
            called.files = Some(files.into_iter().collect());
            called.old = true;
        }
    }

    /// Calls over all files that there are.
    pub(crate) fn call(&self, files: BTreeSet<PathBuf>) {
        let mut called = self.called.lock();
        if let Some(before) = called.files.take() {
            let went = before.difference(&files).cloned();
            let came = files.difference(&before).filter(|_| !called.old).cloned();
            let news: Vec<PathBuf> = went.chain(came).collect();
            called.next += news.len() as u64;
            called.news.extend(news);
            let over = called.news.len().saturating_sub(MOST);
            called.news.drain(..over);
        }
        called.files = Some(files);
        called.old = false;
    }

    /// What came and went since the number was given.
    pub(crate) fn since(&self, number: u64) -> Moved {
        let called = self.called.lock();
        let first = called.next - called.news.len() as u64;
        let skip = usize::try_from(number.saturating_sub(first)).unwrap_or(usize::MAX);
        let mut moved = Moved {
            next: called.next,
            ..Moved::default()
        };
        let there = called.files.as_ref();
        let mut times: BTreeMap<&Path, bool> = BTreeMap::new();
        for path in called.news.iter().skip(skip) {
            let odd = times.entry(path).or_default();
            *odd = !*odd;
        }
        for (path, odd) in times {
            moved.files.insert(path.to_owned());
            // It is there now: with an odd number of moves it was not there before.
            if odd && there.is_some_and(|files| files.contains(path)) {
                moved.came.insert(path.to_owned());
            }
        }
        moved
    }

    /// Whether a file was there when the files were last called over, or has gone since.
    pub(crate) fn knew(&self, path: &Path) -> bool {
        let called = self.called.lock();
        let there = called.files.as_ref();
        there.is_some_and(|files| files.contains(path)) || called.news.iter().any(|one| one == path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> BTreeSet<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    fn gone(moved: &Moved) -> Vec<&Path> {
        moved.gone().collect()
    }

    #[test]
    fn what_comes_and_goes_is_told_to_everyone_once() {
        let roll = Roll::default();
        assert!(!roll.is_known());
        roll.call(files(&["/no/a", "/no/b"]));
        let first = roll.now();
        assert_eq!(gone(&roll.since(first)), Vec::<&Path>::new());
        roll.call(files(&["/no/b", "/no/c"]));
        let moved = roll.since(first);
        assert!(moved.is_new(Path::new("/no/c")) && !moved.is_new(Path::new("/no/b")));
        assert!(gone(&moved).contains(&Path::new("/no/a")));
        assert!(roll.knew(Path::new("/no/a")) && !roll.knew(Path::new("/no/d")));
        // Who has asked is told of the rest alone, another one of all.
        roll.call(files(&["/no/a", "/no/b", "/no/c"]));
        assert!(roll.since(moved.next).is_new(Path::new("/no/a")));
        let all = roll.since(first);
        assert!(!all.is_new(Path::new("/no/a")), "it was there at first");
        assert!(all.is_new(Path::new("/no/c")));
    }

    #[test]
    fn a_list_of_another_time_tells_what_went_and_not_what_came() {
        let roll = Roll::default();
        roll.recall(files(&["/no/a"]));
        roll.recall(files(&["/no/x"]));
        roll.call(files(&["/no/b"]));
        let moved = roll.since(0);
        assert_eq!(gone(&moved), [Path::new("/no/a")]);
        assert!(!moved.is_new(Path::new("/no/b")));
    }

    #[test]
    fn of_very_many_the_last_are_kept() {
        let roll = Roll::default();
        roll.call(BTreeSet::new());
        let number = roll.now();
        roll.call(
            (0..MOST + 5)
                .map(|n| PathBuf::from(format!("/no/{n:06}")))
                .collect(),
        );
        let moved = roll.since(number);
        assert_eq!(moved.files.len(), MOST);
        assert_eq!(moved.next, number + MOST as u64 + 5);
        assert!(roll.since(moved.next).files.is_empty());
    }
}
