//! One tree-sitter setup for the whole house.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod error;
mod language;
mod parse;

pub use error::Error;
pub use language::Language;
pub use parse::{ParseLimits, Parser, with_parser};
pub use tree_sitter::{Node, Tree};
