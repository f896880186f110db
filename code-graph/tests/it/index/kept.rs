//! What is kept on disk: found again, shared, never trusted when it is damaged.

use super::{Project, age, paths, refresh};
use fourfold_code_graph::index::{Cache, Index, IndexConfig, Kept};
use fourfold_worktree::Checkout;
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

const FILES: [(&str, &str); 3] = [
    ("a.py", "from b import f\n\ndef g():\n    return f()\n"),
    ("b.py", "def f():\n    return 1\n"),
    ("c.py", "import b\nb.f()\n"),
];

fn settled() -> Project {
    let project = Project::new(&FILES);
    for (path, _) in FILES {
        age(&project.root().join(path));
    }
    project
}

#[test]
fn a_second_process_reads_nothing_and_says_the_same() {
    let project = settled();
    let first = project.open();
    let refreshed = refresh(&first);
    assert_eq!(
        (refreshed.parsed, refreshed.relinked, refreshed.added),
        (3, 3, 3)
    );
    assert!(matches!(refreshed.kept, Kept::Written { .. }));

    let second = project.open();
    assert_eq!(second.generation(), 1);
    let refreshed = refresh(&second);
    assert_eq!((refreshed.parsed, refreshed.relinked), (0, 0));
    assert_eq!(refreshed.kept, Kept::Unchanged);
    assert_eq!(second.dump().unwrap(), first.dump().unwrap());
    assert_eq!(paths(&second), ["a.py", "b.py", "c.py"]);
    assert_eq!(second.coverage().to_string(), "3 of 3 files");
}

#[test]
fn one_file_is_parsed_and_only_those_are_linked_that_could_see_the_change() {
    let project = settled();
    refresh(&project.open());
    project.write("b.py", "# a comment\ndef f():\n    return 1\n");
    let index = project.open();
    let refreshed = refresh(&index);
    assert_eq!(
        (refreshed.parsed, refreshed.relinked, refreshed.changed),
        (1, 1, 1)
    );
    project.write("b.py", "def f(): ...\ndef other(): ...\n");
    assert_eq!(refresh(&index).parsed, 1);
    project.write("b.py", "def renamed():\n    return 1\n");
    let refreshed = refresh(&index);
    assert_eq!((refreshed.parsed, refreshed.relinked), (1, 3));
    assert_eq!(index.dump().unwrap(), project.dump_anew());
}

#[test]
fn a_moved_file_and_an_old_content_are_known() {
    let project = settled();
    let index = project.open();
    refresh(&index);
    fs::rename(project.root().join("b.py"), project.root().join("d.py")).unwrap();
    let refreshed = refresh(&index);
    assert_eq!(refreshed.moved, [("b.py".to_owned(), "d.py".to_owned())]);
    assert_eq!(
        (refreshed.parsed, refreshed.added, refreshed.removed),
        (0, 1, 1)
    );
    // There and back again, as a branch switch does it.
    project.write("a.py", "def other(): pass\n");
    assert_eq!(refresh(&index).parsed, 1);
    project.write("a.py", FILES[0].1);
    assert_eq!(refresh(&project.open()).parsed, 0);
}

#[test]
fn a_touched_file_is_hashed_and_not_parsed() {
    let project = settled();
    refresh(&project.open());
    age(&project.root().join("a.py"));
    let refreshed = refresh(&project.open());
    assert!(refreshed.hashed >= 1);
    assert_eq!(
        (refreshed.parsed, refreshed.relinked, refreshed.generation),
        (0, 0, 1)
    );
}

#[test]
fn a_linked_work_tree_shares_what_was_parsed() {
    let project = settled();
    let run = |args: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e"])
            .args(args)
            .current_dir(project.root())
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    run(&["init", "-q"]);
    run(&["add", "."]);
    run(&["commit", "-qm", "m"]);
    run(&["worktree", "add", "-q", "../other"]);
    refresh(&project.open());
    let other = project.root().with_file_name("other");
    fs::write(other.join("a.py"), "def here(): pass\n").unwrap();
    let index = Index::open(&Checkout::open(&other).unwrap(), project.config());
    assert_eq!(index.generation(), 0, "it has no snapshot yet");
    assert_eq!(refresh(&index).parsed, 1);
    // And the first is what it was.
    assert_eq!(refresh(&project.open()).parsed, 0);
    assert_eq!(project.cached_with("snapshot").len(), 2);
}

/// Whatever happens to a file of the cache, the index is that of the files, and goes on from there.
fn survives(project: &Project, what: &str) {
    let index = project.open();
    refresh(&index);
    assert_eq!(index.dump().unwrap(), project.dump_anew(), "{what}");
    assert_eq!(index.graph().dangling(), 0, "{what}");
    project.write("b.py", "def renamed(): pass\n");
    refresh(&index);
    assert_eq!(index.dump().unwrap(), project.dump_anew(), "{what}");
    project.write("b.py", FILES[1].1);
}

#[test]
fn a_damaged_cache_is_made_again() {
    let project = settled();
    refresh(&project.open());
    let files: Vec<_> = project
        .cached()
        .into_iter()
        .filter(|path| !path.ends_with("lock"))
        .collect();
    assert_eq!(files.len(), 2, "{files:?}");
    let wholes: Vec<Vec<u8>> = files.iter().map(|path| fs::read(path).unwrap()).collect();
    let damage = |number: usize, what: &str, bytes: Option<&[u8]>| {
        for path in project.cached() {
            fs::remove_file(path).unwrap();
        }
        for (path, whole) in files.iter().zip(&wholes) {
            fs::write(path, whole).unwrap();
        }
        let path: &PathBuf = &files[number];
        match bytes {
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
        survives(&project, &format!("{} {what}", path.display()));
    };
    for (number, whole) in wholes.iter().enumerate() {
        let step = if super::long() { 1 } else { 41 };
        for at in (0..whole.len()).step_by(step) {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x40;
            damage(number, &format!("flipped at {at}"), Some(&flipped));
            damage(number, &format!("cut at {at}"), Some(&whole[..at]));
        }
        damage(number, "deleted", None);
    }
}

#[test]
fn a_pack_that_is_damaged_is_made_again_when_it_is_needed() {
    let project = settled();
    refresh(&project.open());
    for path in project.cached_with("facts") {
        let mut bytes = fs::read(&path).unwrap();
        let end = bytes.len() - 1;
        bytes[end / 2] ^= 1;
        bytes[end] ^= 1;
        fs::write(&path, bytes).unwrap();
    }
    let index = project.open();
    project.write("b.py", "def renamed(): pass\n");
    let refreshed = refresh(&index);
    assert_eq!(refreshed.relinked, 3);
    assert_eq!(index.dump().unwrap(), project.dump_anew());
}

#[test]
fn what_was_not_finished_is_cleared_away() {
    let project = settled();
    refresh(&project.open());
    let snapshot = project.cached_with("snapshot").remove(0);
    let stale = snapshot.with_extension("snapshot.tmp");
    fs::write(&stale, "half").unwrap();
    project.write("d.py", "x = 1\n");
    refresh(&project.open());
    assert!(!stale.exists());
}

#[test]
fn two_indexes_of_one_root_get_along() {
    let project = settled();
    let (one, other) = (project.open(), project.open());
    refresh(&one);
    refresh(&other);
    project.write("b.py", "def renamed(): pass\n");
    assert_eq!(refresh(&one).parsed, 1);
    // The facts are taken from what the other wrote.
    assert_eq!(refresh(&other).parsed, 0);
    assert_eq!(one.dump().unwrap(), other.dump().unwrap());
    assert_eq!(refresh(&project.open()).parsed, 0);
}

#[test]
fn many_at_once_get_along() {
    let project = settled();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let project = &project;
            scope.spawn(move || {
                for round in 0..6 {
                    let index = project.open();
                    project.write(
                        &format!("t{number}.py"),
                        format!("import b\nb.f({round})\n"),
                    );
                    refresh(&index);
                    let _ = index.graph();
                }
            });
        }
    });
    let index = project.open();
    refresh(&index);
    assert_eq!(index.dump().unwrap(), project.dump_anew());
}

#[test]
fn without_a_cache_it_lives_in_memory_and_says_so_once() {
    let project = settled();
    let blocked = project.root().with_file_name("blocked");
    fs::write(&blocked, "a file where a folder should be").unwrap();
    let index = project.open_with(IndexConfig {
        cache: Cache::Folder(blocked.join("cache")),
        ..project.config()
    });
    let refreshed = refresh(&index);
    let Kept::InMemory {
        reason: Some(reason),
    } = refreshed.kept
    else {
        panic!("{refreshed:?}");
    };
    assert!(reason.contains("Not a directory"), "{reason}");
    project.write("b.py", "def renamed(): pass\n");
    assert_eq!(refresh(&index).kept, Kept::InMemory { reason: None });
    assert_eq!(index.dump().unwrap(), project.dump_anew());
}

#[test]
fn a_full_disk_loses_nothing() {
    // Every write to it fails for want of space.
    let project = settled();
    refresh(&project.open());
    let folder = project.cached()[0].parent().unwrap().to_path_buf();
    let before = fs::metadata(&folder).unwrap().permissions();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    project.write("b.py", "def renamed(): pass\n");
    let index = project.open();
    let refreshed = refresh(&index);
    fs::set_permissions(&folder, before).unwrap();
    // Whoever may write everywhere does so here as well.
    assert!(!matches!(refreshed.kept, Kept::Unchanged));
    assert_eq!(index.dump().unwrap(), project.dump_anew());
}

#[test]
fn garbage_is_cleared_up() {
    let project = settled();
    let index = project.open();
    refresh(&index);
    let body = "    x = [call_one(1), call_two(2), call_three(3)]\n".repeat(100);
    for number in 0..30 {
        project.write(
            "big.py",
            format!("def f{number}():\n{body}def g{number}(): pass\n{body}"),
        );
        refresh(&index);
    }
    let packs = project.cached_with("facts");
    assert!(packs.len() <= 9, "{packs:?}");
    assert_eq!(index.dump().unwrap(), project.dump_anew());
    assert_eq!(refresh(&project.open()).parsed, 0);
}

#[test]
fn the_fuzzers_corpus_is_replayed() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/kept");
    let mut seeds = 0;
    for seed in fs::read_dir(corpus).unwrap() {
        crate::checks::kept(&fs::read(seed.unwrap().path()).unwrap());
        seeds += 1;
    }
    assert!(seeds >= 6);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if super::long() { 20_000 } else { 400 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_in_the_cache_do_no_harm(
        how in 0..5_u8,
        which in 0..2_u8,
        at in 0..3000_u16,
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0), Just(1), Just(0xff)], 1..24),
    ) {
        let mut input = vec![how, which];
        input.extend(at.to_le_bytes());
        input.extend(bytes);
        crate::checks::kept(&input);
    }
}
