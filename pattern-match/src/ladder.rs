//! The ladder: a fragment is tried on each rung of its language and every reading is kept.

mod convert;
mod run;
mod sift;

use crate::dialect::{Dialect, Form, Scaffold};
use crate::document::Document;
use crate::macros::Reparse;
use crate::metavariable::{Arity, Variable};
use crate::rung::Rung;
use crate::scaffold::{Built, Fragment};
use crate::shape::{Shape, class};
use crate::tree::{PatternNode, Root, Slot};
use convert::Converter;
use fourfold_syntax::{Language, ParseLimits, with_parser};
use sift::{drop_annotated, drop_keywords_as_names, drop_reserved_as_names, keep};
use std::collections::BTreeMap;
use std::ops::Range;

/// How many ways of writing the metavariables are tried in one place.
const MAX_FORMS: usize = 32;

/// How many levels deep the code of a fragment may be nested: reading, matching and dropping a
/// pattern take stack for each.
pub(crate) const MAX_DEPTH: usize = 500;

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
    let mut fragment = Fragment::new(text);
    let outcome = climb_once(language, &mut fragment);
    if fragment.literal.contains(&true) {
        // What is ordinary text inside a string is no variable: only now it is known.
        return climb_once(language, &mut fragment);
    }
    outcome
}

fn climb_once(language: Language, fragment: &mut Fragment<'_>) -> Outcome {
    let text = fragment.text;
    let dialect = Dialect::of(language);
    let climber = Climber {
        language,
        dialect,
        shape: Shape::of(language),
    };
    let mut readings: Vec<Accepted> = Vec::new();
    let mut refusals: BTreeMap<Rung, Refusal> = BTreeMap::new();
    let (variables, slots) = variables(fragment);
    if let [alone] = fragment.occurrences.as_slice()
        && alone.arity == Arity::Many
        && alone.range == (0..text.len())
    {
        return Outcome {
            readings,
            refusals: Vec::new(),
            variables,
        };
    }
    let mut scaffolds: Vec<&Scaffold> = dialect.scaffolds.iter().collect();
    scaffolds.sort_by_key(|scaffold| scaffold.rung);
    for scaffold in scaffolds {
        if !scaffold.words.admit(text) || (text.ends_with(';') && !terminates(scaffold.rung)) {
            continue;
        }
        match climber.try_rung(fragment, scaffold, &slots) {
            Ok(root) => {
                let rung = climber.rung_of(&root, scaffold.rung);
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
    drop_keywords_as_names(&mut readings, climber.shape);
    drop_reserved_as_names(&mut readings, text, dialect.reserved, climber.shape);
    drop_annotated(&mut readings, text);
    Outcome {
        readings,
        refusals: refusals.into_values().collect(),
        variables,
    }
}

/// Whether what stands on this rung may end with a terminator.
fn terminates(rung: Rung) -> bool {
    !matches!(
        rung,
        Rung::Expression
            | Rung::Type
            | Rung::Parameter
            | Rung::Argument
            | Rung::Pattern
            | Rung::ImportItem
    )
}

/// Whether an expression in braces spreads attributes.
fn is_spread(root: &Root) -> bool {
    match root {
        Root::Node(PatternNode::Tree { children, .. }) => children.iter().any(|child| {
            matches!(child, PatternNode::Tree { children, .. }
                if matches!(children.first(), Some(PatternNode::Token { text, .. }) if text == "..."))
        }),
        _ => false,
    }
}

/// The variables in order of first use, and the slot of each occurrence.
fn variables(fragment: &Fragment<'_>) -> (Vec<Variable>, Vec<Slot>) {
    let mut variables: Vec<Variable> = Vec::new();
    let slots = fragment
        .occurrences
        .iter()
        .zip(&fragment.literal)
        .map(|(occurrence, literal)| {
            let name = occurrence.name.clone().filter(|_| !literal)?;
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

struct Climber {
    language: Language,
    dialect: &'static Dialect,
    shape: &'static Shape,
}

/// Parts of the names of kinds that stand at the top of a file, whatever rung accepts them.
const FILE_PARTS: [&str; 6] = [
    "import",
    "package_clause",
    "package_header",
    "package_declaration",
    "namespace",
    "using_directive",
];

impl Climber {
    /// The rung that a reading is reported under: that of its scaffold, but for what has a rung of
    /// its own and is accepted elsewhere too.
    fn rung_of(&self, root: &Root, rung: Rung) -> Rung {
        let kind = match root.items().first() {
            Some(PatternNode::Tree { kind, .. } | PatternNode::Token { kind, .. }) => *kind,
            _ => return rung,
        };
        if root.items().len() == 1 && self.shape.kind(kind).class == class::ANNOTATION {
            return Rung::Decorator;
        }
        let name = self.shape.name(kind);
        let language = self.language.id();
        match (language, name) {
            ("yaml" | "toml", "pair" | "block_mapping_pair" | "flow_pair") => return Rung::Pair,
            ("yaml", _) => return Rung::Value,
            ("css", "declaration") => return Rung::Pair,
            ("html", "element" | "script_element" | "style_element") => return Rung::Element,
            ("html", "start_tag" | "self_closing_tag") => return Rung::OpeningTag,
            (
                _,
                "enum_entry"
                | "enum_constant"
                | "enum_assignment"
                | "enum_member_declaration"
                | "enum_case"
                | "enum_case_definitions"
                | "enum_variant"
                | "enumerator"
                | "enum_field",
            ) => return Rung::EnumMember,
            (_, "jsx_expression") if !is_spread(root) => return Rung::Child,
            _ => {}
        }
        let of_file = matches!(rung, Rung::Statement | Rung::Member)
            && FILE_PARTS.iter().any(|part| name.contains(part))
            && !name.contains("expression");
        if of_file { Rung::TopLevel } else { rung }
    }

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
        let most = (MAX_FORMS / choices.len()).max(6);
        let mut combinations: Vec<Vec<usize>> = vec![vec![0; count]];
        let mut at = 0;
        while ones.len() > 1 && at < combinations.len() && combinations.len() < most {
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
        combinations.truncate(most);
        if ones.len() > 1 && count > 1 {
            for form in 1..ones.len() {
                combinations.insert(form, vec![form; count]);
            }
        }
        let written = |combination: &Vec<usize>| -> Vec<Form> {
            combination.iter().map(|&form| ones[form]).collect()
        };
        let mut writings: Vec<Vec<Form>> = combinations.iter().map(written).collect();
        let guesses: Vec<Option<Form>> = fragment
            .occurrences
            .iter()
            .map(|occurrence| self.dialect.guess?(fragment.text, &occurrence.range))
            .collect();
        let guessed: Vec<Form> = guesses
            .iter()
            .map(|guess| guess.unwrap_or(ones[0]))
            .collect();
        if !writings.contains(&guessed) {
            writings.insert(0, guessed);
        }
        choices
            .iter()
            .flat_map(|choice| {
                let guesses = &guesses;
                writings.iter().map(move |writing| {
                    let lone = |index: usize| {
                        let statement = guesses[index].filter(Form::is_statement);
                        let choice = statement.or(*choice);
                        // Beside a comma stands a member, never a statement.
                        let fits =
                            |form: &Form| !fragment.listed[index] || !form.after.contains(';');
                        choice.filter(|form| fragment.lone[index] && fits(form))
                    };
                    (0..count)
                        .map(|index| lone(index).unwrap_or(writing[index]))
                        .collect()
                })
            })
            .collect()
    }

    fn takes_apart(&self, root: &Root) -> bool {
        root.kind()
            .is_some_and(|kind| self.shape.name(kind).contains("pattern"))
    }

    /// Whether a grammar takes what begins a line for the arguments of what stands before it.
    fn is_torn_list(&self, document: &Document, at: usize, text: &str) -> bool {
        let node = &document.nodes[at];
        let kind = self.shape.kind(node.kind);
        let follows = || at > 0 && document.nodes[at - 1].next as usize == at;
        let (before, list) = text
            .split_at_checked(node.start as usize)
            .unwrap_or_default();
        let begins_line = || before.trim_end_matches([' ', '\t']).ends_with('\n');
        kind.loose && kind.list && follows() && !list.starts_with('(') && begins_line()
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
        if document.depth() > MAX_DEPTH {
            return Err(refuse(
                built.span.start,
                "is nested more than 500 levels deep",
            ));
        }
        let mut literal = fragment.literal.clone();
        for (at, node) in document.nodes.iter().enumerate() {
            let range = node.range();
            if self.is_torn_list(&document, at, &built.text) {
                return Err(refuse(range.start, "is more than one node here"));
            }
            if node.is_extra() {
                if self.shape.name(node.kind) == "heredoc_body" {
                    return Err(refuse(
                        range.start,
                        "is the text of a heredoc, which this grammar keeps apart from its code",
                    ));
                }
                // In a comment nothing is a metavariable.
                for occurrence in built.stand_ins_in(&range) {
                    literal[occurrence] = true;
                }
            }
            if node.is_error() {
                if !(built.stands_for(&range).is_some() && stands_apart(&built.text, &range)) {
                    return Err(refuse(
                        first_trouble(&built.text, &range, &built.span),
                        "does not fit here",
                    ));
                }
            } else if node.is_missing() || self.is_unwritten(node) {
                let forgiven = self.shape.name(node.kind) == ";"
                    && built.follows_stand_in(range.start)
                    && ends_statement(&built.text[range.start..]);
                if !forgiven {
                    return Err(refuse(range.start, "leaves something missing"));
                }
            }
        }
        // The grammar of Python takes a body that is missing for an empty one.
        if self.language.id() == "python" && fragment.text.ends_with(':') {
            return Err(refuse(built.span.end, "leaves its body missing"));
        }
        let run = self
            .run_of(&document, built)
            .ok_or_else(|| refuse(built.span.end, "is not one node here"))?;
        let run = self
            .opened(&document, run, built, scaffold.rung)
            .map_err(|at| refuse(at, "is more than one node here"))?;
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
                let mut parents = vec![self.parent_kind(&document, many[0])];
                if scaffold.rung == Rung::Statement {
                    parents.extend(self.shape.ids_of(self.dialect.bodies));
                    parents.dedup();
                }
                let items: Vec<PatternNode> = many
                    .iter()
                    .map(|&at| converter.item(at, &mut used, &mut literal))
                    .filter(|item| !item.is_separator() || item.is_comma())
                    .collect();
                let says_something = |item: &PatternNode| {
                    !matches!(item, PatternNode::One { .. } | PatternNode::Many { .. })
                };
                if !items.iter().any(says_something) {
                    return Err(refuse(built.span.start, "is nothing but metavariables"));
                }
                Root::Sequence { items, parents }
            }
        };
        if literal != fragment.literal {
            // A metavariable inside a longer string or a comment is text: read the fragment again
            // with it.
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
            // A name or a literal is the same node as elsewhere, or reads as one.
            root if scaffold.rung == Rung::Pattern && !self.takes_apart(root) => Err(refuse(
                built.span.start,
                "is no pattern that takes a value apart",
            )),
            _ => Ok(root),
        }
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
