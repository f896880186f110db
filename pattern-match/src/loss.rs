//! What a rewrite drops without the pattern having said so.

use crate::body::held;
use crate::layout::Layout;
use crate::search::Match;
use crate::shape::{ERROR, class};
use crate::solver::part_class;
use crate::template::{Template, holds_word};
use std::fmt;
use std::ops::Range;

/// Source text inside a match that neither the pattern nor a capture holds, and that the rewrite
/// therefore drops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Bytes of the original text.
    pub range: Range<usize>,
    /// The text that is dropped.
    pub text: String,
    /// What it is.
    pub what: LossKind,
}

/// What kind of thing is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LossKind {
    /// A comment.
    Comment,
    /// A modifier of a declaration: `async`, `static`, `pub`.
    Modifier,
    /// An annotation, attribute or decorator.
    Annotation,
    /// The type parameters of a declaration.
    TypeParameters,
    /// The return type of a function.
    ReturnType,
    /// The exceptions that a function declares.
    Throws,
    /// What a type extends or implements.
    Supertypes,
    /// The constraints of type parameters.
    WhereClause,
    /// Any other code.
    Code,
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LossKind::Comment => "comment",
            LossKind::Modifier => class::name(class::MODIFIER),
            LossKind::Annotation => class::name(class::ANNOTATION),
            LossKind::TypeParameters => class::name(class::TYPE_PARAMETERS),
            LossKind::ReturnType => class::name(class::RETURN_TYPE),
            LossKind::Throws => class::name(class::THROWS),
            LossKind::Supertypes => class::name(class::SUPERTYPES),
            LossKind::WhereClause => class::name(class::WHERE),
            LossKind::Code => "code",
        })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.text.lines().next().unwrap_or_default();
        let short: String = line.chars().take(60).collect();
        let more = if short.len() < self.text.len() {
            "…"
        } else {
            ""
        };
        write!(f, "{} `{short}{more}`", self.what)
    }
}

/// What the rewrite of a match drops: what the matcher passed over and the comments in between,
/// unless a capture holds it or the template says it.
pub(crate) fn losses(
    layout: &Layout<'_>,
    found: &Match,
    pattern: &str,
    template: &Template,
) -> Vec<Loss> {
    let kept: Vec<Range<usize>> = (0..found.captures.len())
        .filter_map(|slot| {
            let ends_line = template.line_end_follows(slot, &layout.text[found.range.end..]);
            Some(held(layout, found, slot, template, ends_line)?.range)
        })
        .collect();
    let is_held = |range: &Range<usize>| {
        kept.iter()
            .any(|span| span.start <= range.start && span.end >= range.end)
    };
    let mut dropped: Vec<(Range<usize>, LossKind)> = found
        .skipped
        .iter()
        .map(|range| (range.clone(), kind(layout, range)))
        .chain(extras(layout, &found.range))
        .filter(|(range, _)| !is_layout(&layout.text[range.clone()]) && !is_held(range))
        .collect();
    dropped.sort_by_key(|(range, what)| (range.start, std::cmp::Reverse(range.end), *what));
    let mut losses: Vec<Loss> = Vec::new();
    for (range, what) in dropped {
        match losses.last_mut() {
            Some(last) if last.range.end >= range.end => {}
            Some(last)
                if last.what == what
                    && what != LossKind::Comment
                    && layout.text[last.range.end..range.start].trim().is_empty() =>
            {
                last.range.end = range.end;
            }
            _ => losses.push(Loss {
                range,
                text: String::new(),
                what,
            }),
        }
    }
    for loss in &mut losses {
        let text = layout.text[loss.range.clone()].trim_end();
        loss.range.end = loss.range.start + text.len();
        loss.text = text.to_owned();
    }
    losses.retain(|loss| holds_word(pattern, &loss.text) || !template.says(&loss.text));
    losses
}

/// The comments in a stretch, and what else the grammar allows anywhere.
fn extras<'a>(
    layout: &'a Layout<'_>,
    range: &Range<usize>,
) -> impl Iterator<Item = (Range<usize>, LossKind)> + use<'a> {
    let nodes = &layout.document().nodes;
    let (start, end) = (range.start, range.end);
    let first = nodes.partition_point(|node| (node.start as usize) < start);
    nodes[first..]
        .iter()
        .take_while(move |node| (node.start as usize) < end)
        .filter(move |node| node.is_extra() && node.end as usize <= end)
        .map(|node| (node.range(), extra_kind(layout.shape.name(node.kind))))
}

/// Whether a text is nothing but blanks and marks that a line goes on.
fn is_layout(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\\')
}

fn extra_kind(name: &str) -> LossKind {
    if name.contains("comment") || name.contains("haddock") {
        LossKind::Comment
    } else {
        LossKind::Code
    }
}

fn kind(layout: &Layout<'_>, range: &Range<usize>) -> LossKind {
    let text = layout.text[range.clone()].trim_end();
    let Some((at, _)) = layout.exact(&(range.start..range.start + text.len())) else {
        return LossKind::Code;
    };
    if layout.document().node(at).is_extra() {
        return extra_kind(layout.name(at));
    }
    let parent = layout
        .parent(at)
        .map_or(ERROR, |parent| layout.document().node(parent).kind);
    match part_class(layout.document(), layout.shape, at, parent) {
        class::MODIFIER => LossKind::Modifier,
        class::ANNOTATION => LossKind::Annotation,
        class::TYPE_PARAMETERS => LossKind::TypeParameters,
        class::RETURN_TYPE => LossKind::ReturnType,
        class::THROWS => LossKind::Throws,
        class::SUPERTYPES => LossKind::Supertypes,
        class::WHERE => LossKind::WhereClause,
        _ => LossKind::Code,
    }
}
