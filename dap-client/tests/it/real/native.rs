//! gdb and lldb-dap, with programs of C and Rust.

use std::process::Command;
use std::time::Duration;

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{
    AttachRequest, Breakpoint, EvaluateQuery, Exceptions, Outcome, Resume, Stop, Target,
};
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
        let mut query = EvaluateQuery::new(text);
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
            launch.breakpoints.push(at.log("now {n}"));
        })
        .await
        .unwrap();
    let output = exited(outcome).output.text();
    let logged = output.lines().filter(|line| line.starts_with("now "));
    assert_eq!(logged.count(), 111, "{output}");
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
async fn a_panic_of_a_crate_in_a_folder_of_the_checkout_is_stopped_at() {
    let manifest = "[package]\nname = \"stats\"\nedition = \"2021\"\n[workspace]\n";
    let project = Project::new()
        .file("tools/stats/Cargo.toml", manifest)
        .file("tools/stats/src/lib.rs", MEAN);
    let bench = Bench::new(project);
    for test in [
        "tests::mean_of_three",
        "tools/stats/src/lib.rs::tests::mean_of_three",
    ] {
        let request = ProgramRequest::test(test);
        let (_, outcome) = bench.launch(&request, |_| {}).await.unwrap();
        let stop = stopped(outcome);
        assert_eq!(place(&stop), "tools/stats/src/lib.rs:15", "{test}: {stop}");
        assert_eq!(local(&stop, "found"), "5");
        bench.end().await;
    }
}

#[tokio::test]
async fn lldb_follows_a_failing_test_of_rust_to_its_cause() {
    rust("lldb-dap").await;
}

const STRUCTS: &str = r#"struct money { long cents; char currency[4]; };
struct item { const char *name; struct money cost; };
struct order { int id; struct item items[2]; struct item *first; struct { int x, y; } at; };

static int look(struct order *p) {
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    return p->id + grid[1][2]; /* HERE */
}

int main(void) {
    struct order o = {7, {{"pen", {300, "EUR"}}, {"book", {2000, "USD"}}}, 0, {1, 2}};
    return look(&o) == 0;
}
"#;

/// A struct in a struct shows what is in it.
async fn structs(adapter: &str) {
    let bench = Bench::new(Project::new().file("order.c", STRUCTS));
    let (session, outcome) = bench
        .launch(&c("order", adapter), |launch| {
            let at = Breakpoint::at_text("order.c", "HERE");
            launch.breakpoints.push(at);
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(local(&stop, "grid"), "[[1, 2, 3], [4, 5, 6]]");
    let order = local(&stop, "p");
    assert!(
        order.starts_with("0x") && order.contains(" {id = 7, items = [{name = "),
        "{order}"
    );
    let items = asked(&session, "p->items").await;
    // lldb tells where a string lies.
    for part in [
        "\"pen\", cost = {cents = 300, currency = \"EUR\"}}, {name = ",
        "\"book\", cost = ",
    ] {
        assert!(items.contains(part), "{items}");
    }
    assert_eq!(asked(&session, "p->at").await, "{x = 1, y = 2}");
    // What is too long is cut, and said to be.
    let cut = stop
        .locals
        .items
        .iter()
        .find(|value| value.name == "p")
        .unwrap();
    let mut query = EvaluateQuery::new("*p");
    query.characters = 30;
    let value = session.evaluate(query).await.unwrap();
    assert!(
        value.shortened && value.cut_from.is_some_and(|total| total > 100),
        "{value}"
    );
    assert!(cut.handle.is_some());
    bench.end().await;
}

#[tokio::test]
async fn gdb_shows_what_is_in_a_struct() {
    structs("gdb").await;
}

#[tokio::test]
async fn lldb_shows_what_is_in_a_struct() {
    structs("lldb-dap").await;
}

const ORDERS: &str = r#"use std::collections::BTreeMap;
use std::rc::Rc;

struct Item { name: String, price: Option<u32>, tags: Vec<String> }
enum State { Open, Closed { by: String }, Paid(u32) }

fn look(items: &Vec<Item>, tree: BTreeMap<u32, String>) -> usize {
    let first = items.first();
    let none: Option<u32> = None;
    let failed: Result<u32, String> = Err("no".into());
    let states = vec![State::Open, State::Paid(3), State::Closed { by: "ada".into() }];
    let shared = Rc::new(Item { name: "ink".into(), price: None, tags: vec![] });
    let count = items.len() + tree.len() + states.len(); // HERE
    drop((first.is_some(), none, failed, shared, items[0].tags.len()));
    count
}

fn main() {
    let pen = Item { name: "pen".into(), price: Some(3), tags: vec!["blue".into()] };
    println!("{}", look(&vec![pen], BTreeMap::from([(7, "x".to_owned())])));
}
"#;

/// The program of orders, stopped with all that it has made.
async fn orders(adapter: &str) -> (Bench, Stop) {
    let manifest = "[package]\nname = \"orders\"\nedition = \"2021\"\n[workspace]\n";
    let project = Project::new()
        .file("Cargo.toml", manifest)
        .file("src/main.rs", ORDERS);
    let bench = Bench::new(project);
    let mut request = ProgramRequest::file("src/main.rs");
    request.adapter = Some(adapter.to_owned());
    let (_, outcome) = bench
        .launch(&request, |launch| {
            let at = Breakpoint::at_text("src/main.rs", "HERE");
            launch.breakpoints.push(at);
        })
        .await
        .unwrap();
    (bench, stopped(outcome))
}

#[tokio::test]
async fn gdb_shows_what_is_in_values_of_rust() {
    let (bench, stop) = orders("gdb").await;
    let item = r#"{name = "pen", price = Some(3), tags = Vec(size=1) ["blue"]}"#;
    assert!(
        local(&stop, "items").ends_with(&format!("Vec(size=1) [{item}]")),
        "{stop}"
    );
    assert!(local(&stop, "first").starts_with("Some(0x"), "{stop}");
    assert!(
        local(&stop, "first").ends_with(&format!(" {item})")),
        "{stop}"
    );
    assert_eq!(local(&stop, "none"), "None");
    assert_eq!(local(&stop, "failed"), "Err(\"no\")");
    assert_eq!(
        local(&stop, "states"),
        "Vec(size=3) [Open, Paid(3), Closed {by = \"ada\"}]"
    );
    assert_eq!(local(&stop, "tree"), "BTreeMap(size=1) {7: \"x\"}");
    assert_eq!(
        local(&stop, "shared"),
        "Rc(strong=1, weak=0) {name = \"ink\", price = None, tags = Vec(size=0)}"
    );
    bench.end().await;
}

#[tokio::test]
async fn lldb_shows_what_is_in_values_of_rust() {
    let (bench, stop) = orders("lldb-dap").await;
    assert!(
        local(&stop, "items").starts_with("size=1 [{name = \"pen\", price = Some(3)"),
        "{stop}"
    );
    // Which variants there are is not certain; that the locals are shown is.
    assert!(local(&stop, "states").starts_with("size=3 ["), "{stop}");
    assert!(
        stop.notes
            .iter()
            .any(|note| note.contains("gdb shows the right one")),
        "{stop}"
    );
    let shared = r#"{name = "ink", price = None, tags = size=0}"#;
    assert_eq!(local(&stop, "shared"), format!("strong=1, weak=0 {shared}"));
    assert_eq!(local(&stop, "failed"), "Err(\"no\")");
    bench.end().await;
}

#[tokio::test]
async fn a_pause_before_the_program_has_begun_is_told_as_such() {
    const SPIN: &str = "#include <unistd.h>\nint main(void) {\n    for (;;) usleep(1000);\n}\n";
    let bench = Bench::new(Project::new().file("spin.c", SPIN));
    let (session, outcome) = bench
        .launch(&c("spin", "lldb-dap"), |launch| {
            launch.wait = Some(Duration::ZERO);
        })
        .await
        .unwrap();
    // It may have been quick.
    assert!(matches!(outcome, Outcome::StillRunning(_)), "{outcome}");
    let stop = stopped(session.pause(Some(WAIT)).await.unwrap());
    let said = stop
        .notes
        .iter()
        .any(|note| note.contains("still being loaded"));
    let is_own = stop.frame.as_ref().unwrap().ours;
    assert_ne!(said, is_own, "{stop}");
    bench.end().await;
}

#[tokio::test]
async fn a_function_that_is_not_there_is_told_with_those_that_are() {
    const CRASH: &str =
        "int run(int n) { int *p = 0; return n + *p; }\nint main(void) { return run(3); }\n";
    for adapter in ["gdb", "lldb-dap"] {
        let bench = Bench::new(Project::new().file("crash.c", CRASH));
        let (session, outcome) = bench
            .launch(&c("crash", adapter), |launch| {
                launch.breakpoints.push(Breakpoint::at_function("runn"));
            })
            .await
            .unwrap();
        let stop = stopped(outcome);
        let note = "breakpoint #1 is bound to no code so far: the debugger knows no function `runn`; the \
                    project has run";
        assert!(stop.notes.iter().any(|said| said == note), "{stop}");
        let reports = session.breakpoints().unwrap();
        let state =
            "#1 runn: pending: no function of this name is loaded so far; it is bound when one is";
        assert_eq!(reports[0].to_string(), state);
        bench.end().await;
    }
}
