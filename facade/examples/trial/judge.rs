//! What was told, beside what is.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fourfold::{Problem, Verdict, VerdictState};

use crate::checker::{Key, Language, key, texts};
use crate::edits::Step;

pub(crate) struct Judge {
    language: Language,
    root: PathBuf,
    scratch: PathBuf,
    /// What was wrong before the first edit.
    baseline: BTreeMap<Key, usize>,
    /// What was told and not yet told to be gone: the server's words, and the line at the time.
    told: Vec<(String, String, Key)>,
    /// Lines of which the checker has ever spoken: what it does not look for, it cannot repair.
    looked_for: BTreeSet<Key>,
    /// Files that were touched: a server has them open.
    touched: BTreeSet<String>,
    /// What was missed in files that nobody has opened; counted once.
    missed: BTreeSet<Key>,
    /// The texts that files had at first.
    originals: BTreeMap<String, String>,
    counts: BTreeMap<&'static str, usize>,
    states: BTreeMap<&'static str, usize>,
    mistakes: Vec<String>,
    took: Vec<Duration>,
}

/// The mistakes that there must be none of.
const FALSE_CLEAN: &str = "false clean";
const FALSE_NEW: &str = "false new";
const WRONG_FIXED: &str = "wrong fixed";
const MISSED: &str = "missed in open files";
const MISSED_ELSEWHERE: &str = "missed in other files";
const NEVER_FIXED: &str = "never told fixed";

impl Judge {
    pub(crate) fn new(language: Language, root: &Path, scratch: &Path) -> Judge {
        let baseline = language.check(root, scratch);
        println!("before: {} lines with problems", baseline.len());
        Judge {
            language,
            root: root.to_path_buf(),
            scratch: scratch.to_path_buf(),
            baseline,
            told: Vec::new(),
            looked_for: BTreeSet::new(),
            touched: BTreeSet::new(),
            missed: BTreeSet::new(),
            originals: texts(root),
            counts: BTreeMap::new(),
            states: BTreeMap::new(),
            mistakes: Vec::new(),
            took: Vec::new(),
        }
    }

    pub(crate) fn judge(&mut self, number: usize, step: &Step, verdict: &Verdict, took: Duration) {
        let truth = self.language.check(&self.root, &self.scratch);
        self.looked_for.extend(truth.keys().cloned());
        let mut mistakes: Vec<(&'static str, String)> = Vec::new();
        self.took.push(took);
        *self.states.entry(verdict.state.word()).or_default() += 1;
        self.touched.extend(step.files().map(str::to_owned));
        // What was wrong in a file that moves is wrong in it still, and was told.
        if let Some((from, to)) = step.moved() {
            let told = self.told.iter_mut().filter(|(path, ..)| path == from);
            told.for_each(|one| {
                to.clone_into(&mut one.0);
                to.clone_into(&mut one.2.0);
            });
            let kept = std::mem::take(&mut self.baseline).into_iter();
            let renamed = |path: String| match path == from {
                true => to.to_owned(),
                false => path,
            };
            let kept = kept.map(|((path, line), count)| ((renamed(path), line), count));
            self.baseline = kept.collect();
        }
        for gone in step.gone() {
            self.touched.remove(gone);
            self.told.retain(|(path, ..)| path != gone);
            self.baseline.retain(|(path, _), _| path != gone);
        }

        for fixed in verdict.fixed.iter().chain(&verdict.earlier_fixed) {
            for _ in 0..fixed.count {
                let same = |(path, message, _): &(String, String, Key)| {
                    *path == fixed.path && message.starts_with(&fixed.message)
                };
                // Of several alike it is one that is not there any more.
                let of = |stands: bool| {
                    let mut all = self.told.iter();
                    all.position(|one| same(one) && truth.contains_key(&one.2) == stands)
                };
                // Else it was there before, or was told by another server too.
                if let Some(at) = of(false).or_else(|| of(true)) {
                    let (path, message, key) = self.told.remove(at);
                    let many = self.told.iter().filter(|one| one.2 == key).count();
                    if truth.get(&key).is_some_and(|count| *count > many) {
                        mistakes.push((WRONG_FIXED, format!("{path}: {message}: {}", key.1)));
                    }
                }
            }
        }
        let new: Vec<&Problem> = verdict.new.iter().chain(&verdict.earlier).collect();
        let told_before = self.told.len();
        let mut places = BTreeSet::new();
        for problem in new {
            let key = key(&self.root, &problem.path, problem.line as usize);
            let known = self.told.iter().filter(|one| one.2 == key).count();
            let before = self.baseline.get(&key).copied().unwrap_or(0);
            let stands = truth.get(&key).copied().unwrap_or(0);
            let bad = step.is_bad(&key.1);
            let told = format!(
                "{}:{} {}: {}",
                problem.path, problem.line, problem.message, key.1
            );
            // What the checker does not look for, but the server said that it may be older.
            let original = self.originals.get(&problem.path);
            let older = problem.maybe_old && original.is_some_and(|text| text.contains(&key.1));
            // The compiler does not come to what stands on something that is broken.
            let blind = self.language == Language::Rust
                && !problem.path.starts_with("src/")
                && truth.keys().any(|(path, _)| path.starts_with("src/"));
            let nothing = stands == 0 && !bad && !older && !blind;
            // A server may say the same of two places in a line, but not twice of one.
            let twice = !places.insert((
                &problem.path,
                problem.line,
                problem.column,
                &problem.message,
            ));
            let again = self.told[..told_before].iter();
            let again = again.filter(|one| one.2 == key && one.1 == problem.message);
            let retold = twice || again.count() >= stands.max(1) && known >= stands.max(1);
            let old = before > 0 && before >= stands && !problem.maybe_old;
            if nothing || retold || old {
                mistakes.push((FALSE_NEW, told));
            }
            self.told
                .push((problem.path.clone(), problem.message.clone(), key));
        }

        self.missed.retain(|key| truth.contains_key(key));
        let mut missing = Vec::new();
        for (key, count) in &truth {
            let told = self.told.iter().filter(|one| one.2 == *key).count();
            let before = self.baseline.get(key).copied().unwrap_or(0);
            if told + before >= *count {
                continue;
            }
            if !self.touched.contains(&key.0) {
                let said = verdict.unlooked.contains(&key.0) || verdict.new_left_out > 0;
                if !said && self.missed.insert(key.clone()) {
                    mistakes.push((MISSED_ELSEWHERE, format!("{}: {}", key.0, key.1)));
                }
                continue;
            }
            // The same problem in a line that reads otherwise now is the same.
            let mut all = self.told.iter_mut();
            match all.find(|one| one.0 == key.0 && !truth.contains_key(&one.2)) {
                Some(one) => one.2.clone_from(key),
                None if verdict.new_left_out > 0 => {}
                None => missing.push(format!("{}: {}", key.0, key.1)),
            }
        }
        match verdict.state {
            VerdictState::Clean => {
                mistakes.extend(missing.into_iter().map(|one| (FALSE_CLEAN, one)));
                let stays = |one: &&(String, String, Key)| {
                    !truth.contains_key(&one.2) && self.looked_for.contains(&one.2)
                };
                if truth.len() <= self.baseline.len() {
                    let stale = self.told.iter().filter(stays);
                    let stale = stale.map(|one| (NEVER_FIXED, format!("{}: {}", one.0, one.1)));
                    mistakes.extend(stale.collect::<Vec<_>>());
                }
            }
            VerdictState::Problems => {
                mistakes.extend(missing.into_iter().map(|one| (MISSED, one)));
            }
            _ => {
                let why = verdict.reason.clone().unwrap_or_default();
                mistakes.push(("unconfirmed", why));
            }
        }
        for (kind, what) in mistakes {
            *self.counts.entry(kind).or_default() += 1;
            let line = format!("{number} ({}): {kind}: {what}", step.about);
            println!("   {}", line.replace('\n', " / "));
            self.mistakes.push(line);
        }
    }

    pub(crate) fn summary(&mut self) -> String {
        self.took.sort();
        let mut out = String::new();
        let at = |part: usize| self.took[(self.took.len() - 1) * part / 100].as_millis();
        let _ = write!(
            out,
            "{} edits; states: {:?}; ",
            self.took.len(),
            self.states
        );
        for kind in [
            FALSE_CLEAN,
            FALSE_NEW,
            WRONG_FIXED,
            MISSED,
            MISSED_ELSEWHERE,
            NEVER_FIXED,
            "unconfirmed",
        ] {
            let count = self.counts.get(kind).copied().unwrap_or(0);
            let _ = write!(out, "{kind} {count}, ");
        }
        let _ = write!(out, "median {} ms, slowest {} ms", at(50), at(100));
        out
    }

    pub(crate) fn passed(&self) -> bool {
        let none = |kind| !self.counts.contains_key(kind);
        [FALSE_CLEAN, FALSE_NEW, MISSED_ELSEWHERE, WRONG_FIXED]
            .into_iter()
            .all(none)
    }
}
