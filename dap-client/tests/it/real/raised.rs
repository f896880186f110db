//! Exceptions of Python that nobody catches: each is told, and once.

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{Outcome, Resume, StackEntry};
use fourfold_testkit::Project;

use super::bench::*;

/// Two that end their threads, and two that a library takes from a thread of its own.
const RAISES: &str = "import threading
from concurrent.futures import ThreadPoolExecutor

def divide(x):
    return 1 / x

with ThreadPoolExecutor(1) as pool:
    pool.submit(divide, 0)
    pool.submit(divide, 0)
thread = threading.Thread(target=divide, args=(0,))
thread.start()
thread.join()
divide(0)
";

#[tokio::test]
async fn an_exception_is_told_once() {
    let bench = Bench::new(Project::new().file("raises.py", RAISES));
    let program = ProgramRequest::file("raises.py");
    let (session, mut outcome) = bench.launch(&program, |_| {}).await.unwrap();
    let mut threads = Vec::new();
    while let Outcome::Stopped(stop) = outcome {
        assert_eq!(place(&stop), "raises.py:5", "{stop}");
        threads.push(stop.thread.name.chars().take(4).collect::<String>());
        outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    }
    assert_eq!(threads, ["Thre", "Thre", "Thre", "Main"]);
    assert_eq!(exited(outcome).code, Some(1));
    bench.end().await;
}

const DEEP: &str = "def down(n):\n    return down(n + 1)\n";

/// What runs down, and what has called it.
async fn is_folded(file: &str, text: &str, request: ProgramRequest, caller: &str) {
    let project = Project::new().file("deep.py", DEEP).file(file, text);
    let bench = Bench::new(project);
    let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let stop = stopped(outcome);
    let exception = stop.exception.as_ref().unwrap().to_string();
    assert!(exception.starts_with("RecursionError: maximum"), "{stop}");
    assert!(place(&stop).starts_with("deep.py:"), "{stop}");
    let top = stop.stack.first().unwrap().to_string();
    assert!(!top.contains("pydevd"), "{stop}");
    let repeated = |entry: &StackEntry| match entry {
        StackEntry::Repeated { count, .. } => *count,
        _ => 0,
    };
    let count: usize = stop.stack.iter().map(repeated).sum();
    assert!(count > 800, "{stop}");
    assert!(stop.to_string().contains(caller), "{stop}");
    // Once only.
    let outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    assert!(matches!(outcome, Outcome::Exited(_)), "{outcome}");
    bench.end().await;
}

#[tokio::test]
async fn a_recursion_without_end_stops_a_program_a_thread_and_a_test() {
    let main = "import deep\ndef main():\n    deep.down(0)\nmain()\n";
    let program = ProgramRequest::file("main.py");
    is_folded("main.py", main, program.clone(), "main at main.py:3").await;
    let thread = "import threading, deep\nt = threading.Thread(target=deep.down, args=(0,))\n\
                  t.start()\nt.join()\n";
    is_folded("main.py", thread, program, "threading.py").await;
    let test = "import unittest, deep\nclass T(unittest.TestCase):\n    def test_deep(self):\n        \
                deep.down(0)\n";
    let named = ProgramRequest::test("test_deep.py::T::test_deep");
    is_folded("test_deep.py", test, named, "test_deep at test_deep.py:4").await;
    let mut unittest = ProgramRequest::new(fourfold_dap_client::program::What::Module(
        "unittest".to_owned(),
    ));
    unittest.args.push("test_deep".to_owned());
    is_folded(
        "test_deep.py",
        test,
        unittest,
        "test_deep at test_deep.py:4",
    )
    .await;
}
