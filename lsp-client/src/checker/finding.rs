//! Findings as checkers write them, and as diagnostics.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Point, Related, Severity, Span, Tag};
use crate::position::{Encoding, LineIndex, Position, Range};
use crate::texts::Texts;

/// A finding whose place is still as the checker counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) severity: Severity,
    pub(super) code: Option<String>,
    pub(super) source: &'static str,
    pub(super) message: String,
    pub(super) tags: Vec<Tag>,
    pub(super) related: Vec<(Place, String)>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// Absolute, or relative to where the checker ran.
    pub(super) file: String,
    /// From 0.
    pub(super) range: Range,
    /// What its columns count.
    pub(super) encoding: Encoding,
}

impl Found {
    pub(super) fn new(
        place: Place,
        severity: Severity,
        source: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            place,
            severity,
            code: None,
            source,
            message: message.into(),
            tags: Vec::new(),
            related: Vec::new(),
        }
    }
}

/// A position as most checkers write it: from 1.
pub(super) fn from_one(line: u32, column: u32) -> Position {
    Position {
        line: line.saturating_sub(1),
        character: column.saturating_sub(1),
    }
}

/// The findings in files of the checkout, each once.
pub(super) fn place(
    found: Vec<Found>,
    root: &Path,
    checkout: &Path,
    texts: &Texts,
) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut places = Places {
        root,
        checkout,
        texts,
        indices: BTreeMap::new(),
    };
    let mut placed: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    for found in found {
        let Some((path, span)) = places.at(&found.place) else {
            continue;
        };
        let related = found.related.iter().filter_map(|(place, message)| {
            let (path, span) = places.at(place)?;
            Some(Related {
                path,
                span,
                message: message.clone(),
            })
        });
        let diagnostic = Diagnostic {
            span,
            severity: found.severity,
            code: found.code,
            source: Some(found.source.to_owned()),
            message: found.message,
            tags: found.tags,
            related: related.collect(),
            rendered: None,
        };
        let known = placed.entry(path).or_default();
        // A file that belongs to several targets is checked as often.
        if !known.contains(&diagnostic) {
            known.push(diagnostic);
        }
    }
    placed
}

type Indexed = Option<(Arc<str>, LineIndex)>;

struct Places<'a> {
    root: &'a Path,
    checkout: &'a Path,
    texts: &'a Texts,
    indices: BTreeMap<PathBuf, Indexed>,
}

impl Places<'_> {
    fn at(&mut self, place: &Place) -> Option<(PathBuf, Span)> {
        let path = plain(&self.root.join(&place.file))?;
        if !path.starts_with(self.checkout) {
            return None;
        }
        let indexed = self.indices.entry(path.clone()).or_insert_with(|| {
            let text = self.texts.text(&path)?;
            let index = LineIndex::new(&text);
            Some((text, index))
        });
        let span = match indexed {
            Some((text, index)) => index.to_span(text, place.range, place.encoding),
            // Not to be read any more: the line is all that can be said.
            None => {
                let point = |position: Position| Point {
                    line: position.line,
                    column: 0,
                };
                Span {
                    start: point(place.range.start),
                    end: point(place.range.start),
                }
            }
        };
        Some((path, span))
    }
}

/// Without `.` and `..`.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            part => plain.push(part),
        }
    }
    Some(plain)
}
