//! The integration tests of the code graph.

mod golden {
    mod ecma;
}
mod index;
