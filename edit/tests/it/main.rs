//! The crate from outside: replacements, patches in both forms, places, line maps, properties.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "lists of ranges are compared"
)]
#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

#[path = "../../fuzz/checks.rs"]
mod checks;
mod corpus;
mod diffs;
mod encodings;
mod envelope;
mod line_map;
mod places;
mod properties;
mod replace;
mod unified;
