//! What bad input gets: one clear sentence, and the rest of the run.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use expect_test::expect;
use serde_json::json;

use crate::project::Project;

fn sample() -> Project {
    Project::new(&[("a.py", "print(1)\n")])
}

#[test]
fn what_cannot_be_understood_is_said_to_programs_too() {
    let run = sample().run(["--json", "grpe", "x"]);
    assert_eq!(run.status, 2, "{}", run.whole());
    let said = "there is no command `grpe`; did you mean `grep`?";
    assert_eq!(run.err, format!("error: {said}\n"));
    assert_eq!(run.json(), [json!({"type": "error", "message": said})]);
}

#[test]
fn a_binary_file_is_called_one() {
    let project = sample();
    project.write("b.bin", b"\0\x01abc\nabc\n");
    let run = project.run(["edit", "b.bin", "--old", "abc", "--new", "x"]);
    assert_eq!(run.status, 2, "{}", run.whole());
    assert_eq!(
        run.err,
        "error: cannot edit `b.bin`: it is binary (there is a NUL byte), and the old text is not in it \
         exactly once\n"
    );
}

#[test]
fn bad_arguments_name_the_nearest_good_one() {
    let project = sample();
    let say = |args: &[&str]| {
        let run = project.run(args);
        assert_eq!(run.status, 2, "{}", run.whole());
        assert_eq!(run.out, "");
        run.err
    };
    expect![[r#"
        error: there is no command `grpe`; did you mean `grep`?
        error: `PATTERN` is missing; `fourfold grep --help` shows what there is
        error: there is no option `--lnag`; did you mean `--lang`?
        error: `--as` cannot be `clas`; did you mean `class-member`?
        error: `now` is one argument too many; `fourfold serve --help` shows what there is
        error: `--at` is given twice
        error: `--lang` cannot be `pythn`; did you mean `python`?
        error: `--as` cannot be `expresion`; did you mean `expression`?
        error: `--limit` cannot be `0`; give a whole number from 1 up
        error: `--limit` cannot be `many`; give a whole number from 1 up
        error: `--limit` cannot be `-1`; give a whole number from 1 up
        error: there is no `nowhere.py` here
        error: `--color` cannot be `yes`; it may be `auto`, `always`, `never`
        error: `--lang` needs a value; it may be `bash`, `c`, `cpp`, `csharp`, `css`, `dart`, `elixir`, `go`, `haskell`, `html`, `java`, `javascript`, `json`, `jsx`, `kotlin`, `lua`, `php`, `proto`, `python`, `ruby`, `rust`, `scala`, `swift`, `toml`, `tsx`, `typescript`, `yaml`, `zig`
        error: there is no option `-$`; put `--` before a pattern that begins with `-`
        error: `strict` constrains a pattern; with a query, say it in the query, with its predicates (#match?, #eq?)
        error: `--apply` or `--discard` is missing; `fourfold resolve --help` shows what there is
        error: `ID` and `--apply` or `--discard` are missing; `fourfold resolve --help` shows what there is
        error: `--apply` and `--discard` exclude each other
        error: `SHELL` cannot be `bsh`; did you mean `bash`?
        error: `SHELL` cannot be `tcsh`; it may be `bash`, `elvish`, `fish`, `powershell`, `zsh`
        error: `--lang` cannot be `cobol`; it may be `bash`, `c`, `cpp`, `csharp`, `css`, `dart`, `elixir`, `go`, `haskell`, `html`, `java`, `javascript`, `json`, `jsx`, `kotlin`, `lua`, `php`, `proto`, `python`, `ruby`, `rust`, `scala`, `swift`, `toml`, `tsx`, `typescript`, `yaml`, `zig`
        error: `ACTION` is missing; `fourfold lsp --help` shows what there is
        error: there is no option `--bogus`; `fourfold mcp --help` shows what there is
        error: there is no option `--limit`; `fourfold rewrite --help` shows what there is; put `--` before a pattern that begins with `-`
        error: `SYMBOL` or `--since [<COMMIT>]` is missing; `fourfold graph impact --help` shows what there is
        error: cannot start in `nowhere`: No such file or directory (os error 2)
    "#]].assert_eq(
        &[
            say(&["grpe", "x"]),
            say(&["grep"]),
            say(&["grep", "x", "--lnag", "py"]),
            say(&["grep", "x", "--as", "clas"]),
            say(&["serve", "now"]),
            say(&["debug", "ask", "a.py", "--at", "A", "--at", "B"]),
            say(&["grep", "x", "--lang", "pythn"]),
            say(&["grep", "x", "--as", "expresion"]),
            say(&["grep", "x", "--limit", "0"]),
            say(&["grep", "x", "--limit", "many"]),
            say(&["grep", "x", "--limit", "-1"]),
            say(&["lsp", "hover", "nowhere.py:3"]),
            say(&["grep", "x", "--color", "yes"]),
            say(&["grep", "x", "--lang"]),
            say(&["grep", "-$X"]),
            say(&["grep", "x", "--query", "(identifier)", "--strict"]),
            say(&["resolve", "s-7k2m"]),
            say(&["resolve"]),
            say(&["resolve", "s-7k2m", "--apply", "--discard"]),
            say(&["completions", "bsh"]),
            say(&["completions", "tcsh"]),
            say(&["grep", "x", "--lang", "cobol"]),
            say(&["lsp"]),
            say(&["mcp", "--bogus"]),
            say(&["rewrite", "--limit", "3", "a", "b"]),
            say(&["graph", "impact"]),
            say(&["-C", "nowhere", "languages"]),
        ]
        .concat(),
    );
}

#[test]
fn bad_patterns_are_told_apart_from_nothing_found() {
    let project = sample();
    project.run(["grep", "print("]).expect_refusal(&expect![[r#"
        --- stderr, status 2
        error: the pattern is no Python code: `print(`
          hint: a bracket is not closed; close it, with $$$ for what it holds
    "#]]);
    project
        .run(["grep", "print\\(.*\\)"])
        .expect_refusal(&expect![[r#"
            --- stderr, status 2
            error: the pattern is no Python code: `print\(.*\)`
              hint: this looks like a regular expression; write the code itself, with $X for one node and $$$XS for any number of them, and constrain a capture with --where '$X=~REGEX'
        "#]]);
    let run = project.run(["grep", "--json", "print("]);
    let json = run.json();
    assert_eq!(json[0]["type"], "error");
    assert_eq!(
        run.err,
        format!("error: {}\n", json[0]["message"].as_str().unwrap())
    );
    project
        .run(["grep", "print($X)", "--where", "$Y=~a"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: the condition speaks of $Y, which the pattern does not bind; it binds $X
        "#]]);
    project
        .run(["grep", "print($X)", "--where", "$X=~("])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: the condition on $X has no valid regular expression: regex parse error:
                (
                ^
            error: unclosed group
        "#]]);
    // A file of a language in which the pattern is no code has nothing to do with it.
    project.write("beside.toml", "[a]\nb = 1\n");
    project
        .run(["grep", "print($X)", "--where", "X"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: the condition `X` is not of the form $X=~REGEX or $X!~REGEX
        "#]]);
    fs::remove_file(project.root().join("beside.toml")).unwrap();
    project
        .run(["grep", "print($X)", "--inside", "def ("])
        .expect_refusal(&expect![[r#"
            --- stderr, status 2
            error: in `inside`, the pattern is no Python code: `def (`
              hint: a bracket is not closed; close it, with $$$ for what it holds
        "#]]);
    project
        .run(["grep", "print($X)", "--kind", "cal"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: the Python grammar has no node kind `cal`; the nearest is `call`
        "#]]);
    project
        .run(["grep", "--query", "(cal)"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: the query does not compile for Python, line 1 column 2: the grammar has no node kind `cal`; the nearest is `call`
        "#]]);
    project
        .run(["grep", "--glob", "a[", "print($X)"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: cannot use the glob `a[`: error parsing glob 'a[': unclosed character class; missing ']'; the form is that of .gitignore, with a leading `!` to leave out
        "#]]);
}

#[test]
fn bad_paths() {
    let project = sample();
    project
        .run(["grep", "print($X)", "absent.py"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: cannot search `absent.py`: nothing is there; check the spelling (relative paths start at `ROOT`)
        "#]]);
    project
        .run(["grep", "print($X)", "../elsewhere"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: cannot search `../elsewhere`: it is outside the checkout `ROOT`; name a path inside, or open the checkout it belongs to
        "#]]);
    project
        .run(["grep", "print($X)", "/etc/passwd"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: cannot search `/etc/passwd`: it is outside the checkout `ROOT`; name a path inside, or open the checkout it belongs to
        "#]]);
}

#[test]
fn what_cannot_be_searched_is_counted_and_the_rest_is_searched() {
    let project = sample();
    project.write("binary.py", b"print(1)\0");
    project.write("latin.py", b"print('\xe9')\n");
    project.write("long.py", "x = 1\n".repeat(1_500_000));
    project.write("broken.py", "print(2)\ndef (:\n");
    project.write("line.py", format!("print('{}')\n", "x".repeat(200_000)));
    symlink("absent", project.root().join("link.py")).unwrap();
    symlink("/etc/passwd", project.root().join("out.py")).unwrap();
    let args = [
        "grep",
        "print($X)",
        "a.py",
        "binary.py",
        "broken.py",
        "latin.py",
        "line.py",
        "link.py",
        "long.py",
        "out.py",
    ];
    project
        .run(args.iter().chain(&["--max-text", "30"]))
        .expect(&expect![[r#"
            a.py:1:1: print(1)
            broken.py:1:1: print(2)
            line.py:1:1: print('xxxxxxxxxxxxxxxxxxxxxxx…
            --- stderr, status 0
            3 matches in 3 files (3 searched)
            skipped: 1 binary (binary.py), 1 not UTF-8 (latin.py), 1 too large (>8 MiB) (long.py), 1 link out of the checkout (out.py), 1 broken link (link.py)
            1 file with syntax errors: what stands in or near them may not have been found
        "#]]);
}

#[test]
fn folders_that_cannot_be_read_are_said() {
    let project = sample();
    project.write("closed/b.py", "print(2)\n");
    let closed = project.root().join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let root_reads_all = fs::read_dir(&closed).is_ok();
    let run = project.run(["grep", "print($X)"]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(run.status, 0);
    if !root_reads_all {
        assert!(run.err.contains("permission denied"), "{}", run.whole());
    }
}

#[test]
fn what_is_no_code_where_it_was_meant_is_an_error_though_another_grammar_takes_it() {
    let project = Project::new(&[
        ("a.py", "foo(bar)\n"),
        ("b.py", "foo(bar)\n"),
        ("docs/a.css", "p { color: red; }\n"),
    ]);
    project
        .run(["grep", "foo.*bar"])
        .expect_refusal(&expect![[r#"
            --- stderr, status 2
            error: the pattern is no Python code: `foo.*bar`
              hint: this looks like a regular expression; write the code itself, with $X for one node and $$$XS for any number of them, and constrain a capture with --where '$X=~REGEX'
            searched without result: CSS, where it can be read
        "#]]);
    project
        .run(["rewrite", "foo.*bar", "baz"])
        .expect_refusal(&expect![[r#"
            --- stderr, status 2
            error: the pattern is no Python code: `foo.*bar`
              hint: this looks like a regular expression; write the code itself, with $X for one node and $$$XS for any number of them, and constrain a capture with --where '$X=~REGEX'
            searched without result: CSS, where it can be read
        "#]]);
    project
        .run(["grep", "foo($X)", "--inside", "def $$$"])
        .expect_refusal(&expect![[r#"
            --- stderr, status 2
            error: in `inside`, the pattern is no Python code: `def $$$`
              hint: the declaration has no body; add one, such as `:` and an indented $$$BODY
            searched without result: CSS, where it can be read
        "#]]);
    // Meant for the style sheet.
    assert_eq!(project.run(["grep", "foo.*bar", "-l", "css"]).status, 1);
    // What was found counts, and the rest is a note.
    project.run(["grep", "p { $$$ }"]).expect(&expect![[r#"
        docs/a.css:1:1: p { color: red; }
        --- stderr, status 0
        1 match in 1 file (1 searched)
        not searched: 1 language in which the pattern is no code (python)
    "#]]);
    // Data refuses all code; that says nothing about the pattern.
    for name in ["x.json", "y.json", "z.json"] {
        project.write(name, "{}\n");
    }
    project.run(["grep", "absent($X, $Y)"]).expect(&expect![[r#"
            --- stderr, status 1
            0 matches (3 searched)
            not searched: 1 language in which the pattern is no code (json)
            `fourfold explain` with the same arguments tells how the pattern is read
        "#]]);
}

#[test]
fn the_same_obstacle_is_said_once() {
    let project = Project::new(&[
        ("a.py", "f(1)\n"),
        ("b.js", "f(1)\n"),
        ("c.go", "package a\n"),
    ]);
    project
        .run(["grep", "f($X)", "--where", "X=~^a"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: the condition `X=~^a` is not of the form $X=~REGEX or $X!~REGEX
        "#]]);
}

#[test]
fn likely_slips_are_said_when_nothing_is_found() {
    let project = Project::new(&[("a.py", "f(1)\n"), ("b.js", "f(1)\n")]);
    project.run(["grep", "f(...)", "a.py"]).expect(&expect![[r#"
            --- stderr, status 1
            0 matches (1 searched)
            hint: `...` is no placeholder; write $$$ for any number of things
            `fourfold explain` with the same arguments tells how the pattern is read
        "#]]);
    project.run(["grep", "f($x)", "b.js"]).expect(&expect![[r#"
            --- stderr, status 1
            0 matches (1 searched)
            hint: metavariables are capitals: $X for one node, $$$XS for any number of them
            `fourfold explain` with the same arguments tells how the pattern is read
        "#]]);
    project
        .run(["grep", "f($x)", "a.py"])
        .expect_refusal(&expect![[r#"
            --- stderr, status 2
            error: the pattern is no Python code: `f($x)`
              hint: metavariables are capitals: $X for one node, $$$XS for any number of them
        "#]]);
}

#[test]
fn a_query_is_named_as_a_query() {
    let project = Project::new(&[
        ("a.rs", "fn f() {}\n"),
        ("b.py", "x = 1\n"),
        ("c.js", "f()\n"),
    ]);
    project
        .run(["grep", "--query", "(function_item) @f"])
        .expect(&expect![[r#"
            a.rs:1:1: fn f() {}
            --- stderr, status 0
            1 match in 1 file (1 searched)
            not searched: 2 languages in which the query does not compile (javascript, python)
        "#]]);
}

#[test]
fn names_of_files_need_not_be_text() {
    let project = sample();
    let name = std::ffi::OsStr::from_bytes(b"odd\xff.py");
    fs::write(project.root().join(name), "print(2)\n").unwrap();
    project.write("line\nbreak\x1b[31m.py", "print(3)\n");
    project.run(["grep", "print($X)"]).expect(&expect![[r#"
        a.py:1:1: print(1)
        line\nbreak\u{1b}[31m.py:1:1: print(3)
        odd�.py:1:1: print(2)
        --- stderr, status 0
        3 matches in 3 files (3 searched)
    "#]]);
    project
        .run(["grep", "--count", "print($X)"])
        .expect(&expect![[r#"
            a.py:1
            line\nbreak\u{1b}[31m.py:1
            odd�.py:1
            --- stderr, status 0
            3 matches in 3 files (3 searched)
        "#]]);
    let id = project.run(["rewrite", "print($X)", "log($X)"]).stage();
    let run = project.run(["resolve", &id, "--apply", "--except", "odd\u{fffd}.py"]);
    assert_eq!(run.status, 0, "{}", run.whole());
    let odd = fs::read_to_string(project.root().join(name)).unwrap();
    assert_eq!(odd, "print(2)\n");
    let run = project.run(["rewrite", "print($X)", "log($X)", "--apply"]);
    assert_eq!(run.status, 0, "{}", run.whole());
    let odd = fs::read_to_string(project.root().join(name)).unwrap();
    assert_eq!(odd, "log(2)\n");
}
