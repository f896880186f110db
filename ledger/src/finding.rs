//! One diagnostic as the ledger sees it.

use std::fmt;

/// How bad a finding is. The most severe orders first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It does not build, or will not run.
    Error,
    /// It builds, and is probably wrong.
    Warning,
    /// Worth knowing.
    Information,
    /// A suggestion, such as text that an editor shows faded.
    Hint,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        })
    }
}

/// One diagnostic of one document, reduced to what decides whether it is news.
///
/// Severity, code and message are its identity. Line and column only choose which of several equal
/// findings is shown, and tell a finding that was sent twice from one that exists twice.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The producer's code as text, so that the number 2304 and the text "2304" are one code.
    pub code: Option<String>,
    /// The message as it was sent.
    pub message: String,
    /// The line it starts on. Any base will do, as long as the edited lines are counted alike.
    pub line: u32,
    /// The column it starts on; 0 when that is not known.
    pub column: u32,
    /// Whether this is a syntax error. A set that holds one is [`Masked`](crate::Evidence::Masked),
    /// and syntax errors are listed first.
    pub syntax: bool,
}

impl Finding {
    /// A finding without a code, in column 0, that is no syntax error.
    pub fn new(severity: Severity, message: impl Into<String>, line: u32) -> Self {
        Self {
            severity,
            code: None,
            message: message.into(),
            line,
            column: 0,
            syntax: false,
        }
    }

    /// The same finding with a code; numbers and strings are taken by their text.
    #[must_use]
    pub fn with_code(mut self, code: impl ToString) -> Self {
        self.code = Some(code.to_string());
        self
    }

    /// The same finding at a column. Two equal findings on one line are two only when their columns
    /// differ.
    #[must_use]
    pub fn at_column(mut self, column: u32) -> Self {
        self.column = column;
        self
    }

    /// The same finding, marked as a syntax error.
    #[must_use]
    pub fn as_syntax(mut self) -> Self {
        self.syntax = true;
        self
    }
}

/// How many findings, by severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Informations.
    pub information: usize,
    /// Hints.
    pub hints: usize,
}

impl Counts {
    /// All severities together.
    #[must_use]
    pub fn total(&self) -> usize {
        self.errors + self.warnings + self.information + self.hints
    }

    pub(crate) fn add(&mut self, severity: Severity, many: u32) {
        let place = match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Information => &mut self.information,
            Severity::Hint => &mut self.hints,
        };
        *place = place.saturating_add(many as usize);
    }
}
