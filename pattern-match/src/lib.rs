//! Find a code shape written as code, and rewrite it.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod dialect;
mod document;
mod filter;
mod ladder;
mod macros;
mod metavariable;
mod pattern;
mod rung;
mod scaffold;
mod search;
mod shape;
mod solver;
mod tree;
mod unparsable;

pub use ladder::Refusal;
pub use metavariable::{Arity, Variable};
pub use pattern::{Options, Pattern, Reading};
pub use rung::{Rung, UnknownRung};
pub use search::{Found, Match};
pub use tree::Capture;
pub use unparsable::Unparsable;
