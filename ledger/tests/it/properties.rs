//! What holds in every history.

use std::collections::BTreeMap;

use fourfold_ledger::{Config, Evidence, Finding, Ledger, Origin, Severity, Shown, Slot};
use proptest::collection::vec;
use proptest::prelude::*;

/// Findings of five identities at random places.
fn set() -> impl Strategy<Value = Vec<Finding>> {
    let one = (0_u8..5, 0_u32..40).prop_map(|(kind, line)| {
        let severity = if kind % 2 == 0 {
            Severity::Error
        } else {
            Severity::Warning
        };
        Finding::new(severity, format!("message {}", kind / 2), line)
    });
    vec(one, 0..12)
}

fn evidence() -> impl Strategy<Value = Evidence> {
    prop_oneof![
        Just(Evidence::Complete),
        Just(Evidence::Partial),
        Just(Evidence::Masked)
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Observe(u8, Evidence, Vec<Finding>, Option<Shown>),
    Forget,
    Rename(u8, u8),
    Drop(u8),
    Stored,
}

fn step() -> impl Strategy<Value = Step> {
    let shown = prop_oneof![
        3 => Just(Some(Shown::All)),
        1 => (0_usize..6).prop_map(|n| Some(Shown::First(n))),
        1 => vec(0_usize..8, 0..4).prop_map(|places| Some(Shown::These(places))),
        1 => Just(None),
    ];
    prop_oneof![
        8 => (0_u8..3, evidence(), set(), shown).prop_map(|(d, e, s, n)| Step::Observe(d, e, s, n)),
        1 => Just(Step::Forget),
        1 => (0_u8..3, 0_u8..3).prop_map(|(a, b)| Step::Rename(a, b)),
        1 => (0_u8..3).prop_map(Step::Drop),
        1 => Just(Step::Stored),
    ]
}

fn slot(document: u8) -> Slot {
    Slot::new("server", document.to_string())
}

type Bag = BTreeMap<(Severity, String), usize>;

/// The set as a bag: exact duplicates once.
fn bag(set: &[Finding]) -> Bag {
    let mut places: Vec<_> = set
        .iter()
        .map(|one| (one.severity, one.message.clone(), one.line))
        .collect();
    places.sort();
    places.dedup();
    let mut bag = Bag::new();
    for (severity, message, _) in places {
        *bag.entry((severity, message)).or_default() += 1;
    }
    bag
}

proptest! {
    #[test]
    fn what_was_counted_is_no_news_and_was_told_only_if_it_was_shown(
        set in set(),
        many in 0_usize..12,
    ) {
        let mut ledger = Ledger::new(Config::default());
        let delta = ledger.observe(&slot(0), Evidence::Complete, &set);
        let (shown, all) = (many.min(delta.fresh.len()), delta.fresh.len());
        ledger.acknowledge_counted(delta, Shown::First(many));
        let delta = ledger.observe(&slot(0), Evidence::Complete, &set);
        prop_assert!(delta.is_silent());
        prop_assert_eq!(delta.origin, Origin::Known);
        prop_assert_eq!(delta.remaining.total(), all);
        ledger.forget_told();
        let delta = ledger.observe(&slot(0), Evidence::Complete, &set);
        prop_assert_eq!(delta.fresh.len(), shown);
    }

    #[test]
    fn a_shift_is_no_news(first in set(), by in 0_u32..9, evidence in evidence()) {
        let mut ledger = Ledger::new(Config::default());
        let delta = ledger.observe(&slot(0), Evidence::Complete, &first);
        ledger.acknowledge(delta, Shown::All);
        let mut moved = first;
        for finding in &mut moved {
            finding.line += by;
        }
        moved.reverse();
        let delta = ledger.observe(&slot(0), evidence, &moved);
        prop_assert!(delta.is_silent());
        prop_assert_eq!(delta.unconfirmed, 0);
    }

    /// Random histories against bags that are compared by hand.
    #[test]
    fn the_ledger_is_a_bag(steps in vec(step(), 0..24), last in set()) {
        let mut ledger = Ledger::new(Config::default());
        let mut model: BTreeMap<u8, Bag> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Observe(document, given, set, shown) => {
                    let known = model.entry(document).or_default();
                    let now = bag(&set);
                    let delta = ledger.observe(&slot(document), given, &set);
                    let mut fresh = Bag::new();
                    for item in &delta.fresh {
                        prop_assert_eq!(&set[item.index], &item.finding);
                        let key = (item.finding.severity, item.finding.message.clone());
                        *fresh.entry(key).or_default() += 1;
                    }
                    for (key, many) in &now {
                        let expected = many.saturating_sub(known.get(key).copied().unwrap_or(0));
                        prop_assert_eq!(fresh.get(key).copied().unwrap_or(0), expected);
                    }
                    let gone: usize = known
                        .iter()
                        .map(|(key, many)| many.saturating_sub(now.get(key).copied().unwrap_or(0)))
                        .sum();
                    let total: usize = known.values().sum();
                    let changed = delta.fresh.iter().filter(|item| item.was.is_some()).count();
                    let resolved: u32 = delta.resolved.iter().map(|one| one.count).sum();
                    if given == Evidence::Complete {
                        prop_assert_eq!(resolved as usize + changed, gone);
                        prop_assert_eq!(delta.remaining.total(), total - gone);
                    } else {
                        prop_assert_eq!((resolved, changed), (0, 0));
                        prop_assert_eq!(delta.remaining.total(), total);
                        prop_assert_eq!(delta.unconfirmed, gone);
                    }
                    let Some(shown) = shown else { continue };
                    if given == Evidence::Complete {
                        for (key, many) in known.iter_mut() {
                            *many = (*many).min(now.get(key).copied().unwrap_or(0));
                        }
                    }
                    for (place, item) in delta.fresh.iter().enumerate() {
                        let reached = match &shown {
                            Shown::All => true,
                            Shown::First(many) => place < *many,
                            Shown::These(places) => places.contains(&place),
                        };
                        if reached {
                            let key = (item.finding.severity, item.finding.message.clone());
                            *known.entry(key).or_default() += 1;
                        }
                    }
                    prop_assert!(ledger.acknowledge(delta, shown));
                }
                Step::Forget => {
                    // No baselines here: everything known was told.
                    ledger.forget_told();
                    model.values_mut().for_each(Bag::clear);
                }
                Step::Rename(old, new) => {
                    ledger.rename(&old.to_string(), &new.to_string());
                    let moved = model.remove(&old);
                    if old != new {
                        // What was overwritten is gone, known or not.
                        model.remove(&new);
                    }
                    model.extend(moved.map(|bag| (new, bag)));
                }
                Step::Drop(document) => {
                    let gone: u32 =
                        ledger.remove(&document.to_string()).iter().map(|one| one.count).sum();
                    let known = model.remove(&document).unwrap_or_default();
                    prop_assert_eq!(gone as usize, known.values().sum::<usize>());
                }
                Step::Stored => {
                    let bytes = ledger.checkpoint().to_bytes();
                    let read = fourfold_ledger::Checkpoint::from_bytes(&bytes).unwrap();
                    prop_assert_eq!(&read, &ledger.checkpoint());
                    ledger = Ledger::new(Config::default());
                    ledger.restore(read);
                }
            }
        }
        // However it went: after a complete observation that was shown, all that is there is known.
        let delta = ledger.observe(&slot(0), Evidence::Complete, &last);
        ledger.acknowledge(delta, Shown::All);
        prop_assert_eq!(ledger.standing(&slot(0)).total(), bag(&last).values().sum::<usize>());
        let again = ledger.observe(&slot(0), Evidence::Complete, &last);
        prop_assert!(again.is_silent());
    }

    /// Weak observations in between never make more to tell later.
    #[test]
    fn weak_evidence_adds_no_later_news(
        sets in vec((set(), vec((any::<bool>(), set()), 0..3)), 1..6),
    ) {
        let mut strong = Ledger::new(Config::default());
        let mut mixed = Ledger::new(Config::default());
        for (set, weak) in sets {
            for (masked, set) in weak {
                let evidence = if masked { Evidence::Masked } else { Evidence::Partial };
                let delta = mixed.observe(&slot(0), evidence, &set);
                mixed.acknowledge(delta, Shown::All);
            }
            let one = strong.observe(&slot(0), Evidence::Complete, &set);
            let two = mixed.observe(&slot(0), Evidence::Complete, &set);
            prop_assert!(two.fresh.len() <= one.fresh.len());
            strong.acknowledge(one, Shown::All);
            mixed.acknowledge(two, Shown::All);
        }
    }
}
