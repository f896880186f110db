//! Diagnostics as servers send them, read leniently.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::lens::Lines;
use crate::position::{Encoding, Position, Range};
use crate::texts::Texts;
use crate::uri::{Root, to_uri};
use crate::{Diagnostic, Related, Severity, Span, Tag};

/// A diagnostic whose columns still count in the server's encoding.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Received {
    range: Range,
    severity: Severity,
    code: Option<String>,
    source: Option<String>,
    message: String,
    tags: Vec<Tag>,
    related: Vec<(String, Range, String)>,
    rendered: Option<String>,
    sent: Value,
}

impl Received {
    /// As the server wrote it: it wants it back to offer a fix.
    pub(crate) fn sent(&self) -> &Value {
        &self.sent
    }

    /// Reads a list. What is no diagnostic is left out and the others stay.
    pub(crate) fn all(items: Option<&Value>) -> Arc<[Received]> {
        let items = items.and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Self::one).collect()
    }

    fn one(item: &Value) -> Option<Self> {
        let message = match item.get("message")? {
            Value::String(message) => message.clone(),
            // Marked-up text, of newer versions of the protocol.
            other => other.get("value")?.as_str()?.to_owned(),
        };
        let tags = array(item, "tags").filter_map(|tag| match tag.as_u64() {
            Some(1) => Some(Tag::Unnecessary),
            Some(2) => Some(Tag::Deprecated),
            _ => None,
        });
        let related = array(item, "relatedInformation").filter_map(|related| {
            let location = related.get("location")?;
            Some((
                location.get("uri")?.as_str()?.to_owned(),
                range(location),
                related.get("message")?.as_str()?.to_owned(),
            ))
        });
        Some(Self {
            range: range(item),
            severity: match item.get("severity").and_then(Value::as_u64) {
                Some(2) => Severity::Warning,
                Some(3) => Severity::Information,
                Some(4) => Severity::Hint,
                _ => Severity::Error,
            },
            code: code(item.get("code")),
            source: item
                .get("source")
                .and_then(Value::as_str)
                .map(str::to_owned),
            message,
            tags: tags.collect(),
            related: related.collect(),
            rendered: item
                .pointer("/data/rendered")
                .and_then(Value::as_str)
                .map(str::to_owned),
            sent: item.clone(),
        })
    }
}

impl Received {
    /// Reads a diagnostic of tsserver, which counts lines and columns from 1.
    pub(crate) fn from_tsserver(item: &Value) -> Option<Self> {
        let at = |item: &Value, end: &str| {
            let place = item.get(end);
            let number = |key: &str| {
                let number = place.and_then(|place| place.get(key)?.as_u64());
                number.map_or(0, |number| {
                    u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX)
                })
            };
            Position {
                line: number("line"),
                character: number("offset"),
            }
        };
        let range = |item: &Value| Range {
            start: at(item, "start"),
            end: at(item, "end"),
        };
        let is = |key: &str| item.get(key) == Some(&Value::Bool(true));
        let tags = [
            (is("reportsUnnecessary"), Tag::Unnecessary),
            (is("reportsDeprecated"), Tag::Deprecated),
        ];
        let related = array(item, "relatedInformation").filter_map(|related| {
            let span = related.get("span")?;
            let file = Path::new(span.get("file")?.as_str()?);
            let message = related.get("message")?.as_str()?.to_owned();
            Some((to_uri(file), range(span), message))
        });
        Some(Self {
            range: range(item),
            severity: match item.get("category").and_then(Value::as_str) {
                Some("warning") => Severity::Warning,
                Some("message") => Severity::Information,
                Some("suggestion") => Severity::Hint,
                _ => Severity::Error,
            },
            code: code(item.get("code")),
            source: Some("ts".to_owned()),
            message: item.get("text")?.as_str()?.to_owned(),
            tags: tags
                .into_iter()
                .filter_map(|(on, tag)| on.then_some(tag))
                .collect(),
            related: related.collect(),
            rendered: None,
            sent: item.clone(),
        })
    }
}

/// A range, or the beginning of the file when there is none.
fn range(item: &Value) -> Range {
    item.get("range")
        .and_then(|range| serde_json::from_value(range.clone()).ok())
        .unwrap_or_default()
}

/// A code as text, whichever of its forms it has.
fn code(code: Option<&Value>) -> Option<String> {
    let text = match code? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Object(object) => return self::code(object.get("value")),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn array<'a>(item: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    let items = item.get(key).and_then(Value::as_array);
    items.into_iter().flatten()
}

/// What it takes to count columns in bytes.
pub(crate) struct Converter<'a> {
    pub(crate) encoding: Encoding,
    pub(crate) root: &'a Root,
    pub(crate) texts: &'a Texts,
}

impl Converter<'_> {
    /// The diagnostics of the document at `path`.
    pub(crate) fn diagnostics(&self, path: &Path, received: &[Received]) -> Vec<Diagnostic> {
        if received.is_empty() {
            return Vec::new();
        }
        let own = self.lines(path);
        let span = |range| self.span(own.as_ref(), range);
        let diagnostics = received.iter().map(|received| Diagnostic {
            span: span(received.range),
            severity: received.severity,
            code: received.code.clone(),
            source: received.source.clone(),
            message: received.message.clone(),
            tags: received.tags.clone(),
            related: self.related(path, own.as_ref(), &received.related),
            rendered: received.rendered.clone(),
        });
        diagnostics.collect()
    }

    fn related(
        &self,
        path: &Path,
        own: Option<&Lines>,
        related: &[(String, Range, String)],
    ) -> Vec<Related> {
        let related = related.iter().filter_map(|(uri, range, message)| {
            let file = self.root.to_path(uri)?;
            let span = if file == path {
                self.span(own, *range)
            } else {
                self.span(self.lines(&file).as_ref(), *range)
            };
            Some(Related {
                path: file,
                span,
                message: message.clone(),
            })
        });
        related.collect()
    }

    fn lines(&self, path: &Path) -> Option<Lines> {
        Lines::of(path, self.texts)
    }

    fn span(&self, lines: Option<&Lines>, range: Range) -> Span {
        Lines::span(lines, range, self.encoding)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;
    use crate::Point;

    #[test]
    fn whatever_form_they_have_they_are_read_and_one_that_is_none_loses_no_other() {
        let list = json!([
            { "message": "m", "code": 7, "severity": 2, "source": "s", "tags": [1, 2, 9, "x"],
              "range": { "start": { "line": 1, "character": 2 },
                         "end": { "line": 1, "character": 3 } } },
            { "message": "m", "code": "", "severity": null, "data": { "rendered": "error: m" } },
            { "message": { "kind": "markdown", "value": "*m*" }, "code": { "value": "E1" } },
            { "code": 1 },
            "text",
            { "message": "m", "severity": 9, "code": { "value": 3, "target": "" },
              "range": { "start": {} }, "relatedInformation": [
                { "location": { "uri": "file:///a" }, "message": "here" }, { "message": "" }, 3 ] },
        ]);
        let all = Received::all(Some(&list));
        let seen: Vec<_> = all
            .iter()
            .map(|one| (&*one.message, one.code.as_deref(), one.severity))
            .collect();
        assert_eq!(
            seen,
            [
                ("m", Some("7"), Severity::Warning),
                ("m", None, Severity::Error),
                ("*m*", Some("E1"), Severity::Error),
                ("m", Some("3"), Severity::Error),
            ]
        );
        assert_eq!(all[0].tags, [Tag::Unnecessary, Tag::Deprecated]);
        assert_eq!(all[3].related.len(), 1);
        let rendered: Vec<_> = all.iter().map(|one| one.rendered.as_deref()).collect();
        assert_eq!(rendered, [None, Some("error: m"), None, None]);
        assert!(Received::all(Some(&json!({}))).is_empty());
        assert!(Received::all(None).is_empty());
    }

    #[test]
    fn columns_are_counted_in_bytes_here_and_in_related_places() {
        let open = HashMap::from([
            (PathBuf::from("/r/a"), ("é😀 x\n".into(), 1)),
            (PathBuf::from("/r/b"), ("漢字".into(), 1)),
        ]);
        let texts = Texts::new(open, 1 << 20);
        let root = Root::new(Path::new("/r"));
        let converter = Converter {
            encoding: Encoding::Utf16,
            root: &root,
            texts: &texts,
        };
        let list = json!([{ "message": "m",
            "range": { "start": { "line": 0, "character": 4 },
                       "end": { "line": 0, "character": 5 } },
            "relatedInformation": [
                { "location": { "uri": "file:///r/b", "range": {
                    "start": { "line": 0, "character": 1 },
                    "end": { "line": 0, "character": 2 } } }, "message": "there" },
                { "location": { "uri": "file:///r/gone", "range": {
                    "start": { "line": 5, "character": 1 },
                    "end": { "line": 5, "character": 2 } } }, "message": "nowhere" }] }]);
        let all = converter.diagnostics(Path::new("/r/a"), &Received::all(Some(&list)));
        let point = |line, column| Point { line, column };
        assert_eq!(
            (all[0].span.start, all[0].span.end),
            (point(0, 7), point(0, 8))
        );
        let related: Vec<_> = all[0].related.iter().map(|one| one.span.start).collect();
        assert_eq!(related, [point(0, 3), point(5, 1)]);
    }
}
