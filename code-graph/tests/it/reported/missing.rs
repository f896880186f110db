//! Edges that are missing.

use super::{Checkout, group, impact, is_bare};
use fourfold_code_graph::query::{CallRequest, Filter, MapRequest};

#[test]
fn case_14_what_an_anonymous_function_calls_its_named_function_calls() {
    let checkout = Checkout::of(
        "\
== App.tsx
import { load, render } from './lib';

export function App({ items }) {
  useEffect(() => {
    load();
  }, []);
  return <ul>{items.map((item) => render(item))}</ul>;
}

export const List = memo(({ items }) => {
  return items.map((item) => render(item));
});
== lib.ts
export function load() {}
export function render(item: unknown) {}
",
    );
    assert_eq!(checkout.callers("load"), ["App.tsx App [exact]"]);
    assert_eq!(
        checkout.callers("render"),
        ["App.tsx App [exact]", "App.tsx List [exact]"]
    );
}

#[test]
fn case_15_rust_receivers_are_followed_through_fields_wrappers_and_results() {
    let checkout = Checkout::of(
        "\
== Cargo.toml
[package]
name = \"shop\"
== src/lib.rs
mod store;

use std::sync::{Arc, Mutex};
use store::{Error, Store};

pub struct Shop {
    store: Arc<Mutex<Store>>,
}

impl Shop {
    pub fn open() -> Result<Self, Error> {
        let store = Store::open()?;
        Ok(Shop { store: Arc::new(Mutex::new(store)) })
    }

    pub fn keep(&self, key: u32) {
        self.store.lock().unwrap().insert(key);
    }
}

pub fn fill(shops: &[Shop]) {
    shops.iter().for_each(|shop| shop.keep(1));
    if let Some(first) = shops.first() {
        first.keep(2);
    }
}
== src/store.rs
pub struct Error;

pub struct Store;

impl Store {
    pub fn open() -> Result<Store, Error> {
        Ok(Store)
    }

    pub fn insert(&mut self, key: u32) {}
}
",
    );
    assert_eq!(
        checkout.callers("Store.open"),
        ["src/lib.rs Shop.open [exact]"]
    );
    let without = |lines: Vec<String>| -> Vec<String> {
        let names = lines.iter().filter_map(|line| line.split(" [").next());
        names.map(str::to_owned).collect()
    };
    assert_eq!(
        without(checkout.callers("Store.insert")),
        ["src/lib.rs Shop.keep"]
    );
    assert_eq!(without(checkout.callers("Shop.keep")), ["src/lib.rs fill"]);
}

#[test]
fn case_16_the_caller_is_the_symbol_around_the_call() {
    let checkout = Checkout::of(
        "\
== a.js
function helper() {}

module.exports = {
  run() {
    helper();
  },
  stop: function () {
    helper();
  },
};

class Job {
  #secret() {
    helper();
  }

  get state() {
    return helper();
  }

  static {
    helper();
  }

  field = helper();
}
== b.py
def default():
    pass

class Table:
    size = default()

    def rows(self, count=default()):
        return sorted([], key=lambda row: default())
",
    );
    assert_eq!(
        checkout.callers("helper"),
        [
            "a.js run [exact]",
            "a.js stop [exact]",
            "a.js Job [exact]",
            "a.js Job.#secret [exact]",
            "a.js Job.state [exact]",
            "a.js Job.field [exact]",
        ]
    );
    // A default value is worked out where the function is defined: in the class.
    assert_eq!(
        checkout.callers("default"),
        ["b.py Table [exact]", "b.py Table.rows [exact]"]
    );
}

#[test]
fn case_17_methods_are_found_through_pointers_and_instances() {
    let checkout = Checkout::of(
        "\
== engine.h
class Engine {
public:
    void start();
};
== engine.cpp
#include \"engine.h\"

void Engine::start() {}
== main.cpp
#include <memory>
#include \"engine.h\"

void raw(Engine *engine) {
    engine->start();
}

void made() {
    Engine engine;
    engine.start();
    auto other = new Engine();
    other->start();
}

void shared(std::unique_ptr<Engine> engine) {
    engine->start();
}
== go.mod
module shop
== server.go
package shop

type Server struct{}

func (s *Server) Run() {}

func serve(s *Server) {
	s.Run()
}

func begin() {
	s := &Server{}
	s.Run()
}
",
    );
    let answer = checkout.ask(|inquiry| inquiry.callers(&CallRequest::named("Engine.start")));
    let callers = group(&answer, "callers");
    for name in ["raw", "made", "shared"] {
        assert!(
            callers
                .iter()
                .any(|line| line.contains(&format!(" {name} "))),
            "{name} in {answer}"
        );
    }
    assert_eq!(
        checkout.callers("Server.Run"),
        ["server.go serve [typed]", "server.go begin [typed]"]
    );
}

#[test]
fn case_18_plain_imports_and_names_of_the_same_module_are_complete() {
    let checkout = Checkout::of(
        "\
== m.py
def f():
    pass

def g():
    f()
== n.py
from m import f

f()

def h():
    f()
== o.py
from m import f as other
import m

def i():
    other()
    m.f()
",
    );
    assert_eq!(
        checkout.callers("f"),
        [
            "m.py g [exact]",
            "n.py [exact]",
            "n.py h [exact]",
            "o.py i [exact]"
        ]
    );
}

#[test]
fn case_19_what_one_step_tells_several_steps_and_the_impact_tell() {
    let checkout = Checkout::of(
        "\
== a.py
def one():
    pass

def two():
    one()

def three():
    two()
",
    );
    let deep = CallRequest {
        depth: 3,
        ..CallRequest::named("one")
    };
    let answer = checkout.ask(|inquiry| inquiry.callers(&deep));
    assert_eq!(group(&answer, "callers"), checkout.callers("one"));
    assert_eq!(group(&answer, "callers"), ["a.py two [exact]"]);
    assert_eq!(group(&answer, "at distance 2"), ["a.py three [exact]"]);
    let answer = checkout.ask(|inquiry| inquiry.impact(&impact("one")));
    assert!(
        answer
            .headline
            .starts_with("2 symbols in 1 file may depend on"),
        "{answer}"
    );
}

#[test]
fn case_20_calls_outside_of_functions_are_those_of_the_file() {
    let checkout = Checkout::of(
        "\
== a.py
def before():
    pass

def setup():
    pass

setup()
== b.ts
export function before() {}

export function setup() {}

setup();
",
    );
    for path in ["a.py", "b.ts"] {
        let name = format!("{path}::setup");
        assert_eq!(checkout.callers(&name), [format!("{path} [exact]")]);
        assert_eq!(checkout.callees(&format!("{path}::before")), [""; 0]);
    }
}

#[test]
fn case_21_one_of_several_targets_is_kept_as_such_and_is_no_dead_code() {
    let checkout = Checkout::of(
        "\
== a.py
class Fast:
    def go(self):
        pass

class Slow:
    def go(self):
        pass

def pick(hurry):
    racer = Fast() if hurry else Slow()
    racer.go()

def lost(racer):
    racer.stop()

class Stopper:
    def stop(self):
        pass
",
    );
    for name in ["Fast.go", "Slow.go"] {
        let answer = checkout.ask(|inquiry| inquiry.callers(&CallRequest::named(name)));
        assert!(answer.total > 0, "{answer}");
        assert!(answer.to_string().contains("pick"), "{answer}");
        assert!(!is_bare(&checkout, name));
    }
    // Nothing tells that `racer` is none.
    assert!(!is_bare(&checkout, "Stopper.stop"));
    let answer = checkout.ask(|inquiry| inquiry.callers(&CallRequest::named("Stopper.stop")));
    assert_eq!(
        answer.notes,
        ["1 unresolved use of `stop` elsewhere could be more: a.py:14"]
    );
}

#[test]
fn who_makes_a_class_without_a_constructor_calls_the_inherited_one() {
    let checkout = Checkout::of(
        "\
== cart.py
class Cart:
    def __init__(self): pass

class Gift(Cart):
    pass

class Paper(Gift):
    pass

class Own(Cart):
    def __init__(self): pass

class OfOwn(Own):
    pass

def direct(): Cart()
def gift(): Gift()
def paper(): Paper()
def own(): Own()
def of_own(): OfOwn()
",
    );
    assert_eq!(
        checkout.callers("Cart.__init__"),
        [
            "cart.py direct [exact]",
            "cart.py gift [exact]",
            "cart.py paper [exact]",
        ]
    );
    assert_eq!(
        checkout.callers("Own.__init__"),
        ["cart.py own [exact]", "cart.py of_own [exact]"]
    );
}

#[test]
fn a_map_says_that_tests_are_left_out() {
    let checkout = Checkout::of(
        "\
== shop.py
def total(): pass
== tests/test_shop.py
def test_total(): pass
",
    );
    let request = MapRequest {
        among: Filter {
            paths: vec!["tests".into()],
            ..MapRequest::default().among
        },
        ..MapRequest::default()
    };
    let answer = checkout.ask(|inquiry| inquiry.map(&request));
    let told = "1 test file left out; `tests` can be `apart` to count them in";
    assert!(answer.to_string().contains(told), "{answer}");
}
