//! Starting, talking, ending by itself.

use fourfold_child::{EndedBy, Guard, Spawn, leftovers};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[tokio::test]
async fn a_child_reads_writes_and_exits() {
    let mut child = Spawn::new("cat")
        .guard(Guard::Program(env!("CARGO_BIN_EXE_fourfold-guard").into()))
        .spawn()
        .await
        .unwrap();
    let mut stdin = child.take_stdin().unwrap();
    let mut stdout = child.take_stdout().unwrap();
    stdin.write_all(b"hello").await.unwrap();
    drop(stdin);
    let mut text = String::new();
    stdout.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "hello");
    let exit = child.wait().await;
    assert_eq!(
        (exit.code, exit.signal, exit.by),
        (Some(0), None, EndedBy::Itself)
    );
    assert_eq!(child.gone().await, 0);
    assert_eq!(leftovers(child.token()), []);
}
