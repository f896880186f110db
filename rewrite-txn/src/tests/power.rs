//! Power cuts on a modelled disk, at every call and in every way the model allows.

use std::sync::Arc;

use super::fault::{Fault, FaultFs};
use super::model::ModelFs;
use super::sample::{FILES, Random, stage, which};
use crate::fs::Fs;
use crate::recover::if_needed;
use crate::{CommitError, Durability};

/// What the one who asked for a commit was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Done,
    Refused,
    /// Nothing, or that it is not known.
    Nothing,
}

/// The disk as it is when the machine dies at call `at` of staging and committing the sample.
fn run(at: u64, durability: Durability) -> (Arc<ModelFs>, Told, u64) {
    let model = ModelFs::new(&FILES);
    let fs = FaultFs::new(model.clone(), Fault::DieAt(at));
    let told = match stage(fs.clone()).map(|mut staged| staged.commit(durability)) {
        Ok(Ok(_)) => Told::Done,
        Ok(Err(CommitError::Failed { .. } | CommitError::Drifted { .. })) => Told::Refused,
        _ => Told::Nothing,
    };
    (model, told, fs.calls())
}

/// Recovers a disk and says whether everything is new.
fn recovered(model: &Arc<ModelFs>, context: &dyn Fn() -> String) -> bool {
    let report = if_needed(&**model).unwrap();
    let conflicts = report
        .transactions
        .iter()
        .flat_map(|txn| &txn.conflicts)
        .count();
    assert_eq!(conflicts, 0, "{}: {report:?}", context());
    assert_eq!(
        model.leftovers(),
        Vec::<std::path::PathBuf>::new(),
        "{}",
        context()
    );
    which(&model.contents(), context)
}

#[test]
fn a_power_cut_at_every_call_leaves_old_or_new() {
    let (_, told, end) = run(u64::MAX, Durability::PowerLoss);
    assert_eq!(told, Told::Done);
    let most = if super::long() { 1024 } else { 16 };
    let mut random = Random(7);
    let (mut states, mut outcomes) = (0, [0, 0]);
    for at in 0..=end {
        let (model, told, _) = run(at, Durability::PowerLoss);
        for cut in model.cuts(most, || random.next()) {
            let context = || format!("call {at}, told {told:?}, {cut:?}");
            let disk = model.after(&cut);
            let new = recovered(&disk, &context);
            assert!(told != Told::Done || new, "told it was done: {}", context());
            assert!(
                told != Told::Refused || !new,
                "told it was refused: {}",
                context()
            );
            states += 1;
            outcomes[usize::from(new)] += 1;
            // What recovery has reached does not get lost in the next cut either.
            for later in disk.cuts(4, || random.next()) {
                assert_eq!(
                    recovered(&disk.after(&later), &context),
                    new,
                    "{}",
                    context()
                );
            }
        }
    }
    assert!(
        states > 1000 && outcomes.iter().all(|count| *count > 10),
        "{states} {outcomes:?}"
    );
}

#[test]
fn a_second_power_cut_inside_recovery_leaves_old_or_new() {
    let (_, _, end) = run(u64::MAX, Durability::PowerLoss);
    let (stride, most) = if super::long() { (1, 8) } else { (5, 3) };
    let mut random = Random(11);
    for at in (0..=end).step_by(stride) {
        let (model, _, _) = run(at, Durability::PowerLoss);
        for cut in model.cuts(most, || random.next()) {
            let first = model.after(&cut);
            let expected = recovered(&model.after(&cut), &|| format!("call {at}, {cut:?}"));
            for second in (0u64..).step_by(stride) {
                // A fresh copy of the same disk for each.
                let disk = first.after(&first.cuts(0, || 0)[0]);
                let fs = FaultFs::new(disk.clone(), Fault::DieAt(second));
                if if_needed(&*fs as &dyn Fs).is_ok() {
                    break;
                }
                for later in disk.cuts(most / 4, || random.next()) {
                    let context = || format!("call {at}, {cut:?}, call {second}, {later:?}");
                    assert_eq!(
                        recovered(&disk.after(&later), &context),
                        expected,
                        "{}",
                        context()
                    );
                }
            }
        }
    }
}

/// The model is worth something only if it finds what is wrong: without the waits it must.
#[test]
fn without_waiting_for_the_disk_a_power_cut_does_harm() {
    let (_, _, end) = run(u64::MAX, Durability::ProcessCrash);
    let mut random = Random(13);
    let mut harm = 0;
    for at in 0..=end {
        let (model, _, _) = run(at, Durability::ProcessCrash);
        for cut in model.cuts(16, || random.next()) {
            let disk = model.after(&cut);
            let _ = if_needed(&*disk);
            let tree = disk.contents();
            let whole = [false, true]
                .iter()
                .any(|new| tree == super::sample::tree(*new));
            harm += usize::from(!whole);
        }
    }
    assert!(harm > 100, "{harm}");
    // And once nothing is pending, nothing is lost.
    let (model, _, _) = run(u64::MAX, Durability::PowerLoss);
    assert!(
        model.pending() > 0,
        "the removal of the folder is not waited for"
    );
}
