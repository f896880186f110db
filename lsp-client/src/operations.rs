//! Requests to a server, typed.

mod action;
mod format;
mod hierarchy;
mod hint;
mod place;
mod rename;
mod symbol;

pub use action::CodeAction;
pub use format::Indentation;
pub use hierarchy::{Calls, Direction, HierarchyItem};
pub use hint::{Hover, InlayHint, InlayKind, Parameter, Signature, SignatureHelp};
pub use place::{Place, Places};
pub use rename::Renamable;
pub use symbol::{FoundSymbol, Symbol, SymbolKind};

#[cfg(test)]
mod tests;
