//! Killed at every call, and again inside recovery.

use std::path::Path;
use std::process::Command;

use super::fault::{Fault, FaultFs};
use super::sample::{contents, leftovers, on_disk, open, stage, which};
use crate::recover::if_needed;
use crate::{Durability, recover};

/// How many calls staging and committing the sample take.
fn calls(durability: Durability) -> (u64, u64) {
    let dir = on_disk();
    let fs = FaultFs::new(open(dir.path()), Fault::None);
    let mut staged = stage(fs.clone()).unwrap();
    let before = fs.calls();
    staged.commit(durability).unwrap();
    (before, fs.calls())
}

/// Runs the sample on a disk that dies at `at`.
fn die(root: &Path, durability: Durability, at: u64) {
    let fs = FaultFs::new(open(root), Fault::DieAt(at));
    if let Ok(mut staged) = stage(fs) {
        let _ = staged.commit(durability);
    }
}

#[test]
fn a_death_at_every_call_leaves_old_or_new() {
    for durability in [Durability::ProcessCrash, Durability::PowerLoss] {
        let (_, end) = calls(durability);
        let mut outcomes = [0, 0];
        for at in 0..=end {
            let dir = on_disk();
            die(dir.path(), durability, at);
            let report = recover(dir.path()).unwrap();
            let new = which(&contents(dir.path()), &|| {
                format!("{durability:?}, call {at}")
            });
            outcomes[usize::from(new)] += 1;
            assert_eq!(leftovers(dir.path()), Vec::<String>::new(), "call {at}");
            let conflicts = report
                .transactions
                .iter()
                .flat_map(|txn| &txn.conflicts)
                .count();
            assert_eq!(conflicts, 0, "call {at}: {report:?}");
            assert!(recover(dir.path()).unwrap().is_clean());
        }
        assert!(outcomes.iter().all(|count| *count > 1), "{outcomes:?}");
    }
}

#[test]
fn a_second_death_inside_recovery_leaves_old_or_new() {
    let (begin, end) = calls(Durability::PowerLoss);
    let stride = if super::long() { 1 } else { 5 };
    for at in (begin..=end).step_by(stride) {
        // The first death is the same for all second ones: count what recovery takes.
        let dir = on_disk();
        die(dir.path(), Durability::PowerLoss, at);
        let fs = FaultFs::new(open(dir.path()), Fault::None);
        if_needed(&*fs).unwrap();
        let needed = fs.calls();
        let expected = contents(dir.path());
        for second in (0..needed).step_by(stride) {
            let dir = on_disk();
            die(dir.path(), Durability::PowerLoss, at);
            let fs = FaultFs::new(open(dir.path()), Fault::DieAt(second));
            if_needed(&*fs).unwrap_err();
            recover(dir.path()).unwrap();
            let found = contents(dir.path());
            which(&found, &|| format!("call {at}, then call {second}"));
            assert_eq!(
                found, expected,
                "recovery has one end; call {at}, then call {second}"
            );
            assert_eq!(leftovers(dir.path()), Vec::<String>::new());
        }
    }
}

const ROOT: &str = "FOURFOLD_KILL_ROOT";
const CALL: &str = "FOURFOLD_KILL_CALL";

/// Does nothing in a normal run; in the child it stages and commits, and is aborted on the way.
#[test]
fn child_that_is_aborted() {
    let (Some(root), Ok(call)) = (std::env::var_os(ROOT), std::env::var(CALL)) else {
        return;
    };
    let fault = Fault::AbortAt(call.parse().unwrap());
    let fs = FaultFs::new(open(Path::new(&root)), fault);
    let recovering = if_needed(&*fs).unwrap();
    if recovering.is_clean() {
        stage(fs).unwrap().commit(Durability::ProcessCrash).unwrap();
    }
}

/// Runs this test binary as a child on `root`, to be aborted at a call; says whether it was.
fn abort_child(root: &Path, call: u64) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "tests::kill::child_that_is_aborted",
            "--nocapture",
        ])
        .env(ROOT, root)
        .env(CALL, call.to_string())
        .output()
        .unwrap();
    !output.status.success()
}

#[test]
fn a_process_aborted_at_every_call_leaves_old_or_new() {
    let (begin, _) = calls(Durability::ProcessCrash);
    let stride = if super::long() { 1 } else { 7 };
    let mut outcomes = [0, 0];
    for at in (begin..).step_by(stride) {
        let dir = on_disk();
        if !abort_child(dir.path(), at) {
            assert!(which(&contents(dir.path()), &|| "not aborted".to_owned()));
            break;
        }
        // And a second one that dies while it recovers; how far it gets depends on the first.
        abort_child(dir.path(), 3 + at % 40);
        recover(dir.path()).unwrap();
        let new = which(&contents(dir.path()), &|| format!("aborted at {at}"));
        outcomes[usize::from(new)] += 1;
        assert_eq!(
            leftovers(dir.path()),
            Vec::<String>::new(),
            "aborted at {at}"
        );
    }
    assert!(outcomes[0] > 0, "{outcomes:?}");
}
