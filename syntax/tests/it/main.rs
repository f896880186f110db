//! The crate from outside. The tests adapt to the languages that are compiled in; all of them are
//! with `--features all`.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

mod caches;
mod nesting;
mod queries;
mod readme;
mod reparse;
mod snippets;
mod table;

use fourfold_syntax::{Error, Language, ParseLimits, Tree, with_parser};

fn parse(language: Language, text: &str) -> Result<Tree, Error> {
    with_parser(ParseLimits::default(), |parser| {
        parser.parse(language, text)
    })
}
