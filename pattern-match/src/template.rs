//! Rewrite templates: the text that takes a match's place, with the pattern's metavariables in it.

use crate::body::{Frame, frame};
use crate::metavariable::{Arity, Variable};
use crate::pattern::Pattern;
use crate::spelling::{dollars, read};
use std::fmt;

/// A template that was checked against the pattern whose captures it uses.
///
/// ```
/// use fourfold_pattern_match::{Options, Pattern, Template, TemplateError};
/// use fourfold_syntax::Language;
///
/// let language = Language::named("python")?;
/// let pattern = Pattern::compile(language, "foo($ARG)", &Options::default())?;
/// assert!(Template::parse("bar(${ARG}_old, ${lower}, $1)", &pattern).is_ok());
/// let error = Template::parse("bar($ARGS)", &pattern).unwrap_err();
/// assert!(matches!(error, TemplateError::Unbound { nearest: Some(name), .. } if name == "$ARG"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
    lines: usize,
    is_identity: bool,
    /// What one level of the template's own indentation is: blanks, or 0 where it cannot be told.
    unit: usize,
    /// Lists with the same brackets around them here as in the pattern.
    frames: Vec<(usize, Frame)>,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Text without a line end.
    Text(String),
    /// A line end and the blanks that the next line, which has this number, begins with.
    Line { indent: String, number: usize },
    /// What a variable of the pattern is bound to.
    Variable { slot: usize, many: bool },
}

/// Why a template does not fit its pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// The pattern does not bind the name.
    #[error(
        "the template uses `{spelled}`, which the pattern does not bind{}; {}",
        suggestion(.nearest.as_deref()), binds(.bound)
    )]
    Unbound {
        /// The name without its dollars.
        name: String,
        /// The metavariable as the template spells it.
        spelled: String,
        /// The metavariables that the pattern binds, with their dollars.
        bound: Vec<String>,
        /// The one of them that is spelled most alike, if one is alike at all.
        nearest: Option<String>,
    },
    /// A list is used as one node, or one node as a list.
    #[error(
        "the template uses `{spelled}`, but the pattern binds `{bound}`: a list of nodes is written \
         with three dollars in both, one node with one"
    )]
    Arity {
        /// The metavariable as the template spells it.
        spelled: String,
        /// The metavariable as the pattern binds it.
        bound: String,
    },
    /// `$_` and `$$$` stand for what is not kept, so a template cannot say it again.
    #[error(
        "the template uses `{spelled}`, which binds nothing; give it a name in the pattern, such as \
         `{dollars}X`, and use that name here",
        dollars = dollars(.spelled)
    )]
    Unnamed {
        /// The metavariable as the template spells it.
        spelled: String,
    },
    /// A bound name that is not read as a metavariable where it stands.
    #[error(
        "`{spelled}` in the template is plain text as it is written, though the pattern binds `{name}`; \
         write `{meant}` for what it captured, or give the metavariable another name"
    )]
    NotRead {
        /// The text as it stands in the template.
        spelled: String,
        /// The name without its dollars.
        name: String,
        /// The spelling that is read as the metavariable.
        meant: String,
    },
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest
        .map(|name| format!(" (did you mean `{name}`?)"))
        .unwrap_or_default()
}

fn binds(bound: &[String]) -> String {
    match bound {
        [] => "it binds no name at all".to_owned(),
        _ => format!("it binds {}", quoted(bound)),
    }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = match self.arity {
            Arity::One => "$",
            Arity::Many => "$$$",
        };
        write!(f, "{dollars}{}", self.name)
    }
}

impl Template {
    /// Reads a template and checks every name in it against the pattern.
    ///
    /// `$X` and `$$$XS` stand for what the pattern's variables are bound to, and so do `${X}` and
    /// `$$${XS}`, which may stand directly before or after a letter. Everything else is text:
    /// `$lower`, `$1`, `${expression}`, and a `$` after a backslash. Where the language writes
    /// interpolation as `${NAME}`, a braced name that the pattern does not bind is text as well.
    /// Blanks around the template do not count, and the indentation of its first line is taken
    /// from all its lines. An empty template deletes what was matched.
    ///
    /// # Errors
    /// [`TemplateError`] names the first metavariable that the pattern does not bind that way.
    pub fn parse(text: &str, pattern: &Pattern) -> Result<Template, TemplateError> {
        let parts = read(&dedent(text), pattern)?;
        let own = read(&dedent(pattern.text()), pattern).ok();
        let is_identity = own.as_ref() == Some(&parts);
        let own = own.unwrap_or_default();
        let frames = (0..pattern.variables().len())
            .filter(|&slot| pattern.is_many(slot))
            .filter_map(|slot| {
                let frame = frame_of(&own, slot)?;
                (frame_of(&parts, slot).as_ref() == Some(&frame)).then_some((slot, frame))
            })
            .collect();
        let indents = parts.iter().filter_map(|part| match part {
            Part::Line { indent, .. } if !indent.is_empty() && !indent.contains('\t') => {
                Some(indent.len())
            }
            _ => None,
        });
        let unit = indents.min().filter(|&least| least > 1).unwrap_or(0);
        let lines = 1 + parts
            .iter()
            .filter(|part| matches!(part, Part::Line { .. }))
            .count();
        Ok(Template {
            parts,
            lines,
            is_identity,
            unit,
            frames,
        })
    }

    /// Whether the template says what the pattern says, so that rewriting changes nothing.
    pub fn is_identity(&self) -> bool {
        self.is_identity
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// How many lines the template has.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    pub(crate) fn uses(&self, slot: usize) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, Part::Variable { slot: used, .. } if *used == slot))
    }

    /// What stands directly around a list wherever it is used, in the pattern as well.
    pub(crate) fn frame(&self, slot: usize) -> Option<&Frame> {
        self.frames
            .iter()
            .find(|(framed, _)| *framed == slot)
            .map(|(_, frame)| frame)
    }

    /// Whether a use of a variable stands directly after an opening parenthesis.
    pub(crate) fn opens_before(&self, slot: usize) -> bool {
        self.parts.windows(2).any(|pair| match pair {
            [Part::Text(text), Part::Variable { slot: used, .. }] => {
                *used == slot && text.trim_end().ends_with('(')
            }
            _ => false,
        })
    }

    /// Whether every use of a variable is followed by a line end, the last one by `after`.
    pub(crate) fn line_end_follows(&self, slot: usize, after: &str) -> bool {
        self.parts
            .iter()
            .enumerate()
            .all(|(nth, part)| match (part, self.parts.get(nth + 1)) {
                (Part::Variable { slot: used, .. }, next) if *used == slot => match next {
                    None => after.starts_with(['\n', '\r']),
                    Some(next) => matches!(next, Part::Line { .. }),
                },
                _ => true,
            })
    }

    /// Bytes of the template's own text.
    pub(crate) fn own_bytes(&self) -> usize {
        let own = |part: &Part| match part {
            Part::Text(text) => text.len(),
            _ => 0,
        };
        self.parts.iter().map(own).sum()
    }

    /// Whether a word stands in the template's own text.
    pub(crate) fn says(&self, words: &str) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, Part::Text(text) if holds_word(text, words)))
    }

    /// The blanks that a line of the template begins with, in the style of a file whose level of
    /// indentation is `unit`.
    pub(crate) fn indent_in(&self, indent: &str, unit: Option<&str>) -> String {
        let Some(unit) = unit else {
            return indent.to_owned();
        };
        let tabs = indent.bytes().take_while(|&byte| byte == b'\t').count();
        let blanks = &indent[tabs..];
        let (levels, rest) = match self.unit {
            0 => (0, blanks.len()),
            width => (blanks.len() / width, blanks.len() % width),
        };
        unit.repeat(tabs + levels) + &" ".repeat(rest)
    }

    /// The template without the lists that are empty at a site: the separator beside such a list
    /// goes, and a line that held nothing else. Each part has its index in the whole template.
    pub(crate) fn parts_without(&self, is_empty: impl Fn(usize) -> bool) -> Vec<(usize, Part)> {
        let mut left: Vec<(usize, Part)> = Vec::new();
        let mut right: std::collections::VecDeque<(usize, Part)> =
            self.parts.iter().cloned().enumerate().collect();
        while let Some((index, part)) = right.pop_front() {
            match part {
                Part::Variable { slot, many: true } if is_empty(slot) => {
                    drop_separator(&mut left, &mut right);
                    drop_blanks(&mut left, &mut right);
                }
                part => left.push((index, part)),
            }
        }
        left
    }
}

/// The one frame around every use of a list.
fn frame_of(parts: &[Part], slot: usize) -> Option<Frame> {
    let mut frames = parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| match part {
            Part::Variable { slot: used, .. } if *used == slot => Some(frame(parts, at)),
            _ => None,
        });
    let first = frames.next()??;
    frames
        .all(|other| other.as_ref() == Some(&first))
        .then_some(first)
}

/// Takes away the separator after an empty list, or else the one before it.
fn drop_separator(
    left: &mut [(usize, Part)],
    right: &mut std::collections::VecDeque<(usize, Part)>,
) {
    if let Some((_, Part::Text(text))) = right.front_mut() {
        let trimmed = text.trim_start();
        let is_statement = || !matches!(open_bracket(left), Some('(' | '['));
        if trimmed.starts_with(',') || (trimmed.starts_with(';') && is_statement()) {
            *text = trimmed[1..].trim_start().to_owned();
            return;
        }
    }
    for (_, part) in left.iter_mut().rev() {
        match part {
            Part::Text(text) if text.trim().is_empty() => {}
            Part::Text(text) if text.trim_end().ends_with(',') => {
                let kept = text.trim_end().len() - 1;
                text.truncate(kept);
                return;
            }
            Part::Line { .. } => {}
            _ => return,
        }
    }
}

/// Takes away the line that an empty list leaves blank, or one of the blanks on its two sides.
fn drop_blanks(
    left: &mut Vec<(usize, Part)>,
    right: &mut std::collections::VecDeque<(usize, Part)>,
) {
    let is_blank = |part: &Part| matches!(part, Part::Text(text) if text.trim().is_empty());
    let before = left
        .iter()
        .rev()
        .take_while(|(_, part)| is_blank(part))
        .count();
    let after = right.iter().take_while(|(_, part)| is_blank(part)).count();
    let line_before = left.len().checked_sub(before + 1).map(|at| &left[at].1);
    let line_after = right.get(after).map(|(_, part)| part);
    let begins = matches!(line_before, None | Some(Part::Line { .. }));
    let ends = matches!(line_after, None | Some(Part::Line { .. }));
    if begins && ends {
        let has_line_before = line_before.is_some();
        left.truncate(left.len() - before);
        right.drain(..after);
        if has_line_before {
            left.pop();
        } else {
            right.pop_front();
        }
        return;
    }
    let closes = match right.front() {
        None | Some((_, Part::Line { .. })) => true,
        Some((_, Part::Text(text))) => {
            text.starts_with(|c: char| c.is_whitespace() || matches!(c, ')' | ']' | '>'))
        }
        Some(_) => false,
    };
    if let Some((_, Part::Text(text))) = left.last_mut().filter(|_| closes) {
        text.truncate(text.trim_end().len());
    }
}

/// The innermost bracket that the text so far leaves open.
pub(crate) fn open_bracket(parts: &[(usize, Part)]) -> Option<char> {
    let mut closed = 0usize;
    for (_, part) in parts.iter().rev() {
        let Part::Text(text) = part else { continue };
        for c in text.chars().rev() {
            match c {
                ')' | ']' | '}' => closed += 1,
                '(' | '[' | '{' if closed == 0 => return Some(c),
                '(' | '[' | '{' => closed -= 1,
                _ => {}
            }
        }
    }
    None
}

/// Whether a word, or several, stand in a text with no letter beside them.
pub(crate) fn holds_word(text: &str, words: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        let starts_apart = !words.starts_with(is_letter) || !before.is_some_and(is_letter);
        let ends_apart = !words.ends_with(is_letter) || !after.is_some_and(is_letter);
        starts_apart && ends_apart
    })
}

/// The text without the blanks around it, each line without the indentation of the first.
fn dedent(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty());
    let indent = first.map_or("", blanks_of);
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.trim().lines().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let shared = line
            .bytes()
            .zip(indent.bytes())
            .take_while(|(a, b)| a == b && matches!(a, b' ' | b'\t'))
            .count();
        let shared = if number == 0 { 0 } else { shared };
        out.push_str(&line[shared..]);
    }
    out
}

/// The blanks that a line begins with.
pub(crate) fn blanks_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
