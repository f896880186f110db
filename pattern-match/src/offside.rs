//! Python's rule that the statements of a block begin at one column, deeper than the header of the
//! block. Its grammar does not insist on it; the language does.

use crate::document::Document;
use crate::layout::NONE;
use crate::shape::Shape;
use crate::template::blanks_of;

/// Whether a node is a statement, or a clause of one, that Python refuses because of the column
/// at which it begins.
pub(crate) fn is_uneven(
    text: &str,
    shape: &Shape,
    document: &Document,
    parents: &[u32],
    at: u32,
) -> bool {
    let node = document.node(at);
    let parent_of = |at: u32| parents.get(at as usize).copied().filter(|&at| at != NONE);
    let start = |at: u32| document.node(at).start as usize;
    let Some(parent) = parent_of(at) else {
        return false;
    };
    if node.is_extra() || node.is_error() || !node.is_named() || node.start == node.end {
        return false;
    }
    let Some(own) = own_indent(text, start(at)) else {
        return false;
    };
    let kind = shape.name(node.kind);
    if matches!(
        kind,
        "else_clause" | "elif_clause" | "except_clause" | "finally_clause"
    ) {
        return indent_of_line(text, start(parent)) != own;
    }
    let holder = shape.name(document.node(parent).kind);
    if !matches!(holder, "block" | "module") {
        return false;
    }
    let first = document
        .children(parent)
        .find(|&child| document.node(child).is_named() && !document.node(child).is_extra());
    match first {
        Some(first) if first == at => {
            let header = parent_of(parent).filter(|_| holder == "block");
            header
                .is_some_and(|header| columns(own) <= columns(indent_of_line(text, start(header))))
        }
        Some(first) => own_indent(text, start(first)) != Some(own),
        None => false,
    }
}

fn line_before(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    &text[start..at]
}

fn indent_of_line(text: &str, at: usize) -> &str {
    blanks_of(line_before(text, at))
}

/// The blanks before a place that is the first of its line.
fn own_indent(text: &str, at: usize) -> Option<&str> {
    let before = line_before(text, at);
    (blanks_of(before) == before).then_some(before)
}

/// How far a line is indented, as Python counts tabs.
fn columns(indent: &str) -> usize {
    indent.bytes().fold(0, |column, byte| match byte {
        b'\t' => (column / 8 + 1) * 8,
        _ => column + 1,
    })
}
