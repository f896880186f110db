//! Java and Dart.

use super::{Dialect, NAME, at, ending, form};
use crate::rung::Rung::*;

pub(super) static JAVA: Dialect = Dialect {
    scaffolds: &[
        ending(Statement, "class C { void f() {\n", "\n} }", &[";"]),
        at(Expression, "class C { void f() { x = ", "; } }"),
        ending(Member, "class C {\n", "\n}", &[";"]),
        ending(TopLevel, "", "\n", &[";"]),
        at(Type, "class C { ", " x; }"),
        at(Parameter, "class C { void f(", ") {} }"),
        at(Argument, "class C { void f() { f(", "); } }"),
        at(Pair, "@A(", ") class C {}"),
        at(Arm, "class C { void f() { switch (x) {\n", "\n} } }"),
        at(Clause, "class C { void f() { try {} ", " } }"),
        at(Clause, "class C { void f() { if (x) {} ", " } }"),
        ending(InterfaceMember, "interface I {\n", "\n}", &[";"]),
        at(EnumMember, "enum E { ", " }"),
        at(Decorator, "", " class C {}"),
    ],
    ones: &[NAME],
    lone: &[form("", ";"), form("int ", ";"), NAME],
    guess: None,
};

pub(super) static DART: Dialect = Dialect {
    scaffolds: &[
        ending(Statement, "f() async {\n", "\n}", &[";"]),
        at(Expression, "f() async { x = ", "; }"),
        ending(Member, "class C {\n", "\n}", &[";"]),
        ending(TopLevel, "", "\n", &[";"]),
        at(Type, "f() { x = y as ", "; }"),
        at(Parameter, "f(", ") {}"),
        at(Parameter, "f({", "}) {}"),
        at(Argument, "f() async { g(", "); }"),
        at(Pair, "f() { x = {", "}; }"),
        at(Arm, "f() { switch (x) {\n", "\n} }"),
        ending(Arm, "f() { x = switch (x) {\n", "\n}; }", &[","]),
        at(Clause, "f() { try {} ", " }"),
        at(Clause, "f() { if (x) {} ", " }"),
        at(EnumMember, "enum E { ", " }"),
        at(ImportItem, "import 'a' ", ";"),
        at(Decorator, "", " class C {}"),
    ],
    ones: &[NAME],
    lone: &[form("", ";"), form("int ", ";"), NAME],
    guess: None,
};
