//! Rust, Go, C, C++ and Zig.

use super::{Dialect, Form, NAME, at, ending, form};
use crate::rung::Rung::*;
use std::ops::Range;

/// What follows `where` in Rust is a list of bounds.
fn rust_guess(text: &str, range: &Range<usize>) -> Option<Form> {
    let list = text[range.clone()].starts_with("$$$");
    let bounds = text[..range.start].trim_end().ends_with("where");
    (list && bounds).then_some(form("", ": X"))
}

/// What stands between the parameters and the body of a C++ constructor is a list of initialisers.
fn cpp_guess(text: &str, range: &Range<usize>) -> Option<Form> {
    let list = text[range.clone()].starts_with("$$$");
    let colon = text[..range.start].trim_end().strip_suffix(':');
    let after_parameters = colon.is_some_and(|before| before.trim_end().ends_with(')'));
    let before_body = text[range.end..].trim_start().starts_with('{');
    (list && after_parameters && before_body).then_some(form("", "(x)"))
}

pub(super) static RUST: Dialect = Dialect {
    scaffolds: &[
        ending(Statement, "fn f() {\n", "\n}", &[";"]),
        at(Expression, "fn f() { let x = ", "; }"),
        at(Expression, "fn f() { if ", " {} }").only(&["let"]),
        ending(Member, "impl S {\n", "\n}", &[";"]),
        ending(Member, "struct S {\n", "\n}", &[","]),
        ending(Member, "trait T {\n", "\n}", &[";"]),
        ending(TopLevel, "", "\n", &[";"]),
        at(Type, "type T = ", ";"),
        at(Type, "type T = S<", ">;").only(&["'"]),
        at(Parameter, "fn f(", ") {}"),
        at(Argument, "fn f() { f(", "); }"),
        at(Pair, "fn f() { S { ", " }; }"),
        ending(Arm, "fn f() { match x {\n", "\n} }", &[","]),
        at(Pattern, "fn f() { match x { ", " => {} } }"),
        at(Clause, "fn f() { if x {} ", " }").only(&["else"]),
        at(Clause, "fn f() ", " {}").only(&["where"]),
        ending(EnumMember, "enum E {\n", "\n}", &[","]),
        at(ImportItem, "use a::{", "};"),
        at(Decorator, "", "\nfn f() {}").only(&["#"]),
    ],
    ones: &[NAME],
    lone: &[
        form("", ";"),
        form("", " => x,"),
        form("", ": x,"),
        // Where the pattern has the comma itself.
        form("", " => x"),
        form("", ": x"),
    ],
    guess: Some(rust_guess),
    bodies: &["block", "source_file", "declaration_list"],
    reserved: &[
        "if", "else", "for", "while", "loop", "match", "return", "fn", "struct", "enum", "impl",
        "trait", "mod", "use", "where", "let", "pub", "unsafe", "async",
    ],
};

pub(super) static GO: Dialect = Dialect {
    scaffolds: &[
        at(Statement, "package p\nfunc f() {\n", "\n}\n"),
        at(Expression, "package p\nfunc f() { x = ", "\n}\n"),
        at(Member, "package p\ntype S struct {\n", "\n}\n"),
        at(TopLevel, "package p\n", "\n"),
        at(Type, "package p\nvar x ", "\n"),
        at(Parameter, "package p\nfunc f(", ") {}\n"),
        at(Argument, "package p\nfunc f() { f(", ") }\n"),
        at(Pair, "package p\nvar x = T{", "}\n"),
        at(Arm, "package p\nfunc f() { switch x {\n", "\n} }\n"),
        at(Arm, "package p\nfunc f() { switch x.(type) {\n", "\n} }\n"),
        at(Arm, "package p\nfunc f() { select {\n", "\n} }\n"),
        at(Clause, "package p\nfunc f() { if x {} ", " }\n").only(&["else"]),
        at(InterfaceMember, "package p\ntype I interface {\n", "\n}\n"),
        at(ImportItem, "package p\nimport (\n", "\n)\n"),
    ],
    ones: &[NAME],
    lone: &[NAME, form("", " x")],
    guess: None,
    bodies: &[
        "block",
        "statement_list",
        "expression_case",
        "default_case",
        "type_case",
        "communication_case",
    ],
    reserved: &[
        "if", "else", "for", "switch", "select", "case", "default", "return", "func", "type",
        "var", "const", "import", "package", "defer", "go",
    ],
};

pub(super) static C: Dialect = Dialect {
    scaffolds: &[
        ending(Statement, "void f() {\n", "\n}", &[";"]),
        at(Expression, "void f() { x = ", "; }"),
        ending(Member, "struct S {\n", "\n};", &[";"]),
        ending(TopLevel, "", "\n", &[";"]),
        at(Type, "void f() { x = sizeof(", "); }"),
        at(Type, "void f(", " x) {}"),
        at(Parameter, "void f(", ") {}"),
        at(Argument, "void f() { f(", "); }"),
        at(Pair, "struct S x = { ", " };"),
        at(Arm, "void f() { switch (x) {\n", "\n} }"),
        at(Clause, "void f() { if (x) {} ", " }").only(&["else"]),
        at(EnumMember, "enum E { ", " };"),
    ],
    ones: &[NAME],
    lone: &[form("", ";"), form("int ", ";")],
    guess: None,
    bodies: &[
        "compound_statement",
        "case_statement",
        "translation_unit",
        "preproc_if",
        "preproc_ifdef",
        "preproc_else",
    ],
    reserved: &[
        "if", "else", "for", "while", "do", "switch", "case", "default", "return", "struct",
        "enum", "union", "typedef",
    ],
};

pub(super) static CPP: Dialect = Dialect {
    scaffolds: &[
        ending(Statement, "void f() {\n", "\n}", &[";"]),
        at(Expression, "void f() { x = ", "; }"),
        ending(Member, "class S {\n", "\n};", &[";"]),
        ending(TopLevel, "", "\n", &[";"]),
        at(Type, "void f() { x = sizeof(", "); }"),
        at(Type, "using T = ", ";"),
        at(Parameter, "void f(", ") {}"),
        at(Argument, "void f() { f(", "); }"),
        at(Pair, "S x = { ", " };"),
        at(Arm, "void f() { switch (x) {\n", "\n} }"),
        at(Clause, "void f() { if (x) {} ", " }").only(&["else"]),
        at(Clause, "void f() { try {} ", " }").only(&["catch"]),
        at(EnumMember, "enum E { ", " };"),
        at(Decorator, "", " void f() {}").only(&["[["]),
    ],
    ones: &[NAME],
    lone: &[form("", ";"), form("int ", ";")],
    guess: Some(cpp_guess),
    bodies: &[
        "compound_statement",
        "case_statement",
        "translation_unit",
        "declaration_list",
        "preproc_if",
        "preproc_ifdef",
        "preproc_else",
    ],
    reserved: &[
        "if",
        "else",
        "for",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "return",
        "struct",
        "enum",
        "union",
        "typedef",
        "try",
        "catch",
        "class",
        "namespace",
        "using",
        "template",
        "public",
        "private",
        "protected",
        "throw",
    ],
};

pub(super) static ZIG: Dialect = Dialect {
    scaffolds: &[
        ending(Statement, "fn f() void {\n", "\n}\n", &[";"])
            .but(&["fn", "pub", "export", "extern"]),
        at(Expression, "const x = ", ";\n").but(&["fn", "pub", "export", "extern"]),
        ending(Member, "const S = struct {\n", "\n};\n", &[";", ","]),
        ending(TopLevel, "", "\n", &[";"]),
        at(Type, "var x: ", " = y;\n"),
        at(Parameter, "fn f(", ") void {}\n"),
        at(Argument, "const x = f(", ");\n"),
        at(Pair, "const x = .{ ", " };\n"),
        at(Arm, "const y = switch (x) {\n", "\n};\n"),
        at(Clause, "fn f() void { if (x) {} ", " }\n").only(&["else"]),
        ending(EnumMember, "const E = enum {\n", "\n};\n", &[","]),
    ],
    ones: &[NAME],
    lone: &[
        form("", ";"),
        form("const ", " = x;"),
        form("", ","),
        form("", " => x,"),
    ],
    guess: None,
    bodies: &["block"],
    reserved: &[
        "if", "else", "for", "while", "switch", "return", "fn", "const", "var", "try", "defer",
        "test", "pub",
    ],
};
