//! How Python names modules and what its builtins give.

use super::eval::Eval;
use super::modules::Tree;
use super::rules::Rules;
use super::value::{FileId, Values};
use crate::facts::Import;

/// The rules of Python.
pub(crate) struct Python {}

impl Python {
    /// For the modules of a tree.
    pub(crate) fn new(_tree: &Tree) -> Python {
        Python {}
    }
}

impl Rules for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn import(&self, _eval: &mut Eval<'_>, _file: FileId, _import: &Import) -> Values {
        Values::none()
    }
}
