//! Edits to one text: from the protocol's ranges to byte ranges, and the text after them.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use crate::position::{self, Encoding, LineIndex, Position};
use crate::workspace_edit::EditError;

/// One replacement in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes that go, end exclusive; empty for an insertion.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
}

impl TextEdit {
    /// The text after `edits`, which are in order and apart; `None` when they are not, or do not
    /// lie in the text.
    ///
    /// ```
    /// use fourfold_lsp_client::TextEdit;
    ///
    /// let edit = |range, text: &str| TextEdit { range, text: text.to_owned() };
    /// let edits = [edit(0..0, "let "), edit(4..5, "2")];
    /// assert_eq!(TextEdit::apply("a = 1", &edits).as_deref(), Some("let a = 2"));
    /// assert_eq!(TextEdit::apply("a", &edits), None);
    /// ```
    pub fn apply(text: &str, edits: &[TextEdit]) -> Option<String> {
        let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
        let mut after = String::with_capacity(text.len() + added);
        let mut at = 0;
        for edit in edits {
            text.get(edit.range.clone())?;
            after.push_str(text.get(at..edit.range.start)?);
            after.push_str(&edit.text);
            at = edit.range.end;
        }
        after.push_str(text.get(at..)?);
        Some(after)
    }
}

/// A `TextEdit` as the protocol writes it, or one of its kin that we refuse.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SentEdit {
    range: position::Range,
    #[serde(default)]
    new_text: Option<String>,
    #[serde(default)]
    insert_text_format: Option<u64>,
    #[serde(default)]
    pub(crate) annotation_id: Option<String>,
}

impl SentEdit {
    /// What replaces the range; `None` when that is a snippet, with places to fill in.
    pub(crate) fn text(&self) -> Option<&str> {
        const SNIPPET: u64 = 2;
        if self.insert_text_format == Some(SNIPPET) {
            return None;
        }
        self.new_text.as_deref()
    }
}

/// A file's text while edits are made to it: what it was, and of which pieces it consists now.
/// One draft takes several rounds of edits, each against the text that the one before it left.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    before: Arc<str>,
    pieces: Vec<Piece>,
}

/// A part of a text that is being edited.
#[derive(Clone, Debug)]
enum Piece {
    /// These bytes of the text as it was.
    Kept(Range<usize>),
    New(String),
}

impl Draft {
    pub(crate) fn new(before: Arc<str>) -> Draft {
        let whole = 0..before.len();
        Draft {
            before,
            pieces: vec![Piece::Kept(whole)],
        }
    }

    /// The text as it was.
    pub(crate) fn before(&self) -> &Arc<str> {
        &self.before
    }

    /// The text as it is now.
    pub(crate) fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Kept(range) => self.before.get(range.clone()).unwrap_or_default(),
                Piece::New(text) => text,
            })
            .collect()
    }

    /// Makes the edits that a server sent for the text as it is now.
    pub(crate) fn edit(
        &mut self,
        path: &Path,
        sent: &[SentEdit],
        encoding: Encoding,
    ) -> Result<(), EditError> {
        let edits = resolve(path, &self.text(), sent, encoding)?;
        self.splice(edits);
        Ok(())
    }

    /// Replaces the whole text.
    pub(crate) fn replace(&mut self, text: String) {
        self.pieces = vec![Piece::New(text)];
    }

    fn splice(&mut self, edits: Vec<TextEdit>) {
        let mut rest = std::mem::take(&mut self.pieces);
        rest.reverse();
        let mut at = 0;
        for edit in edits {
            take(&mut rest, edit.range.start - at, |piece| {
                self.pieces.push(piece);
            });
            take(&mut rest, edit.range.len(), drop);
            self.pieces.push(Piece::New(edit.text));
            at = edit.range.end;
        }
        rest.reverse();
        self.pieces.append(&mut rest);
    }

    /// The edits that lead from the text as it was to the one it is now, in order and apart from
    /// one another: what touches is one edit. Those that change nothing are left out.
    pub(crate) fn edits(&self) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        let mut text = String::new();
        let mut at = 0;
        let mut close = |range: Range<usize>, text: &mut String| {
            if self.before.get(range.clone()) != Some(text.as_str()) {
                let text = text.clone();
                edits.push(TextEdit { range, text });
            }
            text.clear();
        };
        for piece in &self.pieces {
            match piece {
                Piece::New(new) => text.push_str(new),
                Piece::Kept(kept) if kept.is_empty() => {}
                Piece::Kept(kept) => {
                    close(at..kept.start, &mut text);
                    at = kept.end;
                }
            }
        }
        close(at..self.before.len(), &mut text);
        edits
    }
}

/// Takes pieces of `length` bytes together from the end of `rest`, where the first ones are.
fn take(rest: &mut Vec<Piece>, mut length: usize, mut taken: impl FnMut(Piece)) {
    while length > 0 {
        let Some(piece) = rest.pop() else { return };
        let size = match &piece {
            Piece::Kept(range) => range.len(),
            Piece::New(text) => text.len(),
        };
        if size <= length {
            length -= size;
            taken(piece);
            continue;
        }
        let (first, second) = match piece {
            Piece::Kept(Range { start, end }) => (
                Piece::Kept(start..start + length),
                Piece::Kept(start + length..end),
            ),
            Piece::New(mut text) => {
                let second = text.split_off(length);
                (Piece::New(text), Piece::New(second))
            }
        };
        taken(first);
        rest.push(second);
        return;
    }
}

/// The edits of one round as byte edits of `text`, in order. Insertions at one place keep the
/// order in which they were sent and come before a replacement that starts there. The same
/// replacement sent twice is one.
fn resolve(
    path: &Path,
    text: &str,
    sent: &[SentEdit],
    encoding: Encoding,
) -> Result<Vec<TextEdit>, EditError> {
    let index = LineIndex::new(text);
    let mut edits = Vec::with_capacity(sent.len());
    for sent in sent {
        let position::Range { start, end } = sent.range;
        // A server that means the end of the text may name a line behind it. One that starts
        // there has another text before it.
        let line = usize::try_from(start.line).unwrap_or(usize::MAX);
        if line > index.count() {
            return Err(EditError::OutOfRange {
                path: path.to_path_buf(),
                line: line.saturating_add(1),
                lines: index.count(),
            });
        }
        if start > end {
            return Err(EditError::Backwards {
                path: path.to_path_buf(),
                line: line + 1,
            });
        }
        let Some(new) = sent.text() else {
            return Err(EditError::Snippet {
                path: path.to_path_buf(),
            });
        };
        let offset = |at: Position| index.offset(text, index.to_point(text, at, encoding));
        let range = offset(start)..offset(end);
        edits.push(TextEdit {
            range,
            text: with_line_ends_of(text, new),
        });
    }
    edits.sort_by_key(|edit| (edit.range.start, !edit.range.is_empty()));
    edits.dedup_by(|second, first| !second.range.is_empty() && second == first);
    for pair in edits.windows(2) {
        if let [first, second] = pair
            && second.range.start < first.range.end
        {
            let line = |edit: &TextEdit| index.point(text, edit.range.start).line + 1;
            return Err(EditError::Overlap {
                path: path.to_path_buf(),
                first: line(first),
                second: line(second),
            });
        }
    }
    Ok(edits)
}

/// What is put into a text whose lines all end with `\r\n` ends its lines so too, as editors have
/// it: most servers write `\n` whatever the text has.
fn with_line_ends_of(text: &str, new: &str) -> String {
    let lone = |text: &str| {
        let bytes = text.as_bytes();
        bytes.iter().enumerate().any(|(at, byte)| {
            *byte == b'\n' && at.checked_sub(1).and_then(|at| bytes.get(at)) != Some(&b'\r')
        })
    };
    if !new.contains('\n') || !lone(new) || !text.contains("\r\n") || lone(text) {
        return new.to_owned();
    }
    new.replace("\r\n", "\n").replace('\n', "\r\n")
}

#[cfg(test)]
pub(crate) mod tests;
