//! js-debug.

use std::process::{Command, Stdio};

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{Breakpoint, Exceptions, Of, Resume, StackEntry, ValuesQuery};
use fourfold_testkit::{Project, adapters, leftovers};

use super::bench::*;

const SUM: &str = r"export function sum(values) {
  let total = 0;
  for (const value of values) {
    total = value;
  }
  return total;
}
";

const SUM_TEST: &str = r"import test from 'node:test';
import assert from 'node:assert';
import { sum } from './sum.mjs';

test('adds nothing', () => {
  assert.equal(sum([]), 0);
});

test('adds up', () => {
  assert.equal(sum([1, 2, 3]), 6);
});
";

#[tokio::test]
async fn a_failing_test_is_followed_to_its_cause() {
    let project = Project::new()
        .file("sum.mjs", SUM)
        .file("sum.test.mjs", SUM_TEST);
    let bench = Bench::new(project);
    let request = ProgramRequest::test("sum.test.mjs::adds up");
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch
                .breakpoints
                .push(Breakpoint::at_text("sum.mjs", "total = value"));
            launch.exceptions = Exceptions::None;
        })
        .await
        .unwrap();
    // The other test, which adds nothing, is left out.
    let stop = stopped(outcome);
    assert_eq!((local(&stop, "value"), local(&stop, "total")), ("1", "0"));
    let stop = stopped(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert_eq!((local(&stop, "value"), local(&stop, "total")), ("2", "1"));
    // The sum so far is lost.
    let stop = stopped(session.resume(Resume::StepOver, WAIT).await.unwrap());
    assert_eq!(asked(&session, "total").await, "2", "{stop}");
    session.clear(None).await.unwrap();
    let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert!(end.output.text().contains("3 == 6"), "{:?}", end.output);
    bench.end().await;
}

const SHOP: &str = r"class Order {
  constructor(number) {
    this.number = number;
    this.total = number * 10;
  }
}

function price(order) {
  const doubled = order.total * 2;
  return doubled;
}

function run() {
  const user = { name: 'ada', orders: [0, 1, 2, 3, 4].map((n) => new Order(n)) };
  const paid = price(user.orders[3]);
  if (paid !== 61) {
    throw new Error('paid ' + paid);
  }
}

run();
";

#[tokio::test]
async fn a_program_is_stepped_through_and_its_values_are_opened() {
    let bench = Bench::new(Project::new().file("shop.js", SHOP));
    let (session, outcome) = bench
        .launch(&ProgramRequest::file("shop.js"), |launch| {
            launch
                .breakpoints
                .push(Breakpoint::at_text("shop.js", "const paid"));
        })
        .await
        .unwrap();
    let shown = stopped(outcome);
    assert_eq!(place(&shown), "shop.js:15");
    // The class and the function that it uses are in the source, not among the locals.
    let note = "left out of the locals: 2 functions and classes; `variables` has them";
    assert!(shown.notes.iter().any(|said| said == note), "{shown}");
    assert!(shown.locals.items.iter().all(|value| value.name != "price"));
    let path = "user.orders[3]".parse().unwrap();
    let values = session
        .values(ValuesQuery::new(Of::Path { frame: None, path }))
        .await
        .unwrap();
    // The value itself, with what is inside.
    let inside = values.items[0].inside.as_ref().unwrap();
    let total = inside
        .items
        .iter()
        .find(|value| value.name == "total")
        .unwrap();
    assert_eq!(total.text, "30");
    // One level more is one level more, as it is inside of a value.
    let mut query = ValuesQuery::new(Of::Path {
        frame: None,
        path: "user".parse().unwrap(),
    });
    query.depth = 2;
    let values = session.values(query).await.unwrap().to_string();
    assert!(values.contains("\n    0: "), "{values}");
    // A frame has one name as long as the program stands.
    let handle = |entry: &StackEntry| match entry {
        StackEntry::Frame(frame) => Some(frame.handle),
        _ => None,
    };
    let first = session.stack(None, 0, 5).await.unwrap();
    let again = session.stack(None, 0, 5).await.unwrap();
    assert_eq!(handle(&first.items[0]), Some(shown.frame.unwrap().handle));
    assert_eq!(first.items, again.items);
    let stop = stopped(session.resume(Resume::StepIn, WAIT).await.unwrap());
    assert_eq!(place(&stop), "shop.js:9", "{stop}");
    let stop = stopped(session.resume(Resume::StepOut, WAIT).await.unwrap());
    // Behind the call, on its line or the next.
    assert!(
        ["shop.js:15", "shop.js:16"].contains(&place(&stop).as_str()),
        "{stop}"
    );
    // The exception that nobody catches, with its frame.
    let stop = stopped(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert_eq!(place(&stop), "shop.js:17", "{stop}");
    assert!(stop.to_string().contains("paid 60"), "{stop}");
    assert_eq!(local(&stop, "paid"), "60");
    bench.end().await;
}

#[tokio::test]
async fn a_breakpoint_on_a_function_is_refused_before_anything_starts() {
    let bench = Bench::new(Project::new().file("shop.js", SHOP));
    let refused = bench
        .launch(&ProgramRequest::file("shop.js"), |launch| {
            launch.breakpoints.push(Breakpoint::at_function("price"));
            // It would not come to its start.
            launch.wait = Some(std::time::Duration::ZERO);
        })
        .await
        .unwrap_err()
        .to_string();
    assert!(refused.contains("breakpoints on functions"), "{refused}");
    leftovers::assert_none(bench.project.root());
}

const COLLATZ: &str = "let count = 0;\nlet n = 27;\nwhile (n !== 1) {\n  \
    n = n % 2 === 0 ? n / 2 : 3 * n + 1;\n  count += 1;\n}\nconsole.log('steps', count);\n";

#[tokio::test]
async fn a_log_point_prints_and_a_condition_catches_one_of_many() {
    let bench = Bench::new(Project::new().file("collatz.js", COLLATZ));
    let program = ProgramRequest::file("collatz.js");
    let at = || Breakpoint::at_text("collatz.js", "count += 1");
    let (_, outcome) = bench
        .launch(&program, |launch| {
            launch.breakpoints.push(at().log("now {n}"));
        })
        .await
        .unwrap();
    let output = exited(outcome).output.text();
    assert_eq!(output.matches("now ").count(), 111, "{output}");
    bench.end().await;
    let (session, outcome) = bench
        .launch(&program, |launch| {
            launch.breakpoints.push(at().when("n > 9000"));
        })
        .await
        .unwrap();
    stopped(outcome);
    assert_eq!(asked(&session, "[n, count].join()").await, "'9232,76'");
    bench.end().await;
    let (session, outcome) = bench
        .launch(&program, |launch| {
            launch.breakpoints.push(at().when("nosuch.n > 9000"));
        })
        .await
        .unwrap();
    // It is not taken for false.
    let stop = stopped(outcome);
    let note = "the condition `nosuch.n > 9000` of breakpoint #1 cannot be evaluated here";
    assert!(stop.notes.iter().any(|its| its.contains(note)), "{stop}");
    assert_eq!(asked(&session, "n").await, "82");
    bench.end().await;
}

#[tokio::test]
async fn a_failing_assertion_stops_by_itself() {
    let project = Project::new()
        .file("sum.mjs", SUM)
        .file("sum.test.mjs", SUM_TEST);
    let bench = Bench::new(project);
    let request = ProgramRequest::test("sum.test.mjs::adds up");
    let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "sum.test.mjs:10", "{stop}");
    assert_eq!(stop.reason, "exception");
    assert!(stop.to_string().contains("3 == 6"), "{stop}");
    assert_eq!(asked(&session, "sum([1, 2, 3])").await, "3");
    let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert!(end.output.text().contains("3 == 6"), "{:?}", end.output);
    bench.end().await;
}

const MENU: &str = r"export function price(text) {
  let menu;
  try {
    menu = JSON.parse(text);
  } catch {
    menu = { price: 1 };
  }
  return menu.price;
}

export function first(menus) {
  return price(menus.shift().text);
}
";

const MENU_TEST: &str = r"import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { first, price } from './menu.mjs';

describe('menu', () => {
  it('opens', async () => {
    assert.throws(() => first(7), TypeError);
    assert.equal(price('{'), 1);
    await new Promise((done) => setTimeout(done, 1));
    assert.equal(first([]), 1);
  });
});
";

#[tokio::test]
async fn an_error_that_nobody_waits_for_stops_a_test_and_others_do_not() {
    let project = Project::new()
        .file("menu.mjs", MENU)
        .file("menu.test.mjs", MENU_TEST);
    let bench = Bench::new(project);
    let request = ProgramRequest::test("menu.test.mjs::menu > opens");
    let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    // Neither the one that `throws` waits for nor the one that is caught.
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "menu.mjs:12", "{stop}");
    assert!(stop.to_string().contains("TypeError"), "{stop}");
    assert_eq!(asked(&session, "menus.length").await, "0");
    exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    bench.end().await;
}

#[tokio::test]
async fn a_debugger_statement_stops() {
    let text = "let a = 1;\na += 1;\ndebugger;\nconsole.log(a);\n";
    let bench = Bench::new(Project::new().file("stops.js", text));
    let program = ProgramRequest::file("stops.js");
    let (session, outcome) = bench.launch(&program, |_| {}).await.unwrap();
    assert_eq!(place(&stopped(outcome)), "stops.js:3");
    assert_eq!(asked(&session, "a").await, "2");
    exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    bench.end().await;
}

/// js-debug gives what is set while the program stands the number of another one.
#[tokio::test]
async fn a_stop_is_that_of_the_breakpoint_that_it_stands_at() {
    let text = "function each(list) {\n  let sum = 0;\n  list.forEach(function (one) {\n    \
        if (one) {\n      sum += one;\n    } else {\n      sum -= 1;\n    }\n  });\n  \
        return sum;\n}\neach([]);\neach([]);\n";
    let bench = Bench::new(Project::new().file("each.js", text));
    let program = ProgramRequest::file("each.js");
    let (session, outcome) = bench
        .launch(&program, |launch| {
            launch.breakpoints.push(Breakpoint::at_line("each.js", 2));
        })
        .await
        .unwrap();
    stopped(outcome);
    // The function is not called: the other breakpoint comes first, once more.
    let inside = Breakpoint::at_line("each.js", 8).at;
    let stop = stopped(session.resume(Resume::RunTo(inside), WAIT).await.unwrap());
    assert_eq!(
        (place(&stop).as_str(), stop.breakpoints.as_slice()),
        ("each.js:2", [1].as_slice())
    );
    let note = "`each.js:8` was not reached before this stop";
    assert!(stop.notes.iter().any(|said| said == note), "{stop}");
    bench.end().await;
}

/// js-debug is given another, which is removed with what it leaves there.
#[tokio::test]
async fn a_program_has_its_own_place_for_temporary_files() {
    let text = "console.log('place', process.env.TMPDIR, require('os').tmpdir());\n";
    let bench = Bench::new(Project::new().file("place.js", text));
    let mut program = ProgramRequest::file("place.js");
    let place = |outcome| {
        let text = exited(outcome).output.text();
        let line = text.lines().find_map(|line| line.strip_prefix("place "));
        line.unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let (_, outcome) = bench.launch(&program, |_| {}).await.unwrap();
    let ours = std::env::var("TMPDIR").unwrap_or_else(|_| "undefined".to_owned());
    let temporary = std::env::temp_dir();
    assert_eq!(place(outcome), format!("{ours} {}", temporary.display()));
    bench.end().await;
    program.env.insert("TMPDIR".to_owned(), "/given".to_owned());
    let (_, outcome) = bench.launch(&program, |_| {}).await.unwrap();
    assert_eq!(place(outcome), "/given /given");
    bench.end().await;
}

const STUCK: &str = r"function spin(limit) {
  let seen = 0;
  while (seen < limit) {
    seen = 7;
  }
  return seen;
}

console.log('stuck');
setTimeout(() => spin(8), 1);
";

#[tokio::test]
async fn a_hung_process_is_attached_to_and_shows_where_it_hangs() {
    // Without an inspector, with one; each on a port of its own.
    for options in [["--inspect-port=0"].as_slice(), &["--inspect=0"]] {
        let bench = Bench::new(Project::new().file("stuck.js", STUCK));
        let mut program = begun(
            Command::new(adapters::find("node"))
                .args(options)
                .arg("stuck.js")
                .current_dir(bench.project.root())
                .stderr(Stdio::null()),
        );
        let session = bench.attached("js-debug", &program).await;
        let stop = stopped(session.pause(Some(WAIT)).await.unwrap());
        assert!(
            ["stuck.js:3", "stuck.js:4"].contains(&place(&stop).as_str()),
            "{stop}"
        );
        assert_eq!(stop.reason, "pause");
        assert_eq!(asked(&session, "[limit, seen].join()").await, "'8,7'");
        let end = bench.debugger.terminate().await.unwrap();
        assert!(end.detached, "{end}");
        let opened = end.to_string().contains("goes on listening at 127.0.0.1:");
        assert_eq!(opened, options == ["--inspect-port=0"], "{end}");
        assert!(program.try_wait().unwrap().is_none());
        program.kill().unwrap();
        program.wait().unwrap();
        leftovers::assert_none(bench.project.root());
    }
}

const STORE: &str = r"const TABLE = { a: 1, b: 2 };
let counter = 7;
class Order { constructor(total) { this.total = total; } }
function add(sum, order) { return sum + order.total; }
function run(name, orders) {
  let total = 0;
  for (const order of orders) {
    const name = 'order';
    total = add(total, order); // HERE
  }
  counter += total + TABLE.a;
  try { JSON.parse('{'); } catch (error) {
    return error.name; // CAUGHT
  }
}
run('ada', [new Order(3)]);
";

#[tokio::test]
async fn locals_come_first_and_what_is_in_the_source_is_counted() {
    let bench = Bench::new(Project::new().file("store.js", STORE));
    let (session, outcome) = bench
        .launch(&ProgramRequest::file("store.js"), |launch| {
            for text in ["HERE", "CAUGHT"] {
                launch
                    .breakpoints
                    .push(Breakpoint::at_text("store.js", text));
            }
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    let names: Vec<&str> = stop
        .locals
        .items
        .iter()
        .map(|value| value.name.as_str())
        .collect();
    // The name further in is the one that counts; `this` is the world, and the table is the module's.
    assert_eq!(
        names,
        ["name", "order", "orders", "total", "counter"],
        "{stop}"
    );
    assert_eq!(local(&stop, "name"), "'order'");
    let note = "left out of the locals: 1 function or class, 1 object of the module; `variables` has \
                them";
    assert!(stop.notes.iter().any(|said| said == note), "{stop}");
    let stop = stopped(session.resume(Resume::Continue, WAIT).await.unwrap());
    let error = local(&stop, "error");
    assert!(
        error.starts_with("SyntaxError: ") && !error.contains("    at "),
        "{error}"
    );
    bench.end().await;
}

#[tokio::test]
async fn a_file_of_tests_alone_runs_all_of_them() {
    let project = Project::new()
        .file("sum.mjs", SUM)
        .file("sum.test.mjs", SUM_TEST);
    let bench = Bench::new(project);
    let request = ProgramRequest::test("sum.test.mjs");
    let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    assert_eq!(place(&stopped(outcome)), "sum.test.mjs:10");
    let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert!(end.output.text().contains("tests 2"), "{:?}", end.output);
    bench.end().await;
}

#[tokio::test]
async fn what_is_built_into_node_is_folded_and_told_as_what_it_is() {
    const CODE: &str = "const fs = require('fs');\nfs.readFileSync('/nowhere/at/all');\n";
    let bench = Bench::new(Project::new().file("read.js", CODE));
    let (_, outcome) = bench
        .launch(&ProgramRequest::file("read.js"), |_| {})
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "read.js:2", "{stop}");
    assert!(matches!(stop.stack[0], StackEntry::Folded { .. }), "{stop}");
    let top = stop.top.as_ref().unwrap().place.as_ref().unwrap();
    assert!(
        !top.is_file && top.file == "node:fs (in Node.js itself)",
        "{top:?}"
    );
    // What every module has is no local of its own.
    let names: Vec<&str> = stop
        .locals
        .items
        .iter()
        .map(|value| value.name.as_str())
        .collect();
    assert_eq!(names, ["fs"], "{stop}");
    bench.end().await;
}
