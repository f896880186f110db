//! Runs a program so that nothing of it outlives this process, however either of them ends:
//! `cargo run -p fourfold-child --example host -- [--limit SECONDS] [--farewell SECONDS] PROGRAM
//! [ARGUMENT …]`.
//! Kill it with SIGKILL and look for the program.
#![allow(
    clippy::print_stderr,
    reason = "an example shows what it does; standard output is the program's"
)]

use std::env;
use std::error::Error;
use std::time::Duration;

use fourfold_child::{Limits, Spawn, StopPlan, guard};
use tokio::io::{copy, stdin, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    // The process that was started as guard does not come back from here.
    guard::enter();

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let result = runtime.block_on(run());
    // It does not wait for a read of standard input that may never end.
    runtime.shutdown_background();
    result
}

async fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1).peekable();
    let mut limits = Limits::default();
    while let Some(option) =
        arguments.next_if(|argument| argument == "--limit" || argument == "--farewell")
    {
        let seconds = arguments.next().unwrap_or_default();
        let seconds = Duration::from_secs(seconds.to_string_lossy().parse()?);
        limits = match option == "--limit" {
            true => limits.with_hard(seconds),
            false => limits.with_farewell(seconds),
        };
    }
    let program = arguments.next().ok_or("which program?")?;

    let mut child = Spawn::new(program)
        .args(arguments)
        .limits(limits)
        .spawn()
        .await?;
    eprintln!(
        "process {}, guard {:?}, token {}",
        child.id(),
        child.guard_id(),
        child.token()
    );
    if let (Some(mut input), Some(mut output)) = (child.take_stdin(), child.take_stdout()) {
        tokio::spawn(async move { copy(&mut stdin(), &mut input).await });
        // It ends when the program and all that it started have closed their output.
        copy(&mut output, &mut stdout()).await?;
    }
    child.wait().await;
    let stopped = child.stop(StopPlan::default()).await;
    for line in child.last_words(10).await {
        eprintln!("| {line}");
    }
    match stopped.exit {
        Some(exit) => eprintln!("{exit}"),
        None => eprintln!("it could not be ended"),
    }
    Ok(())
}
