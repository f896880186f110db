//! The guard process, for hosts that cannot become one themselves. Not started by people.
#![allow(clippy::print_stderr, reason = "started by hand, it says what it is")]

use std::process::ExitCode;

fn main() -> ExitCode {
    fourfold_child::guard::enter();
    eprintln!(
        "fourfold-guard: this program is started by a host, to end a child process and all that it \
         started when the host goes away; there is nothing to do with it by hand"
    );
    ExitCode::from(2)
}
