//! Servers that behave badly, up to the verdict that an agent reads: right, or not confirmed with the
//! reason, within the wait that was allowed; and the next write works again.

use std::time::{Duration, Instant};

use fourfold::{LspAction, LspRequest, Verdict, VerdictState};
use fourfold_testkit::{FakeProgram, Script, Step, Style};
use serde_json::json;

use crate::served::Served;

const CHANGE: &str = "textDocument/didChange";

/// How long a verdict is waited for, in milliseconds, where it comes.
const AMPLE: u64 = 60_000;

/// Where none comes.
const SHORT: u64 = 1_500;

/// Far more than [`SHORT`], on a busy machine.
const SOON: Duration = Duration::from_secs(30);

fn served(patience: u64, script: Script) -> Served {
    let files = [("a.fake", "first\n"), ("b.fake", "fine\n")];
    Served::scripted(&files, patience, |_| script)
}

/// The next life of the server follows another script.
fn next_life(served: &Served, script: &Script) {
    FakeProgram::new(script, &served.project.beside().join("script-fake"));
}

fn new(verdict: &Verdict) -> Vec<String> {
    let new = verdict.new.iter();
    new.map(|one| format!("{}:{} {}", one.path, one.line, one.message))
        .collect()
}

/// A server that lives is right about a mistake and about its end.
fn is_right(served: &Served) {
    let broken = served.write("a.fake", "fine\nbad_a\n");
    assert_eq!(broken.state, VerdictState::Problems, "{broken}");
    assert_eq!(new(&broken), ["a.fake:2 unknown name `bad_a`"]);
    let mended = served.write("a.fake", "fine\n");
    assert_eq!(mended.state, VerdictState::Clean, "{mended}");
    assert_eq!((mended.fixed.len(), mended.remaining.errors), (1, 0));
}

/// A server that does this at a change is right all the same.
fn lives_through(steps: impl Into<Vec<Step>>) {
    let mut steps = steps.into();
    steps.push(Step::AsUsual);
    let served = served(AMPLE, Script::of(Style::Push).on(CHANGE, steps));
    is_right(&served);
    served.close();
}

/// A server that does this at a change makes for no verdict, with this reason, and its next life for
/// a right one.
fn dies_of(steps: impl Into<Vec<Step>>, reason: &str) {
    let served = served(AMPLE, Script::of(Style::Push).on(CHANGE, steps));
    let open = served.write("a.fake", "bad_a\n");
    assert_eq!(open.state, VerdictState::Unconfirmed, "{open}");
    assert_eq!(new(&open), [""; 0]);
    let said = open.reason.as_deref().unwrap_or_default();
    assert!(said.contains(reason), "{said}");
    next_life(&served, &Script::of(Style::Push));
    // It is not started again at once.
    let given_up = Instant::now() + SOON;
    for time in 0.. {
        let again = served.write("a.fake", &format!("fine{time}\n"));
        if again.state == VerdictState::Clean {
            break;
        }
        assert!(again.new.is_empty() && Instant::now() < given_up, "{again}");
        let said = again.reason.as_deref().unwrap_or_default();
        assert!(said.contains("it is tried again in"), "{said}");
    }
    is_right(&served);
    served.close();
}

#[test]
fn a_banner() {
    let banner = Step::Raw("\u{1b}[1mfake\u{1b}[0m 1.2 is ready\n\n".into());
    let served = served(AMPLE, Script::of(Style::Push).on("$start", [banner]));
    is_right(&served);
    served.close();
}

#[test]
fn a_death_in_the_middle_of_a_message() {
    dies_of(
        [
            Step::Errors("out of memory\n".into(), 1),
            Step::Raw("Content-Length: 900\r\n\r\n{\"jsonrpc\"".into()),
            Step::Exit(7),
        ],
        "fake: fake ended (exit code 7); its last words: out of memory",
    );
}

#[test]
fn a_header_of_two_gigabytes() {
    dies_of(
        [Step::Raw("Content-Length: 2147483648\r\n\r\n".into())],
        "its header declares 2147483648 bytes and the limit is 67108864",
    );
}

#[test]
fn invalid_json() {
    lives_through([Step::body("{\"jsonrpc\": \"2.0\", oops}")]);
}

#[test]
fn a_question_that_nobody_knows() {
    lives_through([Step::ask("fake/whatDoYouThink", json!({})), Step::Answered]);
}

#[test]
fn a_flood_of_log() {
    let line = format!("{}\n", "error: it goes on and on ".repeat(40));
    lives_through([Step::Errors(line.clone(), (8 << 20) / line.len())]);
}

#[test]
fn publishes_for_files_that_are_not_there() {
    let publish = |n: usize| {
        let file = format!("$file:never/opened-{n}.fake");
        Step::publish_for(&file, json!(1), json!([]))
    };
    lives_through((0..500).map(publish).collect::<Vec<_>>());
}

#[test]
fn a_server_that_never_comes_up() {
    let served = served(SHORT, Script::of(Style::Push).on("initialize", []));
    for text in ["bad_a\n", "bad_b\n"] {
        let begun = Instant::now();
        let open = served.write("a.fake", text);
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
        assert_eq!(open.state, VerdictState::Unconfirmed, "{open}");
        let root = served.project.root().display();
        let said = format!(
            "fake in {root} was not up within 1.5 s; its start goes on, and the next request finds it"
        );
        assert_eq!(open.reason, Some(said));
    }
    works_again(served);
}

#[test]
fn a_server_that_says_nothing() {
    let served = served(SHORT, Script::of(Style::Silent));
    for text in ["bad_a\n", "fine\n"] {
        let begun = Instant::now();
        let open = served.write("a.fake", text);
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
        assert_eq!(open.state, VerdictState::Unconfirmed, "{open}");
        assert!(open.new.is_empty() && open.fixed.is_empty(), "{open}");
    }
    works_again(served);
}

#[test]
fn a_server_that_stops_reading() {
    let script = Script::of(Style::Push).on("initialized", [Step::StopReading]);
    let served = served(SHORT, script);
    // More than a pipe holds.
    let long = "fine ".repeat(40_000);
    for end in ["bad_a\n", "fine\n"] {
        let begun = Instant::now();
        let open = served.write("a.fake", &format!("{long}{end}"));
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
        assert_eq!(open.state, VerdictState::Unconfirmed, "{open}");
        assert!(open.new.is_empty() && open.fixed.is_empty(), "{open}");
        assert!(
            served.project.read("a.fake").ends_with(end),
            "it is written"
        );
    }
    works_again(served);
}

/// A server that is well takes the place of one that hangs, once somebody asks for it.
fn works_again(served: Served) {
    next_life(&served, &Script::of(Style::Push));
    served.lsp(&LspRequest {
        action: LspAction::Reload,
        ..LspRequest::default()
    });
    is_right(&served);
    served.close();
}
