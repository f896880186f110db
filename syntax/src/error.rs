//! The one error type of the crate.

/// Why a language could not be named or a text not be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No row of the language table has this name.
    #[error("no language is called `{given}`; the nearest is `{nearest}`")]
    UnknownLanguage {
        /// The name as it was given.
        given: String,
        /// The known id with the smallest edit distance.
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
    /// A thread with a large enough stack could not be started.
    #[error(
        "not parsed: no parser thread could be started ({reason}); free memory or threads and try again"
    )]
    NoThread {
        /// What the operating system said.
        reason: String,
    },
}
