//! Fails when a process is left that inherited a variable: `fourfold-leftovers NAME VALUE`, run after
//! all tests, which had it in their environment.
#![forbid(unsafe_code)]
#![allow(clippy::print_stderr, reason = "a command-line program")]

use std::process::ExitCode;

use fourfold_testkit::leftovers;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (Some(name), Some(value)) = (args.next(), args.next()) else {
        eprintln!("usage: fourfold-leftovers NAME VALUE");
        return ExitCode::from(2);
    };
    let left = leftovers::after_a_while(|| leftovers::that_inherited(&name, &value));
    for process in &left {
        eprintln!(
            "error: process {} was left behind: {}",
            process.pid, process.command
        );
    }
    ExitCode::from(u8::from(!left.is_empty()))
}
