//! The program as a person or a script runs it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that fails may panic"
)]

mod debug;
mod errors;
mod graph;
mod grep;
mod guides;
mod help;
mod lsp;
mod mcp;
mod project;
mod readme;
mod rewrite;
mod serve;
mod tour;
mod write;
