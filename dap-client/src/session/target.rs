//! Processes that are not ours: whether one can be attached to, and whether it goes on afterwards.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::sleep;

use crate::error::DebugError;

/// What the system says about a process.
#[derive(Debug, Default, PartialEq, Eq)]
struct Standing {
    /// The letter of its state: `R`, `S`, `T` when it was stopped, `t` when it is traced.
    state: char,
    /// The process that traces it; 0 for none.
    tracer: u32,
}

fn status(pid: u32) -> PathBuf {
    format!("/proc/{pid}/status").into()
}

impl Standing {
    fn read(text: &str) -> Self {
        let field = |name: &str| {
            let mut lines = text.lines();
            lines.find_map(|line| Some(line.strip_prefix(name)?.trim()))
        };
        Self {
            state: field("State:")
                .and_then(|state| state.chars().next())
                .unwrap_or('?'),
            tracer: field("TracerPid:")
                .and_then(|pid| pid.parse().ok())
                .unwrap_or_default(),
        }
    }

    fn of(pid: u32) -> Option<Self> {
        Some(Self::read(&fs::read_to_string(status(pid)).ok()?))
    }
}

/// The bit of CAP_SYS_PTRACE in a mask of capabilities.
const CAP_SYS_PTRACE: u64 = 1 << 19;

/// Why the system does not let a process of another tree be traced, by its setting and our capabilities.
fn restricted(scope: &str, status: &str) -> Option<String> {
    let scope = scope.trim();
    let mask = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let may = mask.is_some_and(|mask| mask & CAP_SYS_PTRACE != 0);
    let who = match scope {
        "1" if !may => "only its parents",
        "2" if !may => "only root",
        "3" => "nobody",
        _ => return None,
    };
    Some(format!(
        "the system lets {who} trace it (kernel.yama.ptrace_scope is {scope}); set that to 0, or launch the \
         program under the debugger"
    ))
}

/// Why a process cannot be attached to, as far as one can see before; `traced` when that means to trace
/// it.
pub(crate) fn check(pid: u32, traced: bool) -> Result<(), DebugError> {
    let why = |why: String| Err(DebugError::NotAttachable { pid, why });
    let Some(standing) = Standing::of(pid) else {
        return why("there is no such process".to_owned());
    };
    if standing.state == 'Z' {
        return why("it has ended already".to_owned());
    }
    if standing.tracer != 0 {
        return why(format!(
            "process {} traces it already; end that debugger first",
            standing.tracer
        ));
    }
    let owner = |path: PathBuf| fs::metadata(path).map(|meta| meta.uid()).ok();
    let (its, ours) = (owner(status(pid)), owner("/proc/self/status".into()));
    if its != ours && ours != Some(0) {
        return why("it belongs to another user; run as that user".to_owned());
    }
    if pid == std::process::id() {
        return why("it is this process".to_owned());
    }
    let read = |file| fs::read_to_string(file).unwrap_or_default();
    let scope = read("/proc/sys/kernel/yama/ptrace_scope");
    match restricted(&scope, &read("/proc/self/status")).filter(|_| traced) {
        Some(words) => why(words),
        None => Ok(()),
    }
}

/// Whether there is no such process, or it has ended and waits to be buried.
pub(super) fn is_gone(pid: u32) -> bool {
    Standing::of(pid).is_none_or(|standing| matches!(standing.state, 'Z' | 'X'))
}

/// Looks after a process that was let go: one that was left stopped is sent on.
pub(super) async fn let_go(pid: u32) -> Option<String> {
    /// Looks, and between them a moment in which a tracer that was killed lets go.
    const LOOKS: u32 = 20;
    for _ in 0..LOOKS {
        let standing = Standing::of(pid)?;
        if standing.tracer == 0 && !matches!(standing.state, 'T' | 't') {
            return None;
        }
        if standing.tracer == 0 && standing.state == 'T' {
            let sent = fourfold_child::send_on(pid);
            return Some(match sent {
                Ok(()) => format!("process {pid} was left stopped and was sent on"),
                Err(error) => {
                    format!("process {pid} was left stopped and cannot be sent on: {error}")
                }
            });
        }
        sleep(Duration::from_millis(25)).await;
    }
    Some(format!("process {pid} is still traced"))
}

/// What the threads of a process have done so far: their numbers, and the time that they took.
pub(super) type Work = Vec<(u32, u64)>;

/// That of a process in which no thread does anything at this moment; also of one that has ended and is
/// not buried.
pub(super) fn work_of(pid: u32) -> Option<Work> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let mut work: Work = tasks
        .flatten()
        .map(|task| {
            let number = task.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(task.path().join("stat")).ok()?;
            Some((number, time_at_rest(&stat)?))
        })
        .collect::<Option<_>>()?;
    work.sort_unstable();
    Some(work)
}

/// The time that a thread has taken, when it waits: its state is behind its name, which may hold anything.
fn time_at_rest(stat: &str) -> Option<u64> {
    let (_, behind) = stat.rsplit_once(')')?;
    let words: Vec<&str> = behind.split_whitespace().collect();
    let rests = matches!(words.first(), Some(&"S" | &"D" | &"I" | &"Z" | &"X"));
    let number = |at: usize| words.get(at)?.parse::<u64>().ok();
    (number(11)?.checked_add(number(12)?)).filter(|_| rests)
}

/// The number of the system call that reads.
#[cfg(target_arch = "x86_64")]
const READ: &str = "0";
#[cfg(not(target_arch = "x86_64"))]
const READ: &str = "63";

/// Whether a thread of the process waits for its standard input, as far as the system tells.
pub(super) fn waits_for_input(pid: u32) -> bool {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"));
    tasks.into_iter().flatten().flatten().any(|task| {
        let call = fs::read_to_string(task.path().join("syscall"));
        call.is_ok_and(|call| reads_input(&call))
    })
}

/// A call and its arguments: `0 0x0 …` reads the descriptor 0.
fn reads_input(call: &str) -> bool {
    let mut words = call.split_whitespace();
    words.next() == Some(READ) && words.next() == Some("0x0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_read_of_standard_input_waits_for_it() {
        assert!(reads_input(&format!(
            "{READ} 0x0 0x55d0 0x400 0x0 0x0 0x0 0x7ffc 0x7f1a"
        )));
        assert!(!reads_input(&format!("{READ} 0x3 0x55d0 0x400")));
        assert!(!reads_input("running"));
        assert!(!waits_for_input(u32::MAX));
    }

    #[test]
    fn a_thread_that_waits_is_told_from_one_that_works() {
        let stat = |state: char| {
            format!("7 (a) R (b) {state} 1 7 7 0 -1 4194304 9 0 0 0 120 30 0 0 20 0 4 0 1 1 1")
        };
        assert_eq!(time_at_rest(&stat('S')), Some(150));
        assert_eq!(time_at_rest(&stat('R')), None);
        assert_eq!(time_at_rest(""), None);
        assert_eq!(work_of(u32::MAX), None);
    }

    #[test]
    fn a_system_that_restricts_tracing_is_told_of() {
        let root = "CapEff:\t000001ffffffffff\n";
        let user = "CapEff:\t0000000000000000\n";
        let words = |scope, status| restricted(scope, status).unwrap_or_default();
        assert!(words("1\n", user).starts_with("the system lets only its parents trace it"));
        assert!(words("2\n", user).contains("only root trace it (kernel.yama.ptrace_scope is 2)"));
        assert!(words("3\n", root).contains("nobody"));
        for (scope, status) in [("0\n", user), ("", user), ("1\n", root), ("2\n", root)] {
            assert_eq!(restricted(scope, status), None);
        }
    }

    #[test]
    fn the_system_tells_how_a_process_is() {
        let text = "Name:\tsleep\nState:\tt (tracing stop)\nTracerPid:\t42\n";
        assert_eq!(
            Standing::read(text),
            Standing {
                state: 't',
                tracer: 42
            }
        );
        assert!(
            check(std::process::id(), true)
                .unwrap_err()
                .to_string()
                .contains("it is this process")
        );
        let none = check(u32::MAX, true).unwrap_err().to_string();
        assert_eq!(
            none,
            "cannot attach to process 4294967295: there is no such process"
        );
    }
}
