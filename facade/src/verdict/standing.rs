//! What is wrong now, whoever made it so and whether or not it was told before.

use std::path::PathBuf;
use std::sync::Arc;

use fourfold_ledger::{Evidence, Finding, Shown, Slot};

use super::compose::{Answer, Outcome};
use super::desk::Desk;
use super::result::Problem;
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
}

impl Conversation {
    /// Everything that is wrong in a file, or all that is known of the checkout. It counts as told.
    pub(crate) fn standing(
        &self,
        desk: &Arc<Desk>,
        file: Option<PathBuf>,
    ) -> Result<Standing, Error> {
        let asking = Arc::clone(desk);
        let engine = self.checkout().engine();
        let (answers, unconfirmed) = engine.run(async move {
            match file {
                Some(file) => asking.about(&file).await,
                None => asking.known().await,
            }
        })?;
        let mut standing = Standing {
            unconfirmed,
            ..Standing::default()
        };
        let mut ledger = self.inner().ledger.lock();
        for answer in answers {
            if !standing.servers.contains(&answer.server) {
                standing.servers.push(answer.server.clone());
            }
            let slot = Slot::new(&answer.server, &answer.path);
            let findings: Vec<Finding> =
                answer.heard.iter().map(|one| one.finding.clone()).collect();
            let evidence = match &answer.outcome {
                Outcome::Confirmed(_) => Evidence::Complete,
                Outcome::Unconfirmed(why) => {
                    let why = format!("{}: {}: {why}", answer.path, answer.server);
                    standing.unconfirmed.push(why);
                    Evidence::Partial
                }
            };
            let delta = ledger.observe(&slot, evidence, &findings);
            ledger.acknowledge(delta, Shown::All);
            standing.problems.extend(problems(&answer));
        }
        standing.problems.sort_by(|a, b| {
            let key = |one: &Problem| (rank(&one.severity), one.path.clone(), one.line, one.column);
            key(a).cmp(&key(b))
        });
        Ok(standing)
    }
}

fn problems(answer: &Answer) -> impl Iterator<Item = Problem> {
    answer.heard.iter().map(|heard| Problem {
        path: answer.path.clone(),
        line: heard.finding.line.saturating_add(1),
        column: heard.column,
        severity: super::compose::word(heard.finding.severity).to_owned(),
        code: heard.finding.code.clone(),
        message: heard.finding.message.clone(),
        server: answer.server.clone(),
        source: heard.source.clone(),
        maybe_old: false,
        was: None,
    })
}

fn rank(severity: &str) -> u8 {
    match severity {
        "error" => 0,
        "warning" => 1,
        _ => 2,
    }
}
