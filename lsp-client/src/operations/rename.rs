//! Whether something can be renamed.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::Span;
use crate::lens::{Lens, flag, range, text};
use crate::position::Range;

/// What would be renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Renamable {
    /// The name that stands there; `None` when the server only says that it can be renamed.
    pub span: Option<Span>,
    /// The name as it would be edited, when it is not what stands there.
    pub placeholder: Option<String>,
}

impl Renamable {
    /// Reads a range, a range with a placeholder, or `defaultBehavior`; `None` when nothing there
    /// can be renamed.
    pub(crate) fn read(answer: &Value, path: &Path, lens: &mut Lens) -> Option<Renamable> {
        let at = Range::deserialize(answer)
            .ok()
            .or_else(|| range(answer, "range"));
        if at.is_none() && !flag(answer, "defaultBehavior") {
            return None;
        }
        Some(Renamable {
            span: at.map(|at| lens.span(path, at)),
            placeholder: text(answer, "placeholder"),
        })
    }
}
