//! What a variable of a file is made of: the variable depends on it, and its users on the variable.

use super::Project;
use expect_test::expect;
use fourfold_code_graph::link::EdgeKind;

#[test]
fn a_variable_of_a_file_depends_on_what_it_is_made_of() {
    let files = [
        (
            "a.py",
            "def mk(): return 1\nX = mk()\ndef use(): return X\n",
        ),
        (
            "a.js",
            "function mk() { return 1; }\nconst X = mk();\nfunction use() { return X; }\n",
        ),
        (
            "a.go",
            "package a\n\nfunc mk() int { return 1 }\n\nvar X = mk()\n\nfunc use() int { return X }\n",
        ),
        (
            "a.kt",
            "package a\n\nfun mk(): Int = 1\n\nval X = mk()\n\nfun use(): Int = X\n",
        ),
        (
            "a.dart",
            "int mk() => 1;\nfinal X = mk();\nint use() => X;\n",
        ),
        (
            "a.swift",
            "func mk() -> Int { return 1 }\nlet X = mk()\nfunc use() -> Int { return X }\n",
        ),
        (
            "a.rs",
            "const fn mk() -> i32 { 1 }\nstatic X: i32 = mk();\nfn use_x() -> i32 { X }\n",
        ),
        (
            "A.java",
            "class A { static int mk() { return 1; } static int X = mk(); int use() { return X; } }\n",
        ),
    ];
    let mut wrong = Vec::new();
    for (path, text) in files {
        let lines = Project::new(&[(path, text)]).links(&[EdgeKind::References, EdgeKind::Calls]);
        let has = |from: &str, to: &str| {
            lines.iter().any(|line| {
                let (source, target) = line.split_once(" -> ").unwrap_or_default();
                let name = source.rsplit([' ', '.']).next().unwrap_or_default();
                name == from && target.contains(&format!("{to} ["))
            })
        };
        let user = if path == "a.rs" { "use_x" } else { "use" };
        if !has("X", "mk") || !has(user, "X") {
            wrong.push(format!("{path}: {lines:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_call_of_a_variable_uses_the_variable_too() {
    let files = [
        (
            "a.py",
            "def base(x): return x\nplain = base\ndef use(): return plain(1)\n",
        ),
        (
            "a.js",
            "function base(x) { return x; }\nconst plain = base;\nfunction use() { return plain(1); }\n",
        ),
        (
            "a.ts",
            "type F = (x: number) => number;\ndeclare const base: F;\nexport const plain: F = base;\nexport function use() { return plain(1); }\n",
        ),
        (
            "a.go",
            "package a\n\nimport \"regexp\"\n\nvar plain = regexp.Compile\n\nfunc use() { plain(\"a\") }\n",
        ),
        (
            "b.go",
            "package a\n\nfunc base(x int) int { return x }\n\nvar plain = base\n\nfunc use() int { return plain(1) }\n",
        ),
        (
            "a.rs",
            "fn base(x: i32) -> i32 { x }\nstatic plain: fn(i32) -> i32 = base;\nfn user() -> i32 { plain(1) }\n",
        ),
        (
            "a.kt",
            "package a\n\nfun base(x: Int): Int = x\n\nval plain = ::base\n\nfun use(): Int = plain(1)\n",
        ),
        (
            "a.dart",
            "int base(int x) => x;\nfinal plain = base;\nint use() => plain(1);\n",
        ),
        (
            "a.swift",
            "func base(_ x: Int) -> Int { return x }\nlet plain = base\nfunc use() -> Int { return plain(1) }\n",
        ),
    ];
    let mut wrong = Vec::new();
    for (path, text) in files {
        let lines = Project::new(&[(path, text)]).links(&[EdgeKind::References, EdgeKind::Calls]);
        let uses = lines.iter().any(|line| {
            let (source, target) = line.split_once(" -> ").unwrap_or_default();
            let name = source.rsplit(' ').next().unwrap_or_default();
            name.starts_with("use") && target.contains(" plain [")
        });
        if !uses {
            wrong.push(format!("{path}: {lines:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_call_of_what_is_held_stays_a_call_of_it() {
    let project = Project::of(
        "\
== held.py
def base(x): return x

plain = base

class Box:
    def __init__(self):
        self.action = base

    def run(self):
        self.action(1)

def use():
    plain(1)

def local(plain):
    plain(1)

def own():
    plain = base
    plain(1)
== user.py
from held import plain
import held

def user():
    plain(2)

def other():
    held.plain(3)
",
    );
    // A local variable is no symbol, and a parameter hides the variable of the module.
    expect![[r#"
        held.py Box.__init__ -> held.py Box.action [writes typed]
        held.py Box.__init__ -> held.py base [references exact]
        held.py Box.run -> held.py Box.action [references typed]
        held.py Box.run -> held.py base [calls inferred]
        held.py local -> ? plain [calls]
        held.py own -> held.py base [calls inferred]
        held.py own -> held.py base [references exact]
        held.py plain -> held.py base [references exact]
        held.py use -> held.py base [calls inferred]
        held.py use -> held.py plain [references exact]
        user.py other -> held.py base [calls inferred]
        user.py other -> held.py plain [references exact]
        user.py user -> held.py base [calls inferred]
        user.py user -> held.py plain [references exact]
    "#]]
    .assert_eq(&project.edges(&[EdgeKind::Calls, EdgeKind::References, EdgeKind::Writes]));
}
