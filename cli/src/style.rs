//! Colours, and whether there are any.

use std::env;
use std::fmt::{self, Display};

use crate::args::When;

/// How something is shown when colours are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// A path.
    Path,
    /// A line or column.
    Place,
    /// What was found.
    Match,
    /// What matters less.
    Dim,
    /// A heading.
    Bold,
    /// A line that comes.
    Added,
    /// A line that goes.
    Removed,
    /// What a person should look at.
    Warning,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Paint::Path => "\x1b[35m",
            Paint::Place => "\x1b[32m",
            Paint::Match => "\x1b[1;31m",
            Paint::Dim => "\x1b[2m",
            Paint::Bold => "\x1b[1m",
            Paint::Added => "\x1b[32m",
            Paint::Removed => "\x1b[31m",
            Paint::Warning => "\x1b[33m",
        }
    }
}

/// Whether to colour one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    on: bool,
}

impl Style {
    /// For a stream that is, or is not, a terminal.
    pub(crate) fn new(when: When, is_terminal: bool) -> Style {
        let on = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => {
                let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                is_terminal && !refused && env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        };
        Style { on }
    }

    pub(crate) fn is_on(self) -> bool {
        self.on
    }

    /// The text as it is to be written.
    pub(crate) fn paint<T: Display>(self, paint: Paint, text: T) -> Painted<T> {
        Painted {
            code: self.on.then(|| paint.code()),
            text,
        }
    }
}

/// A text with its colour around it, if there is any.
#[derive(Debug)]
pub(crate) struct Painted<T> {
    code: Option<&'static str>,
    text: T,
}

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "{code}{}\x1b[0m", self.text),
            None => self.text.fmt(f),
        }
    }
}
