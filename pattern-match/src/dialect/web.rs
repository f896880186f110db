//! JavaScript, TypeScript and their JSX.

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
    at(Clause, "try {} ", ""),
    at(Clause, "if (x) {} ", ""),
    at(ImportItem, "import {", "} from 'a';"),
    at(Decorator, "", " class C {}"),
    at(Attribute, "x = <a ", " />;"),
    at(Child, "x = <a>", "</a>;"),
    at(OpeningTag, "x = ", "</a>;"),
]);

pub(super) static TYPESCRIPT: Dialect = script(&[
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
    at(Clause, "try {} ", ""),
    at(Clause, "if (x) {} ", ""),
    ending(InterfaceMember, "interface I {\n", "\n}", &[";"]),
    at(EnumMember, "enum E { ", " }"),
    at(ImportItem, "import {", "} from 'a';"),
    at(Decorator, "", " class C {}"),
]);

pub(super) static TSX: Dialect = script(&[
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
    at(Clause, "try {} ", ""),
    at(Clause, "if (x) {} ", ""),
    ending(InterfaceMember, "interface I {\n", "\n}", &[";"]),
    at(EnumMember, "enum E { ", " }"),
    at(ImportItem, "import {", "} from 'a';"),
    at(Decorator, "", " class C {}"),
    at(Attribute, "x = <a ", " />;"),
    at(Child, "x = <a>", "</a>;"),
    at(OpeningTag, "x = ", "</a>;"),
]);
