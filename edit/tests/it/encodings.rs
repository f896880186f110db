//! Bytes that are no plain text: they stay as they are.

use fourfold_edit::{Error, Outcome, Patch, Replacement, replace};

#[test]
fn bytes_around_a_change_are_never_touched() {
    for (text, old, new, result) in [
        (
            &b"\xEF\xBB\xBFone\r\ntwo"[..],
            &b"one"[..],
            &b"1"[..],
            &b"\xEF\xBB\xBF1\r\ntwo"[..],
        ),
        (b"\xFF\x00 a \xC3\n", b"a", b"b", b"\xFF\x00 b \xC3\n"),
        (b"\x00\x00x\x00", b"\x00x", b"", b"\x00\x00"),
        (
            b"caf\xE9\r\nx\r\n",
            b"caf\xE9\nx",
            b"th\xE9\nx",
            b"th\xE9\r\nx\r\n",
        ),
    ] {
        let change = replace(text, &[Replacement::unique(old, new)]).unwrap();
        assert_eq!(change.text, result);
    }
}

#[test]
fn wide_encodings_are_refused_by_name() {
    for (text, name) in [
        (&b"\xFF\xFEa\0"[..], "UTF-16"),
        (b"\xFE\xFF\0a", "UTF-16"),
        (b"\xFF\xFE\0\0a\0\0\0", "UTF-32"),
        (b"\0\0\xFE\xFF\0\0\0a", "UTF-32"),
    ] {
        let error = replace(text, &[Replacement::unique("a", "b")]).unwrap_err();
        assert_eq!(error, Error::Encoding { encoding: name });
        let patch = "*** Begin Patch\n*** Update File: x\n-a\n+b\n*** End Patch\n";
        let patch = Patch::parse(patch).unwrap();
        assert_eq!(
            patch.files[0].apply(Some(text)).unwrap_err(),
            Error::Encoding { encoding: name }
        );
    }
}

#[test]
fn a_byte_order_mark_is_part_of_no_line() {
    let patch = "*** Begin Patch\n*** Update File: x\n@@\n-one\n+1\n*** End Patch\n";
    let patch = Patch::parse(patch).unwrap();
    let change = |text| match patch.files[0].apply(Some(text)).unwrap() {
        Outcome::Updated(change) => change.text,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        change(b"\xEF\xBB\xBFone\r\ntwo\r\n"),
        b"\xEF\xBB\xBF1\r\ntwo\r\n"
    );
    assert_eq!(change(b"\xEF\xBB\xBFone\ntwo\n"), b"\xEF\xBB\xBF1\ntwo\n");
}
