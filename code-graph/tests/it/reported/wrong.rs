//! Wrong answers that look right.

use super::{Checkout, group, impact};
use fourfold_code_graph::query::{CallRequest, Filter, ImpactRequest, Outcome, Tests, Wanted};

#[test]
fn case_01_a_name_that_does_not_exist_is_not_answered_by_the_nearest() {
    let checkout = Checkout::of(
        "\
== a.py
def parse_config():
    pass

parse_config()
",
    );
    let answer = checkout.ask(|inquiry| inquiry.callers(&CallRequest::named("parse_configs")));
    assert_eq!(answer.outcome, Outcome::NotFound, "{answer}");
    assert!(answer.about.is_empty(), "{answer}");
    assert_eq!(group(&answer, "callers"), [""; 0]);
    assert_eq!(group(&answer, "nearest names"), ["a.py parse_config"]);
    let answer = checkout.ask(|inquiry| inquiry.impact(&impact("parse_configs")));
    assert_eq!(answer.outcome, Outcome::NotFound, "{answer}");
}

#[test]
fn case_02_a_call_into_a_library_is_not_a_call_of_a_namesake() {
    let checkout = Checkout::of(
        "\
== src/app/Mailer.java
package app;

public class Mailer {
    public void send(String text) {}
}
== src/app/Job.java
package app;

import com.vendor.Client;

public class Job {
    void run(Client client) {
        client.send(\"x\");
    }
}
",
    );
    assert_eq!(checkout.callers("Mailer.send"), [""; 0]);
    assert_eq!(checkout.callees("Job.run"), [""; 0]);
    let answer = checkout.ask(|inquiry| inquiry.callers(&CallRequest::named("Mailer.send")));
    assert!(answer.notes.is_empty(), "the call leaves: {answer}");
}

#[test]
fn case_03_methods_called_like_those_of_collections_keep_their_callers_and_get_no_others() {
    let checkout = Checkout::of(
        "\
== journal.py
class Journal:
    def append(self, line):
        pass

    def get(self, number):
        pass

    def update(self, lines):
        for line in lines:
            self.append(line)

def write(journal: Journal):
    journal.append('x')
    journal.update([])
    return journal.get(1)

def other(rows: list, table: dict):
    lines = []
    lines.append('y')
    rows.append(1)
    table.update({})
    return {}.get(1) or table.get(2)
",
    );
    assert_eq!(
        checkout.callers("Journal.append"),
        [
            "journal.py Journal.update [typed]",
            "journal.py write [typed]"
        ]
    );
    assert_eq!(
        checkout.callers("Journal.get"),
        ["journal.py write [typed]"]
    );
    assert_eq!(
        checkout.callers("Journal.update"),
        ["journal.py write [typed]"]
    );
}

#[test]
fn case_04_a_method_of_a_field_is_not_the_caller_itself() {
    let checkout = Checkout::of(
        "\
== mail.ts
export class Mailer {
  send() {}
}

export class Service {
  constructor(private mailer: Mailer) {}

  send() {
    this.mailer.send();
  }
}
== plain.js
export class Plain {
  constructor(mailer) {
    this.mailer = mailer;
  }

  send() {
    this.mailer.send();
  }
}
",
    );
    assert_eq!(
        checkout.callers("Mailer.send"),
        ["mail.ts Service.send [typed]"]
    );
    assert_eq!(checkout.callers("Service.send"), [""; 0]);
    // What `mailer` is, nothing tells.
    assert_eq!(checkout.callers("Plain.send"), [""; 0]);
}

#[test]
fn case_05_one_class_name_in_two_applications_is_two_classes() {
    let checkout = Checkout::of(
        "\
== shop/models.py
class Order:
    pass
== shop/views.py
from .models import Order

def buy():
    return Order()
== depot/models.py
class Order:
    pass
== depot/views.py
from .models import Order

def restock():
    return Order()
",
    );
    let answer = checkout.ask(|inquiry| inquiry.impact(&impact("Order")));
    assert_eq!(answer.outcome, Outcome::Ambiguous, "{answer}");
    assert_eq!(
        group(&answer, "candidates"),
        ["depot/models.py Order", "shop/models.py Order"]
    );
    let wanted = Wanted {
        path: Some("depot".to_owned()),
        ..Wanted::named("Order")
    };
    let answer = checkout.ask(|inquiry| {
        inquiry.callers(&CallRequest {
            wanted: wanted.clone(),
            ..CallRequest::default()
        })
    });
    assert_eq!(
        group(&answer, "callers"),
        ["depot/views.py restock [exact]"]
    );
}

#[test]
fn case_06_a_longer_name_does_not_shadow_the_exact_one() {
    let checkout = Checkout::of(
        "\
== a.py
def run_forever():
    pass

def run():
    pass

def rerun():
    run_forever()
    run_forever()

def main():
    run()
",
    );
    assert_eq!(checkout.callers("run"), ["a.py main [exact]"]);
}

#[test]
fn case_07_who_makes_an_instance_calls_the_class_and_its_constructor() {
    let checkout = Checkout::of(
        "\
== a.py
class Engine:
    def __init__(self):
        pass

def start():
    return Engine()
== b.ts
export class Motor {
  constructor() {}
}

export function begin() {
  return new Motor();
}
",
    );
    assert_eq!(checkout.callers("Engine"), ["a.py start [exact]"]);
    assert_eq!(checkout.callers("Engine.__init__"), ["a.py start [exact]"]);
    assert_eq!(checkout.callers("Motor"), ["b.ts begin [exact]"]);
    assert_eq!(
        checkout.callers("Motor.constructor"),
        ["b.ts begin [exact]"]
    );
}

#[test]
fn case_08_names_of_a_test_runner_and_of_a_library_are_outside() {
    let checkout = Checkout::of(
        "\
== stream.ts
export class Stream {
  describe() {}
  take(n: number) {}
}

export class Reader {
  it(text: string) {}
}
== stream.test.ts
import { take } from 'rxjs';
import { expect, it } from 'vitest';

describe('a stream', () => {
  it('takes', () => {
    take(3);
    expect(1).toBe(1);
  });
});
",
    );
    for method in ["Stream.describe", "Stream.take", "Reader.it"] {
        let answer = checkout.ask(|inquiry| inquiry.callers(&CallRequest::named(method)));
        assert_eq!(answer.total, 0, "{answer}");
    }
}

#[test]
fn case_09_an_import_beats_a_namesake_in_a_test() {
    let checkout = Checkout::of(
        "\
== src/session.ts
export function makeSession() {}
== src/app.ts
import { makeSession } from './session';

export function start() {
  makeSession();
  resetSession();
}
== src/app.spec.ts
import { start } from './app';

export function makeSession() {}

export function resetSession() {}

function check() {
  start();
  makeSession();
}
",
    );
    assert_eq!(
        checkout.callees("start"),
        ["src/session.ts makeSession [exact]"]
    );
    // The product does not reach into tests that it does not import.
    assert_eq!(checkout.callers("resetSession"), [""; 0]);
}

#[test]
fn case_10_known_callers_are_told_and_unknown_ones_counted() {
    let checkout = Checkout::of(
        "\
== mail.ts
export class Envelope {
  setLabel(text: string) {}
}

export class Parcel {
  setLabel(text: string) {}
}

export function wrap(envelope: Envelope) {
  envelope.setLabel('a');
}

export function post() {
  const one = new Envelope();
  one.setLabel('b');
}

export function unknown(thing) {
  thing.setLabel('c');
}
",
    );
    assert_eq!(
        checkout.callers("Envelope.setLabel"),
        ["mail.ts wrap [typed]", "mail.ts post [typed]"]
    );
    assert_eq!(checkout.callers("Parcel.setLabel"), [""; 0]);
    let answer = checkout.ask(|inquiry| inquiry.callers(&CallRequest::named("Parcel.setLabel")));
    assert_eq!(
        answer.notes,
        ["1 unresolved use of `setLabel` elsewhere could be more: mail.ts:19"]
    );
}

#[test]
fn case_11_callers_of_other_files_are_told_beside_those_of_the_same() {
    let checkout = Checkout::of(
        "\
== a.py
def helper():
    pass

def near():
    helper()
== b.py
from a import helper

def far():
    helper()
",
    );
    assert_eq!(
        checkout.callers("helper"),
        ["a.py near [exact]", "b.py far [exact]"]
    );
}

#[test]
fn case_12_no_filter_and_no_ambiguity_makes_an_impact_zero() {
    let checkout = Checkout::of(
        "\
== src/rate.py
def rate():
    pass
== src/price.py
from src.rate import rate

def price():
    rate()
== tests/test_rate.py
from src.rate import rate

def test_rate():
    rate()
== other/rate.py
def rate():
    pass
",
    );
    let answer = checkout.ask(|inquiry| inquiry.impact(&impact("rate")));
    assert_eq!(answer.outcome, Outcome::Ambiguous, "{answer}");
    assert_eq!(answer.total, 2, "{answer}");
    let asked = |tests: Tests| {
        checkout.ask(|inquiry| {
            inquiry.impact(&ImpactRequest {
                among: Filter {
                    tests,
                    ..Filter::default()
                },
                ..impact("src/rate.py::rate")
            })
        })
    };
    for tests in [Tests::Apart, Tests::Without] {
        let answer = asked(tests);
        assert!(
            answer
                .headline
                .starts_with("1 symbol in 1 file may depend on"),
            "{answer}"
        );
    }
    let apart = asked(Tests::Apart);
    assert_eq!(
        group(&apart, "tests that reach it"),
        ["tests/test_rate.py test_rate [exact]"]
    );
}

#[test]
fn case_13_callers_behind_an_interface_are_told_with_the_interface() {
    let checkout = Checkout::of(
        "\
== Store.java
interface Store {
    void put(String key);
}
== DiskStore.java
class DiskStore implements Store {
    public void put(String key) {}
}
== Job.java
class Job {
    void run(Store store) {
        store.put(\"k\");
    }
}
",
    );
    let answer = checkout.ask(|inquiry| inquiry.callers(&CallRequest::named("DiskStore.put")));
    assert_eq!(group(&answer, "callers"), [""; 0]);
    assert_eq!(
        group(&answer, "may call it through what it overrides"),
        ["Job.java Job.run [typed]"]
    );
    let answer = checkout.ask(|inquiry| inquiry.impact(&impact("DiskStore.put")));
    assert!(answer.to_string().contains("Job.run"), "{answer}");
}
