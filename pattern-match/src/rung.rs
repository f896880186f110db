//! The rungs of the ladder: the kinds of place that a fragment can stand in.

use std::fmt;
use std::str::FromStr;

/// One rung of the scaffold ladder: a kind of place in a program where a fragment may stand.
///
/// The order of the variants is the order in which the ladder is tried; the first rung that
/// accepts a fragment gives its *primary* reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rung {
    /// A statement, or a sequence of statements, in a body.
    Statement,
    /// An expression where a value is wanted.
    Expression,
    /// A member of a class, struct, trait, impl or the like.
    Member,
    /// A declaration or statement at the top of a file.
    TopLevel,
    /// A type.
    Type,
    /// A parameter of a function.
    Parameter,
    /// An argument of a call: named, keyword or spread.
    Argument,
    /// A key and its value.
    Pair,
    /// A match arm or case label.
    Arm,
    /// What a value is taken apart by: in a match arm, in `if let`, after `instanceof` or `is`.
    Pattern,
    /// A clause of a larger statement: `else`, `catch`, `except`, `elif`, `finally`.
    Clause,
    /// A member of an interface or protocol.
    InterfaceMember,
    /// A member of an enum.
    EnumMember,
    /// One item of an import or export list.
    ImportItem,
    /// A decorator, annotation or attribute, which a definition follows.
    Decorator,
    /// An attribute of a JSX or markup element.
    Attribute,
    /// Something between the tags of a JSX or markup element.
    Child,
    /// The opening tag of a JSX or markup element.
    OpeningTag,
    /// A whole markup element.
    Element,
    /// A selector of a style sheet.
    Selector,
    /// A value of a data language.
    Value,
}

impl Rung {
    /// Every rung, in ladder order.
    pub const ALL: [Rung; 21] = [
        Rung::Statement,
        Rung::Expression,
        Rung::Member,
        Rung::TopLevel,
        Rung::Type,
        Rung::Parameter,
        Rung::Argument,
        Rung::Pair,
        Rung::Arm,
        Rung::Pattern,
        Rung::Clause,
        Rung::InterfaceMember,
        Rung::EnumMember,
        Rung::ImportItem,
        Rung::Decorator,
        Rung::Attribute,
        Rung::Child,
        Rung::OpeningTag,
        Rung::Element,
        Rung::Selector,
        Rung::Value,
    ];

    /// The name used in options and output, such as `class-member`.
    pub fn name(self) -> &'static str {
        match self {
            Rung::Statement => "statement",
            Rung::Expression => "expression",
            Rung::Member => "class-member",
            Rung::TopLevel => "top-level",
            Rung::Type => "type",
            Rung::Parameter => "parameter",
            Rung::Argument => "argument",
            Rung::Pair => "pair",
            Rung::Arm => "arm",
            Rung::Pattern => "pattern",
            Rung::Clause => "clause",
            Rung::InterfaceMember => "interface-member",
            Rung::EnumMember => "enum-member",
            Rung::ImportItem => "import-item",
            Rung::Decorator => "decorator",
            Rung::Attribute => "attribute",
            Rung::Child => "child",
            Rung::OpeningTag => "opening-tag",
            Rung::Element => "element",
            Rung::Selector => "selector",
            Rung::Value => "value",
        }
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A rung name that is not in the table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no rung is called `{given}`; the rungs are {}", Rung::ALL.map(Rung::name).join(", "))]
pub struct UnknownRung {
    /// The name as it was given.
    pub given: String,
}

impl FromStr for Rung {
    type Err = UnknownRung;

    fn from_str(given: &str) -> Result<Rung, UnknownRung> {
        Rung::ALL
            .into_iter()
            .find(|rung| rung.name() == given)
            .ok_or_else(|| UnknownRung {
                given: given.to_owned(),
            })
    }
}
