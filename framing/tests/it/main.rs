//! Integration tests: the table of cases, every split, properties, limits, front ends.

#[path = "../../fuzz/checks.rs"]
mod checks;

mod alloc;
mod cases;
mod corpus;
mod front;
mod limits;
mod props;
mod support;
