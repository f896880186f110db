//! What the tests of the workspace share: projects on disk, a language server or debug adapter that
//! does what a script says, the way to real ones, and a look at what processes are left.
//!
//! - [`Project`] is a temporary checkout of some files.
//! - [`Script`] says how a server or an adapter behaves, good or bad; [`Fake`] plays it over pipes in memory, on
//!   whatever clock the test has; [`FakeProgram`] is the same as a program with real pipes.
//! - [`servers`] finds the real servers that `cargo xtask servers` installs, [`adapters`] the real
//!   debug adapters of `cargo xtask adapters`.
//! - [`Scenario`] is a story of writes, with what must be reported after each.
//! - [`leftovers`] finds processes that outlived their test.
//! - [`program`] finds the programs of the workspace, built when they are older than their sources.
//!
//! It panics where a test would: what is missing here is a failed test, not a condition to handle.
#![warn(missing_docs)]
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "only tests use it: a panic is a failed test"
)]

pub mod adapters;
pub mod leftovers;
pub mod program;
pub mod servers;

mod fake;
mod log;
mod problems;
mod project;
mod scenario;
mod script;
mod serve;

pub use fake::{Fake, FakeProgram};
pub use log::Log;
pub use project::Project;
pub use scenario::{Expected, Place, Scenario, Seen, Write, fresh};
pub use script::{Rule, Script, Step, Style};
pub use serve::{listen, serve};
