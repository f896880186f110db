//! A text as it is compared: as it is, modulo line ends, or modulo trailing blanks too.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use memchr::memmem::Finder;

/// By how much the text that was searched for and the place where it was found may differ. The
/// order is from strict to loose; nothing looser exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tolerance {
    /// Not by a byte.
    Exact,
    /// Lines end differently: LF, CRLF, CR, or not at all at the end of the file.
    LineEnds,
    /// Lines have other blanks (spaces, tabs) at their ends, and may end differently.
    TrailingBlanks,
}

impl Tolerance {
    /// From strict to loose.
    pub(crate) const ALL: [Self; 3] = [Self::Exact, Self::LineEnds, Self::TrailingBlanks];
}

impl fmt::Display for Tolerance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Exact => "exact",
            Self::LineEnds => "line ends differ",
            Self::TrailingBlanks => "trailing blanks differ",
        })
    }
}

/// What a lone match may be: more are counted only up to here.
pub(crate) const MAX_MATCHES: usize = 10_000;

/// It may stand at the beginning of a text and is part of none of its lines.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Whether nothing stands in a text.
pub(crate) fn is_blank(text: &[u8]) -> bool {
    text.is_empty() || text == BYTE_ORDER_MARK
}

/// A text in its form for comparison, and where each byte of that form stands in the source.
pub(crate) struct View<'t> {
    source: &'t [u8],
    pub(crate) text: Cow<'t, [u8]>,
    /// From this offset of `text` on, this offset of `source`: one entry per break.
    breaks: Vec<(usize, usize)>,
}

impl<'t> View<'t> {
    pub(crate) fn new(source: &'t [u8], tolerance: Tolerance) -> Self {
        if tolerance == Tolerance::Exact {
            return Self {
                source,
                text: Cow::Borrowed(source),
                breaks: Vec::new(),
            };
        }
        let mut text = Vec::with_capacity(source.len() + 1);
        let mut breaks: Vec<(usize, usize)> = Vec::new();
        let mut shift = 0;
        let mut go_on = |text: &Vec<u8>, at: usize| {
            let now = at - text.len();
            if now != shift {
                shift = now;
                breaks.push((text.len(), at));
            }
        };
        for line in source_lines(source) {
            let content = &source[line.content.clone()];
            let content = match tolerance {
                Tolerance::TrailingBlanks => trim_blanks(content),
                _ => content,
            };
            go_on(&text, line.content.start);
            text.extend_from_slice(content);
            // A last line without an end is compared as if it had one.
            go_on(&text, line.content.end);
            text.push(b'\n');
        }
        Self {
            source,
            text: Cow::Owned(text),
            breaks,
        }
    }

    /// Where the byte `at` of the view stands in the source.
    pub(crate) fn start(&self, at: usize) -> usize {
        let next = self.breaks.partition_point(|(from, _)| *from <= at);
        let source = match next.checked_sub(1).and_then(|last| self.breaks.get(last)) {
            Some((from, source)) => source + (at - from),
            None => at,
        };
        source.min(self.source.len())
    }

    /// Where the source goes on behind the first `at` bytes of the view. Blanks that the view leaves
    /// out stand between this and [`start`](Self::start).
    pub(crate) fn end(&self, at: usize) -> usize {
        let Some(last) = at.checked_sub(1) else {
            return 0;
        };
        let start = self.start(last);
        match self.source.get(start..) {
            Some([b'\r', b'\n', ..]) if self.text.get(last) == Some(&b'\n') => start + 2,
            Some([_, ..]) => start + 1,
            _ => start,
        }
    }
}

/// A text that is searched for, in the form of a view.
pub(crate) struct Needle<'n> {
    pub(crate) text: Cow<'n, [u8]>,
    /// Blanks were taken from its first line, and nothing is left of that.
    blank_head: bool,
    /// Blanks were taken from its last line, which has no end: there the found line has to end.
    blank_tail: bool,
}

impl<'n> Needle<'n> {
    pub(crate) fn new(text: impl Into<Cow<'n, [u8]>>, tolerance: Tolerance) -> Self {
        let text = text.into();
        if tolerance == Tolerance::Exact {
            return Self {
                text,
                blank_head: false,
                blank_tail: false,
            };
        }
        let mut folded = Vec::with_capacity(text.len());
        let (mut blank_head, mut blank_tail) = (false, false);
        for line in source_lines(&text) {
            let content = &text[line.content.clone()];
            let kept = match tolerance {
                Tolerance::TrailingBlanks => trim_blanks(content),
                _ => content,
            };
            let cut = kept.len() < content.len();
            blank_head |= line.content.start == 0 && cut && kept.is_empty();
            folded.extend_from_slice(kept);
            if line.end.is_empty() {
                blank_tail = cut;
            } else {
                folded.push(b'\n');
            }
        }
        Self {
            text: Cow::Owned(folded),
            blank_head,
            blank_tail,
        }
    }

    /// Where it occurs, also where it overlaps itself; at most [`MAX_MATCHES`].
    pub(crate) fn matches(&self, view: &View<'_>) -> Vec<usize> {
        self.matches_where(view, |_| true)
    }

    /// Where it occurs and `accept` agrees.
    pub(crate) fn matches_where(
        &self,
        view: &View<'_>,
        accept: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let mut found = Vec::new();
        if self.text.is_empty() {
            return found;
        }
        let finder = Finder::new(&self.text);
        let mut from = 0;
        while let Some(at) = view.text.get(from..).and_then(|rest| finder.find(rest)) {
            let at = from + at;
            if self.accepts(view, at) && accept(at) {
                found.push(at);
                if found.len() == MAX_MATCHES {
                    break;
                }
            }
            from = at + 1;
        }
        found
    }

    /// Where it occurs from left to right without overlapping itself.
    pub(crate) fn disjoint_matches(&self, view: &View<'_>) -> Vec<usize> {
        let mut found = Vec::new();
        if self.text.is_empty() {
            return found;
        }
        let finder = Finder::new(&self.text);
        let mut from = 0;
        while let Some(at) = view.text.get(from..).and_then(|rest| finder.find(rest)) {
            let at = from + at;
            if self.accepts(view, at) {
                found.push(at);
                from = at + self.text.len();
            } else {
                from = at + 1;
            }
        }
        found
    }

    fn accepts(&self, view: &View<'_>, at: usize) -> bool {
        let ended = || {
            view.text
                .get(at + self.text.len())
                .is_none_or(|next| *next == b'\n')
        };
        // The end that a last line does not have is nothing to be found alone.
        view.start(at) < view.source.len() && (!self.blank_tail || ended())
    }

    /// The bytes of the source that a match covers.
    pub(crate) fn range(&self, view: &View<'_>, at: usize) -> Range<usize> {
        let end = at + self.text.len();
        let start = if self.blank_head {
            view.end(at)
        } else {
            view.start(at)
        };
        let end = if self.blank_tail {
            view.start(end)
        } else {
            view.end(end)
        };
        start..end.max(start)
    }

    /// The same, line by line.
    pub(crate) fn lines(&self, view: &View<'_>, at: usize) -> Vec<Range<usize>> {
        let whole = self.range(view, at);
        let mut lines = Vec::new();
        let mut start = whole.start;
        for newline in memchr::memchr_iter(b'\n', &self.text) {
            let end = view.end(at + newline + 1).max(start);
            lines.push(start..end);
            start = end;
        }
        if self.blank_tail || !self.text.ends_with(b"\n") {
            lines.push(start..whole.end.max(start));
        }
        lines
    }
}

/// A line of a text: what stands on it and how it ends.
pub(crate) struct SourceLine {
    pub(crate) content: Range<usize>,
    pub(crate) end: Range<usize>,
}

/// The lines of a text that LF, CRLF and a lone CR end.
pub(crate) fn source_lines(text: &[u8]) -> impl Iterator<Item = SourceLine> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = text.get(from..).filter(|rest| !rest.is_empty())?;
        let (content, end) = match memchr::memchr2(b'\n', b'\r', rest) {
            Some(at) if rest[at..].starts_with(b"\r\n") => (at, at + 2),
            Some(at) => (at, at + 1),
            None => (rest.len(), rest.len()),
        };
        let line = SourceLine {
            content: from..from + content,
            end: from + content..from + end,
        };
        from += end;
        Some(line)
    })
}

/// How the bytes of a line end: CRLF, LF, CR or not at all.
pub(crate) fn line_end(line: &[u8]) -> &[u8] {
    match line {
        [.., b'\r', b'\n'] => &line[line.len() - 2..],
        [.., b'\r' | b'\n'] => &line[line.len() - 1..],
        _ => &[],
    }
}

/// Without the spaces and tabs at its end.
pub(crate) fn trim_blanks(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let [before @ .., b' ' | b'\t'] = rest {
        rest = before;
    }
    rest
}

#[cfg(test)]
#[allow(
    clippy::single_range_in_vec_init,
    reason = "lists of ranges are compared"
)]
mod tests {
    use super::*;

    fn found(source: &str, needle: &str, tolerance: Tolerance) -> Vec<Range<usize>> {
        let view = View::new(source.as_bytes(), tolerance);
        let needle = Needle::new(needle.as_bytes(), tolerance);
        let matches = needle.matches(&view);
        matches
            .into_iter()
            .map(|at| needle.range(&view, at))
            .collect()
    }

    #[test]
    fn exact_is_exact_and_overlaps_count() {
        assert_eq!(found("aaa", "aa", Tolerance::Exact), [0..2, 1..3]);
        assert_eq!(found("a\r\nb", "a\nb", Tolerance::Exact), []);
    }

    #[test]
    fn line_ends_of_all_kinds_are_one() {
        for source in ["x\na\nb\n", "x\r\na\r\nb\r\n", "x\ra\rb\r", "x\r\na\rb\n"] {
            let [range] = &found(source, "a\nb\n", Tolerance::LineEnds)[..] else {
                panic!("{source:?}");
            };
            let start = source.find('a').unwrap();
            assert_eq!(*range, start..source.len(), "{source:?}");
            assert_eq!(found(source, "a\r\nb", Tolerance::LineEnds).len(), 1);
        }
        assert_eq!(found("a  \nb", "a\nb", Tolerance::LineEnds), []);
    }

    #[test]
    fn the_end_that_a_last_line_lacks_may_be_asked_for() {
        assert_eq!(found("a\nb", "b\n", Tolerance::LineEnds), [2..3]);
        assert_eq!(found("a\nb", "\n", Tolerance::LineEnds), [1..2]);
        assert_eq!(found("", "\n", Tolerance::LineEnds), []);
    }

    #[test]
    fn trailing_blanks_belong_to_a_place_only_where_they_were_asked_for() {
        let loose = Tolerance::TrailingBlanks;
        assert_eq!(found("a \t\nb  \nc", "a\nb", loose), [0..5]);
        assert_eq!(found("a \t\nb  \nc", "a\nb ", loose), [0..7]);
        assert_eq!(found("a \t\nb  \nc", "a\nb\n", loose), [0..8]);
        // Not at the end of its line: the blank was no trailing one.
        assert_eq!(found("a\nbc", "a \nb ", loose), []);
        assert_eq!(found("x\n\t\nb", " \nb", loose), [2..5]);
        assert_eq!(found("x\n\t\nb", "\nb", loose), [3..5]);
        // Blanks alone are nothing to go by.
        assert_eq!(found("a \n", "  ", loose), []);
        // Indentation is never let pass.
        assert_eq!(found("  a\n", "\ta\n", loose), []);
    }

    #[test]
    fn lines_of_a_place_cover_it() {
        let (source, text) = (b"x\r\n \t\r\nb \r\nc", b"x\n\nb\n");
        let view = View::new(source, Tolerance::TrailingBlanks);
        let needle = Needle::new(text, Tolerance::TrailingBlanks);
        assert_eq!(needle.matches(&view), [0]);
        assert_eq!(needle.lines(&view, 0), [0..3, 3..7, 7..11]);
    }
}
