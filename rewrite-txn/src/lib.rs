//! Change many files at once: staged, verified, committed all or nothing.
#![warn(missing_docs)]
