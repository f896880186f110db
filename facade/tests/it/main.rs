//! The facade on real checkouts.
#![allow(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod bad_input;
mod cancel;
mod code;
mod config;
mod confined;
mod debug;
mod explain;
mod faults;
mod grep;
mod policy;
mod project;
mod proposed;
mod real;
mod resolve;
mod rewrite;
mod scripted;
mod served;
mod servers;
mod tools;
mod worktrees;
mod write;
