//! The facade on real checkouts.

mod bad_input;
mod config;
mod edit;
mod explain;
mod grep;
mod project;
mod resolve;
mod tools;
