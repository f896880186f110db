//! The inspector of a process that runs JavaScript: where it listens, and opening it in one that was
//! started without.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::error::DebugError;

/// How long a process may take to open its inspector.
const OPENS: Duration = Duration::from_secs(5);

/// The port that an inspector has unless told.
const USUAL: u16 = 9229;

/// The bit of SIGUSR1 in a mask of signals.
const SIGUSR1: u64 = 1 << 9;

/// An inspector that can be connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inspector {
    pub(crate) port: u16,
    /// Whether it was opened for us. It stays open.
    pub(crate) opened: bool,
}

/// The inspector of a process, opened when it is not.
pub(crate) async fn of(pid: u32) -> Result<Inspector, DebugError> {
    let cannot = |why: String| Err(DebugError::NotAttachable { pid, why });
    let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    if !matches!(&*name, "node" | "nodejs" | "electron") {
        return cannot(format!("it runs `{name}`, which is no Node.js"));
    }
    let before = listening(pid);
    let told = match told(pid) {
        // Any port: it is the only one, or else the program has others.
        Some(0) if before.len() == 1 => before.first().copied(),
        Some(0) if before.len() > 1 => {
            return cannot(format!(
                "its inspector listens at one of the ports {before:?}; attach to that one by host and port"
            ));
        }
        told => told.filter(|port| before.contains(port)),
    };
    if let Some(port) = told.or(before.contains(&USUAL).then_some(USUAL)) {
        return Ok(Inspector {
            port,
            opened: false,
        });
    }
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    if !catches(&status) {
        return cannot("it does not open its inspector when it is asked to (SIGUSR1)".to_owned());
    }
    if let Err(error) = fourfold_child::open_inspector(pid) {
        return cannot(format!("it cannot be asked to open its inspector: {error}"));
    }
    let deadline = Instant::now() + OPENS;
    loop {
        if let Some(port) = listening(pid).difference(&before).next() {
            return Ok(Inspector {
                port: *port,
                opened: true,
            });
        }
        if Instant::now() >= deadline {
            return cannot(format!(
                "it opened no inspector within {} s; another process may have port {USUAL}, or start \
                 it with --inspect=0",
                OPENS.as_secs()
            ));
        }
        sleep(Duration::from_millis(20)).await;
    }
}

/// Whether the process does something of its own at SIGUSR1; any other would be ended by it.
fn catches(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & SIGUSR1 != 0)
}

/// The port that its command line or its environment tells it to inspect at.
fn told(pid: u32) -> Option<u16> {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let env = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let env = String::from_utf8_lossy(&env);
    let options = env
        .split('\0')
        .find_map(|pair| pair.strip_prefix("NODE_OPTIONS="));
    let words = String::from_utf8_lossy(&words).into_owned();
    let options = options.unwrap_or_default().split_whitespace();
    words.split('\0').chain(options).find_map(port)
}

/// The port of an option such as `--inspect=127.0.0.1:9230`.
fn port(option: &str) -> Option<u16> {
    let rest = option.strip_prefix("--inspect")?;
    let rest = ["-brk", "-wait", "-port"]
        .iter()
        .find_map(|kind| rest.strip_prefix(kind))
        .unwrap_or(rest);
    match rest.strip_prefix('=') {
        Some(at) => at.rsplit(':').next()?.parse().ok(),
        None => rest.is_empty().then_some(USUAL),
    }
}

/// The TCP ports that a process listens at.
fn listening(pid: u32) -> BTreeSet<u16> {
    let links = fs::read_dir(format!("/proc/{pid}/fd"));
    let sockets: BTreeSet<String> = links
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|link| {
            let target = fs::read_link(link.path()).ok()?;
            let inode = target.to_str()?.strip_prefix("socket:[")?;
            Some(inode.trim_end_matches(']').to_owned())
        })
        .collect();
    ["tcp", "tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(format!("/proc/{pid}/net/{table}")).ok())
        .flat_map(|table| {
            let ports = table.lines().filter_map(listener);
            let ports = ports.filter(|(_, inode)| sockets.contains(inode));
            ports.map(|(port, _)| port).collect::<Vec<_>>()
        })
        .collect()
}

/// The port and the inode of a line of the system's table, when it is of a socket that listens.
fn listener(line: &str) -> Option<(u16, String)> {
    const LISTEN: &str = "0A";
    let mut words = line.split_whitespace();
    let local = words.nth(1)?;
    let state = words.nth(1)?;
    let inode = words.nth(5)?;
    let (_, port) = local.rsplit_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    (state == LISTEN).then(|| (port, inode.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_from_options() {
        assert_eq!(port("--inspect"), Some(9229));
        assert_eq!(port("--inspect-brk"), Some(9229));
        assert_eq!(port("--inspect=0"), Some(0));
        assert_eq!(port("--inspect-wait=127.0.0.1:9230"), Some(9230));
        assert_eq!(port("--inspect-port=9231"), Some(9231));
        assert_eq!(port("--inspect-publish-uid=http"), None);
        assert_eq!(port("server.js"), None);
    }

    #[test]
    fn the_systems_table_is_read() {
        let line = "   0: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000     \
                    0        0 4711 1 0000000000000000 100 0 0 10 0";
        assert_eq!(listener(line), Some((9229, "4711".to_owned())));
        assert_eq!(listener(&line.replace(" 0A ", " 01 ")), None);
        assert_eq!(listener("  sl  local_address rem_address"), None);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(listening(std::process::id()).contains(&port));
        assert!(catches("Name:\tx\nSigCgt:\t0000000108004a00\n"));
        assert!(!catches("SigCgt:\t0000000108004800\n"));
    }
}
