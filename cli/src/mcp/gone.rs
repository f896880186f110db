//! Whether the host is still there.
//!
//! The end of what it says is no sign: a script may write its questions, close the pipe, and wait for
//! the answers. That nobody reads what we say is one, and then no call is worth going on with. The
//! kernel tells it at once, also when the host was killed.

use std::io::stdout;
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::sync::watch;

/// Becomes true when nobody reads our standard output any more.
pub(crate) fn watch() -> watch::Receiver<bool> {
    let (tell, told) = watch::channel(false);
    // It waits for as long as the host lives, so it is no task of a runtime that waits for its own.
    let waiting = thread::Builder::new().name("fourfold-host".to_owned());
    let spawned = waiting.spawn(move || {
        if wait() {
            // Who listens has ended before.
            let _ = tell.send(true);
        }
    });
    if let Err(error) = spawned {
        tracing::warn!(%error, "a host that is killed will be noticed late");
    }
    told
}

/// Waits until the other end is closed; whether that was seen.
fn wait() -> bool {
    let stdout = stdout();
    // Nothing is asked for: that the other end is gone is told in any case.
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    loop {
        match poll(&mut watched, None) {
            Ok(_) => {
                let mut seen = watched.iter().map(PollFd::revents);
                let over = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
                return seen.any(|flags| flags.intersects(over));
            }
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}
