//! `fourfold tour` on a small project.

use std::fs;

use expect_test::expect;

use crate::project::Project;

fn sample() -> Project {
    Project::new(&[
        (
            "src/lib.rs",
            "pub struct S {\n    x: Option<u8>,\n}\n\nimpl S {\n    pub fn x(&self) -> u8 {\n        self.x.unwrap()\n    }\n}\n\nfn twice(a: Vec<u8>) -> Vec<u8> {\n    let a = a.iter().map(|x| x.clone()).collect();\n    a\n}\n",
        ),
        (
            "src/main.rs",
            "fn main() {\n    println!(\"{}\", std::env::args().next().unwrap());\n}\n",
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"s\"\nversion = \"0.1.0\"\n",
        ),
        ("a.json", "{}\n"),
        ("b.json", "{}\n"),
        ("c.json", "{}\n"),
    ])
}

#[test]
fn it_shows_what_there_is_and_changes_nothing() {
    let project = sample();
    let run = project.run(["tour"]);
    run.expect(&expect![[r#"
        Fourfold in ROOT
        Mostly Rust (2 files), and 2 other languages. Nothing is changed on this tour.

        1. A shape, written as code
           $X stands for any one piece of code, $$$ for any number of them. Spacing and line breaks
           do not matter; comments and strings are not searched.
           $ fourfold grep --lang rust '$X.unwrap()'
           src/lib.rs:7:9:         self.x.unwrap()
           src/main.rs:2:20:     println!("{}", std::env::args().next().unwrap());
           2 matches in 2 files

        2. The same name twice is the same code twice
           This is what text search cannot say.
           $ fourfold grep --lang rust '|$X| $X.$M($$$)'
           src/lib.rs:12:26:     let a = a.iter().map(|x| x.clone()).collect();
           1 match in 1 file

        3. A declaration, whatever else it carries
           Modifiers, annotations and the like may be left out (--strict turns that off). What can be
           read in several ways is searched for in all of them.
           $ fourfold grep --lang rust 'fn $N(&self) -> $T { $$$ }'
           src/lib.rs:6:5:     pub fn x(&self) -> u8 {
               |         self.x.unwrap()
               |     }
           1 match in 1 file

        4. A constraint
           --inside, --not-inside, --has, --not-has take patterns, --where a regular expression for
           one capture.
           $ fourfold grep --lang rust '$X.unwrap()' --not-inside 'mod tests { $$$ }'
           src/lib.rs:7:9:         self.x.unwrap()
           src/main.rs:2:20:     println!("{}", std::env::args().next().unwrap());
           2 matches in 2 files

        5. A rewrite, staged
           Captures keep their bytes. What would be lost without being named, such as a comment, is
           refused. Nothing changes before the stage is applied.
           $ fourfold rewrite --lang rust '$X.unwrap()' '$X.expect("why this holds")' src/lib.rs
           diff --git a/src/lib.rs b/src/lib.rs
           --- a/src/lib.rs
           +++ b/src/lib.rs
           @@ -4,7 +4,7 @@

            impl S {
                pub fn x(&self) -> u8 {
           -        self.x.unwrap()
           +        self.x.expect("why this holds")
                }
            }

           In earnest you would go on with `fourfold resolve s-XXXX --apply`, which changes all files or,
           if one of them is not as it was, none. Here the stage was discarded.

        6. The code graph
           Who calls this, what would a change reach, which tests reach it: one indexing pass, and
           every edge says how sure it is. Here are the symbols that most others depend on.
           $ fourfold graph map
           the 4 most important of 4 symbols
           src/lib.rs
             1 pub struct S
               6 pub fn x(&self) -> u8
             11 fn twice(a: Vec<u8>) -> Vec<u8>
           src/main.rs
             1 fn main()
           coverage: 2 of 2 files

        Not on this tour, as it starts programs:
           fourfold servers                    the language servers that answer each write here
           fourfold edit FILE --old A --new B  a change, and what it broke
           fourfold debug ask --test NAME      a failing test, stopped where it fails
        --- stderr, status 0
    "#]]);
    let mut names: Vec<_> = fs::read_dir(project.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [".git", "Cargo.toml", "a.json", "b.json", "c.json", "src"]
    );
}

#[test]
fn it_can_be_given_a_folder() {
    let project = sample();
    let elsewhere = Project::new(&[]);
    let run = elsewhere.run(["tour".as_ref(), project.root().as_os_str()]);
    assert_eq!(run.status, 0, "{}", run.whole());
    assert!(run.out.contains("Mostly Rust (2 files)"), "{}", run.out);
    assert_eq!(elsewhere.run(["tour"]).status, 1);
}

/// What a file holds does not say how many there are: neither an empty one, nor one that is no text,
/// nor one whose language its name does not tell.
#[test]
fn languages_are_counted_by_their_files() {
    let project = sample();
    project.write("empty.py", "");
    project.write("empty.json", "");
    project.write("LICENSE", "MIT\n");
    fs::write(project.root().join("picture.py"), [0u8, 159, 146, 150]).unwrap();
    project.write("third.rs", "");
    let run = project.run(["tour"]);
    let line = "Mostly Rust (3 files), and 3 other languages.";
    assert!(run.out.contains(line), "{}", run.out);
}

#[test]
fn it_has_json_too() {
    let lines = sample().run(["tour", "--json"]).json();
    let summary = lines.last().unwrap();
    assert_eq!(summary["language"], "rust");
    assert_eq!(summary["rewrite_shown"], true);
    assert!(lines.iter().filter(|line| line["type"] == "stop").count() >= 3);
    let map = lines.iter().find_map(|line| line["map"].as_str());
    assert!(map.is_some_and(|map| map.contains("struct S")), "{map:?}");
}

/// Every shape of every route is code of its language.
#[test]
fn every_stop_can_be_read() {
    let project = Project::new(&[]);
    let samples = [
        (
            "rust",
            "a.rs",
            "fn f(v: &[u8]) { let x = g(1).unwrap(); if v.len() == 0 { h(x) } }\n",
        ),
        (
            "python",
            "a.py",
            "def f(x):\n    print(x)\n    return len(x)\n",
        ),
        (
            "javascript",
            "a.js",
            "function f(x) { console.log(x); return x && x.y; }\n",
        ),
        (
            "typescript",
            "a.ts",
            "function f(x: any) { console.log(x); return x && x.y; }\n",
        ),
        (
            "go",
            "a.go",
            "package a\n\nfunc f() error {\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn g(1)\n}\n",
        ),
        (
            "java",
            "A.java",
            "class A { boolean f(String a) { return a.equals(\"b\"); } }\n",
        ),
        (
            "csharp",
            "A.cs",
            "class A { bool F(string a) { return new B(a).Equals(\"b\"); } }\n",
        ),
        ("kotlin", "a.kt", "fun f(x: Int) {\n    g(x)\n}\n"),
        ("swift", "a.swift", "func f(x: Int) {\n    print(x)\n}\n"),
        ("scala", "a.scala", "class A { def f(x: Int) = print(x) }\n"),
        ("dart", "a.dart", "void f(x) {\n  print(x);\n}\n"),
        (
            "php",
            "a.php",
            "<?php\nfunction f($x) { return isset($x) ? $x : 1; }\n",
        ),
        ("ruby", "a.rb", "def f(x)\n  puts x\nend\n"),
        (
            "c",
            "a.c",
            "int f(char *x) { free(x); return sizeof(x); }\n",
        ),
        (
            "cpp",
            "a.cpp",
            "int f(char *x) { free(x); return sizeof(x); }\n",
        ),
        ("lua", "a.lua", "function f(x)\n  print(x)\nend\n"),
        ("zig", "a.zig", "fn f(x: u8) void {\n    g(x);\n}\n"),
        ("json", "a.json", "{\"name\": \"a\", \"version\": \"1\"}\n"),
        ("yaml", "a.yaml", "name: a\nversion: 1\n"),
        ("toml", "a.toml", "name = \"a\"\nversion = \"1\"\n"),
        ("css", "a.css", "a { color: #fff; display: none; }\n"),
        ("html", "a.html", "<p>one</p>\n"),
    ];
    let mut poor = Vec::new();
    for (language, path, text) in samples {
        project.write(&format!("{language}/{path}"), text);
        let run = project.run(["--json", "-C", language, "tour"]);
        let lines = run.json();
        let summary = lines.last().unwrap();
        if run.status != 0 || summary["rewrite_shown"] != true {
            poor.push(format!("{language}: {}", run.whole()));
        }
    }
    assert!(poor.is_empty(), "{}", poor.join("\n"));
}
