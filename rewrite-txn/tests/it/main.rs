//! The crate from outside: what a caller sees on a real file system.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod commit;
mod diff;
mod paths;
mod store;
mod tree;
