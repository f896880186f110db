//! Whether there is anything behind the name of a rustup proxy.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fourfold_child::{EndedBy, Guard, Limits, Spawn};
use tokio::io::{AsyncReadExt, sink};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::stamp::Stamp;
use super::{DetectConfig, Failure};

/// What is read at most of a version; what writes more is no server.
const OUTPUT_BYTES: u64 = 1 << 20;

/// Standard error that is kept: a few lines are shown.
const STDERR_BYTES: usize = 8 << 10;

/// Lines of standard error that are shown.
const LAST_WORDS: usize = 4;

/// What proxies were asked, and what they answered.
#[derive(Debug)]
pub(super) struct Proofs {
    search_path: OsString,
    guard: Guard,
    limit: Duration,
    again: Duration,
    /// By program and root. Held during a proof, so that others wait for it and take its result.
    known: Mutex<BTreeMap<(PathBuf, PathBuf), Known>>,
    /// Counts the times that all was forgotten.
    forgotten: std::sync::atomic::AtomicU64,
}

#[derive(Debug)]
struct Known {
    stamp: Stamp,
    at: Instant,
    epoch: u64,
    answer: Result<(), Failure>,
}

impl Proofs {
    pub(super) fn new(config: &DetectConfig) -> Self {
        Self {
            search_path: config.search_path.clone(),
            guard: config.guard.clone(),
            limit: config.proof,
            again: config.proof_again,
            known: Mutex::default(),
            forgotten: 0.into(),
        }
    }

    pub(super) fn forget(&self) {
        self.forgotten
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    /// Whether the program tells its version when it runs in `root`.
    pub(super) async fn prove(&self, program: &Path, root: &Path) -> Result<(), Failure> {
        let key = (program.to_path_buf(), root.to_path_buf());
        let mut known = self.known.lock().await;
        let stamp = Stamp::of(program, root);
        let epoch = self.forgotten.load(std::sync::atomic::Ordering::Relaxed);
        if let Some(known) = known.get(&key)
            && known.stamp == stamp
            && known.epoch == epoch
            && (known.answer.is_ok() || known.at.elapsed() < self.again)
        {
            return known.answer.clone();
        }
        let answer = self.run(program, root).await;
        tracing::debug!(program = %program.display(), ?answer, "asked for its version");
        known.insert(
            key,
            Known {
                stamp,
                at: Instant::now(),
                epoch,
                answer: answer.clone(),
            },
        );
        answer
    }

    async fn run(&self, program: &Path, root: &Path) -> Result<(), Failure> {
        let started = Spawn::new(program)
            .env_without_secrets()
            .arg("--version")
            .cwd(root)
            .env("PATH", &self.search_path)
            // A toolchain that is chosen but missing is not worth a download here.
            .env("RUSTUP_AUTO_INSTALL", "0")
            .guard(self.guard.clone())
            .limits(
                Limits::default()
                    .with_hard(self.limit)
                    .with_stderr(STDERR_BYTES),
            )
            .spawn()
            .await;
        let mut child = started.map_err(|error| Failure {
            what: error.to_string(),
            last_words: Vec::new(),
        })?;
        drop(child.take_stdin());
        let stdout = child.take_stdout();
        let drain = async {
            if let Some(stdout) = stdout {
                // What cannot be read is not needed.
                let _ = tokio::io::copy(&mut stdout.take(OUTPUT_BYTES), &mut sink()).await;
            }
            std::future::pending::<()>().await;
        };
        let exit = tokio::select! {
            exit = child.wait() => exit,
            () = drain => child.wait().await,
        };
        if exit.success() {
            return Ok(());
        }
        Err(Failure {
            what: match exit.by {
                EndedBy::HardLimit => format!("no answer within {} s", self.limit.as_secs_f32()),
                _ => exit.to_string(),
            },
            last_words: child.last_words(LAST_WORDS).await,
        })
    }
}
