//! What is in a checkout and what depends on it, without types and without a server.
//!
//! Every file is read once for its [facts], which depend on nothing but its bytes; what the facts
//! name is [linked](link) to what it means, each edge with how surely it is known; the [index] keeps
//! both on disk and as fresh as the files; the [graph](mod@graph) is asked by [query].
//!
//! ```
//! use fourfold_code_graph::index::{Cache, Index, IndexConfig};
//! use fourfold_code_graph::query::{CallRequest, Inquiry, Outcome};
//! use fourfold_worktree::{Checkout, Control};
//! use std::sync::Arc;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A checkout of two files.
//! let folder = tempfile::tempdir()?;
//! std::fs::write(
//!     folder.path().join("shop.py"),
//!     "class Cart:\n    def add(self, item):\n        pass\n",
//! )?;
//! std::fs::write(
//!     folder.path().join("main.py"),
//!     "from shop import Cart\n\ndef fill(cart: Cart, log):\n    cart.add(1)\n    log.add(2)\n",
//! )?;
//!
//! // Its index, here in memory only.
//! let checkout = Checkout::open(folder.path())?;
//! let config = IndexConfig { cache: Cache::Memory, ..IndexConfig::default() };
//! let index = Index::open(&checkout, config);
//!
//! // Who calls `Cart.add`? Lines of code are read from the files as they are now.
//! let reader = |path: &str| -> Option<Arc<str>> {
//!     std::fs::read_to_string(folder.path().join(path)).ok().map(Arc::from)
//! };
//! let (answer, freshness) = index.answer(&Control::new(), |view| {
//!     let inquiry = Inquiry { graph: &view.graph, coverage: &view.coverage, reader: &reader };
//!     let answer = inquiry.callers(&CallRequest::named("Cart.add"));
//!     let paths = answer.paths();
//!     (answer, paths)
//! })?;
//! assert_eq!(answer.outcome, Outcome::Answered);
//! assert!(freshness.current);
//! assert_eq!(
//!     answer.to_string(),
//!     "\
//! 1 caller of method `Cart.add` (shop.py:2) in 1 place
//! callers: 1
//! main.py
//!   3 function fill  [typed]
//!     4: cart.add(1)
//! note: 1 unresolved use of `add` elsewhere could be more: main.py:5
//! coverage: 2 of 2 files
//! "
//! );
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod error;
pub mod export;
pub mod extract;
pub mod facts;
pub mod graph;
pub mod index;
pub mod link;
pub mod query;

pub use error::Error;

/// The examples of the README.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
