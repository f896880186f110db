//! The one form of all answers, and how it reads.

use crate::index::Coverage;
use crate::link::Certainty;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// Whether the question was about something that there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was, and this is the answer; it may be that there is none of what was asked for.
    #[default]
    Answered,
    /// The name means several symbols; the entries are the candidates.
    Ambiguous,
    /// There is no such thing; the entries, if any, are what has the nearest names.
    NotFound,
}

/// The answer to a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Answer {
    /// Whether there is what was asked about.
    pub outcome: Outcome,
    /// The answer in one sentence.
    pub headline: String,
    /// What was asked about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<Entry>,
    /// The text of what was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// A drawing, when one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawing: Option<String>,
    /// What there is to tell, the most important first.
    pub groups: Vec<Group>,
    /// How many entries all groups have together, shown or not.
    pub total: usize,
    /// The `offset` that gives the next entries, when there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// What is not sure, or must be known to read the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the index covers.
    pub coverage: Coverage,
    /// Whether what was left out is only counted, to have room for more.
    #[serde(skip)]
    pub(super) terse: bool,
    /// How many entries there are from the offset on, when there was room for none of them.
    #[serde(skip)]
    pub(super) no_room: usize,
}

/// Entries that belong together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Group {
    /// What they are: "callers", "tests".
    pub title: String,
    /// How many there are, shown or not.
    pub total: usize,
    /// They come file by file.
    #[serde(skip)]
    pub by_file: bool,
    /// Those that fit.
    pub entries: Vec<Entry>,
}

/// A symbol or a file, with what makes it part of the answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Entry {
    /// The id that it keeps when lines move; empty for what is no symbol of the checkout.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What it is: `file`, `class`, `method`.
    pub kind: &'static str,
    /// Its qualified name within its file; the path of a file.
    pub name: String,
    /// The file, relative to the checkout; empty for what is not in it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The 1-based line of its name; 0 for what is not in the checkout.
    #[serde(skip_serializing_if = "is_zero_line")]
    pub line: u32,
    /// The 1-based last line of the declaration, where that is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// How deep it is set in, for outlines.
    #[serde(skip_serializing_if = "is_zero")]
    pub indent: usize,
    /// Its declaration as one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The line that tells most about it: its signature where it was searched for, else the first
    /// paragraph of its documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// How surely it belongs here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// More about it, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The lines that say so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
    /// How many more such lines there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_lines: usize,
}

/// A line of the entry's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its 1-based number.
    pub line: u32,
    /// Its text without the white space around it, cut when it is long.
    pub text: String,
}

/// A stretch of source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The file.
    pub path: String,
    /// The 1-based number of the first line.
    pub first_line: u32,
    /// The 1-based number of the last line of the whole stretch.
    pub last_line: u32,
    /// Its lines, as many as fit.
    pub text: String,
    /// How many lines at the end did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn is_zero_line(number: &u32) -> bool {
    *number == 0
}

impl Certainty {
    /// Every certainty, from the surest on.
    pub const ALL: [Certainty; 5] = [
        Certainty::Exact,
        Certainty::Typed,
        Certainty::Inferred,
        Certainty::Candidate,
        Certainty::Name,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Certainty::Exact => "exact",
            Certainty::Typed => "typed",
            Certainty::Inferred => "inferred",
            Certainty::Candidate => "candidate",
            Certainty::Name => "name",
        }
    }
}

/// A number with its noun: "1 file", "2 files".
pub(super) fn count(number: usize, noun: &str) -> String {
    let plural = match noun.as_bytes() {
        _ if number == 1 => noun.to_owned(),
        [.., b'a' | b'e' | b'o' | b'u', b'y'] => format!("{noun}s"),
        [.., b'y'] => format!("{}ies", &noun[..noun.len() - 1]),
        [.., b's'] => format!("{noun}es"),
        _ => format!("{noun}s"),
    };
    format!("{number} {plural}")
}

impl Answer {
    /// The files that the answer speaks of, each once: it is true when they are what the index
    /// knows. None where nothing was found: any file may have it by now.
    pub fn paths(&self) -> Vec<String> {
        if self.outcome == Outcome::NotFound {
            return Vec::new();
        }
        let entries = self.groups.iter().flat_map(|group| &group.entries);
        let paths = entries.chain(&self.about).map(|entry| &entry.path);
        let source = self.source.iter().map(|source| &source.path);
        let all: BTreeSet<&String> = paths
            .chain(source)
            .filter(|path| !path.is_empty())
            .collect();
        all.into_iter().cloned().collect()
    }
}

/// The text of an answer, which must be the same whether a part is measured or written.
impl Answer {
    /// What stands before the entries.
    pub(super) fn head(&self) -> String {
        let mut out = format!("{}\n", self.headline);
        for entry in &self.about {
            out.push_str(&entry.about_text());
        }
        if let Some(source) = &self.source {
            out.push_str(&source.to_string());
        }
        out.push_str(self.drawing.as_deref().unwrap_or_default());
        out
    }

    /// What stands after them, but for how much was left out.
    pub(super) fn tail(&self) -> String {
        let mut out = String::new();
        for note in &self.notes {
            out.push_str(&format!("note: {note}\n"));
        }
        out.push_str(&format!("coverage: {}\n", self.coverage));
        out
    }

    /// What was left out and how to get it.
    pub(super) fn left_out(&self) -> String {
        let entries = self.groups.iter().flat_map(|group| &group.entries);
        let lines: usize = entries.map(|entry| entry.more_lines).sum();
        let lines = match lines {
            0 => String::new(),
            many => format!("{} with more tokens\n", count(many, "more line")),
        };
        if self.no_room > 0 {
            let many = self.no_room;
            return format!("and {many} more, for none of which there is room: give more tokens\n");
        }
        let Some(next) = self.next_offset else {
            return lines;
        };
        let more = self.total.saturating_sub(next);
        let of: Vec<String> = self
            .groups
            .iter()
            .scan(0, |before, group| {
                let from = *before;
                *before += group.total;
                // What lies after the next offset, of this group.
                Some((group, *before - next.clamp(from, *before)))
            })
            .filter(|(_, left)| *left > 0)
            .take(6)
            .map(|(group, left)| format!("{} {left}", group.title))
            .collect();
        let of = match of.as_slice() {
            _ if self.terse => String::new(),
            [] | [_] => String::new(),
            several => format!(" ({})", several.join(", ")),
        };
        format!("and {more} more{of}; next: offset={next}\n{lines}")
    }
}

impl fmt::Display for Answer {
    /// The answer as compact text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head())?;
        for group in &self.groups {
            if group.entries.is_empty() && group.total > 0 && self.groups.len() > 1 {
                // Its number stands in what was left out, or before the offset.
                continue;
            }
            f.write_str(&group.head())?;
            let mut path = "";
            for entry in &group.entries {
                f.write_str(&entry.text(group.by_file, path))?;
                path = &entry.path;
            }
        }
        f.write_str(&self.left_out())?;
        f.write_str(&self.tail())
    }
}

impl Group {
    pub(super) fn head(&self) -> String {
        match self.title.as_str() {
            "" => String::new(),
            title => format!("{title}: {}\n", self.total),
        }
    }
}

impl Entry {
    /// The entry in a list; under the heading of its file, when the list is by file, which is
    /// written when the entry before was of another.
    pub(super) fn text(&self, by_file: bool, path_before: &str) -> String {
        let mut out = String::new();
        let indent = "  ".repeat(self.indent);
        if by_file && !self.path.is_empty() {
            if self.path != path_before {
                out.push_str(&format!("{}\n", self.path));
            }
            if self.kind == "file" {
                out.push_str(&format!("  {indent}the file itself"));
            } else {
                out.push_str(&format!("  {indent}{} {}", self.place(), self.what()));
            }
        } else if self.kind == "file" || self.path.is_empty() {
            out.push_str(&format!("  {indent}{}", self.what()));
        } else {
            let place = format!("{}:{}", self.path, self.place());
            out.push_str(&format!("  {indent}{}  {place}", self.what()));
        }
        if let Some(certainty) = self.certainty {
            out.push_str(&format!("  [{}]", certainty.word()));
        }
        if !self.detail.is_empty() {
            out.push_str(&format!("  {}", self.detail));
        }
        out.push('\n');
        if let Some(doc) = &self.doc {
            out.push_str(&format!("    {indent}{doc}\n"));
        }
        for line in &self.lines {
            out.push_str(&format!("    {indent}{}: {}\n", line.line, line.text));
        }
        if self.more_lines > 0 {
            out.push_str(&format!(
                "    {indent}and {}\n",
                count(self.more_lines, "more line")
            ));
        }
        out
    }

    /// Its line or lines.
    fn place(&self) -> String {
        match self.end_line.filter(|end| *end > self.line) {
            Some(end) => format!("{}-{end}", self.line),
            None => self.line.to_string(),
        }
    }

    /// Kind and name, or the signature, which has both.
    fn what(&self) -> String {
        match &self.signature {
            Some(signature) => signature.clone(),
            None if self.kind.is_empty() || self.kind == "file" => self.name.clone(),
            None => format!("{} {}", self.kind, self.name),
        }
    }

    /// The entry as what the question is about.
    fn about_text(&self) -> String {
        let mut out = String::new();
        if let Some(signature) = &self.signature {
            out.push_str(&format!("  {signature}\n"));
        }
        if let Some(doc) = &self.doc {
            out.push_str(&format!("  {doc}\n"));
        }
        if !self.detail.is_empty() {
            out.push_str(&format!("  {}\n", self.detail));
        }
        out
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, line) in (self.first_line..).zip(self.text.lines()) {
            writeln!(f, "{number:>5} {line}")?;
        }
        if self.left_out > 0 {
            let from = self.last_line + 1 - self.left_out as u32;
            let last = self.last_line;
            writeln!(f, "      … lines {from}-{last} of {} left out", self.path)?;
        }
        Ok(())
    }
}

/// How often, in words.
pub(super) fn times(number: usize) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}
