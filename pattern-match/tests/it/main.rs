//! Integration tests of the matcher, on real grammars.

mod conformance;
mod constraints;
mod rewrite;
