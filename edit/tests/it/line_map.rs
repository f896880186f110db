//! Which line became which.

use fourfold_edit::LineMap;

#[test]
fn unchanged_lines_are_followed() {
    let old = b"a\nb\nc\nd\ne\n";
    let map = LineMap::between(old, b"a\nx\ny\nc\ne\nz\n");
    let rows: Vec<_> = (0..6).map(|row| map.to_new(row)).collect();
    assert_eq!(rows, [Some(0), None, Some(3), None, Some(4), None]);
    assert_eq!(map.edited_rows(), [1..3, 4..4, 5..6]);
    assert_eq!((map.added(), map.removed()), (3, 2));
}

#[test]
fn nothing_and_everything() {
    let same = LineMap::between(b"a\nb", b"a\nb");
    assert_eq!((same.edited_rows(), same.to_new(1)), (&[][..], Some(1)));
    let gone = LineMap::between(b"a\nb\n", b"");
    assert_eq!((gone.edited_rows(), gone.removed()), (&[0..0][..], 2));
    let new = LineMap::between(b"", b"a\nb");
    assert_eq!((new.edited_rows(), new.added()), (&[0..2][..], 2));
    assert_eq!(LineMap::between(b"", b"").edited_rows(), []);
}

#[test]
fn another_line_end_is_another_line() {
    let map = LineMap::between(b"a\nb\n", b"a\r\nb\n");
    assert_eq!((map.to_new(0), map.to_new(1)), (None, Some(1)));
}
