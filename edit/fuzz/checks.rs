//! What holds for any bytes: used by the fuzz targets, and by the tests for the committed corpus.

use fourfold_edit::{Edit, LineMap, Outcome, Patch, Replacement, apply, replace};

/// Parts of an input: lines of four tildes part them.
fn parts(data: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = data;
    while let Some(at) = rest.windows(6).position(|window| window == b"\n~~~~\n") {
        parts.push(&rest[..at]);
        rest = &rest[at + 6..];
    }
    parts.push(rest);
    parts
}

fn fits(text: &[u8], edits: &[Edit], new: &[u8]) {
    assert_eq!(
        apply(text, edits).as_deref(),
        Ok(new),
        "the edits are not the change"
    );
    for pair in edits.windows(2) {
        let (one, other) = (&pair[0].range, &pair[1].range);
        assert!(
            one.end <= other.start && one.start < other.start,
            "{edits:?}"
        );
    }
    let map = LineMap::between(text, new);
    let rows: Vec<usize> = (0..text.len()).filter_map(|row| map.to_new(row)).collect();
    assert!(
        rows.is_sorted_by(|one, other| one < other),
        "lines do not cross"
    );
}

/// A text, an old text and a new one.
pub(crate) fn replacing(data: &[u8]) {
    let parts = parts(data);
    let [text, old, new, ..] = parts[..] else {
        return;
    };
    for all in [false, true] {
        match replace(text, &[Replacement { old, new, all }]) {
            Ok(change) => fits(text, &change.edits, &change.text),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// A patch, and a text that each of its files has.
pub(crate) fn patching(data: &[u8]) {
    let parts = parts(data);
    let text = parts.get(1).copied().unwrap_or_default();
    let patch = match Patch::parse(parts[0]) {
        Ok(patch) => patch,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for file in &patch.files {
        let bad = |part: &str| part.is_empty() || part == "." || part == "..";
        assert!(!file.path.split('/').any(bad), "{:?}", file.path);
        match file.apply(Some(text)) {
            Ok(Outcome::Updated(change)) => fits(text, &change.edits, &change.text),
            Ok(_) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}
