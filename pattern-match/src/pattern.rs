//! A compiled pattern: the readings of a fragment.

use crate::filter::Filter;
use crate::ladder::{self, Refusal};
use crate::metavariable::{self, Arity, Variable};
use crate::rung::Rung;
use crate::shape::Shape;
use crate::tree::Root;
use crate::unparsable::Unparsable;
use fourfold_syntax::Language;
use fourfold_syntax::stack::with_big_stack;

/// How a pattern is compiled and matched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Only this rung's reading is kept.
    pub rung: Option<Rung>,
    /// Parts that a declaration may omit (modifiers, annotations, type parameters, return type,
    /// `throws`, supertypes) must be in the pattern if they are in the source.
    pub strict: bool,
    /// Steps that one candidate may take before it is given up and reported; 100,000 by default,
    /// hundreds of times what code written by people needs.
    pub max_steps: usize,
    /// Longest pattern in bytes; 16 KiB by default.
    pub max_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            rung: None,
            strict: false,
            max_steps: 100_000,
            max_bytes: 16 << 10,
        }
    }
}

/// Most metavariables that a pattern may have, repeated ones counted again.
const MAX_METAVARIABLES: usize = 250;

/// A pattern of this many nodes is matched on any thread's stack.
const SIZE_FOR_ANY_STACK: usize = 200;

/// One way to read the fragment.
#[derive(Debug, Clone)]
pub struct Reading {
    rung: Rung,
    pub(crate) root: Root,
    pub(crate) filter: Filter,
    /// Levels of a candidate that the matcher looks at.
    pub(crate) depth: usize,
    kind: &'static str,
    tree: String,
}

impl Reading {
    /// The first rung on which the fragment reads this way.
    pub fn rung(&self) -> Rung {
        self.rung
    }

    /// The grammar's name of the node that the fragment is, such as `call_expression`; for a
    /// sequence, of its first node.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The pattern as the grammar reads it: an indented tree, one node a line.
    pub fn tree(&self) -> &str {
        &self.tree
    }

    /// Text that every match contains; a file without it is not parsed.
    pub fn required_text(&self) -> Vec<String> {
        self.filter.words().collect()
    }
}

/// A fragment of code with metavariables, ready to be searched for.
#[derive(Debug, Clone)]
pub struct Pattern {
    language: Language,
    text: String,
    variables: Vec<Variable>,
    readings: Vec<Reading>,
    refusals: Vec<Refusal>,
    /// Nodes of the largest reading.
    size: usize,
    pub(crate) options: Options,
}

impl Pattern {
    /// Reads a fragment on every rung of its language.
    ///
    /// # Errors
    /// [`Unparsable`] when no rung accepts it: it tells for each rung where it stopped, and a hint
    /// for the usual mistakes.
    pub fn compile(
        language: Language,
        text: &str,
        options: &Options,
    ) -> Result<Pattern, Unparsable> {
        let text = text.trim();
        if text.len() > options.max_bytes {
            return Err(Unparsable::too_long(language, text, options.max_bytes));
        }
        if text.is_empty() {
            return Err(Unparsable::empty(language));
        }
        if metavariable::occurrences(text).len() > MAX_METAVARIABLES {
            return Err(Unparsable::too_many_variables(language, text));
        }
        if brackets(text) > ladder::MAX_DEPTH {
            return Err(Unparsable::too_deep(language, text));
        }
        let outcome = ladder::climb(language, text);
        let shape = Shape::of(language);
        let folds_case = matches!(language.id(), "php" | "html" | "css");
        let names = |slot: usize| {
            outcome
                .variables
                .get(slot)
                .map(|variable| variable.name.clone())
                .unwrap_or_default()
        };
        let readings: Vec<Reading> = outcome
            .readings
            .into_iter()
            .filter(|accepted| options.rung.is_none_or(|rung| rung == accepted.rung))
            .map(|accepted| Reading {
                rung: accepted.rung,
                filter: Filter::of(&accepted.root, shape, folds_case),
                depth: accepted.root.depth(),
                kind: root_kind(&accepted.root, shape),
                tree: accepted.root.render(shape, &names),
                root: accepted.root,
            })
            .collect();
        if readings.is_empty() {
            return Err(Unparsable::refused(
                language,
                text,
                options.rung,
                outcome.refusals,
            ));
        }
        Ok(Pattern {
            language,
            text: text.to_owned(),
            variables: outcome.variables,
            size: readings
                .iter()
                .map(|reading| reading.root.size())
                .max()
                .unwrap_or_default(),
            readings,
            refusals: outcome.refusals,
            options: options.clone(),
        })
    }

    /// The language whose grammar read the fragment.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The fragment, without blanks around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The variables that a match binds, in order of first use.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Every distinct reading; the first is the primary one.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// The rungs that did not accept the fragment, and why.
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// Whether a text may hold a match of any reading: a cheap look at its bytes, never wrong when
    /// it says no.
    pub fn may_match(&self, text: &[u8]) -> bool {
        self.readings
            .iter()
            .any(|reading| reading.filter.admits(text))
    }

    /// Runs what matches the pattern where there is stack for it: the matcher recurses once for each
    /// node of the pattern. `None` when the system grants no thread with a stack that large.
    pub(crate) fn with_room<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Option<R> {
        if self.size <= SIZE_FOR_ANY_STACK {
            return Some(work());
        }
        with_big_stack(work)
            .inspect_err(|error| tracing::warn!(%error, "a long pattern is not searched for"))
            .ok()
    }

    pub(crate) fn is_many(&self, slot: usize) -> bool {
        self.variables
            .get(slot)
            .is_some_and(|variable| variable.arity == Arity::Many)
    }
}

/// How many brackets are open at most: a cheap look before every rung parses the text.
fn brackets(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

fn root_kind(root: &Root, shape: &Shape) -> &'static str {
    use crate::tree::PatternNode::{One, QuotedContent, Token, Tree};
    match root.items().first() {
        Some(Tree { kind, .. } | Token { kind, .. } | QuotedContent { kind, .. }) => {
            shape.name(*kind)
        }
        Some(One { .. }) => "any node",
        _ => "sequence",
    }
}
