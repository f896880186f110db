//! What checkers were recorded to write, and every way for one to end.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use expect_test::expect;
use fourfold_child::Guard;
use tempfile::TempDir;

use super::*;
use crate::catalog::Catalog;
use crate::detect::{Availability, DetectConfig, Trust};
use crate::diagnostic::Severity;

/// What was recorded of a checker, read and placed in the files it was about: a line each, with
/// what the span covers.
fn read(format: Format, recorded: &str, files: &[(&str, &str)]) -> String {
    let mut output = Output::default();
    output.stdout.extend(recorded.as_bytes());
    output.stderr.extend(recorded.lines().map(str::to_owned));
    let root = Path::new("/checkout");
    let open = files
        .iter()
        .map(|(path, text)| (root.join(path), (Arc::from(*text), 0)))
        .collect();
    let texts = Texts::new(open, 0);
    let placed = finding::place(format.read(&output), root, root, &texts);
    let mut lines = String::new();
    for (path, diagnostics) in placed {
        let path = path.strip_prefix(root).unwrap().to_owned();
        let text = files.iter().find(|(name, _)| Path::new(name) == path);
        for diagnostic in diagnostics {
            let Diagnostic {
                span,
                severity,
                code,
                message,
                tags,
                related,
                ..
            } = diagnostic;
            let line = text.and_then(|(_, text)| text.lines().nth(span.start.line as usize));
            let from = line.and_then(|line| line.get(span.start.column as usize..));
            let length = (span.end.column - span.start.column) as usize;
            let covered = match (from, span.start == span.end) {
                (Some(rest), true) => format!("at {rest:?}"),
                (Some(rest), false) => format!("{:?}", &rest[..length]),
                (None, _) => "no text".to_owned(),
            };
            let code = code.unwrap_or_default();
            writeln!(
                lines,
                "{}:{} {covered} {severity:?} {code} {message:?} {tags:?} {}",
                path.display(),
                span.start.line + 1,
                related.len()
            )
            .unwrap();
        }
    }
    lines
}

#[test]
fn cargo() {
    let read = read(
        Format::Cargo,
        include_str!("../../tests/fixtures/checkers/cargo.jsonl"),
        &[
            (
                "src/main.rs",
                include_str!("../../tests/fixtures/checkers/rust/src/main.rs"),
            ),
            (
                "src/windows.rs",
                include_str!("../../tests/fixtures/checkers/rust/src/windows.rs"),
            ),
            (
                "member/src/lib.rs",
                include_str!("../../tests/fixtures/checkers/rust/member/src/lib.rs"),
            ),
        ],
    );
    expect![[r#"
        member/src/lib.rs:10 "old" Warning deprecated "use of deprecated function `old`" [Deprecated] 0
        member/src/lib.rs:2 "\"x\"" Error E0308 "mismatched types\nexpected `u8`, found `&str`" [] 0
        src/main.rs:3 "missing" Error E0425 "cannot find value `missing` in this scope\nnot found in this scope" [] 0
        src/main.rs:10 "Missing" Error E0425 "cannot find type `Missing` in this scope\nnot found in this scope" [] 1
        src/main.rs:2 "\"text\"" Error E0308 "mismatched types\nexpected `u32`, found `&str`" [] 1
        src/main.rs:9 "\"macro\"" Error E0308 "mismatched types\nexpected `u8`, found `&str`" [] 1
        src/main.rs:10 "1" Error E0277 "the trait bound `{integer}: AsRef<Path>` is not satisfied\nthe trait `AsRef<Path>` is not implemented for `{integer}`" [] 1
        src/windows.rs:2 "x" Warning unused_variables "unused variable: `x`" [Unnecessary] 1
    "#]].assert_eq(&read);
}

#[test]
fn a_macro_of_somebody_else_is_blamed_on_its_call() {
    let span = |file: &str, line: u32, more: &str| {
        format!(
            r#"{{"file_name":"{file}","line_start":{line},"line_end":{line},"column_start":1,
                "column_end":2,"is_primary":true,"label":null,"expansion":{more}}}"#
        )
    };
    let call = span("src/main.rs", 1, "null");
    let inner = span(
        "/toolchain/library/core/src/macros.rs",
        7,
        &format!(r#"{{"span":{call}}}"#),
    );
    let message = |spans: &str, level: &str, text: &str| {
        let line = format!(
            r#"{{"target":{{"src_path":"/checkout/src/main.rs"}},"message":{{"message":"{text}",
                "level":"{level}","code":null,"spans":[{spans}],"children":[]}}}}"#
        );
        line.replace('\n', "") + "\n"
    };
    let recorded = message(&inner, "error", "bad")
        + "Compiling noise\n"
        + &message("", "error", "linking failed")
        + &message("", "error", "aborting due to 2 previous errors")
        + &message("", "warning", "1 warning emitted")
        + &message(
            &span("/elsewhere/src/lib.rs", 1, "null"),
            "error",
            "not ours",
        )
        + "{\"reason\":\"build-finished\",\"success\":false}\n";
    expect![[r#"
        src/main.rs:1 "x" Error  "bad" [] 0
        src/main.rs:1 at "x!();" Error  "linking failed" [] 0
    "#]]
    .assert_eq(&read(
        Format::Cargo,
        &recorded,
        &[("src/main.rs", "x!();\n")],
    ));
}

#[test]
fn typescript() {
    let read = read(
        Format::TypeScript,
        include_str!("../../tests/fixtures/checkers/tsc.txt"),
        &[
            (
                "a.ts",
                include_str!("../../tests/fixtures/checkers/typescript/a.ts"),
            ),
            (
                "b.ts",
                include_str!("../../tests/fixtures/checkers/typescript/b.ts"),
            ),
        ],
    );
    expect![[r#"
        a.ts:1 at "n: number = \"text\";" Error 2322 "Type 'string' is not assignable to type 'number'." [] 0
        a.ts:2 at "y; }" Error 2339 "Property 'y' does not exist on type '{ x: number; }'." [] 0
        a.ts:3 at "z: { deep: \"no\" } });" Error 2353 "Object literal may only specify known properties, and 'z' does not exist in type '{ x: number; }'." [] 0
        a.ts:4 at "g: (a: { x: { y: number } }) => void = (a: { x: { y: string } }) => {};" Error 2322 "Type '(a: { x: { y: string; }; }) => void' is not assignable to type '(a: { x: { y: number; }; }) => void'.\n  Types of parameters 'a' and 'a' are incompatible.\n    Type '{ x: { y: number; }; }' is not assignable to type '{ x: { y: string; }; }'.\n      The types of 'x.y' are incompatible between these types.\n        Type 'number' is not assignable to type 'string'." [] 0
        b.ts:2 at "s: string = ok;" Error 2322 "Type 'number' is not assignable to type 'string'." [] 0
    "#]].assert_eq(&read);
}

#[test]
fn go_vet() {
    let read = read(
        Format::GoVet,
        include_str!("../../tests/fixtures/checkers/go-vet.txt"),
        &[
            (
                "main.go",
                include_str!("../../tests/fixtures/checkers/go/main.go"),
            ),
            (
                "sub/a.go",
                include_str!("../../tests/fixtures/checkers/go/sub/a.go"),
            ),
        ],
    );
    expect![[r#"
        main.go:9 at "undefinedName)" Error  "undeclared name: undefinedName" [] 0
        sub/a.go:6 at "fmt.Printf(\"%d\\n\", \"text\")" Warning  "fmt.Printf format %d has arg \"text\" of wrong type string" [] 0
    "#]].assert_eq(&read);
}

#[test]
fn python() {
    let files = [(
        "a.py",
        include_str!("../../tests/fixtures/checkers/python/a.py"),
    )];
    let pyright = read(
        Format::Pyright,
        include_str!("../../tests/fixtures/checkers/pyright.json"),
        &files,
    );
    expect![[r#"
        a.py:5 "a" Error reportReturnType "Type \"int\" is not assignable to return type \"str\"\n\u{a0}\u{a0}\"int\" is not assignable to \"str\"" [] 0
        a.py:8 "1" Error reportCallIssue "Expected 1 positional argument" [] 0
    "#]].assert_eq(&pyright);
    // This version is off by the bytes that make characters longer than one; the other lines show
    // what is meant.
    let mypy = read(
        Format::Mypy,
        include_str!("../../tests/fixtures/checkers/mypy.txt"),
        &files,
    );
    expect![[r#"
        a.py:5 "u" Error return-value "Incompatible return value type (got \"int\", expected \"str\")" [] 0
        a.py:8 "f(\"x\", 1)" Error call-arg "Too many arguments for \"f\"" [] 0
        a.py:8 "\"x\"" Error arg-type "Argument 1 to \"f\" has incompatible type \"str\"; expected \"int\"" [] 0
    "#]].assert_eq(&mypy);
}

/// Written by hand, after the description of the format.
#[test]
fn dart() {
    let recorded = "Analyzing checkout...\n\
        ERROR|COMPILE_TIME_ERROR|UNDEFINED_METHOD|/checkout/lib/a.dart|1|19|7|The method 'missing' isn't defined for 'int \\| String'.\\nTry again.\n\
        INFO|LINT|PREFER_CONST|/checkout/lib/a.dart|1|1|5|Prefer const.\n\
        WARNING|STATIC_WARNING|X|/elsewhere/a.dart|1|1|5|Not ours.\n";
    let read = read(
        Format::Dart,
        recorded,
        &[("lib/a.dart", "final é = \"😀\"; é.missing();\n")],
    );
    expect![[r#"
        lib/a.dart:1 "missing" Error undefined_method "The method 'missing' isn't defined for 'int | String'.\nTry again." [] 0
        lib/a.dart:1 "final" Information prefer_const "Prefer const." [] 0
    "#]].assert_eq(&read);
}

#[test]
fn what_is_no_finding_is_no_finding() {
    for format in [
        Format::Cargo,
        Format::TypeScript,
        Format::GoVet,
        Format::Pyright,
        Format::Dart,
        Format::Mypy,
    ] {
        for text in [
            "",
            "\n\n",
            "{",
            "[]",
            "{\"message\":1}",
            "a(1,2): error",
            "a.go:x:y: z",
            "|||||||",
            "ERROR|a|b|c|1",
            "a.py:1:2: error: x",
            "\u{0}\\",
            ": : : ",
            "a(1,99999999999): error TS1: x",
        ] {
            assert_eq!(read(format, text, &[]), "", "{format:?} {text:?}");
        }
    }
}

/// A checkout whose checker is a script.
fn scripted(script: &str) -> (TempDir, Detector) {
    let base = TempDir::new().unwrap();
    let at = |path: &str| base.path().join(path);
    fs::create_dir_all(at("bin")).unwrap();
    fs::create_dir(at("checkout")).unwrap();
    fs::write(at("checkout/tsconfig.json"), "{}").unwrap();
    fs::write(at("checkout/a.ts"), "let x;\n").unwrap();
    fs::write(at("bin/tsc"), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(at("bin/tsc"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut config = DetectConfig::new(at("state"));
    config.search_path = at("bin").into();
    config.guard = Guard::None;
    let detector =
        Detector::new(Catalog::built_in(), &at("checkout"), Trust::Trusted, config).unwrap();
    (base, detector)
}

async fn run_scripted(script: &str, limits: &CheckLimits) -> Checked {
    let (_base, detector) = scripted(script);
    let found = detector.checkers(Path::new("a.ts")).await;
    detector.check(found[0].launchable().unwrap(), limits).await
}

#[tokio::test]
async fn a_checker_needs_trust() {
    let (_base, detector) = scripted("exit 0");
    detector.set_trust(Trust::Untrusted);
    let found = detector.checkers(Path::new("a.ts")).await;
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].availability,
        Availability::NotTrusted { program: None }
    );
    assert!(detector.checkers(Path::new("a.txt")).await.is_empty());
}

#[tokio::test]
async fn every_way_to_end_is_told() {
    let limits = CheckLimits::default();
    let passed = run_scripted("echo noise; exit 0", &limits).await;
    assert_eq!((passed.end, passed.findings.len()), (CheckEnd::Passed, 0));

    let found = run_scripted("echo 'a.ts(1,5): error TS1: no'; exit 2", &limits).await;
    assert_eq!(found.end, CheckEnd::FoundErrors);
    let (path, diagnostics) = found.findings.first_key_value().unwrap();
    assert_eq!(path, &found.root.join("a.ts"));
    assert_eq!(diagnostics[0].severity, Severity::Error);
    assert_eq!(diagnostics[0].span.start.column, 4);

    let failed = run_scripted("echo 'error TS18003: no inputs'; exit 2", &limits).await;
    let CheckEnd::Failed(failure) = failed.end else {
        panic!("it could not do its work");
    };
    assert_eq!(failure.to_string(), "exit code 2: error TS18003: no inputs");

    let short = CheckLimits {
        time: Duration::from_millis(100),
        ..CheckLimits::default()
    };
    let script = "echo 'a.ts(1,5): error TS1: no'; /bin/sleep 60";
    let timed_out = run_scripted(script, &short).await;
    assert_eq!(timed_out.end, CheckEnd::TimedOut);
    assert_eq!(timed_out.findings.len(), 1, "what it had found until then");

    let small = CheckLimits {
        output: 1000,
        ..CheckLimits::default()
    };
    let endless = run_scripted("while :; do echo more; done", &small).await;
    assert_eq!(endless.end, CheckEnd::TooMuchOutput);

    // What it leaves behind holds its output open, and is ended.
    let left = run_scripted("/bin/sleep 60 & exit 0", &limits).await;
    assert_eq!(left.end, CheckEnd::Passed);
    assert!(left.took < Duration::from_secs(30), "{:?}", left.took);

    let (base, detector) = scripted("exit 0");
    let found = detector.checkers(Path::new("a.ts")).await;
    fs::remove_file(base.path().join("bin/tsc")).unwrap();
    let gone = detector
        .check(found[0].launchable().unwrap(), &limits)
        .await;
    assert!(matches!(gone.end, CheckEnd::NotStarted(_)));
}

#[tokio::test]
async fn cargo_itself() {
    let checkout = TempDir::new().unwrap();
    let file = |path: &str, text: &str| {
        let path = checkout.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    file(
        "Cargo.toml",
        "[package]\nname = \"x\"\nedition = \"2021\"\n[workspace]\n",
    );
    file("src/lib.rs", "pub fn f() -> u8 { \"é\" }\n");
    let mut config = DetectConfig::new(checkout.path().join("state"));
    config.guard = Guard::None;
    let detector =
        Detector::new(Catalog::built_in(), checkout.path(), Trust::Trusted, config).unwrap();
    let found = detector.checkers(Path::new("src/lib.rs")).await;
    let cargo = found[0].launchable().unwrap();
    let limits = CheckLimits::default();
    let checked = detector.check(cargo, &limits).await;
    assert_eq!(checked.end, CheckEnd::FoundErrors, "{checked:?}");
    let (_, diagnostics) = checked.findings.first_key_value().unwrap();
    assert_eq!(diagnostics.len(), 1, "once, though two targets have it");
    let wrong = &diagnostics[0];
    assert_eq!(wrong.code.as_deref(), Some("E0308"));
    assert_eq!(
        wrong.message,
        "mismatched types\nexpected `u8`, found `&str`"
    );
    assert_eq!((wrong.span.start.column, wrong.span.end.column), (19, 23));

    file("src/lib.rs", "pub fn f() -> u8 { 1 }\n");
    let checked = detector.check(cargo, &limits).await;
    assert_eq!((checked.end, checked.findings.len()), (CheckEnd::Passed, 0));

    file("Cargo.toml", "[package\n");
    let checked = detector.check(cargo, &limits).await;
    assert!(matches!(checked.end, CheckEnd::Failed(_)), "{checked:?}");
}
