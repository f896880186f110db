//! The bench harness of Fourfold: real projects, the peer beside us, one table.
//!
//! - [`corpora`] brings real projects from the package registries into a cache folder.
//! - [`tools`] knows the two programs that are compared, and how each is asked the same question.
//! - [`measure`] runs a program in a small process of its own and tells its CPU seconds and peak
//!   memory.
//! - [`mod@matches`] reads what either program printed and compares the two sets.
//! - [`patterns`] and [`fragments`] read the questions (`data/`).
//! - [`report`] makes tables and medians.
//!
//! The binaries: `peers` (speed, memory and differences), `graph` (the code graph beside another
//! one), `host` (the MCP server as its host sees it), `fragments` (found as meant), `corpora` (fetch
//! and sizes only).
//!
//! ```
//! use fourfold_benches::{patterns, report};
//!
//! let questions = patterns::all().unwrap();
//! assert!(questions.iter().any(|q| q.language == "rust" && q.specific));
//! assert_eq!(report::median(&[3.0, 1.0, 2.0]), 2.0);
//! ```
//!
//! # Limits
//! Unix only (resource usage of a child). Package clients (`cargo`, `npm`, `pip`, `apt-get`) must be
//! set up on the machine; a source whose client is missing is left out and named.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod corpora;
pub mod fragments;
pub mod matches;
pub mod measure;
pub mod patterns;
pub mod report;
pub mod tools;
