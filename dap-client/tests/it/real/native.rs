//! gdb and lldb-dap, with programs of C and Rust.

use std::process::Command;
use std::time::Duration;

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{AttachRequest, Breakpoint, Exceptions, Outcome, Resume, Target};
use fourfold_testkit::{Project, leftovers};

use super::bench::*;

const LIST: &str = r#"#include <stdlib.h>

struct node { int id; struct node *next; };
struct list { struct node *head, *tail; int length; };

static void append(struct list *l, int id) {
    struct node *n = calloc(1, sizeof *n);
    n->id = id;
    if (!l->head) l->head = n;
    else l->tail->next = n; /* CRASH */
    l->tail = n;
    l->length++;
}

static void remove_last(struct list *l) {
    struct node *p = l->head;
    while (p && p->next != l->tail) p = p->next;
    if (p) p->next = NULL;
    l->tail = NULL; /* the bug: should be p */
    l->length--;
}

int main(void) {
    struct list l = {0};
    append(&l, 1);
    append(&l, 2);
    append(&l, 3);
    remove_last(&l);
    append(&l, 4);
    return 0;
}
"#;

fn c(program: &str, adapter: &str) -> ProgramRequest {
    let mut request = ProgramRequest::file(program);
    request.build = Some(format!("cc -g -O0 -pthread {program}.c -o {program}"));
    request.adapter = Some(adapter.to_owned());
    request
}

/// From the crash to the line that caused it.
async fn crash(adapter: &str) {
    let bench = Bench::new(Project::new().file("list.c", LIST));
    let request = c("list", adapter);
    let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "list.c:10", "{stop}");
    assert_eq!(asked(&session, "l->length").await, "2");
    assert!(asked(&session, "l->tail").await.ends_with('0'));
    let outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    assert!(matches!(outcome, Outcome::Crashed(_)), "{outcome}");
    bench.end().await;

    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch
                .breakpoints
                .push(Breakpoint::at_function("remove_last"));
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert!(place(&stop).starts_with("list.c:16"), "{stop}");
    let outcome = session
        .resume(Resume::RunTo(Breakpoint::at_line("list.c", 20).at), WAIT)
        .await
        .unwrap();
    // The tail is gone, the second of two nodes is not.
    assert_eq!(place(&stopped(outcome)), "list.c:20");
    assert!(asked(&session, "l->tail").await.ends_with('0'));
    assert_eq!(asked(&session, "p->id").await, "2");
    let stop = stopped(session.resume(Resume::StepOut, WAIT).await.unwrap());
    assert!(
        stop.frame.as_ref().unwrap().function.starts_with("main"),
        "{stop}"
    );
    bench.end().await;
}

#[tokio::test]
async fn gdb_follows_a_crash_of_c_to_its_cause() {
    crash("gdb").await;
}

#[tokio::test]
async fn lldb_follows_a_crash_of_c_to_its_cause() {
    crash("lldb-dap").await;
}

const CALLS: &str = r#"#include <stdio.h>
#include <string.h>

static int size(const char *text) { return (int)strlen(text); }

static int twice(int n) {
    int result = 2 * n; /* TWICE */
    return result;
}

int main(void) {
    const char *names[] = {"a", "bcd", "ef"};
    int sum = 0, seen = 0;
    for (int i = 0; i < 3; i++) {
        sum += size(names[i]);
        seen++; /* ADDED */
    }
    printf("sum %d of %d\n", sum + twice(0), seen);
    return 0;
}
"#;

/// Functions that expressions call are no stops of the program.
async fn calls(adapter: &str) {
    let bench = Bench::new(Project::new().file("calls.c", CALLS));
    let (session, outcome) = bench
        .launch(&c("calls", adapter), |launch| {
            let at = Breakpoint::at_text("calls.c", "ADDED");
            launch.breakpoints.push(at.when("size(names[i]) == 3"));
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(
        (local(&stop, "i"), local(&stop, "sum"), stop.number),
        ("1", "4", 1)
    );
    let frame = stop.frame.as_ref().unwrap().handle;
    let in_frame = |text: &str| {
        let mut query = fourfold_dap_client::EvaluateQuery::new(text);
        query.frame = Some(frame);
        query
    };
    // A string that is an argument is put into the program by a call of its own.
    for (text, value) in [
        ("size(names[i])", "3"),
        ("twice(sum)", "8"),
        ("size(\"rates\")", "5"),
        ("size(\"rate\") + twice(2)", "8"),
        ("i", "1"),
    ] {
        let value_there = session.evaluate(in_frame(text)).await.unwrap().text;
        assert_eq!(value_there, value, "{text}");
    }
    let there = stopped(session.wait(Duration::ZERO).await.unwrap());
    assert_eq!((there.number, place(&there)), (1, place(&stop)));

    if adapter == "gdb" {
        // What stops inside of a function that is called is a stop, and is told as one.
        let at = Breakpoint::at_text("calls.c", "TWICE");
        session.break_at(vec![at]).await.unwrap();
        let error = session.evaluate(in_frame("twice(5)")).await.unwrap_err();
        let error = error.to_string();
        assert!(error.contains("a stop of its own"), "{error}");
        let inside = stopped(session.wait(Duration::ZERO).await.unwrap());
        assert_eq!((inside.number, local(&inside, "n")), (2, "5"));
    }
    session.clear(None).await.unwrap();
    let mut outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    if adapter == "gdb" {
        // The call has ended.
        assert_eq!(place(&stopped(outcome)), place(&stop));
        outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    }
    assert!(exited(outcome).output.text().contains("sum 6 of 3"));
    bench.end().await;
}

#[tokio::test]
async fn gdb_calls_functions_where_it_stands() {
    calls("gdb").await;
}

#[tokio::test]
async fn lldb_calls_functions_where_it_stands() {
    calls("lldb-dap").await;
}

const COLLATZ: &str = r#"#include <stdio.h>

static int next(long n) { return n % 2 == 0 ? n / 2 : 3 * n + 1; }

int main(void) {
    int count = 0;
    long n = 27;
    while (n != 1) {
        n = next(n);
        count++; /* COUNTED */
    }
    printf("steps %d\n", count);
    return 3;
}
"#;

async fn traced(adapter: &str) {
    let bench = Bench::new(Project::new().file("collatz.c", COLLATZ));
    let request = c("collatz", adapter);
    let (session, outcome) = bench
        .launch(&request, |launch| {
            let at = Breakpoint::at_text("collatz.c", "COUNTED");
            launch.breakpoints.push(at.when("n > 9000"));
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!((local(&stop, "n"), local(&stop, "count")), ("9232", "76"));
    session.clear(None).await.unwrap();
    let outcome = session
        .resume(Resume::RunTo(Breakpoint::at_line("collatz.c", 9).at), WAIT)
        .await
        .unwrap();
    assert_eq!(place(&stopped(outcome)), "collatz.c:9");
    let stop = stopped(session.resume(Resume::StepIn, WAIT).await.unwrap());
    assert_eq!(
        (place(&stop).as_str(), local(&stop, "n")),
        ("collatz.c:3", "9232")
    );
    let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert!(end.output.text().contains("steps 111"), "{:?}", end.output);
    bench.end().await;

    let (_, outcome) = bench
        .launch(&request, |launch| {
            let at = Breakpoint::at_text("collatz.c", "COUNTED");
            launch.breakpoints.push(at.log("now {n} "));
        })
        .await
        .unwrap();
    let output = exited(outcome).output.text();
    assert_eq!(output.matches("now ").count(), 111, "{output}");
    bench.end().await;
}

#[tokio::test]
async fn gdb_says_that_a_condition_cannot_be_evaluated() {
    let bench = Bench::new(Project::new().file("collatz.c", COLLATZ));
    let (_, outcome) = bench
        .launch(&c("collatz", "gdb"), |launch| {
            let at = Breakpoint::at_text("collatz.c", "COUNTED");
            launch.breakpoints.push(at.when("nosuch > 9000"));
        })
        .await
        .unwrap();
    let end = exited(outcome);
    let said = "its condition `nosuch > 9000` could not be evaluated";
    assert!(end.notes.iter().any(|note| note.contains(said)), "{end:?}");
    bench.end().await;
}

#[tokio::test]
async fn gdb_traces_and_steps() {
    traced("gdb").await;
}

#[tokio::test]
async fn lldb_traces_and_steps() {
    traced("lldb-dap").await;
}

const POOL: &str = r#"#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *producer(void *arg) {
    pthread_mutex_lock(&one);
    usleep(200000);
    pthread_mutex_lock(&other); /* BLOCKS producer */
    return arg;
}

static void *reporter(void *arg) {
    pthread_mutex_lock(&other);
    usleep(200000);
    pthread_mutex_lock(&one); /* BLOCKS reporter */
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, reporter, NULL);
    usleep(500000);
    printf("stuck\n");
    fflush(stdout);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"#;

async fn hung(adapter: &str) {
    let bench = Bench::new(Project::new().file("pool.c", POOL));
    let built = Command::new("cc")
        .args(["-g", "-O0", "-pthread", "pool.c", "-o", "pool"])
        .current_dir(bench.project.root())
        .status()
        .unwrap();
    assert!(built.success());
    let mut program = begun(&mut Command::new(bench.project.path("pool")));
    let request = AttachRequest::new(adapter, Target::Pid(program.id()));
    let (session, outcome) = bench.debugger.attach(request).await.unwrap();
    if !matches!(outcome, Outcome::Stopped(_)) {
        stopped(session.pause(Some(WAIT)).await.unwrap());
    }
    let threads = session.threads().await.unwrap();
    let stacks: String = threads.items.iter().map(ToString::to_string).collect();
    assert!(stacks.contains("producer at pool.c:10"), "{stacks}");
    assert!(stacks.contains("reporter at pool.c:17"), "{stacks}");
    let end = bench.debugger.terminate().await.unwrap();
    assert!(end.detached, "{end}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
    let traced = status
        .lines()
        .find(|line| line.starts_with("TracerPid"))
        .unwrap();
    assert!(traced.ends_with("\t0"), "{traced}");
    assert!(status.contains("State:\tS"), "{status}");
    program.kill().unwrap();
    program.wait().unwrap();
    leftovers::assert_none(bench.project.root());
}

#[tokio::test]
async fn gdb_shows_where_a_process_hangs() {
    hung("gdb").await;
}

#[tokio::test]
async fn lldb_shows_where_a_process_hangs() {
    hung("lldb-dap").await;
}

const MEAN: &str = r#"pub fn mean(values: &[u32]) -> u32 {
    let mut sum = 0;
    for value in &values[1..] {
        sum += value;
    }
    sum / values.len() as u32
}

#[cfg(test)]
mod tests {
    #[test]
    fn mean_of_three() {
        let values = vec![3, 6, 9];
        let found = super::mean(&values);
        assert_eq!(found, 6);
    }
}
"#;

async fn rust(adapter: &str) {
    let manifest = "[package]\nname = \"stats\"\nedition = \"2021\"\n[workspace]\n";
    let project = Project::new()
        .file("Cargo.toml", manifest)
        .file("src/lib.rs", MEAN);
    let bench = Bench::new(project);
    let mut request = ProgramRequest::test("mean_of_three");
    request.adapter = Some(adapter.to_owned());
    // The panic, with the frame that is ours.
    let (_, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "src/lib.rs:15", "{stop}");
    assert_eq!(local(&stop, "found"), "5");
    bench.end().await;
    // The sum leaves out the first.
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch
                .breakpoints
                .push(Breakpoint::at_text("src/lib.rs", "sum / values"));
            launch.exceptions = Exceptions::None;
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(local(&stop, "sum"), "15");
    assert!(local(&stop, "values").contains('3'), "{stop}");
    let outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    assert!(
        matches!(&outcome, Outcome::Exited(end) if end.code == Some(101)),
        "{outcome}"
    );
    bench.end().await;
}

#[tokio::test]
async fn gdb_follows_a_failing_test_of_rust_to_its_cause() {
    rust("gdb").await;
}

#[tokio::test]
async fn lldb_follows_a_failing_test_of_rust_to_its_cause() {
    rust("lldb-dap").await;
}
