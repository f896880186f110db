//! The project's own checkers, run for what no server can be asked about.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fourfold_ledger::{Delta, Evidence, Finding, Ledger, Slot};
use fourfold_lsp_client::{
    Availability, CheckEnd, CheckLimits, Checked, Detection, Launchable, Role,
};

use super::compose::Heard;
use super::desk::Desk;
use super::result::CheckerRun;

/// Who could look at the whole of a checkout.
#[derive(Debug, Default)]
pub(crate) struct Lookers {
    /// Checkers for files that no server which checks types can be asked about.
    pub(crate) checkers: Vec<Launchable>,
    /// Why others cannot be run.
    pub(crate) reasons: BTreeSet<String>,
    /// Whether there is a server that checks types, for some file.
    pub(crate) served: bool,
}

/// A checker's run, ready for the ledger.
#[derive(Debug)]
pub(crate) struct Ran {
    checker: String,
    /// Where it ran, below the root of the checkout.
    root: String,
    found: BTreeMap<String, Vec<Heard>>,
    /// Why there may be more than it found.
    incomplete: Option<String>,
    took: Duration,
}

/// The files in which each run of a checker had found something, by checker and root.
pub(crate) type Checkers = BTreeMap<(String, String), BTreeSet<String>>;

impl Desk {
    /// Finds out who could look at these files. Starts nothing.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub(crate) async fn lookers(&self, files: Vec<PathBuf>) -> Lookers {
        let mut lookers = Lookers::default();
        let mut checkers = BTreeMap::new();
        // Files of one kind in one folder have the same answer.
        let mut looked: BTreeSet<(PathBuf, OsString)> = BTreeSet::new();
        for file in files {
            let kind = file.extension().unwrap_or(file.as_os_str());
            let folder = file.parent().unwrap_or(Path::new(""));
            if !looked.insert((folder.to_path_buf(), kind.to_owned())) {
                continue;
            }
            let detector = self.servers().detector();
            let types = |found: &Detection| found.server.role == Role::Types;
            let servers = detector.detect(&file).await;
            if servers
                .iter()
                .any(|found| types(found) && found.launchable().is_some())
            {
                lookers.served = true;
                continue;
            }
            let found = detector.checkers(&file).await;
            // The first one that can be run is the preferred one.
            match found.iter().find_map(Detection::launchable) {
                Some(checker) => {
                    let key = (checker.server.id.clone(), checker.root.clone());
                    checkers.insert(key, checker.clone());
                }
                None => lookers
                    .reasons
                    .extend(found.iter().filter_map(worth_telling)),
            }
        }
        lookers.checkers = checkers.into_values().collect();
        lookers
    }

    /// Runs a checker.
    ///
    /// *Cancel safety*: the checker is ended when the future is dropped.
    pub(crate) async fn run(&self, checker: &Launchable) -> Ran {
        let detector = self.servers().detector();
        let checked = detector.check(checker, &CheckLimits::default()).await;
        let found = checked.findings.iter().map(|(path, diagnostics)| {
            let heard = self.heard(&checked.checker, path, diagnostics);
            (self.relative(path), heard)
        });
        Ran {
            found: found.collect(),
            root: match self.relative(&checked.root) {
                root if root.is_empty() => ".".to_owned(),
                root => root,
            },
            incomplete: incomplete(&checked),
            checker: checked.checker,
            took: checked.took,
        }
    }
}

/// A checker that could be run if something were done about it.
fn worth_telling(found: &Detection) -> Option<String> {
    match found.availability {
        Availability::NotTrusted { .. } | Availability::NoneStarts => {
            Some(format!("{}: {}", found.server.id, found.why()))
        }
        _ => None,
    }
}

fn incomplete(checked: &Checked) -> Option<String> {
    match &checked.end {
        CheckEnd::Passed => None,
        CheckEnd::FoundErrors => {
            Some("it found errors, and may not have looked at what depends on that code".to_owned())
        }
        CheckEnd::Failed(failure) => Some(format!("it could not do its work: {failure}")),
        CheckEnd::TimedOut => Some(format!(
            "it was ended after {} s; it may go on from there the next time",
            checked.took.as_secs()
        )),
        CheckEnd::TooMuchOutput => Some("it was ended because it wrote too much".to_owned()),
        CheckEnd::NotStarted(why) => Some(format!("it could not be started: {why}")),
        _ => Some("it ended in a way that is not known here".to_owned()),
    }
}

impl Ran {
    /// What is new against the runs before, by file, with all that was found there.
    pub(super) fn news(
        mut self,
        ledger: &mut Ledger,
        before: &mut Checkers,
    ) -> (CheckerRun, Vec<(Delta, Vec<Heard>)>) {
        let known = before
            .entry((self.checker.clone(), self.root.clone()))
            .or_default();
        for path in known.iter() {
            self.found.entry(path.clone()).or_default();
        }
        // What was there once may still be: it is asked for again.
        known.extend(self.found.keys().cloned());
        let evidence = match self.incomplete {
            None => Evidence::Complete,
            Some(_) => Evidence::Partial,
        };
        let mut run = CheckerRun {
            checker: self.checker.clone(),
            root: self.root,
            new: 0,
            from_before: 0,
            fixed: 0,
            incomplete: self.incomplete,
            took_ms: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        };
        let mut news = Vec::new();
        for (path, heard) in self.found {
            let slot = Slot::new(&self.checker, path);
            let findings: Vec<Finding> = heard.iter().map(|one| one.finding.clone()).collect();
            let delta = ledger.observe(&slot, evidence, &findings);
            run.new += delta.fresh.len();
            run.from_before += delta.remaining.total();
            run.fixed += delta.resolved.len();
            news.push((delta, heard));
        }
        (run, news)
    }
}
