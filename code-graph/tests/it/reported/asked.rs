//! Answers that say less than is known, or that answer something else than was asked.

use super::{Checkout, group, impact, is_bare};
use fourfold_code_graph::link::Certainty;
use fourfold_code_graph::query::{
    Answer, CallRequest, ChangedFile, Filter, ImpactRequest, Level, ModuleRequest, Outcome,
    OutlineRequest, Page, PathRequest, SymbolRequest, Tests, Wanted,
};

fn noted(answer: &Answer, text: &str) -> bool {
    answer.notes.iter().any(|note| note.contains(text))
}

fn on_the_way() -> Checkout {
    Checkout::of(
        "\
== a.py
def root():
    return 1

class S:
    def mid_step(self):
        return root()

def far(x):
    return x.mid_step()
",
    )
}

#[test]
fn what_could_hide_more_is_counted_for_all_that_is_passed_through() {
    let checkout = on_the_way();
    let deep = ImpactRequest {
        depth: 4,
        ..impact("root")
    };
    let answer = checkout.ask(|inquiry| inquiry.impact(&deep));
    assert!(
        answer.headline.contains("no test is known to reach it"),
        "{answer}"
    );
    assert!(
        noted(&answer, "names on the way could hide more: `mid_step` 1"),
        "{answer}"
    );
    let deep = CallRequest {
        depth: 3,
        ..CallRequest::named("root")
    };
    let answer = checkout.ask(|inquiry| inquiry.callers(&deep));
    assert!(noted(&answer, "`mid_step` 1"), "{answer}");
    // One step alone passes through nothing.
    let answer = checkout.ask(|inquiry| inquiry.callers(&CallRequest::named("root")));
    assert_eq!(answer.notes, [""; 0], "{answer}");
}

#[test]
fn uses_by_name_only_are_followed_when_they_are_asked_for() {
    let checkout = on_the_way();
    let by_name = ImpactRequest {
        certainty: Certainty::Name,
        ..impact("root")
    };
    let answer = checkout.ask(|inquiry| inquiry.impact(&by_name));
    assert_eq!(
        group(&answer, "depth 2, by 1 edge"),
        ["a.py far [name]"],
        "{answer}"
    );
    assert_eq!(answer.notes, [""; 0], "{answer}");
    let by_name = CallRequest {
        certainty: Certainty::Name,
        ..CallRequest::named("S.mid_step")
    };
    let answer = checkout.ask(|inquiry| inquiry.callers(&by_name));
    assert_eq!(group(&answer, "callers"), ["a.py far [name]"], "{answer}");
    let ways = PathRequest {
        from: Wanted::named("far"),
        to: Wanted::named("root"),
        certainty: Certainty::Name,
        ..PathRequest::default()
    };
    let answer = checkout.ask(|inquiry| inquiry.paths(&ways));
    assert!(answer.headline.starts_with("1 way from"), "{answer}");
}

#[test]
fn a_folder_is_never_taken_for_a_symbol() {
    let checkout = Checkout::of(
        "\
== src/app/core.py
class App:
    json = None

    def run(self):
        from .json.tag import dump
        return dump()
== src/app/json/__init__.py
def load():
    pass
== src/app/json/tag.py
def dump():
    pass
",
    );
    for name in [
        "src/app/json",
        "src/app/json/",
        "./src/app/json",
        "app/json",
    ] {
        let outline = OutlineRequest {
            wanted: Wanted::named(name),
            ..OutlineRequest::default()
        };
        let answer = checkout.ask(|inquiry| inquiry.outline(&outline));
        assert_eq!(
            answer.headline, "folder src/app/json (2 files) declares 2 symbols",
            "{name}"
        );
        let symbol = SymbolRequest {
            wanted: Wanted::named(name),
            ..SymbolRequest::default()
        };
        assert_eq!(checkout.ask(|inquiry| inquiry.symbol(&symbol)), answer);
        assert_eq!(checkout.callers(name), ["src/app/core.py App.run [exact]"]);
    }
    // A bare name is a symbol first.
    let answer = checkout.ask(|inquiry| inquiry.references(&CallRequest::named("json")));
    assert!(answer.headline.contains("field `App.json`"), "{answer}");
}

#[test]
fn a_line_outside_of_every_declaration_is_not_the_whole_file() {
    let checkout = Checkout::of(
        "\
== a/one.py
def f():
    pass

f()
== b/one.py
def g():
    pass

def h():
    pass
",
    );
    for (place, why) in [
        ("a/one.py:3", "no declaration is around that line"),
        ("a/one.py:4", "no declaration is around that line"),
        ("a/one.py:0", "lines are counted from 1"),
        ("a/one.py:99", "a/one.py has 4 lines"),
    ] {
        let answer = checkout.ask(|inquiry| inquiry.callers(&CallRequest::named(place)));
        assert_eq!(answer.outcome, Outcome::NotFound, "{answer}");
        assert!(answer.headline.contains(why), "{answer}");
        assert_eq!(group(&answer, "nearest declarations"), ["a/one.py f"]);
    }
    // Of two files of that name, only one has a symbol there.
    let symbol = SymbolRequest {
        wanted: Wanted::named("one.py:5"),
        ..SymbolRequest::default()
    };
    let answer = checkout.ask(|inquiry| inquiry.symbol(&symbol));
    assert!(
        answer.headline.starts_with("function `h` (b/one.py:4)"),
        "{answer}"
    );
}

#[test]
fn a_filter_never_turns_something_into_nothing() {
    let checkout = Checkout::of(
        "\
== src/a.py
def f():
    pass

def g():
    f()
== examples/src/b.py
from src.a import f

def h():
    f()
== tests/test_a.py
from src.a import g

def test_g():
    g()
",
    );
    let among = |among: Filter| CallRequest {
        among,
        ..CallRequest::named("f")
    };
    let paths = |paths: &[&str]| Filter {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        ..Filter::default()
    };
    let callers = |filter: Filter| checkout.ask(|inquiry| inquiry.callers(&among(filter.clone())));

    let answer = callers(paths(&["no/such/**"]));
    assert_eq!(
        answer.headline,
        "none of the 2 known callers of function `f` (src/a.py:1) is among what was asked for"
    );
    assert!(
        noted(&answer, "no file of the index matches `no/such/**`"),
        "{answer}"
    );
    let answer = callers(Filter {
        languages: vec!["go".to_owned()],
        ..Filter::default()
    });
    assert!(
        answer.headline.starts_with("none of the 2 known callers"),
        "{answer}"
    );
    assert!(
        noted(&answer, "no file of the index is of the language go"),
        "{answer}"
    );
    // A folder that there is means that folder; a leading `/` is the root of the checkout.
    for path in ["src", "/src", "./src/", "/src/**"] {
        let answer = callers(paths(&[path]));
        assert_eq!(
            group(&answer, "callers"),
            ["src/a.py g [exact]"],
            "{path}: {answer}"
        );
        assert!(
            noted(&answer, "1 more caller outside of what was asked for"),
            "{answer}"
        );
    }
    let answer = callers(paths(&["!examples"]));
    assert_eq!(
        group(&answer, "callers"),
        ["src/a.py g [exact]"],
        "{answer}"
    );

    let without = Filter {
        tests: Tests::Without,
        ..Filter::default()
    };
    let answer = checkout.ask(|inquiry| {
        inquiry.callers(&CallRequest {
            among: without.clone(),
            ..CallRequest::named("g")
        })
    });
    assert!(
        answer
            .headline
            .starts_with("the only known caller of function `g`"),
        "{answer}"
    );
    let answer = checkout.ask(|inquiry| {
        inquiry.impact(&ImpactRequest {
            among: paths(&["no/such/**"]),
            ..impact("g")
        })
    });
    assert!(
        answer
            .headline
            .starts_with("the only dependent of function `g`"),
        "{answer}"
    );
    let answer = checkout.ask(|inquiry| {
        inquiry.callees(&CallRequest {
            among: without.clone(),
            ..CallRequest::named("g")
        })
    });
    assert_eq!(
        group(&answer, "callees"),
        ["src/a.py f [exact]"],
        "{answer}"
    );
}

#[test]
fn a_file_that_is_there_is_not_denied() {
    let checkout = Checkout::of(
        "\
== docs/api.rst
Reference
== src/session.py
def f():
    pass
",
    );
    let ask = |name: &str| checkout.ask(|inquiry| inquiry.callers(&CallRequest::named(name)));
    let answer = ask("docs/api.rst");
    assert_eq!(
        answer.headline,
        "docs/api.rst exists, but is not in the index: of no language that the graph knows"
    );
    assert_eq!(answer.outcome, Outcome::NotFound);
    // For a path, what is near is files.
    for path in ["src/sesion.py", "lib/session.py", "session.pyi"] {
        assert_eq!(
            group(&ask(path), "nearest files"),
            ["src/session.py"],
            "{path}"
        );
    }
}

#[test]
fn what_a_change_removed_is_told_with_who_still_names_it() {
    let checkout = Checkout::of(
        "\
== lib.py
def kept():
    return 1
== use.py
from lib import gone, kept

def main():
    kept()
    return gone()

def top():
    return main()
== test_use.py
from use import top

def test_top():
    assert top()
",
    );
    let changed = |path: &str, before: &str| ImpactRequest {
        changed: vec![ChangedFile {
            path: path.to_owned(),
            removed_after: vec![2],
            before: Some(before.to_owned()),
            ..ChangedFile::default()
        }],
        depth: 3,
        ..ImpactRequest::default()
    };
    let before = "def kept():\n    return 1\n\ndef gone():\n    inner = 2\n    return inner\n";
    let answer = checkout.ask(|inquiry| inquiry.impact(&changed("lib.py", before)));
    assert_eq!(group(&answer, "removed"), ["lib.py gone"], "{answer}");
    let users = group(&answer, "may still use what was removed");
    assert!(users.contains(&"use.py main [name]".to_owned()), "{answer}");
    assert!(answer.headline.contains("and 1 removed symbol"), "{answer}");
    assert!(answer.headline.ends_with("1 test reaches it"), "{answer}");
    // A file that is gone takes what it declared with it.
    let answer = checkout.ask(|inquiry| {
        inquiry.impact(&changed(
            "old.py",
            "class Old:\n    def m(self):\n        pass\n",
        ))
    });
    assert_eq!(group(&answer, "removed"), ["old.py Old"], "{answer}");
    // Nothing has changed.
    let answer = checkout.ask(|inquiry| inquiry.impact(&ImpactRequest::default()));
    assert_eq!(
        answer.headline,
        "nothing has changed, so nothing depends on it"
    );
}

#[test]
fn every_line_can_be_seen() {
    let calls: String = (0..30).map(|at| format!("    f({at})\n")).collect();
    let text = format!("== a.py\ndef f(x):\n    pass\n\ndef g():\n{calls}");
    let checkout = Checkout::of(&text);
    let ask = |tokens: usize| {
        let request = CallRequest {
            page: Page {
                tokens,
                ..Page::default()
            },
            ..CallRequest::named("f")
        };
        checkout.ask(|inquiry| inquiry.callers(&request))
    };
    let answer = ask(2000);
    let caller = &answer.groups[0].entries[0];
    assert_eq!((caller.lines.len(), caller.more_lines), (30, 0), "{answer}");
    let answer = ask(100);
    let caller = &answer.groups[0].entries[0];
    assert_eq!(caller.lines.len() + caller.more_lines, 30, "{answer}");
    assert!(
        caller.more_lines > 0 && answer.to_string().len() <= 400,
        "{answer}"
    );
    let left = format!("{} more lines with more tokens\n", caller.more_lines);
    assert!(answer.to_string().contains(&left), "{answer}");
}

#[test]
fn a_member_that_something_outside_may_call_says_so() {
    let checkout = Checkout::of(
        "\
== a.py
import threading

def work():
    pass

class Job(threading.Thread):
    def run(self):
        work()

@registry.register
def handler():
    work()
",
    );
    let ask = |name: &str| checkout.ask(|inquiry| inquiry.callers(&CallRequest::named(name)));
    let answer = ask("Job.run");
    assert!(answer.headline.starts_with("no known callers"), "{answer}");
    assert!(
        noted(&answer, "Job inherits from outside of the checkout"),
        "{answer}"
    );
    let answer = ask("handler");
    assert!(
        noted(&answer, "decorated") || noted(&answer, "framework"),
        "{answer}"
    );
    let answer = checkout.ask(|inquiry| inquiry.impact(&impact("work")));
    assert!(
        noted(&answer, "may be called from outside of the checkout"),
        "{answer}"
    );
    assert!(noted(&answer, "`Job.run`"), "{answer}");
}

#[test]
fn inherent_methods_of_a_type_are_not_called_by_what_it_implements() {
    let checkout = Checkout::of(
        "\
== Cargo.toml
[package]
name = \"p\"
== src/lib.rs
struct Entry;

impl Entry {
    fn own(&self) {}
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}
",
    );
    let outside = "inherits from outside";
    let ask = |name: &str| checkout.ask(|inquiry| inquiry.callers(&CallRequest::named(name)));
    assert!(!noted(&ask("Entry.own"), outside), "{}", ask("Entry.own"));
    assert!(noted(&ask("Entry.fmt"), outside), "{}", ask("Entry.fmt"));
}

#[test]
fn what_is_read_from_something_or_quoted_is_not_without_a_sign() {
    let checkout = Checkout::of(
        "\
== a.py
class Read:
    pass

class Keyed:
    pass

class Plain:
    pass

def f(x):
    return x.Read

TABLE = {\"Keyed\": 1}
",
    );
    for (name, bare) in [("Read", false), ("Keyed", false), ("Plain", true)] {
        assert_eq!(is_bare(&checkout, name), bare, "{name}");
    }
}

#[test]
fn all_members_of_a_knot_are_named() {
    // a ⇄ b ⇄ c: the shortest cycle has two of the three.
    let checkout = Checkout::of(
        "\
== a.py
from b import f_b
def f_a(): f_b()
== b.py
from a import f_a
from c import f_c
def f_b():
    f_a()
    f_c()
== c.py
from b import f_b
def f_c(): f_b()
",
    );
    let files = ModuleRequest {
        level: Level::File,
        ..ModuleRequest::default()
    };
    let answer = checkout.ask(|inquiry| inquiry.cycles(&files));
    let named = answer
        .groups
        .iter()
        .find(|group| group.title == "all files of the knot");
    let names: Vec<&str> = named
        .unwrap()
        .entries
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["a.py", "b.py", "c.py"], "{answer}");
}

#[test]
fn a_variable_that_hands_on_a_function_under_its_name_is_not_another() {
    let checkout = Checkout::of(
        "\
== utils.js
exports.compile = function (value) { return value; };
== app.js
var compile = require('./utils').compile;
function use() { return compile(1); }
",
    );
    assert_eq!(checkout.callers("compile"), ["app.js use [exact]"]);
}

#[test]
fn small_things_are_said_well() {
    let checkout = on_the_way();
    let ways = PathRequest {
        from: Wanted::named("root"),
        to: Wanted::named("root"),
        ..PathRequest::default()
    };
    let answer = checkout.ask(|inquiry| inquiry.paths(&ways));
    assert!(
        answer.headline.starts_with("both ends are function `root`"),
        "{answer}"
    );
    let answer = checkout.ask(|inquiry| inquiry.callers(&CallRequest::named("S.zzzzzz")));
    assert_eq!(
        group(&answer, "what class `S` (a.py:4) declares"),
        ["a.py S.mid_step"]
    );
}

/// A function that is handed on may be called from there; a class that is looked into or compared
/// with is only used.
#[test]
fn what_is_handed_on_is_told_from_what_is_used() {
    let checkout = Checkout::of(
        "\
== shop.py
class Cart:
    serial = 1

    def __init__(self):
        self.number = Cart.serial

def handler(order):
    return order

def check(thing):
    return isinstance(thing, Cart)
== table.py
from shop import handler

TABLE = {\"a\": handler}
",
    );
    let ask = |name: &str| checkout.ask(|inquiry| inquiry.callers(&CallRequest::named(name)));
    let answer = ask("handler");
    assert!(
        noted(
            &answer,
            "it is also used once as a value, and may be called from where that goes"
        ),
        "{answer}"
    );
    let answer = ask("Cart");
    assert!(
        noted(&answer, "it is also used twice without a call"),
        "{answer}"
    );
    assert!(!noted(&answer, "as a value"), "{answer}");
    let answer = ask("shop.py");
    assert!(
        noted(&answer, "what is in it is also used once as a value"),
        "{answer}"
    );
}
