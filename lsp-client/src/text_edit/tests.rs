//! Edits of the protocol against a naive way to apply them.

use std::collections::HashMap;

use expect_test::expect;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{FileChange, Point, WorkspaceEdit};

/// `(line, character)` twice and the new text, as the protocol writes it.
pub(crate) fn sent(start: (u32, u32), end: (u32, u32), text: &str) -> Value {
    json!({
        "range": {
            "start": {"line": start.0, "character": start.1},
            "end": {"line": end.0, "character": end.1},
        },
        "newText": text,
    })
}

fn edited(text: &str, edits: Value) -> Result<String, String> {
    let change =
        WorkspaceEdit::read_edits(&edits, Path::new("/r/a.txt"), text.into(), Encoding::Utf16)
            .map_err(|error| error.to_string())?;
    match change.files.as_slice() {
        [] => Ok(text.to_owned()),
        [FileChange::Edit { before, edits, .. }] => Ok(TextEdit::apply(before, edits).unwrap()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn edits_are_made_where_they_say() {
    let text = "let a = \"😀\";\nlet b;\n";
    let edits = json!([
        sent((1, 4), (1, 5), "c"),
        sent((0, 9), (0, 11), "x"),
        sent((0, 0), (0, 0), "pub "),
    ]);
    assert_eq!(edited(text, edits).unwrap(), "pub let a = \"x\";\nlet c;\n");
    assert_eq!(edited(text, json!(null)).unwrap(), text);
    assert_eq!(edited(text, json!([])).unwrap(), text);
}

#[test]
fn insertions_at_one_place_keep_their_order_and_come_before_what_is_replaced() {
    let edits = json!([
        sent((0, 1), (0, 2), "B"),
        sent((0, 1), (0, 1), "1"),
        sent((0, 1), (0, 1), "2"),
        sent((0, 2), (0, 2), "3"),
    ]);
    assert_eq!(edited("abc", edits).unwrap(), "a12B3c");
}

#[test]
fn places_behind_the_end_mean_the_end() {
    let whole = json!([sent((0, 0), (u32::MAX, u32::MAX), "new\n")]);
    assert_eq!(edited("a\nb", whole).unwrap(), "new\n");
    let behind = json!([sent((2, 0), (2, 0), "\nc")]);
    assert_eq!(edited("a\nb", behind).unwrap(), "a\nb\nc");
    let line_end = json!([sent((0, 99), (1, 0), " ")]);
    assert_eq!(edited("a\r\nb", line_end).unwrap(), "a b");
}

#[test]
fn the_mark_at_the_start_stays() {
    let edits = json!([sent((0, 0), (0, 1), "X")]);
    assert_eq!(edited("\u{FEFF}abc", edits).unwrap(), "\u{FEFF}Xbc");
}

#[test]
fn new_lines_end_as_the_others_do() {
    let edits = |text| json!([sent((0, 1), (0, 1), text)]);
    assert_eq!(edited("a\r\n", edits("\nx\n")).unwrap(), "a\r\nx\r\n\r\n");
    assert_eq!(edited("a\r\n", edits("\nx\r\n")).unwrap(), "a\r\nx\r\n\r\n");
    // Mixed, none, or the other kind: as it was sent.
    assert_eq!(edited("a\r\n\n", edits("\nx")).unwrap(), "a\nx\r\n\n");
    assert_eq!(edited("a", edits("\nx")).unwrap(), "a\nx");
    assert_eq!(edited("a\n", edits("\r\nx")).unwrap(), "a\r\nx\n");
}

#[test]
fn removing_the_return_of_a_line_end_does_not_tear_it() {
    let edits = json!([sent((0, 1), (0, 2), "")]);
    assert_eq!(edited("a\r\nb", edits).unwrap(), "a\r\nb");
}

#[test]
fn what_changes_nothing_is_no_edit() {
    let edits = json!([sent((0, 0), (0, 1), "a"), sent((0, 2), (0, 2), "")]);
    let change =
        WorkspaceEdit::read_edits(&edits, Path::new("/r/a"), "abc".into(), Encoding::Utf16);
    assert_eq!(change.unwrap(), WorkspaceEdit::default());
}

#[test]
fn the_same_replacement_twice_is_one() {
    let edits = json!([sent((0, 0), (0, 1), "x"), sent((0, 0), (0, 1), "x")]);
    assert_eq!(edited("abc", edits).unwrap(), "xbc");
    let edits = json!([sent((0, 0), (0, 0), "x"), sent((0, 0), (0, 0), "x")]);
    assert_eq!(edited("abc", edits).unwrap(), "xxabc");
}

#[test]
fn refusals() {
    let mut snippet = sent((0, 0), (0, 0), "${0:x}");
    snippet["insertTextFormat"] = json!(2);
    let newer_snippet = json!({
        "range": snippet["range"],
        "snippet": {"kind": "snippet", "value": "$0"},
    });
    let mut without_range = sent((0, 0), (0, 0), "x");
    without_range["range"].take();
    let cases = [
        json!([sent((0, 0), (0, 2), "x"), sent((0, 1), (0, 3), "y")]),
        json!([sent((0, 0), (0, 2), "x"), sent((0, 0), (0, 2), "y")]),
        json!([sent((0, 0), (1, 1), "x"), sent((1, 0), (1, 0), "y")]),
        json!([sent((3, 0), (3, 0), "x")]),
        json!([sent((0, 2), (0, 1), "x")]),
        json!([snippet]),
        json!([newer_snippet]),
        json!([without_range]),
        json!({"edits": []}),
    ];
    let errors: String = cases
        .into_iter()
        .map(|case| edited("abc\nd", case).unwrap_err() + "\n")
        .collect();
    expect![[r#"
        editing /r/a.txt: two of the server's edits overlap, on line 1 and on line 1; nothing was changed, make the change by other means
        editing /r/a.txt: two of the server's edits overlap, on line 1 and on line 1; nothing was changed, make the change by other means
        editing /r/a.txt: two of the server's edits overlap, on line 1 and on line 2; nothing was changed, make the change by other means
        editing /r/a.txt: the server's edit starts on line 4 and the text has 2; the server knows another text, ask again
        editing /r/a.txt: the server's edit on line 1 ends before it starts; nothing was changed
        editing /r/a.txt: the server proposes a snippet, which has places to fill in; nothing was changed, choose another action or write the text
        editing /r/a.txt: the server proposes a snippet, which has places to fill in; nothing was changed, choose another action or write the text
        reading the change that the server proposes: the edits of /r/a.txt: invalid type: null, expected struct Range; nothing was changed, make the change by other means and report this to the makers of the server
        reading the change that the server proposes: the edits of /r/a.txt: invalid type: map, expected a sequence; nothing was changed, make the change by other means and report this to the makers of the server
    "#]].assert_eq(&errors);
}

/// A text of awkward characters.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\r\n"),
        Just("ab"),
        Just("é"),
        Just("漢"),
        Just("😀"),
        Just(" "),
    ];
    proptest::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// Edits of a text that do not overlap: ranges of it, in no order, each with a new text. Their
/// ends never stand inside of a line end.
fn edits(text: &str) -> impl Strategy<Value = Vec<TextEdit>> + use<> {
    let places: Vec<usize> = (0..=text.len())
        .filter(|at| text.is_char_boundary(*at))
        .filter(|at| !(text[..*at].ends_with('\r') && text[*at..].starts_with('\n')))
        .collect();
    let cuts = proptest::collection::vec(0..places.len(), 0..8);
    (cuts, "[xyz😀]{0,3}").prop_map(move |(mut cuts, new)| {
        cuts.sort_unstable();
        let mut edits = Vec::new();
        let mut free = 0;
        for pair in cuts.chunks(2) {
            let (start, end) = (pair[0], pair[pair.len() - 1]);
            // One insertion per place and none where a replacement starts: the order of those has
            // its own test.
            if start < free {
                continue;
            }
            edits.push(TextEdit {
                range: places[start]..places[end],
                text: new.clone(),
            });
            free = end + 1;
        }
        edits
    })
}

/// The text after edits that do not overlap, made from the last to the first.
fn naive(text: &str, edits: &[TextEdit]) -> String {
    let mut text = text.to_owned();
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| edit.range.start);
    for edit in edits.iter().rev() {
        text.replace_range(edit.range.clone(), &edit.text);
    }
    text
}

/// The edits as a server sends them.
fn as_sent(text: &str, edits: &[TextEdit], encoding: Encoding) -> Vec<SentEdit> {
    let index = LineIndex::new(text);
    let at = |offset: usize| {
        let point: Point = index.point(text, offset);
        index.to_position(text, point, encoding)
    };
    edits
        .iter()
        .map(|edit| {
            serde_json::from_value(json!({
                "range": {"start": at(edit.range.start), "end": at(edit.range.end)},
                "newText": edit.text,
            }))
            .unwrap()
        })
        .collect()
}

proptest! {
    #[test]
    fn rounds_of_edits_come_to_one_round(
        (before, rounds) in text().prop_flat_map(|before| {
            let first = edits(&before);
            (Just(before), first).prop_flat_map(|(before, first)| {
                let second = edits(&naive(&before, &first));
                (Just(before), (Just(first), second))
            })
        }),
        reversed in any::<bool>(),
        utf8 in any::<bool>(),
    ) {
        let encoding = if utf8 { Encoding::Utf8 } else { Encoding::Utf16 };
        let path = Path::new("/r/a");
        let mut draft = Draft::new(before.as_str().into());
        let mut expected = before.clone();
        for mut round in [rounds.0, rounds.1] {
            let text = expected;
            expected = naive(&text, &round);
            if reversed {
                round.reverse();
            }
            draft.edit(path, &as_sent(&text, &round, encoding), encoding).unwrap();
            prop_assert_eq!(draft.text(), &expected[..]);
        }
        let edits = draft.edits();
        prop_assert_eq!(TextEdit::apply(&before, &edits), Some(expected));
        for pair in edits.windows(2) {
            prop_assert!(pair[0].range.end < pair[1].range.start, "{edits:?}");
        }
        for edit in &edits {
            prop_assert_ne!(&before[edit.range.clone()], &edit.text[..]);
        }
    }

    #[test]
    fn edits_that_overlap_are_refused(
        text in "[a-c\n]{4,12}",
        (start, length) in (0..3_usize, 2..4_usize),
    ) {
        let range = |start: usize| start..(start + length).min(text.len());
        let edit = |range, text: &str| TextEdit { range, text: text.to_owned() };
        let edits = [edit(range(start), "x"), edit(range(start + 1), "y")];
        let sent = as_sent(&text, &edits, Encoding::Utf16);
        let refused = Draft::new(text.as_str().into())
            .edit(Path::new("/r/a"), &sent, Encoding::Utf16);
        prop_assert!(matches!(refused, Err(EditError::Overlap { .. })), "{refused:?}");
    }
}

#[test]
fn applying_wrong_edits_is_none() {
    let edit = |range| TextEdit {
        range,
        text: String::new(),
    };
    let wrong: HashMap<&str, Vec<TextEdit>> = HashMap::from([
        ("behind", vec![edit(2..4)]),
        ("inside of a character", vec![edit(0..1)]),
        ("overlapping", vec![edit(0..2), edit(1..3)]),
        ("not in order", vec![edit(2..3), edit(0..2)]),
    ]);
    let applied: Vec<_> = wrong
        .values()
        .filter_map(|edits| TextEdit::apply("éa", edits))
        .collect();
    assert_eq!(applied, [""; 0]);
    assert_eq!(
        TextEdit::apply("éa", &[edit(0..2), edit(2..3)]).as_deref(),
        Some("")
    );
}
