//! The program as a person or a script runs it.

mod errors;
mod grep;
mod help;
mod project;
mod readme;
mod rewrite;
mod tour;
