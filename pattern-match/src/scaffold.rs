//! A fragment put into a scaffold: the text that is parsed, and what of it is ours.

use crate::dialect::{Form, Scaffold};
use crate::metavariable::{Arity, Occurrence};
use std::ops::Range;

/// A fragment of code with its metavariables found.
#[derive(Debug, Clone)]
pub(crate) struct Fragment<'t> {
    pub(crate) text: &'t str,
    pub(crate) occurrences: Vec<Occurrence>,
    /// Occurrences that stand inside a longer string or a comment and are ordinary text there.
    pub(crate) literal: Vec<bool>,
    /// `$$$` that stand where a statement or member stands, not in an expression.
    pub(crate) lone: Vec<bool>,
    /// Those of them that a comma stands beside.
    pub(crate) listed: Vec<bool>,
    /// What stand-ins begin with; occurs nowhere in the text.
    stem: String,
}

impl<'t> Fragment<'t> {
    pub(crate) fn new(text: &'t str) -> Fragment<'t> {
        let occurrences = crate::metavariable::occurrences(text);
        let stem = ["mvq", "mvx", "mvz", "qmv", "xmv"]
            .into_iter()
            .find(|stem| !text.to_ascii_lowercase().contains(stem))
            .unwrap_or("mvqq")
            .to_owned();
        let lone = occurrences
            .iter()
            .map(|o| o.arity == Arity::Many && is_lone(text, &o.range))
            .collect();
        let listed = occurrences
            .iter()
            .map(|o| {
                text[..o.range.start].trim_end().ends_with(',')
                    || text[o.range.end..].trim_start().starts_with(',')
            })
            .collect();
        Fragment {
            text,
            listed,
            literal: vec![false; occurrences.len()],
            occurrences,
            lone,
            stem,
        }
    }

    /// The name that stands for an occurrence: of one length whatever the metavariable's name is,
    /// since a parser's recovery may depend on lengths.
    fn stand_in(&self, at: usize, form: Form) -> String {
        // A name used twice is written the same: an end tag must have its start tag's name.
        let name = &self.occurrences[at].name;
        let at = match name {
            Some(_) => self.occurrences.iter().position(|o| o.name == *name),
            None => None,
        }
        .unwrap_or(at);
        if let Some(word) = form.word {
            return word.to_owned();
        }
        let name = match form.digits {
            true => return format!("90210{at:02}"),
            false => format!("{}{at:02}", self.stem),
        };
        if form.upper {
            name[..1].to_ascii_uppercase() + &name[1..]
        } else {
            name
        }
    }
}

/// Words that open a body.
const OPENERS: [&str; 5] = ["then", "do", "else", "repeat", "begin"];

/// Whether a `$$$` stands alone in a body: after an opening brace or the end of a statement, and
/// before a closing brace or another statement.
fn is_lone(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].trim_end();
    let after = &text[range.end..];
    let next = after.trim_start();
    let line_break = |blank: &str| blank.contains('\n');
    let opens = before.is_empty()
        || before.ends_with(['{', ';', '}', ':', ')', ','])
        || before.ends_with("->")
        || before.ends_with("=>")
        || before.ends_with("*/")
        || line_break(&text[before.len()..range.start])
        || before.ends_with(crate::metavariable::is_name_end)
        || OPENERS.iter().any(|word| {
            let rest = before.strip_suffix(word);
            rest.is_some_and(|rest| !rest.ends_with(crate::metavariable::is_word))
        });
    let closes = next.is_empty()
        || next.starts_with(['}', '$', '@', '#', ','])
        || line_break(&after[..after.len() - next.len()])
        || next.starts_with(|c: char| c.is_alphabetic());
    opens && closes
}

/// A fragment inside a scaffold.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) text: String,
    /// The fragment's span, without the terminator that the rung appended.
    pub(crate) span: Range<usize>,
    /// The span with that terminator.
    pub(crate) terminated: usize,
    /// Stand-ins: where each is, and which occurrence it stands for.
    stand_ins: Vec<(Range<usize>, usize)>,
    many: Vec<bool>,
    /// Bytes that neither the fragment nor a stand-in has: forms, terminators, indentation.
    inserted: Vec<Range<usize>>,
    /// Where copied stretches of the fragment lie: (in the scaffold, in the fragment).
    copied: Vec<(usize, usize)>,
}

impl Built {
    /// Builds the text; `forms` has one form for each occurrence.
    pub(crate) fn new(
        fragment: &Fragment<'_>,
        scaffold: &Scaffold,
        end: &str,
        forms: &[Form],
    ) -> Built {
        let mut built = Built {
            text: scaffold.before.to_owned(),
            span: 0..0,
            terminated: 0,
            stand_ins: Vec::new(),
            many: fragment
                .occurrences
                .iter()
                .map(|o| o.arity == Arity::Many)
                .collect(),
            inserted: Vec::new(),
            copied: Vec::new(),
        };
        if !scaffold.indent.is_empty() {
            built.insert(scaffold.indent);
        }
        let start = built.text.len();
        let mut at = 0;
        for (index, occurrence) in fragment.occurrences.iter().enumerate() {
            if fragment.literal[index] {
                continue;
            }
            built.copy(fragment.text, at..occurrence.range.start, scaffold.indent);
            at = occurrence.range.end;
            let form = forms[index];
            built.insert(form.before);
            let from = built.text.len();
            built.copied.push((from, occurrence.range.start));
            built.text.push_str(&fragment.stand_in(index, form));
            built.stand_ins.push((from..built.text.len(), index));
            built.insert(form.after);
        }
        built.copy(fragment.text, at..fragment.text.len(), scaffold.indent);
        built.span = start..built.text.len();
        built.insert(end);
        built.terminated = built.text.len();
        built.text.push_str(scaffold.after);
        built
    }

    fn insert(&mut self, text: &str) {
        if !text.is_empty() {
            let start = self.text.len();
            self.text.push_str(text);
            self.inserted.push(start..self.text.len());
        }
    }

    fn copy(&mut self, text: &str, range: Range<usize>, indent: &str) {
        let mut at = range.start;
        for line in text[range].split_inclusive('\n') {
            self.copied.push((self.text.len(), at));
            self.text.push_str(line);
            at += line.len();
            if line.ends_with('\n') {
                self.insert(indent);
            }
        }
    }

    /// The occurrence that a stretch stands for: the stretch is a stand-in and nothing else of
    /// the fragment's own, but for the terminator or bullet of a `$$$`.
    pub(crate) fn stands_for(&self, range: &Range<usize>) -> Option<usize> {
        let (core, occurrence) = self
            .stand_ins
            .iter()
            .find(|(core, _)| core.start >= range.start && core.end <= range.end)?;
        let ours = |from: usize, to: usize| {
            (from..to).all(|at| {
                let byte = self.text.as_bytes()[at];
                byte.is_ascii_whitespace()
                    || (matches!(byte, b';' | b',') && at >= core.end && self.many[*occurrence])
                    || (byte == b'-' && at < core.start && self.is_bullet(at, *occurrence))
                    || self.inserted.iter().any(|inserted| inserted.contains(&at))
            })
        };
        (ours(range.start, core.start) && ours(core.end, range.end)).then_some(*occurrence)
    }

    /// Whether a `-` is the bullet of a `$$$` that stands for any number of items.
    fn is_bullet(&self, at: usize, occurrence: usize) -> bool {
        let line = self.text[..at].rsplit('\n').next().unwrap_or_default();
        self.many[occurrence] && line.trim().is_empty() && self.text[at..].starts_with("- ")
    }

    /// Whether a stretch has words that were put around a stand-in.
    pub(crate) fn is_dressed(&self, range: &Range<usize>) -> bool {
        let word = |at: usize| self.text.as_bytes()[at].is_ascii_alphanumeric();
        self.inserted
            .iter()
            .any(|i| i.start >= range.start && i.end <= range.end && i.clone().any(word))
    }

    /// Whether a stretch has nothing but what was put around a stand-in.
    pub(crate) fn is_inserted(&self, range: &Range<usize>) -> bool {
        let around = |i: &Range<usize>| i.start <= range.start && i.end >= range.end;
        !range.is_empty() && self.inserted.iter().any(around)
    }

    /// The stand-ins that lie in a stretch.
    pub(crate) fn stand_ins_in(&self, range: &Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let range = range.clone();
        self.stand_ins
            .iter()
            .filter(move |(core, _)| core.start >= range.start && core.end <= range.end)
            .map(|(_, occurrence)| *occurrence)
    }

    /// Whether a stand-in ends here, give or take blanks and what we inserted.
    pub(crate) fn follows_stand_in(&self, at: usize) -> bool {
        self.stand_ins.iter().any(|(core, _)| {
            core.end <= at
                && (core.end..at).all(|at| {
                    self.text.as_bytes()[at].is_ascii_whitespace()
                        || self.inserted.iter().any(|inserted| inserted.contains(&at))
                })
        })
    }

    /// The place in the fragment of a place in the scaffold.
    pub(crate) fn origin(&self, at: usize) -> usize {
        match self.copied.iter().rev().find(|(here, _)| *here <= at) {
            Some((here, there)) => there + (at - here),
            None => 0,
        }
    }
}
