//! The ladder: a fragment is tried on each rung of its language and every reading is kept.

use crate::dialect::{Dialect, Form, Scaffold};
use crate::document::Document;
use crate::macros::Reparse;
use crate::metavariable::{Arity, Variable};
use crate::rung::Rung;
use crate::scaffold::{Built, Fragment};
use crate::shape::{Shape, class};
use crate::solver::part_class;
use crate::tree::{PatternNode, Root, Slot};
use fourfold_syntax::{Language, ParseLimits, with_parser};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How many ways of writing the metavariables are tried on one rung.
const MAX_FORMS: usize = 32;

/// One reading as the ladder finds it.
#[derive(Debug, Clone)]
pub(crate) struct Accepted {
    pub(crate) rung: Rung,
    pub(crate) root: Root,
}

/// Why one rung did not accept the fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The rung.
    pub rung: Rung,
    /// Byte of the fragment where it stopped.
    pub at: usize,
    /// The token there; empty at the end of the fragment.
    pub token: String,
    /// What was wrong, as the end of a sentence.
    pub why: &'static str,
}

/// Everything that the ladder found out.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) readings: Vec<Accepted>,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) variables: Vec<Variable>,
}

/// Tries every rung.
pub(crate) fn climb(language: Language, text: &str) -> Outcome {
    let dialect = Dialect::of(language);
    let mut fragment = Fragment::new(text);
    let climber = Climber {
        language,
        dialect,
        shape: Shape::of(language),
    };
    let mut readings: Vec<Accepted> = Vec::new();
    let mut refusals: BTreeMap<Rung, Refusal> = BTreeMap::new();
    let (variables, slots) = variables(&fragment);
    if let [alone] = fragment.occurrences.as_slice() {
        if alone.arity == Arity::Many && alone.range == (0..text.len()) {
            return Outcome {
                readings,
                refusals: Vec::new(),
                variables,
            };
        }
    }
    let mut scaffolds: Vec<&Scaffold> = dialect.scaffolds.iter().collect();
    scaffolds.sort_by_key(|scaffold| scaffold.rung);
    for scaffold in scaffolds {
        match climber.try_rung(&mut fragment, scaffold, &slots) {
            Ok(root) => {
                let annotates = root
                    .kind()
                    .is_some_and(|kind| climber.shape.kind(kind).class == class::ANNOTATION);
                let rung = if annotates {
                    Rung::Decorator
                } else {
                    scaffold.rung
                };
                keep(&mut readings, Accepted { rung, root }, climber.shape);
            }
            Err(refusal) => {
                let kept = refusals
                    .entry(scaffold.rung)
                    .or_insert_with(|| refusal.clone());
                if refusal.at > kept.at {
                    *kept = refusal;
                }
            }
        }
    }
    drop_keywords_as_names(&mut readings);
    Outcome {
        readings,
        refusals: refusals.into_values().collect(),
        variables,
    }
}

/// Drops declarations that are named by a keyword of another reading: `catch ($E) { $$$B }` is
/// also a method called `catch`, which is not what anybody means.
fn drop_keywords_as_names(readings: &mut Vec<Accepted>) {
    fn words(node: &PatternNode, named_wanted: bool, into: &mut BTreeSet<String>) {
        match node {
            PatternNode::Token { named, text, .. } if *named == named_wanted => {
                into.insert(text.clone());
            }
            PatternNode::Tree { children, .. } => {
                for child in children {
                    words(child, named_wanted, into);
                }
            }
            _ => {}
        }
    }
    let of = |root: &Root, named| {
        let mut found = BTreeSet::new();
        for item in root.items() {
            words(item, named, &mut found);
        }
        found.retain(|word: &String| word.starts_with(|c: char| c.is_ascii_lowercase()));
        found
    };
    let keywords: Vec<BTreeSet<String>> = readings
        .iter()
        .map(|reading| of(&reading.root, false))
        .collect();
    let declares = |rung: Rung| {
        matches!(
            rung,
            Rung::Statement
                | Rung::Member
                | Rung::TopLevel
                | Rung::Parameter
                | Rung::InterfaceMember
                | Rung::EnumMember
        )
    };
    let mut at = 0;
    readings.retain(|reading| {
        let named = of(&reading.root, true);
        let elsewhere = keywords
            .iter()
            .enumerate()
            .any(|(other, words)| other != at && !words.is_disjoint(&named));
        at += 1;
        !(declares(reading.rung) && elsewhere)
    });
}

/// The variables in order of first use, and the slot of each occurrence.
fn variables(fragment: &Fragment<'_>) -> (Vec<Variable>, Vec<Slot>) {
    let mut variables: Vec<Variable> = Vec::new();
    let slots = fragment
        .occurrences
        .iter()
        .map(|occurrence| {
            let name = occurrence.name.clone()?;
            let variable = Variable {
                name,
                arity: occurrence.arity,
            };
            Some(
                variables
                    .iter()
                    .position(|known| *known == variable)
                    .unwrap_or_else(|| {
                        variables.push(variable);
                        variables.len() - 1
                    }),
            )
        })
        .collect();
    (variables, slots)
}

/// Parts of the names of kinds that declare something.
const PROTOTYPES: [&str; 12] = [
    "signature",
    "declaration",
    "declarator",
    "definition",
    "method",
    "field",
    "constructor",
    "function",
    "parameter",
    "entry",
    "variant",
    "enum_constant",
];

/// Parts of the names of kinds that are the body of a declaration.
const BODIES: [&str; 4] = ["body", "block", "compound_statement", "declaration_list"];

/// Keeps a reading that is distinct from those before it and no prototype of what they read as a
/// call.
fn keep(readings: &mut Vec<Accepted>, new: Accepted, shape: &Shape) {
    for known in readings.iter_mut() {
        match (&mut known.root, &new.root) {
            (
                Root::Sequence { items, parents },
                Root::Sequence {
                    items: same,
                    parents: more,
                },
            ) if items == same => {
                for parent in more {
                    if !parents.contains(parent) {
                        parents.push(*parent);
                    }
                }
                return;
            }
            (known, new) if known == new => return,
            _ => {}
        }
    }
    let is_call = |root: &Root| match root {
        Root::Node(PatternNode::Tree { kind, children, .. }) => {
            let call = |kind: u16| {
                let name = shape.name(kind);
                name.contains("call") || name.contains("invocation")
            };
            call(*kind)
                || children
                    .iter()
                    .any(|child| matches!(child, PatternNode::Tree { kind, .. } if call(*kind)))
        }
        _ => false,
    };
    let is_prototype = |root: &Root| {
        root.kind().is_some_and(|kind| {
            let name = shape.name(kind);
            PROTOTYPES.iter().any(|part| name.contains(part)) && !name.contains("call")
        })
    };
    let has_body = |root: &Root| match root {
        Root::Node(PatternNode::Tree { children, .. }) => children.iter().any(|child| {
            matches!(child, PatternNode::Tree { kind, .. }
                if BODIES.iter().any(|part| shape.name(*kind).contains(part)))
        }),
        _ => false,
    };
    if is_prototype(&new.root)
        && !has_body(&new.root)
        && readings.iter().any(|known| is_call(&known.root))
    {
        return;
    }
    readings.push(new);
}

struct Climber {
    language: Language,
    dialect: &'static Dialect,
    shape: &'static Shape,
}

impl Climber {
    /// The reading of one rung, or the furthest place that any way of writing it came to.
    fn try_rung(
        &self,
        fragment: &mut Fragment<'_>,
        scaffold: &Scaffold,
        slots: &[Slot],
    ) -> Result<Root, Refusal> {
        let mut furthest: Option<Refusal> = None;
        for end in std::iter::once("").chain(scaffold.ends.iter().copied()) {
            for forms in self.writings(fragment) {
                let built = Built::new(fragment, scaffold, end, &forms);
                match self.read(fragment, &built, scaffold, slots) {
                    Ok(root) => return Ok(root),
                    Err(refusal) => {
                        if furthest.as_ref().is_none_or(|kept| refusal.at > kept.at) {
                            furthest = Some(refusal);
                        }
                    }
                }
            }
        }
        Err(furthest.unwrap_or_else(|| Refusal {
            rung: scaffold.rung,
            at: 0,
            token: String::new(),
            why: "is not tried here",
        }))
    }

    /// The ways to write the metavariables: those of a lone `$$$` first, then the ways of the
    /// others, the likeliest first.
    fn writings(&self, fragment: &Fragment<'_>) -> Vec<Vec<Form>> {
        let ones = self.dialect.ones;
        let count = fragment.occurrences.len();
        let any_lone = fragment.lone.iter().any(|&lone| lone);
        let choices: Vec<Option<Form>> = if any_lone {
            self.dialect
                .lone
                .iter()
                .copied()
                .map(Some)
                .chain([None])
                .collect()
        } else {
            vec![None]
        };
        let mut combinations: Vec<Vec<usize>> = vec![vec![0; count]];
        let mut at = 0;
        while ones.len() > 1 && at < combinations.len() && combinations.len() < MAX_FORMS {
            // Change one more occurrence, later than any changed so far.
            let base = combinations[at].clone();
            let from = base
                .iter()
                .rposition(|&form| form != 0)
                .map_or(0, |last| last + 1);
            for index in from..count {
                for form in 1..ones.len() {
                    let mut changed = base.clone();
                    changed[index] = form;
                    combinations.push(changed);
                }
            }
            at += 1;
        }
        combinations.truncate(MAX_FORMS);
        if ones.len() > 1 && count > 1 {
            for form in 1..ones.len() {
                combinations.insert(form, vec![form; count]);
            }
        }
        let written = |combination: &Vec<usize>| -> Vec<Form> {
            combination.iter().map(|&form| ones[form]).collect()
        };
        let mut writings: Vec<Vec<Form>> = combinations.iter().map(written).collect();
        if let Some(guess) = self.dialect.guess {
            let guessed: Vec<Form> = fragment
                .occurrences
                .iter()
                .map(|occurrence| guess(fragment.text, &occurrence.range).unwrap_or(ones[0]))
                .collect();
            if !writings.contains(&guessed) {
                writings.insert(0, guessed);
            }
        }
        choices
            .iter()
            .flat_map(|choice| {
                writings.iter().map(move |writing| {
                    let lone = |index: usize| choice.filter(|_| fragment.lone[index]);
                    (0..count)
                        .map(|index| lone(index).unwrap_or(writing[index]))
                        .collect()
                })
            })
            .collect()
    }

    fn read(
        &self,
        fragment: &mut Fragment<'_>,
        built: &Built,
        scaffold: &Scaffold,
        slots: &[Slot],
    ) -> Result<Root, Refusal> {
        let refuse = |at: usize, why: &'static str| {
            let at = built
                .origin(at.clamp(built.span.start, built.span.end))
                .min(fragment.text.len());
            Refusal {
                rung: scaffold.rung,
                at,
                token: token_at(fragment.text, at),
                why,
            }
        };
        let parsed = with_parser(ParseLimits::default(), |parser| {
            parser.parse(self.language, &built.text)
        });
        let tree = parsed.map_err(|_| refuse(built.span.start, "is too large to be parsed"))?;
        let mut document = Document::default();
        document.fill(
            self.shape,
            &built.text,
            &mut tree.walk(),
            Reparse::All,
            usize::MAX,
        );
        for node in &document.nodes {
            let range = node.range();
            if node.is_error() {
                if !(built.stands_for(&range).is_some() && stands_apart(&built.text, &range)) {
                    return Err(refuse(
                        first_trouble(&built.text, &range, &built.span),
                        "does not fit here",
                    ));
                }
            } else if node.is_missing() {
                let forgiven = self.shape.name(node.kind) == ";"
                    && built.follows_stand_in(range.start)
                    && ends_statement(&built.text[range.start..]);
                if !forgiven {
                    return Err(refuse(range.start, "leaves something missing"));
                }
            }
        }
        let run = self
            .run_of(&document, built)
            .ok_or_else(|| refuse(built.span.end, "is not one node here"))?;
        let mut literal = fragment.literal.clone();
        let converter = Converter {
            shape: self.shape,
            document: &document,
            built,
            slots,
            fragment,
        };
        let mut used = 0;
        let root = match run.as_slice() {
            [one] => Root::Node(converter.node(
                self.innermost(&document, *one, built),
                true,
                &mut used,
                &mut literal,
            )),
            many => {
                self.check_sequence(&document, many, built, scaffold.rung)
                    .map_err(|at| refuse(at, "is more than one node here"))?;
                let parents = vec![self.parent_kind(&document, many[0])];
                let items = many
                    .iter()
                    .map(|&at| converter.node(at, true, &mut used, &mut literal))
                    .filter(|item| !item.is_separator())
                    .collect();
                Root::Sequence { items, parents }
            }
        };
        if literal != fragment.literal {
            // A metavariable inside a longer string is text: read the fragment again with it.
            fragment.literal = literal;
            let forms: Vec<Form> = vec![self.dialect.ones[0]; fragment.occurrences.len()];
            let again = Built::new(
                fragment,
                scaffold,
                &built.text[built.span.end..built.terminated],
                &forms,
            );
            return self.read(fragment, &again, scaffold, slots);
        }
        let wanted = fragment.literal.iter().filter(|&&literal| !literal).count();
        if used != wanted {
            return Err(refuse(built.span.start, "has a metavariable inside a word"));
        }
        match &root {
            Root::Node(PatternNode::Many { .. }) => Err(refuse(
                built.span.start,
                "is a list without anything around it",
            )),
            Root::Node(PatternNode::Token {
                separator: true, ..
            }) => Err(refuse(built.span.start, "is only punctuation")),
            _ => Ok(root),
        }
    }

    /// The nodes whose span is the fragment's: one, or a run of siblings.
    fn run_of(&self, document: &Document, built: &Built) -> Option<Vec<u32>> {
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

    /// A run of siblings is a pattern when each stands as a statement or member of its own.
    fn check_sequence(
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
        for pair in run.windows(2) {
            let (a, b) = (document.node(pair[0]), document.node(pair[1]));
            let separator = |at: u32| self.shape.kind(document.node(at).kind).separator;
            let gap = &built.text[a.end as usize..(b.start as usize).max(a.end as usize)];
            let text = built.text[a.range()].trim_end();
            let annotates = self.shape.kind(a.kind).class == class::ANNOTATION
                || self.shape.name(a.kind) == "attribute_item";
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

    fn parent_kind(&self, document: &Document, child: u32) -> u16 {
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
    fn innermost(&self, document: &Document, mut at: u32, built: &Built) -> u32 {
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

/// Turns the nodes of a parsed scaffold into a pattern.
struct Converter<'a, 'f> {
    shape: &'static Shape,
    document: &'a Document,
    built: &'a Built,
    slots: &'a [Slot],
    fragment: &'a Fragment<'f>,
}

impl Converter<'_, '_> {
    fn node(&self, at: u32, root: bool, used: &mut usize, literal: &mut [bool]) -> PatternNode {
        let node = self.document.node(at);
        let field = if root { 0 } else { node.field };
        let range = node.range();
        if let Some(occurrence) = self.built.stands_for(&range) {
            if !self.holds_list(at) || node.is_error() {
                *used += 1;
                return self.metavariable(occurrence, field);
            }
        }
        let text = self.built.text.get(range.clone()).unwrap_or_default();
        let kind = self.shape.kind(node.kind);
        if node.next == at + 1 {
            return self.leaf(at, field, text, used, literal);
        }
        if kind.string {
            if let Some(tree) = self.string(at, field, used, literal) {
                return tree;
            }
        }
        let mut classes = 0;
        let mut children = Vec::new();
        for child in self.document.children(at) {
            let node = self.document.node(child);
            let ours = self.built.is_inserted(&node.range());
            let blank = self
                .built
                .text
                .get(node.range())
                .is_none_or(|text| text.trim().is_empty());
            if node.is_extra()
                || node.is_missing()
                || ours
                || (blank && !node.is_named() && !kind.string)
            {
                continue;
            }
            classes |= part_class(self.document, self.shape, child, kind.declaration);
            children.push(self.node(child, false, used, literal));
        }
        PatternNode::Tree {
            kind: node.kind,
            field,
            children,
            classes,
        }
    }

    /// Whether this node, or one of those inside it with the same span, is a list that could hold
    /// more than the metavariable.
    fn holds_list(&self, mut at: u32) -> bool {
        loop {
            let node = self.document.node(at);
            if self.shape.kind(node.kind).list {
                return true;
            }
            let inner = self.document.children(at).find(|&child| {
                self.built
                    .stands_for(&self.document.node(child).range())
                    .is_some()
            });
            match inner {
                Some(inner) => at = inner,
                None => return false,
            }
        }
    }

    fn metavariable(&self, occurrence: usize, field: u8) -> PatternNode {
        let slot = self.slots[occurrence];
        match self.fragment.occurrences[occurrence].arity {
            Arity::One => PatternNode::One { slot, field },
            Arity::Many => PatternNode::Many { slot, field },
        }
    }

    fn leaf(
        &self,
        at: u32,
        field: u8,
        text: &str,
        used: &mut usize,
        literal: &mut [bool],
    ) -> PatternNode {
        let node = self.document.node(at);
        let kind = self.shape.kind(node.kind);
        if kind.string {
            // A string in one token: its quotes are the same number of bytes on both ends.
            let quote = text
                .bytes()
                .take_while(|byte| matches!(byte, b'"' | b'\'' | b'`'))
                .count();
            let inner = node.start as usize + quote..(node.end as usize).saturating_sub(quote);
            if quote > 0 && inner.start < inner.end {
                if let Some(occurrence) = self.built.stands_for(&inner) {
                    *used += 1;
                    return PatternNode::QuotedContent {
                        slot: self.slots[occurrence],
                        kind: node.kind,
                        field,
                        open: quote,
                        close: quote,
                    };
                }
            }
        }
        let in_string = self.in_string(at);
        for occurrence in self.built.stand_ins_in(&node.range()) {
            if in_string {
                literal[occurrence] = true;
            }
        }
        PatternNode::Token {
            kind: node.kind,
            field,
            named: node.is_named(),
            separator: kind.separator,
            text: text.to_owned(),
        }
    }

    fn in_string(&self, leaf: u32) -> bool {
        (0..=leaf).any(|at| {
            self.document.node(at).next > leaf
                && self.shape.kind(self.document.node(at).kind).string
        })
    }

    /// A string whose whole content is a metavariable.
    fn string(
        &self,
        at: u32,
        field: u8,
        used: &mut usize,
        literal: &mut [bool],
    ) -> Option<PatternNode> {
        let children: Vec<u32> = self.document.children(at).collect();
        let (&first, &last) = (children.first()?, children.last()?);
        if first == last {
            return None;
        }
        let inner: Range<usize> =
            self.document.node(first).end as usize..self.document.node(last).start as usize;
        let occurrence = self.built.stands_for(&inner)?;
        *used += 1;
        let node = self.document.node(at);
        Some(PatternNode::Tree {
            kind: node.kind,
            field,
            classes: 0,
            children: vec![
                self.node(first, false, used, literal),
                PatternNode::Content {
                    slot: self.slots[occurrence],
                },
                self.node(last, false, used, literal),
            ],
        })
    }
}

/// An ERROR is forgiven as a metavariable only where brackets, separators or line ends set it
/// apart; between two words it is junk.
fn stands_apart(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].trim_end_matches([' ', '\t']);
    let after = text[range.end..].trim_start_matches([' ', '\t']);
    (before.is_empty() || before.ends_with(['{', '(', '[', ',', ';', '}', '\n', '<', '|']))
        && (after.is_empty() || after.starts_with(['}', ')', ']', ',', ';', '\n', '>', '|']))
}

/// A missing `;` is forgiven only where the statement visibly ends.
fn ends_statement(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t']);
    rest.is_empty() || rest.starts_with(['}', '\n'])
}

/// Where in an ERROR to point at: inside the fragment if it reaches into it.
fn first_trouble(text: &str, error: &Range<usize>, span: &Range<usize>) -> usize {
    let start = error.start.max(span.start);
    let blank = text
        .get(start..error.end.max(start))
        .map_or(0, |t| t.len() - t.trim_start().len());
    (start + blank).min(span.end)
}

/// The word or sign of a fragment at a place, for messages.
fn token_at(text: &str, at: usize) -> String {
    let mut start = at.min(text.len());
    while start < text.len() && !text.is_char_boundary(start) {
        start += 1;
    }
    let rest = text[start..].trim_start();
    let word = rest
        .chars()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
        .take(40)
        .collect::<String>();
    if word.is_empty() {
        rest.chars().take(1).collect()
    } else {
        word
    }
}
