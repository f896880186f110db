//! Integration tests of the matcher, on real grammars.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod conformance;
mod constraints;
mod rewrite;
mod rungs;
mod table;
mod traps;
