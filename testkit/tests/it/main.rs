//! The scripted server, over pipes in memory and as a program.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adapter;
mod fake;
mod processes;
