//! What a child says before it ends.

use std::fs;

use fourfold_child::Limits;

use crate::support::shell;

#[tokio::test]
async fn the_last_words_are_complete_when_it_has_ended() {
    let child = shell("for n in 1 2 3; do echo line $n >&2; done; exit 1")
        .spawn()
        .await
        .unwrap();
    child.wait().await;
    assert_eq!(child.last_words(2).await, ["line 2", "line 3"]);
}

#[tokio::test]
async fn a_flood_neither_blocks_nor_stays() {
    const FLOOD: u64 = 100 << 20;
    let child = shell("head -c 104857600 /dev/zero | tr '\\0' 'x' >&2; echo; echo end >&2")
        .limits(Limits::default().with_stderr(10_000))
        .spawn()
        .await
        .unwrap();
    assert!(child.wait().await.success());
    let words = child.last_words(5).await;
    assert_eq!(child.stderr().total(), FLOOD + 4);
    // The flood has no line end: the first line that is kept is all `x`, shortened, without `end`.
    assert_eq!(words, [format!("{}…", "x".repeat(400))]);
    assert!(peak_memory_kib() < 64 * 1024, "{} KiB", peak_memory_kib());
}

fn peak_memory_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}
