//! Processes that outlived their test.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// A process that still runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its command line, blanks between the words.
    pub command: String,
}

/// The processes that work in `folder`, or have its name on their command line or in their
/// environment. Some go elsewhere after their start, but what a process inherits, such as a search
/// path with a folder of the test, it passes on to its children, whoever adopts them.
pub fn of_folder(folder: &Path) -> Vec<Process> {
    let name = folder.as_os_str().as_encoded_bytes();
    processes(|process| {
        let works_there =
            fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
        let names_it = |file: &str| {
            let bytes = fs::read(process.join(file)).unwrap_or_default();
            bytes.windows(name.len()).any(|window| window == name)
        };
        works_there || names_it("cmdline") || names_it("environ")
    })
}

/// The processes whose environment has this variable with this value: those that inherited it.
pub fn that_inherited(name: &str, value: &str) -> Vec<Process> {
    let variable = format!("{name}={value}");
    processes(|process| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|one| one == variable.as_bytes())
    })
}

/// Asserts that no process of a folder is left, now or within ten seconds: a kill takes its time on
/// a busy machine.
#[track_caller]
pub fn assert_none(folder: &Path) {
    let found = after_a_while(|| of_folder(folder));
    assert!(found.is_empty(), "processes were left behind: {found:#?}");
}

/// Those that are still found after ten seconds; at once nothing, when nothing is found.
pub fn after_a_while(find: impl Fn() -> Vec<Process>) -> Vec<Process> {
    let begun = Instant::now();
    loop {
        let found = find();
        if found.is_empty() || begun.elapsed() > Duration::from_secs(10) {
            return found;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The memory in use by these processes together, in bytes: what is resident, shared pages counted
/// for each.
pub fn resident(processes: &[Process]) -> u64 {
    processes
        .iter()
        .filter_map(|process| {
            let status = fs::read_to_string(format!("/proc/{}/status", process.pid)).ok()?;
            let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
            let kilobytes = line.split_whitespace().nth(1)?.parse::<u64>().ok()?;
            Some(kilobytes * 1024)
        })
        .sum()
}

/// All other processes that match; one that has ended and waits to be buried does not run.
fn processes(matches: impl Fn(&Path) -> bool) -> Vec<Process> {
    let entries = fs::read_dir("/proc").expect("leftovers are looked for in /proc");
    entries
        .filter_map(|entry| {
            let folder = entry.ok()?.path();
            let pid = folder.file_name()?.to_str()?.parse().ok()?;
            if pid == std::process::id() || !matches(&folder) || has_ended(&folder) {
                return None;
            }
            let command = fs::read(folder.join("cmdline")).ok()?;
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            Some(Process {
                pid,
                command: command.trim_end().to_owned(),
            })
        })
        .collect()
}

fn has_ended(process: &Path) -> bool {
    // `PID (NAME) STATE …`; the name may hold anything.
    let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
    match stat.rsplit_once(") ") {
        Some((_, rest)) => rest.starts_with(['Z', 'X']),
        None => true,
    }
}
