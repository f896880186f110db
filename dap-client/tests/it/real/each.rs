//! What holds for every adapter alike.

use std::time::{Duration, Instant};

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{Breakpoint, DebugError, Outcome, Resume, SessionEnd};
use fourfold_testkit::{Project, leftovers};

use super::bench::*;

/// With `hold` it starts a process in a session of its own, refuses SIGTERM and runs on; with `count`
/// it counts in tens up to 100; else it counts what it reads and exits with 3.
const C: &str = r#"#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "hold")) {
        signal(SIGTERM, SIG_IGN);
        if (fork() == 0) {
            setsid();
            for (;;) pause();
        }
        fclose(fopen("ready", "w"));
        for (;;) usleep(20000);
    }
    if (argc > 1 && !strcmp(argv[1], "count")) {
        int sum = 0;
        for (int ten = 10; ten <= 100; ten += 10) {
            sum += ten; /* COUNTS */
        }
        return sum != 550;
    }
    int count = 0;
    while (getchar() != EOF) count++;
    printf("read %d", count);
    return 3;
}
"#;

const PYTHON: &str = r#"import os, signal, subprocess, sys, time

if sys.argv[1:] == ["hold"]:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    open("ready", "w").close()
    while True:
        time.sleep(0.02)
if sys.argv[1:] == ["count"]:
    total = 0
    for ten in range(10, 101, 10):
        total += ten  # COUNTS
    sys.exit(total != 550)
print("read", len(sys.stdin.read()))
sys.exit(3)
"#;

const GO: &str = r#"package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "hold" {
		signal.Ignore(syscall.SIGTERM)
		child := exec.Command("sleep", "600")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		child.Start()
		os.WriteFile("ready", nil, 0o600)
		for {
			time.Sleep(20 * time.Millisecond)
		}
	}
	if len(os.Args) > 1 && os.Args[1] == "count" {
		sum := 0
		for ten := 10; ten <= 100; ten += 10 {
			sum += ten // COUNTS
		}
		os.Exit(sum - 550)
	}
	text, _ := io.ReadAll(os.Stdin)
	fmt.Println("read", len(text))
	os.Exit(3)
}
"#;

const NODE: &str = r"const { spawn } = require('child_process');
const fs = require('fs');

if (process.argv[2] === 'hold') {
  process.on('SIGTERM', () => {});
  spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  fs.writeFileSync('ready', '');
  setInterval(() => {}, 20);
} else if (process.argv[2] === 'count') {
  let sum = 0;
  for (let ten = 10; ten <= 100; ten += 10) {
    sum += ten; // COUNTS
  }
  process.exitCode = sum - 550;
} else {
  console.log('read', fs.readFileSync(0).length);
  process.exitCode = 3;
}
";

const ADAPTERS: [&str; 5] = ["debugpy", "gdb", "lldb-dap", "delve", "js-debug"];

/// The program of an adapter's language.
fn bench(adapter: &str) -> (Bench, ProgramRequest) {
    let project = match adapter {
        "debugpy" => Project::new().file("each.py", PYTHON),
        "delve" => Project::new()
            .file("go.mod", "module each\n\ngo 1.19\n")
            .file("main.go", GO),
        "js-debug" => Project::new().file("each.js", NODE),
        _ => Project::new().file("each.c", C),
    };
    let mut request = ProgramRequest::file(match adapter {
        "debugpy" => "each.py",
        "delve" => "main.go",
        "js-debug" => "each.js",
        _ => "each",
    });
    if matches!(adapter, "gdb" | "lldb-dap") {
        request.build = Some("cc -g -O0 each.c -o each".to_owned());
        request.adapter = Some(adapter.to_owned());
    }
    (Bench::new(project), request)
}

async fn expires(adapter: &str) {
    let (bench, mut request) = bench(adapter);
    request.args.push("hold".to_owned());
    let launched = bench
        .launch(&request, |launch| {
            launch.ttl = Some(Duration::from_secs(20));
        })
        .await;
    let end: SessionEnd = match launched {
        Ok((_, Outcome::SessionEnded(end))) => end,
        Err(DebugError::Ended(end)) => *end,
        Ok((_, other)) => panic!("{adapter}: {other}"),
        Err(other) => panic!("{adapter}: {other}"),
    };
    assert!(bench.project.path("ready").exists(), "{adapter}: {end}");
    let said = bench.debugger.status().to_string();
    assert!(said.contains("ended by its time limit of 20 s"), "{said}");
    assert!(said.contains("was running"), "{said}");
    assert_eq!(end.left, Some(0), "{adapter}: {end}");
    leftovers::assert_none(bench.project.root());
}

#[tokio::test]
async fn the_time_limit_ends_a_run_whatever_it_has_started_and_refuses() {
    let [python, gdb, lldb, go, node] = ADAPTERS.map(expires);
    tokio::join!(python, gdb, lldb, go, node);
}

async fn reads(adapter: &str) {
    let (bench, mut request) = bench(adapter);
    request.stdin = Some("one\ntwo\n".to_owned());
    let (_, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let end = exited(outcome);
    let output = end.output.text();
    assert!(output.contains("read 8"), "{adapter}: {output}");
    assert_eq!(end.code, Some(3), "{adapter}");
    // It is remembered, by the session and by what is left of it.
    let status = bench.debugger.status().to_string();
    assert!(status.contains("exited with 3"), "{adapter}: {status}");
    bench.end().await;
    let status = bench.debugger.status();
    let said = status.to_string();
    assert!(said.contains("had exited with 3"), "{adapter}: {said}");
    assert_eq!(status.last.unwrap().code, Some(3), "{adapter}");
}

#[tokio::test]
async fn a_program_reads_what_it_is_given_and_its_exit_code_is_told() {
    for adapter in ADAPTERS {
        reads(adapter).await;
    }
}

async fn counts(adapter: &str) {
    let (bench, mut request) = bench(adapter);
    request.args.push("count".to_owned());
    let file = match adapter {
        "debugpy" => "each.py",
        "delve" => "main.go",
        "js-debug" => "each.js",
        _ => "each.c",
    };
    let (session, outcome) = bench
        .launch(&request, |launch| {
            let third = Breakpoint::at_text(file, "COUNTS").from_hit("3");
            launch.breakpoints.push(third);
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(local(&stop, "ten"), "30", "{adapter}: {stop}");
    // From there on, at each.
    let stop = stopped(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert_eq!(local(&stop, "ten"), "40", "{adapter}: {stop}");
    session.clear(None).await.unwrap();
    let every = |hit: &str| {
        let point = Breakpoint::at_text(file, "COUNTS").from_hit(hit);
        vec![point]
    };
    if matches!(adapter, "gdb" | "lldb-dap") {
        let error = session.break_at(every("% 4")).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{adapter} has no way to count hits by `% 4`; give a number, the hit to stop from, or use a \
                 condition on a variable that counts"
            )
        );
        assert!(session.breakpoints().unwrap().is_empty());
    } else {
        session.break_at(every("% 4")).await.unwrap();
        // Counted from here, where 40 is still to be added: 50, 60, 70 and 80.
        let stop = stopped(session.resume(Resume::Continue, WAIT).await.unwrap());
        assert_eq!(local(&stop, "ten"), "80", "{adapter}: {stop}");
        session.clear(None).await.unwrap();
    }
    let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert_eq!(end.code.unwrap_or_default(), 0, "{adapter}");
    bench.end().await;
}

#[tokio::test]
async fn a_hit_count_stops_from_that_hit_on_and_not_before() {
    for adapter in ADAPTERS {
        counts(adapter).await;
    }
}

#[tokio::test]
async fn a_restart_waits_as_long_as_it_is_told() {
    let (bench, mut request) = bench("debugpy");
    request.args.push("hold".to_owned());
    let second = Duration::from_secs(1);
    let launched = bench.launch(&request, |launch| launch.wait = Some(second));
    assert!(matches!(launched.await, Ok((_, Outcome::StillRunning(_)))));
    let begin = Instant::now();
    let (_, outcome) = bench.debugger.restart(Some(5 * second)).await.unwrap();
    assert!(matches!(outcome, Outcome::StillRunning(_)), "{outcome}");
    assert!(begin.elapsed() >= 5 * second);
    // Without, it is as its launch.
    let begin = Instant::now();
    let (_, outcome) = bench.debugger.restart(None).await.unwrap();
    assert!(matches!(outcome, Outcome::StillRunning(_)), "{outcome}");
    assert!(begin.elapsed() < bench.debugger.config().limits.wait);
    bench.end().await;
}
