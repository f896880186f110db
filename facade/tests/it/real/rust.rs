//! What stands is neither fixed nor new: the check of a Rust project, under writes in a row.

use fourfold::{Verdict, VerdictState, WriteRequest};

use crate::served::Served;

const PROJECT: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    (
        "src/lib.rs",
        "pub mod a;\n\npub fn one() -> i32 {\n    a::two() - 1\n}\n",
    ),
    ("src/a.rs", "pub fn two() -> i32 {\n    2\n}\n"),
    ("tests/test.rs", GOOD),
];

const GOOD: &str = "#[test]\nfn moved() {\n    let text = String::new();\n    \
                    drop(text.clone());\n    assert_eq!(text, \"\");\n}\n";

/// Only the borrow checker finds it: the server does not by itself.
const BAD: &str = "#[test]\nfn moved() {\n    let text = String::new();\n    \
                   drop(text);\n    assert_eq!(text, \"\");\n}\n";

/// The same again, above the first.
const TWICE: &str = "#[test]\nfn again() {\n    let text = String::new();\n    \
                     drop(text);\n    assert_eq!(text, \"\");\n}\n\n";

/// How often the story is told to one server: often when there is time.
fn rounds() -> usize {
    match std::env::var_os("FOURFOLD_LONG") {
        Some(_) => 20,
        None => 2,
    }
}

/// On a busy machine the server may need longer than anybody waits. That it says, and nothing else.
fn took_too_long(verdict: &Verdict) -> bool {
    let reason = verdict.reason.as_deref().unwrap_or_default();
    verdict.state == VerdictState::Unconfirmed
        && reason.contains(": the ")
        && reason.contains(" still ")
}

fn news(verdict: &Verdict) -> Vec<String> {
    let new = verdict.new.iter().chain(&verdict.earlier);
    let new = new.map(|one| format!("new {}: {}", one.path, one.message));
    let fixed = verdict.fixed.iter();
    let fixed = fixed.map(|one| format!("fixed {}: {}", one.path, one.message));
    new.chain(fixed).collect()
}

#[test]
fn an_error_that_stands_is_told_once_whatever_else_is_written() {
    let served = Served::real(PROJECT, &["rust-analyzer"]);
    let write = |path: &str, text: &str| {
        let request = WriteRequest::new(path, text);
        let verdict = served
            .conversation()
            .write(&request)
            .unwrap()
            .verdict
            .unwrap();
        eprintln!("{path}: {verdict}");
        verdict
    };
    let warm = write("src/a.rs", "pub fn two() -> i32 {\n    1 + 1\n}\n");
    assert_eq!(news(&warm), [""; 0], "{warm}");
    for round in 0..rounds() {
        let broken = write("tests/test.rs", BAD);
        assert_eq!(broken.state, VerdictState::Problems, "{round}: {broken}");
        assert_eq!(broken.new.len(), 1, "{round}: {broken}");
        assert_eq!(broken.new[0].code.as_deref(), Some("E0382"), "{broken}");

        let twice = write("tests/test.rs", &format!("{TWICE}{BAD}"));
        assert_eq!(twice.new.len(), 1, "{round}: {twice}");
        assert_eq!(twice.new[0].line, 5, "{round}: {twice}");
        assert_eq!(twice.remaining.errors, 1, "{round}: {twice}");

        // None of these has anything to do with it. New files make the server load the project anew.
        let others = [
            (
                "src/a.rs".to_owned(),
                format!("pub fn two() -> i32 {{\n    {round} + 2 - {round}\n}}\n"),
            ),
            (
                format!("tests/t{round}.rs"),
                "#[test]\nfn t() {}\n".to_owned(),
            ),
            (
                format!("tests/t{round}.rs"),
                "#[test]\nfn u() {}\n".to_owned(),
            ),
            (format!("src/m{round}.rs"), "pub fn m() {}\n".to_owned()),
            (format!("examples/e{round}.rs"), "fn main() {}\n".to_owned()),
            (
                "src/lib.rs".to_owned(),
                format!(
                    "pub mod a;\npub mod m{round};\n\npub fn one() -> i32 {{\n    a::two() - 1\n}}\n"
                ),
            ),
        ];
        for (path, text) in &others {
            let verdict = write(path, text);
            assert_eq!(news(&verdict), [""; 0], "{round}: {path}: {verdict}");
            let linked = !path.starts_with("src/m");
            let expected = match linked {
                true => VerdictState::Clean,
                false => VerdictState::Unconfirmed,
            };
            let late = linked && took_too_long(&verdict);
            assert!(
                late || verdict.state == expected,
                "{round}: {path}: {verdict}"
            );
        }

        let repaired = write("tests/test.rs", GOOD);
        assert_eq!(repaired.state, VerdictState::Clean, "{round}: {repaired}");
        assert_eq!(repaired.fixed.len(), 1, "{round}: {repaired}");
        assert_eq!(repaired.fixed[0].count, 2, "{round}: {repaired}");
    }
    served.close();
}

#[test]
fn what_is_not_compiled_is_not_called_clean() {
    let served = Served::real(PROJECT, &["rust-analyzer"]);
    let write = |text: &str| {
        let request = WriteRequest::new("src/a.rs", text);
        let written = served.conversation().write(&request).unwrap();
        written.verdict.unwrap()
    };
    const ON: &str = "pub fn two() -> i32 {\n    2\n}\n";
    let off =
        |body: &str| format!("{ON}\n#[cfg(windows)]\npub fn far() -> i32 {{\n    {body}\n}}\n");
    for body in ["2", "\"two\""] {
        let verdict = write(&off(body));
        assert_eq!(verdict.state, VerdictState::Unconfirmed, "{verdict}");
        let reason = verdict.reason.clone().unwrap_or_default();
        let told = reason.contains("are not compiled here, so nobody looked at them");
        assert!(told || took_too_long(&verdict), "{verdict}");
    }
    // What stands beside it is.
    let beside = write(&off("\"two\"").replace("    2\n", "    1 + 1\n"));
    let clean = beside.state == VerdictState::Clean;
    assert!(clean || took_too_long(&beside), "{beside}");
    served.close();
}

#[test]
fn a_manifest_is_answered_by_the_server_whose_project_it_describes() {
    let served = Served::real(PROJECT, &["rust-analyzer"]);
    let write = |path: &str, text: &str| {
        let request = WriteRequest::new(path, text);
        let verdict = served.conversation().write(&request).unwrap().verdict;
        let verdict = verdict.unwrap();
        eprintln!("{path}: {verdict}");
        verdict
    };
    let warm = write("src/a.rs", "pub fn two() -> i32 {\n    1 + 1\n}\n");
    assert_eq!(news(&warm), [""; 0], "{warm}");
    let (_, manifest) = PROJECT[0];
    let older = write("Cargo.toml", &manifest.replace("0.1.0", "0.2.0"));
    assert_eq!(older.state, VerdictState::Clean, "{older}");

    let absent = format!("{manifest}\n[dependencies]\nabsent = {{ path = \"absent\" }}\n");
    let broken = write("Cargo.toml", &absent);
    assert_eq!(broken.state, VerdictState::Unconfirmed, "{broken}");
    let reason = broken.reason.unwrap();
    assert!(reason.contains("cargo check failed to start"), "{reason}");
    assert!(reason.contains("failed to get `absent`"), "{reason}");

    let mended = write("Cargo.toml", manifest);
    assert_eq!(mended.state, VerdictState::Clean, "{mended}");
    served.close();
}

/// A compiler tells some mistakes at several places, and the server finds some by itself before its
/// compiler does, in other words and by another code.
#[test]
fn a_mistake_is_counted_once_however_often_it_is_told() {
    let served = Served::real(PROJECT, &["rust-analyzer"]);
    let write = |body: &str| {
        let text = format!("pub fn two() -> i32 {{\n{body}    2\n}}\n{ONE}");
        let request = WriteRequest::new("src/a.rs", text);
        let conversation = served.conversation();
        conversation.write(&request).unwrap().verdict.unwrap()
    };
    write("");
    for (body, code) in MISTAKES {
        let wrong = write(body);
        if took_too_long(&wrong) {
            continue;
        }
        let codes: Vec<_> = wrong.new.iter().map(|one| one.code.as_deref()).collect();
        assert_eq!(codes, [*code], "{body}: {wrong}");
        let right = write("");
        if took_too_long(&right) {
            continue;
        }
        assert_eq!(right.state, VerdictState::Clean, "{body}: {right}");
        assert_eq!(right.fixed.len(), 1, "{body}: {right}");
    }
    served.close();
}

const ONE: &str = "\npub struct One {\n    pub a: i32,\n    pub b: i32,\n}\n\n\
                   pub fn one(n: i32) -> i32 {\n    n\n}\n";

/// What is written into a function, each one mistake, and the code that rustc gives it.
const MISTAKES: &[(&str, Option<&str>)] = &[
    (
        "    if (1 > 0) {\n        return 1;\n    }\n",
        Some("unused_parens"),
    ),
    ("    let _ = one(1, 2);\n", Some("E0061")),
    ("    let _ = [1].len(1);\n", Some("E0061")),
    (
        "    let more = |n: i32| n + 1;\n    let _ = more();\n",
        Some("E0057"),
    ),
    ("    missing!();\n", None),
    ("    let _ = one::<i32>(1);\n", Some("E0107")),
    ("    let _ = One { a: 1 };\n", Some("E0063")),
    (
        "    match Some(1) {\n        Some(_) => {}\n    }\n",
        Some("E0004"),
    ),
    ("    let _ = 1.nothing();\n", Some("E0599")),
    ("    gone();\n", Some("E0425")),
];
