//! Patches made of two texts, to be applied by what is under test.

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

pub(crate) fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn groups(old: &[&[u8]], new: &[&[u8]], context: usize) -> Vec<Vec<DiffOp>> {
    group_diff_ops(capture_diff_slices(Algorithm::Myers, old, new), context)
}

/// The signed lines of a hunk.
fn body(hunk: &[DiffOp], old: &[&[u8]], new: &[&[u8]], mut put: impl FnMut(u8, &[u8])) {
    for op in hunk {
        if let DiffOp::Equal { .. } = op {
            op.old_range().for_each(|at| put(b' ', old[at]));
        } else {
            op.old_range().for_each(|at| put(b'-', old[at]));
            op.new_range().for_each(|at| put(b'+', new[at]));
        }
    }
}

fn span(start: usize, len: usize) -> String {
    format!("{},{len}", if len == 0 { start } else { start + 1 })
}

/// A unified diff as git writes it, of any bytes.
pub(crate) fn unified(old: &[u8], new: &[u8], context: usize) -> Vec<u8> {
    let (old, new) = (lines(old), lines(new));
    let mut out = b"--- a/file\n+++ b/file\n".to_vec();
    for hunk in groups(&old, &new, context) {
        let (first, last) = (&hunk[0], &hunk[hunk.len() - 1]);
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        let header = format!(
            "@@ -{} +{} @@\n",
            span(old_range.start, old_range.len()),
            span(new_range.start, new_range.len())
        );
        out.extend_from_slice(header.as_bytes());
        body(&hunk, &old, &new, |sign, line| {
            out.push(sign);
            out.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        });
    }
    out
}

/// The envelope, which cannot tell how the last line ends.
pub(crate) fn envelope(old: &[u8], new: &[u8], context: usize) -> Vec<u8> {
    let (old, new) = (lines(old), lines(new));
    let mut out = b"*** Begin Patch\n*** Update File: file\n".to_vec();
    for hunk in groups(&old, &new, context) {
        out.extend_from_slice(b"@@\n");
        body(&hunk, &old, &new, |sign, line| {
            out.push(sign);
            out.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
            out.push(b'\n');
        });
    }
    out.extend_from_slice(b"*** End Patch\n");
    out
}
