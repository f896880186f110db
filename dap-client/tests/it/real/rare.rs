//! A failure that comes once in ten runs: the same condition, run after run, until it is true.

use std::fs;

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{Breakpoint, EvaluateQuery, Exceptions, Outcome, StackEntry};
use fourfold_testkit::{Project, leftovers};

use super::bench::*;

/// Of ten runs each takes the next of the counts, and the seventh is none. That it divides by nothing is
/// no failure of every language, so that a condition alone stops.
const C: &str = r#"#include <stdio.h>

static int each(int sum, int count) {
    return sum / count; /* DIVIDES */
}

int main(void) {
    int counts[] = {3, 1, 4, 1, 5, 9, 0, 6, 5, 3}, run = 0;
    FILE *file = fopen("run", "r");
    if (file) {
        fscanf(file, "%d", &run);
        fclose(file);
    }
    file = fopen("run", "w");
    fprintf(file, "%d", run + 1);
    fclose(file);
    return each(90, counts[run % 10]) < 10;
}
"#;

const PYTHON: &str = "import os, sys


def each(sum, count):
    return sum / count  # DIVIDES


def main():
    counts, run = [3, 1, 4, 1, 5, 9, 0, 6, 5, 3], 0
    if os.path.exists('run'):
        run = int(open('run').read())
    with open('run', 'w') as file:
        file.write(str(run + 1))
    sys.exit(each(90, counts[run % 10]) < 10)


main()
";

const GO: &str = r#"package main

import (
	"fmt"
	"os"
)

func each(sum, count int) int {
	return sum / count // DIVIDES
}

func main() {
	counts, run := []int{3, 1, 4, 1, 5, 9, 0, 6, 5, 3}, 0
	if text, err := os.ReadFile("run"); err == nil {
		fmt.Sscan(string(text), &run)
	}
	os.WriteFile("run", []byte(fmt.Sprint(run+1)), 0o600)
	if each(90, counts[run%10]) < 10 {
		os.Exit(1)
	}
}
"#;

const NODE: &str = "const fs = require('fs');

function each(sum, count) {
  return sum / count; // DIVIDES
}

function main() {
  const counts = [3, 1, 4, 1, 5, 9, 0, 6, 5, 3];
  const run = fs.existsSync('run') ? Number(fs.readFileSync('run', 'utf8')) : 0;
  fs.writeFileSync('run', String(run + 1));
  process.exitCode = each(90, counts[run % 10]) < 10 ? 1 : 0;
}

main();
";

/// Runs it ten times; `main` is the caller.
async fn rare(adapter: &str, file: &str, text: &str, main: &str) {
    let mut project = Project::new().file(file, text);
    if adapter == "delve" {
        project = project.file("go.mod", "module rare\n\ngo 1.19\n");
    }
    let bench = Bench::new(project);
    let native = matches!(adapter, "gdb" | "lldb-dap");
    let mut request = ProgramRequest::file(if native { "rare" } else { file });
    if native {
        request.build = Some("cc -g -O0 rare.c -o rare".to_owned());
        request.adapter = Some(adapter.to_owned());
    }
    let mut caught = Vec::new();
    for run in 0..10 {
        let (session, outcome) = bench
            .launch(&request, |launch| {
                let at = Breakpoint::at_text(file, "DIVIDES");
                launch.breakpoints = vec![at.when("count == 0")];
                launch.exceptions = Exceptions::None;
            })
            .await
            .unwrap();
        match outcome {
            Outcome::Exited(end) => {
                assert_eq!(end.code.unwrap_or_default(), 0, "{adapter}, run {run}");
            }
            Outcome::Stopped(stop) => {
                let count = (local(&stop, "sum"), local(&stop, "count"));
                assert_eq!(count, ("90", "0"), "{stop}");
                assert_eq!(stop.breakpoints, [1], "{stop}");
                // The cause is in the caller: what this run has taken.
                let stack = session.stack(None, 0, 20).await.unwrap();
                let caller = stack.items.iter().find_map(|entry| match entry {
                    StackEntry::Frame(frame) if frame.function == main => Some(frame.handle),
                    _ => None,
                });
                let mut query = EvaluateQuery::new("counts[run]");
                query.frame = Some(caller.unwrap_or_else(|| panic!("{stop}")));
                assert_eq!(session.evaluate(query).await.unwrap().text, "0", "{stop}");
                caught.push(run);
            }
            other => panic!("{adapter}, run {run}: {other}"),
        }
        bench.end().await;
    }
    assert_eq!(caught, [6], "{adapter}");
    assert_eq!(fs::read_to_string(bench.project.path("run")).unwrap(), "10");
    leftovers::assert_none(bench.project.root());
}

#[tokio::test]
async fn gdb_catches_a_failure_of_one_run_in_ten() {
    rare("gdb", "rare.c", C, "main").await;
}

#[tokio::test]
async fn lldb_catches_a_failure_of_one_run_in_ten() {
    rare("lldb-dap", "rare.c", C, "main").await;
}

#[tokio::test]
async fn debugpy_catches_a_failure_of_one_run_in_ten() {
    rare("debugpy", "rare.py", PYTHON, "main").await;
}

#[tokio::test]
async fn delve_catches_a_failure_of_one_run_in_ten() {
    rare("delve", "main.go", GO, "main.main").await;
}

#[tokio::test]
async fn js_debug_catches_a_failure_of_one_run_in_ten() {
    rare("js-debug", "rare.js", NODE, "global.main").await;
}
