//! How a real server is started.

use std::sync::Arc;

use fourfold_child::{Spawn, SpawnError};

use crate::connection::Ended;
use crate::detect::{Detector, Failure, Launchable};
use crate::session::{Launch, Session, SessionLimits, StartError, Transport};

use super::pool::{Life, Starter};

/// Programs that are tried for one start. No row has as many that could all be there.
const TRIES: usize = 16;

/// Starts servers as programs.
#[derive(Debug)]
pub(super) struct Launcher {
    pub(super) detector: Arc<Detector>,
    pub(super) limits: SessionLimits,
}

/// A start that failed.
struct NotStarted {
    why: String,
    /// What it says about the program itself, if it does: a program that was killed, or that takes
    /// too long, may do better the next time.
    failure: Option<Failure>,
}

impl Life for Session {
    fn has_ended(&self) -> Option<String> {
        Self::has_ended(self).map(|ended| ended.to_string())
    }

    async fn ended(&self) -> String {
        Self::ended(self).await.to_string()
    }

    async fn shutdown(&self) {
        Self::shutdown(self).await;
    }
}

impl Starter for Launcher {
    type Life = Session;

    /// A program that turns out not to be a server is remembered, and the next one is tried.
    async fn start(&self, launchable: Launchable, generation: u64) -> Result<Session, String> {
        let mut launchable = launchable;
        for _ in 1..TRIES {
            let NotStarted { why, failure } = match self.start_one(&launchable, generation).await {
                Ok(session) => return Ok(session),
                Err(not_started) => not_started,
            };
            let Some(failure) = failure else {
                return Err(why);
            };
            self.detector.remember_failure(&launchable, failure);
            match self.detector.another(&launchable).await {
                Some(other) => launchable = other,
                None => return Err(why),
            }
        }
        self.start_one(&launchable, generation)
            .await
            .map_err(|not_started| not_started.why)
    }
}

impl Launcher {
    async fn start_one(
        &self,
        launchable: &Launchable,
        generation: u64,
    ) -> Result<Session, NotStarted> {
        if launchable.keeps_state() {
            // A server that cannot keep anything says so itself.
            let _ = std::fs::create_dir_all(&launchable.state);
        }
        let child = Spawn::new(&launchable.program)
            .args(&launchable.args)
            .cwd(&launchable.root)
            .env_without_secrets()
            .env("PATH", &launchable.search_path)
            .guard(self.detector.guard())
            .spawn()
            .await
            .map_err(|error| not_spawned(&error))?;
        let mut launch = Launch::new(
            Arc::clone(&launchable.server),
            launchable.root.clone(),
            Transport::Process(child),
        );
        launch.settings = launchable.settings.clone();
        launch.initialization_options = launchable.initialization_options.clone();
        launch.generation = generation;
        Session::start(launch, self.limits.clone())
            .await
            .map_err(|error| NotStarted {
                failure: match &error {
                    StartError::Ended(ended) => gave_up(ended),
                    _ => None,
                },
                why: error.to_string(),
            })
    }
}

fn not_spawned(error: &SpawnError) -> NotStarted {
    let why = error.to_string();
    let its_own_fault = matches!(error, SpawnError::NotFound { .. } | SpawnError::Exec { .. });
    NotStarted {
        failure: its_own_fault.then(|| Failure {
            what: why.clone(),
            last_words: Vec::new(),
        }),
        why,
    }
}

/// A program that exits by itself before it has answered is no server, as it is.
fn gave_up(ended: &Ended) -> Option<Failure> {
    let code = ended.code?;
    let said = [&ended.stderr, &ended.noise];
    Some(Failure {
        what: format!("exit code {code}"),
        last_words: said
            .iter()
            .flat_map(|text| text.lines())
            .map(str::to_owned)
            .collect(),
    })
}

#[cfg(test)]
mod tests;
