//! Servers that answer late, twice, for old texts, with empty lists first, or not at all: whatever
//! they do, what is confirmed is the truth about the text, and what they did tell is confirmed.

use std::fmt::Debug;

use fourfold_testkit::{Script, Step, Style};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::desk::{Desk, messages};

/// What a server does about one change.
#[derive(Clone, Debug)]
enum Habit {
    /// Tells at once.
    Good,
    /// Tells after so many milliseconds.
    Slow(u64),
    /// Tells about the text before, and after so many milliseconds about this one.
    Behind(u64),
    /// Tells that there is nothing, and after so many milliseconds what there is.
    EmptyFirst(u64),
    /// Tells at once and once more after so many milliseconds.
    Twice(u64),
    /// Tells about another file, works on something, logs, and tells.
    Busy,
    /// Says nothing.
    Mute,
}

/// One write.
#[derive(Clone, Debug)]
struct Turn {
    words: Vec<&'static str>,
    habit: Habit,
    /// Whether its verdict is waited for before the next write.
    awaited: bool,
}

const CHANGE: &str = "textDocument/didChange";

fn told(style: Style, version: &str) -> Step {
    match style {
        Style::PushWithoutVersion => Step::publish(Value::Null, "$found"),
        _ => Step::publish(version, "$found"),
    }
}

fn empty(style: Style) -> Step {
    match style {
        Style::PushWithoutVersion => Step::publish(Value::Null, json!([])),
        _ => Step::publish("$version", json!([])),
    }
}

impl Habit {
    fn steps(&self, style: Style) -> Vec<Step> {
        let tell = || told(style, "$version");
        match *self {
            Habit::Good => vec![tell()],
            Habit::Slow(ms) => vec![Step::wait(ms), tell()],
            Habit::Behind(ms) => {
                let old = json!([{
                    "range": {
                        "start": {"line": 0, "character": 0},
                        "end": {"line": 0, "character": 1},
                    },
                    "message": "of the text before",
                }]);
                vec![Step::publish("$version-1", old), Step::wait(ms), tell()]
            }
            Habit::EmptyFirst(ms) => vec![empty(style), Step::wait(ms), tell()],
            Habit::Twice(ms) => vec![tell(), Step::wait(ms), tell()],
            Habit::Busy => vec![
                Step::publish_for("$file:never-opened.x", Value::Null, json!([])),
                Step::ask("window/workDoneProgress/create", json!({"token": "t"})),
                progress("begin"),
                Step::notify("window/logMessage", json!({"type": 3, "message": "busy"})),
                tell(),
                Step::wait(50),
                progress("end"),
            ],
            Habit::Mute => vec![],
        }
    }

    /// Whether it tells in time.
    fn tells(&self) -> bool {
        !matches!(self, Habit::Mute)
    }
}

fn progress(kind: &str) -> Step {
    let params = json!({"token": "t", "value": {"kind": kind, "title": "looking"}});
    Step::notify("$/progress", params)
}

/// Within the pause after which a publish counts, less what a round trip may take.
const SHORT: std::ops::Range<u64> = 0..380;
/// Within the time in which a publish must appear.
const LONG: std::ops::Range<u64> = 0..4900;

fn habits(style: Style) -> BoxedStrategy<Habit> {
    let any = prop_oneof![
        3 => Just(Habit::Good),
        2 => LONG.prop_map(Habit::Slow),
        2 => SHORT.prop_map(Habit::EmptyFirst),
        1 => SHORT.prop_map(Habit::Twice),
        1 => Just(Habit::Busy),
    ];
    match style {
        // What is late or old cannot be told from what is new without versions.
        Style::PushWithoutVersion => any.boxed(),
        _ => prop_oneof![
            6 => any,
            2 => LONG.prop_map(Habit::Behind),
            1 => Just(Habit::Mute),
        ]
        .boxed(),
    }
}

fn turns(style: Style) -> impl Strategy<Value = Vec<Turn>> {
    let words = vec(
        prop_oneof![Just("fine"), Just("bad_a"), Just("bad_b"), Just("odd_c")],
        0..4,
    );
    let awaited = match style {
        Style::PushWithoutVersion => Just(true).boxed(),
        _ => prop::bool::weighted(0.8).boxed(),
    };
    let turn = (words, habits(style), awaited).prop_map(|(words, habit, awaited)| Turn {
        words,
        habit,
        awaited,
    });
    vec(turn, 1..6)
}

/// What is wrong with a text, worked out without the server.
fn truth(words: &[&str]) -> Vec<String> {
    words
        .iter()
        .filter_map(|word| match word.split_once('_')?.0 {
            "bad" => Some(format!("unknown name `{word}`")),
            _ => Some(format!("odd name `{word}`")),
        })
        .collect()
}

/// A text that no other turn has, so that each is a change.
fn text(turn: usize, words: &[&str]) -> String {
    format!("turn{turn}\n{}\n", words.join(" "))
}

fn paused(test: impl Future<Output = Result<(), TestCaseError>>) -> Result<(), TestCaseError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(test)
}

async fn play(style: Style, turns: Vec<Turn>) -> Result<(), TestCaseError> {
    // Opened once, so that each turn is a change.
    let mut script = Script::of(style);
    for turn in &turns {
        script = script.times(1, CHANGE, turn.habit.steps(style));
    }
    let desk = Desk::start(script).await.unwrap();
    desk.write("first").await;
    desk.settle().await;
    for (index, turn) in turns.iter().enumerate() {
        desk.write(&text(index, &turn.words)).await;
        if !turn.awaited {
            continue;
        }
        let settled = desk.settle().await;
        if settled.evidence.is_confirmed() {
            prop_assert_eq!(
                messages(&settled.diagnostics),
                truth(&turn.words),
                "turn {}",
                index
            );
        } else {
            prop_assert!(!turn.habit.tells(), "turn {index}: {:?}", settled.evidence);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn with_versions(turns in turns(Style::Push)) {
        paused(play(Style::Push, turns))?;
    }

    #[test]
    fn without_versions(turns in turns(Style::PushWithoutVersion)) {
        paused(play(Style::PushWithoutVersion, turns))?;
    }

    #[test]
    fn asked(turns in vec((turns_words(), answers()), 1..6)) {
        paused(play_pulls(turns))?;
    }
}

/// How a server answers a pull.
#[derive(Clone, Debug)]
enum Answer {
    Good,
    /// After so many milliseconds.
    Slow(u64),
    /// Interrupted so often before.
    Again(usize, i64),
    /// It refuses.
    Refused,
    /// No list.
    Broken,
}

fn turns_words() -> impl Strategy<Value = Vec<&'static str>> {
    vec(
        prop_oneof![Just("fine"), Just("bad_a"), Just("odd_c")],
        0..4,
    )
}

fn answers() -> impl Strategy<Value = Answer> {
    prop_oneof![
        3 => Just(Answer::Good),
        1 => LONG.prop_map(Answer::Slow),
        2 => (1..4usize, prop_oneof![Just(-32802), Just(-32801)])
            .prop_map(|(times, code)| Answer::Again(times, code)),
        1 => Just(Answer::Refused),
        1 => Just(Answer::Broken),
    ]
}

async fn play_pulls(turns: Vec<(Vec<&'static str>, Answer)>) -> Result<(), TestCaseError> {
    const PULL: &str = "textDocument/diagnostic";
    let mut script = Script::of(Style::Pull).times(1, PULL, [Step::AsUsual]);
    for (_, answer) in &turns {
        script = match *answer {
            Answer::Good => script.times(1, PULL, [Step::AsUsual]),
            Answer::Slow(ms) => {
                script.times(1, PULL, [Step::wait(ms), Step::answer_pull("$found")])
            }
            Answer::Again(times, code) => script
                .times(times, PULL, [Step::fail(code, "again")])
                .times(1, PULL, [Step::AsUsual]),
            Answer::Refused => script.times(1, PULL, [Step::fail(-32603, "no")]),
            Answer::Broken => script.times(1, PULL, [Step::Answer(json!({"items": "none"}))]),
        };
    }
    let desk = Desk::start(script).await.unwrap();
    desk.write("first").await;
    desk.settle().await;
    for (index, (words, answer)) in turns.iter().enumerate() {
        desk.write(&text(index, words)).await;
        let settled = desk.settle().await;
        let refused = matches!(answer, Answer::Refused | Answer::Broken);
        prop_assert_eq!(
            settled.evidence.is_confirmed(),
            !refused,
            "turn {}: {:?}",
            index,
            settled.evidence
        );
        if !refused {
            prop_assert_eq!(
                messages(&settled.diagnostics),
                truth(words),
                "turn {}",
                index
            );
        }
    }
    Ok(())
}
