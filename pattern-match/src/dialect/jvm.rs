//! Kotlin, Scala and Swift: declarations without terminators, one to a line.
//!
//! The scaffolds put line ends around the fragment: these grammars fail on compact forms.

use super::{Dialect, Form, NAME, at, form};
use crate::rung::Rung::*;
use std::ops::Range;

pub(super) static KOTLIN: Dialect = Dialect {
    scaffolds: &[
        at(Statement, "fun f() {\n", "\n}\n"),
        at(Expression, "val x = ", "\n"),
        at(Member, "class C {\n", "\n}\n"),
        at(Member, "class C {\nval x: T\n", "\n}\n").only(&["get", "set", "private set"]),
        at(TopLevel, "", "\n"),
        at(Type, "val x: ", "\n"),
        at(Parameter, "fun f(", ") {}\n"),
        at(Parameter, "class C(", ")\n"),
        at(Argument, "val x = f(", ")\n"),
        at(Arm, "fun f() {\nwhen (x) {\n", "\n}\n}\n"),
        at(Clause, "fun f() {\ntry {\n} ", "\n}\n").only(&["catch", "finally"]),
        at(Clause, "fun f() {\nif (x) {\n} ", "\n}\n").only(&["else"]),
        at(EnumMember, "enum class E {\n", "\n}\n"),
        at(Decorator, "", "\nclass C\n").only(&["@"]),
    ],
    ones: &[NAME],
    lone: &[form("val ", "\n"), NAME, form("", " -> x")],
    guess: None,
    bodies: &["block", "lambda_literal", "source_file", "function_body"],
    reserved: &[
        "if",
        "else",
        "for",
        "while",
        "do",
        "when",
        "return",
        "try",
        "catch",
        "finally",
        "class",
        "interface",
        "object",
        "fun",
        "val",
        "var",
        "import",
        "package",
        "throw",
        "init",
        "constructor",
        "companion",
    ],
};

/// In Scala the braces of a `match` and a `catch` hold cases.
fn scala_guess(text: &str, range: &Range<usize>) -> Option<Form> {
    let list = text[range.clone()].starts_with("$$$");
    let before = text[..range.start].trim_end().strip_suffix('{')?.trim_end();
    (list && (before.ends_with("match") || before.ends_with("catch")))
        .then_some(form("case ", " => x"))
}

pub(super) static SCALA: Dialect = Dialect {
    scaffolds: &[
        at(Statement, "object O {\ndef f() = {\n", "\n}\n}\n"),
        at(Expression, "object O {\nval x = ", "\n}\n"),
        at(Member, "class C {\n", "\n}\n"),
        at(TopLevel, "", "\n"),
        at(Type, "object O {\nval x: ", " = y\n}\n"),
        at(Parameter, "object O {\ndef f(", ") = x\n}\n"),
        at(Parameter, "class C(", ")\n"),
        at(Argument, "object O {\nval x = f(", ")\n}\n"),
        at(Arm, "object O {\nval y = x match {\n", "\n}\n}\n"),
        at(
            Pattern,
            "object O {\nval y = x match {\ncase ",
            " => z\n}\n}\n",
        ),
        at(Clause, "object O {\nval y = try { x } ", "\n}\n").only(&["catch", "finally"]),
        at(Clause, "object O {\nval y = if (x) { y } ", "\n}\n").only(&["else"]),
        at(EnumMember, "enum E {\n", "\n}\n"),
        at(ImportItem, "import a.{", "}\n"),
        at(Decorator, "", "\nclass C\n").only(&["@"]),
    ],
    ones: &[NAME],
    lone: &[
        form("val ", " = x"),
        NAME,
        form("case ", " => x"),
        form("case ", ""),
    ],
    guess: Some(scala_guess),
    bodies: &[
        "block",
        "indented_block",
        "template_body",
        "case_clause",
        "compilation_unit",
        "lambda_expression",
    ],
    reserved: &[
        "if", "else", "for", "while", "do", "return", "try", "catch", "finally", "class", "trait",
        "object", "def", "val", "var", "import", "package", "throw", "new", "case", "enum",
    ],
};

pub(super) static SWIFT: Dialect = Dialect {
    scaffolds: &[
        at(Statement, "func f() {\n", "\n}\n"),
        at(Expression, "let x = ", "\n"),
        at(Member, "class C {\n", "\n}\n"),
        at(TopLevel, "", "\n"),
        at(Type, "let x: ", "\n"),
        at(Parameter, "func f(", ") {}\n"),
        at(Argument, "f(", ")\n"),
        at(Pair, "let x = [", "]\n"),
        at(Arm, "switch x {\n", "\n}\n"),
        at(Pattern, "switch x {\ncase ", ":\ny\n}\n"),
        at(Clause, "do {\n} ", "\n").only(&["catch"]),
        at(Clause, "if x {\n} ", "\n").only(&["else"]),
        at(InterfaceMember, "protocol P {\n", "\n}\n"),
        at(EnumMember, "enum E {\n", "\n}\n"),
        at(Decorator, "", "\nclass C {}\n").only(&["@"]),
    ],
    ones: &[NAME],
    lone: &[
        form("var ", ": X"),
        NAME,
        form("case ", ": x"),
        form("case ", ""),
    ],
    guess: None,
    bodies: &["statements", "source_file"],
    reserved: &[
        "if",
        "else",
        "for",
        "while",
        "repeat",
        "do",
        "guard",
        "switch",
        "case",
        "default",
        "return",
        "catch",
        "class",
        "struct",
        "enum",
        "protocol",
        "extension",
        "func",
        "let",
        "var",
        "import",
        "throw",
        "init",
        "deinit",
    ],
};
