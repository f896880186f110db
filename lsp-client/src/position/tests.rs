//! Positions against a naive way to count, in every encoding.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

fn point(line: u32, column: u32) -> Point {
    Point { line, column }
}

fn position(line: u32, character: u32) -> Position {
    Position { line, character }
}

/// Pieces of text in which every kind of width and of line end is likely.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\r\n"),
        Just("\r"),
        Just("a"),
        Just("let x"),
        Just("é"),
        Just("e\u{301}"),
        Just("漢字"),
        Just("😀"),
        Just("👩\u{200D}👩\u{200D}👧"),
        Just("\u{2028}"),
        Just("\u{85}"),
        Just("\t"),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// One character or line end of a text, told by walking it: the oracle.
struct Step {
    /// Where it begins and ends in bytes.
    bytes: ops::Range<usize>,
    /// Line and columns before it, in bytes and in units of the encoding.
    line: u32,
    column: usize,
    units: usize,
    ends_line: bool,
}

/// The steps of a text, the last one being its end.
fn walk(text: &str, encoding: Encoding) -> Vec<Step> {
    let mut steps = Vec::new();
    let (mut line, mut column, mut units, mut at) = (0, 0, 0, 0);
    let characters: Vec<char> = text.chars().collect();
    let mut next = 0;
    while next < characters.len() {
        let width = match (characters[next], characters.get(next + 1)) {
            ('\r', Some('\n')) => 2,
            _ => 1,
        };
        let length: usize = characters[next..next + width]
            .iter()
            .map(|character| character.len_utf8())
            .sum();
        let ends_line = matches!(characters[next], '\r' | '\n');
        steps.push(Step {
            bytes: at..at + length,
            line,
            column,
            units,
            ends_line,
        });
        at += length;
        if ends_line {
            (line, column, units) = (line + 1, 0, 0);
        } else {
            column += length;
            units += match encoding {
                Encoding::Utf8 => characters[next].to_string().len(),
                Encoding::Utf16 => characters[next].to_string().encode_utf16().count(),
                Encoding::Utf32 => 1,
            };
        }
        next += width;
    }
    steps.push(Step {
        bytes: at..at,
        line,
        column,
        units,
        ends_line: true,
    });
    steps
}

proptest! {
    #[test]
    fn every_place_has_its_point_and_its_position(text in text(), encoding in 0..3_usize) {
        let encoding = ALL[encoding];
        let index = LineIndex::new(&text);
        for step in walk(&text, encoding) {
            let ours = point(step.line, step.column as u32);
            let theirs = position(step.line, step.units as u32);
            prop_assert_eq!(index.point(&text, step.bytes.start), ours);
            prop_assert_eq!(index.offset(&text, ours), step.bytes.start);
            prop_assert_eq!(index.to_position(&text, ours, encoding), theirs);
            prop_assert_eq!(index.to_point(&text, theirs, encoding), ours);
        }
    }

    #[test]
    fn what_lies_inside_of_a_character_or_line_end_means_its_beginning(
        text in text(),
        encoding in 0..3_usize,
    ) {
        let encoding = ALL[encoding];
        let index = LineIndex::new(&text);
        let steps = walk(&text, encoding);
        for pair in steps.windows(2) {
            let (this, next) = (&pair[0], &pair[1]);
            let ours = point(this.line, this.column as u32);
            for byte in this.bytes.clone() {
                prop_assert_eq!(index.point(&text, byte), ours);
                let within = (this.column + byte - this.bytes.start) as u32;
                prop_assert_eq!(
                    index.offset(&text, point(this.line, within)),
                    this.bytes.start
                );
            }
            if !this.ends_line {
                for unit in this.units..next.units {
                    prop_assert_eq!(
                        index.to_point(&text, position(this.line, unit as u32), encoding),
                        ours
                    );
                }
            }
        }
    }

    #[test]
    fn what_lies_behind_a_line_means_its_end(
        text in text(),
        encoding in 0..3_usize,
        beyond in prop_oneof![1..9_u32, Just(u32::MAX / 2)],
    ) {
        let encoding = ALL[encoding];
        let index = LineIndex::new(&text);
        let steps = walk(&text, encoding);
        for step in steps.iter().filter(|step| step.ends_line) {
            let ours = point(step.line, step.column as u32);
            let behind = position(step.line, step.units as u32 + beyond);
            prop_assert_eq!(index.to_point(&text, behind, encoding), ours);
            let behind = point(step.line, step.column as u32 + beyond);
            prop_assert_eq!(index.offset(&text, behind), step.bytes.start);
        }
        let end = steps.last().unwrap();
        let ours = point(end.line, end.column as u32);
        prop_assert_eq!(index.to_point(&text, position(end.line + beyond, 0), encoding), ours);
        prop_assert_eq!(index.offset(&text, point(end.line + beyond, 3)), text.len());
        prop_assert_eq!(index.point(&text, text.len() + size(beyond)), ours);
        prop_assert_eq!(
            index.to_position(&text, point(end.line + beyond, 3), encoding),
            position(end.line, end.units as u32)
        );
    }

    #[test]
    fn lines_are_what_stands_between_the_line_ends(text in text()) {
        let index = LineIndex::new(&text);
        let one_kind = text.replace("\r\n", "\n").replace('\r', "\n");
        let expected: Vec<&str> = one_kind.split('\n').collect();
        let lines: Vec<&str> = (0..).map_while(|line| index.line(&text, line)).collect();
        prop_assert_eq!(index.count(), expected.len());
        prop_assert_eq!(lines, expected);
    }

    #[test]
    fn a_mark_at_the_start_is_no_text_for_the_server(text in text(), encoding in 0..3_usize) {
        let encoding = ALL[encoding];
        let marked = format!("\u{FEFF}{text}");
        prop_assert_eq!(as_sent(&marked), &text);
        let (index, plain) = (LineIndex::new(&marked), LineIndex::new(&text));
        for step in walk(&text, encoding) {
            let theirs = position(step.line, step.units as u32);
            let ours = plain.to_point(&text, theirs, encoding);
            let mark = if ours.line == 0 { 3 } else { 0 };
            let shifted = point(ours.line, ours.column + mark);
            prop_assert_eq!(index.to_point(&marked, theirs, encoding), shifted);
            prop_assert_eq!(index.to_position(&marked, shifted, encoding), theirs);
            prop_assert_eq!(index.offset(&marked, shifted), step.bytes.start + 3);
        }
    }
}

#[test]
fn an_emoji_is_four_bytes_two_units_or_one() {
    let text = "x\n\"😀\" = y";
    let index = LineIndex::new(text);
    let ours = point(1, 9);
    for (encoding, character) in ALL.into_iter().zip([9, 7, 6]) {
        let theirs = position(1, character);
        assert_eq!(index.to_position(text, ours, encoding), theirs);
        assert_eq!(index.to_point(text, theirs, encoding), ours);
    }
    let between_the_surrogates = position(1, 2);
    let at = index.to_point(text, between_the_surrogates, Encoding::Utf16);
    assert_eq!(at, point(1, 1));
}

#[test]
fn a_range_that_ends_before_it_starts_is_empty() {
    let range = Range {
        start: position(0, 3),
        end: position(0, 1),
    };
    let span = LineIndex::new("abcdef").to_span("abcdef", range, Encoding::Utf16);
    assert_eq!((span.start, span.end), (point(0, 3), point(0, 3)));
}

#[test]
fn coordinates_that_are_none_are_moved_to_the_nearest() {
    let read = |value| serde_json::from_value::<Position>(value).unwrap();
    assert_eq!(read(json!({"line": -1, "character": 2.0})), position(0, 2));
    assert_eq!(
        read(json!({"line": 4_294_967_296_u64, "character": 9_007_199_254_740_991_u64})),
        position(u32::MAX, u32::MAX)
    );
    assert!(serde_json::from_value::<Position>(json!({"line": "1", "character": 0})).is_err());
    assert!(serde_json::from_value::<Position>(json!({"line": 1})).is_err());
}

#[test]
fn names_of_encodings() {
    let read = ["utf-8", "utf-16", "utf-32", "UTF-7"].map(Encoding::from_name);
    assert_eq!(
        read,
        [
            Some(Encoding::Utf8),
            Some(Encoding::Utf16),
            Some(Encoding::Utf32),
            None
        ]
    );
}
