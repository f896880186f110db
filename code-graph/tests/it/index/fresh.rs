//! Answers are about the files as they are now.

use super::{Project, age, refresh};
use fourfold_code_graph::index::{Index, IndexConfig};
use fourfold_syntax::ContentHash;
use fourfold_worktree::Control;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How many symbols of a name there are, with the files that the answer is about.
fn count(index: &Index, name: &str, files: &[&str]) -> (usize, bool) {
    let (answer, freshness) = index
        .answer(&Control::new(), |view| {
            let files = files.iter().map(|path| (*path).to_owned()).collect();
            (view.graph.named(name).len(), files)
        })
        .unwrap();
    (answer, freshness.current)
}

fn patient(project: &Project) -> IndexConfig {
    IndexConfig {
        max_age: Duration::from_secs(3600),
        ..project.config()
    }
}

#[test]
fn a_file_that_was_just_edited_is_answered_as_it_is() {
    let project = Project::new(&[("a.py", "def f(): pass\n"), ("b.py", "def g(): pass\n")]);
    let index = project.open_with(patient(&project));
    assert_eq!(count(&index, "f", &["a.py"]), (1, true));
    // The same length, in the same tick of the clock perhaps.
    project.write("a.py", "def h(): pass\n");
    assert_eq!(count(&index, "f", &["a.py"]), (0, true));
    assert_eq!(count(&index, "h", &["a.py"]), (1, true));
    project.delete("a.py");
    assert_eq!(count(&index, "h", &["a.py"]), (0, true));
}

#[test]
fn what_an_answer_found_is_on_disk_when_the_index_is_gone() {
    let project = Project::new(&[("a.py", "def f(): pass\n"), ("b.py", "def g(): pass\n")]);
    for path in ["a.py", "b.py"] {
        age(&project.root().join(path));
    }
    let index = project.open();
    assert_eq!(count(&index, "f", &["a.py"]), (1, true));
    drop(index);
    let index = project.open();
    assert_eq!(index.generation(), 1);
    assert_eq!(refresh(&index).parsed, 0);
    project.write("a.py", "def h(): pass\n");
    assert_eq!(count(&index, "h", &["a.py"]), (1, true));
    index.settle();
    // Another process, while this index goes on.
    assert_eq!(refresh(&project.open()).parsed, 0);
}

#[test]
fn a_new_file_is_found_when_the_list_is_old() {
    let project = Project::new(&[("a.py", "def f(): pass\n")]);
    let patient = project.open_with(patient(&project));
    let eager = project.open_with(IndexConfig {
        max_age: Duration::ZERO,
        ..project.config()
    });
    assert_eq!(count(&patient, "f", &["a.py"]), (1, true));
    assert_eq!(count(&eager, "f", &["a.py"]), (1, true));
    project.write("b.py", "def f(): pass\n");
    assert_eq!(count(&eager, "f", &["a.py"]), (2, true));
    assert_eq!(count(&patient, "f", &["a.py"]), (1, true));
    // What speaks of no file vouches for none.
    assert_eq!(count(&patient, "f", &[]), (2, true));
}

#[test]
fn what_never_holds_still_is_said_to() {
    let project = Project::new(&[("a.py", "def f0(): pass\n")]);
    let index = project.open_with(patient(&project));
    let mut round = 0;
    let (_, freshness) = index
        .answer(&Control::new(), |_| {
            round += 1;
            project.write("a.py", format!("def f{round}(): pass\n"));
            ((), vec!["a.py".to_owned()])
        })
        .unwrap();
    assert!(!freshness.current);
}

#[test]
fn a_view_stays_what_it_was() {
    let project = Project::new(&[("a.py", "def f(): pass\n")]);
    let index = project.open();
    refresh(&index);
    let view = index.view();
    project.write("a.py", "def g(): pass\n");
    refresh(&index);
    assert_eq!(
        (view.graph.named("f").len(), view.graph.named("g").len()),
        (1, 0)
    );
    let view = index.view();
    assert_eq!(
        (view.graph.named("f").len(), view.graph.named("g").len()),
        (0, 1)
    );
    assert_eq!(view.generation, 2);
}

#[test]
fn many_threads_ask_while_files_change() {
    let project = Project::new(&[
        ("a.py", "def f(): pass\n"),
        ("b.py", "from a import f\nf()\n"),
    ]);
    let index = project.open_with(IndexConfig {
        max_age: Duration::ZERO,
        ..project.config()
    });
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let (answer, freshness) = index
                        .answer(&Control::new(), |view| {
                            let (f, g) = (view.graph.named("f").len(), view.graph.named("g").len());
                            (f + g, vec!["a.py".to_owned()])
                        })
                        .unwrap();
                    assert!(answer == 1 || !freshness.current);
                }
            });
        }
        for round in 0..40 {
            let path = project.root().join("a.new");
            std::fs::write(
                &path,
                if round % 2 == 0 {
                    "def g(): pass\n"
                } else {
                    "def f(): pass\n"
                },
            )
            .unwrap();
            std::fs::rename(&path, project.root().join("a.py")).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    refresh(&index);
    assert_eq!(index.dump().unwrap(), project.dump_anew());
}

#[test]
fn summaries_are_those_of_the_content() {
    let text = "def greet(): pass\n";
    let project = Project::new(&[("a.py", text)]);
    age(&project.root().join("a.py"));
    let index = project.open();
    assert!(index.summary("a.py").is_none(), "nothing was looked at");
    refresh(&index);
    let hash = ContentHash::of(text.as_bytes());
    // The inode changed a moment ago, so the stamp alone proves nothing yet.
    let summary = index.summary_of("a.py", hash).unwrap();
    assert!(summary.may_contain_identifier("greet"));
    assert!(!summary.may_contain_identifier("absent"));
    assert!(
        index
            .summary_of("a.py", ContentHash::of(b"other"))
            .is_none()
    );
    assert!(index.summary_of("b.py", hash).is_none());
    project.write("a.py", "def other(): pass\n");
    assert!(index.summary("a.py").is_none());
    // A new process has them as well.
    assert!(project.open().summary_of("a.py", hash).is_some());
}

#[test]
fn a_file_may_stay_as_it_was_while_others_are_followed() {
    let project = Project::new(&[("a.py", "def f(): pass\n"), ("b.py", "from a import f\n")]);
    let index = project.open_with(IndexConfig {
        max_age: Duration::ZERO,
        ..project.config()
    });
    refresh(&index);
    let old = index.content_of("a.py").unwrap();
    assert_eq!(old, ContentHash::of(b"def f(): pass\n"));
    project.write("a.py", "def g(): pass\n");
    project.write("b.py", "from a import f, g\n");
    project.write("c.py", "from a import g\n");
    let checked = index.check_list(&["a.py"], &Control::new()).unwrap();
    assert_eq!((checked.changed, checked.added), (1, 1));
    project.write(
        "b.py",
        "from a import f
",
    );
    let checked = index.check_cheaply(&["b.py"], &["a.py"], &Control::new());
    assert_eq!(checked.unwrap().changed, 1);
    assert_eq!(index.content_of("a.py"), Some(old));
    assert_eq!(index.graph().named("g").len(), 0);
    assert!(index.content_of("c.py").is_some());
    assert_eq!(index.content_of("d.py"), None);
    // Whoever asks about something else has it as it is.
    index.check(&[], &Control::new()).unwrap();
    assert_eq!(index.graph().named("g").len(), 1);
    assert_eq!(index.dump().unwrap(), project.dump_anew());
    // One that is gone is gone, whatever may stay.
    project.delete("a.py");
    index.check_list(&["a.py"], &Control::new()).unwrap();
    assert_eq!(index.content_of("a.py"), None);
    refresh(&index);
    assert_eq!(index.dump().unwrap(), project.dump_anew());
}
