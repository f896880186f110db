//! Without a guard the promise is smaller, and kept.

use fourfold_child::{EndedBy, Guard, Spawn, StopPlan, StopStep, leftovers};
use rustix::process::Signal;

use crate::support::{Tree, is_listed, signal, unruly};

/// All but one, which is the stated hole: it has neither the group nor the token.
#[track_caller]
fn wait(tree: &Tree) {
    for (number, process) in tree.processes.iter().enumerate() {
        if number == Tree::BARE {
            assert!(!process.is_gone());
            process.kill();
        }
        process.wait();
    }
    tree.assert_gone();
}

fn unguarded(spawn: Spawn) -> Spawn {
    spawn.guard(Guard::None)
}

#[tokio::test]
async fn a_tree_is_found_by_its_group_and_its_token() {
    let (child, tree) = unruly(unguarded).await;
    assert_eq!(child.guard_id(), None);
    child.kill();
    let exit = child.wait().await;
    assert_eq!((exit.signal, exit.by), (Some(9), EndedBy::Host));
    assert_eq!(child.gone().await, 0);
    assert_eq!(leftovers(child.token()), []);
    assert!(!is_listed(child.id()), "a zombie stays");
    wait(&tree);
}

#[tokio::test]
async fn a_tree_ends_with_its_program() {
    let (child, tree) = unruly(unguarded).await;
    signal(child.id(), Signal::HUP);
    let exit = child.wait().await;
    assert_eq!((exit.signal, exit.by), (Some(1), EndedBy::Itself));
    assert_eq!(child.gone().await, 0);
    wait(&tree);
}

#[tokio::test]
async fn a_tree_ends_when_it_is_stopped() {
    let (child, tree) = unruly(unguarded).await;
    let stopped = child.stop(StopPlan::default()).await;
    assert_eq!((stopped.step, stopped.left), (StopStep::Eof, Some(0)));
    assert_eq!(stopped.exit.unwrap().code, Some(3));
    wait(&tree);
}

#[tokio::test]
async fn a_tree_ends_with_a_drop() {
    let (child, tree) = unruly(unguarded).await;
    drop(child);
    wait(&tree);
}
