//! The integration tests of the code graph.

#[path = "../../fuzz/checks.rs"]
mod checks;
mod golden;
mod index;
