//! What the code graph answers, as a tool's result.

use fourfold_code_graph::index::{Counted, Coverage, Freshness, Reason};
use fourfold_code_graph::query::{Answer, Entry, Group, Outcome, Source};
use schemars::JsonSchema;
use serde::Serialize;

use super::request::CodePage;

/// Files that are named of each kind that the coverage counts.
const EXAMPLES: usize = 5;

/// Whether there is what was asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CodeOutcome {
    /// There is, and this is the answer.
    #[default]
    Answered,
    /// The name means several symbols; the entries are the candidates.
    Ambiguous,
    /// There is no such thing; the entries are what has the nearest names.
    NotFound,
}

/// The answer to a question to the code graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CodeAnswer {
    /// Whether there is what was asked about.
    pub outcome: CodeOutcome,
    /// The answer in one sentence.
    pub headline: String,
    /// What was asked about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<CodeEntry>,
    /// Its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<CodeSource>,
    /// What there is to tell, the most important first.
    pub groups: Vec<CodeGroup>,
    /// How many entries there are in all groups together, given or not.
    pub total: usize,
    /// The `offset` that gives the next ones, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// How many entries the text has that are left out here, so that this keeps the budget too.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// What is not sure, or must be known to read the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// A drawing, if one was asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub drawing: String,
    /// What the index covers.
    pub coverage: CodeCoverage,
    /// Whether every file that the answer speaks of was found unchanged when it was complete.
    pub current: bool,
    /// All of it as compact text.
    #[serde(skip)]
    pub text: String,
}

/// Entries that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CodeGroup {
    /// What they are.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// How many there are, given or not.
    pub total: usize,
    /// Those that are given.
    pub entries: Vec<CodeEntry>,
}

/// A symbol or a file, with what makes it part of the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CodeEntry {
    /// An id that it keeps when lines move; none for what is no symbol of the checkout.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What it is: file, class, method.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub kind: &'static str,
    /// Its qualified name within its file; the path of a file.
    pub name: String,
    /// Path below the root of the checkout, with `/`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The line of its name, counted from 1; 0 for what is not in the checkout.
    #[serde(skip_serializing_if = "is_zero_line")]
    pub line: u32,
    /// The last line of its declaration, where that is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// How deep it lies in other entries of an outline.
    #[serde(skip_serializing_if = "is_zero")]
    pub indent: usize,
    /// Its declaration as one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The line that tells most about it: its signature where it was searched for, else the first
    /// paragraph of its documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// How surely it belongs here: exact, typed, inferred, candidate, name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certainty: Option<&'static str>,
    /// More about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The lines that say so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<CodeLine>,
    /// How many more such lines there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_lines: usize,
}

/// A line of the entry's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CodeLine {
    /// Its number, counted from 1.
    pub line: u32,
    /// Its text, cut when it is long.
    pub text: String,
}

/// A stretch of source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CodeSource {
    /// The file.
    pub path: String,
    /// The number of the first line, counted from 1.
    pub first_line: u32,
    /// The number of the last line of the whole stretch.
    pub last_line: u32,
    /// Its lines, as many as fit.
    pub text: String,
    /// How many lines at the end did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

/// What the index covers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CodeCoverage {
    /// Source files that there are.
    pub files: usize,
    /// Those that are indexed, the next two included.
    pub indexed: usize,
    /// Those with syntax errors: what could be read around them is known.
    #[serde(skip_serializing_if = "is_zero")]
    pub partial: usize,
    /// Those whose symbols are known while where their calls lead is not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<FilesByReason>,
    /// Those that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<FilesByReason>,
    /// The first of those with syntax errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partial_examples: Vec<String>,
}

/// Files with the reason why less is known of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FilesByReason {
    /// The reason in a few words.
    pub reason: String,
    /// How many files.
    pub files: usize,
    /// The first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn is_zero_line(number: &u32) -> bool {
    *number == 0
}

impl CodeAnswer {
    pub(super) fn of(answer: Answer, freshness: Freshness) -> CodeAnswer {
        let mut text = answer.to_string();
        if !freshness.current {
            text.push_str("note: files of this answer changed while it was made; ask again\n");
        }
        CodeAnswer {
            outcome: match answer.outcome {
                Outcome::Answered => CodeOutcome::Answered,
                Outcome::Ambiguous => CodeOutcome::Ambiguous,
                Outcome::NotFound => CodeOutcome::NotFound,
            },
            headline: answer.headline,
            about: answer.about.into_iter().map(entry).collect(),
            source: answer.source.map(source),
            groups: answer.groups.into_iter().map(group).collect(),
            total: answer.total,
            next_offset: answer.next_offset,
            left_out: 0,
            notes: answer.notes,
            drawing: answer.drawing.unwrap_or_default(),
            coverage: coverage(&answer.coverage),
            current: freshness.current,
            text,
        }
    }

    /// Keeps the value within the bytes that its text may have. What the text repeats goes first:
    /// the lines of code and the documentation of the last entries, then the last entries, of which
    /// one stays, then the end of the source. All of it is counted.
    pub(crate) fn fit(&mut self, page: CodePage) {
        /// The longest that the two numbers about what is left out can become.
        const COUNTS: usize = 80;
        let page = page.bounds();
        let mut over = (size(self) + COUNTS).saturating_sub(page.bytes());
        if over <= COUNTS {
            return;
        }
        let entries = self.groups.iter_mut().flat_map(|group| &mut group.entries);
        for entry in entries.rev() {
            if over == 0 {
                return;
            }
            let before = size(entry);
            entry.more_lines += entry.lines.len();
            entry.lines.clear();
            entry.doc = None;
            over = over.saturating_sub(before.saturating_sub(size(entry)));
        }
        let coverage = &mut self.coverage;
        let before = size(coverage);
        if over > 0 {
            coverage.partial_examples.clear();
            for files in coverage.outline.iter_mut().chain(&mut coverage.skipped) {
                files.examples.clear();
            }
        }
        over = over.saturating_sub(before.saturating_sub(size(coverage)));
        let mut given: usize = self.groups.iter().map(|group| group.entries.len()).sum();
        let mut groups = self.groups.iter_mut().rev();
        let mut group = groups.next();
        while over > 0 && given > 1 {
            let Some(here) = group.as_mut() else {
                break;
            };
            match here.entries.pop() {
                Some(entry) => {
                    over = over.saturating_sub(size(&entry) + 1);
                    given -= 1;
                    self.left_out += 1;
                    self.next_offset = Some(page.offset.saturating_add(given));
                }
                None => group = groups.next(),
            }
        }
        if let Some(source) = &mut self.source {
            while over > 0 {
                let Some(at) = source.text.trim_end_matches('\n').rfind('\n') else {
                    break;
                };
                let before = size(source);
                source.text.truncate(at);
                source.left_out += 1;
                over = over.saturating_sub(before.saturating_sub(size(source)));
            }
        }
    }
}

/// The bytes of a value as JSON.
fn size(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

fn group(group: Group) -> CodeGroup {
    CodeGroup {
        title: group.title,
        total: group.total,
        entries: group.entries.into_iter().map(entry).collect(),
    }
}

fn entry(entry: Entry) -> CodeEntry {
    let lines = entry.lines.into_iter().map(|line| CodeLine {
        line: line.line,
        text: line.text,
    });
    CodeEntry {
        id: entry.id,
        kind: entry.kind,
        name: entry.name,
        path: entry.path,
        line: entry.line,
        end_line: entry.end_line,
        indent: entry.indent,
        signature: entry.signature,
        doc: entry.doc,
        certainty: entry
            .certainty
            .map(fourfold_code_graph::link::Certainty::word),
        detail: entry.detail,
        lines: lines.collect(),
        more_lines: entry.more_lines,
    }
}

fn source(source: Source) -> CodeSource {
    CodeSource {
        path: source.path,
        first_line: source.first_line,
        last_line: source.last_line,
        text: source.text,
        left_out: source.left_out,
    }
}

/// As many of the files as every answer may name; the status names more.
fn first(counted: &Counted) -> Vec<String> {
    counted.examples.iter().take(EXAMPLES).cloned().collect()
}

pub(super) fn coverage(coverage: &Coverage) -> CodeCoverage {
    let by_reason = |(reason, counted): (&Reason, &Counted)| FilesByReason {
        reason: reason.to_string(),
        files: counted.files,
        examples: first(counted),
    };
    CodeCoverage {
        files: coverage.files,
        indexed: coverage.indexed,
        partial: coverage.partial.files,
        partial_examples: first(&coverage.partial),
        outline: coverage.outline.iter().map(by_reason).collect(),
        skipped: coverage.skipped.iter().map(by_reason).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many entries with a line each, and a source of ten lines.
    fn answer(many: usize) -> CodeAnswer {
        let entry = |number: usize| CodeEntry {
            name: format!("f{number}"),
            path: "a.py".to_owned(),
            line: 1,
            doc: Some("What it does.".to_owned()),
            lines: vec![CodeLine {
                line: 1,
                text: "f(1)".to_owned(),
            }],
            ..CodeEntry::default()
        };
        CodeAnswer {
            source: Some(CodeSource {
                text: "a line of the source\n".repeat(10),
                ..CodeSource::default()
            }),
            groups: vec![CodeGroup {
                total: many + 5,
                entries: (0..many).map(entry).collect(),
                ..CodeGroup::default()
            }],
            total: many + 5,
            next_offset: Some(many),
            ..CodeAnswer::default()
        }
    }

    fn page(tokens: usize) -> CodePage {
        CodePage {
            tokens: Some(tokens),
            offset: 3,
            ..CodePage::default()
        }
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let whole = answer(10);
        let mut fitted = whole.clone();
        fitted.fit(page(2000));
        assert_eq!(fitted, whole);
    }

    #[test]
    fn what_the_text_repeats_goes_first_and_all_that_goes_is_counted() {
        let whole = answer(10);
        let mut fitted = whole.clone();
        fitted.fit(page(size(&whole) / 4 - 30));
        let entries = &fitted.groups[0].entries;
        assert_eq!((entries.len(), fitted.left_out), (10, 0));
        assert_eq!((entries[0].lines.len(), entries[0].more_lines), (1, 0));
        assert_eq!((entries[9].lines.len(), entries[9].more_lines), (0, 1));
        for tokens in (100..600).step_by(7) {
            let mut fitted = answer(40);
            fitted.fit(page(tokens));
            assert!(
                size(&fitted) <= tokens * 4,
                "{} for {tokens}",
                size(&fitted)
            );
            let given = fitted.groups[0].entries.len();
            assert_eq!(given + fitted.left_out, 40);
            if fitted.left_out > 0 {
                assert_eq!(fitted.next_offset, Some(3 + given));
            }
            let source = fitted.source.unwrap();
            let lines = source.text.lines().count();
            assert_eq!(lines + source.left_out, 10);
        }
    }
}
