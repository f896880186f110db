//! The layout of a body: a list keeps the lines that the source wrote it on where the template
//! puts the same brackets around it, and a block of statements keeps its own lines after a colon.

use crate::indent::{begins_line, line_indent};
use crate::layout::Layout;
use crate::search::Match;
use crate::template::{Part, Template};
use crate::tree::Capture;
use std::ops::Range;

/// What stands directly around a list, in the pattern and in the template alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    open: String,
    close: String,
}

/// What a capture brings into a rewrite.
pub(crate) struct Held {
    /// Bytes of the original text.
    pub(crate) range: Range<usize>,
    /// It reaches from bracket to bracket, so that its blanks stand for those of the template.
    pub(crate) is_whole: bool,
}

/// The frame around the list at an index of a template's parts, if there is one.
pub(crate) fn frame(parts: &[Part], at: usize) -> Option<Frame> {
    let (Some(Part::Text(before)), Some(Part::Text(after))) =
        (parts.get(at.checked_sub(1)?), parts.get(at + 1))
    else {
        return None;
    };
    let (before, after) = (before.trim_end(), after.trim_start());
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let word = &before[before.trim_end_matches(is_letter).len()..];
    let end = &after[..after.len() - after.trim_start_matches(is_letter).len()];
    let (open, close) = match (before.chars().next_back()?, after.chars().next()?) {
        ('{', '}') => ("{", "}"),
        ('[', ']') => ("[", "]"),
        // Elsewhere a comma before the parenthesis makes a tuple of what is one thing without it.
        ('(', ')') if is_call(before, is_letter) || is_after_variable(parts, at, before) => {
            ("(", ")")
        }
        (last, _) if matches!(end, "end" | "done" | "fi") => match word {
            "" => (&before[before.len() - last.len_utf8()..], end),
            word => (word, end),
        },
        _ => return None,
    };
    Some(Frame {
        open: open.to_owned(),
        close: close.to_owned(),
    })
}

fn is_call(before: &str, is_letter: impl Fn(char) -> bool) -> bool {
    before[..before.len() - 1].ends_with(|c| is_letter(c) || matches!(c, '>' | '!' | ']' | ')'))
}

fn is_after_variable(parts: &[Part], at: usize, before: &str) -> bool {
    before == "(" && at > 1 && matches!(parts[at - 2], Part::Variable { .. })
}

/// What the capture of a variable brings along.
pub(crate) fn held(
    layout: &Layout<'_>,
    found: &Match,
    slot: usize,
    template: &Template,
    line_end_follows: bool,
) -> Option<Held> {
    let whole = template
        .frame(slot)
        .and_then(|frame| stretch(layout.text, found, slot, frame));
    if let Some(range) = whole {
        return Some(Held {
            range,
            is_whole: true,
        });
    }
    enclosed(layout, found, slot, template)
        .or_else(|| found.carried(layout.text, slot, line_end_follows))
        .map(|range| Held {
            range,
            is_whole: false,
        })
}

/// What was captured with the optional parentheses around it, where it cannot do without them and
/// the template brings none: names of an import on several lines, parameters of an arrow function
/// that are more than one name.
fn enclosed(
    layout: &Layout<'_>,
    found: &Match,
    slot: usize,
    template: &Template,
) -> Option<Range<usize>> {
    let capture = found.captures.get(slot)?;
    let span = capture.span()?;
    let first = match capture {
        Capture::One(range) => range,
        Capture::Many(items) => items.first()?,
    };
    let (outer, _) = layout.exact(first)?;
    let list = layout.parent(outer)?;
    let document = layout.document();
    let mut silent = document
        .children(list)
        .map(|child| document.node(child))
        .filter(|child| child.is_silent() && child.end > child.start);
    let (open, close) = (silent.next()?.range(), silent.next()?.range());
    let is_around = open.end <= span.start && span.end <= close.start;
    let others = document.children(list).map(|child| document.node(child));
    let is_all = others
        .filter(|node| node.start as usize >= open.end && node.end as usize <= close.start)
        .filter(|node| !node.is_extra() && !layout.shape.kind(node.kind).separator)
        .all(|node| node.start as usize >= span.start && node.end as usize <= span.end);
    if !is_around || !is_all || template.opens_before(slot) {
        return None;
    }
    let range = open.start..close.end;
    let kind = |at: u32| layout.shape.kind(document.node(at).kind);
    let is_arrow = layout.parent(list).is_some_and(|at| kind(at).arrow);
    let is_name = |range: &Range<usize>| {
        let node = layout.exact(range);
        node.is_some_and(|(_, inner)| layout.is_leaf(inner))
    };
    let needs_them = match capture {
        _ if !is_arrow => {
            layout.language().id() == "python" && layout.text.get(range.clone())?.contains('\n')
        }
        Capture::One(range) => !is_name(range),
        Capture::Many(items) => !matches!(items.as_slice(), [one] if is_name(one)),
    };
    needs_them.then_some(range)
}

/// All between the brackets around a list that has lines of its own.
fn stretch(text: &str, found: &Match, slot: usize, frame: &Frame) -> Option<Range<usize>> {
    let items = found.captures.get(slot)?.span()?;
    let span = found.carried(text, slot, true)?;
    let before = text.get(found.range.start..span.start)?.trim_end();
    let after = text.get(span.end..found.range.end)?;
    let between = after.len()
        - after
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';'))
            .len();
    if !before.ends_with(&frame.open) || !after[between..].starts_with(&frame.close) {
        return None;
    }
    let range = found.range.start + before.len()..span.end + between;
    let breaks = |gap: Range<usize>| text.get(gap).is_some_and(|gap| gap.contains('\n'));
    (breaks(range.start..items.start) || breaks(items.end..range.end)).then_some(range)
}

/// The indentation at which a block of statements goes on below the text so far, which opens a
/// block on its last line; `None` when it goes on beside it. `indent` is the one of that line.
pub(crate) fn below(
    layout: &Layout<'_>,
    capture: &Capture,
    span: &Range<usize>,
    so_far: &str,
    indent: &str,
    unit: Option<&str>,
) -> Option<String> {
    let line = &so_far[so_far.rfind('\n').map_or(0, |at| at + 1)..];
    if !opens_block(layout.language().id(), line.trim_end()) {
        return None;
    }
    let first = match capture {
        Capture::One(range) => range.clone(),
        Capture::Many(items) => items.first()?.clone(),
    };
    let breaks = layout.text.get(span.clone())?.contains('\n');
    if !begins_line(layout, span.start) || (layout.language().id() != "python" && !breaks) {
        return None;
    }
    let (outer, _) = layout.exact(&first)?;
    let is_body = |name: &str| name.contains("block") || name == "module";
    let is_block = is_body(layout.name(outer));
    let is_in_block = layout
        .parent(outer)
        .is_some_and(|parent| is_body(layout.name(parent)));
    if layout.language().id() == "python" && !is_block && !is_in_block {
        return None;
    }
    if matches!(capture, Capture::One(_)) && !is_block {
        return None;
    }
    let block = if is_block {
        Some(outer)
    } else {
        layout.parent(outer)
    };
    let header = block
        .and_then(|block| layout.parent(block))
        .map(|header| line_indent(layout, layout.document().node(header).start as usize));
    let own = line_indent(layout, span.start);
    let step = header
        .and_then(|header| own.strip_prefix(header))
        // A sequence of YAML may stand as deep as its key.
        .filter(|step| !step.is_empty() || layout.language().id() == "yaml")
        .or(unit)
        .unwrap_or("    ");
    Some(format!("{indent}{step}"))
}

/// Whether a block that is told by its indentation begins after this text.
fn opens_block(language: &str, line: &str) -> bool {
    let ends_with_word = |words: &[&str]| {
        words.iter().any(|word| {
            line.strip_suffix(word)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '\t', ')']))
        })
    };
    match language {
        "python" | "yaml" => line.ends_with(':'),
        "haskell" => ends_with_word(&["do", "of", "where", "let"]),
        "scala" => {
            line.ends_with([':', '='])
                || line.ends_with("=>")
                || ends_with_word(&["then", "do", "else", "try", "finally", "yield"])
        }
        _ => false,
    }
}
