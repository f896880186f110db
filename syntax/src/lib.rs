//! One tree-sitter setup: which language a file is in, its syntax tree, and queries over it.
//!
//! Everything that reads source code stands on this crate, so that there is one set of grammars
//! and one answer to what a call expression is.
//!
//! * [`Language`] is a handle into the language table: ids, extensions, file names, `#!` lines and
//!   the grammar. Each grammar is a Cargo feature; a language that was left out has no handle, and
//!   asking for it names the feature.
//! * [`Parser`] parses within [`ParseLimits`] and never overflows the caller's stack
//!   ([`stack`] tells how); [`with_parser`] lends one that is ready.
//! * [`TreeCache`] keeps trees by [`ContentHash`], [`QueryCache`] keeps compiled queries. Both are
//!   bounded and shared between threads.
//! * [`FileSummary`] says what a file cannot contain, so that it need not be parsed again.
//!
//! Trees, nodes and queries are tree-sitter's own types.
//!
//! ```
//! use fourfold_syntax::{Language, QueryCache, QueryCursor, StreamingIterator, TreeCache};
//! use std::path::Path;
//!
//! let text = "fn main() { greet(); }  fn greet() {}";
//! let language = Language::of_path(Path::new("src/main.rs")).expect("Rust is compiled in");
//! let trees = TreeCache::default();
//! let tree = trees.get_or_parse(language, text)?;
//!
//! let query = QueryCache::global().get(language, "(function_item name: (_) @name)")?;
//! let mut cursor = QueryCursor::new();
//! let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
//! let mut names = Vec::new();
//! while let Some(found) = matches.next() {
//!     for capture in found.captures() {
//!         names.push(&text[capture.node.byte_range()]);
//!     }
//! }
//! assert_eq!(names, ["main", "greet"]);
//! # Ok::<(), fourfold_syntax::Error>(())
//! ```
//!
//! # Limits
//!
//! * Texts are UTF-8, at most [`ParseLimits::max_bytes`] (8 MiB unless set, 1 GiB in any case).
//! * The time limit and cancellation are looked at between the parser's steps. They are
//!   milliseconds apart in ordinary texts, damaged ones included. In a text that consists of
//!   thousands of openers that nothing closes, the step at its end has been seen to take time and
//!   memory that grow with the square of the size: 9 KB of `a=>` read as C needed 5 s and 2.4 GB.
//!   Whoever parses texts of an attacker's choice does it in a process of its own.
//! * Stack is address space in proportion to the text: 64 MiB up to 510 KiB of text, 1 GiB for
//!   8 MiB. Only touched pages take memory.
//! * Three shapes that would make a grammar end the process are refused with
//!   [`Error::BeyondGrammar`]: YAML nested about 125 to 250 levels deep, Python indented at more
//!   than 380 different columns, a Ruby heredoc with a name of more than 255 bytes.
//! * A tree of a YAML text ends at the first syntax error; every other grammar goes on after it. A
//!   tree that is shorter than its text tells
//!   (`tree.root_node().end_byte() < text.trim_end().len()`).
//! * The JSON grammar reads `1e+3` as an error (`1e3` and `1e-3` are fine).
//! * A tree must be walked with a [`TreeCursor`], not by recursion: it can be as deep as its text
//!   is long. The depth of a cursor is linear to ask for; count it on the way.
//! * Sizes in the caches are estimates: 20 bytes of tree for a byte of text.
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
mod sound;
pub mod stack;
mod summary;

pub use cache::{CacheStats, TreeCache};
pub use content::ContentHash;
pub use error::Error;
pub use language::Language;
pub use nearest::{alike, nearest};
pub use parse::{ParseLimits, Parser, with_parser};
pub use query::QueryCache;
pub use sound::first_error;
pub use summary::FileSummary;
pub use tree_sitter::{Node, Query, QueryCursor, StreamingIterator, Tree, TreeCursor};
