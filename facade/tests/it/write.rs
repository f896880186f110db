//! Writing, editing and patching: what changes, what stays, what is refused.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use expect_test::{Expect, expect};
use fourfold::{
    ApplyPatchRequest, Durabilities, Durability, EditRequest, Error, Host, Limits, TextEdit,
    WriteAction, WriteRequest, WriteResult,
};
use serde_json::json;

use crate::project::{Project, config, host};

const CODE: &str = "def a():\n    return 1\n\n\ndef b():\n    return 1\n";

fn project() -> Project {
    Project::new(&[("src/a.py", CODE), ("crlf.txt", "one\r\ntwo\r\n")])
}

/// What there is to see, hashes made alike.
fn told(result: &WriteResult) -> String {
    let mut text = String::new();
    for file in &result.files {
        let from = file.moved_from.as_ref().map(|from| format!(" from {from}"));
        text += &format!(
            "{:?} {}{} +{} -{} {} bytes\n",
            file.action,
            file.path,
            from.unwrap_or_default(),
            file.lines_added,
            file.lines_removed,
            file.bytes
        );
        text.extend(file.tolerance.iter().map(|what| format!("({what})\n")));
        text.extend(file.notes.iter().map(|note| format!("note: {note}\n")));
        text += &file.excerpt;
    }
    text + &result.diff
}

fn patch(project: &Project, text: &str) -> Result<WriteResult, Error> {
    project
        .conversation()
        .apply_patch(&ApplyPatchRequest::new(text))
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, said: &Expect) {
    said.assert_eq(&result.unwrap_err().to_string());
}

#[test]
fn a_new_file_gets_its_folders() {
    let project = project();
    let request = WriteRequest::new("new/deep/x.txt", "one\ntwo");
    let result = project.conversation().write(&request).unwrap();
    assert_eq!(told(&result), "Created new/deep/x.txt +2 -0 7 bytes\n");
    assert_eq!(project.read("new/deep/x.txt"), "one\ntwo");
    // The same again is no change.
    let result = project.conversation().write(&request).unwrap();
    assert_eq!(result.files[0].action, WriteAction::Unchanged);
    assert!(!result.changes_something());
}

#[test]
fn what_is_written_over_keeps_its_mode_and_says_what_else_is_other() {
    let project = project();
    let file = project.root().join("crlf.txt");
    fs::write(&file, "\u{FEFF}one\r\ntwo\r\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    let request = WriteRequest::new("crlf.txt", "one\nTWO\n");
    let result = project.conversation().write(&request).unwrap();
    expect![[r#"
        Updated crlf.txt +2 -2 8 bytes
        note: its lines ended with CRLF and now end with LF, as the content was given
        note: it began with a byte-order mark, and the content does not
    "#]]
    .assert_eq(&told(&result));
    assert_eq!(project.read("crlf.txt"), "one\nTWO\n");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o750
    );
}

#[test]
fn an_expected_hash_guards_what_was_not_seen() {
    let project = project();
    let conversation = project.conversation();
    let written = conversation
        .write(&WriteRequest::new("x.txt", "one\n"))
        .unwrap();
    let hash = written.files[0].hash.clone().unwrap();
    let mut next = WriteRequest::new("x.txt", "two\n");
    next.expected_hash = Some(hash[..8].to_uppercase());
    let second = conversation.write(&next).unwrap();
    // Seen before the second write.
    let mut edit = EditRequest::new("x.txt", "two", "three");
    edit.expected_hash = Some(hash.clone());
    let error = conversation.edit(&edit).unwrap_err();
    let now = second.files[0].hash.clone().unwrap();
    assert_eq!(
        error.to_string(),
        format!(
            "x.txt was not changed: its content has not the hash {hash}; it has the hash {now} now; read it again"
        )
    );
    assert!(matches!(error, Error::NotAsExpected { found: Some(found), .. } if found == now));
    next.path = "y.txt".into();
    refused(
        conversation.write(&next),
        &expect![
            "y.txt was not changed: its content has not the hash e0e63aa4; there is no such file now; leave the expected hash out to make it"
        ],
    );
    next.expected_hash = Some("12".to_owned());
    refused(
        conversation.write(&next),
        &expect![
            "`expected_hash` is no hash of a content: `12`; give 8 to 64 hexadecimal digits of the `hash` of an earlier result, or leave it out"
        ],
    );
    assert_eq!(project.read("x.txt"), "two\n");
}

/// One file of a patch that is another by now keeps the whole patch from being made.
#[test]
fn expected_hashes_guard_the_files_of_a_patch() {
    let project = project();
    let conversation = project.conversation();
    let hash = |path: &str, text: &str| {
        let written = conversation.write(&WriteRequest::new(path, text)).unwrap();
        written.files[0].hash.clone().unwrap()
    };
    let (x, y) = (hash("x.txt", "one\n"), hash("y.txt", "one\n"));
    let text = "*** Begin Patch\n*** Update File: x.txt\n@@\n-one\n+two\n*** Update File: y.txt\n@@\n-one\n+two\n*** End Patch\n";
    let mut patch = ApplyPatchRequest::new(text);
    patch.expected_hashes = [("x.txt".to_owned(), x), ("y.txt".to_owned(), y)].into();
    project.write("y.txt", "zero\none\n");
    let error = conversation.apply_patch(&patch).unwrap_err();
    assert!(
        matches!(&error, Error::NotAsExpected { path, .. } if path == "y.txt"),
        "{error}"
    );
    assert_eq!(project.read("x.txt"), "one\n");
    project.write("y.txt", "one\n");
    conversation.apply_patch(&patch).unwrap();
    assert_eq!(
        (project.read("x.txt"), project.read("y.txt")),
        ("two\n".to_owned(), "two\n".to_owned())
    );
    patch.expected_hashes = [("z.txt".to_owned(), "0123456789".to_owned())].into();
    refused(
        conversation.apply_patch(&patch),
        &expect![
            "`expected_hashes` speaks of `z.txt`, which the patch does not; the nearest is `x.txt`"
        ],
    );
}

#[test]
fn an_edit_shows_where_it_was_made() {
    let project = project();
    let request = EditRequest::new(
        "src/a.py",
        "def b():\n    return 1",
        "def b():\n    return 2",
    );
    let result = project.conversation().edit(&request).unwrap();
    expect![[r#"
        Updated src/a.py +1 -1 46 bytes
            4
            5  def b():
            6+     return 2
    "#]]
    .assert_eq(&told(&result));
    assert!(
        project
            .read("src/a.py")
            .ends_with("def b():\n    return 2\n")
    );
}

#[test]
fn an_edit_keeps_the_line_ends_of_the_file() {
    let project = project();
    let request = EditRequest::new("crlf.txt", "one\ntwo\n", "one\n1.5\ntwo\n");
    let result = project.conversation().edit(&request).unwrap();
    assert_eq!(
        result.files[0].tolerance.as_deref(),
        Some("line ends differ")
    );
    assert_eq!(project.read("crlf.txt"), "one\r\n1.5\r\ntwo\r\n");
}

#[test]
fn several_edits_are_made_or_none() {
    let project = project();
    let mut request = EditRequest {
        path: "src/a.py".into(),
        edits: vec![
            TextEdit::new("def a", "def c"),
            TextEdit::new("return 1", "return 2"),
        ],
        ..EditRequest::default()
    };
    refused(
        project.conversation().edit(&request),
        &expect![[r#"
            src/a.py: replacing, edit 2 of 2: the old text is found at 2 places:
                2 |     return 1
                6 |     return 1
            give more of the lines around the one that is meant, or replace all of them"#]],
    );
    assert_eq!(project.read("src/a.py"), CODE);
    request.edits[1].replace_all = true;
    project.conversation().edit(&request).unwrap();
    assert_eq!(
        project.read("src/a.py"),
        CODE.replace("def a", "def c")
            .replace("return 1", "return 2")
    );
}

#[test]
fn edits_that_are_none_are_refused() {
    let project = project();
    let conversation = project.conversation();
    refused(
        conversation.edit(&EditRequest::default()),
        &expect![
            "`old_text` is missing: the text as it stands in the file; or give several replacements in `edits`"
        ],
    );
    let mut request = EditRequest::new("src/a.py", "a", "b");
    request.edits.push(TextEdit::new("a", "b"));
    refused(
        conversation.edit(&request),
        &expect![
            "an edit has `old_text` and `new_text`, or several of them in `edits`, not both; leave one out"
        ],
    );
    request.edits.clear();
    request.new_text = None;
    refused(
        conversation.edit(&request),
        &expect!["`new_text` is missing: what shall stand there; give an empty one to delete"],
    );
    request.edits = vec![
        TextEdit::new("def a", "def x"),
        TextEdit::new("def x", "def a"),
    ];
    request.old_text = None;
    refused(
        conversation.edit(&request),
        &expect![
            "cannot edit `src/a.py`: the edits undo one another, so nothing would change; leave them out"
        ],
    );
    let error = conversation
        .edit(&EditRequest::new("no.py", "a", "b"))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot write `no.py`: nothing is there"),
        "{error}"
    );
    refused(
        conversation.edit(&EditRequest::new("src", "a", "b")),
        &expect!["cannot write `src`: it is a folder; name a file in it"],
    );
}

#[test]
fn a_patch_changes_all_its_files() {
    let project = project();
    let result = patch(
        &project,
        "*** Begin Patch\n*** Add File: docs/new.md\n+# New\n*** Delete File: crlf.txt\n\
         *** Update File: src/a.py\n*** Move to: lib/a.py\n@@ def b():\n-    return 1\n+    return 3\n*** End Patch\n",
    )
    .unwrap();
    expect![[r#"
        Deleted crlf.txt +0 -2 0 bytes
        Created docs/new.md +1 -0 6 bytes
        Moved lib/a.py from src/a.py +1 -1 46 bytes
            4
            5  def b():
            6+     return 3
    "#]]
    .assert_eq(&told(&result));
    assert_eq!(project.read("docs/new.md"), "# New\n");
    assert_eq!(
        project.read("lib/a.py"),
        "def a():\n    return 1\n\n\ndef b():\n    return 3\n"
    );
    assert!(!project.root().join("crlf.txt").exists());
    assert!(!project.root().join("src/a.py").exists());
}

#[test]
fn a_patch_with_problems_changes_nothing_and_tells_them_all() {
    let project = project();
    refused(
        patch(
            &project,
            "*** Begin Patch\n*** Add File: crlf.txt\n+x\n*** Update File: no.py\n-x\n+y\n\
             *** Delete File: .git/config\n*** Update File: src/a.py\n@@\n-    return 1\n+    return 2\n\
             @@\n-def c():\n+def d():\n*** Add File: fine.txt\n+fine\n*** End Patch\n",
        ),
        &expect![[r#"
            5 problems, nothing was changed:
            1. adding crlf.txt: there is such a file already; update it, or write it whole
            2. updating no.py: there is no such file; correct the path, or add the file
            3. deleting .git/config: there is no such file; correct the path, or add the file
            4. updating src/a.py, hunk 1 of 2 (line 9 of the patch): the lines that it shows are found at 2 places:
                2 |     return 1
                6 |     return 1
            give more unchanged lines around the change, or name the enclosing function or class after @@
            5. updating src/a.py, hunk 2 of 2 (line 12 of the patch): the lines that it shows are not in the file; the nearest places are:
                1 | def a():
                  line 1 differs: the file has "def a():", not "def c():"
                  --
                5 | def b():
                  line 5 differs: the file has "def b():", not "def c():"
            copy the text exactly as it stands in the file"#]],
    );
    assert_eq!(project.read("src/a.py"), CODE);
    assert!(!project.root().join("fine.txt").exists());
}

#[test]
fn the_diff_of_a_dry_run_is_a_patch() {
    let project = project();
    let mut request = EditRequest::new("crlf.txt", "two", "2\n3");
    request.dry_run = true;
    let result = project.conversation().edit(&request).unwrap();
    assert!(result.dry_run && result.changes_something());
    assert_eq!(project.read("crlf.txt"), "one\r\ntwo\r\n");
    patch(&project, &result.diff).unwrap();
    assert_eq!(project.read("crlf.txt"), "one\r\n2\r\n3\r\n");
}

/// A shell knows a home by `~`, and nobody else does.
#[test]
fn a_home_is_no_folder_of_the_checkout() {
    let project = project();
    let request = WriteRequest::new("~/.bashrc", "x\n");
    refused(
        project.conversation().write(&request),
        &expect![[
            r#"cannot write `~/.bashrc`: `~` is no folder of the checkout, and only a shell knows it as a home; give a path relative to the root"#
        ]],
    );
    assert!(!project.root().join("~").exists());
    fs::create_dir(project.root().join("~")).unwrap();
    project.conversation().write(&request).unwrap();
}

/// Hosts send calls at once. What can still be done is done, and what cannot is refused for what is
/// there then.
#[test]
fn what_is_asked_at_once_is_done_one_after_the_other() {
    let project = Project::new(&[("list.txt", "first\nlast\n"), ("taken.txt", "free\n")]);
    let conversation = project.conversation();
    std::thread::scope(|scope| {
        let edit = |path: &'static str, old: &'static str, new: String| {
            let conversation = &conversation;
            scope.spawn(move || conversation.edit(&EditRequest::new(path, old, new)))
        };
        let inserted: Vec<_> = (0..8)
            .map(|number| edit("list.txt", "last\n", format!("line {number}\nlast\n")))
            .collect();
        let moved = scope.spawn(|| {
            let patch =
                "*** Begin Patch\n*** Update File: list.txt\n@@\n-first\n+FIRST\n*** End Patch";
            conversation.apply_patch(&ApplyPatchRequest::new(patch))
        });
        // Only one of these can be the first.
        let taken: Vec<_> = (0..4)
            .map(|number| edit("taken.txt", "free\n", format!("taken by {number}\n")))
            .collect();
        for done in inserted {
            done.join().unwrap().unwrap();
        }
        moved.join().unwrap().unwrap();
        let done: Vec<_> = taken.into_iter().map(|one| one.join().unwrap()).collect();
        assert_eq!(done.iter().filter(|one| one.is_ok()).count(), 1);
        for error in done.into_iter().filter_map(Result::err) {
            assert!(matches!(error, Error::Edit { .. }), "{error}");
        }
    });
    let text = project.read("list.txt");
    let mut lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.remove(0), lines.pop()), ("FIRST", Some("last")));
    lines.sort_unstable();
    let all: Vec<String> = (0..8).map(|number| format!("line {number}")).collect();
    assert_eq!(lines, all);
}

/// A model that is told the root names files by it.
#[test]
fn a_patch_may_name_files_by_the_root() {
    let project = project();
    let root = project.root().canonicalize().unwrap();
    let root = root.display();
    let envelope = format!(
        "*** Begin Patch\n*** Add File: {root}/new.txt\n+--- {root}/a\n*** Update File: {root}/src/a.py\n\
         *** Move to: {root}/src/c.py\n@@\n-def a():\n+def c():\n*** End Patch"
    );
    let result = patch(&project, &envelope).unwrap();
    let paths: Vec<&str> = result.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["new.txt", "src/c.py"]);
    // What is no name of a file stays as it is.
    assert_eq!(project.read("new.txt"), format!("--- {root}/a\n"));

    let unified =
        format!("--- {root}/src/c.py\n+++ {root}/src/c.py\n@@ -1 +1 @@\n-def c():\n+def d():\n");
    patch(&project, &unified).unwrap();
    assert!(project.read("src/c.py").starts_with("def d():"));

    refused(
        patch(
            &project,
            "*** Begin Patch\n*** Delete File: /etc/passwd\n*** End Patch",
        ),
        &expect![[
            r#"reading line 2 of the patch: the path "/etc/passwd" is absolute; give a path relative to the root, like src/main.rs"#
        ]],
    );
}

#[test]
fn paths_that_lead_out_or_belong_to_a_program_are_refused() {
    let project = project();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("x.txt"), "x").unwrap();
    symlink(elsewhere.path(), project.root().join("out")).unwrap();
    let conversation = project.conversation();
    for path in [
        "../x.txt",
        "out/x.txt",
        "out/new.txt",
        ".git/config",
        ".fourfold/x",
        "/etc/hosts",
    ] {
        let error = conversation
            .write(&WriteRequest::new(path, "y"))
            .unwrap_err();
        assert!(matches!(error, Error::Path(_)), "{path}: {error}");
    }
    let text = "*** Begin Patch\n*** Update File: out/x.txt\n-x\n+y\n*** End Patch\n";
    assert!(matches!(patch(&project, text).unwrap_err(), Error::Path(_)));
    assert_eq!(
        fs::read_to_string(elsewhere.path().join("x.txt")).unwrap(),
        "x"
    );
}

#[test]
fn a_link_inside_is_followed_for_its_text_and_never_deleted_for_its_file() {
    let project = project();
    symlink("src/a.py", project.root().join("link.py")).unwrap();
    let request = EditRequest::new("link.py", "def a", "def z");
    let result = project.conversation().edit(&request).unwrap();
    assert_eq!(result.files[0].path, "src/a.py");
    let text = "*** Begin Patch\n*** Delete File: link.py\n*** End Patch\n";
    refused(
        patch(&project, text),
        &expect!["staging link.py: it is a symbolic link; name the file that it points to"],
    );
    assert!(project.read("src/a.py").contains("def z"));
    assert!(project.root().join("link.py").is_symlink());
}

#[test]
fn a_checkout_for_reading_is_not_written() {
    let project = project();
    let host = host(Limits::default());
    let checkout = host.checkout_read_only(project.root()).unwrap();
    let names: Vec<_> = checkout.tools().iter().map(|tool| tool.name).collect();
    assert_eq!(
        names,
        [
            "ast_grep",
            "search_code",
            "code_symbol",
            "code_callers",
            "code_callees",
            "code_impact",
            "code_map",
            "code_graph",
            "ast_explain"
        ]
    );
    let error = checkout
        .conversation("x")
        .write(&WriteRequest::new("x", "y"));
    assert!(matches!(error, Err(Error::ReadOnly { .. })));
}

#[test]
fn durability_is_the_hosts_to_choose() {
    let project = project();
    let mut durability = Durabilities::default();
    assert_eq!(durability.write, Durability::ProcessCrash);
    durability.write = Durability::PowerLoss;
    let host = Host::new(config(Limits::default()).durability(durability));
    let checkout = host.checkout(project.root()).unwrap();
    assert_eq!(checkout.durability(), durability);
    let result = checkout
        .conversation("x")
        .write(&WriteRequest::new("x.txt", "y"));
    assert!(result.unwrap().changes_something());
}

#[test]
fn excerpts_and_files_have_their_bounds() {
    let project = project();
    project.write("long.txt", "x\n".repeat(200));
    let limits = Limits {
        max_excerpt_lines: 3,
        ..Limits::default()
    };
    let mut request = EditRequest::new("long.txt", "x", "y");
    request.replace_all = true;
    let checkout = project.with_limits(limits);
    let result = checkout.conversation("x").edit(&request).unwrap();
    expect![[r#"
        Updated long.txt +200 -200 400 bytes
            1+ y
            2+ y
            3+ y
             … 197 more lines of the changed places
    "#]]
    .assert_eq(&told(&result));
}

#[tokio::test]
async fn the_tools_by_name() {
    let project = project();
    let conversation = project.conversation();
    let text = |answer: &fourfold::ToolResult| {
        let hash = answer.value["files"][0]["hash"].as_str().unwrap_or("none");
        answer.text.replace(&hash[..hash.len().min(16)], "HASH")
    };
    let written = conversation
        .call("write", json!({"path": "x.txt", "content": "one\ntwo\n"}))
        .await
        .unwrap();
    assert_eq!(
        text(&written),
        "created x.txt: lines +2 -0, 8 bytes, hash HASH\n\
         no server: language servers are switched off here\n"
    );
    assert_eq!(written.value["files"][0]["action"], "created");
    // One object in place of a list, and a list written as JSON once more.
    let edit = json!({"path": "x.txt", "edits": {"old_text": "one", "new_text": "1"}});
    conversation.call("edit", edit).await.unwrap();
    let edit = json!({"path": "x.txt", "edits": "[{\"old_text\": \"two\", \"new_text\": \"2\"}]"});
    let edited = conversation.call("edit", edit).await.unwrap();
    expect![[r#"
        updated x.txt: lines +1 -1, 4 bytes, hash HASH
            1  1
            2+ 2
        no server: language servers are switched off here
    "#]]
    .assert_eq(&text(&edited));
    let patch = json!({"patch": "--- a/x.txt\n+++ b/x.txt\n@@ -9,9 +9,9 @@\n-1\n+one\n"});
    let patched = conversation.call("apply_patch", patch).await.unwrap();
    expect![[r#"
        updated x.txt: lines +1 -1, 6 bytes, hash HASH
            1+ one
            2  2
        no server: language servers are switched off here
    "#]]
    .assert_eq(&text(&patched));
    let wrong = json!({"path": "x.txt", "edits": [{"old": "one", "new_text": "1"}]});
    let error = conversation.call("edit", wrong).await.unwrap_err();
    expect!["edit: `edits` is a list, each item an object in which there is no argument `old`; the nearest is `old_text`; it takes new_text, old_text, replace_all"].assert_eq(&error.to_string());
    let wrong = json!({"path": "x.txt", "edits": [{"new_text": "1"}]});
    let error = conversation.call("edit", wrong).await.unwrap_err();
    expect!["edit: `edits` is a list, each item an object in which `old_text` is missing: The text as it stands in the file. It must occur exactly once, unless `replace_all` is set; only line ends and blanks at the ends of lines may differ."].assert_eq(&error.to_string());
    let error = conversation
        .call("write", json!({"path": "x.txt"}))
        .await
        .unwrap_err();
    expect!["write: `content` is missing: All that shall be in it. It is written as it is given, also over a file with other line ends."].assert_eq(&error.to_string());
}

#[test]
fn the_schema_of_edit() {
    let tools = fourfold::tool_reference();
    let edit = tools.iter().find(|tool| tool.name == "edit").unwrap();
    let schema = serde_json::to_string_pretty(&edit.input_schema).unwrap();
    expect![[r#"
        {
          "additionalProperties": false,
          "properties": {
            "edits": {
              "description": "Several replacements in place of one, each made in what the one before it has left. All are made or none.",
              "items": {
                "description": "A replacement in a file.",
                "properties": {
                  "new_text": {
                    "description": "What shall stand there; empty to delete.",
                    "type": "string"
                  },
                  "old_text": {
                    "description": "The text as it stands in the file. It must occur exactly once, unless `replace_all` is set; only line ends and blanks at the ends of lines may differ.",
                    "type": "string"
                  },
                  "replace_all": {
                    "description": "Replace every occurrence.",
                    "type": "boolean"
                  }
                },
                "required": [
                  "old_text",
                  "new_text"
                ],
                "type": "object"
              },
              "type": "array"
            },
            "expected_hash": {
              "description": "Change only the content that was seen: the BLAKE3 hash of it in hexadecimal digits, or its first eight or more.",
              "type": "string"
            },
            "new_text": {
              "description": "What shall stand there; empty to delete.",
              "type": "string"
            },
            "old_text": {
              "description": "The text as it stands in the file. It must occur exactly once, unless `replace_all` is set; only line ends and blanks at the ends of lines may differ.",
              "type": "string"
            },
            "path": {
              "description": "The file, relative to the root of the checkout.",
              "type": "string"
            },
            "replace_all": {
              "description": "Replace every occurrence.",
              "type": "boolean"
            }
          },
          "required": [
            "path"
          ],
          "type": "object"
        }"#]].assert_eq(&schema);
}

#[test]
fn what_may_not_be_changed_is_told_with_the_rest() {
    let project = project();
    fs::set_permissions(
        project.root().join("crlf.txt"),
        fs::Permissions::from_mode(0o444),
    )
    .unwrap();
    let text = "*** Begin Patch\n*** Update File: crlf.txt\n-one\n+1\n*** Update File: src/a.py\n-def c():\n*** End Patch\n";
    let error = patch(&project, text).unwrap_err();
    let Error::Several { errors } = &error else {
        panic!("{error}");
    };
    assert!(
        matches!(errors[..], [Error::Stage(_), Error::Patch(_)]),
        "{error}"
    );
    assert_eq!(project.read("crlf.txt"), "one\r\ntwo\r\n");
}
