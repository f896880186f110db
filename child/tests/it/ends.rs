//! Every way for a tree to end: nothing of it stays, its ports and locks are free.

use std::time::Duration;

use fourfold_child::{EndedBy, StopPlan, StopStep, leftovers, sweep};
use rustix::process::Signal;
use tokio::io::{AsyncWriteExt, BufReader};

use crate::support::{
    Host, Tree, Watched, example, guarded, is_listed, shell, signal, unruly, until_ready,
};

fn hasty() -> StopPlan {
    StopPlan::default()
        .with_after_eof(Duration::ZERO)
        .with_after_term(Duration::ZERO)
}

#[tokio::test]
async fn by_the_end_of_its_input() {
    let (child, tree) = unruly(|spawn| spawn).await;
    let stopped = child.stop(StopPlan::default()).await;
    assert_eq!(stopped.step, StopStep::Eof);
    assert_eq!(stopped.left, Some(0));
    let exit = stopped.exit.unwrap();
    assert_eq!((exit.code, exit.by), (Some(3), EndedBy::Host));
    tree.assert_gone();
    assert_eq!(leftovers(child.token()), []);
    assert!(!is_listed(child.guard_id().unwrap()));
}

#[tokio::test]
async fn by_sigterm() {
    let mut child = shell("trap 'exit 7' TERM; sleep 1000 & echo ready; wait")
        .spawn()
        .await
        .unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap());
    until_ready(&mut stdout).await;
    let stopped = child
        .stop(hasty().with_after_term(Duration::from_secs(20)))
        .await;
    assert_eq!(stopped.step, StopStep::Term);
    assert_eq!(stopped.exit.unwrap().code, Some(7));
    assert_eq!(stopped.left, Some(0));
}

#[tokio::test]
async fn by_sigkill_when_sigterm_and_the_end_of_input_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = shell(r#"trap '' TERM; tail -f /dev/null | "$0" "$@""#)
        .arg(example("unruly"))
        .args(Tree::arguments(folder.path()))
        .spawn()
        .await
        .unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap());
    let lines = until_ready(&mut stdout).await;
    let tree = Tree::new(folder, &lines);
    let plan = hasty().with_after_term(Duration::from_millis(100));
    let stopped = child.stop(plan).await;
    assert_eq!(stopped.step, StopStep::Kill);
    assert_eq!(stopped.exit.unwrap().signal, Some(9));
    assert_eq!(stopped.left, Some(0));
    tree.assert_gone();
}

#[tokio::test]
async fn by_a_kill() {
    let (child, tree) = unruly(|spawn| spawn).await;
    child.kill();
    let exit = child.wait().await;
    assert_eq!((exit.signal, exit.by), (Some(9), EndedBy::Host));
    assert_eq!(child.gone().await, 0);
    tree.assert_gone();
}

#[tokio::test]
async fn by_a_drop() {
    let (child, tree) = unruly(|spawn| spawn).await;
    drop(child);
    tree.wait();
}

#[tokio::test]
async fn by_the_death_of_the_program() {
    let (child, tree) = unruly(|spawn| spawn).await;
    signal(child.id(), Signal::KILL);
    let exit = child.wait().await;
    assert_eq!((exit.signal, exit.by), (Some(9), EndedBy::Itself));
    assert_eq!(child.gone().await, 0);
    tree.assert_gone();
}

#[test]
fn by_the_death_of_the_host() {
    let mut host = Host::start(&[]);
    let guard = Watched::new(host.guard);
    host.process.kill().unwrap();
    host.process.wait().unwrap();
    host.tree.wait();
    guard.wait();
}

/// A program that is given a farewell of so many seconds, and the file in which it says how it ended.
/// Its host is killed, and then its guard has nothing more to do.
fn orphaned(farewell: &str, script: &str) -> Option<String> {
    use std::io::BufRead as _;
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let mut host = Command::new(example("host"))
        .args(["--farewell", farewell, "sh", "-c", script])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut stderr = std::io::BufReader::new(host.stderr.take().unwrap());
    stderr.read_line(&mut said).unwrap();
    let (_, guard) = said.split_once("guard Some(").unwrap();
    let (guard, _) = guard.split_once(')').unwrap();
    let guard = Watched::new(guard.parse().unwrap());
    let mut stdout = std::io::BufReader::new(host.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    host.kill().unwrap();
    host.wait().unwrap();
    guard.wait();
    let told = std::fs::read_to_string(folder.path().join("told")).ok()?;
    Some(told.trim().to_owned())
}

#[test]
fn in_order_after_the_death_of_the_host_when_it_is_given_a_farewell() {
    // What it does takes longer than the guard would take to kill it.
    let at_eof = "echo ready; cat; sleep 0.2; echo eof > told";
    assert_eq!(orphaned("15", at_eof).as_deref(), Some("eof"));
    assert_eq!(orphaned("0", at_eof), None);
    // Of what goes by SIGTERM alone, what it has started is waited for too.
    let at_term = "exec <&-; sh -c 'trap \"\" TERM; while [ ! -e told ]; do sleep 0.1; done; sleep 0.2; \
                   echo both > told' & trap 'echo term > told; exit' TERM; echo ready; \
                   while :; do sleep 0.1; done";
    assert_eq!(orphaned("2", at_term).as_deref(), Some("both"));
    // What hears nothing is killed.
    let deaf = "trap '' TERM; exec <&-; echo ready; while :; do sleep 0.1; done";
    assert_eq!(orphaned("1", deaf), None);
}

/// A host inside a host: its guard goes with it, and what that had falls to the outer guard.
#[tokio::test]
async fn by_the_end_of_a_host_inside() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = guarded(example("host"))
        .arg(example("unruly"))
        .args(Tree::arguments(folder.path()))
        .spawn()
        .await
        .unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap());
    let lines = until_ready(&mut stdout).await;
    let tree = Tree::new(folder, &lines);
    child.kill();
    assert_eq!(child.gone().await, 0);
    tree.assert_gone();
}

#[tokio::test]
async fn by_the_death_of_the_guard() {
    let (child, tree) = unruly(|spawn| spawn).await;
    let begin = std::time::Instant::now();
    signal(child.guard_id().unwrap(), Signal::KILL);
    assert_eq!(child.wait().await.by, EndedBy::GuardLost);
    assert_eq!(child.gone().await, 0);
    assert!(begin.elapsed() < Duration::from_secs(5));
    tree.assert_gone();
}

#[tokio::test]
async fn by_a_guard_that_was_asked_to_end() {
    let (child, tree) = unruly(|spawn| spawn).await;
    signal(child.guard_id().unwrap(), Signal::TERM);
    assert_eq!(child.wait().await.by, EndedBy::Guard);
    assert_eq!(child.gone().await, 0);
    tree.assert_gone();
}

#[tokio::test]
async fn by_us_when_the_guard_does_not_answer() {
    let (child, tree) = unruly(|spawn| spawn).await;
    signal(child.guard_id().unwrap(), Signal::STOP);
    let stopped = child
        .stop(hasty().with_after_kill(Duration::from_millis(200)))
        .await;
    // The second wait is as short: its end is only sure a moment later.
    assert_eq!(child.gone().await, 0);
    assert_eq!(stopped.step, StopStep::Kill);
    tree.assert_gone();
}

/// With both gone there is only the token. The one process without it is the stated hole.
#[test]
fn by_a_sweep_after_the_death_of_both() {
    let mut host = Host::start(&[]);
    signal(host.guard, Signal::STOP);
    host.process.kill().unwrap();
    host.process.wait().unwrap();
    signal(host.guard, Signal::KILL);
    // The program itself sees the end of its input.
    host.tree.processes[Tree::MAIN].wait();

    // Another host's sweep may be at work as well: it is the same to the processes.
    assert_eq!(sweep().left, []);
    host.tree.processes[Tree::BARE].kill();
    host.tree.wait();
    assert!(host.token.contains(&host.process.id().to_string()));
}

#[tokio::test]
async fn a_sweep_spares_what_has_an_owner() {
    let (child, tree) = unruly(|spawn| spawn).await;
    sweep();
    assert!(!tree.processes.iter().any(Watched::is_gone));
    let found = leftovers(child.token());
    assert_eq!(found.len(), 6);
    assert!(
        found
            .iter()
            .all(|process| process.command.contains("unruly")),
        "{found:?}"
    );
    assert_eq!(child.stop(StopPlan::default()).await.left, Some(0));
    tree.assert_gone();
}

#[tokio::test]
async fn while_it_goes_on_starting_others() {
    let mut child = shell("echo ready; while :; do /bin/true & done")
        .spawn()
        .await
        .unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap());
    until_ready(&mut stdout).await;
    child.kill();
    assert_eq!(child.gone().await, 0);
    assert_eq!(leftovers(child.token()), []);
}

/// A process that starts the next and ends, again and again, is never there when one looks.
#[tokio::test]
async fn while_it_hops() {
    let mut child = guarded(example("unruly"))
        .arg("hops")
        .spawn()
        .await
        .unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap());
    until_ready(&mut stdout).await;
    child.kill();
    assert_eq!(child.gone().await, 0);
    assert_eq!(leftovers(child.token()), []);
}

#[tokio::test]
async fn stop_closes_an_input_that_somebody_else_writes() {
    let mut child = shell("exec 0<&-; echo ready; exec sleep 1000")
        .spawn()
        .await
        .unwrap();
    let mut stdin = child.take_stdin().unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap());
    until_ready(&mut stdout).await;
    drop(child);
    let error = stdin.write_all(b"x").await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);

    // Nobody reads it: the writer waits in a full pipe until it is closed.
    let mut child = shell("echo ready; exec sleep 1000").spawn().await.unwrap();
    let mut stdin = child.take_stdin().unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap());
    until_ready(&mut stdout).await;
    let writer = tokio::spawn(async move { stdin.write_all(&vec![0; 1 << 20]).await });
    tokio::task::yield_now().await;
    let plan = StopPlan::default().with_after_eof(Duration::from_millis(100));
    let stopped = child.stop(plan).await;
    assert_eq!(stopped.step, StopStep::Term);
    let error = writer.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
}

/// A dropped `stop` leaves a child that can be stopped again.
#[tokio::test]
async fn a_stop_may_be_given_up() {
    let mut child = shell("echo ready; exec sleep 1000").spawn().await.unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap());
    until_ready(&mut stdout).await;
    tokio::select! {
        biased;
        _ = child.stop(StopPlan::default()) => panic!("it ignores the end of its input"),
        () = std::future::ready(()) => {}
    }
    assert_eq!(child.try_wait(), None);
    let stopped = child
        .stop(hasty().with_after_term(Duration::from_secs(20)))
        .await;
    assert_eq!(stopped.exit.unwrap().signal, Some(15));
    assert_eq!(stopped.left, Some(0));
}
