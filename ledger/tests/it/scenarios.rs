//! What an agent is told in some fifty situations of a working day.

use fourfold_ledger::{Config, Evidence, Ledger, Origin, Severity, Shown, Slot};

use crate::script::{Run, findings, written};

/// The number of the situation, what happens, and each step with the answer that is expected.
type Row = (u32, &'static str, &'static [(&'static str, &'static str)]);

const ROWS: &[Row] = &[
    (
        1,
        "nothing changed since the baseline",
        &[("base a: E x @3", ""), ("see a: E x @3", "=1")],
    ),
    (
        1,
        "nothing was heard before the baseline but that nothing is known yet",
        &[
            ("partial a: ", "=0"),
            ("base a: E x @3", ""),
            ("see a: E x @3", "=1"),
        ],
    ),
    (
        2,
        "moves four lines",
        &[("base a: E x @3", ""), ("see a: E x @7", "=1")],
    ),
    (
        3,
        "the file is reformatted",
        &[
            ("base a: E x @3:1; W y @5:2; E x @9:1", ""),
            ("see a: W y @1:9; E x @2:4; E x @90:5", "=3"),
        ],
    ),
    (
        4,
        "a new key",
        &[
            ("base a: E x @3", ""),
            ("see a: E x @3; E y @4", "+E y @4 =1"),
            ("see a: E x @3; E y @4", "=2"),
        ],
    ),
    (
        5,
        "the same key a second time: the one in the edited lines",
        &[
            ("base a: E x @30", ""),
            ("edit 5-9 a: E x @6; E x @30", "+E x @6 =1"),
        ],
    ),
    (
        5,
        "the same key a second time, edit unknown: the last",
        &[
            ("base a: E x @3", ""),
            ("see a: E x @3; E x @8", "+E x @8 =1"),
        ],
    ),
    (
        6,
        "three times, one fixed; the third returns (7)",
        &[
            ("base a: E x @1; E x @2; E x @3", ""),
            ("see a: E x @1; E x @3", "-E x =2"),
            ("see a: E x @1; E x @2; E x @3", "+E x @3 =2"),
        ],
    ),
    (
        8,
        "fixed, later reintroduced",
        &[
            ("base a: E x @1", ""),
            ("see a: ", "-E x =0"),
            ("see a: ", "=0"),
            ("see a: E x @1", "+E x @1 =0"),
        ],
    ),
    (
        9,
        "cleared and published again before anything was shown",
        &[
            ("base a: E x @1", ""),
            ("lost a: ", "-E x =0"),
            ("see a: E x @1", "=1"),
        ],
    ),
    (
        10,
        "cleared, the deadline passes; it returns",
        &[
            ("base a: E x @1", ""),
            ("partial a: ", "=1 ~1"),
            ("see a: E x @1", "=1"),
        ],
    ),
    (
        11,
        "one fixed, an equal one added elsewhere: no change by count",
        &[("base a: E x @1", ""), ("see a: E x @50", "=1")],
    ),
    (
        12,
        "a warning becomes an error",
        &[
            ("base a: W x @1", ""),
            ("see a: E x @1", "+E x @1 (was warning) =0"),
            ("see a: ", "-E x =0"),
        ],
    ),
    (
        13,
        "an error becomes a warning",
        &[
            ("base a: E x @1", ""),
            ("see a: W x @1", "+W x @1 (was error) =0"),
        ],
    ),
    (
        12,
        "one of two warnings becomes an error, the other is fixed",
        &[
            ("base a: W x @1; W x @2", ""),
            ("see a: E x @1", "+E x @1 (was warning) -W x =0"),
        ],
    ),
    (
        14,
        "the code changes",
        &[
            ("base a: E[1] x @1", ""),
            ("see a: E[2] x @1", "+E x @1 -E x =0"),
        ],
    ),
    (
        15,
        "a type in the message changes",
        &[
            ("base a: E expected `u8` @1", ""),
            (
                "see a: E expected `u9` @1",
                "+E expected `u9` @1 -E expected `u8` =0",
            ),
        ],
    ),
    (
        16,
        "the message names a line that moved",
        &[
            ("base a: E first defined on line 12 @20", ""),
            ("see a: E first defined on line 16 @24", "=1"),
        ],
    ),
    (
        17,
        "the message names a closure that moved",
        &[
            (
                "base a: E `{closure@src/a.rs:3:9: 3:12}` is no `Copy` @3",
                "",
            ),
            (
                "see a: E `{closure@src/a.rs:7:9: 7:12}` is no `Copy` @7",
                "=1",
            ),
        ],
    ),
    (
        18,
        "a number that is no position",
        &[
            ("base a: E expected 2 arguments, found 3 @1", ""),
            (
                "see a: E expected 2 arguments, found 4 @1",
                "+E expected 2 arguments, found 4 @1 -E expected 2 arguments, found 3 =0",
            ),
        ],
    ),
    (
        20,
        "an open brace: the syntax error and a count; closed again (21); two were real (22)",
        &[
            ("base a: E p @1; E q @2; W r @3", ""),
            (
                "some a: 200*E follower {} @{}; S unclosed @999",
                "+201 fresh =3 ~3 show 1",
            ),
            (
                "see a: E p @1; E q @2; W r @3; E follower 7 @7; E follower 9 @9",
                "+E follower 7 @7 +E follower 9 @9 -E unclosed =3",
            ),
        ],
    ),
    (
        21,
        "the caller says that the set is masked",
        &[
            ("base a: E p @1; E q @2", ""),
            ("masked a: E hidden @5", "+E hidden @5 =2 ~2"),
            ("see a: E p @1; E q @2", "-E hidden =2"),
        ],
    ),
    (
        23,
        "an edit breaks another file",
        &[
            ("base a: ", ""),
            ("base b: ", ""),
            ("see a: ", "=0"),
            ("see b: E x @1", "+E x @1 =0"),
        ],
    ),
    (
        24,
        "told in one file, now in another",
        &[
            ("base a: ", ""),
            ("base b: ", ""),
            ("see a: E x @1", "+E x @1 =0"),
            ("see b: E x @1", "+E x @1 =0"),
        ],
    ),
    (
        25,
        "a function moves to another file with its error",
        &[
            ("base a: E x @1", ""),
            ("base b: ", ""),
            ("see a: ", "-E x =0"),
            ("see b: E x @1", "+E x @1 =0"),
        ],
    ),
    (
        26,
        "renamed",
        &[
            ("base a: E x @1", ""),
            ("rename a b", ""),
            ("see b: E x @1", "=1"),
        ],
    ),
    (
        27,
        "deleted, and created again",
        &[
            ("base a: E x @1", ""),
            ("drop a", "-E x"),
            ("base a: ", ""),
            ("see a: E x @1", "+E x @1 =0"),
        ],
    ),
    (
        28,
        "the server restarts and begins empty",
        &[
            ("base a: E x @1", ""),
            ("partial a: ", "=1 ~1"),
            ("partial a: E x @1", "=1"),
        ],
    ),
    (
        29,
        "a newer server words it otherwise",
        &[
            ("base a: E x @1", ""),
            ("see a: E ex @1", "+E ex @1 -E x =0"),
        ],
    ),
    (
        31,
        "twenty of fifty are shown, then twenty, then ten, then none",
        &[
            ("base a: ", ""),
            ("some a: 50*E m{} @{}", "+50 fresh =0 show 20"),
            ("some a: 50*E m{} @{}", "+30 fresh =20 show 20"),
            ("some a: 50*E m{} @{}", "+10 fresh =40"),
            ("some a: 50*E m{} @{}", "=50"),
        ],
    ),
    (
        31,
        "three of five equal ones are shown",
        &[
            ("base a: ", ""),
            (
                "some a: 5*E x @{}",
                "+E x @1 +E x @2 +E x @3 +E x @4 +E x @5 =0 show 3",
            ),
            ("some a: 5*E x @{}", "+E x @4 +E x @5 =3"),
        ],
    ),
    (
        32,
        "the result did not arrive",
        &[
            ("base a: ", ""),
            ("lost a: E x @1", "+E x @1 =0"),
            ("see a: E x @1", "+E x @1 =0"),
            ("see a: E x @1", "=1"),
        ],
    ),
    (
        34,
        "the context was compacted: what was told is told once more, the baseline is not",
        &[
            ("base a: E old @1", ""),
            ("see a: E old @1; E x @2", "+E x @2 =1"),
            ("forget", ""),
            ("see a: E old @1; E x @2", "+E x @2 =1"),
            ("see a: E old @1; E x @2", "=2"),
        ],
    ),
    (
        35,
        "the conversation was rewound",
        &[
            ("base a: ", ""),
            ("save", ""),
            ("see a: E x @2", "+E x @2 =0"),
            ("rewind", ""),
            ("see a: E x @2", "+E x @2 =0"),
        ],
    ),
    (
        37,
        "line ends and blanks in the message",
        &[
            ("base a: E can  not\r\nfind x @1", ""),
            ("see a: E can not\nfind x  @1", "=1"),
        ],
    ),
    (
        38,
        "sent twice: one; twice in a line: two",
        &[
            ("base a: ", ""),
            ("see a: E x @1:4; E x @1:4", "+E x @1 =0"),
            ("see a: E x @1:4; E x @1:9", "+E x @1 =1"),
        ],
    ),
    (
        39,
        "a union in another order, without a rule",
        &[
            ("base a: E `A | B` @1", ""),
            ("see a: E `B | A` @1", "+E `B | A` @1 -E `A | B` =0"),
        ],
    ),
    (
        40,
        "another tool wrote: observed like any edit",
        &[("base a: E x @1", ""), ("see a: E y @1", "+E y @1 -E x =0")],
    ),
    (
        0,
        "no baseline: told once, and that its origin is unknown",
        &[
            ("see a: E x @1", "+E x @1 =0 origin?"),
            ("see a: E x @1; E y @2", "+E y @2 =1"),
        ],
    ),
    (
        0,
        "no baseline and no complete answer: the origin stays unknown",
        &[
            ("partial a: E x @1", "+E x @1 =0 origin?"),
            ("see a: E x @1; E y @2", "+E y @2 =1 origin?"),
        ],
    ),
    (
        41,
        "a warning that an error hid is told once",
        &[
            ("hides", ""),
            ("see a: W vet @3", "+W vet @3 =0 origin?"),
            ("see a: E[type] t @9", "+E t @9 =1 ~1"),
            ("see a: W vet @3", "-E t =1"),
            ("see a: ", "-W vet =0"),
        ],
    ),
    (
        42,
        "an error in one document hides what stands in another",
        &[
            ("hides", ""),
            ("base a: ", ""),
            ("base test: ", ""),
            ("see test: E[382] moved @4", "+E moved @4 =0"),
            ("see a: E[308] type @1", "+E type @1 =0"),
            ("see test: ", "=1 ~1"),
            ("sight a: ", ""),
            ("see test: E[382] moved @4", "=1"),
            ("see a: ", "-E type =0"),
            ("see test: ", "-E moved =0"),
        ],
    ),
    (
        43,
        "one of two errors is repaired: the other was there when it was seen",
        &[
            ("hides", ""),
            ("see a: E[1] x @3; E[2] y @4", "+E x @3 +E y @4 =0 origin?"),
            ("see a: E[2] y @4", "-E x =1"),
        ],
    ),
    (
        44,
        "an error becomes another one of its kind",
        &[
            ("hides", ""),
            ("see a: E[1] x @3", "+E x @3 =0 origin?"),
            ("see a: E[1] y @3", "+E y @3 -E x =0"),
            // One of another kind may hide it.
            ("see a: E[2] z @3", "+E z @3 (hidden?) =1 ~1"),
            ("see a: ", "-E y -E z =0"),
        ],
    ),
    (
        45,
        "what comes to light may be older than the change",
        &[
            ("hides", ""),
            ("base a: E[1] x @3", ""),
            ("see a: W vet @3", "+W vet @3 (hidden?) -E x =0"),
            ("see a: W vet @3; W new @4", "+W new @4 =1"),
        ],
    ),
    (
        46,
        "an error elsewhere that was there before any change hides nothing",
        &[
            ("hides", ""),
            ("base a: E[1] x @3", ""),
            ("base b: E[2] y @3", ""),
            ("see b: E[2] y @3", "=1"),
            ("see a: ", "-E x =0"),
        ],
    ),
    (
        49,
        "a checker that tells all errors, with a linter that needs types",
        &[
            ("hides lesser", ""),
            ("see a: E[1] x @3; W vet @4", "+E x @3 +W vet @4 =0 origin?"),
            ("see b: E[2] y @3", "+E y @3 =0 origin?"),
            ("see a: ", "-E x =1 ~1"),
            ("sight b: ", ""),
            ("see a: W vet @4; E[3] z @1", "+E z @1 =1"),
        ],
    ),
    (
        48,
        "what was hidden in a document that nobody looks at again",
        &[
            ("hides", ""),
            (
                "see a: W vet @3; W other @4",
                "+W vet @3 +W other @4 =0 origin?",
            ),
            ("see b: E[1] x @3", "+E x @3 =0 origin?"),
            // Repaired, as far as can be seen.
            ("see a: W other @4", "=2 ~1"),
            ("lifted", ""),
            ("see b: ", "-E x =0"),
            ("lifted", "-W a: vet"),
            ("lifted", ""),
            ("see a: W other @4", "=1"),
        ],
    ),
    (
        47,
        "the document with the error that hides is deleted",
        &[
            ("hides", ""),
            ("see a: W vet @3", "+W vet @3 =0 origin?"),
            ("see b: E[1] x @3", "+E x @3 =0 origin?"),
            ("see a: ", "=1 ~1"),
            ("drop b", "-E x"),
            ("see a: ", "-W vet =0"),
        ],
    ),
    (
        50,
        "overwritten by a document that nobody looked at",
        &[
            ("base b: E x @1", ""),
            ("rename a b", ""),
            // What was wrong in it before is not fixed, and what is wrong now may have come along.
            ("see b: E y @1", "+E y @1 =0 origin?"),
        ],
    ),
];

#[test]
fn every_row() {
    for (number, title, steps) in ROWS {
        let mut run = Run::new();
        for (step, expected) in *steps {
            assert_eq!(run.step(step), *expected, "row {number}, {title}: {step}");
        }
    }
}

/// 19, 30 and 36 are about what goes into a finding.
#[test]
fn what_a_finding_is_made_of() {
    // 19: related information is no part of a finding at all. 36: a code is its text.
    let mut ledger = Ledger::new(Config::default());
    let slot = Slot::new("ts", "a.ts");
    let finding = fourfold_ledger::Finding::new(Severity::Error, "Cannot find name 'x'.", 1);
    ledger.baseline(&slot, &[finding.clone().with_code(2304)]);
    let delta = ledger.observe(&slot, Evidence::Complete, &[finding.with_code("2304")]);
    assert_eq!(written(&delta), "=1");

    // 30: minor ones are filtered in front.
    let mut set = findings("H never used @3; W unused @4");
    set.retain(|finding| finding.severity <= Severity::Information);
    let delta = ledger.observe(&slot, Evidence::Partial, &set);
    assert_eq!(written(&delta), "+W unused @4 =1 ~1");
}

/// 33: two agents in one checkout.
#[test]
fn two_agents_have_two_ledgers() {
    let (mut one, mut two) = (Run::new(), Run::new());
    for run in [&mut one, &mut two] {
        run.step("base a:");
        assert_eq!(run.step("see a: E x @1"), "+E x @1 =0");
    }
}

#[test]
fn two_producers_of_one_finding_are_shown_once() {
    let mut ledger = Ledger::new(Config::default());
    let (one, two) = (Slot::new("pyright", "a.py"), Slot::new("pylsp", "a.py"));
    ledger.baseline(&one, &[]);
    ledger.baseline(&two, &[]);
    let first = ledger.observe(&one, Evidence::Complete, &findings("E x @1:1"));
    let second = ledger.observe(&two, Evidence::Complete, &findings("E x @1:5; W own @2"));
    let echoes: Vec<usize> = (0..second.fresh.len())
        .filter(|&place| {
            first
                .fresh
                .iter()
                .any(|shown| shown.same_as(&second.fresh[place]))
        })
        .collect();
    assert_eq!(echoes, [0]);
    ledger.acknowledge(first, Shown::All);
    ledger.acknowledge(second, Shown::These(echoes));
    let second = ledger.observe(&two, Evidence::Complete, &findings("E x @1:5; W own @2"));
    assert_eq!(written(&second), "+W own @2 =1");
}

#[test]
fn a_baseline_swallows_nothing_that_is_still_to_be_told() {
    let mut run = Run::new();
    run.step("base a: W old @1");
    assert_eq!(run.step("lost a: W old @1; E x @2"), "+E x @2 =1");
    let slot = Slot::new("server", "a");
    assert!(!run.ledger.baseline(&slot, &findings("W old @1; E x @2")));
    assert_eq!(run.step("see a: W old @1; E x @2"), "+E x @2 =1");
}

#[test]
fn what_was_counted_is_known_and_not_told_once_more() {
    let mut run = Run::new();
    let slot = Slot::new("server", "a");
    let set = findings("E x @1; E x @2; E y @3");
    let delta = run.ledger.observe(&slot, Evidence::Complete, &set);
    assert_eq!(delta.origin, Origin::Unknown);
    assert!(run.ledger.acknowledge_counted(delta, Shown::First(1)));
    // A third x is news, by a known origin; the counted y is gone like any other.
    let next = "see a: E x @1; E x @2; E x @9";
    assert_eq!(run.step(next), "+E x @9 -E y =2");
    // Of the three the two that were shown are told again, the counted one is not.
    run.ledger.forget_told();
    assert_eq!(run.step(next), "+E x @2 +E x @9 =1");
}

#[test]
fn an_overtaken_delta_counts_no_more() {
    let slot = Slot::new("server", "a");
    let observe = |run: &mut Run| {
        run.ledger
            .observe(&slot, Evidence::Complete, &findings("E x @1"))
    };
    let overtakers: [fn(&mut Run); 5] = [
        |run| {
            run.step("see a: ");
        },
        |run| run.ledger.forget_told(),
        |run| {
            run.ledger.remove("a");
            run.step("base a: ");
        },
        |run| {
            let now = run.ledger.checkpoint();
            run.ledger.restore(now);
        },
        |run| {
            run.ledger.rename("a", "b");
            run.ledger.rename("b", "a");
        },
    ];
    for overtake in overtakers {
        let mut run = Run::new();
        run.step("base a: ");
        let delta = observe(&mut run);
        overtake(&mut run);
        assert!(!run.ledger.acknowledge(delta, Shown::All));
        assert_eq!(run.step("see a: E x @1"), "+E x @1 =0");
    }

    // In order, two deltas of one moment tell the same finding once.
    let mut run = Run::new();
    run.step("base a: ");
    let (first, second) = (observe(&mut run), observe(&mut run));
    assert!(run.ledger.acknowledge(first, Shown::All));
    assert!(run.ledger.acknowledge(second, Shown::All));
    assert_eq!(run.ledger.standing(&slot).total(), 1);
}

#[test]
fn syntax_then_severity_then_edited_lines() {
    let mut ledger = Ledger::new(Config::default());
    let slot = Slot::new("server", "a");
    ledger.baseline(&slot, &[]);
    let set = findings("W w @1; E far @2; E near @8; S brace @9");
    let edited = 7..10;
    let delta = ledger.observe_edit(&slot, Evidence::Complete, &set, &[edited]);
    assert_eq!(
        written(&delta),
        "+E brace @9 +E near @8 +E far @2 +W w @1 =0 show 1"
    );
    assert_eq!(delta.evidence, Evidence::Masked);
    assert_eq!(delta.fresh[1].index, 2);
}
