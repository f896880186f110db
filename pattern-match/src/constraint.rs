//! A pattern with conditions on where it stands, what it holds and what it captured.

use crate::pattern::Pattern;
use crate::search::{Found, Match};
use crate::tree::Capture;
use fourfold_syntax::{FileSummary, nearest};
use regex::Regex;
use std::ops::Range;
use tree_sitter::Tree;

/// A condition on what one variable captured: `$X=~REGEX` or `$X!~REGEX`.
///
/// The expression is searched for anywhere in the captured bytes, in the syntax of the `regex`
/// crate; of a list it sees everything from the first item to the last.
#[derive(Debug, Clone)]
pub struct Condition {
    slot: usize,
    wanted: bool,
    regex: Regex,
}

/// A condition that cannot be understood.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// The text is not of the form.
    #[error("the condition `{given}` is not of the form $X=~REGEX or $X!~REGEX")]
    Form {
        /// The text as it was given.
        given: String,
    },
    /// The pattern does not bind the variable.
    #[error("the condition speaks of ${name}, which the pattern does not bind; it binds {}", listed(.bound))]
    Unbound {
        /// The name without its dollar.
        name: String,
        /// What the pattern binds.
        bound: Vec<String>,
    },
    /// The expression is no regular expression.
    #[error("the condition on ${name} has no valid regular expression: {source}")]
    Regex {
        /// The name without its dollar.
        name: String,
        /// What is wrong with it.
        source: regex::Error,
    },
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "nothing".to_owned(),
        names => names
            .iter()
            .map(|name| format!("${name}"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

impl Condition {
    /// Reads a condition on a variable of a pattern.
    ///
    /// # Errors
    /// [`ConditionError`] when the form, the variable or the expression is wrong.
    pub fn parse(text: &str, pattern: &Pattern) -> Result<Condition, ConditionError> {
        let form = || ConditionError::Form {
            given: text.to_owned(),
        };
        let (at, wanted) = match (text.find("=~"), text.find("!~")) {
            (Some(is), Some(not)) => (is.min(not), is < not),
            (Some(is), None) => (is, true),
            (None, Some(not)) => (not, false),
            (None, None) => return Err(form()),
        };
        let name = text[..at].trim();
        let name = name
            .strip_prefix("$$$")
            .or_else(|| name.strip_prefix('$'))
            .ok_or_else(form)?;
        let slot = pattern
            .variables()
            .iter()
            .position(|variable| variable.name == name)
            .ok_or_else(|| ConditionError::Unbound {
                name: name.to_owned(),
                bound: pattern
                    .variables()
                    .iter()
                    .map(|variable| variable.name.clone())
                    .collect(),
            })?;
        let regex = Regex::new(text[at + 2..].trim()).map_err(|source| ConditionError::Regex {
            name: name.to_owned(),
            source,
        })?;
        Ok(Condition {
            slot,
            wanted,
            regex,
        })
    }

    fn holds(&self, text: &str, found: &Match) -> bool {
        let captured = found.captures.get(self.slot).and_then(Capture::span);
        let captured = captured
            .and_then(|range| text.get(range))
            .unwrap_or_default();
        self.regex.is_match(captured) == self.wanted
    }
}

/// A kind of node that the grammar does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {language} grammar has no node kind `{given}`; the nearest is `{nearest}`")]
pub struct UnknownKind {
    /// The name as it was given.
    pub given: String,
    /// The language whose grammar was asked.
    pub language: fourfold_syntax::Language,
    /// The kind whose name is the most like it.
    pub nearest: &'static str,
}

/// A pattern with constraints, ready to search.
///
/// ```
/// use fourfold_pattern_match::{Condition, Options, Pattern, Search};
/// use fourfold_syntax::{Language, ParseLimits, with_parser};
///
/// let python = Language::named("python")?;
/// let options = Options::default();
/// let pattern = Pattern::compile(python, "open($PATH)", &options)?;
/// let search = Search::new(pattern.clone())
///     .not_inside(Pattern::compile(python, "with $X:\n    $$$B", &options)?)
///     .condition(Condition::parse(r"$PATH!~^'/tmp", &pattern)?);
///
/// let text = "with open(a):\n    pass\nopen('/tmp/x')\nopen(b)\n";
/// let tree = with_parser(ParseLimits::default(), |parser| parser.parse(python, text))?;
/// let found = search.run(text, &tree);
/// assert_eq!(found.matches.len(), 1);
/// assert_eq!(&text[found.matches[0].range.clone()], "open(b)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Search {
    pub(crate) pattern: Pattern,
    inside: Vec<(Pattern, bool)>,
    has: Vec<(Pattern, bool)>,
    conditions: Vec<Condition>,
    kinds: Vec<&'static str>,
}

impl Search {
    /// The pattern alone.
    pub fn new(pattern: Pattern) -> Search {
        Search {
            pattern,
            inside: Vec::new(),
            has: Vec::new(),
            conditions: Vec::new(),
            kinds: Vec::new(),
        }
    }

    /// Only matches inside a match of `outer`. A variable that both have must capture the same
    /// text in both.
    #[must_use]
    pub fn inside(mut self, outer: Pattern) -> Search {
        self.inside.push((outer, true));
        self
    }

    /// Only matches that are inside no match of `outer`.
    #[must_use]
    pub fn not_inside(mut self, outer: Pattern) -> Search {
        self.inside.push((outer, false));
        self
    }

    /// Only matches that hold a match of `inner`. A variable that both have must capture the same
    /// text in both.
    #[must_use]
    pub fn has(mut self, inner: Pattern) -> Search {
        self.has.push((inner, true));
        self
    }

    /// Only matches that hold no match of `inner`.
    #[must_use]
    pub fn not_has(mut self, inner: Pattern) -> Search {
        self.has.push((inner, false));
        self
    }

    /// Only matches whose captures meet a condition.
    #[must_use]
    pub fn condition(mut self, condition: Condition) -> Search {
        self.conditions.push(condition);
        self
    }

    /// Only matches whose node is of this kind of the grammar; of one of them if called again.
    ///
    /// # Errors
    /// [`UnknownKind`] when the grammar has no such kind.
    pub fn kind(mut self, kind: &str) -> Result<Search, UnknownKind> {
        let language = self.pattern.language();
        let grammar = language.grammar();
        let known = || {
            (0..=u16::MAX)
                .take(grammar.node_kind_count())
                .filter(|&id| grammar.node_kind_is_named(id) && grammar.node_kind_is_visible(id))
                .filter_map(|id| grammar.node_kind_for_id(id))
        };
        let name = known()
            .find(|name| *name == kind)
            .ok_or_else(|| UnknownKind {
                given: kind.to_owned(),
                language,
                nearest: nearest(kind, known()),
            })?;
        self.kinds.push(name);
        Ok(self)
    }

    /// The pattern that is searched for.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Whether a text may hold a match: a cheap look at its bytes, never wrong when it says no.
    pub fn may_match(&self, text: &[u8]) -> bool {
        let required = self
            .inside
            .iter()
            .chain(&self.has)
            .filter(|(_, wanted)| *wanted);
        self.pattern.may_match(text)
            && required
                .into_iter()
                .all(|(pattern, _)| pattern.may_match(text))
    }

    /// Whether a file may hold a match, by its text and by a summary of it: see
    /// [`Pattern::may_match_file`].
    pub fn may_match_file(&self, text: &[u8], summary: &FileSummary) -> bool {
        let required = self
            .inside
            .iter()
            .chain(&self.has)
            .filter(|(_, wanted)| *wanted);
        self.pattern.may_match_file(text, summary)
            && required
                .into_iter()
                .all(|(pattern, _)| pattern.may_match_file(text, summary))
    }

    /// Finds every match that meets the constraints.
    pub fn run(&self, text: &str, tree: &Tree) -> Found {
        let mut found = self.pattern.search(text, tree);
        if !self.kinds.is_empty() {
            found.matches.retain(|m| self.kinds.contains(&m.kind));
        }
        found.matches.retain(|m| {
            self.conditions
                .iter()
                .all(|condition| condition.holds(text, m))
        });
        for (related, is_outer) in self
            .inside
            .iter()
            .map(|pair| (pair, true))
            .chain(self.has.iter().map(|pair| (pair, false)))
        {
            if found.matches.is_empty() {
                break;
            }
            let (pattern, wanted) = related;
            let others = pattern.search(text, tree);
            found.given_up += others.given_up;
            found.matches.retain(|m| {
                let stands = |other: &Match| {
                    let (outer, inner) = if is_outer { (other, m) } else { (m, other) };
                    contains(&outer.range, &inner.range)
                        && agree(text, (&self.pattern, m), (pattern, other))
                };
                others.matches.iter().any(stands) == *wanted
            });
        }
        found
    }
}

/// Whether one range lies in the other and is not all of it.
fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end && outer != inner
}

/// Whether the variables that two matches have in common captured the same text.
fn agree(text: &str, (a, in_a): (&Pattern, &Match), (b, in_b): (&Pattern, &Match)) -> bool {
    let captured = |found: &Match, slot: usize| {
        found
            .captures
            .get(slot)
            .and_then(Capture::span)
            .and_then(|range| text.get(range))
            .unwrap_or_default()
    };
    a.variables().iter().enumerate().all(|(slot, variable)| {
        match b.variables().iter().position(|other| other == variable) {
            Some(other) => captured(in_a, slot) == captured(in_b, other),
            None => true,
        }
    })
}
