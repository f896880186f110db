//! Finds the nodes of a parsed scaffold that are the fragment: one, or a run of siblings.

use super::Climber;
use crate::document::{Document, Node};
use crate::rung::Rung;
use crate::scaffold::Built;
use crate::shape::class;

impl Climber {
    /// Whether this is a name of no width: one that a parser made up, although it does not say so.
    pub(super) fn is_unwritten(&self, node: &Node) -> bool {
        node.start == node.end && self.shape.name(node.kind) == "identifier"
    }

    /// The nodes whose span is the fragment's: one, or a run of siblings.
    pub(super) fn run_of(&self, document: &Document, built: &Built) -> Option<Vec<u32>> {
        let (start, end) = (built.span.start, built.span.end);
        let ends_right = |at: u32| {
            let range = document.node(at).range();
            let end_here = range.start + built.text[range].trim_end().len();
            end_here == end || end_here == built.terminated
        };
        let mut parent = 0;
        loop {
            let holder = document.children(parent).find(|&child| {
                let node = document.node(child);
                !node.is_extra()
                    && node.start as usize <= start
                    && node.end as usize >= end
                    && node.end > node.start
            });
            match holder {
                Some(child)
                    if document.node(child).start as usize == start && ends_right(child) =>
                {
                    return Some(vec![child]);
                }
                Some(child) => parent = child,
                None => break,
            }
        }
        let run: Vec<u32> = document
            .children(parent)
            .filter(|&child| {
                let node = document.node(child);
                !node.is_extra()
                    && !node.is_missing()
                    && node.start as usize >= start
                    && node.end as usize <= built.terminated
                    && node.end > node.start
            })
            .collect();
        let first = *run.first()?;
        let named: Vec<u32> = run
            .iter()
            .copied()
            .filter(|&at| !self.shape.kind(document.node(at).kind).separator)
            .collect();
        let last_named = *named.last()?;
        let last = *run.last()?;
        let starts_right = document.node(first).start as usize == start;
        if !starts_right || !(ends_right(last) || ends_right(last_named)) {
            return None;
        }
        if named.len() == 1 {
            Some(named)
        } else {
            Some(run)
        }
    }

    /// The items of a list without brackets in place of the list: they are a sequence, which may
    /// be part of a longer one.
    pub(super) fn opened(
        &self,
        document: &Document,
        run: Vec<u32>,
        built: &Built,
        rung: Rung,
    ) -> Result<Vec<u32>, usize> {
        let [mut at] = run[..] else { return Ok(run) };
        loop {
            let items: Vec<u32> = document
                .children(at)
                .filter(|&child| {
                    let node = document.node(child);
                    !node.is_extra() && !node.is_missing() && node.end > node.start
                })
                .collect();
            match items.as_slice() {
                [one] if document.node(*one).range() == document.node(at).range() => at = *one,
                [_, _, ..] if self.shape.kind(document.node(at).kind).list => {
                    return match self.check_sequence(document, &items, built, rung) {
                        Ok(()) => Ok(items),
                        Err(place) if self.shape.kind(document.node(at).kind).body => Err(place),
                        Err(_) => Ok(run),
                    };
                }
                _ => return Ok(run),
            }
        }
    }

    /// A run of siblings is a pattern when each stands as a statement or member of its own.
    pub(super) fn check_sequence(
        &self,
        document: &Document,
        run: &[u32],
        built: &Built,
        rung: Rung,
    ) -> Result<(), usize> {
        let second = |at: u32| document.node(at).start as usize;
        let lists = matches!(
            rung,
            Rung::Statement
                | Rung::Member
                | Rung::TopLevel
                | Rung::InterfaceMember
                | Rung::Arm
                | Rung::Pair
        );
        if matches!(rung, Rung::Child | Rung::OpeningTag | Rung::Element) {
            return Ok(());
        }
        if matches!(rung, Rung::Parameter | Rung::Clause | Rung::Value) {
            // Some grammars have no node for a parameter with its default or for an `else` with
            // its branch; the whole is what stands between two separators.
            // A metavariable that the grammar found no place for is no part of one.
            let apart = |&at: &u32| {
                let node = document.node(at);
                self.shape.kind(node.kind).separator || node.is_error()
            };
            return run
                .iter()
                .find(|at| apart(at))
                .map_or(Ok(()), |&at| Err(second(at)));
        }
        for pair in run.windows(2) {
            let (a, b) = (document.node(pair[0]), document.node(pair[1]));
            let separator = |at: u32| self.shape.kind(document.node(at).kind).separator;
            let gap = &built.text[a.end as usize..(b.start as usize).max(a.end as usize)];
            let text = built.text[a.range()].trim_end();
            let annotates = self.shape.kind(a.kind).class == class::ANNOTATION;
            let apart = separator(pair[0])
                || separator(pair[1])
                || gap.contains('\n')
                || built.text[a.range()].ends_with('\n')
                || text.ends_with([';', '}'])
                || annotates;
            let whole = |at: u32| document.node(at).is_named() || separator(at);
            if !lists || !apart || !whole(pair[0]) || !whole(pair[1]) {
                return Err(second(pair[1]));
            }
        }
        Ok(())
    }

    pub(super) fn parent_kind(&self, document: &Document, child: u32) -> u16 {
        let mut parent = 0;
        for at in 0..child {
            if document.node(at).next > child {
                parent = at;
            }
        }
        document.node(parent).kind
    }

    /// The innermost node of exactly the fragment's span: a fragment without a terminator means
    /// the expression, not the statement around it.
    pub(super) fn innermost(&self, document: &Document, mut at: u32, built: &Built) -> u32 {
        loop {
            let inner = document.children(at).find(|&child| {
                let node = document.node(child);
                let end = node.start as usize + built.text[node.range()].trim_end().len();
                !node.is_extra() && node.start as usize == built.span.start && end == built.span.end
            });
            match inner {
                Some(inner) => at = inner,
                None => return at,
            }
        }
    }
}
