//! Counts the lines of a checkout, in parallel and in order:
//! `cargo run -p fourfold-worktree --example lines -- [FOLDER]`.

use std::ops::ControlFlow;

use fourfold_worktree::{Checkout, Control, ReadLimits, WalkOptions, read_text};

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let checkout = Checkout::discover(folder)?;
    let control = Control::new();
    let limits = ReadLimits::default();
    let walk = checkout.walk(&WalkOptions::default(), &control)?;
    let (mut files, mut total) = (0, 0);
    let mapped = walk.map(
        &control,
        || (),
        |(), file| Ok(Some(read_text(file, &limits)?.text.lines().count())),
        |file, lines| {
            println!("{lines:8} {file}");
            files += 1;
            total += lines;
            ControlFlow::Continue(())
        },
    )?;
    println!("{total:8} lines in {files} files; {}", mapped.tally);
    Ok(())
}
