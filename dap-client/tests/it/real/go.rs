//! delve.

use std::process::Command;

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{
    Breakpoint, EvaluateQuery, Exceptions, Of, Outcome, Resume, ValuesQuery,
};
use fourfold_testkit::{Project, leftovers};

use super::bench::*;

const STOCK: &str = r#"package stock

type Item struct {
	Name  string
	Count int
}

func Merge(items []Item) map[string]*Item {
	out := map[string]*Item{}
	for i := range items {
		item := items[i]
		if known, ok := out[item.Name]; ok {
			known.Count = item.Count
			continue
		}
		out[item.Name] = &item
	}
	return out
}
"#;

const STOCK_TEST: &str = r#"package stock

import "testing"

func TestMerge(t *testing.T) {
	got := Merge([]Item{{"nut", 2}, {"bolt", 5}, {"nut", 1}})
	if got["nut"].Count != 3 {
		t.Fatalf("nut = %d, want 3", got["nut"].Count)
	}
}
"#;

#[tokio::test]
async fn a_failing_test_is_followed_to_its_cause() {
    let project = Project::new()
        .file("go.mod", "module stock\n\ngo 1.19\n")
        .file("stock.go", STOCK)
        .file("stock_test.go", STOCK_TEST);
    let bench = Bench::new(project);
    let request = ProgramRequest::test("TestMerge");
    // It stops where the test fails.
    let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "stock_test.go:8", "{stop}");
    assert!(
        stop.to_string()
            .starts_with("stop 1: failing test in thread"),
        "{stop}"
    );
    let nut = asked(&session, "got[\"nut\"].Count").await;
    assert_eq!(nut, "1");
    // Its parent is told of the failure too, which is no second one.
    let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert_eq!(end.code, Some(1));
    bench.end().await;
    // The count is replaced and not added to.
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch.breakpoints.clear();
            launch.breakpoints.push(Breakpoint::at_line("stock.go", 13));
            launch.exceptions = Exceptions::None;
        })
        .await
        .unwrap();
    assert_eq!(place(&stopped(outcome)), "stock.go:13");
    assert_eq!(asked(&session, "known.Count").await, "2");
    let stop = stopped(session.resume(Resume::StepOver, WAIT).await.unwrap());
    assert_eq!(place(&stop), "stock.go:14");
    assert_eq!(asked(&session, "known.Count").await, "1");
    let outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    let Outcome::Exited(end) = outcome else {
        panic!("{outcome}")
    };
    assert!(
        end.output.text().contains("nut = 1, want 3"),
        "{:?}",
        end.output
    );
    bench.end().await;
}

const RUN: &str = r#"package main

import "fmt"

func next(n int) int {
	if n%2 == 0 {
		return n / 2
	}
	return 3*n + 1
}

func main() {
	count := 0
	for n := 27; n != 1; n = next(n) {
		count++
	}
	fmt.Println("steps", count)
	var orders []int
	fmt.Println(orders[count])
}
"#;

#[tokio::test]
async fn a_program_is_stepped_through_traced_and_its_panic_is_caught() {
    let project = Project::new()
        .file("go.mod", "module run\n\ngo 1.19\n")
        .file("main.go", RUN);
    let bench = Bench::new(project);
    let request = ProgramRequest::file("main.go");
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch
                .breakpoints
                .push(Breakpoint::at_text("main.go", "count++").when("n > 9000"));
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!((local(&stop, "n"), local(&stop, "count")), ("9232", "77"));
    session.clear(None).await.unwrap();
    let at = Breakpoint::at_function("main.next").at;
    let stop = stopped(session.resume(Resume::RunTo(at), WAIT).await.unwrap());
    assert_eq!(
        (place(&stop).as_str(), local(&stop, "n")),
        ("main.go:5", "9232")
    );
    let stop = stopped(session.resume(Resume::StepOut, WAIT).await.unwrap());
    assert_eq!(place(&stop), "main.go:14");
    let stop = stopped(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert_eq!(place(&stop), "main.go:19", "{stop}");
    let said = format!("{stop}");
    assert!(
        said.contains("index out of range [111] with length 0"),
        "{said}"
    );
    bench.end().await;

    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch
                .breakpoints
                .push(Breakpoint::at_text("main.go", "count++").log("now {n}"));
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "main.go:19", "{stop}");
    let output = session.output(0, 64 << 10).unwrap().text();
    assert_eq!(output.matches("now ").count(), 111, "{output}");
    bench.end().await;
}

#[tokio::test]
async fn a_step_goes_into_a_call_and_out_of_it_again() {
    let project = Project::new()
        .file("go.mod", "module run\n\ngo 1.19\n")
        .file("main.go", RUN);
    let bench = Bench::new(project);
    let (session, outcome) = bench
        .launch(&ProgramRequest::file("main.go"), |launch| {
            let at = Breakpoint::at_text("main.go", "count++");
            launch.breakpoints.push(at.when("n == 41"));
        })
        .await
        .unwrap();
    // 27, 82 and 41: the call that follows is made with the third.
    let stop = stopped(outcome);
    assert_eq!(
        (place(&stop).as_str(), local(&stop, "n")),
        ("main.go:15", "41")
    );
    session.clear(None).await.unwrap();
    let stop = stopped(session.resume(Resume::StepOver, WAIT).await.unwrap());
    assert_eq!(place(&stop), "main.go:14");
    let stop = stopped(session.resume(Resume::StepIn, WAIT).await.unwrap());
    assert_eq!(
        (place(&stop).as_str(), local(&stop, "n")),
        ("main.go:5", "41")
    );
    assert!(
        stop.to_string().contains("main.main at main.go:14"),
        "{stop}"
    );
    let stop = stopped(session.resume(Resume::StepOver, WAIT).await.unwrap());
    assert_eq!(place(&stop), "main.go:6");
    let stop = stopped(session.resume(Resume::StepOver, WAIT).await.unwrap());
    assert_eq!(place(&stop), "main.go:9", "41 is odd");
    let stop = stopped(session.resume(Resume::StepOut, WAIT).await.unwrap());
    assert_eq!(place(&stop), "main.go:14");
    // 3 * 41 + 1 was returned.
    let stop = stopped(session.resume(Resume::StepOver, WAIT).await.unwrap());
    assert_eq!(
        (place(&stop).as_str(), local(&stop, "n")),
        ("main.go:15", "124")
    );
    assert_eq!(local(&stop, "count"), "3");
    bench.end().await;
}

const LOOPED: &str = r#"package main

import "fmt"

func main() {
	var prices []func() int
	for i := 1; i <= 3; i++ {
		price := i * 10
		prices = append(prices, func() int {
			return i + price // SEEN
		})
	}
	for _, price := range prices {
		fmt.Println(price())
	}
}
"#;

/// Before Go 1.22 all closures of a loop share its variable.
#[tokio::test]
async fn what_a_closure_over_the_variable_of_a_loop_sees_is_told() {
    let project = Project::new()
        .file("go.mod", "module looped\n\ngo 1.19\n")
        .file("main.go", LOOPED);
    let bench = Bench::new(project);
    let request = ProgramRequest::file("main.go");
    let (session, mut outcome) = bench
        .launch(&request, |launch| {
            let at = Breakpoint::at_text("main.go", "SEEN");
            launch.breakpoints.push(at);
        })
        .await
        .unwrap();
    for own in ["10", "20", "30"] {
        let stop = stopped(outcome);
        assert_eq!(place(&stop), "main.go:10");
        assert_eq!(
            (local(&stop, "i"), local(&stop, "price")),
            ("4", own),
            "{stop}"
        );
        outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    }
    assert_eq!(exited(outcome).output.text(), "34\n");
    bench.end().await;
}

const STUCK: &str = r#"package main

import (
	"fmt"
	"time"
)

func worker(jobs chan int, done chan bool) {
	for range jobs {
	}
	done <- true
}

func main() {
	jobs, done := make(chan int), make(chan bool)
	go worker(jobs, done)
	jobs <- 1
	fmt.Println("stuck")
	select {
	case <-done:
	case <-time.After(time.Hour):
	}
}
"#;

#[tokio::test]
async fn a_hung_process_is_attached_to_and_shows_where_it_hangs() {
    let project = Project::new()
        .file("go.mod", "module stuck\n\ngo 1.19\n")
        .file("main.go", STUCK);
    let bench = Bench::new(project);
    let built = Command::new("go")
        .args(["build", "-gcflags=all=-N -l", "-o", "stuck", "."])
        .current_dir(bench.project.root())
        .status()
        .unwrap();
    assert!(built.success());
    let mut program = begun(&mut Command::new(bench.project.path("stuck")));
    let session = bench.attached("delve", &program).await;
    stopped(session.pause(Some(WAIT)).await.unwrap());
    let threads = session.threads().await.unwrap();
    let stacks: String = threads.items.iter().map(ToString::to_string).collect();
    // The worker waits for a job, main for the worker.
    assert!(stacks.contains("main.worker at main.go:9"), "{stacks}");
    assert!(stacks.contains("main.main at main.go:19"), "{stacks}");
    let end = bench.debugger.terminate().await.unwrap();
    assert!(end.detached, "{end}");
    assert!(program.try_wait().unwrap().is_none());
    program.kill().unwrap();
    program.wait().unwrap();
    leftovers::assert_none(bench.project.root());
}

#[tokio::test]
async fn a_condition_that_cannot_be_evaluated_is_no_failure_of_the_program() {
    let project = Project::new()
        .file("go.mod", "module one\n\ngo 1.19\n")
        .file(
            "main.go",
            "package main\n\nfunc main() {\n\tn := 1\n\tprintln(n)\n}\n",
        );
    let bench = Bench::new(project);
    let (session, outcome) = bench
        .launch(&ProgramRequest::file("main.go"), |launch| {
            let at = Breakpoint::at_line("main.go", 5);
            launch.breakpoints.push(at.when("nosuch == 1"));
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(
        (stop.reason.as_str(), place(&stop)),
        ("breakpoint", "main.go:5".to_owned()),
        "{stop}"
    );
    assert!(stop.exception.is_none(), "{stop}");
    assert_eq!(stop.breakpoints, [1]);
    let note = "the condition `nosuch == 1` of breakpoint #1 cannot be evaluated here";
    assert!(
        stop.notes.iter().any(|said| said.starts_with(note)),
        "{stop}"
    );
    exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    bench.end().await;
}

const LONG: &str = r#"package main

import (
	"fmt"
	"strings"
)

type Money struct{ Cents int }
type Item struct {
	Name string
	Cost Money
}

func look(text string, items []Item, deep map[string][]Item) int {
	return len(text) + len(items) + len(deep) // HERE
}

func main() {
	text := strings.Repeat("0123456789", 900) + strings.Repeat("\u00e9", 600)
	items := []Item{{text, Money{3}}, {"book", Money{20}}}
	fmt.Println(look(text, items, map[string][]Item{"a": items[1:]}))
}
"#;

#[tokio::test]
async fn a_long_string_is_read_to_its_end_and_a_struct_in_a_struct_is_shown() {
    let project = Project::new()
        .file("go.mod", "module long\n\ngo 1.19\n")
        .file("main.go", LONG);
    let bench = Bench::new(project);
    let (session, outcome) = bench
        .launch(&ProgramRequest::file("main.go"), |launch| {
            let at = Breakpoint::at_text("main.go", "HERE");
            launch.breakpoints.push(at);
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(
        local(&stop, "deep"),
        "map[string][]main.Item {\"a\": []main.Item len: 1, cap: 1, [main.Item {Name: \"book\", \
         Cost: main.Money {Cents: 20}}]}"
    );
    let whole = format!("\"{}{}\"", "0123456789".repeat(900), "\u{e9}".repeat(600));
    for expression in ["text", "items[0].Name"] {
        let mut query = EvaluateQuery::new(expression);
        query.characters = 16_000;
        let value = session.evaluate(query).await.unwrap();
        assert_eq!(
            (value.text.as_str(), value.cut_from),
            (whole.as_str(), None),
            "{expression}"
        );
        let path = Of::Path {
            frame: None,
            path: expression.parse().unwrap(),
        };
        let mut query = ValuesQuery::new(path);
        query.characters = 5000;
        let values = session.values(query).await.unwrap();
        let value = &values.items[0];
        assert_eq!(value.text.chars().count(), 5000, "{expression}");
        // 9000 digits, 600 letters and two quotes; those that were not read count as bytes.
        assert!(
            value.cut_from.is_some_and(|total| total > 9600),
            "{:?}",
            value.cut_from
        );
    }
    bench.end().await;
}

#[tokio::test]
async fn a_file_of_tests_alone_runs_all_of_them() {
    const TEST: &str = "package a\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {}\n\n\
                        func TestTwo(t *testing.T) {\n\tt.Fatal(\"two\")\n}\n";
    const OTHER: &str = "package a\n\nimport \"testing\"\n\nfunc TestOther(t *testing.T) {\n\t\
                         t.Fatal(\"other\")\n}\n";
    let project = Project::new()
        .file("go.mod", "module a\n\ngo 1.19\n")
        .file("a_test.go", TEST)
        .file("b_test.go", OTHER);
    let bench = Bench::new(project);
    let request = ProgramRequest::test("a_test.go");
    let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "a_test.go:8");
    let before = stop.output.text();
    let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    let output = format!("{before}{}", end.output.text());
    assert!(output.contains("--- PASS: TestOne"), "{output}");
    assert!(
        output.contains("--- FAIL: TestTwo") && !output.contains("TestOther"),
        "{output}"
    );
    bench.end().await;
}
