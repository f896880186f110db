//! Somebody is killed at a random moment: us, the adapter, the program or the guard. Nothing is left, and
//! what is told is true.
#![allow(
    clippy::print_stdout,
    reason = "a host tells the test that has started it, and the test its figures"
)]

use std::fmt::Display;
use std::fs::{self, File};
use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};
use std::{env, thread};

use fourfold_dap_client::program::{self, ProgramRequest};
use fourfold_dap_client::{
    Breakpoint, DebugError, Debugger, EvaluateQuery, LaunchRequest, Outcome, Resume, SessionEnd,
    Why,
};
use fourfold_testkit::leftovers::{self, Process};
use fourfold_testkit::{Project, program as programs};

use super::bench::*;

/// Each takes a port, tells it in a file, and starts a process in a session of its own that has a lock.
const PYTHON: &str = r#"import socket, subprocess, time

port = socket.create_server(("127.0.0.1", 0))
subprocess.Popen(["flock", "lock", "sleep", "600"], start_new_session=True)
with open("port", "w") as file:
    file.write(str(port.getsockname()[1]))
count = 0  # HERE
while True:
    count += 1
    time.sleep(0.02)
"#;

const C: &str = r#"#include <arpa/inet.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int port = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    if (bind(port, (struct sockaddr *)&at, size) || listen(port, 5)) return 3;
    getsockname(port, (struct sockaddr *)&at, &size);
    if (fork() == 0) {
        setsid();
        execlp("flock", "flock", "lock", "sleep", "600", NULL);
    }
    FILE *file = fopen("port", "w");
    fprintf(file, "%d", ntohs(at.sin_port));
    fclose(file);
    int count = 0; /* HERE */
    for (;;) {
        count++;
        usleep(20000);
    }
}
"#;

const GO: &str = r#"package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	port, _ := net.Listen("tcp", "127.0.0.1:0")
	child := exec.Command("flock", "lock", "sleep", "600")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	child.Start()
	told := fmt.Sprint(port.Addr().(*net.TCPAddr).Port)
	os.WriteFile("port", []byte(told), 0o600)
	count := 0 // HERE
	for {
		count++
		time.Sleep(20 * time.Millisecond)
	}
}
"#;

const NODE: &str = r"const port = require('net').createServer().listen(0, '127.0.0.1', () => {
  require('child_process').spawn('flock', ['lock', 'sleep', '600'], { detached: true, stdio: 'ignore' });
  require('fs').writeFileSync('port', String(port.address().port));
  let count = 0; // HERE
  setInterval(() => {
    count += 1;
  }, 20);
});
";

/// The word on the command line of the program alone.
const WORD: &str = "holds";

/// The files of an adapter's program, and the request for it.
fn held(adapter: &str) -> (Project, ProgramRequest, &'static str) {
    let project = Project::new();
    let (project, program, file) = match adapter {
        "debugpy" => (project.file("held.py", PYTHON), "held.py", "held.py"),
        "js-debug" => (project.file("held.js", NODE), "held.js", "held.js"),
        "delve" => {
            let module = "module held\n\ngo 1.19\n";
            let project = project.file("go.mod", module).file("main.go", GO);
            (project, "main.go", "main.go")
        }
        _ => (project.file("held.c", C), "held", "held.c"),
    };
    let mut request = ProgramRequest::file(program);
    request.args.push(WORD.to_owned());
    if file == "held.c" {
        request.adapter = Some(adapter.to_owned());
    }
    (project, request, file)
}

/// How often: each of the four once, or a hundred times in the long runs.
fn rounds() -> u64 {
    match env::var_os("FOURFOLD_LONG") {
        Some(_) => 100,
        None => 4,
    }
}

/// What the moments are chosen by.
fn seed() -> u64 {
    let given = env::var("PROPTEST_RNG_SEED").ok();
    given.and_then(|seed| seed.parse().ok()).unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        now.unwrap().as_micros() as u64
    })
}

/// A number that looks like chance.
fn mixed(seed: u64, round: u64) -> u64 {
    let mut number = seed.wrapping_add(round.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Moments lie within so long after the host's start; one who is not there yet is killed when born.
const SPAN: u64 = 4000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Us,
    Adapter,
    Program,
    Guard,
}

const VICTIMS: [Victim; 4] = [Victim::Us, Victim::Adapter, Victim::Program, Victim::Guard];

impl Victim {
    fn is(self, adapter: &str, host: u32, process: &Process, family: &[Process]) -> bool {
        let command = process.command.as_str();
        let guard = command.contains("fourfold-guard");
        match self {
            Victim::Us => process.pid == host,
            // That of the adapter: others watch over what is run before it.
            Victim::Guard => {
                let adapters = family
                    .iter()
                    .filter(|one| Victim::Adapter.is(adapter, host, one, family));
                guard
                    && adapters
                        .into_iter()
                        .any(|one| is_child(one.pid, process.pid))
            }
            // What starts it has its words too.
            Victim::Program => {
                let starts = command.contains("launcher ") || command.starts_with("/bin/");
                !guard && !starts && command.ends_with(WORD)
            }
            Victim::Adapter => {
                let known = match adapter {
                    "debugpy" => "--port",
                    "gdb" => "--interpreter=dap",
                    "delve" => "dlv dap",
                    "js-debug" => "vsDebugServer.cjs",
                    other => other,
                };
                !guard && command.contains(known)
            }
        }
    }
}

fn is_child(pid: u32, parent: u32) -> bool {
    let children = format!("/proc/{parent}/task/{parent}/children");
    let children = fs::read_to_string(children).unwrap_or_default();
    children
        .split_whitespace()
        .any(|child| child == pid.to_string())
}

/// Set in a second run of this test's program, which then is the host that may be killed: its folder.
const HOST: &str = "FOURFOLD_TEST_HOST";

/// Runs the host in `root`, with the rest of what it is to do in `order`.
fn host(name: &str, root: &Path, order: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .current_dir(root)
        .env(HOST, order)
        .env("TMPDIR", root.join("tmp"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The life of a host: it stops at the breakpoint, looks, steps, and lets the program run.
async fn lives(adapter: &str) {
    let root = env::current_dir().unwrap();
    program::sweep();
    if adapter.is_empty() {
        return;
    }
    let (_, request, file) = held(adapter);
    let debugger = Debugger::new(config(&root));
    let mut launch = match planned(&debugger, &root, &request).await {
        Ok(launch) => launch,
        Err(error) => return say("unprepared", error),
    };
    launch.breakpoints.push(Breakpoint::at_text(file, "HERE"));
    match looks(&debugger, launch).await {
        Ok(outcome @ (Outcome::Exited(_) | Outcome::Crashed(_))) => say("exited", outcome),
        Ok(Outcome::SessionEnded(end)) => say(ended(&end), end),
        Ok(other) => say("goes on", other),
        Err(error) => say(kind(&error), error),
    }
    let _ = debugger.terminate().await;
}

/// The last that a session tells.
async fn looks(debugger: &Debugger, launch: LaunchRequest) -> Result<Outcome, DebugError> {
    let (session, mut outcome) = debugger.launch(launch).await?;
    for how in [Resume::StepOver, Resume::StepOver, Resume::Continue] {
        if !matches!(outcome, Outcome::Stopped(_)) {
            break;
        }
        // Who is killed meanwhile is told of by what comes next.
        let _ = session.evaluate(EvaluateQuery::new("count")).await;
        outcome = match session.resume(how, WAIT).await {
            Err(DebugError::NotStopped { .. }) => session.wait(WAIT).await?,
            other => other?,
        };
    }
    Ok(outcome)
}

fn ended(end: &SessionEnd) -> &'static str {
    match end.why {
        Why::AdapterGone { .. } => "gone",
        _ => "ended",
    }
}

fn kind(error: &DebugError) -> &'static str {
    match error {
        DebugError::Ended(end) => ended(end),
        _ => "error",
    }
}

fn say(kind: &str, what: impl Display) {
    println!("\ntold {kind}: {:?}", what.to_string());
}

/// What the host has told; nothing when it was killed.
fn told(mut host: Child) -> Option<String> {
    let mut text = String::new();
    host.stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    host.wait().unwrap();
    text.lines()
        .find_map(|line| line.strip_prefix("told "))
        .map(str::to_owned)
}

/// Kills the victim at the moment, or when it is there.
fn kill(
    victim: Victim,
    adapter: &str,
    host: &mut Child,
    root: &Path,
    moment: Duration,
) -> Option<String> {
    let begun = Instant::now();
    loop {
        if begun.elapsed() >= moment {
            let family = leftovers::of_folder(root);
            let found = family
                .iter()
                .find(|process| victim.is(adapter, host.id(), process, &family));
            if let Some(process) = found {
                let killed = Command::new("kill")
                    .args(["-9", &process.pid.to_string()])
                    .stderr(Stdio::null())
                    .status();
                return killed.unwrap().success().then(|| process.command.clone());
            }
            if host.try_wait().unwrap().is_some() {
                return None;
            }
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Nothing of the host is left: no process, no port, no lock, no temporary file.
#[track_caller]
fn assert_free(name: &str, project: &Project, victim: Victim, what: &str) {
    let root = project.root();
    let found = leftovers::after_a_while(|| leftovers::of_folder(root));
    assert!(found.is_empty(), "{what}: {found:#?}");
    if let Ok(lock) = File::open(root.join("lock")) {
        assert!(lock.try_lock().is_ok(), "{what}: the lock");
    }
    if let Ok(port) = fs::read_to_string(root.join("port")) {
        if let Ok(port) = port.parse::<u16>() {
            let free = TcpListener::bind(("127.0.0.1", port));
            assert!(free.is_ok(), "{what}: port {port}");
        }
        fs::remove_file(root.join("port")).unwrap();
    }
    if victim == Victim::Us {
        // What it has made is removed by the next one that starts.
        told(host(name, root, ""));
    }
    let files: Vec<PathBuf> = fs::read_dir(root.join("tmp"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(files.is_empty(), "{what}: {files:#?}");
}

/// Whether what the host told is true.
fn is_true(victim: Victim, told: Option<&str>) -> bool {
    let Some(told) = told else {
        return victim == Victim::Us;
    };
    match victim {
        Victim::Us => true,
        // While it is launched, its end is that of the launch.
        Victim::Program => {
            let ended = told.starts_with("exited") && !told.contains("(code 0)");
            // lldb-dap may die of it, which is told.
            let along = told.starts_with("gone") && !told.contains("KILL");
            ended || along || told.starts_with("error")
        }
        Victim::Adapter | Victim::Guard => !told.starts_with("exited") && !told.starts_with("goes"),
    }
}

async fn nothing_is_left(adapter: &str, name: &str) {
    if let Ok(order) = env::var(HOST) {
        return lives(&order).await;
    }
    let (_, name) = name.split_once("::").unwrap();
    programs::guard();
    let seed = seed();
    let (project, ..) = held(adapter);
    fs::create_dir(project.path("tmp")).unwrap();
    if project.path("held.c").exists() {
        let built = Command::new("cc")
            .args(["-g", "-O0", "held.c", "-o", "held"])
            .current_dir(project.root())
            .status();
        assert!(built.unwrap().success());
    }
    let begun = Instant::now();
    for round in 0..rounds() {
        let victim = VICTIMS[round as usize % VICTIMS.len()];
        let moment = Duration::from_millis(mixed(seed, round) % SPAN);
        let mut host = host(name, project.root(), adapter);
        let killed = kill(victim, adapter, &mut host, project.root(), moment);
        let told = told(host);
        let what = format!(
            "seed {seed}, round {round}: {victim:?} after {moment:?}, {killed:?}, {told:?}"
        );
        assert!(killed.is_some(), "{what}");
        assert!(is_true(victim, told.as_deref()), "{what}");
        assert_free(name, &project, victim, &what);
    }
    println!(
        "{adapter}: {} rounds in {:?}, nothing left",
        rounds(),
        begun.elapsed()
    );
}

macro_rules! each {
    ($($name:ident: $adapter:literal,)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let name = concat!(module_path!(), "::", stringify!($name));
            nothing_is_left($adapter, name).await;
        }
    )*};
}

each! {
    with_debugpy: "debugpy",
    with_gdb: "gdb",
    with_lldb: "lldb-dap",
    with_delve: "delve",
    with_js_debug: "js-debug",
}
