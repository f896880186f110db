//! `fourfold write`, `edit` and `patch`.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use expect_test::expect;

use crate::project::{Project, Run};

fn sample() -> Project {
    Project::new(&[
        (
            "src/a.py",
            "def a():\n    return 1\n\n\ndef b():\n    return 1\n",
        ),
        ("crlf.txt", "one\r\ntwo\r\n"),
    ])
}

/// A run that gets `input` on standard input.
fn fed(project: &Project, args: &[&str], input: &str) -> Run {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input.as_bytes()).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    project.finish(project.command().args(args).stdin(Stdio::from(file)))
}

/// A folder that becomes a checkout of its own is told as such, once.
#[test]
fn a_folder_without_a_marker_becomes_a_checkout() {
    let project = sample();
    fs::remove_dir(project.root().join(".git")).unwrap();
    let first = fed(&project, &["-C", "src", "write", "x.txt"], "one\n");
    assert_eq!(first.out, "created x.txt (+1 -0)\n");
    let says = "no folder from `ROOT/src` up holds `.git`, `.fourfold` or `fourfold.toml`: it is a \
                checkout of its own from here on\n";
    assert_eq!(first.err, says);
    let second = fed(&project, &["-C", "src", "write", "x.txt"], "two\n");
    assert_eq!(second.err, "");
}

#[test]
fn a_file_is_written_from_standard_input_or_a_file() {
    let project = sample();
    fed(&project, &["write", "new/x.txt"], "one\n").expect(&expect![[r#"
        created new/x.txt (+1 -0)
        --- stderr, status 0
    "#]]);
    assert_eq!(project.read("new/x.txt"), "one\n");
    fed(&project, &["write", "new/x.txt"], "one\n").expect(&expect![[r#"
        new/x.txt has this content already
        --- stderr, status 1
    "#]]);
    let from = ["write", "crlf.txt", "--from", "new/x.txt"];
    project.run(from).expect(&expect![[r#"
        updated crlf.txt (+1 -2)
        its lines ended with CRLF and now end with LF, as the content was given
        --- stderr, status 0
    "#]]);
    assert_eq!(project.read("crlf.txt"), "one\n");
    let wrong = [
        "write",
        "crlf.txt",
        "--from",
        "new/x.txt",
        "--expect",
        "0123456789",
    ];
    let run = project.run(wrong);
    assert_eq!(run.status, 2);
    assert!(
        run.err.contains("has not the hash 0123456789"),
        "{}",
        run.err
    );
}

#[test]
fn a_text_is_replaced_where_it_is_the_only_one() {
    let project = sample();
    let run = project.run(["edit", "src/a.py", "--old", "def b", "--new", "def c"]);
    run.expect(&expect![[r#"
        updated src/a.py (+1 -1)
        --- stderr, status 0
    "#]]);
    assert!(project.read("src/a.py").contains("def c():"));
    let run = project.run(["edit", "src/a.py", "--old", "return 1", "--new", "return 2"]);
    run.expect(&expect![[r#"
        --- stderr, status 2
        error: src/a.py: replacing: the old text is found at 2 places:
            2 |     return 1
            6 |     return 1
        give more of the lines around the one that is meant, or replace all of them
    "#]]);
    let run = project.run([
        "edit", "src/a.py", "--old", "return 1", "--new", "-1", "--all",
    ]);
    assert_eq!(run.status, 0, "{}", run.err);
    assert!(!project.read("src/a.py").contains("return"));
    let run = project.run(["edit", "src/a.py", "--old", "x"]);
    run.expect(&expect![[r#"
        --- stderr, status 2
        error: `--new <TEXT>` or `--new-file <FILE>` is missing; `fourfold edit --help` shows what there is
    "#]]);
}

#[test]
fn texts_of_several_lines_come_from_files_and_line_ends_are_the_files() {
    let project = sample();
    project.write("old.txt", "one\ntwo\n");
    let mut command = project.command();
    command.args([
        "edit",
        "../crlf.txt",
        "--old-file",
        "../old.txt",
        "--new",
        "1\n2\n",
    ]);
    command.current_dir(project.root().join("src"));
    project.finish(&mut command).expect(&expect![[r#"
        updated ../crlf.txt (+2 -2)
        matched although line ends differ; the file keeps its own
        --- stderr, status 0
    "#]]);
    assert_eq!(project.read("crlf.txt"), "1\r\n2\r\n");
}

#[test]
fn a_dry_run_shows_a_patch_that_can_be_applied() {
    let project = sample();
    let run = project.run([
        "edit",
        "src/a.py",
        "--old",
        "def a",
        "--new",
        "def z",
        "--dry-run",
    ]);
    run.expect(&expect![[r#"
        diff --git a/src/a.py b/src/a.py
        --- a/src/a.py
        +++ b/src/a.py
        @@ -1,4 +1,4 @@
        -def a():
        +def z():
             return 1


        --- stderr, status 0
        (not yet) updated src/a.py (+1 -1)
        nothing is changed: --dry-run only shows
    "#]]);
    assert!(project.read("src/a.py").starts_with("def a"));
    let applied = fed(&project, &["patch"], &run.out);
    applied.expect(&expect![[r#"
        updated src/a.py (+1 -1)
        --- stderr, status 0
    "#]]);
    assert!(project.read("src/a.py").starts_with("def z"));
}

#[test]
fn a_patch_is_applied_as_a_whole_and_told_in_json() {
    let project = sample();
    let patch = "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: src/c.py\n@@ def b():\n-    return 1\n+    return 2\n*** Delete File: crlf.txt\n*** End Patch\n";
    project.write("p.patch", patch);
    let run = project.run(["patch", "p.patch", "--json"]);
    assert_eq!(run.status, 0, "{}", run.err);
    let lines = run.json();
    assert_eq!(lines[0]["type"], "summary");
    assert_eq!(lines[0]["files"][0]["action"], "deleted");
    assert_eq!(lines[0]["files"][1]["moved_from"], "src/a.py");
    assert_eq!(lines[0]["files"][1]["lines_added"], 1);
    assert!(
        project
            .read("src/c.py")
            .ends_with("def b():\n    return 2\n")
    );
    let run = project.run(["patch", "p.patch"]);
    run.expect(&expect![[r#"
        --- stderr, status 2
        error: 2 problems, nothing was changed:
        1. updating src/a.py: there is no such file; correct the path, or add the file
        2. deleting crlf.txt: there is no such file; correct the path, or add the file
    "#]]);
    assert!(fs::exists(project.root().join("src/c.py")).unwrap());
    let run = project.run(["patch", "none.patch"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("cannot read `none.patch`"), "{}", run.err);
}
