//! The integration tests of the code graph.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../../fuzz/checks.rs"]
mod checks;
mod golden;
mod index;
mod reported;
mod users;
mod values;
