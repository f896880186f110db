//! Real processes, and what is left of them. Nextest runs each test in a process of its own, which
//! some of them need: they count descriptors, children and memory.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod ends;
mod errors;
mod limits;
mod runtimes;
mod start;
mod stderr;
mod support;
mod unguarded;
