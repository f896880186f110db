//! One child list of the pattern against one of the source: runs, separators, ends.

use super::miss::{Miss, describe, goes_on};
use super::{Binding, Goal, Level, Solver, in_field};
use crate::shape::class;
use crate::tree::{PatternNode, Slot};
use std::ops::Range;

impl Solver<'_> {
    /// Matches the rest of a child list, then the goals that follow.
    pub(super) fn list(&mut self, mut goal: Goal<'_>) -> bool {
        let skipped = self.skipped.len();
        let done = self.list_inner(&mut goal);
        if !done {
            self.skipped.truncate(skipped);
        }
        done
    }

    fn list_inner(&mut self, goal: &mut Goal<'_>) -> bool {
        loop {
            if !self.step() {
                return false;
            }
            let Some((first, rest)) = goal.items.split_first() else {
                return self.rest_may_stay(goal) && self.proceed(goal.next);
            };
            if let PatternNode::Many { slot, field } = first {
                return self.run(*slot, *field, rest, goal);
            }
            if let PatternNode::Content { slot } = first {
                return self.content(*slot, rest, goal);
            }
            if goal.at >= goal.end {
                if let Some(slots) = self.empty_list(first, rest) {
                    let follow = Goal {
                        items: rest,
                        ..*goal
                    };
                    return self.bind_empty(&slots, follow);
                }
                if self.may_lack(first, rest, goal) {
                    goal.items = rest;
                    continue;
                }
                self.miss(|| Miss::Ends {
                    expected: describe(first),
                });
                return false;
            }
            let at = goal.at;
            let node = *self.document.node(at);
            if node.is_extra() {
                self.skipped.push(at);
                goal.at = node.next;
                continue;
            }
            if self.is_nothing(at) {
                goal.at = node.next;
                continue;
            }
            let source_separator = self.shape.kind(node.kind).separator;
            if let PatternNode::Token {
                separator: true,
                text,
                ..
            } = first
            {
                if source_separator && self.text_of(at) == text {
                    goal.at = node.next;
                } else if (source_separator && goal.level.after_many)
                    || !self.may_lack(first, rest, goal)
                {
                    self.miss(|| Miss::Ends {
                        expected: goes_on(text, rest),
                    });
                    return false;
                }
                goal.items = rest;
                continue;
            }
            if source_separator {
                if !self.separator_may_stay(at, goal) {
                    if self.explain {
                        let found = self.one_more(at, goal.end);
                        self.miss(|| Miss::Beyond { found });
                    }
                    return false;
                }
                goal.at = node.next;
                continue;
            }
            let is_statement = node.is_named() || node.is_raw();
            if goal.level.open && !is_statement && matches!(first, PatternNode::One { .. }) {
                // In a body a metavariable stands for a statement, not for the `else` before it.
                return false;
            }
            // An omissible part is passed over only where the pattern does not take it.
            let omissible = self.omissible(at, goal.level);
            let level = Level {
                after_many: false,
                done: node.end,
                ..goal.level
            };
            let follow = Goal {
                items: rest,
                at: node.next,
                level,
                ..*goal
            };
            if self.node(first, at, Some(&follow), false) {
                return true;
            }
            if let Some(slots) = self.empty_list(first, rest) {
                // The list that they are alone in is not there when it is empty.
                let follow = Goal {
                    items: rest,
                    ..*goal
                };
                if self.bind_empty(&slots, follow) {
                    return true;
                }
            }
            if omissible == 0 || self.steps > self.max_steps {
                let class = self.class_of(at, goal.level);
                if class != 0 && !self.is_part(first) {
                    let found = node.range();
                    self.miss(|| Miss::OneMore { class, found });
                }
                return false;
            }
            self.skipped.push(at);
            goal.at = node.next;
        }
    }

    /// `$$$`: the shortest run first.
    fn run(&mut self, slot: Slot, field: u8, rest: &[PatternNode], goal: &Goal<'_>) -> bool {
        let mut level = Level {
            after_many: true,
            ..goal.level
        };
        // The last item of an open sequence takes all that is left.
        let greedy = rest.is_empty() && goal.level.open;
        let mut items: Vec<u32> = Vec::new();
        let mut at = goal.at;
        loop {
            if !self.step() {
                return false;
            }
            let taken = items.len();
            if !greedy && !self.surely_within(at, rest, goal) {
                let skipped = self.skipped.len();
                let follow = Goal {
                    items: rest,
                    at,
                    level,
                    ..*goal
                };
                if self.bind(slot, Binding::List(items.clone()), |solver| {
                    solver.list(follow)
                }) {
                    return true;
                }
                self.skipped.truncate(skipped);
                if self.steps > self.max_steps {
                    return false;
                }
            }
            while at < goal.end && items.len() == taken {
                let node = self.document.node(at);
                if node.is_extra()
                    || self.is_nothing(at)
                    || self.shape.kind(node.kind).separator
                    || self.ends_label(at, items.last())
                {
                    if node.is_extra() {
                        self.skipped.push(at);
                    }
                } else if self.shape.kind(node.kind).clause {
                    break;
                } else if (node.is_named()
                    || node.is_raw()
                    || node.is_error()
                    || self.shape.kind(node.kind).wild)
                    && (field == 0 || in_field(node, field))
                {
                    items.push(at);
                    level.done = node.end;
                } else if self.omissible(at, goal.level) != 0 {
                    self.skipped.push(at);
                } else {
                    break;
                }
                at = node.next;
            }
            if items.len() == taken {
                return greedy
                    && self.bind(slot, Binding::List(items), |solver| {
                        solver.end = level.done;
                        solver.proceed(goal.next)
                    });
            }
        }
    }

    /// A metavariable that stands for everything up to the last child, the end quote of a string,
    /// or for everything there is when nothing follows it.
    fn content(&mut self, slot: Slot, rest: &[PatternNode], goal: &Goal<'_>) -> bool {
        let mut last = None;
        let mut at = goal.at;
        while at < goal.end {
            last = Some(at);
            at = self.document.node(at).next;
        }
        let Some(last) = last else { return false };
        let (start, end, at) = if rest.is_empty() {
            let range = self.document.node(goal.at).start..self.document.node(last).end;
            (range.start, range.end, goal.end)
        } else {
            let before = goal.at.checked_sub(1).map(|at| self.document.node(at).end);
            (before.unwrap_or(0), self.document.node(last).start, last)
        };
        start <= end
            && self.bind(slot, Binding::Text(start, end), |solver| {
                solver.list(Goal {
                    items: rest,
                    at,
                    ..*goal
                })
            })
    }

    /// Whether what is left of the source may be left.
    fn rest_may_stay(&mut self, goal: &mut Goal<'_>) -> bool {
        if goal.level.open {
            self.end = goal.level.done;
            return true;
        }
        while goal.at < goal.end {
            let at = goal.at;
            let node = *self.document.node(at);
            if node.is_extra() {
                self.skipped.push(at);
            } else if self.is_nothing(at) || self.separator_may_stay(at, goal) {
            } else if self.omissible(at, goal.level) != 0 {
                self.skipped.push(at);
            } else {
                let found = node.range();
                let class = self.class_of(at, goal.level);
                self.miss(|| match class {
                    0 => Miss::Beyond { found },
                    class => Miss::OneMore { class, found },
                });
                return false;
            }
            goal.at = node.next;
        }
        true
    }

    /// A token of no width, inserted by the parser or by the language's line-end rule, or
    /// punctuation that may be left out.
    fn is_nothing(&self, at: u32) -> bool {
        let node = self.document.node(at);
        node.is_missing() || node.is_silent() || (node.start == node.end && !node.is_named())
    }

    /// Whether what follows a run cannot begin at a child, which is seen without trying.
    fn surely_within(&self, at: u32, rest: &[PatternNode], goal: &Goal<'_>) -> bool {
        let next = match rest.first() {
            None if goal.level.open => return false,
            None => None,
            Some(PatternNode::Token {
                kind,
                named: false,
                separator: false,
                ..
            }) => Some(*kind),
            Some(_) => return false,
        };
        if self.explain || at >= goal.end {
            return false;
        }
        let node = self.document.node(at);
        node.is_named()
            && Some(node.kind) != next
            && !node.is_extra()
            && !self.is_nothing(at)
            && !self.shape.kind(node.kind).separator
            && self.omissible(at, goal.level) == 0
    }

    /// The `:` after a label that the grammar lays out beside it, as in the `public:` of C++.
    fn ends_label(&self, at: u32, before: Option<&u32>) -> bool {
        let kind = |at: u32| self.shape.name(self.document.node(at).kind);
        kind(at) == ":" && before.is_some_and(|&label| kind(label) == "access_specifier")
    }

    /// Whether the source may lack this item of the pattern.
    fn may_lack(&self, item: &PatternNode, rest: &[PatternNode], goal: &Goal<'_>) -> bool {
        match item {
            PatternNode::Token {
                separator: true,
                text,
                ..
            } => {
                text != ","
                    || goal.level.after_many
                    || rest
                        .first()
                        .is_none_or(|next| next.is_many() || self.is_closer(next))
            }
            _ => false,
        }
    }

    /// Binds each of these to nothing, then goes on.
    fn bind_empty(&mut self, slots: &[Slot], follow: Goal<'_>) -> bool {
        match slots.split_first() {
            None => self.list(follow),
            Some((slot, more)) => self.bind(*slot, Binding::List(Vec::new()), |solver| {
                solver.bind_empty(more, follow)
            }),
        }
    }

    /// The variables of a list that holds nothing but `$$$`: it may be absent instead of empty.
    fn empty_list(&self, item: &PatternNode, rest: &[PatternNode]) -> Option<Vec<Slot>> {
        let PatternNode::Tree { kind, .. } = item else {
            return None;
        };
        let kind = self.shape.kind(*kind);
        // Where nothing follows, the arguments are what makes a call of it: `a.b` is not `a.b()`
        // in Elixir.
        let is_all = kind.loose && !kind.vanishes && rest.is_empty();
        item.empty_list(self.shape).filter(|_| !is_all)
    }

    fn is_closer(&self, item: &PatternNode) -> bool {
        matches!(item, PatternNode::Token { kind, .. } if self.shape.kind(*kind).closer)
    }

    /// A separator and the item after it.
    fn one_more(&self, separator: u32, end: u32) -> Range<usize> {
        let separator = self.document.node(separator);
        let mut at = separator.next;
        while at < end && self.document.node(at).is_extra() {
            at = self.document.node(at).next;
        }
        let last = if at < end {
            self.document.node(at)
        } else {
            separator
        };
        separator.start as usize..last.end as usize
    }

    /// Whether a separator of the source is no difference although the pattern lacks it.
    fn separator_may_stay(&self, at: u32, goal: &Goal<'_>) -> bool {
        let node = self.document.node(at);
        if !self.shape.kind(node.kind).separator {
            return false;
        }
        let trailing = || {
            let mut after = node.next;
            while after < goal.end && self.document.node(after).is_extra() {
                after = self.document.node(after).next;
            }
            after >= goal.end || self.shape.kind(self.document.node(after).kind).closer
        };
        // A `,` inside a part that may be omitted goes with it.
        let leads_on =
            || node.next < goal.end && self.omissible(node.next, goal.level) == class::SUPERTYPES;
        self.text_of(at) != "," || goal.level.after_many || trailing() || leads_on()
    }
}
