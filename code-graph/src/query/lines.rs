//! Lines of code for answers, each file read once.

use super::Reader;
use super::answer::{Line, Source};
use super::compose::code_line;
use hashbrown::HashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Texts of files that one question needs.
pub(super) struct Texts<'a> {
    reader: &'a dyn Reader,
    known: RefCell<HashMap<String, Option<Text>>>,
}

#[derive(Clone)]
struct Text {
    text: Arc<str>,
    /// The byte at which each line begins.
    starts: Arc<[u32]>,
}

impl Text {
    fn line(&self, row: usize) -> Option<&str> {
        let start = *self.starts.get(row)? as usize;
        let end = self
            .starts
            .get(row + 1)
            .map_or(self.text.len(), |at| *at as usize);
        let line = self.text.get(start..end)?;
        Some(line.trim_end_matches(['\n', '\r']))
    }
}

impl<'a> Texts<'a> {
    pub(super) fn new(reader: &'a dyn Reader) -> Texts<'a> {
        Texts {
            reader,
            known: RefCell::default(),
        }
    }

    fn text(&self, path: &str) -> Option<Text> {
        if let Some(known) = self.known.borrow().get(path) {
            return known.clone();
        }
        let text = self.reader.read(path).map(|text| {
            let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1);
            let starts = std::iter::once(0).chain(ends).collect();
            Text { text, starts }
        });
        self.known
            .borrow_mut()
            .insert(path.to_owned(), text.clone());
        text
    }

    /// Some lines by their 0-based rows, each row once.
    pub(super) fn lines(&self, path: &str, rows: impl IntoIterator<Item = u32>) -> Vec<Line> {
        let text = self.text(path);
        let mut lines: Vec<Line> = Vec::new();
        for row in rows {
            if lines.last().is_some_and(|last| last.line == row + 1) {
                continue;
            }
            let line = text.as_ref().and_then(|text| text.line(row as usize));
            lines.push(Line {
                line: row + 1,
                text: code_line(line.unwrap_or("(the file cannot be read)")),
            });
        }
        lines
    }

    /// The lines from one 0-based row to another.
    pub(super) fn source(&self, path: &str, first: u32, last: u32) -> Option<Source> {
        let text = self.text(path)?;
        let rows = first as usize..=last as usize;
        let lines: Vec<&str> = rows.map_while(|row| text.line(row)).collect();
        Some(Source {
            path: path.to_owned(),
            first_line: first + 1,
            last_line: first + lines.len().max(1) as u32,
            text: lines.join("\n"),
            left_out: 0,
        })
    }
}
