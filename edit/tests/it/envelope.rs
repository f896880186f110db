//! The envelope: what it says, what is let pass, what is refused.

use expect_test::{Expect, expect};
use fourfold_edit::{Action, Outcome, Patch};

fn parse(text: &str) -> Patch {
    Patch::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str, said: &Expect) {
    said.assert_eq(&Patch::parse(text).unwrap_err().to_string());
}

/// What becomes of a file by the only section of a patch.
fn after(text: &str, old: &str) -> String {
    match parse(text).files[0].apply(Some(old.as_bytes())) {
        Ok(Outcome::Updated(change)) => String::from_utf8(change.text).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_section_is_read() {
    let patch = parse(
        "*** Begin Patch\n*** Add File: new/a.txt\n+one\n+\n+  two\n*** Delete File: old.txt\n\
         *** Update File: src/x.rs\n*** Move to: src/y.rs\n@@ fn main() {\n-    a();\n+    b();\n\
         @@\n c\n+d\n*** End of File\n*** End Patch\n",
    );
    let [add, delete, update] = &patch.files[..] else {
        panic!("{patch:?}");
    };
    assert_eq!((add.path.as_str(), add.line), ("new/a.txt", 2));
    assert_eq!(add.action, Action::Add(b"one\n\n  two\n".to_vec()));
    assert_eq!(
        add.apply(None).unwrap(),
        Outcome::Added(b"one\n\n  two\n".to_vec())
    );
    assert_eq!(
        (delete.path.as_str(), &delete.action),
        ("old.txt", &Action::Delete { shown: None })
    );
    assert_eq!(delete.apply(Some(b"x")).unwrap(), Outcome::Deleted);
    let Action::Update { to, sections } = &update.action else {
        panic!("{update:?}");
    };
    assert_eq!(to.as_deref(), Some("src/y.rs"));
    let hunks: Vec<usize> = sections[0].iter().map(fourfold_edit::Hunk::line).collect();
    assert_eq!(hunks, [9, 12]);
    let old = "fn main() {\n    a();\n}\nc\n";
    let Outcome::Updated(change) = update.apply(Some(old.as_bytes())).unwrap() else {
        panic!();
    };
    assert_eq!(change.text, b"fn main() {\n    b();\n}\nc\nd\n");
}

#[test]
fn a_move_alone_is_enough() {
    let patch = parse("*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch");
    let Outcome::Updated(change) = patch.files[0].apply(Some(b"x")).unwrap() else {
        panic!();
    };
    assert_eq!((change.edits.len(), change.text), (0, b"x".to_vec()));
}

#[test]
fn what_is_wrapped_around_it_is_let_pass() {
    let bare = "*** Begin Patch\n*** Update File: a\n-x\n+y\n*** End Patch\n";
    let section = "*** Update File: a\n-x\n+y\n*** End Patch";
    for text in [
        bare.to_owned(),
        bare.replace('\n', "\r\n"),
        format!("Here it is:\n\n```diff\n{bare}```\n"),
        format!("apply_patch <<'EOF'\n{bare}EOF\n"),
        format!("$ apply_patch <<-\"PATCH\"\n{bare}PATCH"),
        format!("\n\n{bare}\n\n"),
        section.to_owned(),
        "*** Begin Patch\n*** Update File: a\n--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-x\n+y\n*** End Patch".to_owned(),
        "*** Begin Patch\n*** Update File: ./a\n\n@@\n-x\n+y\n\n*** End Patch  ".to_owned(),
    ] {
        assert_eq!(parse(&text).files[0].path, "a", "{text}");
        assert_eq!(after(&text, "x\n"), "y\n", "{text}");
    }
}

#[test]
fn an_empty_line_without_its_blank_stays() {
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n x\n\n-y\n+z\n\n*** End Patch";
    assert_eq!(after(patch, "x\n\ny\nend\n"), "x\n\nz\nend\n");
}

#[test]
fn a_file_of_plain_lines_may_lack_the_sign_of_an_empty_one() {
    let patch = parse("*** Begin Patch\n*** Add File: a\n+x\n\n+y\n\n*** End Patch\n");
    assert_eq!(patch.files[0].action, Action::Add(b"x\n\ny\n".to_vec()));
    let empty = parse("*** Begin Patch\n*** Add File: a\n*** End Patch\n");
    assert_eq!(empty.files[0].action, Action::Add(Vec::new()));
}

#[test]
fn updates_of_one_file_follow_one_another() {
    let patch =
        "*** Begin Patch\n*** Update File: a\n-x\n+y\n*** Update File: ./a\n-y\n+z\n*** End Patch";
    assert_eq!(parse(patch).files.len(), 1);
    assert_eq!(after(patch, "x\n"), "z\n");
    refused(
        "*** Begin Patch\n*** Delete File: a\n*** Add File: a\n+x\n*** End Patch",
        &expect![
            "reading line 3 of the patch: a has another section at line 2, and only updates without a move go together; put both changes into one section"
        ],
    );
    refused(
        "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Update File: b\n-x\n+y\n*** End Patch",
        &expect![
            "reading line 4 of the patch: b has another section at line 2, and only updates without a move go together; put both changes into one section"
        ],
    );
}

#[test]
fn a_patch_that_may_be_cut_is_refused() {
    refused(
        "*** Begin Patch\n*** Add File: a\n+x\n",
        &expect![
            "reading line 3 of the patch: it ends without `*** End Patch`, so some of it may be missing; send the whole patch again, with that line at its end"
        ],
    );
}

#[test]
fn everything_wrong_is_said_at_once() {
    refused(
        "*** Begin Patch\n*** Add File: /etc/passwd\n+x\n*** Update File: a\n@@\n x\ny\n-z\n\
         *** Rename File: a\n*** Update File: b/../../c\n-x\n*** Add File: d\nx\n*** Delete File: e\n-x\n*** End Patch\n",
        &expect![[r#"
            5 problems, nothing was changed:
            1. reading line 2 of the patch: the path "/etc/passwd" is absolute; give a path relative to the root, like src/main.rs
            2. reading line 7 of the patch: "y" begins neither with a blank (stays), + (comes) or - (goes) nor with @@; put the right sign in front
            3. reading line 10 of the patch: the path "b/../../c" goes up with `..`; give a path relative to the root, like src/main.rs
            4. reading line 13 of the patch: "x" does not belong here: every line of a file that is added begins with +; put one in front
            5. reading line 15 of the patch: "-x" does not belong here: a file that is deleted has no lines in the patch; leave them out"#]],
    );
}

#[test]
fn what_is_no_patch_is_told_how_one_begins() {
    refused(
        "hello",
        &expect![
            "reading line 1 of the patch: it is no patch; begin with `*** Begin Patch` and `*** Update File: path`, or with the `--- a/path` and `+++ b/path` of a unified diff"
        ],
    );
    refused(
        "",
        &expect![
            "reading line 1 of the patch: it is no patch; begin with `*** Begin Patch` and `*** Update File: path`, or with the `--- a/path` and `+++ b/path` of a unified diff"
        ],
    );
    refused(
        "*** Begin Patch\n*** End Patch\n",
        &expect![
            "reading line 1 of the patch: it names no file; add a section for each file to change"
        ],
    );
    refused(
        "*** Begin Patch\n*** Update File: a\n*** End of File\n-x\n*** End Patch\n",
        &expect![
            "reading line 3 of the patch: `*** End of File` has no hunk above it; put it behind the lines that are the last ones of the file"
        ],
    );
    refused(
        "*** Begin Patch\nfoo\n*** Delete File: a\n*** End Patch\nbar\n",
        &expect![[r#"
            2 problems, nothing was changed:
            1. reading line 2 of the patch: "foo" stands where a section for a file begins; begin it with `*** Add File: path`, `*** Update File: path` (and `*** Move to: path` below it) or `*** Delete File: path`
            2. reading line 5 of the patch: "bar" stands where a section for a file begins; begin it with `*** Add File: path`, `*** Update File: path` (and `*** Move to: path` below it) or `*** Delete File: path`"#]],
    );
}

#[test]
fn a_file_that_is_or_is_not_there_is_said() {
    let patch = parse(
        "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n-x\n+y\n*** Update File: d\n@@\n x\n*** End Patch\n",
    );
    let said: Vec<String> = [Some(&b"x"[..]), None, None, Some(b"x\n")]
        .into_iter()
        .zip(&patch.files)
        .map(|(old, file)| file.apply(old).unwrap_err().to_string())
        .collect();
    expect![[r#"
        adding a: there is such a file already; update it, or write it whole
        deleting b: there is no such file; correct the path, or add the file
        updating c: there is no such file; correct the path, or add the file
        updating d: the patch changes nothing in it; mark the lines to take out with - and the lines to put in with +"#]]
    .assert_eq(&said.join("\n"));
}

#[test]
fn many_problems_are_counted_and_the_first_are_told() {
    let mut text = "*** Begin Patch\n".to_owned();
    for number in 0..30 {
        text += &format!("*** Delete File: /{number}\n");
    }
    let error = Patch::parse(&(text + "*** End Patch\n")).unwrap_err();
    assert_eq!(error.each().len(), 30);
    let said = error.to_string();
    assert!(
        said.starts_with("30 problems") && said.ends_with("\nand 10 more"),
        "{said}"
    );
}
