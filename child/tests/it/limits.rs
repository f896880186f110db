//! The hard limit and the idle one.

use std::time::Duration;

use fourfold_child::{EndedBy, Limits};
use rustix::process::Signal;
use tokio::time::{Instant, advance};

use crate::support::{Host, guarded, unruly};

const MINUTE: Duration = Duration::from_secs(60);

/// The clock stands still and jumps to the next timer when nothing else is to be done.
#[tokio::test(start_paused = true)]
async fn the_hard_limit_is_not_renewed() {
    let begin = Instant::now();
    let limits = Limits::default()
        .with_hard(10 * MINUTE)
        .with_idle(3 * MINUTE);
    let child = guarded("cat").limits(limits).spawn().await.unwrap();
    assert_eq!(child.expires(), Some(begin + 10 * MINUTE));
    for _ in 0..9 {
        advance(MINUTE).await;
        child.touch();
        assert_eq!(child.try_wait(), None);
    }
    let exit = child.wait().await;
    assert_eq!((exit.signal, exit.by), (Some(9), EndedBy::HardLimit));
    assert_eq!(begin.elapsed().as_secs(), 600);
    assert_eq!(exit.to_string(), "signal 9 (KILL), ended by its time limit");
}

#[tokio::test(start_paused = true)]
async fn the_idle_limit_counts_from_the_last_touch() {
    let begin = Instant::now();
    let limits = Limits::default().with_idle(3 * MINUTE);
    let child = guarded("cat").limits(limits).spawn().await.unwrap();
    assert_eq!(child.expires(), None);
    for _ in 0..5 {
        advance(2 * MINUTE).await;
        child.touch();
        assert_eq!(child.try_wait(), None);
    }
    let exit = child.wait().await;
    assert_eq!((exit.signal, exit.by), (Some(9), EndedBy::IdleLimit));
    assert_eq!(begin.elapsed().as_secs(), 13 * 60);
}

#[tokio::test]
async fn the_whole_tree_ends_at_the_limit() {
    let limits = Limits::default().with_hard(Duration::from_secs(2));
    let (child, tree) = unruly(|spawn| spawn.limits(limits)).await;
    assert_eq!(child.wait().await.by, EndedBy::HardLimit);
    assert_eq!(child.gone().await, 0);
    tree.assert_gone();
}

/// A host that is stopped keeps no time; its guard does.
#[test]
fn the_guard_keeps_the_hard_limit_too() {
    let mut host = Host::start(&["--limit", "3"]);
    host.signal(Signal::STOP);
    host.tree.wait();
    host.signal(Signal::CONT);
    host.process.wait().unwrap();
}
