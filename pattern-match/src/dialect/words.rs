//! Languages in which lines and words carry the structure.

use super::{Dialect, NAME, at, indented};
use crate::rung::Rung::*;

pub(super) static PYTHON: Dialect = Dialect {
    scaffolds: &[
        at(Statement, "", "\n"),
        at(Expression, "x = ", "\n"),
        at(Type, "x: ", "\n"),
        at(Parameter, "def f(", "): pass\n"),
        at(Argument, "f(", ")\n"),
        at(Pair, "x = {", "}\n"),
        indented(Arm, "match x:\n", "\n"),
        at(Clause, "try:\n    pass\n", "\n"),
        at(Clause, "if x:\n    pass\n", "\n"),
        at(ImportItem, "from a import (", ")\n"),
        at(Decorator, "", "\nclass C: pass\n"),
    ],
    ones: &[NAME],
    lone: &[],
    guess: None,
};

/// A language whose only rung is a whole file.
pub(super) static PLAIN: Dialect = Dialect {
    scaffolds: &[at(TopLevel, "", "\n")],
    ones: &[NAME],
    lone: &[],
    guess: None,
};
