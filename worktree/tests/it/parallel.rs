//! Results in order, whatever the threads do.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};

use fourfold_worktree::{Control, Ended, Skipped, Workers};
use proptest::prelude::*;

fn workers(threads: usize, window: usize) -> Workers {
    Workers {
        threads,
        window,
        ..Workers::default()
    }
}

/// What becomes of an item, so that a case is plain data.
#[derive(Clone, Debug)]
enum Item {
    Nothing,
    Value(u8),
    Skip,
    Panic,
}

fn items() -> impl Strategy<Value = Vec<Item>> {
    let item = prop_oneof![
        4 => Just(Item::Nothing),
        4 => any::<u8>().prop_map(Item::Value),
        2 => Just(Item::Skip),
        1 => Just(Item::Panic),
    ];
    prop::collection::vec(item, 0..120)
}

fn work(item: &Item) -> Result<Option<u8>, Skipped> {
    match item {
        Item::Nothing => Ok(None),
        Item::Value(value) => Ok(Some(*value)),
        Item::Skip => Err(Skipped::Vanished),
        // Not `panic!`: the hook would print thousands of messages.
        Item::Panic => std::panic::resume_unwind(Box::new("no luck")),
    }
}

/// The same, one after the other.
fn expected(items: &[Item], enough: usize) -> Vec<(usize, Result<u8, Skipped>)> {
    let results = items.iter().enumerate().filter_map(|(index, item)| {
        let result = match item {
            Item::Nothing => return None,
            Item::Value(value) => Ok(*value),
            Item::Skip => Err(Skipped::Vanished),
            Item::Panic => Err(Skipped::Crashed {
                message: "no luck".into(),
            }),
        };
        Some((index, result))
    });
    results.take(enough).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn order_and_content_do_not_depend_on_threads(
        items in items(), threads in 1usize..9, window in 1usize..20, enough in 1usize..150,
    ) {
        let numbered: Vec<_> = items.iter().cloned().enumerate().collect();
        let mut seen = Vec::new();
        let control = Control::new();
        let ended = workers(threads, window).map(
            &numbered,
            &control,
            || (),
            |(), (_, item)| work(item),
            |(index, _), result| {
                seen.push((*index, result));
                if seen.len() == enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        ).unwrap();
        let expected = expected(&items, enough);
        prop_assert_eq!(ended == Ended::Enough, expected.len() == enough);
        prop_assert_eq!(seen, expected);
        prop_assert!(ended == Ended::Enough || control.done() == items.len());
    }
}

#[test]
fn the_others_go_on_while_one_is_slow() {
    // Item 0 ends only when seven more, the rest of its window, were begun.
    let begun = AtomicUsize::new(0);
    let gate = Barrier::new(2);
    let items: Vec<usize> = (0..100).collect();
    let mut sum = 0;
    let ended = workers(2, 8)
        .map(
            &items,
            &Control::new(),
            || (),
            |(), item| {
                let count = begun.fetch_add(1, Ordering::SeqCst) + 1;
                if *item == 0 || count == 8 {
                    gate.wait();
                }
                Ok(Some(*item))
            },
            |_, value| {
                sum += value.unwrap();
                ControlFlow::Continue(())
            },
        )
        .unwrap();
    assert_eq!((ended, sum), (Ended::Complete, 4950));
}

#[test]
fn nothing_runs_two_windows_ahead() {
    let delivered = AtomicUsize::new(0);
    let items: Vec<usize> = (0..20_000).collect();
    let ended = workers(4, 8)
        .map(
            &items,
            &Control::new(),
            || (),
            |(), item| {
                let bound = delivered.load(Ordering::SeqCst) + 2 * 8;
                Ok(Some(*item < bound))
            },
            |_, within| {
                assert_eq!(within, Ok(true));
                delivered.fetch_add(1, Ordering::SeqCst);
                ControlFlow::Continue(())
            },
        )
        .unwrap();
    assert_eq!(ended, Ended::Complete);
}

#[test]
fn each_thread_keeps_its_own_state_and_stack() {
    fn deep(levels: usize) -> usize {
        let frame = std::hint::black_box([levels; 64]);
        if levels == 0 {
            0
        } else {
            deep(levels - 1) + frame[1] / frame[0]
        }
    }
    let states = AtomicUsize::new(0);
    let names = Mutex::new(BTreeSet::new());
    let ended = workers(3, 16)
        .map(
            &[40_000; 50],
            &Control::new(),
            || states.fetch_add(1, Ordering::SeqCst),
            |_, levels| {
                let name = std::thread::current().name().map(str::to_owned);
                names.lock().unwrap().insert(name);
                Ok(Some(deep(*levels)))
            },
            |levels, depth| {
                assert_eq!(depth, Ok(*levels));
                ControlFlow::Continue(())
            },
        )
        .unwrap();
    assert_eq!(ended, Ended::Complete);
    let names = names.into_inner().unwrap();
    assert_eq!(names.len(), states.into_inner());
    assert!(names.iter().all(|name| {
        name.as_deref()
            .is_some_and(|name| name.starts_with("fourfold-worker-"))
    }));
}

#[test]
fn a_cancelled_run_delivers_a_first_part() {
    let control = Control::new();
    let items: Vec<usize> = (0..10_000).collect();
    let mut seen = Vec::new();
    let ended = workers(4, 32)
        .map(
            &items,
            &control,
            || (),
            |(), item| {
                if *item == 500 {
                    control.cancel();
                }
                Ok(Some(*item))
            },
            |_, value| {
                seen.push(value.unwrap());
                ControlFlow::Continue(())
            },
        )
        .unwrap();
    assert_eq!(ended, Ended::Cancelled);
    assert!(seen.iter().copied().eq(0..seen.len()) && seen.len() < 1_000);
    assert!(control.done() < 1_000);
}

#[test]
fn a_panicking_receiver_does_not_hang() {
    let items = [0; 1_000];
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        workers(4, 2).map(
            &items,
            &Control::new(),
            || (),
            |(), _| Ok(Some(())),
            |_, _| std::panic::resume_unwind(Box::new(())),
        )
    }));
    assert!(outcome.is_err());
}

#[test]
fn an_impossible_stack_is_an_error() {
    let workers = Workers {
        stack_bytes: usize::MAX / 4,
        ..Workers::default()
    };
    let outcome = workers.map(
        &[1],
        &Control::new(),
        || (),
        |(), _| Ok(Some(())),
        |_, _| ControlFlow::Continue(()),
    );
    let message = outcome.unwrap_err().to_string();
    assert!(
        message.starts_with("cannot start worker threads: "),
        "{message}"
    );
}
