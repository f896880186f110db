//! From a server's words to ours: its URIs, ranges and lists.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use crate::position::{Encoding, LineIndex, Position, Range};
use crate::texts::Texts;
use crate::uri::Root;
use crate::{Point, Span};

/// What is shown of a line, in bytes: more than people write on one, and a bound for those that
/// programs write.
const LINE_BYTES: usize = 400;

/// What the answers of one server are read with.
///
/// Reading may look at the disk, which blocks the thread.
#[derive(Debug)]
pub(crate) struct Lens {
    pub(crate) root: Root,
    pub(crate) texts: Texts,
    pub(crate) encoding: Encoding,
    /// The file that was looked at last: places of one file come together.
    last: Option<(PathBuf, Option<Lines>)>,
}

/// A text and where its lines begin.
#[derive(Debug)]
pub(crate) struct Lines {
    text: Arc<str>,
    index: LineIndex,
}

impl Lines {
    /// The lines of a file; `None` when its text cannot be had.
    pub(crate) fn of(path: &Path, texts: &Texts) -> Option<Lines> {
        let text = texts.text(path)?;
        let index = LineIndex::new(&text);
        Some(Lines { text, index })
    }

    /// A range in a text, if there is one. Else the columns are those of the server, since a place
    /// that may be a little off is better than none; the line is right in any case.
    pub(crate) fn span(lines: Option<&Lines>, range: Range, encoding: Encoding) -> Span {
        if let Some(Lines { text, index }) = lines {
            return index.to_span(text, range, encoding);
        }
        let point = |at: Position| Point {
            line: at.line,
            column: at.character,
        };
        let start = point(range.start);
        Span {
            start,
            end: point(range.end).max(start),
        }
    }
}

impl Lens {
    pub(crate) fn new(root: Root, texts: Texts, encoding: Encoding) -> Lens {
        Lens {
            root,
            texts,
            encoding,
            last: None,
        }
    }

    /// A range in a file, as [`Lines::span`].
    pub(crate) fn span(&mut self, path: &Path, range: Range) -> Span {
        let encoding = self.encoding;
        Lines::span(self.lines(path), range, encoding)
    }

    /// What a line of a file reads, without the blanks around it and at most 400 bytes of it;
    /// `None` when it cannot be had.
    pub(crate) fn line(&mut self, path: &Path, line: u32) -> Option<String> {
        let lines = self.lines(path)?;
        let line = lines.index.line(&lines.text, line)?.trim();
        let end = line.floor_char_boundary(LINE_BYTES);
        line.get(..end).map(str::to_owned)
    }

    fn lines(&mut self, path: &Path) -> Option<&Lines> {
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            let lines = Lines::of(path, &self.texts);
            self.last = Some((path.to_path_buf(), lines));
        }
        self.last.as_ref()?.1.as_ref()
    }
}

/// The items of an answer that may be a list, one item alone, or null.
pub(crate) fn items(answer: &Value) -> &[Value] {
    match answer {
        Value::Null => &[],
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}

/// A member that is text with something in it.
pub(crate) fn text(object: &Value, member: &str) -> Option<String> {
    let text = object.get(member)?.as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// A member that is a range.
pub(crate) fn range(object: &Value, member: &str) -> Option<Range> {
    Range::deserialize(object.get(member)?).ok()
}

/// A member that is a whole number from 0.
pub(crate) fn number(object: &Value, member: &str) -> Option<u64> {
    object.get(member)?.as_u64()
}

/// A member that is true.
pub(crate) fn flag(object: &Value, member: &str) -> bool {
    object.get(member) == Some(&Value::Bool(true))
}

/// Documentation as text: plain, `MarkupContent`, `MarkedString`, or a list of those. Code that
/// comes with its language is fenced.
pub(crate) fn prose(value: &Value) -> Option<String> {
    let parts: Vec<String> = items(value).iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn part(value: &Value) -> Option<String> {
    let whole = match value {
        Value::String(text) => text.trim().to_owned(),
        object => {
            let code = text(object, "value")?;
            match object.get("language").and_then(Value::as_str) {
                Some(language) => format!("```{language}\n{}\n```", code.trim_matches('\n')),
                None => code.trim().to_owned(),
            }
        }
    };
    (!whole.is_empty()).then_some(whole)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn documentation_in_all_its_forms() {
        for (value, expected) in [
            (json!(null), None),
            (json!([]), None),
            (json!("  \n"), None),
            (json!({"kind": "markdown", "value": ""}), None),
            (json!("a *b*\n"), Some("a *b*")),
            (
                json!({"kind": "markdown", "value": "\n```rust\nfn f()\n```\n"}),
                Some("```rust\nfn f()\n```"),
            ),
            (
                json!({"language": "go", "value": "func f()\n"}),
                Some("```go\nfunc f()\n```"),
            ),
            (
                json!([{"language": "ts", "value": "let a"}, "", "Of *a*.", 7]),
                Some("```ts\nlet a\n```\n\nOf *a*."),
            ),
        ] {
            assert_eq!(prose(&value).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_keeps_the_columns_of_the_server() {
        let open = PathBuf::from("/r/open");
        let texts = HashMap::from([(open.clone(), ("  é = 1  \n".into(), 1))]);
        let root = Root::new(Path::new("/r"));
        let mut lens = Lens::new(root, Texts::new(texts, 0), Encoding::Utf16);
        let at = |line, character| Position { line, character };
        let range = Range {
            start: at(0, 3),
            end: at(0, 4),
        };
        let columns = |span: Span| (span.start.column, span.end.column);
        assert_eq!(columns(lens.span(&open, range)), (4, 5));
        assert_eq!(lens.line(&open, 0).as_deref(), Some("é = 1"));
        assert_eq!(lens.line(&open, 7), None);
        let gone = Path::new("/r/does/not/exist");
        assert_eq!(columns(lens.span(gone, range)), (3, 4));
        assert_eq!(lens.line(gone, 0), None);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let path = PathBuf::from("/r/a");
        let text = format!("x{}", "é".repeat(1000));
        let texts = HashMap::from([(path.clone(), (text.into(), 1))]);
        let root = Root::new(Path::new("/r"));
        let mut lens = Lens::new(root, Texts::new(texts, 0), Encoding::Utf16);
        assert_eq!(lens.line(&path, 0).map(|line| line.len()), Some(399));
    }
}
