//! The facade on real checkouts.
#![allow(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod bad_input;
mod config;
mod edit;
mod explain;
mod grep;
mod project;
mod resolve;
mod tools;
