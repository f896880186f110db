//! An index that follows edits is the index of the files as they are, byte for byte.

use super::texts::{FILES, text};
use super::{Project, long, refresh};
use fourfold_code_graph::index::Index;
use proptest::prelude::*;
use std::fs;

/// One change of a checkout; files by their number in the list of those that there may be.
#[derive(Debug, Clone)]
enum Edit {
    /// A file gets another text, or comes to be.
    Write { file: usize, seed: u64 },
    /// A line is put before everything: all positions move.
    Shift { file: usize },
    /// A file is deleted.
    Delete { file: usize },
    /// A file gets another name.
    Rename { from: usize, to: usize },
    /// A folder gets another name, and its old one back the next time.
    Folder,
    /// The index is opened anew from what was kept.
    Reopen,
}

fn edit() -> impl Strategy<Value = Edit> {
    let file = || 0..FILES.len();
    prop_oneof![
        6 => (file(), 0..40_u64).prop_map(|(file, seed)| Edit::Write { file, seed }),
        2 => file().prop_map(|file| Edit::Shift { file }),
        2 => file().prop_map(|file| Edit::Delete { file }),
        2 => (file(), file()).prop_map(|(from, to)| Edit::Rename { from, to }),
        1 => Just(Edit::Folder),
        1 => Just(Edit::Reopen),
    ]
}

fn apply(project: &Project, edit: &Edit) {
    let at = |file: &usize| project.root().join(FILES[*file]);
    match edit {
        Edit::Write { file, seed } => project.write(FILES[*file], text(FILES[*file], *seed)),
        Edit::Shift { file } => {
            if let Ok(old) = fs::read_to_string(at(file)) {
                project.write(FILES[*file], format!("\n{old}"));
            }
        }
        Edit::Delete { file } => {
            let _ = fs::remove_file(at(file));
        }
        Edit::Rename { from, to } => {
            if at(from).exists() && from != to {
                fs::create_dir_all(at(to).parent().unwrap()).unwrap();
                fs::rename(at(from), at(to)).unwrap();
            }
        }
        Edit::Folder => {
            let (one, other) = (project.root().join("p/q"), project.root().join("p/r"));
            let (from, to) = if one.exists() {
                (one, other)
            } else {
                (other, one)
            };
            if from.exists() && !to.exists() {
                fs::rename(from, to).unwrap();
            }
        }
        Edit::Reopen => {}
    }
}

/// What an index says, to be read.
fn said(index: &Index) -> Vec<String> {
    let graph = index.graph();
    let place = |node| format!("{} {}", graph.file(node).path, graph.qualified(node));
    let mut lines: Vec<String> = graph
        .edges()
        .iter()
        .map(|edge| {
            let (from, to) = (place(edge.from), place(edge.to));
            format!(
                "{from}:{} {:?} {:?} {to}",
                edge.row, edge.kind, edge.certainty
            )
        })
        .collect();
    lines.sort();
    lines
}

fn follows(edits: &[Edit]) {
    let files: Vec<(&str, String)> = (0..)
        .zip(FILES)
        .map(|(seed, path)| (path, text(path, seed)))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let project = Project::new(&files);
    let mut index = project.open();
    refresh(&index);
    assert_eq!(
        index.dump().unwrap(),
        project.dump_anew(),
        "made from nothing"
    );
    for (number, edit) in edits.iter().enumerate() {
        apply(&project, edit);
        if matches!(edit, Edit::Reopen) {
            index = project.open();
        }
        refresh(&index);
        let anew = project.anew();
        if index.dump().unwrap() != anew.dump().unwrap() {
            // Text that shows where; the bytes above are what counts.
            assert_eq!(
                said(&index),
                said(&anew),
                "differs after edit {number}: {edit:?}"
            );
            panic!("differs after edit {number} in what no graph shows: {edit:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if long() { 60 } else { 8 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_index_that_follows_edits_is_the_index_of_the_files(edits in prop::collection::vec(edit(), 1..24)) {
        follows(&edits);
    }
}

#[test]
fn what_was_looked_up_does_not_depend_on_who_asked_first() {
    // These files of Python import each other in a circle.
    follows(&[
        Edit::Write { file: 0, seed: 25 },
        Edit::Write { file: 4, seed: 18 },
    ]);
}

#[test]
fn five_hundred_edits() {
    let mut dice = super::texts::Dice::new(7);
    let file = |dice: &mut super::texts::Dice| dice.roll(FILES.len());
    let count = if long() { 500 } else { 40 };
    let edits: Vec<Edit> = (0..count)
        .map(|_| match dice.roll(14) {
            0..6 => Edit::Write {
                file: file(&mut dice),
                seed: dice.roll(1000) as u64,
            },
            6 | 7 => Edit::Shift {
                file: file(&mut dice),
            },
            8 | 9 => Edit::Delete {
                file: file(&mut dice),
            },
            10 | 11 => Edit::Rename {
                from: file(&mut dice),
                to: file(&mut dice),
            },
            12 => Edit::Folder,
            _ => Edit::Reopen,
        })
        .collect();
    follows(&edits);
}

#[test]
fn the_order_in_which_files_come_does_not_matter() {
    let project = Project::new(&[]);
    let index = project.open();
    for (seed, path) in FILES.iter().enumerate().rev() {
        project.write(path, text(path, seed as u64));
        refresh(&index);
    }
    assert_eq!(index.dump().unwrap(), project.dump_anew());
}

#[test]
fn a_name_that_very_many_folders_have_is_followed_too() {
    let project = Project::new(&[("main.py", "import util\n\nutil.go()\n")]);
    let folders: Vec<String> = (0..100).map(|at| format!("f{at}")).collect();
    for folder in &folders {
        project.write(&format!("{folder}/util.py"), "def go(): pass\n");
    }
    let index = project.open();
    refresh(&index);
    assert_eq!(index.dump().unwrap(), project.dump_anew());
    // As modules of packages, none of them is what `import util` can mean.
    for folder in &folders {
        project.write(&format!("{folder}/__init__.py"), "");
    }
    refresh(&index);
    assert_eq!(index.dump().unwrap(), project.dump_anew());
}
