//! The graph in the forms that other programs read.
//!
//! | form | for |
//! | --- | --- |
//! | [`json_lines`] | anything: every node and edge, one JSON object a line |
//! | [`call_edges`] | a scorer: calls as pairs of definitions |
//! | [`drawing`] | a look at a neighbourhood: DOT or Mermaid |
//! | [`scip`] | a code search that serves many checkouts |
//!
//! All of them write in the order of nodes, so that equal checkouts give equal bytes.

mod draw;
mod lines;
mod scip;
#[cfg(test)]
mod tests;

pub use draw::{Drawing, drawing};
pub use lines::{call_edges, json_lines};
pub use scip::scip;
