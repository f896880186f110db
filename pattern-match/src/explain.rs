//! Near misses: why what looks like a match is none.

use crate::constraint::Search;
use crate::document::Document;
use crate::macros::Reparse;
use crate::pattern::Pattern;
use crate::search::{is_candidate, starts};
use crate::shape::{Shape, class};
use crate::solver::{Answer, Miss, Solver};
use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;
use tree_sitter::Tree;

/// A place that nearly matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMiss {
    /// Index into [`Pattern::readings`] of the reading that came the furthest here.
    pub reading: usize,
    /// Bytes of the text.
    pub range: Range<usize>,
    /// How many pieces of the pattern matched before the first that did not.
    pub matched: usize,
    /// Why it is no match.
    pub reason: Reason,
}

/// Why a place is no match.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Another text stands where the pattern has this one: another operator or name.
    Differs {
        /// What the pattern has.
        expected: String,
        /// What the source has.
        found: String,
    },
    /// Another kind of code stands there.
    OtherKind {
        /// The kind of node that the pattern has.
        expected: &'static str,
        /// The kind of node that the source has.
        kind: &'static str,
        /// Its text.
        found: String,
    },
    /// The source goes on where the pattern ends.
    Beyond {
        /// What is left over.
        found: String,
    },
    /// The source ends where the pattern goes on.
    Ends {
        /// What the pattern wants next.
        expected: String,
    },
    /// A variable that is used twice captured two different things.
    Unequal {
        /// The name without its dollar.
        variable: String,
        /// What it captured first.
        first: String,
        /// What it captured then.
        second: String,
    },
    /// The pattern names parts of this class, and the source has one more.
    OneMore {
        /// What the class is called: `modifier`, `annotation` and so on.
        class: &'static str,
        /// The part.
        found: String,
    },
    /// A word of the pattern stands only in a comment or string, which are not searched inside.
    OnlyInText {
        /// The word.
        word: String,
        /// `comment` or `string`.
        place: &'static str,
    },
    /// It matches, but not a constraint of the search.
    Constraint,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Differs { expected, found } => {
                write!(f, "the pattern has `{expected}`, the source has `{found}`")
            }
            Reason::OtherKind {
                expected,
                kind,
                found,
            } => {
                write!(
                    f,
                    "the pattern has a {expected}, the source has the {kind} `{found}`"
                )
            }
            Reason::Beyond { found } => {
                write!(
                    f,
                    "the pattern ends where the source goes on with `{found}`"
                )
            }
            Reason::Ends { expected } => {
                write!(
                    f,
                    "the source ends where the pattern goes on with `{expected}`"
                )
            }
            Reason::Unequal {
                variable,
                first,
                second,
            } => {
                write!(f, "${variable} captured `{first}`, then `{second}`")
            }
            Reason::OneMore { class, found } => write!(f, "one {class} more: `{found}`"),
            Reason::OnlyInText { word, place } => {
                write!(
                    f,
                    "`{word}` stands here only inside a {place}, and those are not searched inside"
                )
            }
            Reason::Constraint => {
                f.write_str("the pattern matches here, but a constraint does not hold")
            }
        }
    }
}

/// Longest piece of source that a reason quotes, in characters.
const QUOTED: usize = 60;

impl Search {
    /// The places of a text that come nearest to a match, the nearest first; for an answer to
    /// "why was nothing found?".
    pub fn explain(&self, text: &str, tree: &Tree, limit: usize) -> Vec<NearMiss> {
        let pattern = &self.pattern;
        let misses = pattern.with_room(|| pattern.near_misses(text, tree));
        let mut misses = misses.unwrap_or_default();
        let kept = self.run(text, tree).matches;
        for found in self.pattern.search(text, tree).matches {
            if !kept.contains(&found) {
                misses.push(NearMiss {
                    reading: found.reading,
                    range: found.range,
                    matched: usize::MAX,
                    reason: Reason::Constraint,
                });
            }
        }
        misses.sort_by_key(|miss| (Reverse(miss.matched), miss.reading, miss.range.start));
        misses.truncate(limit);
        misses
    }
}

impl Pattern {
    fn near_misses(&self, text: &str, tree: &Tree) -> Vec<NearMiss> {
        let shape = Shape::of(self.language());
        let mut document = Document::default();
        document.fill(shape, text, &mut tree.walk(), Reparse::All, usize::MAX);
        let mut solver = Solver::new(
            &document,
            shape,
            text,
            self.options.strict,
            self.options.max_steps,
        )
        .explaining();
        let mut misses = Vec::new();
        for at in 0..u32::try_from(document.nodes.len()).unwrap_or(u32::MAX) {
            for (reading, root) in self
                .readings()
                .iter()
                .map(|reading| &reading.root)
                .enumerate()
            {
                if !is_candidate(root, document.node(at).kind) {
                    continue;
                }
                for (start, parent) in starts(root, &document, shape, at) {
                    let answer = solver.solve(root, self.variables().len(), start, parent);
                    if matches!(answer, Answer::Match(_)) {
                        continue;
                    }
                    // Where not even one piece matched there is nothing near.
                    if let Some((matched, miss)) =
                        solver.take_miss().filter(|(matched, _)| *matched > 1)
                    {
                        let reason = self.reason(shape, text, miss);
                        misses.push(NearMiss {
                            reading,
                            range: document.node(start).range(),
                            matched,
                            reason,
                        });
                    }
                }
            }
        }
        misses.extend(self.only_in_text(shape, text, &document));
        misses
    }

    fn reason(&self, shape: &Shape, text: &str, miss: Miss) -> Reason {
        let quote = |range: Range<usize>| shortened(text.get(range).unwrap_or_default());
        match miss {
            Miss::Differs { expected, found } => Reason::Differs {
                expected,
                found: quote(found),
            },
            Miss::Kind {
                expected,
                found,
                kind,
            } => Reason::OtherKind {
                expected: shape.name(expected),
                kind: shape.name(kind),
                found: quote(found),
            },
            Miss::Beyond { found } => Reason::Beyond {
                found: quote(found),
            },
            Miss::Ends { expected } => Reason::Ends { expected },
            Miss::Unequal {
                slot,
                first,
                second,
            } => Reason::Unequal {
                variable: self
                    .variables()
                    .get(slot)
                    .map(|v| v.name.clone())
                    .unwrap_or_default(),
                first: quote(first),
                second: quote(second),
            },
            Miss::OneMore { class, found } => Reason::OneMore {
                class: class::name(class),
                found: quote(found),
            },
        }
    }

    /// Comments and strings that hold the pattern's first word.
    fn only_in_text(&self, shape: &Shape, text: &str, document: &Document) -> Vec<NearMiss> {
        let Some(word) = self
            .readings()
            .first()
            .and_then(|reading| reading.required_text().into_iter().next())
        else {
            return Vec::new();
        };
        let mut at = 0;
        let mut misses = Vec::new();
        while (at as usize) < document.nodes.len() {
            let node = document.node(at);
            let place = if node.is_extra() {
                "comment"
            } else if shape.kind(node.kind).string {
                "string"
            } else {
                at += 1;
                continue;
            };
            at = node.next.max(at + 1);
            if text
                .get(node.range())
                .is_some_and(|inner| inner.contains(&word))
            {
                let reason = Reason::OnlyInText {
                    word: word.clone(),
                    place,
                };
                misses.push(NearMiss {
                    reading: 0,
                    range: node.range(),
                    matched: 1,
                    reason,
                });
            }
        }
        misses
    }
}

fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.len() < text.trim_end().len() => format!("{line} …"),
        None => line.to_owned(),
    }
}
