//! The tools that change text: `write`, `edit`, `apply_patch`, and the one way to the disk.
//!
//! Each of them lets its paths in at the door, makes one stage of everything it was asked for, and
//! commits that as a whole. What is wrong with a request is collected over all its parts, and then
//! nothing is written.

mod apply_patch;
mod commit;
mod edit;
mod excerpt;
mod file;
mod request;
mod result;
mod text;
mod turn;
mod whole;

pub(crate) use commit::Unwritten;
pub use request::{ApplyPatchRequest, EditRequest, RawText, TextEdit, WriteRequest};
pub use result::{WriteAction, WriteResult, WrittenFile};
pub(crate) use text::written;
pub(crate) use turn::Turns;
