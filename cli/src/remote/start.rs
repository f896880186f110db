//! A daemon, started when it is needed.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context as _, Result, bail};
use tokio::net::unix::pipe::Receiver;
use tokio::time::timeout;

use crate::log::WIRE_LOG;
use crate::remote::inherited;
use crate::remote::link::Patience;
use crate::serve::Ready;
use crate::serve::identity::OWN_PROGRAM;
use crate::serve::log;
use crate::serve::place::Place;
use crate::serve::wire::Lines;

/// Starts a daemon and waits until it serves. It holds the lock on starting until then, also when
/// this process ends.
///
/// Cancel safety: the daemon goes on.
pub(crate) async fn start(
    place: &Place,
    root: &Path,
    starting: File,
    patience: &Patience,
    wire_log: Option<&Path>,
) -> Result<Ready> {
    inherited::keep();
    // The same program, also when its file has been replaced meanwhile.
    let mut child = Command::new(OWN_PROGRAM)
        .arg0("fourfold")
        .args(["serve", "--detached"])
        .current_dir(root)
        .envs(wire_log.map(|path| (WIRE_LOG, path)))
        .stdin(starting)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start the daemon")?;
    let word = child.stdout.take().context("the daemon has no voice")?;
    let word = Receiver::from_owned_fd(OwnedFd::from(word))?;
    let mut lines = Lines::new(word);
    match timeout(patience.start, lines.next()).await {
        Ok(line) => match line? {
            Some(line) => {
                // It goes on when we do not; as long as we do, its end is noticed.
                thread::spawn(move || child.wait());
                Ok(serde_json::from_slice(&line)?)
            }
            None => {
                let status = child.wait()?;
                let log = match log::path(place.name()) {
                    Some(log) => format!("; `{}` may tell more", log.display()),
                    None => String::new(),
                };
                bail!("the daemon ended before it served ({status}){log}")
            }
        },
        Err(_) => {
            // Else it would hold the lock on starting for as long as it hangs.
            let _ = child.kill();
            let _ = child.wait();
            bail!(
                "the daemon did not serve within {} seconds",
                patience.start.as_secs()
            )
        }
    }
}
