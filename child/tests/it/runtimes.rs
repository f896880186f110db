//! Runtimes that come and go.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use fourfold_child::{Guard, Spawn};
use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, waitid};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::runtime::{Builder, Runtime};

use crate::support::{GUARD, guarded, unruly};

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn multi_thread() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

#[test]
fn a_child_outlives_its_runtime_and_no_more() {
    for runtime in [current_thread(), multi_thread()] {
        let (child, tree) = runtime.block_on(unruly(|spawn| spawn));
        drop(runtime);
        // Nobody reads its standard error any more, which it does not write.
        assert_eq!(child.try_wait(), None);
        drop(child);
        tree.wait();
    }
}

#[test]
fn a_child_ends_with_the_task_that_holds_it() {
    for runtime in [current_thread(), multi_thread()] {
        let (child, tree) = runtime.block_on(unruly(|spawn| spawn));
        runtime.spawn(async move {
            child.wait().await;
        });
        runtime.shutdown_background();
        tree.wait();
    }
}

#[test]
fn a_child_is_waited_for_in_another_runtime() {
    let child = current_thread().block_on(guarded("true").spawn()).unwrap();
    let exit = current_thread().block_on(child.wait());
    assert_eq!(exit.code, Some(0));
    assert_eq!(current_thread().block_on(child.gone()), 0);
}

/// The guard tells when it runs, and is held up until the future is gone.
#[tokio::test]
async fn a_dropped_spawn_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for fifo in ["runs", "go"] {
        let path = at(fifo);
        let status = std::process::Command::new("mkfifo").arg(path).status();
        assert!(status.unwrap().success());
    }
    let script = format!(
        "#!/bin/sh\ncd {}\necho x >runs\nread x <go\nexec {GUARD} \"$@\"\n",
        folder.path().display()
    );
    fs::write(at("guard"), script).unwrap();
    fs::set_permissions(at("guard"), fs::Permissions::from_mode(0o755)).unwrap();

    let mut runs = pipe::OpenOptions::new().open_receiver(at("runs")).unwrap();
    let mut byte = [0];
    tokio::select! {
        _ = Spawn::new("cat").guard(Guard::Program(at("guard"))).spawn() => {
            panic!("the guard is held up");
        }
        read = runs.read_exact(&mut byte) => {
            read.unwrap();
        }
    }
    fs::write(at("go"), "x\n").unwrap();
    // All of our children go, and are taken leave of.
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while !matches!(waitid(WaitId::All, options), Err(Errno::CHILD)) {
        tokio::task::yield_now().await;
    }
}
