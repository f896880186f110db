//! debugpy.

use std::process::Command;

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{
    Binding, Breakpoint, DebugError, Exceptions, Of, Outcome, Resume, ValuesQuery,
};
use fourfold_testkit::{Project, adapters, leftovers};

use super::bench::*;

const CART: &str = r#"class Cart:
    def __init__(self, items=None, discounts=[]):
        self.items = items or []
        self.discounts = discounts

    def add(self, name, price, count=1):
        self.items.append((name, price, count))

    def give_discount(self, percent):
        self.discounts.append(percent)

    def total(self):
        amount = sum(price * count for _, price, count in self.items)
        for percent in self.discounts:
            amount -= amount * percent / 100
        return round(amount, 2)
"#;

const CART_TEST: &str = r#"import unittest

from cart import Cart


class CartTest(unittest.TestCase):
    def test_1_discount(self):
        cart = Cart()
        cart.add("pen", 10)
        cart.give_discount(50)
        self.assertEqual(cart.total(), 5)

    def test_2_plain(self):
        cart = Cart()
        cart.add("book", 20, 2)
        self.assertEqual(cart.total(), 40)
"#;

#[tokio::test]
async fn a_failing_test_is_followed_to_its_cause() {
    let project = Project::new()
        .file("cart.py", CART)
        .file("test_cart.py", CART_TEST);
    let bench = Bench::new(project);
    let request = ProgramRequest::test("test_cart.py::CartTest");

    // Where it fails, without a breakpoint.
    let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "test_cart.py:16", "{stop}");
    let exception = stop.exception.as_ref().unwrap().to_string();
    assert!(exception.contains("20.0 != 40"), "{exception}");
    // Who lowered the price: a discount that was given to another cart.
    assert_eq!(asked(&session, "cart.discounts").await, "[50]");
    assert_eq!(
        asked(&session, "type(cart).__init__.__defaults__").await,
        "(None, [50])"
    );
    bench.end().await;

    // The second cart only, by a condition.
    let (session, outcome) = bench
        .launch(&request, |launch| {
            let at = Breakpoint::at_text("cart.py", "return round");
            launch
                .breakpoints
                .push(at.when("self.items[0][0] == 'book'"));
            launch.exceptions = Exceptions::None;
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "cart.py:16");
    assert_eq!(local(&stop, "amount"), "20.0");
    let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert_eq!(end.code, Some(1));
    assert!(
        end.output.text().contains("1 failed, 1 passed"),
        "{:?}",
        end.output
    );
    bench.end().await;
}

const SHOP: &str = r#"class Order:
    def __init__(self, number):
        self.number = number
        self.total = number * 10


class User:
    def __init__(self):
        self.name = "ada"
        self.orders = [Order(n) for n in range(5)]


def price(order):
    doubled = order.total * 2
    return doubled


def run():
    user = User()
    paid = price(user.orders[3])
    if paid != 61:
        raise ValueError("paid " + str(paid))


run()
"#;

#[tokio::test]
async fn a_program_is_stepped_through_and_its_values_are_opened() {
    let bench = Bench::new(Project::new().file("shop.py", SHOP));
    let (session, outcome) = bench
        .launch(&ProgramRequest::file("shop.py"), |launch| {
            launch
                .breakpoints
                .push(Breakpoint::at_text("shop.py", "paid = price"));
        })
        .await
        .unwrap();
    assert_eq!(place(&stopped(outcome)), "shop.py:20");
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

    let stop = stopped(session.resume(Resume::StepIn, WAIT).await.unwrap());
    assert_eq!(place(&stop), "shop.py:14");
    let old = stop.frame.as_ref().unwrap().handle;
    let stop = stopped(session.resume(Resume::StepOver, WAIT).await.unwrap());
    assert_eq!(
        (place(&stop).as_str(), local(&stop, "doubled")),
        ("shop.py:15", "60")
    );
    // A frame of the moment before says nothing about this one.
    let stale = session.scopes(Some(old)).await.unwrap_err().to_string();
    assert!(stale.contains("has moved on"), "{stale}");
    let stop = stopped(session.resume(Resume::StepOut, WAIT).await.unwrap());
    assert_eq!(place(&stop).split(':').next(), Some("shop.py"));

    // The exception that nobody catches, with its frame.
    let stop = stopped(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert_eq!(place(&stop), "shop.py:22");
    assert!(stop.to_string().contains("ValueError: paid 60"), "{stop}");
    assert_eq!(local(&stop, "paid"), "60");
    bench.end().await;
}

const COLLATZ: &str = "def steps(n):\n    count = 0\n    while n != 1:\n        \
    n = n // 2 if n % 2 == 0 else 3 * n + 1\n        count += 1\n    return count\n\n\n\
    print('steps', steps(27))\n";

#[tokio::test]
async fn a_log_point_prints_and_a_condition_catches_one_of_many() {
    let bench = Bench::new(Project::new().file("collatz.py", COLLATZ));
    let program = ProgramRequest::file("collatz.py");
    let (_, outcome) = bench
        .launch(&program, |launch| {
            let at = Breakpoint::at_text("collatz.py", "count += 1");
            launch.breakpoints.push(at.log("now {n}"));
        })
        .await
        .unwrap();
    let end = exited(outcome);
    let output = end.output.text();
    // 27 takes 111 steps, and reaches 9232 once.
    assert_eq!(output.matches("now ").count(), 111, "{output}");
    assert!(output.contains("now 9232"), "{output}");
    bench.end().await;

    let (_, outcome) = bench
        .launch(&program, |launch| {
            let at = Breakpoint::at_text("collatz.py", "count += 1");
            launch.breakpoints.push(at.when("n > 9000"));
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!((local(&stop, "n"), local(&stop, "count")), ("9232", "76"));
    bench.end().await;

    // What cannot be evaluated is told among the rest.
    let (_, outcome) = bench
        .launch(&program, |launch| {
            let at = Breakpoint::at_text("collatz.py", "return count");
            let message = "now {n} {m} of {count} {[x for x in (n,)]}";
            launch.breakpoints.push(at.log(message));
        })
        .await
        .unwrap();
    let output = exited(outcome).output.text();
    let told = "now 1 <m cannot be evaluated: NameError: name 'm' is not defined> of 111 [1]\n";
    assert!(output.contains(told), "{output}");
    bench.end().await;
}

const TRANSFER: &str = r#"import os
import threading
import time


def transfer(source, target):
    with source:
        time.sleep(0.2)
        with target:  # BLOCKS
            pass


one, other = threading.Lock(), threading.Lock()
for order in [(one, other), (other, one)]:
    threading.Thread(target=transfer, args=order).start()
time.sleep(0.5)
print("stuck", flush=True)
"#;

#[tokio::test]
async fn a_hung_process_is_attached_to_and_shows_where_it_hangs() {
    let bench = Bench::new(Project::new().file("transfer.py", TRANSFER));
    let mut program =
        begun(Command::new(adapters::python()).arg(bench.project.path("transfer.py")));
    let session = bench.attached("debugpy", &program).await;
    let outcome = session.pause(None).await.unwrap();
    let Outcome::StillRunning(running) = outcome else {
        panic!("a thread that waits for a lock stops: {outcome}")
    };
    assert!(running.pause_pending);
    let stacks = running
        .threads
        .iter()
        .map(ToString::to_string)
        .collect::<String>();
    assert!(stacks.contains("2 threads"), "{stacks}");
    assert!(stacks.contains("transfer at transfer.py:9"), "{stacks}");
    let end = bench.debugger.terminate().await.unwrap();
    assert!(end.detached, "{end}");
    // It is not ours: it lives on.
    assert!(program.try_wait().unwrap().is_none());
    program.kill().unwrap();
    program.wait().unwrap();
    leftovers::assert_none(bench.project.root());
}

const HOLDER: &str = r#"import fcntl, socket, subprocess, sys, time

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"],
                         start_new_session=True, pass_fds=[listener.fileno(), lock.fileno()])
print("port", listener.getsockname()[1], flush=True)
while True:
    time.sleep(0.05)
"#;

#[tokio::test]
async fn the_time_limit_ends_a_running_program_with_its_ports_locks_and_children() {
    let bench = Bench::new(Project::new().file("holder.py", HOLDER));
    let mut request = ProgramRequest::file("holder.py");
    let lock = bench.project.path("lock");
    request.args.push(lock.display().to_string());
    let limit = std::time::Duration::from_secs(25);
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch.ttl = Some(limit);
            launch
                .breakpoints
                .push(Breakpoint::at_line("holder.py", 12));
        })
        .await
        .unwrap();
    let printed = stopped(outcome).output.text();
    let port = printed
        .split("port ")
        .nth(1)
        .unwrap()
        .trim()
        .parse::<u16>()
        .unwrap();
    session.clear(None).await.unwrap();
    let outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    let Outcome::SessionEnded(end) = outcome else {
        panic!("{outcome}")
    };
    assert!(
        end.to_string().contains("ended by its time limit of 25 s"),
        "{end}"
    );
    assert_eq!(end.left, Some(0), "{end}");
    leftovers::assert_none(bench.project.root());
    std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
    std::fs::File::open(&lock).unwrap().try_lock().unwrap();
    let after = session.resume(Resume::Continue, WAIT).await.unwrap_err();
    assert!(after.to_string().contains("time limit"), "{after}");
}

#[tokio::test]
async fn a_condition_that_cannot_be_evaluated_is_told_at_its_breakpoint() {
    let bench = Bench::new(Project::new().file("one.py", "n = 1\nprint(n)\n"));
    for condition in ["nosuch == 1", "n / 0", "n >"] {
        let (session, outcome) = bench
            .launch(&ProgramRequest::file("one.py"), |launch| {
                let at = Breakpoint::at_line("one.py", 2);
                launch.breakpoints.push(at.when(condition));
            })
            .await
            .unwrap();
        let stop = stopped(outcome);
        assert_eq!(place(&stop), "one.py:2", "{stop}");
        let note = format!("the condition `{condition}` of breakpoint #1 cannot be evaluated here");
        assert!(
            stop.notes.iter().any(|said| said.starts_with(&note)),
            "{stop}"
        );
        let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
        assert_eq!(end.code, Some(0));
        bench.end().await;
    }
}

#[tokio::test]
async fn a_program_that_left_children_behind_has_ended() {
    const CODE: &str = "import subprocess\nsubprocess.Popen(['sleep', '7777'])\n";
    let bench = Bench::new(Project::new().file("one.py", CODE));
    let (session, _) = bench
        .launch(&ProgramRequest::file("one.py"), |launch| {
            launch.wait = Some(std::time::Duration::ZERO);
        })
        .await
        .unwrap();
    // Sooner or later it is over, and a pause is no error at any time.
    loop {
        match session.pause(None).await.unwrap() {
            Outcome::Exited(_) => break,
            Outcome::Stopped(_) => {
                session.resume(Resume::Continue, WAIT).await.unwrap();
            }
            Outcome::StillRunning(_) => {}
            other => panic!("{other}"),
        }
    }
    bench.end().await;
}

/// Without `subProcess` nothing that a program starts is followed.
#[tokio::test]
async fn a_forked_child_that_is_not_followed_does_not_wait_at_a_breakpoint() {
    const CODE: &str = "import multiprocessing\n\
        def work(x):\n    y = x * 2\n    print(y, flush=True)\n\
        p = multiprocessing.get_context('fork').Process(target=work, args=(3,))\n\
        p.start()\n\
        p.join()\n\
        work(p.exitcode)\n";
    let bench = Bench::new(Project::new().file("fork.py", CODE));
    let mut request = ProgramRequest::file("fork.py");
    request.configuration = serde_json::json!({ "subProcess": false });
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch.breakpoints.push(Breakpoint::at_line("fork.py", 3));
        })
        .await
        .unwrap();
    // The child went through it, and the parent stops at it.
    let stop = stopped(outcome);
    assert_eq!(
        (place(&stop).as_str(), local(&stop, "x")),
        ("fork.py:3", "0")
    );
    let said = stop.output.text();
    assert!(said.contains('6'), "{said}");
    let words = "the program forked: its children run without breakpoints";
    assert_eq!(said.matches(words).count(), 1, "{said}");
    exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    bench.end().await;
}

const CHILDREN: &str = r#"import multiprocessing
import os
import subprocess
import sys


def work(x):
    y = x * 2
    print("child", y, flush=True)
    if x == 9:
        raise ValueError("nine")
    return y


def main(how):
    if how == "subprocess":
        code = "import children; children.work(3)"
        subprocess.run([sys.executable, "-c", code], check=True)
    elif how == "os.fork":
        pid = os.fork()
        if pid == 0:
            work(3)
            os._exit(0)
        os.waitpid(pid, 0)
    else:
        p = multiprocessing.get_context(how).Process(target=work, args=(3,))
        p.start()
        p.join()
    work(4)


if __name__ == "__main__":
    main(sys.argv[1])
"#;

#[tokio::test]
async fn what_a_program_starts_stops_at_breakpoints_too() {
    for how in ["fork", "spawn", "forkserver", "os.fork", "subprocess"] {
        let bench = Bench::new(Project::new().file("children.py", CHILDREN));
        let mut request = ProgramRequest::file("children.py");
        request.args.push(how.to_owned());
        let (session, outcome) = bench
            .launch(&request, |launch| {
                let at = Breakpoint::at_text("children.py", "print(\"child\"");
                launch.breakpoints.push(at);
            })
            .await
            .unwrap();
        let Outcome::Stopped(stop) = outcome else {
            panic!("{how}: {outcome}")
        };
        assert_eq!(place(&stop), "children.py:9", "{how}: {stop}");
        assert_eq!((local(&stop, "x"), local(&stop, "y")), ("3", "6"), "{how}");
        let root = session.facts().unwrap().pid.unwrap();
        let pid = asked(&session, "__import__('os').getpid()").await;
        assert_ne!(pid, root.to_string(), "{how}");
        let words = format!("it stands in the process {pid}, which the program has started");
        assert_eq!(stop.notes, [words], "{how}");
        let stop = stopped(session.resume(Resume::StepOver, WAIT).await.unwrap());
        assert_eq!(place(&stop), "children.py:10", "{how}: {stop}");
        assert!(stop.output.text().contains("child 6"), "{how}: {stop}");
        // The program itself comes next.
        let stop = stopped(session.resume(Resume::Continue, WAIT).await.unwrap());
        assert_eq!(local(&stop, "x"), "4", "{how}: {stop}");
        assert_eq!(stop.notes, Vec::<String>::new(), "{how}");
        assert_eq!(session.breakpoints().unwrap()[0].hits, 2, "{how}");
        let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
        assert_eq!(end.code, Some(0), "{how}");
        bench.end().await;
    }
}

#[tokio::test]
async fn processes_that_stop_at_one_time_are_told_one_after_the_other() {
    const CODE: &str = "import multiprocessing\n\
        def work(x, gate):\n    gate.wait()\n    y = x * 2\n    return y\n\
        if __name__ == '__main__':\n    gate = multiprocessing.Barrier(3)\n    \
        all = [multiprocessing.Process(target=work, args=(x, gate)) for x in (1, 2, 3)]\n    \
        [one.start() for one in all]\n    [one.join() for one in all]\n    done = 1\n";
    let bench = Bench::new(Project::new().file("pool.py", CODE));
    let (session, mut outcome) = bench
        .launch(&ProgramRequest::file("pool.py"), |launch| {
            launch.breakpoints.push(Breakpoint::at_line("pool.py", 5));
        })
        .await
        .unwrap();
    let mut seen = Vec::new();
    while let Outcome::Stopped(stop) = outcome {
        assert_eq!(place(&stop), "pool.py:5", "{stop}");
        let x: u32 = local(&stop, "x").parse().unwrap();
        assert_eq!(asked(&session, "y").await, (x * 2).to_string());
        seen.push(x);
        outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    }
    assert_eq!(exited(outcome).code, Some(0));
    seen.sort_unstable();
    assert_eq!(seen, [1, 2, 3]);
    bench.end().await;
}

#[tokio::test]
async fn processes_beyond_the_limit_run_without_breakpoints() {
    // Four one after the other, then two at one time.
    const CODE: &str = "import os\n\
        def work(x):\n    y = x * 2\n    return y\n\
        def start(x):\n    pid = os.fork()\n    if pid == 0:\n        work(x)\n        os._exit(0)\n    \
        return pid\n\
        for x in range(4):\n    os.waitpid(start(x), 0)\n\
        pids = [start(x) for x in (4, 5)]\n\
        [os.waitpid(pid, 0) for pid in pids]\n";
    let project = Project::new().file("many.py", CODE);
    let bench = Bench::with(project, |config| config.limits.parts = 2);
    let (session, mut outcome) = bench
        .launch(&ProgramRequest::file("many.py"), |launch| {
            launch.breakpoints.push(Breakpoint::at_line("many.py", 3));
        })
        .await
        .unwrap();
    let mut seen = Vec::new();
    let mut notes = Vec::new();
    while let Outcome::Stopped(stop) = outcome {
        seen.push(local(&stop, "x").to_owned());
        notes.extend(stop.notes);
        outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    }
    notes.extend(exited(outcome).notes);
    // Of the last two, one.
    assert_eq!(seen.len(), 5, "{seen:?}");
    assert_eq!(seen[..4], ["0", "1", "2", "3"]);
    let words = "the program has more than 2 processes: further ones run without breakpoints";
    assert!(notes.iter().any(|note| note == words), "{notes:?}");
    bench.end().await;
}

#[tokio::test]
async fn a_session_that_ends_in_a_child_leaves_nothing() {
    for how in ["fork", "spawn", "subprocess"] {
        for expires in [false, true] {
            let bench = Bench::new(Project::new().file("children.py", CHILDREN));
            let mut request = ProgramRequest::file("children.py");
            request.args.push(how.to_owned());
            let (session, outcome) = bench
                .launch(&request, |launch| {
                    let at = Breakpoint::at_text("children.py", "print(\"child\"");
                    launch.breakpoints.push(at);
                    launch.ttl = expires.then_some(std::time::Duration::from_secs(15));
                })
                .await
                .unwrap();
            assert_eq!(local(&stopped(outcome), "x"), "3", "{how}");
            if expires {
                // The limit ends what it does there.
                let mut query =
                    fourfold_dap_client::EvaluateQuery::new("__import__('time').sleep(600)");
                query.within = Some(WAIT);
                let DebugError::Ended(end) = session.evaluate(query).await.unwrap_err() else {
                    panic!("{how}: it has no end")
                };
                assert_eq!(end.left, Some(0), "{how}: {end}");
                leftovers::assert_none(bench.project.root());
            } else {
                bench.end().await;
            }
        }
    }
}

#[tokio::test]
async fn a_crash_is_told_by_its_name() {
    const CODE: &str = "import ctypes\nctypes.string_at(0)\n";
    let bench = Bench::new(Project::new().file("crash.py", CODE));
    let (_, outcome) = bench
        .launch(&ProgramRequest::file("crash.py"), |_| {})
        .await
        .unwrap();
    let end = exited(outcome);
    assert_eq!(end.code, Some(245));
    let note = "the code 245 is how debugpy tells that SIGSEGV ended the program";
    assert_eq!(end.notes, [note]);
    bench.end().await;
}

#[tokio::test]
async fn what_pytest_adds_to_an_assertion_is_no_local() {
    const CODE: &str = "def test_a():\n    x = 5\n    assert x + 1 == len('four')\n";
    let bench = Bench::new(Project::new().file("test_a.py", CODE));
    let request = ProgramRequest::test("test_a.py::test_a");
    let (session, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "test_a.py:3", "{stop}");
    let names: Vec<&str> = stop
        .locals
        .items
        .iter()
        .map(|value| value.name.as_str())
        .collect();
    assert_eq!(names, ["x"]);
    assert_eq!(asked(&session, "x").await, "5");
    bench.end().await;
}

#[tokio::test]
async fn values_that_a_finally_block_has_changed_are_told_as_such() {
    const CODE: &str = "import unittest\n\
        class T(unittest.TestCase):\n\
        \x20   def test_a(self):\n\
        \x20       x = 5\n\
        \x20       try:\n\
        \x20           self.assertEqual(x, 4)\n\
        \x20       finally:\n\
        \x20           x = 0\n\
        \x20   def test_b(self):\n\
        \x20       self.assertEqual(1, 2)\n";
    let bench = Bench::new(Project::new().file("test_t.py", CODE));
    for (test, told) in [("test_a", true), ("test_b", false)] {
        let request = ProgramRequest::test(format!("test_t.py::T::{test}"));
        let (_, outcome) = bench.launch(&request, |_| {}).await.unwrap();
        let stop = stopped(outcome);
        let words = "these are the values after unwinding";
        let notes = stop.notes.iter();
        let said = notes.filter(|note| note.starts_with(words)).count();
        assert_eq!(said, usize::from(told), "{stop}");
        if told {
            assert_eq!(local(&stop, "x"), "0");
        }
        bench.end().await;
    }
}

#[tokio::test]
async fn what_a_library_handles_is_no_failure_of_a_test() {
    const LAZY: &str = "class Lazy:\n\
        \x20   def __getattr__(self, name):\n\
        \x20       raise AttributeError(name)\n\
        def plain(value):\n\
        \x20   raise ValueError(value)\n";
    const TEST: &str = "import json\n\
        from lazy import Lazy, plain\n\
        lazy = Lazy()\n\
        def test_handled():\n\
        \x20   assert lazy\n\
        def test_not_handled():\n\
        \x20   text = json.dumps({1}, default=plain)\n\
        \x20   assert text\n";
    let project = Project::new()
        .file("lazy.py", LAZY)
        .file("test_lazy.py", TEST);
    let bench = Bench::new(project);
    let request = ProgramRequest::test("test_lazy.py::test_handled");
    let (_, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let end = exited(outcome);
    assert_eq!(end.code, Some(0));
    assert!(
        end.notes.iter().any(|note| note.contains("passed over")),
        "{end:?}"
    );
    bench.end().await;
    let request = ProgramRequest::test("test_lazy.py::test_not_handled");
    let (_, outcome) = bench.launch(&request, |_| {}).await.unwrap();
    let stop = stopped(outcome);
    let exception = stop.exception.as_ref().unwrap();
    assert_eq!(exception.kind, "ValueError", "{stop}");
    assert_eq!(place(&stop), "lazy.py:5", "{stop}");
    bench.end().await;
}

const OWN: &str = r#"import re


class Bad(ValueError):
    pass


def sub(match):
    raise Bad("sub")


def again(text):
    try:
        return re.sub("a", sub, text)
    except Bad:
        raise
"#;

const OWN_TEST: &str = r#"import contextlib
import re
import unittest

import own

try:
    import nosuch_module
except ImportError:
    nosuch_module = None


class OwnTest(unittest.TestCase):
    def test_caught(self):
        try:
            re.sub("a", own.sub, "aaa")
        except (KeyError, own.Bad):
            pass
        with self.assertRaises(ValueError):
            re.sub("a", own.sub, "aaa")
        with contextlib.suppress(KeyError, own.Bad):
            re.sub("a", own.sub, "aaa")
        self.assertEqual(1, 2)

    def test_again(self):
        own.again("aaa")

    def test_another_class(self):
        try:
            re.sub("a", own.sub, "aaa")
        except KeyError:
            pass
"#;

#[tokio::test]
async fn what_a_test_catches_itself_is_passed_over_and_its_failure_is_not() {
    let project = Project::new()
        .file("own.py", OWN)
        .file("test_own.py", OWN_TEST);
    let bench = Bench::new(project);
    let caught = "3 exceptions that were caught by the program's own code were passed over; `all` \
                  exceptions stop there";
    for (test, at, note) in [
        ("test_caught", "test_own.py:23", Some(caught)),
        // What is raised again, and what no clause is for, is the failure.
        ("test_again", "own.py:9", None),
        ("test_another_class", "own.py:9", None),
    ] {
        let request = ProgramRequest::test(format!("test_own.py::OwnTest::{test}"));
        let (_, outcome) = bench.launch(&request, |_| {}).await.unwrap();
        let stop = stopped(outcome);
        assert_eq!(place(&stop), at, "{stop}");
        let said = stop.notes.iter().find(|note| note.contains("passed over"));
        assert_eq!(said.map(String::as_str), note, "{stop}");
        bench.end().await;
    }
}

#[tokio::test]
async fn code_without_a_file_is_told_as_what_it_is() {
    const CODE: &str = "ns = {}\nexec('def f(x):\\n    return x / 0\\n', ns)\n\n\ndef call(g):\n    \
                        return g(1)\n\n\ncall(ns['f'])\n";
    let bench = Bench::new(Project::new().file("made.py", CODE));
    let (_, outcome) = bench
        .launch(&ProgramRequest::file("made.py"), |_| {})
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "made.py:6", "{stop}");
    let top = stop.top.as_ref().unwrap();
    assert!(!top.ours, "{stop}");
    assert_eq!(
        top.place.as_ref().unwrap().to_string(),
        "line 2 of a string that the program runs"
    );
    bench.end().await;
}

#[tokio::test]
async fn a_file_of_tests_alone_runs_all_of_them_under_unittest_too() {
    const TEST: &str = "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_1(self):\n        \
                        print('one')\n\n    def test_2(self):\n        print('two')\n        \
                        self.assertEqual(1, 2)\n";
    let bench = Bench::new(Project::new().file("test_a.py", TEST));
    let mut request = ProgramRequest::test("test_a.py");
    for pytest in [true, false] {
        if !pytest {
            // As where it is not installed.
            request.configuration = serde_json::json!({ "module": "unittest", "args": ["test_a"] });
        }
        let (_, outcome) = bench.launch(&request, |_| {}).await.unwrap();
        let stop = stopped(outcome);
        assert_eq!(place(&stop), "test_a.py:10", "{stop}");
        bench.end().await;
    }
}

#[tokio::test]
async fn a_breakpoint_on_an_overloaded_method_is_in_its_implementation() {
    const CODE: &str = "from typing import overload\n\n\nclass Loader:\n    @overload\n    def load(self, x: \
                        int) -> int: ...\n\n    @overload\n    def load(self, x: str) -> str:\n        ...\n\n    \
                        def load(self, x):\n        return x\n\n\n@overload\ndef plain(x: int) -> int: ...\n\n\n\
                        def plain(x):\n    return x\n\n\nprint(plain(Loader().load(7)))\n";
    let bench = Bench::new(Project::new().file("load.py", CODE));
    let (session, outcome) = bench
        .launch(&ProgramRequest::file("load.py"), |launch| {
            for name in ["Loader.load", "plain"] {
                launch.breakpoints.push(Breakpoint::at_function(name));
            }
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(
        (place(&stop).as_str(), local(&stop, "x")),
        ("load.py:13", "7")
    );
    let stop = stopped(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert!(stop.frame.as_ref().unwrap().function == "plain", "{stop}");
    assert_eq!(local(&stop, "x"), "7");
    bench.end().await;
}

#[tokio::test]
async fn a_function_that_no_source_defines_is_told() {
    const CODE: &str = "import json\n\ndef total():\n    return json.loads('1') / 0\n\n\ntotal()\n";
    let bench = Bench::new(Project::new().file("a.py", CODE));
    let (session, outcome) = bench
        .launch(&ProgramRequest::file("a.py"), |launch| {
            let names = ["totall", "total", "decode"];
            let points = names.map(Breakpoint::at_function);
            launch.breakpoints.extend(points);
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    let about = "no source of the project defines it; the project has total; it stops only where a \
                 library has a function of this name";
    let note = format!("breakpoint #1 totall: pending: {about}");
    assert!(stop.notes.contains(&note), "{stop}");
    let reports = session.breakpoints().unwrap();
    let why = Some(about.to_owned());
    assert_eq!(reports[0].binding, Binding::Pending { why });
    assert_eq!(reports[1].binding, Binding::Verified);
    // What a library has is bound once it was stopped at.
    assert!(matches!(reports[2].binding, Binding::Pending { .. }));
    let stop = stopped(session.resume(Resume::Continue, WAIT).await.unwrap());
    assert_eq!(stop.breakpoints, [3], "{stop}");
    let reports = session.breakpoints().unwrap();
    assert_eq!(reports[2].binding, Binding::Verified);
    session.clear(Some(&[3])).await.unwrap();
    stopped(session.resume(Resume::Continue, WAIT).await.unwrap());
    let end = exited(session.resume(Resume::Continue, WAIT).await.unwrap());
    let note = format!("breakpoint #1 totall was never reached: {about}");
    assert!(end.notes.contains(&note), "{end:?}");
    bench.end().await;
}

const SWALLOWED: &str = r#"def rate(table, key):
    try:
        return table[key]
    except Exception:
        return None

print(rate({"a": 1}, "b"))
"#;

#[tokio::test]
async fn all_exceptions_are_those_of_the_program() {
    let bench = Bench::new(Project::new().file("rates.py", SWALLOWED));
    let (session, outcome) = bench
        .launch(&ProgramRequest::file("rates.py"), |launch| {
            launch.exceptions = Exceptions::All;
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(place(&stop), "rates.py:3", "{stop}");
    assert_eq!(local(&stop, "key"), "'b'");
    let outcome = session.resume(Resume::Continue, WAIT).await.unwrap();
    let end = exited(outcome);
    assert_eq!(end.code, Some(0));
    assert!(end.output.text().contains("None"));
    bench.end().await;
}
