//! Proposed changes boiled down to one for each file.

use std::collections::HashMap;
use std::fs;

use expect_test::{Expect, expect};
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::text_edit::tests::sent;
use crate::uri::to_uri;

/// A project on disk, one document of which is open.
struct Project {
    folder: TempDir,
    root: Root,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = Root::new(folder.path());
        Project { folder, root }
    }

    fn uri(&self, path: &str) -> String {
        to_uri(&self.folder.path().join(path))
    }

    fn edit(&self, path: &str, version: Option<i64>, edits: &[Value]) -> Value {
        json!({
            "textDocument": {"uri": self.uri(path), "version": version},
            "edits": edits,
        })
    }

    fn create(&self, path: &str, options: Value) -> Value {
        json!({"kind": "create", "uri": self.uri(path), "options": options})
    }

    fn delete(&self, path: &str, options: Value) -> Value {
        json!({"kind": "delete", "uri": self.uri(path), "options": options})
    }

    fn rename(&self, from: &str, to: &str, options: Value) -> Value {
        json!({
            "kind": "rename",
            "oldUri": self.uri(from),
            "newUri": self.uri(to),
            "options": options,
        })
    }

    fn read(&self, value: &Value) -> Result<WorkspaceEdit, EditError> {
        let open = self.folder.path().join("open.txt");
        let texts = Texts::new(HashMap::from([(open, ("open 3\n".into(), 3))]), 1 << 10);
        WorkspaceEdit::read(value, &self.root, &texts, Encoding::Utf16)
    }

    /// What the change comes to, one line per file, or why it is refused.
    fn told(&self, value: &Value) -> String {
        let folder = format!("{}/", self.folder.path().display());
        let told = match self.read(value) {
            Ok(change) => change
                .files
                .iter()
                .map(|change| tell(change) + "\n")
                .collect(),
            Err(error) => {
                let source = std::error::Error::source(&error);
                let source = source
                    .map(|source| format!(": {source}"))
                    .unwrap_or_default();
                format!("{error}{source}\n")
            }
        };
        told.replace(&folder, "")
    }

    fn steps(&self, steps: &[Value], expected: &Expect) {
        expected.assert_eq(&self.told(&json!({"documentChanges": steps})));
    }
}

fn tell(change: &FileChange) -> String {
    let after = |before: &str, edits: &[TextEdit]| TextEdit::apply(before, edits).unwrap();
    match change {
        FileChange::Edit {
            path,
            before,
            edits,
        } => format!(
            "edit {}: {before:?} -> {:?}",
            path.display(),
            after(before, edits)
        ),
        FileChange::Create { path, text } => format!("create {}: {text:?}", path.display()),
        FileChange::Rename {
            from,
            to,
            before,
            edits,
        } => format!(
            "rename {} -> {}: {before:?} -> {:?}",
            from.display(),
            to.display(),
            after(before, edits)
        ),
        FileChange::Delete { path } => format!("delete {}", path.display()),
        FileChange::RenameFolder { from, to } => {
            format!("rename folder {} -> {}", from.display(), to.display())
        }
        FileChange::DeleteFolder { path } => format!("delete folder {}", path.display()),
    }
}

#[test]
fn changes_by_file() {
    let project = Project::new(&[("a.txt", "a\n"), ("src/[id].txt", "id\n")]);
    let change = json!({"changes": {
        (project.uri("src/[id].txt")): [sent((0, 0), (0, 2), "ID")],
        // The same file in another spelling: for the same text.
        (format!("file://localhost{}", project.folder.path().join("src/[id].txt").display())):
            [sent((0, 2), (0, 2), "!")],
        (project.uri("a.txt")): [],
        (project.uri("open.txt")): [sent((0, 5), (0, 6), "three")],
    }});
    expect![[r#"
        edit open.txt: "open 3\n" -> "open three\n"
        edit src/[id].txt: "id\n" -> "ID!\n"
    "#]]
    .assert_eq(&project.told(&change));
    for nothing in [
        json!(null),
        json!({}),
        json!({"changes": null, "documentChanges": []}),
    ] {
        assert_eq!(project.read(&nothing).unwrap(), WorkspaceEdit::default());
    }
}

#[test]
fn document_changes_win_unless_they_are_none() {
    let project = Project::new(&[("a.txt", "a\n")]);
    let changes = json!({(project.uri("a.txt")): [sent((0, 0), (0, 1), "changes")]});
    let steps = json!([project.edit("a.txt", None, &[sent((0, 0), (0, 1), "steps")])]);
    let both = json!({"changes": changes, "documentChanges": steps});
    expect![[r#"
        edit a.txt: "a\n" -> "steps\n"
    "#]]
    .assert_eq(&project.told(&both));
    let one = json!({"changes": changes, "documentChanges": []});
    expect![[r#"
        edit a.txt: "a\n" -> "changes\n"
    "#]]
    .assert_eq(&project.told(&one));
}

#[test]
fn a_module_is_renamed_with_its_file() {
    let project = Project::new(&[("lib.rs", "mod old;\n"), ("old.rs", "use crate::old;\n")]);
    project.steps(
        &[
            project.edit("lib.rs", None, &[sent((0, 4), (0, 7), "new")]),
            project.edit("old.rs", None, &[sent((0, 11), (0, 14), "new")]),
            project.rename("old.rs", "new.rs", json!(null)),
        ],
        &expect![[r#"
            edit lib.rs: "mod old;\n" -> "mod new;\n"
            rename old.rs -> new.rs: "use crate::old;\n" -> "use crate::new;\n"
        "#]],
    );
}

#[test]
fn edits_follow_the_steps_before_them() {
    let project = Project::new(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    project.steps(
        &[
            // Side by side: both for the text as it was.
            project.edit("a.txt", None, &[sent((0, 0), (0, 0), "<<")]),
            project.edit("b.txt", None, &[sent((0, 0), (0, 0), "-")]),
            project.edit("a.txt", None, &[sent((0, 3), (0, 3), ">>")]),
            project.create("c.txt", json!({})),
            // After a file operation: for the text as it is by now.
            project.edit("a.txt", None, &[sent((0, 2), (0, 5), "1")]),
            project.edit("c.txt", None, &[sent((0, 0), (0, 0), "three\n")]),
            project.rename("a.txt", "d.txt", json!({})),
            project.edit("d.txt", None, &[sent((1, 0), (1, 0), "end\n")]),
        ],
        &expect![[r#"
            rename a.txt -> d.txt: "one\n" -> "<<1>>\nend\n"
            edit b.txt: "two\n" -> "-two\n"
            create c.txt: "three\n"
        "#]],
    );
}

#[test]
fn files_that_change_places() {
    let project = Project::new(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    project.steps(
        &[
            project.rename("a.txt", "t.txt", json!({})),
            project.rename("b.txt", "a.txt", json!({})),
            project.rename("t.txt", "b.txt", json!({})),
        ],
        &expect![[r#"
            edit a.txt: "a\n" -> "b\n"
            edit b.txt: "b\n" -> "a\n"
        "#]],
    );
    project.steps(
        &[
            project.rename("a.txt", "t.txt", json!({})),
            project.rename("t.txt", "a.txt", json!({})),
        ],
        &expect![""],
    );
    project.steps(
        &[
            project.delete("a.txt", json!({})),
            project.create("a.txt", json!({})),
            project.create("gone.txt", json!({})),
            project.delete("gone.txt", json!({})),
        ],
        &expect![[r#"
            edit a.txt: "a\n" -> ""
        "#]],
    );
}

#[test]
fn options_say_what_happens_to_what_is_there() {
    let project = Project::new(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("f/x.txt", "x\n")]);
    project.steps(&[project.create("a.txt", json!({}))], &expect![[r#"
        creating a file: a.txt exists; a file alone takes the place of a file, if the server says so; nothing was changed, move it away or choose another name
    "#]]);
    project.steps(
        &[project.create("a.txt", json!({"ignoreIfExists": true}))],
        &expect![[""]],
    );
    project.steps(
        &[project.create("a.txt", json!({"ignoreIfExists": true, "overwrite": true}))],
        &expect![[r#"
            edit a.txt: "a\n" -> ""
        "#]],
    );
    project.steps(
        &[project.create("f", json!({"overwrite": true}))],
        &expect![[r#"
            creating a file: f is a folder; nothing was changed
        "#]],
    );
    project.steps(&[project.rename("a.txt", "b.txt", json!({}))], &expect![[r#"
        renaming a file: b.txt exists; a file alone takes the place of a file, if the server says so; nothing was changed, move it away or choose another name
    "#]]);
    project.steps(
        &[project.rename("a.txt", "b.txt", json!({"ignoreIfExists": true}))],
        &expect![""],
    );
    project.steps(
        &[project.rename("a.txt", "b.txt", json!({"overwrite": true}))],
        &expect![[r#"
            delete a.txt
            edit b.txt: "b\n" -> "a\n"
        "#]],
    );
    project.steps(&[project.rename("no.txt", "b.txt", json!({}))], &expect![[r#"
        renaming a file: no.txt does not exist; the server may not know yet that it is gone, ask again
    "#]]);
    project.steps(&[project.delete("no.txt", json!({}))], &expect![[r#"
        deleting a file: no.txt does not exist; the server may not know yet that it is gone, ask again
    "#]]);
    project.steps(
        &[project.delete("no.txt", json!({"ignoreIfNotExists": true}))],
        &expect![""],
    );
    project.steps(
        &[project.delete("a.txt", json!(null))],
        &expect![[r#"
        delete a.txt
    "#]],
    );
    project.steps(
        &[project.delete("f", json!({}))],
        &expect![[r#"
        deleting a file: f is a folder; nothing was changed
    "#]],
    );
}

#[test]
fn folders_move_and_go() {
    let files = [
        ("old/a.rs", "a\n"),
        ("old/b/c.rs", "c\n"),
        ("lib.rs", "mod old;\n"),
    ];
    let project = Project::new(&files);
    project.steps(
        &[
            project.edit("lib.rs", None, &[sent((0, 4), (0, 7), "new")]),
            project.edit("old/a.rs", None, &[sent((0, 0), (0, 1), "A")]),
            project.rename("old", "mid", json!({})),
            project.edit("mid/b/c.rs", None, &[sent((0, 0), (0, 1), "C")]),
            project.rename("mid", "new", json!({})),
            project.edit("new/b/c.rs", None, &[sent((0, 1), (0, 1), "!")]),
        ],
        &expect![[r#"
            edit lib.rs: "mod old;\n" -> "mod new;\n"
            rename folder old -> new
            rename old/a.rs -> new/a.rs: "a\n" -> "A\n"
            rename old/b/c.rs -> new/b/c.rs: "c\n" -> "C!\n"
        "#]],
    );
    project.steps(
        &[
            project.rename("old/b", "kept", json!({})),
            project.rename("old/a.rs", "a.rs", json!({})),
            project.delete("old", json!({"recursive": true})),
            project.create("old/b/c.rs", json!({})),
        ],
        &expect![[r#"
            delete folder old
            rename old/a.rs -> a.rs: "a\n" -> "a\n"
            rename folder old/b -> kept
            create old/b/c.rs: ""
        "#]],
    );
    project.steps(
        &[
            project.rename("old", "new", json!({})),
            project.edit("old/a.rs", None, &[]),
        ],
        &expect![[r#"
            editing a file: old/a.rs does not exist; the server may not know yet that it is gone, ask again
        "#]],
    );
    project.steps(
        &[project.edit("old", None, &[])],
        &expect![[r#"
        editing a file: old is a folder; nothing was changed
    "#]],
    );
    project.steps(
        &[project.rename("lib.rs", "old", json!({"overwrite": true}))],
        &expect![[r#"
            renaming a file: old exists; a file alone takes the place of a file, if the server says so; nothing was changed, move it away or choose another name
        "#]],
    );
}

#[test]
fn versions_of_open_documents_must_match() {
    let project = Project::new(&[("closed.txt", "\n")]);
    let insert = [sent((0, 0), (0, 0), "x")];
    for fine in [None, Some(0), Some(3)] {
        project.steps(
            &[project.edit("open.txt", fine, &insert)],
            &expect![[r#"
                edit open.txt: "open 3\n" -> "xopen 3\n"
            "#]],
        );
    }
    project.steps(&[project.edit("open.txt", Some(2), &insert)], &expect![[r#"
        editing open.txt: the server's edits are for version 2 of the document, which is at version 3; ask again
    "#]]);
    project.steps(
        &[project.edit("closed.txt", Some(7), &insert)],
        &expect![[r#"
            edit closed.txt: "\n" -> "x\n"
        "#]],
    );
}

#[test]
fn what_cannot_be_read_is_refused_as_a_whole() {
    let long = "x".repeat(1025);
    let project = Project::new(&[("a.txt", "a\n"), ("long.txt", &long)]);
    fs::write(project.folder.path().join("latin.txt"), b"caf\xE9").unwrap();
    let good = project.edit("a.txt", None, &[sent((0, 0), (0, 0), "x")]);
    let notebook = json!({
        "textDocument": {"uri": "vscode-notebook-cell:/x.ipynb#1", "version": 1},
        "edits": [],
    });
    let cases = [
        project.edit("no.txt", None, &[]),
        project.edit("long.txt", None, &[]),
        project.edit("latin.txt", None, &[]),
        notebook,
        json!({"kind": "copy", "uri": project.uri("a.txt")}),
        json!({"textDocument": {"uri": 7}, "edits": []}),
        json!({"edits": []}),
        json!([]),
    ];
    let told: String = cases
        .iter()
        .map(|case| project.told(&json!({"documentChanges": [good, case]})))
        .collect();
    expect![[r#"
        editing a file: no.txt does not exist; the server may not know yet that it is gone, ask again
        editing a file: the text of long.txt cannot be had: it has more than 1024 bytes; raise the limit if texts of that size are expected
        editing a file: the text of latin.txt cannot be had: it is not UTF-8 from byte 3 on; convert it, or leave it out
        reading the change that the server proposes: "vscode-notebook-cell:/x.ipynb#1" names no file on this machine; nothing was changed
        reading the change that the server proposes: file operation 1: unknown variant `copy`, expected one of `create`, `rename`, `delete`; nothing was changed, make the change by other means and report this to the makers of the server
        reading the change that the server proposes: document change 1: invalid type: integer `7`, expected a string; nothing was changed, make the change by other means and report this to the makers of the server
        reading the change that the server proposes: document change 1: missing field `textDocument`; nothing was changed, make the change by other means and report this to the makers of the server
        reading the change that the server proposes: document change 1: invalid length 0, expected struct DocumentEdit with 2 elements; nothing was changed, make the change by other means and report this to the makers of the server
    "#]].assert_eq(&told);
    expect![[r#"
        reading the change that the server proposes: the workspace edit: invalid type: string "no edit", expected struct Sent; nothing was changed, make the change by other means and report this to the makers of the server
    "#]].assert_eq(&project.told(&json!("no edit")));
}

#[test]
fn annotations_that_are_used_are_told() {
    let project = Project::new(&[("a.txt", "a\n")]);
    let mut edit = sent((0, 0), (0, 0), "x");
    edit["annotationId"] = json!("comments");
    let mut create = project.create("b.txt", json!({}));
    create["annotationId"] = json!("files");
    let change = project
        .read(&json!({
            "documentChanges": [project.edit("a.txt", None, &[edit]), create],
            "changeAnnotations": {
                "comments": {"label": "In comments", "needsConfirmation": true},
                "files": {"label": "New files", "description": "They are empty."},
                "unused": {"label": "Nothing"},
            },
        }))
        .unwrap();
    assert_eq!(
        change.annotations,
        [
            Annotation {
                label: "In comments".into(),
                description: None,
                needs_confirmation: true,
            },
            Annotation {
                label: "New files".into(),
                description: Some("They are empty.".into()),
                needs_confirmation: false,
            },
        ]
    );
}

#[test]
fn what_lies_outside_is_told() {
    let project = Project::new(&[("in/a.txt", "a\n"), ("b.txt", "b\n")]);
    let change = project
        .read(&json!({"documentChanges": [
            project.edit("in/a.txt", None, &[sent((0, 0), (0, 0), "x")]),
            project.edit("b.txt", None, &[sent((0, 0), (0, 0), "x")]),
            project.rename("in/a.txt", "in-too/a.txt", json!({})),
        ]}))
        .unwrap();
    let folder = project.folder.path();
    let inner = folder.join("in");
    let outside: Vec<&Path> = change.outside(&inner).collect();
    assert_eq!(outside, [folder.join("b.txt"), folder.join("in-too/a.txt")]);
    assert_eq!(change.outside(folder).count(), 0);
}
