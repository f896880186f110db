//! Processes that were attached to: they live on, however the session ends.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fourfold_dap_client::{AttachRequest, Breakpoint, DebugError, Outcome, Session, Target, Why};
use fourfold_testkit::{Project, adapters, leftovers};

use super::bench::*;

/// It counts in a file; one line it does not come to before there is another file.
const C: &str = r#"#include <stdio.h>
#include <unistd.h>

int main(void) {
    puts("begins");
    fflush(stdout);
    for (int count = 1;; count++) {
        FILE *file = fopen("count", "w");
        fprintf(file, "%d", count); /* COUNTS */
        fclose(file);
        if (access("later", F_OK) == 0)
            count++; /* LATER */
        usleep(5000);
    }
}
"#;

const PYTHON: &str = "import os
import time

print('begins', flush=True)
count = 0
while True:
    count += 1
    with open('count', 'w') as file:
        file.write(str(count))  # COUNTS
    if os.path.exists('later'):
        count += 1  # LATER
    time.sleep(0.005)
";

const GO: &str = r#"package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	fmt.Println("begins")
	for count := 1; ; count++ {
		os.WriteFile("count", []byte(fmt.Sprint(count)), 0o600) // COUNTS
		if _, missing := os.Stat("later"); missing == nil {
			count++ // LATER
		}
		time.Sleep(5 * time.Millisecond)
	}
}
"#;

/// A program that runs, and what attaches to it.
fn counting(adapter: &str) -> (Bench, Child, &'static str) {
    let project = Project::new()
        .file("count.c", C)
        .file("count.py", PYTHON)
        .file("count.go", GO);
    let bench = Bench::new(project);
    let root = bench.project.root();
    let built = |command: &str| {
        let mut words = command.split(' ');
        let mut compiler = Command::new(words.next().unwrap());
        assert!(
            compiler
                .args(words)
                .current_dir(root)
                .status()
                .unwrap()
                .success()
        );
        Command::new(bench.project.path("counter"))
    };
    let (mut program, file) = match adapter {
        "debugpy" => {
            let mut python = Command::new(adapters::python());
            python.arg("count.py");
            (python, "count.py")
        }
        "delve" => (
            built("go build -gcflags=all=-N -o counter count.go"),
            "count.go",
        ),
        _ => (built("cc -g -O0 count.c -o counter"), "count.c"),
    };
    let program = begun(program.current_dir(root));
    (bench, program, file)
}

/// Attached, and standing at a breakpoint in the middle of the loop.
async fn standing(bench: &Bench, adapter: &str, program: &Child, file: &str, ttl: u64) -> Session {
    let mut request = AttachRequest::new(adapter, Target::Pid(program.id()));
    request.wait = Some(WAIT);
    request.ttl = Some(Duration::from_secs(ttl));
    let at = Breakpoint::at_text(file, "COUNTS");
    request.breakpoints.push(at);
    let (session, mut outcome) = bench.debugger.attach(request).await.unwrap();
    loop {
        match outcome {
            Outcome::Stopped(stop) if stop.breakpoints == [1] => return session,
            // Some stop where they are attached to.
            Outcome::Stopped(_) => {
                let resume = fourfold_dap_client::Resume::Continue;
                outcome = session.resume(resume, WAIT).await.unwrap();
            }
            other => panic!("{adapter}: {other}"),
        }
    }
}

fn field(pid: u32, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap().trim().to_owned()
}

fn count(root: &Path) -> u64 {
    let text = fs::read_to_string(root.join("count")).unwrap_or_default();
    text.parse().unwrap_or_default()
}

/// That nothing traces it, and that it goes on.
async fn lives_on(bench: &Bench, program: &mut Child, adapter: &str) {
    let root = bench.project.root();
    let begun = Instant::now();
    let before = count(root);
    fs::write(root.join("later"), "").unwrap();
    // A trap that was left behind kills it, and one that was left stopped does not count.
    while count(root) < before + 20 {
        let pid = program.id();
        assert_eq!(program.try_wait().unwrap(), None, "{adapter}");
        assert!(
            begun.elapsed() < WAIT / 2,
            "{adapter}: it does not go on: {}, traced by {}",
            field(pid, "State:"),
            field(pid, "TracerPid:")
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(field(program.id(), "TracerPid:"), "0", "{adapter}");
    assert!(!field(program.id(), "State:").starts_with(['T', 't']));
    program.kill().unwrap();
    program.wait().unwrap();
    leftovers::assert_none(root);
}

async fn at_the_time_limit(adapter: &str) {
    let (bench, mut program, file) = counting(adapter);
    let session = standing(&bench, adapter, &program, file, 12).await;
    let begun = Instant::now();
    while session.ended().is_none() {
        assert!(begun.elapsed() < WAIT, "{adapter}: it does not end");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let end = session.ended().unwrap();
    assert_eq!(end.why, Why::TimeLimit { after_s: 12 }, "{adapter}: {end}");
    assert!(end.detached, "{adapter}: {end}");
    assert_eq!(end.left, Some(0), "{adapter}: {end}");
    lives_on(&bench, &mut program, adapter).await;
}

async fn dropped(adapter: &str) {
    let (mut bench, mut program, file) = counting(adapter);
    let session = standing(&bench, adapter, &program, file, 300).await;
    // Its owner goes; the bench needs one.
    let config = fourfold_dap_client::DebuggerConfig::new(bench.project.root().to_owned());
    bench.debugger = fourfold_dap_client::Debugger::new(config);
    let end = match session.wait(WAIT).await {
        Ok(Outcome::SessionEnded(end)) => end,
        Err(DebugError::Ended(end)) => *end,
        other => panic!("{adapter}: {other:?}"),
    };
    assert_eq!(end.why, Why::Dropped, "{adapter}: {end}");
    assert!(end.detached, "{adapter}: {end}");
    lives_on(&bench, &mut program, adapter).await;
}

#[tokio::test]
async fn gdb_lets_go_at_the_time_limit_and_when_its_owner_goes() {
    at_the_time_limit("gdb").await;
    dropped("gdb").await;
}

#[tokio::test]
async fn lldb_lets_go_at_the_time_limit_and_when_its_owner_goes() {
    at_the_time_limit("lldb-dap").await;
    dropped("lldb-dap").await;
}

#[tokio::test]
async fn debugpy_lets_go_at_the_time_limit_and_when_its_owner_goes() {
    at_the_time_limit("debugpy").await;
    dropped("debugpy").await;
}

/// A host, the example `ask`, is killed while the program stands at its breakpoint, or goes on.
async fn host_killed(adapter: &str, place: &str) {
    let (bench, mut program, file) = counting(adapter);
    let root = bench.project.root();
    let mut host = Command::new(example("ask"))
        .args([adapter, &format!("pid:{}", program.id())])
        .args([&format!("{file}:{place}"), "hold"])
        .current_dir(root)
        .env("PATH", adapters::path())
        .env("VIRTUAL_ENV", adapters::folder().join("venv"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(host.stdout.take().unwrap()).lines();
    let said: Vec<String> = said
        .map(Result::unwrap)
        .take_while(|line| line != "holds")
        .collect();
    assert!(host.try_wait().unwrap().is_none(), "{adapter}: {said:#?}");
    let runs = said.iter().any(|line| line.starts_with("still running"));
    assert_eq!(runs, place != "COUNTS", "{adapter}: {said:#?}");
    host.kill().unwrap();
    host.wait().unwrap();
    let begun = Instant::now();
    while field(program.id(), "TracerPid:") != "0" {
        assert!(begun.elapsed() < WAIT / 2, "{adapter}: it is not let go");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    lives_on(&bench, &mut program, adapter).await;
}

async fn survives_its_host(adapter: &str) {
    host_killed(adapter, "COUNTS").await;
    host_killed(adapter, "LATER").await;
    // It comes by again and again. Delve stops a program with a signal, and when that meets such a
    // breakpoint it may let the program go before the signal is there, which ends it.
    if adapter != "delve" {
        host_killed(adapter, "COUNTS:count < 0").await;
    }
}

#[tokio::test]
async fn gdb_lets_go_when_its_host_is_killed() {
    survives_its_host("gdb").await;
}

#[tokio::test]
async fn lldb_lets_go_when_its_host_is_killed() {
    survives_its_host("lldb-dap").await;
}

#[tokio::test]
async fn debugpy_lets_go_when_its_host_is_killed() {
    survives_its_host("debugpy").await;
}

#[tokio::test]
async fn delve_lets_go_when_its_host_is_killed() {
    survives_its_host("delve").await;
}
