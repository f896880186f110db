//! Programs whose threads wait for one another: a pause tells where all of them are.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{EvaluateQuery, Outcome, Resume, Session, StackEntry};
use fourfold_testkit::{Project, leftovers};

use super::bench::*;

/// Two threads that each have what the other one wants.
const PYTHON: &str = r#"import threading

one, other = threading.Lock(), threading.Lock()
gate = threading.Barrier(2)


def transfer(first, second):
    with first:
        gate.wait()
        with second:  # BLOCKS
            pass


for order in [(one, other), (other, one)]:
    threading.Thread(target=transfer, args=order).start()
"#;

const C: &str = r#"#include <pthread.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t gate;

static void *transfer(void *swapped) {
    pthread_mutex_t *first = swapped ? &other : &one, *second = swapped ? &one : &other;
    pthread_mutex_lock(first);
    pthread_barrier_wait(&gate);
    pthread_mutex_lock(second); /* BLOCKS */
    return swapped;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&gate, 0, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, transfer, i ? &gate : 0);
    pthread_join(threads[0], 0); /* WAITS */
    return 0;
}
"#;

const GO: &str = r#"package main

import (
	"fmt"
	"time"
)

func wait(orders chan int) {
	fmt.Println(<-orders)
}

func tick() {
	for {
		time.Sleep(time.Hour)
	}
}

func main() {
	orders, done := make(chan int), make(chan int)
	for i := 0; i < 3; i++ {
		go wait(orders)
	}
	go tick()
	<-done
}
"#;

const ATOMICS: &str = r"const { Worker, isMainThread } = require('node:worker_threads');
const flag = new Int32Array(new SharedArrayBuffer(4));
function hang() {
  Atomics.wait(flag, 0, 0);
}
if (isMainThread) new Worker(__filename);
hang();
";

/// What a pause tells, as soon as everything stands where it hangs.
async fn told(session: &Session, places: &[&str]) -> (String, Outcome) {
    loop {
        let outcome = session.pause(Some(WAIT)).await.unwrap();
        let text = outcome.to_string();
        if places.iter().all(|place| text.contains(place)) {
            return (text, outcome);
        }
        match outcome {
            // It was not there yet.
            Outcome::Stopped(_) => {
                let on = session.resume(Resume::Continue, Duration::ZERO).await;
                assert!(!matches!(on.unwrap(), Outcome::Exited(_)), "{text}");
            }
            Outcome::StillRunning(_) => {}
            other => panic!("{other}"),
        }
    }
}

async fn running(bench: &Bench, request: &ProgramRequest) -> Session {
    let (session, _) = bench
        .launch(request, |launch| launch.wait = Some(Duration::ZERO))
        .await
        .unwrap();
    session
}

#[tokio::test]
async fn threads_of_python_that_wait_for_locks_are_told_together() {
    let bench = Bench::new(Project::new().file("transfer.py", PYTHON));
    let session = running(&bench, &ProgramRequest::file("transfer.py")).await;
    let (text, outcome) = told(&session, &["2 threads: ", "transfer at transfer.py:10"]).await;
    assert!(matches!(outcome, Outcome::StillRunning(_)), "{text}");
    assert!(
        text.contains("every thread of the program waits in the system"),
        "{text}"
    );
    bench.end().await;
}

/// Waits until a program has so many threads, and all of them sleep.
async fn asleep(program: &Path, threads: usize) {
    let sleeps = |task: &Path| {
        let stat = fs::read_to_string(task.join("stat")).unwrap_or_default();
        stat.contains(") S ")
    };
    let hangs = || {
        let processes = leftovers::of_folder(program).into_iter();
        let mut folders = processes.map(|process| format!("/proc/{}", process.pid));
        folders.any(|folder| {
            let own = fs::read_link(format!("{folder}/exe")).is_ok_and(|exe| exe == program);
            let tasks = fs::read_dir(format!("{folder}/task"));
            let tasks = tasks.into_iter().flatten().flatten();
            let tasks: Vec<_> = tasks.map(|task| task.path()).collect();
            own && tasks.len() == threads && tasks.iter().all(|task| sleeps(task))
        })
    };
    let begun = Instant::now();
    while !hangs() {
        assert!(
            begun.elapsed() < WAIT,
            "{} does not hang",
            program.display()
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Whoever waits gets no answer that takes the whole wait.
#[tokio::test]
async fn a_pause_of_what_sleeps_is_told_at_once() {
    const SLEEP: &str = "import time\n\n\ndef rest():\n    time.sleep(7777)\n\n\nrest()\n";
    let bench = Bench::new(Project::new().file("rest.py", SLEEP));
    let session = running(&bench, &ProgramRequest::file("rest.py")).await;
    told(&session, &["rest at rest.py:5"]).await;
    let before = Instant::now();
    let (text, _) = told(&session, &["rest at rest.py:5"]).await;
    assert!(text.starts_with("still running, pause pending"), "{text}");
    // The wait is a minute here.
    assert!(before.elapsed() < WAIT / 4, "{:?}", before.elapsed());
    bench.end().await;
}

async fn c(adapter: &str) {
    let bench = Bench::new(Project::new().file("transfer.c", C));
    let mut request = ProgramRequest::file("transfer");
    request.build = Some("cc -g -O0 -pthread transfer.c -o transfer".to_owned());
    request.adapter = Some(adapter.to_owned());
    let session = running(&bench, &request).await;
    // lldb that has paused it while it was loaded or made a thread may have lost its way through the
    // frames of the C library for good.
    asleep(&bench.project.path("transfer"), 3).await;
    let places = ["main at transfer.c:19", "transfer at transfer.c:10"];
    let (text, outcome) = told(&session, &places).await;
    let stop = stopped(outcome);
    assert_eq!(stop.reason, "pause");
    let own = text.matches("transfer at transfer.c:10").count();
    assert_eq!(stop.threads, Some(3), "{text}");
    // gdb and lldb count the frames of libc alike or not.
    assert!((1..=2).contains(&own), "{text}");
    assert!(text.contains("other threads:\n"), "{text}");
    who_holds_what(&session, &bench.project.path("transfer")).await;
    bench.end().await;
}

/// The kernel's numbers of a program's threads, that of the first before the others.
fn tasks(program: &Path) -> Vec<i64> {
    let processes = leftovers::of_folder(program).into_iter();
    let mut pids = processes.map(|process| process.pid);
    let own = |pid: &u32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program);
    let pid = pids.find(own).unwrap();
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let name = |task: fs::DirEntry| task.file_name().to_string_lossy().parse().unwrap();
    let mut tasks: Vec<i64> = tasks.flatten().map(name).collect();
    tasks.sort_unstable();
    tasks
}

/// Each of two threads holds the mutex that the other one waits for.
async fn who_holds_what(session: &Session, program: &Path) {
    let tasks = tasks(program);
    let owner = |mutex: &str| format!("{mutex}.__data.__owner");
    let mut held = [
        asked(session, &owner("one")).await,
        asked(session, &owner("other")).await,
    ];
    let [one, other] = held.clone();
    held.sort_unstable();
    let mut known: Vec<String> = tasks[1..].iter().map(ToString::to_string).collect();
    known.sort_unstable();
    assert_eq!(held.to_vec(), known, "main holds none");
    let mut told = Vec::new();
    for group in session.threads().await.unwrap().items {
        for thread in &group.threads {
            let stack = session.stack(Some(thread.id), 0, 20).await.unwrap();
            let frame = stack.items.iter().find_map(|entry| match entry {
                StackEntry::Frame(frame) if frame.function == "transfer" => Some(frame.handle),
                _ => None,
            });
            let Some(frame) = frame else { continue };
            let mut pair = Vec::new();
            for mutex in ["first", "second"] {
                let mut query = EvaluateQuery::new(format!("{mutex}->__data.__owner"));
                query.frame = Some(frame);
                pair.push(session.evaluate(query).await.unwrap().text);
            }
            // lldb numbers threads as the kernel does.
            if tasks.contains(&thread.id) {
                assert_eq!(thread.id.to_string(), pair[0]);
            }
            told.push(pair);
        }
    }
    told.sort_unstable();
    let mut pairs = vec![vec![one.clone(), other.clone()], vec![other, one]];
    pairs.sort_unstable();
    assert_eq!(told, pairs);
}

#[tokio::test]
async fn gdb_tells_all_threads_that_wait_for_mutexes() {
    c("gdb").await;
}

#[tokio::test]
async fn lldb_tells_all_threads_that_wait_for_mutexes() {
    c("lldb-dap").await;
}

#[tokio::test]
async fn delve_tells_all_goroutines_that_wait_for_channels() {
    let project = Project::new()
        .file("go.mod", "module orders\n\ngo 1.19\n")
        .file("main.go", GO);
    let bench = Bench::new(project);
    let session = running(&bench, &ProgramRequest::file("main.go")).await;
    let places = [
        "main.main at main.go:24",
        "3 threads: ",
        "main.tick at main.go:14",
    ];
    let (text, outcome) = told(&session, &places).await;
    let stop = stopped(outcome);
    let waiting = stop.others.iter().find(|group| group.threads.len() == 3);
    assert!(
        waiting
            .unwrap()
            .to_string()
            .contains("main.wait at main.go:9"),
        "{text}"
    );
    // Those of the runtime, of which only the top is of interest, are last.
    let last = stop.others.last().unwrap();
    assert_eq!(last.stack.len(), 1, "{text}");
    bench.end().await;
}

#[tokio::test]
async fn js_debug_tells_a_worker_that_waits_too() {
    let bench = Bench::new(Project::new().file("flag.js", ATOMICS));
    let session = running(&bench, &ProgramRequest::file("flag.js")).await;
    let (text, outcome) = told(&session, &["hang at flag.js:4"]).await;
    assert_eq!(stopped(outcome).reason, "pause", "{text}");
    bench.end().await;
}

#[tokio::test]
async fn an_idle_program_of_javascript_is_told_as_such() {
    let bench = Bench::new(Project::new().file(
        "idle.js",
        "setInterval(() => {}, 1e9);\nconsole.log('idle');\n",
    ));
    let session = running(&bench, &ProgramRequest::file("idle.js")).await;
    let places = ["none of its own code runs; js-debug stops it when some does"];
    let (text, _) = told(&session, &places).await;
    assert!(text.starts_with("still running, pause pending"), "{text}");
    bench.end().await;
}
