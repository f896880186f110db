//! Lines taken out of a place and lines put in: what that is in bytes, in the place's own style.

use std::ops::Range;

use crate::Edit;
use crate::view::{is_blank, line_end};

/// What becomes of a line, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'p> {
    /// The next line of the place stays as it is.
    Keep,
    /// The next line of the place goes.
    Remove,
    /// A line comes.
    Add(NewLine<'p>),
}

/// A line that comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewLine<'p> {
    /// What stands on it, without the LF.
    pub(crate) text: &'p [u8],
    /// Whether it has an end.
    pub(crate) ended: bool,
}

/// How the lines that come end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// As they are given.
    Given,
    /// As the lines that they replace, or else as those around.
    OfThePlace,
}

/// A place in a text: its lines, one after another without a gap.
pub(crate) struct Place<'t> {
    pub(crate) source: &'t [u8],
    pub(crate) lines: Vec<Range<usize>>,
    /// Where it is, also if it has no lines.
    pub(crate) start: usize,
    /// Whether CRs count for line ends: it was found without regard to them.
    pub(crate) cr_ends: bool,
}

impl Place<'_> {
    /// The edits that carry out `steps`, which name every line of the place once. `old_ended` says
    /// whether the last line of the place was expected to have an end: if that was wrong, the text
    /// keeps its way of ending, be it with an end of line or without.
    pub(crate) fn graft(&self, steps: &[Step<'_>], ends: LineEnds, old_ended: bool) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut at = self.start;
        let mut next_line = 0;
        let mut steps = steps.iter().peekable();
        while steps.peek().is_some() {
            while steps.next_if(|step| matches!(step, Step::Keep)).is_some() {
                at = self.lines.get(next_line).map_or(at, |line| line.end);
                next_line += 1;
            }
            let first = next_line;
            let mut added = Vec::new();
            let start = at;
            while let Some(step) = steps.next_if(|step| !matches!(step, Step::Keep)) {
                match step {
                    Step::Add(line) => added.push(*line),
                    _ => {
                        at = self.lines.get(next_line).map_or(at, |line| line.end);
                        next_line += 1;
                    }
                }
            }
            if start == at && added.is_empty() {
                continue;
            }
            let gone = self.lines.get(first..next_line).unwrap_or_default();
            let last = steps.peek().is_none() && at == self.source.len();
            let replacement = self.render(start, gone, &added, ends, last.then_some(old_ended));
            edits.push(Edit::new(start..at, replacement));
        }
        edits
    }

    /// The bytes of the lines that come. `at_end` if nothing follows: whether the last line was
    /// expected to have an end.
    fn render(
        &self,
        start: usize,
        gone: &[Range<usize>],
        added: &[NewLine<'_>],
        ends: LineEnds,
        at_end: Option<bool>,
    ) -> Vec<u8> {
        let mut out = Vec::new();
        let really_ended = !self.line_end(self.source).is_empty();
        let misjudged =
            !is_blank(self.source) && at_end.is_some_and(|expected| expected != really_ended);
        let around = match ends {
            LineEnds::Given => b"\n",
            LineEnds::OfThePlace => match self.line_end(end_around(self.source, start)) {
                [] => b"\n",
                end => end,
            },
        };
        if misjudged && gone.is_empty() && !really_ended && !added.is_empty() {
            // The line in front, the last one until now, is no longer the last.
            out.extend_from_slice(around);
        }
        for (index, line) in added.iter().enumerate() {
            let last = index + 1 == added.len();
            let own = gone
                .get(index)
                .or(gone.last())
                .and_then(|range| self.source.get(range.clone()))
                .map(|line| self.line_end(line))
                .filter(|end| !end.is_empty());
            let ended = if misjudged && last {
                really_ended
            } else {
                line.ended
            };
            match ends {
                LineEnds::Given => {
                    out.extend_from_slice(line.text);
                    out.extend_from_slice(if ended { b"\n" } else { b"" });
                }
                LineEnds::OfThePlace => {
                    let bare = line.text.strip_suffix(b"\r").filter(|_| self.cr_ends);
                    out.extend_from_slice(bare.unwrap_or(line.text));
                    out.extend_from_slice(if ended { own.unwrap_or(around) } else { b"" });
                }
            }
        }
        out
    }

    fn line_end<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        if self.cr_ends || line.ends_with(b"\n") {
            line_end(line)
        } else {
            b""
        }
    }
}

/// How the lines around a place end: the one that ends at or before it, or else the one after.
pub(crate) fn end_around(source: &[u8], at: usize) -> &[u8] {
    let (before, after) = source.split_at(at.min(source.len()));
    // A lone CR ends lines only where nothing else does.
    let newline = if source.contains(&b'\n') {
        b'\n'
    } else {
        b'\r'
    };
    let in_front = memchr::memrchr(newline, before).map(|at| line_end(&source[..=at]));
    let behind = || memchr::memchr(newline, after).map(|at| line_end(&after[..=at]));
    in_front.or_else(behind).unwrap_or(b"\n")
}
