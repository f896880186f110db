//! Unified diffs: as programs write them, as models write them, and what is refused.

use expect_test::{Expect, expect};
use fourfold_edit::{Action, Outcome, Patch, Tolerance};

fn parse(text: &str) -> Patch {
    Patch::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str, said: &Expect) {
    said.assert_eq(&Patch::parse(text).unwrap_err().to_string());
}

fn after(text: &str, old: &str) -> String {
    match parse(text).files[0].apply(Some(old.as_bytes())) {
        Ok(Outcome::Updated(change)) => String::from_utf8(change.text).unwrap(),
        other => panic!("{other:?}"),
    }
}

const GIT: &str = r#"From 0123 Mon Sep 17 00:00:00 2001
Subject: [PATCH] Many things

- a list
+ of what was done
---
 a.rs | 2 +-

diff --git a/a.rs b/a.rs
index 1111111..2222222 100644
--- a/a.rs
+++ b/a.rs
@@ -1,3 +1,3 @@
 one
-two
+2
 three
@@ -10,2 +10,1 @@ fn x()
 ten
--- a comment that goes
diff --git a/old name.txt b/new name.txt
similarity index 80%
rename from old name.txt
rename to new name.txt
--- a/old name.txt	
+++ b/new name.txt	
@@ -1 +1 @@
-x
\ No newline at end of file
+y
\ No newline at end of file
diff --git a/moved b/dir/moved
similarity index 100%
rename from moved
rename to dir/moved
diff --git a/new.txt b/new.txt
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+hello
+world
\ No newline at end of file
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
diff --git "a/caf\303\251" "b/caf\303\251"
deleted file mode 100755
index 4444444..0000000
--- "a/caf\303\251"
+++ /dev/null
@@ -1,2 +0,0 @@
-gone
-too
-- 
2.39.5

"#;

#[test]
fn what_git_writes_is_read() {
    let patch = parse(GIT);
    let names: Vec<&str> = patch.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        names,
        ["a.rs", "old name.txt", "moved", "new.txt", "empty", "café"]
    );
    let to = |at: usize| match &patch.files[at].action {
        Action::Update { to, .. } => to.as_deref(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (to(0), to(1), to(2)),
        (None, Some("new name.txt"), Some("dir/moved"))
    );
    assert_eq!(patch.files[3].action, Action::Add(b"hello\nworld".to_vec()));
    assert_eq!(patch.files[4].action, Action::Add(Vec::new()));
    let outcome = |at: usize, old: &str| patch.files[at].apply(Some(old.as_bytes()));
    let Outcome::Updated(change) =
        outcome(0, "one\ntwo\nthree\n\nten\n-- a comment that goes\n").unwrap()
    else {
        panic!();
    };
    assert_eq!(change.text, b"one\n2\nthree\n\nten\n");
    let Outcome::Updated(change) = outcome(1, "x").unwrap() else {
        panic!();
    };
    assert_eq!(
        (change.text, change.matches[0].tolerance),
        (b"y".to_vec(), Tolerance::Exact)
    );
    assert_eq!(outcome(5, "gone\ntoo\n").unwrap(), Outcome::Deleted);
    expect!["deleting café: it has more in it than the patch shows, from line 3 on; read it again and delete it if all of that can go"]
        .assert_eq(&outcome(5, "gone\ntoo\nbut not this\n").unwrap_err().to_string());
}

#[test]
fn names_come_in_many_ways() {
    for (old, new) in [
        ("a/src/x.rs", "b/src/x.rs"),
        ("src/x.rs", "src/x.rs"),
        ("i/src/x.rs", "w/src/x.rs"),
        (
            "a/src/x.rs\t2024-01-01 10:00:00.000 +0100",
            "b/src/x.rs\t2024-01-01 10:00:01",
        ),
        ("\"a/src/x.rs\"", "b/src/x.rs"),
        ("./src/x.rs", "./src/x.rs"),
    ] {
        let text = format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-x\n+y\n");
        assert_eq!(parse(&text).files[0].path, "src/x.rs", "{text}");
    }
    // A folder that is called as a prefix is.
    let bare = "diff --git b/x b/x\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n";
    assert_eq!(parse(bare).files[0].path, "b/x");
}

#[test]
fn numbers_and_counts_may_be_wrong() {
    let old = "a\nb\nc\nd\ne\nf\n";
    for header in [
        "@@ -1,3 +1,3 @@",
        "@@ -400,1 +400,9 @@",
        "@@ -0,0 +0,0 @@",
        "@@",
        "@@ ... @@",
        "@@ -x +y @@",
    ] {
        let text = format!("--- a/f\n+++ b/f\n{header}\n c\n-d\n+D\n e\n\n");
        assert_eq!(after(&text, old), "a\nb\nc\nD\ne\nf\n", "{header}");
    }
    // A blank line that stays is more of a hunk whose count is too small.
    let blank = "--- a/f\n+++ b/f\n@@ -7 +5 @@\n+0\n a\n \n@@ -9 +9 @@\n-b\n+B\n";
    assert_eq!(after(blank, "a\n\nb\n"), "0\na\n\nB\n");
    let two = "--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n-a\n+A\n@@ -9,1 +9,1 @@\n-f\n+F\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(after(two, old), "A\nb\nc\nd\ne\nF\n");
    assert_eq!(parse(two).files.len(), 2);
}

#[test]
fn signs_at_the_beginning_of_the_text_are_text() {
    let text =
        "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old comment\n+++ new comment\n select 1\n";
    assert_eq!(
        after(text, "-- old comment\nselect 1\n"),
        "++ new comment\nselect 1\n"
    );
}

#[test]
fn crlf_patches_and_crlf_files_meet() {
    let text = "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n-b\n+B\n+C\n";
    assert_eq!(after(text, "a\r\nb\r\n"), "a\r\nB\r\nC\r\n");
    assert_eq!(after(&text.replace('\n', "\r\n"), "a\nb\n"), "a\nB\nC\n");
    assert_eq!(
        after(&text.replace('\n', "\r\n"), "a\r\nb\r\n"),
        "a\r\nB\r\nC\r\n"
    );
    // As git writes it for a file with CRLF: the CRs are the file's.
    let git = "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\r\n-b\r\n+B\n+C\r\n";
    assert_eq!(after(git, "a\r\nb\r\n"), "a\r\nB\nC\r\n");
}

#[test]
fn the_final_newline_is_as_the_patch_says_or_as_it_was() {
    let gets = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n";
    assert_eq!(after(gets, "a"), "a\n");
    let loses = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n";
    assert_eq!(after(loses, "a\n"), "a");
    let silent = "--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n a\n+b\n";
    assert_eq!(after(silent, "a"), "a\nb");
    let Outcome::Updated(change) = parse(silent).files[0].apply(Some(b"a")).unwrap() else {
        panic!();
    };
    assert_eq!(change.tolerance(), Tolerance::LineEnds);
}

#[test]
fn what_is_not_done_is_refused_by_name() {
    refused(
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
        &expect![
            "reading line 3 of the patch, for x: it changes the mode to 100755, and modes are kept as they are; leave the mode lines out and change it with chmod"
        ],
    );
    refused(
        "diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n",
        &expect![
            "reading line 2 of the patch, for x: it adds a file of mode 100755, and only plain files (100644) are made; leave the mode line out and change it with chmod"
        ],
    );
    refused(
        "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n",
        &expect![
            "reading line 2 of the patch, for x: it adds a file of mode 120000, and only plain files (100644) are made; leave the mode line out and change it with chmod"
        ],
    );
    refused(
        "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n",
        &expect![
            "reading line 3 of the patch, for y: it copies a file, which is not done; add the copy as a new file"
        ],
    );
    refused(
        "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n",
        &expect![
            "reading line 3 of the patch, for x.png: it is a binary patch, which cannot be applied; write the file whole"
        ],
    );
    refused(
        "diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZQzWMT#Y01f~L\n\n",
        &expect![
            "reading line 3 of the patch, for x.png: it is a binary patch, which cannot be applied; write the file whole"
        ],
    );
    refused(
        "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n",
        &expect![
            "reading line 1 of the patch: it is the diff of a merge, with several old sides; make a plain one, as `git diff HEAD` does"
        ],
    );
    refused(
        "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-x\n+y\n",
        &expect![
            "reading line 1 of the patch, for a/x: its new name is b/y; to move a file, say so with `rename from` and `rename to` below a `diff --git` line, else name it the same twice"
        ],
    );
    refused(
        "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-x\n+y\n",
        &expect![
            "reading line 1 of the patch: both names are /dev/null; name the file on one side"
        ],
    );
    refused(
        "--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n x\n+y\n",
        &expect![
            "reading line 3 of the patch: the file is new, so all lines of its hunk begin with +"
        ],
    );
    refused(
        "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-x\n+y\n",
        &expect![[
            r#"reading line 1 of the patch: the path "../x" goes up with `..`; give a path relative to the root, like src/main.rs"#
        ]],
    );
    refused(
        "@@ -1 +1 @@\n-x\n+y\n",
        &expect![
            "reading line 1 of the patch: a hunk stands before any file is named; put `--- a/path` and `+++ b/path` above it"
        ],
    );
    refused(
        "--- a/x\n+++ b/x\n-x\n+y\n",
        &expect![[
            r#"reading line 3 of the patch: "-x": it has no hunk header above it; begin the hunk with @@"#
        ]],
    );
    refused(
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\nz\n+w\n",
        &expect![[
            r#"reading line 7 of the patch: "+w": it does not belong to the hunk above it; begin another one with @@"#
        ]],
    );
    refused(
        "--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n-x\nz\n",
        &expect![[
            r#"reading line 5 of the patch: "z" begins neither with a blank (stays), + (comes) nor - (goes); put the right sign in front"#
        ]],
    );
}
