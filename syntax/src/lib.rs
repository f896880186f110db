//! One tree-sitter setup for the whole house.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod cache;
mod content;
mod error;
mod language;
mod lru;
mod nearest;
mod parse;
mod query;
mod scanner_limits;
pub mod stack;
mod summary;

pub use cache::{CacheStats, TreeCache};
pub use content::ContentHash;
pub use error::Error;
pub use language::Language;
pub use nearest::nearest;
pub use parse::{ParseLimits, Parser, with_parser};
pub use query::QueryCache;
pub use summary::FileSummary;
pub use tree_sitter::{Node, Query, QueryCursor, Tree, TreeCursor};
