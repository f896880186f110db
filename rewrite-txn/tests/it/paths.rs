//! Which paths can be staged, and what is said about the others.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use fourfold_rewrite_txn::{Durability, Edit, Error, Stage, StageOptions, Symlinks, recover};

use crate::tree::Tree;

fn refusal(tree: &Tree, path: &str) -> String {
    let error = tree
        .stage()
        .replace(path, vec![Edit::new(0..0, "x")])
        .map(|_| ())
        .unwrap_err();
    error.to_string()
}

#[test]
fn refusals_say_what_to_do() {
    let tree = Tree::new(&[("file", "text"), ("ro", "text"), ("rodir/file", "text")]);
    tree.put(".git/config", "x");
    fs::set_permissions(tree.path("ro"), Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(tree.path("rodir"), Permissions::from_mode(0o555)).unwrap();
    symlink("/etc/passwd", tree.path("out")).unwrap();
    symlink("loop", tree.path("loop")).unwrap();
    symlink("nothing", tree.path("broken")).unwrap();
    let _socket = UnixListener::bind(tree.path("socket")).unwrap();
    let paths = [
        "missing",
        "rodir",
        "ro",
        "rodir/file",
        "../up",
        "/etc/passwd",
        "out",
        "loop",
        "broken",
        "socket",
        ".git/config",
        ".fourfold/x",
        "file/inside",
        "",
        ".",
    ];
    let said: String = paths
        .iter()
        .map(|path| refusal(&tree, path) + "\n")
        .collect();
    expect_test::expect![[r#"
        staging missing: there is no such file; create it or correct the path
        staging rodir: it is a directory, not a regular file; name the file itself
        staging ro: the file is read-only; give it write permission first if the change is wanted
        staging rodir/file: its folder rodir is read-only; give it write permission first if the change is wanted
        staging ../up: it leads out of the checkout; only files inside it can be changed
        staging /etc/passwd: it leads out of the checkout; only files inside it can be changed
        staging out: it leads out of the checkout; only files inside it can be changed
        staging loop: it is a symbolic link, not a regular file; name the file itself
        staging nothing: there is no such file; create it or correct the path
        staging socket: it is a socket, pipe or device, not a regular file; name the file itself
        staging .git/config: that folder is kept by a tool and is never rewritten; name a source file
        staging .fourfold/x: that folder is kept by a tool and is never rewritten; name a source file
        staging file/inside: there is no such file; create it or correct the path
        staging : it is a directory, not a regular file; name the file itself
        staging .: it is a directory, not a regular file; name the file itself
    "#]].assert_eq(&said);
    fs::set_permissions(tree.path("rodir"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn creates_are_refused_where_they_cannot_be() {
    let tree = Tree::new(&[("file", "text"), ("dir/x", "text"), ("rodir/x", "")]);
    fs::set_permissions(tree.path("rodir"), Permissions::from_mode(0o555)).unwrap();
    let refused = |paths: &[&str]| {
        let mut stage = tree.stage();
        for path in paths {
            stage.create(path, "new").unwrap();
        }
        stage.finish().unwrap_err().to_string() + "\n"
    };
    let said = [
        refused(&["file"]),
        refused(&["dir"]),
        refused(&["file/below"]),
        refused(&["rodir/new"]),
        refused(&["new", "new"]),
        refused(&["new", "new/inside"]),
    ];
    expect_test::expect![[r#"
        staging file: there is already something of that name; replace or delete it instead
        staging dir: there is already something of that name; replace or delete it instead
        staging under file: it is a regular file, so no file can be in it; name another place
        staging rodir/new: its folder rodir is read-only; give it write permission first if the change is wanted
        staging new: another operation of this stage already changes it; put both into one
        staging new/inside: this stage makes new a file, so nothing can be inside it
    "#]].assert_eq(&said.concat());
    fs::set_permissions(tree.path("rodir"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn links_lead_to_the_real_file_and_stay() {
    let tree = Tree::new(&[("real/file", "one")]);
    symlink("real", tree.path("dir")).unwrap();
    symlink("../dir/file", tree.path("real/link")).unwrap();
    symlink(
        tree.root().canonicalize().unwrap().join("real/link"),
        tree.path("abs"),
    )
    .unwrap();
    let mut stage = tree.stage();
    stage.write("abs", "two").unwrap();
    let mut staged = stage.finish().unwrap();
    assert_eq!(
        staged.paths().unwrap(),
        ["real/file".as_ref() as &std::path::Path]
    );
    staged.commit(Durability::PowerLoss).unwrap();
    assert_eq!(tree.get("real/file"), "two");
    assert!(tree.path("abs").is_symlink() && tree.path("real/link").is_symlink());
    // One file under two names is one file.
    let mut stage = tree.stage();
    stage.write("abs", "x").unwrap();
    stage.write("dir/file", "y").unwrap();
    assert!(matches!(stage.finish(), Err(Error::TwoOperations { .. })));
    // A link itself is neither removed nor renamed.
    let error = tree.stage().delete("abs").map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::SymlinkRefused { .. }), "{error}");
    let mut options = StageOptions::default();
    options.symlinks = Symlinks::Refuse;
    let mut stage = Stage::with_options(tree.root(), options).unwrap();
    let error = stage.write("abs", "x").map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::SymlinkRefused { .. }), "{error}");
    stage.write("dir/file", "x").unwrap();
}

#[test]
fn a_folder_that_becomes_a_link_is_drift() {
    let tree = Tree::new(&[("dir/file", "one"), ("other/file", "one")]);
    let mut stage = tree.stage();
    stage.write("dir/file", "two").unwrap();
    let mut staged = stage.finish().unwrap();
    fs::rename(tree.path("dir"), tree.path("kept")).unwrap();
    symlink("other", tree.path("dir")).unwrap();
    let error = staged.commit(Durability::PowerLoss).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("dir/file is now a symbolic link"),
        "{error}"
    );
    assert_eq!(tree.get("other/file"), "one");
}

#[test]
fn a_stage_has_a_size_limit() {
    let tree = Tree::new(&[("a", "12345678"), ("b", "12345678")]);
    let mut options = StageOptions::default();
    options.max_bytes = 24;
    let mut stage = Stage::with_options(tree.root(), options).unwrap();
    stage.write("a", "12345678").unwrap();
    let error = stage.write("b", "1").map(|_| ()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("would hold 25 bytes, more than its limit of 24"),
        "{error}"
    );
}

#[test]
fn roots_must_be_folders() {
    let tree = Tree::new(&[("file", "")]);
    for path in ["file", "missing"] {
        assert!(matches!(
            Stage::new(tree.path(path)),
            Err(Error::Root { .. })
        ));
        assert!(matches!(recover(tree.path(path)), Err(Error::Root { .. })));
    }
}
