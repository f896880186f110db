//! The graph that stays behind tells of everyone whom one made anew tells of.

use std::collections::BTreeSet;

use fourfold_code_graph::index::{Cache, IndexConfig};
use fourfold_code_graph::query::users;
use fourfold_testkit::Project;
use fourfold_worktree::Checkout;
use proptest::prelude::*;

use super::*;

fn index(project: &Project) -> Index {
    let config = IndexConfig {
        cache: Cache::Memory,
        ..IndexConfig::default()
    };
    Index::open(&Checkout::open(project.root()).unwrap(), config)
}

fn change(project: &Project, path: &str, after: &str) -> Change {
    let before = Content::on_disk(&project.path(path));
    let mut change = Change::by_others(project.root(), &project.path(path), before);
    change.after = Content::of(Some(after.as_bytes()));
    change
}

/// Writes a file; gives the files that it concerns, and how many files were indexed for it.
fn write(behind: &Behind, index: &Index, project: &Project, path: &str, text: &str) -> Told {
    let change = change(project, path, text);
    let before = index.generation();
    let known = behind.known(index, std::slice::from_ref(&change)).unwrap();
    let told = (told(&known, &change), index.generation() - before);
    behind.note(&[change]);
    project.write(path, text);
    told
}

type Told = (BTreeSet<String>, u64);

fn told(known: &Known, change: &Change) -> BTreeSet<String> {
    let edited: Vec<EditedFile> = known.edited(change).into_iter().collect();
    let users = known.graphs.iter().flat_map(|graph| users(graph, &edited));
    users.map(|user| user.path).collect()
}

fn paths(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn edits_within_bodies_are_not_indexed_one_by_one() {
    let project = Project::new()
        .file(
            "a.py",
            "def f():\n    return 1\n\n\ndef g():\n    return 1\n",
        )
        .file("b.py", "from a import f\n\nf()\n")
        .file("c.py", "from a import g\n\ng()\n");
    let (index, behind) = (index(&project), Behind::default());
    let write = |path, text: &str| write(&behind, &index, &project, path, text);
    let g = "\n\n\ndef g():\n    return 1\n";
    let first = write("a.py", &format!("def f():\n    x = 1\n    return x{g}"));
    assert_eq!(first, (paths(&["b.py"]), 1));
    // What is touched is told by the text that the graph knows: the lines are others by now.
    let second = write(
        "a.py",
        &format!("def f():\n    x = 1\n    y = x\n    return y{g}"),
    );
    assert_eq!(second, (paths(&["b.py"]), 0));
    let body_of_g = "\n\n\ndef g():\n    return 2\n";
    let text = format!("def f():\n    x = 1\n    y = x\n    return y{body_of_g}");
    assert_eq!(write("a.py", &text), (paths(&["b.py", "c.py"]), 0));
    // For what is declared, the file is looked at.
    let text = "def f():\n    x = 1\n    y = x\n    return y\n\n\ndef h():\n    return 2\n";
    assert_eq!(write("a.py", text), (paths(&["c.py"]), 1));
    // So it is for a file that was written meanwhile.
    assert_eq!(write("c.py", "from a import f\n\nf()\n"), (paths(&[]), 1));
    let text = text.replace("def f", "def k");
    assert_eq!(write("a.py", &text), (paths(&["b.py", "c.py"]), 1));
}

#[test]
fn a_file_that_was_written_anew_is_known_to_the_next_write() {
    let project = Project::new().file("a.py", "def f():\n    return 1\n");
    let (index, behind) = (index(&project), Behind::default());
    let write = |path, text: &str| write(&behind, &index, &project, path, text).0;
    write("a.py", "def f():\n    return 2\n");
    write("b.py", "from a import f\n\nf()\n");
    assert_eq!(write("a.py", "def g():\n    return 2\n"), paths(&["b.py"]));
}

#[test]
fn more_writes_than_are_remembered_are_found_by_the_list() {
    let project = Project::new().file("a.py", "def f():\n    return 1\n");
    let (index, behind) = (index(&project), Behind::default());
    index.refresh(&Control::new()).unwrap();
    for number in 0..MOST + 2 {
        let path = format!("b{number}.py");
        let text = "from a import f\n\nf()\n";
        let change = change(&project, &path, text);
        behind.note(&[change]);
        project.write(&path, text);
    }
    let told = write(
        &behind,
        &index,
        &project,
        "a.py",
        "def g():\n    return 1\n",
    );
    assert_eq!(told.0.len(), MOST + 2);
    assert!(behind.written.lock().files.keys().eq(["a.py"]));
}

/// A module with functions that call those of others.
fn module(functions: &[(u8, u8, u8)]) -> String {
    let mut text = "import m0, m1, m2\n".to_owned();
    for (name, of, other) in functions {
        text += &format!("\n\ndef f{name}():\n    x = {of}\n    return m{of}.f{other}()\n");
    }
    text
}

fn functions() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    prop::collection::vec((0..4_u8, 0..3_u8, 0..4_u8), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nobody_is_missed_who_is_told_by_a_graph_made_anew(
        first in prop::collection::vec(functions(), 3..=3),
        edits in prop::collection::vec((0..3_usize, functions(), any::<bool>()), 1..12),
    ) {
        let mut project = Project::new();
        for (number, functions) in first.iter().enumerate() {
            project = project.file(&format!("m{number}.py"), &module(functions));
        }
        let (lasting, behind) = (index(&project), Behind::default());
        let mut now = first;
        for (number, functions, body) in edits {
            let file = &mut now[number];
            match body {
                // The same heads, with other bodies.
                true => file.iter_mut().zip(&functions).for_each(|(to, from)| {
                    (to.1, to.2) = (from.1, from.2);
                }),
                false => *file = functions,
            }
            let (path, text) = (format!("m{number}.py"), module(file));
            let anew = index(&project);
            anew.refresh(&Control::new()).unwrap();
            let change = change(&project, &path, &text);
            let known = Known { graphs: vec![anew.graph()], ..Known::default() };
            let expected = told(&known, &change);
            let (found, _) = write(&behind, &lasting, &project, &path, &text);
            prop_assert!(found.is_superset(&expected), "{path}: {found:?}, not {expected:?}");
        }
    }
}
