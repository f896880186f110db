//! The runtime on which language servers are spoken to: the host's own, started when first needed,
//! so that a server lives as long as the host and not as long as whoever asked first.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use fourfold_worktree::Control;
use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::Error;

/// Threads of the runtime: servers compute, we wait.
const THREADS: usize = 2;

/// How often a thread that waits looks whether it is still waited for.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// What a host that keeps language servers or debugs begins with: ends what another one left behind that
/// was killed, and removes its temporary folders. It takes some milliseconds, and blocks.
pub fn sweep() {
    fourfold_child::sweep();
    fourfold_dap_client::program::sweep();
}

#[derive(Debug, Default)]
pub(crate) struct Engine {
    runtime: Mutex<Option<Runtime>>,
}

impl Engine {
    /// Where to spawn.
    pub(crate) fn handle(&self) -> Result<Handle, Error> {
        let mut runtime = self.runtime.lock();
        if let Some(runtime) = &*runtime {
            return Ok(runtime.handle().clone());
        }
        let started = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("fourfold-servers")
            .enable_all()
            .build()
            .map_err(|error| Error::Crashed {
                reason: format!("the threads for language servers could not be started: {error}"),
            })?;
        let handle = started.handle().clone();
        *runtime = Some(started);
        Ok(handle)
    }

    /// Runs a future on the engine and waits for it; also from a thread of another runtime, which
    /// it then blocks.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Error> {
        let (done, wait) = mpsc::sync_channel(1);
        self.handle()?.spawn(async move {
            // Nobody waits any more: what came of it is of no use.
            let _ = done.send(future.await);
        });
        wait.recv().map_err(|_| ended_early())
    }

    /// The same for as long as `control` is not cancelled; then the future is dropped, which cancels
    /// what it has asked.
    pub(crate) fn run_while_wanted<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
        control: &Control,
    ) -> Result<T, Error> {
        let (done, wait) = mpsc::sync_channel(1);
        let task = self.handle()?.spawn(async move {
            let _ = done.send(future.await);
        });
        loop {
            match wait.recv_timeout(LOOK) {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Disconnected) => return Err(ended_early()),
                Err(RecvTimeoutError::Timeout) if control.is_cancelled() => {
                    task.abort();
                    return Err(Error::Cancelled);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn ended_early() -> Error {
    Error::Crashed {
        reason: "the task that speaks to the language servers ended early".to_owned(),
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Also where waiting is forbidden, as in a task of another runtime.
        if let Some(runtime) = self.runtime.get_mut().take() {
            runtime.shutdown_background();
        }
    }
}
