//! What was written, as text for a model.

use std::fmt::Write as _;

use super::result::{WriteAction, WriteResult, WrittenFile};
use crate::plain::OneLine;

/// Files that are told one by one; the structured value has them all.
const SHOWN: usize = 50;

/// Digits of a hash that are shown: enough for `expected_hash`.
const DIGITS: usize = 16;

/// The result of `write`, `edit` or `apply_patch`.
pub(crate) fn written(result: &WriteResult) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    if result.dry_run {
        let _ = writeln!(out, "nothing was written; this would be:");
    }
    for file in result.files.iter().take(SHOWN) {
        one(&mut out, file);
    }
    if result.files.len() > SHOWN {
        let _ = writeln!(out, "and {} more files", result.files.len() - SHOWN);
    }
    for notice in &result.notices {
        let _ = writeln!(out, "notice: {}", OneLine(notice));
    }
    out.push_str(&result.diff);
    if let Some(verdict) = &result.verdict {
        out.push_str(&verdict.to_string());
    }
    out
}

fn one(out: &mut String, file: &WrittenFile) {
    let path = OneLine(&file.path);
    let verb = match file.action {
        WriteAction::Created => "created",
        WriteAction::Updated => "updated",
        WriteAction::Deleted => "deleted",
        WriteAction::Moved => "moved",
        WriteAction::Unchanged => "unchanged",
    };
    let _ = match &file.moved_from {
        Some(from) => write!(out, "{verb} {} to {path}", OneLine(from)),
        None => write!(out, "{verb} {path}"),
    };
    if file.action == WriteAction::Unchanged {
        out.push_str(": it has this content already, so nothing was written");
    } else {
        let _ = write!(out, ": lines +{} -{}", file.lines_added, file.lines_removed);
    }
    if let Some(hash) = &file.hash {
        let digits = hash.get(..DIGITS).unwrap_or(hash);
        let _ = write!(out, ", {} bytes, hash {digits}", file.bytes);
    }
    out.push('\n');
    if let Some(tolerance) = &file.tolerance {
        let _ = writeln!(
            out,
            "  matched although {tolerance}; the file keeps its own"
        );
    }
    for note in &file.notes {
        let _ = writeln!(out, "  note: {note}");
    }
    out.push_str(&file.excerpt);
}
