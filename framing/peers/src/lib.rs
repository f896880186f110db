//! The decoder beside the published readers of the same framing, and beside `memcpy` of the same
//! bytes in the same chunks, which is the physical limit.
//!
//! `cargo xtask bench framing` prints the table of `RESULTS.md`; `cargo bench` in this folder runs the
//! same readers under criterion, to compare one day with another.
#![forbid(unsafe_code)]

pub mod readers;
pub mod stream;
