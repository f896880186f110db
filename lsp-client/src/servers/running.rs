//! The pool with real programs in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fourfold_child::{Guard, Spawn};

use crate::detect::{Detection, Detector, Failure, Launchable, Survey};
use crate::session::{Launch, Session, SessionLimits, Transport};

use super::pool::{self, Life, Pool, Starter};
use super::{PoolConfig, ServerStatus, Unavailable};

impl Life for Session {
    fn has_ended(&self) -> Option<String> {
        Session::has_ended(self).map(|ended| ended.to_string())
    }

    async fn ended(&self) -> String {
        Session::ended(self).await.to_string()
    }

    async fn shutdown(&self) {
        Session::shutdown(self).await;
    }
}

/// Starts programs that were detected.
#[derive(Debug)]
struct Programs {
    detector: Arc<Detector>,
    limits: SessionLimits,
    guard: Guard,
}

impl Starter for Programs {
    type Life = Session;

    async fn start(&self, launchable: Launchable, generation: u64) -> Result<Session, String> {
        let result = self.started(&launchable, generation).await;
        if let Err(what) = &result {
            let failure = Failure {
                what: what.clone(),
                last_words: Vec::new(),
            };
            self.detector.remember_failure(&launchable, failure);
        }
        result
    }
}

impl Programs {
    async fn started(&self, launchable: &Launchable, generation: u64) -> Result<Session, String> {
        let child = Spawn::new(&launchable.program)
            .args(&launchable.args)
            .cwd(&launchable.root)
            .env("PATH", &launchable.search_path)
            .guard(self.guard.clone())
            .spawn()
            .await
            .map_err(|error| error.to_string())?;
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
            .map_err(|error| error.to_string())
    }
}

/// The language servers of a checkout: found, started at the first need, shared, swept.
#[derive(Debug)]
pub struct Servers {
    detector: Arc<Detector>,
    pool: Pool<Programs>,
}

/// A server in use: it is neither swept nor ended to make room while this is held.
pub type Lease = pool::Lease<Session>;

/// One server that is asked about a file, running or not.
#[derive(Debug)]
pub struct Served {
    /// What was found out about it.
    pub detection: Detection,
    /// The running server; nothing when it cannot be started, which the detection tells.
    pub lease: Option<Result<Lease, Unavailable>>,
}

impl Servers {
    /// Servers of the detector's checkout.
    #[must_use]
    pub fn new(
        detector: Detector,
        guard: Guard,
        config: PoolConfig,
        limits: SessionLimits,
    ) -> Self {
        let detector = Arc::new(detector);
        let programs = Programs {
            detector: Arc::clone(&detector),
            limits,
            guard,
        };
        Self {
            detector,
            pool: Pool::new(programs, config),
        }
    }

    /// Who finds them.
    #[must_use]
    pub fn detector(&self) -> &Detector {
        &self.detector
    }

    /// Every server that is asked about a file of this name, started if need be.
    ///
    /// *Cancel safety*: a start that is under way goes on when the future is dropped.
    pub async fn for_file(&self, file: &Path) -> Vec<Served> {
        let mut all = Vec::new();
        for detection in self.detector.detect(file).await {
            let lease = match detection.launchable() {
                Some(launchable) => Some(self.pool.lease(launchable).await),
                None => None,
            };
            all.push(Served { detection, lease });
        }
        all
    }

    /// How every server is that was started.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        self.pool.status().into_iter().map(|(one, _)| one).collect()
    }

    /// Which servers the checkout could use.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub async fn survey(&self, files: impl IntoIterator<Item = PathBuf>) -> Survey {
        self.detector.survey(files).await
    }

    /// Ends a server, or all, and forgets their failures; how many were ended.
    ///
    /// *Cancel safety*: some may be left running when the future is dropped.
    pub async fn reload(&self, server: Option<&str>) -> usize {
        self.detector.forget_failures(server);
        self.pool.reload(server).await
    }

    /// Ends all servers, politely first.
    ///
    /// *Cancel safety*: those that are left are ended when their leases are dropped.
    pub async fn shutdown(&self) {
        self.pool.shutdown().await;
    }
}
