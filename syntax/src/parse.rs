//! Guarded parsing: size and time limits.

use crate::{Error, Language};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tree_sitter::{ParseOptions, Tree};

/// How much one parse may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseLimits {
    /// Largest text in bytes; 8 MiB by default, because a tree costs about twenty times its text.
    pub max_bytes: usize,
    /// Longest time; 10 s by default, because error recovery on a damaged large file can be
    /// hundreds of times slower than parsing a sound one.
    pub max_time: Duration,
}

impl Default for ParseLimits {
    fn default() -> Self {
        ParseLimits {
            max_bytes: 8 << 20,
            max_time: Duration::from_secs(10),
        }
    }
}

/// A parser that is reused from text to text.
pub struct Parser {
    inner: tree_sitter::Parser,
    language: Option<Language>,
    limits: ParseLimits,
}

impl Parser {
    /// A parser with these limits.
    pub fn new(limits: ParseLimits) -> Parser {
        Parser {
            inner: tree_sitter::Parser::new(),
            language: None,
            limits,
        }
    }

    /// Parses a whole text.
    ///
    /// A text with syntax errors still has a tree; ask its root for
    /// [`has_error`](tree_sitter::Node::has_error).
    ///
    /// # Errors
    /// [`Error::TooLarge`] and [`Error::TooSlow`] when a limit is hit.
    pub fn parse(&mut self, language: Language, text: &str) -> Result<Tree, Error> {
        if text.len() > self.limits.max_bytes {
            return Err(Error::TooLarge {
                bytes: text.len(),
                limit: self.limits.max_bytes,
            });
        }
        if self.language != Some(language) {
            // Fails only for a grammar of an ABI that this runtime does not read, which the test
            // that loads every grammar rules out.
            let _ = self.inner.set_language(language.grammar());
            self.language = Some(language);
        }
        let started = Instant::now();
        let max_time = self.limits.max_time;
        let mut watch = |_: &tree_sitter::ParseState| {
            if started.elapsed() > max_time {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let options = ParseOptions::new().progress_callback(&mut watch);
        let bytes = text.as_bytes();
        let tree = self.inner.parse_with_options(
            &mut |at, _| bytes.get(at..).unwrap_or_default(),
            None,
            Some(options),
        );
        tree.ok_or_else(|| {
            self.inner.reset();
            Error::TooSlow {
                limit_ms: max_time.as_millis(),
            }
        })
    }
}

/// Runs `work` with this thread's parser, which keeps its memory from one text to the next.
pub fn with_parser<T>(work: impl FnOnce(&mut Parser) -> T) -> T {
    thread_local! {
        static PARSER: std::cell::RefCell<Option<Parser>> = const { std::cell::RefCell::new(None) };
    }
    let mut parser =
        PARSER.with(|slot| slot.take()).unwrap_or_else(|| Parser::new(ParseLimits::default()));
    let result = work(&mut parser);
    PARSER.with(|slot| slot.replace(Some(parser)));
    result
}
