//! Guarded parsing: size and time limits, cancellation, and enough stack.

use crate::{Error, Language, scanner_limits, stack};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tree_sitter::{InputEdit, ParseOptions, Point, Tree};

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

/// tree-sitter counts bytes in 32 bits and the stack of a parse is address space in proportion:
/// no limit can be set above 1 GiB.
const LARGEST: usize = 1 << 30;

/// What a parse may be stopped for, besides its time.
#[derive(Clone, Copy, Default)]
struct Watch<'a> {
    cancel: Option<&'a AtomicBool>,
    /// Stop at an error that no reading avoids, and note here that this was the reason.
    unsound: Option<&'a AtomicBool>,
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
    /// [`has_error`](tree_sitter::Node::has_error). A text over 6 KiB is parsed on a thread of its
    /// own unless the current thread is known to have a [big stack](crate::stack).
    ///
    /// # Errors
    /// [`Error::TooLarge`] and [`Error::TooSlow`] when a limit is hit, [`Error::BeyondGrammar`]
    /// when the grammar's scanner cannot take the text, [`Error::NoThread`] when the stack it
    /// needs is not to be had.
    pub fn parse(&mut self, language: Language, text: &str) -> Result<Tree, Error> {
        self.parse_until(language, text, None, Watch::default())
    }

    /// Parses a text that is only worth something without a syntax error; `None` when it has one.
    ///
    /// Most of the cost of a text that is no code of its language is recovering from that: this
    /// gives up soon after the first error that no reading of the text avoids.
    ///
    /// # Errors
    /// Those of [`parse`](Parser::parse).
    pub fn parse_sound(&mut self, language: Language, text: &str) -> Result<Option<Tree>, Error> {
        let gave_up = AtomicBool::new(false);
        let watch = Watch {
            cancel: None,
            unsound: Some(&gave_up),
        };
        match self.parse_until(language, text, None, watch) {
            Err(_) if gave_up.load(Ordering::Relaxed) => Ok(None),
            tree => tree.map(|tree| Some(tree).filter(|tree| !tree.root_node().has_error())),
        }
    }

    /// Parses a whole text like [`parse`](Parser::parse), giving up soon after `cancel` is set.
    ///
    /// # Errors
    /// Those of [`parse`](Parser::parse), and [`Error::Cancelled`].
    pub fn parse_with(
        &mut self,
        language: Language,
        text: &str,
        cancel: &AtomicBool,
    ) -> Result<Tree, Error> {
        self.parse_until(
            language,
            text,
            None,
            Watch {
                cancel: Some(cancel),
                unsound: None,
            },
        )
    }

    /// Parses a text that differs from another in one stretch, with what that one's tree tells of
    /// the rest: the same tree as [`parse`](Parser::parse) gives, for a small part of the cost.
    ///
    /// Where either text has a syntax error, or the grammar is one whose trees depend on how they came
    /// about, the whole text is parsed: what recovery makes of an error may depend on that as well.
    ///
    /// It gives up soon after `cancel` is set.
    ///
    /// # Errors
    /// Those of [`parse_with`](Parser::parse_with).
    pub fn reparse(
        &mut self,
        language: Language,
        text: &str,
        before: (&str, &Tree),
        cancel: &AtomicBool,
    ) -> Result<Tree, Error> {
        let (known, tree) = before;
        let exact = !INEXACT.contains(&language.id());
        if exact && *tree.language() == *language.grammar() && !tree.root_node().has_error() {
            let mut old = tree.clone();
            old.edit(&edit_between(known, text));
            let watch = Watch {
                cancel: Some(cancel),
                unsound: None,
            };
            let new = self.parse_until(language, text, Some(&old), watch)?;
            if !new.root_node().has_error() {
                return Ok(new);
            }
        }
        self.parse_with(language, text, cancel)
    }

    fn parse_until(
        &mut self,
        language: Language,
        text: &str,
        old: Option<&Tree>,
        watch: Watch<'_>,
    ) -> Result<Tree, Error> {
        let limit = self.limits.max_bytes.min(LARGEST);
        if text.len() > limit {
            return Err(Error::TooLarge {
                bytes: text.len(),
                limit,
            });
        }
        scanner_limits::check(language, text)?;
        if self.language != Some(language) {
            self.inner
                .set_language(language.grammar())
                .map_err(|error| Error::BadGrammar {
                    language: language.name(),
                    reason: error.to_string(),
                })?;
            self.language = Some(language);
        }
        stack::with_stack(stack::needed_for(text.len()), || self.run(text, old, watch))?
    }

    /// Parses on the current stack, which is large enough.
    fn run(&mut self, text: &str, old: Option<&Tree>, watch: Watch<'_>) -> Result<Tree, Error> {
        let started = Instant::now();
        let max_time = self.limits.max_time;
        let cancelled = || {
            watch
                .cancel
                .is_some_and(|flag| flag.load(Ordering::Relaxed))
        };
        if cancelled() {
            return Err(Error::Cancelled);
        }
        let mut progress = |state: &tree_sitter::ParseState| {
            let unsound = watch.unsound.filter(|_| state.has_error());
            if let Some(gave_up) = unsound {
                gave_up.store(true, Ordering::Relaxed);
            }
            if unsound.is_some() || cancelled() || started.elapsed() > max_time {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let bytes = text.as_bytes();
        let tree = self.inner.parse_with_options(
            &mut |at, _| bytes.get(at..).unwrap_or_default(),
            old,
            Some(options),
        );
        tree.ok_or_else(|| {
            // Frees the unfinished parse here, where the stack is large enough for that as well.
            self.inner.reset();
            if cancelled() {
                Error::Cancelled
            } else {
                Error::TooSlow {
                    limit_ms: max_time.as_millis(),
                }
            }
        })
    }
}

/// Grammars that may make another tree of a text when they have seen another before: of 6,000 sound
/// edits of each grammar's snippet (`FOURFOLD_LONG`), only those of Swift once did.
const INEXACT: [&str; 1] = ["swift"];

/// The one edit that makes `new` of `old`.
fn edit_between(old: &str, new: &str) -> InputEdit {
    let same = |(a, b): &(u8, u8)| a == b;
    let ahead = old.bytes().zip(new.bytes()).take_while(same).count();
    let start = old.floor_char_boundary(ahead);
    let behind = old[start..].bytes().rev().zip(new[start..].bytes().rev());
    let behind = behind.take_while(same).count();
    let old_end = old.ceil_char_boundary(old.len() - behind);
    let new_end = new.len() - (old.len() - old_end);
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point_at(old, start),
        old_end_position: point_at(old, old_end),
        new_end_position: point_at(new, new_end),
    }
}

/// The row of a place and its column in bytes.
fn point_at(text: &str, at: usize) -> Point {
    let before = &text.as_bytes()[..at];
    let begin = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    Point::new(memchr::memchr_iter(b'\n', before).count(), at - begin)
}

thread_local! {
    static POOLED: Cell<Option<Parser>> = const { Cell::new(None) };
}

/// Lends the current thread's own parser, with these limits.
///
/// Making a parser and giving it a language costs more than parsing a short fragment: whoever
/// parses many of them keeps a parser or borrows this one. A closure that borrows again while it
/// still holds the parser gets a fresh one.
///
/// ```
/// use fourfold_syntax::{Language, ParseLimits, with_parser};
///
/// let rust = Language::named("rust")?;
/// let tree = with_parser(ParseLimits::default(), |parser| parser.parse(rust, "a + b"))?;
/// assert!(tree.root_node().has_error()); // an expression is no Rust file
/// # Ok::<(), fourfold_syntax::Error>(())
/// ```
pub fn with_parser<R>(limits: ParseLimits, work: impl FnOnce(&mut Parser) -> R) -> R {
    let mut parser = POOLED.take().unwrap_or_else(|| Parser::new(limits));
    parser.limits = limits;
    let result = work(&mut parser);
    POOLED.set(Some(parser));
    result
}
