//! What is wrong now, whoever made it so and whether or not it was told before.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fourfold_ledger::{Delta, Evidence, Finding, Ledger, Shown, Slot};
use fourfold_lsp_client::Launchable;

use super::checkers::{Lookers, Ran};
use super::compose::{Answer, Heard, Outcome, sight, word};
use super::desk::Desk;
use super::result::{CheckerRun, Problem};
use super::twins::same_mistake;
use crate::Error;
use crate::conversation::Conversation;

/// A page of what is wrong, with what is not known.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Errors first, then by path and place.
    pub(crate) problems: Vec<Problem>,
    /// How many there are in all.
    pub(crate) total: usize,
    /// Why there may be more.
    pub(crate) unconfirmed: Vec<String>,
    /// Who was asked.
    pub(crate) servers: Vec<String>,
    /// Checkers that were run.
    pub(crate) checkers: Vec<CheckerRun>,
}

/// What was found, all of it, for page after page.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// A file, or `*` for the checkout.
    about: PathBuf,
    problems: Vec<Listed>,
    sets: Vec<Set>,
    unconfirmed: Vec<String>,
    servers: Vec<String>,
    checkers: Vec<CheckerRun>,
}

/// A problem of the list.
#[derive(Debug)]
struct Listed {
    problem: Problem,
    /// Which of the sets it is of, and its place there.
    set: usize,
    index: usize,
}

/// What one server or checker found in one file.
#[derive(Debug)]
struct Set {
    findings: Vec<Finding>,
    slot: Slot,
    /// What of it is news, until a page of the list was shown.
    news: Option<Delta>,
}

/// What there is to say when nobody was asked, though somebody could be.
const IDLE: &str = "no server runs yet; ask about a file first, which starts its server";

/// What there is to say when nobody can be asked.
const NOBODY: &str = "no language server or checker can be used here; status tells what is missing";

impl Conversation {
    /// A page of what is wrong in a file, or with `*` in the whole checkout: all that the running
    /// servers know, and what is new to the project's own checkers where there is no server.
    ///
    /// What is on the page counts as told, the rest does not. A later page is one of the list that
    /// the first page was of, unless something was written since.
    pub(crate) fn standing(
        &self,
        desk: &Arc<Desk>,
        about: &Path,
        page: Range<usize>,
    ) -> Result<Page, Error> {
        let kept = self.inner().standing.lock().take();
        let same = kept.filter(|kept| page.start > 0 && kept.about == about);
        let mut standing = match same {
            Some(kept) => kept,
            None if about == Path::new("*") => {
                self.standing_everywhere(desk, self.every_file()?)?
            }
            None => self.standing_in(desk, about.to_path_buf())?,
        };
        about.clone_into(&mut standing.about);
        let shown = standing.page(page, &mut self.inner().ledger.lock());
        *self.inner().standing.lock() = Some(standing);
        Ok(shown)
    }

    fn standing_in(&self, desk: &Arc<Desk>, file: PathBuf) -> Result<Standing, Error> {
        let asking = Arc::clone(desk);
        let (answers, unconfirmed) = self.ask(async move { asking.about(&file).await })?;
        let mut standing = Standing {
            unconfirmed,
            ..Standing::default()
        };
        standing.hear(answers, &mut self.inner().ledger.lock());
        standing.sort();
        Ok(standing)
    }

    fn standing_everywhere(
        &self,
        desk: &Arc<Desk>,
        files: Vec<PathBuf>,
    ) -> Result<Standing, Error> {
        let asking = Arc::clone(desk);
        let (answers, lookers) = self.ask(async move {
            let answers = asking.known().await;
            (answers, asking.lookers(files).await)
        })?;
        let Lookers {
            mut reasons,
            served,
            checkers,
        } = lookers;
        let mut allowed = Vec::new();
        for checker in checkers {
            if !self.is_executing() {
                let command = command(&checker);
                reasons.insert(format!(
                    "{command} was not run: nothing of the checkout may be run here"
                ));
                continue;
            }
            match self.approve_execution_here(command(&checker)) {
                Ok(()) => allowed.push(checker),
                Err(declined @ Error::Declined { .. }) => {
                    reasons.insert(declined.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        let asking = Arc::clone(desk);
        let runs = self.ask(async move {
            let mut runs: Vec<Ran> = Vec::new();
            // One after the other: each of them uses the whole machine.
            for checker in &allowed {
                runs.push(asking.run(checker).await);
            }
            runs
        })?;
        let mut standing = Standing {
            unconfirmed: reasons.into_iter().collect(),
            ..Standing::default()
        };
        if desk.servers().running().is_empty() {
            match (served, runs.is_empty() && standing.unconfirmed.is_empty()) {
                (true, _) => standing.unconfirmed.push(IDLE.to_owned()),
                (false, true) => standing.unconfirmed.push(NOBODY.to_owned()),
                (false, false) => {}
            }
        }
        standing.unconfirmed.extend(desk.short_sights());
        let mut ledger = self.inner().ledger.lock();
        standing.hear(answers, &mut ledger);
        let mut checkers = self.inner().checkers.lock();
        for ran in runs {
            let (run, news) = ran.news(&mut ledger, &mut checkers);
            if let Some(why) = &run.incomplete {
                let why = format!("{} in {}: {why}", run.checker, run.root);
                standing.unconfirmed.push(why);
            }
            standing.checkers.push(run);
            for (delta, heard) in news {
                let new: Vec<usize> = delta.fresh.iter().map(|fresh| fresh.index).collect();
                standing.take(delta, &heard, new);
            }
        }
        standing.sort();
        Ok(standing)
    }
}

impl Standing {
    /// Takes answers in. What was there before anybody looked is known from now on, shown or not, so
    /// that no later change is blamed for it.
    pub(super) fn hear(&mut self, mut answers: Vec<Answer>, ledger: &mut Ledger) {
        sight(ledger, &mut answers);
        // A server that checks types before one that does not: the first that tells a mistake is heard.
        answers.sort_by_key(|answer| !answer.types);
        let mut told: Vec<(String, Vec<Heard>)> = Vec::new();
        for answer in answers {
            if !self.servers.contains(&answer.server) {
                self.servers.push(answer.server.clone());
            }
            let (slot, findings) = (answer.slot(), answer.findings());
            match &answer.outcome {
                Outcome::Confirmed(_) => {
                    ledger.baseline(&slot, &findings);
                }
                Outcome::Unconfirmed(why) => {
                    let why = format!("{}: {}: {why}", answer.path, answer.server);
                    self.unconfirmed.push(why);
                }
            }
            let delta = ledger.observe(&slot, answer.evidence(), &findings);
            let beside = told.iter().filter(|(path, _)| *path == answer.path);
            let beside: Vec<&Heard> = beside.flat_map(|(_, heard)| heard).collect();
            let heard = answer.heard.iter().enumerate();
            let single = heard.filter(|(_, one)| !beside.iter().any(|two| same_mistake(two, one)));
            self.take(delta, &answer.heard, single.map(|(at, _)| at).collect());
            told.push((answer.path, answer.heard));
        }
    }

    /// Lists those at these places of what was heard.
    fn take(&mut self, news: Delta, heard: &[Heard], places: Vec<usize>) {
        let slot = news.slot().clone();
        let set = self.sets.len();
        self.problems.extend(places.into_iter().filter_map(|index| {
            let mut problem = heard.get(index)?.problem(&slot.document, &slot.producer);
            let mut fresh = news.fresh.iter();
            let was = fresh
                .find(|fresh| fresh.index == index)
                .and_then(|fresh| fresh.was);
            problem.was = was.map(|was| word(was).to_owned());
            Some(Listed {
                problem,
                set,
                index,
            })
        }));
        self.sets.push(Set {
            findings: heard.iter().map(|one| one.finding.clone()).collect(),
            slot,
            news: Some(news),
        });
    }

    pub(super) fn page(&mut self, page: Range<usize>, ledger: &mut Ledger) -> Page {
        let all = self.problems.iter();
        let shown: Vec<&Listed> = all.skip(page.start).take(page.len()).collect();
        for (at, set) in self.sets.iter_mut().enumerate() {
            let of_it = shown.iter().filter(|listed| listed.set == at);
            let of_it: BTreeSet<usize> = of_it.map(|listed| listed.index).collect();
            set.tell(&of_it, ledger);
        }
        Page {
            problems: shown.iter().map(|listed| listed.problem.clone()).collect(),
            total: self.problems.len(),
            unconfirmed: self.unconfirmed.clone(),
            servers: self.servers.clone(),
            checkers: self.checkers.clone(),
        }
    }

    fn sort(&mut self) {
        let rank = |severity: &str| match severity {
            "error" => 0,
            "warning" => 1,
            _ => 2,
        };
        self.problems.sort_by(|a, b| {
            let key = |one: &Problem| (rank(&one.severity), one.path.clone(), one.line, one.column);
            key(&a.problem).cmp(&key(&b.problem))
        });
    }
}

impl Set {
    /// Tells the ledger that those at these places were shown.
    fn tell(&mut self, shown: &BTreeSet<usize>, ledger: &mut Ledger) {
        let news = match self.news.take() {
            Some(news) => news,
            None if shown.is_empty() => return,
            // What else there was has been said by the first page.
            None => ledger.observe(&self.slot, Evidence::Partial, &self.findings),
        };
        let fresh = news.fresh.iter().enumerate();
        let told = fresh.filter(|(_, fresh)| shown.contains(&fresh.index));
        let told = told.map(|(place, _)| place).collect();
        ledger.acknowledge(news, Shown::These(told));
    }
}

/// What is run, as it is typed, and where.
fn command(checker: &Launchable) -> String {
    let program = checker.program.file_name().unwrap_or_default();
    let words = [program.to_string_lossy().into_owned()];
    let words: Vec<String> = words.into_iter().chain(checker.args.clone()).collect();
    format!("`{}` in {}", words.join(" "), checker.root.display())
}

impl Heard {
    /// The problem as it is shown.
    pub(super) fn problem(&self, path: &str, server: &str) -> Problem {
        Problem {
            path: path.to_owned(),
            line: self.finding.line.saturating_add(1),
            column: self.column,
            severity: word(self.finding.severity).to_owned(),
            code: self.finding.code.clone(),
            message: self.finding.message.clone(),
            server: server.to_owned(),
            source: self.source.clone(),
            maybe_old: false,
            was: None,
        }
    }
}
