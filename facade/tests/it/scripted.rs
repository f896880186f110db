//! Verdicts of a server that plays a script: what comes late, and what was known before.

use fourfold::{CheckRequest, Control, Problem, VerdictState, WriteRequest};
use fourfold_testkit::{Script, Step, Style};
use serde_json::json;

use crate::served::Served;

const CHANGE: &str = "textDocument/didChange";
const OPEN: &str = "textDocument/didOpen";

/// Nobody waits longer.
const PATIENCE: u64 = 3_000;

impl Served {
    fn check(&self, paths: &[&str], before: bool) -> fourfold::CheckResult {
        let request = CheckRequest {
            paths: paths.iter().map(Into::into).collect(),
            before,
        };
        let check = self.conversation().check(&request, &Control::new());
        check.unwrap()
    }

    fn write(&self, path: &str, text: &str) -> fourfold::Verdict {
        let written = self.conversation().write(&WriteRequest::new(path, text));
        written.unwrap().verdict.unwrap()
    }
}

fn messages(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|one| one.message.as_str()).collect()
}

#[test]
fn what_comes_late_is_told_with_the_next_answer_and_so_is_what_was_fixed() {
    let files = [
        ("a.fake", "fine\n"),
        ("b.fake", "fine\n"),
        ("c.fake", "fine\n"),
    ];
    // It says nothing about a change of the first file until another one is opened.
    let served = Served::scripted(&files, PATIENCE, |root| {
        let a = format!("{root}/a.fake");
        let wrong = json!([{ "message": "unknown name `bad_a`", "severity": 1,
            "range": { "start": { "line": 0, "character": 0 },
                       "end": { "line": 0, "character": 5 } } }]);
        Script::of(Style::Push)
            .on(CHANGE, [])
            .times(1, OPEN, [Step::AsUsual])
            .times(1, OPEN, [Step::publish_for(&a, 2, wrong), Step::AsUsual])
            .times(
                1,
                OPEN,
                [Step::publish_for(&a, 3, json!([])), Step::AsUsual],
            )
    });
    // Whatever is asked next, with time for the answer to come.
    let late = |opens: &str| {
        let mut told = served.check(&[opens], false).verdict;
        for _ in 0..100 {
            if !told.earlier.is_empty() || !told.earlier_fixed.is_empty() {
                break;
            }
            told = served.check(&[opens], false).verdict;
        }
        told
    };

    let silent = served.write("a.fake", "bad_a\n");
    assert_eq!(silent.state, VerdictState::Unconfirmed, "{silent}");
    assert!(silent.new.is_empty(), "{silent}");
    let told = late("b.fake");
    assert_eq!(messages(&told.earlier), ["unknown name `bad_a`"], "{told}");
    assert_eq!(
        (told.earlier[0].path.as_str(), told.earlier[0].line),
        ("a.fake", 1)
    );
    assert_eq!(told.state, VerdictState::Clean, "b is clean: {told}");
    assert!(told.to_string().contains("unknown name `bad_a`"), "{told}");

    let silent = served.write("a.fake", "fine\n");
    assert_eq!(silent.state, VerdictState::Unconfirmed, "{silent}");
    assert!(silent.fixed.is_empty(), "{silent}");
    let told = late("c.fake");
    assert!(told.earlier.is_empty(), "{told}");
    let fixed: Vec<_> = told
        .earlier_fixed
        .iter()
        .map(|one| (one.path.as_str(), one.count))
        .collect();
    assert_eq!(fixed, [("a.fake", 1)], "{told}");

    // Each is told once.
    let told = served.check(&["c.fake"], false).verdict;
    assert!(
        told.earlier.is_empty() && told.earlier_fixed.is_empty(),
        "{told}"
    );
    served.close();
}

#[test]
fn what_somebody_else_writes_is_compared_with_what_was_noted_before() {
    let files = [("a.fake", "bad_old\n"), ("b.fake", "bad_old\n")];
    let served = Served::scripted(&files, 30_000, |_| Script::of(Style::Pull));
    let noted = served.check(&["a.fake"], true);
    assert_eq!(noted.files, ["a.fake"]);
    assert!(noted.verdict.new.is_empty());

    served
        .project
        .write("a.fake", "one more\nbad_old\nbad_new\n");
    served
        .project
        .write("b.fake", "one more\nbad_old\nbad_new\n");
    let check = served.check(&[], false);
    let mut files = check.files;
    files.sort();
    assert_eq!(files, ["a.fake", "b.fake"]);
    let of = |path: &str| -> Vec<(&str, u32, bool)> {
        let new = check.verdict.new.iter().filter(|one| one.path == path);
        new.map(|one| (one.message.as_str(), one.line, one.maybe_old))
            .collect()
    };
    assert_eq!(of("a.fake"), [("unknown name `bad_new`", 3, false)]);
    // Nobody said before that this one would be written.
    assert_eq!(
        of("b.fake"),
        [
            ("unknown name `bad_old`", 2, true),
            ("unknown name `bad_new`", 3, true)
        ]
    );
    assert_eq!(check.verdict.remaining.errors, 1);
    assert!(check.verdict.earlier.is_empty());

    // It is used up.
    assert_eq!(served.check(&[], false).files, [""; 0]);
    let outside = CheckRequest {
        paths: vec!["../x.fake".into()],
        before: true,
    };
    assert!(
        served
            .conversation()
            .check(&outside, &Control::new())
            .is_err()
    );
    served.close();
}
