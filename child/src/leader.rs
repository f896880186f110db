//! A process that we started and have not taken leave of yet.

use std::io;
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, waitid, waitpid,
};

/// The first process of what we started: a guard, or a program without one.
///
/// Its pid is its own until it is reaped, which only [`Leader::reap`] does. So a signal never reaches
/// a stranger.
#[derive(Debug)]
pub(crate) struct Leader {
    pid: Pid,
    reaped: Mutex<bool>,
}

/// How a leader ended: code or signal.
pub(crate) type Ending = (Option<i32>, Option<i32>);

impl Leader {
    pub(crate) fn new(child: &std::process::Child) -> Self {
        Self {
            pid: Pid::from_child(child),
            reaped: Mutex::new(false),
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid.as_raw_pid().unsigned_abs()
    }

    /// Sends a signal to the process; nothing happens when it is gone.
    #[cfg(target_os = "linux")]
    pub(crate) fn signal(&self, signal: Signal) {
        self.unless_reaped(|| rustix::process::kill_process(self.pid, signal));
    }

    /// Sends a signal to its process group, while the leader has not been reaped.
    pub(crate) fn signal_group(&self, signal: Signal) {
        self.unless_reaped(|| kill_process_group(self.pid, signal));
    }

    fn unless_reaped(&self, send: impl FnOnce() -> rustix::io::Result<()>) {
        let reaped = self.reaped.lock().unwrap_or_else(PoisonError::into_inner);
        if !*reaped {
            // It may have ended already: then there is nothing to signal.
            let _ = send();
        }
    }

    /// Blocks until it has ended, and leaves it a zombie. `(None, None)` when somebody else has
    /// waited for it, as in a host that ignores SIGCHLD.
    pub(crate) fn wait(&self) -> Ending {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.pid), options) {
                Ok(Some(status)) => return (status.exit_status(), status.terminating_signal()),
                Ok(None) | Err(Errno::INTR) => {}
                Err(error) => {
                    tracing::debug!(
                        pid = self.pid(),
                        error = %io::Error::from(error),
                        "somebody else has waited for a process of ours"
                    );
                    return (None, None);
                }
            }
        }
    }

    /// Takes leave of it. To be called after [`Leader::wait`], and does not block then.
    pub(crate) fn reap(&self) {
        let mut reaped = self.reaped.lock().unwrap_or_else(PoisonError::into_inner);
        while let Err(Errno::INTR) = waitpid(Some(self.pid), WaitOptions::empty()) {}
        *reaped = true;
    }
}
