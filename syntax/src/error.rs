//! The one error type of the crate.

use crate::language::Language;
use crate::nearest::alike;

/// Why a language could not be named, a text not be parsed or a query not be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No row of the language table has this name.
    #[error("no language is called `{given}`; {}", instead(given, nearest))]
    UnknownLanguage {
        /// The name as it was given.
        given: String,
        /// The known name with the smallest edit distance.
        nearest: &'static str,
    },
    /// The language is known, but its grammar was left out of this build.
    #[error("{language} is not compiled into this build; build with the Cargo feature `{feature}`")]
    LanguageNotCompiledIn {
        /// The language's id.
        language: &'static str,
        /// The feature of this crate that compiles it in.
        feature: &'static str,
    },
    /// The text is larger than [`ParseLimits::max_bytes`](crate::ParseLimits::max_bytes).
    #[error(
        "not parsed: {bytes} bytes is over the limit of {limit}; raise the size limit to include it"
    )]
    TooLarge {
        /// Size of the text in bytes.
        bytes: usize,
        /// The limit in force.
        limit: usize,
    },
    /// Parsing was stopped after [`ParseLimits::max_time`](crate::ParseLimits::max_time).
    #[error(
        "not parsed: the parser needed more than {limit_ms} ms; raise the time limit to include it"
    )]
    TooSlow {
        /// The limit in force, in milliseconds.
        limit_ms: u128,
    },
    /// The caller asked for an end.
    #[error("not parsed: the work was cancelled; start it again to have it done")]
    Cancelled,
    /// The text has a shape that would make the grammar's scanner end the process.
    #[error(
        "not parsed: {reason}, more than the {language} grammar can take; leave this file out or flatten it"
    )]
    BeyondGrammar {
        /// The language's name.
        language: &'static str,
        /// What was seen in the text.
        reason: &'static str,
    },
    /// A thread with a large enough stack could not be started.
    #[error(
        "not parsed: no parser thread could be started ({reason}); free memory or threads and try again"
    )]
    NoThread {
        /// What the operating system said.
        reason: String,
    },
    /// The grammar and the tree-sitter runtime of this build do not fit together.
    #[error(
        "not parsed: the {language} grammar does not fit this build's tree-sitter ({reason}); rebuild with the versions of the lock file"
    )]
    BadGrammar {
        /// The language's name.
        language: &'static str,
        /// What tree-sitter said.
        reason: String,
    },
    /// A tree-sitter query does not compile for its language.
    #[error("the query does not compile for {language}, line {} column {}: {message}", row + 1, column + 1)]
    BadQuery {
        /// The language's name.
        language: &'static str,
        /// The row of the mistake in the query text, counted from 0.
        row: usize,
        /// The byte column of the mistake in its row, counted from 0.
        column: usize,
        /// What is wrong and, for an unknown node kind or field, the nearest known one.
        message: String,
    },
    /// Bytes that are no file summary of this version, or not an intact one.
    #[error("the stored file summary cannot be used: {reason}; compute it again from the file")]
    BadSummary {
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// The language that was probably meant, else all that there are.
fn instead(given: &str, nearest: &str) -> String {
    match alike(given, nearest) {
        true => format!("the nearest is `{nearest}`"),
        false => {
            let known: Vec<&str> = Language::all().map(Language::id).collect();
            format!("the languages are {}", known.join(", "))
        }
    }
}
