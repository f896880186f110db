//! Find a code shape written as code, and rewrite it.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod constraint;
mod dialect;
mod document;
mod explain;
mod filter;
mod indent;
mod ladder;
mod layout;
mod loss;
mod macros;
mod metavariable;
mod nesting;
mod node_query;
mod pattern;
mod render;
mod rewrite;
mod rung;
mod scaffold;
mod search;
mod settle;
mod shape;
mod solver;
mod spelling;
mod template;
mod tree;
mod unparsable;
mod vanish;

pub use constraint::{Condition, ConditionError, Search, UnknownKind};
pub use explain::{NearMiss, Reason};
pub use ladder::Refusal;
pub use loss::{Loss, LossKind};
pub use metavariable::{Arity, Variable};
pub use node_query::NodeQuery;
pub use pattern::{Options, Pattern, Reading};
pub use rewrite::{Broken, Edit, RewriteError, RewriteOptions, Rewritten, Site, rewrite};
pub use rung::{Rung, UnknownRung};
pub use search::{Found, Match};
pub use template::{Template, TemplateError};
pub use tree::Capture;
pub use unparsable::Unparsable;
