//! What the tests share: where the programs are, and looking at what a tree holds.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fourfold_child::{Child, Guard, Spawn, Stdout};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};

pub(crate) const GUARD: &str = env!("CARGO_BIN_EXE_fourfold-guard");

/// Long enough for any machine, and reached only when a test fails.
const PATIENCE: Timespec = Timespec {
    tv_sec: 20,
    tv_nsec: 0,
};

pub(crate) fn guarded(program: impl AsRef<std::ffi::OsStr>) -> Spawn {
    Spawn::new(program).guard(Guard::Program(GUARD.into()))
}

pub(crate) fn shell(script: &str) -> Spawn {
    guarded("sh").args(["-c", script])
}

/// An example of this crate: they are built beside the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(path.exists(), "build the examples: {}", path.display());
    path
}

pub(crate) fn pid(id: u32) -> Pid {
    Pid::from_raw(i32::try_from(id).unwrap()).unwrap()
}

pub(crate) fn signal(id: u32, signal: Signal) {
    kill_process(pid(id), signal).unwrap();
}

/// The lines up to and with `ready`.
pub(crate) async fn until_ready(stdout: &mut BufReader<Stdout>) -> Vec<String> {
    let mut lines = stdout.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line == "ready" {
            return found;
        }
        found.push(line);
    }
    panic!("it ended before it was ready: {found:?}");
}

/// A process that is watched: its number cannot come to mean another.
pub(crate) struct Watched {
    pub(crate) id: u32,
    handle: OwnedFd,
}

impl Watched {
    pub(crate) fn new(id: u32) -> Self {
        Self {
            id,
            handle: pidfd_open(pid(id), PidfdFlags::empty()).unwrap(),
        }
    }

    fn ends_within(&self, patience: Timespec) -> bool {
        let mut handles = [PollFd::new(&self.handle, PollFlags::IN)];
        poll(&mut handles, Some(&patience)).unwrap() == 1
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.ends_within(Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        })
    }

    pub(crate) fn kill(&self) {
        // It may be gone already.
        let _ = pidfd_send_signal(&self.handle, Signal::KILL);
    }

    #[track_caller]
    pub(crate) fn wait(&self) {
        assert!(self.ends_within(PATIENCE), "process {} lives on", self.id);
    }
}

/// The `unruly` example's tree, and all that it holds.
pub(crate) struct Tree {
    /// Kept as long as its files are looked at.
    _folder: TempDir,
    pub(crate) processes: Vec<Watched>,
    ports: Vec<u16>,
    locks: Vec<PathBuf>,
}

impl Tree {
    /// Place among the processes of the one that has a session of its own and no environment.
    pub(crate) const BARE: usize = 4;
    /// Place of the program itself.
    pub(crate) const MAIN: usize = 5;

    pub(crate) fn arguments(folder: &Path) -> [String; 2] {
        ["tree".to_owned(), folder.to_str().unwrap().to_owned()]
    }

    /// From the lines in which its processes say what they have.
    pub(crate) fn new(folder: TempDir, lines: &[String]) -> Self {
        let mut tree = Self {
            _folder: folder,
            processes: Vec::new(),
            ports: Vec::new(),
            locks: Vec::new(),
        };
        for line in lines {
            let parts: Vec<&str> = line.split(' ').collect();
            tree.processes.push(Watched::new(parts[0].parse().unwrap()));
            tree.ports.push(parts[1].parse().unwrap());
            tree.locks.push(parts[2].into());
        }
        assert_eq!(tree.processes.len(), 6);
        for (port, lock) in tree.ports.iter().zip(&tree.locks) {
            assert!(TcpListener::bind(("127.0.0.1", *port)).is_err());
            assert!(File::open(lock).unwrap().try_lock().is_err());
        }
        tree
    }

    /// Everything is gone by now, and free.
    #[track_caller]
    pub(crate) fn assert_gone(&self) {
        for process in &self.processes {
            assert!(process.is_gone(), "process {} lives on", process.id);
        }
        self.assert_free();
    }

    /// Everything will be gone soon, and free.
    #[track_caller]
    pub(crate) fn wait(&self) {
        for process in &self.processes {
            process.wait();
        }
        self.assert_free();
    }

    #[track_caller]
    fn assert_free(&self) {
        for (port, lock) in self.ports.iter().zip(&self.locks) {
            TcpListener::bind(("127.0.0.1", *port)).unwrap();
            File::open(lock).unwrap().try_lock().unwrap();
        }
    }
}

/// Starts the tree.
pub(crate) async fn unruly(how: impl FnOnce(Spawn) -> Spawn) -> (Child, Tree) {
    let folder = tempfile::tempdir().unwrap();
    let spawn = guarded(example("unruly")).args(Tree::arguments(folder.path()));
    let mut child = how(spawn).spawn().await.unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap());
    let lines = until_ready(&mut stdout).await;
    (child, Tree::new(folder, &lines))
}

/// The `host` example with the tree, and what it says of it.
pub(crate) struct Host {
    pub(crate) process: std::process::Child,
    pub(crate) guard: u32,
    pub(crate) token: String,
    pub(crate) tree: Tree,
}

impl Host {
    pub(crate) fn start(options: &[&str]) -> Self {
        use std::io::BufRead;
        let folder = tempfile::tempdir().unwrap();
        let mut process = Command::new(example("host"))
            .args(options)
            .arg(example("unruly"))
            .args(Tree::arguments(folder.path()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = std::io::BufReader::new(process.stderr.take().unwrap());
        let said = stderr.lines().next().unwrap().unwrap();
        let (_, rest) = said.split_once("guard Some(").unwrap();
        let (guard, token) = rest.split_once("), token ").unwrap();
        let stdout = std::io::BufReader::new(process.stdout.take().unwrap());
        let lines: Vec<String> = stdout
            .lines()
            .map(Result::unwrap)
            .take_while(|line| line != "ready")
            .collect();
        Self {
            guard: guard.parse().unwrap(),
            token: token.to_owned(),
            tree: Tree::new(folder, &lines),
            process,
        }
    }

    pub(crate) fn signal(&self, with: Signal) {
        signal(self.process.id(), with);
    }
}

/// Whether `pid` is in the list of processes, be it as a zombie.
pub(crate) fn is_listed(pid: u32) -> bool {
    fs::exists(format!("/proc/{pid}")).unwrap()
}
