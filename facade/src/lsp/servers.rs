//! The servers of a checkout: which run, which could, and what is missing for the others.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fourfold_lsp_client::{Availability, Detection, ServerSpec, ServerState};
use fourfold_worktree::Control;

use super::ask::below;
use super::result::ServerInfo;
use crate::Error;
use crate::conversation::Conversation;
use crate::verdict::Desk;

impl Conversation {
    /// Which servers run in this checkout, which could, and what is missing for others; blocking.
    /// Those that run come first, those that nobody needs last.
    ///
    /// # Errors
    /// Language servers are switched off, or the files of the checkout cannot be listed.
    pub fn servers(&self) -> Result<Vec<ServerInfo>, Error> {
        let desk = self.served()?;
        let files = self.every_file()?;
        let root = self.checkout().root().to_path_buf();
        self.ask(async move {
            let survey = desk.servers().detector().survey(files).await;
            let running = desk.servers().status();
            let mut all = Vec::new();
            let usable: Vec<&ServerSpec> = survey
                .found
                .iter()
                .filter(|found| found.detection.launchable().is_some())
                .map(|found| &*found.detection.server)
                .collect();
            for found in &survey.found {
                let detection = &found.detection;
                let at = detection.root.clone().unwrap_or_else(|| root.clone());
                let status = running
                    .iter()
                    .find(|status| status.server == detection.server.id && status.root == at);
                let (state, about) = match status {
                    Some(status) if counts(&status.state, detection) => {
                        lives(&status.state, &status.doing)
                    }
                    _ => judged(detection, &usable),
                };
                all.push(ServerInfo {
                    server: detection.server.id.clone(),
                    root: below(&root, &at),
                    state: state.to_owned(),
                    about,
                    files: found.files,
                });
            }
            all.sort_by_key(|info| STATES.iter().position(|state| *state == info.state));
            all
        })
    }

    /// Every file of the checkout, as version control sees it.
    pub(crate) fn every_file(&self) -> Result<Vec<PathBuf>, Error> {
        let walk = self.walk(Vec::new(), &Control::new())?;
        let files = walk.files().iter();
        Ok(files.map(|file| file.absolute().to_path_buf()).collect())
    }
}

/// The states of a server in the order in which they are listed.
const STATES: [&str; 9] = [
    "running",
    "starting",
    "failed",
    "usable",
    "down",
    "untrusted",
    "missing",
    "off",
    "unneeded",
];

/// The servers that were started, and how they are, in the words of `status`.
pub(crate) fn states(desk: &Desk) -> BTreeMap<(String, PathBuf), String> {
    let all = desk.servers().status().into_iter();
    all.map(|one| {
        let (state, _) = lives(&one.state, &[]);
        ((one.server, one.root), state.to_owned())
    })
    .collect()
}

/// Whether what became of a server that was started says more than that it must not be started.
fn counts(state: &ServerState, detection: &Detection) -> bool {
    let forbidden = matches!(detection.availability, Availability::NotTrusted { .. });
    let lives = matches!(state, ServerState::Up { .. } | ServerState::Starting { .. });
    lives || !forbidden
}

/// The state of a server that was started.
fn lives(state: &ServerState, doing: &[String]) -> (&'static str, String) {
    match state {
        ServerState::Up { since, idle, .. } => {
            let mut about = format!("for {} s", since.as_secs());
            if let Some(idle) = idle.filter(|idle| idle.as_secs() > 0) {
                about.push_str(&format!(", idle for {} s", idle.as_secs()));
            }
            if !doing.is_empty() {
                about.push_str(&format!(", busy with {}", doing.join(", ")));
            }
            ("running", about)
        }
        ServerState::Starting { since } => ("starting", format!("for {} s", since.as_secs())),
        ServerState::Failed { why, .. } | ServerState::Off { why } => ("failed", why.clone()),
        _ => ("down", "starts again when it is needed".to_owned()),
    }
}

/// The state of one that was not.
fn judged(detection: &Detection, usable: &[&ServerSpec]) -> (&'static str, String) {
    let server = &detection.server;
    let mut usable = usable.iter();
    let instead = usable.find(|other| {
        other.only_without.contains(&server.id) || server.only_without.contains(&other.id)
    });
    let state = state(detection);
    match instead {
        // Nobody has to install it.
        Some(other) if state == "missing" => {
            ("unneeded", format!("not needed beside {}", other.id))
        }
        _ => (state, about(detection)),
    }
}

fn state(detection: &Detection) -> &'static str {
    match detection.availability {
        Availability::Usable(_) => "usable",
        Availability::NotTrusted { .. } => "untrusted",
        Availability::NoProgram { .. } | Availability::NoneStarts => "missing",
        Availability::Disabled { .. } => "off",
        _ => "unneeded",
    }
}

/// More about it, in one line.
fn about(detection: &Detection) -> String {
    let about = match detection.launchable() {
        Some(launchable) => launchable.program.display().to_string(),
        None => detection.why().to_string(),
    };
    about.split_whitespace().collect::<Vec<_>>().join(" ")
}
