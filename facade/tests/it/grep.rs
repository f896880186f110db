//! Searching.

use std::ops::ControlFlow;

use fourfold::{CaptureText, Control, GrepRequest, Limits, Selection, Shape};

use crate::project::{Project, lines};

fn several() -> Project {
    Project::new(&[
        (
            "a.py",
            "print(1)\nprint(2, 3)\n# print(4)\ns = 'print(5)'\n",
        ),
        ("lib/b.js", "print(6);\nif (x) { print(print(7)); }\n"),
        ("lib/c.rs", "fn main() { print(8); }\n"),
        ("data.json", "{\"print\": 9}\n"),
        ("notes.txt", "print(10)\n"),
        (".gitignore", "out/\n"),
        ("out/d.py", "print(11)\n"),
        (".hidden/e.py", "print(12)\n"),
    ])
}

#[test]
fn several_languages_at_once_in_path_order() {
    let result = several().grep(&GrepRequest::pattern("print($X)"));
    assert_eq!(
        lines(&result),
        [
            "a.py:1:1 print(1)",
            "lib/b.js:1:1 print(6)",
            "lib/b.js:2:10 print(print(7))",
            "lib/b.js:2:16 print(7)",
            "lib/c.rs:1:13 print(8)",
        ]
    );
    let summary = &result.summary;
    assert_eq!(
        (summary.matches, summary.shown, summary.files_matched),
        (5, 5, 3)
    );
    assert_eq!(summary.files_searched - summary.files_parsed, 0);
    assert!(summary.left_out.is_none() && !summary.incomplete);
    let found = &result.files[0].matches[0];
    assert_eq!(found.captures["X"], CaptureText::One("1".into()));
    assert_eq!(found.rung, Some("statement"));
    assert_eq!(
        (found.start.byte, found.end.byte, found.end.column),
        (0, 8, 9)
    );
    assert_eq!(result.files[0].language, "python");
}

#[test]
fn files_without_the_words_are_not_parsed() {
    let project = Project::new(&[("a.py", "needle(1)\n"), ("b.py", "hay(2)\n")]);
    let summary = project.grep(&GrepRequest::pattern("needle($X)")).summary;
    assert_eq!((summary.files_searched, summary.files_parsed), (2, 1));
}

#[test]
fn ignored_and_hidden_files_when_asked() {
    let project = several();
    let mut request = GrepRequest::pattern("print($X)");
    request.selection.no_ignore = true;
    request.selection.hidden = true;
    request.shape.languages = vec!["py".into()];
    assert_eq!(
        lines(&project.grep(&request)),
        [
            ".hidden/e.py:1:1 print(12)",
            "a.py:1:1 print(1)",
            "out/d.py:1:1 print(11)"
        ]
    );
    // What is named is searched without being asked twice.
    let named = GrepRequest {
        shape: Shape::pattern("print($X)"),
        selection: Selection {
            paths: vec!["out/d.py".into()],
            ..Selection::default()
        },
        ..GrepRequest::default()
    };
    assert_eq!(lines(&project.grep(&named)), ["out/d.py:1:1 print(11)"]);
}

#[test]
fn globs_choose_files() {
    let mut request = GrepRequest::pattern("print($X)");
    request.selection.globs = vec!["lib/**".into(), "!*.rs".into()];
    assert_eq!(lines(&several().grep(&request)).len(), 3);
}

#[test]
fn shebangs_tell_the_language_of_named_files() {
    let project = Project::new(&[
        ("run", "#!/usr/bin/env python3\nprint(1)\n"),
        ("other", "#!/bin/sh\nprint 1\n"),
        ("part.inc", "print(2)\n"),
    ]);
    // Nobody named it, and its name tells nothing.
    assert!(lines(&project.grep(&GrepRequest::pattern("print($X)"))).is_empty());
    let mut request = GrepRequest::pattern("print($X)");
    request.shape.languages = vec!["python".into()];
    assert_eq!(lines(&project.grep(&request)), ["run:2:1 print(1)"]);
    let mut request = GrepRequest::pattern("print($X)");
    request.selection.paths = vec!["run".into(), "part.inc".into()];
    let result = project.grep(&request);
    assert_eq!(lines(&result), ["run:2:1 print(1)"]);
    assert_eq!(result.summary.skipped[0].reason, "of another kind");
    assert_eq!(result.summary.skipped[0].examples, ["part.inc"]);
    request.shape.languages = vec!["python".into()];
    assert_eq!(
        lines(&project.grep(&request)),
        ["part.inc:1:1 print(2)", "run:2:1 print(1)"]
    );
}

#[test]
fn pages_follow_one_another() {
    let text: String = (0..10).map(|n| format!("f({n})\n")).collect();
    let project = Project::new(&[("a.py", &text), ("b.py", &text), ("c.py", &text)]);
    let all = lines(&project.grep(&GrepRequest::pattern("f($X)")));
    assert_eq!(all.len(), 30);
    let mut pages = Vec::new();
    let mut request = GrepRequest::pattern("f($X)");
    request.limit = Some(7);
    loop {
        let result = project.grep(&request);
        assert_eq!(result.summary.matches, 30);
        pages.extend(lines(&result));
        let Some(left) = result.summary.left_out else {
            break;
        };
        assert_eq!(left.matches, 30 - pages.len());
        request.offset = left.next_offset;
    }
    assert_eq!(pages, all);
}

#[test]
fn counting_gives_files_without_matches() {
    let mut request = GrepRequest::pattern("print($X)");
    request.count_only = true;
    let result = several().grep(&request);
    let counts: Vec<_> = result
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.count, file.matches.len()))
        .collect();
    assert_eq!(
        counts,
        [("a.py", 1, 0), ("lib/b.js", 3, 0), ("lib/c.rs", 1, 0)]
    );
    assert_eq!((result.summary.matches, result.summary.shown), (5, 0));
    assert!(result.summary.left_out.is_none());
}

#[test]
fn texts_are_cut_at_a_character_and_said_to_be() {
    let long = format!("f('{}', {})\n", "é".repeat(300), "1, ".repeat(200));
    let project = Project::new(&[("a.py", &long)]);
    let mut request = GrepRequest::pattern("f($A, $$$REST)");
    request.max_text_bytes = Some(10);
    let result = project.grep(&request);
    let found = &result.files[0].matches[0];
    assert!(found.truncated);
    assert_eq!(found.text, "f('ééé…");
    assert_eq!(found.captures["A"], CaptureText::One("'éééé…".into()));
    let CaptureText::Many(rest) = &found.captures["REST"] else {
        panic!("a list")
    };
    assert_eq!(rest.len(), 11);
    assert_eq!(rest.last().unwrap(), "…");
}

#[test]
fn every_reading_is_counted_the_primary_first() {
    let java = "class A {\n  private final int n;\n  void m() { final int k = 1; }\n}\n";
    let project = Project::new(&[("A.java", java)]);
    let result = project.grep(&GrepRequest::pattern("private final $T $N;"));
    assert_eq!(lines(&result), ["A.java:2:3 private final int n;"]);
    assert!(result.files[0].matches[0].further);
    let readings = &result.summary.readings;
    assert!(readings[0].primary && readings[0].matches == 0);
    assert!(!readings[1].primary && readings[1].matches == 1);
    // One of them alone.
    let mut request = GrepRequest::pattern("private final $T $N;");
    request.shape.as_rung = readings[1].rung.map(str::to_owned);
    let result = project.grep(&request);
    assert!(!result.files[0].matches[0].further);
}

#[test]
fn constraints_and_conditions() {
    let project = Project::new(&[(
        "a.js",
        "function get() { f(1); }\nf(2);\nf(x);\nclass C { m() { f(3); f(g(4)); } }\n",
    )]);
    let found = |change: &dyn Fn(&mut Shape)| {
        let mut shape = Shape::pattern("f($X)");
        change(&mut shape);
        lines(&project.grep(&GrepRequest::new(shape)))
            .iter()
            .map(|line| line.rsplit(' ').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(&|s| s.inside = vec!["class $C { $$$ }".into()]),
        ["f(3)", "f(g(4))"]
    );
    assert_eq!(
        found(&|s| s.not_inside = vec!["class $C { $$$ }".into()]),
        ["f(1)", "f(2)", "f(x)"]
    );
    assert_eq!(found(&|s| s.has = vec!["g($Y)".into()]), ["f(g(4))"]);
    assert_eq!(found(&|s| s.not_has = vec!["g($Y)".into()]).len(), 4);
    assert_eq!(found(&|s| s.conditions = vec![r"$X=~^\d$".into()]).len(), 3);
    assert_eq!(found(&|s| s.conditions = vec![r"$X!~^\d$".into()]).len(), 2);
    assert_eq!(found(&|s| s.kind = Some("call_expression".into())).len(), 5);
}

#[test]
fn a_query_in_place_of_a_pattern() {
    let project = Project::new(&[("a.rs", "fn a() {}\nfn b() {}\n"), ("b.py", "x = 1\n")]);
    let query = "(function_item name: (identifier) @name) @match";
    let mut request = GrepRequest::new(Shape::query(query));
    let result = project.grep(&request);
    assert_eq!(lines(&result), ["a.rs:1:1 fn a() {}", "a.rs:2:1 fn b() {}"]);
    let found = &result.files[0].matches[0];
    assert_eq!(found.rung, None);
    assert_eq!(found.captures["name"], CaptureText::Many(vec!["a".into()]));
    assert_eq!(result.summary.languages_skipped[0].language, "python");
    request.shape.strict = true;
    assert!(
        project
            .grep_error(&request)
            .starts_with("`strict` constrains a pattern")
    );
}

#[test]
fn near_misses_say_why() {
    let project = Project::new(&[("a.js", "total = price + tax;\n"), ("b.js", "other();\n")]);
    let result = project.grep(&GrepRequest::pattern("$A = price - tax"));
    assert_eq!(result.summary.matches, 0);
    let miss = &result.summary.near_misses[0];
    assert_eq!((miss.path.as_str(), miss.start.line), ("a.js", 1));
    assert!(
        miss.reason.contains("`-`") && miss.reason.contains("`+`"),
        "{}",
        miss.reason
    );
    let result = project.grep(&GrepRequest::pattern("oter($X)"));
    assert_eq!(result.summary.absent_words, ["oter"]);
    assert_eq!(result.summary.near_words["oter"], "other");
    assert!(result.summary.near_misses.is_empty());
}

/// A name that is a part of another one does not stand there, and the one that was meant is told.
#[test]
fn a_word_that_stands_nowhere_is_told_with_the_nearest() {
    let text = "def want_bytes(s):\n    return s\n\n\nwant_bytes(1)\nother_bytes(2)\n";
    let project = Project::new(&[("a.py", text), ("b.py", "want_byte_s(want_bytes)\n")]);
    for typed in ["want_byte", "wnt_bytes", "wantbytes"] {
        let result = project.grep(&GrepRequest::pattern(format!("{typed}($X)")));
        assert_eq!(result.summary.absent_words, [typed]);
        assert_eq!(result.summary.near_words[typed], "want_bytes");
    }
    let result = project.grep(&GrepRequest::pattern("something_else($X)"));
    assert_eq!(result.summary.absent_words, ["something_else"]);
    assert!(result.summary.near_words.is_empty());
}

/// That a file's name does not tell its language is no reason not to say that no file is of one.
#[test]
fn a_language_that_no_file_is_of_is_told() {
    let files = [
        ("a.go", "package a\n"),
        ("LICENSE", "MIT\n"),
        ("Makefile", "all:\n"),
    ];
    let project = Project::new(&files);
    let mut request = GrepRequest::pattern("foo($X)");
    request.shape.languages = vec!["python".to_owned()];
    let unmet = project.grep(&request).summary.unmet;
    assert_eq!(unmet, ["no Python file is in this checkout"]);
    project.write("run", "#!/usr/bin/env python3\nbar(1)\n");
    let found = project.grep(&request).summary;
    assert_eq!((found.files_searched, found.unmet.len()), (1, 0));
}

/// Pages of nothing would never come to an end.
#[test]
fn a_page_has_one_entry_at_least() {
    let project = Project::new(&[("a.py", "f(1)\n")]);
    let mut request = GrepRequest::pattern("f($X)");
    request.limit = Some(0);
    let result = project.grep(&request);
    assert_eq!((result.summary.matches, result.summary.left_out), (1, None));
    let mut search = fourfold::SearchCodeRequest {
        query: "f".to_owned(),
        ..Default::default()
    };
    search.page.limit = Some(0);
    let refused = project.checkout().search_code(&search, &Control::new());
    assert_eq!(
        refused.unwrap_err().to_string(),
        "`limit` is 0: an answer has one entry at least"
    );
}

#[test]
fn a_language_in_which_the_pattern_is_no_code_is_left_out_and_said() {
    let project = Project::new(&[("a.rs", "fn f() { let x = 1; }\n"), ("b.py", "x = 1\n")]);
    let result = project.grep(&GrepRequest::pattern("let $X = $Y;"));
    assert_eq!(lines(&result), ["a.rs:1:10 let x = 1;"]);
    let left_out = &result.summary.languages_skipped;
    assert_eq!((left_out[0].language, left_out[0].files), ("python", 1));
    assert_eq!(
        left_out[0].why,
        "the pattern is no Python code: `let $X = $Y;`"
    );
    assert_eq!(result.summary.files_searched, 1);
}

#[test]
fn files_with_syntax_errors_are_searched_and_counted() {
    let project = Project::new(&[("a.js", "f(1);\nfunction ( {\n")]);
    let result = project.grep(&GrepRequest::pattern("f($X)"));
    assert_eq!(lines(&result), ["a.js:1:1 f(1)"]);
    assert!(result.files[0].has_errors);
    assert_eq!(result.summary.files_with_errors, 1);
}

#[test]
fn what_is_past_the_last_match_or_only_counted_is_said() {
    let project = Project::new(&[("a.js", "f(1); f(2);\n"), ("b.js", "f(3);\n")]);
    let text = |arguments: serde_json::Value| {
        let conversation = project.conversation();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime
            .block_on(conversation.call("ast_grep", arguments))
            .unwrap()
            .text
    };
    assert_eq!(
        text(serde_json::json!({ "pattern": "f($X)", "offset": 9 })),
        "3 matches in 2 files (2 searched)\noffset 9 is past the last of 3 matches\n"
    );
    assert_eq!(
        text(serde_json::json!({ "pattern": "f($X)", "count_only": true })),
        "3 matches in 2 files (2 searched)\na.js: 2 matches  (javascript)\nb.js: 1 match\n"
    );
}

#[test]
fn a_column_does_not_count_a_byte_order_mark() {
    let project = Project::new(&[("a.js", "\u{feff}f(1); f(2);\n")]);
    let found = project
        .checkout()
        .grep(&GrepRequest::pattern("f($X)"), &Control::new())
        .unwrap();
    let places: Vec<(usize, usize)> = found.files[0]
        .matches
        .iter()
        .map(|one| (one.start.byte, one.start.column))
        .collect();
    assert_eq!(places, [(3, 1), (9, 7)]);
}

#[test]
fn threads_change_nothing() {
    let names: Vec<(String, String)> = (0..60)
        .map(|n| (format!("d{}/f{n}.js", n % 7), "f(1); f(2);\n".repeat(n % 5)))
        .collect();
    let files: Vec<(&str, &str)> = names
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let project = Project::new(&files);
    let mut request = GrepRequest::pattern("f($X)");
    request.limit = Some(50);
    request.offset = 9;
    let with = |threads| {
        let limits = Limits {
            threads,
            ..Limits::default()
        };
        let checkout = project.with_limits(limits);
        checkout.grep(&request, &Control::new()).unwrap()
    };
    let one = with(1);
    assert_eq!(one.summary.shown, 50);
    for threads in [2, 8] {
        assert_eq!(with(threads), one);
    }
}

#[test]
fn a_stream_can_be_ended_and_cancelled() {
    let project = several();
    let checkout = project.checkout();
    let request = GrepRequest::pattern("print($X)");
    let mut paths = Vec::new();
    let summary = checkout
        .grep_each(&request, &Control::new(), &mut |file| {
            paths.push(file.path);
            ControlFlow::Break(())
        })
        .unwrap();
    assert_eq!(paths, ["a.py"]);
    assert!(summary.incomplete);

    let control = Control::new();
    let summary = checkout
        .grep_each(&request, &control, &mut |_| {
            control.cancel();
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(summary.files_matched, 1);
    assert!(summary.incomplete);

    let cancelled = Control::new();
    cancelled.cancel();
    let error = checkout.grep(&request, &cancelled).unwrap_err();
    assert!(matches!(error, fourfold::Error::Cancelled));
}

#[test]
fn terminals_get_the_source() {
    let mut request = GrepRequest::pattern("print($X)");
    request.with_source = true;
    request.shape.languages = vec!["rust".into()];
    let result = several().grep(&request);
    let file = &result.files[0];
    assert_eq!(file.source, "fn main() { print(8); }\n");
    let found = &file.matches[0];
    assert_eq!(&file.source[found.start.byte..found.end.byte], "print(8)");
    assert!(found.text.is_empty() && found.captures.is_empty());
}

#[test]
fn nothing_found_where_most_files_refuse_the_pattern_is_an_error() {
    let project = Project::new(&[
        ("a.py", "foo(bar)\n"),
        ("b.py", "foo(bar)\n"),
        ("c.css", "p { color: red; }\n"),
    ]);
    let error = project.grep_error(&GrepRequest::pattern("foo.*bar"));
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines[0], "the pattern is no Python code: `foo.*bar`");
    assert!(lines[1].starts_with("  hint: this looks like a regular expression"));
    assert_eq!(
        lines.last(),
        Some(&"searched without result: CSS, where it can be read")
    );
    // As many files accept it as refuse it.
    let mut request = GrepRequest::pattern("foo.*bar");
    request.selection.paths = vec!["a.py".into(), "c.css".into()];
    assert_eq!(project.grep(&request).summary.matches, 0);
}

/// What the index knows of a file spares its parsing, as long as the file is as it was.
#[test]
fn an_index_that_is_open_spares_parsing() {
    let project = Project::new(&[
        ("a.py", "# try and finally\nx = 1\n"),
        ("b.py", "try:\n    f()\nfinally:\n    g()\n"),
    ]);
    let checkout = project.checkout();
    let request = GrepRequest::pattern("try:\n    $$$\nfinally:\n    $$$");
    let search = || checkout.grep(&request, &Control::new()).unwrap().summary;
    assert_eq!((search().matches, search().files_parsed), (1, 2));
    let status = fourfold::CodeGraphRequest::default();
    checkout.code_graph(&status, &Control::new()).unwrap();
    assert_eq!((search().matches, search().files_parsed), (1, 1));
    project.write("a.py", "# again\ntry:\n    f()\nfinally:\n    g()\n");
    assert_eq!((search().matches, search().files_parsed), (2, 2));
}

/// What was asked for and is not there is said, and not taken for "no match".
#[test]
fn a_search_of_nothing_says_why() {
    let project = Project::new(&[
        ("src/a.py", "f(1)\n"),
        ("lib/b.js", "f(1)\n"),
        ("notes.txt", "f(1)\n"),
        (".hidden/c.rb", "f(1)\n"),
        (".gitignore", "*.lua\n"),
        ("x.lua", "f(1)\n"),
    ]);
    let said = |languages: &[&str], paths: &[&str], globs: &[&str]| {
        let mut request = GrepRequest::pattern("g($X)");
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        request.shape.languages = owned(languages);
        request.selection.globs = owned(globs);
        request.selection.paths = paths.iter().map(Into::into).collect();
        project.grep(&request).summary.unmet
    };
    const HIDDEN: &str = ", but for hidden or ignored ones: `hidden` and `no_ignore` search those";
    assert_eq!(said(&["go"], &[], &[]), ["no Go file is in this checkout"]);
    assert_eq!(
        said(&["ruby"], &[], &[]),
        [format!("no Ruby file is in this checkout{HIDDEN}")]
    );
    assert_eq!(
        said(&["python"], &["lib"], &[]),
        ["no Python file is among those that `paths` choose"]
    );
    assert_eq!(
        said(&["python"], &[], &["*.js"]),
        ["no Python file is among those that `globs` choose"]
    );
    assert_eq!(
        said(&[], &[], &["*.rs"]),
        ["no file matches the glob `*.rs`"]
    );
    assert_eq!(
        said(&[], &[], &["*.rb"]),
        [format!("no file matches the glob `*.rb`{HIDDEN}")]
    );
    // A glob chooses what is ignored as well.
    assert_eq!(said(&[], &[], &["*.lua"]), [""; 0]);
    // One of them was a slip.
    assert_eq!(
        said(&[], &[], &["*.py", "*.pyy"]),
        ["no file matches the glob `*.pyy`"]
    );
    assert_eq!(
        said(&[], &[], &["*.txt"]),
        ["no file that `globs` choose is of a language that can be searched"]
    );
    // Where there was something to search nothing is said.
    assert_eq!(said(&["python"], &[], &[]), [""; 0]);
    assert_eq!(said(&[], &["src"], &["!*.rs"]), [""; 0]);
}
