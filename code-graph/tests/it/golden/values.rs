//! What a variable of a file is made of: the variable depends on it, and its users on the variable.

use super::Project;
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
