//! Changes that a server proposes which create, rename and delete files beside edits of texts.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::SystemTime;

use expect_test::expect;
use fourfold::{Error, LspAction, LspRequest, LspResult, ResolveRequest};
use fourfold_testkit::{Script, Step, Style};
use serde_json::{Value, json};

use crate::served::Served;

const RENAME: &str = "textDocument/rename";

/// Long enough for a machine with much to do.
const PATIENCE: u64 = 30_000;

const FILES: &[(&str, &str)] = &[
    ("gone.fake", "gone\n"),
    ("main.fake", "use old\n"),
    ("old.fake", "old text\nmore\n"),
    ("pack/.hidden/b.txt", "b\n"),
    ("pack/a.fake", "a\n"),
];

/// Replaces a part of the first line.
fn edit(path: &str, from: usize, to: usize, text: &str) -> Value {
    json!({
        "textDocument": { "uri": format!("$file:{path}"), "version": null },
        "edits": [{
            "range": { "start": { "line": 0, "character": from },
                       "end": { "line": 0, "character": to } },
            "newText": text,
        }],
    })
}

fn create(path: &str, options: Value) -> Value {
    json!({ "kind": "create", "uri": format!("$file:{path}"), "options": options })
}

fn delete(path: &str, options: Value) -> Value {
    json!({ "kind": "delete", "uri": format!("$file:{path}"), "options": options })
}

fn rename(from: &str, to: &str, options: Value) -> Value {
    json!({ "kind": "rename", "oldUri": format!("$file:{from}"),
            "newUri": format!("$file:{to}"), "options": options })
}

/// A checkout with a server that answers each request for a rename with the next of these steps, and
/// with the last ones from there on.
fn proposing(answers: impl IntoIterator<Item = Vec<Value>>) -> Served {
    let mut script = Script::of(Style::Pull).capability("renameProvider", json!(true));
    let mut answers = answers.into_iter().peekable();
    while let Some(steps) = answers.next() {
        let answer = [Step::Answer(json!({ "documentChanges": steps }))];
        script = match answers.peek() {
            Some(_) => script.times(1, RENAME, answer),
            None => script.on(RENAME, answer),
        };
    }
    let served = Served::scripted(FILES, PATIENCE, |_| script);
    // A server is asked twice about a file that is younger than itself.
    for (path, _) in FILES {
        grow_old(&served.project.path(path));
    }
    served
}

fn grow_old(path: &Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
}

fn try_rename(served: &Served) -> Result<LspResult, Error> {
    let mut request = LspRequest::about(LspAction::Rename, "main.fake").at(1, "use");
    request.new_name = Some("new".to_owned());
    served.conversation().lsp(&request)
}

/// Every file and folder of the checkout, files with their text.
fn tree(served: &Served) -> Vec<String> {
    let mut all = Vec::new();
    let mut open = vec![served.project.root().to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(served.project.root()).unwrap();
            let name = name.to_str().unwrap().to_owned();
            // Its own folder.
            if name == ".fourfold" {
                continue;
            }
            match path.is_dir() {
                true => {
                    all.push(format!("{name}/"));
                    open.push(path);
                }
                false => all.push(format!("{name}: {:?}", fs::read_to_string(&path).unwrap())),
            }
        }
    }
    all.sort();
    all
}

/// What a server proposes that moves a module.
fn moving() -> Vec<Value> {
    vec![
        edit("main.fake", 4, 7, "new"),
        rename("old.fake", "sub/new.fake", json!({})),
        // For the text at its new place.
        edit("sub/new.fake", 0, 3, "new"),
        create("made/fresh.fake", json!({})),
        edit("made/fresh.fake", 0, 0, "fresh\n"),
        delete("gone.fake", json!({})),
        rename("pack", "moved", json!({})),
        edit("moved/a.fake", 0, 1, "A"),
    ]
}

#[test]
fn a_change_with_file_operations_is_one_stage_and_committed_as_one() {
    let served = proposing([moving()]);
    let before = tree(&served);
    let staged = try_rename(&served).unwrap();
    assert_eq!(
        staged.files,
        [
            "gone.fake",
            "made/fresh.fake",
            "main.fake",
            "old.fake -> sub/new.fake",
            "pack/.hidden/b.txt -> moved/.hidden/b.txt",
            "pack/a.fake -> moved/a.fake",
        ]
    );
    expect![[r#"
        diff --git a/gone.fake b/gone.fake
        deleted file mode 100644
        --- a/gone.fake
        +++ /dev/null
        @@ -1 +0,0 @@
        -gone
        diff --git a/made/fresh.fake b/made/fresh.fake
        new file mode 100644
        --- /dev/null
        +++ b/made/fresh.fake
        @@ -0,0 +1 @@
        +fresh
        diff --git a/main.fake b/main.fake
        --- a/main.fake
        +++ b/main.fake
        @@ -1 +1 @@
        -use old
        +use new
        diff --git a/old.fake b/sub/new.fake
        similarity index 78%
        rename from old.fake
        rename to sub/new.fake
        --- a/old.fake
        +++ b/sub/new.fake
        @@ -1,2 +1,2 @@
        -old text
        +new text
         more
        diff --git a/pack/.hidden/b.txt b/moved/.hidden/b.txt
        similarity index 100%
        rename from pack/.hidden/b.txt
        rename to moved/.hidden/b.txt
        diff --git a/pack/a.fake b/moved/a.fake
        similarity index 50%
        rename from pack/a.fake
        rename to moved/a.fake
        --- a/pack/a.fake
        +++ b/moved/a.fake
        @@ -1 +1 @@
        -a
        +A
    "#]]
    .assert_eq(&staged.diff);
    assert_eq!(staged.notices, [""; 0]);
    assert_eq!(tree(&served), before, "nothing is written before `resolve`");

    let apply = ResolveRequest::apply(staged.stage.unwrap());
    let resolved = served.conversation().resolve(&apply).unwrap();
    assert!(resolved.applied);
    let verdict = resolved.verdict.unwrap();
    assert!(verdict.new.is_empty(), "{verdict}");
    assert_eq!(
        tree(&served),
        [
            "made/",
            "made/fresh.fake: \"fresh\\n\"",
            "main.fake: \"use new\\n\"",
            "moved/",
            "moved/.hidden/",
            "moved/.hidden/b.txt: \"b\\n\"",
            "moved/a.fake: \"A\\n\"",
            // A commit moves files, and leaves the folders that they were in.
            "pack/",
            "pack/.hidden/",
            "sub/",
            "sub/new.fake: \"new text\\nmore\\n\"",
        ]
    );
    assert!(served.conversation().staged().unwrap().stages.is_empty());
    served.close();
}

#[test]
fn a_file_that_changed_in_between_keeps_all_of_it_from_being_committed() {
    type Change = fn(&Served);
    let changes: [(&str, Change); 4] = [
        ("old.fake", |served| {
            served.project.write("old.fake", "other\n");
        }),
        ("gone.fake", |served| {
            served.project.write("gone.fake", "not gone\n");
        }),
        ("made/fresh.fake", |served| {
            served.project.write("made/fresh.fake", "mine\n");
        }),
        ("pack/a.fake", |served| {
            fs::remove_file(served.project.path("pack/a.fake")).unwrap();
        }),
    ];
    let served = proposing([moving()]);
    for (path, change) in changes {
        for (path, text) in FILES {
            served.project.write(path, text);
        }
        let _ = fs::remove_dir_all(served.project.path("made"));
        let id = try_rename(&served).unwrap().stage.unwrap();
        change(&served);
        let changed = tree(&served);
        let apply = ResolveRequest::apply(id.clone());
        let error = served.conversation().resolve(&apply).unwrap_err();
        assert!(matches!(error, Error::Drifted { .. }), "{path}: {error:?}");
        let said = error.to_string();
        assert!(said.contains(path), "{said}");
        assert_eq!(tree(&served), changed, "{path}");
        // The stage stays, and is as much in the way as before.
        let waiting = served.conversation().staged().unwrap();
        assert_eq!(waiting.stages.len(), 1, "{path}");
        let discard = ResolveRequest::discard(id);
        served.conversation().resolve(&discard).unwrap();
    }
    served.close();
}

#[test]
fn options_say_what_happens_to_files_that_are_there() {
    let none = || json!({});
    let overwrite = || json!({ "overwrite": true });
    let ignore = || json!({ "ignoreIfExists": true });
    // As the protocol says, overwriting comes first.
    let both = || json!({ "overwrite": true, "ignoreIfExists": true });
    let fresh = || edit("old.fake", 0, 0, "fresh\n");
    let cases = [
        vec![create("old.fake", none())],
        vec![create("old.fake", ignore())],
        vec![create("old.fake", overwrite()), fresh()],
        vec![create("old.fake", both()), fresh()],
        vec![rename("old.fake", "gone.fake", none())],
        vec![rename("old.fake", "gone.fake", ignore())],
        vec![
            rename("old.fake", "gone.fake", overwrite()),
            // For the text that is there by now.
            edit("gone.fake", 0, 3, "new"),
        ],
        vec![rename("pack", "gone.fake", overwrite())],
        vec![delete("none.fake", none())],
        vec![delete("none.fake", json!({ "ignoreIfNotExists": true }))],
        vec![delete("pack", none())],
        vec![delete("pack", json!({ "recursive": true }))],
    ];
    let last = vec![
        rename("old.fake", "gone.fake", overwrite()),
        create("pack/a.fake", overwrite()),
        edit("pack/a.fake", 0, 0, "fresh\n"),
        create("main.fake", ignore()),
    ];
    let all = cases.iter().chain([&last]).map(|steps| {
        let more = edit("main.fake", 0, 3, "see");
        std::iter::once(more).chain(steps.clone()).collect()
    });
    let served = proposing(all);
    let before = tree(&served);
    let root = format!("{}/", served.project.root().display());
    let told: String = cases
        .iter()
        .map(|_| match try_rename(&served) {
            Ok(staged) => {
                let discard = ResolveRequest::discard(staged.stage.unwrap());
                served.conversation().resolve(&discard).unwrap();
                let diff = staged.diff.lines();
                let changed = diff.filter(|line| !line.starts_with("@@"));
                let changed = changed.map(|line| format!("    {line}\n"));
                format!("{:?}\n{}", staged.files, changed.collect::<String>())
            }
            Err(error) => format!("{error}\n").replace(&root, ""),
        })
        .collect();
    expect![[r#"
        creating a file: old.fake exists; a file alone takes the place of a file, if the server says so; nothing was changed, move it away or choose another name
        ["main.fake"]
            diff --git a/main.fake b/main.fake
            --- a/main.fake
            +++ b/main.fake
            -use old
            +see old
        ["main.fake", "old.fake"]
            diff --git a/main.fake b/main.fake
            --- a/main.fake
            +++ b/main.fake
            -use old
            +see old
            diff --git a/old.fake b/old.fake
            --- a/old.fake
            +++ b/old.fake
            -old text
            -more
            +fresh
        ["main.fake", "old.fake"]
            diff --git a/main.fake b/main.fake
            --- a/main.fake
            +++ b/main.fake
            -use old
            +see old
            diff --git a/old.fake b/old.fake
            --- a/old.fake
            +++ b/old.fake
            -old text
            -more
            +fresh
        renaming a file: gone.fake exists; a file alone takes the place of a file, if the server says so; nothing was changed, move it away or choose another name
        ["main.fake"]
            diff --git a/main.fake b/main.fake
            --- a/main.fake
            +++ b/main.fake
            -use old
            +see old
        ["gone.fake", "main.fake", "old.fake"]
            diff --git a/gone.fake b/gone.fake
            --- a/gone.fake
            +++ b/gone.fake
            -gone
            +new text
            +more
            diff --git a/main.fake b/main.fake
            --- a/main.fake
            +++ b/main.fake
            -use old
            +see old
            diff --git a/old.fake b/old.fake
            deleted file mode 100644
            --- a/old.fake
            +++ /dev/null
            -old text
            -more
        renaming a file: gone.fake exists; a file alone takes the place of a file, if the server says so; nothing was changed, move it away or choose another name
        deleting a file: none.fake does not exist; the server may not know yet that it is gone, ask again
        ["main.fake"]
            diff --git a/main.fake b/main.fake
            --- a/main.fake
            +++ b/main.fake
            -use old
            +see old
        deleting a file: pack is a folder; nothing was changed
        ["main.fake", "pack/.hidden/b.txt", "pack/a.fake"]
            diff --git a/main.fake b/main.fake
            --- a/main.fake
            +++ b/main.fake
            -use old
            +see old
            diff --git a/pack/.hidden/b.txt b/pack/.hidden/b.txt
            deleted file mode 100644
            --- a/pack/.hidden/b.txt
            +++ /dev/null
            -b
            diff --git a/pack/a.fake b/pack/a.fake
            deleted file mode 100644
            --- a/pack/a.fake
            +++ /dev/null
            -a
    "#]].assert_eq(&told);
    assert_eq!(tree(&served), before);

    let staged = try_rename(&served).unwrap();
    assert_eq!(
        staged.files,
        ["gone.fake", "main.fake", "old.fake", "pack/a.fake"]
    );
    let apply = ResolveRequest::apply(staged.stage.unwrap());
    served.conversation().resolve(&apply).unwrap();
    assert_eq!(
        tree(&served),
        [
            "gone.fake: \"old text\\nmore\\n\"",
            "main.fake: \"see old\\n\"",
            "pack/",
            "pack/.hidden/",
            "pack/.hidden/b.txt: \"b\\n\"",
            "pack/a.fake: \"fresh\\n\"",
        ]
    );
    served.close();
}

#[test]
fn a_change_that_leaves_the_checkout_is_refused() {
    let steps = |step: Value| vec![edit("main.fake", 4, 7, "new"), step];
    let answers = [
        edit("../beside.fake", 0, 0, "x"),
        create("../made.fake", json!({})),
        rename("old.fake", "../moved.fake", json!({})),
        rename("../beside.fake", "taken.fake", json!({})),
        delete("../beside.fake", json!({})),
        rename("pack", "../pack", json!({})),
        // Their names are in the checkout, and what they lead to is not.
        edit("link.fake", 0, 0, "x"),
        create("folder/made.fake", json!({})),
        delete("../none.fake", json!({})),
        // Nobody writes the history but git.
        create(".git/hooks/post-commit", json!({})),
    ];
    let served = proposing(answers.map(steps));
    let beside = served.project.beside();
    fs::write(beside.join("beside.fake"), "beside\n").unwrap();
    grow_old(&beside.join("beside.fake"));
    fs::create_dir(beside.join("elsewhere")).unwrap();
    symlink(beside.join("beside.fake"), served.project.path("link.fake")).unwrap();
    symlink(beside.join("elsewhere"), served.project.path("folder")).unwrap();
    fs::create_dir(served.project.path(".git")).unwrap();
    let before = tree(&served);
    let told: String = (0..10)
        .map(|_| {
            let error = try_rename(&served).unwrap_err();
            let said = error.to_string();
            assert_eq!(said.lines().count(), 1, "{said}");
            said.replace(served.project.root().to_str().unwrap(), "ROOT")
                .replace(beside.to_str().unwrap(), "BESIDE")
                + "\n"
        })
        .collect();
    expect![[r#"
        the change would reach files outside of the checkout (BESIDE/beside.fake), so nothing was staged
        the change would reach files outside of the checkout (BESIDE/made.fake), so nothing was staged
        the change would reach files outside of the checkout (BESIDE/moved.fake), so nothing was staged
        the change would reach files outside of the checkout (BESIDE/beside.fake), so nothing was staged
        the change would reach files outside of the checkout (BESIDE/beside.fake), so nothing was staged
        the change would reach files outside of the checkout (BESIDE/pack), so nothing was staged
        cannot write `ROOT/link.fake`: the symbolic link `ROOT/link.fake` leads to `BESIDE/beside.fake`, outside the checkout; name a path inside, or open the checkout it leads to
        cannot create `ROOT/folder/made.fake`: the symbolic link `ROOT/folder` leads to `BESIDE/elsewhere`, outside the checkout; name a path inside, or open the checkout it leads to
        deleting a file: BESIDE/none.fake does not exist; the server may not know yet that it is gone, ask again
        cannot create `ROOT/.git/hooks/post-commit`: `.git` holds what a program keeps for itself; leave it alone and name a file of the project
    "#]].assert_eq(&told);
    assert_eq!(tree(&served), before);
    let there = |path: &str| fs::exists(beside.join(path)).unwrap();
    assert_eq!(
        fs::read_to_string(beside.join("beside.fake")).unwrap(),
        "beside\n"
    );
    assert!(!there("made.fake") && !there("moved.fake") && !there("pack"));
    assert!(!there("elsewhere/made.fake"));
    assert!(served.conversation().staged().unwrap().stages.is_empty());
    served.close();
}
