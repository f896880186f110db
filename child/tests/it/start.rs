//! Starting, talking, ending by itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fourfold_child::{EndedBy, StopPlan, StopStep, TOKEN_VARIABLE, leftovers};
use rustix::process::{Signal, getsid};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::task::JoinSet;

use crate::support::{guarded, is_listed, pid, shell, signal, until_ready};

async fn output(spawn: fourfold_child::Spawn) -> String {
    let mut child = spawn.spawn().await.unwrap();
    let mut text = String::new();
    let mut stdout = child.take_stdout().unwrap();
    stdout.read_to_string(&mut text).await.unwrap();
    assert!(
        child.wait().await.success(),
        "{:?}",
        child.last_words(9).await
    );
    text
}

#[tokio::test]
async fn a_child_reads_writes_and_exits() {
    let mut child = guarded("cat").spawn().await.unwrap();
    let mut stdin = child.take_stdin().unwrap();
    let mut stdout = child.take_stdout().unwrap();
    assert!(child.take_stdin().is_none());
    assert!(child.take_stdout().is_none());
    assert_eq!(child.try_wait(), None);

    stdin.write_all(b"hello").await.unwrap();
    stdin.shutdown().await.unwrap();
    let mut text = String::new();
    stdout.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "hello");

    let exit = child.wait().await;
    assert_eq!((exit.code, exit.signal), (Some(0), None));
    assert_eq!(exit.by, EndedBy::Itself);
    assert_eq!(child.try_wait(), Some(exit));
    assert_eq!(child.gone().await, 0);
    assert_eq!(leftovers(child.token()), []);
    assert!(!is_listed(child.id()));
    assert!(!is_listed(child.guard_id().unwrap()), "a zombie stays");
    assert_eq!(child.stop(StopPlan::default()).await.step, StopStep::Ended);
}

#[tokio::test]
async fn codes_and_signals_are_told_right() {
    for (script, code, signal) in [
        ("exit 0", Some(0), None),
        ("exit 7", Some(7), None),
        ("exit 255", Some(255), None),
        ("kill -SEGV $$", None, Some(11)),
        ("kill -KILL $$", None, Some(9)),
        // To its whole group, which its guard is not part of.
        ("kill -TERM 0", None, Some(15)),
    ] {
        let child = shell(script).spawn().await.unwrap();
        let exit = child.wait().await;
        assert_eq!((exit.code, exit.signal), (code, signal), "{script}");
        assert_eq!(exit.by, EndedBy::Itself, "{script}");
        assert_eq!(child.gone().await, 0);
    }
}

#[tokio::test]
async fn arguments_folder_and_environment_arrive() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let spawn = shell(r#"printf '%s|' "$@" "$PWD" "$ADDED" "${HOME-none}""#)
        .args(["name", "", "two words", "*"])
        .cwd(&folder)
        .env("ADDED", "x=y")
        .env_remove("HOME");
    let expected = format!("|two words|*|{}|x=y|none|", folder.display());
    assert_eq!(output(spawn).await, expected);
}

#[tokio::test]
async fn a_cleared_environment_holds_what_was_set_and_the_token() {
    let spawn = guarded("/usr/bin/env")
        .env("BEFORE", "1")
        .env_clear()
        .env("AFTER", "2");
    let mut child = spawn.spawn().await.unwrap();
    let token = child.token().clone();
    let mut text = String::new();
    let mut stdout = child.take_stdout().unwrap();
    stdout.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, format!("AFTER=2\n{TOKEN_VARIABLE}={token}\n"));
}

/// None but its standard streams and what `ls` opens. What this process was given by its own parent
/// is not ours to close.
#[tokio::test]
async fn a_child_gets_no_descriptor_of_ours() {
    let listed = output(guarded("ls").arg("/proc/self/fd")).await;
    let found: BTreeSet<u32> = listed.lines().map(|line| line.parse().unwrap()).collect();
    let mut expected: BTreeSet<u32> = inherited().into_iter().collect();
    expected.extend(0..=3);
    assert!(found.is_subset(&expected), "{found:?}, not {expected:?}");
}

/// Our descriptors that stay open when another program is executed.
fn inherited() -> Vec<u32> {
    const CLOSE_ON_EXEC: u32 = 0o2_000_000;
    let passed_on = |descriptor: &u32| {
        let info =
            fs::read_to_string(format!("/proc/self/fdinfo/{descriptor}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.map_or(0, |flags| u32::from_str_radix(flags.trim(), 8).unwrap());
        flags & CLOSE_ON_EXEC == 0
    };
    let all = fs::read_dir("/proc/self/fd").unwrap();
    all.map(|entry| {
        entry
            .unwrap()
            .file_name()
            .to_str()
            .unwrap()
            .parse()
            .unwrap()
    })
    .filter(passed_on)
    .collect()
}

#[tokio::test]
async fn a_guard_is_known_by_its_name_and_holds_no_pipe() {
    let mut child = shell("echo ready; exec cat").spawn().await.unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap());
    until_ready(&mut stdout).await;
    let guard = child.guard_id().unwrap();
    let read = |file: &str| fs::read_to_string(format!("/proc/{guard}/{file}")).unwrap();
    assert_eq!(read("comm"), "fourfold-guard\n");
    assert_eq!(read("cmdline"), "fourfold-guard\0--fourfold-guard\0sh\0");
    assert_eq!(
        fs::read_link(format!("/proc/{guard}/cwd")).unwrap(),
        Path::new("/")
    );
    // Out of reach of Ctrl-C at our terminal, and so is the program.
    assert_eq!(getsid(Some(pid(guard))), Ok(pid(guard)));
    assert_eq!(getsid(Some(pid(child.id()))), Ok(pid(guard)));

    let open = |of: u32| -> Vec<PathBuf> {
        fs::read_dir(format!("/proc/{of}/fd"))
            .unwrap()
            .map(|entry| fs::read_link(entry.unwrap().path()).unwrap())
            .collect()
    };
    let stream = |number| fs::read_link(format!("/proc/{}/fd/{number}", child.id())).unwrap();
    let kept = open(guard);
    assert!(kept.contains(&"/dev/null".into()), "{kept:?}");
    for number in 0..3 {
        assert!(stream(number).to_str().unwrap().starts_with("pipe:"));
        assert!(!kept.contains(&stream(number)), "{kept:?}");
    }
}

/// Each sees the end of its input although others were started while its pipes were made.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_at_once_each_see_their_input_end() {
    let mut all = JoinSet::new();
    for number in 0..40 {
        all.spawn(async move {
            let mut child = guarded("cat").spawn().await.unwrap();
            let mut stdin = child.take_stdin().unwrap();
            let stdout = child.take_stdout().unwrap();
            let said = number.to_string();
            stdin.write_all(said.as_bytes()).await.unwrap();
            (child, stdin, stdout, said)
        });
    }
    // All of them run before the first input is closed.
    let all = all.join_all().await;
    assert_eq!(all.len(), 40);
    for (child, stdin, mut stdout, said) in all {
        drop(stdin);
        let mut text = String::new();
        stdout.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, said);
        assert!(child.wait().await.success());
        assert_eq!(child.gone().await, 0);
    }
}

#[tokio::test]
async fn nothing_of_a_child_stays_open_here() {
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let threads = || fs::read_dir("/proc/self/task").unwrap().count();
    // The thread that keeps a child says that it is gone just before it ends.
    let settle = || {
        while threads() > 2 {
            std::thread::yield_now();
        }
    };
    let once = || async {
        let mut child = guarded("cat").spawn().await.unwrap();
        drop(child.take_stdout());
        child.stop(StopPlan::default()).await;
        // Its standard error has been read to the end.
        assert!(child.last_words(1).await.is_empty());
    };
    // What tokio opens stays open.
    once().await;
    settle();
    let before = open();
    for _ in 0..20 {
        once().await;
    }
    settle();
    assert_eq!(open(), before);
}

#[tokio::test]
async fn a_stopped_program_is_woken_to_end() {
    let child = shell("kill -STOP $$; exit 1").spawn().await.unwrap();
    // Whether it has stopped already or will: SIGTERM ends it.
    let plan = StopPlan::default().with_after_eof(std::time::Duration::ZERO);
    let stopped = child.stop(plan).await;
    assert!(stopped.step <= StopStep::Term, "{stopped:?}");
    assert_eq!(stopped.left, Some(0));
}

#[tokio::test]
async fn a_child_that_is_killed_is_not_ended_by_us() {
    let child = guarded("cat").spawn().await.unwrap();
    signal(child.id(), Signal::KILL);
    let exit = child.wait().await;
    assert_eq!((exit.signal, exit.by), (Some(9), EndedBy::Itself));
}
