//! What people read when a child cannot be started.

use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use expect_test::{Expect, expect};
use fourfold_child::{Guard, Limits, Spawn, SpawnError};
use tempfile::TempDir;

use crate::support::guarded;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// The whole chain of an error, with this folder called `DIR`.
    async fn check(&self, spawn: Spawn, expected: Expect) -> SpawnError {
        let error = spawn.spawn().await.unwrap_err();
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            text.push_str(&format!("\n{error}"));
            source = error.source();
        }
        let folder = self.0.path().to_str().unwrap();
        expected.assert_eq(&text.replace(folder, "DIR"));
        error
    }
}

#[tokio::test]
async fn what_is_not_there_is_said_with_what_to_do() {
    let folder = Folder::new();
    let at = folder.0.path();
    folder.file("plain", "", 0o644);

    let spawn = guarded("no-such-server").env("PATH", "/nowhere:bin");
    let error = folder.check(spawn, expect![[r#"starting no-such-server: not found in the one folder of the search path; "bin" in the search path was passed over; install it, or name it by its full path"#]]).await;
    assert!(matches!(error, SpawnError::NotFound { .. }));

    let spawn = guarded("plain").env("PATH", at);
    folder.check(spawn, expect!["starting plain: not found in the one folder of the search path; DIR/plain is not executable; install it, or name it by its full path"]).await;

    let spawn = guarded("./server").cwd(at);
    folder
        .check(
            spawn,
            expect!["starting ./server: no such file; install it, or name it by its full path"],
        )
        .await;

    let spawn = guarded("cat").cwd(at.join("missing"));
    let error = folder.check(spawn, expect!["starting cat: its working directory DIR/missing is not there; create it or choose another"]).await;
    assert!(matches!(error, SpawnError::NoCwd { .. }));
}

#[tokio::test]
async fn what_cannot_be_executed_is_said_with_what_to_do() {
    let folder = Folder::new();

    let script = folder.file("script", "#!/nowhere/node --flag\n", 0o755);
    let error = folder.check(guarded(script), expect![[r#"
        starting DIR/script: its first line asks for /nowhere/node --flag, which is not there; install that, or install the program again
        No such file or directory (os error 2)"#]]).await;
    assert!(matches!(error, SpawnError::Exec { .. }));

    let garbage = folder.file("garbage", "\0\u{1}\u{2}", 0o755);
    folder.check(guarded(garbage), expect![[r#"
        starting DIR/garbage: the system refused to execute it; it may be built for another machine, or be a script without a first line that says what runs it
        Exec format error (os error 8)"#]]).await;

    let long = "x".repeat(1 << 20);
    let spawn = guarded("cat").args(std::iter::repeat_n(&long, 20));
    folder.check(spawn, expect![[r#"
        starting /usr/bin/cat: its arguments and environment are longer than the system takes; pass less
        argument list too long"#]]).await;

    // Without a guard it is the same.
    let script = folder.file("script", "#!/nowhere/node\n", 0o755);
    let spawn = Spawn::new(script).guard(Guard::None);
    folder.check(spawn, expect![[r#"
        starting DIR/script: its first line asks for /nowhere/node, which is not there; install that, or install the program again
        No such file or directory (os error 2)"#]]).await;
}

#[tokio::test]
async fn what_is_no_guard_is_said_with_what_to_do() {
    let folder = Folder::new();
    let with = |path: &Path| Spawn::new("cat").guard(Guard::Program(path.into()));

    // This test program does not enter the guard.
    let error = folder.check(Spawn::new("cat"), expect!["starting cat: this program is to be its own guard process, but did not call `fourfold_child::guard::enter()` first thing in `main`; call it there, or choose `Guard::Program` with the path of the `fourfold-guard` program"]).await;
    assert!(matches!(error, SpawnError::NotEntered { .. }));

    let error = folder
        .check(with(&folder.0.path().join("guard")), expect![[r#"
            starting the guard process DIR/guard: the system refused; check that the file is there and may be executed
            No such file or directory (os error 2)"#]])
        .await;
    assert!(matches!(error, SpawnError::GuardNotStarted { .. }));

    let hasty = folder.file("hasty", "#!/bin/sh\nexit 0\n", 0o755);
    let error = folder.check(with(&hasty), expect!["the guard process DIR/hasty ended at once; check that it is the `fourfold-guard` of this version, or a program that calls `fourfold_child::guard::enter()` first thing in `main`"]).await;
    assert!(matches!(error, SpawnError::GuardFailed { .. }));

    let babbler = folder.file(
        "babbler",
        "#!/bin/sh\nhead -c 100 >&2; echo 0123456789 >&0\n",
        0o755,
    );
    folder.check(with(&babbler), expect!["the guard process DIR/babbler answered something else; check that it is the `fourfold-guard` of this version, or a program that calls `fourfold_child::guard::enter()` first thing in `main`"]).await;

    let silent = folder.file("silent", "#!/bin/sh\nexec sleep 1000\n", 0o755);
    let limits = Limits::default().with_start(Duration::from_millis(200));
    let error = folder
        .check(with(&silent).limits(limits), expect!["the guard process DIR/silent did not answer within 200ms; the machine may be overloaded: try again, or raise `Limits::start`; or the file is no guard program"])
        .await;
    assert!(matches!(error, SpawnError::GuardSilent { .. }));
}

#[test]
fn a_runtime_is_needed() {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    let spawn = pin!(Spawn::new("cat").spawn());
    let Poll::Ready(Err(error)) = spawn.poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("it needs no runtime");
    };
    expect!["starting cat: there is no tokio runtime here; call `spawn` from a task of one"]
        .assert_eq(&error.to_string());
}

#[test]
fn a_guard_started_by_hand_says_what_it_is() {
    let output = std::process::Command::new(crate::support::GUARD)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    expect![[r#"
        fourfold-guard: this program is started by a host, to end a child process and all that it started when the host goes away; there is nothing to do with it by hand
    "#]].assert_eq(&String::from_utf8(output.stderr).unwrap());

    // Asked to be a guard, with no socket to hear from.
    let output = std::process::Command::new(crate::support::GUARD)
        .arg("--fourfold-guard")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}
