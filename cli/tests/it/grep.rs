//! `fourfold grep` and `fourfold explain`.

use std::io::Read as _;
use std::process::{Command, Stdio};

use expect_test::expect;
use serde_json::json;

use crate::project::Project;

fn sample() -> Project {
    Project::new(&[
        (
            "src/a.py",
            "import os\n\n\ndef one():\n    print(1, 'a')\n    if x:\n        print(\n            2,\n        )\n",
        ),
        (
            "src/b.js",
            "// print(0)\nprint('print(9)')\nconst y = a + b\n",
        ),
        ("src/deep/c.py", "print()\n"),
        ("ignored/d.py", "print(4)\n"),
        (".gitignore", "/ignored\n"),
        ("notes.txt", "print(5)\n"),
        (
            "Point.java",
            "class P {\n  int x = 1;\n  private final String name;\n  void f() {\n    int y = 2;\n  }\n}\n",
        ),
    ])
}

#[test]
fn matches_are_shown_with_their_lines() {
    sample().run(["grep", "print($$$A)"]).expect(&expect![[r#"
        src/a.py:5:5:     print(1, 'a')
        src/a.py:7:9:         print(
            |             2,
            |         )
        src/b.js:2:1: print('print(9)')
        src/deep/c.py:1:1: print()
        --- stderr, status 0
        4 matches in 3 files (4 searched)
    "#]]);
}

#[test]
fn paths_are_those_of_the_current_folder() {
    let project = sample();
    let run = project.finish(
        project
            .command()
            .current_dir(project.root().join("src/deep"))
            .args(["grep", "print($$$)"]),
    );
    run.expect(&expect![[r#"
        c.py:1:1: print()
        --- stderr, status 0
        1 match in 1 file (1 searched)
    "#]]);
    let run = project.finish(
        project
            .command()
            .current_dir(project.root().join("src/deep"))
            .args(["grep", "print($$$)", "../b.js", "../../ignored"]),
    );
    run.expect(&expect![[r#"
        ../../ignored/d.py:1:1: print(4)
        ../b.js:2:1: print('print(9)')
        --- stderr, status 0
        2 matches in 2 files (2 searched)
    "#]]);
    let run = project.run(["-C", "src", "grep", "print($$$)", "--lang", "py"]);
    run.expect(&expect![[r#"
        a.py:5:5:     print(1, 'a')
        a.py:7:9:         print(
            |             2,
            |         )
        deep/c.py:1:1: print()
        --- stderr, status 0
        3 matches in 2 files (2 searched)
    "#]]);
}

#[test]
fn json_lines() {
    let run = sample().run(["grep", "--json", "print($X, $$$REST)"]);
    assert_eq!(run.status, 0);
    assert_eq!(run.err, "");
    let lines = run.json();
    assert_eq!(
        lines[0],
        json!({
            "type": "match", "path": "src/a.py", "start": 27, "end": 40, "line": 5, "column": 5,
            "end_line": 5, "end_column": 18, "text": "print(1, 'a')",
            "captures": {"X": "1", "REST": ["'a'"]}, "rung": "statement", "kind": "call",
            "language": "python",
        })
    );
    let summary = lines.last().unwrap();
    assert_eq!(summary["type"], "summary");
    assert_eq!(summary["matches"], 3);
    assert_eq!(summary["files_matched"], 2);
}

#[test]
fn texts_are_cut() {
    let run = sample().run([
        "grep",
        "--json",
        "--max-text",
        "7",
        "print($$$A)",
        "src/a.py",
    ]);
    let first = &run.json()[0];
    assert_eq!(first["text"], "print(1…");
    assert_eq!(first["truncated"], true);
}

#[test]
fn counts_and_limits() {
    let project = sample();
    project
        .run(["grep", "-c", "print($$$)"])
        .expect(&expect![[r#"
            src/a.py:2
            src/b.js:1
            src/deep/c.py:1
            --- stderr, status 0
            4 matches in 3 files (4 searched)
        "#]]);
    project
        .run(["grep", "-n", "1", "print($$$)"])
        .expect(&expect![[r#"
            src/a.py:5:5:     print(1, 'a')
            --- stderr, status 0
            1 match in 1 file; stopped at the limit of 1
        "#]]);
    // How many others were searched by then is a matter of threads.
    let limited = project.run(["grep", "--json", "--count", "--limit", "1", "print($$$)"]);
    let told = limited.json();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(
        told[0],
        json!({"type": "count", "path": "src/a.py", "language": "python", "matches": 1})
    );
    assert_eq!(told[1]["type"], "summary");
    assert_eq!(told[1]["shown"], 1);
    assert_eq!(told[1]["incomplete"], true);
    assert_eq!(told[1]["limit"], 1);
}

#[test]
fn nothing_found_is_status_one() {
    sample().run(["grep", "absent($X)"]).expect(&expect![[r#"
        --- stderr, status 1
        0 matches (4 searched)
        `fourfold explain` with the same arguments tells how the pattern is read
    "#]]);
    let run = sample().run(["grep", "--json", "absent($X)"]);
    assert_eq!((run.status, run.json().len()), (1, 1));
}

#[test]
fn every_reading_is_counted() {
    let project = sample();
    project.run(["grep", "int $N = $V;"]).expect(&expect![[r#"
        Point.java:2:3: [class-member]   int x = 1;
        Point.java:5:5:     int y = 2;
        --- stderr, status 0
        2 matches in 1 file (1 searched): 1 as statement, 1 as class-member
        not searched: 2 languages in which the pattern is no code (python, javascript)
    "#]]);
    project
        .run(["grep", "--as", "class-member", "int $N = $V;"])
        .expect(&expect![[r#"
            Point.java:2:3:   int x = 1;
            --- stderr, status 0
            1 match in 1 file (1 searched)
            not searched: 2 languages in which the pattern is no code (python, javascript)
        "#]]);
    project
        .run(["grep", "--strict", "int $N = $V;"])
        .expect(&expect![[r#"
            Point.java:2:3: [class-member]   int x = 1;
            Point.java:5:5:     int y = 2;
            --- stderr, status 0
            2 matches in 1 file (1 searched): 1 as statement, 1 as class-member
            not searched: 2 languages in which the pattern is no code (python, javascript)
        "#]]);
}

#[test]
fn constraints_narrow() {
    let project = sample();
    project
        .run([
            "grep",
            "print($$$)",
            "--inside",
            "if $C:\n    $$$",
            "--lang",
            "python",
        ])
        .expect(&expect![[r#"
            src/a.py:7:9:         print(
                |             2,
                |         )
            --- stderr, status 0
            1 match in 1 file (2 searched)
        "#]]);
    let run = project.run(["grep", "print($X)", "--where", "$X=~^2"]);
    assert!(run.out.contains("src/a.py:7:9: "), "{}", run.whole());
    let run = project.run([
        "grep",
        "$F($$$)",
        "--not-inside",
        "def $N($$$): $$$",
        "--lang",
        "py",
    ]);
    assert_eq!(run.out, "src/deep/c.py:1:1: print()\n", "{}", run.whole());
    let run = project.run([
        "grep",
        "--glob",
        "*.js",
        "--kind",
        "call_expression",
        "$F($$$)",
    ]);
    assert_eq!(run.out.lines().count(), 1, "{}", run.whole());
}

#[test]
fn queries_take_the_place_of_a_pattern() {
    let run = sample().run([
        "grep",
        "--lang",
        "python",
        "--query",
        "(call function: (identifier) @f)",
        "src/deep",
    ]);
    run.expect(&expect![[r#"
        src/deep/c.py:1:1: print()
        --- stderr, status 0
        1 match in 1 file (1 searched)
    "#]]);
}

#[test]
fn colours_are_off_in_a_pipe_and_on_when_asked_for() {
    let project = sample();
    assert!(!project.run(["grep", "print($$$)"]).out.contains('\x1b'));
    let run = project.run(["grep", "--color", "always", "print()"]);
    assert_eq!(
        run.out,
        "\x1b[35msrc/deep/c.py\x1b[0m:\x1b[32m1:1\x1b[0m: \x1b[1;31mprint()\x1b[0m\n"
    );
    let run = project.finish(
        project
            .command()
            .env("NO_COLOR", "1")
            .args(["grep", "--color", "always", "print()"]),
    );
    assert!(run.out.contains('\x1b'), "an explicit word is stronger");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let project = Project::new(&[(
        "a.py",
        &"print('some text that fills pipes')\n".repeat(20_000),
    )]);
    let mut child = project
        .command()
        .args(["grep", "print($X)"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut first).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!(&first, b"a.py:1:1: ");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn interrupting_twice_ends_the_process() {
    let project = Project::new(&[(
        "a.py",
        &"print('some text that fills pipes')\n".repeat(20_000),
    )]);
    let mut child = project
        .command()
        .args(["grep", "print($X)"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Nobody reads on, so it waits in the middle of its output.
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 10]).unwrap();
    let interrupt = format!("kill -INT {}", child.id());
    let status = loop {
        Command::new("sh")
            .args(["-c", &interrupt])
            .output()
            .unwrap();
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
    };
    assert_eq!(status.code(), Some(130));
}

#[test]
fn explanations() {
    let project = sample();
    project
        .run(["explain", "private final $T $N;", "Point.java"])
        .expect(&expect![[r#"
            java, primary reading, as statement: local_variable_declaration
                local_variable_declaration
                  "private"
                  "final"
                  $T
                  variable_declarator
                    $N
                  ";"
                only files that hold `private`, `final` are parsed
            java, further reading, as class-member: field_declaration
                field_declaration
                  "private"
                  "final"
                  $T
                  variable_declarator
                    $N
                  ";"
                only files that hold `private`, `final` are parsed
            java, further reading, as interface-member: constant_declaration
                constant_declaration
                  "private"
                  "final"
                  $T
                  variable_declarator
                    $N
                  ";"
                only files that hold `private`, `final` are parsed
            --- stderr, status 0
            1 match in 1 file (1 searched): 0 as statement, 1 as class-member
        "#]]);
    project
        .run(["explain", "a - b", "src/b.js"])
        .expect(&expect![[r#"
            javascript, primary reading, as statement: binary_expression
                binary_expression
                  identifier "a"
                  "-"
                  identifier "b"
                only files that hold `a`, `-`, `b` are parsed
            nearest misses
            src/b.js:3:11: a + b
                the pattern has `-`, the source has `+`
            --- stderr, status 1
            0 matches (1 searched)
        "#]]);
    project
        .run(["explain", "foo(", "src/b.js"])
        .expect_refusal(&expect![[r#"
            javascript: the pattern is no JavaScript code: `foo(`
              hint: a bracket is not closed; close it, with $$$ for what it holds
            --- stderr, status 2
            0 matches (0 searched)
        "#]]);
    let run = project.run(["explain", "--json", "a - b", "src/b.js"]);
    assert_eq!(run.status, 1);
    assert_eq!(run.json()[0]["readings"][0]["rung"], "statement");
}
