//! What the ladder must know of each language: its scaffolds, and how a metavariable may be
//! written so that the grammar accepts it.

mod curly;
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
}

/// A metavariable written as a plain name.
pub(crate) const NAME: Form = Form {
    before: "",
    after: "",
    upper: false,
    digits: false,
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

/// The ladder of one language.
#[derive(Debug)]
pub(crate) struct Dialect {
    pub(crate) scaffolds: &'static [Scaffold],
    /// Ways to write a metavariable, the usual one first.
    pub(crate) ones: &'static [Form],
    /// Ways to write a `$$$` that stands alone in a body, tried before the usual ones.
    pub(crate) lone: &'static [Form],
    /// The way to write an occurrence that the text around it suggests.
    pub(crate) guess: Option<fn(&str, &Range<usize>) -> Option<Form>>,
}

impl Dialect {
    pub(crate) fn of(language: Language) -> &'static Dialect {
        match language.id() {
            "rust" => &systems::RUST,
            "go" => &systems::GO,
            "c" => &systems::C,
            "cpp" => &systems::CPP,
            "java" => &curly::JAVA,
            "dart" => &curly::DART,
            "javascript" | "jsx" => &web::JAVASCRIPT,
            "typescript" => &web::TYPESCRIPT,
            "tsx" => &web::TSX,
            "python" => &words::PYTHON,
            _ => &words::PLAIN,
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
    }
}

const fn indented(rung: Rung, before: &'static str, after: &'static str) -> Scaffold {
    Scaffold {
        rung,
        before,
        after,
        ends: &[],
        indent: "    ",
    }
}
