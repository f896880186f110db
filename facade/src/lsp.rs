//! The tool `lsp`: questions to the language servers, and changes that they propose, staged.
//!
//! `ask` finds out who can answer and asks, `actions` what they offer to do, `servers` who there is,
//! `mention` where a name stands, `reach` what a rename leaves out; `stage` turns a proposed change into a stage; `text` says what came
//! of it in words.

mod actions;
mod ask;
mod mention;
mod reach;
mod request;
mod result;
mod servers;
mod stage;
mod text;

pub(crate) use actions::Listing;
pub use request::{LspAction, LspRequest};
pub use result::{ActionInfo, LspPlace, LspResult, LspSymbol, ServerInfo};
pub(crate) use servers::states;
pub(crate) use text::lsp as said;
