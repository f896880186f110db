//! The processes of the machine as `/proc` of Linux shows them; where there is none, none are found.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::process::{Pid, Signal};

/// One process, or what is left of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    /// Clock ticks since the machine started. With the pid it names one process for ever.
    pub(crate) start: u64,
    state: u8,
    threads: u32,
}

impl Process {
    /// Ended, and only waiting for its parent to notice. A process whose first thread is over while
    /// others run looks nearly like it, and is alive.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.state, b'Z' | b'X') && self.threads <= 1
    }

    /// Sends a signal to this process, and never to another one that got its pid meanwhile.
    pub(crate) fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid) else {
            return;
        };
        let handle = Handle::open(pid);
        // Whatever the handle is for, it was opened before this look.
        if read(self.pid).is_some_and(|now| now.start == self.start) {
            // Failing means that it has ended, or is not ours to signal: the next look tells.
            let _ = handle.signal(signal);
        }
    }
}

/// Hold of a process that outlasts its pid.
#[cfg(target_os = "linux")]
enum Handle {
    Descriptor(std::os::fd::OwnedFd),
    Number(Pid),
    Nothing(rustix::io::Errno),
}

#[cfg(target_os = "linux")]
impl Handle {
    fn open(pid: Pid) -> Self {
        use rustix::io::Errno;
        use rustix::process::{PidfdFlags, pidfd_open};
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(descriptor) => Self::Descriptor(descriptor),
            // Linux before 5.3.
            Err(Errno::NOSYS) => Self::Number(pid),
            Err(error) => Self::Nothing(error),
        }
    }

    fn signal(&self, signal: Signal) -> rustix::io::Result<()> {
        match self {
            Self::Descriptor(descriptor) => rustix::process::pidfd_send_signal(descriptor, signal),
            Self::Number(pid) => rustix::process::kill_process(*pid, signal),
            Self::Nothing(error) => Err(*error),
        }
    }
}

/// There is nothing better than the number.
#[cfg(not(target_os = "linux"))]
struct Handle(Pid);

#[cfg(not(target_os = "linux"))]
impl Handle {
    fn open(pid: Pid) -> Self {
        Self(pid)
    }

    fn signal(&self, signal: Signal) -> rustix::io::Result<()> {
        rustix::process::kill_process(self.0, signal)
    }
}

/// All processes that this one may see.
pub(crate) fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| read(entry.file_name().to_str()?.parse().ok()?))
        .collect()
}

/// One process; `None` when there is none of that number.
pub(crate) fn read(pid: i32) -> Option<Process> {
    parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads `pid (name) state parent …`. The name may hold anything, parentheses and line ends too.
fn parse(pid: i32, stat: &[u8]) -> Option<Process> {
    let name_ends = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = str::from_utf8(stat.get(name_ends + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let parent = fields.next()?.parse().ok()?;
    // Counted from 1, as the manual does: the state is field 3, threads 20, start time 22.
    let threads = fields.nth(15)?.parse().ok()?;
    let start = fields.nth(1)?.parse().ok()?;
    Some(Process {
        pid,
        parent,
        start,
        state,
        threads,
    })
}

/// Those of `all` that stem from one of `roots`, without the roots themselves.
pub(crate) fn descendants(roots: &[i32], all: &[Process]) -> Vec<Process> {
    let mut by_parent: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in all {
        by_parent.entry(process.parent).or_default().push(*process);
    }
    let mut seen: HashSet<i32> = roots.iter().copied().collect();
    let mut open = roots.to_vec();
    let mut found = Vec::new();
    while let Some(parent) = open.pop() {
        for process in by_parent.get(&parent).into_iter().flatten() {
            if seen.insert(process.pid) {
                open.push(process.pid);
                found.push(*process);
            }
        }
    }
    found
}

/// The children of the calling thread, those included that were left to it. Much faster than a look
/// at all processes, and a kernel without it (`CONFIG_PROC_CHILDREN`) has the slow way.
#[cfg(target_os = "linux")]
pub(crate) fn own_children() -> Vec<i32> {
    match fs::read_to_string("/proc/thread-self/children") {
        Ok(text) => text
            .split_ascii_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .collect(),
        Err(_) => {
            let this = rustix::process::getpid().as_raw_pid();
            all()
                .into_iter()
                .filter(|process| process.parent == this)
                .map(|process| process.pid)
                .collect()
        }
    }
}

/// The command line of a process, words separated by blanks, at most `max` characters.
pub(crate) fn command_line(pid: i32, max: usize) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).replace('\0', " ");
    let text = text.trim_end();
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What a process was given as environment variable `name`. `None` too when it is not ours to read.
pub(crate) fn variable(pid: i32, name: &str) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environment.split(|byte| *byte == 0).find_map(|entry| {
        let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(str::from_utf8(value).ok()?.to_owned())
    })
}

/// The number of the pid namespace that this process lives in; 0 when `/proc` does not tell.
pub(crate) fn pid_namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").map_or(0, |namespace| namespace.ino())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let stat = b"42 (a) S 1 (b\n) Z 7 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 3 0 9876 0 0";
        let process = parse(42, stat).unwrap();
        assert_eq!((process.parent, process.start), (7, 9876));
        assert!(!process.has_ended(), "two more threads are running");

        let stat = b"42 (x) Z 7 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 9876 0 0";
        assert!(parse(42, stat).unwrap().has_ended());
        assert!(parse(42, b"42 (x) S 7 1").is_none());
        assert!(parse(42, b"").is_none());
    }

    #[test]
    fn this_process_is_there() {
        let this = rustix::process::getpid().as_raw_pid();
        let process = read(this).unwrap();
        assert!(!process.has_ended());
        let parent = rustix::process::getppid().map(Pid::as_raw_pid);
        assert_eq!(Some(process.parent), parent);
        assert!(all().iter().any(|process| process.pid == this));
        assert_ne!(pid_namespace(), 0);
    }

    #[test]
    fn descendants_are_found_at_any_depth_and_loops_end() {
        let process = |pid, parent| Process {
            pid,
            parent,
            start: 0,
            state: b'S',
            threads: 1,
        };
        // 2 and 9 stem from each other: pids were used again while the list was made.
        let all = [
            process(5, 4),
            process(4, 2),
            process(2, 9),
            process(9, 5),
            process(3, 1),
        ];
        let mut found: Vec<i32> = descendants(&[2], &all).iter().map(|p| p.pid).collect();
        found.sort_unstable();
        assert_eq!(found, [4, 5, 9]);
        assert!(descendants(&[7], &all).is_empty());
    }
}
