//! What is wrong now, whoever made it so and whether or not it was told before.

use std::path::PathBuf;
use std::sync::Arc;

use fourfold_ledger::Shown;
use fourfold_lsp_client::Launchable;

use super::checkers::{Lookers, Ran};
use super::compose::{Answer, Heard, Outcome, sight, word};
use super::desk::Desk;
use super::result::{CheckerRun, Problem};
use crate::Error;
use crate::conversation::Conversation;

/// Everything that is wrong, with what is not known.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// Errors first, then by path and place.
    pub(crate) problems: Vec<Problem>,
    /// Why there may be more.
    pub(crate) unconfirmed: Vec<String>,
    /// Who was asked.
    pub(crate) servers: Vec<String>,
    /// Checkers that were run.
    pub(crate) checkers: Vec<CheckerRun>,
}

/// What there is to say when nobody was asked, though somebody could be.
const IDLE: &str = "no server runs yet; ask about a file first, which starts its server";

/// What there is to say when nobody can be asked.
const NOBODY: &str = "no language server or checker can be used here; status tells what is missing";

impl Conversation {
    /// Everything that is wrong in a file. It counts as told.
    pub(crate) fn standing(&self, desk: &Arc<Desk>, file: PathBuf) -> Result<Standing, Error> {
        let asking = Arc::clone(desk);
        let (answers, unconfirmed) = self.ask(async move { asking.about(&file).await })?;
        let mut standing = Standing {
            unconfirmed,
            ..Standing::default()
        };
        self.hear(&mut standing, answers);
        standing.sort();
        Ok(standing)
    }

    /// All that the running servers know of the checkout, and what is new to the project's own
    /// checkers where there is no server. It counts as told.
    pub(crate) fn standing_everywhere(
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
        self.hear(&mut standing, answers);
        let mut ledger = self.inner().ledger.lock();
        let mut checkers = self.inner().checkers.lock();
        for ran in runs {
            let (run, problems) = ran.news(&mut ledger, &mut checkers);
            if let Some(why) = &run.incomplete {
                let why = format!("{} in {}: {why}", run.checker, run.root);
                standing.unconfirmed.push(why);
            }
            standing.checkers.push(run);
            standing.problems.extend(problems);
        }
        standing.sort();
        Ok(standing)
    }

    /// Takes answers in, and what they tell as told.
    fn hear(&self, standing: &mut Standing, answers: Vec<Answer>) {
        let mut ledger = self.inner().ledger.lock();
        sight(&mut ledger, &answers);
        for answer in answers {
            if !standing.servers.contains(&answer.server) {
                standing.servers.push(answer.server.clone());
            }
            if let Outcome::Unconfirmed(why) = &answer.outcome {
                let why = format!("{}: {}: {why}", answer.path, answer.server);
                standing.unconfirmed.push(why);
            }
            let delta = ledger.observe(&answer.slot(), answer.evidence(), &answer.findings());
            ledger.acknowledge(delta, Shown::All);
            let heard = answer.heard.iter();
            let problems = heard.map(|heard| heard.problem(&answer.path, &answer.server));
            standing.problems.extend(problems);
        }
    }
}

/// What is run, as it is typed, and where.
fn command(checker: &Launchable) -> String {
    let program = checker.program.file_name().unwrap_or_default();
    let words = [program.to_string_lossy().into_owned()];
    let words: Vec<String> = words.into_iter().chain(checker.args.clone()).collect();
    format!("`{}` in {}", words.join(" "), checker.root.display())
}

impl Standing {
    fn sort(&mut self) {
        let rank = |severity: &str| match severity {
            "error" => 0,
            "warning" => 1,
            _ => 2,
        };
        self.problems.sort_by(|a, b| {
            let key = |one: &Problem| (rank(&one.severity), one.path.clone(), one.line, one.column);
            key(a).cmp(&key(b))
        });
    }
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
