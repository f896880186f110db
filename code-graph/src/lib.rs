//! What is in a checkout and what depends on it, without types and without a server.
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
