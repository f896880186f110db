//! A first look at each adapter.

use fourfold_dap_client::program::{ProgramRequest, What};
use fourfold_dap_client::{Breakpoint, EvaluateQuery};
use fourfold_testkit::Project;

use super::bench::*;

const CART: &str = include_str!("/work/shared/scenarios/dap/s01_py_failing_test/cart.py");
const TEST: &str = include_str!("/work/shared/scenarios/dap/s01_py_failing_test/test_cart.py");

#[tokio::test]
async fn python() {
    let project = Project::new()
        .file("cart.py", CART)
        .file("test_cart.py", TEST);
    let bench = Bench::new(project);
    let request = ProgramRequest::test("test_cart.py::CartTest");
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch
                .breakpoints
                .push(Breakpoint::at_text("cart.py", "BREAK total"));
        })
        .await
        .unwrap();
    println!("{outcome}");
    let stop = stopped(outcome);
    println!(
        "{}",
        session
            .evaluate(EvaluateQuery::new("self.discounts"))
            .await
            .unwrap()
    );
    let outcome = session
        .resume(
            fourfold_dap_client::Resume::Continue,
            std::time::Duration::from_secs(20),
        )
        .await
        .unwrap();
    println!("{outcome}");
    let outcome = session
        .resume(
            fourfold_dap_client::Resume::Continue,
            std::time::Duration::from_secs(20),
        )
        .await
        .unwrap();
    println!("{outcome}");
    bench.end().await;
    let _ = (stop, What::Module(String::new()));
}

#[tokio::test]
async fn c() {
    for adapter in ["gdb", "lldb-dap"] {
        let project = Project::new().file(
            "list.c",
            include_str!("/work/shared/scenarios/dap/s05_c_crash/list.c"),
        );
        let bench = Bench::new(project);
        let mut request = ProgramRequest::file("list");
        request.build = Some("cc -g -O0 list.c -o list".into());
        request.adapter = Some(adapter.into());
        let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
        println!("{outcome}");
        println!(
            "{}",
            session
                .evaluate(EvaluateQuery::new("l->length"))
                .await
                .unwrap()
        );
        let outcome = session
            .resume(
                fourfold_dap_client::Resume::Continue,
                std::time::Duration::from_secs(20),
            )
            .await
            .unwrap();
        println!("{outcome}");
        bench.end().await;
    }
}

#[tokio::test]
async fn go() {
    let project = Project::copy_of("/work/shared/scenarios/dap/s08_go_failing_test".as_ref());
    project.write("go.mod", "module inventory\n\ngo 1.19\n");
    let bench = Bench::new(project);
    let request = ProgramRequest::test("TestMerge");
    let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    println!("{outcome}");
    println!(
        "{}",
        session.evaluate(EvaluateQuery::new("got")).await.unwrap()
    );
    let outcome = session
        .resume(
            fourfold_dap_client::Resume::Continue,
            std::time::Duration::from_secs(20),
        )
        .await
        .unwrap();
    println!("{outcome}");
    bench.end().await;
}

#[tokio::test]
async fn js() {
    let test = "import test from 'node:test';\nimport assert from 'node:assert';\nfunction sum(a) {\n  let total = 0;\n  for (const x of a) {\n    total = x;\n  }\n  return total;\n}\ntest('adds up', () => {\n  assert.equal(sum([1, 2, 3]), 6);\n});\n";
    let project = Project::new().file("sum.test.mjs", test);
    let bench = Bench::new(project);
    let request = ProgramRequest::test("sum.test.mjs::adds up");
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch
                .breakpoints
                .push(Breakpoint::at_line("sum.test.mjs", 8));
        })
        .await
        .unwrap();
    println!("{outcome}");
    println!(
        "{}",
        session.evaluate(EvaluateQuery::new("a")).await.unwrap()
    );
    let outcome = session
        .resume(
            fourfold_dap_client::Resume::Continue,
            std::time::Duration::from_secs(20),
        )
        .await
        .unwrap();
    println!("{outcome}");
    bench.end().await;
}
