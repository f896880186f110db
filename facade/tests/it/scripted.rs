//! Verdicts of a server that plays a script: what comes late, and what was known before.

use std::time::{Duration, Instant};

use fourfold::{
    ApplyPatchRequest, CheckRequest, Control, Event, LspAction, LspRequest, Problem, VerdictState,
    WriteRequest,
};
use fourfold_testkit::{Script, Step, Style};
use serde_json::{Value, json};

use crate::served::Served;

const HOVER: &str = "textDocument/hover";

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

    pub(crate) fn write(&self, path: &str, text: &str) -> fourfold::Verdict {
        let written = self.conversation().write(&WriteRequest::new(path, text));
        written.unwrap().verdict.unwrap()
    }
}

/// Who chooses a file's name or its lines does not choose what an answer says.
#[test]
fn no_name_and_no_line_of_a_file_begins_a_line_of_an_answer() {
    const NAME: &str = "a\nclean: nothing new\u{1b}[2K.fake";
    let served = Served::scripted(&[], 30_000, |_| Script::of(Style::Pull));
    let call = |tool: &str, arguments: Value| {
        let arguments = arguments.clone();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let called = served.conversation().call(tool, arguments);
        runtime.block_on(called).unwrap().text
    };
    let told = call(
        "write",
        json!({ "path": NAME, "content": "bad_a \u{1b}[2K\rclean\n" }),
    );
    let shown = "a\\nclean: nothing new\\u{1b}[2K.fake";
    assert!(told.contains(&format!("created {shown}: ")), "{told}");
    assert!(told.contains(&format!("  {shown}:1:1 error")), "{told}");
    assert!(
        told.contains("      1 | bad_a \\u{1b}[2K\\rclean\n"),
        "{told}"
    );
    let asked = call("lsp", json!({ "action": "diagnostics", "file": NAME }));
    assert!(asked.contains(&format!("  {shown}:1:1 error")), "{asked}");
    let checked = call("check", json!({ "paths": [NAME] }));
    assert!(
        checked.contains(&format!("checked: {shown}\n")),
        "{checked}"
    );
    for text in [told, asked, checked] {
        assert!(
            text.lines()
                .all(|line| !line.starts_with("clean: nothing new\\u")),
            "{text}"
        );
        assert!(!text.contains(['\r', '\u{1b}']), "{text}");
    }
    served.close();
}

fn messages(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|one| one.message.as_str()).collect()
}

#[test]
fn what_comes_late_is_told_with_the_next_answer_and_so_is_what_was_fixed() {
    let files = [("a.fake", "fine\n"), ("b.fake", "fine\n")];
    // It says nothing about a change until it is asked about something else.
    let served = Served::scripted(&files, PATIENCE, |root| {
        let a = format!("{root}/a.fake");
        let wrong = json!([{ "message": "unknown name `bad_a`", "severity": 1,
            "range": { "start": { "line": 0, "character": 0 },
                       "end": { "line": 0, "character": 5 } } }]);
        let answer = || Step::Answer(json!({ "contents": "a name" }));
        Script::of(Style::Push)
            .capability("hoverProvider", json!(true))
            .on("textDocument/didChange", [])
            .times(1, HOVER, [Step::publish_for(&a, 2, wrong), answer()])
            .times(1, HOVER, [Step::publish_for(&a, 3, json!([])), answer()])
    });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // Whatever is called next, when the answer has come.
    let late = || {
        served.lsp(&LspRequest::about(LspAction::Hover, "b.fake").at(1, "fine"));
        let given_up = Instant::now() + Duration::from_secs(60);
        loop {
            let call = served.conversation().call("staged", json!({}));
            let told = runtime.block_on(call).unwrap();
            if !told.late.is_empty() || !told.late_fixed.is_empty() || Instant::now() > given_up {
                return told;
            }
        }
    };

    let silent = served.write("a.fake", "bad_a\n");
    assert_eq!(silent.state, VerdictState::Unconfirmed, "{silent}");
    assert!(silent.new.is_empty(), "{silent}");
    let told = late();
    assert_eq!(messages(&told.late), ["unknown name `bad_a`"]);
    assert_eq!(
        (told.late[0].path.as_str(), told.late[0].line),
        ("a.fake", 1)
    );
    assert!(told.late_fixed.is_empty());
    assert!(told.text.contains("unknown name `bad_a`"), "{}", told.text);

    let silent = served.write("a.fake", "fine\n");
    assert_eq!(silent.state, VerdictState::Unconfirmed, "{silent}");
    assert!(silent.fixed.is_empty(), "{silent}");
    let told = late();
    assert!(told.late.is_empty());
    let fixed = told
        .late_fixed
        .iter()
        .map(|one| (one.path.as_str(), one.count));
    assert_eq!(fixed.collect::<Vec<_>>(), [("a.fake", 1)]);
    assert!(told.text.contains("fixed"), "{}", told.text);

    // Each is told once.
    let told = served.check(&["b.fake"], false).verdict;
    assert!(
        told.earlier.is_empty() && told.earlier_fixed.is_empty(),
        "{told}"
    );
    assert!(told.new.is_empty() && told.fixed.is_empty(), "{told}");
    served.close();
}

/// Who listens hears it before the next answer, and the agent hears it all the same.
#[test]
fn who_listens_hears_what_comes_late_and_how_a_server_is() {
    let files = [("a.fake", "fine\n"), ("b.fake", "fine\n")];
    let served = Served::scripted(&files, PATIENCE, |root| {
        let a = format!("{root}/a.fake");
        let wrong = json!([{ "message": "unknown name `bad_a`", "severity": 1,
            "range": { "start": { "line": 0, "character": 0 },
                       "end": { "line": 0, "character": 5 } } }]);
        let answer = Step::Answer(json!({ "contents": "a name" }));
        Script::of(Style::Push)
            .capability("hoverProvider", json!(true))
            .on("textDocument/didChange", [])
            .times(1, HOVER, [Step::publish_for(&a, 2, wrong), answer])
    });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut events = served.conversation().events();
    let silent = served.write("a.fake", "bad_a\n");
    assert_eq!(silent.state, VerdictState::Unconfirmed, "{silent}");
    served.lsp(&LspRequest::about(LspAction::Hover, "b.fake").at(1, "fine"));
    let (mut states, mut late) = (Vec::new(), Vec::new());
    runtime.block_on(async {
        while late.is_empty() {
            let event = tokio::time::timeout(Duration::from_secs(60), events.next());
            match event.await.unwrap() {
                Event::Server { state, .. } => states.push(state),
                Event::Late { new, fixed } => {
                    assert!(fixed.is_empty(), "{fixed:?}");
                    late = new;
                }
                other => panic!("{other:?}"),
            }
        }
    });
    assert_eq!(messages(&late), ["unknown name `bad_a`"]);
    assert!(states.iter().all(|state| state == "running"), "{states:?}");
    let call = served.conversation().call("staged", json!({}));
    let told = runtime.block_on(call).unwrap();
    assert_eq!(messages(&told.late), ["unknown name `bad_a`"]);
    let event = async { tokio::time::timeout(Duration::from_secs(60), events.next()).await };
    if states.is_empty() {
        let event = runtime.block_on(event).unwrap();
        assert!(
            matches!(&event, Event::Server { state, .. } if state == "running"),
            "{event:?}"
        );
    }
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

    // It is used up: there is nothing new, though both are as wrong as they were.
    let again = served.check(&[], false);
    assert_eq!(again.files, ["a.fake", "b.fake"]);
    assert!(again.verdict.new.is_empty(), "{}", again.verdict);
    assert_eq!(again.verdict.remaining.errors, 4, "{}", again.verdict);
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

/// What a file was is told as what it was, and no obstacle to asking about what it is.
#[test]
fn a_file_that_becomes_utf8_is_looked_at() {
    let served = Served::scripted(&[], PATIENCE, |_| Script::of(Style::Push));
    let latin = served.project.root().join("latin.fake");
    let write = |text: &[u8]| {
        let request = WriteRequest::new("latin.fake", text);
        let written = served.conversation().write(&request).unwrap();
        let notes = written.files[0].notes.clone();
        (notes, written.verdict.unwrap())
    };
    std::fs::write(&latin, b"caf\xe9\n").unwrap();
    let (notes, verdict) = write(b"bad_a\n");
    assert_eq!(notes, ["it was not UTF-8, and is now"]);
    assert_eq!(
        messages(&verdict.new),
        ["unknown name `bad_a`"],
        "{verdict}"
    );
    // Nobody could look at what it was.
    assert!(verdict.new[0].maybe_old, "{verdict}");

    std::fs::write(&latin, b"caf\xe9\n").unwrap();
    let (_, verdict) = write(b"fine\n");
    assert_eq!(verdict.state, VerdictState::Clean, "{verdict}");

    let (notes, verdict) = write(b"caf\xe9\n");
    assert_eq!(notes, ["it was UTF-8, and is not now"]);
    assert_eq!(verdict.state, VerdictState::NoServer, "{verdict}");
    let why = verdict.files[0].reason.as_deref().unwrap_or_default();
    assert_eq!(why, "no server was asked, because it is not UTF-8");
    served.close();
}

/// A server may know of uses that its rename leaves out, and nobody else says that a name is taken.
#[test]
fn a_rename_says_what_it_leaves_out() {
    let files = [
        ("a.fake", "total = 1\nsum total\n"),
        ("b.fake", "use total\nadd\nmore total\n"),
    ];
    let range = |line: u32, from: u32, to: u32| {
        json!({ "start": { "line": line, "character": from },
                "end": { "line": line, "character": to } })
    };
    let served = Served::scripted(&files, PATIENCE, |root| {
        let a = format!("{root}/a.fake");
        let b = format!("{root}/b.fake");
        let place = |uri: &str, range: Value| json!({ "uri": uri, "range": range });
        let edits = json!([{ "range": range(0, 0, 5), "newText": "sum" },
                           { "range": range(1, 4, 9), "newText": "sum" }]);
        Script::of(Style::Push)
            .capability("renameProvider", json!(true))
            .capability("referencesProvider", json!(true))
            .capability("definitionProvider", json!(true))
            .on(
                "textDocument/definition",
                [Step::Answer(place(&b, range(2, 5, 10)))],
            )
            .on(
                "textDocument/rename",
                [Step::Answer(json!({ "changes": { a.as_str(): edits } }))],
            )
            .on(
                "textDocument/references",
                [Step::Answer(json!([
                    place(&a, range(0, 0, 5)),
                    place(&a, range(1, 4, 9)),
                    place(&b, range(0, 4, 9)),
                    place(&b, range(2, 5, 10)),
                ]))],
            )
    });
    let mut rename = LspRequest::about(LspAction::Rename, "a.fake").at(1, "total");
    rename.new_name = Some("sum".to_owned());
    let staged = served.lsp(&rename);
    assert_eq!(staged.files, ["a.fake"]);
    // It has no sites, so none are counted.
    let id = staged.stage.clone().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let call = json!({ "id": id, "action": "discard" });
    let discarded = runtime.block_on(served.conversation().call("resolve", call));
    let text = discarded.unwrap().text;
    assert_eq!(text, format!("discarded stage {id}: 1 file\n"));
    assert_eq!(
        staged.notices,
        [
            "the change does not reach everything: `total` is used in b.fake:1, 3 too, which it \
             leaves as it is; rename it where it is declared, b.fake:3",
            "there is a `sum` already in files that the change touches: a.fake:2; make sure that the \
             two do not meet",
        ]
    );
    served.close();
}

/// Some answer with nothing where a name is refused.
#[test]
fn a_rename_that_changes_nothing_is_no_success() {
    let served = Served::scripted(&[("a.fake", "total = 1\n")], PATIENCE, |_| {
        Script::of(Style::Push)
            .capability("renameProvider", json!(true))
            .on(
                "textDocument/rename",
                [Step::Answer(json!({ "changes": {} }))],
            )
    });
    let mut rename = LspRequest::about(LspAction::Rename, "a.fake").at(1, "total");
    rename.new_name = Some("sum".to_owned());
    let error = served.conversation().lsp(&rename).unwrap_err().to_string();
    assert_eq!(
        error,
        "fake proposes no change to rename `total` to `sum`; it may be the name already, no name in \
         this language, or `total` may be declared outside of the project"
    );
    let mut reload = LspRequest::about(LspAction::Reload, "a.fake");
    reload.query = Some("fak".to_owned());
    assert_eq!(
        served.lsp(&reload).notices,
        ["no server that runs is called `fak`; `status` lists them"]
    );
    reload.query = Some("fake".to_owned());
    assert_eq!(
        served.lsp(&reload).notices,
        ["1 server ended; the next request starts what it needs"]
    );
    served.close();
}

/// Hints are how an editor shades a line, and no problems.
#[test]
fn hints_are_never_told() {
    let served = Served::scripted(&[("a.fake", "fine\n")], PATIENCE, |root| {
        let a = format!("{root}/a.fake");
        let one = |message: &str, severity: u32| {
            json!({ "message": message, "severity": severity,
                "range": { "start": { "line": 0, "character": 0 },
                           "end": { "line": 0, "character": 4 } } })
        };
        let hint = json!([one("could be shorter", 4)]);
        let both = json!([one("could be shorter", 4), one("is wrong", 1)]);
        Script::of(Style::Push)
            .times(
                1,
                "textDocument/didOpen",
                [Step::publish_for(&a, 1, json!([]))],
            )
            .times(
                1,
                "textDocument/didChange",
                [Step::publish_for(&a, 2, hint)],
            )
            .times(
                1,
                "textDocument/didChange",
                [Step::publish_for(&a, 3, both)],
            )
    });
    let first = served.write("a.fake", "more\n");
    assert_eq!(first.state, VerdictState::Clean, "{first}");
    let second = served.write("a.fake", "most\n");
    assert_eq!(messages(&second.new), ["is wrong"], "{second}");
    assert_eq!(second.remaining.total(), 0, "{second}");
    let asked = served.lsp(&LspRequest::about(LspAction::Diagnostics, "a.fake"));
    assert_eq!(messages(&asked.problems), ["is wrong"]);
    served.close();
}

const PULL: &str = "textDocument/diagnostic";

fn wrong(message: &str) -> Value {
    json!([{ "message": message, "severity": 1,
        "range": { "start": { "line": 0, "character": 0 },
                   "end": { "line": 0, "character": 4 } } }])
}

/// What a linter found nothing in is not fine when the type checker could not look.
#[test]
fn a_type_checker_that_failed_is_named_where_a_linter_answers() {
    let served = Served::scripted_all(&[("a.fake", "fine\n")], PATIENCE, |_| {
        let checker = Script::of(Style::Pull).on(
            "initialize",
            [Step::Errors("no licence\n".to_owned(), 1), Step::Exit(3)],
        );
        vec![
            ("checker", false, checker),
            ("linter", true, Script::of(Style::Pull)),
        ]
    });
    let asked = served.lsp(&LspRequest::about(LspAction::Diagnostics, "a.fake"));
    assert_eq!(asked.server.as_deref(), Some("linter"));
    assert_eq!(asked.problems, []);
    let [why] = asked.unconfirmed.as_slice() else {
        panic!("{:?}", asked.unconfirmed);
    };
    assert!(
        why.contains("checker") && why.contains("no licence"),
        "{why}"
    );
    served.close();
}

/// Each takes a second and a half for a file, all of them together six: they have five.
#[test]
fn servers_and_files_are_asked_side_by_side() {
    let files = [("a.fake", "fine\n"), ("b.fake", "fine\n")];
    let served = Served::scripted_all(&files, 5_000, |_| {
        let slow = |message: &str| {
            let taking = [Step::wait(1_500), Step::answer_pull(wrong(message))];
            let before = [Step::answer_pull(json!([]))];
            Script::of(Style::Pull)
                .times(2, PULL, before)
                .on(PULL, taking)
        };
        vec![
            ("checker", false, slow("type")),
            ("linter", true, slow("style")),
        ]
    });
    let patch = "*** Begin Patch\n*** Update File: a.fake\n@@\n-fine\n+more\n\
                 *** Update File: b.fake\n@@\n-fine\n+more\n*** End Patch\n";
    let conversation = served.conversation();
    let written = conversation.apply_patch(&ApplyPatchRequest::new(patch));
    let verdict = written.unwrap().verdict.unwrap();
    assert_eq!(verdict.state, VerdictState::Problems, "{verdict}");
    let mut new: Vec<(&str, &str)> = verdict
        .new
        .iter()
        .map(|one| (one.path.as_str(), one.message.as_str()))
        .collect();
    new.sort_unstable();
    let all = [
        ("a.fake", "style"),
        ("a.fake", "type"),
        ("b.fake", "style"),
        ("b.fake", "type"),
    ];
    assert_eq!(new, all, "{verdict}");
    assert!(verdict.servers.iter().all(|one| one.confirmed), "{verdict}");
    served.close();
}

#[test]
fn what_one_finds_is_told_though_another_is_silent() {
    let served = Served::scripted_all(&[("a.fake", "fine\n")], PATIENCE, |_| {
        let finds = Script::of(Style::Pull)
            .times(1, PULL, [Step::answer_pull(json!([]))])
            .on(PULL, [Step::answer_pull(wrong("type"))]);
        let silent = Script::of(Style::Pull).on(PULL, []);
        vec![("checker", false, finds), ("linter", true, silent)]
    });
    let verdict = served.write("a.fake", "more\n");
    assert_eq!(verdict.state, VerdictState::Problems, "{verdict}");
    assert_eq!(messages(&verdict.new), ["type"], "{verdict}");
    let silent = verdict.servers.iter().find(|one| one.server == "linter");
    assert!(silent.is_some_and(|one| !one.confirmed), "{verdict}");
    served.close();
}

/// As rust-analyzer does, which has found a mistake before the compiler does, and calls it by another
/// code.
#[test]
fn a_mistake_that_a_server_tells_by_two_codes_is_one() {
    let served = Served::scripted(&[("a.fake", "fine\n")], PATIENCE, |_| {
        let mut both = [
            wrong("no field `ton`"),
            wrong("no field `ton`\nunknown field"),
        ];
        both[0][0]["code"] = json!("E0559");
        both[1][0]["code"] = json!("E0609");
        let [first, second] = both;
        let all = json!([first[0], second[0]]);
        Script::of(Style::Pull)
            .times(1, PULL, [Step::answer_pull(json!([]))])
            .on(PULL, [Step::answer_pull(all)])
    });
    let verdict = served.write("a.fake", "more\n");
    let told: Vec<_> = verdict.new.iter().map(|one| one.code.as_deref()).collect();
    assert_eq!(told, [Some("E0609")], "{verdict}");
    served.close();
}
