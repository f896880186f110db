//! What a server says is wrong, in our own terms.

use std::path::PathBuf;

/// A problem in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Where it is.
    pub span: Span,
    /// How bad it is; a server that does not say means an error.
    pub severity: Severity,
    /// Its code as text; a number is written out, an object is looked into for its `value`.
    pub code: Option<String>,
    /// Which part of the server says so, such as `rustc`.
    pub source: Option<String>,
    /// What is wrong.
    pub message: String,
    /// Whether the code it marks is unneeded or deprecated.
    pub tags: Vec<Tag>,
    /// Other places that belong to it.
    pub related: Vec<Related>,
    /// The message of the compiler that it was made of, as the compiler prints it, where the server
    /// passes that on, as rust-analyzer does. What a compiler tells of several places becomes a
    /// diagnostic for each of them: those have the same text here, and no other has it.
    pub rendered: Option<String>,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It does not work.
    Error,
    /// It probably does not do what was meant.
    Warning,
    /// Worth knowing.
    Information,
    /// Something an editor greys out.
    Hint,
}

/// What kind of code a problem marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tag {
    /// Nobody uses it.
    Unnecessary,
    /// It should not be used.
    Deprecated,
}

/// A place that belongs to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Related {
    /// The file.
    pub path: PathBuf,
    /// Where in it.
    pub span: Span,
    /// What is there.
    pub message: String,
}

/// A place in a text: lines from 0, columns in bytes of the line's UTF-8 from 0. The end is
/// exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Where it begins.
    pub start: Point,
    /// Where it ends.
    pub end: Point,
}

/// A point in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// Line from 0.
    pub line: u32,
    /// Bytes of the line's UTF-8 before it.
    pub column: u32,
}
