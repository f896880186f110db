//! What goes together with a match that is deleted: its terminator, the separator beside it, the
//! line that held nothing else.

use crate::layout::Layout;
use crate::template::blanks_of;
use std::ops::Range;

/// The stretch to delete for a match, inside the bounds.
pub(crate) fn extent(
    layout: &Layout<'_>,
    site: &Range<usize>,
    bounds: &Range<usize>,
) -> Range<usize> {
    let within = |range: &Range<usize>| range.start >= bounds.start && range.end <= bounds.end;
    let mut range = site.clone();
    let mut at = layout.exact(site).map(|(outer, _)| outer);
    while let Some(parent) = at.and_then(|at| layout.parent(at)) {
        let whole = layout.document().node(parent).start as usize..layout.end(parent);
        let rest = layout.text.get(range.end..whole.end).map(str::trim);
        let is_alone = whole.start == range.start && matches!(rest, Some(";" | ""));
        if !is_alone || !within(&whole) {
            break;
        }
        range = whole;
        at = Some(parent);
    }
    let listed = separated(layout, site, &range);
    if let Some(listed) = listed.filter(within) {
        range = listed;
    }
    let lines = lines(layout.text, &range);
    if within(&lines) { lines } else { range }
}

/// With the comma after an item of a list, or else the one before it.
fn separated(
    layout: &Layout<'_>,
    site: &Range<usize>,
    range: &Range<usize>,
) -> Option<Range<usize>> {
    let (outer, _) = layout.exact(site)?;
    let parent = layout.parent(outer)?;
    let is_comma = |at: u32| layout.name(at) == ",";
    if !layout.document().children(parent).any(is_comma) {
        return None;
    }
    let (before, after) = (&layout.text[..range.start], &layout.text[range.end..]);
    let blanks = after.len() - after.trim_start().len();
    if after.trim_start().starts_with(',') {
        let end = range.end + blanks + 1;
        let rest = &layout.text[end..];
        let gap = blanks_of(rest).len();
        return Some(range.start..end + gap);
    }
    let kept = before.trim_end();
    kept.ends_with(',').then(|| kept.len() - 1..range.end)
}

/// The whole lines that hold nothing but the stretch; else the stretch.
fn lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..]
        .find('\n')
        .map_or(text.len(), |at| range.end + at + 1);
    let is_alone =
        text[start..range.start].trim().is_empty() && text[range.end..end].trim().is_empty();
    if is_alone { start..end } else { range.clone() }
}
