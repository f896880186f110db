//! The client against servers: scripted ones that behave badly, and real ones that are installed by
//! `cargo xtask servers`.
// Leftovers are looked for in /proc.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::print_stdout,
    reason = "shown when a test fails: what happened until then"
)]

mod faults;
mod real;

/// The memory that this process takes, if that says something: it does when a test has a process of
/// its own, as with nextest.
fn our_memory() -> Option<u64> {
    std::env::var_os("NEXTEST")?;
    let us = fourfold_testkit::leftovers::Process {
        pid: std::process::id(),
        command: String::new(),
    };
    Some(fourfold_testkit::leftovers::resident(&[us]))
}
