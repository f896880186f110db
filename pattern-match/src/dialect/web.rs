//! JavaScript, TypeScript and their JSX, and PHP.

use super::{Dialect, Form, NAME, Scaffold, at, ending, form};
use crate::rung::Rung::*;
use std::ops::Range;

const LONE: &[Form] = &[form("", ";"), NAME];

/// What a module is imported from is a string.
fn guess(text: &str, range: &Range<usize>) -> Option<Form> {
    let before = text[..range.start].trim_end();
    let word = |word: &str| {
        before == word
            || before.ends_with(&format!(" {word}"))
            || before.ends_with(&format!("}}{word}"))
    };
    let bare_import = word("import") && text[range.end..].trim_matches([' ', ';']).is_empty();
    (word("from") || bare_import).then_some(form("'", "'"))
}

const fn script(scaffolds: &'static [Scaffold]) -> Dialect {
    Dialect {
        scaffolds,
        ones: &[NAME],
        lone: LONE,
        guess: Some(guess),
        bodies: &[
            "statement_block",
            "program",
            "switch_case",
            "switch_default",
        ],
        reserved: &[
            "if", "else", "for", "while", "do", "switch", "case", "default", "return", "try",
            "catch", "finally", "class", "function", "enum", "import", "export", "throw", "new",
            "const", "var",
        ],
    }
}

pub(super) static JAVASCRIPT: Dialect = script(&[
    ending(Statement, "async function* f() {\n", "\n}", &[";"]),
    at(Expression, "async function* f() { x = ", "; }"),
    ending(Member, "class C {\n", "\n}", &[";"]),
    ending(TopLevel, "", "\n", &[";"]),
    at(Parameter, "function f(", ") {}"),
    at(Argument, "f(", ");"),
    at(Pair, "x = {", "};"),
    at(Arm, "switch (x) {\n", "\n}"),
    at(Clause, "try {} ", "").only(&["catch", "finally"]),
    at(Clause, "if (x) {} ", "").only(&["else"]),
    at(ImportItem, "import {", "} from 'a';"),
    at(Decorator, "", " class C {}").only(&["@"]),
    at(Attribute, "x = <a ", " />;").unkeyed(),
    at(Child, "x = <a>", "</a>;").only(&["<", "{"]),
    at(OpeningTag, "x = ", "</a>;"),
]);

/// The rungs of TypeScript, those of JSX last.
const TYPED: &[Scaffold] = &[
    ending(Statement, "async function* f() {\n", "\n}", &[";"]),
    at(Expression, "async function* f() { x = ", "; }"),
    ending(Member, "class C {\n", "\n}", &[";"]),
    ending(Member, "abstract class C {\n", "\n}", &[";"]),
    ending(TopLevel, "", "\n", &[";"]),
    at(Type, "let x: ", ";"),
    at(Parameter, "function f(", ") {}"),
    at(Argument, "f(", ");"),
    at(Pair, "x = {", "};"),
    at(Arm, "switch (x) {\n", "\n}"),
    at(Clause, "try {} ", "").only(&["catch", "finally"]),
    at(Clause, "if (x) {} ", "").only(&["else"]),
    ending(InterfaceMember, "interface I {\n", "\n}", &[";"]),
    at(EnumMember, "enum E { ", " }"),
    at(ImportItem, "import {", "} from 'a';"),
    at(Decorator, "", " class C {}").only(&["@"]),
    at(Attribute, "x = <a ", " />;").unkeyed(),
    at(Child, "x = <a>", "</a>;").only(&["<", "{"]),
    at(OpeningTag, "x = ", "</a>;"),
];

/// How many of them are places of JSX, which plain TypeScript does not have.
const JSX: usize = 3;

pub(super) static TYPESCRIPT: Dialect = script(TYPED.split_at(TYPED.len() - JSX).0);

pub(super) static TSX: Dialect = script(TYPED);

/// PHP writes its variables with a dollar and its names without one.
const VARIABLE: Form = form("$", "");

/// In PHP a metavariable is a variable, but for where only a name can stand.
fn php_guess(text: &str, range: &Range<usize>) -> Option<Form> {
    let before = text[..range.start].trim_end();
    let after = text[range.end..].trim_start();
    let word = before
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()
        .unwrap_or_default();
    let names_follow = matches!(
        word,
        "function"
            | "class"
            | "interface"
            | "trait"
            | "enum"
            | "extends"
            | "implements"
            | "namespace"
            | "use"
            | "const"
            | "case"
            | "new"
            | "instanceof"
            | "goto"
            | "insteadof"
    ) && !(word == "case" && after.starts_with(':'))
        && !(word == "use" && after.starts_with('('));
    let member = before.ends_with("->") || before.ends_with("::");
    let typed = after.starts_with('$') || after.starts_with("...");
    let name = names_follow
        || member
        || before.ends_with(['\\', '#'])
        || before.ends_with("#[")
        || after.starts_with('(')
        || after.starts_with("::")
        || after.starts_with('\\')
        || after.starts_with(":") && before.ends_with(['(', ','])
        || before.ends_with("):")
        || before.ends_with(") :")
        || typed;
    Some(if name { NAME } else { VARIABLE })
}

pub(super) static PHP: Dialect = Dialect {
    scaffolds: &[
        ending(Statement, "<?php function f() {\n", "\n}", &[";"]),
        at(Expression, "<?php $x = ", ";"),
        ending(Member, "<?php class C {\n", "\n}", &[";"]),
        ending(TopLevel, "<?php\n", "\n", &[";"]),
        at(TopLevel, "", "\n").only(&["<?php", "<?="]),
        at(Type, "<?php function f(", " $x) {}"),
        at(Parameter, "<?php function f(", ") {}"),
        at(Argument, "<?php f(", ");"),
        at(Pair, "<?php $x = [", "];"),
        at(Arm, "<?php switch ($x) {\n", "\n}"),
        at(Arm, "<?php $x = match ($y) {\n", "\n};"),
        at(Clause, "<?php try {} ", "").only(&["catch", "finally"]),
        at(Clause, "<?php if ($x) {} ", "").only(&["else", "elseif"]),
        ending(InterfaceMember, "<?php interface I {\n", "\n}", &[";"]),
        ending(EnumMember, "<?php enum E {\n", "\n}", &[";"]),
        at(ImportItem, "<?php use A\\{", "};"),
        at(Decorator, "<?php ", "\nclass C {}").only(&["#["]),
    ],
    ones: &[VARIABLE, NAME],
    lone: &[
        form("$", ";"),
        form("public $", ";"),
        form("case ", ";"),
        form("case ", ": $x;"),
        form("$", " => $x,"),
    ],
    guess: Some(php_guess),
    bodies: &[
        "compound_statement",
        "program",
        "case_statement",
        "default_statement",
        "colon_block",
    ],
    reserved: &[
        "if",
        "else",
        "elseif",
        "for",
        "foreach",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "return",
        "try",
        "catch",
        "finally",
        "class",
        "interface",
        "trait",
        "function",
        "namespace",
        "use",
        "throw",
        "new",
        "echo",
    ],
};
