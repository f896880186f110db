//! Rust, Go, C and C++.

use super::{Dialect, NAME, at, ending, form};
use crate::rung::Rung::*;

pub(super) static RUST: Dialect = Dialect {
    scaffolds: &[
        ending(Statement, "fn f() {\n", "\n}", &[";"]),
        at(Expression, "fn f() { let x = ", "; }"),
        ending(Member, "impl S {\n", "\n}", &[";"]),
        ending(Member, "struct S {\n", "\n}", &[","]),
        ending(Member, "trait T {\n", "\n}", &[";"]),
        ending(TopLevel, "", "\n", &[";"]),
        at(Type, "type T = ", ";"),
        at(Parameter, "fn f(", ") {}"),
        at(Argument, "fn f() { f(", "); }"),
        at(Pair, "fn f() { S { ", " }; }"),
        ending(Arm, "fn f() { match x {\n", "\n} }", &[","]),
        at(Clause, "fn f() { if x {} ", " }"),
        at(Clause, "fn f() ", " {}"),
        ending(EnumMember, "enum E {\n", "\n}", &[","]),
        at(ImportItem, "use a::{", "};"),
        at(Decorator, "", "\nfn f() {}"),
    ],
    ones: &[NAME],
    lone: &[form("", ";"), form("", " => x,"), form("", ": x,")],
    guess: None,
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
        at(InterfaceMember, "package p\ntype I interface {\n", "\n}\n"),
        at(ImportItem, "package p\nimport (\n", "\n)\n"),
    ],
    ones: &[NAME],
    lone: &[NAME, form("", " x")],
    guess: None,
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
        at(Clause, "void f() { if (x) {} ", " }"),
        at(EnumMember, "enum E { ", " };"),
    ],
    ones: &[NAME],
    lone: &[form("", ";"), form("int ", ";")],
    guess: None,
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
        at(Clause, "void f() { if (x) {} ", " }"),
        at(Clause, "void f() { try {} ", " }"),
        at(EnumMember, "enum E { ", " };"),
        at(Decorator, "", " void f() {}"),
    ],
    ones: &[NAME],
    lone: &[form("", ";"), form("int ", ";")],
    guess: None,
};
