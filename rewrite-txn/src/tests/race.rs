//! Others who edit while a commit runs: nobody's bytes may vanish.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::fault::{Fault, FaultFs};
use super::sample::{self, Random, contents, leftovers, on_disk, open, stage, temp_dir};
use crate::{CommitError, Drift, Durability, Edit, Stage, recover};

/// How somebody else changes a file.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// As editors save: a new file, renamed over the old one.
    Save,
    /// Into the file itself.
    InPlace,
    /// Gone.
    Remove,
    /// A folder in its place.
    Folder,
}

const WAYS: [Way; 4] = [Way::Save, Way::InPlace, Way::Remove, Way::Folder];

/// Does it; says whether `text` then stood there. What stands in the way of it is no matter.
fn meddle(path: &Path, way: Way, text: &str) -> bool {
    match way {
        Way::Save => {
            let draft = path.with_extension("draft");
            let saved = fs::write(&draft, text).is_ok() && fs::rename(&draft, path).is_ok();
            let _ = fs::remove_file(&draft);
            saved
        }
        Way::InPlace => OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(path)
            .is_ok_and(|mut file| file.write_all(text.as_bytes()).is_ok()),
        Way::Remove => {
            let _ = fs::remove_file(path);
            false
        }
        Way::Folder => {
            fs::remove_file(path).is_ok()
                && fs::create_dir(path).is_ok()
                && fs::write(path.join("inside"), text).is_ok()
        }
    }
}

/// All texts that are anywhere under the root, in conflicts too.
fn everywhere(root: &Path) -> Vec<String> {
    let mut texts: Vec<String> = contents(root).into_values().collect();
    let mut folders = vec![root.join(".fourfold/conflicts")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                texts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    texts
}

/// The tree without one file, or what has become of it.
fn others(mut tree: BTreeMap<String, String>, without: &[&str]) -> BTreeMap<String, String> {
    tree.retain(|path, _| {
        without.iter().all(|name| !path.starts_with(name)) && !path.ends_with(".draft")
    });
    tree
}

/// Between which calls the commit of the sample takes place.
fn commit_calls() -> std::ops::Range<u64> {
    let dir = on_disk();
    let counted = FaultFs::new(open(dir.path()), Fault::None);
    let mut staged = stage(counted.clone()).unwrap();
    let begin = counted.calls();
    staged.commit(Durability::ProcessCrash).unwrap();
    begin..counted.calls()
}

#[test]
fn one_edit_before_every_call() {
    let std::ops::Range { start: begin, end } = commit_calls();
    let stride = if super::long() { 1 } else { 4 };
    let (mut refused, mut done) = (0, 0);
    for (index, (name, _)) in sample::FILES.iter().enumerate() {
        for (turn, way) in WAYS.into_iter().enumerate() {
            for at in (begin + (index + turn) as u64 % stride..=end).step_by(stride as usize) {
                let dir = on_disk();
                let path = dir.path().join(name);
                let written = Arc::new(AtomicBool::new(false));
                let act = {
                    let (path, written) = (path.clone(), Arc::clone(&written));
                    move || written.store(meddle(&path, way, "FOREIGN"), Ordering::SeqCst)
                };
                let fs = FaultFs::new(open(dir.path()), Fault::Before(at, Box::new(act)));
                let result = stage(fs).unwrap().commit(Durability::ProcessCrash);
                let context = || format!("{name}, {way:?} before call {at}: {result:?}");
                if written.load(Ordering::SeqCst) {
                    let texts = everywhere(dir.path());
                    assert!(texts.iter().any(|text| text == "FOREIGN"), "{}", context());
                }
                let expected = sample::tree(result.is_ok());
                let expected = others(expected, &[name]);
                let found = others(contents(dir.path()), &[name]);
                assert_eq!(found, expected, "{}", context());
                assert_eq!(leftovers(dir.path()), Vec::<String>::new(), "{}", context());
                assert!(
                    !matches!(result, Err(CommitError::Indeterminate { .. })),
                    "{}",
                    context()
                );
                *if result.is_ok() {
                    &mut done
                } else {
                    &mut refused
                } += 1;
            }
        }
    }
    assert!(done > 20 && refused > 50, "{done} done, {refused} refused");
}

#[test]
fn two_edits_and_a_death() {
    let rounds = if super::long() { 20_000 } else { 600 };
    let std::ops::Range { start: begin, end } = commit_calls();
    let mut random = Random(17);
    for round in 0..rounds {
        let dir = on_disk();
        let mut fs = open(dir.path());
        let clock = Arc::new(AtomicU64::new(1));
        let mut edits: Vec<(PathBuf, Way, Arc<AtomicU64>)> = Vec::new();
        for number in 0..2 {
            let name = sample::FILES[(random.next() % 5) as usize].0;
            let way = [Way::Save, Way::InPlace][(random.next() % 2) as usize];
            let (path, at) = (dir.path().join(name), begin + random.next() % (end - begin));
            let written = Arc::new(AtomicU64::new(0));
            edits.push((path.clone(), way, Arc::clone(&written)));
            let clock = Arc::clone(&clock);
            let act = move || {
                if meddle(&path, way, &format!("FOREIGN {number}")) {
                    written.store(clock.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
                }
            };
            fs = FaultFs::new(fs, Fault::Before(at, Box::new(act)));
        }
        let death = begin + random.next() % (2 * (end - begin));
        let fs = FaultFs::new(fs, Fault::DieAt(death));
        let result = stage(fs).map(|mut staged| staged.commit(Durability::ProcessCrash));
        let report = recover(dir.path()).unwrap();
        let context = || format!("round {round}: {edits:?}, dead {death}: {result:?} {report:?}");
        // Whatever the others wrote last to a file is somewhere.
        let texts = everywhere(dir.path());
        let time = |number: usize| edits[number].2.load(Ordering::SeqCst);
        for number in 0..2 {
            let overwritten = edits[0].0 == edits[1].0 && time(1 - number) > time(number);
            if time(number) > 0 && !overwritten {
                let text = format!("FOREIGN {number}");
                assert!(texts.contains(&text), "{number}: {}", context());
            }
        }
        // All others are of one side.
        let names: Vec<String> = edits
            .iter()
            .map(|(path, ..)| path.strip_prefix(dir.path()).unwrap().display().to_string())
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = others(contents(dir.path()), &names);
        let sides = [false, true].map(|new| others(sample::tree(new), &names));
        assert!(sides.contains(&found), "{}: {found:?}", context());
        assert_eq!(leftovers(dir.path()), Vec::<String>::new(), "{}", context());
    }
}

#[test]
fn a_thread_that_saves_all_the_time_loses_nothing() {
    let rounds = if super::long() { 10_000 } else { 300 };
    let dir = temp_dir();
    let path = dir.path().join("busy");
    fs::write(&path, "0\n").unwrap();
    fs::write(dir.path().join("other"), "0\n").unwrap();
    let (saved, turns, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let mut outcomes = [0, 0];
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 1.. {
                let turn = turns.load(Ordering::SeqCst);
                let draft = dir.path().join("draft");
                fs::write(&draft, format!("{number}\n")).unwrap();
                fs::rename(&draft, &path).unwrap();
                saved.store(number, Ordering::SeqCst);
                // Two of three times a commit may get through.
                while number % 3 != 0
                    && turns.load(Ordering::SeqCst) == turn
                    && !stop.load(Ordering::SeqCst)
                {
                    std::thread::yield_now();
                }
                if stop.load(Ordering::SeqCst) {
                    break;
                }
            }
        });
        for _ in 0..rounds {
            let before = saved.load(Ordering::SeqCst);
            let mut stage = Stage::new(dir.path()).unwrap();
            stage.replace("busy", vec![Edit::new(0..0, "x")]).unwrap();
            stage.replace("other", vec![Edit::new(0..0, "x")]).unwrap();
            let result = stage.finish().unwrap().commit(Durability::ProcessCrash);
            // What is there holds a number at least as late as the last one known to be saved.
            let text = fs::read_to_string(&path).unwrap();
            let number: u64 = text.trim().trim_start_matches('x').parse().unwrap();
            assert!(
                number >= before,
                "{number} after {before} was saved: {result:?}"
            );
            match result {
                Ok(_) => outcomes[1] += 1,
                Err(CommitError::Drifted { files, .. }) => {
                    assert!(files.iter().all(|file| file.path == Path::new("busy")));
                    outcomes[0] += 1;
                }
                Err(other) => panic!("{other}"),
            }
            turns.fetch_add(1, Ordering::SeqCst);
        }
        stop.store(true, Ordering::SeqCst);
        writer.join().unwrap();
    });
    assert!(outcomes[1] > 0, "{outcomes:?}");
    let other = fs::read_to_string(dir.path().join("other")).unwrap();
    assert_eq!(
        other.matches('x').count(),
        outcomes[1],
        "once for each commit"
    );
}

const ROOT: &str = "FOURFOLD_PAIR_ROOT";
const NAME: &str = "FOURFOLD_PAIR_NAME";
const COMMITS: usize = 40;

/// Does nothing in a normal run; in the child it commits to both files until it has succeeded
/// often enough.
#[test]
fn child_that_commits() {
    let (Some(root), Ok(name)) = (std::env::var_os(ROOT), std::env::var(NAME)) else {
        return;
    };
    let mut done = 0;
    while done < COMMITS {
        let mut stage = Stage::new(&root).unwrap();
        for file in ["one", "two"] {
            let edit = Edit::new(0..0, format!("{name}\n"));
            stage.replace(file, vec![edit]).unwrap();
        }
        let mut staged = stage.finish().unwrap();
        match staged.commit(Durability::ProcessCrash) {
            Ok(_) => done += 1,
            Err(CommitError::Drifted { files, .. }) => {
                let changed = |why: &Drift| matches!(why, Drift::Changed { .. });
                assert!(files.iter().all(|file| changed(&file.why)), "{files:?}");
            }
            Err(CommitError::Busy { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn two_processes_take_turns() {
    let dir = temp_dir();
    for file in ["one", "two"] {
        fs::write(dir.path().join(file), "").unwrap();
    }
    let children: Vec<_> = ["A", "B"]
        .iter()
        .map(|name| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "tests::race::child_that_commits", "--nocapture"])
                .env(ROOT, dir.path())
                .env(NAME, name)
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let read = |file: &str| fs::read_to_string(dir.path().join(file)).unwrap();
    assert_eq!(
        read("one"),
        read("two"),
        "both files saw the same commits in the same order"
    );
    let count = |name: &str| read("one").lines().filter(|line| *line == name).count();
    assert_eq!((count("A"), count("B")), (COMMITS, COMMITS));
    assert_eq!(leftovers(dir.path()), Vec::<String>::new());
}
