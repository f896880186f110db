//! The client against servers: scripted ones that behave badly, and real ones that are installed by
//! `cargo xtask servers`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod real;
