//! The ledger from outside: scenarios, messages, properties, storage, bounds.
#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

#[path = "../../fuzz/checks.rs"]
mod checks;

mod bounds;
mod messages;
mod properties;
mod scenarios;
mod script;
mod storage;
