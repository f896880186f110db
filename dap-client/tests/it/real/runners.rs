//! Tests of JavaScript that fail, in the runners that projects install.

use std::os::unix::fs::symlink;

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{Breakpoint, Outcome, Resume};
use fourfold_testkit::{Project, adapters};

use super::bench::*;

const CART: &str = r"function total(prices) {
  let sum = 0;
  for (let at = 1; at < prices.length; at += 1) {
    sum += prices[at]; // ADDS
  }
  return sum;
}

module.exports = { total };
";

/// The second is wrong, and told by the suite's own `expect` or by `assert`.
const CART_TEST: &str = r"IMPORTS
const { total } = require('./cart.js');

describe('cart', () => {
  it('is empty', () => {
    EMPTY;
  });

  it('adds up', () => {
    const paid = total([1, 2, 3]);
    ADDED;
  });
});
";

/// A project with one runner, as a package manager lays it.
fn project(runner: &str) -> (Bench, &'static str) {
    let (imports, empty, added, file) = match runner {
        "vitest" => (
            "import { describe, it, expect } from 'vitest';",
            "expect(total([])).toBe(0)",
            "expect(paid).toBe(6)",
            "cart.test.mjs",
        ),
        "jest" => (
            "'use strict';",
            "expect(total([])).toBe(0)",
            "expect(paid).toBe(6)",
            "cart.test.js",
        ),
        _ => (
            "const assert = require('assert');",
            "assert.equal(total([]), 0)",
            "assert.equal(paid, 6)",
            "cart.test.js",
        ),
    };
    let mut test = CART_TEST
        .replace("IMPORTS", imports)
        .replace("EMPTY", empty)
        .replace("ADDED", added);
    if runner == "vitest" {
        test = test.replace(
            "const { total } = require('./cart.js');",
            "import { total } from './cart.mjs';",
        );
    }
    let project = Project::new()
        .file("package.json", "{}\n")
        .file("cart.js", CART)
        .file("cart.mjs", &CART.replace("module.exports = ", "export "))
        .file(file, &test);
    std::fs::create_dir(project.path("node_modules")).unwrap();
    symlink(
        adapters::package(runner),
        project.path("node_modules").join(runner),
    )
    .unwrap();
    (Bench::new(project), file)
}

async fn fails(runner: &str) {
    let (bench, file) = project(runner);
    let request = ProgramRequest::test(format!("{file}::cart > adds up"));
    // By itself, where it fails, with what it has.
    let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), format!("{file}:11"), "{runner}: {stop}");
    assert_eq!(stop.reason, "exception", "{runner}: {stop}");
    assert_eq!(local(&stop, "paid"), "5", "{runner}: {stop}");
    assert_eq!(asked(&session, "paid + 1").await, "6");
    let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    let said = end.output.text();
    assert!(said.contains("adds up"), "{runner}: {said}");
    assert_ne!(end.code, Some(0), "{runner}: {said}");
    bench.end().await;
}

async fn stops(runner: &str) {
    let (bench, file) = project(runner);
    let code = if runner == "vitest" {
        "cart.mjs"
    } else {
        "cart.js"
    };
    let request = ProgramRequest::test(format!("{file}::cart > adds up"));
    let (session, outcome) = bench
        .launch(&request, |launch| {
            let adds = Breakpoint::at_text(code, "ADDS");
            launch.breakpoints.push(adds);
        })
        .await
        .unwrap();
    // The other test of the suite, with nothing to add, is left out and would not come here anyway.
    let stop = stopped(outcome);
    assert_eq!(place(&stop), format!("{code}:4"), "{runner}: {stop}");
    assert_eq!(local(&stop, "at"), "1", "{runner}: {stop}");
    let stop = stopped(session.resume(Resume::StepOut, WAIT).await.unwrap());
    assert!(
        place(&stop).starts_with(file) || place(&stop).starts_with(code),
        "{runner}: {stop}"
    );
    // A test that passes stops nowhere.
    bench.end().await;
    let request = ProgramRequest::test(format!("{file}::cart > is empty"));
    let (_, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    assert!(matches!(outcome, Outcome::Exited(_)), "{runner}: {outcome}");
    let end = exited(outcome);
    assert_eq!(end.code, Some(0), "{runner}: {}", end.output.text());
    bench.end().await;
}

#[tokio::test]
async fn a_failing_test_of_vitest_stops_where_it_fails() {
    fails("vitest").await;
}

#[tokio::test]
async fn a_failing_test_of_jest_stops_where_it_fails() {
    fails("jest").await;
}

#[tokio::test]
async fn a_failing_test_of_mocha_stops_where_it_fails() {
    fails("mocha").await;
}

#[tokio::test]
async fn breakpoints_are_hit_in_what_vitest_tests() {
    stops("vitest").await;
}

#[tokio::test]
async fn breakpoints_are_hit_in_what_jest_tests() {
    stops("jest").await;
}

#[tokio::test]
async fn breakpoints_are_hit_in_what_mocha_tests() {
    stops("mocha").await;
}
