//! The integration tests of the code graph.

mod golden;
mod index;
