//! Which matches lie inside which.

use crate::search::Match;
use crate::template::Template;
use crate::tree::Capture;
use std::ops::Range;

/// The matches of one text as a forest.
#[derive(Debug, Default, Clone)]
pub(crate) struct Nesting {
    sites: Vec<usize>,
    outermost: Vec<usize>,
    inside: Vec<Vec<usize>>,
    outer: Vec<Option<usize>>,
    /// Matches that overlap an earlier one without lying inside it.
    pub(crate) crossing: Vec<usize>,
    /// Matches inside another one, but in nothing that the template keeps.
    pub(crate) unreached: Vec<usize>,
}

impl Nesting {
    pub(crate) fn of(matches: &[Match], template: &Template) -> Nesting {
        let mut order: Vec<usize> = (0..matches.len()).collect();
        order.sort_by_key(|&at| {
            let range = &matches[at].range;
            (range.start, std::cmp::Reverse(range.end), at)
        });
        let mut nesting = Nesting {
            inside: vec![Vec::new(); matches.len()],
            outer: vec![None; matches.len()],
            ..Nesting::default()
        };
        // The sites around the present match.
        let mut open: Vec<usize> = Vec::new();
        for at in order {
            let range = &matches[at].range;
            while open
                .last()
                .is_some_and(|&top| matches[top].range.end <= range.start)
            {
                open.pop();
            }
            let Some(&top) = open.last() else {
                nesting.outermost.push(at);
                nesting.sites.push(at);
                open.push(at);
                continue;
            };
            let outer = &matches[top];
            if range.end > outer.range.end || *range == outer.range {
                nesting.crossing.push(at);
            } else if is_kept(outer, template, range) {
                nesting.inside[top].push(at);
                nesting.outer[at] = Some(top);
                nesting.sites.push(at);
                open.push(at);
            } else {
                nesting.unreached.push(at);
            }
        }
        nesting
    }

    /// One outermost site with what is inside it, and no other.
    pub(crate) fn alone(&self, site: usize) -> Nesting {
        Nesting {
            outermost: vec![site],
            ..self.clone()
        }
    }

    /// Every match that is rewritten, outer before inner.
    pub(crate) fn sites(&self) -> &[usize] {
        &self.sites
    }

    pub(crate) fn outermost(&self) -> &[usize] {
        &self.outermost
    }

    /// The sites directly inside a site.
    pub(crate) fn inside(&self, site: usize) -> &[usize] {
        &self.inside[site]
    }

    /// The site directly around a site.
    pub(crate) fn outer(&self, site: usize) -> Option<usize> {
        self.outer[site]
    }
}

/// Whether a stretch lies in something that the template takes over.
fn is_kept(outer: &Match, template: &Template, range: &Range<usize>) -> bool {
    outer.captures.iter().enumerate().any(|(slot, capture)| {
        let holds = |item: &Range<usize>| item.start <= range.start && item.end >= range.end;
        template.uses(slot)
            && match capture {
                Capture::One(item) => holds(item),
                // A sequence can match several items of a list, never a part of one and the next.
                Capture::Many(_) => capture.span().is_some_and(|span| holds(&span)),
            }
    })
}
