//! A debug session as a person has it: one command after the other, on a session that the daemon keeps.

use fourfold_testkit::{adapters, leftovers};

use super::Served;
use crate::project::Run;

const SHOP: &str = "\
import time

def total(prices):
    result = 0
    for price in prices:
        result += price
    return result

def run():
    paid = total([1, 2, 39])
    print('paid', paid)
    while paid:
        time.sleep(0.01)

run()
";

#[test]
fn every_action_of_a_session_works_one_command_after_the_other() {
    let served = Served::new(&[("shop.py", SHOP)]);
    let debug = |words: &[&str]| -> Run {
        let python = adapters::python().parent().unwrap().to_owned();
        let machine = adapters::path();
        let path = std::iter::once(python).chain(std::env::split_paths(&machine));
        let mut command = served.command(&["debug"]);
        command.env("PATH", std::env::join_paths(path).unwrap());
        served.project.finish(command.args(words))
    };
    let says = |words: &[&str], wanted: &[&str]| {
        let run = debug(words);
        assert_eq!(run.status, 0, "{words:?}: {}", run.whole());
        for text in wanted {
            assert!(run.out.contains(text), "{words:?}: {}", run.whole());
        }
    };
    says(
        &["launch", "shop.py", "--break", "shop.py:4"],
        &["shop.py:4", "total", "prices: list = [1, 2, 39]"],
    );
    // A second one is refused with the facts of the first.
    let second = debug(&["launch", "shop.py"]);
    assert_eq!(second.status, 2, "{}", second.whole());
    assert!(second.err.contains("shop.py"), "{}", second.whole());
    says(&["status"], &["shop.py", "stopped"]);
    says(&["threads"], &["total"]);
    says(&["stack"], &["total", "run", "shop.py:10"]);
    says(&["scopes"], &["Locals", "Globals"]);
    says(&["variables", "prices[2]"], &["39"]);
    says(&["evaluate", "sum(prices)"], &["42"]);
    says(&["step-over"], &["shop.py:5", "result: int = 0"]);
    says(&["run-to", "shop.py:6"], &["shop.py:6", "price: int = 1"]);
    says(&["set-variable", "price=100"], &["100"]);
    says(&["step-out"], &["run"]);
    says(
        &["breakpoints", "shop.py:13 if paid > 100"],
        &["shop.py:13"],
    );
    says(&["continue"], &["shop.py:13", "paid: int = 141"]);
    says(&["output"], &["paid 141"]);
    says(&["breakpoints", "--clear"], &[]);
    let on = debug(&["continue", "--wait", "0"]);
    assert_eq!(on.status, 3, "{}", on.whole());
    says(&["pause"], &["run"]);
    says(&["breakpoints", "shop.py:10"], &["shop.py:10"]);
    says(&["restart"], &["stop", "shop.py:10"]);
    says(&["terminate"], &[]);
    let over = debug(&["status"]);
    assert_eq!(over.status, 1, "{}", over.whole());
    assert!(over.out.contains("terminate"), "{}", over.whole());
    assert_eq!(served.run(&["serve", "--stop"]).status, 0);
    served.wait_for_the_end();
    leftovers::assert_none(served.project.root());
}
