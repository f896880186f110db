//! Integration tests of the matcher and the rewriter, on real grammars.
#![allow(clippy::unwrap_used, reason = "a test ends where its set-up fails")]

mod bounds;
mod conformance;
mod constraints;
mod corpora;
mod itself;
mod oracle;
mod rewrite;
mod rewrite_properties;
mod rungs;
mod table;
mod traps;
