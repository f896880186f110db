//! Programs and questions that are bad in some way: an answer all the same, and nothing left.

use std::time::Duration;

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{
    Breakpoint, EvaluateQuery, Exceptions, More, Outcome, Resume, StackEntry,
};
use fourfold_testkit::Project;

use super::bench::*;

fn c(text: &str, adapter: &str) -> (Bench, ProgramRequest) {
    let bench = Bench::new(Project::new().file("bad.c", text));
    let mut request = ProgramRequest::file("bad");
    request.build = Some("cc -g -O0 -pthread bad.c -o bad".to_owned());
    request.adapter = Some(adapter.to_owned());
    (bench, request)
}

const PRINTS: &str = r#"package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	lines, _ := strconv.Atoi(os.Args[1])
	line := []byte(strings.Repeat("x", 999) + "\n") // BEGINS
	for i := 0; i < lines; i++ {
		os.Stdout.Write(line)
	}
	fmt.Println("the end")
}
"#;

/// How many lines of a thousand bytes: 100 MB in the long runs.
fn lines() -> u64 {
    match std::env::var_os("FOURFOLD_LONG") {
        Some(_) => 100_000,
        None => 10_000,
    }
}

#[tokio::test]
async fn one_that_prints_much_more_than_is_kept() {
    let project = Project::new()
        .file("go.mod", "module prints\n\ngo 1.19\n")
        .file("main.go", PRINTS);
    let bench = Bench::new(project);
    let mut request = ProgramRequest::file("main.go");
    request.args.push(lines().to_string());
    let (session, outcome) = bench
        .launch(&request, |launch| {
            let at = Breakpoint::at_text("main.go", "BEGINS");
            launch.breakpoints.push(at);
        })
        .await
        .unwrap();
    stopped(outcome);
    // What delve itself says before.
    let before = session.output(0, usize::MAX).unwrap();
    assert_eq!(before.dropped, 0);
    let end = exited(session.resume(Resume::Continue, 4 * WAIT).await.unwrap());
    let printed = 1000 * lines() + "the end\n".len() as u64;
    let shown = end.output.text();
    assert!(shown.ends_with("the end\n"), "{shown}");
    assert_eq!(end.output.dropped, printed - shown.len() as u64);
    let kept = session.output(0, usize::MAX).unwrap();
    let text = kept.text();
    assert!(text.len() <= 64 << 10);
    assert_eq!(kept.next, before.next + printed);
    assert_eq!(kept.dropped, kept.next - text.len() as u64);
    bench.end().await;
}

const DEEP: &str = r#"#include <stdlib.h>
#include <sys/resource.h>

static int down(int left) {
    if (left == 0) abort();
    return down(left - 1) + 1;
}

static int start(int left) {
    return down(left);
}

int main(void) {
    return start(100000);
}
"#;

async fn recurses(adapter: &str) {
    let (bench, request) = c(DEEP, adapter);
    let (_, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "bad.c:5", "{stop}");
    let repeated = stop.stack.iter().find_map(|entry| match entry {
        StackEntry::Repeated {
            count, at_least, ..
        } => Some((*count, *at_least)),
        _ => None,
    });
    // One that stands at `abort`, one that is shown of those that wait for it.
    match repeated {
        Some((count, false)) => {
            assert_eq!(count, 100_000 - 1, "{stop}");
            assert!(stop.to_string().contains("start at bad.c:10"), "{stop}");
        }
        Some((count, true)) => assert!(count > 1000, "{stop}"),
        None => panic!("{stop}"),
    }
    bench.end().await;
}

#[tokio::test]
async fn one_that_recurses_a_hundred_thousand_times() {
    recurses("gdb").await;
    recurses("lldb-dap").await;
}

#[tokio::test]
async fn a_recursion_of_python_is_told_once() {
    let text = "import sys\nsys.setrecursionlimit(2000)\n\n\ndef down(left):\n    if left == 0:\n        \
        raise ValueError(left)\n    return down(left - 1)\n\n\ndown(900)\n";
    let bench = Bench::new(Project::new().file("deep.py", text));
    let (_, outcome) = bench
        .launch(&ProgramRequest::file("deep.py"), |_| {})
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "deep.py:7", "{stop}");
    let said = stop.to_string();
    // A busy machine does not come to its end in time.
    if !said.contains("× at least") {
        assert!(said.contains("× 899 more of `down`"), "{said}");
        assert!(said.contains("<module> at deep.py:11"), "{said}");
    }
    assert!(said.contains("more of `down`"), "{said}");
    bench.end().await;
}

const THREADS: &str = r#"#include <pthread.h>
#include <unistd.h>

static void *waits(void *unused) {
    for (;;) pause();
    return unused;
}

int main(void) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int i = 0; i < 1000; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &small, waits, 0)) return 1;
    }
    sleep(1);
    return 0; /* ALL */
}
"#;

#[tokio::test]
async fn one_that_holds_a_thousand_threads() {
    let (bench, request) = c(THREADS, "gdb");
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch.breakpoints.push(Breakpoint::at_text("bad.c", "ALL"));
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(stop.threads, Some(1001), "{stop}");
    let threads = session.threads().await.unwrap();
    assert_eq!(threads.more, More::Exactly(951));
    let largest = threads.items.last().unwrap();
    assert!(largest.threads.len() >= 48, "{largest}");
    bench.end().await;
}

const LARGE: &str = r#"#include <stdlib.h>

int main(void) {
    char (*large)[1 << 30] = calloc(1, sizeof *large);
    int *numbers = (int *)large;
    numbers[5] = 7;
    return numbers[5]; /* FULL */
}
"#;

async fn holds_much(adapter: &str) {
    let (bench, request) = c(LARGE, adapter);
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch
                .breakpoints
                .push(Breakpoint::at_text("bad.c", "FULL"));
        })
        .await
        .unwrap();
    stopped(outcome);
    match session.evaluate(EvaluateQuery::new("*large")).await {
        Ok(value) => assert!(value.text.chars().count() <= 300, "{value}"),
        // LLDB says that it is too large for it.
        Err(refused) => assert!(
            refused.to_string().contains("refused evaluate"),
            "{refused}"
        ),
    }
    assert_eq!(asked(&session, "numbers[5]").await, "7");
    bench.end().await;
}

#[tokio::test]
async fn one_that_holds_a_value_of_a_gigabyte() {
    holds_much("gdb").await;
    holds_much("lldb-dap").await;
}

const COUNTS: &str = "total = 0\nfor n in range(5):\n    total += n\nprint(total)\n";

#[tokio::test]
async fn a_condition_with_a_syntax_error_is_told() {
    let bench = Bench::new(Project::new().file("counts.py", COUNTS));
    let request = ProgramRequest::file("counts.py");
    let (_, outcome) = bench
        .launch(&request, |launch| {
            let at = Breakpoint::at_line("counts.py", 3);
            launch.breakpoints.push(at.when("n === 3"));
        })
        .await
        .unwrap();
    let said = outcome.to_string();
    assert!(said.contains("n === 3") && said.contains("note:"), "{said}");
    bench.end().await;
}

#[tokio::test]
async fn a_breakpoint_in_a_file_that_is_no_part_of_the_program_is_told() {
    let project = Project::new()
        .file("counts.py", COUNTS)
        .file("other.py", "print('never')\n");
    let bench = Bench::new(project);
    let (_, outcome) = bench
        .launch(&ProgramRequest::file("counts.py"), |launch| {
            launch.breakpoints.push(Breakpoint::at_line("other.py", 1));
        })
        .await
        .unwrap();
    let end = exited(outcome);
    assert!(
        end.notes.iter().any(|note| note.contains("other.py:1")),
        "{:?}",
        end.notes
    );
    bench.end().await;
}

const READS: &str = "#include <stdio.h>\n\nint main(void) {\n    return getchar();\n}\n";

#[tokio::test]
async fn one_that_waits_on_standard_input_is_told() {
    let (bench, request) = c(READS, "lldb-dap");
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch.exceptions = Exceptions::None;
            launch.wait = Some(Duration::from_secs(2));
        })
        .await
        .unwrap();
    let mut said = outcome.to_string();
    for _ in 0..20 {
        if said.contains("waits for input") {
            break;
        }
        // A busy machine has not come so far.
        let again = session.wait(Duration::from_millis(500)).await.unwrap();
        assert!(matches!(again, Outcome::StillRunning(_)), "{again}");
        said = again.to_string();
    }
    assert!(said.contains("waits for input"), "{said}");
    bench.end().await;
}

#[tokio::test]
async fn one_that_has_ended_while_its_child_holds_its_output() {
    let text = "import subprocess\nsubprocess.Popen(['sleep', '600'])\nprint('done')\n";
    let bench = Bench::new(Project::new().file("leaves.py", text));
    let (_, outcome) = bench
        .launch(&ProgramRequest::file("leaves.py"), |_| {})
        .await
        .unwrap();
    let end = exited(outcome);
    assert!(
        end.notes.iter().any(|note| note.contains("is gone")),
        "{:?}",
        end.notes
    );
    bench.end().await;
}
