//! Properties over random trees, operations, edits, kill points and bytes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::collection::vec;
use proptest::prelude::*;

use super::fault::{Fault, FaultFs};
use super::model::ModelFs;
use crate::edit::{self, Edit};
use crate::journal::{Journal, JournalSlot, Step};
use crate::recover::if_needed;
use crate::stored::Stored;
use crate::{ContentHash, Durability, Stage, StageOptions, Staged, fuzz_decode};

/// What is done to one file of the tree.
#[derive(Clone, Debug)]
enum Op {
    Leave,
    Write(String),
    Edit(Vec<(u8, u8, String)>),
    Delete,
    Rename,
    Create(String),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        Just(Op::Leave),
        "[a-z]{0,8}".prop_map(Op::Write),
        vec((any::<u8>(), any::<u8>(), "[A-Z]{0,4}"), 0..4).prop_map(Op::Edit),
        Just(Op::Delete),
        Just(Op::Rename),
        "[a-z]{0,8}".prop_map(Op::Create),
    ]
}

/// Turns random numbers into edits that are in order and apart.
fn edits(raw: &[(u8, u8, String)], len: usize) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut at = 0;
    for (skip, take, text) in raw {
        let start = at + usize::from(skip % 4);
        let end = start + usize::from(take % 4);
        if end > len {
            break;
        }
        edits.push(Edit::new(start..end, text.as_str()));
        at = end + 1;
    }
    edits
}

/// Replaces byte by byte, from the back.
fn splice(old: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut new = old.to_vec();
    for edit in edits.iter().rev() {
        new.splice(edit.range.clone(), edit.replacement.iter().copied());
    }
    new
}

const PATHS: [&str; 6] = ["a", "d/b", "d/c", "e/f/g", "e/h", "i"];

/// Stages the operations on a tree whose files hold their names and numbers; says what the tree
/// shall be.
fn build(
    model: std::sync::Arc<dyn crate::fs::Fs>,
    ops: &[Op],
) -> (Staged, BTreeMap<String, String>) {
    let mut stage = Stage::on(model, StageOptions::default()).unwrap();
    let mut tree: BTreeMap<String, String> = start().into_iter().collect();
    for (path, op) in PATHS.iter().zip(ops) {
        let old = tree[*path].clone();
        match op {
            Op::Leave => {}
            Op::Write(text) => {
                stage.write(path, text.as_str()).unwrap();
                tree.insert((*path).to_owned(), text.clone());
            }
            Op::Edit(raw) => {
                let edits = edits(raw, old.len());
                let new = splice(old.as_bytes(), &edits);
                tree.insert((*path).to_owned(), String::from_utf8(new).unwrap());
                stage.replace(path, edits).unwrap();
            }
            Op::Delete => {
                stage.delete(path).unwrap();
                tree.remove(*path);
            }
            Op::Rename => {
                let to = format!("moved/{path}");
                stage.rename(path, &to).unwrap();
                tree.remove(*path);
                tree.insert(to, old);
            }
            Op::Create(text) => {
                let new = format!("new/{path}");
                stage.create(&new, text.as_str()).unwrap();
                tree.insert(new, text.clone());
            }
        }
    }
    (stage.finish().unwrap(), tree)
}

fn start() -> Vec<(String, String)> {
    PATHS
        .iter()
        .map(|path| ((*path).to_owned(), format!("content of {path}\n")))
        .collect()
}

fn disk() -> std::sync::Arc<ModelFs> {
    let files = start();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    ModelFs::new(&files)
}

fn files(model: &ModelFs) -> BTreeMap<String, String> {
    let mut contents = model.contents();
    contents.retain(|path, _| !path.ends_with('/'));
    contents
}

fn hash() -> impl Strategy<Value = ContentHash> {
    any::<[u8; 32]>().prop_map(ContentHash::from_bytes)
}

fn journal() -> impl Strategy<Value = Journal> {
    let step = prop_oneof![
        (hash(), hash()).prop_map(|(old, new)| Step::Modify { old, new }),
        hash().prop_map(|new| Step::Create { new }),
        hash().prop_map(|old| Step::Delete { old }),
    ];
    let slot = ("[a-z]{1,4}(/[a-z]{1,4}){0,2}", 0..99u32, step).prop_map(|(path, side, step)| {
        JournalSlot {
            path: path.into(),
            side: PathBuf::from(format!(".fourfold/txn/s-2222/{side}")),
            step,
        }
    });
    (
        vec("[a-z]{1,4}".prop_map(PathBuf::from), 0..3),
        vec(slot, 0..6),
        proptest::option::of("s-[2-9a-h]{4}"),
    )
        .prop_map(|(folders, slots, kept)| Journal {
            folders,
            slots,
            kept,
        })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if super::long() { 5000 } else { 256 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_operations_cut_anywhere_leave_old_or_new(
        ops in vec(op(), PATHS.len()),
        death in 0..260u64,
        cut in any::<prop::sample::Index>(),
        seed in 1..u64::MAX,
    ) {
        let model = disk();
        let fs = FaultFs::new(model.clone(), Fault::DieAt(u64::MAX));
        let (mut staged, expected) = build(fs.clone(), &ops);
        let begin = fs.calls();
        staged.commit(Durability::PowerLoss).unwrap();
        prop_assert_eq!(&files(&model), &expected);
        let needed = fs.calls() - begin;
        // Again, and dead on the way.
        let model = disk();
        let fs = FaultFs::new(model.clone(), Fault::DieAt(begin + death % (needed + 1)));
        let _ = build(fs, &ops).0.commit(Durability::PowerLoss);
        let mut random = super::sample::Random(seed);
        let cuts = model.cuts(16, || random.next());
        let disk = model.after(cut.get(&cuts));
        if_needed(&*disk).unwrap();
        let found = files(&disk);
        prop_assert!(found == expected || found == start().into_iter().collect(), "{found:?}");
        prop_assert_eq!(disk.leftovers(), Vec::<PathBuf>::new());
    }

    #[test]
    fn edits_are_splices(old in vec(any::<u8>(), 0..60), raw in vec((any::<u8>(), any::<u8>(), "[a-z]{0,5}"), 0..12)) {
        let edits = edits(&raw, old.len());
        prop_assert!(edit::check("x".as_ref(), old.len(), &edits).is_ok());
        prop_assert_eq!(edit::apply(&old, &edits), splice(&old, &edits));
    }

    #[test]
    fn any_edits_are_applied_or_refused(len in 0..20usize, raw in vec((0..24usize, 0..24usize), 0..5)) {
        let edits: Vec<Edit> =
            raw.iter().map(|(start, end)| Edit::new(*start..*end, "x")).collect();
        let old = vec![b'.'; len];
        if edit::check("x".as_ref(), len, &edits).is_ok() {
            prop_assert_eq!(edit::apply(&old, &edits), splice(&old, &edits));
        }
    }

    #[test]
    fn stages_come_back_as_they_were(ops in vec(op(), PATHS.len()), saved in any::<u64>(), at in any::<prop::sample::Index>()) {
        let (staged, _) = build(disk(), &ops);
        let stored = Stored { id: staged.id().to_owned(), saved, entries: staged.entries.clone() };
        let file = stored.encode();
        prop_assert_eq!(&Stored::decode(&file).unwrap(), &stored);
        let mut damaged = file.clone();
        *at.get_mut(&mut damaged) ^= 1;
        prop_assert!(Stored::decode(&damaged).is_err());
        prop_assert!(Stored::decode(&file[..at.index(file.len())]).is_err());
    }

    #[test]
    fn journals_come_back_as_they_were(journal in journal(), at in any::<prop::sample::Index>()) {
        let file = journal.encode();
        prop_assert_eq!(&Journal::decode(&file).unwrap(), &journal);
        prop_assert!(Journal::decode(&file[..at.index(file.len())]).is_err());
        // What is changed and sealed anew may decode or not, but does not panic.
        let mut body = file[..file.len() - 32].to_vec();
        *at.get_mut(&mut body) ^= 0x41;
        fuzz_decode(&body);
    }

    #[test]
    fn no_bytes_make_decoding_panic(bytes in vec(any::<u8>(), 0..200)) {
        fuzz_decode(&bytes);
        fuzz_decode(&[b"4F-TXN\r\n\x02\0\0\0", bytes.as_slice()].concat());
    }
}

/// What fuzzing has found, or begins with.
#[test]
fn the_fuzzers_corpus_is_replayed() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/journal");
    let mut decoded = Vec::new();
    for entry in std::fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        let body = std::fs::read(&path).unwrap();
        fuzz_decode(&body);
        let seal = *ContentHash::of(&body).as_bytes();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        // What the fuzzer has added under a number may decode or not.
        let named = name.bytes().any(|byte| !byte.is_ascii_hexdigit());
        if named && Journal::decode(&[body.as_slice(), &seal].concat()).is_ok() {
            decoded.push(name);
        }
    }
    decoded.sort();
    assert_eq!(decoded, ["all_steps", "beside", "kept", "none", "not_utf8"]);
}
