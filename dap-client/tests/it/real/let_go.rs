//! Processes that were attached to: they live on, however the session ends.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use fourfold_dap_client::{AttachRequest, Breakpoint, DebugError, Outcome, Session, Target, Why};
use fourfold_testkit::{Project, adapters, leftovers};

use super::bench::*;

/// It counts in a file.
const C: &str = r#"#include <stdio.h>
#include <unistd.h>

int main(void) {
    puts("begins");
    fflush(stdout);
    for (int count = 1;; count++) {
        FILE *file = fopen("count", "w");
        fprintf(file, "%d", count); /* COUNTS */
        fclose(file);
        usleep(5000);
    }
}
"#;

const PYTHON: &str = "import time

print('begins', flush=True)
count = 0
while True:
    count += 1
    with open('count', 'w') as file:
        file.write(str(count))  # COUNTS
    time.sleep(0.005)
";

/// A program that runs, and what attaches to it.
fn counting(adapter: &str) -> (Bench, Child, &'static str) {
    let bench = Bench::new(Project::new().file("count.c", C).file("count.py", PYTHON));
    let root = bench.project.root();
    let (program, file) = if adapter == "debugpy" {
        let mut python = Command::new(adapters::python());
        python.arg("count.py");
        (python, "count.py")
    } else {
        let mut cc = Command::new("cc");
        cc.args(["-g", "-O0", "count.c", "-o", "counter"]);
        assert!(cc.current_dir(root).status().unwrap().success());
        (Command::new(bench.project.path("counter")), "count.c")
    };
    let mut program = program;
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
