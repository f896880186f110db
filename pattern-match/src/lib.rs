//! Find a code shape written as code, and rewrite it.
#![warn(missing_docs)]
