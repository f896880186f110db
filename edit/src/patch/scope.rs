//! What a header of a hunk names: a line of the file and what is indented below it.

use std::ops::Range;

use crate::rows::Rows;

/// The rows that `headers` enclose, each header inside the scope of the one before it: one range
/// per place where they stand. Empty if they do not.
pub(crate) fn scopes(rows: &Rows<'_>, headers: &[Vec<u8>]) -> Vec<Range<usize>> {
    let mut scopes: Vec<Range<usize>> = std::iter::once(0..rows.count()).collect();
    let mut whole = true;
    for header in headers {
        let mut inner = Vec::new();
        for scope in scopes {
            // A header is not its own scope.
            let from = scope.start + usize::from(!whole);
            let found = occurrences(rows, from..scope.end, header);
            inner.extend(
                found
                    .into_iter()
                    .map(|row| row..end_of(rows, row).min(scope.end)),
            );
        }
        inner.dedup();
        scopes = inner;
        whole = false;
    }
    scopes
}

/// The rows that read as the header does, but for blanks at both ends; without any, those that
/// begin with it.
fn occurrences(rows: &Rows<'_>, within: Range<usize>, header: &[u8]) -> Vec<usize> {
    let header = header.trim_ascii();
    let content = |row: &usize| rows.content(*row).trim_ascii_start();
    let equal: Vec<usize> = within
        .clone()
        .filter(|row| content(row) == header)
        .collect();
    if !equal.is_empty() {
        return equal;
    }
    let begins = |row: &usize| {
        let rest = content(row).strip_prefix(header);
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let cut = header.last().is_some_and(word);
        rest.is_some_and(|rest| !cut || !rest.first().is_some_and(word))
    };
    within.filter(begins).collect()
}

/// The row behind what is indented below `row`. A line as far out that begins with a bracket
/// belongs to it.
fn end_of(rows: &Rows<'_>, row: usize) -> usize {
    let indent = |row: usize| {
        let line = rows.content(row);
        line.len() - line.trim_ascii_start().len()
    };
    let outer = indent(row);
    let mut end = row + 1;
    for next in row + 1..rows.count() {
        let text = rows.content(next).trim_ascii_start();
        if text.is_empty() {
            continue;
        }
        let bracket = matches!(text, [b'{' | b'}' | b')' | b']' | b'(', ..]);
        if indent(next) < outer || (indent(next) == outer && !bracket) {
            break;
        }
        end = next + 1;
    }
    end
}

#[cfg(test)]
#[allow(
    clippy::single_range_in_vec_init,
    reason = "lists of ranges are compared"
)]
mod tests {
    use super::*;

    const CODE: &str = "class A:\n    def run(\n        self,\n    ):\n        a()\n\n    def go(self):\n        a()\n\nclass AB:\n    def run(self):\n        a()\n";

    fn found(headers: &[&str]) -> Vec<Range<usize>> {
        let headers: Vec<Vec<u8>> = headers
            .iter()
            .map(|text| text.as_bytes().to_vec())
            .collect();
        scopes(&Rows::new(CODE.as_bytes()), &headers)
    }

    #[test]
    fn a_scope_is_what_is_indented_below() {
        assert_eq!(found(&["class A:"]), [0..8]);
        assert_eq!(found(&["class A"]), [0..8]);
        assert_eq!(found(&["def run"]), [1..5, 10..12]);
        assert_eq!(found(&["class AB:", "def run(self):"]), [10..12]);
        assert_eq!(found(&["class A:", "class AB:"]), []);
        assert_eq!(found(&["def stop"]), []);
    }

    #[test]
    fn braces_of_their_own_lines_belong_to_a_scope() {
        let code = b"int f()\n{\n  a();\n}\n\nint g()\n{\n  a();\n}\n";
        assert_eq!(scopes(&Rows::new(code), &[b"int f()".to_vec()]), [0..4]);
    }
}
