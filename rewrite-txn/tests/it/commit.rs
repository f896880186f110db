//! Commits that succeed and commits that refuse.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use fourfold_rewrite_txn::{
    CommitError, CommitOptions, ContentHash, Drift, Durability, Edit, Error, FileKind, Guarantee,
    HardLinks, Stage, StageOptions, recover,
};

use crate::tree::{Tree, drifted};

fn map(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

#[test]
fn all_kinds_of_changes_in_one_commit() {
    for durability in [Durability::PowerLoss, Durability::ProcessCrash] {
        let tree = Tree::new(&[
            ("src/a.rs", "fn a() {}\n"),
            ("src/b.rs", "fn b() {}\n"),
            ("old.txt", "old\n"),
            ("move.txt", "moved\n"),
        ]);
        let mut stage = tree.stage();
        stage
            .replace("src/a.rs", vec![Edit::new(3..4, "alpha")])
            .unwrap();
        stage.write("src/b.rs", "fn beta() {}\n").unwrap();
        stage.write("src/new/deep/c.rs", "fn c() {}\n").unwrap();
        stage.delete("old.txt").unwrap();
        stage
            .rename_edited("move.txt", "there.txt", vec![Edit::new(0..0, "re")])
            .unwrap();
        let mut staged = stage.finish().unwrap();
        let committed = staged.commit(durability).unwrap();
        assert!(committed.recovered.is_clean());
        assert_eq!(committed.guarantee, Guarantee::Full);
        let paths: Vec<_> = committed
            .files
            .iter()
            .map(|f| f.path.to_str().unwrap())
            .collect();
        let expected = [
            "move.txt",
            "old.txt",
            "src/a.rs",
            "src/b.rs",
            "src/new/deep/c.rs",
            "there.txt",
        ];
        assert_eq!(paths, expected);
        assert_eq!(
            committed.files[2].new,
            Some(ContentHash::of(b"fn alpha() {}\n"))
        );
        assert_eq!(committed.files[1].new, None);
        let mut contents = tree.contents();
        contents.retain(|path, _| !path.ends_with('/'));
        let expected = [
            ("src/a.rs", "fn alpha() {}\n"),
            ("src/b.rs", "fn beta() {}\n"),
            ("src/new/deep/c.rs", "fn c() {}\n"),
            ("there.txt", "removed\n"),
        ];
        assert_eq!(contents, map(&expected));
        assert_eq!(tree.leftovers(), Vec::<String>::new());
        assert_eq!(tree.get(".fourfold/.gitignore"), "*\n");
        assert!(recover(tree.root()).unwrap().is_clean());
        assert!(matches!(
            staged.commit(durability),
            Err(CommitError::Spent { .. })
        ));
    }
}

#[test]
fn drift_names_every_file_and_leaves_no_trace() {
    let tree = Tree::new(&[
        ("a", "a"),
        ("b", "b"),
        ("c", "c"),
        ("d", "d"),
        ("e", "e"),
        ("f", "f"),
        ("ok", "ok"),
    ]);
    let mut stage = tree.stage();
    for name in ["a", "b", "c", "d", "ok"] {
        stage.write(name, format!("new {name}")).unwrap();
    }
    stage.delete("e").unwrap();
    stage.write("f", "new f").unwrap();
    stage.create("g", "g").unwrap();
    let mut staged = stage.finish().unwrap();
    tree.put("a", "other");
    fs::remove_file(tree.path("b")).unwrap();
    fs::remove_file(tree.path("c")).unwrap();
    fs::create_dir(tree.path("c")).unwrap();
    tree.put("d", "new d");
    fs::remove_file(tree.path("e")).unwrap();
    fs::set_permissions(tree.path("f"), Permissions::from_mode(0o444)).unwrap();
    tree.put("g", "somebody else's");
    let before = tree.facts();
    let error = staged.commit(Durability::PowerLoss).unwrap_err();
    expect_test::expect![[r#"
        nothing was changed, because a changed since it was staged, b vanished since it was staged, c is now a directory, d already holds the staged content, e vanished since it was staged, f became read-only: the file, g appeared since it was staged; the stage is kept: stage those files again or leave them out"#]]
    .assert_eq(error.to_string().split_once(": ").unwrap().1);
    let expected = [
        (
            "a",
            Drift::Changed {
                found: ContentHash::of(b"other"),
            },
        ),
        ("b", Drift::Vanished),
        ("c", Drift::TypeChanged(FileKind::Directory)),
        ("d", Drift::AlreadyApplied),
        ("e", Drift::Vanished),
        ("f", Drift::ReadOnly("the file".to_owned())),
        ("g", Drift::Appeared),
    ];
    let expected: Vec<_> = expected.map(|(path, why)| (path.to_owned(), why)).into();
    assert_eq!(drifted(error), expected);
    assert_eq!(tree.facts(), before);
    assert_eq!(tree.leftovers(), Vec::<String>::new());
    // The stage is kept: leave the drifted files out, and the rest goes through.
    let mut rest = staged.without::<_, &str>(&["a", "b", "c", "d", "e", "f", "g"], &[]);
    // "g" is taken now, so the selection is only valid without it.
    assert_eq!(
        rest.as_mut()
            .unwrap()
            .commit(Durability::ProcessCrash)
            .unwrap()
            .files
            .len(),
        1
    );
    assert_eq!(tree.get("ok"), "new ok");
}

#[test]
fn an_open_writer_makes_the_commit_refuse() {
    let tree = Tree::new(&[("a", "one"), ("b", "two")]);
    let mut stage = tree.stage();
    stage.write("a", "new one").unwrap();
    stage.write("b", "new two").unwrap();
    let mut staged = stage.finish().unwrap();
    let before = tree.facts();
    let writer = OpenOptions::new()
        .append(true)
        .open(tree.path("b"))
        .unwrap();
    let error = staged.commit(Durability::PowerLoss).unwrap_err();
    assert_eq!(drifted(error), [("b".to_owned(), Drift::OpenForWriting)]);
    assert_eq!(tree.contents(), map(&[("a", "one"), ("b", "two")]));
    assert_eq!(tree.facts()["b"], before["b"]);
    assert_eq!(tree.leftovers(), Vec::<String>::new());
    drop(writer);
    staged.commit(Durability::PowerLoss).unwrap();
    assert_eq!(tree.get("b"), "new two");
}

#[test]
fn somebody_elses_commit_means_busy() {
    let tree = Tree::new(&[("a", "one")]);
    let mut stage = tree.stage();
    stage.write("a", "two").unwrap();
    let mut staged = stage.finish().unwrap();
    fs::create_dir_all(tree.path(".fourfold/txn")).unwrap();
    tree.put(".fourfold/txn/lock", "4711\n");
    let lock = File::open(tree.path(".fourfold/txn/lock")).unwrap();
    lock.lock().unwrap();
    let options = CommitOptions::default().lock_wait(std::time::Duration::ZERO);
    let error = staged.commit_with(&options).unwrap_err();
    expect_test::expect!["committing: process 4711 is committing in this checkout and did not finish within 0ns; nothing was changed: try again"].assert_eq(&error.to_string());
    assert_eq!(tree.get("a"), "one");
    drop(lock);
    staged.commit_with(&options).unwrap();
    assert_eq!(tree.get("a"), "two");
}

#[test]
fn rights_and_attributes_survive() {
    let tree = Tree::new(&[("run.sh", "echo\n"), ("move.sh", "mv\n")]);
    fs::set_permissions(tree.path("run.sh"), Permissions::from_mode(0o4751)).unwrap();
    fs::set_permissions(tree.path("move.sh"), Permissions::from_mode(0o700)).unwrap();
    let name = "user.fourfold";
    let value = b"kept";
    rustix::fs::setxattr(
        tree.path("run.sh"),
        name,
        value,
        rustix::fs::XattrFlags::empty(),
    )
    .unwrap();
    let moved = fs::metadata(tree.path("move.sh")).unwrap();
    let mut stage = tree.stage();
    stage.write("run.sh", "echo on\n").unwrap();
    stage.rename("move.sh", "sub/moved.sh").unwrap();
    stage
        .finish()
        .unwrap()
        .commit(Durability::ProcessCrash)
        .unwrap();
    let meta = fs::metadata(tree.path("run.sh")).unwrap();
    assert_eq!(meta.mode() & 0o7777, 0o4751);
    let mut buffer = [0; 16];
    let len = rustix::fs::getxattr(tree.path("run.sh"), name, &mut buffer).unwrap();
    assert_eq!(&buffer[..len], value);
    let after = fs::metadata(tree.path("sub/moved.sh")).unwrap();
    assert_eq!(after.mode() & 0o7777, 0o700);
    assert_eq!(after.modified().unwrap(), moved.modified().unwrap());
    // Rights that change between stage and commit are not drift; they are carried over.
    let mut stage = tree.stage();
    stage.write("run.sh", "echo again\n").unwrap();
    let mut staged = stage.finish().unwrap();
    fs::set_permissions(tree.path("run.sh"), Permissions::from_mode(0o640)).unwrap();
    staged.commit(Durability::ProcessCrash).unwrap();
    assert_eq!(
        fs::metadata(tree.path("run.sh")).unwrap().mode() & 0o7777,
        0o640
    );
}

#[test]
fn nothing_to_do_is_a_success_without_a_trace() {
    let tree = Tree::new(&[("a", "same")]);
    let before = tree.facts();
    let mut stage = tree.stage();
    stage.write("a", "same").unwrap();
    stage.replace("a", vec![Edit::new(0..1, "s")]).unwrap();
    let mut staged = stage.finish().unwrap();
    assert!(staged.is_empty());
    assert!(
        staged
            .commit(Durability::PowerLoss)
            .unwrap()
            .files
            .is_empty()
    );
    assert_eq!(tree.facts(), before);
    assert!(!tree.path(".fourfold").exists());
}

#[test]
fn renames_can_swap_and_chain() {
    let tree = Tree::new(&[("a", "A"), ("b", "B"), ("c", "C")]);
    let mut stage = tree.stage();
    stage.rename("a", "b").unwrap();
    stage.rename("b", "a").unwrap();
    stage.rename("c", "d").unwrap();
    stage
        .finish()
        .unwrap()
        .commit(Durability::PowerLoss)
        .unwrap();
    assert_eq!(tree.contents(), map(&[("a", "B"), ("b", "A"), ("d", "C")]));
    let mut stage = tree.stage();
    stage.rename("a", "b").unwrap();
    stage.rename("b", "d").unwrap();
    stage.rename("d", "e").unwrap();
    let mut staged = stage.finish().unwrap();
    // Half a chain makes no sense alone.
    let error = staged.without::<_, &str>(&["b"], &[]).unwrap_err();
    assert!(matches!(error, Error::Exists { .. }), "{error}");
    staged.commit(Durability::PowerLoss).unwrap();
    assert_eq!(tree.contents(), map(&[("b", "B"), ("d", "A"), ("e", "C")]));
}

#[test]
fn a_file_can_make_way_for_a_folder() {
    let tree = Tree::new(&[("mod", "text\n")]);
    let mut stage = tree.stage();
    stage.rename("mod", "mod/index").unwrap();
    stage.create("mod/other", "more\n").unwrap();
    stage
        .finish()
        .unwrap()
        .commit(Durability::PowerLoss)
        .unwrap();
    assert_eq!(tree.get("mod/index"), "text\n");
    assert_eq!(tree.get("mod/other"), "more\n");
}

#[test]
fn what_was_searched_is_what_is_staged() {
    let tree = Tree::new(&[("a", "seen")]);
    let seen = ContentHash::of(b"seen");
    tree.stage()
        .replace_if("a", seen, vec![Edit::new(0..1, "S")])
        .unwrap();
    tree.put("a", "changed");
    let error = tree
        .stage()
        .replace_if("a", seen, vec![])
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, Error::NotAsSeen { .. }), "{error}");
    let error = tree
        .stage()
        .write_if("a", seen, "x")
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, Error::NotAsSeen { .. }), "{error}");
}

#[test]
fn hard_links_are_split_only_when_asked() {
    let tree = Tree::new(&[("a", "one")]);
    fs::hard_link(tree.path("a"), tree.path("b")).unwrap();
    let error = tree.stage().write("a", "two").map(|_| ()).unwrap_err();
    assert!(
        matches!(error, Error::HardLinked { links: 2, .. }),
        "{error}"
    );
    let mut options = StageOptions::default();
    options.hard_links = HardLinks::Split;
    let mut stage = Stage::with_options(tree.root(), options.clone()).unwrap();
    stage.write("a", "two").unwrap();
    stage
        .finish()
        .unwrap()
        .commit(Durability::PowerLoss)
        .unwrap();
    assert_eq!(tree.contents(), map(&[("a", "two"), ("b", "one")]));
    // Both names of one file cannot be staged together.
    fs::hard_link(tree.path("a"), tree.path("c")).unwrap();
    let mut stage = Stage::with_options(tree.root(), options).unwrap();
    stage.write("a", "x").unwrap();
    stage.write("c", "y").unwrap();
    let error = stage.finish().unwrap_err();
    assert!(matches!(error, Error::SameFile { .. }), "{error}");
}

#[test]
fn sites_and_files_can_be_left_out() {
    let tree = Tree::new(&[("a", "0123456789"), ("b", "abc")]);
    let mut stage = tree.stage();
    let edits = vec![
        Edit::new(0..1, "zero").at_site("a:1"),
        Edit::new(4..5, "four").at_site("a:2"),
        Edit::new(8..9, "eight").at_site("a:1"),
    ];
    stage.replace("a", edits).unwrap();
    stage
        .replace("b", vec![Edit::new(0..1, "A").at_site("b:1")])
        .unwrap();
    let staged = stage.finish().unwrap();
    assert_eq!(staged.sites(), ["a:1", "a:2", "b:1"]);
    let mut part = staged.without(&["b"], &["a:1"]).unwrap();
    assert_ne!(part.id(), staged.id());
    part.commit(Durability::ProcessCrash).unwrap();
    assert_eq!(
        tree.contents(),
        map(&[("a", "0123four56789"), ("b", "abc")])
    );
    let error = staged.without(&["c"], &["a:9"]).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("it has no file c, site a:9; list its files and sites to see their names")
    );
    // A file whose every site is left out is left out.
    assert!(
        staged
            .without::<&str, _>(&[], &["a:1", "a:2", "b:1"])
            .unwrap()
            .is_empty()
    );
}

#[test]
fn bytes_go_in_and_out_as_they_are() {
    let tree = Tree::new(&[]);
    let content = b"\xef\xbb\xbfline\r\nlatin \xe9\r\n\0no end".to_vec();
    tree.put("odd", &content);
    let mut stage = tree.stage();
    stage.replace("odd", vec![Edit::new(3..7, "LINE")]).unwrap();
    stage
        .finish()
        .unwrap()
        .commit(Durability::ProcessCrash)
        .unwrap();
    let mut expected = content;
    expected[3..7].copy_from_slice(b"LINE");
    assert_eq!(fs::read(tree.path("odd")).unwrap(), expected);
}

#[test]
fn a_thousand_files_in_one_commit() {
    let tree = Tree::new(&[]);
    let mut stage = tree.stage();
    for number in 0..1000 {
        let path = format!("d{}/f{number}", number % 40);
        tree.put(&path, format!("content {number}"));
        stage
            .replace(&path, vec![Edit::new(0..7, "changed")])
            .unwrap();
    }
    let committed = stage
        .finish()
        .unwrap()
        .commit(Durability::PowerLoss)
        .unwrap();
    assert_eq!(committed.files.len(), 1000);
    assert_eq!(tree.get("d39/f999"), "changed 999");
    assert_eq!(tree.leftovers(), Vec::<String>::new());
}
