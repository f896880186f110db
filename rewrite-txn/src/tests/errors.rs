//! Calls that fail, file systems that lack something, disks that are full.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use rustix::io::Errno;
use tempfile::TempDir;

use super::fault::{Fault, FaultFs};
use super::sample::{self, contents, leftovers, on_disk, open, stage, which};
use crate::fs::Fs;
use crate::recover::if_needed;
use crate::{
    CommitError, CommitOptions, Durability, Edit, Error, Guarantee, Stage, StageStore, StoreLimits,
    recover,
};

/// Every call of staging and committing fails once, with every error.
#[test]
fn any_failing_call_leaves_old_or_new_and_says_which() {
    let errors = [
        Errno::NOSPC,
        Errno::IO,
        Errno::PERM,
        Errno::XDEV,
        Errno::INVAL,
    ];
    let dir = on_disk();
    let counted = FaultFs::new(open(dir.path()), Fault::None);
    stage(counted.clone())
        .unwrap()
        .commit(Durability::PowerLoss)
        .unwrap();
    let mut seen = [0; 3];
    for (at, call) in counted.log().iter().enumerate() {
        for errno in errors {
            let dir = on_disk();
            let context = || format!("{call} (call {at}) fails with {errno:?}");
            let fs = FaultFs::new(open(dir.path()), Fault::FailAt(at as u64, errno));
            let Ok(mut staged) = stage(fs) else { continue };
            let result = staged.commit(Durability::PowerLoss);
            match &result {
                Ok(_) => {
                    assert!(which(&contents(dir.path()), &context), "{}", context());
                    seen[0] += 1;
                }
                Err(CommitError::Indeterminate { .. }) => seen[2] += 1,
                Err(error) => {
                    assert!(
                        !which(&contents(dir.path()), &context),
                        "{}: {error}",
                        context()
                    );
                    seen[1] += 1;
                }
            }
            let report = recover(dir.path()).unwrap();
            let new = which(&contents(dir.path()), &context);
            if !matches!(result, Err(CommitError::Indeterminate { .. })) {
                assert_eq!(new, result.is_ok(), "{}: {report:?}", context());
            }
            assert_eq!(leftovers(dir.path()), Vec::<String>::new(), "{}", context());
        }
    }
    assert!(seen[0] > 20 && seen[1] > 100, "{seen:?}");
}

/// Without an exchange, and without renames that respect what is there.
fn poor(root: &Path) -> Arc<dyn Fs> {
    let no_exchange = FaultFs::new(open(root), Fault::FailAll("exchange", Errno::INVAL));
    FaultFs::new(no_exchange, Fault::FailAll("rename_new", Errno::INVAL))
}

/// With a mount between our folder and everything else.
fn fenced(root: &Path) -> Arc<dyn Fs> {
    FaultFs::new(open(root), Fault::Fence)
}

/// A death at every call on such a file system, and recovery on it.
fn die_everywhere(make: fn(&Path) -> Arc<dyn Fs>) {
    let mut outcomes = [0, 0];
    for at in 0.. {
        let dir = on_disk();
        let fs = FaultFs::new(make(dir.path()), Fault::DieAt(at));
        let alive =
            stage(fs.clone()).is_ok_and(|mut staged| staged.commit(Durability::PowerLoss).is_ok());
        let done = alive && fs.calls() <= at;
        if_needed(&*make(dir.path())).unwrap();
        let found = contents(dir.path());
        outcomes[usize::from(which(&found, &|| format!("call {at}")))] += 1;
        assert_eq!(leftovers(dir.path()), Vec::<String>::new(), "call {at}");
        if done {
            break;
        }
    }
    assert!(outcomes.iter().all(|count| *count > 2), "{outcomes:?}");
}

#[test]
fn without_an_exchange_it_works_with_a_lower_guarantee() {
    let dir = on_disk();
    let mut staged = stage(poor(dir.path())).unwrap();
    let committed = staged.commit(Durability::PowerLoss).unwrap();
    assert_eq!(committed.guarantee, Guarantee::NoExchange);
    assert!(which(&contents(dir.path()), &|| "poor".to_owned()));
    assert_eq!(leftovers(dir.path()), Vec::<String>::new());
    die_everywhere(poor);
}

#[test]
fn across_a_mount_side_files_lie_beside_their_targets() {
    let dir = on_disk();
    let mut staged = stage(fenced(dir.path())).unwrap();
    let committed = staged.commit(Durability::PowerLoss).unwrap();
    assert_eq!(committed.guarantee, Guarantee::Full);
    assert!(which(&contents(dir.path()), &|| "fenced".to_owned()));
    assert_eq!(leftovers(dir.path()), Vec::<String>::new());
    die_everywhere(fenced);
}

#[test]
fn where_nothing_can_be_exchanged_nothing_is_changed() {
    let dir = on_disk();
    let fs = FaultFs::new(open(dir.path()), Fault::FailAll("exchange", Errno::XDEV));
    let error = stage(fs)
        .unwrap()
        .commit(Durability::PowerLoss)
        .unwrap_err();
    assert!(matches!(error, CommitError::Failed { .. }), "{error}");
    assert!(!which(&contents(dir.path()), &|| error.to_string()));
    assert_eq!(leftovers(dir.path()), Vec::<String>::new());
}

#[test]
fn drift_at_each_file_refuses_the_whole() {
    for (path, _) in sample::FILES {
        let dir = on_disk();
        let mut staged = stage(open(dir.path())).unwrap();
        std::fs::write(dir.path().join(path), "drifted").unwrap();
        let before = contents(dir.path());
        let looked = staged.check(&CommitOptions::default());
        for refused in [looked, staged.commit(Durability::PowerLoss).map(drop)] {
            match refused {
                Err(CommitError::Drifted { files, .. }) => {
                    let named: Vec<_> = files.iter().map(|file| file.path.as_path()).collect();
                    assert_eq!(named, [Path::new(path)]);
                }
                other => panic!("{path}: {other:?}"),
            }
        }
        assert_eq!(contents(dir.path()), before);
        assert_eq!(leftovers(dir.path()), Vec::<String>::new());
    }
}

#[test]
fn a_look_finds_nothing_where_a_commit_goes_through_and_changes_nothing() {
    let dir = on_disk();
    let mut staged = stage(open(dir.path())).unwrap();
    let before = contents(dir.path());
    staged.check(&CommitOptions::default()).unwrap();
    assert_eq!(contents(dir.path()), before);
    staged.commit(Durability::PowerLoss).unwrap();
    let again = staged.check(&CommitOptions::default());
    assert!(matches!(again, Err(CommitError::Spent { .. })), "{again:?}");
}

/// A file system mounted for one test. `None`, and a word about it, where mounting is not allowed.
struct Mount(TempDir);

impl Mount {
    fn tmpfs(options: &str) -> Option<Self> {
        let dir = TempDir::new().unwrap();
        Self::at(dir.path(), options).then(|| Self(dir))
    }

    fn at(path: &Path, options: &str) -> bool {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "fourfold-test"])
            .arg(path)
            .output()
            .is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("NOT TESTED: mounting a tmpfs is not permitted here; run the tests as root");
        }
        mounted
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).output();
    }
}

#[test]
fn a_full_disk_changes_nothing() {
    let Some(mount) = Mount::tmpfs("size=200k") else {
        return;
    };
    let root = mount.0.path();
    let write = |name: &str, bytes: usize| std::fs::write(root.join(name), vec![b'x'; bytes]);
    for name in ["a", "b", "c"] {
        write(name, 30_000).unwrap();
    }
    let before = contents(root);
    let mut stage = Stage::new(root).unwrap();
    for name in ["a", "b", "c"] {
        stage.write(name, vec![b'y'; 40_000]).unwrap();
    }
    let mut staged = stage.finish().unwrap();
    let error = staged.commit(Durability::PowerLoss).unwrap_err();
    assert!(
        error.to_string().contains("No space left on device"),
        "{error}"
    );
    assert_eq!(contents(root), before);
    assert_eq!(leftovers(root), Vec::<String>::new());
    // Nor does a stage that cannot be kept leave a part of itself.
    let store = StageStore::open(root, StoreLimits::default()).unwrap();
    let error = store.save(&staged).unwrap_err();
    assert!(
        error.to_string().contains("No space left on device"),
        "{error}"
    );
    let names = std::fs::read_dir(root.join(".fourfold/stages")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["lock"]);
    // With every amount of room that is too small, up to the one that is enough.
    let mut done = false;
    for room in (4..200).rev().step_by(4) {
        std::fs::write(root.join("filler"), vec![b'z'; room * 1024]).ok();
        let filled = contents(root);
        let mut stage = Stage::new(root).unwrap();
        stage.replace("a", vec![Edit::new(0..1, "A")]).unwrap();
        stage.create("new/file", vec![b'n'; 5000]).unwrap();
        match stage.finish().unwrap().commit(Durability::PowerLoss) {
            Ok(_) => {
                done = true;
                break;
            }
            Err(error) => {
                assert!(error.to_string().contains("No space left"), "{error}");
                assert_eq!(contents(root), filled);
                assert_eq!(leftovers(root), Vec::<String>::new());
            }
        }
        std::fs::remove_file(root.join("filler")).unwrap();
    }
    assert!(done);
}

#[test]
fn a_mount_inside_the_checkout_is_no_obstacle() {
    let dir = on_disk();
    let inner = dir.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    if !Mount::at(&inner, "size=1m") {
        return;
    }
    std::fs::write(inner.join("file"), "one").unwrap();
    let mut stage = Stage::new(dir.path()).unwrap();
    stage.write("inner/file", "two").unwrap();
    stage.write("top.txt", "TOP").unwrap();
    stage.create("inner/sub/new", "new").unwrap();
    stage.rename("gone.txt", "inner/moved").unwrap();
    let committed = stage.finish().and_then(|mut staged| {
        staged
            .commit(Durability::PowerLoss)
            .map_err(|error| panic!("{error}"))
    });
    let read = |path: &str| std::fs::read_to_string(dir.path().join(path)).unwrap();
    let found = [
        read("inner/file"),
        read("top.txt"),
        read("inner/sub/new"),
        read("inner/moved"),
    ];
    let names = std::fs::read_dir(&inner).unwrap().count();
    Command::new("umount").arg(&inner).output().unwrap();
    assert_eq!(found, ["two", "TOP", "new", "gone\n"]);
    assert_eq!(committed.unwrap().guarantee, Guarantee::Full);
    assert_eq!(names, 3);
    assert_eq!(leftovers(dir.path()), Vec::<String>::new());
}

#[test]
fn a_damaged_journal_is_set_aside_and_one_half_written_is_removed() {
    let dir = on_disk();
    let txn = dir.path().join(".fourfold/txn");
    std::fs::create_dir_all(txn.join("s-2222")).unwrap();
    std::fs::write(txn.join("s-2222/journal.tmp"), "half").unwrap();
    std::fs::write(txn.join("s-2222/0"), "side").unwrap();
    std::fs::create_dir_all(txn.join("s-3333")).unwrap();
    std::fs::write(txn.join("s-3333/journal"), "torn").unwrap();
    std::fs::write(txn.join("s-3333/0"), "perhaps the only copy").unwrap();
    let report = recover(dir.path()).unwrap();
    let outcomes: Vec<_> = report.transactions.iter().map(|txn| &txn.outcome).collect();
    let kept = Path::new(".fourfold/conflicts/s-3333.0");
    assert_eq!(
        outcomes,
        [
            &crate::Outcome::Removed,
            &crate::Outcome::SetAside(kept.to_path_buf())
        ]
    );
    let copy = std::fs::read_to_string(dir.path().join(kept).join("0")).unwrap();
    assert_eq!(copy, "perhaps the only copy");
    assert_eq!(leftovers(dir.path()), Vec::<String>::new());
    assert!(!which(&contents(dir.path()), &|| "untouched".to_owned()));
}

#[test]
fn a_journal_of_another_version_stops_everything_until_its_program_has_run() {
    let dir = on_disk();
    let mut staged = stage(open(dir.path())).unwrap();
    let txn = dir.path().join(".fourfold/txn/s-2222");
    std::fs::create_dir_all(&txn).unwrap();
    let journal = crate::codec::Writer::new(b"4F-TXN\r\n", 3).seal();
    std::fs::write(txn.join("journal"), journal).unwrap();
    let error = recover(dir.path()).unwrap_err();
    assert!(
        matches!(error, Error::JournalVersion { version: 3, .. }),
        "{error}"
    );
    assert!(Stage::new(dir.path()).is_err());
    let error = staged.commit(Durability::PowerLoss).unwrap_err();
    assert!(
        error.to_string().contains("its journal has format 3"),
        "{error}"
    );
    assert!(!which(&contents(dir.path()), &|| error.to_string()));
    assert!(txn.join("journal").exists());
}

#[test]
fn state_that_is_no_folder_is_refused() {
    let dir = on_disk();
    std::fs::write(dir.path().join(".fourfold"), "a file").unwrap();
    let error = stage(open(dir.path()))
        .unwrap()
        .commit(Durability::PowerLoss)
        .unwrap_err();
    let CommitError::Failed { source, .. } = &error else {
        panic!("{error}")
    };
    assert!(matches!(**source, Error::NotAFolder { .. }), "{error}");
}
