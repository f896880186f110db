//! Stages that outlive the process.

use std::fs;
use std::time::Duration;

use fourfold_rewrite_txn::{
    DiffOptions, Durability, Edit, Error, Eviction, StageStore, Staged, StoreLimits,
};

use crate::tree::Tree;

fn staged(tree: &Tree, text: &str) -> Staged {
    let mut stage = tree.stage();
    stage
        .replace("a", vec![Edit::new(0..1, text).at_site("a:1")])
        .unwrap();
    stage.create("b", text).unwrap();
    stage.finish().unwrap()
}

fn store(tree: &Tree, limits: StoreLimits) -> StageStore {
    StageStore::open(tree.root(), limits).unwrap()
}

#[test]
fn a_kept_stage_is_the_same_stage() {
    let tree = Tree::new(&[("a", "text\n")]);
    let first = staged(&tree, "T");
    let keep = store(&tree, StoreLimits::default());
    assert_eq!(keep.save(&first).unwrap(), []);
    assert_eq!(keep.save(&first).unwrap(), []);
    let listed = keep.list().unwrap();
    assert_eq!(listed.len(), 1);
    let content = listed[0].content.as_ref().unwrap();
    assert_eq!((listed[0].id.as_str(), content.sites), (first.id(), 1));
    assert_eq!(
        content.files,
        ["a".as_ref() as &std::path::Path, "b".as_ref()]
    );
    let mut loaded = store(&tree, StoreLimits::default())
        .load(first.id())
        .unwrap();
    assert_eq!(loaded.id(), first.id());
    assert_eq!(
        loaded.diff(&DiffOptions::full()),
        first.diff(&DiffOptions::full())
    );
    assert_eq!(loaded.sites(), ["a:1"]);
    loaded.commit(Durability::ProcessCrash).unwrap();
    assert_eq!(tree.get("a"), "Text\n");
    // The commit has removed it.
    assert!(keep.list().unwrap().is_empty());
    assert!(!keep.remove(first.id()).unwrap());
    assert!(matches!(
        keep.load(first.id()),
        Err(Error::NoSuchStage { .. })
    ));
}

#[test]
fn a_stage_committed_elsewhere_meanwhile_says_so() {
    let tree = Tree::new(&[("a", "text\n")]);
    let mut first = staged(&tree, "T");
    let keep = store(&tree, StoreLimits::default());
    keep.save(&first).unwrap();
    first.commit(Durability::ProcessCrash).unwrap();
    let mut again = keep.load(first.id()).unwrap();
    let error = again.commit(Durability::ProcessCrash).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a already holds the staged content"),
        "{error}"
    );
    assert!(keep.remove(first.id()).unwrap());
    assert!(!keep.remove(first.id()).unwrap());
}

#[test]
fn a_commit_of_a_part_removes_the_whole_and_a_refused_one_nothing() {
    let tree = Tree::new(&[("a", "text\n")]);
    let first = staged(&tree, "T");
    let keep = store(&tree, StoreLimits::default());
    keep.save(&first).unwrap();
    let loaded = keep.load(first.id()).unwrap();
    let mut part = loaded.without(&["b"], &[] as &[&str]).unwrap();
    tree.put("a", "changed\n");
    part.commit(Durability::PowerLoss).unwrap_err();
    assert_eq!(keep.list().unwrap().len(), 1);
    tree.put("a", "text\n");
    part.commit(Durability::PowerLoss).unwrap();
    assert_eq!(tree.get("a"), "Text\n");
    assert!(keep.list().unwrap().is_empty());
}

#[test]
fn damage_is_said_and_never_committed() {
    let tree = Tree::new(&[("a", "text\n")]);
    let keep = store(&tree, StoreLimits::default());
    let one = staged(&tree, "1");
    keep.save(&one).unwrap();
    let path = tree.path(&format!(".fourfold/stages/{}.stage", one.id()));
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut file = whole.clone();
        file[at] ^= 0x40;
        fs::write(&path, &file).unwrap();
        assert!(
            matches!(keep.load(one.id()), Err(Error::StageDamaged { .. })),
            "byte {at}"
        );
    }
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = keep.load(one.id()).unwrap_err().to_string();
    assert!(error.ends_with("is damaged (it is cut short or its checksum does not match) and will not be committed; remove it and stage the change again"), "{error}");
    let listed = keep.list().unwrap();
    assert!(
        listed[0]
            .content
            .as_ref()
            .unwrap_err()
            .contains("cut short")
    );
    // A whole file under another name is damage too.
    fs::write(tree.path(".fourfold/stages/s-2222.stage"), &whole).unwrap();
    assert!(matches!(
        keep.load("s-2222"),
        Err(Error::StageDamaged { .. })
    ));
    assert!(keep.remove(one.id()).unwrap());
}

#[test]
fn what_has_to_go_is_said() {
    let tree = Tree::new(&[("a", "text\n")]);
    let mut limits = StoreLimits::default();
    limits.max_stages = 2;
    let keep = store(&tree, limits);
    let stages: Vec<Staged> = ["1", "2", "3"]
        .iter()
        .map(|text| staged(&tree, text))
        .collect();
    assert_eq!(keep.save(&stages[0]).unwrap(), []);
    assert_eq!(keep.save(&stages[1]).unwrap(), []);
    let evicted = keep.save(&stages[2]).unwrap();
    assert_eq!(evicted.len(), 1);
    assert_eq!(evicted[0].why, Eviction::TooMany);
    assert!([stages[0].id(), stages[1].id()].contains(&evicted[0].id.as_str()));
    assert_eq!(keep.list().unwrap().len(), 2);
    let bytes = keep.list().unwrap()[0].bytes;
    limits.max_bytes = bytes + bytes / 2;
    assert_eq!(
        store(&tree, limits).sweep().unwrap()[0].why,
        Eviction::TooLarge
    );
    limits.max_bytes = bytes - 1;
    let error = store(&tree, limits).save(&staged(&tree, "4")).unwrap_err();
    assert!(matches!(error, Error::StageTooLarge { .. }), "{error}");
    assert_eq!(keep.list().unwrap().len(), 1);
}

#[test]
fn odd_ids_and_files_do_no_harm() {
    let tree = Tree::new(&[("a", "text\n")]);
    let mut limits = StoreLimits::default();
    limits.max_age = Duration::from_secs(60);
    let keep = store(&tree, limits);
    assert!(keep.list().unwrap().is_empty() && keep.sweep().unwrap().is_empty());
    assert!(!tree.path(".fourfold").exists());
    for id in ["", "../a", "s-7k2m/../../a", "s-ABCD"] {
        assert!(matches!(keep.load(id), Err(Error::BadId { .. })), "{id}");
        assert!(matches!(keep.remove(id), Err(Error::BadId { .. })), "{id}");
    }
    keep.save(&staged(&tree, "1")).unwrap();
    tree.put(".fourfold/stages/s-3333.tmp", "cut short");
    tree.put(".fourfold/stages/README", "hello");
    tree.put(".fourfold/txn/README", "hello");
    assert!(keep.sweep().unwrap().is_empty());
    assert_eq!(keep.list().unwrap().len(), 1);
    assert!(!tree.path(".fourfold/stages/s-3333.tmp").exists());
    assert!(tree.path(".fourfold/stages/README").exists());
    assert!(
        fourfold_rewrite_txn::recover(tree.root())
            .unwrap()
            .is_clean()
    );
}
