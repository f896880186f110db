//! What happens at the bounds: told again, never lost.

use fourfold_ledger::{Config, Evidence, Ledger, Origin, Shown, Slot};

use crate::script::{findings, written};

fn slot(document: &str) -> Slot {
    Slot::new("server", document)
}

#[test]
fn the_slot_unused_for_longest_is_forgotten() {
    let mut ledger = Ledger::new(Config {
        max_slots: 2,
        ..Config::default()
    });
    for document in ["a", "b"] {
        ledger.baseline(&slot(document), &findings("E x @1"));
    }
    assert_eq!(
        written(&ledger.observe(&slot("a"), Evidence::Partial, &[])),
        "=1 ~1"
    );
    ledger.baseline(&slot("c"), &[]);
    assert_eq!((ledger.usage().slots, ledger.usage().evicted), (2, 1));
    assert_eq!(ledger.standing(&slot("a")).errors, 1);
    // The other one has none.
    assert_eq!(Vec::from_iter(ledger.in_error()), ["a"]);
    let delta = ledger.observe(&slot("b"), Evidence::Complete, &findings("E x @1"));
    assert_eq!(written(&delta), "+E x @1 =0 origin?");
}

#[test]
fn keys_are_bounded_over_all_slots_and_in_one() {
    let mut ledger = Ledger::new(Config {
        max_keys: 10,
        ..Config::default()
    });
    ledger.baseline(&slot("a"), &findings("6*E a{} @{}"));
    ledger.baseline(&slot("b"), &findings("6*E b{} @{}"));
    assert_eq!((ledger.usage().slots, ledger.usage().keys), (1, 6));
    for round in 0..3 {
        let set = findings(&format!("8*E {round}-{{}} @{{}}"));
        let delta = ledger.observe(&slot("b"), Evidence::Partial, &set);
        ledger.acknowledge(delta, Shown::All);
        assert!(ledger.usage().keys <= 10);
    }
    let delta = ledger.observe(&slot("b"), Evidence::Partial, &[]);
    assert_eq!(
        (delta.remaining.total(), delta.origin),
        (10, Origin::Unknown)
    );
}

#[test]
fn a_set_that_is_too_large_proves_nothing_gone() {
    let mut ledger = Ledger::new(Config {
        max_findings: 3,
        ..Config::default()
    });
    ledger.baseline(&slot("a"), &findings("W old @1"));
    let set = findings("4*W w{} @{}; E x @9");
    let delta = ledger.observe(&slot("a"), Evidence::Complete, &set);
    assert_eq!(written(&delta), "+E x @9 +W w1 @1 +W w2 @2 =1 ~1");
    assert_eq!((delta.evidence, delta.left_out), (Evidence::Partial, 2));
}

#[test]
fn a_baseline_that_is_too_large_leaves_the_origin_open() {
    let mut ledger = Ledger::new(Config {
        max_findings: 1,
        ..Config::default()
    });
    ledger.baseline(&slot("a"), &findings("E x @1; E y @2"));
    let delta = ledger.observe(&slot("a"), Evidence::Complete, &findings("E y @2"));
    assert_eq!(written(&delta), "+E y @2 -E x =0 origin?");
}

#[test]
fn excerpts_are_cut_between_characters() {
    let mut ledger = Ledger::new(Config {
        max_excerpt: 2,
        ..Config::default()
    });
    ledger.baseline(&slot("a"), &findings("E[1234] aéé @1; E aéx @2"));
    let delta = ledger.observe(&slot("a"), Evidence::Complete, &[]);
    let said: Vec<_> = delta
        .resolved
        .iter()
        .map(|one| (one.code.as_deref(), &*one.message))
        .collect();
    assert_eq!(said.len(), 2);
    assert!(said.contains(&(Some("12"), "a")) && said.contains(&(None, "a")));
}

#[test]
fn bounds_of_nothing_still_answer() {
    let config = Config {
        max_slots: 0,
        max_keys: 0,
        max_findings: 0,
        ..Config::default()
    };
    let mut ledger = Ledger::new(config);
    ledger.baseline(&slot("a"), &findings("E x @1"));
    let delta = ledger.observe(&slot("a"), Evidence::Complete, &findings("E x @1"));
    assert_eq!((written(&delta), delta.left_out), ("=0".to_owned(), 1));
    assert!(ledger.acknowledge(delta, Shown::All));
}
