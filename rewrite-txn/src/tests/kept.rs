//! Stages in the store and deaths: a kept stage goes when its commit is finished and not before,
//! and the report says which it was.

use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;

use super::fault::{Fault, FaultFs};
use super::model::ModelFs;
use super::sample::{FILES, Random, contents, leftovers, on_disk, open, stage, which};
use crate::fs::Fs;
use crate::recover::if_needed;
use crate::{Durability, Outcome, RecoveredTxn, Report, StageStore, StoreLimits, recover, state};

fn store(fs: Arc<dyn Fs>) -> StageStore {
    StageStore::on(fs, StoreLimits::default())
}

/// Keeps the sample in the store; returns its id.
fn keep(fs: &Arc<dyn Fs>) -> String {
    let staged = stage(Arc::clone(fs)).unwrap();
    store(Arc::clone(fs)).save(&staged).unwrap();
    staged.id().to_owned()
}

/// Loads the kept sample and commits it on a disk that dies at `at`; returns how many calls that
/// takes.
fn commit(fs: &Arc<dyn Fs>, id: &str, durability: Durability, at: u64) -> u64 {
    let dying = FaultFs::new(Arc::clone(fs), Fault::DieAt(at));
    if let Ok(mut staged) = store(dying.clone()).load(id) {
        let _ = staged.commit(durability);
    }
    dying.calls()
}

/// The ids in the store.
fn listed(fs: &Arc<dyn Fs>) -> Vec<String> {
    let kept = store(Arc::clone(fs)).list().unwrap();
    kept.into_iter().map(|stage| stage.id).collect()
}

/// Names in the folder of the store.
fn in_store(root: &Path) -> Vec<String> {
    let names = std::fs::read_dir(root.join(".fourfold/stages")).unwrap();
    let mut names: Vec<String> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn redone(report: &Report) -> bool {
    report
        .transactions
        .iter()
        .any(|txn| txn.outcome == Outcome::Redone)
}

#[test]
fn a_death_at_every_call_leaves_the_stage_or_its_files() {
    for durability in [Durability::ProcessCrash, Durability::PowerLoss] {
        let mut finished = 0;
        for at in 0.. {
            let dir = on_disk();
            let fs = open(dir.path());
            let id = keep(&fs);
            let calls = commit(&fs, &id, durability, at);
            let context = format!("{durability:?}, call {at}");
            let txn = dir.path().join(state::txn_dir(&id));
            let decided =
                txn.join("committed").exists() || dir.path().join(state::done_dir(&id)).exists();
            let report = recover(dir.path()).unwrap();
            assert_eq!(redone(&report), decided, "{context}: {report:?}");
            assert_eq!(leftovers(dir.path()), Vec::<String>::new(), "{context}");
            if which(&contents(dir.path()), &|| context.clone()) {
                assert_eq!(listed(&fs), Vec::<String>::new(), "{context}");
                assert!(
                    report.is_clean() || redone(&report),
                    "{context}: {report:?}"
                );
                finished += usize::from(redone(&report));
            } else {
                assert_eq!(listed(&fs), [id.as_str()], "{context}");
                assert!(!redone(&report), "{context}: {report:?}");
            }
            if calls <= at {
                break;
            }
        }
        // Among them every removal of a side file.
        assert!(finished > 10, "{durability:?}: {finished}");
    }
}

#[test]
fn what_is_finished_is_said_with_its_stage_and_files() {
    let dir = on_disk();
    let id = keep(&open(dir.path()));
    // Everything is changed and nothing removed.
    let fs = FaultFs::new(open(dir.path()), Fault::FailAll("unlink", Errno::IO));
    let whole = store(fs).load(&id).unwrap();
    let mut part = whole.without(&["gone.txt"], &[] as &[&str]).unwrap();
    part.commit(Durability::ProcessCrash).unwrap();
    assert!(in_store(dir.path()).contains(&format!("{id}.stage")));
    let report = recover(dir.path()).unwrap();
    let txn = &report.transactions[0];
    assert_eq!(txn.outcome, Outcome::Redone);
    assert_eq!(txn.id, part.id());
    // The stage that goes is the one in the store.
    assert_eq!(txn.kept.as_deref(), Some(id.as_str()));
    assert_eq!(txn.files, part.paths().unwrap());
    assert_eq!(in_store(dir.path()), ["lock"]);
    assert_eq!(leftovers(dir.path()), Vec::<String>::new());
}

#[test]
fn a_power_cut_never_leaves_the_stage_of_a_finished_commit() {
    let mut random = Random(17);
    let (mut old, mut new) = (0, 0);
    for at in 0.. {
        let model = ModelFs::new(&FILES);
        let fs: Arc<dyn Fs> = model.clone();
        let id = keep(&fs);
        let calls = commit(&fs, &id, Durability::PowerLoss, at);
        for cut in model.cuts(8, || random.next()) {
            let disk = model.after(&cut);
            let context = || format!("call {at}, {cut:?}");
            let report = if_needed(&*disk).unwrap();
            let disk_fs: Arc<dyn Fs> = disk.clone();
            if which(&disk.contents(), &context) {
                assert_eq!(listed(&disk_fs), Vec::<String>::new(), "{}", context());
                // What removes a finished commit is not waited for: of that anything can be left.
                let undone = |txn: &RecoveredTxn| txn.outcome == Outcome::Undone;
                assert!(
                    !report.transactions.iter().any(undone),
                    "{}: {report:?}",
                    context()
                );
                new += 1;
            } else {
                assert!(!redone(&report), "{}: {report:?}", context());
                old += 1;
            }
        }
        if calls <= at {
            break;
        }
    }
    assert!(old > 100 && new > 100, "{old} {new}");
}

#[test]
fn a_stage_that_cannot_be_kept_leaves_no_draft() {
    for call in ["write_new", "sync_file", "rename_new"] {
        let dir = on_disk();
        let fs = open(dir.path());
        let staged = stage(Arc::clone(&fs)).unwrap();
        keep(&fs);
        let before = in_store(dir.path());
        let full = FaultFs::new(fs, Fault::FailAll(call, Errno::NOSPC));
        store(full).save(&staged).unwrap_err();
        assert_eq!(in_store(dir.path()), before, "{call}");
    }
}

#[test]
fn a_draft_left_by_a_death_goes_with_the_next_recovery_or_sweep() {
    for sweep in [false, true] {
        let dir = on_disk();
        let fs = open(dir.path());
        let staged = stage(Arc::clone(&fs)).unwrap();
        // The folder is made the first time.
        let other = keep(&fs);
        store(Arc::clone(&fs)).remove(&other).unwrap();
        let again = FaultFs::new(Arc::clone(&fs), Fault::None);
        store(again.clone()).save(&staged).unwrap();
        store(Arc::clone(&fs)).remove(staged.id()).unwrap();
        let writing = again
            .log()
            .iter()
            .position(|call| call.starts_with("write_new"));
        let dying = FaultFs::new(Arc::clone(&fs), Fault::DieAt(writing.unwrap() as u64));
        store(dying).save(&staged).unwrap_err();
        let draft = format!("{}.tmp", staged.id());
        assert_eq!(in_store(dir.path()), ["lock", draft.as_str()]);
        // Somebody may be writing it.
        let lock = fs.lock(Path::new(".fourfold/stages/lock")).unwrap();
        assert!(recover(dir.path()).unwrap().is_clean());
        assert_eq!(in_store(dir.path()), ["lock", draft.as_str()]);
        drop(lock);
        match sweep {
            true => assert!(store(fs).sweep().unwrap().is_empty()),
            false => assert!(recover(dir.path()).unwrap().is_clean()),
        }
        assert_eq!(in_store(dir.path()), ["lock"]);
    }
}
