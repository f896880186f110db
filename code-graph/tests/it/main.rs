//! The integration tests of the code graph.

mod index;
