//! What the ladder must know of each language: its scaffolds, and how a metavariable may be
//! written so that the grammar accepts it.

mod curly;
mod data;
mod jvm;
mod systems;
mod web;
mod words;

use crate::rung::Rung;
use fourfold_syntax::Language;
use std::ops::Range;

/// A place for a fragment: the code before and after it.
#[derive(Debug)]
pub(crate) struct Scaffold {
    pub(crate) rung: Rung,
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    /// Terminators that may be appended to the fragment, tried after none.
    pub(crate) ends: &'static [&'static str],
    /// Put before every line of the fragment, in languages where indentation is structure.
    pub(crate) indent: &'static str,
    /// Which fragments the place is for, by the word they begin with.
    pub(crate) words: Words,
}

/// Which fragments a place is for, by the word they begin with. An `else` is no clause of its own
/// to a grammar that reads `else { .. }` after a statement as a call with a closure.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Words {
    Any,
    Only(&'static [&'static str]),
    Not(&'static [&'static str]),
    /// All fragments but those of the form `name: something`.
    Unkeyed,
}

impl Words {
    /// Whether a fragment with this text may stand in the place.
    pub(crate) fn admit(self, text: &str) -> bool {
        let starts = |word: &&str| {
            let next = text
                .strip_prefix(*word)
                .and_then(|rest| rest.chars().next());
            let glued = word.ends_with(crate::metavariable::is_word)
                && next.is_some_and(crate::metavariable::is_word);
            text.starts_with(*word) && !glued
        };
        match self {
            Words::Any => true,
            Words::Only(words) => words.iter().any(starts),
            Words::Not(words) => !words.iter().any(starts),
            Words::Unkeyed => !text.split_once(": ").is_some_and(|(key, _)| {
                key.chars()
                    .all(|c| crate::metavariable::is_word(c) || matches!(c, '$' | '-' | '"' | '\''))
            }),
        }
    }
}

/// One way to write a metavariable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    /// Begins with a capital, where the grammar tells names by their case.
    pub(crate) upper: bool,
    /// A number, where the grammar wants one.
    pub(crate) digits: bool,
    /// A word, where the grammar knows only certain ones.
    pub(crate) word: Option<&'static str>,
}

impl Form {
    /// Whether words stand around the name.
    pub(crate) fn is_statement(&self) -> bool {
        self.before.len() > 2 || self.after.len() > 2
    }
}

/// A metavariable written as a plain name.
pub(crate) const NAME: Form = Form {
    before: "",
    after: "",
    upper: false,
    digits: false,
    word: None,
};
/// A metavariable written as a capitalised name.
pub(crate) const UPPER: Form = Form {
    upper: true,
    ..NAME
};
/// A metavariable written as a number.
pub(crate) const DIGITS: Form = Form {
    digits: true,
    ..NAME
};

/// A metavariable with something around it.
pub(crate) const fn form(before: &'static str, after: &'static str) -> Form {
    Form {
        before,
        after,
        ..NAME
    }
}

/// Tells from a fragment and the place of an occurrence in it how to write that occurrence.
pub(crate) type Guess = fn(&str, &Range<usize>) -> Option<Form>;

/// The ladder of one language.
#[derive(Debug)]
pub(crate) struct Dialect {
    pub(crate) scaffolds: &'static [Scaffold],
    /// Ways to write a metavariable, the usual one first.
    pub(crate) ones: &'static [Form],
    /// Ways to write a `$$$` that stands alone in a body, tried before the usual ones.
    pub(crate) lone: &'static [Form],
    /// The way to write an occurrence that the text around it suggests.
    pub(crate) guess: Option<Guess>,
    /// Kinds of nodes in which statements stand in a row.
    pub(crate) bodies: &'static [&'static str],
    /// Words that are never the name of anything at the start of a fragment.
    pub(crate) reserved: &'static [&'static str],
}

impl Dialect {
    pub(crate) fn of(language: Language) -> &'static Dialect {
        match language.id() {
            "rust" => &systems::RUST,
            "go" => &systems::GO,
            "c" => &systems::C,
            "cpp" => &systems::CPP,
            "zig" => &systems::ZIG,
            "java" => &curly::JAVA,
            "dart" => &curly::DART,
            "csharp" => &curly::CSHARP,
            "kotlin" => &jvm::KOTLIN,
            "scala" => &jvm::SCALA,
            "swift" => &jvm::SWIFT,
            "typescript" => &web::TYPESCRIPT,
            "tsx" => &web::TSX,
            "php" => &web::PHP,
            "python" => &words::PYTHON,
            "ruby" => &words::RUBY,
            "lua" => &words::LUA,
            "bash" => &words::BASH,
            "elixir" => &words::ELIXIR,
            "haskell" => &words::HASKELL,
            "proto" => &data::PROTO,
            "html" => &data::HTML,
            "css" => &data::CSS,
            "json" => &data::JSON,
            "toml" => &data::TOML,
            "yaml" => &data::YAML,
            // JavaScript and JSX share a grammar.
            _ => &web::JAVASCRIPT,
        }
    }
}

const fn at(rung: Rung, before: &'static str, after: &'static str) -> Scaffold {
    Scaffold {
        rung,
        before,
        after,
        ends: &[],
        indent: "",
        words: Words::Any,
    }
}

const fn ending(
    rung: Rung,
    before: &'static str,
    after: &'static str,
    ends: &'static [&'static str],
) -> Scaffold {
    Scaffold {
        rung,
        before,
        after,
        ends,
        indent: "",
        words: Words::Any,
    }
}

const fn indented(rung: Rung, before: &'static str, after: &'static str) -> Scaffold {
    Scaffold {
        rung,
        before,
        after,
        ends: &[],
        indent: "    ",
        words: Words::Any,
    }
}

impl Scaffold {
    /// The same place for fragments that begin with one of these words alone.
    const fn only(self, words: &'static [&'static str]) -> Scaffold {
        Scaffold {
            words: Words::Only(words),
            ..self
        }
    }

    /// The same place for all fragments but those of the form `name: something`.
    const fn unkeyed(self) -> Scaffold {
        Scaffold {
            words: Words::Unkeyed,
            ..self
        }
    }

    /// The same place for all fragments but those that begin with one of these words.
    const fn but(self, words: &'static [&'static str]) -> Scaffold {
        Scaffold {
            words: Words::Not(words),
            ..self
        }
    }
}
