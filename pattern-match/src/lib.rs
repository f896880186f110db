//! Find a code shape written as code, and rewrite it.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod dialect;
mod document;
mod filter;
mod indent;
mod ladder;
mod layout;
mod loss;
mod macros;
mod metavariable;
mod nesting;
mod pattern;
mod render;
mod rewrite;
mod rung;
mod scaffold;
mod search;
mod settle;
mod shape;
mod solver;
mod template;
mod tree;
mod unparsable;
mod vanish;

pub use ladder::Refusal;
pub use loss::{Loss, LossKind};
pub use metavariable::{Arity, Variable};
pub use pattern::{Options, Pattern, Reading};
pub use rewrite::{Broken, Edit, RewriteError, RewriteOptions, Rewritten, Site, rewrite};
pub use rung::{Rung, UnknownRung};
pub use search::{Found, Match};
pub use template::{Template, TemplateError};
pub use tree::Capture;
pub use unparsable::Unparsable;
