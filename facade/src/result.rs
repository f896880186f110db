//! What the tools answer: typed, serialisable, bounded.

use std::collections::BTreeMap;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plain::OneLine;
use crate::verdict::Verdict;

/// A place in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Place {
    /// Byte offset, counted from 0.
    pub byte: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in Unicode scalar values (characters), counted from 1.
    pub column: usize,
}

/// What a metavariable captured, cut to the bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum CaptureText {
    /// The text that `$X` stands for.
    One(String),
    /// The texts that `$$$XS` stands for, without the separators between them.
    Many(Vec<String>),
}

/// One match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MatchInfo {
    /// Where it begins.
    pub start: Place,
    /// Where it ends: the place after its last character.
    pub end: Place,
    /// Its text, cut to the bound.
    pub text: String,
    /// Whether the text or a capture was cut; what was ends with `…`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// What each metavariable captured, by its name without dollars.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub captures: BTreeMap<String, CaptureText>,
    /// The rung on which the pattern is read so; absent for a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rung: Option<&'static str>,
    /// The grammar's name of the node that was found; for a sequence, of its first node.
    pub kind: &'static str,
    /// Whether the reading is not the primary one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub further: bool,
}

/// The matches of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FileMatches {
    /// Path below the root of the checkout, with `/`.
    pub path: String,
    /// The id of the language that the file was read as.
    pub language: &'static str,
    /// How many matches the file has, also those that were not given.
    pub count: usize,
    /// Whether the file has syntax errors: what stands in or near them may not have been found.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_errors: bool,
    /// By start, the outer before the inner.
    pub matches: Vec<MatchInfo>,
    /// The whole text, if [`GrepRequest::with_source`](crate::GrepRequest::with_source) asks for
    /// it; else empty.
    #[serde(skip)]
    pub source: String,
}

/// How often one reading of the pattern matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ReadingCount {
    /// The id of the language.
    pub language: &'static str,
    /// The rung; absent for a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rung: Option<&'static str>,
    /// The grammar's name of what the pattern is.
    pub kind: String,
    /// Whether it is the primary reading of its language, the one that a rewrite uses.
    pub primary: bool,
    /// How many matches.
    pub matches: usize,
}

/// Files that were skipped for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SkippedFiles {
    /// The reason in a few words.
    pub reason: String,
    /// How many files.
    pub files: usize,
    /// The first few of them.
    pub examples: Vec<String>,
}

/// A language that was met but whose files were not searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LanguageSkipped {
    /// The id of the language.
    pub language: &'static str,
    /// How many files were left out for it.
    pub files: usize,
    /// What is in the way: `pattern`, `constraint`, `template`, `query`, or `condition` (also a node
    /// kind).
    pub part: &'static str,
    /// Why, in one sentence.
    pub why: String,
}

/// A place that nearly matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct NearMissInfo {
    /// Path below the root of the checkout, with `/`.
    pub path: String,
    /// Where it begins.
    pub start: Place,
    /// Its text, cut to the bound.
    pub text: String,
    /// The rung of the reading that nearly matches.
    pub rung: &'static str,
    /// Why it does not match.
    pub reason: String,
}

/// Matches that were counted but not given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LeftOut {
    /// How many come after those that were given.
    pub matches: usize,
    /// The `offset` that gives the next page.
    pub next_offset: usize,
}

/// What a search did, beside its matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct GrepSummary {
    /// How many matches there are, given or not.
    pub matches: usize,
    /// How many were given.
    pub shown: usize,
    /// Files with matches.
    pub files_matched: usize,
    /// Files that were read.
    pub files_searched: usize,
    /// Files that were parsed; the others cannot hold a match, as their bytes tell.
    pub files_parsed: usize,
    /// Parsed files that have syntax errors: what stands in or near them may not have been found.
    pub files_with_errors: usize,
    /// Candidates that were given up at the step bound: each may be a match.
    pub given_up: usize,
    /// Matches per reading, the primary one of each language first.
    pub readings: Vec<ReadingCount>,
    /// Files that could not be searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedFiles>,
    /// Languages in which the pattern, or a constraint, is no code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages_skipped: Vec<LanguageSkipped>,
    /// What the limit left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// When nothing is found or shown, what was asked for and is not there, one sentence each: a
    /// language that no file is of, a glob that none matches, an offset behind the last match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<String>,
    /// When nothing matched, what was probably meant by the pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// When nothing matched, the words of the pattern that stand in none of the searched files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent_words: Vec<String>,
    /// For some of these, a word that stands there and is written nearly so.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub near_words: BTreeMap<String, String>,
    /// When nothing matched, the nearest misses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_misses: Vec<NearMissInfo>,
    /// Whether the search ended before the last file: cancelled, or the receiver had enough.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

impl GrepSummary {
    /// The languages whose files were not searched, in sentences for people: one for each part of
    /// the request that is in the way.
    pub fn not_searched(&self) -> Vec<String> {
        let mut skipped: Vec<&LanguageSkipped> = self
            .languages_skipped
            .iter()
            .filter(|skipped| skipped.files > 0)
            .collect();
        skipped.sort_by_key(|skipped| std::cmp::Reverse(skipped.files));
        let reasons = [
            ("pattern", "the pattern is no code"),
            ("constraint", "a constraint is no code"),
            ("query", "the query does not compile"),
            ("template", "the template does not fit"),
            ("condition", "a condition or node kind is not usable"),
        ];
        let of_part = |(part, reason): (&str, &str)| {
            let ids: Vec<&str> = skipped
                .iter()
                .filter(|skipped| skipped.part == part)
                .map(|skipped| skipped.language)
                .collect();
            let shown = &ids[..ids.len().min(LANGUAGES_NAMED)];
            let more = if ids.len() > shown.len() { ", …" } else { "" };
            let languages = if ids.len() == 1 {
                "language"
            } else {
                "languages"
            };
            (!ids.is_empty()).then(|| {
                format!(
                    "not searched: {} {languages} in which {reason} ({}{more})",
                    ids.len(),
                    shown.join(", ")
                )
            })
        };
        reasons.into_iter().filter_map(of_part).collect()
    }
}

/// How many languages a sentence names.
const LANGUAGES_NAMED: usize = 4;

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct GrepResult {
    /// The matches, by path.
    pub files: Vec<FileMatches>,
    /// What was done, counted and left out.
    pub summary: GrepSummary,
}

/// One place that a stage changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SiteInfo {
    /// Its name, by which it can be left out: `src/a.rs:12`, and `src/a.rs:12#2` for the second
    /// one that begins in that line.
    pub id: String,
    /// Path below the root of the checkout, with `/`.
    pub path: String,
    /// Where it begins.
    pub start: Place,
    /// Where it ends.
    pub end: Place,
    /// What stands there, cut to the bound.
    pub before: String,
    /// What will stand there, cut to the bound.
    pub after: String,
    /// What is dropped here that neither the pattern nor a capture holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
    /// The site around this one, which can only be left out with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// Captures that the result no longer holds as one piece: to be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub regrouped: Vec<String>,
}

/// How many sites one file has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StagedFileInfo {
    /// Path below the root of the checkout, with `/`.
    pub path: String,
    /// The id of the language that the file was read as.
    pub language: &'static str,
    /// How many sites.
    pub sites: usize,
}

/// A site or file that is left out of a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Refused {
    /// The site, or the path of the file.
    pub what: String,
    /// Why, and what to do.
    pub why: String,
}

/// A stage that had to go for a new one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EvictedStage {
    /// Its id.
    pub id: String,
    /// Why.
    pub why: String,
}

/// The result of staging a rewrite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RewriteResult {
    /// The id of the stage; absent when there is nothing to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Whether the stage is kept on disk.
    pub kept: bool,
    /// How many sites are staged.
    pub site_count: usize,
    /// The sites, by path and place, as far as the limit lets.
    pub sites: Vec<SiteInfo>,
    /// How many staged sites are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub sites_not_listed: usize,
    /// The staged files with their number of sites.
    pub files: Vec<StagedFileInfo>,
    /// The change as a unified diff, as far as the bound lets.
    pub diff: String,
    /// Files whose diff is not shown, or not to its end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diff_left_out: Vec<String>,
    /// Sites that are left out because rewriting them drops something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused_sites: Vec<Refused>,
    /// Files that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused_files: Vec<Refused>,
    /// Files that are staged though they no longer parse, because that was forced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forced_files: Vec<Refused>,
    /// Sites left out because they cross another one without lying inside it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crossing: Vec<String>,
    /// Sites inside another one, in what its rewriting drops: they go with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreached: Vec<String>,
    /// Sites that the template leaves as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<String>,
    /// Set when every file would have more syntax errors than before: then the template itself is at
    /// fault. The whole sentence; `refused_files` has each file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_breaks: Option<String>,
    /// Sites and files that were to be left out and were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
    /// What the further readings of the pattern would add; `as` picks one of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_readings: Vec<ReadingCount>,
    /// Stages that had to go for this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evicted: Vec<EvictedStage>,
    /// What was searched, counted and skipped.
    pub summary: GrepSummary,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What became of a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ResolveResult {
    /// The stage that was asked for.
    pub id: String,
    /// Whether its change was written; else it was discarded.
    pub applied: bool,
    /// The id of the selection that was committed in its place, when something was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
    /// What was left out and is a stage of its own now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<StageRest>,
    /// The files that were written, or would have been.
    pub files: Vec<String>,
    /// How many sites were written, or would have been.
    pub sites: usize,
    /// What is less sure than usual about the commit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// What the language servers say about it; absent where nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// What was left out when a stage was applied: another stage, kept where the first one was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct StageRest {
    /// Its id, to be applied or discarded like any other.
    pub stage: String,
    /// How many sites it has.
    pub sites: usize,
    /// Its files.
    pub files: Vec<String>,
}

/// One stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StagedInfo {
    /// Its id.
    pub id: String,
    /// Whether it is kept on disk; else it ends with its conversation.
    pub kept: bool,
    /// When it was staged, in seconds since 1970.
    pub staged_at: u64,
    /// How long ago, in words.
    pub age: String,
    /// The pattern that it came from, when that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The template that it came from, when that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// What it does, if it is no rewrite but a change that a language server proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its files.
    pub files: Vec<String>,
    /// How many sites it has.
    pub sites: usize,
    /// How its file is damaged, if it is; it can only be discarded then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damaged: Option<String>,
}

/// The stages there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StagedResult {
    /// The newest first.
    pub stages: Vec<StagedInfo>,
    /// Stages that were removed just now because of their age or number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evicted: Vec<EvictedStage>,
}

/// One site of a stage, as [`Conversation::sites`](crate::Conversation::sites) lists them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StagedSite {
    /// Its name, by which it can be left out.
    pub id: String,
    /// Path below the root of the checkout, with `/`.
    pub path: String,
    /// The line in which it begins, counted from 1.
    pub line: usize,
    /// The site around this one, which can only be left out with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
}

/// One way to read a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ReadingInfo {
    /// The rung.
    pub rung: &'static str,
    /// The grammar's name of what the pattern is.
    pub kind: &'static str,
    /// The pattern as the grammar reads it: an indented tree.
    pub tree: String,
    /// Text that every match contains; files without it are not parsed.
    pub required_text: Vec<String>,
}

/// Why one rung does not accept a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RefusalInfo {
    /// The rung.
    pub rung: &'static str,
    /// Byte of the pattern where reading stopped.
    pub at: usize,
    /// The token there; empty at the end of the pattern.
    pub token: String,
    /// What was wrong with it, as the end of a sentence.
    pub why: String,
}

/// A pattern in one language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LanguageExplanation {
    /// The id of the language.
    pub language: &'static str,
    /// The readings, the primary one first.
    pub readings: Vec<ReadingInfo>,
    /// The rungs that do not accept the pattern.
    pub refusals: Vec<RefusalInfo>,
    /// Why it, or a constraint, cannot be used at all, if so: the whole message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
}

/// How a pattern is read, and what nearly matches it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Explanation {
    /// Each language that was met or asked for.
    pub languages: Vec<LanguageExplanation>,
    /// What a search finds.
    pub summary: GrepSummary,
}

/// One language of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LanguageInfo {
    /// The short name used in options and output, such as csharp.
    pub id: &'static str,
    /// The name a person would write, such as C#.
    pub name: &'static str,
    /// Further names.
    pub aliases: Vec<&'static str>,
    /// File name extensions, without the dot.
    pub extensions: Vec<&'static str>,
    /// Whole file names.
    pub file_names: Vec<&'static str>,
    /// Programs of a `#!` line.
    pub shebangs: Vec<&'static str>,
}

/// One interrupted commit and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RecoveredStage {
    /// The id of its stage.
    pub id: String,
    /// What became of it, in words. What others edited since is part of it.
    pub outcome: String,
    /// Whether every file is as the outcome says. If not, the user should look: others edited some of
    /// the files since, or the journal could not be read.
    pub whole: bool,
    /// The files it is about.
    pub files: Vec<String>,
    /// What others edited since, and where it was put; all of it, where the outcome tells a few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
}

/// What recovery found and did; usually nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Recovery {
    /// The interrupted commits.
    pub commits: Vec<RecoveredStage>,
    /// Another process is committing at the moment, so there was nothing to recover.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub busy: bool,
    /// What this recovery and earlier ones have put aside where others had edited a file in the
    /// middle of a commit. It is the user's to look at and to remove.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub put_aside: Vec<String>,
}

impl Recovery {
    /// One sentence for each interrupted commit, to be told once to whoever works here.
    pub fn notices(&self) -> impl Iterator<Item = String> {
        let commits = self.commits.iter();
        commits.map(|one| {
            let outcome = OneLine(&one.outcome);
            format!("interrupted commit {}: {outcome}", one.id)
        })
    }
}

/// `text`, cut to at most `max` bytes at a character; what was cut ends with `…`.
pub(crate) fn capped(text: &str, max: usize, truncated: &mut bool) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    *truncated = true;
    let end = text.floor_char_boundary(max);
    format!("{}…", &text[..end])
}

/// The text of a range, cut; empty for a range that is none of the text's.
pub(crate) fn excerpt(
    text: &str,
    range: &Range<usize>,
    max: usize,
    truncated: &mut bool,
) -> String {
    capped(text.get(range.clone()).unwrap_or_default(), max, truncated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_file_ends_the_notice_of_a_recovery() {
        let commit = RecoveredStage {
            id: "s-2222".to_owned(),
            outcome: "taken back, except for 1 file: a\nclean.py".to_owned(),
            whole: false,
            files: Vec::new(),
            conflicts: Vec::new(),
        };
        let recovery = Recovery {
            commits: vec![commit],
            ..Recovery::default()
        };
        assert_eq!(
            Vec::from_iter(recovery.notices()),
            [r"interrupted commit s-2222: taken back, except for 1 file: a\nclean.py"]
        );
    }
}
