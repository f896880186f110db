//! Rendering: what takes the place of one match, with its lines moved to where they land.

use crate::body::{below, held};
use crate::indent::{Style, begins_line, line_end, line_indent, moved};
use crate::layout::Layout;
use crate::nesting::Nesting;
use crate::search::Match;
use crate::template::{Part, Template, blanks_of, open_bracket};
use crate::tree::Capture;
use std::ops::Range;

/// Text on its way into the new file.
#[derive(Debug, Default, Clone)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    /// Starts of lines that lie in strings and therefore stay as they are.
    frozen: Vec<usize>,
    pub(crate) marks: Vec<Mark>,
}

/// Where something landed.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub(crate) range: Range<usize>,
    pub(crate) site: usize,
    pub(crate) what: Landed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Landed {
    /// The whole of a site, without parentheses and terminator that were put around it.
    Site,
    /// What the part of the template with this index stands for.
    Part(usize),
    /// The start of the line with this number of the template.
    Line(usize),
    /// A terminator that was put after the site.
    Tail,
}

impl Rendered {
    fn push(&mut self, other: &Rendered) {
        let by = self.text.len();
        self.text.push_str(&other.text);
        self.frozen.extend(other.frozen.iter().map(|at| at + by));
        self.marks.extend(other.marks.iter().map(|mark| Mark {
            range: mark.range.start + by..mark.range.end + by,
            ..mark.clone()
        }));
    }

    fn push_source(&mut self, layout: &Layout<'_>, range: Range<usize>) {
        let by = self.text.len();
        let source = &layout.text[range.clone()];
        self.text.push_str(source);
        let starts = memchr::memchr_iter(b'\n', source.as_bytes()).map(|at| at + 1);
        self.frozen.extend(
            starts
                .filter(|at| layout.is_in_string(range.start + at))
                .map(|at| at + by),
        );
    }

    fn mark(&mut self, range: Range<usize>, site: usize, what: Landed) {
        self.marks.push(Mark { range, site, what });
    }

    /// Moves every line but the first.
    fn moved(self, from: &str, to: &str) -> Rendered {
        if from == to || memchr::memchr(b'\n', self.text.as_bytes()).is_none() {
            return self;
        }
        let mut out = String::with_capacity(self.text.len());
        // Where old text begins to be shifted: (old place, new place).
        let mut steps: Vec<(usize, usize)> = vec![(0, 0)];
        let mut frozen = Vec::with_capacity(self.frozen.len());
        let mut old_frozen = self.frozen.iter().copied().peekable();
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            let is_frozen = old_frozen.next_if_eq(&at).is_some();
            if is_frozen {
                frozen.push(out.len());
            }
            let indent = blanks_of(line);
            if at == 0 || is_frozen || line.trim().is_empty() {
                out.push_str(line);
            } else {
                out.push_str(&moved(indent, from, to));
                steps.push((at + indent.len(), out.len()));
                out.push_str(&line[indent.len()..]);
            }
            at += line.len();
        }
        let place = |at: usize| {
            let after = steps.partition_point(|(old, _)| *old <= at);
            let (old, new) = steps[after.saturating_sub(1)];
            new + (at - old)
        };
        let marks = self.marks.iter().map(|mark| Mark {
            range: place(mark.range.start)..place(mark.range.end),
            ..mark.clone()
        });
        Rendered {
            marks: marks.collect(),
            text: out,
            frozen,
        }
    }

    /// The blanks of the last line that starts outside a string; `None` if that is the first.
    fn last_indent(&self) -> Option<&str> {
        memchr::memrchr_iter(b'\n', self.text.as_bytes())
            .map(|at| at + 1)
            .find(|start| self.frozen.binary_search(start).is_err())
            .map(|start| blanks_of(&self.text[start..]))
    }
}

/// What was decided about one site.
#[derive(Debug, Default, Clone)]
pub(crate) struct Plan {
    /// Parentheses around the whole.
    pub(crate) parentheses: bool,
    /// Parts of the template that are put in parentheses.
    pub(crate) wrapped: Vec<usize>,
    /// What to do about the terminator, in the order in which it is tried.
    pub(crate) tails: Vec<Tail>,
    pub(crate) tail: usize,
}

/// What happens at the end of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    AsIs,
    /// This terminator is added.
    Add(&'static str),
    /// The template's terminator is left out.
    Drop(&'static str),
}

/// All that rendering looks at.
#[derive(Clone, Copy)]
pub(crate) struct Renderer<'a, 't> {
    pub(crate) template: &'a Template,
    pub(crate) layout: &'a Layout<'t>,
    pub(crate) matches: &'a [Match],
    pub(crate) nesting: &'a Nesting,
    pub(crate) style: &'a Style,
    /// Longest text that is rendered, in bytes.
    pub(crate) max_bytes: usize,
}

/// Why rendering was given up.
pub(crate) enum Excess {
    /// A text grew over the limit.
    Length,
    /// Matches inside one another, each of which holds the text of all inside it, did together.
    Nesting,
}

/// Bytes that the replacements of all sites may have together, those inside others counted again.
pub(crate) const MAX_TOTAL: usize = 64 << 20;

impl Renderer<'_, '_> {
    /// Renders every site from the inside out; `frozen` tells of each line of the template whether
    /// it starts inside a string.
    pub(crate) fn sites(&self, plans: &[Plan], frozen: &[bool]) -> Result<Vec<Rendered>, Excess> {
        let mut total = 0;
        let mut done: Vec<Rendered> = vec![Rendered::default(); self.matches.len()];
        for &site in self.nesting.sites().iter().rev() {
            let rendered = self.site(site, &plans[site], frozen, &done)?;
            total += rendered.text.len();
            if total > MAX_TOTAL {
                return Err(Excess::Nesting);
            }
            done[site] = rendered;
            // What lies inside has its places in this one now.
            for &inner in self.nesting.inside(site) {
                done[inner].marks = Vec::new();
                done[inner].frozen = Vec::new();
            }
        }
        Ok(done)
    }

    fn site(
        &self,
        site: usize,
        plan: &Plan,
        frozen: &[bool],
        done: &[Rendered],
    ) -> Result<Rendered, Excess> {
        let found = &self.matches[site];
        let (layout, start) = (self.layout, found.range.start);
        let base = line_indent(layout, start);
        let unit = self.style.unit(base);
        let end = line_end(layout.text, start);
        let parts = self.template.parts_without(
            |slot| matches!(&found.captures[slot], Capture::Many(items) if items.is_empty()),
        );
        let mut out = Rendered::default();
        let mut indent = base.to_owned();
        let mut at_line_start = begins_line(layout, start);
        let mut ends_terminated = false;
        let mut ends_whole = false;
        for (nth, (index, part)) in parts.iter().enumerate() {
            let mut ends_now_whole = false;
            match part {
                Part::Text(text) => {
                    let in_header = || matches!(open_bracket(&parts[..nth]), Some('('));
                    let doubles = ends_terminated && text.starts_with(';') && !in_header();
                    let text = if doubles { &text[1..] } else { text };
                    let text = if ends_whole { text.trim_start() } else { text };
                    out.text.push_str(text);
                    at_line_start &= text.trim().is_empty();
                }
                Part::Line {
                    indent: own,
                    number,
                } => {
                    out.text.push_str(end);
                    let start = out.text.len();
                    if frozen.get(*number).copied().unwrap_or(false) {
                        out.frozen.push(start);
                        out.text.push_str(own);
                    } else {
                        let own = self.template.indent_in(own, unit.as_deref());
                        indent = format!("{base}{own}");
                        let is_blank =
                            matches!(parts.get(nth + 1), None | Some((_, Part::Line { .. })));
                        if !is_blank {
                            out.text.push_str(&indent);
                        }
                        at_line_start = true;
                    }
                    out.mark(start..start, site, Landed::Line(*number));
                }
                Part::Variable { slot, .. } => {
                    let capture = &found.captures[*slot];
                    let line_end_follows = match parts.get(nth + 1) {
                        None => layout.text[found.range.end..].starts_with(['\n', '\r']),
                        Some((_, next)) => matches!(next, Part::Line { .. }),
                    };
                    let held = held(layout, found, *slot, self.template, line_end_follows);
                    let Some(held) = held else {
                        continue;
                    };
                    let span = held.range;
                    let piece = self.slice(site, span.clone(), done)?;
                    let unit = unit.as_deref();
                    let lower = below(layout, capture, &span, &out.text, &indent, unit);
                    if held.is_whole || lower.is_some() {
                        out.text
                            .truncate(out.text.trim_end_matches([' ', '\t']).len());
                    }
                    if let Some(lower) = lower {
                        out.text.push_str(end);
                        out.text.push_str(&lower);
                        indent = lower;
                        at_line_start = true;
                    }
                    ends_now_whole = held.is_whole;
                    let own = line_indent(layout, span.start);
                    let hangs = !at_line_start
                        && own.starts_with(base)
                        && begins_line(layout, span.start)
                        && self.goes_on_below(capture);
                    let piece = piece.moved(if hangs { base } else { own }, &indent);
                    let is_wrapped = plan.wrapped.contains(index);
                    if is_wrapped {
                        out.text.push('(');
                    }
                    let from = out.text.len();
                    out.push(&piece);
                    out.mark(from..out.text.len(), site, Landed::Part(*index));
                    if is_wrapped {
                        out.text.push(')');
                    }
                    if let Some(last) = piece.last_indent() {
                        indent = last.to_owned();
                    }
                    at_line_start = false;
                }
            }
            ends_whole = ends_now_whole;
            ends_terminated = matches!(part, Part::Variable { .. }) && out.text.ends_with(';');
            if out.text.len() > self.max_bytes {
                return Err(Excess::Length);
            }
        }
        Ok(self.finish(site, plan, out))
    }

    /// Puts parentheses, terminator and blanks around a site.
    fn finish(&self, site: usize, plan: &Plan, mut inner: Rendered) -> Rendered {
        let text = self.layout.text;
        let range = &self.matches[site].range;
        if inner.text.trim().is_empty() {
            return Rendered::default();
        }
        let tail = plan.tails.get(plan.tail).copied().unwrap_or(Tail::AsIs);
        if let Tail::Drop(terminator) = tail {
            let kept = inner.text.trim_end().strip_suffix(terminator).map(str::len);
            inner.text.truncate(kept.unwrap_or(inner.text.len()));
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut out = Rendered::default();
        if plan.parentheses {
            out.text.push('(');
        } else if text[..range.start].ends_with(is_word) && inner.text.starts_with(is_word) {
            out.text.push(' ');
        }
        let from = out.text.len();
        out.push(&inner);
        out.mark(from..out.text.len(), site, Landed::Site);
        if plan.parentheses {
            out.text.push(')');
        }
        if let Tail::Add(terminator) = tail
            && !out.text.ends_with(terminator)
        {
            let from = out.text.len();
            out.text.push_str(terminator);
            out.mark(from..out.text.len(), site, Landed::Tail);
        } else if text[range.end..].starts_with(is_word) && out.text.ends_with(is_word) {
            out.text.push(' ');
        }
        out
    }

    /// Whether a later item of a list begins a line of its own.
    fn goes_on_below(&self, capture: &Capture) -> bool {
        match capture {
            Capture::One(_) => false,
            Capture::Many(items) => items
                .iter()
                .skip(1)
                .any(|item| begins_line(self.layout, item.start)),
        }
    }

    /// A stretch of the file with the sites directly inside `outer` (or the outermost ones)
    /// rewritten.
    fn slice(
        &self,
        outer: usize,
        range: Range<usize>,
        done: &[Rendered],
    ) -> Result<Rendered, Excess> {
        let inner = self.nesting.inside(outer).iter().copied().filter(|&site| {
            let site = &self.matches[site].range;
            site.start >= range.start && site.end <= range.end
        });
        let mut out = Rendered::default();
        self.compose(&mut out, inner, range.clone(), done, |_, _| {})?;
        Ok(out)
    }

    /// The whole file rewritten; `edit` is called with each outermost site and the stretch that
    /// its replacement takes.
    pub(crate) fn file(
        &self,
        done: &[Rendered],
        edit: impl FnMut(usize, Range<usize>),
    ) -> Result<Rendered, Excess> {
        let mut out = Rendered::default();
        let whole = 0..self.layout.text.len();
        let outermost = self.nesting.outermost().iter().copied();
        self.compose(&mut out, outermost, whole, done, edit)?;
        Ok(out)
    }

    fn compose(
        &self,
        out: &mut Rendered,
        sites: impl Iterator<Item = usize>,
        range: Range<usize>,
        done: &[Rendered],
        mut edit: impl FnMut(usize, Range<usize>),
    ) -> Result<(), Excess> {
        let mut sites = sites.peekable();
        let mut at = range.start;
        while let Some(site) = sites.next() {
            let next = sites
                .peek()
                .map_or(range.end, |&next| self.matches[next].range.start);
            let mut place = self.matches[site].range.clone();
            if done[site].text.is_empty() {
                place = crate::vanish::extent(self.layout, &place, &(at..next));
            }
            out.push_source(self.layout, at..place.start);
            out.push(&done[site]);
            at = place.end;
            edit(site, place);
            if out.text.len() > self.max_bytes {
                return Err(Excess::Length);
            }
        }
        out.push_source(self.layout, at..range.end);
        Ok(())
    }
}
