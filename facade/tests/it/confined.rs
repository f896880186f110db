//! No tool leaves the checkout, whatever a path looks like.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::project::Project;

/// Ways out of a checkout, all of which end at something that is there.
fn ways_out(project: &Project, outside: &std::path::Path) -> Vec<String> {
    let root = project.root();
    symlink(outside, root.join("link")).unwrap();
    symlink(outside.join("secret.txt"), root.join("file-link")).unwrap();
    symlink("link", root.join("link-to-link")).unwrap();
    let absolute = outside.join("secret.txt").display().to_string();
    let up = format!(
        "../{}/secret.txt",
        outside.file_name().unwrap().to_string_lossy()
    );
    vec![
        up.clone(),
        format!("./{up}"),
        format!("a/../{up}"),
        absolute.clone(),
        format!("//{absolute}"),
        "link/secret.txt".to_owned(),
        "file-link".to_owned(),
        "link-to-link/secret.txt".to_owned(),
        format!("/proc/self/root{absolute}"),
        "/proc/self/cwd/../secret.txt".to_owned(),
        "/proc/self/environ".to_owned(),
    ]
}

#[tokio::test]
async fn every_way_out_is_refused_by_every_tool_that_takes_a_path() {
    let project = Project::new(&[("a/b.py", "old(1)\n")]);
    let outside = tempfile::tempdir_in(project.root().parent().unwrap()).unwrap();
    fs::write(outside.path().join("secret.txt"), "secret\n").unwrap();
    let conversation = project.conversation();
    for path in ways_out(&project, outside.path()) {
        let add = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
        let delete = format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n");
        let away = format!(
            "*** Begin Patch\n*** Update File: a/b.py\n*** Move to: {path}\n@@\n-old(1)\n+new(1)\n*** End Patch\n"
        );
        let calls = [
            ("write", json!({"path": path, "content": "x"})),
            (
                "edit",
                json!({"path": path, "old_text": "secret", "new_text": "x"}),
            ),
            ("apply_patch", json!({"patch": add})),
            ("apply_patch", json!({"patch": delete})),
            ("apply_patch", json!({"patch": away})),
            ("ast_grep", json!({"pattern": "secret", "paths": path})),
            (
                "ast_edit",
                json!({"pattern": "secret", "template": "x", "paths": path}),
            ),
        ];
        for (tool, arguments) in calls {
            let said = conversation.call(tool, arguments).await;
            let searches = tool.starts_with("ast_");
            let said = match said {
                Err(refused) => refused.to_string(),
                // A search may also say that it has passed over it.
                Ok(done) if searches => {
                    assert!(
                        done.text.contains("skipped: 1 file"),
                        "{tool} {path}: {}",
                        done.text
                    );
                    done.text
                }
                Ok(done) => panic!("{tool} {path}: {}", done.text),
            };
            assert!(!said.contains("secret\n"), "{tool} {path}: {said}");
        }
    }
    let secret = fs::read_to_string(outside.path().join("secret.txt")).unwrap();
    assert_eq!(secret, "secret\n");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    assert_eq!(project.read("a/b.py"), "old(1)\n");
}

/// What only looks may also find nothing there; what lies outside it never tells.
#[tokio::test]
async fn no_way_out_is_looked_through_by_a_tool_that_only_looks() {
    let project = Project::new(&[("a/b.py", "old(1)\n")]);
    let outside = tempfile::tempdir_in(project.root().parent().unwrap()).unwrap();
    let hidden = "def hunted():\n    return 'quarry'\n";
    fs::write(outside.path().join("secret.txt"), hidden).unwrap();
    fs::write(outside.path().join("secret.py"), hidden).unwrap();
    let conversation = project.conversation();
    let ways = ways_out(&project, outside.path());
    let sources: Vec<String> = ways
        .iter()
        .map(|way| way.replace("secret.txt", "secret.py"))
        .collect();
    for path in ways.iter().chain(&sources) {
        let symbol = format!("{path}:1");
        let calls = [
            ("ast_grep", json!({"pattern": "return $X", "paths": path})),
            (
                "ast_explain",
                json!({"pattern": "return $X", "paths": path}),
            ),
            ("search_code", json!({"query": "hunted", "paths": path})),
            ("code_symbol", json!({"symbol": path})),
            ("code_symbol", json!({"symbol": symbol})),
            ("code_callers", json!({"symbol": path})),
            ("code_callees", json!({"symbol": path})),
            ("code_impact", json!({"symbol": path})),
            ("code_map", json!({"focus": path})),
            ("code_graph", json!({"action": "hierarchy", "symbol": path})),
            ("check", json!({"paths": path})),
            ("lsp", json!({"action": "symbols", "file": path})),
            ("lsp", json!({"action": "diagnostics", "file": path})),
            ("debug", json!({"action": "launch", "program": path})),
            (
                "debug",
                json!({"action": "launch", "program": "a/b.py", "cwd": path}),
            ),
            ("debug", json!({"action": "attach", "core": path})),
        ];
        for (tool, arguments) in calls {
            let asked = arguments.to_string();
            let said = match conversation.call(tool, arguments).await {
                Err(refused) => refused.to_string(),
                Ok(done) => format!("{}{}", done.text, done.value),
            };
            for word in ["hunted():", "quarry"] {
                assert!(!said.contains(word), "{tool} {asked}: {said}");
            }
        }
    }
}

/// A file that was indexed and is a link out of the checkout by now is not read through it.
#[tokio::test]
async fn a_file_that_becomes_a_link_is_not_shown() {
    let text = "def total():\n    return 1\n";
    let project = Project::new(&[("a.py", text)]);
    let outside = tempfile::tempdir_in(project.root().parent().unwrap()).unwrap();
    let other = outside.path().join("other.py");
    fs::write(&other, "def total():\n    return 'quarry'\n").unwrap();
    let conversation = project.conversation();
    let show = || conversation.call("code_symbol", json!({"symbol": "total"}));
    assert!(show().await.unwrap().text.contains("return 1"));
    fs::remove_file(project.root().join("a.py")).unwrap();
    symlink(&other, project.root().join("a.py")).unwrap();
    let said = match show().await {
        Err(refused) => refused.to_string(),
        Ok(done) => done.text,
    };
    assert!(!said.contains("quarry"), "{said}");
}

/// A name inside for a file that has another name outside: it is not changed.
#[tokio::test]
async fn a_file_with_another_name_is_refused() {
    let project = Project::new(&[("a.py", "x = 1\n")]);
    let outside = tempfile::tempdir_in(project.root().parent().unwrap()).unwrap();
    let other = outside.path().join("other.py");
    fs::hard_link(project.root().join("a.py"), &other).unwrap();
    let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n";
    let calls = [
        (
            "edit",
            json!({"path": "a.py", "old_text": "1", "new_text": "2"}),
        ),
        ("write", json!({"path": "a.py", "content": "x = 2\n"})),
        ("apply_patch", json!({"patch": patch})),
    ];
    for (tool, arguments) in calls {
        let refused = project.conversation().call(tool, arguments).await;
        let refused = refused.map(|done| done.text).unwrap_err().to_string();
        assert!(
            refused.contains("a.py") && refused.contains("hard link"),
            "{tool}: {refused}"
        );
    }
    assert_eq!(fs::read_to_string(&other).unwrap(), "x = 1\n");
}

/// Names that differ only in case are two files, and one is never taken for the other.
#[tokio::test]
async fn case_counts() {
    let project = Project::new(&[("A.py", "x = 1\n")]);
    let edit = json!({"path": "a.py", "old_text": "1", "new_text": "2"});
    let refused = project.conversation().call("edit", edit).await.unwrap_err();
    assert!(refused.to_string().contains("`a.py`"), "{refused}");
    let write = json!({"path": "a.py", "content": "y\n"});
    project.conversation().call("write", write).await.unwrap();
    assert_eq!(project.read("A.py"), "x = 1\n");
    assert_eq!(project.read("a.py"), "y\n");
}

/// Between the look at a path and the write, a folder on it, or the file, becomes a link out of the
/// checkout.
#[tokio::test]
async fn what_becomes_a_link_meanwhile_is_not_followed() {
    use fourfold::{Approval, Host, HostConfig, Policy, Proposal};

    let patch = "*** Begin Patch\n*** Update File: sub/a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n";
    let calls = [
        (
            "edit",
            json!({"path": "sub/a.py", "old_text": "1", "new_text": "2"}),
        ),
        ("write", json!({"path": "sub/a.py", "content": "x = 2\n"})),
        ("write", json!({"path": "sub/b.py", "content": "x = 2\n"})),
        ("apply_patch", json!({"patch": patch})),
    ];
    for (replaced, (tool, arguments)) in ["sub", "sub/a.py"]
        .into_iter()
        .flat_map(|replaced| calls.iter().map(move |call| (replaced, call)))
    {
        if replaced == "sub/a.py" && arguments["path"] == "sub/b.py" {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let (root, out) = (folder.path().to_path_buf(), outside.path().to_path_buf());
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("sub/a.py"), "x = 1\n").unwrap();
        fs::write(out.join("a.py"), "x = 1\n").unwrap();
        let mut config = HostConfig::default();
        config.user_folder = None;
        config.servers.enabled = false;
        // The change is staged by now, and not yet made.
        config.policy = Policy::ask(move |_: &Proposal| {
            fs::rename(root.join(replaced), root.join("moved")).unwrap();
            let target = match replaced {
                "sub" => out.clone(),
                _ => out.join("a.py"),
            };
            symlink(target, root.join(replaced)).unwrap();
            Approval::Granted
        });
        let checkout = Host::new(config).checkout(folder.path()).unwrap();
        let conversation = checkout.conversation("one");
        let said = conversation.call(tool, arguments.clone()).await;
        let refused = said.map(|done| done.text).unwrap_err().to_string();
        assert!(refused.contains("sub"), "{tool} {replaced}: {refused}");
        let there = fs::read_to_string(outside.path().join("a.py")).unwrap();
        assert_eq!(there, "x = 1\n", "{tool} {replaced}");
        assert!(!outside.path().join("b.py").exists(), "{tool} {replaced}");
    }
}
