//! A match as a person reads it: its lines, bounded, with what matched set apart.

use std::io::{self, Write};
use std::ops::Range;

use fourfold::Plain;

use crate::style::{Paint, Style};

/// Lines of one match that are shown.
const MAX_LINES: usize = 10;

/// Characters of a line that are shown before a match, when the line is too long.
const LEAD: usize = 40;

/// The lines that a match touches, and where it lies in them.
#[derive(Debug, Clone)]
pub(crate) struct Excerpt<'a> {
    /// Whole lines, without the last line end.
    pub(crate) lines: &'a str,
    /// Bytes of `lines`.
    pub(crate) matched: Range<usize>,
}

impl<'a> Excerpt<'a> {
    /// The lines of `text` around the bytes `range` of it.
    pub(crate) fn of(text: &'a str, range: &Range<usize>) -> Excerpt<'a> {
        let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        // A match that ends with its line's end does not touch the next line.
        let last = range.end - usize::from(text[range.clone()].ends_with('\n'));
        let end = text[last..].find('\n').map_or(text.len(), |at| last + at);
        Excerpt {
            lines: text[start..end].trim_end_matches('\r'),
            matched: range.start - start..range.end.min(end) - start,
        }
    }

    /// Writes the lines, the first where the stream stands, the others below one another; at most
    /// about `max` bytes.
    pub(crate) fn write(&self, out: &mut impl Write, style: Style, max: usize) -> io::Result<()> {
        let mut left = max.max(1);
        let mut at = 0;
        let total = self.lines.split('\n').count();
        for (index, line) in self.lines.split('\n').enumerate() {
            if index > 0 {
                write!(out, "{}", style.paint(Paint::Dim, "    | "))?;
            }
            if index > 0 && (index == MAX_LINES || left == 0) {
                let more = total - index;
                let word = if more == 1 { "line" } else { "lines" };
                return writeln!(
                    out,
                    "{}",
                    style.paint(Paint::Dim, format!("… {more} more {word}"))
                );
            }
            let bytes = line.strip_suffix('\r').unwrap_or(line);
            let from = self.matched.start.saturating_sub(at).min(bytes.len());
            let to = self.matched.end.saturating_sub(at).min(bytes.len());
            write_line(out, bytes, from..to, &mut left, style)?;
            out.write_all(b"\n")?;
            at += line.len() + 1;
        }
        Ok(())
    }
}

/// One line, cut around what matched when it is longer than what is left of the bound.
fn write_line(
    out: &mut impl Write,
    line: &str,
    matched: Range<usize>,
    left: &mut usize,
    style: Style,
) -> io::Result<()> {
    let dots = style.paint(Paint::Dim, "…");
    let mut shown = 0..line.len();
    if line.len() > *left {
        let lead = line[..matched.start].char_indices().rev().nth(LEAD - 1);
        shown.start = lead.map_or(0, |(at, _)| at);
        shown.end = floor(line, shown.start.saturating_add(*left));
    }
    if shown.start > 0 {
        write!(out, "{dots}")?;
    }
    let from = matched.start.clamp(shown.start, shown.end);
    let to = matched.end.clamp(from, shown.end);
    plain(out, &line[shown.start..from])?;
    if to > from {
        let text = Plain(&line[from..to]);
        write!(out, "{}", style.paint(Paint::Match, text))?;
    }
    plain(out, &line[to..shown.end])?;
    if shown.end < line.len() {
        write!(out, "{dots}")?;
    }
    *left = left.saturating_sub(shown.len().max(1));
    Ok(())
}

/// The last place not after `at` where a character begins.
pub(crate) fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The beginning of a text, at most `max` bytes of it.
pub(crate) fn head(text: &str, max: usize) -> &str {
    &text[..floor(text, max)]
}

fn plain(out: &mut impl Write, text: &str) -> io::Result<()> {
    write!(out, "{}", Plain(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::When;

    #[track_caller]
    fn check(text: &str, range: Range<usize>, max: usize, expected: &str) {
        let mut out = Vec::new();
        Excerpt::of(text, &range)
            .write(&mut out, Style::new(When::Never, false), max)
            .unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn whole_lines_are_shown() {
        check("a\n  f(x);\nb\n", 4..8, 100, "  f(x);\n");
        check(
            "f {\r\n  x\r\n}\r\ng",
            0..11,
            100,
            "f {\n    |   x\n    | }\n",
        );
        check("one\n", 0..4, 100, "one\n");
    }

    #[test]
    fn long_matches_and_lines_are_cut_and_say_so() {
        let lines = "x\n".repeat(12);
        let shown = format!("x\n{}    | … 2 more lines\n", "    | x\n".repeat(9));
        check(&lines, 0..24, 100, &shown);
        let line = format!("{}hit{}", "a".repeat(1000), "b".repeat(1000));
        let shown = format!("…{}hit{}…\n", "a".repeat(40), "b".repeat(17));
        check(&line, 1000..1003, 60, &shown);
        check("é".repeat(9).as_str(), 0..18, 5, "éé…\n");
    }

    #[test]
    fn colours_and_control_characters() {
        let mut out = Vec::new();
        Excerpt::of("a\x1b[2J(b)", &(0..5))
            .write(&mut out, Style::new(When::Always, false), 100)
            .unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\x1b[1;31ma\\u{1b}[2J\x1b[0m(b)\n"
        );
    }
}
