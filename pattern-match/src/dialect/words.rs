//! Languages in which lines and words carry the structure.

use super::{Dialect, Form, NAME, UPPER, at, form, indented};
use crate::rung::Rung::*;
use std::ops::Range;

pub(super) static PYTHON: Dialect = Dialect {
    scaffolds: &[
        at(Statement, "", "\n"),
        at(Expression, "x = ", "\n"),
        at(Type, "x: ", "\n").unkeyed(),
        at(Parameter, "def f(", "): pass\n"),
        at(Argument, "f(", ")\n"),
        at(Pair, "x = {", "}\n"),
        indented(Arm, "match x:\n", "\n"),
        at(Pattern, "match x:\n    case ", ":\n        pass\n"),
        at(Clause, "try:\n    pass\n", "\n").only(&["except", "else", "finally"]),
        at(Clause, "if x:\n    pass\n", "\n").only(&["elif", "else"]),
        at(ImportItem, "from a import (", ")\n"),
        at(Decorator, "", "\nclass C: pass\n").only(&["@"]),
    ],
    ones: &[NAME],
    lone: &[],
    guess: None,
    bodies: &["block", "module"],
    reserved: &[
        "if", "elif", "else", "for", "while", "return", "try", "except", "finally", "class", "def",
        "import", "from", "raise", "with", "lambda", "assert", "del", "global",
    ],
};

/// The word before a place, and what follows it.
fn around<'t>(text: &'t str, range: &Range<usize>) -> (&'t str, &'t str, &'t str) {
    let before = text[..range.start].trim_end();
    let word = before
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()
        .unwrap_or_default();
    (before, word, text[range.end..].trim_start())
}

/// Ruby tells constants by their capital.
fn ruby_guess(text: &str, range: &Range<usize>) -> Option<Form> {
    let (before, word, after) = around(text, range);
    let constant = matches!(word, "class" | "module" | "rescue")
        || before.ends_with("::") && !after.starts_with('(')
        || after.starts_with("::")
        || before.ends_with('<') && before.trim_start().starts_with("class");
    constant.then_some(UPPER)
}

pub(super) static RUBY: Dialect = Dialect {
    scaffolds: &[
        at(Statement, "def f\n", "\nend\n"),
        at(Expression, "x = ", "\n"),
        at(Member, "class C\n", "\nend\n"),
        at(TopLevel, "", "\n"),
        at(Parameter, "def f(", ")\nend\n"),
        at(Argument, "f(", ")\n"),
        at(Pair, "x = { ", " }\n"),
        at(Arm, "case x\n", "\nend\n"),
        at(Pattern, "case x\nin ", "\n  y\nend\n"),
        at(Clause, "begin\n  x\n", "\nend\n").only(&["rescue", "else", "ensure"]),
        at(Clause, "if x\n  y\n", "\nend\n").only(&["elsif", "else"]),
    ],
    ones: &[NAME, UPPER],
    lone: &[NAME, form("when ", " then x")],
    guess: Some(ruby_guess),
    bodies: &[
        "program",
        "body_statement",
        "then",
        "else",
        "do",
        "block_body",
        "begin",
        "ensure",
        "parenthesized_statements",
    ],
    reserved: &[
        "if", "elsif", "else", "unless", "for", "while", "until", "case", "when", "in", "return",
        "begin", "rescue", "ensure", "class", "module", "def", "yield",
    ],
};

pub(super) static LUA: Dialect = Dialect {
    scaffolds: &[
        at(Statement, "function f()\n", "\nend\n"),
        at(Expression, "x = ", "\n"),
        at(TopLevel, "", "\n"),
        at(Parameter, "function f(", ") end\n"),
        at(Argument, "f(", ")\n"),
        at(Pair, "x = { ", " }\n"),
        at(Clause, "if x then\n", "\nend\n").only(&["elseif", "else"]),
    ],
    ones: &[NAME],
    lone: &[form("", "()"), NAME],
    guess: None,
    bodies: &["chunk", "block"],
    reserved: &[
        "if", "elseif", "else", "for", "while", "repeat", "return", "function", "local", "goto",
        "do",
    ],
};

pub(super) static BASH: Dialect = Dialect {
    scaffolds: &[
        at(Statement, "f() {\n", "\n}\n"),
        at(TopLevel, "", "\n"),
        at(Argument, "f ", "\n"),
        at(Pair, "x=(", ")\n"),
        at(Arm, "case x in\n", "\nesac\n"),
        at(Clause, "if x; then\n  y\n", "\nfi\n").only(&["elif", "else"]),
    ],
    ones: &[NAME],
    lone: &[NAME, form("", ") x ;;")],
    guess: None,
    bodies: &[
        "program",
        "compound_statement",
        "do_group",
        "if_statement",
        "elif_clause",
        "else_clause",
        "case_item",
        "subshell",
        "command_substitution",
    ],
    reserved: &["if", "elif", "else", "for", "while", "case"],
};

/// In Elixir a list after a keyword is one of keywords.
fn elixir_guess(text: &str, range: &Range<usize>) -> Option<Form> {
    let before = text[..range.start].trim_end().strip_suffix(',')?;
    let mut depth = 0;
    let item = before.rfind(|c: char| {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' => depth -= 1,
            _ => {}
        }
        depth < 0 || (depth == 0 && c == ',')
    });
    let item = before[item.map_or(0, |at| at + 1)..].trim_start();
    let key = item
        .split(|c: char| !crate::metavariable::is_word(c) && c != '$')
        .next();
    let keyed = item[key.map_or(0, str::len)..].starts_with(": ");
    (keyed && text[range.clone()].starts_with("$$$")).then_some(form("", ": 1"))
}

pub(super) static ELIXIR: Dialect = Dialect {
    scaffolds: &[
        at(Statement, "def f do\n", "\nend\n"),
        at(Expression, "x = ", "\n"),
        at(Member, "defmodule M do\n", "\nend\n"),
        at(TopLevel, "", "\n"),
        at(Argument, "f(", ")\n"),
        at(Pair, "x = [", "]\n"),
        at(Pair, "x = %{", "}\n"),
        at(Arm, "case x do\n", "\nend\n"),
        at(Clause, "try do\n  x\n", "\nend\n").only(&["rescue", "else", "catch", "after"]),
    ],
    ones: &[NAME, UPPER],
    lone: &[NAME, form("", " -> x")],
    guess: Some(elixir_guess),
    bodies: &[
        "source",
        "do_block",
        "else_block",
        "rescue_block",
        "after_block",
        "catch_block",
        "body",
        "block",
    ],
    reserved: &["fn", "rescue", "else", "after", "catch"],
};

/// Haskell tells constructors, types and modules by their capital.
fn haskell_guess(text: &str, range: &Range<usize>) -> Option<Form> {
    let (before, word, after) = around(text, range);
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    let first = line.split_whitespace().next().unwrap_or_default();
    let constructor = matches!(
        word,
        "data"
            | "newtype"
            | "type"
            | "class"
            | "instance"
            | "module"
            | "import"
            | "qualified"
            | "deriving"
            | "as"
    ) && !(word == "class" && after.contains("=>"))
        || matches!(first, "data" | "newtype") && before.ends_with(['=', '|'])
        || after.starts_with('{')
        || after.starts_with('.') && !after[1..].starts_with(' ');
    constructor.then_some(UPPER)
}

pub(super) static HASKELL: Dialect = Dialect {
    scaffolds: &[
        indented(Statement, "f = do\n", "\n    x\n"),
        indented(Statement, "f = do\n", "\n"),
        indented(Expression, "x =\n", "\n"),
        indented(Member, "class C a where\n", "\n"),
        indented(Member, "instance C a where\n", "\n"),
        at(TopLevel, "", "\n"),
        at(Type, "x :: ", "\n"),
        at(Parameter, "f ", " = x\n"),
        at(Argument, "x = f ", "\n"),
        at(Pair, "x = R { ", " }\n"),
        at(Pair, "data R = R { ", " }\n"),
        indented(Arm, "x = case y of\n", "\n"),
        indented(Clause, "f x\n", "\n").only(&["|"]),
        indented(Clause, "f x = y\n", "\n").only(&["where"]),
        indented(Clause, "data D = C\n", "\n").only(&["deriving"]),
        at(EnumMember, "data D = ", "\n"),
        at(ImportItem, "import A (", ")\n"),
    ],
    ones: &[NAME, UPPER],
    lone: &[NAME, form("", " -> x"), form("", " = x")],
    guess: Some(haskell_guess),
    bodies: &["do"],
    reserved: &[
        "if", "case", "do", "let", "where", "data", "newtype", "type", "class", "instance",
        "module", "import", "deriving",
    ],
};
