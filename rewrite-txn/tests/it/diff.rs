//! The diff as people read it and as git takes it.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use fourfold_rewrite_txn::{DiffOptions, Durability, Edit, Staged};

use crate::tree::Tree;

fn sample(tree: &Tree) -> Staged {
    let mut stage = tree.stage();
    let text = tree.get("long.txt");
    let at = text.find("line 12").unwrap();
    stage
        .replace(
            "long.txt",
            vec![Edit::new(0..4, "LINE"), Edit::new(at..at + 4, "LINE")],
        )
        .unwrap();
    stage.write("no end", "one\ntwo").unwrap();
    stage.create("new/file.txt", "hello\n").unwrap();
    stage.create("empty", "").unwrap();
    stage.delete("gone.sh").unwrap();
    stage.rename("from.txt", "to.txt").unwrap();
    stage
        .rename_edited("edited.txt", "sub/edited.txt", vec![Edit::new(0..1, "E")])
        .unwrap();
    stage.write("quo\"te\t\u{e9}", "changed\n").unwrap();
    stage.finish().unwrap()
}

fn tree() -> Tree {
    let long: String = (1..=20).map(|number| format!("line {number}\n")).collect();
    let tree = Tree::new(&[
        ("long.txt", &long),
        ("no end", "one\n"),
        ("gone.sh", "#!/bin/sh"),
        ("from.txt", "moves\n"),
        ("edited.txt", "edited\nand\nmoved\n"),
        ("quo\"te\t\u{e9}", "text\n"),
    ]);
    fs::set_permissions(tree.path("gone.sh"), Permissions::from_mode(0o755)).unwrap();
    tree
}

#[test]
fn it_reads_like_gits() {
    let tree = tree();
    expect_test::expect![[r#"
        diff --git a/edited.txt b/sub/edited.txt
        similarity index 94%
        rename from edited.txt
        rename to sub/edited.txt
        --- a/edited.txt
        +++ b/sub/edited.txt
        @@ -1,3 +1,3 @@
        -edited
        +Edited
         and
         moved
        diff --git a/empty b/empty
        new file mode 100644
        diff --git a/from.txt b/to.txt
        similarity index 100%
        rename from from.txt
        rename to to.txt
        diff --git a/gone.sh b/gone.sh
        deleted file mode 100755
        --- a/gone.sh
        +++ /dev/null
        @@ -1 +0,0 @@
        -#!/bin/sh
        \ No newline at end of file
        diff --git a/long.txt b/long.txt
        --- a/long.txt
        +++ b/long.txt
        @@ -1,4 +1,4 @@
        -line 1
        +LINE 1
         line 2
         line 3
         line 4
        @@ -9,7 +9,7 @@
         line 9
         line 10
         line 11
        -line 12
        +LINE 12
         line 13
         line 14
         line 15
        diff --git a/new/file.txt b/new/file.txt
        new file mode 100644
        --- /dev/null
        +++ b/new/file.txt
        @@ -0,0 +1 @@
        +hello
        diff --git a/no end b/no end
        --- a/no end	
        +++ b/no end	
        @@ -1 +1,2 @@
         one
        +two
        \ No newline at end of file
        diff --git "a/quo\"te\011\303\251" "b/quo\"te\011\303\251"
        --- "a/quo\"te\011\303\251"
        +++ "b/quo\"te\011\303\251"
        @@ -1 +1 @@
        -text
        +changed
    "#]]
    .assert_eq(&sample(&tree).diff(&DiffOptions::full()).to_string());
}

#[test]
fn git_applies_it_to_the_same_result() {
    let (ours, gits) = (tree(), tree());
    let mut staged = sample(&ours);
    let diff = staged.diff(&DiffOptions::full());
    assert!(diff.is_complete());
    let mut git = Command::new("git")
        .args(["apply", "--whitespace=nowarn", "-"])
        .current_dir(gits.root())
        .env("GIT_DIR", gits.path("none"))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    git.stdin
        .take()
        .unwrap()
        .write_all(diff.as_bytes())
        .unwrap();
    assert!(git.wait().unwrap().success());
    staged.commit(Durability::ProcessCrash).unwrap();
    assert_eq!(ours.contents(), gits.contents());
}

#[test]
fn it_is_bounded_and_says_what_is_missing() {
    let tree = tree();
    let staged = sample(&tree);
    let full = staged.diff(&DiffOptions::full());
    for bound in [0, 1, 50, 100, 333, 500, full.as_bytes().len() - 1] {
        let diff = staged.diff(&DiffOptions::default().max_bytes(bound));
        let note = diff.to_string().lines().last().unwrap().to_owned();
        assert!(note.starts_with("[left out: "), "{bound}: {note}");
        assert!(diff.as_bytes().len() <= bound + note.len() + 1);
        assert!(!diff.is_complete() && !diff.left_out().is_empty());
    }
    let whole = staged.diff(&DiffOptions::default().max_bytes(full.as_bytes().len()));
    assert_eq!(whole, full);
}

#[test]
fn binary_and_other_encodings() {
    let tree = Tree::new(&[]);
    tree.put("binary", b"\0\x01\x02");
    tree.put("latin", b"caf\xe9\n");
    let mut stage = tree.stage();
    stage.write("binary", b"\0\x03").unwrap();
    stage.write("latin", b"CAF\xc9\n").unwrap();
    let diff = stage.finish().unwrap().diff(&DiffOptions::default());
    expect_test::expect![[r#"
        diff --git a/binary b/binary
        Binary files a/binary and b/binary differ
        diff --git a/latin b/latin
        --- a/latin
        +++ b/latin
        @@ -1 +1 @@
        -caf�
        +CAF�
    "#]]
    .assert_eq(&diff.to_string());
    assert_eq!(diff.binary(), ["binary".as_ref() as &std::path::Path]);
    assert!(diff.as_bytes().ends_with(b"-caf\xe9\n+CAF\xc9\n"));
}
