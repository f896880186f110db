//! Several checkouts in one host, of which some are work trees of one repository.

use std::path::Path;
use std::process::Command;

use fourfold::Limits;
use serde_json::json;

use crate::project::host;

fn git(folder: &Path, arguments: &[&str]) {
    let run = Command::new("git")
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

#[tokio::test]
async fn work_trees_of_one_repository_are_checkouts_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let (main, side) = (folder.path().join("main"), folder.path().join("side"));
    std::fs::create_dir(&main).unwrap();
    std::fs::write(main.join("a.py"), "def total():\n    return old(1)\n").unwrap();
    git(&main, &["init", "-q"]);
    git(&main, &["add", "-A"]);
    git(&main, &["commit", "-q", "-m", "first"]);
    git(&main, &["worktree", "add", "-q", "../side"]);

    let host = host(Limits::default());
    let (one, other) = (host.checkout(&main).unwrap(), host.checkout(&side).unwrap());
    assert_ne!(one.root(), other.root());
    let (one, other) = (one.conversation("agent"), other.conversation("agent"));

    // At once, under one name of a conversation: what one stages the other does not know.
    let stage = json!({"pattern": "old($X)", "template": "new($X)"});
    let write = json!({"path": "a.py", "content": "def total():\n    return old(2)\n"});
    let (staged, written) = tokio::join!(one.call("ast_edit", stage), other.call("write", write));
    let id = staged.unwrap().value["stage"].as_str().unwrap().to_owned();
    written.unwrap();
    let apply = json!({"id": id, "action": "apply"});
    let unknown = other.call("resolve", apply.clone()).await.unwrap_err();
    assert!(
        unknown.to_string().contains("no stage is called"),
        "{unknown}"
    );
    one.call("resolve", apply).await.unwrap();

    let show = json!({"symbol": "total"});
    let (here, there) = tokio::join!(
        one.call("code_symbol", show.clone()),
        other.call("code_symbol", show)
    );
    let (here, there) = (here.unwrap().text, there.unwrap().text);
    assert!(here.contains("return new(1)"), "{here}");
    assert!(there.contains("return old(2)"), "{there}");
    let read = |folder: &Path| std::fs::read_to_string(folder.join("a.py")).unwrap();
    assert_eq!(read(&main), "def total():\n    return new(1)\n");
    assert_eq!(read(&side), "def total():\n    return old(2)\n");
}
