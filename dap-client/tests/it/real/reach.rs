//! Debuggers that listen, and core files.

use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use fourfold_dap_client::{
    AttachRequest, Breakpoint, DebugError, Outcome, Resume, Session, Stop, Target,
};
use fourfold_testkit::{Project, adapters, leftovers};

use super::bench::*;

const ORDERS: &str = r#"#include <stdio.h>
#include <stdlib.h>

static int price(int count) {
    int each = 7;
    if (count > 2) abort();
    return count * each;
}

int main(void) {
    for (int count = 1; count < 4; count++) printf("%d\n", price(count));
    return 0;
}
"#;

const GO: &str = r#"package main

import "fmt"

func price(count int) int {
	each := 7
	if count > 2 {
		panic("too many")
	}
	return count * each
}

func main() {
	for count := 1; count < 4; count++ {
		fmt.Println(price(count))
	}
}
"#;

fn run(bench: &Bench, program: &str, args: &[&str]) {
    let status = Command::new(program)
        .args(args)
        .current_dir(bench.project.root())
        .env("PATH", adapters::path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{program} {args:?}");
}

fn c() -> Bench {
    let bench = Bench::new(Project::new().file("orders.c", ORDERS));
    run(&bench, "cc", &["-g", "-O0", "orders.c", "-o", "orders"]);
    bench
}

fn go() -> Bench {
    let project = Project::new()
        .file("go.mod", "module orders\n\ngo 1.19\n")
        .file("main.go", GO);
    let bench = Bench::new(project);
    let args = ["build", "-gcflags=all=-N -l", "-o", "orders", "."];
    run(&bench, "go", &args);
    bench
}

/// What a crash leaves, whatever the machine does with core files.
fn dump(bench: &Bench) {
    let mut args = vec!["-q", "-nx", "-batch"];
    for command in ["run", "generate-core-file core", "kill"] {
        args.extend(["-ex", command]);
    }
    args.push("orders");
    run(bench, "gdb", &args);
    assert!(bench.project.path("core").exists());
}

async fn opened(bench: &Bench, adapter: &str) -> (Session, Stop) {
    dump(bench);
    let target = Target::Core {
        core: "core".into(),
        program: "orders".into(),
    };
    let request = AttachRequest::new(adapter, target);
    let (session, outcome) = bench.debugger.attach(request).await.unwrap();
    (session, stopped(outcome))
}

async fn core(bench: &Bench, adapter: &str) {
    let (session, stop) = opened(bench, adapter).await;
    assert_eq!(place(&stop), "orders.c:6", "{stop}");
    assert_eq!(stop.reason, "core file");
    let why = stop.detail.clone().unwrap();
    assert!(
        why.starts_with("SIGABRT ended the program") || why.starts_with("SIGSEGV ended"),
        "{why}"
    );
    assert_eq!(local(&stop, "count"), "3", "{stop}");
    assert_eq!(asked(&session, "each * 2").await, "14");
    // It is one moment: nothing goes on in it, and it is there after the try.
    for how in [Resume::Continue, Resume::StepOver] {
        let error = session.resume(how, WAIT).await.unwrap_err().to_string();
        assert!(error.starts_with("a core file is one moment"), "{error}");
    }
    assert_eq!(asked(&session, "each * 3").await, "21");
    bench.end().await;
}

#[tokio::test]
async fn gdb_and_lldb_open_a_core_file() {
    let bench = c();
    core(&bench, "gdb").await;
    core(&bench, "lldb-dap").await;
}

/// What another build would tell of a core file is nonsense.
#[tokio::test]
async fn a_core_file_of_another_program_is_refused() {
    let bench = c();
    dump(&bench);
    let changed = ORDERS.replace("int main", "int unused;\nint main");
    std::fs::write(bench.project.path("other.c"), changed).unwrap();
    run(&bench, "cc", &["-g", "-O0", "other.c", "-o", "other"]);
    let refused = async |program: &str| {
        let target = Target::Core {
            core: "core".into(),
            program: program.into(),
        };
        let request = AttachRequest::new("gdb", target);
        bench
            .debugger
            .attach(request)
            .await
            .unwrap_err()
            .to_string()
    };
    let made_by = bench.project.path("orders").canonicalize().unwrap();
    assert_eq!(
        refused("other").await,
        format!(
            "the core file `core` was left by `{}`, and `other` is another build: open it with that program, \
             or with a copy of it",
            made_by.display()
        )
    );
    // The program itself was built again since.
    run(&bench, "cc", &["-g", "-O0", "other.c", "-o", "orders"]);
    let again = refused("orders").await;
    assert!(
        again.contains("was left by another build of `orders`"),
        "{again}"
    );
    // A copy is the same.
    run(&bench, "cc", &["-g", "-O0", "orders.c", "-o", "orders"]);
    std::fs::copy(bench.project.path("orders"), bench.project.path("copy")).unwrap();
    let target = Target::Core {
        core: "core".into(),
        program: "copy".into(),
    };
    let opened = bench
        .debugger
        .attach(AttachRequest::new("gdb", target))
        .await;
    let (_, outcome) = opened.unwrap();
    assert_eq!(place(&stopped(outcome)), "orders.c:6");
    bench.end().await;
}

#[tokio::test]
async fn delve_opens_a_core_file() {
    let bench = Bench::new(
        Project::new()
            .file("go.mod", "module orders\n\ngo 1.19\n")
            .file(
                "main.go",
                &GO.replace("panic(\"too many\")", "syscall.Kill(0, 0); for { each++ }")
                    .replace("import \"fmt\"", "import (\n\t\"fmt\"\n\t\"syscall\"\n)"),
            ),
    );
    let args = ["build", "-gcflags=all=-N -l", "-o", "orders", "."];
    run(&bench, "go", &args);
    // gdb stops it where it counts.
    let mut args = vec!["-q", "-nx", "-batch"];
    for command in ["break main.go:11", "run", "generate-core-file core", "kill"] {
        args.extend(["-ex", command]);
    }
    args.push("orders");
    run(&bench, "gdb", &args);
    let target = Target::Core {
        core: "core".into(),
        program: "orders".into(),
    };
    let request = AttachRequest::new("delve", target);
    let (session, outcome) = bench.debugger.attach(request).await.unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "main.go:11", "{stop}");
    assert_eq!(asked(&session, "count").await, "3");
    bench.end().await;
}

/// A debugger that listens, and its port as it prints it behind `mark`.
fn listener(bench: &Bench, program: &str, args: &[&str], mark: &str) -> (Child, u16) {
    let mut child = Command::new(program)
        .args(args)
        .current_dir(bench.project.root())
        .env("PATH", adapters::path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(mark) {
        line.clear();
        assert_ne!(said.read_line(&mut line).unwrap(), 0, "{program} ended");
    }
    let (_, behind) = line.split_once(mark).unwrap();
    let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
    // Somebody must go on reading.
    std::thread::spawn(move || said.read_to_end(&mut Vec::new()));
    (child, digits.parse().unwrap())
}

/// Attaches at a port, stops at a place and ends there; how it went to attach.
async fn at_port(
    bench: &Bench,
    adapter: &str,
    port: u16,
    at: (&str, u32),
) -> Result<(), DebugError> {
    let target = Target::Address {
        host: "127.0.0.1".to_owned(),
        port,
    };
    let mut request = AttachRequest::new(adapter, target);
    request.program = Some("orders".into());
    request
        .breakpoints
        .push(Breakpoint::at_line(at.0, at.1).when("count == 2"));
    let (session, outcome) = bench.debugger.attach(request).await?;
    let outcome = match outcome {
        // At the beginning, before `main`.
        Outcome::Stopped(stop) if stop.breakpoints.is_empty() => {
            session.resume(Resume::Continue, WAIT).await.unwrap()
        }
        other => other,
    };
    let stop = match outcome {
        Outcome::StillRunning(_) => stopped(session.wait(WAIT).await.unwrap()),
        other => stopped(other),
    };
    assert_eq!(place(&stop), format!("{}:{}", at.0, at.1), "{stop}");
    assert_eq!(asked(&session, "count").await, "2");
    let end = bench.debugger.terminate().await.unwrap();
    assert!(end.detached, "{end}");
    Ok(())
}

#[tokio::test]
async fn gdb_reaches_a_server_that_listens() {
    let bench = c();
    let args = ["--once", "127.0.0.1:0", "./orders"];
    let (mut server, port) = listener(&bench, "gdbserver", &args, "Listening on port ");
    at_port(&bench, "gdb", port, ("orders.c", 6)).await.unwrap();
    let _ = server.kill();
    server.wait().unwrap();
    leftovers::assert_none(bench.project.root());
}

#[tokio::test]
async fn lldb_reaches_a_server_that_listens() {
    let bench = c();
    // On a machine that has much else to do lldb-dap may say of a program that it has just reached
    // that it is gone.
    let mut tries = 3;
    loop {
        let port = free_port();
        let at = format!("127.0.0.1:{port}");
        let mut server = Command::new(adapters::find("lldb-server-19"))
            .args(["gdbserver", &at, "--", "./orders"])
            .current_dir(bench.project.root())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It says nothing; a connection would be the one that it waits for.
        while !listens(port) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let reached = at_port(&bench, "lldb-dap", port, ("orders.c", 6)).await;
        let _ = server.kill();
        server.wait().unwrap();
        tries -= 1;
        match reached {
            Ok(()) => break,
            Err(error) if tries > 0 && error.to_string().contains("process unloaded") => {}
            Err(error) => panic!("{error}"),
        }
    }
    leftovers::assert_none(bench.project.root());
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn listens(port: u16) -> bool {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    table.lines().any(|line| {
        let words: Vec<_> = line.split_whitespace().take(4).collect();
        words
            .get(1)
            .is_some_and(|local| local.ends_with(&format!(":{port:04X}")))
            && words.get(3) == Some(&"0A")
    })
}

#[tokio::test]
async fn delve_that_listens_is_spoken_to_itself() {
    let bench = go();
    let port = free_port();
    let at = format!("--listen=127.0.0.1:{port}");
    let args = [
        "exec",
        "./orders",
        "--headless",
        "--accept-multiclient",
        "--log",
        "--log-dest=2",
        at.as_str(),
    ];
    let (mut server, _) = listener(&bench, "dlv", &args, &format!("127.0.0.1:{port}")[..10]);
    at_port(&bench, "delve", port, ("main.go", 7))
        .await
        .unwrap();
    let _ = server.kill();
    server.wait().unwrap();
    leftovers::assert_none(bench.project.root());
}

const TICKS: &str = "import os, sys, time\n\
    def tick(n):\n    twice = 2 * n\n    return twice\n\
    n = 0\n\
    while True:\n    n += 1\n    tick(n)\n    \
    if n % 2 == 0 and os.fork() == 0:\n        tick(-n)\n        os._exit(0)\n    \
    time.sleep(0.01)\n";

/// A program that ticks, reached at its port: it stops, is let go, and ticks on.
async fn ticks(bench: &Bench, adapter: &str, port: u16, at: (&str, u32)) {
    let target = Target::Address {
        host: "127.0.0.1".to_owned(),
        port,
    };
    let mut request = AttachRequest::new(adapter, target);
    request.breakpoints.push(Breakpoint::at_line(at.0, at.1));
    request.wait = Some(WAIT);
    let (session, outcome) = bench.debugger.attach(request).await.unwrap();
    let mut outcome = outcome;
    for times in ["once", "2 times", "3 times"] {
        let stop = stopped(outcome);
        assert_eq!(place(&stop), format!("{}:{}", at.0, at.1), "{stop}");
        let report = session.breakpoints().unwrap()[0].to_string();
        let expected = format!("#1 {}:{}: verified, stopped at {times}", at.0, at.1);
        assert_eq!(report, expected);
        // It stands in what it has forked, too.
        assert_eq!(asked(&session, "n != 0").await.to_lowercase(), "true");
        outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    }
    let end = bench.debugger.terminate().await.unwrap();
    assert!(end.detached, "{end}");
}

#[tokio::test]
async fn node_is_reached_at_its_inspector() {
    const CODE: &str = "let n = 0\nfunction tick () {\n  n++\n}\nsetInterval(tick, 10)\n";
    let bench = Bench::new(Project::new().file("ticks.js", CODE));
    let args = ["--inspect=127.0.0.1:0", "ticks.js"];
    let (mut program, port) = listener(&bench, "node", &args, "ws://127.0.0.1:");
    ticks(&bench, "js-debug", port, ("ticks.js", 3)).await;
    assert!(program.try_wait().unwrap().is_none());
    program.kill().unwrap();
    program.wait().unwrap();
    leftovers::assert_none(bench.project.root());
}

#[tokio::test]
async fn debugpy_that_listens_is_spoken_to_itself() {
    let bench = Bench::new(Project::new().file("ticks.py", TICKS));
    let port = free_port();
    let at = format!("127.0.0.1:{port}");
    let python = adapters::python();
    let mut program = Command::new(&python)
        .args([
            "-Xfrozen_modules=off",
            "-m",
            "debugpy",
            "--listen",
            &at,
            "ticks.py",
        ])
        .current_dir(bench.project.root())
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    while !listens(port) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    ticks(&bench, "debugpy", port, ("ticks.py", 3)).await;
    assert!(program.try_wait().unwrap().is_none());
    // With what it has forked: a child that is made while a debugger leaves may hang in debugpy.
    let group = format!("-{}", program.id());
    let killed = Command::new("kill").args(["-KILL", "--", &group]).status();
    assert!(killed.unwrap().success());
    program.wait().unwrap();
    leftovers::assert_none(bench.project.root());
}

#[tokio::test]
async fn what_a_program_forks_that_was_attached_to_does_not_wait() {
    // It starts one as a program, too.
    let code = TICKS
        .replace("n = 0", "print(1, flush=True); n = 0")
        .replace(
            "os._exit(0)",
            "os.system(sys.executable + ' -c 1'); os._exit(0)",
        );
    let bench = Bench::new(Project::new().file("ticks.py", &code));
    let mut command = Command::new(adapters::python());
    let mut program = begun(command.arg("ticks.py").current_dir(bench.project.root()));
    let mut request = AttachRequest::new("debugpy", Target::Pid(program.id()));
    request.breakpoints.push(Breakpoint::at_line("ticks.py", 3));
    request.wait = Some(WAIT);
    let (session, mut outcome) = bench.debugger.attach(request).await.unwrap();
    for _ in 0..5 {
        let stop = stopped(outcome);
        assert_eq!(place(&stop), "ticks.py:3", "{stop}");
        outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    }
    let end = bench.debugger.terminate().await.unwrap();
    assert!(end.detached, "{end}");
    assert!(program.try_wait().unwrap().is_none());
    program.kill().unwrap();
    program.wait().unwrap();
    leftovers::assert_none(bench.project.root());
}

#[tokio::test]
async fn a_gdb_that_would_kill_a_program_is_not_let_near_it() {
    let project = Project::new()
        .file(
            "ticks.py",
            &TICKS.replace("n = 0", "print(1, flush=True); n = 0"),
        )
        .file(
            "bin/gdb",
            "#!/bin/sh\necho \"Couldn't write extended state\" >&2\nexit 1\n",
        );
    let gdb = project.path("bin/gdb");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&gdb, mode).unwrap();
    let bench = Bench::with(project, |config| {
        let rest = std::mem::take(&mut config.detect.search_path);
        let first = gdb.parent().unwrap().to_owned();
        let folders = std::iter::once(first).chain(std::env::split_paths(&rest));
        config.detect.search_path = std::env::join_paths(folders).unwrap();
        config.detect.trusted = true;
    });
    let mut command = Command::new(adapters::python());
    let mut program = begun(command.arg("ticks.py").current_dir(bench.project.root()));
    let request = AttachRequest::new("debugpy", Target::Pid(program.id()));
    let refused = bench
        .debugger
        .attach(request)
        .await
        .unwrap_err()
        .to_string();
    let begin = format!(
        "cannot attach to process {}: debugpy attaches by",
        program.id()
    );
    assert!(refused.starts_with(&begin), "{refused}");
    assert!(
        refused.contains("Couldn't write extended state"),
        "{refused}"
    );
    assert!(program.try_wait().unwrap().is_none());
    program.kill().unwrap();
    program.wait().unwrap();
    leftovers::assert_none(bench.project.root());
}
