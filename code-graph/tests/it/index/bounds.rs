//! Large, odd and restless input.

use super::{Project, long, paths, refresh};
use fourfold_code_graph::Error;
use fourfold_code_graph::index::{Cache, IndexConfig, Reason};
use fourfold_worktree::Control;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[test]
fn a_file_of_one_line_and_fifty_megabytes_is_counted() {
    let project = Project::new(&[("a.py", "def f(): pass\n")]);
    project.write("one.py", "f();".repeat(50 << 18));
    let index = project.open();
    refresh(&index);
    assert_eq!(paths(&index), ["a.py"]);
    assert_eq!(index.coverage().skipped[&Reason::TooLarge].files, 1);
}

#[test]
fn deep_nesting_is_indexed() {
    let depth = 20_000;
    let project = Project::new(&[
        (
            "deep.py",
            &format!(
                "x = {}1{}\ndef f(): pass\n",
                "(".repeat(depth),
                ")".repeat(depth)
            ),
        ),
        ("chain.py", &format!("x = a{}\n", ".b()".repeat(depth))),
        (
            "lists.py",
            &format!("x = {}{}\n", "[".repeat(depth), "]".repeat(depth)),
        ),
    ]);
    // The machine may be busy: it is the depth that is tried, not the time.
    let index = project.open_with(IndexConfig {
        max_time: Duration::from_secs(600),
        ..project.config()
    });
    refresh(&index);
    assert_eq!(index.coverage().indexed, 3, "{}", index.coverage());
}

#[test]
fn a_file_that_takes_too_long_is_counted_and_not_tried_again() {
    let project = Project::new(&[("a.py", &"def f(): pass\n".repeat(10_000))]);
    let index = project.open_with(IndexConfig {
        max_time: Duration::ZERO,
        ..project.config()
    });
    refresh(&index);
    assert_eq!(
        index.coverage().to_string(),
        "0 of 1 files; skipped: 1 too slow to parse"
    );
    let refreshed = refresh(&index);
    assert_eq!((refreshed.generation, refreshed.parsed), (1, 0));
}

#[test]
fn a_cancelled_run_keeps_what_was_there() {
    let project = Project::new(&[("a.py", "def f(): pass\n")]);
    let index = project.open();
    let control = Control::new();
    control.cancel();
    assert!(matches!(
        index.refresh(&control),
        Err(Error::Cancelled { .. })
    ));
    assert_eq!(index.generation(), 0);
    refresh(&index);
    project.write("a.py", "def g(): pass\n");
    assert!(index.refresh(&control).is_err());
    assert_eq!(index.graph().named("f").len(), 1);
    let progress = Control::new();
    index.refresh(&progress).unwrap();
    assert_eq!((progress.done(), progress.total()), (1, 1));
    assert_eq!(index.dump().unwrap(), project.dump_anew());
}

/// Its parser takes long to recover, and may take a day.
#[test]
fn a_run_is_cancelled_in_the_middle_of_a_file() {
    let project = Project::new(&[("a.js", &"{a:\n".repeat(60_000))]);
    let index = project.open_with(IndexConfig {
        max_time: Duration::from_secs(24 * 60 * 60),
        ..project.config()
    });
    let control = Control::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // It is told what there is to do before it begins.
            while control.total() == 0 {
                std::thread::yield_now();
            }
            control.cancel();
        });
        let cancelled = index.refresh(&control);
        assert!(
            matches!(cancelled, Err(Error::Cancelled { .. })),
            "{cancelled:?}"
        );
    });
    assert_eq!(index.generation(), 0);
    project.write("a.js", "function f() {}\n");
    refresh(&index);
    assert_eq!(index.graph().named("f").len(), 1);
}

#[test]
fn files_that_come_and_go_meanwhile_do_no_harm() {
    let project = Project::new(&[("a.py", "from b import f\nf()\n")]);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 0;
            while !done.load(Ordering::Relaxed) {
                round += 1;
                for number in 0..20 {
                    project.write(&format!("t{number}.py"), format!("def f{round}(): pass\n"));
                }
                for number in 0..20 {
                    project.delete(&format!("t{number}.py"));
                }
            }
        });
        let index = project.open();
        for _ in 0..if long() { 200 } else { 20 } {
            refresh(&index);
            let _ = index.graph();
        }
        done.store(true, Ordering::Relaxed);
    });
    let index = project.open();
    refresh(&index);
    assert_eq!(index.dump().unwrap(), project.dump_anew());
}

/// 100,000 files: `FOURFOLD_LONG=1 cargo test -p fourfold-code-graph --release hundred`.
#[test]
fn a_hundred_thousand_files() {
    if !long() {
        return;
    }
    let project = Project::new(&[]);
    for folder in 0..1000 {
        for file in 0..100 {
            let other = (folder * 7 + file * 3) % 1000;
            project.write(
                &format!("p{folder}/m{file}.py"),
                format!(
                    "from p{other}.m{file} import C{file} as B\n\nclass C{file}(B):\n    def f{folder}(self, x):\n        \
                     self.f{other}(x)\n        return helper{file}(x)\n\n\ndef helper{file}(x):\n    return B().f{other}(x)\n"
                ),
            );
        }
    }
    let index = project.open();
    let refreshed = refresh(&index);
    assert_eq!((refreshed.parsed, refreshed.added), (100_000, 100_000));
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        status
            .lines()
            .find(|line| line.starts_with("VmHWM"))
            .unwrap()
            .to_owned()
    };
    let full = peak();
    project.write("p1/m1.py", "class C1:\n    pass\n");
    let edited = refresh(&index);
    assert_eq!(edited.parsed, 1);
    let unchanged = refresh(&project.open());
    assert_eq!(unchanged.parsed, 0);
    // A measurement: its result is the text of this failure.
    panic!(
        "full {:?}, {full}; one edit {:?} ({} relinked); opened anew, unchanged {:?}; kept: {:?}",
        refreshed.took,
        edited.took,
        edited.relinked,
        unchanged.took,
        project
            .cached()
            .iter()
            .map(|path| path.metadata().unwrap().len())
            .sum::<u64>()
    );
}

#[test]
fn memory_only_is_as_good() {
    let project = Project::new(&[
        ("a.py", "from b import f\nf()\n"),
        ("b.py", "def f(): pass\n"),
    ]);
    let index = project.open_with(IndexConfig {
        cache: Cache::Memory,
        ..project.config()
    });
    refresh(&index);
    project.write("b.py", "def g(): pass\n");
    refresh(&index);
    assert_eq!(index.dump().unwrap(), project.dump_anew());
    assert!(project.cached().is_empty());
}
